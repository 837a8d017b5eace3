"""Time of Apache Spark on evenly spread pages and on skewed ones, beside ``forest-scrapy extract``.

    python -m benchmarks.speed.spark SET [--pages N] [--sites N]

Needs ``pip install 'forest-scrapy[spark]'`` and Java.  The articles of a set, and copies of them as
in ``benchmarks.speed.batch``, are written as WARC files: ``even``, and ``skewed``, where a third of
all pages is of one site.  The documented ``spark-submit`` command, with ``--master local[2]``, and
``forest-scrapy extract --processes 2`` take turns on both.  Printed are wall-clock seconds, seconds
of processor time, and the articles that differ in any field.  Spark leaves out duplicates by their
URLs only, so it may have more articles.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.sets.bench_set import BenchPage, read_items, run_command
from benchmarks.sets.warcs import write_warc
from benchmarks.speed.batch import Cost, read_articles, run_ours, run_timed, vary_pages
from forest_scrapy.core.page.urls import host_of

#: WARC files of an input: Spark reads each in one task.
_FILES = 4
#: Runs a program with a folder in front of the path, as in an activated environment.
_RUN = """
import os, sys
os.environ["PATH"] = sys.argv[1] + os.pathsep + os.environ["PATH"]
os.execvp(sys.argv[2], sys.argv[2:])
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--sites", type=int, help="use only the first sites of the set")
    options = parser.parse_args()
    if shutil.which("java") is None:
        sys.exit("Spark needs Java 17 or later")
    articles = list(read_articles(options.set, options.sites))
    inputs = {
        "even": islice(vary_pages(articles), options.pages),
        "skewed": skew_pages(articles, options.pages),
    }
    comparisons = {}
    with TemporaryDirectory() as folder:
        for name, pages in inputs.items():
            comparisons[name] = measure(Path(folder, name), pages)

    print(f"{options.pages} pages")
    for name, comparison in comparisons.items():
        print(f"{name}: {comparison}")
    even = comparisons["even"]
    skewed = comparisons["skewed"]
    ratio = skewed.spark.seconds / even.spark.seconds
    print(f"skewed / even, Spark, seconds: {ratio:.2f}")


@dataclass(frozen=True)
class Comparison:
    """The costs of Spark and of ``forest-scrapy extract``; the articles of the latter, those of
    them that Spark has with other fields, and those that only Spark has."""

    spark: Cost
    extract: Cost
    articles: int
    differ: int
    more: int

    def __str__(self) -> str:
        spark = _describe_cost("Spark", self.spark)
        extract = _describe_cost("forest-scrapy extract", self.extract)
        counts = f"{self.articles} articles, {self.differ} differ, {self.more} more by Spark"
        return f"{spark}, {extract}; {counts}"


def skew_pages(articles: Sequence[BenchPage], number: int) -> Iterator[BenchPage]:
    """As many pages, of which every third is of the site with the most articles."""
    by_host: dict[str, list[BenchPage]] = defaultdict(list)
    for page in articles:
        host = host_of(page.url)
        by_host[host].append(page)
    largest = min(by_host, key=lambda host: (-len(by_host[host]), host))
    articles_of_others = [page for page in articles if host_of(page.url) != largest]

    of_largest = vary_pages(by_host[largest])
    of_others = vary_pages(articles_of_others)
    for index in range(number):
        is_of_largest = index % 3 == 0 or not articles_of_others
        if is_of_largest:
            yield next(of_largest)
        else:
            yield next(of_others)


def measure(folder: Path, pages: Iterable[BenchPage]) -> Comparison:
    """The costs of both on these pages, and how their articles differ."""
    folder.mkdir()
    recorded = list(pages)
    whole = write_warc(folder / "all.warc.gz", recorded)
    parts = folder / "parts"
    parts.mkdir()
    for n in range(_FILES):
        write_warc(parts / f"{n}.warc.gz", recorded[n::_FILES])

    spark = run_spark(parts, folder / "articles.parquet")
    extract = run_ours(whole, 2)

    expected = {article["url"]: article for article in read_items(Path(f"{whole}.jsonl"))}
    by_spark = read_parquet(folder / "articles.parquet")
    differ = 0
    for url, article in expected.items():
        spark_article = by_spark.get(url, {})
        differ += _written(spark_article) != _written(article)
    only_by_spark = by_spark.keys() - expected.keys()
    return Comparison(
        spark=spark,
        extract=extract,
        articles=len(expected),
        differ=differ,
        more=len(only_by_spark),
    )


def run_spark(warcs: Path, output: Path) -> Cost:
    """Run the documented command, in the environment of this Python: ``spark-submit`` looks for
    ``python3`` in the path."""
    module = "forest_scrapy.integrations.spark_job"
    command = [sys.executable, "-m", module, "--file"]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    job = process.stdout.strip()
    submit = ["spark-submit", "--master", "local[2]", job, str(warcs)]
    submit += ["-o", str(output), "--articles"]
    programs = str(Path(sys.executable).parent)
    return run_timed(["-c", _RUN, programs, *submit])


def read_parquet(folder: Path) -> dict[str, dict[str, Any]]:
    """The articles that Spark wrote, by URL."""
    from pyarrow import parquet

    table = parquet.read_table(folder)
    return {row["url"]: row for row in table.to_pylist()}


def _describe_cost(label: str, cost: Cost) -> str:
    return f"{label} {cost.seconds:.0f} s ({cost.cpu:.0f} s of processor time)"


def _written(article: Mapping[str, Any]) -> str:
    """The article as JSON with all fields; Spark writes lists and objects as JSON."""
    values = {}
    for name, value in article.items():
        is_json = isinstance(value, str) and value[:1] in ("[", "{")
        values[name] = _read_json(value) if is_json else value
    return json.dumps(values, sort_keys=True)


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # a text that starts with a bracket
        return text


if __name__ == "__main__":
    run_command(main)

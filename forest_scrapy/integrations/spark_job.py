"""The command for ``spark-submit``: articles of WARC or Parquet files, as Parquet.

    job=$(python -m forest_scrapy.integrations.spark_job --file)
    spark-submit $job PATH ... -o articles.parquet

``PATH``: WARC files, folders of them, or Parquet with the columns ``url`` and ``html``.
"""

import argparse
import os
import sys
from pathlib import Path

from forest_scrapy.batch.find_files import WARC, find_files, show_path


def main() -> None:
    """Run the job; the session of ``spark-submit`` is used, or a local one is started."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("-o", "--output", help="the folder to write; it must not exist")
    parser.add_argument("--wrappers", help="Parquet with wrappers: read, if it exists, or written")
    parser.add_argument("--articles", action="store_true", help="all pages are articles")
    parser.add_argument("--settings", default="{}", help='JSON, such as {"pages": 20}')
    parser.add_argument("--file", action="store_true", help="print the path of this file")
    options = parser.parse_args()
    if options.file:
        print(Path(__file__).absolute())
        return
    if not options.paths or not options.output:
        parser.error("name the pages, and the output with -o")
    run_job(options)


def run_job(options: argparse.Namespace) -> None:
    """Read, learn, extract and write."""
    from pyspark.sql import SparkSession

    from forest_scrapy.integrations.spark import (
        extract_articles,
        extract_items,
        learn_wrappers,
        read_warcs,
        settings_of,
    )

    # Workers run this Python, unless the cluster is told of another.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("forest-scrapy")
    daemon = "forest_scrapy.integrations.spark_daemon"  # read when the first worker is started
    builder = builder.config("spark.python.daemon.module", daemon)
    spark = builder.getOrCreate()
    warcs = find_warcs(options.paths)
    pages = read_warcs(spark, warcs) if warcs else spark.read.parquet(*options.paths)

    settings = settings_of(options.settings)
    has_wrappers = options.wrappers and Path(options.wrappers).exists()
    if has_wrappers:
        wrappers = spark.read.parquet(options.wrappers)
    else:
        wrappers = learn_wrappers(pages, settings, are_articles=options.articles)
        if options.wrappers:
            wrappers.write.parquet(options.wrappers)
            wrappers = spark.read.parquet(options.wrappers)

    has_only_articles = settings.item == "article" and not settings.wants_records
    extract = extract_articles if has_only_articles else extract_items
    items = extract(pages, wrappers, settings, are_articles=options.articles)
    items.write.parquet(options.output)
    written_items = spark.read.parquet(options.output)
    count = written_items.count()
    noun = "articles" if has_only_articles else "items"
    print(f"{count} {noun}", file=sys.stderr)
    spark.stop()


def find_warcs(paths: list[str]) -> list[str]:
    """The WARC files among the paths of this machine, and in folders.  What cannot be read there is
    named on standard error.  Raises ``BadInput``."""
    local_paths = [path for path in paths if Path(path).exists()]
    warcs = []
    for file in find_files(local_paths):
        if file.problem:
            name = show_path(file.path)
            print(f"{name}: {file.problem}", file=sys.stderr)
            continue
        lower_path = file.path.lower()
        if lower_path.endswith(WARC):
            absolute_path = Path(file.path).absolute()
            warcs.append(str(absolute_path))
    return sorted(warcs)


if __name__ == "__main__":
    main()

"""Spark, in local mode with two workers: the same articles as ``forest-scrapy extract``."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from forest_scrapy import Article, RawPage, extract_pages
from forest_scrapy.settings import BadSetting, ForestSettings
from tests.batch.helpers import HOST, demo_pages, write_warc
from tests.batch.test_library_kinds import commented, threads

if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)
pyspark_sql = pytest.importorskip("pyspark.sql")
pytest.importorskip("pandas")
pytestmark = [
    pytest.mark.crawl,
    pytest.mark.slow,
    pytest.mark.filterwarnings("default::FutureWarning"),
    pytest.mark.filterwarnings("default::DeprecationWarning"),
    pytest.mark.filterwarnings("default::ResourceWarning"),
    pytest.mark.filterwarnings("default::pytest.PytestUnraisableExceptionWarning"),
]

#: Most pages are of one host, and more than a group may have.
BIG = "http://big.example"


def all_pages() -> list[RawPage]:
    """The demo site, and 2 copies of its pages on one host."""
    pages = demo_pages()
    for copy in range(2):
        for page in demo_pages():
            assert isinstance(page.body, bytes)
            body = page.body.replace(b"</p>", b" %d</p>" % copy)
            body = body.replace(HOST.encode(), f"{BIG}/{copy}".encode())
            path = page.url.removeprefix(HOST)
            pages.append(replace(page, url=f"{BIG}/{copy}{path}", body=body))
    return pages


@pytest.fixture(scope="module")
def warcs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two WARC files with every second page each."""
    folder, pages = tmp_path_factory.mktemp("spark"), all_pages()
    return [str(write_warc(folder / f"{number}.warc.gz", pages[number::2])) for number in range(2)]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = pyspark_sql.SparkSession.builder.master("local[2]")
        for name, value in {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "3",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
        }.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


def by_url(rows: list[Any]) -> dict[str, dict[str, Any]]:
    return {row["url"]: row.asDict() for row in rows}


def as_row(article: Article) -> dict[str, Any]:
    """The article as a row of the data frame, which has its moments as local times."""
    values: dict[str, Any] = {}
    for name, value in vars(article).items():
        is_texts = isinstance(value, list) and name in (
            *("authors", "tags", "categories", "breadcrumbs", "other_urls", "pages"),
        )
        is_json = isinstance(value, dict | list) and not is_texts
        is_moment = name in ("published", "modified", "fetched_at")
        if name in ("published", "modified"):
            values[f"{name}_iso"] = value or None
        if value == "":
            values[name] = None
        elif is_moment:
            moment = datetime.fromisoformat(value)
            utc = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            values[name] = utc.astimezone().replace(tzinfo=None)
        else:
            values[name] = json.dumps(value, ensure_ascii=False) if is_json else value
    return values


def test_the_same_articles_however_the_pages_are_partitioned(
    spark: Any, warcs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from forest_scrapy.integrations import spark as ours

    monkeypatch.setattr(ours, "GROUP", 20)  # the large host is split into groups
    pages = ours.read_warcs(spark, warcs)
    wrappers = ours.learn_wrappers(pages).cache()
    found = by_url(ours.extract_articles(pages, wrappers).collect())
    expected = {one.url: as_row(one) for one in extract_pages(all_pages())}
    assert len(expected) >= 72
    assert found == expected

    again = pages.repartition(7)
    learned = {row["host"]: row["plan"] for row in wrappers.collect()}
    assert {r["host"]: r["plan"] for r in ours.learn_wrappers(again).collect()} == learned
    reasons = ours.extract_articles(again, wrappers, with_reasons=True).collect()
    assert by_url([row for row in reasons if not row["reason"]]) == {
        url: {**row, "reason": ""} for url, row in expected.items()
    }
    assert {row["reason"] for row in reasons} == {"", "not_article"}


def test_a_host_with_more_pages_than_the_sample(spark: Any, warcs: list[str]) -> None:
    """Pages that are not in the sample are recognized by the fingerprints of the templates."""
    from forest_scrapy.integrations import spark as ours

    pages = ours.read_warcs(spark, warcs)
    wrappers = ours.learn_wrappers(pages, sample=30)
    found = by_url(ours.extract_articles(pages, wrappers).collect())
    expected = {one.url for one in extract_pages(all_pages())}
    assert len(expected & found.keys()) >= 0.95 * len(expected)
    assert len(found.keys() - expected) <= 0.05 * len(expected)


def test_items_of_all_kinds_and_comments(spark: Any) -> None:
    """The pages of a thread are in two groups of the host."""
    from forest_scrapy.integrations import spark as ours

    raws = [*threads(), *commented(range(8), 3)]
    rows = [(page.url, page.body) for page in raws]
    pages = spark.createDataFrame(rows, "url string, html string")
    settings = ForestSettings(kinds=("article", "thread"), comments=True)
    wrappers = ours.learn_wrappers(pages, settings, are_articles=True).cache()
    with pytest.raises(BadSetting, match="extract_items has the others"):
        ours.extract_articles(pages, wrappers, settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ours, "GROUP", 4)
        found = ours.extract_items(pages, wrappers, settings, are_articles=True).collect()
    expected = {one.url: asdict(one) for one in extract_pages(raws, settings, are_articles=True)}
    items = {row["url"]: json.loads(row["item"]) for row in found}
    assert len(items) == len(found) == 14
    assert Counter(row["kind"] for row in found) == {"thread": 6, "article": 8}
    assert items == expected
    assert {len(items[page.url]["comments"]) for page in commented(range(8), 3)} == {3}


def test_the_command(spark: Any, warcs: list[str], tmp_path: Path) -> None:
    """The session of the tests is that which the command gets."""
    from forest_scrapy.integrations import spark_job

    assert spark_job.find_warcs([str(Path(warcs[0]).parent)]) == sorted(warcs)
    frame = spark.createDataFrame(
        [(page.url, page.body) for page in demo_pages()], "url string, html binary"
    )
    frame.write.parquet(str(tmp_path / "pages"))
    with pytest.MonkeyPatch.context() as patch:
        arguments = [str(tmp_path / "pages"), "-o", str(tmp_path / "out")]
        patch.setattr(sys, "argv", ["spark_job", *arguments])
        patch.setattr(type(spark), "stop", lambda self: None)
        spark_job.main()
    rows = spark.read.parquet(str(tmp_path / "out")).collect()
    assert sorted(row["url"] for row in rows) == sorted(
        one.url for one in extract_pages(demo_pages())
    )

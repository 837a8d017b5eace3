"""Tables of items: CSV, Parquet and SQLite."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from forest_scrapy.core.items import Article, Product, Thread
from forest_scrapy.exporters.csv_tables import FlushedCsvItemExporter
from forest_scrapy.exporters.tables import ParquetItemExporter, SqliteItemExporter
from forest_scrapy.forms.items import FormRecord

THREAD = Thread("https://a.example/t", title="Owls", posts=[{"position": 1}])
PRODUCT = Product("https://a.example/p", name="Lamp", price="12.00", sku="L1")
KINDS = ("thread", "product")
RECORDS = [
    FormRecord(
        "https://a.example/find",
        found_on="https://a.example/find",
        position=position,
        text=f"Play {position}",
        values=values,
    )
    for position, values in enumerate(
        [
            [{"name": "Play", "value": "Hamlet"}, {"name": "url", "value": "/1"}],
            [{"name": "Play", "value": "Othello"}, {"name": "Year", "value": "1603"}],
        ],
        1,
    )
]


def export(exporter_class: Any, path: Path, items: Sequence[Any], **options: Any) -> None:
    with path.open("a+b") as file:
        exporter = exporter_class(file, **options)
        exporter.start_exporting()
        for item in items:
            exporter.export_item(item)
        exporter.finish_exporting()


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_csv_has_the_columns_of_all_kinds(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    export(FlushedCsvItemExporter, path, [THREAD, PRODUCT], kinds=KINDS)
    first, second = read_csv(path)
    assert (first["title"], first["price"]) == ("Owls", "")
    assert (second["name"], second["price"], second["sku"]) == ("Lamp", "12.00", "L1")
    assert second["posts"] == ""


def test_csv_has_an_own_choice_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    names = ["url", "price"]
    export(FlushedCsvItemExporter, path, [THREAD, PRODUCT], kinds=KINDS, fields_to_export=names)
    assert [list(row) for row in read_csv(path)] == [names, names]


def test_csv_has_a_column_for_each_attribute_of_records(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    export(FlushedCsvItemExporter, path, RECORDS[:1], kinds=("article",))
    export(FlushedCsvItemExporter, path, RECORDS[1:], kinds=("article",))
    first, second = read_csv(path)
    assert (first["Play"], first["values.url"]) == ("Hamlet", "/1")
    assert (second["Play"], second["values.url"]) == ("Othello", "")
    assert "1603" in second["values"]


def read_parquet(path: Path) -> tuple[dict[str, str], list[dict[str, Any]]]:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(path)
    types = {column.name: str(column.type) for column in table.schema}
    return types, table.to_pylist()


def test_parquet_has_types_and_nulls(tmp_path: Path) -> None:
    article = Article(
        "https://a.example/1",
        published="2024-05-03",
        is_free=True,
        fetched_at="2024-05-05T08:00:00+00:00",
    )
    path = tmp_path / "a.parquet"
    export(ParquetItemExporter, path, [article])
    types, [row] = read_parquet(path)
    assert types["published"] == types["fetched_at"] == "timestamp[us, tz=UTC]"
    assert (types["is_free"], types["comments_count"]) == ("bool", "int64")
    assert (row["is_free"], row["title"], row["published_iso"]) == (True, None, "2024-05-03")
    assert row["published"].isoformat() == "2024-05-03T00:00:00+00:00"


def test_parquet_has_the_columns_of_all_kinds(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    export(ParquetItemExporter, path, [THREAD, PRODUCT], kinds=KINDS)
    _, [first, second] = read_parquet(path)
    assert (first["title"], first["price"]) == ("Owls", None)
    assert (second["title"], second["price"], second["sku"]) == (None, "12.00", "L1")


def test_parquet_has_a_column_for_each_attribute_of_records(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    export(ParquetItemExporter, path, RECORDS)
    types, [first, second] = read_parquet(path)
    assert types["position"] == "int64"
    assert (first["Play"], first["values.url"], first["Year"]) == ("Hamlet", "/1", None)
    assert (second["Play"], second["Year"]) == ("Othello", "1603")


def test_fields_that_parquet_has_no_column_for_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    items = [{"url": str(number)} for number in range(1000)]
    path = tmp_path / "a.parquet"
    export(ParquetItemExporter, path, [*items, {"url": "last", "price": "1"}])
    _, rows = read_parquet(path)
    assert len(rows) == 1001
    assert "price" in caplog.text and "FEED_EXPORT_FIELDS" in caplog.text


def test_sqlite_has_all_records_of_one_page(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    export(SqliteItemExporter, path, RECORDS)
    export(SqliteItemExporter, path, RECORDS[1:])  # again: no row twice
    with closing(sqlite3.connect(path)) as database:
        found = database.execute('SELECT "Play", "Year" FROM records ORDER BY position')
        assert list(found) == [("Hamlet", None), ("Othello", "1603")]


def record_with(position: int, name: str) -> FormRecord:
    url = "https://a.example/find"
    values = [{"name": name, "value": "Hamlet"}]
    return FormRecord(url, found_on=url, position=position, values=values)


def test_sqlite_ignores_case_in_names_of_attributes(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    export(SqliteItemExporter, path, [record_with(1, "Play"), record_with(2, "play")])
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute('SELECT "Play" FROM records ORDER BY position')
        assert list(rows) == [("Hamlet",), ("Hamlet",)]


def test_sqlite_goes_on_with_records_where_an_earlier_version_has_put_them(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    export(SqliteItemExporter, path, RECORDS[:1], table="articles")
    export(SqliteItemExporter, path, RECORDS[1:])
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM articles").fetchone() == (len(RECORDS),)
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        assert list(tables) == [("articles",)]


def test_sqlite_has_articles_and_records_in_tables_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    export(SqliteItemExporter, path, [Article("https://a.example/1", title="Owls")])
    export(SqliteItemExporter, path, RECORDS)
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM articles").fetchone() == (1,)
        assert database.execute("SELECT count(*) FROM records").fetchone() == (len(RECORDS),)


def test_csv_has_no_formulas_as_names_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for position in (1, 2):  # the second run continues the file
        record = record_with(position, '=HYPERLINK("https://b.example")')
        export(FlushedCsvItemExporter, path, [record], is_safe=True)
    first, second = read_csv(path)
    assert first["""'=HYPERLINK("https://b.example")"""] == "Hamlet"
    assert second["""'=HYPERLINK("https://b.example")"""] == "Hamlet"


def test_parquet_has_the_columns_in_the_order_and_by_the_names_that_are_asked_for(
    tmp_path: Path,
) -> None:
    article = Article("https://a.example/1", title="Owls", published="2024-05-03", tags=["owls"])
    orders: list[Any] = [
        ["title", "tags", "published", "url"],
        {"title": "headline", "tags": "words", "published": "day", "url": "address"},
    ]
    names = []
    for number, fields in enumerate(orders):
        path = tmp_path / f"{number}.parquet"
        export(ParquetItemExporter, path, [article], fields_to_export=fields)
        types, (row,) = read_parquet(path)
        names.append(list(types))
        assert list(types.values())[2] == "timestamp[us, tz=UTC]"
        assert list(row.values())[:2] == ["Owls", ["owls"]]
        assert list(row.values())[3:] == ["2024-05-03", "https://a.example/1"]
    assert names == [
        ["title", "tags", "published", "published_iso", "url"],
        ["headline", "words", "day", "day_iso", "address"],
    ]

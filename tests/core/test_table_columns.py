"""Items as rows of typed tables."""

from __future__ import annotations

from datetime import UTC, datetime

from forest_scrapy.core.items import ITEM_KINDS, Article
from forest_scrapy.core.table_columns import ColumnType, columns_of, columns_of_all

URL = "https://a.example/1"


def cells(article: Article) -> dict[str, object]:
    return {column.name: column.cell(vars(article)) for column in columns_of(Article)}


def test_dates_are_moments_in_utc_beside_what_the_item_says() -> None:
    article = Article(
        URL,
        published="2024-05-03T10:00:00+02:00",
        modified="2024-05-04",
        fetched_at="2024-05-05T08:00:00+00:00",
    )
    row = cells(article)
    assert row["published"] == datetime(2024, 5, 3, 8, tzinfo=UTC)
    assert row["published_iso"] == "2024-05-03T10:00:00+02:00"
    assert row["modified"] == datetime(2024, 5, 4, tzinfo=UTC)
    assert row["modified_iso"] == "2024-05-04"
    assert row["fetched_at"] == datetime(2024, 5, 5, 8, tzinfo=UTC)


def test_what_is_missing_is_none() -> None:
    row = cells(Article(URL))
    for name in ("title", "published", "published_iso", "is_free", "comments_count", "entry"):
        assert row[name] is None, name
    assert row["authors"] == []


def test_a_date_that_is_no_moment_in_utc_is_missing() -> None:
    assert cells(Article(URL, published="0001-01-01T00:00:00+14:00"))["published"] is None


def test_objects_are_json() -> None:
    row = cells(Article(URL, entry={"title": "Bücher"}, images=[{"url": "/1"}]))
    assert (row["entry"], row["images"]) == ('{"title": "Bücher"}', '[{"url": "/1"}]')


def test_types_of_columns() -> None:
    types = {column.name: column.type for column in columns_of(Article)}
    assert types["is_free"] is ColumnType.BOOLEAN
    assert types["comments_count"] is ColumnType.INTEGER
    assert types["confidence"] is ColumnType.NUMBER
    assert types["tags"] is ColumnType.TEXTS
    assert types["links"] is ColumnType.TEXT


def test_columns_of_several_kinds() -> None:
    columns = columns_of_all(ITEM_KINDS.values())
    types = {column.name: column.type for column in columns}
    assert len(types) == len(columns)
    for item_class in ITEM_KINDS.values():
        assert types.keys() >= {column.name for column in columns_of(item_class)}
    assert types["images"] is ColumnType.TEXT  # objects of articles, addresses of products
    assert types["confidence"] is ColumnType.NUMBER

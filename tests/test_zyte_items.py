"""Articles as zyte-common-items."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest
from itemadapter import ItemAdapter

from forest_scrapy.commands.extract import convert
from forest_scrapy.items import Article
from forest_scrapy.settings import ForestSettings
from forest_scrapy.zyte_items import from_zyte, to_zyte

zyte = pytest.importorskip("zyte_common_items")

FULL = Article(
    **{
        part.name: {
            "images": [{"url": "http://a.example/i.jpg", "alt": "b", "caption": "c"}],
            "videos": [{"url": "http://a.example/v", "type": "video/mp4", "length": 9}],
            "audios": [{"url": "http://a.example/s.mp3", "type": "", "length": None}],
            "links": [{"url": "http://a.example/l", "text": "t"}],
            "entry": {"title": "T"},
            "sources": {"title": "feed"},
            "comments_count": 0,
            "score": 0.5,
        }.get(
            part.name,
            ["one", "two"] if "list" in str(part.type) else f"http://a.example/{part.name}",
        )
        for part in fields(Article)
    }
)


@pytest.mark.parametrize("article", [FULL, Article("http://a.example/")], ids=["full", "empty"])
def test_a_converted_article_is_converted_back(article: Article) -> None:
    item = to_zyte(article)
    assert isinstance(item, zyte.Article)
    assert from_zyte(item) == article
    assert ItemAdapter(item).asdict()["url"] == article.url


def test_fields_with_a_name_in_zyte_common_items() -> None:
    item = to_zyte(FULL)
    assert (item.headline, item.articleBody) == (FULL.title, FULL.text)
    assert [author.name for author in item.authors] == FULL.authors
    assert item.mainImage.url == FULL.main_image
    assert item.metadata.dateDownloaded == FULL.fetched_at


def test_every_format_has_the_text(tmp_path: Path) -> None:
    """Also those whose cells are JSON or text: authors and images are objects of Zyte's."""
    pytest.importorskip("pyarrow")
    items = tmp_path / "items.jsonl"
    items.write_text(json.dumps(asdict(replace(FULL, text="The boats.", html="", markdown=""))))
    for kind in ("csv", "md", "parquet", "sqlite", "txt", "xml"):
        convert(items, tmp_path / f"a.{kind}", kind, ForestSettings(item="zyte"))
        assert b"The boats." in (tmp_path / f"a.{kind}").read_bytes(), kind

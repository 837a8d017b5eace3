"""FOREST_ITEM: the type of the items."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo import DemoServer
from forest_scrapy.zyte_items import from_zyte

from .helpers import Project

zyte_common_items = pytest.importorskip("zyte_common_items")


@pytest.mark.slow
def test_articles_as_zyte_items(tmp_path: Path, demo: DemoServer) -> None:
    feeds = f"feeds={demo.feed_url}"
    own = Project(tmp_path / "own").crawl("feeds", feeds)
    other = Project(tmp_path / "zyte").crawl("feeds", feeds, FOREST_ITEM="zyte")
    assert own.complaints == other.complaints == []
    assert len(own.items) == len(other.items) == 30
    titles = {item["title"] for item in own.items}
    assert {item["headline"] for item in other.items} == titles
    assert all(
        item["metadata"]["template_id"] and item["metadata"]["entry"] for item in other.items
    )
    for line in other.items:  # their own class does not have our metadata
        back = from_zyte(zyte_common_items.Article.from_dict(line))
        assert (back.text, back.title) == (line["articleBody"], line["headline"])

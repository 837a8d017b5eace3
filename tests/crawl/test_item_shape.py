"""FOREST_ITEM: the shape in which a crawl's articles come out."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_scrapy.integrations.zyte import from_zyte

from .helpers import Project

zyte_common_items = pytest.importorskip("zyte_common_items")


def test_articles_come_out_in_the_words_of_zyte(tmp_path: Path) -> None:
    own = Project(tmp_path / "own").crawl("feeds")
    other = Project(tmp_path / "zyte").crawl("feeds", FOREST_ITEM="zyte")
    assert own.complaints == other.complaints == []
    assert len(own.items) == len(other.items) == 30
    titles = {item["title"] for item in own.items}
    assert {item["headline"] for item in other.items} == titles
    assert all(item["metadata"]["template"] and item["metadata"]["entry"] for item in other.items)
    for line in other.items:  # their own class knows none of our metadata
        back = from_zyte(zyte_common_items.Article.from_dict(line))
        assert (back.text, back.title) == (line["articleBody"], line["headline"])

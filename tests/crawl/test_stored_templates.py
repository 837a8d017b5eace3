"""Pages that are extracted at once, by stored templates."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest
from scrapy.http import HtmlResponse

from forest_scrapy.core.templates.fingerprints import MANY_FEATURES
from forest_scrapy.crawl.stored_templates import StoredTemplates
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.probe import Probe
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import RulesStore

USUAL = "<p>The boats are in the harbour today, and the sea is calm. </p>" * 20
UNUSUAL = "".join(f"<p class='{'a' * (1 + i)}'>A" for i in range(MANY_FEATURES + 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "reason"),
    [(USUAL, ""), (UNUSUAL, "too_slow"), ("  ", "empty"), ("<p><img src=a.png>", "no_content")],
    ids=["usual", "unusual", "empty", "without text"],
)
def test_unusual_pages_are_tried_first(body: str, reason: str, tmp_path: Path) -> None:
    settings = ForestSettings(page_seconds=1e-6)
    with (
        closing(RulesStore(str(tmp_path / "w.db"), settings.distance)) as store,
        closing(Probe(settings.page_seconds)) as probe,
    ):
        response = HtmlResponse("http://site.example/a", body=body.encode(), encoding="utf-8")
        item = ArticlePage.from_response(response)
        done = asyncio.run(StoredTemplates(settings, store, probe).extract(item))
    assert (done.item is None, done.reason) == (bool(reason), reason)

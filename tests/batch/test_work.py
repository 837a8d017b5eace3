"""What worker processes do with a page."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from unittest.mock import patch

import pytest

from forest_scrapy.batch.library import extract_pages
from forest_scrapy.batch.work import ExtractedPage
from forest_scrapy.core.templates.fingerprints import MANY_FEATURES
from forest_scrapy.items import Article, Thread
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import RulesStore
from forest_scrapy.stores.held_pages import HeldPage
from forest_scrapy.stores.page_tables import ArticleIdentity

from .helpers import demo_pages


def test_pages_with_unusual_paths_are_tried_also_with_stored_wrappers(tmp_path: Path) -> None:
    RulesStore(str(tmp_path / "w.db"), "typed").close()
    # Few bytes, with more different tag paths than a usual page has.
    rows = "".join(f"<p class='{'a' * (1 + i)}'>A" for i in range(MANY_FEATURES + 1))
    reasons = []
    articles = extract_pages(
        [("http://site.example/a", rows)],
        ForestSettings(page_seconds=1e-6),
        wrappers=str(tmp_path / "w.db"),
        refused=lambda page, reason: reasons.append(reason),
    )
    assert (list(articles), reasons) == ([], ["too_slow"])


def test_pages_that_were_learned_from_give_what_the_second_pass_would(tmp_path: Path) -> None:
    """Also threads and pages without an item, through the bytes in the notes."""
    pages = demo_pages()
    settings = ForestSettings(kinds=("article", "thread"))
    early = list(extract_pages(pages, settings))
    with patch("forest_scrapy.batch.work._MAX_EXTRACTED", 0):
        late = list(extract_pages(pages, settings))
    assert early == late and len(early) == 30
    with patch(
        "forest_scrapy.batch.work.extract_by_template", side_effect=AssertionError("a page")
    ):
        assert list(extract_pages(pages[:1], settings)) == []


THREAD = Thread("http://a.example/", posts=[{"text": "Owls \ud83e", "date": ""}])


@pytest.mark.parametrize(
    "done",
    [
        ExtractedPage("not_article"),
        ExtractedPage(
            *("", "k", "http://a.example/", Article("http://a.example/", text="Eulen 🦉")),
            ArticleIdentity("k", "c", "a.example", "owls", b"\0\xff", b""),
        ),
        ExtractedPage(
            *("", "k", "http://a.example/", THREAD, None),
            HeldPage("k", "a", "", True, False, asdict(THREAD)),
        ),
    ],
)
def test_what_became_of_a_page_can_be_noted(done: ExtractedPage) -> None:
    assert ExtractedPage.from_bytes(done.to_bytes()) == done

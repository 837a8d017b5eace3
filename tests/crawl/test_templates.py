"""Placing pages, and deciding when they may be released."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from forest_scrapy.core import TemplateRules, Wrapper
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.core.templates.grouping import ENOUGH_PAGES
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.templates import Placement
from forest_scrapy.responses.conversion import spool_page
from forest_scrapy.stores import PageRecord

from .helpers import (
    HOST,
    article_page,
    counted,
    features_of,
    flush,
    key_of,
    open_crawl,
    place,
    ready,
    url_of,
)

WAITS = Placement()


def outcomes(folder: Path) -> dict[str, tuple[str | None, str | None]]:
    """The outcome of each page, as the spool has it."""
    with closing(sqlite3.connect(folder / "spool.db")) as database:
        rows = database.execute("SELECT key, outcome, outcome_detail FROM pages").fetchall()
    return {key: (kind, detail) for key, kind, detail in rows}


def store_wrapper(folder: Path, template: str, wrapper: Wrapper) -> None:
    """What an earlier crawl has stored for the template of these pages."""
    with open_crawl(folder / "earlier") as earlier:
        fingerprints = [features_of(article_page(i, template)).fingerprint for i in range(3)]
    with open_crawl(folder) as crawl:
        rules = TemplateRules(wrapper, cut=Cut(0.2, ""))
        crawl.rules.save(HOST, f"id-of-{template}", rules, fingerprints)
    assert earlier.settings == crawl.settings


def template_of(crawl: CrawlContext, number: int, template: str = "plain") -> str:
    return crawl.spool.read(key_of(number, template)).template_key


def test_pages_wait_until_their_template_is_complete(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=3) as crawl:
        assert [place(crawl, i) for i in range(2)] == [WAITS] * 2
        assert ready(crawl) == set()
        assert place(crawl, 2) == Placement(None, completes_template=True)
        assert ready(crawl) == {key_of(i) for i in range(3)}
        assert len({template_of(crawl, i) for i in range(3)}) == 1
        assert counted(crawl, "templates") == {"found": 1}


def test_the_pages_after_that_are_ready_at_once(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=2) as crawl:
        for i in range(2):
            place(crawl, i)
        placement = place(crawl, 2)
        assert placement.template == crawl.templates.get(template_of(crawl, 0))
        assert not placement.completes_template
        assert key_of(2) in ready(crawl)


def test_templates_are_completed_one_by_one(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=3) as crawl:
        for i in range(3):
            place(crawl, i, "plain")
        assert [place(crawl, i, "fancy") for i in range(2)] == [WAITS] * 2
        assert place(crawl, 2, "fancy").completes_template
        assert template_of(crawl, 0, "plain") != template_of(crawl, 0, "fancy")
        assert crawl.templates.learned() == []


def test_pages_that_are_not_known_to_be_articles_complete_no_template(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=2) as crawl:
        assert [place(crawl, i, has_entry=False) for i in range(4)] == [WAITS] * 4
        assert place(crawl, 4).completes_template  # one feed item says what the others are
        assert ready(crawl) == {key_of(i) for i in range(5)}


def test_flush_makes_articles_ready_and_drops_the_others(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=10) as crawl:
        for i in range(3):
            place(crawl, i, "plain")
            place(crawl, i, "listing", has_entry=False)
        place(crawl, 3, "plain", has_entry=False)
        flush(crawl)
        assert ready(crawl) == {key_of(i) for i in range(4)}
        assert crawl.spool.waiting_hosts() == []
        assert counted(crawl, "dropped") == {"not_article": 3}
    found = outcomes(tmp_path)
    assert [found[key_of(i, "listing")] for i in range(3)] == [("dropped", "not_article")] * 3
    assert [found[key_of(i)] for i in range(4)] == [(None, None)] * 4


def test_flush_of_one_host_leaves_the_others_waiting(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        place(crawl, 0)
        flush(crawl, "b.example")
        assert crawl.spool.waiting_hosts() == [HOST]


def test_a_single_feed_item_is_a_template_of_its_own(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        place(crawl, 0, "plain")
        place(crawl, 0, "fancy")
        flush(crawl)
        assert len(ready(crawl)) == 2
        assert template_of(crawl, 0, "plain") != template_of(crawl, 0, "fancy")


def test_a_host_without_a_feed_is_decided_by_content(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with open_crawl(tmp_path) as crawl:
        for i in range(4):
            place(crawl, i, "plain", has_entry=False)
            place(crawl, i, "listing", has_entry=False)
        flush(crawl)
        assert ready(crawl) == {key_of(i) for i in range(4)}
        assert counted(crawl, "templates") == {"found": 1, "by_content": 1}
        assert counted(crawl, "pages") == {"by_content": 4}
        assert counted(crawl, "dropped") == {"not_article": 4}
    assert f"{HOST}: 4 pages like {url_of(0)} are articles (" in caplog.text
    assert f"{HOST}: 4 pages like {url_of(0, 'listing')} are not articles (" in caplog.text


def test_pages_of_a_stored_template_are_ready_at_once(tmp_path: Path) -> None:
    wrapper = Wrapper("trained", ("//p",))
    store_wrapper(tmp_path, "plain", wrapper)
    with open_crawl(tmp_path) as crawl:
        placement = place(crawl, 7, "plain")
        assert placement.template is not None
        assert (placement.template.id, placement.template.wrapper) == ("id-of-plain", wrapper)
        assert ready(crawl) == {key_of(7)}
        assert place(crawl, 7, "fancy") == WAITS
        assert counted(crawl, "templates") == {"loaded": 1}
        assert crawl.templates.learned() == []  # it was not learned in this crawl


@pytest.mark.parametrize(
    ("method", "is_used"), [("auto", True), ("forest", True), ("coverage", False)]
)
def test_stored_templates_of_another_method_are_not_used(
    tmp_path: Path, method: str, is_used: bool
) -> None:
    store_wrapper(tmp_path, "plain", Wrapper("forest", ("//p",)))
    with open_crawl(tmp_path, method=method) as crawl:
        assert (place(crawl, 7).template is not None) == is_used


def test_a_stored_template_is_released_without_a_feed(tmp_path: Path) -> None:
    """It is evidence that its pages are articles, but they have to look like articles too."""
    store_wrapper(tmp_path, "fancy", Wrapper("trained", ("//p",)))
    with open_crawl(tmp_path) as crawl:
        assert place(crawl, 7, "fancy", has_entry=False) == WAITS
        place(crawl, 1, "listing", has_entry=False)
        for i in range(2):
            place(crawl, i, "plain", has_entry=False)
        flush(crawl)
        assert ready(crawl) == {key_of(7, "fancy"), key_of(0), key_of(1)}


def test_an_earlier_run_is_recalled(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with open_crawl(tmp_path, pages=3) as crawl:
        for i in range(2):
            place(crawl, i)
    with open_crawl(tmp_path, pages=3) as crawl:
        assert counted(crawl, "pages") == {"recalled": 2}
        assert place(crawl, 2).completes_template
        assert ready(crawl) == {key_of(i) for i in range(3)}
    assert "2 pages of the previous run are pending" in caplog.text


def test_a_page_without_a_template(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        assert crawl.templates.get("") is None
        with pytest.raises(KeyError):
            crawl.templates.get("a.example unknown")


def test_a_page_has_the_template_that_an_earlier_crawl_has_assigned(tmp_path: Path) -> None:
    store_wrapper(tmp_path, "plain", Wrapper("trained", ("//div",)))
    store_wrapper(tmp_path, "fancy", Wrapper("trained", ("//article",)))
    with open_crawl(tmp_path) as crawl:
        fingerprint = features_of(article_page(5)).fingerprint.digest
        known = PageRecord(key_of(5), HOST, "", 0, 0, outcome="article", fingerprint=fingerprint)
        as_before = replace(known, template="id-of-fancy", method="trained")
        template = place(crawl, 5, known=as_before).template
        assert template is not None and template.id == "id-of-fancy"
        changed = replace(as_before, key=key_of(6), fingerprint="00")
        template = place(crawl, 6, known=changed).template
        assert template is not None and template.id == "id-of-plain"


def test_a_page_that_was_extracted_as_a_single_page_stays_one(tmp_path: Path) -> None:
    store_wrapper(tmp_path, "plain", Wrapper("trained", ("//div",)))
    with open_crawl(tmp_path) as crawl:
        fingerprint = features_of(article_page(5)).fingerprint.digest
        known = PageRecord(key_of(5), HOST, "", 0, 0, fingerprint=fingerprint, method="single")
        template = place(crawl, 5, known=replace(known, template="other")).template
        assert template is not None
        assert (template.id, template.rules) == ("other", None)
        assert [page.key for page in crawl.spool.sample(template.key, 9)] == [key_of(5)]
        other = place(crawl, 6).template
        assert other is not None and other.id == "id-of-plain"


def test_a_host_with_no_article_names_the_remedy(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with open_crawl(tmp_path) as crawl:
        for i in range(4):
            place(crawl, i, "listing", has_entry=False)
        flush(crawl)
        assert ready(crawl) == set()
        assert counted(crawl, "dropped") == {"not_article": 4}
    assert f"No page of {HOST} looks like an article" in caplog.text
    assert "-a article=URL" in caplog.text


def test_a_named_article_is_one_of_its_template(tmp_path: Path) -> None:
    """It is ready whatever it looks like; the other pages have to look like articles."""
    with open_crawl(tmp_path, pages=3) as crawl:
        for i in range(4):
            place(crawl, i, "plain", has_entry=False)
            place(crawl, i, "listing", has_entry=False)
        named = article_page(9, "listing", has_entry=False)
        named.is_article = True
        page = spool_page(named)
        assert crawl.spool.add(page)
        assert crawl.templates.place(page, features_of(named)) == WAITS
        flush(crawl)
        assert ready(crawl) == {key_of(i) for i in range(4)} | {key_of(9, "listing")}
        assert counted(crawl, "dropped") == {"not_article": 4}


def test_a_large_host_is_decided_while_the_crawl_runs(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=10) as crawl:
        for i in range(ENOUGH_PAGES // 2 - 1):
            assert place(crawl, i, "plain", has_entry=False) == WAITS
            assert place(crawl, i, "listing", has_entry=False) == WAITS
        assert place(crawl, 998, "plain", has_entry=False) == WAITS
        assert place(crawl, 999, "listing", has_entry=False).completes_template
        assert len(ready(crawl)) == ENOUGH_PAGES // 2
        assert key_of(0) in ready(crawl) and key_of(0, "listing") not in ready(crawl)
        assert counted(crawl, "dropped") == {}  # the others wait for the end
        assert place(crawl, 1000, "plain", has_entry=False).template is not None
        assert place(crawl, 1001, "listing", has_entry=False) == WAITS
        flush(crawl)
        assert counted(crawl, "dropped") == {"not_article": ENOUGH_PAGES // 2 + 1}


def test_a_resumed_crawl_decides_as_one_that_was_not_interrupted(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        for i in range(4):
            place(crawl, i, "plain", has_entry=False)
    with open_crawl(tmp_path) as crawl:
        for i in range(4):
            place(crawl, i, "listing", has_entry=False)
        flush(crawl)
        assert ready(crawl) == {key_of(i) for i in range(4)}

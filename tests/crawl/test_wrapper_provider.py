"""Learning and storing wrappers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from forest_scrapy.crawl.templates.template import Template
from forest_scrapy.crawl.wrapper_provider import NOTHING, WrapperProvider

from forest_scrapy.core import Page, Wrapper
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.responses.conversion import page_of

from .helpers import HOST, article_page, counted, flush, key_of, open_crawl, place


def read(number: int, template: str = "plain") -> Page:
    return page_of(article_page(number, template).response)


def fill(crawl: CrawlContext, pages: range, template: str = "plain") -> Template:
    """Place these pages and flush their host; their template."""
    for number in pages:
        place(crawl, number, template)
    flush(crawl)
    found = crawl.templates.get(crawl.spool.read(key_of(pages[0], template)).template_key)
    assert found is not None
    return found


def learn(crawl: CrawlContext, template: Template) -> Wrapper:
    return asyncio.run(WrapperProvider(crawl).wrapper_for(read(0), template))


def test_a_template_is_learned_once_and_stored(tmp_path: Path) -> None:
    async def ask_twice() -> list[Wrapper]:
        provider = WrapperProvider(crawl)
        return list(await asyncio.gather(*(provider.wrapper_for(read(i), one) for i in range(4))))

    with open_crawl(tmp_path) as crawl:
        one = fill(crawl, range(4))
        wrappers = asyncio.run(ask_twice())
        assert set(wrappers) == {one.wrapper}
        assert "Paragraph 5 of 0." in wrappers[0].apply(read(0)).text
        assert counted(crawl, "templates") == {"found": 1, "learned": 1}
        assert crawl.templates.learned() == [one]
        (stored,) = crawl.wrappers.load(HOST)
        assert (stored.template_id, stored.wrapper) == (one.id, one.wrapper)
        assert stored.wrapper.evidence.cut_reason
        digests = {crawl.spool.read(key_of(i)).fingerprint for i in range(4)}
        assert {fingerprint.digest for fingerprint in stored.fingerprints} == digests


def test_a_wrapper_from_a_single_page_is_not_stored(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        template = fill(crawl, range(1))
        assert learn(crawl, template).method == "single"
        assert crawl.wrappers.load(HOST) == []
        assert template.id


def test_a_page_without_a_template_has_no_wrapper(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        wrapper = asyncio.run(WrapperProvider(crawl).wrapper_for(read(0), None))
        assert wrapper is NOTHING


def test_a_method_for_single_pages_learns_from_the_page(tmp_path: Path) -> None:
    with open_crawl(tmp_path, method="mss") as crawl:
        template = fill(crawl, range(3))
        assert learn(crawl, template).method == "mss"
        assert (template.wrapper, crawl.wrappers.load(HOST)) == (None, [])


def test_a_method_that_needs_two_pages_learns_nothing_from_one(tmp_path: Path) -> None:
    with open_crawl(tmp_path, method="forest") as crawl:
        template = fill(crawl, range(1))
        assert learn(crawl, template).method == "none"
        assert counted(crawl, "templates") == {"found": 1, "learned": 1}


def test_learning_that_fails_is_logged_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_crawl(tmp_path) as crawl:
        template = fill(crawl, range(2))
        crawl.spool._database.execute("UPDATE contents SET url = 'not a URL'")
        assert learn(crawl, template).method == "none"
        assert counted(crawl, "templates") == {"found": 1, "failed": 1, "learned": 1}
    assert "Cannot learn the template of not a URL" in caplog.text
    assert "ValueError" in caplog.text


def fill_later(crawl: CrawlContext, template: Template) -> None:
    """Place pages that change the sample of a template learned from the pages 0 to 2."""
    for i in range(3, 12):
        assert place(crawl, i).template is template
    for i in range(12):
        crawl.ledger.record(key_of(i), Outcome.article("trained"))


def test_a_template_without_articles_is_learned_again_from_another_sample(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=3) as crawl:
        template = fill(crawl, range(3))
        first = learn(crawl, template)
        fill_later(crawl, template)
        asyncio.run(WrapperProvider(crawl).finish())
        sample = crawl.spool.sample(template.key, 3)
        assert template.sample == tuple(page.key for page in sample)
        assert template.sample != tuple(sorted(key_of(i) for i in range(3)))
        assert counted(crawl, "templates") == {"found": 1, "learned": 1, "learned_again": 1}
        (stored,) = crawl.wrappers.load(HOST)
        assert stored.wrapper == template.wrapper
        assert stored.wrapper.keep == first.keep


def test_a_wrapper_that_has_given_an_article_stays(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=3) as crawl:
        template = fill(crawl, range(3))
        first = learn(crawl, template)
        template.has_articles = True
        fill_later(crawl, template)
        asyncio.run(WrapperProvider(crawl).finish())
        assert counted(crawl, "templates") == {"found": 1, "learned": 1}
        (stored,) = crawl.wrappers.load(HOST)
        assert stored.wrapper.dumps() == first.with_cut(*crawl.templates.host(HOST).cut).dumps()
        # The fingerprints are those of all pages, not only of those it was learned from.
        sample = {page.fingerprint for page in crawl.spool.sample(template.key, 3)}
        assert sample <= {fingerprint.digest for fingerprint in stored.fingerprints}


def test_a_wrapper_from_one_page_is_learned_again_from_more(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        template = fill(crawl, range(1))
        assert learn(crawl, template).method == "single"
        template.has_articles = True
        for i in range(1, 4):
            assert place(crawl, i).template is template
        asyncio.run(WrapperProvider(crawl).finish())
        (stored,) = crawl.wrappers.load(HOST)
        assert stored.wrapper.method == "trained"


def test_the_cut_of_a_template_with_the_same_sample_is_updated(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        template = fill(crawl, range(3))
        wrapper = learn(crawl, template)
        template.wrapper = replace(wrapper, evidence=replace(wrapper.evidence, cut_reason="old"))
        fill(crawl, range(3), "fancy")
        asyncio.run(WrapperProvider(crawl).finish())
        (stored,) = crawl.wrappers.load(HOST)
        assert stored.wrapper == template.wrapper
        assert stored.wrapper.evidence.cut_reason not in ("old", "")
        assert counted(crawl, "templates") == {"found": 2, "learned": 1}


def test_a_stored_template_is_used_as_it_is(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        first = fill(crawl, range(3))
        wrapper = learn(crawl, first)
        for i in range(3):
            crawl.ledger.record(key_of(i), Outcome.article("trained"))
    (tmp_path / "spool.db").unlink()
    with open_crawl(tmp_path) as crawl:
        placement = place(crawl, 5)
        assert placement.template is not None and placement.template.id == first.id
        assert learn(crawl, placement.template) == crawl.wrappers.load(HOST)[0].wrapper
        assert learn(crawl, placement.template).keep == wrapper.keep
        asyncio.run(WrapperProvider(crawl).finish())
        assert counted(crawl, "templates") == {"loaded": 1}

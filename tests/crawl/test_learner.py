"""Learning and storing the rules of templates."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml.html import tostring
from scrapy.http import HtmlResponse

from forest_scrapy.core import (
    Extraction,
    Template,
    TemplateRules,
    extract_page,
    learn_records,
)
from forest_scrapy.core.records import RecordRules
from forest_scrapy.core.templates.clusters import Cut
from forest_scrapy.core.templates.kinds import Kind
from forest_scrapy.crawl.context import CrawlContext
from forest_scrapy.crawl.learner import Learner
from forest_scrapy.crawl.outcomes import Outcome
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import page_of, rebuild_page, spool_page, visit_of
from tests.core.records.threads import THREADS, Post, make_thread, pages_of

from .helpers import (
    HOST,
    article_page,
    counted,
    features_of,
    flush,
    key_of,
    open_crawl,
    place,
)


def fill(crawl: CrawlContext, pages: range, template: str = "plain") -> str:
    """Place these pages and flush their host; the key of their template."""
    for number in pages:
        place(crawl, number, template)
    flush(crawl)
    return crawl.spool.read(key_of(pages[0], template)).template_key


def get(crawl: CrawlContext, key: str) -> Template:
    """The template as it is now."""
    template = crawl.templates.get(key)
    assert template is not None
    return template


async def ask(learner: Learner, key: str) -> Template | None:
    item = article_page(0)
    item.template_key = key
    return await learner.template_of(item)


def learn(crawl: CrawlContext, key: str) -> Template:
    template = asyncio.run(ask(crawl.learner, key))
    assert template is not None and template.rules is not None
    return template


def test_whether_pages_of_a_template_are_blocked_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were placed, and blocked pages have no template."""
    asked: list[object] = []
    with open_crawl(tmp_path) as crawl:
        key = fill(crawl, range(4))
        for name in ("is_challenge", "_has_only_notice"):
            monkeypatch.setattr(f"forest_scrapy.core.boilerplate.challenges.{name}", asked.append)
        learn(crawl, key)
    assert not asked


def test_a_template_is_learned_once_and_stored(tmp_path: Path) -> None:
    async def ask_four_times() -> list[Template | None]:
        learner = crawl.learner
        return list(await asyncio.gather(*(ask(learner, key) for _ in range(4))))

    with open_crawl(tmp_path) as crawl:
        key = fill(crawl, range(4))
        known = get(crawl, key)
        assert known.rules is None
        assert asyncio.run(ask_four_times()) == [learned := get(crawl, key)] * 4
        page = page_of(article_page(0).response)
        assert "Paragraph 5 of 0." in learned.wrapper.apply(page).text
        assert counted(crawl, "templates") == {"found": 1, "learned": 1}
        assert crawl.templates.learned() == [learned]
        (stored,) = crawl.rules.load(HOST)
        assert (stored.id, stored.rules) == (learned.id, learned.rules)
        assert stored.rules is not None and stored.rules.cut.reason
        digests = {crawl.spool.read(key_of(i)).fingerprint for i in range(4)}
        assert {fingerprint.digest for fingerprint in stored.fingerprints} == digests


def test_pages_that_were_learned_from_are_extracted_then(tmp_path: Path) -> None:
    """What came out is taken once, and only as long as the template has these rules."""

    async def take(learner: Learner) -> list[Extraction | None]:
        template = await ask(learner, key)
        assert template is not None
        other = replace(template, rules=TemplateRules())
        given = (template, template, other, None)
        return [
            learner.take_extracted(key_of(i), one)
            for i, one in zip((1, 1, 2, 3), given, strict=True)
        ]

    with open_crawl(tmp_path) as crawl:
        key = fill(crawl, range(4))
        done, *others = asyncio.run(take(crawl.learner))
        assert others == [None, None, None]
        template = get(crawl, key)
        item = rebuild_page(crawl.spool.read(key_of(1)))
        page = page_of(item.response, item.entry)
        expected = extract_page(page, template.rules, visit=visit_of(item, template))
        assert done is not None and done.item == expected.item
        assert (done.method, done.found.text) == (expected.method, expected.found.text)
        pickle.dumps(done)  # no tree is kept: elements cannot be pickled


@pytest.mark.parametrize("settings", [{"kinds": ("article", "thread")}, {"comments": True}])
def test_pages_whose_records_are_wanted_are_extracted_later(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    async def take(learner: Learner) -> Extraction | None:
        return learner.take_extracted(key_of(1), await ask(learner, key))

    with open_crawl(tmp_path, **settings) as crawl:
        key = fill(crawl, range(4))
        assert asyncio.run(take(crawl.learner)) is None


def test_rules_from_a_single_page_are_not_stored(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        template = learn(crawl, fill(crawl, range(1)))
        assert template.wrapper.method == "single"
        assert crawl.rules.load(HOST) == []
        assert template.id


def test_a_page_without_a_template_has_none(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        assert asyncio.run(ask(crawl.learner, "")) is None


def test_a_method_for_single_pages_learns_from_none(tmp_path: Path) -> None:
    """``extract_page`` learns from each page."""
    with open_crawl(tmp_path, method="mss") as crawl:
        template = learn(crawl, fill(crawl, range(3)))
        assert (template.wrapper.keep, crawl.rules.load(HOST)) == ((), [])
        assert counted(crawl, "templates") == {"found": 1}


def test_a_method_that_needs_two_pages_learns_nothing_from_one(tmp_path: Path) -> None:
    with open_crawl(tmp_path, method="forest") as crawl:
        template = learn(crawl, fill(crawl, range(1)))
        assert template.wrapper.method == "none"
        assert counted(crawl, "templates") == {"found": 1}


def test_learning_that_fails_is_logged_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr("forest_scrapy.core.learning.learn", fail)
    with open_crawl(tmp_path) as crawl:
        template = learn(crawl, fill(crawl, range(2)))
        assert template.wrapper.method == "none"
        assert counted(crawl, "templates") == {"found": 1, "failed": 1}
    assert f"Cannot learn the article of the template of http://{HOST}/" in caplog.text
    assert "ValueError" in caplog.text


def test_a_sample_that_cannot_be_read_is_logged_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_crawl(tmp_path) as crawl:
        key = fill(crawl, range(2))
        crawl.spool._database.execute("UPDATE contents SET url = 'not a URL'")
        assert learn(crawl, key).wrapper.method == "none"
        assert counted(crawl, "templates") == {"found": 1, "failed": 1}
    assert "Cannot learn the template of not a URL" in caplog.text
    assert "ValueError" in caplog.text


def fill_later(crawl: CrawlContext, key: str) -> None:
    """Place pages that change the sample of a template learned from the pages 0 to 2."""
    for i in range(3, 12):
        placed = place(crawl, i).template
        assert placed is not None and placed.key == key
    for i in range(12):
        crawl.ledger.record(key_of(i), Outcome.article("trained"))


def test_a_template_without_articles_is_learned_again_from_another_sample(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=3) as crawl:
        key = fill(crawl, range(3))
        first = learn(crawl, key)
        fill_later(crawl, key)
        asyncio.run(crawl.learner.finish())
        template, sample = get(crawl, key), crawl.spool.sample(key, 3)
        assert template.sample == tuple(page.key for page in sample)
        assert template.sample != tuple(sorted(key_of(i) for i in range(3)))
        assert counted(crawl, "templates") == {"found": 1, "learned": 1, "learned_again": 1}
        (stored,) = crawl.rules.load(HOST)
        assert stored.rules == template.rules
        assert stored.wrapper.keep == first.wrapper.keep


def test_rules_that_have_given_an_article_stay(tmp_path: Path) -> None:
    with open_crawl(tmp_path, pages=3) as crawl:
        key = fill(crawl, range(3))
        first = learn(crawl, key)
        crawl.learner.emitted(first)
        fill_later(crawl, key)
        asyncio.run(crawl.learner.finish())
        assert counted(crawl, "templates") == {"found": 1, "learned": 1}
        (stored,) = crawl.rules.load(HOST)
        assert first.rules is not None
        assert stored.rules == first.rules.with_cut(crawl.templates.host(HOST).grouping.cut)
        # The fingerprints are those of all pages, not only of those it was learned from.
        sample = {page.fingerprint for page in crawl.spool.sample(key, 3)}
        assert sample <= {fingerprint.digest for fingerprint in stored.fingerprints}


def test_rules_from_one_page_are_learned_again_from_more(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        template = learn(crawl, fill(crawl, range(1)))
        assert template.wrapper.method == "single"
        crawl.learner.emitted(template)
        for i in range(1, 4):
            placed = place(crawl, i).template
            assert placed is not None and placed.key == template.key
        asyncio.run(crawl.learner.finish())
        (stored,) = crawl.rules.load(HOST)
        assert stored.wrapper.method == "trained"


def test_the_cut_of_a_template_with_the_same_sample_is_updated(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        template = learn(crawl, fill(crawl, range(3)))
        assert template.rules is not None
        crawl.templates.update(template, rules=template.rules.with_cut(Cut(0.5, "old")))
        fill(crawl, range(3), "fancy")
        asyncio.run(crawl.learner.finish())
        (stored,) = crawl.rules.load(HOST)
        assert stored.rules == get(crawl, template.key).rules
        assert stored.rules is not None and stored.rules.cut.reason not in ("old", "")
        assert counted(crawl, "templates") == {"found": 2, "learned": 1}


def test_a_stored_template_is_used_as_it_is(tmp_path: Path) -> None:
    with open_crawl(tmp_path) as crawl:
        first = learn(crawl, fill(crawl, range(3)))
        for i in range(3):
            crawl.ledger.record(key_of(i), Outcome.article("trained"))
    (tmp_path / "spool.db").unlink()
    with open_crawl(tmp_path) as crawl:
        placed = place(crawl, 5).template
        assert placed is not None and placed.id == first.id
        again = learn(crawl, placed.key)
        assert replace(again, placed=0) == crawl.rules.load(HOST)[0]
        assert again.wrapper.keep == first.wrapper.keep
        asyncio.run(crawl.learner.finish())
        assert counted(crawl, "templates") == {"loaded": 1}


def test_a_sample_that_cannot_be_read_is_tried_once_if_other_kinds_are_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise ValueError("broken")

    monkeypatch.setattr("forest_scrapy.crawl.learner.read_sample", fail)
    with open_crawl(tmp_path, kinds=("article", "thread")) as crawl:
        key = fill(crawl, range(2))
        for _ in range(3):
            learn(crawl, key)
        assert counted(crawl, "templates")["failed"] == 1


@pytest.mark.parametrize(("method", "stored"), [("auto", 1), ("vsse-records", 0)])
def test_comments_on_products(method: str, stored: int, tmp_path: Path) -> None:
    """They are stored with the rules of the template, but those of the published methods for
    records are not stored."""
    comments = RecordRules("//li")
    with open_crawl(tmp_path, kinds=("article", "product"), method=method) as crawl:
        template = learn(crawl, fill(crawl, range(3)))
        crawl.rules.delete(HOST, template.id)
        assert template.rules is not None and template.rules.records is not None
        records = replace(template.rules.records, kind=Kind("product"))
        rules = replace(template.rules, records=records, comments=comments)
        crawl.learner._save_comments(template, rules)
        assert len(crawl.rules.load(HOST)) == stored


@pytest.mark.parametrize("is_edited", [True, False])
def test_edited_rules_stay_if_their_pages_turn_out_to_be_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_edited: bool
) -> None:
    with open_crawl(tmp_path) as crawl:
        first = learn(crawl, fill(crawl, range(3)))
        assert first.rules is not None
        edited = first.rules.with_article(replace(first.wrapper, drop=("//aside",)))
        if is_edited:
            crawl.rules.save_edited(HOST, first.id, edited)
        for i in range(3):
            crawl.ledger.record(key_of(i), Outcome.article("trained"))
    (tmp_path / "spool.db").unlink()
    threads = TemplateRules(records=learn_records(pages_of()))
    task = "forest_scrapy.crawl.learner._LearningTask.run"
    monkeypatch.setattr(task, lambda *arguments: (threads, {}))
    with open_crawl(tmp_path, kinds=("article", "thread")) as crawl:
        placed = [place(crawl, number).template for number in (5, 6)]
        assert placed[0] is not None and placed[0].is_edited == is_edited
        again = learn(crawl, placed[0].key)
        assert (again.wrapper == edited.wrapper) == is_edited
        (stored,) = crawl.rules.load(HOST)
        assert stored.is_of_threads != is_edited


def release_thread(crawl: CrawlContext, posts: Sequence[Post], paths: Sequence[str]) -> str:
    """Release pages of a thread with these posts as pages of one template; its key."""
    keys = []
    digests = []
    for path in paths:
        html = tostring(make_thread(posts).root, encoding="unicode")
        response = HtmlResponse(f"http://{HOST}{path}", body=html, encoding="utf-8")
        item = ArticlePage.from_response(response)
        page = spool_page(item)
        assert crawl.spool.add(page)
        fingerprint = features_of(item).fingerprint
        crawl.spool.place(page.key, fingerprint)
        keys.append(page.key)
        digests.append(f"{fingerprint.digest}{path}")
    template = crawl.templates.host(HOST).add_template(digests)
    for key in keys:
        crawl.spool.make_ready(key, template.key)
    return template.key


@pytest.mark.parametrize("is_question_first", [True, False])
def test_a_question_without_answers_is_a_thread_whichever_page_is_first(
    tmp_path: Path, is_question_first: bool
) -> None:
    """Where its post is, the other threads of the host tell: these are learned before."""
    with open_crawl(tmp_path, kinds=("thread",)) as crawl:
        question = release_thread(crawl, THREADS[0][:1], ["/q/1"])
        other_question = release_thread(crawl, THREADS[1][:1], ["/q/2"])
        threads = release_thread(crawl, THREADS[0], ["/t/1", "/t/2"])
        order = [question, other_question, threads]
        if not is_question_first:
            order.reverse()
        for key in order:
            learn(crawl, key)
        posts_of_threads = get(crawl, threads).rules
        assert posts_of_threads is not None and posts_of_threads.records is not None
        for key in (question, other_question):
            rules = get(crawl, key).rules
            assert rules is not None and rules.records is not None
            assert rules.are_of_threads
            assert rules.records.rules == posts_of_threads.records.rules
        assert counted(crawl, "records") == {"thread": 3}


def test_a_full_template_takes_posts_of_full_ones_only(tmp_path: Path) -> None:
    """It may be learned before others have as many pages."""
    with open_crawl(tmp_path, kinds=("thread",), pages=2) as crawl:
        questions = release_thread(crawl, THREADS[0][:1], ["/q/1", "/q/2"])
        release_thread(crawl, THREADS[0], ["/t/1"])
        assert not learn(crawl, questions).is_of_threads

"""What a crawl does with its history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.statscollectors import MemoryStatsCollector

from forest_scrapy.core import Entry
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.crawl.feed_history import (
    HistoryOptions,
    PlannedPage,
)
from forest_scrapy.crawl.history import CrawlHistory
from forest_scrapy.feeds.feed_items import Feed
from forest_scrapy.items import Article, ArticlePage, Item, Listing, Product, Thread, WebPage
from forest_scrapy.stores import HistoryStore
from forest_scrapy.stores.database import StoreUnavailable

FEED, URL = "http://a.example/feed", "http://a.example/1"
DAY = 86_400
ENTRY = Entry("A title", "A description", id=URL)
TEXT = " ".join(f"word{i}" for i in range(300))


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def history(tmp_path: Path, clock: Clock) -> Iterator[CrawlHistory]:
    stats = MemoryStatsCollector(Crawler(Spider))
    store = HistoryStore(str(tmp_path / "history.db"))
    with closing(CrawlHistory(store, stats, HistoryOptions(True, clock))) as opened:
        yield opened


def make_item(
    entry: Entry | None = ENTRY, url: str = URL, body: bytes = b"<p>A page", **meta: Any
) -> ArticlePage:
    request = Request(url, meta=meta)
    headers = {"ETag": '"1"', "Last-Modified": "Sat, 01 Jun 2024 00:00:00 GMT"}
    response = HtmlResponse(url, headers=headers, body=body, request=request)
    return ArticlePage(response, entry, key=page_key(url))


def crawl(
    history: CrawlHistory,
    text: str = TEXT,
    wrapper: str = "w",
    url: str = URL,
    body: bytes = b"<p>A page",
    **values: Any,
) -> dict[str, Any]:
    """Extract an article from the page, and write it to the history."""
    item = make_item(url=url, body=body)
    article = Article(url, text=text, wrapper_id=wrapper, **values)
    article.change = history.compare(item, article)
    history.done(item)
    return article.change


def plan(history: CrawlHistory, items: list[tuple[str, Entry]]) -> list[PlannedPage]:
    """What is requested if the feed has these items."""
    response = Response(FEED, headers={"ETag": '"feed"'}, request=Request(FEED))
    planned = history.feeds.pages(items) + history.feeds.vanished(response, items)
    read(history, response, items, [page.url for page in planned])
    return planned


def read(
    history: CrawlHistory, response: Response, items: list[tuple[str, Entry]], requested: list[str]
) -> None:
    """What is noted if the feed has these items, of which some are requested."""
    is_complete = history.feeds.was_listed(FEED, items, requested)
    if items:
        history.feeds.was_read(response, Feed(tuple(items)), is_complete)


def test_an_article_is_new_then_unchanged_then_changed(history: CrawlHistory) -> None:
    assert crawl(history) == {"kind": "new"}
    change = crawl(history)
    assert change == {"kind": "unchanged", "since": "2023-11-14T22:13:20+00:00"}
    change = crawl(history, TEXT.replace("word7 ", "other "))
    assert change["kind"] == "changed"
    assert (change["inserted"], change["deleted"]) == (["other"], ["word7"])
    assert change["share"] == pytest.approx(8 / 301, abs=0.001)


def test_without_the_old_text_the_share_is_estimated(history: CrawlHistory) -> None:
    crawl(history)
    history.store.prune(0)
    history.store.database.execute("DELETE FROM texts")
    history.store.database.execute("DELETE FROM versions")
    change = crawl(history, TEXT + " " + TEXT.replace("word", "other"))
    assert change.keys() == {"kind", "since", "share"}
    assert 0.2 < change["share"] < 0.8


def test_a_near_duplicate_by_another_wrapper_is_unchanged(history: CrawlHistory) -> None:
    crawl(history)
    assert crawl(history, TEXT + "\nword1", wrapper="other")["kind"] == "unchanged"
    assert crawl(history, TEXT.upper()[:900], wrapper="w")["kind"] == "wrapper"
    assert crawl(history, TEXT[:900], wrapper="w")["kind"] == "changed"
    assert crawl(history, "Quite another text.", wrapper="other")["kind"] == "wrapper"


def test_an_edited_paragraph_is_changed_also_if_another_wrapper_finds_it(
    history: CrawlHistory,
) -> None:
    """As when a redesign and a correction come between two crawls."""
    paragraphs = [f"{TEXT} {number}" for number in range(5)]
    crawl(history, "\n".join(paragraphs))
    edited = "\n".join([*paragraphs[:4], paragraphs[4].replace("word7 ", "other ")])
    change = crawl(history, edited, wrapper="other", body=b"<p>Another page")
    assert (change["kind"], change["inserted"]) == ("changed", ["other"])
    captioned = f"{edited}\n{' '.join(f'word{number}' for number in range(9))}"
    assert crawl(history, captioned, wrapper="third", body=b"<p>A third")["kind"] == "unchanged"


def test_an_article_without_an_outcome_is_new_next_time(history: CrawlHistory) -> None:
    item = make_item()
    plan(history, [(URL, ENTRY)])
    assert history.compare(item, Article(URL, text=TEXT))["kind"] == "new"
    history.failed(item)
    found = history.store.find(page_key(URL))
    assert found is not None and found.is_failing
    assert [page.url for page in plan(history, [(URL, ENTRY)])] == [URL]


def test_an_article_whose_export_is_not_on_the_disk_is_new_next_time(
    history: CrawlHistory,
) -> None:
    """This crawl does not request it again, if it watches the feed."""
    item = make_item()
    article = Article(URL, text=TEXT, wrapper_id="w")
    article.change = history.compare(item, article)
    history.done(item, is_held=True)
    assert history.feeds.pages([(URL, ENTRY)]) == []
    assert history.compare(make_item(), article)["kind"] == "unchanged"
    history.failed(make_item())
    other = CrawlHistory(
        history.store, MemoryStatsCollector(Crawler(Spider)), HistoryOptions(True, lambda: 2e9)
    )
    assert [page.headers for page in other.feeds.pages([(URL, ENTRY)])] == [{}]
    assert other.compare(make_item(), article)["kind"] == "new"
    history.release_held()
    assert history.store.find(page_key(URL)).outcome == "article"  # type: ignore[union-attr]
    assert other.compare(make_item(), article)["kind"] == "unchanged"


def test_articles_are_kept_for_a_feed(history: CrawlHistory, clock: Clock) -> None:
    """A corrected one takes the place of the first; a teaser has no text."""
    for text, hours in ((TEXT, 0), (TEXT, 1), (TEXT[:900], 2)):
        clock.now += 3600 * hours
        item = make_item()
        article = Article(URL, text=text, wrapper_id="w", published="2023-11-01")
        article.change = history.compare(item, article)
        history.done(item)
    (latest,) = history.store.latest.read(9)
    assert (latest.values["text"], latest.updated) == (TEXT[:900], clock.now)
    assert latest.moment == 1_698_796_800
    item = make_item(url="http://a.example/2")
    teaser = Article(item.response.url, text="A description", method="description")
    teaser.change = history.compare(item, teaser)
    history.done(item)
    (newest, _) = history.store.latest.read(9)
    assert (newest.values["text"], newest.values["summary"]) == ("", "A description")


def test_the_url_before_redirects_is_known(history: CrawlHistory) -> None:
    item = make_item(url="http://a.example/2", redirect_urls=[URL, "http://b.example/"])
    history.compare(item, Article("http://a.example/2", text=TEXT))
    history.done(item)
    assert plan(history, [(URL, ENTRY)]) == []
    assert history.store.find(page_key("http://a.example/2")) is None


def test_a_dropped_page_is_not_requested_again(history: CrawlHistory) -> None:
    assert len(plan(history, [(URL, ENTRY)])) == 1
    history.done(make_item(), "no_content")
    assert plan(history, [(URL, ENTRY)]) == []
    (planned,) = plan(history, [(URL, replace(ENTRY, title="Another"))])
    assert planned.headers == {}


def test_a_drop_does_not_replace_an_article(history: CrawlHistory) -> None:
    crawl(history)
    history.done(make_item(), "no_content")
    assert crawl(history)["kind"] == "unchanged"


def test_an_article_that_is_dropped_now_is_not_requested_in_each_crawl(
    history: CrawlHistory, clock: Clock
) -> None:
    plan(history, [(URL, ENTRY)])
    crawl(history, body=b"<p>Its page")
    clock.now += 2 * DAY
    assert [page.url for page in plan(history, [(URL, ENTRY)])] == [URL]
    history.done(make_item(), "no_content")
    clock.now += 3600
    assert plan(history, [(URL, ENTRY)]) == []
    known = history.known(make_item().response)
    assert known is not None and known.outcome == "article"
    digest = known.page_digest
    crawl(history, body=b"<p>Its page")
    assert history.known(make_item().response).page_digest == digest  # type: ignore[union-attr]


def crawl_item(history: CrawlHistory, content: Item, etag: str = '"1"') -> dict[str, Any]:
    """Extract an item that is no article from the page, and write it to the history."""
    item = make_item(url=content.url, body=etag.encode())
    item.response.headers["ETag"] = etag
    item.method = content.type
    content.change = history.compare(item, content)
    history.done(item, "unchanged" if content.change["kind"] == "unchanged" else "article")
    return content.change


def test_a_thread_whose_further_pages_fail_is_requested_as_before(
    history: CrawlHistory, clock: Clock
) -> None:
    """Else its first page is not modified next time, and its new posts are missed."""
    posts = [f"Post {n} says that owls number {n * 7} hunt at night." for n in range(6)]
    whole = Thread(URL, text="\n".join(posts))
    assert crawl_item(history, whole)["kind"] == "new"
    before = history.known(make_item().response)
    clock.now += DAY
    first_page = Thread(URL, text="\n".join(posts[:3]), next_page=f"{URL}?page=2")
    assert crawl_item(history, first_page, etag='"2"') == {"kind": "unchanged"}
    after = history.known(make_item().response)
    assert before is not None and after is not None
    assert (after.etag, after.page_digest) == (before.etag, before.page_digest)
    assert after.fetched == clock.now
    longer = Thread(URL, text="\n".join([*posts, "A post of someone else about elks."]))
    assert crawl_item(history, longer, etag='"2"')["kind"] == "changed"
    known = history.known(make_item().response)
    assert known is not None and known.etag == '"2"'


UNTITLED = [
    Listing(URL, items=[{"title": "An owl"}], template_id="t"),
    Thread(URL, text=TEXT, template_id="t"),
    WebPage(URL, text=TEXT, template_id="t"),
]


@pytest.mark.parametrize("content", UNTITLED)
def test_an_untitled_item_is_not_new_after_a_correction_of_its_rules(
    history: CrawlHistory, content: Item
) -> None:
    crawl_item(history, replace(content))
    history.store.forget_wrapper("a.example", "t")
    assert crawl_item(history, replace(content), etag='"2"')["kind"] == "unchanged"
    history.store.forget_wrapper("a.example", "t")
    other = replace(content, text="Elks are large.")
    if isinstance(other, Listing):
        other.items = [{"title": "A large elk"}]
    change = crawl_item(history, other, etag='"3"')
    assert (change["kind"], change["share"]) == ("wrapper", 1.0)


def test_a_description_that_appears_and_vanishes(history: CrawlHistory) -> None:
    lamp = Product(URL, name="Owl lamp")
    text = "A lamp that looks like an owl."
    crawl_item(history, replace(lamp))
    for number, description in enumerate((text, "", text)):
        change = crawl_item(history, replace(lamp, description=description), f'"{number + 2}"')
        assert (change["kind"], change["share"]) == ("changed", 1.0)
        runs = ([text], []) if description else ([], [text])
        assert (change["inserted"], change["deleted"]) == runs


def test_held_articles_are_not_forgotten_while_the_store_is_away(
    history: CrawlHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = make_item()
    history.compare(item, Article(URL, text=TEXT, wrapper_id="w"))
    history.done(item, is_held=True)

    def rows(query: str, values: Any = ()) -> Any:
        raise StoreUnavailable("no route to the server")

    with monkeypatch.context() as patched:
        patched.setattr(history.store.database, "rows", rows)
        with pytest.raises(StoreUnavailable):
            history.release_held()
    history.release_held()
    known = history.known(item.response)
    assert known is not None and known.outcome == "article"


def test_a_page_that_was_never_there_is_not_gone(history: CrawlHistory) -> None:
    item = make_item()
    item.response = item.response.replace(body=b"", status=404)
    history.compare(item, Article(URL, text=TEXT, wrapper_id="w"))
    history.done(item)
    assert history.request_failed(URL, 404) is None
    crawl(history)
    gone = history.request_failed(URL, 404)
    assert gone is not None and gone.change["kind"] == "gone"


def test_not_modified(history: CrawlHistory, clock: Clock) -> None:
    crawl(history)
    changed = replace(ENTRY, title="Another")
    clock.now += 60
    history.not_modified(make_item(forest={"entry": changed.to_dict()}).response)
    assert plan(history, [(URL, changed)]) == []
    known = history.store.find(page_key(URL))
    assert known is not None and known.fetched == clock.now


def test_an_article_is_gone_once(history: CrawlHistory) -> None:
    assert history.request_failed(URL, 404) is None
    crawl(history, template_id="t")
    assert history.request_failed(URL, 503) is None
    gone = history.request_failed(URL, 410)
    assert gone is not None
    assert (gone.url, gone.template_id, gone.status) == (URL, "t", 410)
    assert gone.change == {"kind": "gone", "since": "2023-11-14T22:13:20+00:00"}
    assert history.request_failed(URL, 410) is not None  # the item was not exported
    history.gone(gone)
    assert history.request_failed(URL, 410) is None
    assert crawl(history)["kind"] == "returned"


def test_an_article_that_returns_is_compared_with_what_it_was(
    history: CrawlHistory, clock: Clock
) -> None:
    crawl(history)
    gone = history.request_failed(URL, 404)
    assert gone is not None
    history.gone(gone)
    clock.now += DAY
    change = crawl(history, TEXT.replace("word7 ", "other "))
    assert change["kind"] == "returned"
    assert (change["inserted"], change["deleted"]) == (["other"], ["word7"])
    assert change["since"] == "2023-11-14T22:13:20+00:00"
    assert crawl(history, TEXT.replace("word7 ", "other "))["kind"] == "unchanged"


def test_a_page_that_is_gone_is_asked_for_less_and_less_often(
    history: CrawlHistory, clock: Clock
) -> None:
    """Although its feed still lists it, with other entries."""
    plan(history, [(URL, ENTRY)])
    crawl(history)
    gone = history.request_failed(URL, 404, ENTRY)
    assert gone is not None
    history.gone(gone)
    asked = []
    for day in range(1, 33):
        clock.now += DAY + 1
        for page in plan(history, [(URL, ENTRY)]):
            assert history.request_failed(page.url, 404, page.entry) is None
            asked.append(day)
    assert asked == [1, 3, 7, 15, 31]
    other_entry = replace(ENTRY, title="Another")
    assert len(plan(history, [(URL, other_entry)])) == 1
    history.request_failed(URL, 404, other_entry)
    assert plan(history, [(URL, other_entry)]) == []


def test_a_page_that_is_gone_stays_gone_without_an_article(history: CrawlHistory) -> None:
    """Such as one that says so with status 200."""
    crawl(history)
    gone = history.request_failed(URL, 404)
    assert gone is not None
    history.gone(gone)
    history.done(make_item(), "no_content")
    page = history.store.find(page_key(URL))
    assert page is not None and page.outcome == "gone"
    assert crawl(history)["kind"] == "returned"


def test_a_feed_entry_is_no_article_of_a_page_that_is_gone(history: CrawlHistory) -> None:
    crawl(history)
    gone = history.request_failed(URL, 404)
    assert gone is not None
    history.gone(gone)
    item = make_item()
    item.response = item.response.replace(body=b"", status=404)
    assert history.compare(item, Article(URL, text="A description"))["kind"] == "unchanged"
    history.done(item)
    page = history.store.find(page_key(URL))
    assert page is not None and page.outcome == "gone"


def test_another_headline_is_a_change(history: CrawlHistory) -> None:
    crawl(history, title="Minister convicted")
    change = crawl(history, title="Minister cleared", body=b"<p>Another page")
    assert change == {
        "kind": "changed",
        "since": "2023-11-14T22:13:20+00:00",
        "share": 0.0,
        "inserted": [],
        "deleted": [],
        "fields": {"title": {"from": "Minister convicted", "to": "Minister cleared"}},
    }
    assert crawl(history, title="Minister cleared")["kind"] == "unchanged"
    (latest,) = history.store.latest.read(9)
    assert latest.values["title"] == "Minister cleared"


def test_fields_that_were_not_known_are_no_change(history: CrawlHistory) -> None:
    """As in a history of an earlier release."""
    crawl(history, title="Minister convicted")
    history.store.database.execute("UPDATE pages SET fields = '{}'")
    assert crawl(history, title="Minister cleared")["kind"] == "unchanged"
    assert crawl(history, title="Minister fined")["kind"] == "changed"


def test_fields_that_other_rules_have_found_are_no_change(history: CrawlHistory) -> None:
    crawl(history, title="Minister convicted")
    assert crawl(history, title="The Daily: news", wrapper="other")["kind"] == "unchanged"
    declared = {"title": "json-ld"}
    crawl(history, title="Minister convicted", wrapper="third", sources=declared)
    change = crawl(history, title="Minister cleared", wrapper="fourth", sources=declared)
    assert change["kind"] == "changed"


def test_versions_are_kept(history: CrawlHistory, clock: Clock) -> None:
    other_text = TEXT.replace("word7 ", "other ")
    crawl(history, title="Minister convicted")
    clock.now += DAY
    crawl(history, title="Minister convicted")
    clock.now += DAY
    crawl(history, title="Minister cleared")
    clock.now += DAY
    gone = history.request_failed(URL, 404)
    assert gone is not None
    history.gone(gone)
    clock.now += DAY
    history.request_failed(URL, 404)
    clock.now += DAY
    crawl(history, other_text, title="Minister cleared")
    clock.now += DAY
    history.not_modified(make_item().response)

    versions = history.store.versions.of_page(page_key(URL))
    start = versions[0].first_seen
    spans = []
    for version in versions:
        first_day = (version.first_seen - start) // DAY
        last_day = (version.last_seen - start) // DAY
        spans.append((version.kind, first_day, last_day))
    assert spans == [("new", 0, 1), ("changed", 2, 2), ("gone", 3, 4), ("returned", 5, 6)]
    assert [version.status for version in versions] == [200, 200, 404, 200]
    titles = [version.values.get("title") for version in versions]
    assert titles == ["Minister convicted", "Minister cleared", None, "Minister cleared"]
    assert versions[1].change["fields"].keys() == {"title"}
    assert [version.text for version in versions] == [TEXT, TEXT, "", other_text]


@pytest.mark.parametrize("text", [TEXT, TEXT + " Another end."])
def test_pages_that_are_replayed_were_not_seen_again(
    history: CrawlHistory, clock: Clock, text: str
) -> None:
    crawl(history)
    fetched = clock.now
    clock.now += DAY
    history.request_failed(URL, 503)
    before = history.store.find(page_key(URL))
    clock.now += DAY
    stats = MemoryStatsCollector(Crawler(Spider))
    replay = CrawlHistory(history.store, stats, HistoryOptions(True, clock), is_replay=True)
    item = make_item(Entry("A title of then", id=URL))
    item.fetched_at = datetime.fromtimestamp(fetched, UTC).isoformat()
    article = Article(URL, text=text, wrapper_id="another")
    article.change = replay.compare(item, article, is_exact=True)
    replay.done(item)
    after = history.store.find(page_key(URL))
    assert before and after
    for name in ("last_seen", "fetched", "status", "failures", "entry_digest"):
        assert getattr(after, name) == getattr(before, name)
    versions = history.store.versions.of_page(page_key(URL))
    assert versions[0].last_seen == fetched
    # What a correction has changed is told now.
    is_same = text == TEXT
    assert [version.first_seen for version in versions[1:]] == ([] if is_same else [clock.now])


def test_an_article_that_was_not_exported_is_one_version(
    history: CrawlHistory, clock: Clock
) -> None:
    """It comes again in the next crawl."""
    item = make_item()
    for _ in range(2):
        article = Article(URL, text=TEXT, wrapper_id="w")
        article.change = history.compare(item, article)
        history.done(item, is_held=True)
        history.feeds.held.clear()
        clock.now += DAY
    (version,) = history.store.versions.of_page(page_key(URL))
    assert (version.kind, version.last_seen - version.first_seen) == ("new", DAY)


def test_an_old_text_is_taken_from_the_versions(history: CrawlHistory) -> None:
    crawl(history)
    history.store.database.execute("DELETE FROM texts")
    change = crawl(history, TEXT.replace("word7 ", "other "))
    assert (change["inserted"], change["deleted"]) == (["other"], ["word7"])


def test_a_page_that_fails_after_its_feed_lost_it_may_be_gone(history: CrawlHistory) -> None:
    crawl(history)
    plan(history, [(URL, ENTRY)])
    plan(history, [])
    assert history.request_failed(URL, 404) is not None
    response = Response(FEED, request=Request(FEED))
    assert [page.url for page in history.feeds.vanished(response, [])] == [URL]


#: What may become of a page that was requested.
events = st.sampled_from(["article", "no_content", "error", "failed", "killed"])


@settings(max_examples=25)
@given(crawls=st.lists(st.tuples(*[events] * 3), max_size=5))
def test_pages_are_requested_until_they_have_an_outcome(
    tmp_path_factory: pytest.TempPathFactory, crawls: list[tuple[str, ...]]
) -> None:
    urls = [f"http://a.example/{number}" for number in range(3)]
    waiting, path = set(urls), tmp_path_factory.mktemp("history") / "history.db"
    for crawl_events in crawls:
        stats = MemoryStatsCollector(Crawler(Spider))
        with closing(
            CrawlHistory(HistoryStore(str(path)), stats, HistoryOptions(True, Clock()))
        ) as history:
            planned = {page.url for page in plan(history, [(url, ENTRY) for url in urls])}
            assert planned == waiting
            for url, event in zip(urls, crawl_events, strict=True):
                if url in planned and happens(history, event, url):
                    waiting.remove(url)
    with closing(HistoryStore(str(path))) as store:
        known = [store.find(page_key(url)) for url in urls]
    assert {page.url for page in known if page and page.outcome == ""} == (
        waiting if crawls else set()
    )


def happens(history: CrawlHistory, event: str, url: str) -> bool:
    """Note the event; whether the page has an outcome then."""
    item = make_item(url=url)
    if event in ("article", "error"):
        assert history.compare(item, Article(url, text=TEXT)) == {"kind": "new"}
    if event == "error":
        history.failed(item)
    elif event == "failed":
        assert history.request_failed(url, 503) is None
    elif event != "killed":
        history.done(item, event)
    return event in ("article", "no_content")


#: What a publisher may do with a page between two visits.
publishing = st.sampled_from(["nothing", "text", "title", "both", "gone", "there"])


class Publisher:
    """A page that changes, and what has to be emitted of it: kinds, titles and texts."""

    def __init__(self) -> None:
        self.title = "Title a"
        self.text = TEXT
        self.is_there = True
        self.expected: list[tuple[str, str, str]] = []

    def publish(self, event: str, number: int) -> None:
        """Let something happen to the page; ``number``: of the visit that follows."""
        was_there = self.is_there
        if event in ("text", "both"):
            self.text = TEXT.replace("word7 ", f"other{number} ")
        if event in ("title", "both"):
            self.title = f"Title {chr(ord('a') + number)}"
        if event in ("gone", "there"):
            self.is_there = event == "there"

        state = (self.title, self.text)
        if not self.is_there:
            if was_there:
                self.expected.append(("gone", "", ""))
        elif not self.expected:
            self.expected.append(("new", *state))
        elif not was_there:
            self.expected.append(("returned", *state))
        elif self.expected[-1][1:] != state:
            self.expected.append(("changed", *state))


def visit(history: CrawlHistory, page: Publisher, body: bytes) -> list[tuple[str, str, str]]:
    """What is emitted at a visit to a page."""
    if not page.is_there:
        gone = history.request_failed(URL, 404, ENTRY)
        if gone is None:
            return []
        history.gone(gone)
        return [("gone", "", "")]
    change = crawl(history, page.text, title=page.title, body=body)
    if change["kind"] == "unchanged":
        return []
    return [(change["kind"], page.title, page.text)]


@settings(max_examples=25)
@given(events=st.lists(publishing, max_size=14))
def test_each_state_of_a_page_is_emitted_and_kept_once(
    tmp_path_factory: pytest.TempPathFactory, events: list[str]
) -> None:
    """A quiet visit follows each event: a third headline in a row is noise."""
    path = tmp_path_factory.mktemp("history") / "history.db"
    stats = MemoryStatsCollector(Crawler(Spider))
    clock = Clock()
    page = Publisher()
    emitted = []
    all_events = ["nothing"]
    for event in events:
        all_events += [event, "nothing"]
    with closing(
        CrawlHistory(HistoryStore(str(path)), stats, HistoryOptions(True, clock))
    ) as history:
        for number, event in enumerate(all_events):
            clock.now += DAY
            page.publish(event, number)
            emitted += visit(history, page, f"<p>{number}".encode())
        versions = history.store.versions.of_page(page_key(URL))
    kept = [(version.kind, version.values.get("title", ""), version.text) for version in versions]
    assert emitted == page.expected
    assert kept == page.expected[:1] + page.expected[1:][-19:]

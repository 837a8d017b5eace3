"""Threads, products, listings and comments of stored pages."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from forest_scrapy import Article, Listing, Product, RawPage, Thread, extract_pages
from forest_scrapy.batch.files import BatchArguments, FileBatch, read_items
from forest_scrapy.batch.progress import NoProgress
from forest_scrapy.settings import ForestSettings
from tests.batch.helpers import lines
from tests.core.records.shop import LAMPS, list_html, product_html
from tests.crawls.helpers import story
from tests.crawls.test_comments import said, unnamed
from tests.crawls.test_records_spider import forum_pages, wanted_of

HOST = "http://a.example"
THREADS = ForestSettings(kinds=("thread",))


def pages_of(paths: dict[str, str]) -> list[RawPage]:
    return [RawPage(f"{HOST}{path}", html) for path, html in paths.items()]


def threads() -> list[RawPage]:
    return [page for page in pages_of(forum_pages()) if "/t/" in page.url]


def write_lines(file: Path, pages: list[RawPage]) -> str:
    rows = [{"url": page.url, "html": page.body} for page in pages]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return str(file)


def posts_of(items: list[Any]) -> dict[str, list[str]]:
    """The texts of the posts of each thread, by the last part of its URL."""
    assert all(isinstance(item, Thread) for item in items)
    found = {item.url.rpartition("/")[2]: [post["text"] for post in item.posts] for item in items}
    assert len(found) == len(items)
    return found


@pytest.mark.parametrize("are_articles", [True, False])
def test_threads_over_several_pages(are_articles: bool) -> None:
    """A thread comes with the last of its pages, whatever their order."""
    found = list(extract_pages(threads(), THREADS, are_articles=are_articles))
    assert posts_of(found) == wanted_of()
    (first,) = [item for item in found if item.url.endswith("/harbour")]
    assert [page.rpartition("/")[2] for page in first.pages] == [
        *("harbour", "harbour?page=2", "harbour?page=3"),
    ]
    turned = list(extract_pages(threads()[::-1], THREADS, are_articles=are_articles))
    assert {item.url: asdict(item) for item in turned} == {item.url: asdict(item) for item in found}


def test_a_thread_with_a_missing_page() -> None:
    """What is there comes at the end, in two parts."""
    pages = [page for page in threads() if not page.url.endswith("page=2")]
    found = list(extract_pages(pages, THREADS))
    assert sorted(len(item.posts) for item in found) == [2, 4, 4, 4, 4, 4, 4]
    last = {item.url for item in found[-2:]}
    assert last == {f"{HOST}/t/harbour", f"{HOST}/t/harbour?page=3"}
    some = list(extract_pages(threads(), ForestSettings(kinds=("thread",), thread_pages=2)))
    assert sorted(len(item.pages) for item in some) == [1, 1, 1, 1, 1, 1, 2]


def test_all_kinds_at_once() -> None:
    """Articles are those that come without the other kinds."""
    stories = {f"/story/{number}": story(number) for number in range(6)}
    lamps = {f"/p/{lamp.key}": product_html(lamp, declares=False) for lamp in LAMPS}
    lists = {"/lamps": list_html(LAMPS[:4], "/lamps?page=2"), "/lamps?page=2": list_html(LAMPS[4:])}
    pages = pages_of({**stories, **lamps, **lists, **forum_pages()})
    kinds = ("article", "thread", "product", "listing")
    found = list(extract_pages(pages, ForestSettings(kinds=kinds)))
    articles = [item for item in found if isinstance(item, Article) and "/story/" in item.url]
    known = list(extract_pages(pages_of(stories), are_articles=True))
    assert [one.text for one in articles] == [one.text for one in known]
    assert posts_of([item for item in found if isinstance(item, Thread)]) == wanted_of()
    prices = {item.name: item.price for item in found if isinstance(item, Product)}
    assert prices == {lamp.name: lamp.price for lamp in LAMPS}
    listed = [item for item in found if isinstance(item, Listing) and "/lamps" in item.url]
    assert [len(item.items) for item in listed] == [4, 4]
    only = list(extract_pages(pages, ForestSettings(kinds=("product",))))
    assert {item.name for item in only} == prices.keys()


def test_stored_rules_of_products(tmp_path: Path) -> None:
    """They are used for the same kinds only."""
    lamps = pages_of({f"/p/{lamp.key}": product_html(lamp) for lamp in LAMPS})
    settings = ForestSettings(kinds=("product",))
    files = (write_lines(tmp_path / "in.jsonl", lamps),)
    out, errors, store = (str(tmp_path / name) for name in ("out.jsonl", "errors.jsonl", "w.db"))
    order = BatchArguments(files, out, errors, save_wrappers=store)
    FileBatch(order, settings, 1, NoProgress()).run()
    learned = {item.url: asdict(item) for item in read_items(Path(out))}
    assert len(learned) == len(LAMPS)
    again = list(extract_pages(lamps, settings, wrappers=store))
    assert {item.url: asdict(item) for item in again} == learned
    assert {item.template_id for item in again} != {""}
    for kinds in (("article",), ("product", "listing")):
        others = list(extract_pages(lamps, ForestSettings(kinds=kinds), wrappers=store))
        assert [item.template_id for item in others] == [""] * len(LAMPS)


def commented(numbers: range, count: int) -> list[RawPage]:
    html = {n: story(n).replace("</body>", unnamed(n, count)) for n in numbers}
    return pages_of({f"/story/{number}": page for number, page in html.items()})


@pytest.mark.slow
def test_comments_and_stored_rules(tmp_path: Path) -> None:
    """A single comment is found with stored rules only."""
    settings = ForestSettings(comments=True)
    files = (write_lines(tmp_path / "in.jsonl", commented(range(8), 3)),)
    out, errors, store = (tmp_path / name for name in ("out.jsonl", "errors.jsonl", "w.db"))
    order = BatchArguments(files, out, errors, are_articles=True, save_wrappers=str(store))
    batch = FileBatch(order, settings, 1, NoProgress())
    batch.run()
    for item in read_items(out):
        assert isinstance(item, Article)
        number = int(item.url.rpartition("/")[2])
        assert [one["text"] for one in item.comments] == [said(number, i) for i in range(3)]
    alone = commented(range(20, 22), 1)
    for page in alone:
        (item,) = extract_pages([page], settings, are_articles=True)
        assert item.comments == []
        (item,) = extract_pages([page], settings, wrappers=str(tmp_path / "w.db"))
        assert len(item.comments) == 1
        (item,) = extract_pages([page], wrappers=str(tmp_path / "w.db"))
        assert item.comments == []


class Stop(NoProgress):
    """Stops the batch after some pages were extracted."""

    def __init__(self, pages: int) -> None:
        self._left, self._stage = pages, ""

    def begin(self, stage: str, total: int | None) -> None:
        self._stage = stage

    def advance(self, number: int) -> None:
        if self._stage == "extract" and number:
            self._left -= number
            if self._left < 0:
                raise KeyboardInterrupt


@pytest.mark.thorough
@pytest.mark.slow
def test_threads_of_a_batch_that_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forest_scrapy.batch.batch._PAGES_OF_CHUNK", 2)
    pages = [page for page in threads() if not page.url.endswith("page=2")]
    files = (write_lines(tmp_path / "in.jsonl", pages),)

    def run(name: str, stop: int | None = None, **order: Any) -> FileBatch:
        given = BatchArguments(files, tmp_path / name, tmp_path / "errors.jsonl", **order)
        watcher = NoProgress() if stop is None else Stop(stop)
        batch = FileBatch(given, THREADS, 1, watcher)
        batch.run()
        return batch

    whole = run("whole.jsonl", save_wrappers=str(tmp_path / "w.db"))
    expected = lines(tmp_path / "whole.jsonl")
    assert whole.counts["threads"] == len(expected) == 7
    assert lines(tmp_path / "errors.jsonl") == []
    for stop in range(0, 8, 2):
        with pytest.raises(KeyboardInterrupt):
            run(f"{stop}.jsonl", stop)
        again = run(f"{stop}.jsonl")
        assert lines(tmp_path / f"{stop}.jsonl") == expected
        assert again.counts == whole.counts - Counter({"wrappers saved": 1})
    run("stored.jsonl", wrappers=str(tmp_path / "w.db"))
    assert lines(tmp_path / "stored.jsonl") == expected


def test_threads_and_products_are_named_if_articles_are_wanted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One line says how many there are, and how to get them, whether or not articles are taken from
    their pages; what comes out is the same."""
    lamps = pages_of({f"/p/{lamp.key}": product_html(lamp, declares=False) for lamp in LAMPS})
    stories = pages_of({f"/story/{number}": story(number) for number in range(6)})
    forum = [RawPage(page.url.replace("a.", "forum."), page.body) for page in threads()]
    shop = [RawPage(page.url.replace("a.", "shop."), page.body) for page in lamps]
    list(extract_pages([*stories, *forum, *shop]))
    (line,) = [record.getMessage() for record in caplog.records]
    assert line == (
        f"{len(forum)} of {len(stories) + len(forum) + len(shop)} pages look like threads,"
        f" {len(shop)} like products:"
        " kinds=article,thread,product gives these"
    )


@pytest.mark.parametrize("kinds", [("article",), ("article", "thread")])
def test_a_thread_alone_is_named_if_articles_are_wanted(
    caplog: pytest.LogCaptureFixture,
    kinds: tuple[str, ...],
) -> None:
    (page, *_) = threads()
    reasons: list[str] = []
    items = list(
        extract_pages(
            [page],
            ForestSettings(kinds=kinds),
            refused=lambda _, reason: reasons.append(reason),
        )
    )
    lines = [record.getMessage() for record in caplog.records]
    is_refused = reasons == ["not_article"]
    assert is_refused is not bool(items)
    assert (lines == ["1 page looks like a thread: kinds=article,thread gives this"]) is is_refused


def test_articles_are_not_named(caplog: pytest.LogCaptureFixture) -> None:
    stories = pages_of({f"/story/{number}": story(number) for number in range(6)})
    lists = {"/lamps": list_html(LAMPS[:4], "/lamps?page=2"), "/lamps?page=2": list_html(LAMPS[4:])}
    assert len(list(extract_pages([*stories, *pages_of(lists)]))) == 6
    assert not caplog.records

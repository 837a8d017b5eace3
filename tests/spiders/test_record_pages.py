"""Which pages of records are requested, and which of them belong to their record."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from forest_scrapy.forms.items import FormRecord
from forest_scrapy.spiders.record_pages import MAX_FAILURES, RecordPage, RecordPages

SITE = "https://a.example"


def open_pages(count: int, max_open: int = 100) -> tuple[RecordPages, list[FormRecord]]:
    """Records whose pages are added, those that are open."""
    return open_links([f"/entry/{number}" for number in range(count)], max_open)


def open_links(links: list[str], max_open: int = 100) -> tuple[RecordPages, list[FormRecord]]:
    pages = RecordPages(len(links), max_open)
    for link in links:
        pages.note_link(SITE + link)
        if pages.has_room(SITE + link):
            assert pages.add(FormRecord(SITE + link))
    records = []
    while record := pages.open_next():
        records.append(record)
    return pages, records


def own_pages(targets: Mapping[str, tuple[str, str]], seed: int = 0) -> set[str]:
    """The links that have their own page, of those with their redirect and its content."""
    pages, records = open_links(list(targets))
    random.Random(seed).shuffle(records)
    placed_pages = []
    for record in records:
        target, content = targets[record.url.removeprefix(SITE)]
        pages.note_answer()
        page = RecordPage(record, SITE + target, "", [("ISBN", content)])
        if placed_page := pages.place(page):
            placed_pages.append(placed_page)
    assert pages.release() == []
    pages.note_last_record()
    placed_pages += pages.release()
    assert len(placed_pages) == len(records) and pages.release() == []
    return {placed.page.record.url.removeprefix(SITE) for placed in placed_pages if placed.is_own}


def test_a_few_pages_are_open_and_no_other_one_after_failures_in_a_row() -> None:
    pages, records = open_pages(20, max_open=2)
    assert len(records) == 2
    assert not pages.has_room(f"{SITE}/entry/99")
    for _ in range(MAX_FAILURES - 1):
        assert not pages.note_failure(is_refusal=True)
        assert pages.open_next()
    pages.note_answer()
    for is_refusal in [True] * (MAX_FAILURES - 1) + [False] * 3:
        assert not pages.note_failure(is_refusal)
        assert not pages.is_refused
    assert pages.note_failure(is_refusal=True) and pages.is_refused
    waiting = pages.give_up()
    assert len(waiting) == 20 - 2 - (MAX_FAILURES - 1)
    assert pages.open_next() is None and pages.give_up() == []
    assert not pages.add(FormRecord(f"{SITE}/entry/99"))


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("/r/{}", "/show?id={}"),
        ("/go/{}", "/show?{}"),
        ("/?r={}", "/show?doc=books/{}"),
        ("?r={}", "/show?id={}"),
        ("/r/{}", "/v?empty={}&b="),
        ("/r/{}", "/r/{}/"),
        ("/r/{}", "/r/{}"),
    ],
)
def test_pages_under_other_names_belong_to_their_records(link: str, target: str) -> None:
    targets = {}
    for number in range(12):
        targets[link.format(number)] = (target.format(number), str(number))
    assert own_pages(targets) == set(targets)


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("/r/{}", "/login"),
        ("/r/{}", "/login?next=/r/{}"),
        ("/r/{}", "/login;jsessionid={}F"),
        ("/rec?id={}", "/login?back={}"),
        ("/r%C3%A9/{}", "/login?next=/r%C3%A9/{}"),
        ("/r/{}", "/v#/book/{}"),
        ("/all.html#r{}", "/all.html"),
    ],
)
def test_a_page_that_several_records_lead_to_belongs_to_none(link: str, target: str) -> None:
    targets = {}
    for number in range(12):
        targets[link.format(number)] = (target.format(number), "same")
    assert own_pages(targets) == set()


def test_a_page_with_what_changes_is_one_page_by_its_url() -> None:
    assert own_pages({f"/r/{number}": ("/login", str(number)) for number in range(3)}) == set()


def test_a_redirect_to_the_page_of_another_record_adds_nothing() -> None:
    assert own_pages({"/b/1": ("/b/2", "2"), "/b/2": ("/b/2", "2")}) == {"/b/2"}


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_responses_does_not_matter(seed: int) -> None:
    targets = {"/r/0": ("/login", "same"), "/r/10": ("/login", "same")}
    for number in range(11, 20):
        targets[f"/r/{number}"] = (f"/show?id={number}", str(number))
        targets[f"/own/{number}"] = (f"/own/{number}", f"own {number}")
    assert own_pages(targets, seed) == set(targets) - {"/r/0", "/r/10"}


def test_parts_of_a_page_are_one_request() -> None:
    _, records = open_links(["/all.html#r1", "/all.html#r2", "/other.html#r3"])
    assert [record.url for record in records] == [f"{SITE}/all.html#r1", f"{SITE}/other.html#r3"]
    assert own_pages({"/all.html#r1": ("/all.html", "1")}) == {"/all.html#r1"}


def test_a_page_that_waits_is_released_when_the_last_one_fails() -> None:
    pages, records = open_pages(3)
    pages.note_last_record()
    pages.note_answer()
    assert pages.place(RecordPage(records[0], f"{SITE}/book/a", "", [])) is None
    pages.note_failure(is_refusal=True)
    pages.note_answer()
    assert pages.release() == []  # the last one is being read
    pages.note_unread()
    assert [placed.page.record for placed in pages.release()] == records[:1]
    assert pages.release() == []

"""Which pages of records are requested, and which of them belong to their record."""

from __future__ import annotations

from scrapy.http import HtmlResponse

from forest_scrapy.forms.items import FormRecord
from forest_scrapy.spiders.record_pages import MAX_FAILURES, MAX_REDIRECTED, RecordPages

SITE = "https://a.example"


def open_pages(count: int, max_open: int = 100) -> tuple[RecordPages, list[FormRecord]]:
    """Records whose pages are added, those that are open."""
    pages = RecordPages(count, max_open)
    for number in range(count):
        assert pages.add(FormRecord(f"{SITE}/entry/{number}"))
    records = []
    while record := pages.open_next():
        records.append(record)
    return pages, records


def answer(pages: RecordPages, record: FormRecord, url: str) -> dict[str, bool]:
    """The records that are complete after the response, and whether they have their page."""
    pages.note_answer()
    placed = pages.place(record, HtmlResponse(url))
    return {record.url.rpartition("/")[2]: page is not None for record, page in placed}


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


def test_a_page_that_several_records_are_redirected_to_belongs_to_none() -> None:
    pages, records = open_pages(4)
    assert answer(pages, records[0], f"{SITE}/login?next=/entry/0") == {}
    assert answer(pages, records[1], f"{SITE}/login?next=%2Fentry%2F1") == {"1": False, "0": False}
    assert answer(pages, records[2], f"{SITE}/entry/2") == {"2": True}
    assert answer(pages, records[3], f"{SITE}/login?next=/entry/3") == {"3": False}


def test_pages_under_other_names_belong_to_their_records() -> None:
    count = MAX_REDIRECTED + 3
    pages, records = open_pages(count)
    complete: dict[str, bool] = {}
    for number, record in enumerate(records):
        complete |= answer(pages, record, f"{SITE}/show?id={number}")
        assert len(complete) >= number - MAX_REDIRECTED
    assert complete == {str(number): True for number in range(count)}


def test_a_page_that_waits_is_released_when_the_last_one_fails() -> None:
    pages, records = open_pages(2)
    assert answer(pages, records[0], f"{SITE}/book/a") == {}
    pages.note_failure(is_refusal=True)
    assert [record for record, _ in pages.release()] == records[:1]
    assert pages.release() == []

"""What the spiders note in requests."""

from __future__ import annotations

import marshal
import pickle
from typing import Any

import pytest
from scrapy.http import HtmlResponse, Request, Response
from scrapy.utils.request import request_from_dict

from forest_scrapy.core import Entry
from forest_scrapy.core.page.content import MediaFile
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import rebuild_page, spool_page
from forest_scrapy.responses.notes import NO_NOTES, PageNotes, has_notes, notes_of
from forest_scrapy.stores import SpooledPage

URL = "http://a.example/1"
ENTRY = Entry("A title", "A text", tags=("sea",), enclosures=(MediaFile("http://a.example/a.mp3"),))
ALL = PageNotes(
    ENTRY,
    2,
    True,
    "2024-05-01",
    "http://a.example/t",
    3,
    True,
    "a1b2",
    list_url="http://a.example/l",
)
#: The meta of requests that earlier versions wrote.
OLD_PAGE = {"entry": ENTRY.to_dict(), "follow": 1, "was_article": True, "lastmod": "2024-05-01"}
OLD_THREAD = {"entry": None, "thread": URL, "number": 2, "words": "a1", "is_last": True}


@pytest.mark.parametrize("notes", [NO_NOTES, PageNotes(follow=1), ALL], ids=["no", "few", "all"])
def test_notes_survive_the_queue_of_a_job(notes: PageNotes) -> None:
    given = Request(URL, meta=notes.to_meta()).to_dict()
    for module in (pickle, marshal):
        request = request_from_dict(module.loads(module.dumps(given)))
        assert notes_of(request) == notes
        assert notes_of(Response(URL, request=request)) == notes
        assert has_notes(request)


def test_notes_survive_the_spool() -> None:
    response = HtmlResponse(URL, body=b"<p>a", request=Request(URL, meta=ALL.to_meta()))
    page = spool_page(ArticlePage.from_response(response))
    assert notes_of(rebuild_page(page).response) == ALL
    row = {**page.to_row(), "is_compressed": 0}
    assert notes_of(rebuild_page(SpooledPage.from_row(row)).response) == ALL


@pytest.mark.parametrize(
    ("meta", "notes"),
    [
        (OLD_PAGE, PageNotes(ENTRY, 1, was_article=True, lastmod="2024-05-01")),
        (OLD_THREAD, PageNotes(thread=URL, number=2, is_last=True, words="a1")),
        ({**OLD_PAGE, "later": [1]}, PageNotes(ENTRY, 1, was_article=True, lastmod="2024-05-01")),
    ],
    ids=["page", "thread", "later version"],
)
def test_notes_of_other_versions_are_read(meta: dict[str, Any], notes: PageNotes) -> None:
    assert notes_of(Request(URL, meta={"forest": meta})) == notes


def test_requests_of_other_spiders_have_no_notes() -> None:
    request = Request(URL)
    assert notes_of(request) == notes_of(Response(URL)) == NO_NOTES
    assert not has_notes(request)

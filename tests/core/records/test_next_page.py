"""The next page of a thread or a list."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.records.next_page import find_next_page, find_previous_page

CASES = {
    "rel in the head": "<link rel=next href=?page=2>",
    "rel of a link": '<a rel="nofollow next" href="?page=2">more</a>',
    "numbers": "<a href=?page=0>1</a> <b>2</b> <a href=?page=2>3</a> <a href=?page=9>10</a>",
    "numbers between bars": "<span>1</span> | <a href=?page=2>2</a>",
    "an English text": "<a href=?page=1>Previous</a><a href=?page=2>Next &raquo;</a>",
    "a German text": "<a href=?page=2>Nächste</a>",
    "an arrow": "<a href=?page=2>&rsaquo;</a>",
    "a class": '<a class="pager next" href="?page=2"><img src=x></a>',
    "a data attribute": '<a href="?page=2" data-id="pagination-b-next"><i>Go on</i></a>',
    "a data attribute in one word": '<a href="?page=2" data-testid="paginationNext"><i>x</i></a>',
    "the name of a data attribute": '<a href="?page=2" data-page="next"><img src=x></a>',
    "an English label": '<a href="?page=2" aria-label="Go to next page"><img src=x></a>',
    "a German label": '<a href="?page=2" aria-label="Zur nächsten Seite"><img src=x></a>',
    "a French label": '<a href="?page=2" title="Aller à la page suivante"><img src=x></a>',
    "a Spanish label": '<a href="?page=2" aria-label="Ir a la página siguiente"><img src=x></a>',
    "a Russian label": '<a href="?page=2" aria-label="Следующая страница"><img src=x></a>',
    "a Japanese label": '<a href="?page=2" aria-label="次のページ"><img src=x></a>',
}
NONE = {
    "no link": "<p>Next",
    "another host": "<a rel=next href=http://b.example/>Next</a>",
    "the page itself": "<a rel=next href=#top>Next</a>",
    "a script": "<a href=javascript:next()>Next</a>",
    "numbers in a text": "<p>1 of <a href=/b>2</a> boats</p>",
    "a title with the word": "<a href=/b>Next week in the harbour</a>",
    "another thing that is next": '<a href=/b data-id="next-boat">The boat after this</a>',
    "a label about no page": '<a href=/b aria-label="Nächste Termine im Hafen">Termine</a>',
    "the page before": '<a href=/b data-id="pagination-previous">Back</a>',
}


def next_of(markup: str) -> str:
    return find_next_page(Page.from_html(f"<body>{markup}", "http://a.example/t"))


@pytest.mark.parametrize("markup", CASES.values(), ids=CASES.keys())
def test_next(markup: str) -> None:
    assert next_of(markup) == "http://a.example/t?page=2"


@pytest.mark.parametrize("markup", NONE.values(), ids=NONE.keys())
def test_no_next(markup: str) -> None:
    assert next_of(markup) == ""


@pytest.mark.parametrize(
    "attribute", ['data-id="pagination-prev"', 'aria-label="Zur vorherigen Seite"']
)
def test_previous(attribute: str) -> None:
    page = Page.from_html(f'<a href="?page=1" {attribute}><img src=x></a>', "http://a.example/t")
    assert (find_previous_page(page), find_next_page(page)) == ("http://a.example/t?page=1", "")

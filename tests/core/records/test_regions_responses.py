"""Records of search results, by the terms of the query."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page, Params, learn, learn_records
from tests.core.helpers import make_page, read_again
from tests.core.records.searches import SEARCHES, WRITERS, result_page, result_pages

FOREST = Params(method="forest-records")


@pytest.mark.parametrize("written", WRITERS)
def test_books_of_a_search(written: str) -> None:
    pages = result_pages(WRITERS[written])
    wrapper = learn_records(pages, FOREST)
    for page, books in zip(pages, SEARCHES.values(), strict=True):
        found = wrapper.apply(page)
        assert [record.get("title") for record in found] == [book.title for book in books]
    assert read_again(wrapper) == wrapper


@pytest.mark.parametrize("written", WRITERS)
def test_the_text_is_the_results(written: str) -> None:
    """Not the heading, which has the query as well, nor the menu."""
    pages = result_pages(WRITERS[written])
    wrapper = learn(pages, FOREST)
    assert wrapper.evidence.signifiers == "query"
    for page, books in zip(pages, SEARCHES.values(), strict=True):
        text = wrapper.apply(page).text
        assert all(book.title in text for book in books)
        assert "Books about" not in text
        assert "Help" not in text


def test_a_query_that_only_the_caller_knows() -> None:
    rows = [("Barn owls", "Night"), ("Tawny owls", "Dusk"), ("Little owls", "Noon")]
    side = "<ol class=side><li>Gannet</li><li>Puffin</li><li>Razorbill</li></ol>"
    html = "".join(f"<p class=hit><a href=/{b}>{a}</a> {b}</p>" for a, b in rows)
    given = Page.from_html(f"<div>{html}</div>{side}", "http://a.example/1", query="owls")
    unknown = Page.from_html(f"<div>{html}</div>{side}", "http://a.example/1")
    found = learn_records([given], FOREST)
    assert [record.get("author") for record in found.apply(given)] == [a for a, _ in rows]
    assert learn_records([unknown], FOREST).rules == ()


def test_a_page_with_one_result_was_learned_from() -> None:
    many = result_pages(WRITERS["li"])[0]
    one = result_page("owls", [SEARCHES["dickens"][0]._replace(title="Owls")], WRITERS["li"])
    wrapper = learn_records([many, one], FOREST)
    assert [len(wrapper.apply(page)) for page in (many, one)] == [6, 1]


def test_a_page_without_results_has_no_records() -> None:
    pages = [*result_pages(WRITERS["li"]), result_page("xyzzy", [], WRITERS["li"])]
    wrapper = learn_records(pages, FOREST)
    assert [len(wrapper.apply(page)) for page in pages] == [6, 4, 0]


def test_other_elements_with_a_term_of_the_query() -> None:
    """A term in the menu and in the text beside: no pattern there is as relevant."""
    pages = []
    for query, page in zip(SEARCHES, result_pages(WRITERS["li"]), strict=True):
        menu = f"<ul class=menu><li><a href=/f>{query} in cloth</a><li>{query} in paper</ul>"
        body = page.root.find("body")
        assert body is not None
        body.insert(0, make_page(menu).root.find("body/ul"))
        pages.append(Page(page.url, page.root))
    wrapper = learn_records(pages, FOREST)
    assert [len(wrapper.apply(page)) for page in pages] == [6, 4]


def test_without_a_query_by_tfidf() -> None:
    pages = [
        Page(f"http://books.example/{i}", page.root)
        for i, page in enumerate(result_pages(WRITERS["li"]))
    ]
    assert learn(pages, FOREST).evidence.signifiers == "tf-idf"
    assert [len(learn_records(pages, FOREST).apply(page)) for page in pages] == [6, 4]


def test_nothing_is_repeated() -> None:
    """Each page is a record, with the text of the best pattern."""
    pages = [
        make_page(f"<h1>Home</h1><div class=text>{word} {word} fly at night</div>", f"/?q={word}")
        for word in ("owls", "bats")
    ]
    wrapper = learn_records(pages, FOREST)
    assert wrapper.rules == ()
    assert [one.text for one in wrapper.apply(pages[0])] == ["owls owls fly at night"]


def test_pairs_of_vsse_as_records() -> None:
    rows = "".join(
        f"<tr><td>Price:</td><td>{n} EUR</td></tr><tr><td>Size: {n}</td></tr>" for n in range(3)
    )
    page = Page.from_html(f"<ul><li>Home<li>News</ul><div><table>{rows}</table></div><p>End")
    wrapper = learn_records([page], Params(method="vsse-records"))
    assert read_again(wrapper) == wrapper
    found = wrapper.apply(page)
    assert [one.get("Price") for one in found] == ["0 EUR", "1 EUR", "2 EUR"]
    assert [one.get("Size") for one in found] == ["0", "1", "2"]
    assert found[0].text == "Price: 0 EUR\nSize: 0"


@pytest.mark.parametrize(
    "html",
    [
        "",
        "owls",
        "<p>owls" * 3000,
        "<div>" * 1500 + "owls <i>owls</i> owls",
        "<div class=x>owls " * 800,
        "".join(f"<p class=c{i % 7}x id=owl{'abcdefg'[i % 7]}>owls {i}" for i in range(3000)),
    ],
    ids=["empty", "text", "siblings", "deep", "text on every level", "classes"],
)
@pytest.mark.parametrize("method", ["forest-records", "vsse-records"])
def test_hostile_pages(html: str, method: str) -> None:
    pages = [Page.from_html(html, f"http://a.example/{i}?q=owls") for i in range(2)]
    wrapper = learn_records(pages, Params(method=method))
    wrapper.apply(pages[0])

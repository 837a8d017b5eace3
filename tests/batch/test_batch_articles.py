"""Articles over several pages among stored pages."""

from __future__ import annotations

from itertools import permutations

import pytest

from forest_scrapy import Article, RawPage, extract_pages
from forest_scrapy.settings import ForestSettings

HOST = "http://a.example"


def lines_of(number: int, page: int) -> list[str]:
    return [
        f"On page {page} of story {number} the {word} owl sat on the beam and looked at all of us."
        for word in ("white", "grey", "brown", "small", "large")
    ]


def make_page(number: int, page: int, pages: int) -> tuple[str, str]:
    """A page and its URL, with the row of numbers that WordPress writes."""
    path = f"/stories/{number}-owls/"
    text = "".join(f"<p>{line}</p>" for line in lines_of(number, page))
    numbers = " ".join(
        f"<span>{i}</span>" if i == page else f"<a href='{path}{f'{i}/' if i > 1 else ''}'>{i}</a>"
        for i in range(1, pages + 1)
    )
    row = f"<div class=page-links>Pages: {numbers}</div>" if pages > 1 else ""
    html = (
        f"<html><head><title>Story {number}</title></head><body><ul><li>Home</li></ul>"
        f"<article><h1>Story {number}</h1><div class=text>{text}</div>{row}</article>"
        "<p>All rights reserved by the Owl Paper.</p></body></html>"
    )
    return f"{HOST}{path}{f'{page}/' if page > 1 else ''}", html


def others() -> list[tuple[str, str]]:
    return [make_page(number, 1, 1) for number in range(2, 8)]


def extract(pages: list[tuple[str, str]], settings: ForestSettings | None = None) -> list[Article]:
    return list(extract_pages(pages, settings, are_articles=True))


def test_pages_in_any_order_are_one_article() -> None:
    pages = [make_page(1, page, 3) for page in (1, 2, 3)]
    for order in permutations(pages):
        items = extract([*others(), *order])
        (joined,) = (item for item in items if "/1-owls/" in item.url)
        assert joined.pages == [url for url, _ in pages]
        assert (joined.url, joined.next_page) == (pages[0][0], "")
        wanted = [line for page in (1, 2, 3) for line in lines_of(1, page)]
        assert [line for line in joined.text.split("\n") if line in wanted] == wanted
        assert len(items) == 7


@pytest.mark.parametrize("formats", [("text",), ("text", "markdown"), ("text", "html")])
def test_the_forms_of_the_content(formats: tuple[str, ...]) -> None:
    pages = [make_page(1, page, 2) for page in (1, 2)]
    items = extract([*others(), *pages], ForestSettings(formats=formats))
    (joined,) = (item for item in items if "/1-owls/" in item.url)
    for form in formats:
        assert lines_of(1, 1)[0] in getattr(joined, form)
        assert lines_of(1, 2)[4] in getattr(joined, form)
    assert bool(joined.html) == ("html" in formats)


def test_what_is_missing_is_named() -> None:
    first, second, third = (make_page(1, page, 3) for page in (1, 2, 3))
    urls = [url for url, _ in (first, second, third)]
    items = extract([first, *others()])
    assert [item.url for item in items] == [urls[0], *(url for url, _ in others())]
    assert (items[0].next_page, items[0].pages) == (urls[1], urls[:1])
    joined = {item.url: item for item in extract([first, second, *others()])}
    assert (joined[urls[0]].next_page, joined[urls[0]].pages) == (urls[2], urls[:2])
    apart = {item.url: item for item in extract([first, third, *others()])}
    assert (apart[urls[0]].pages, apart[urls[2]].pages) == (urls[:1], urls[2:])


def test_the_bound() -> None:
    pages = [make_page(1, page, 3) for page in (1, 2, 3)]
    items = extract([*pages, *others()], ForestSettings(article_pages=2))
    by_url = {item.url: item for item in items}
    assert by_url[pages[0][0]].pages == [url for url, _ in pages[:2]]
    assert by_url[pages[0][0]].next_page == pages[2][0]


def test_a_page_that_is_there_twice() -> None:
    pages = [make_page(1, page, 2) for page in (1, 2)]
    reasons: list[tuple[str, str]] = []

    def note(raw: RawPage, reason: str) -> None:
        reasons.append((raw.url, reason))

    items = list(extract_pages([*pages, *pages, *others()], are_articles=True, refused=note))
    assert [len(item.pages) for item in items] == [2, 1, 1, 1, 1, 1, 1]
    assert reasons == [(url, "duplicate") for url, _ in pages]

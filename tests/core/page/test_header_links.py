"""The links in the HTTP header ``Link``."""

from __future__ import annotations

import pytest
from effort import limited_effort
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Page
from forest_scrapy.core.extraction import extract_page
from forest_scrapy.core.joining.article_pages import find_neighbours
from forest_scrapy.core.options import Options
from forest_scrapy.core.page.header_links import read_header_links
from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.core.records.next_page import find_next_page, find_previous_page

LIST = "http://a.example/list?page=2"


@pytest.mark.parametrize(
    ("header", "links"),
    [
        ('<?page=3>; rel="next"', {"next": "http://a.example/list?page=3"}),
        ("<?page=3>;REL=Next", {"next": "http://a.example/list?page=3"}),
        ("<?a=1,2;3>; title=\"a; rel=prev, <b\"; rel='x'; rel=next", {}),
        ('<?a=1,2;3>; title="a; rel=prev"; rel=next', {"next": "http://a.example/list?a=1,2;3"}),
        (
            '<?page=1>; rel="prev first", <?page=3>; rel="next"',
            {"prev first": "http://a.example/list?page=1", "next": "http://a.example/list?page=3"},
        ),
        ('</b>; rel=next; anchor="/c"', {}),
        ("<javascript:next()>; rel=next", {}),
        ("</style.css>; rel=preload; as=style", {}),
        ("</b", {}),
    ],
)
def test_links(header: str, links: dict[str, str]) -> None:
    attributes = read_header_links(header, LIST)
    assert {link["rel"]: link["href"] for link in attributes} == links


@given(st.text(alphabet='<>;="ab, rel-'))
def test_any_header_is_read(header: str) -> None:
    for link in read_header_links(header, LIST):
        assert link["href"].startswith("http")


def test_a_long_header_takes_little_time() -> None:
    with limited_effort(3):
        for piece in ("<", "<a", ';a="', "; ", "<a>; rel=next,"):
            list(read_header_links(piece * 100_000, LIST))


def page_with(header: str, url: str, body: str = "<p>Owls hunt.") -> Page:
    return Page(url, parse_html(f"<base href=/other/><body>{body}"), link_header=header)


def test_pages_of_a_list() -> None:
    page = page_with("<?page=1>; rel=prev, <?page=3>; rel=next", LIST)
    assert find_next_page(page) == "http://a.example/list?page=3"
    assert find_previous_page(page) == "http://a.example/list?page=1"
    assert find_next_page(page.head) == find_next_page(page)


def test_pages_of_an_article() -> None:
    page = page_with("</owls/2/>; rel=next", "http://a.example/owls/")
    assert find_neighbours(page).next_page == "http://a.example/owls/2/"


def test_the_canonical_url() -> None:
    body = "<h1>Owls</h1><p>" + "The owls hunt at night in the wood. " * 9
    header = '<https://a.example/owls>; rel="canonical"'
    extraction = extract_page(page_with(header, "http://a.example/o?id=1", body), None, Options())
    assert extraction.item is not None
    assert extraction.item.canonical_url == "https://a.example/owls"
    own = f"<link rel=canonical href=/own>{body}"
    extraction = extract_page(page_with(header, "http://a.example/o?id=1", own), None, Options())
    assert extraction.item is not None
    assert extraction.item.canonical_url == "http://a.example/own"

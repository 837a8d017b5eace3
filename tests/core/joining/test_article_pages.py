"""Which page of an article comes next, and which links are none of its pages."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.joining.article_pages import Neighbours, find_neighbours

HOST = "http://a.example"
NONE = Neighbours()
TEXT = "<p>Owls hear the mouse under the snow.</p>"


def around(path: str, links: str, number: int = 0, head: str = "") -> Neighbours:
    page = Page.from_html(
        f"<html><head>{head}</head><body>{TEXT}{links}</body></html>", HOST + path
    )
    return find_neighbours(page, number)


def next_of(path: str, links: str, number: int = 0, head: str = "") -> str:
    return around(path, links, number, head).next_page.removeprefix(HOST)


@pytest.mark.parametrize(
    ("path", "following"),
    [
        ("/owls/", "/owls/2/"),
        ("/owls", "/owls/2"),
        ("/owls/", "/owls/?page=2"),
        ("/owls", "/owls?p=2"),
        ("/owls", "/owls?pg=2"),
        ("/owls", "/owls?seite=2"),
        ("/owls", "/owls?pagina=2"),
        ("/owls", "/owls/page/2"),
        ("/owls", "/owls/page/2/"),
        ("/owls", "/owls/seite-2"),
        ("/owls.html", "/owls-2.html"),
        ("/owls.html", "/owls_2.html"),
        ("/owls.html", "/owls,2.html"),
        ("/owls.html", "/owls-page-2.html"),
        ("/owls.html", "/owls.html?page=2"),
        ("/owls-1812-70412.html", "/owls-1812-70412-2.html"),
        ("/owls/index.html", "/owls/index_2.html"),
        ("/read.php?id=7", "/read.php?id=7&amp;page=2"),
        ("/read.php?id=7", "/read.php?page=2&amp;id=7"),
        ("/?p=12", "/?p=12&amp;page=2"),
        ("/owls?from=rss", "/owls?from=rss&amp;page=2"),
        ("/eulen-%C3%BCber-schnee/", "/eulen-über-schnee/2/"),
    ],
)
def test_a_row_of_page_numbers(path: str, following: str) -> None:
    row = f'<p>Pages: <b>1</b> <a href="{following}">2</a></p>'
    found = around(path, row)
    assert found.next_page.endswith(("2", "2/", "2.html", "id=7"))
    assert not found.has_previous


def test_relative_links() -> None:
    assert next_of("/owls/", "<a href='2/'>2</a>") == "/owls/2/"
    assert next_of("/a/owls.html", "<a href='owls-2.html'>2</a>") == "/a/owls-2.html"
    assert next_of("/owls", "<a href='?page=2'>2</a>") == "/owls?page=2"


@pytest.mark.parametrize(
    "link",
    [
        "<a href=/owls/2/>Next page</a>",
        "<a href=/owls/2/>Nächste Seite »</a>",
        "<a href=/owls/2/ rel=next>The nest</a>",
        "<a href=/owls/2/ class='page-next'><img src=/arrow.png></a>",
        "<a href=/owls/2/ aria-label='Go to the next page'>&gt;</a>",
        "<a href=/owls/2/>2. The nest</a>",
        "<a href=/owls/2/>Page 2: The nest</a>",
        "<span>Page 1 of 3</span> <a href=/owls/2/>The nest</a>",
        "<span>Seite 1 von 3</span> <a href=/owls/2/>Das Nest</a>",
        "<span>Página 1 de 3</span> <a href=/owls/2/>El nido</a>",
        "<span>Page 1 sur 3</span> <a href=/owls/2/>Le nid</a>",
        "<span>Страница 1 из 3</span> <a href=/owls/2/>Гнездо</a>",
        "<span>第1页 共3页</span> <a href=/owls/2/>巢</a>",
        "<span>1 / 3 ページ</span> <a href=/owls/2/>巣</a>",
        "<select><option value=/owls/>1. Owls</option><option value=/owls/2/>2. Nest</select>",
    ],
)
def test_what_says_that_a_link_leads_to_the_next_page(link: str) -> None:
    assert next_of("/owls/", link) == "/owls/2/"


def test_rel_next_in_the_head() -> None:
    assert next_of("/owls/", "", head="<link rel=next href=/owls/2/>") == "/owls/2/"
    assert next_of("/owls/", "", head="<link rel=next href=/boats/>") == ""
    assert next_of("/owls/", "", head="<link rel=canonical href=/owls/2/>") == ""


def test_the_pages_after_the_first_one() -> None:
    row = "<a href=/owls/>1</a> <b>2</b> <a href=/owls/3/>3</a>"
    assert around("/owls/2/", row) == Neighbours(f"{HOST}/owls/3/", has_previous=True)
    last = "<a href=/owls/>1</a> <a href=/owls/2/>2</a> <b>3</b>"
    assert around("/owls/3/", last) == Neighbours("", has_previous=True)
    links = "<a href='?page=1'>Previous</a> <a href='?page=3'>Next</a>"
    assert around("/owls?page=2", links) == Neighbours(f"{HOST}/owls?page=3", has_previous=True)
    assert around("/owls/3/", "<a href=/owls/4/>Next</a>", number=3).next_page


def test_a_page_that_was_requested_as_a_further_one_is_one() -> None:
    assert around("/owls/3/", "", number=3) == Neighbours("", has_previous=True)


def test_numbers_from_zero_on_and_offsets() -> None:
    row = "<b>1</b> <a href='?page=1'>2</a> <a href='?page=2'>3</a>"
    assert next_of("/owls", row) == "/owls?page=1"
    row = "<a href=/owls>1</a> <b>2</b> <a href='?page=2'>3</a>"
    assert around("/owls?page=1", row) == Neighbours(f"{HOST}/owls?page=2", has_previous=True)
    row = "<b>1</b> <a href='?start=10'>2</a> <a href='?start=20'>3</a>"
    assert next_of("/owls", row) == "/owls?start=10"
    row = "<a href=/owls>1</a> <b>2</b> <a href='?start=20'>3</a>"
    assert around("/owls?start=10", row) == Neighbours(f"{HOST}/owls?start=20", has_previous=True)


@pytest.mark.parametrize(
    ("path", "links"),
    [
        # The next post of a blog.
        ("/2024/owls/", "<a href=/2024/boats/ rel=next>Boats</a>"),
        ("/?p=12", "<a href='/?p=13' rel=next>Boats</a>"),
        ("/owls", "<a href=/owls-2 rel=next>Owls</a>"),
        ("/post/7", "<a href=/post/8 rel=next>Next</a>"),
        ("/2024/05/12/", "<a href=/2024/05/13/ rel=next>Next</a>"),
        # The next chapter of a manual.
        ("/manual/1/", "<a href=/manual/>Up</a> <a href=/manual/2/ rel=next>Next</a>"),
        ("/manual/2/", "<a href=/manual/1/ rel=prev>Back</a> <a href=/manual/3/ rel=next>Next</a>"),
        ("/chapter-1.html", "<a href=chapter-2.html rel=next>Next</a>"),
        ("/owls/", "<a href=/owls/2/ rel=next>Next chapter</a>"),
        # Older posts of a home page, and comments.
        ("/", "<b>1</b> <a href=/page/2/>2</a> <a href=/page/2/ rel=next>Older posts</a>"),
        ("/news/", "<nav class=posts-navigation><a href=/news/page/2/>2</a></nav>"),
        ("/owls/", "<a href=/owls/comment-page-2/#comments>2</a>"),
        ("/owls/", "<a href='?cpage=2'>2</a>"),
        ("/owls/", "<div id=comments><a href='?page=2'>2</a></div>"),
        # Nothing says that it is a page.
        ("/owls", "<a href=/owls/2>A photo</a>"),
        ("/owls", "<a href='http://b.example/owls?page=2'>2</a>"),
        ("/owls", "<a href=/owls>1</a> <a href=#2>2</a>"),
        ("/owls", "<a href='/owls?id=2'>2</a>"),
        ("", "<a href='?page=2'>2</a>"),
    ],
)
def test_links_that_lead_to_no_page_of_the_article(path: str, links: str) -> None:
    assert around(path, links) == NONE


def test_pages_of_any_url_are_read() -> None:
    for url in ("", "http://[", "x:y", "http://a.example/" + "2/" * 3_000):
        page = Page.from_html("<a href=2>2</a><a href='http://['>2</a><a href='?page=2'>2</a>", url)
        assert find_neighbours(page).has_previous is False

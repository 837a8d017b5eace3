"""Authors on single pages, by where the page shows them."""

from __future__ import annotations

import re

import pytest
from effort import limited_effort
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Page
from forest_scrapy.core.fields import byline_elements
from forest_scrapy.core.fields.read_fields import read_fields

TITLE = "<title>Boats</title><h1>Boats</h1>"


def authors(html: str, lang: str = "en") -> list[str]:
    page = Page.from_html(f"<html lang={lang}><body>{html}", "http://a.example/1")
    return list(read_fields(page).authors)


@pytest.mark.parametrize(
    ("byline", "names"),
    [
        ("<p>By <strong>Ana Bo</strong></p>", ["Ana Bo"]),
        ("<p><span>by</span><a href=/x>Ana Bo</a></p>", ["Ana Bo"]),
        ("<div>Written by Ana Bo | 3 May 2024 | 5 min read</div>", ["Ana Bo"]),
        ("<div><time>3 May 2024</time> by Ana Bo, Staff Writer</div>", ["Ana Bo"]),
        ("<div>By Ana Bo, PhD. Reviewed by Cy Dee, MD</div>", ["Ana Bo, PhD"]),
        ("<div><h6>Author(s)</h6><p>Ana Bo</p></div>", ["Ana Bo"]),
        ("<ul><li><a href=/author/ana-bo>Ana Bo</a><li><a href=/author/cy>Cy Dee</a></ul>",
         ["Ana Bo", "Cy Dee"]),
        ("<a rel=author href=/profile/ana>Ana</a>", ["Ana"]),
        ("<div><p class=authorName>Ana Bo</p></div>", ["Ana Bo"]),
        ("<div class=byline>Posted by<b>Ana Bo</b></div>", ["Ana Bo"]),
        ("<div>By <a href=/author/ana-bo>Ana Bo</a><span>News Reporter</span></div>", ["Ana Bo"]),
        ("<div>By <i>Ana Bo</i> <a>Facebook</a> <a>Tweet</a> <a>Pin</a></div>", ["Ana Bo"]),
        ("<div>Written By: <b>Ana Bo</b> <b>Gardener &amp; Astrologer</b></div>", ["Ana Bo"]),
        ("<p>By <a href=/staff/1>Ana Bo</a> <a href=mailto:x@y.example>Email the author</a></p>",
         ["Ana Bo"]),
        ("<p>✍️ By Ana Bo 🌊</p>", ["Ana Bo"]),
        ("<p>By 🖊 Ana Bo</p>", ["Ana Bo"]),
        ("<p class=byline><i>Ana</i> <i>Bo</i></p>", ["Ana Bo"]),
        ("<p>Interview by Ana Bo</p>", ["Ana Bo"]),
        ("<p>Ana Bo | Senior Writer | July 2, 2025</p>", ["Ana Bo"]),
        ("<p class=author>Ana Bo<br>4 August 2010</p>", ["Ana Bo"]),
    ],
)  # fmt: skip
def test_an_author_that_is_only_shown(byline: str, names: list[str]) -> None:
    assert authors(TITLE + byline + "<p>Boats come in.</p>" * 6) == names


@pytest.mark.parametrize(
    ("lang", "byline", "names"),
    [
        ("de", "Von Ana Bo und Cy Dee, Berlin", ["Ana Bo", "Cy Dee"]),
        ("fr", "Par Ana Bo et Cy Dee", ["Ana Bo", "Cy Dee"]),
        ("nl", "Door Ana Bo", ["Ana Bo"]),
        ("ru", "Текст: Анна Боброва", ["Анна Боброва"]),
        ("zh", "文/牛镛", ["牛镛"]),
        ("en", "Door Ana Bo", []),
    ],
)
def test_bylines_are_read_in_the_language_of_the_page(
    lang: str, byline: str, names: list[str]
) -> None:
    assert authors(f"{TITLE}<p>{byline}</p>", lang) == names


@pytest.mark.parametrize(
    "html",
    [
        "<nav><a href=/x>By Popular Demand</a></nav>",
        "<div class=comment><p>by Ana Bo</p></div>",
        "<a href=/authors/>All Authors</a>",
        "<a href=/author/ana-bo>View more posts</a>",
        "<p>By continuing you agree</p>",
        "<p class=byline>Latest News</p>",
        "<p>Cy Dee | President | July 2, 2025</p>",
        "<p class=author>Share Article</p>",
        "<p>Senior Writer | Staff Editor</p>",
        "<ul class=author-tabs><li>Recent Posts</ul>",
    ],
)
def test_what_is_not_a_byline(html: str) -> None:
    assert authors(TITLE + html) == []


@pytest.mark.parametrize("around", ["nav", "div class=with-menu"])
def test_a_menu_around_the_article_is_none(around: str) -> None:
    assert authors(f"<{around}><article>{TITLE}<p>By Ana Bo</p></article>") == ["Ana Bo"]


def test_the_byline_nearest_to_the_title_is_taken() -> None:
    cards = "".join(f"<div><b>Owls {i}</b><p>By Cy Dee{'e' * i}</p></div>" for i in range(3))
    assert authors(f"{cards}<article>{TITLE}<div>By Ana Bo</div></article>{cards}") == ["Ana Bo"]


def test_a_byline_comes_before_the_declared_name_of_the_site() -> None:
    site = "<meta property=og:site_name content=Gazette><meta name=author content=Gazette>"
    assert authors(f"{site}{TITLE}<p>By Ana Bo</p>") == ["Ana Bo"]
    assert authors(f"{site}{TITLE}<p>By the sea</p>") == ["Gazette"]


@pytest.mark.parametrize(
    ("html", "names"),
    [
        ("<meta name=twitter:label1 content='Escrito por'><meta name=twitter:data1 content='Ana'>",
         ["Ana"]),
        ("<meta name=twitter:label1 content='Reading time'><meta name=twitter:data1 content=Two>",
         []),
        ("<meta name=citation_author content='Ana Bo'><meta name=citation_author content='Cy D'>",
         ["Ana Bo", "Cy D"]),
        ('<script type=application/ld+json>{"@graph": [{"@type": "WebPage", "name": "Boats"},'
         '{"@type": "Person", "name": "Ana Bo"}]}</script>', ["Ana Bo"]),
        ('<script type=application/ld+json>[{"@type": "Person", "name": "Ana Bo"},'
         '{"@type": "Person", "name": "Cy Dee"}]</script>', []),
        ('<script type=application/ld+json>{"@type": "Article", "author": [[{"@type": "Person",'
         '"name": "Ana Bo, MD"}]]}</script>', ["Ana Bo, MD"]),
    ],
)  # fmt: skip
def test_authors_that_are_declared_in_other_ways(html: str, names: list[str]) -> None:
    assert authors(html + TITLE) == names


@pytest.mark.slow
@pytest.mark.parametrize(
    "html",
    [
        "<p>By " * 3000 + "Ana",
        "<a href=/author/ana>" * 3000 + "Ana",
        "<p>By Ana Bo</p>" * 20_000,
        "<p>By " + "Ana Bo, " * 200_000 + "</p>",
        "<div class=author>" * 3000 + "Ana Bo",
        "<p>Ana" + "<a></a>" * 20_000 + "</p>",
    ],
    ids=["nested", "links", "siblings", "long", "marked", "empty"],
)
def test_hostile_bylines_take_no_more_than_linear_time(html: str) -> None:
    with limited_effort(20):
        authors(html)


def test_what_readers_post_after_the_text_is_no_byline() -> None:
    posts = "".join(
        f"<p class=posted>Posted by: <a href=/x>{name}</a> at May 11, 2008 10:33 PM</p><p>Fine.</p>"
        for name in ("Cy Dee", "Eve Fox")
    )
    assert authors(f"{TITLE}{'<p>Boats come in.</p>' * 60}{posts}") == []


@given(st.text("a \n\x1f", max_size=12))
def test_bounds_are_runs_of_spaces_with_an_end(text: str) -> None:
    runs = [match.span() for match in re.finditer(r"(?<! ) *+[\n\x1f][ \n\x1f]*+", text)]
    assert [match.span() for match in byline_elements._BOUNDS.finditer(text)] == runs

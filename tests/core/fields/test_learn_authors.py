"""Authors by the sources of a page."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.fields import learn_fields
from forest_scrapy.core.fields.learn_authors import first_authors, learn_authors, read_authors
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.fields.sources import PageSources


def test_the_site_is_an_author_only_if_there_is_no_other() -> None:
    site = "<meta property=og:site_name content=Gazette><meta name=author content=Gazette>"
    single = PageSources(Page.from_html(site, "http://a.example/"))
    assert read_authors(single, ("meta:author",)) == {"meta:author": ("Gazette",)}
    both = PageSources(
        Page.from_html(site + "<meta name=byl content='By Ana Bo'>", "http://a.example/")
    )
    assert read_authors(both, ("meta:author", "meta:byl")) == {"meta:byl": ("Ana Bo",)}


def test_an_element_with_the_declared_author_is_a_source() -> None:
    pages = [
        PageSources(
            Page.from_html(
                f"<meta name=author content='{name}'><p class=who>By {name}</p><p>Boats.</p>",
                f"http://a.example/{name}",
            )
        )
        for name in ("Ana Bo", "Cy Dee")
    ]
    sources = learn_authors(pages)
    assert "meta:author" in sources
    assert [source for source in sources if "who" in source]


def test_a_list_of_many_authors_is_not_a_source() -> None:
    cards = "".join(f"<p class=author>Ana Bo{'o' * i}</p>" for i in range(5))
    pages = [PageSources(Page.from_html(cards, f"http://a.example/{i}")) for i in "ab"]
    assert learn_authors(pages) == ()
    few = "".join(f"<p class=author>Ana Bo{'o' * i}</p>" for i in range(4))
    pages = [PageSources(Page.from_html(few, f"http://a.example/{i}")) for i in "ab"]
    assert len(learn_authors(pages)) == 1


@pytest.mark.parametrize("name", ["Ana Bo The Gazette", "Articles by Ana Bo"])
def test_a_name_is_without_that_of_the_site_and_without_a_label(name: str) -> None:
    html = f"<meta property=og:site_name content='The Gazette'><meta name=author content='{name}'>"
    page = PageSources(Page.from_html(html, "http://a.example/"))
    assert read_authors(page, ("meta:author",)) == {"meta:author": ("Ana Bo",)}


def test_a_link_to_sign_in_is_no_author() -> None:
    page = PageSources(Page.from_html("<meta name=author content='Sign In'>", "http://a.example/"))
    assert read_authors(page, ("meta:author",)) == {}


ORGANISATION = (
    '<script type="application/ld+json">{"@type": "NewsArticle", "author": '
    '{"@type": "Organization", "name": "Northern Weather"}}</script>'
)


@pytest.mark.parametrize(
    "declared",
    [
        ORGANISATION,
        "<meta name=author content='Skerry Broadcasting Corporation'>",
        "<meta name=author content='Editorial Team'>",
        "<div itemscope itemtype='https://schema.org/NewsArticle'><p itemprop=author itemscope "
        "itemtype='https://schema.org/Organization'><meta itemprop=name content=Northern></div>",
    ],
)
def test_a_person_in_the_byline_comes_before_a_declared_organisation(declared: str) -> None:
    html = f"{declared}<h1>Boats</h1><p class=byline>By Ana Bo</p><p>Boats come in.</p>"
    assert read_fields(Page.from_html(html, "http://a.example/1")).authors == ("Ana Bo",)


def test_a_declared_organisation_is_the_author_if_there_is_no_person() -> None:
    page = Page.from_html(f"{ORGANISATION}<h1>Boats</h1><p>By the sea</p>", "http://a.example/1")
    assert read_fields(page).authors == ("Northern Weather",)


def test_an_address_of_the_site_is_no_list_of_authors() -> None:
    html = "<meta name=author content='Gazette, Rome, Italy'>"
    page = PageSources(Page.from_html(html, "http://gazette.example/"))
    assert read_authors(page, ("meta:author",)) == {"meta:author": ("Gazette",)}


def byline_pages(names: list[str], declared: str) -> list[Page]:
    return [
        Page.from_html(
            f"<meta name=author content='{declared}'><h1>Boats {name}</h1><p class=who>By {name}"
            f"</p><p>Boats.</p>",
            f"http://a.example/{number}",
        )
        for number, name in enumerate(names)
    ]


@pytest.mark.parametrize("declared", ["Gil Hay", "Northern Weather"])
def test_a_declared_author_of_all_pages_comes_after_bylines_that_differ(declared: str) -> None:
    names = ["Ana Bo", "Cy Dee", "Eve Fox"]
    pages = byline_pages(names, declared)
    learned = learn_fields(pages)
    assert [read_fields(page, learned).authors for page in pages] == [(name,) for name in names]


def test_the_only_author_of_a_site_stays_before_a_byline_of_one_page() -> None:
    pages = byline_pages(["the sea", "Gil Hay", "a nose"], "Gil Hay")
    assert learn_fields(pages).authors[0] == "meta:author"


@pytest.mark.parametrize("name", ["citation_author", "DC.creator"])
def test_citations_may_have_the_family_name_first(name: str) -> None:
    metas = f"<meta name={name} content='Bo, Ana'><meta name={name} content='Dee, Cy M.'>"
    page = PageSources(Page.from_html(metas, "http://a.example/"))
    source = f"meta:{name.lower()}"
    assert read_authors(page, (source,)) == {source: ("Ana Bo", "Cy M. Dee")}


@pytest.mark.parametrize(
    ("byline", "author"),
    [
        ("By Ana Bo", "Ana Bo"),
        ("<span>by</span> <a href=/x>Ana Bo</a>", "Ana Bo"),
        ("By Gil Hay, Ana Bo", "Gil Hay"),
        ("Ana Bo", "Gil Hay"),
        ("By the sea", "Gil Hay"),
    ],
)
def test_a_byline_below_the_title_comes_before_another_declared_author(
    byline: str, author: str
) -> None:
    text = "Boats come in. " * 20
    html = f"<meta name=author content='Gil Hay'><h1>Boats</h1><p>{byline}</p><p>{text}</p>"
    assert read_fields(Page.from_html(html, "http://a.example/1")).authors == (author,)


def test_a_byline_in_the_text_does_not_come_before_the_declared_author() -> None:
    text = "Boats come in. " * 20
    html = f"<meta name=author content='Gil Hay'><h1>Boats</h1><p>{text}</p><p>By Ana Bo</p>"
    assert read_fields(Page.from_html(html, "http://a.example/1")).authors == ("Gil Hay",)


#: A town's paper: titles in no heading, bylines among the paragraphs, each worded as its author
#: liked; three of eight are read.
MIXED_BYLINES = [
    "Eine Reportage aus Kiel",
    "Von Quirin Vogt",
    "Nach einem Hinweis aus dem Dorf",
    "Von unserer Redaktion",
    "Text und Fotos: Hannelore Freifrau von Böckh",
    "Aus dem Rathaus notiert",
    "Von unserer Mitarbeiterin Petra Rademacher",
    "Vom Leserkreis der Zeitung",
]


def paper_page(number: int, byline: str) -> PageSources:
    sentences = f"Die Feuerwehr hat am Abend Haus {number} gerettet, und der Förster half dabei. "
    html = (
        f"<html lang=de><title>Haus {number} gerettet - Zeitung</title><body>"
        f"<div class=stueck><div class=kopf>Haus {number} gerettet</div>"
        f"<div class=inhalt><p>{byline}</p>" + f"<p>{sentences * 3}</p>" * 6 + "</div></div>"
    )
    return PageSources(Page.from_html(html, f"http://a.example/{number}"))


def test_bylines_that_are_not_understood_cost_only_themselves() -> None:
    pages = [paper_page(number, byline) for number, byline in enumerate(MIXED_BYLINES)]
    sources = learn_authors(pages)
    authors = [first_authors(page, sources)[1] for page in pages]
    assert authors == [
        (),
        ("Quirin Vogt",),
        (),
        (),
        ("Hannelore Freifrau von Böckh",),
        (),
        ("Petra Rademacher",),
        (),
    ]


def test_one_byline_among_many_pages_is_no_place_of_bylines() -> None:
    texts = ["Von Quirin Vogt", *(["Die Feuerwehr kam am Abend."] * 7)]
    pages = [paper_page(number, text) for number, text in enumerate(texts)]
    assert learn_authors(pages) == ()

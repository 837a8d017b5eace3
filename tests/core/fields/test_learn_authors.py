"""Authors by the sources of a page."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.fields.learn_authors import learn_authors, read_authors
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

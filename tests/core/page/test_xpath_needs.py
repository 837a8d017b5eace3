"""Which expressions find nothing on a page is known without their evaluation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.fields.learn_authors import AUTHORS
from forest_scrapy.core.fields.learn_dates import MODIFIED, PUBLISHED
from forest_scrapy.core.fields.source_readers import read_source
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.fields.tags import _BREADCRUMBS, CATEGORIES, TAGS
from forest_scrapy.core.fields.titles import TITLES
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import find_elements
from forest_scrapy.core.page.xpath_needs import read_needs

PAGE = Page.from_html(
    "<h1 class='big lead'>a</h1><a rel='nofollow tag'>b</a><p data-x=1 id=p7><b class=x>c</b></p>"
)


@pytest.mark.parametrize(
    "xpath",
    [
        "//h2",
        "//time | //h3",
        "//@itemscope/..",
        "//p/video",
        "//a[@title]",
        "//h1[@class='small'][b]",
        "//h1[starts-with(concat(normalize-space(@class), ' '), 'small ')]",
        "//a[contains(concat(' ', @rel, ' '), ' category ')][not(contains(@rel, 'tag'))]",
        "//a/@rel[contains(concat(' ', ., ' '), ' category ')]/..",
        _BREADCRUMBS,
    ],
)
def test_what_a_page_has_not_is_not_searched(xpath: str) -> None:
    assert not PAGE.markup.may_find(xpath)


EXPRESSIONS = (
    "//h1",
    "//p[normalize-space(@class)='']",
    "//p[contains(concat(' ', @class, ' '), ' ')]",
    "//p[starts-with(@class, '')]",
    "//p[@class='']",
    "//h2 | //b",
    "(//h2)[1]",
    "//*[self::h1 or self::h2]",
    "//*[@*]",
    "//h1[@class='big lead']",
    "//h1[@class='big  lead' or @class]",
    "//h1[normalize-space(@class)=' lead ']",
    "//h1[not(@id='p7')]",
    "//h1[@class!='small']",
    "//h1['small'=@id]",
    "//h1[concat(@id, 'x')='p7']",
    "//h1[contains(concat(@class, @class), 'leadbig')]",
    "//h1[contains(concat(@rel, 'small'), 'small')]",
    "//h1[contains('small', @class)]",
    "//p[b='c']/b/..",
    "//p[b/@class='x']",
    "//b[../@id='p7']",
    "//b/ancestor::p",
    "//b[ancestor::p/@id='p7'][1]",
    "//a[translate(@rel, 'T', 't')='nofollow tag']",
    "//a[contains(@rel, 'nofollow tag')]",
    "//*[name()='b']",
    "//a/@rel[.='tag']/..",
    "//p/text()/..",
    "//p[@id='p7' and b]",
    "/html/body/h1",
    *(source for source in (*TAGS, *CATEGORIES) if source.startswith("//")),
)
_WORDS = st.sampled_from(["", "big lead", "lead", " lead ", "small", "p7", "x", "tag", "big\nlead"])


@st.composite
def pages(draw: st.DrawFn) -> Page:
    pieces = []
    for _ in range(draw(st.integers(0, 8))):
        tag = draw(st.sampled_from("h1 h2 p a b svg time".split()))
        names = draw(st.lists(st.sampled_from("class id rel itemprop".split()), unique=True))
        attributes = [f' {name}="{draw(_WORDS)}"' for name in names]
        end = draw(st.sampled_from(["", f"</{tag}>"]))
        pieces.append(f"<{tag}{''.join(attributes)}>c{end}")
    return Page.from_html("".join(pieces))


@given(pages() | st.just(PAGE), st.sampled_from(EXPRESSIONS))
def test_what_is_found_may_be_found(page: Page, xpath: str) -> None:
    assert page.markup.may_find(xpath) or not find_elements(xpath, page.root)


@pytest.mark.parametrize("xpath", ["//h2[own-function()]", "//x:h2", "//h2[$name]"])
def test_what_may_fail_is_evaluated(xpath: str) -> None:
    assert not any(needs.tags for needs in read_needs(xpath))
    assert PAGE.markup.may_find(xpath)


DECLARING = """<script type=application/ld+json>{"@type": "Article", "headline": "Boats",
    "author": {"name": "Ana Bo"}, "datePublished": "2024-05-03"}</script>
    <meta name=twitter:title content=Boats><meta property=article:tag content=sea>
    <div itemscope itemtype="http://schema.org/Article"><i itemprop=headline>Boats</i></div>
    <a rel=category>News</a><time>May 3, 2024</time><title>Boats</title>"""


@pytest.mark.parametrize("html", [DECLARING, "<p>a", "<meta name=Author content=' '>"])
@pytest.mark.parametrize("sources", [AUTHORS, PUBLISHED, MODIFIED, TAGS, CATEGORIES, TITLES])
def test_sources_that_are_left_out_have_no_text(html: str, sources: tuple[str, ...]) -> None:
    page = PageSources(Page.from_html(html, "http://a.example/boats"))
    with_text = []
    for source in sources:
        if page.texts(source) or read_source(page.page, source):
            with_text.append(source)
    present = page.present(sources)
    assert [source for source in present if source in with_text] == with_text


def test_a_tiny_page_is_asked_for_a_handful_of_sources() -> None:
    page = PageSources(Page.from_html("<title>News</title><p>a"))
    sources = (*AUTHORS, *PUBLISHED, *MODIFIED, *TAGS, *CATEGORIES, *TITLES, "feed:title")
    assert page.present(sources) == ("meta-label:author", "meta-name:published", "html:title")


def test_what_is_not_on_the_page_is_present() -> None:
    page = PageSources(Page.from_html("<p>a"), external_texts={"meta:lastmod": "2024-05-03"})
    assert page.present(("meta:revised", "meta:lastmod")) == ("meta:lastmod",)

"""Tags, categories and breadcrumbs."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.fields.tags import BREADCRUMBS, first_breadcrumbs, learn_tags, read_terms

LIST = """<script type="application/ld+json">{"@type": "BreadcrumbList", "itemListElement": [
    {"position": 2, "name": "Boats"}, {"position": 1, "item": {"name": "News"}}]}</script>"""


def read(html: str) -> PageSources:
    return PageSources(Page.from_html(html, "http://a.example/1"))


@pytest.mark.parametrize(
    ("content", "terms"),
    [
        ("sea, boats;harbour", ("sea", "boats", "harbour")),
        ("#sea, Sea, SEA!", ("sea",)),
        ("漁師、港，船", ("漁師", "港", "船")),
        ("one two three four five six seven eight, nine", ("one two three four five six seven eight", "nine")),
        ("one two three four five six seven eight nine", ()),
    ],
)  # fmt: skip
def test_terms_of_one_text(content: str, terms: tuple[str, ...]) -> None:
    found = read_terms(read(f"<meta name=keywords content='{content}'>"), ("meta:keywords",))
    assert found.get("meta:keywords", ()) == terms


def test_several_texts_are_not_split() -> None:
    html = "".join(f"<meta property=article:tag content='{tag}'>" for tag in ("sea, land", "owl"))
    source = "opengraph:article:tag"
    assert read_terms(read(html), (source,)) == {source: ("sea, land", "owl")}


def test_keywords_that_are_the_same_on_all_pages_are_not_tags() -> None:
    pages = [
        read(f"<meta name=keywords content=news><meta property=article:tag content={tag}>")
        for tag in ("sea", "owl", "rain")
    ]
    assert learn_tags(pages) == ("opengraph:article:tag",)


def test_declared_breadcrumbs_in_the_order_of_their_positions() -> None:
    html = f"{LIST}<ul class=breadcrumb><li>Home</ul>"
    assert first_breadcrumbs(read(html), BREADCRUMBS) == (
        "json-ld:BreadcrumbList",
        ("News", "Boats"),
    )


@pytest.mark.parametrize(
    "markup",
    [
        "<ul class=Breadcrumbs><li>News<li>Boats</ul>",
        "<nav aria-label=breadcrumb><p>News</p>›<p>Boats</p></nav>",
        "<p id=breadcrumb>News » Boats</p>",
        "<p class=breadcrumb><a href=/>News</a> / <a href=/b>Boats</a></p>",
        "<p class=breadcrumb><a href=/>News</a><a href=/b>Boats</a></p>",
        "<p class=breadcrumb>You are here: <a href=/><b>News</b></a> <span>Boats</span></p>",
        "<p class=breadcrumb>News | Boats<button>Menu</button></p>",
    ],
)
def test_visible_breadcrumbs(markup: str) -> None:
    assert first_breadcrumbs(read(markup), BREADCRUMBS) == (
        "html:breadcrumbs",
        ("News", "Boats"),
    )


def test_a_page_without_breadcrumbs() -> None:
    assert first_breadcrumbs(read("<p>News » Boats</p>"), BREADCRUMBS) == ("", ())

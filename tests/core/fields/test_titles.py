"""Titles without the site's name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Page
from forest_scrapy.core.fields import learn_fields, titles
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.fields.titles import (
    TITLES,
    common_affixes,
    cut_affixes,
    learn_titles,
    read_titles,
)


def read(html: str, affixes: tuple[str, ...] = ()) -> dict[str, str]:
    page = PageSources(Page.from_html(html, "http://www.gazette.example/1"))
    return read_titles(page, TITLES, affixes)


@pytest.mark.parametrize(
    "title", ["Boats | Gazette", "Gazette: Boats", "Boats - The Boat Times", "Boats » gazette"]
)
def test_the_name_of_the_site_is_cut_off(title: str) -> None:
    html = f"<meta property=og:site_name content='The Boat Times'><title>{title}</title>"
    assert read(html) == {"html:title": "Boats"}


@pytest.mark.parametrize("title", ["Boats - a history", "Boats-Gazette", "Gazette"])
def test_the_title_is_kept_if_no_separator_sets_off_the_name(title: str) -> None:
    assert read(f"<title>{title}</title>") == {"html:title": title}


def test_the_title_of_the_page_is_cut_to_that_of_another_source() -> None:
    html = "<meta property=og:title content=Boats><title>Boats / Home</title>"
    assert read(html) == {"opengraph:og:title": "Boats", "html:title": "Boats"}


def test_other_titles_are_not_cut_at_a_colon() -> None:
    html = "<meta property=og:title content='Boats: a history'><title>Boats</title>"
    assert read(html)["opengraph:og:title"] == "Boats: a history"


def test_the_title_of_a_drawing_is_not_the_title_of_the_page() -> None:
    assert read("<svg><title>Menu</title></svg>") == {}


def test_soft_hyphens_are_left_out() -> None:
    assert read("<title>Har&shy;bours</title>") == {"html:title": "Harbours"}


def test_learned_affixes_are_cut_off() -> None:
    assert read("<title>Today: Boats</title>", ("Today: ",)) == {"html:title": "Boats"}


@given(st.lists(st.text("ab|- :", max_size=12), min_size=2, max_size=4))
def test_titles_with_common_affixes_are_not_empty_without_them(titles: list[str]) -> None:
    affixes = common_affixes(titles)
    for title in titles:
        assert bool(cut_affixes(" ".join(title.split()), affixes)) or not title.strip()


@pytest.mark.parametrize(("heading", "affixes"), [("Boats: {}", ()), ("{}", ("Boats: ",))])
def test_the_name_of_a_series_is_part_of_the_title(heading: str, affixes: tuple[str, ...]) -> None:
    pages = [
        Page.from_html(f"<title>Boats: {name}</title><h1>{heading.format(name)}</h1>", f"/{name}")
        for name in ("Oars", "Sails", "Masts")
    ]
    assert learn_titles(list(map(PageSources, pages)))[1] == affixes


def test_a_list_of_links_that_has_the_title_of_some_pages_is_not_the_title() -> None:
    names = ("Boats at sea", "Owls at night", "Rain all week", "Herring is back", "Crane sold")
    lists = [
        [names[0], "The old mill"],  # the page lists itself first
        ["The old mill", names[1]],
        ["Four lanterns", "The old mill"],
        ["Two barrels", "Four lanterns"],
        ["A new crane", "Two barrels"],
    ]
    pages = []
    for i, (name, links) in enumerate(zip(names, lists, strict=True)):
        items = "".join(f"<li><a href=/{j}>{link}</a></li>" for j, link in enumerate(links))
        html = f"<title>{name}</title><main><p>Text {i}.</p></main><ul class=latest>{items}</ul>"
        pages.append(PageSources(Page.from_html(html, f"http://a.example/{i}")))
    sources, affixes = learn_titles(pages)
    titles = [read_titles(page, sources[:1], affixes) for page in pages]
    assert [next(iter(found.values())) for found in titles] == list(names)


def test_dashes_of_the_sites_name_are_alike() -> None:
    titles = ["Boats at dawn — The Gazette", "Owls by night – The Gazette"]
    affixes = common_affixes(titles)
    assert [cut_affixes(title, affixes) for title in titles] == ["Boats at dawn", "Owls by night"]


@pytest.mark.parametrize("form", ["{} @ The Gazette", "{} [The Gazette]", "The Gazette: {}"])
def test_forms_of_the_sites_name_on_all_pages(form: str) -> None:
    titles = [form.format(name) for name in ("Boats at dawn", "Owls by night")]
    affixes = common_affixes(titles)
    assert [cut_affixes(title, affixes) for title in titles] == ["Boats at dawn", "Owls by night"]


def test_a_word_before_a_colon_that_differs_is_part_of_the_title() -> None:
    assert common_affixes(["ARM 0: Boats at dawn", "ARM 1: Owls by night"]) == ()


def test_a_date_before_a_heading_is_cut_off_if_the_title_has_none() -> None:
    html = "<title>The Gazette: {}</title><h2>2024.05.03: {}</h2>"
    titles = ("Boats at dawn", "Owls by night")
    pages = [
        Page.from_html(html.format(title, title), f"http://a.example/{number}")
        for number, title in enumerate(titles)
    ]
    learned = learn_fields(pages)
    assert tuple(read_fields(page, learned).title for page in pages) == titles


@given(st.text("ab |｜ㅣ»«›‹·•—–~:：-_/<>@\t\n森", max_size=20))
def test_separators_are_those_of_the_expression(title: str) -> None:
    spans = tuple(match.span() for match in titles._SEPARATOR.finditer(title))
    assert titles._find_separators(title) == spans


def test_the_parts_of_an_address_are_no_names() -> None:
    page = PageSources(Page.from_html("<title>Nests (0)</title>", "http://127.0.0.1:8000/1"))
    assert page.host_words == "127 0 0 1"
    assert read_titles(page, TITLES, ()) == {"html:title": "Nests (0)"}

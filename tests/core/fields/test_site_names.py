"""The names of a site: those that its pages declare, and the links to the folders above them."""

from __future__ import annotations

from forest_scrapy.core import Page
from forest_scrapy.core.fields.site_names import find_site_names, find_upper_links


def upper_links(html: str, url: str) -> list[tuple[str, str]]:
    return [(link.name, link.path) for link in find_upper_links(Page.from_html(html, url))]


def test_the_name_for_sharing_comes_before_that_of_the_program() -> None:
    page = Page.from_html(
        "<meta name=application-name content=App><meta property=og:site_name content=Gazette>"
    )
    assert find_site_names(page.declared) == {"Gazette": "opengraph", "App": "meta"}


def test_links_to_the_home_page_and_to_sections_are_above_a_page() -> None:
    links = "<a href=/>Gazette</a> <a href='/sea/'>Sea</a> <a href='/air/'>Air</a> <a href='/'></a>"
    assert upper_links(links, "http://a.example/sea/boats") == [("gazette", ""), ("sea", "/sea")]


def test_a_page_with_a_query_is_below_the_page_without_it() -> None:
    assert upper_links("<a href='/sea'>Sea</a>", "http://a.example/sea?id=3") == [("sea", "/sea")]


def test_relative_links_lead_upwards_and_index_pages_are_folders() -> None:
    links = "<a href='../'>Sea</a> <a href='/index.html'>Home</a>"
    url = "http://a.example/sea/2024/boats"
    assert upper_links(links, url) == [("sea", "/sea"), ("home", "")]


def test_the_text_of_an_image_names_its_link_and_other_hosts_are_not_above() -> None:
    links = "<a href='/'><img alt='The Gazette'></a> <a href='http://b.example/'>Other</a>"
    assert upper_links(links, "http://a.example/boats") == [("the gazette", "")]

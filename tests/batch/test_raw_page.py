"""Stored pages: their URL, and why they cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy import RawPage
from forest_scrapy.batch.raw_page import BadPage, page_of_item, read_article_page
from forest_scrapy.batch.work import note_page, result_or_reason
from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.items import ArticlePage
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import NotedPage

URL = "http://a.example/story"
HTML = "<html><head>{}</head><body><h1>Boats</h1><p>The boats are in the sea.</p></body></html>"


def read(page: RawPage) -> ArticlePage:
    return read_article_page(page, max_bytes=1000, is_article=True)


def test_the_url_is_the_name() -> None:
    assert RawPage(URL, "", "pages/1.html").name == URL
    assert RawPage("", "", "pages/1.html").name == "pages/1.html"


@pytest.mark.parametrize(
    "link",
    [
        f"<link rel=canonical href={URL}>",
        f'<link href="{URL}" rel="canonical">',
        f"<LINK REL='canonical' HREF='{URL}'>",
    ],
)
def test_a_file_has_the_url_of_its_canonical_link(link: str) -> None:
    item = read(RawPage("", HTML.format(link), "pages/1.html"))
    assert item.response.url == URL
    assert page_of_item(item).url == URL


@pytest.mark.parametrize("body", [HTML, HTML.encode()])
def test_text_and_bytes_give_the_same_page(body: str | bytes) -> None:
    page = page_of_item(read(RawPage(URL, body)))
    assert "The boats are in the sea." in page.root.text_content()


@pytest.mark.parametrize(
    "page",
    [
        RawPage(URL, b""),
        RawPage(URL, b"\x89PNG\r\n\x1a\n" + bytes(99), headers={"Content-Type": "image/png"}),
        RawPage(URL, HTML, error="the archive is damaged"),
        RawPage(URL, HTML + "long" * 1000),
    ],
)
def test_what_is_no_page(page: RawPage) -> None:
    with pytest.raises(BadPage):
        page_of_item(read(page))


BAD_URLS = [
    "http://[x/",
    "http://\ud800.example/",
    "http://a.example/" + "a" * 10**6,
    "//[",
    "http://]/",
]


@pytest.mark.parametrize("url", BAD_URLS)
def test_bad_urls(url: str) -> None:
    page = RawPage(url, HTML, "pages.jsonl:1")
    with pytest.raises(BadPage, match="bad_url"):
        read(page)
    assert len(page.name.encode()) < 3000
    host_of(url), page_key(url)


@pytest.mark.parametrize(
    ("url", "encoded"),
    [
        ("http://a.example/owls\ud83e", "http://a.example/owls%EF%BF%BD"),
        ("http://a.example/?q=\udc80#\udc80", "http://a.example/?q=%EF%BF%BD#%EF%BF%BD"),
        ("\udcff.html", "%EF%BF%BD.html"),
    ],
)
def test_lone_surrogates_in_a_url_are_encoded_as_browsers_do(url: str, encoded: str) -> None:
    item = read_article_page(RawPage(url, HTML), 10**6, True)
    assert item.url == encoded
    assert item.key == page_key(url) == page_key(encoded)


@pytest.mark.parametrize("url", ["http://[x/", "//[", f"http://a.example/{'a' * 70_000}"])
def test_a_canonical_link_that_is_no_url_is_left_out(url: str) -> None:
    links = f'<link rel=canonical href="{url}"><link rel=canonical href="{URL}">'
    item = read_article_page(RawPage("", HTML.format(links), "pages/1.html"), 10**6, True)
    assert item.response.url == URL


#: Strings that are, or nearly are, URLs.
PARTS = (
    *("http:", "file:", "javascript:", "//", "[", "]", "::1", "%", "@", ":", "/", "?", "#", "&"),
    *("=", "a.example", "99999", "\0", "\n", "\ud800", "xn--", "\u0130", "\uff0f", "..", "\\"),
)
URLS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=30),
    st.lists(st.sampled_from(PARTS), max_size=8).map("".join),
)


@given(URLS, URLS)
def test_any_url(url: str, link: str) -> None:
    """A page with any URL, and with any links, is read, or refused with a reason."""
    settings = ForestSettings()
    head = f'<base href="{link}"><link rel=canonical href="{link}"><link rel=next href="{link}">'
    body = f'<p><a href="{link}">Boats</a> <img src="{link}">' * 3
    for page in (
        RawPage(url, HTML.format(head) + body),
        RawPage("", HTML.format(head) + body, f"{link}.html"),
    ):
        noted = result_or_reason(note_page, settings, True, 0, page)
        assert isinstance(noted, NotedPage) or noted in ("bad_url", "empty", "not_html"), noted
        page.name.encode()
        page_key(page.url), host_of(page.url)

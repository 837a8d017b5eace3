"""Stored pages: their URL, and why they cannot be read."""

from __future__ import annotations

import pytest

from forest_scrapy import RawPage
from forest_scrapy.batch.raw_page import BadPage, page_of_item, read_item
from forest_scrapy.items import ArticlePage

URL = "http://a.example/story"
HTML = "<html><head>{}</head><body><h1>Boats</h1><p>The boats are in the sea.</p></body></html>"


def read(page: RawPage) -> ArticlePage:
    return read_item(page, max_bytes=1000, is_article=True)


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

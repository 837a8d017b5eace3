"""Conversion between responses and spooled pages."""

from __future__ import annotations

import gc
import weakref

import pytest
from scrapy.http import HtmlResponse, JsonResponse, Request, Response, TextResponse, XmlResponse

from forest_scrapy.core import Entry, Page
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.items import ArticlePage
from forest_scrapy.responses.conversion import (
    page_of,
    rebuild_page,
    refuse_page,
    repair_encoding,
    spool_page,
)

URL = "http://a.example/b"


def test_utf8_with_another_declared_encoding_is_read_as_utf8() -> None:
    response = HtmlResponse(URL, body="<p>größer".encode(), encoding="latin-1")
    assert "größer" in repair_encoding(response).text


def test_a_page_has_the_links_of_its_header_also_after_it_was_spooled() -> None:
    headers = {"Link": ["</c>; rel=canonical", "<?page=2>; rel=next"]}
    item = ArticlePage.from_response(HtmlResponse(URL, headers=headers, body=b"<p>Owls"))
    for response in (item.response, rebuild_page(spool_page(item)).response):
        links = page_of(response).declared.head["link"]
        hrefs = {link.get("rel"): link.get("href") for link in links}
        assert hrefs == {"canonical": "http://a.example/c", "next": "http://a.example/b?page=2"}


@pytest.mark.parametrize(
    ("meta", "texts"),
    [({"link_text": " Boats\nleave "}, ("Boats leave",)), ({"link_text": " "}, ()), ({}, ())],
)
def test_a_page_has_the_text_of_the_link_also_after_it_was_spooled(
    meta: dict[str, str], texts: tuple[str, ...]
) -> None:
    request = Request(URL, meta=meta)
    item = ArticlePage.from_response(HtmlResponse(URL, body=b"<p>Owls", request=request))
    for response in (item.response, rebuild_page(spool_page(item)).response):
        assert page_of(response).link_texts == page_of(response, None, True, False).link_texts
        assert page_of(response).link_texts == texts


@pytest.mark.parametrize("body", ["<p>größer".encode("latin-1"), b"<p>plain"])
def test_the_declared_encoding_is_used_if_the_body_is_ascii_or_not_utf8(body: bytes) -> None:
    response = HtmlResponse(URL, body=body, encoding="latin-1")
    assert repair_encoding(response) is response


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (HtmlResponse(URL, body=b"<p>a"), None),
        (HtmlResponse(URL, body=b" \n"), "empty"),
        (HtmlResponse(URL, body=b"<p>" + b"a" * 100), "too_large"),
        (Response(URL, body=b"%PDF"), "not_html"),
        (HtmlResponse(URL, body=b"\x89PNG\0\0"), "not_html"),
        (HtmlResponse(URL, body=b"%PDF-1.7 <html>"), "not_html"),
        (HtmlResponse(URL, body="<p>a".encode("utf-16"), encoding="utf-16"), None),
        (TextResponse(URL, body=b"User-agent: *"), "not_html"),
        (JsonResponse(URL, body=b'{"a": "<p>"}'), "not_html"),
        (HtmlResponse(URL, body=b'{"a": "b"}'), "not_html"),
        (HtmlResponse(URL, body=b"[<b>Note</b>] text"), None),
        (XmlResponse(URL, body=b"<rss version='2.0'>"), "not_html"),
        (XmlResponse(URL, body=b"<!DOCTYPE html><html xmlns='x'>"), None),
        (HtmlResponse(URL, body=b"\xef\xbb\xbf<?xml version='1.0'?> <feed>"), "not_html"),
        (HtmlResponse(URL, body=b"<!-- a --> <!-- b --><rss>"), "not_html"),
        (HtmlResponse(URL, body=b"<?xml version='1.0'?><html><rss>"), None),
        (HtmlResponse(URL, body=b"<feeding>"), None),
    ],
)
def test_pages_that_cannot_be_read_are_refused(response: Response, reason: str | None) -> None:
    assert refuse_page(response, max_bytes=50) == reason


def test_many_comments_before_the_first_element_take_no_time() -> None:
    body = b"<!-- a -->" * 100
    assert refuse_page(HtmlResponse(URL, body=body), max_bytes=5000) is None


def test_a_page_is_rebuilt_as_it_was_spooled() -> None:
    entry = Entry("Boats", "leave", tags=("sea",))
    request = Request(URL, meta={"depth": 2, "own": {"a": 1}, "odd": object()})
    response = HtmlResponse(
        URL, body="<p>größer".encode("cp1252"), encoding="cp1252", request=request,
        headers={"ETag": '"x"'},
    )  # fmt: skip
    page = spool_page(ArticlePage.from_response(response, entry))
    item = rebuild_page(page)
    assert (item.entry, item.url, item.key) == (entry, URL, page_key(URL))
    assert item.response.meta == {"depth": 2, "own": {"a": 1}}
    assert item.response.headers["ETag"] == b'"x"'
    assert page_of(item.response).outline.leaves[0].text == "größer"


def test_a_page_is_freed_without_the_garbage_collector() -> None:
    response = HtmlResponse(URL, body=b"<p>An owl", encoding="utf-8")
    page = page_of(response)
    assert page.root is response.selector.root
    freed = weakref.ref(response)
    gc.disable()
    try:
        del response, page
        assert freed() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "html",
    [
        "<title>Owls</title><nav>Home</nav><main><p>An owl</p></main>",
        "<body><p>An owl</body></html><p>and a fox",
        "<div><template shadowrootmode=open><p>An owl</template></div>",
    ],
    ids=["no body", "end of the body", "shadow root"],
)
def test_a_shared_tree_is_as_browsers_make_it(html: str) -> None:
    response = HtmlResponse(URL, body=html.encode(), encoding="utf-8")
    texts = [leaf.text for leaf in page_of(response).outline.leaves]
    assert texts == [leaf.text for leaf in Page.from_html(html, URL).outline.leaves]
    assert "An owl" in texts


def test_without_feed_fields_the_entry_gives_signifiers_only() -> None:
    entry = Entry("Boats", "leave", published="2024-05-01")
    response = HtmlResponse(URL, body=b"<p>a", encoding="utf-8")
    assert page_of(response, entry).entry == entry
    stripped = page_of(response, entry, feed_fields=False).entry
    assert stripped == entry.for_signifiers()
    assert (stripped.text, stripped.signifiers_only) == (entry.text, True)


def test_equivalent_urls_have_the_same_key() -> None:
    assert page_key("http://a.example/?b=1&a=2#c") == page_key("http://A.example/?a=2&b=1")

"""``extract_pages``: the same articles as a crawl, in the order of the pages."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import pytest

from benchmarks.sets.bench_set import BenchPage
from benchmarks.sets.offline import crawl_pages
from demo.demo_site import build_site
from forest_scrapy import Article, RawPage, extract_pages
from forest_scrapy.core import ForestError
from forest_scrapy.settings import ForestSettings
from tests.batch.helpers import HOST, demo_pages
from tests.crawls.helpers import story


@cache
def extracted() -> list[Article]:
    return list(extract_pages(demo_pages()))


def test_every_field() -> None:
    articles = extracted()
    assert len(articles) == 30
    assert all(one.title and one.text and one.html and one.published for one in articles)
    gold = {f"{HOST}{one.path}": one for one in build_site(HOST).articles}
    for one in articles:
        expected = gold[one.url]
        found = (one.title, tuple(one.authors), one.published, one.language)
        assert found == (
            *(expected.title, expected.authors, expected.published, expected.language),
        )
    assert {one.method for one in articles} == {"trained"}
    assert len({one.template_id for one in articles}) == 2


def test_the_order_is_that_of_the_pages() -> None:
    urls = [one.url for one in extracted()]
    assert urls == sorted(urls)
    turned = [one.url for one in extract_pages(demo_pages()[::-1])]
    assert turned == urls[::-1]


def test_a_crawl_of_the_same_pages_gives_the_same() -> None:
    pages = [
        BenchPage(raw.url, raw.url, "unknown", raw.body, "")
        for raw in demo_pages()
        if isinstance(raw.body, bytes)
    ]
    crawled = asyncio.run(crawl_pages(pages, ForestSettings()))
    assert {one.url: crawl_values(one) for one in extracted()} == {
        url: crawl_values(article) for url, article in crawled.items()
    }


def crawl_values(article: Article) -> dict[str, object]:
    """The fields, but for the time at which the page was fetched."""
    return asdict(replace(article, fetched_at=""))


def test_pairs_of_url_and_html() -> None:
    """Text and bytes, in the encoding that they declare, or in one that is detected."""
    text = (
        "<html><head><meta charset='{}'><title>Größe</title></head><body><article><h1>Größe</h1>"
        + "<p>Die Größe der Boote im Hafen wächst, und mit ihr die Sorge der Fischer um den "
        "Platz an der Mole, sagt der Hafenmeister.</p>" * 5 + "</article></body></html>"
    )
    pages = [
        (f"{HOST}/text", text.format("utf-8")),
        (f"{HOST}/declared", text.format("iso-8859-1").encode("latin-1")),
        (f"{HOST}/detected", text.replace("charset", "title").encode("cp1252")),
        (f"{HOST}/wrong", text.format("iso-8859-1").encode()),
    ]
    for page in pages:
        (article,) = extract_pages([page], are_articles=True)
        assert article.title == "Größe", page[0]
        assert "Größe der Boote" in article.text
        assert article.url == page[0]


def test_pages_that_give_nothing() -> None:
    pages: list[RawPage | tuple[str, str | bytes]] = [
        (f"{HOST}/empty", ""),
        (f"{HOST}/feed", "<rss><channel></channel></rss>"),
        (f"{HOST}/binary", bytes(range(32)) * 40),
        *demo_pages(),
        *demo_pages(),
    ]
    assert [asdict(one) for one in extract_pages(pages)] == [asdict(one) for one in extracted()]


@pytest.mark.parametrize("url", ["http://[x/", "http://\ud800/", f"{HOST}/" + "a" * 10**6, "//["])
def test_bad_urls(url: str) -> None:
    """They are refused, as in a file; the other pages are read."""
    text = demo_pages()[0].body
    refused: list[tuple[str, str]] = []
    pages = [(url, text), *demo_pages(), RawPage(f"{HOST}/z", f"{text!r}\ud800")]
    found = extract_pages(pages, refused=lambda page, reason: refused.append((page.url, reason)))
    assert [one.url for one in found] == [one.url for one in extracted()]
    assert refused[0] == (url, "bad_url")
    assert len(refused) + len(extracted()) == len(pages)


def test_pages_with_a_lone_surrogate_in_their_urls_are_extracted() -> None:
    pages = [(f"{page.url}?\ud83e", page.body) for page in demo_pages()]
    urls = [f"{article.url}?%EF%BF%BD" for article in extracted()]
    assert [article.url for article in extract_pages(pages)] == urls


def test_no_pages() -> None:
    assert list(extract_pages([])) == []


@pytest.mark.parametrize("page", [7, (b"<p>", "http://a.example/")])
def test_what_is_not_a_page(page: object) -> None:
    with pytest.raises(TypeError, match="pair of URL and HTML"):
        list(extract_pages([page]))  # type: ignore[list-item]


def test_wrappers_that_are_missing(tmp_path: Path) -> None:
    with pytest.raises(ForestError, match="no wrappers are stored here yet"):
        next(extract_pages(demo_pages()[:1], wrappers=str(tmp_path / "none.db")))
    with pytest.raises(ForestError, match="no wrappers are stored here yet"):
        next(extract_pages(demo_pages()[:1], wrappers=tmp_path / "none.db"))


def test_captions_are_in_the_text_if_the_setting_says_so() -> None:
    settings = ForestSettings(captions="inline")
    for apart, inline in zip(extracted(), extract_pages(demo_pages(), settings), strict=True):
        captions = {image["caption"] for image in apart.images if image["caption"]}
        assert captions.isdisjoint(apart.text.splitlines())
        assert captions <= set(inline.text.splitlines())
        assert inline.html == apart.html and all(one in apart.html for one in captions)
    assert any(image["caption"] for one in extracted() for image in one.images)


BLOCKED = {
    "challenge": "<title>Just a moment...</title><h1>a.example</h1><p>Checking your browser.</p>",
    "wall": "<h1>We value your privacy</h1><p>We and our partners use cookies and personal data, "
    "with your consent.</p><button>Accept all</button>",
    "notice": "<h1>News</h1><p>JavaScript is disabled. Please enable JavaScript to read on.</p>",
}


@pytest.mark.parametrize("host", ["http://a.example", ""])
@pytest.mark.parametrize("number", [0, 3, 12])
def test_blocked_pages_are_told_whatever_other_pages_there_are(host: str, number: int) -> None:
    stories = [RawPage(f"{host}/{i}" if host else f"/a/{i}.html", story(i)) for i in range(number)]
    blocked = [RawPage(f"{host}/{name}", html) for name, html in BLOCKED.items()]
    reasons: dict[str, str] = {}
    found = extract_pages(
        [*blocked, *stories], refused=lambda raw, reason: reasons.update({raw.url: reason})
    )
    assert len(list(found)) == number
    assert reasons == {f"{host}/{name}": "blocked" for name in BLOCKED}

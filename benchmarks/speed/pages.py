"""What ``benchmarks.speed`` times: from a page's bytes to a tree or an article."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from statistics import median
from time import process_time
from typing import Any

from lxml import html as lxml_html
from parsel import Selector
from scrapy.http import HtmlResponse, Request

from benchmarks.sets.bench_set import BenchPage, load_groups
from benchmarks.support.peers import Peer, installed_peers, run_peer
from forest_scrapy.core import (
    Options,
    Page,
    Params,
    TemplateRules,
    Wrapper,
    extract_page,
    learn,
)
from forest_scrapy.core.page.tree import choose_classes_fast
from forest_scrapy.core.templates.grouping import read_fingerprint
from forest_scrapy.items import Article, ArticlePage, Item
from forest_scrapy.responses.conversion import page_of, repair_encoding, visit_of

#: Pages that a wrapper is learned from.
MAX_LEARNED = 10
MIN_LEARNED = 4
_FETCHED_AT = "2026-01-01T00:00:00+00:00"


@dataclass(frozen=True)
class SpeedPage:
    """A recorded page, its HTML as text, and the wrapper of its template."""

    page: BenchPage
    html: str
    wrapper: Wrapper


def read_pages(folder: str, max_pages: int) -> tuple[list[SpeedPage], list[list[BenchPage]]]:
    """At most ``max_pages`` article pages with learned wrappers, evenly from all sites; and the
    pages of each template."""
    templates = []
    for group in load_groups(folder):
        pages = group.articles[:MAX_LEARNED]
        if len(pages) >= MIN_LEARNED:
            templates.append(pages)
    total = sum(map(len, templates))
    step = max(1, total // max_pages)
    templates = templates[::step]

    speed_pages = []
    for pages in templates:
        parsed_pages = [parse_page(page) for page in pages]
        wrapper = learn(parsed_pages, Params())
        for page in pages:
            html = page.html.decode("utf-8", "replace")
            speed_pages.append(SpeedPage(page, html, wrapper))
    return speed_pages[:max_pages], templates


def parse_page(page: BenchPage) -> Page:
    root = respond(page).selector.root
    choose_classes_fast(root)  # as ``page_of`` does
    return Page(page.url, root, page.entry)


def respond(page: BenchPage) -> HtmlResponse:
    return HtmlResponse(
        page.url,
        body=page.html,
        headers={"Content-Type": "text/html"},
        request=Request(page.url),
    )


def contenders() -> dict[str, Callable[[SpeedPage], Any]]:
    """By name: parsers, our steps, and the peers that are installed."""
    return {
        "lxml": lambda page: lxml_html.fromstring(page.html.encode()),
        "parsel": lambda page: Selector(text=page.html, type="html").root,
        **_selectolax(),
        "fingerprint": lambda page: read_fingerprint(parse_page(page.page), "typed"),
        "article": make_page_article,
        "single page": make_single_article,
        **_peers(),
    }


def make_page_article(page: SpeedPage) -> Article:
    """From the bytes to the article with all fields, by the learned wrapper."""
    return _make(page.page, page.wrapper)


def make_single_article(page: SpeedPage) -> Article:
    """The same without a wrapper."""
    return _make(page.page, Wrapper("none"))


def _make(page: BenchPage, learned: Wrapper) -> Article:
    item = make_item(page, TemplateRules(learned))
    assert isinstance(item, Article)
    return item


def make_item(
    page: BenchPage,
    rules: TemplateRules | None = None,
    options: Options | None = None,
) -> Item | None:
    """From the bytes to the item, as the pipeline does."""
    response = repair_encoding(respond(page))
    article_page = ArticlePage(
        response,
        page.entry,
        url=page.url,
        fetched_at=_FETCHED_AT,
    )
    parsed = page_of(response, page.entry)
    visit = visit_of(article_page)
    return extract_page(parsed, rules, options, visit).item


def time_learning(templates: Sequence[Sequence[BenchPage]]) -> dict[str, float]:
    """Milliseconds of CPU time to learn a template, median and largest, and for each page of one;
    parsing is not counted."""
    times = []
    for pages in templates:
        parsed = [parse_page(page) for page in pages]
        start = process_time()
        learn(parsed, Params())
        seconds = process_time() - start
        times.append(1000 * seconds)
    page_count = sum(map(len, templates))
    return {
        "learning, median": round(median(times), 1),
        "learning, most": round(max(times), 1),
        "learning, a page": round(sum(times) / page_count, 2),
    }


def _selectolax() -> dict[str, Callable[[SpeedPage], Any]]:
    if find_spec("selectolax") is None:
        return {}
    from selectolax.lexbor import LexborHTMLParser

    return {"selectolax": lambda page: LexborHTMLParser(page.html).root}


def _peers() -> dict[str, Callable[[SpeedPage], Any]]:
    peers: dict[str, Callable[[SpeedPage], Any]] = {}
    for name, peer in installed_peers().items():
        peers[name] = partial(_run, peer)
    if "trafilatura" in peers:
        peers["trafilatura with metadata"] = partial(_run, run_with_metadata)
    return peers


def _run(peer: Peer, page: SpeedPage) -> None:
    run_peer(peer, page.page.html)


def run_with_metadata(html: bytes) -> str | None:
    """trafilatura's article as JSON."""
    import trafilatura

    document: str | None = trafilatura.extract(html, with_metadata=True, output_format="json")
    return document

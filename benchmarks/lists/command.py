"""Measure the rules for lists of articles: which items of a site's feed do they find on its pages.

    python -m benchmarks.lists SET [--home] [--pages N] [--worst N] [--json]

For each page that is no article, and links items of the site's feed, the rules are learned from the
page alone, and evaluated by lxml on the tree that it parses, as other programs do.  ``recall``: the
share of the feed's items that the page links which the rules find, in the mean over the pages;
``whole``: the share of the pages with at least 0.95 of them.  ``articles`` and ``others``: what
the rules find, if it is a page of the set or an item of the feed: articles, and other pages.
``titles``: the share of the titles that are those of the feed.  ``--home``: home pages only;
``--pages``: at most so many other pages of a site that link three items, by their URLs' digests.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from hashlib import sha256
from statistics import fmean
from typing import NamedTuple
from urllib.parse import urlsplit

from lxml import html as lxml_html

from benchmarks.sets.bench_set import BenchPage, Group, load_groups, run_command
from forest_scrapy.core import Page
from forest_scrapy.core.page.urls import absolute_url, fold_url
from forest_scrapy.core.records.article_list import (
    ArticleListRules,
    NoArticleList,
    learn_article_list,
)
from forest_scrapy.core.records.article_list.rules import read_first
from forest_scrapy.feeds.reader import read_feed

#: Items of the feed that a page links at least, other than a home page.
MIN_LINKED = 3
#: The titles of the items of a feed, by the keys of their URLs.
Titles = dict[str, str]
#: The recall of a page from which its list counts as whole.
WHOLE = 0.95


class ListScore(NamedTuple):
    """What the rules of a page find: of the feed's items that it links, and in all."""

    page: str
    linked: int
    hits: int
    articles: int
    others: int
    right_titles: int
    missing: tuple[str, ...]
    items: str

    @property
    def recall(self) -> float:
        return self.hits / self.linked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", help="a folder with a manifest.json")
    parser.add_argument("--home", action="store_true", help="home pages only")
    parser.add_argument("--pages", type=int, default=1, help="other pages of a site")
    parser.add_argument("--worst", type=int, default=0, help="print so many pages")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    run_command(lambda: _print_scores(options))


def _print_scores(options: argparse.Namespace) -> None:
    home_scores: list[ListScore] = []
    other_scores: list[ListScore] = []
    for group in load_groups(options.set):
        titles = feed_titles(group)
        for page in list_pages(group, titles, 0 if options.home else options.pages):
            score = score_page(group, titles, page)
            if score is not None:
                (home_scores if is_home(page.url) else other_scores).append(score)
    report = {}
    for name, scores in (("home", home_scores), ("other", other_scores)):
        if scores:
            report[name] = summarize(scores)
    if options.json:
        print(json.dumps(report))
        return
    for name, values in report.items():
        print(name, "  ".join(f"{key} {value:g}" for key, value in values.items()))
    worst = sorted((*home_scores, *other_scores), key=lambda score: (score.recall, score.page))
    for score in worst[: options.worst]:
        print(f"{score.recall:.3f} of {score.linked}  {score.page}  {score.items}")
        print(f"    missing: {' '.join(score.missing[:3])}")


def summarize(scores: list[ListScore]) -> dict[str, float]:
    """The means over pages, and what was found in all."""
    hits = sum(score.hits for score in scores)
    return {
        "pages": len(scores),
        "recall": round(fmean(score.recall for score in scores), 4),
        "whole": round(fmean(score.recall >= WHOLE for score in scores), 4),
        "articles": sum(score.articles for score in scores),
        "others": sum(score.others for score in scores),
        "titles": round(sum(score.right_titles for score in scores) / (hits or 1), 4),
    }


def list_pages(group: Group, titles: Titles, max_others: int) -> Iterator[BenchPage]:
    """The home page of a site, and some others of its pages that link items of the feed."""
    others = []
    for page in group.pages:
        if page.is_article:
            continue
        if is_home(page.url):
            yield page
        elif max_others and len(_linked_items(page.parse(), titles)) >= MIN_LINKED:
            others.append(page)
    others.sort(key=lambda page: sha256(page.url.encode()).hexdigest())
    yield from others[:max_others]


def score_page(group: Group, titles: Titles, bench_page: BenchPage) -> ListScore | None:
    """The score of a page; None if it links no item of the feed."""
    page = bench_page.parse()
    linked = _linked_items(page, titles)
    if not linked:
        return None
    try:
        rules = learn_article_list(page)
    except NoArticleList:
        return ListScore(page.url, len(linked), 0, 0, 0, 0, tuple(sorted(linked)), "")
    found = find_listed(bench_page, page, rules)
    kinds = {url_key(other.url): other.is_article for other in group.pages}
    articles = 0
    others = 0
    for key in found:
        if key in titles or kinds.get(key):
            articles += 1
        elif key in kinds:
            others += 1
    hits = linked & found.keys()
    right_titles = sum(_folded(found[key]) == _folded(titles[key]) for key in hits)
    return ListScore(
        page=page.url,
        linked=len(linked),
        hits=len(hits),
        articles=articles,
        others=others,
        right_titles=right_titles,
        missing=tuple(sorted(linked - found.keys())),
        items=rules.items,
    )


def find_listed(bench_page: BenchPage, page: Page, rules: ArticleListRules) -> dict[str, str]:
    """The titles by the keys of the URLs, as a program finds them that knows the rules only."""
    text = bench_page.make_response().text
    parser = lxml_html.HTMLParser(encoding="utf-8")
    root = lxml_html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    found = {}
    for element in root.xpath(rules.items):
        href = read_first(rules.link, element)
        title = read_first(rules.title, element)
        if href and title:
            found[url_key(absolute_url(href, page.base_url))] = title
    return found


def feed_titles(group: Group) -> Titles:
    """The titles of the items of the feed, by the keys of their URLs."""
    headers = {"content-type": "application/xml"}
    items = read_feed(group.feed_body, group.feed_url, headers).items if group.has_feed else ()
    return {url_key(url): entry.title for url, entry in items}


def _linked_items(page: Page, titles: Titles) -> set[str]:
    """The keys of the items that a page links."""
    linked = set()
    for node in page.outline.nodes:
        href = node.element.get("href") if node.tag == "a" else None
        if href:
            linked.add(url_key(absolute_url(href, page.base_url)))
    return linked & titles.keys()


def url_key(url: str) -> str:
    """What is compared of a URL: recorded sites have files in the place of folders.

    >>> url_key("http://www.a.example/b/index.html"), url_key("https://a.example//B.html")
    ('a.example/b', 'a.example/b')
    """
    key = fold_url(url).lower().replace("//", "/")
    for ending in ("/index.html", "/index.htm", ".html"):
        key = key.removesuffix(ending)
    return key.rstrip("/")


def is_home(url: str) -> bool:
    """
    >>> is_home("https://a.example/"), is_home("https://a.example/blog/")
    (True, False)
    """
    return urlsplit(url).path in ("", "/", "/index.html")


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()

"""Measure the items of lists: pages that declare them, and whether the list that is found has them.

    python -m benchmarks.quality.records --items SET [--only multi|single] [--pages] [--json]

A page declares its items by an ``ItemList``, or by several objects of one type (products,
articles, events ...) with URLs, in JSON-LD or microdata; the one with the most URLs that the page
links counts.  A page counts if it links at least half of them: the others are loaded by a script.
Declarations are removed, each template is learned from what is left, and the URLs of the items
found are compared with the declared ones.  Precision is low where a site declares only some of the
items that it shows.  ``lists``: the share of the pages on which at least half of the declared items
were found.  A page that is not taken for a listing counts as one without items.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.quality.product_values import without_declaration
from benchmarks.sets.placed_pages import read_sites
from forest_scrapy.core import Page
from forest_scrapy.core.page.declared import Properties, as_list, text_of
from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.core.records import learn_records
from forest_scrapy.core.records.listing import read_listing

#: The fewest items of a list, and the share of them that the page links.
FEWEST = 3
LEAST_LINKED = 0.5
_LISTS = ("ItemList", "OfferCatalog")
_PAGE_TYPES = ("WebPage", "WebSite", "Organization", "BreadcrumbList", "ListItem", "ImageObject")


class ListResult(NamedTuple):
    """The precision and the recall of a page's items, the number of declared and of found ones,
    and the kind that its template was taken for."""

    page: str
    precision: float
    recall: float
    declared: int
    found: int
    kind: str


def declared_items(page: Page) -> frozenset[str]:
    """The keys of the URLs of the items that a page declares and links; empty if it declares none,
    or links less than half of them."""
    linked = {
        _url_key(absolute_url(node.element.get("href") or "", page.base_url))
        for node in page.outline.nodes
        if node.tag == "a"
    }
    lists = [frozenset(map(_url_key, urls)) for urls in _declared_lists(page)]
    shown_lists = [
        urls
        for urls in lists
        if len(urls) >= FEWEST and len(urls & linked) >= LEAST_LINKED * len(urls)
    ]
    return max(
        shown_lists,
        key=lambda urls: (len(urls & linked), sorted(urls)),
        default=frozenset(),
    )


def measure_lists(pages: Sequence[Page]) -> Iterator[ListResult]:
    """The results of those pages of a template that declare items."""
    declared = [declared_items(page) for page in pages]
    if not any(declared):
        return
    bare = [without_declaration(page) for page in pages]
    wrapper = learn_records(bare)
    for page, urls in zip(bare, declared, strict=True):
        if urls:
            is_list = wrapper.kind.name == "listing"
            items = read_listing(page, wrapper).items if is_list else []
            extracted = {_url_key(item["url"]) for item in items}
            hits = len(extracted & urls)
            yield ListResult(
                page.url,
                hits / (len(extracted) or 1),
                hits / len(urls),
                len(urls),
                len(extracted),
                wrapper.kind.name,
            )


def print_lists(folder: str, only: str, pages: bool, as_json: bool) -> None:
    """Measure a set and print the means over its pages."""
    results: list[ListResult] = []
    for site in read_sites(folder):
        for template in site.templates:
            if not only or (len(template) > 1) == (only == "multi"):
                results += measure_lists([placed.page for placed in template])
    report = _summarize(results)
    if as_json:
        print(json.dumps(report))
        return
    line = "{pages} pages  precision {precision:.3f}  recall {recall:.3f}  lists {lists:.3f}"
    print(line.format(**report))
    if not pages:
        return
    worst_first = sorted(results, key=lambda result: (result.recall, result.page))
    for result in worst_first:
        scores = f"{result.precision:.3f} {result.recall:.3f} of {result.declared}"
        print(scores, result.kind, result.page)


def _summarize(results: Sequence[ListResult]) -> dict[str, float]:
    rows = results or [ListResult("", 0.0, 0.0, 0, 0, "")]
    return {
        "pages": len(results),
        "precision": round(fmean(row.precision for row in rows), 4),
        "recall": round(fmean(row.recall for row in rows), 4),
        "lists": round(fmean(row.recall >= LEAST_LINKED for row in rows), 4),
    }


def _declared_lists(page: Page) -> Iterator[list[str]]:
    """The URLs of each declared list, and those of the objects of each type."""
    for nodes in (page.declared.nodes, page.declared.items):
        by_type: dict[str, list[str]] = defaultdict(list)
        for node in nodes:
            types = [str(type_name).rpartition("/")[2] for type_name in as_list(node.get("@type"))]
            if any(type_name in _LISTS for type_name in types):
                yield [
                    url
                    for element in as_list(node.get("itemListElement"))
                    if (url := _url_of(element))
                ]
            elif url := _url_of(node):
                for type_name in types:
                    by_type[type_name].append(url)
        yield from (urls for name, urls in by_type.items() if name not in _PAGE_TYPES)


def _url_of(node: Any) -> str:
    """The URL of an object, or of the one that a ``ListItem`` is about."""
    if not isinstance(node, Mapping):
        return ""
    item: Properties | str = node.get("item") or node
    if isinstance(item, str):
        return item
    return text_of(item.get("url")) or text_of(item.get("@id"))


def _url_key(url: str) -> str:
    """What is compared of a URL: host and path, and the query if it is more than campaign names.

    >>> _url_key("https://www.a.example/b/?utm_source=c")
    'a.example/b'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    query = "&".join(part for part in parts.query.split("&") if _is_id(part))
    return (
        f"{parts.netloc.removeprefix('www.')}{parts.path.rstrip('/')}{'?' if query else ''}{query}"
    )


def _is_id(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.lower() in ("id", "p", "v", "pid", "item", "product") and bool(value)

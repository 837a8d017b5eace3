"""What kind of pages a template has: articles, threads, products, lists, or others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from urllib.parse import urlsplit

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.structured_data import as_list
from forest_scrapy.core.records.groups import Group
from forest_scrapy.core.records.prose import ProsePage

__all__ = ["KINDS", "Kind", "find_kind"]

#: The kinds of templates.
KINDS = ("article", "thread", "product", "listing", "other")

# None of these constants is tuned.
#: The share of the prose that must be in the posts of a thread, and the share of them with a date.
_COVERED, _DATED = 0.45, 0.8
#: The same share on pages that declare an article: some forums do.
_COVERED_ALTHOUGH = 0.9
#: Segments in the smallest record, in the mean, that is more than a paragraph.
_SEGMENTS = 2.5
#: Items of the shortest list, the share of them whose heading links to another page, and the words
#: of a heading that is a title, and no name.
_FEWEST_ITEMS, _TITLED, _TITLE_WORDS = 4, 0.6, 3
#: Characters of prose of the shortest article.
_SHORTEST = 400
#: Products that a page about one product may declare, its variants say.
_MOST_PRODUCTS = 3
#: Endings of the types of schema.org, in lower case, and the kind that they declare.
_DECLARED = {
    "thread": ("discussionforumposting", "qapage"),
    "article": ("article", "posting"),
    "product": ("product", "productgroup"),
    "listing": ("collectionpage", "itemlist", "searchresultspage", "offercatalog"),
}
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


@dataclass(frozen=True)
class Kind:
    """One of ``KINDS``, and what tells so, in words."""

    name: str = "other"
    evidence: tuple[str, ...] = ()


def find_kind(
    pages: Sequence[ProsePage],
    links: Sequence[ProsePage],
    posts: Group | None,
    items: Group | None,
) -> Kind:
    """The kind of the pages of a template.

    ``pages`` and ``links``: the pages with their prose, and with their linked text; ``posts`` and
    ``items``: the best candidates for records of these.  What at least half of the pages declare
    counts first, then their records, then their text.
    """
    prose, linked = (fmean(page.prose[-1] for page in own) for own in (pages, links))
    declared = _find_declared([page.page for page in pages])
    titled = _titled_share(pages, posts) if posts and posts.is_repeated else 0.0
    facts = (
        f"declared: {declared or 'nothing'}",
        f"records: {_describe(posts)}, {titled:.0%} with a linked title",
        f"items: {_describe(items)}",
        f"characters of prose: {prose:.0f}, of linked text: {linked:.0f}",
    )
    if declared == "product":
        return Kind("product", facts)
    least = _COVERED if declared != "article" else _COVERED_ALTHOUGH
    is_thread = titled < _TITLED and _are_posts(posts, least)
    if is_thread or (declared == "thread" and prose):
        return Kind("thread", facts)
    if declared == "article":
        return Kind("article", facts)
    is_list = _has_items(items) and (declared == "listing" or linked > prose)
    if is_list or (titled >= _TITLED and _has_items(posts)):
        return Kind("listing", facts)
    is_article = prose >= _SHORTEST and not _has_parts(pages, posts)
    return Kind("article" if is_article else "other", facts)


def _describe(group: Group | None) -> str:
    if group is None:
        return "none"
    share = f"with {group.coverage:.0%} of the text, {group.dated:.0%} of them with a date"
    return f"{group.records:.1f} a page {share}"


def _are_posts(group: Group | None, least: float) -> bool:
    return (
        group is not None
        and group.records > 1
        and group.coverage >= least
        and group.dated >= _DATED
    )


def _has_parts(pages: Sequence[ProsePage], group: Group | None) -> bool:
    """Whether most of the prose is in records of several segments: more than paragraphs."""
    if group is None or not group.is_repeated or group.coverage < _COVERED:
        return False
    sizes = [
        page.lasts[node] - page.firsts[node]
        for page, nodes in zip(pages, group.nodes, strict=True)
        for node in nodes
    ]
    return fmean(sizes) >= _SEGMENTS


def _has_items(group: Group | None) -> bool:
    return group is not None and group.records >= _FEWEST_ITEMS


def _find_declared(pages: Sequence[Page]) -> str:
    """The first kind that at least half of the pages declare; ``""`` if there is none."""
    types = [list(_types_of(page)) for page in pages]
    for kind, endings in _DECLARED.items():
        counts = [sum(name.endswith(endings) for name in own) for own in types]
        most = _MOST_PRODUCTS if kind == "product" else len(max(types, key=len))
        if 2 * sum(0 < count <= most for count in counts) >= len(pages):
            return kind
    return ""


def _types_of(page: Page) -> Iterable[str]:
    """The names of the schema.org types, in lower case, and ``product`` as the OpenGraph type;
    forums, too, declare articles there."""
    for node in (*page.declared.nodes, *page.declared.items):
        for one in as_list(node.get("@type")):
            yield str(one).lower().rpartition("/")[2]
    if "product" in page.declared.meta.get("og:type", ()):
        yield "product"


def _titled_share(pages: Sequence[ProsePage], group: Group) -> float:
    """The share of the records with a title of their own that links to another page; 0 if most
    titles are the same, such as replies with the subject of the first post."""
    titles = [
        _linked_title(page, node)
        for page, nodes in zip(pages, group.nodes, strict=True)
        for node in nodes
    ]
    found = [title for title in titles if title]
    return len(found) / len(titles) if 2 * len(set(found)) > len(found) else 0.0


def _linked_title(page: ProsePage, top: int) -> str:
    """The first heading below a node that links to another page; ``""`` if there is none."""
    outline, path = page.outline, _path_of(page.page.url)
    for i in range(top, outline.ends[top]):
        node = outline.nodes[i]
        href = (node.element.get("href") or "#") if node.tag == "a" else "#"
        if href[0] == "#" or _path_of(href) in ("", path):
            continue
        tags = {outline.nodes[j].tag for j in range(i, outline.ends[i])}
        tags |= {outline.nodes[j].tag for j in outline.path(i) if j >= top}
        text = outline.text(node)
        if tags & _HEADINGS and len(text.split()) >= _TITLE_WORDS:
            return " ".join(text.split())
    return ""


def _path_of(url: str) -> str:
    """The path of a URL; ``""`` if it is malformed."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""

"""Pages that list the items of a feed, such as the blog that it belongs to: where these stand on
one, the older items stand on its further pages."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import absolute_url, page_key, site_of
from forest_scrapy.core.records.next_page import find_next_page
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, anchored_xpath
from forest_scrapy.core.xpaths.checking import select_elements

#: Items of a feed that stand at a place at least, and their share of the links there; the others
#: are older ones. Not tuned.
MIN_ITEMS = 2
MIN_SHARE = 0.3
#: Links read of a page.
MAX_LINKS = 1000


@dataclass(frozen=True)
class ListPage:
    """The URLs of the items that a page lists, the XPaths of the links to them, and the next page;
    ``""`` if there is none."""

    urls: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    next_url: str = ""


def read_list_page(page: Page, item_keys: Collection[str], places: Sequence[str] = ()) -> ListPage:
    """The items that a page lists, of its own site and without those of the feed.

    ``item_keys``: those of the items of the feed, see ``page_key``.  ``places``: where the pages
    before have theirs; without any they are looked for.

    >>> links = "".join(f"<h2><a href=/{n}>Day {n}</a></h2>" for n in range(4))
    >>> page = Page.from_html(f"{links}<a href=/page/2/>Next</a>", "http://a.example/")
    >>> keys = [page_key(f"http://a.example/{n}") for n in range(3)]
    >>> read_list_page(page, keys).urls, read_list_page(page, keys).next_url
    (('http://a.example/3',), 'http://a.example/page/2/')
    """
    places = tuple(places)
    if not places:
        places = _find_places(page, item_keys)
    if not places:
        return ListPage()
    urls = _read_older_items(page, item_keys, places)
    return ListPage(
        urls=urls,
        places=places,
        next_url=find_next_page(page),
    )


def _read_older_items(
    page: Page,
    item_keys: Collection[str],
    places: Sequence[str],
) -> tuple[str, ...]:
    """The URLs of the links at these places that lead to the page's own site, each once, without
    those of the feed."""
    site = site_of(page.url)
    urls: dict[str, str] = {}
    for xpath in places:
        links = select_elements(xpath, page.root)
        for link in links[:MAX_LINKS]:
            url = _url_of(link, page)
            is_of_site = bool(url) and site_of(url) == site
            if not is_of_site:  # what a blog links elsewhere is none of its items
                continue
            key = page_key(url)
            if key not in item_keys:
                urls.setdefault(key, url)
    return tuple(urls.values())


def _find_places(page: Page, item_keys: Collection[str]) -> tuple[str, ...]:
    """The places of links that are often those of items, the most frequent first."""
    links_at: dict[AnchoredPath, list[Element]] = defaultdict(list)
    items_at: dict[AnchoredPath, set[str]] = defaultdict(set)
    paths = anchored_paths(page.outline)
    for path, node in zip(paths, page.outline.nodes, strict=True):
        if node.tag != "a":
            continue
        url = _url_of(node.element, page)
        if not url:
            continue
        links_at[path].append(node.element)
        key = page_key(url)
        if key in item_keys:
            items_at[path].add(key)

    places = []
    for path, keys in items_at.items():
        link_count = len(links_at[path])
        min_items = max(MIN_ITEMS, MIN_SHARE * link_count)
        if len(keys) >= min_items:
            places.append(path)

    def rank(path: AnchoredPath) -> tuple[int, int, str]:
        item_count = len(items_at[path])
        return -item_count, path.level, str(path)

    places.sort(key=rank)
    xpaths = []
    for path in places:
        xpath = anchored_xpath(path, links_at[path])
        xpaths.append(xpath)
    return tuple(xpaths)


def _url_of(link: Element, page: Page) -> str:
    """The URL of a web page that a link leads to; ``""`` if it leads to none."""
    href = link.get("href")
    if not href:
        return ""
    url = absolute_url(href, page.base_url)
    is_of_web = url.startswith(("http://", "https://"))
    return url if is_of_web else ""

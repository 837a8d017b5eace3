"""The names of a page's site and of its sections: declared ones, and the texts of links."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlsplit

from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.page.declared import Declared, names_of, text_of, type_names
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import absolute_url, bare_host
from forest_scrapy.core.site_caches import site_cache

#: Links of a page that are looked at.
_MAX_LINKS = 2000
#: Characters of the longest name.
_MAX_NAME_LENGTH = 400
#: Characters of the name of an index page.
_MAX_INDEX_LENGTH = 15
#: Characters of "https://".
_MAX_SCHEME_LENGTH = 8
#: A URL with a host, or a relative one that leads upwards, or to the index page of the folder.
_UPWARD = re.compile(
    r"https?:/|\.{1,2}(?:/|$)|(?:index|default|home)\.\w{2,5}$",
    re.IGNORECASE,
)
#: The name of an index page.
_INDEX = re.compile(r"(?<=/)(?:index|default|home)\.\w{2,5}$")


class UpperLink(NamedTuple):
    """A link to a folder above the page: the folded words of its text, and its path; ``""`` is
    the path of the home page."""

    name: str
    path: str


def find_site_names(declared: Declared) -> dict[str, str]:
    """The declared names of the site, best first, with the kind of source of each."""
    meta = declared.meta
    publisher = declared.article.get("publisher")
    names: list[tuple[str, str]] = []
    for name in meta.get("og:site_name", ())[:1]:
        names.append((name, "opengraph"))
    for name in names_of(publisher, declared.nodes):
        names.append((name, "json-ld"))
    for node in declared.nodes:
        if "website" in type_names(node):
            name = text_of(node.get("name"))
            names.append((name, "json-ld"))
    for name in meta.get("application-name", ())[:1]:
        names.append((name, "meta"))

    kinds: dict[str, str] = {}
    for name, kind in names:
        if name:
            kinds.setdefault(name, kind)
    return kinds


def find_upper_links(page: Page) -> Iterator[UpperLink]:
    """The links to folders above the page, in document order.  A page with a query is below the
    one without."""
    host = bare_host(page.url)
    upper_paths = _upper_paths(page.url) if host else {""}
    max_length = len(page.url) + _MAX_INDEX_LENGTH
    links = islice(page.root.iter("a"), _MAX_LINKS)
    for link in links:
        address = link.get("href") or ""
        url = address.strip()
        if not 0 < len(url) < max_length:
            continue
        may_lead_upwards = url[0] == "/" or _UPWARD.match(url)
        if not may_lead_upwards:
            continue
        is_relative = url[0] != "/" and "://" not in url[:_MAX_SCHEME_LENGTH]
        if is_relative:
            url = absolute_url(url, page.base_url)
        path = path_of(url)
        if path not in upper_paths:
            continue
        is_of_site = bare_host(url) in ("", host)
        if not is_of_site:
            continue
        name = _link_name(link)
        if name:
            yield UpperLink(name, path)


def _upper_paths(url: str) -> set[str]:
    """The paths of the folders above a page."""
    address, _, _ = url.partition("#")
    without_query, mark, _ = address.partition("?")
    path = path_of(without_query)
    steps = path.split("/")
    if mark:
        steps.append(mark)
    upper_paths = set()
    for count in range(1, len(steps)):
        upper_steps = steps[:count]
        upper_paths.add("/".join(upper_steps))
    return upper_paths


def _link_name(link: Element) -> str:
    """The folded words of the link's text and of its images' texts."""
    texts = [*link.itertext()]
    for image in link.iter("img"):
        image_text = image.get("alt") or ""
        texts.append(image_text)
    name = " ".join(texts)
    return fold_words(name[:_MAX_NAME_LENGTH])


@site_cache
@lru_cache(maxsize=8192)  # the same links are on all pages of a site
def path_of(url: str) -> str:
    """The path of a URL without the name of an index page and the final slash; all of a URL with
    a query, which is another page.

    >>> path_of("http://a.example/news/index.html"), path_of("/"), path_of("/?p=1")
    ('/news', '', '/?p=1')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    if parts.query or parts.fragment:
        return url
    path = _INDEX.sub("", parts.path)
    return path.rstrip("/")

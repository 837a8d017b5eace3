"""What the URL, the software, the declared types and the names of a page say about its kind; no
records are looked for, which takes much longer."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.page.declared import type_names
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import class_and_id
from forest_scrapy.core.page.urls import host_of

#: Characters read of an attribute.
MAX_NAME_LENGTH = 300
#: Products that a page about one product may declare, its variants say.
MAX_PRODUCTS = 3
#: Elements whose attributes are read.
MAX_NODES = 20_000
#: Endings of the types of schema.org, in lower case, and the kind that they declare.
DECLARED_TYPES = {
    "thread": ("discussionforumposting", "qapage"),
    "article": ("article", "blogposting"),
    "product": ("product", "productgroup", "individualproduct"),
    "list": ("collectionpage", "itemlist", "searchresultspage", "offercatalog"),
}
_IN_URL = {
    "thread": r"threads?|topics?|forums?|viewtopic|showthread|discussions?|questions?|boards?",
    "product": r"products?|items?|itm|dp|p|artikel|produkte?|produits?|productos?|shop|store|buy",
    "list": r"categor[a-z]+|collections?|search|c|cat|tags?|lists?|browse|genre|all|archives?",
    "article": r"articles?|news|blogs?|story|stories|posts?|nachrichten|actualites?|noticias?",
}
NAMED_KINDS = {
    "post": re.compile(r"(?:^|[\s_-])(?:post|reply|replies|message|comment|answer|thread)", re.I),
    "product": re.compile(r"(?:^|[\s_-])(?:product|price|sku|cart|buybox|gallery)", re.I),
    "card": re.compile(r"(?:^|[\s_-])(?:card|tile|teaser|grid|listing|results?)", re.I),
}
#: Elements with one such name, but for its digits, on a page that is looked at.  Articles have
#: comments, too.
MIN_NAMED = 3
_HINTS_IN_NAMES = ("post", "product")
_DIGITS = re.compile(r"\d+")
_TAGS_OF_RECORDS = ("div", "li", "tr", "article", "section", "table")
#: The features that ``hints_at_records`` looks at.
_HINTS = (
    "declares_thread",
    "declares_product",
    "og_product",
    "url_thread",
    "url_product",
    "forum_url",
    "forum_software",
)
_FORUM = re.compile(r"forum|foren|foro\b|boards?\b|bbs|communit|discu|answers", re.IGNORECASE)
_SOFTWARE = re.compile(
    r"\b(?:phpbb|xf|xenforo|ipsapp|invision|vbulletin|discourse|nodebb|flarum|mybb|smf|vanilla"
    r"|fluxbb|punbb|kunena|question2answer|question-page)",
    re.IGNORECASE,
)


def hints_at_records(page: Page) -> bool:
    """Whether the URL, the software, the declared types or repeated classes of a page name threads
    or products.  Some 2 ms."""
    hints = {**declared_kinds(page), **url_words(page.url), **describe_forum(page)}
    if any(hints[name] for name in _HINTS):
        return True
    repeated: Counter[str] = Counter()
    for element in islice(page.root.iter(*_TAGS_OF_RECORDS), MAX_NODES):
        names = class_and_id(element, MAX_NAME_LENGTH)
        if any(NAMED_KINDS[kind].search(names) for kind in _HINTS_IN_NAMES):
            repeated[_DIGITS.sub("", names)] += 1
    return any(
        number >= MIN_NAMED and "comment" not in names.lower() for names, number in repeated.items()
    )


def describe_forum(page: Page) -> dict[str, float]:
    """Numbers of a page: whether its URL names a forum, and whether it names forum software."""
    url = ""
    if host_of(page.url):
        url = page.url[:MAX_NAME_LENGTH]
    names_forum = _FORUM.search(url) is not None
    names_software = any(map(_SOFTWARE.search, _software_names(page)))
    return {
        "forum_url": float(names_forum),
        "forum_software": float(names_software),
    }


def _software_names(page: Page) -> Iterator[str]:
    """Where pages name the software that wrote them."""
    generators = page.declared.meta.get("generator", ())
    for text in generators:
        yield text[:MAX_NAME_LENGTH]
    bodies = islice(page.root.iter("body"), 1)
    for element in (page.root, *bodies):
        for attribute in ("id", "class"):
            names = element.get(attribute) or ""
            yield names[:MAX_NAME_LENGTH]


def declared_kinds(page: Page) -> dict[str, float]:
    """Numbers of a page: the kinds that it declares itself to be of."""
    types = list(_types_of(page))
    facts = {}
    for kind, endings in DECLARED_TYPES.items():
        is_declared = any(name.endswith(endings) for name in types)
        facts[f"declares_{kind}"] = float(is_declared)
    products = sum(name.endswith(DECLARED_TYPES["product"]) for name in types)
    meta = page.declared.meta
    og_types = [text.lower() for text in meta.get("og:type", ())]
    is_og_product = any("product" in text for text in og_types)
    has_price_name = any("price:amount" in name for name in meta)
    return {
        **facts,
        "declares_one_product": float(0 < products <= MAX_PRODUCTS),
        "og_article": float("article" in og_types),
        "og_product": float(is_og_product),
        "meta_price": float(has_price_name),
    }


def _types_of(page: Page) -> Iterator[str]:
    """The names of the schema.org types, in lower case."""
    nodes = (*page.declared.nodes, *page.declared.items)
    for node in nodes:
        yield from type_names(node)


def url_words(url: str) -> dict[str, float]:
    """Numbers of a URL: whether words of its path name a kind."""
    path = ""
    if host_of(url):
        path = unquote(url_path(url)).lower()
    words: set[str] = set()
    for part in path.split("/"):
        first_word = re.split(r"[-_.]", part)[0]
        words.update((part, first_word))
    facts = {}
    for kind, pattern in _IN_URL.items():
        has_word = any(re.fullmatch(pattern, word) for word in words)
        facts[f"url_{kind}"] = float(has_word)
    return facts


def url_path(url: str) -> str:
    """The path of a URL; ``""`` if it is malformed."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""

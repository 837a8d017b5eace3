"""The features by which kinds of templates are recognised: numbers from text, markup, URLs and
records."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from math import log1p
from statistics import fmean
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.page.declared import type_names
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import HEADINGS, Element, class_and_id
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.core.records.products.prices import has_price
from forest_scrapy.core.records.regions.groups import Group
from forest_scrapy.core.records.regions.items import is_person_url
from forest_scrapy.core.records.regions.prose import ProsePage
from forest_scrapy.core.templates.kinds import TemplateFacts
from forest_scrapy.core.templates.signals import read_signals

#: Records of a page that are looked at, nodes of each, and characters of an attribute.
MAX_RECORDS = 30
MAX_RECORD_NODES = 300
MAX_NAME_LENGTH = 300
_FORUM = re.compile(r"forum|foren|foro\b|boards?\b|bbs|communit|discu|answers", re.IGNORECASE)
_SOFTWARE = re.compile(
    r"\b(?:phpbb|xf|xenforo|ipsapp|invision|vbulletin|discourse|nodebb|flarum|mybb|smf|vanilla"
    r"|fluxbb|punbb|kunena|question2answer|question-page)",
    re.IGNORECASE,
)
_DECLARED_REPLY = re.compile(r"comment|answer|question|posting|reply", re.IGNORECASE)
_NUMBER = re.compile(r"#\s?\d{1,7}")


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


def describe_posts(
    pages: Sequence[ProsePage],
    posts: Group | None,
) -> dict[str, float]:
    """The shares of the records that are numbered (#2), that are declared as comments, answers or
    postings, and that link to a person.  Cost: linear in the nodes of the records, up to 300
    each and 30 on a page."""
    total = 0
    numbered = 0
    declared = 0
    linked = 0
    group_nodes = posts.nodes if posts and posts.is_repeated else ()
    for page, nodes in zip(pages, group_nodes, strict=False):
        for node in nodes[:MAX_RECORDS]:
            first = page.firsts[node]
            last = page.lasts[node]
            texts = [segment.text for segment in page.segments[first:last]]
            below = islice(page.outline.below(node), MAX_RECORD_NODES)
            elements = [page.outline.nodes[index].element for index in below]
            hrefs = [element.get("href") or "" for element in elements]
            total += 1
            numbered += any(map(_NUMBER.fullmatch, texts))
            declared += _is_declared(elements[0])
            linked += any(map(is_person_url, hrefs))
    count = total or 1
    return {
        "posts_numbered": numbered / count,
        "posts_declared": declared / count,
        "posts_of_persons": linked / count,
    }


def _is_declared(element: Element) -> bool:
    names = f"{element.get('itemprop') or ''} {element.get('itemtype') or ''}"
    names = names[:MAX_NAME_LENGTH]
    return _DECLARED_REPLY.search(names) is not None


#: Words of the shortest heading that is a title, and no name.
MIN_TITLE_WORDS = 3
#: Products that a page about one product may declare, its variants say.
MAX_PRODUCTS = 3
#: Segments after the first heading in which the price of a product mostly is.
NEAR_SEGMENTS = 40
#: Characters read of the text of a button.
MAX_BUTTON_LENGTH = 60
#: Elements whose attributes are read.
MAX_NODES = 20_000
#: Endings of the types of schema.org, in lower case, and the kind that they declare.
_DECLARED = {
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
_CART = re.compile(
    r"add to (?:cart|bag|basket)|buy (?:it )?now|in den warenkorb|ajouter au panier"
    r"|(?:añadir|agregar) (?:al|a la) (?:carrito|cesta)|aggiungi al carrello|adicionar ao carrinho"
    r"|do koszyka|в корзину|カートに入れる|加入购物车|in winkelwagen|sepete ekle",
    re.IGNORECASE,
)
_NAMED = {
    "post": re.compile(r"(?:^|[\s_-])(?:post|reply|replies|message|comment|answer|thread)", re.I),
    "product": re.compile(r"(?:^|[\s_-])(?:product|price|sku|cart|buybox|gallery)", re.I),
    "card": re.compile(r"(?:^|[\s_-])(?:card|tile|teaser|grid|listing|results?)", re.I),
}


def describe_template(
    pages: Sequence[ProsePage],
    links: Sequence[ProsePage],
    posts: Group | None,
    items: Group | None,
) -> TemplateFacts:
    """The features of the kind of the pages of a template.

    ``pages`` and ``links``: the pages with their prose, and with their linked text; ``posts`` and
    ``items``: the best candidates for records of these.
    """
    page_numbers = [_describe_page(page) for page in pages]
    prose = fmean(page.prose[-1] for page in pages)
    linked = fmean(page.prose[-1] for page in links)
    titled = 0.0
    if posts and posts.is_repeated:
        titled = _titled_share(pages, posts)
    numbers = {}
    for name in page_numbers[0]:
        values = [page[name] for page in page_numbers]
        numbers[name] = fmean(values)
    numbers |= {
        "log_prose": log1p(prose),
        "log_linked": log1p(linked),
        "linked_share": linked / ((linked + prose) or 1),
        "posts_titled": titled,
        **_describe_group("posts", posts),
        **_describe_group("items", items),
        "posts_segments": _segments_of(pages, posts),
        **describe_posts(pages, posts),
    }
    declared = []
    for kind in _DECLARED:
        if numbers[f"declares_{kind}"] >= 0.5:
            declared.append(kind)
    evidence = (
        f"declared: {', '.join(declared) or 'nothing'}",
        f"records: {_write_group(posts)}, {titled:.0%} with a linked title",
        f"items: {_write_group(items)}",
        f"characters of prose: {prose:.0f}, of linked text: {linked:.0f}",
    )
    return TemplateFacts(numbers, evidence)


def _describe_page(page: ProsePage) -> dict[str, float]:
    return {
        **read_signals(page.page).to_dict(),
        **_declared_kinds(page.page),
        **_url_words(page.page.url),
        **describe_forum(page.page),
        **_text_facts(page),
        **_markup_facts(page),
    }


def _declared_kinds(page: Page) -> dict[str, float]:
    types = list(_types_of(page))
    facts = {}
    for kind, endings in _DECLARED.items():
        is_declared = any(name.endswith(endings) for name in types)
        facts[f"declares_{kind}"] = float(is_declared)
    products = sum(name.endswith(_DECLARED["product"]) for name in types)
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


def hints_at_records(page: Page) -> bool:
    """Whether the URL, the software, the declared types or the classes of a page name threads or
    products.  Some 2 ms."""
    hints = {**_declared_kinds(page), **_url_words(page.url), **describe_forum(page)}
    if any(hints[name] for name in _HINTS):
        return True
    counts = dict.fromkeys(_HINTS_IN_NAMES, 0)
    for element in islice(page.root.iter(*_TAGS_OF_RECORDS), MAX_NODES):
        names = class_and_id(element, MAX_NAME_LENGTH)
        if len(names) < 2:
            continue
        for name in _HINTS_IN_NAMES:
            counts[name] += _NAMED[name].search(names) is not None
    return max(counts.values()) >= MIN_NAMED


#: Elements with such a name on a page that is looked at.
MIN_NAMED = 3
_HINTS_IN_NAMES = ("post", "product")
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


def _types_of(page: Page) -> Iterator[str]:
    """The names of the schema.org types, in lower case."""
    nodes = (*page.declared.nodes, *page.declared.items)
    for node in nodes:
        yield from type_names(node)


def _url_words(url: str) -> dict[str, float]:
    path = ""
    if host_of(url):
        path = unquote(_url_path(url)).lower()
    words: set[str] = set()
    for part in path.split("/"):
        first_word = re.split(r"[-_.]", part)[0]
        words.update((part, first_word))
    facts = {}
    for kind, pattern in _IN_URL.items():
        has_word = any(re.fullmatch(pattern, word) for word in words)
        facts[f"url_{kind}"] = float(has_word)
    return facts


def _text_facts(page: ProsePage) -> dict[str, float]:
    texts = [segment.text for segment in page.segments]
    prices = []
    for number, text in enumerate(texts):
        if has_price(text):
            prices.append(number)
    title = _first_heading(page)
    is_near_title = False
    if title is not None:
        is_near_title = any(0 < number - title <= NEAR_SEGMENTS for number in prices)
    carts = sum(_is_cart(text) for text in texts)
    return {
        "log_prices": log1p(len(prices)),
        "price_near_title": float(is_near_title),
        "log_carts": log1p(carts),
        "one_cart": float(carts in (1, 2)),
        "log_dates": log1p(page.dates[-1]),
        "log_segments": log1p(len(texts)),
    }


def _first_heading(page: ProsePage) -> int | None:
    """The first segment in an ``h1``."""
    in_h1 = page.outline.inside(("h1",))
    for number, segment in enumerate(page.segments):
        if in_h1[segment.block]:
            return number
    return None


def _is_cart(text: str) -> bool:
    is_short = len(text) <= MAX_BUTTON_LENGTH
    return is_short and _CART.search(text) is not None


def _markup_facts(page: ProsePage) -> dict[str, float]:
    counts = dict.fromkeys(_NAMED, 0)
    images = 0
    for node in page.outline.nodes[:MAX_NODES]:
        images += node.tag == "img"
        names = class_and_id(node.element, 200)
        if len(names) > 1:
            for name, pattern in _NAMED.items():
                counts[name] += pattern.search(names) is not None
    tags = [node.tag for node in page.outline.nodes]
    headings = sum(tag in HEADINGS for tag in tags)
    facts = {}
    for name, count in counts.items():
        facts[f"log_{name}_names"] = log1p(count)
    return {
        **facts,
        "log_images": log1p(images),
        "log_headings": log1p(headings),
        "log_paragraphs": log1p(tags.count("p")),
    }


def _describe_group(name: str, group: Group | None) -> dict[str, float]:
    """The numbers of the best candidate for records; all 0 without one."""
    facts = {
        f"{name}_coverage": 0.0,
        f"{name}_log_records": 0.0,
        f"{name}_dated": 0.0,
        f"{name}_alike": 0.0,
    }
    if group is None:
        return facts
    facts[f"{name}_coverage"] = group.coverage
    facts[f"{name}_log_records"] = log1p(group.records)
    facts[f"{name}_alike"] = group.alike
    if group.is_repeated:
        facts[f"{name}_dated"] = group.dated
    return facts


def _write_group(group: Group | None) -> str:
    if group is None:
        return "none"
    share = f"with {group.coverage:.0%} of the text, {group.dated:.0%} of them with a date"
    return f"{group.records:.1f} a page {share}"


def _segments_of(pages: Sequence[ProsePage], group: Group | None) -> float:
    """ln(1 + n) of the segments of a record, in the mean: a paragraph has one."""
    if group is None:
        return 0.0
    sizes = []
    for page, nodes in zip(pages, group.nodes, strict=False):
        for node in nodes:
            sizes.append(len(page.segments_below(node)))
    if sizes:
        return log1p(fmean(sizes))
    return 0.0


def _titled_share(pages: Sequence[ProsePage], group: Group) -> float:
    """The share of the records with a title of their own that links to another page; 0 if most
    titles are the same, such as replies with the subject of the first post."""
    count = 0
    titles = []
    for page, nodes in zip(pages, group.nodes, strict=True):
        for node in nodes:
            count += 1
            title = linked_title(page, node)
            if title:
                titles.append(title)
    differ = 2 * len(set(titles)) > len(titles)
    if differ:
        return len(titles) / count
    return 0.0


def linked_title(page: ProsePage, top: int) -> str:
    """The first heading below a node that links to another page; ``""`` if there is none."""
    outline = page.outline
    page_path = _url_path(page.page.url)
    for index in outline.below(top):
        node = outline.nodes[index]
        if node.tag != "a":
            continue
        href = node.element.get("href")
        if not href or href.startswith("#"):
            continue
        if _url_path(href) in ("", page_path):
            continue
        tags = outline.tags_below(index)
        for ancestor in outline.path(index):
            if ancestor < top:
                break
            tags.add(outline.nodes[ancestor].tag)
        words = outline.text(node).split()
        if tags & HEADINGS and len(words) >= MIN_TITLE_WORDS:
            return " ".join(words)
    return ""


def _url_path(url: str) -> str:
    """The path of a URL; ``""`` if it is malformed."""
    try:
        return urlsplit(url).path
    except ValueError:
        return ""

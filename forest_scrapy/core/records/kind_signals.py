"""The features by which kinds of templates are recognised: numbers from text, markup, URLs and
records."""

import re
from collections.abc import Sequence
from itertools import islice
from math import log1p
from statistics import fmean

from forest_scrapy.core.page.tree import HEADINGS, Element, class_and_id
from forest_scrapy.core.records.kind_hints import (
    DECLARED_TYPES,
    MAX_NAME_LENGTH,
    MAX_NODES,
    NAMED_KINDS,
    declared_kinds,
    describe_forum,
    url_path,
    url_words,
)
from forest_scrapy.core.records.products.prices import has_price
from forest_scrapy.core.records.regions.groups import Group
from forest_scrapy.core.records.regions.items import is_person_url
from forest_scrapy.core.records.regions.prose import ProsePage
from forest_scrapy.core.templates.kinds import TemplateFacts
from forest_scrapy.core.templates.signals import read_signals

#: Records of a page that are looked at, and nodes of each.
MAX_RECORDS = 30
MAX_RECORD_NODES = 300
_DECLARED_REPLY = re.compile(r"comment|answer|question|posting|reply", re.IGNORECASE)
_NUMBER = re.compile(r"#\s?\d{1,7}")


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
#: Segments after the first heading in which the price of a product mostly is.
NEAR_SEGMENTS = 40
#: Characters read of the text of a button.
MAX_BUTTON_LENGTH = 60
_CART = re.compile(
    r"add to (?:cart|bag|basket)|buy (?:it )?now|in den warenkorb|ajouter au panier"
    r"|(?:añadir|agregar) (?:al|a la) (?:carrito|cesta)|aggiungi al carrello|adicionar ao carrinho"
    r"|do koszyka|в корзину|カートに入れる|加入购物车|in winkelwagen|sepete ekle",
    re.IGNORECASE,
)


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
    for kind in DECLARED_TYPES:
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
        **declared_kinds(page.page),
        **url_words(page.page.url),
        **describe_forum(page.page),
        **_text_facts(page),
        **_markup_facts(page),
    }


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
    counts = dict.fromkeys(NAMED_KINDS, 0)
    images = 0
    for node in page.outline.nodes[:MAX_NODES]:
        images += node.tag == "img"
        names = class_and_id(node.element, 200)
        if len(names) > 1:
            for name, pattern in NAMED_KINDS.items():
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
    page_path = url_path(page.page.url)
    for index in outline.below(top):
        node = outline.nodes[index]
        if node.tag != "a":
            continue
        href = node.element.get("href")
        if not href or href.startswith("#"):
            continue
        if url_path(href) in ("", page_path):
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

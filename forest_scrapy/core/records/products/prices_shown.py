"""The prices that a page shows, ranked: which of them is that of the product."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from math import log1p

from forest_scrapy.core.document.outline import Outline
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.patterns.anchored import anchored_paths
from forest_scrapy.core.records.products.old_prices import STRUCK_TAGS
from forest_scrapy.core.records.products.prices import Price, has_price, price_text, read_price

__all__ = ["ShownPrice", "find_prices", "is_cart"]

#: Characters and leaves of the longest element that is a price with a few words.
_LONGEST, _MOST_LEAVES = 60, 14
#: Prices that are ranked on a page; elements above a price whose names are read.
_MOST_PRICES, _NAMED_ABOVE = 300, 4
#: Leaves around a price that are searched for the button of a cart.
_NEAR = 25

_PRICE_NAME = re.compile(r"price|preis|prix|precio|prezzo|amount|cost", re.IGNORECASE)
_NOW_NAME = re.compile(r"current|sale|final|now|today|main|primary|actual|buybox", re.IGNORECASE)
_OLD_NAME = re.compile(
    r"old|was|regular|list[_-]?price|strike|compare|before|msrp|rrp|original|crossed|saving|ship"
    r"|install?ment|financ|unit|tax|rating|review|related|recommend|similar|also|upsell|sponsor"
    r"|seller|warrant|protection|accessor|bundle|add-?on|coupon|reward",
    re.IGNORECASE,
)
_OTHER_WORDS = re.compile(
    r"shipping|versand|livraison|envío|save|off\b|/mo\b|month|monat|mois|mes\b|deposit|tax|from"
    r"|was\b|list price|statt|uvp|rrp|msrp|over \S?\d|orders|gift|trade|credit|fee|bid|each",
    re.IGNORECASE,
)
_CART = re.compile(
    r"add (?:all )?to|buy (?:it )?now|warenkorb|panier|carrito|carrello|carrinho|koszyk|корзин"
    r"|winkelwagen|sepet|カート|购物车",
    re.IGNORECASE,
)
_REST = re.compile(r"[\d.,'\s]")


@dataclass(frozen=True)
class ShownPrice:
    """A price on a page: the index of its element, its value, and how likely it is that of the
    product: larger is better."""

    node: int
    price: Price
    score: float


def find_prices(page: Page, name_at: int) -> list[ShownPrice]:
    """The prices of a page, the likeliest first; ``name_at``: the leaf of the product's name, -1
    if it is not shown.

    The weights are chosen by hand, on the pages of wcxb-dev-product.  Cost: linear in the size of
    the page.
    """
    outline = page.outline
    found = _read_prices(outline)
    paths = anchored_paths(outline)
    alike = Counter(paths[node] for node, _ in found)
    carts = [i for i, leaf in enumerate(outline.leaves) if is_cart(leaf.text)]
    in_link = outline.inside(("a",))
    ranked = []
    for order, (node, price) in enumerate(found):
        score = _score_names(outline, node) - 0.8 * log1p(alike[paths[node]] - 1)
        first = outline.nodes[node].first
        distance = first - name_at if name_at >= 0 else first
        score -= 0.25 * log1p(abs(distance)) + (0.5 if distance < 0 else 0.0) + 0.02 * order
        score -= 1.5 * in_link[node]
        score += 1.0 * any(abs(first - cart) <= _NEAR for cart in carts[:20])
        ranked.append(ShownPrice(node, price, round(score, 4)))
    return sorted(ranked, key=lambda one: (-one.score, one.node))


def _read_prices(outline: Outline) -> list[tuple[int, Price]]:
    """The innermost elements with a whole price."""
    found: dict[int, Price] = {}
    for i in range(len(outline.nodes) - 1, -1, -1):  # inner elements first
        if len(found) >= 2 * _MOST_PRICES:
            break
        text = _short_text(outline, i)
        if not text or not has_price(text):
            continue
        inner = [node for node in _inside(outline, i) if node in found]
        price = read_price(text)
        if not price or not float(price.amount) or not _adds_to(outline, text, price, inner, found):
            continue
        for node in inner:
            del found[node]
        found[i] = price
    return sorted(found.items())[:_MOST_PRICES]


def _adds_to(
    outline: Outline, text: str, price: Price, inner: list[int], found: dict[int, Price]
) -> bool:
    """Whether an element has a price, and not only the one that an element inside it has, unless
    that has a part of it, such as the amount without the cents."""
    if len(inner) != 1:
        return not inner
    is_same = _REST.sub("", text) == _REST.sub("", _short_text(outline, inner[0]))
    return is_same and price.amount != found[inner[0]].amount


def _inside(outline: Outline, node: int) -> range:
    return range(node + 1, outline.ends[node])


def _short_text(outline: Outline, index: int) -> str:
    node = outline.nodes[index]
    if not 0 < node.last - node.first <= _MOST_LEAVES:
        return ""
    text = price_text(outline, node.first, node.last)
    return text if len(text) <= _LONGEST else ""


def _score_names(outline: Outline, node: int) -> float:
    """What the names of the element and of those above it say, and its own words."""
    above = list(outline.path(node))[:_NAMED_ABOVE]
    tags = {outline.nodes[i].tag for i in above}
    names = " ".join(
        f"{element.get('class') or ''} {element.get('id') or ''}"[:300]
        for element in (outline.nodes[i].element for i in above)
    )
    score = 1.5 * bool(_PRICE_NAME.search(names)) + 0.5 * bool(_NOW_NAME.search(names))
    score -= 1.2 * bool(_OLD_NAME.search(names)) + 2.5 * bool(tags & STRUCK_TAGS)
    first = outline.nodes[node].first
    words = " ".join(leaf.text for leaf in outline.leaves[max(0, first - 1) : first])[-40:]
    words = "" if has_price(words) else words  # they are about another price
    return score - 1.5 * bool(_OTHER_WORDS.search(f"{words} {_short_text(outline, node)}"))


def is_cart(text: str) -> bool:
    """Whether a text may be that of a button that puts a product into the cart."""
    return len(text) <= _LONGEST and _CART.search(text) is not None

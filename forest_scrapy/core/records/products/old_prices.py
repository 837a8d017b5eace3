"""Prices that no longer hold: struck out, or called old by their names, labels or words."""

from __future__ import annotations

import re

from forest_scrapy.core.document.tree import Element

__all__ = ["STRUCK_TAGS", "is_called_old", "is_struck", "without_old"]

STRUCK_TAGS = frozenset(("del", "s", "strike"))
#: Characters of the longest class or label that is read.
_LONGEST = 200
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PRICE = r"(?:price|preis|prix|precio|prezzo|preco|prijs|pris|cena|amount)"
#: Words that are also used for other things, such as a "regular" font.
_WITH_PRICE = (
    r"(?:regular|original|normal|before|prev(?:ious)?|compare|retail|ancien|anterior|alter)"
)
#: Classes such as "price-regular", "was" and "oldPrice".
_OLD_NAME = re.compile(
    r"(?:^|[\s_-])(?:old|was|strike\w*|struck|crossed\w*|line-?through|uvp|msrp|rrp|barr[eé]"
    r"|compare-?at|durchgestrichen|tachado"
    rf"|{_WITH_PRICE}[_-]*{_PRICE}|{_PRICE}[_-]+{_WITH_PRICE}|list[_-]*{_PRICE})(?:$|[\s_-])",
    re.IGNORECASE,
)
_LINE_THROUGH = re.compile(r"text-decoration[^;]*line-through", re.IGNORECASE)
_OLD_WORDS = (
    r"\b(?:was|before|rrp|msrp|statt|uvp|vorher|bisher|avant|antes|prima|au lieu de|invece di"
    r"|en lugar de|compared? (?:at|to)|prix (?:de base|barré|initial|d'origine|conseillé|habituel)"
    r"|ancien prix|precio (?:anterior|original|habitual)|prezzo (?:precedente|originale)"
    r"|preço (?:anterior|original)|adviesprijs|oude prijs|stara cena|(?:старая) (?:цена)"
    r"|ordinarie pris|tidigare pris|førpris|eski fiyat"
    r"|(?:regular|original|normal|old|list|previous|alter|ursprünglicher) (?:price|preis))\b"
    r"|通常価格|原价|原價|定価"
)
_LABEL = re.compile(_OLD_WORDS, re.IGNORECASE)
#: Such words with the number after them.
_OLD_AMOUNT = re.compile(rf"(?:{_OLD_WORDS})\W{{0,6}}\d[\d.,']*(?:\s?[€£$¥])?", re.IGNORECASE)


def is_struck(element: Element) -> bool:
    """Whether an element is struck out, by its tag or its style."""
    return element.tag in STRUCK_TAGS or bool(_LINE_THROUGH.search(element.get("style") or ""))


def is_called_old(element: Element) -> bool:
    """Whether the class, the ID or the label of an element says that it is an old price.

    >>> from forest_scrapy.core.document.tree import parse_html
    >>> names = "old-price", "price-regular", "wasPrice", "font-regular price", "bold"
    >>> [is_called_old(parse_html(f"<b class='{name}'>").find(".//b")) for name in names]
    [True, True, True, False, False]
    """
    names = f"{element.get('class') or ''} {element.get('id') or ''}"[:_LONGEST]
    label = (element.get("aria-label") or "")[:_LONGEST]
    return bool(_OLD_NAME.search(_CAMEL.sub("-", names)) or _LABEL.search(label))


def without_old(text: str) -> str:
    """A text without the amounts that it calls old.

    >>> without_old("Was £20.00, now £15.00"), without_old("uvp: 5 €")
    (' now £15.00', '')
    """
    return _OLD_AMOUNT.sub("", text)

"""Prices in texts, with their currency."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from price_parser import Price as ParsedPrice

from forest_scrapy.core.document.outline import Outline

__all__ = ["Price", "has_price", "price_text", "read_price"]

#: Characters of the longest text that is a price with a few words.
_LONGEST = 80
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|BRL|MXN|PLN|CZK|HUF|SEK|NOK|DKK|RUB|UAH|TRY|ZAR"
_SIGNS = r"[$€£¥₹₽₩₺₴₫฿₪₦]"
_WORDS = rf"\b(?:{_CODES}|kr|zł|Kč|Ft|lei|Rs|\u0440\u0443\u0431)\b\.?"
#: After a space there are three digits more, or it is another number.
_AMOUNT = r"\d[\d.,']*(?:[\u00a0\u202f ]\d{3}(?!\d)[.,]?\d*)*"
_PRICE = re.compile(
    rf"(?:{_SIGNS}|{_WORDS})\s?{_AMOUNT}(?:-|\u2013)?|(?<!\d){_AMOUNT}(?:-|\u2013)?\s?"
    # "Lamp 6 $155": these signs belong to the number after them.
    rf"(?:[$£¥](?!\s?\d)|(?![$£¥]){_SIGNS}|{_WORDS})"
)
_CENTS = re.compile(r"\d\d")
#: Signs of one currency only, or mostly; "$" is the dollar of the country that a page is for.
_CODE_OF = {
    "€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY", "₴": "UAH", "₫": "VND",
    "฿": "THB", "₪": "ILS", "₦": "NGN", "$": "USD", "US$": "USD", "C$": "CAD", "CA$": "CAD",
    "A$": "AUD", "AU$": "AUD", "R$": "BRL", "NZ$": "NZD", "zł": "PLN", "Kč": "CZK", "Ft": "HUF",
    "¥": "JPY", "Rs": "INR", "\u0440\u0443\u0431": "RUB",
}  # fmt: skip


@dataclass(frozen=True)
class Price:
    """``amount``: a decimal number as text, such as ``1299.00``.  ``currency``: its ISO 4217 code,
    ``USD`` for a mere ``$``; ``""`` if unknown."""

    amount: str
    currency: str = ""


def price_text(outline: Outline, first: int, last: int, clean: Callable[[str], str] = str) -> str:
    """The text of ``leaves[first:last]`` in one piece, since the parts of a price are often in
    several elements; with a point before cents that are only raised.  ``clean`` is called with the
    text of each leaf.

    >>> from forest_scrapy.core import Page
    >>> outline = Page.from_html("<b>$<i>549</i><sup>00</sup></b>").outline
    >>> price_text(outline, 0, 3)
    '$549.00'
    """
    text = ""
    for leaf in outline.leaves[first:last]:
        is_raised = outline.nodes[leaf.node].tag == "sup" and _CENTS.fullmatch(leaf.text)
        own = clean(leaf.text)
        text += "." + own if is_raised and text[-1:].isdigit() else own
    return " ".join(text.split())


def has_price(text: str) -> bool:
    """Whether a short text has a number with a currency.

    >>> has_price("only 1.299,00 €"), has_price("12 items"), has_price("USD 5")
    (True, False, True)
    """
    return len(text) <= _LONGEST and _PRICE.search(text) is not None


def read_price(text: str) -> Price | None:
    """The first number with a currency; None if there is none.

    >>> read_price("now 1.299,00 € (was 1.399,00 €)")
    Price(amount='1299.00', currency='EUR')
    >>> read_price("12 items") is None
    True
    >>> read_price("1 299,00 kr 30 days").amount
    '1299.00'
    >>> read_price("Lamp 6 $155")
    Price(amount='155', currency='USD')
    """
    found = _PRICE.search(text[: 4 * _LONGEST])
    if not found:
        return None
    parsed = ParsedPrice.fromstring(found[0].strip())
    if parsed.amount is None:
        return None
    sign = (parsed.currency or "").strip(" .")
    code = sign if re.fullmatch("[A-Z]{3}", sign) else _CODE_OF.get(sign, "")
    return Price(str(parsed.amount), code)

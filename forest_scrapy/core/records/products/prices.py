"""Prices in texts, with their currency."""

from __future__ import annotations

import re
from dataclasses import dataclass

from price_parser import Price as ParsedPrice

__all__ = ["Price", "has_price", "read_price"]

#: Characters of the longest text that is a price with a few words.
_LONGEST = 80
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|BRL|MXN|PLN|CZK|HUF|SEK|NOK|DKK|RUB|UAH|TRY|ZAR"
_SIGNS = r"[$€£¥₹₽₩₺₴₫฿₪₦]"
_WORDS = rf"\b(?:{_CODES}|kr|zł|Kč|Ft|lei|Rs|\u0440\u0443\u0431)\b\.?"
_AMOUNT = r"\d[\d.,'\u00a0\u202f ]*"
_PRICE = re.compile(
    rf"(?:{_SIGNS}|{_WORDS})\s?{_AMOUNT}(?:-|\u2013)?|{_AMOUNT}(?:-|\u2013)?\s?(?:{_SIGNS}|{_WORDS})"
)
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

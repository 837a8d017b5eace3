"""The currency of a sign that several countries have, by the country of the site.

find_country(page) -> "AU"
page_signs(page)   -> {"$": "AUD", ...}
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from urllib.parse import urlsplit

from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.urls import host_of

#: Signs of one currency only, or mostly; of those that several have the commonest, see
#: ``page_signs``.
CODE_OF: Mapping[str, str] = MappingProxyType(
    {
        "€": "EUR",
        "£": "GBP",
        "₹": "INR",
        "₽": "RUB",
        "₩": "KRW",
        "₺": "TRY",
        "₴": "UAH",
        "₫": "VND",
        "฿": "THB",
        "₪": "ILS",
        "₦": "NGN",
        "₱": "PHP",
        "₲": "PYG",
        "₡": "CRC",
        "₸": "KZT",
        "₾": "GEL",
        "$": "USD",
        "US$": "USD",
        "C$": "CAD",
        "CA$": "CAD",
        "CDN$": "CAD",
        "Can$": "CAD",
        "A$": "AUD",
        "AU$": "AUD",
        "R$": "BRL",
        "NZ$": "NZD",
        "HK$": "HKD",
        "S$": "SGD",
        "SG$": "SGD",
        "NT$": "TWD",
        "MX$": "MXN",
        "Mex$": "MXN",
        "AR$": "ARS",
        "RD$": "DOP",
        "CL$": "CLP",
        "CLP$": "CLP",
        "COL$": "COP",
        "CO$": "COP",
        "US $": "USD",
        "zł": "PLN",
        "Kč": "CZK",
        "Ft": "HUF",
        "lei": "RON",
        "RON": "RON",
        "\u043b\u0432": "BGN",
        "CN¥": "CNY",
        "JP¥": "JPY",
        "¥": "JPY",
        "円": "JPY",
        "元": "CNY",
        "Rs": "INR",
        "RM": "MYR",
        "Rp": "IDR",
        "TL": "TRY",
        "CHF": "CHF",
        "Fr": "CHF",
        "\u0440\u0443\u0431": "RUB",
        "\u0433\u0440\u043d": "UAH",
    }
)

#: The currencies of countries (ISO 3166) whose sign others have, too.
_CURRENCIES_OF: Mapping[str, Mapping[str, str]] = {
    "$": {
        "US": "USD",
        "CA": "CAD",
        "AU": "AUD",
        "NZ": "NZD",
        "SG": "SGD",
        "HK": "HKD",
        "TW": "TWD",
        "MX": "MXN",
        "AR": "ARS",
        "CL": "CLP",
        "CO": "COP",
        "UY": "UYU",
        "DO": "DOP",
        "BR": "BRL",
        "JM": "JMD",
        "TT": "TTD",
        "BS": "BSD",
        "FJ": "FJD",
        "BB": "BBD",
        "BN": "BND",
    },
    "kr": {"SE": "SEK", "NO": "NOK", "DK": "DKK", "IS": "ISK", "FO": "DKK", "GL": "DKK"},
    "¥": {"JP": "JPY", "CN": "CNY"},
    "Rs": {"IN": "INR", "PK": "PKR", "LK": "LKR", "NP": "NPR", "MU": "MUR"},
    "£": {"GB": "GBP", "UK": "GBP", "EG": "EGP"},
    "R": {"ZA": "ZAR"},
}
#: The country by the language, for signs of which no currency is the commonest.
_COUNTRY_OF_LANGUAGE = {
    "sv": "SE",
    "no": "NO",
    "nb": "NO",
    "nn": "NO",
    "da": "DK",
    "is": "IS",
    "ja": "JP",
    "zh": "CN",
    "hi": "IN",
    "ur": "PK",
    "si": "LK",
}
#: Top-level domains of countries that are used as general ones.
_GENERAL_DOMAINS = frozenset(
    ("ai", "am", "cc", "co", "eu", "fm", "gg", "io", "la", "ly", "me", "sh", "st", "to", "tv", "ws")
)
#: A folder or subdomain such as ``en-au``, ``en_AU`` or ``au``.
_REGION = re.compile(r"(?:[a-z]{2}[-_])?([a-z]{2})", re.IGNORECASE)
_LOCALE = re.compile(r"[a-z]{2,3}(?:[-_][a-z]{4})?[-_]([a-z]{2})", re.IGNORECASE)
#: Folders of a path that may name a region.
_MAX_FOLDERS = 3
#: The countries that a mere folder may name: others have signs of their own, and two letters may be
#: a language or a word.
_COUNTRIES = frozenset(country for countries in _CURRENCIES_OF.values() for country in countries)


def page_signs(page: Page, declared: Sequence[str] = ()) -> Mapping[str, str]:
    """The code of each sign on this page.  For those that several countries have: the first of the
    codes that the page declares for prices, else that of the site's country, else that of its
    language; ``USD`` for ``$`` if nothing is known."""
    country = find_country(page)
    language_country = _COUNTRY_OF_LANGUAGE.get(page.language, "")
    signs = dict(CODE_OF)
    for sign, currencies in _CURRENCIES_OF.items():
        declared_codes = [code for code in declared if code in currencies.values()]
        country_code = currencies.get(country) or currencies.get(language_country)
        code = declared_codes[0] if declared_codes else country_code
        if code:
            signs[sign] = code
    return signs


#: Under this key the codes of signs are kept with a page.
_SIGNS = "products.signs"


def signs_of(page: Page) -> Mapping[str, str]:
    """The code of each sign on this page, whatever it declares; found once."""
    signs: Mapping[str, str] | None = page.notes.get(_SIGNS)
    if signs is None:
        signs = page_signs(page)
        page.notes[_SIGNS] = signs
    return signs


def find_country(page: Page) -> str:
    """The country (ISO 3166, upper case) that a page is for: by the domain of its host, a folder or
    subdomain, the declared language, ``og:locale``; ``""`` if none is told.

    Only countries whose currency has the sign of others' are told by a mere folder.

    >>> urls = "https://a.example.au/", "https://a.example.com/en-nz/x", "https://ca.example.com/"
    >>> [find_country(Page.from_html("<p>a", url)) for url in urls]
    ['AU', 'NZ', 'CA']
    >>> find_country(Page.from_html("<html lang=en-SG><p>a", "https://example.com/"))
    'SG'
    """
    for country in _named_countries(page):
        return "GB" if country == "UK" else country
    return ""


def _named_countries(page: Page) -> Iterator[str]:
    host = host_of(page.url)
    labels = host.split(".")
    domain = labels[-1]
    if len(labels) > 1 and len(domain) == 2 and domain not in _GENERAL_DOMAINS:
        yield domain.upper()
    folders = _folders(page.url)
    for name in (*folders, *labels[:1]):
        match = _REGION.fullmatch(name)
        if match and match[1].upper() in _COUNTRIES:
            yield match[1].upper()
    meta = page.declared.meta
    for text in (page.root.get("lang") or "", *meta.get("og:locale", ())):
        match = _LOCALE.fullmatch(text.strip())
        # This is what software writes that was not told of another country.
        if match and match[1].upper() != "US":
            yield match[1].upper()


def _folders(url: str) -> list[str]:
    try:
        path = urlsplit(url).path
    except ValueError:
        return []
    return path.strip("/").split("/")[:_MAX_FOLDERS]

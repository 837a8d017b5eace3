"""Prices: in texts, with their currency; old ones; and those that a page shows for its product."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from math import log1p

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element, class_and_id
from forest_scrapy.core.xpaths.anchored import anchored_paths

#: Characters of the longest text that is a price with a few words.
MAX_LENGTH = 80
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|BRL|MXN|PLN|CZK|HUF|SEK|NOK|DKK|RUB|UAH|TRY|ZAR"
_SIGNS = r"[$€£¥₹₽₩₺₴₫฿₪₦]"
_WORDS = rf"\b(?:{_CODES}|kr|zł|Kč|Ft|lei|Rs|\u0440\u0443\u0431)\b\.?"
#: After a space there are three digits more, or it is another number.
_AMOUNT = r"\d[\d.,']*(?:[\u00a0\u202f ]\d{3}(?!\d)[.,]?\d*)*"
_PRICE = re.compile(
    rf"(?:{_SIGNS}|{_WORDS})\s?{_AMOUNT}(?:-|\u2013)?|(?<!\d){_AMOUNT}(?:-|\u2013)?\s?"
    # "Lamp 6 $155": these signs belong to the number after them.
    rf"(?:(?:[A-Z]{{1,3}})?[$£¥](?!\s?\d)|(?![$£¥]){_SIGNS}|{_WORDS})"
)
#: Letters before a sign that several currencies share, and a code after the amount.
_BEFORE = re.compile(r"(?<![^\W\d_])([A-Z]{1,3}|Mex)(\s?)$")
_AFTER = re.compile(rf"\s?({_CODES})\b")
_CENTS = re.compile(r"\d\d")
#: Signs of one currency only, or mostly; "$" is the dollar of the country that a page is for.
_CODE_OF = {
    "€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY", "₴": "UAH", "₫": "VND",
    "฿": "THB", "₪": "ILS", "₦": "NGN", "$": "USD", "US$": "USD", "C$": "CAD", "CA$": "CAD",
    "A$": "AUD", "AU$": "AUD", "R$": "BRL", "NZ$": "NZD", "zł": "PLN", "Kč": "CZK", "Ft": "HUF",
    "HK$": "HKD", "S$": "SGD", "SG$": "SGD", "NT$": "TWD", "MX$": "MXN", "Mex$": "MXN",
    "CDN$": "CAD", "AR$": "ARS", "RD$": "DOP", "CN¥": "CNY", "JP¥": "JPY",
    "¥": "JPY", "Rs": "INR", "\u0440\u0443\u0431": "RUB",
}  # fmt: skip


@dataclass(frozen=True)
class Price:
    """``amount``: a decimal number as text, such as ``1299.00``.  ``currency``: its ISO 4217 code,
    ``USD`` for a mere ``$``; ``""`` if unknown."""

    amount: str
    currency: str = ""


def price_text(
    outline: Outline,
    first: int,
    last: int,
    clean: Callable[[str], str] = str,
) -> str:
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
        if is_raised and text[-1:].isdigit():
            text += "."
        text += clean(leaf.text)
    return " ".join(text.split())


def has_price(text: str) -> bool:
    """Whether a short text has a number with a currency.

    >>> has_price("only 1.299,00 €"), has_price("12 items"), has_price("USD 5")
    (True, False, True)
    """
    return len(text) <= MAX_LENGTH and _PRICE.search(text) is not None


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
    >>> [read_price(text).currency for text in ("R$ 5", "5 HK$", "AUD $5", "$5 CAD", "Q$5")]
    ['BRL', 'HKD', 'AUD', 'CAD', '']
    """
    text = text[: 4 * MAX_LENGTH]
    match = _PRICE.search(text)
    if match is None:
        return None
    from price_parser import Price as ParsedPrice

    parsed = ParsedPrice.fromstring(match[0].strip())
    if parsed.amount is None:
        return None
    amount = str(parsed.amount)
    sign = (parsed.currency or "").strip(" .")
    if sign in ("$", "£", "¥"):
        before = text[: match.start()]
        after = text[match.end() :]
        return Price(amount, _code_around(before, sign, after))
    if re.fullmatch("[A-Z]{3}", sign):
        return Price(amount, sign)
    return Price(amount, _CODE_OF.get(sign, ""))


def _code_around(
    before: str,
    sign: str,
    after: str,
) -> str:
    """The code of a sign that several currencies share, by the letters before it and the code after
    its amount; ``""`` if letters are written to it that are not known."""
    code_after = _AFTER.match(after)
    if code_after:
        return code_after[1]
    letters_before = _BEFORE.search(before[-5:])
    if letters_before is None:
        return _CODE_OF[sign]
    letters, space = letters_before.groups()
    if re.fullmatch(_CODES, letters):
        return letters
    code = _CODE_OF.get(letters + sign, "")
    if not space or (len(letters) > 1 and code):
        return code
    return _CODE_OF[sign]


STRUCK_TAGS = frozenset(("del", "s", "strike"))
#: Characters of a class or label that are read.
MAX_NAMES_LENGTH = 200
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PRICE_WORD = r"(?:price|preis|prix|precio|prezzo|preco|prijs|pris|cena|amount)"
#: Words that are also used for other things, such as a "regular" font.
_WITH_PRICE = (
    r"(?:regular|original|normal|before|prev(?:ious)?|compare|retail|ancien|anterior|alter)"
)
#: Classes such as "price-regular", "was" and "oldPrice".
_OLD_NAMES = re.compile(
    r"(?:^|[\s_-])(?:old|was|strike\w*|struck|crossed\w*|line-?through|uvp|msrp|rrp|barr[eé]"
    r"|compare-?at|durchgestrichen|tachado"
    rf"|{_WITH_PRICE}[_-]*{_PRICE_WORD}|{_PRICE_WORD}[_-]+{_WITH_PRICE}|list[_-]*{_PRICE_WORD})(?:$|[\s_-])",
    re.IGNORECASE,
)
_LINE_THROUGH = re.compile(r"(?:^|;)(?>[^;]*?text-decoration)[^;]*line-through", re.IGNORECASE)
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
    if element.tag in STRUCK_TAGS:
        return True
    return _LINE_THROUGH.search(element.get("style") or "") is not None


def is_called_old(element: Element) -> bool:
    """Whether the class, the ID or the label of an element says that it is an old price.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> names = "old-price", "price-regular", "wasPrice", "font-regular price", "bold"
    >>> [is_called_old(parse_html(f"<b class='{name}'>").find(".//b")) for name in names]
    [True, True, True, False, False]
    """
    names = class_and_id(element, MAX_NAMES_LENGTH)
    label = (element.get("aria-label") or "")[:MAX_NAMES_LENGTH]
    words = _CAMEL.sub("-", names)
    if _OLD_NAMES.search(words):
        return True
    return _LABEL.search(label) is not None


def without_old(text: str) -> str:
    """A text without the amounts that it calls old.

    >>> without_old("Was £20.00, now £15.00"), without_old("uvp: 5 €")
    (' now £15.00', '')
    """
    return _OLD_AMOUNT.sub("", text)


#: Characters and leaves of the longest element that is a price with a few words.
MAX_SHORT_LENGTH = 60
MAX_LEAVES = 14
#: Prices that are ranked on a page.
MAX_PRICES = 300
#: Elements around a price whose names are read, itself among them.
MAX_NAMED_AROUND = 4
#: Leaves around a price in which the button of a cart is looked for.
NEAR_LEAVES = 25

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
_AMOUNT_CHARACTERS = re.compile(r"[\d.,'\s]")


@dataclass(frozen=True)
class ShownValue:
    """A value that a page shows: the index of its element, its text (of a price, the amount), and
    how likely it is that of the product: larger is better."""

    node: int
    text: str
    score: float


def likeliest_first(value: ShownValue) -> tuple[float, int]:
    """The key that sorts values by their score, those with the same in the order of the page."""
    return -value.score, value.node


def find_prices(page: Page, name_at: int) -> list[ShownValue]:
    """The prices of a page, the likeliest first; ``name_at``: the leaf of the product's name, -1
    if it is not shown.

    The weights are chosen by hand, on the pages of wcxb-dev-product.  Cost: linear in the size of
    the page.
    """
    outline = page.outline
    prices = _read_prices(outline)
    paths = anchored_paths(outline)
    path_counts = Counter(paths[node] for node, _ in prices)
    carts = []
    for number, leaf in enumerate(outline.leaves):
        if is_cart(leaf.text):
            carts.append(number)
    in_link = outline.inside(("a",))

    values = []
    for order, (node, price) in enumerate(prices):
        first = outline.nodes[node].first
        distance = first - name_at if name_at >= 0 else first
        before_name = 0.5 if distance < 0 else 0.0
        is_near_cart = any(abs(first - cart) <= NEAR_LEAVES for cart in carts[:20])
        repeats = path_counts[paths[node]] - 1
        score = _score_names(outline, node) - 0.8 * log1p(repeats)
        score -= 0.25 * log1p(abs(distance)) + before_name + 0.02 * order
        score -= 1.5 * in_link[node]
        score += 1.0 * is_near_cart
        value = ShownValue(node, price.amount, round(score, 4))
        values.append(value)
    return sorted(values, key=likeliest_first)


def _read_prices(outline: Outline) -> list[tuple[int, Price]]:
    """The innermost elements with a whole price."""
    prices: dict[int, Price] = {}
    indices = range(len(outline.nodes))
    for index in reversed(indices):  # inner elements first
        if len(prices) >= 2 * MAX_PRICES:
            break
        text = _short_text(outline, index)
        if not text or not has_price(text):
            continue
        price = read_price(text)
        if price is None or not float(price.amount):
            continue
        inner_nodes = range(index + 1, outline.ends[index])
        inner_prices = {node: prices[node] for node in inner_nodes if node in prices}
        if not _is_new_price(outline, text, price, inner_prices):
            continue
        for node in inner_prices:
            del prices[node]
        prices[index] = price
    return sorted(prices.items())[:MAX_PRICES]


def _is_new_price(
    outline: Outline,
    text: str,
    price: Price,
    inner_prices: Mapping[int, Price],
) -> bool:
    """Whether an element has a price, and not only the one that an element inside it has, unless
    that has a part of it, such as the amount without the cents."""
    if not inner_prices:
        return True
    if len(inner_prices) > 1:
        return False
    ((inner_node, inner_price),) = inner_prices.items()
    words = _AMOUNT_CHARACTERS.sub("", text)
    inner_words = _AMOUNT_CHARACTERS.sub("", _short_text(outline, inner_node))
    return words == inner_words and price.amount != inner_price.amount


def _short_text(outline: Outline, index: int) -> str:
    node = outline.nodes[index]
    if not 0 < node.last - node.first <= MAX_LEAVES:
        return ""
    text = price_text(outline, node.first, node.last)
    if len(text) <= MAX_SHORT_LENGTH:
        return text
    return ""


def _score_names(outline: Outline, node: int) -> float:
    """The evidence of the names of the element and of those around it, and of its own words."""
    around = [outline.nodes[index] for index in islice(outline.path(node), MAX_NAMED_AROUND)]
    names = " ".join(class_and_id(ancestor.element, 300) for ancestor in around)
    is_struck_out = any(ancestor.tag in STRUCK_TAGS for ancestor in around)
    is_price = _PRICE_NAME.search(names) is not None
    is_current = _NOW_NAME.search(names) is not None
    is_old = _OLD_NAME.search(names) is not None
    score = 1.5 * is_price + 0.5 * is_current
    score -= 1.2 * is_old + 2.5 * is_struck_out

    first = outline.nodes[node].first
    words_before = ""
    if first:
        words_before = outline.leaves[first - 1].text[-40:]
    if has_price(words_before):
        words_before = ""  # they are about another price
    words = f"{words_before} {_short_text(outline, node)}"
    is_other_price = _OTHER_WORDS.search(words) is not None
    return score - 1.5 * is_other_price


def is_cart(text: str) -> bool:
    """Whether a text may be that of a button that puts a product into the cart."""
    return len(text) <= MAX_SHORT_LENGTH and _CART.search(text) is not None

"""Prices: in texts, with their currency; old ones; and those that a page shows for its product."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import log1p

from forest_scrapy.core.lazy import LazyPattern
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import PHRASING, Element, class_and_id
from forest_scrapy.core.records.products.currencies import CODE_OF
from forest_scrapy.core.xpaths.anchored import anchored_paths

#: Characters of the longest text that is a price with a few words.
MAX_LENGTH = 80
_CODES = (
    "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|BRL|MXN|PLN|CZK|HUF|SEK|NOK|DKK|RUB|UAH|TRY|ZAR"
    "|SGD|HKD|TWD|KRW|THB|MYR|IDR|PHP|VND|ILS|AED|SAR|QAR|KWD|BHD|OMR|EGP|RON|BGN|ISK|ARS|CLP|COP"
    "|PEN|PKR|NGN|KES"
)
_SIGNS = r"[$€£¥₹₽₩₺₴₫฿₪₦₱₲₡₸₾]"
_NAMES = (
    rf"{_CODES}|kr|zł|Kč|Ft|lei|Rs|RM|Rp|TL|Fr|\u0440\u0443\u0431|\u0433\u0440\u043d"
    r"|\u043b\u0432"
)
_WORDS = rf"\b(?:{_NAMES})\b\.?"
_WORDS_AFTER = rf"(?:{_NAMES})\b\.?|[円元](?!\w)"
#: After a space there are three digits more, or it is another number.  Longer ones are no prices.
_AMOUNT = r"\d[\d.,']{0,20}(?:[\u00a0\u202f ]\d{3}(?!\d)[.,]?\d{0,6}){0,4}"
_PRICE = re.compile(
    rf"(?:{_SIGNS}|{_WORDS})\s?{_AMOUNT}(?:-|\u2013)?|(?<!\d){_AMOUNT}(?:-|\u2013)?\s?"
    # "Lamp 6 $155": these signs belong to the number after them.
    rf"(?:(?:[A-Z]{{1,3}})?[$£¥](?!\s?\d)|(?![$£¥]){_SIGNS}|{_WORDS_AFTER})"
)
#: Letters before a sign that several currencies share, and a code after the amount.
_BEFORE = re.compile(r"(?<![^\W\d_])([A-Z]{1,3}|Mex)(\s?)$")
_AFTER = re.compile(rf"\s?({_CODES})\b")
_CENTS = re.compile(r"\d\d")
#: What begins with a number, and what may be written to one.
_NUMBER = re.compile(rf"\s*(?:(?:{_SIGNS}|{_WORDS})\s?)?\d")
_CURRENCY = re.compile(rf"{_SIGNS}|{_WORDS}")
#: What no price has in it.
_NUMBER_END = "\n\n"
#: Elements that may have a part of a number, and how many may be around it.
_INSIDE_PRICE = PHRASING - {"a"}
MAX_NUMBER_LEVELS = 8
#: Currencies with three digits after the point.
_THREE_DECIMALS = frozenset(("BHD", "JOD", "KWD", "OMR", "TND"))
_THOUSANDTHS = re.compile(r"\d+[.,]\d{3}")
_NO_DIGITS = re.compile(r"[^\d.,]+")


@dataclass(frozen=True)
class Price:
    """``amount``: a decimal number as text, such as ``1299.00``.  ``currency``: its ISO 4217 code;
    ``""`` if unknown."""

    amount: str
    currency: str = ""


def price_text(
    outline: Outline,
    first: int,
    last: int,
    clean: Callable[[str], str] = str,
) -> str:
    r"""The text of ``leaves[first:last]`` in one piece, since the parts of a price are often in
    several elements; with a point before cents that are only raised, and two line breaks between
    numbers that are not parts of one, as at the end of a name.  ``clean`` is called with the text
    of each leaf.

    >>> from forest_scrapy.core import Page
    >>> outline = Page.from_html("<b>$<i>549</i><sup>00</sup></b>").outline
    >>> price_text(outline, 0, 3)
    '$549.00'
    >>> outline = Page.from_html("<p><a>Phone 15</a><i>164,00 €</i></p>").outline
    >>> price_text(outline, 0, 2)
    'Phone 15\n\n164,00 €'
    """
    numbers: list[str] = []
    text = ""
    for at in range(first, last):
        leaf = outline.leaves[at]
        is_raised = outline.nodes[leaf.node].tag == "sup" and _CENTS.fullmatch(leaf.text)
        leaf_text = clean(leaf.text)
        if text[-1:].isdigit() and is_raised:
            text += "."
        elif (
            text.rstrip()[-1:].isdigit()
            and _NUMBER.match(leaf_text)
            and _is_other_number(outline, at)
        ):
            numbers.append(text)
            text = ""
        text += leaf_text
    numbers.append(text)
    return _NUMBER_END.join(" ".join(text.split()) for text in numbers)


def _is_other_number(outline: Outline, at: int) -> bool:
    """Whether the number at which a leaf begins is another one than that at the end of the leaf
    before it: one of both is in a block or a link of its own, or has words before it."""
    first = outline.leaves[at - 1].node
    last = outline.leaves[at].node
    for node in islice(outline.path(last), MAX_NUMBER_LEVELS):
        if node <= first < outline.ends[node]:
            break
        if outline.nodes[node].tag not in _INSIDE_PRICE:
            return True

    words = outline.leaves[at - 1].text
    for node in islice(outline.path(first), MAX_NUMBER_LEVELS):
        if node <= last < outline.ends[node]:
            break
        if outline.nodes[node].tag not in _INSIDE_PRICE:
            return True
        part = outline.nodes[node]
        if part.last - part.first > MAX_LEAVES:
            return True
        words = " ".join(leaf.text for leaf in outline.leaves[part.first : part.last])
    words = _CURRENCY.sub("", words)
    return any(map(str.isalpha, words))


def has_price(text: str) -> bool:
    """Whether a short text has a number with a currency.

    >>> has_price("only 1.299,00 €"), has_price("12 items"), has_price("USD 5")
    (True, False, True)
    """
    return len(text) <= MAX_LENGTH and _PRICE.search(text) is not None


def read_price(text: str, signs: Mapping[str, str] = CODE_OF) -> Price | None:
    """The first number with a currency; None if there is none.

    ``signs``: the codes of the signs, which for some depend on the page (see
    ``currencies.page_signs``).

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

    shown_price = match[0].strip()
    parsed = ParsedPrice.fromstring(shown_price)
    if parsed.amount is None:
        return None
    sign = _read_sign(shown_price)
    if sign in ("$", "£", "¥"):
        before = text[: match.start()]
        after = text[match.end() :]
        code = _code_around(before, sign, after, signs)
    elif re.fullmatch("[A-Z]{3}", sign):
        code = sign
    else:
        code = signs.get(sign, "")

    amount = str(parsed.amount)
    digits = _NO_DIGITS.sub("", shown_price)
    if code in _THREE_DECIMALS and _THOUSANDTHS.fullmatch(digits):
        amount = digits.replace(",", ".")
    return Price(amount, code)


def _read_sign(price: str) -> str:
    """What is written to the amount of a price: its sign or its code."""
    sign = re.sub(r"[\d.,'\s\u2013-]+", "", price)
    letter_before = re.search(r"[A-Z]{1,3}(?=[$£¥]$)", sign)
    if letter_before:  # "5 HK$"
        return sign[letter_before.start() :]
    return sign


def _code_around(
    before: str,
    sign: str,
    after: str,
    signs: Mapping[str, str],
) -> str:
    """The code of a sign that several currencies share, by the letters before it and the code after
    its amount; ``""`` if letters are written to it that are not known."""
    code_after = _AFTER.match(after)
    if code_after:
        return code_after[1]
    letters_before = _BEFORE.search(before[-5:])
    if letters_before is None:
        return signs[sign]
    letters, space = letters_before.groups()
    if re.fullmatch(_CODES, letters):
        return letters
    code = signs.get(letters + sign, "")
    if not space or (len(letters) > 1 and code):
        return code
    return signs[sign]


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
_OLD_NAMES = LazyPattern(
    r"(?:^|[\s_-])(?:old|was|strike\w*|struck|crossed\w*|line-?through|uvp|msrp|rrp|barr[eé]"
    r"|compare-?at|durchgestrichen|tachado"
    rf"|{_WITH_PRICE}[_-]*{_PRICE_WORD}|{_PRICE_WORD}[_-]+{_WITH_PRICE}|list[_-]*{_PRICE_WORD})(?:$|[\s_-])",
    re.IGNORECASE,
)
#: Single classes that are those of an old price if a lower one is beside it.
_OLD_CLASSES = frozenset(("regular", "normal", "original", "retail"))
_LINE_THROUGH = re.compile(r"(?:^|;)(?>[^;]*?text-decoration)[^;]*line-through", re.IGNORECASE)
_OLD_WORDS = (
    r"\b(?:was|before|rrp|msrp|statt|uvp|vorher|bisher|avant|antes|prima|au lieu de|invece di"
    r"|en lugar de|compared? (?:at|to)|prix (?:de base|barré|initial|d'origine|conseillé|habituel)"
    r"|ancien prix|precio (?:anterior|original|habitual)|prezzo (?:precedente|originale)"
    r"|preço (?:anterior|original)|adviesprijs|oude prijs|stara cena|(?:старая) (?:цена)"
    r"|ordinarie pris|tidigare pris|førpris|eski fiyat"
    r"|cena (?:katalogowa|regularna|detaliczna)|(?:doporučená|běžná|původní|bežná|pôvodná) cena"
    r"|(?:catalogus|lijst|van)prijs|(?:katalog|listen|normal)preis|prezzo di listino|listino"
    r"|precio de (?:lista|catálogo)|preço de (?:tabela|catálogo)|prix (?:catalogue|public)"
    r"|(?:veiledende|vejledende|ordinær|normal)pris|(?:ordinær|normal|veiledende|vejledende) pris"
    r"|rek\. ?pris|normaalihinta|ovh|eredeti ár|preț (?:vechi|de listă)|liste fiyatı"
    r"|(?:обычная|каталожная|стара|звичайна) (?:цена|ціна)|αρχική τιμή"
    r"|(?:regular|original|normal|old|list|previous|alter|ursprünglicher) (?:price|preis))\b"
    r"|通常価格|原价|原價|定価"
)
_LABEL = LazyPattern(_OLD_WORDS, re.IGNORECASE)
#: Such words with the number after them.
_OLD_AMOUNT = LazyPattern(rf"(?:{_OLD_WORDS})\W{{0,6}}\d[\d.,']*(?:\s?[€£$¥])?", re.IGNORECASE)


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
    if _OLD_NAMES.compiled.search(words) or _OLD_CLASSES.intersection(names.lower().split()):
        return True
    return _LABEL.compiled.search(label) is not None


def without_old(text: str) -> str:
    """A text without the amounts that it calls old.

    >>> without_old("Was £20.00, now £15.00"), without_old("uvp: 5 €")
    (' now £15.00', '')
    """
    return _OLD_AMOUNT.compiled.sub("", text)


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
_OLD_NAME = LazyPattern(
    r"old|was|regular|list[_-]?price|strike|compare|before|msrp|rrp|original|crossed|saving|ship"
    r"|install?ment|financ|unit|tax|rating|review|related|recommend|similar|also|upsell|sponsor"
    r"|seller|warrant|protection|accessor|bundle|add-?on|coupon|reward",
    re.IGNORECASE,
)
_OTHER_WORDS = LazyPattern(
    r"shipping|versand|livraison|envío|save|off\b|/mo\b|month|monat|mois|mes\b|deposit|tax|from"
    r"|was\b|list price|statt|uvp|rrp|msrp|over \S?\d|orders|gift|trade|credit|fee|bid|each",
    re.IGNORECASE,
)
_CART = LazyPattern(
    r"add (?:all )?to|put (?:it )?in(?:to)? (?:my |your |the )?(?:cart|bag|basket|trolley)"
    r"|buy (?:it )?now|warenkorb|panier|carrito|carrello|carrinho|koszyk|корзин"
    r"|winkelwagen|sepet|カート|购物车|購物車|장바구니|einkaufswagen|varukorg|kundvagn|handlekurv"
    r"|læg i kurv|ostoskori|košík|kosárba|în coș|jetzt kaufen|comprar|acquista|καλάθι|giỏ hàng",
    re.IGNORECASE,
)
_AMOUNT_CHARACTERS = re.compile(r"[\d.,'\s]")
#: What stands before one of several payments, and behind it, or behind the price of a unit.
_BEFORE_PART = LazyPattern(
    r"(?:(?<!\d)\d{1,3} ?[x×] ?(?:de|of|à|a|von|da|di|at|od)?"
    r"|(?:payments?|instal?ments?|cuotas|parcelas|mensualités|rates?|raten)"
    r" (?:of|de|à|da|di|zu|von)) ?[A-Z]{0,3} ?$",
    re.IGNORECASE,
)
_BEHIND_PART = LazyPattern(
    r"\s*(?:\(|/|per\b|pro\b|par\b|por\b|al\b|a\b|je\b)\s*(?:mo\b|month|monat|mois|mes\b|mês|mese|jahr"
    r"|year|yr\b|an\b|week|wk\b|maand|mån|måned|miesi|měsíc|1?0*\s?(?:kg|g|l|ml|cl|m|m²|oz|lb|fl|stück"
    r"|unit|each|pc|ct|count)\b)|\s*(?:mtl|monatl|mensuel|mensual|mensil|monthly|p\.\s?m\.)",
    re.IGNORECASE,
)
#: What is written in one element with the cost of shipping, the least order or what is saved; and
#: with a price that has taxes in it and not the shipping.
_OF_ORDER = LazyPattern(
    r"\bshipping|\bdelivery|versand|livraison|envío|spedizione|frete|verzend|frakt|\bover\b|\borders?\b"
    r"|\bsaved?\b|\bsaving|\boff\b|sparen|gespart|économ|ahorr|risparmi|economi[sz]|bespaar|rabatt"
    r"|\bgift|\btrade|\breward|\bpoints?\b",
    re.IGNORECASE,
)
_WITH_TAX = re.compile(
    r"inkl|zzgl|incl|excl|plus|\bttc\b|\bht\b|iva|mwst|\bvat\b|tax", re.IGNORECASE
)
#: Characters of the text around a price that are read for it.
MAX_AROUND = 40
_TAX = (
    r"(?:vat|mwst|ust|mehrwertsteuer|umsatzsteuer|steuer|tax(?:es)?|gst|tva|taxes?|iva|impuestos"
    r"|btw|moms|mva|mvh|dph|áfa|afa|tva|kdv|alv|φπα|ндс|пдв)"
)
#: What tells that a price has no taxes in it, and that it has them.
_NET = LazyPattern(
    rf"(?:\b(?:ex|excl|exkl|exclusief|excluding|exclusive of|without|plus|zzgl|zuzüglich|ohne|hors"
    rf"|sans|sin|senza|sem|bez|zonder|uten|uden|utan|veroton|без|χωρίς)\b|\+)[\W\d]{{0,12}}{_TAX}\b"
    r"|\b(?:netto|nettó|net price|net amount|nettopreis|h\.?t|hors taxes?|htva|veroton)\b"
    r"|税抜|税別|不含税|未稅|세금 별도",
    re.IGNORECASE,
)
_GROSS = LazyPattern(
    rf"\b(?:inc|incl|inkl|ink|inclusief|including|inclusive of|with|mit|avec|con|com|s|z|med|sis)"
    rf"\b[\W\d]{{0,12}}{_TAX}\b|\b(?:brutto|bruttó|gross|ttc)\b|税込|含税|含稅",
    re.IGNORECASE,
)
#: How many times a price without taxes the one with them is.
MIN_TAX_RATIO = 1.01
MAX_TAX_RATIO = 1.3


@dataclass(frozen=True)
class ShownValue:
    """A value that a page shows: the index of its element, its text (of a price, the amount), and
    how likely it is that of the product: larger is better."""

    node: int
    text: str
    score: float


@dataclass(frozen=True)
class ShownPrice(ShownValue):
    """A price; ``text``: the amount.  ``is_old``: whether the page says that it was once the price;
    ``is_other``: whether it is that of another product, of a unit or one of several payments;
    ``is_net``: whether the page says that taxes are not in it.  ``is_near``: whether it is close
    behind the name, or close to the button of the cart."""

    currency: str = ""
    is_old: bool = False
    is_other: bool = False
    is_net: bool = False
    is_near: bool = False


#: Nodes between a price and the old one that it takes the place of.
MAX_BESIDE = 16
#: What it takes from the score of a price that it is shown with its taxes, too.
NET_COST = 4.0


def likeliest_first(value: ShownValue) -> tuple[float, int]:
    """The key that sorts values by their score, those with the same in the order of the page."""
    return -value.score, value.node


def find_prices(
    page: Page,
    name_at: int,
    is_aside: Sequence[bool] = (),
    signs: Mapping[str, str] = CODE_OF,
) -> list[ShownPrice]:
    """The prices of a page, the likeliest first; ``name_at``: the leaf of the product's name, -1
    if it is not shown; ``is_aside``: which nodes are about other products; ``signs``: the
    currencies of signs.

    The weights are chosen by hand, on the pages of wcxb-dev-product.  Cost: linear in the size of
    the page.
    """
    outline = page.outline
    prices = _read_prices(outline, signs)
    paths = anchored_paths(outline)
    path_counts = Counter(paths[node] for node, _ in prices)
    carts = []
    for number, leaf in enumerate(outline.leaves):
        is_of_other = is_aside and is_aside[leaf.node]
        if not is_of_other and is_cart(leaf.text):
            carts.append(number)
    in_link = outline.inside(("a",))

    values = []
    for order, (node, price) in enumerate(prices):
        first = outline.nodes[node].first
        distance = first - name_at if name_at >= 0 else first
        before_name = 0.5 if distance < 0 else 0.0
        is_near_cart = any(abs(first - cart) <= NEAR_LEAVES for cart in carts[:20])
        repeats = path_counts[paths[node]] - 1
        is_of_other = bool(is_aside) and is_aside[node]
        is_of_part = is_part(outline, node, _current_text(outline, node))
        score = _score_names(outline, node) - 0.8 * log1p(repeats)
        score -= 0.25 * log1p(abs(distance)) + before_name + 0.02 * order
        score -= 1.5 * in_link[node]
        score += 1.0 * is_near_cart
        score -= 3.0 * is_of_other + 3.0 * is_of_part
        value = ShownPrice(
            node,
            price.amount,
            round(score, 4),
            currency=price.currency,
            is_old=_is_old(outline, node),
            is_other=is_of_other or is_of_part,
            is_net=_is_net(outline, node),
            is_near=is_near_cart or (name_at >= 0 and 0 <= distance <= NEAR_LEAVES),
        )
        values.append(value)
    return sorted(_demote_net(_without_lone_old(values)), key=likeliest_first)


def is_with_tax(amount: str, net_amount: str) -> bool:
    """Whether an amount may be another one with its taxes.

    >>> is_with_tax("119.00", "100.00"), is_with_tax("100.00", "119.00"), is_with_tax("9", "4")
    (True, False, False)
    """
    ratio = float(amount) / float(net_amount)
    return MIN_TAX_RATIO <= ratio <= MAX_TAX_RATIO


def _demote_net(prices: Sequence[ShownPrice]) -> list[ShownPrice]:
    """The prices, where one without taxes, beside the same one with them, comes after it."""
    gross = [price for price in prices if not price.is_net]
    checked = []
    for price in prices:
        has_gross = False
        if price.is_net:
            for other in gross:
                is_beside = abs(other.node - price.node) <= MAX_BESIDE
                has_gross |= is_beside and is_with_tax(other.text, price.text)
        checked.append(replace(price, score=price.score - NET_COST) if has_gross else price)
    return checked


def _is_net(outline: Outline, index: int) -> bool:
    """Whether a price is called one without taxes: by the words in its element, else by those
    behind it, else by those before it.  Words with a colon are about the price behind them, those
    behind another price about that."""
    text = _current_text(outline, index)
    if _GROSS.compiled.search(text):
        return False
    if _NET.compiled.search(text):
        return True
    node = outline.nodes[index]
    behind = ""
    if node.last < len(outline.leaves):
        behind = outline.lines[node.last][:MAX_AROUND]
    is_about_next = behind.endswith(":") or has_price(behind)
    if not is_about_next:
        if _GROSS.compiled.search(behind):
            return False
        if _NET.compiled.search(behind):
            return True
    if not node.first:
        return False
    before = outline.lines[node.first - 1][-MAX_AROUND:]
    is_about_previous = has_price(before)
    if node.first > 1 and not before.endswith(":"):
        is_about_previous |= has_price(outline.leaves[node.first - 2].text)
    if is_about_previous or _GROSS.compiled.search(before):
        return False
    return _NET.compiled.search(before) is not None


def _without_lone_old(prices: Sequence[ShownPrice]) -> list[ShownPrice]:
    """The prices, where one that is only called old, without another one beside it, is not: shops
    write "Regular price" also where there is no sale."""
    current = [price for price in prices if not (price.is_old or price.is_other)]
    checked = []
    for price in prices:
        if not price.is_old:
            checked.append(price)
            continue
        has_new = False
        for other in current:
            is_beside = abs(other.node - price.node) <= MAX_BESIDE
            has_new |= is_beside and float(other.text) < float(price.text)
        checked.append(price if has_new else replace(price, is_old=False))
    return checked


def is_part(outline: Outline, index: int, own_text: str) -> bool:
    """Whether a price is one of several payments, or that of a unit, or no price, but what shipping
    costs or is saved; ``own_text``: the text of its element without old prices."""
    node = outline.nodes[index]
    before = ""
    behind = ""
    if node.first:
        before = outline.leaves[node.first - 1].text[-MAX_AROUND:]
    if node.last < len(outline.leaves):
        behind = outline.leaves[node.last].text[:MAX_AROUND]
    match = _PRICE.search(own_text)
    if match:
        before = f"{before} {own_text[: match.start()]}"
        behind = f"{own_text[match.end() :]} {behind}"
    if _OF_ORDER.compiled.search(own_text) and not _WITH_TAX.search(own_text):
        return True
    before = " ".join(before.split())
    return bool(_BEFORE_PART.compiled.search(before) or _BEHIND_PART.compiled.match(behind))


def _is_old(outline: Outline, index: int) -> bool:
    """Whether a price is struck out, or called old by names or the words before it."""
    for ancestor in islice(outline.path(index), MAX_NAMED_AROUND - 1):
        element = outline.nodes[ancestor].element
        if is_struck(element) or is_called_old(element):
            return True
    node = outline.nodes[index]
    if _LABEL.compiled.search(_current_text(outline, index)):
        return True
    before = outline.leaves[node.first - 1].text if node.first else ""
    return _is_label(before)


def find_regular_price(price: ShownPrice, prices: Sequence[ShownPrice]) -> str:
    """The old price that is shown beside a price, and is higher; ``""`` if there is none."""
    regular_prices = []
    for other in prices:
        is_beside = abs(other.node - price.node) <= MAX_BESIDE
        is_old_price = other.is_old and not other.is_other
        is_higher = float(other.text) > float(price.text)
        if is_old_price and is_beside and is_higher:
            regular_prices.append((abs(other.node - price.node), other.text))
    return min(regular_prices)[1] if regular_prices else ""


def _read_prices(outline: Outline, signs: Mapping[str, str]) -> list[tuple[int, Price]]:
    """The innermost elements with a whole price, and those with one beside old ones in them."""
    prices: dict[int, Price] = {}
    indices = range(len(outline.nodes))
    for index in reversed(indices):  # inner elements first
        if len(prices) >= 2 * MAX_PRICES:
            break
        text = _short_text(outline, index)
        if not text or not has_price(text):
            continue
        price = read_price(text, signs)
        if price is None or not float(price.amount):
            continue
        inner_nodes = range(index + 1, outline.ends[index])
        inner_prices = {node: prices[node] for node in inner_nodes if node in prices}
        old_nodes = {_old_around(outline, node, index) for node in inner_prices}
        if inner_prices and -1 not in old_nodes:
            current_text = text_without(outline, index, sorted(old_nodes))
            current_price = read_price(current_text, signs)
            if current_price is not None and float(current_price.amount):
                prices[index] = current_price
                continue
        if not _is_new_price(outline, text, price, inner_prices):
            continue
        for node in inner_prices:
            del prices[node]
        prices[index] = price
    return sorted(prices.items())[:MAX_PRICES]


def _old_around(outline: Outline, index: int, end: int) -> int:
    """The outermost of the nodes around a price that is struck out or called old; -1 if none is.

    ``end``: the node that the search stops at.
    """
    old_node = -1
    for ancestor in islice(outline.path(index), MAX_NAMED_AROUND - 1):
        if ancestor == end:
            break
        element = outline.nodes[ancestor].element
        if is_struck(element) or is_called_old(element):
            old_node = ancestor
    return old_node


def _find_old_below(outline: Outline, index: int) -> list[int]:
    """The outermost nodes below an element that are struck out or called old and have a price."""
    old_nodes = []
    node = index + 1
    while node < outline.ends[index]:
        element = outline.nodes[node].element
        is_old = is_struck(element) or is_called_old(element)
        if is_old and has_price(_short_text(outline, node)):
            old_nodes.append(node)
            node = outline.ends[node]
        else:
            node += 1
    return old_nodes


def _current_text(outline: Outline, index: int) -> str:
    """The text of an element without the old prices in it; all of its text if there is no price
    besides."""
    old_nodes = _find_old_below(outline, index)
    text = text_without(outline, index, old_nodes)
    if old_nodes and not has_price(text):
        return text_without(outline, index, ())
    return text


def text_without(outline: Outline, index: int, old_nodes: Iterable[int]) -> str:
    """The text of an element without that of some nodes in it, and without the labels of old prices
    before these."""
    node = outline.nodes[index]
    parts = []
    first = node.first
    for old_index in old_nodes:
        old_node = outline.nodes[old_index]
        last = old_node.first
        if last > first and _is_label(outline.leaves[last - 1].text):
            last -= 1
        parts.append(price_text(outline, first, last))
        first = old_node.last
    parts.append(price_text(outline, first, node.last))
    return " ".join(filter(None, parts))


def _is_label(text: str) -> bool:
    """Whether a text is a label of an old price, without a price itself."""
    return len(text) <= MAX_AROUND and not has_price(text) and bool(_LABEL.compiled.search(text))


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
    is_old = _OLD_NAME.compiled.search(names) is not None
    score = 1.5 * is_price + 0.5 * is_current
    score -= 1.2 * is_old + 2.5 * is_struck_out

    first = outline.nodes[node].first
    words_before = ""
    if first:
        words_before = outline.leaves[first - 1].text[-40:]
    if has_price(words_before):
        words_before = ""  # they are about another price
    words = f"{words_before} {_current_text(outline, node)}"
    is_other_price = _OTHER_WORDS.compiled.search(words) is not None
    return score - 1.5 * is_other_price


def is_cart(text: str) -> bool:
    """Whether a text may be that of a button that puts a product into the cart."""
    return len(text) <= MAX_SHORT_LENGTH and _CART.compiled.search(text) is not None

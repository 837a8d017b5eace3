"""The numbers of a product: that of the shop (SKU), and the one that all shops have (GTIN)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.lazy import LazyPattern
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element, class_and_id

#: Characters of the longest number, and of the longest text that is read for one.
MAX_CODE_LENGTH = 40
MAX_TEXT_LENGTH = 90
MAX_LABEL_LENGTH = 32
#: Leaves around the name that are near it.
NEAR_LEAVES = 80
#: Characters of names of elements, and elements, that are read.
MAX_NAMES_LENGTH = 200
MAX_NODES = 20_000
#: Names of elements that are known to be those of numbers or not: most of a page are the same.
MAX_CACHED = 4096

_NUMBER = r"(?:\s?(?:nr|no|num(?:mer|ber|éro|ero)?|code|id)\.?|\s?#|\s?n[°º])"
#: Labels of the shop's own number.
_SKU = (
    r"item(?=\s*[:#])|(?:product |item )?sku(?:[ /-]?(?:code|number|no\.?|id|#))?"
    rf"|(?:item|product|prod\.?|catalog(?:ue)?|stock|order|cat\.?){_NUMBER}"
    rf"|(?:art(?:ikel|icle|\.)?|bestell|produkt|best\.?|prod\.?)[ -]?{_NUMBER}"
    r"|artikelnummer|artikelkode|artikelkod|bestellnummer|produktnummer|varenummer|varenr\.?"
    r"|réf(?:érence)?\.?(?: (?:produit|article))?|ref(?:erence|erencia|erência)?\.?"
    r"|code (?:produit|article)"
    r"|(?:número|nº|n\.º) de (?:artículo|producto|referencia)|referencia(?: del producto)?"
    r"|cód(?:igo)?\.?(?: (?:do|del|de) (?:produto|producto|artículo|artigo))?"
    r"|cod(?:ice|\.)?\.?(?: (?:articolo|prodotto|produs))?|tuote(?:numero|koodi|nro)|vörunúmer"
    r"|(?:kod|symbol|indeks)(?: (?:produktu|towaru))?|nr (?:katalogowy|art\.?|produktu)"
    r"|(?:katalogové|objednací) číslo|kód(?: (?:produktu|zboží|tovaru))?|cikkszám|termékkód"
    r"|артикул|код(?: товара| товару)?|商品(?:番号|コード|编号|編號)|品番|货号|貨號"
    r"|상품(?:번호|코드)|(?:ürün|stok) kodu|mã (?:sp|sản phẩm|hàng)"
    r"|κωδικός(?: προϊόντος)?|מק[\"״]?ט"
    r"|رمز المنتج|asin"
)
#: Labels of the manufacturer's number; they count less.
_MODEL = (
    rf"mpn|(?:model|part|mfr\.?|manufacturer|style|modell|modelo|modèle|modello){_NUMBER}"
    r"|model|style|modell|modelo|modèle|modello|hersteller-?(?:nr\.?|nummer|artikelnummer)"
    r"|número de modelo|numéro de modèle|型番|型号|型號|모델명"
)
_CODE = r"[A-Za-z0-9](?:[\w./+-]*[A-Za-z0-9])?"
_SKU_LABEL = LazyPattern(rf"(?:{_SKU})\s*[:#\uff1a.]*", re.IGNORECASE)
_MODEL_LABEL = LazyPattern(rf"(?:{_MODEL})\s*[:#\uff1a.]*", re.IGNORECASE)
_SKU_LINE = LazyPattern(
    rf"(?:^|[|(,;•·\u2013-]\s*|\s)(?:{_SKU})"
    r"\s*(?:[:#\uff1a]+\s*|(?<=[#.°º])\s*|(?<=nr|no)\s+|(?<=sku)\s+)"
    rf"(?P<code>{_CODE})(?=$|[\s|),;•.])",
    re.IGNORECASE,
)
_MODEL_LINE = LazyPattern(
    rf"^(?:{_MODEL})\s*(?:[:#\uff1a]+\s*|(?<=#)\s*)(?P<code>{_CODE})(?=$|[\s|),;•])",
    re.IGNORECASE,
)
_GTIN_LABEL = re.compile(
    r"\b(?:ean|gtin|upc|isbn|jan|barcode|código de barras|codice a barre|code[- ]barres?"
    r"|strichcode|streepjescode|штрих-?код)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<![\d-])\d(?:[\d -]{6,16})\d(?![\d-])")
#: Signs for the direction of writing.
_UNSEEN = re.compile("[\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
#: IDs of shop software, which no shopper sees.
_INTERNAL = re.compile(r"[0-9a-f]{24}|[0-9a-f]{8}-[0-9a-f-]{27}|\d{12,20}")
_DIGIT = re.compile(r"\d")
#: A number of letters with a sign in it, which is one if it has a label.
_JOINED = re.compile(r"[A-Za-z]{1,20}(?:[-_./][A-Za-z]{1,20}){1,4}")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: Names of elements with the number.
_SKU_NAMES = re.compile(
    r"(?:^|[\s_-])(?:sku|art(?:ikel|icle)?-?(?:nr|no|num\w*)|item-?(?:no|num\w*|code)"
    r"|product-?(?:code|no|num\w*|sku|ref\w*|identifier)|reference|artnr)"
    r"(?:-?(?:value|text|code|number|wrapper|label))?(?:$|[\s_-])",
    re.IGNORECASE,
)
#: Attributes with the number, the surest first; not those of the product's ID: shop software gives
#: each product one besides the number that the shop uses (right on 1 of 7 pages that declare it).
_SKU_ATTRIBUTES = (
    "data-sku",
    "data-product-sku",
    "data-product_sku",
    "data-item-sku",
    "data-product-code",
    "data-product-number",
    "data-artnr",
    "data-article-number",
    "data-item-number",
    "data-sku-id",
)
_SKU_INPUTS = frozenset(
    (
        "sku",
        "product_sku",
        "productsku",
        "product_code",
        "productcode",
        "artnr",
        "item_number",
        "itemnumber",
        "ordernumber",
        "sordernumber",
        "article_number",
    )
)
#: The number in the data of scripts, and characters of scripts that are read for it.
_SCRIPT_NAMES = ("sku", "SKU")
_IN_SCRIPT = re.compile(r"""\\?["']?\s{0,3}[:=]\s{0,3}\\?["']([^"'\\\n]{2,40})\\?["']""")
MAX_SCRIPTS = 2_000_000
_META = ("sku", "product:sku", "productid", "product_id", "product-id")
#: A number in a path that is the shop's: with so many digits, or an ASIN.
_IN_PATH = re.compile(
    r"(?:^|[/_.-])(?:(?<=/dp/)(?P<asin>[A-Z0-9]{10})|[a-z]{0,2}-?(?P<number>\d{5,14}))(?:\.html?)?$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d{2}(?:[01]\d){0,2}(?:[0-3]\d)?")


@dataclass(frozen=True)
class Codes:
    """``sku`` and ``gtin``, ``""`` if the page shows none; ``is_sure``: whether the SKU is labelled
    as such, and is neither the manufacturer's number nor only in the URL."""

    sku: str = ""
    gtin: str = ""
    is_sure: bool = False


def is_gtin(text: str) -> bool:
    """Whether a text is a GTIN: 8, 12, 13 or 14 digits, the last the check digit (GS1 General
    Specifications, 7.9).

    >>> is_gtin("4006381333931"), is_gtin("4006381333932"), is_gtin("00000000")
    (True, False, False)
    """
    if not (text.isascii() and text.isdigit()) or len(text) not in (8, 12, 13, 14):
        return False
    if not int(text):
        return False
    total = 0
    for place, digit in enumerate(reversed(text[:-1])):
        weight = 1 if place % 2 else 3
        total += weight * int(digit)
    return (10 - total % 10) % 10 == int(text[-1])


def read_gtin(text: str) -> str:
    """The GTIN that a text consists of, without spaces and hyphens; ``""`` if it is none.

    >>> read_gtin("978-3-16-148410-0"), read_gtin("1234")
    ('9783161484100', '')
    """
    digits = re.sub(r"[\s-]", "", text[:MAX_CODE_LENGTH])
    return digits if is_gtin(digits) else ""


def clean_code(text: str) -> str:
    """A number of a shop; ``""`` if a text is none: it has a digit, few words and no sentence.

    >>> clean_code("SKU: A-12"), clean_code(" 802.758.87 "), clean_code("n/a"), clean_code("Blue")
    ('A-12', '802.758.87', '', '')
    """
    visible = _UNSEEN.sub("", text[:MAX_TEXT_LENGTH])
    line = " ".join(visible.split())
    label = _SKU_LABEL.compiled.match(line) or _MODEL_LABEL.compiled.match(line)
    if label and label.end() < len(line) and label[0][-1] in ":#. \uff1a":
        line = line[label.end() :]
    code = line.strip(" :#.,;()[]\uff1a")
    if not 0 < len(code) <= MAX_CODE_LENGTH or code.count(" ") > 2:
        return ""
    has_digit = any(map(str.isdigit, code))
    is_capital = code.isupper() and len(code) >= 3 and " " not in code
    is_sign = any(sign in code for sign in "$€£¥%{}<>=@?!,;")
    if is_sign or not (has_digit or is_capital):
        return ""
    return "" if code.upper() in ("N/A", "NULL", "NONE", "TBD", "SKU") else code


def find_codes(
    page: Page,
    name: str,
    name_at: int,
    is_aside: Sequence[bool],
) -> Codes:
    """The numbers that a page shows for its product.

    ``name_at``: the leaf of the name, -1 if it is not shown; ``is_aside``: which nodes are about
    other products.  The shop's number: what has a label such as "SKU", an element named so, an
    attribute or a field of a form, the only one in scripts, the manufacturer's number, and last the
    number in the URL.  Cost: linear in the size of the page.
    """
    outline = page.outline
    labelled, models, gtins = _read_labelled(outline, is_aside)
    named_line = _SKU_LINE.compiled.search(name[: 4 * MAX_TEXT_LENGTH])
    if named_line:
        labelled.append((name_at, named_line["code"]))
    named = _read_named(outline, is_aside)
    gtin = _nearest(gtins, name_at)
    sku = _nearest(labelled, name_at) or _nearest(named, name_at)
    if sku:
        return Codes(sku, gtin, is_sure=True)

    declared = _declared_codes(page)
    in_attributes = _read_attributes(outline, is_aside)
    sku = next(declared, "") or _nearest(in_attributes, name_at) or _read_scripts(page)
    if sku:
        return Codes(sku, gtin, is_sure=True)
    sku = _nearest(models, name_at) or _read_path(page.url)
    return Codes(sku, gtin)


def _nearest(codes: Sequence[tuple[int, str]], name_at: int) -> str:
    """The first of the numbers behind the name, else the nearest before it."""
    if not codes:
        return ""

    def order(code: tuple[int, str]) -> tuple[bool, int]:
        place = code[0]
        is_before = place < name_at - NEAR_LEAVES
        return is_before, abs(place - name_at) if is_before else place

    _, text = min(codes, key=order)
    return text


_Found = list[tuple[int, str]]


def _read_labelled(
    outline: Outline,
    is_aside: Sequence[bool],
) -> tuple[_Found, _Found, _Found]:
    """The texts with labels, and their leaves: of shops, of manufacturers, and GTINs."""
    skus: _Found = []
    models: _Found = []
    gtins: _Found = []
    lines = outline.lines
    for number, line in enumerate(lines):
        if len(line) > MAX_TEXT_LENGTH or is_aside[outline.leaves[number].node]:
            continue
        following = " ".join(lines[number + 1 : number + 2])
        if following in (":", "#", "\uff1a"):
            following = " ".join(lines[number + 2 : number + 3])
        if _GTIN_LABEL.search(line):
            gtins += [(number, code) for code in _read_gtins(line, following)]
        has_digit = _DIGIT.search(line) is not None
        for label, pattern, codes in (
            (_SKU_LABEL.compiled, _SKU_LINE.compiled, skus),
            (_MODEL_LABEL.compiled, _MODEL_LINE.compiled, models),
        ):
            code = ""
            if len(line) <= MAX_LABEL_LENGTH and label.fullmatch(line):
                code = following if _JOINED.fullmatch(following) else clean_code(following)
            elif has_digit:
                match = pattern.search(line)
                code = clean_code(match["code"]) if match else ""
            if code:
                codes.append((number, code))
    return skus, models, gtins


def _read_gtins(line: str, following: str) -> Iterator[str]:
    for text in (line, following):
        if len(text) > MAX_TEXT_LENGTH:
            continue
        for match in _DIGITS.finditer(text):
            gtin = read_gtin(match[0])
            if gtin:
                yield gtin


def _read_named(outline: Outline, is_aside: Sequence[bool]) -> _Found:
    """The numbers in elements named after them."""
    codes: _Found = []
    for index, node in enumerate(outline.nodes[:MAX_NODES]):
        if is_aside[index] or not 0 < node.last - node.first <= 3:
            continue
        names = f"{class_and_id(node.element)} {node.element.get('itemprop') or ''}"
        if not _is_named_code(names[:MAX_NAMES_LENGTH]):
            continue
        code = clean_code(outline.line(index))
        if code and any(map(str.isdigit, code)):
            codes.append((node.first, code))
    return codes


@lru_cache(maxsize=MAX_CACHED)
def _is_named_code(names: str) -> bool:
    return _SKU_NAMES.search(_CAMEL.sub("-", names)) is not None


def _declared_codes(page: Page) -> Iterator[str]:
    for name in _META:
        for content in page.declared.meta.get(name, ()):
            code = clean_code(content)
            if code:
                yield code


def _codes_after(text: str, name: str) -> Iterator[str]:
    """The numbers that a script gives a property or variable with this name."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        is_whole = not text[max(start - 1, 0) : start].isalnum()
        match = _IN_SCRIPT.match(text, end) if is_whole else None
        code = clean_code(match[1]) if match else ""
        if code:
            yield code
        start = text.find(name, end)


def _read_scripts(page: Page) -> str:
    """The only number in the data of scripts; ``""`` if there is none or several, such as those of
    the product's variants."""
    codes: set[str] = set()
    unread = MAX_SCRIPTS
    for script in page.declared.head["script"]:
        text = (script.text or "")[:unread]
        unread -= len(text)
        for name in _SCRIPT_NAMES:
            codes.update(_codes_after(text, name))
    return codes.pop() if len(codes) == 1 else ""


def _read_attributes(
    outline: Outline,
    is_aside: Sequence[bool],
) -> _Found:
    """The numbers in attributes and fields of forms, of the first name that has any."""
    found: dict[str, _Found] = {}
    for index, node in enumerate(outline.nodes[:MAX_NODES]):
        if is_aside[index]:
            continue
        for name, value in _values_of(node.element):
            code = clean_code(value)
            if code and not _INTERNAL.fullmatch(code):
                found.setdefault(name, []).append((node.first, code))
    for name in ("", *_SKU_ATTRIBUTES):
        if name in found:
            return found[name]
    return []


def _values_of(element: Element) -> Iterator[tuple[str, str]]:
    """The values of the attributes by their names; those of fields of forms without a name."""
    if element.tag in ("input", "button"):
        name = (element.get("name") or "").lower()
        value = element.get("value")
        if value and name in _SKU_INPUTS:
            yield "", value
    for name in _SKU_ATTRIBUTES:
        value = element.get(name)
        if value:
            yield name, value


def _read_path(url: str) -> str:
    """The number at the end of a URL's path; ``""`` if there is none.

    >>> _read_path("http://a.example/ip/Owl-lamp/562225800"), _read_path("http://a.example/lamp-3")
    ('562225800', '')
    """
    try:
        path = unquote(urlsplit(url).path).rstrip("/")
    except ValueError:
        return ""
    for part in (path, path.rpartition("/")[0]):
        match = _IN_PATH.search(part[-100:])
        if match is None:
            continue
        code = match["asin"] or match["number"]
        if not _YEAR.fullmatch(code):
            return code
    return ""

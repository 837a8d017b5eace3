"""Attributes of products as pairs of a label and a value: rows of tables, lists of definitions,
and lines such as "Colour: red"; and the types of values."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import class_and_id
from forest_scrapy.core.records.products.prices import has_price, is_cart, read_price

_TAGS = frozenset(("nav", "footer", "dialog", "audio", "video"))
_CONTROLS = frozenset(("a", "button", "select", "textarea", "label", "summary"))
_NAME = re.compile(
    r"(?:^|[\s_-])(?:reviews?|testimonials?|comments?|bewertung(?:en)?|kundenmeinungen|rezensionen"
    r"|avis|opiniones|reseñas|valoraciones|recensioni|avaliac(?:ao|oes)|opinie|recensies"
    r"|footer|navigation|navbar|breadcrumbs?|(?:main|mega|top)-?menu|(?:audio|video|media)-?player"
    r"|newsletter|cookies?)(?:$|[\s_-])",
    re.IGNORECASE,
)
#: Characters of the longest names that are read; the share of the leaves of a page from which an
#: element is the page itself.
_LONGEST, _MOST_SHARE = 200, 0.5


def find_other_places(outline: Outline) -> list[bool]:
    """For each node whether it is in a menu, a review, a player or the like, by tags and names.

    Elements that have the heading of the page, or most of its text, do not count.
    """
    headings = [i for i, node in enumerate(outline.nodes) if node.tag == "h1"]
    with_heading = {i for heading in headings[:5] for i in outline.path(heading)}
    most = _MOST_SHARE * len(outline.leaves)
    wide = {i for i, node in enumerate(outline.nodes) if node.last - node.first > most}
    whole = {id(outline.nodes[i]) for i in wide | with_heading}

    def extend(above: bool, node: Node) -> bool:
        return above or (id(node) not in whole and _is_other(node))

    return outline.inherit(False, extend)


def _is_other(node: Node) -> bool:
    element = node.element
    names = f"{class_and_id(element)} {element.get('itemprop') or ''}"[:_LONGEST]
    return node.tag in _TAGS or _NAME.search(names) is not None


def in_controls(outline: Outline) -> list[bool]:
    """For each node whether it is in a link, a button or another control."""
    return outline.inside(_CONTROLS)


#: Characters of the longest label and value, and pairs of a page.
_LONGEST_LABEL, _LONGEST_VALUE, _MOST = 50, 300, 200
#: Leaves of the largest element that is read as one text.
_MOST_LEAVES = 60
#: A label, and a colon that is not the one of a time.
_LINE = re.compile(r"([^\W\d][^:\uff1a]{0,48}?)\s?(?!(?<=\d):\d)[:\uff1a]\s*(\S.*)")
_COLONS = " :\uff1a"
#: Labels that are about no product, and values with nothing but signs.
_NO_LABEL = re.compile(
    r"[?\uff1f]|^[^()]*\([^()]*$|\b(?:reviews|bewertungen|reseñas|recensioni)\b", re.I
)
_PHONE_LABEL = re.compile(
    r"(?:tele?(?:ph|f)one?|tél(?:éphone)?|tel|telefono|teléfono|phone|fax|hotline|телефон|电话|電話)\.?",
    re.IGNORECASE,
)
_PHONE = re.compile(r"[+(\d][\d\s()+./-]{5,}")
_SAYS_SOMETHING = re.compile(r"\w|[✓✔✗✘✕●○★]")
_LINES = frozenset(("li", "p", "div", "span", "td"))
_CELLS = frozenset(("td", "th"))


class Pair(NamedTuple):
    """A label and its value, each on one line, without the colon."""

    label: str
    value: str


def find_pairs(page: Page) -> list[Pair]:
    """The pairs of a page, in its order; of a label only the first.  Cost: linear in the size of
    the page."""
    found: dict[str, Pair] = {}
    for pair in _read_pairs(page.outline):
        if len(found) >= _MOST:
            break
        if pair.label and pair.value and pair.label != pair.value:
            found.setdefault(pair.label.lower(), pair)
    return list(found.values())


def _read_pairs(outline: Outline) -> Iterator[Pair]:
    label, children = "", _children(outline)
    elsewhere, controls = find_other_places(outline), in_controls(outline)
    for i, node in enumerate(outline.nodes):
        if elsewhere[i]:
            continue
        if node.tag == "tr":
            cells = [j for j in children[i] if outline.nodes[j].tag in _CELLS]
            texts = [text for j in cells if (text := outline.line(j, _MOST_LEAVES))]
            if len(texts) == len(cells) == 2:
                yield _pair(*texts)
        elif node.tag == "dt":
            label = outline.line(i, _MOST_LEAVES)
        elif node.tag == "dd":
            yield _pair(label, outline.line(i, _MOST_LEAVES))
            label = ""
        elif node.tag in _LINES and node.first < node.last:
            first, last = outline.leaves[node.first], outline.leaves[node.last - 1]
            is_button = controls[last.node] and is_cart(last.text)
            if not controls[first.node] and not is_button:  # first is the label
                yield from _read_line(outline, i, children[i])


def _read_line(outline: Outline, index: int, children: list[int]) -> Iterator[Pair]:
    """The pair of a line: of its text, or of two elements with a colon after the first."""
    node = outline.nodes[index]
    if not 0 < node.last - node.first <= 4 or any(outline.nodes[j].tag == "li" for j in children):
        return
    text = outline.line(index, _MOST_LEAVES)
    match = _LINE.fullmatch(text)
    if any(outline.nodes[j].is_block for j in children):
        first = outline.line(children[0], _MOST_LEAVES) if len(children) == 2 else ""
        match = match if match and first.rstrip(_COLONS) == match[1] else None
    if match and "://" not in text[: len(match[1]) + 4]:
        yield _pair(match[1], match[2])


def _children(outline: Outline) -> list[list[int]]:
    """For each node those directly below it that have text."""
    found: list[list[int]] = [[] for _ in outline.nodes]
    for i, node in enumerate(outline.nodes):
        if node.parent >= 0 and node.first < node.last:
            found[node.parent].append(i)
    return found


def _pair(label: str, value: str) -> Pair:
    label = label.rstrip(_COLONS)
    is_short = len(label) <= _LONGEST_LABEL and len(value) <= _LONGEST_VALUE
    return Pair(label, value) if is_short and _is_attribute(label, value) else Pair("", "")


def _is_attribute(label: str, value: str) -> bool:
    """Whether a label has a letter and is no question, and the value is no question, no phone
    number and not only signs."""
    if not any(map(str.isalpha, label)) or _NO_LABEL.search(label) or value.endswith("?"):
        return False
    if len(label) == 1 and not any(map(str.isdigit, value)):  # the A of an answer, no measure
        return False
    is_phone = _PHONE_LABEL.fullmatch(label) and _PHONE.fullmatch(value)
    return not is_phone and bool(_SAYS_SOMETHING.search(value))


#: Characters of the longest value that is a price, number, date or URL.
_LONGEST_PRICE, _LONGEST_NUMBER, _LONGEST_DATE, _LONGEST_URL = 40, 40, 80, 2000
_NUMBER = re.compile(
    r"([-+]?\d(?:[\d.,'\u00a0\u202f ]*\d)?)\s?(%|[°\u2032\u2033\"'][^\W\d_]?|[^\W\d_][^\d\s]{0,9})?"
)
#: Numbers that count nothing: with a zero in front, or as long as those of articles (GTIN).
_CODE = re.compile(r"0\d[\d ]*|\d{11,}")
#: Endings of a number that are no unit: ordinals, and what stands between two numbers.
_NO_UNITS = frozenset(("st", "nd", "rd", "th", "x", "er", "ème", "º"))
#: What every date has; dates are slow to read.
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}[./-]\d{1,2}[./-]\d\d")
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)


class TypedValue(NamedTuple):
    """A value.  ``type``: ``price``, ``number``, ``date``, ``url`` or ``text``.  ``text``: of a
    price the amount as a decimal number, of a number what is before its unit, of a date ISO 8601,
    else the text.  ``unit``: the currency of a price (ISO 4217) or the unit of a number."""

    type: str
    text: str
    unit: str = ""


def read_typed(text: str, language: str = "") -> TypedValue:
    """The type and the parts of a value.

    >>> read_typed("from 1.299,00 €")
    TypedValue(type='price', text='1299.00', unit='EUR')
    >>> [read_typed(text, "en").type for text in ("1,5 kg", "3 May 2024", "10 x 20 cm")]
    ['number', 'date', 'text']
    >>> read_typed("4006381333931").type
    'text'
    """
    if len(text) <= _LONGEST_PRICE and has_price(text) and (price := read_price(text)):
        return TypedValue("price", price.amount, price.currency)
    number = None if _CODE.fullmatch(text.strip()) else split_unit(text)
    if number and (number[1] or number[0].isdigit()):
        return TypedValue("number", *number)
    may_be_date = len(text) <= _LONGEST_DATE and _DATE.search(text)
    if may_be_date and (date := read_date(text, language)):
        return TypedValue("date", date)
    if number:
        return TypedValue("number", *number)
    if len(text) <= _LONGEST_URL and _URL.fullmatch(text):
        return TypedValue("url", text)
    return TypedValue("text", text)


def split_unit(text: str) -> tuple[str, str] | None:
    """A number and its unit, ``""`` if it has none; None if the text is not a number.

    >>> split_unit("12 kg"), split_unit("50%"), split_unit("1,024"), split_unit("12 or more")
    (('12', 'kg'), ('50', '%'), ('1,024', ''), None)
    """
    found = _NUMBER.fullmatch(text.strip()) if len(text) <= _LONGEST_NUMBER else None
    if not found or (found[2] or "").lower() in _NO_UNITS:
        return None
    return found[1], found[2] or ""

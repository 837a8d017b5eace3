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
#: Characters of names that are read.
MAX_NAMES_LENGTH = 200
#: The share of the leaves of a page from which an element is the page itself.
MAX_SHARE = 0.5


def find_other_places(outline: Outline) -> list[bool]:
    """For each node whether it is in a menu, a review, a player or the like, by tags and names.

    Elements that have the heading of the page, or most of its text, do not count.
    """
    max_leaves = MAX_SHARE * len(outline.leaves)
    headings = [index for index, node in enumerate(outline.nodes) if node.tag == "h1"]
    exempt: set[int] = set()
    for heading in headings[:5]:
        exempt.update(outline.path(heading))
    for index, node in enumerate(outline.nodes):
        if node.last - node.first > max_leaves:
            exempt.add(index)
    exempt_nodes = {id(outline.nodes[index]) for index in exempt}

    def extend(is_parent_elsewhere: bool, node: Node) -> bool:
        if is_parent_elsewhere:
            return True
        return id(node) not in exempt_nodes and _is_elsewhere(node)

    return outline.inherit(False, extend)


def _is_elsewhere(node: Node) -> bool:
    """Whether an element is a menu, a review, a player or the like."""
    if node.tag in _TAGS:
        return True
    element = node.element
    names = f"{class_and_id(element)} {element.get('itemprop') or ''}"
    names = names[:MAX_NAMES_LENGTH]
    return _NAME.search(names) is not None


def in_controls(outline: Outline) -> list[bool]:
    """For each node whether it is in a link, a button or another control."""
    return outline.inside(_CONTROLS)


#: Characters of the longest label and value, and pairs of a page.
MAX_LABEL_LENGTH = 50
MAX_VALUE_LENGTH = 300
MAX_PAIRS = 200
#: Leaves of the largest element that is read as one text.
MAX_LEAVES = 60
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
    pairs: dict[str, Pair] = {}
    for pair in _read_pairs(page.outline):
        if len(pairs) >= MAX_PAIRS:
            break
        if not pair.label or not pair.value:
            continue
        if pair.label != pair.value:
            pairs.setdefault(pair.label.lower(), pair)
    return list(pairs.values())


def _read_pairs(outline: Outline) -> Iterator[Pair]:
    children_of = _find_children(outline)
    is_elsewhere = find_other_places(outline)
    is_control = in_controls(outline)
    term = ""
    for index, node in enumerate(outline.nodes):
        if is_elsewhere[index]:
            continue
        if node.tag == "tr":
            yield from _read_row(outline, children_of[index])
        elif node.tag == "dt":
            term = outline.line(index, MAX_LEAVES)
        elif node.tag == "dd":
            value = outline.line(index, MAX_LEAVES)
            yield _pair(term, value)
            term = ""
        elif node.tag in _LINES and node.first < node.last:
            label = outline.leaves[node.first]
            last = outline.leaves[node.last - 1]
            may_be_button = is_control[last.node]
            is_button = may_be_button and is_cart(last.text)
            if not is_control[label.node] and not is_button:
                yield from _read_line(outline, index, children_of[index])


def _read_row(outline: Outline, children: list[int]) -> Iterator[Pair]:
    """The pair of a row of two cells with text."""
    nodes = outline.nodes
    cells = [child for child in children if nodes[child].tag in _CELLS]
    if len(cells) != 2:
        return
    label = outline.line(cells[0], MAX_LEAVES)
    value = outline.line(cells[1], MAX_LEAVES)
    if label and value:
        yield _pair(label, value)


def _read_line(
    outline: Outline,
    index: int,
    children: list[int],
) -> Iterator[Pair]:
    """The pair of a line: of its text, or of two elements with a colon after the first."""
    node = outline.nodes[index]
    length = node.last - node.first
    if not 0 < length <= 4:
        return
    child_nodes = [outline.nodes[child] for child in children]
    if any(child.tag == "li" for child in child_nodes):
        return
    text = outline.line(index, MAX_LEAVES)
    match = _LINE.fullmatch(text)
    if match is None:
        return
    label, value = match.groups()
    has_blocks = any(child.is_block for child in child_nodes)
    if has_blocks:
        first = ""
        if len(children) == 2:
            first = outline.line(children[0], MAX_LEAVES)
        if first.rstrip(_COLONS) != label:
            return
    is_url = "://" in text[: len(label) + 4]
    if not is_url:
        yield _pair(label, value)


def _find_children(outline: Outline) -> list[list[int]]:
    """For each node those directly below it that have text."""
    children_of: list[list[int]] = [[] for _ in outline.nodes]
    for index, node in enumerate(outline.nodes):
        has_text = node.first < node.last
        if has_text and node.parent >= 0:
            children_of[node.parent].append(index)
    return children_of


def _pair(label: str, value: str) -> Pair:
    label = label.rstrip(_COLONS)
    if len(label) > MAX_LABEL_LENGTH or len(value) > MAX_VALUE_LENGTH:
        return Pair("", "")
    if not _is_attribute(label, value):
        return Pair("", "")
    return Pair(label, value)


def _is_attribute(label: str, value: str) -> bool:
    """Whether a label has a letter and is no question, and the value is no question, no phone
    number and not only signs."""
    has_letter = any(map(str.isalpha, label))
    is_question = value.endswith("?")
    if not has_letter or is_question or _NO_LABEL.search(label):
        return False
    has_digit = any(map(str.isdigit, value))
    if len(label) == 1 and not has_digit:  # the A of an answer, no measure
        return False
    if _PHONE_LABEL.fullmatch(label) and _PHONE.fullmatch(value):
        return False
    return _SAYS_SOMETHING.search(value) is not None


#: Characters of the longest value that is a price, number, date or URL.
MAX_PRICE_LENGTH = 40
MAX_NUMBER_LENGTH = 40
MAX_DATE_LENGTH = 80
MAX_URL_LENGTH = 2000
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
    if len(text) <= MAX_PRICE_LENGTH and has_price(text):
        price = read_price(text)
        if price:
            return TypedValue("price", price.amount, price.currency)

    number = None
    if not _CODE.fullmatch(text.strip()):
        number = split_unit(text)
    if number:
        digits, unit = number
        if unit or digits.isdigit():
            return TypedValue("number", digits, unit)
    may_be_date = len(text) <= MAX_DATE_LENGTH
    if may_be_date and _DATE.search(text):
        date = read_date(text, language)
        if date:
            return TypedValue("date", date)
    if number:
        return TypedValue("number", *number)
    may_be_url = len(text) <= MAX_URL_LENGTH
    if may_be_url and _URL.fullmatch(text):
        return TypedValue("url", text)
    return TypedValue("text", text)


def split_unit(text: str) -> tuple[str, str] | None:
    """A number and its unit, ``""`` if it has none; None if the text is not a number.

    >>> split_unit("12 kg"), split_unit("50%"), split_unit("1,024"), split_unit("12 or more")
    (('12', 'kg'), ('50', '%'), ('1,024', ''), None)
    """
    if len(text) > MAX_NUMBER_LENGTH:
        return None
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    number = match[1]
    unit = match[2] or ""
    if unit.lower() in _NO_UNITS:
        return None
    return number, unit

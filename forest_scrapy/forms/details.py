"""The page of a record as a part of it (Oita's thesis, 3.3.5): the attributes that it tells.

They are read where a page names them: rows of tables with a name and a value, lists of definitions,
and lines with a name before a colon.  What the page with the form says in the same words is of the
site, not of the record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain, islice

from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element
from forest_scrapy.forms.items import FormRecord

#: A name and its value.
Pair = tuple[str, str]
#: Characters and words of a name, characters of a value, and pairs of a page; longer is prose.
MAX_NAME_LENGTH = 60
MAX_NAME_WORDS = 6
MAX_VALUE_LENGTH = 1000
MAX_PAIRS = 100
#: Pairs of a page that are looked at, also those of the same name and those that are prose.
MAX_READ_PAIRS = 2_000
#: Words of the name in a line of text: that has no markup which tells that it is one.
MAX_LINE_NAME_WORDS = 3
MAX_LINE_LENGTH = 200


def read_details(page: Page) -> list[Pair]:
    """The names on a page with their values, in the order of tables, definitions and lines; a
    second value of the same name is left out.  Takes time linear in the size of any page.

    >>> page = Page.from_html("<table><tr><th>ISBN:<td>12</table><p>Year: 1603", "http://a/")
    >>> read_details(page)
    [('ISBN', '12'), ('Year', '1603')]
    """
    page_pairs = chain(_read_rows(page), _read_definitions(page), _read_lines(page))
    pairs: dict[str, Pair] = {}
    for name, value in islice(page_pairs, MAX_READ_PAIRS):
        name = name.strip().rstrip(":\uff1a").strip()
        value = value.strip()
        if _is_name(name) and 0 < len(value) <= MAX_VALUE_LENGTH:
            pairs.setdefault(name.casefold(), (name, value))
        if len(pairs) >= MAX_PAIRS:
            break
    return list(pairs.values())


def complete_record(
    record: FormRecord,
    pairs: Collection[Pair],
    site_pairs: Collection[Pair],
) -> int:
    """Add the attributes of its page to a record; those that it has are left as they are.  Returns
    how many were added.  ``site_pairs``: of the page with the form."""
    names = {value["name"].casefold() for value in record.values}
    values = []
    for name, value in pairs:
        is_new = name.casefold() not in names
        if is_new and (name, value) not in site_pairs:
            values.append({"name": name, "value": value, "type": "text", "unit": ""})
    record.values = [*record.values, *values]
    return len(values)


def _is_name(text: str) -> bool:
    is_short = len(text) <= MAX_NAME_LENGTH and len(text.split()) <= MAX_NAME_WORDS
    return is_short and any(character.isalpha() for character in text)


def _read_rows(page: Page) -> Iterator[Pair]:
    """Rows of two cells, in tables that are not one of several columns with a head; no rows around
    others."""
    outer_elements = _elements_around(page, "table", "tr")
    for row in page.root.iter("tr"):
        cells = [cell for cell in row if cell.tag in ("th", "td")]
        if len(cells) != 2 or any(cell in outer_elements for cell in cells):
            continue
        first, second = cells
        if second.tag == "td":
            yield _text(first), _text(second)


def _read_definitions(page: Page) -> Iterator[Pair]:
    """Terms with their definitions, several of one joined; also those in other elements.  Of a
    list in another one, only the inner one is read."""
    outer_elements = _elements_around(page, "dl", "dt", "dd")
    for definitions in page.root.iter("dl"):
        name = ""
        values: list[str] = []
        for part in _parts_of(definitions):
            text = "" if part in outer_elements else _text(part)
            if part.tag == "dd":
                values.append(text)
                continue
            if name:
                yield name, ", ".join(filter(None, values))
            name = text
            values = []
        if name:
            yield name, ", ".join(filter(None, values))


def _parts_of(definitions: Element) -> Iterator[Element]:
    """The terms and definitions of a list, however deep, but not those of a list in it: so each
    element of a page is visited for one list at most."""
    elements = list(reversed(definitions))
    while elements:
        element = elements.pop()
        if element.tag in ("dt", "dd"):
            yield element
        if element.tag != "dl":
            elements.extend(reversed(element))


def _elements_around(page: Page, *tags: str) -> set[Element]:
    """The elements with one of these tags below them.  Each is visited once, however deep they
    are nested."""
    outer_elements: set[Element] = set()
    for element in page.root.iter(*tags):
        for ancestor in element.iterancestors():
            if ancestor in outer_elements:
                break
            outer_elements.add(ancestor)
    return outer_elements


def _read_lines(page: Page) -> Iterator[Pair]:
    """Lines with a name before a colon."""
    for line in page.outline.lines:
        name, colon, value = line.replace("\uff1a", ":").partition(":")
        is_address = value.startswith("//")
        is_short = len(line) <= MAX_LINE_LENGTH and len(name.split()) <= MAX_LINE_NAME_WORDS
        if colon and is_short and not is_address:
            yield name, value


def _text(element: Element) -> str:
    return " ".join(block_text(element).split())

"""The attributes of records: their types, and the values that a record has of them."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import HEADINGS
from forest_scrapy.core.page.urls import absolute_url, host_of
from forest_scrapy.core.records.attributes.cells import REPLY, ValueCell, read_cells, strip_label
from forest_scrapy.core.records.products.pairs import split_unit
from forest_scrapy.core.records.products.prices import has_price, read_price
from forest_scrapy.core.records.record import Inner, Value
from forest_scrapy.core.records.regions.prose import looks_like_date

#: The types of which the best attribute has the name of its type.
ROLES = ("author", "date", "title", "price")
#: The types of attributes.
TYPES = (*ROLES, "position", "number", "image", "url", "reply-to", "text")


@dataclass(frozen=True)
class Attribute:
    """An attribute of records.

    ``path``: its record internal path, with the number of the column for cells of tables without
    attributes; ``@name`` at the end for an attribute of the element.  ``type``: one of ``TYPES``.
    ``reply-to`` is a link to an earlier record of the page.
    ``name``: the type of the best author, date, title and price, and of the URL that the title
    links to; else the label, the column, or the path.  ``share``: of the records that have it.
    ``label``: what the pages call it, ``""`` if unknown.  ``by_label``: whether the path holds
    several attributes that only their labels distinguish.
    """

    name: str
    type: str
    path: str
    share: float = 1.0
    label: str = ""
    by_label: bool = False


class Instance(NamedTuple):
    """A value: its page, the record on it, from 0, its place in the record, 0 to 1, and itself."""

    page: int
    record: int
    place: float
    cell: ValueCell


class Feature(NamedTuple):
    """An attribute with its instances and their texts."""

    attribute: Attribute
    instances: Sequence[Instance]
    texts: Sequence[str]

    @property
    def records(self) -> set[tuple[int, int]]:
        """The page and the number of each record that has it."""
        return {(instance.page, instance.record) for instance in self.instances}


# These constants were set by hand while looking at harvest-forum, without a search.
#: The share of values that must be of a type, and the values that are looked at.
MIN_SHARE = 0.7
SAMPLE_SIZE = 20
#: Characters of the longest value with a number, date or price.
MAX_NUMBER_LENGTH = 80
#: Characters and words of the longest author's name.
MAX_NAME_LENGTH = 40
MAX_NAME_WORDS = 4
#: Words of the shortest linked text that is a title, in the mean.
MIN_TITLE_WORDS = 3

_AUTHOR_WORDS = re.compile(r"author|user|name|poster|creator|member|nick|byline", re.IGNORECASE)
_ADDRESS = re.compile(
    r"\s{0,3}(?:<[^<>]{1,200}>|[\[(][^\[\]()]{0,100}(?:@| at )[^\[\]()]{1,100}[\])])$"
)
_WRITER_WORDS = re.compile(r"author|byline|writer|poster", re.IGNORECASE)
#: A value in brackets: "(2006)".
_IN_BRACKETS = re.compile(r"\(([^()]{1,80})\)|\[([^\[\]]{1,80})\]")
_POSITION = re.compile(r"(?:#|no\.?|nr\.?)\s?\d+", re.IGNORECASE)


def choose_type(
    path: str,
    values: Sequence[str],
    language: str,
    are_things: bool = False,
) -> str:
    """The type of most of the values at a path.  ``are_things``: the records are of a table, whose
    names are of things and not of those who wrote them; what is linked is a title."""
    if path.endswith("@src"):
        return "image"
    if path.endswith("@href"):
        return "url"
    if path.endswith(REPLY):
        return "reply-to"

    texts = list(dict.fromkeys(values))[:SAMPLE_SIZE]
    if _are_most(texts, _may_be_number):
        if _are_most(texts, has_price):
            return "price"
        if _are_most(texts, _POSITION.fullmatch):
            return "position"
        is_date = _is_only_date if are_things else _is_date
        if _are_most(texts, lambda text: is_date(text, language)):
            return "date"
        if _are_most(texts, read_number):
            return "number"

    tags = {step.partition("[")[0] for step in path.split(" ")}
    are_names = _are_most(texts, _may_be_name)
    is_called = is_author_path(path) if are_things else is_called_author(path)
    if are_names and is_called:
        return "author"
    words = fmean(len(text.split()) for text in texts)
    is_linked = "a" in tags
    is_linked_title = is_linked and words >= MIN_TITLE_WORDS
    is_linked_thing = are_things and is_linked and are_names
    if tags & HEADINGS or is_linked_title or is_linked_thing:
        return "title"
    if are_names and is_linked:
        return "author"
    return "text"


def read_number(text: str) -> tuple[str, str] | None:
    """A number and its unit, also if both are in brackets; None if the text is none.

    >>> read_number("(2006)"), read_number("[12 kg]"), read_number("12 (of 40)")
    (('2006', ''), ('12', 'kg'), None)
    """
    stripped = text.strip()
    match = _IN_BRACKETS.fullmatch(stripped)
    if match is None:
        return split_unit(stripped)
    return split_unit(match[1] or match[2])


def _is_date(text: str, language: str) -> bool:
    return not text.isdigit() and bool(read_date(text, language))


def _is_only_date(text: str, language: str) -> bool:
    """Whether a text is a date, and not one that has a date beside other words: those without
    which it is the same date, other than the name of a day."""
    if not _is_date(text, language):
        return False
    date = read_date(text, language)
    words = text.split()
    other_words = 0
    for number, word in enumerate(words):
        has_letters = sum(map(str.isalpha, word)) > 3
        without_word = " ".join([*words[:number], *words[number + 1 :]])
        if has_letters and read_date(without_word, language) == date:
            other_words += 1
    return other_words < 2


def _are_most(texts: Sequence[str], is_match: Callable[[str], object]) -> bool:
    """Whether a question is answered with yes for most of the texts."""
    share = fmean(bool(is_match(text)) for text in texts)
    return share >= MIN_SHARE


def _may_be_number(text: str) -> bool:
    has_digit = any(character.isdigit() for character in text)
    return has_digit and len(text) <= MAX_NUMBER_LENGTH


def is_called_author(path: str) -> bool:
    """Whether the element, or the one it is in, is named after authors or users."""
    last_steps = path.split(" ")[-2:]
    return _AUTHOR_WORDS.search(" ".join(last_steps)) is not None


def is_author_path(path: str) -> bool:
    """Whether the element, or the one it is in, is named after those who wrote something: names
    of users and of things do not count."""
    last_steps = path.split(" ")[-2:]
    return _WRITER_WORDS.search(" ".join(last_steps)) is not None


def may_be_names(values: Sequence[str]) -> bool:
    """Whether most of the values may be names of persons.

    >>> may_be_names(["owl_42", "Ana Bo"]), may_be_names(["May 2024"]), may_be_names(["Posts:"])
    (True, False, False)
    """
    texts = list(dict.fromkeys(values))[:SAMPLE_SIZE]
    return _are_most(texts, _may_be_name)


def name_of(text: str) -> str:
    """A name without the address that mails have behind it.

    >>> name_of("Ana Bo <ana at a.example>"), name_of("Ana (Bo)")
    ('Ana Bo', 'Ana (Bo)')
    """
    return _ADDRESS.sub("", text).strip().strip('"') or text


def _may_be_name(text: str) -> bool:
    return (
        1 < len(text) <= MAX_NAME_LENGTH
        and not looks_like_date(text)
        and len(text.split()) <= MAX_NAME_WORDS
        and any(character.isalpha() for character in text)
        and text[-1] not in "?!"
        and ":" not in text
    )


def read_values(
    page: Page,
    inner_nodes: Sequence[Inner],
    attributes: Sequence[Attribute],
    fetched_at: str = "",
) -> tuple[Value, ...]:
    """The values of a record, in the order of the attributes."""
    if not attributes:
        return ()
    return read_cell_values(page, read_cells(page, inner_nodes), attributes, fetched_at)


def read_cell_values(
    page: Page,
    cells: Iterable[ValueCell],
    attributes: Sequence[Attribute],
    fetched_at: str = "",
) -> tuple[Value, ...]:
    """The values of a record whose texts are given, in the order of the attributes."""
    cells_at: dict[str, list[ValueCell]] = defaultdict(list)
    for cell in cells:
        cells_at[cell.key].append(cell)

    values = []
    for attribute in attributes:
        texts: dict[str, None] = {}  # a set in order
        for cell in cells_at.get(attribute.path, ()):
            if attribute.by_label and cell.label != attribute.label:
                continue
            texts[strip_label(cell.text, attribute.label)] = None
        for text in texts:
            value = _read_value(attribute, text, page.language, fetched_at)
            if value.text:
                values.append(value)
    return tuple(values)


def _read_value(
    attribute: Attribute,
    text: str,
    language: str,
    fetched_at: str,
) -> Value:
    """The value in a text, by the type of the attribute; one that cannot be read is the text."""
    unit = ""
    if attribute.type == "date":
        text = read_date(text, language, fetched_at)
    elif attribute.type == "price":
        price = read_price(text)
        if price:
            text = price.amount
            unit = price.currency
    elif attribute.type == "author":
        text = name_of(text)
    elif attribute.type == "number":
        number = read_number(text)
        if number:
            text, unit = number
    return Value(attribute.name, attribute.type, text, unit)


def read_values_of(
    page: Page,
    records: Sequence[Sequence[Inner]],
) -> list[list[ValueCell]]:
    """The values in each of the records of a page, with the positions (from 1) of the records that
    they link to, in their text or outside of it."""
    cells_of_records = []
    all_links = _find_links(page, records)
    for inner_nodes, links in zip(records, all_links, strict=True):
        cells = list(read_cells(page, inner_nodes))
        cells += [ValueCell(REPLY, link.key, str(link.target + 1)) for link in links]
        cells_of_records.append(cells)
    return cells_of_records


def read_replies(
    page: Page,
    records: Sequence[Sequence[Inner]],
    attributes: Sequence[Attribute],
) -> list[int | None]:
    """For each of the records of a page the position (from 0) of the one that it replies to by a
    link at the path of an attribute; None if there is none."""
    keys = set()
    for attribute in attributes:
        if attribute.type == "reply-to":
            keys.add(attribute.path)
    if not keys:
        return [None] * len(records)
    targets = []
    for links in _find_links(page, records):
        target = next((link.target for link in links if link.key in keys), None)
        targets.append(target)
    return targets


class _RecordLink(NamedTuple):
    """A link to an earlier record: the path of the link, and the position of the record, from 0."""

    path: str
    target: int

    @property
    def key(self) -> str:
        """What values of such links are clustered by."""
        return f"{self.path} {REPLY}".strip()


def _find_links(
    page: Page,
    records: Sequence[Sequence[Inner]],
) -> list[list[_RecordLink]]:
    """For each record the links to earlier ones."""
    nodes = page.outline.nodes
    position_of_name: dict[str, int] = {}
    for position, inner_nodes in enumerate(records):
        for index, _ in inner_nodes:
            element = nodes[index].element
            for name in (element.get("id"), element.get("name")):
                if name:
                    position_of_name.setdefault(name, position)

    links_of_records = []
    for position, inner_nodes in enumerate(records):
        links = []
        for index, path in inner_nodes:
            node = nodes[index]
            href = node.element.get("href") if node.tag == "a" else None
            if not href:
                continue
            _, _, name = href.partition("#")
            target = position_of_name.get(name)
            if target is None or target >= position:
                continue
            if _is_reply(page, node):
                links.append(_RecordLink(path, target))
        links_of_records.append(links)
    return links_of_records


def _is_reply(page: Page, link: Node) -> bool:
    """Whether a link to another record may be to the one replied to: one with a text, on this host.
    Links without a text are buttons, which lead from post to post."""
    has_text = link.first < link.last
    url = absolute_url(link.element.get("href") or "", page.base_url)
    return has_text and host_of(url) == host_of(page.url)

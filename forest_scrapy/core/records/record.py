"""Records: as values, and as elements of a page with the internal paths of what is in them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.xpaths.structural import type_of

#: The name of the attribute with the author of the post that is quoted.
QUOTED_AUTHOR = "quoted_author"


@dataclass(frozen=True)
class Value:
    """A value of an attribute.  ``name``: the attribute's, such as ``author`` or ``date``, or the
    label, column or internal path of one without a role; ``type`` as in ``Attribute``; ``text``: as
    the page has it, dates as ISO 8601, URLs absolute, prices as decimal numbers, numbers without
    their unit.  ``unit``: the currency of a price (ISO 4217), the unit of a number."""

    name: str
    type: str
    text: str
    unit: str = ""


@dataclass(frozen=True)
class Record:
    """A record of a page.

    ``position``: from 1, in the order of the page.  ``text``: its text, one line per block, and
    ``html`` the same as HTML that is safe to show; both without quotes and replies.  ``quote``:
    the text it quotes.  ``reply_to``: the position of the record that contains it, or that
    it links to as the one it replies to; None if there is none.
    """

    position: int
    text: str
    html: str = field(default="", repr=False)
    quote: str = ""
    reply_to: int | None = None
    values: tuple[Value, ...] = ()

    def get(self, name: str) -> str:
        """The first value of the attribute; ``""`` if the record has none.

        >>> Record(1, "Hello", values=(Value("author", "author", "Ana"),)).get("author")
        'Ana'
        """
        for value in self.values:
            if value.name == name:
                return value.text
        return ""

    def describe(self) -> dict[str, Any]:
        """The record as a post or a comment: its text with the author and the date, and its other
        attributes."""
        fields = {
            "position": self.position,
            "author": self.get("author"),
            "date": self.get("date"),
            "text": self.text,
            "html": self.html,
            "quote": self.quote,
            "reply_to": self.reply_to,
        }
        return {**fields, "attributes": self.describe_attributes(fields)}

    def describe_attributes(self, fields: Mapping[str, Any]) -> list[dict[str, str]]:
        """The values that are not among the ``fields`` of an item, neither by their name nor by
        their text, as objects with ``name``, ``value``, ``type`` and ``unit``."""
        texts = set()
        for text in fields.values():
            if isinstance(text, str):
                texts.add(text)
        attributes = []
        for value in self.values:
            may_be_known = value.type != "number" and value.name != QUOTED_AUTHOR
            is_known = may_be_known and value.text in texts
            if value.name in fields or is_known:
                continue
            attribute = {
                "name": value.name,
                "value": value.text,
                "type": value.type,
                "unit": value.unit,
            }
            attributes.append(attribute)
        return attributes


#: Digests in base 16 and base 32, and UUIDs; the fewest digits and characters of one, and the
#: characters of a value that are read.
_DIGEST = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|(?<![0-9A-Za-z])(?:[0-9A-Z]{16,64}|[0-9a-f]{16,64})(?![0-9A-Za-z])"
)
MIN_DIGEST_DIGITS = 2
MIN_DIGEST_LENGTH = 16
MAX_VALUE_LENGTH = 400
_BUTTON = re.compile(r"[+-]?(?:a|button|input|label)(?:$|\[)")
_SIGNATURE = re.compile(r"signature|[=_-]sig[\]_-]", re.IGNORECASE)


@dataclass(frozen=True)
class Located:
    """A record on a page: ``roots`` are its element and the siblings that belong to it, by index,
    in document order, each with the step it is written with (``""`` for the element itself).
    ``position``: from 0, in the order of the page; ``container``: that of the record that
    contains it, None if there is none."""

    node: int
    position: int
    roots: tuple[tuple[int, str], ...]
    container: int | None = None


class Inner(NamedTuple):
    """A node of a record, and its internal path: the steps from the record's element down to it,
    ``""`` for the element itself."""

    node: int
    path: str


def locate_records(
    outline: Outline,
    nodes: Sequence[int],
    before: int,
    after: int,
) -> list[Located]:
    """The records with these elements, in document order, each with up to ``before`` and
    ``after`` of its siblings; siblings that are records themselves are not taken."""
    nodes = sorted(nodes)
    position_of = {node: position for position, node in enumerate(nodes)}
    siblings_below = _find_siblings(outline, nodes)
    place_of: dict[int, int] = {}
    for siblings in siblings_below.values():
        places = range(len(siblings))
        place_of.update(zip(siblings, places, strict=True))

    located = []
    for node in nodes:
        siblings = siblings_below[outline.nodes[node].parent]
        place = place_of[node]
        first = max(0, place - before)
        end = place + 1 + after
        nearest_before = reversed(siblings[first:place])
        nearest_after = siblings[place + 1 : end]
        taken_before = _take_to_record(nearest_before, position_of)
        taken_after = _take_to_record(nearest_after, position_of)

        roots = []
        for sibling in reversed(taken_before):
            roots.append((sibling, "-" + write_step_of(outline, sibling)))
        roots.append((node, ""))
        for sibling in taken_after:
            roots.append((sibling, "+" + write_step_of(outline, sibling)))
        record = Located(
            node,
            position=position_of[node],
            roots=tuple(roots),
            container=_find_container(outline, node, position_of),
        )
        located.append(record)
    return located


def roots_of(records: Iterable[Located]) -> frozenset[int]:
    """The elements of the records, and the siblings that belong to them."""
    roots: set[int] = set()
    for record in records:
        roots.update(root for root, _ in record.roots)
    return frozenset(roots)


def _find_container(
    outline: Outline,
    node: int,
    position_of: Mapping[int, int],
) -> int | None:
    """The position of the nearest record around the element."""
    for ancestor in outline.path(node):
        if ancestor != node and ancestor in position_of:
            return position_of[ancestor]
    return None


def _take_to_record(
    siblings: Iterable[int],
    records: Collection[int],
) -> list[int]:
    """The siblings up to the next record."""
    return list(takewhile(lambda node: node not in records, siblings))


def _find_siblings(
    outline: Outline,
    nodes: Sequence[int],
) -> dict[int, list[int]]:
    """By the parents of the records' elements, these elements and their siblings with text."""
    records = set(nodes)
    siblings_below: dict[int, list[int]] = {}
    for node in nodes:
        siblings_below[outline.nodes[node].parent] = []
    for index, outline_node in enumerate(outline.nodes):
        parent = outline_node.parent
        if parent not in siblings_below:
            continue
        has_text = outline_node.first < outline_node.last
        if has_text or index in records:
            siblings_below[parent].append(index)
    return siblings_below


def walk_record(
    outline: Outline,
    record: Located,
    roots: Collection[int],
) -> Iterator[Inner]:
    """The nodes of a record with their internal paths, in document order; ``roots``: the elements
    of all records, whose inside belongs to them."""
    for root, step in record.roots:
        paths = {root: step}
        yield Inner(root, step)
        index = root + 1
        end = outline.ends[root]
        while index < end:
            if index in roots:
                index = outline.ends[index]
                continue
            parent_path = paths[outline.nodes[index].parent]
            step_inside = write_step_of(outline, index)
            path = f"{parent_path} {step_inside}" if parent_path else step_inside
            paths[index] = path
            yield Inner(index, path)
            index += 1


def write_step_of(outline: Outline, index: int) -> str:
    """A step of an internal path: the tag, with class, id and so on in tolerant form, and without
    what is a digest, since that is another one in each record."""
    node = outline.nodes[index]
    names = node.names
    if any(value and len(value) >= MIN_DIGEST_LENGTH for value in names):
        class_, id_, itemprop, role = names
        names = (_without_digest(class_), _without_digest(id_), itemprop, role)
    forms = [f"[{name}={form}]" for name, form in type_of(names)]
    return node.tag + "".join(forms)


@lru_cache(maxsize=20_000)
def _without_digest(value: str | None) -> str | None:
    """The value of an attribute without a digest or a UUID.

    >>> _without_digest("msg-3f2a91c07be4d5a86021"), _without_digest("post_content")
    ('msg-', 'post_content')
    """
    if not value:
        return value
    match = _DIGEST.search(value[:MAX_VALUE_LENGTH])
    if match is None or sum(map(str.isdigit, match[0])) < MIN_DIGEST_DIGITS:
        return value
    return value[: match.start()] + value[match.end() :]


def is_below(path: str, outer_path: str) -> bool:
    """Whether an internal path is another one, or below it.

    >>> is_below("div p", "div"), is_below("div2 p", "div"), is_below("p", "")
    (True, False, True)
    """
    if not outer_path or path == outer_path:
        return True
    return path.startswith(outer_path + " ")


def is_quote(path: str, usual_steps: Collection[str] = ()) -> bool:
    """Whether what is at this path is quoted from another record; ``usual_steps``: steps that are
    no quotes, and neither are links and buttons that are named so.

    >>> is_quote("div blockquote p"), is_quote("div[class=bbQuote]"), is_quote("a[class=quote]")
    (True, True, False)
    """
    if "quote" not in path.lower():
        return False
    return any(
        "quote" in step.lower() and not _BUTTON.match(step)
        for step in path.split(" ")
        if step not in usual_steps
    )


def is_signature(path: str) -> bool:
    """Whether what is at this path is what an author writes below each post.

    >>> is_signature("div[class=post-signature] p"), is_signature("div[id=sig]"), is_signature("p")
    (True, True, False)
    """
    return _SIGNATURE.search(path) is not None

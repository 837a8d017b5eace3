"""The tree of a page read in one walk, into columns: one value for each element or text.

What libxml2 has as C structures becomes an object of lxml each time it is looked at, which is most
of the cost of a walk.  The compiled module ``_native``, if it is installed and was compiled for the
lxml that is installed, reads the same columns from the structures themselves, in a quarter of the
time.
"""

import logging
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from forest_scrapy.core.page.tree import IGNORED, Element, is_ignored

try:
    from forest_scrapy.core.page import _native
except ImportError:  # the package was installed without a compiler
    _native = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)

#: The attributes by which sites name the role of an element, in the order of ``Columns.names``.
NAMING = ("class", "id", "itemprop", "role")
#: Their values for one element; None for each that it has not.
Names = tuple[str | None, str | None, str | None, str | None]
NO_NAMES: Names = (None, None, None, None)

#: Characters that take as long to read as an element.
CHARACTERS = 100

#: Rows of columns, or other numbers from 0 on, as an array.
Rows = NDArray[np.intp]

#: An element's parent, as its index among the steps (-1: none), its tag, class and id.
Step = tuple[int, str, str | None, str | None]


class Columns(NamedTuple):
    """The visible part of a tree, with a row for each element.

    ``elements`` to ``names`` are the columns of these rows, those of ``outline.Node``, and ``ends``
    has the row after the last one below each.  ``texts`` and ``owners``: each text that is not only
    white space, and the row of its element.
    ``weight``: 1 for an element, and 1 for 100 characters of text; ``is_cut``: whether the tree has
    more.
    """

    elements: Sequence[Element]
    tags: Sequence[str]
    numbers: Sequence[int]
    levels: Sequence[int]
    parents: Sequence[int]
    firsts: Sequence[int]
    lasts: Sequence[int]
    names: Sequence[Names]
    ends: Sequence[int]
    texts: Sequence[str]
    owners: Sequence[int]
    weight: float
    is_cut: bool


class Features(NamedTuple):
    """What one search of a tree finds: its links with a fragment, but not the root; the elements
    with one of some tags, each with its tag, both in document order; and all classes."""

    links: list[Element]
    elements: list[tuple[str, Element]]
    classes: set[str]


class MarkupNames(NamedTuple):
    """The names of the elements of a tree, and of their attributes, each of these with its values
    if they were asked for."""

    tags: set[str]
    attributes: dict[str, set[str]]


#: The functions of the compiled module; one that was compiled earlier may not have all.
_COMPILED = (
    "read_columns", "read_steps", "find_marked", "read_long_texts", "find_features",
    "read_line_pieces", "find_markup_names", "find_with_attributes", "count_alike",
    "count_characters", "cut_lines", "find_at_paths", "find_runs", "inherit_nearest",
    "inherit_outermost", "number_nodes",
)  # fmt: skip


def _is_usable() -> bool:
    """Whether the compiled module is installed and was compiled for this lxml: another may have
    other structures."""
    if _native is None:
        return False
    has_all = all(hasattr(_native, name) for name in _COMPILED)
    if not has_all:
        logger.info("Pages are read more slowly: install forest-scrapy again to compile it anew")
        return False
    if etree.__version__ == _native.COMPILED_FOR:
        return True
    logger.info(
        "Pages are read more slowly: forest-scrapy was compiled for lxml %s, and %s is installed",
        _native.COMPILED_FOR,
        etree.__version__,
    )
    return False


IS_NATIVE = _is_usable()


def read_columns(
    body: Element,
    number: int,
    level: int,
    without: Collection[Element],
    max_weight: float,
) -> Columns:
    """The columns of ``body`` and of the elements below it, without ignored ones (``is_ignored``)
    and those of ``without``.

    ``number`` and ``level``: those of ``body``; ``max_weight``: nothing more is read after this
    weight.  Cost: linear.
    """
    if not IS_NATIVE:
        return walk_columns(body, number, level, without, max_weight)
    columns = _native.read_columns(
        body,
        number,
        level,
        without,
        IGNORED,
        CHARACTERS,
        max_weight,
    )
    return Columns._make(columns)


def read_steps(body: Element) -> list[Step]:
    """A step for ``body`` and for each element below it, without ignored ones, but with hidden
    ones, in document order."""
    if IS_NATIVE:
        return _native.read_steps(body, IGNORED)
    return walk_steps(body)


def find_marked(root: Element) -> list[Element]:
    """The elements of the tree that are hidden, dialogs or notices, as far as their attributes say
    that in the usual words, and the forms around passwords, which may be outside of ``root``; in
    document order.  Of each kind the first 1,000."""
    marked: list[Element] | None = None
    if IS_NATIVE:
        marked = _native.find_marked(root, _MAX_MARKED)
    if marked is None:
        return walk_marked(root)
    return marked


def find_features(root: Element, tags: Collection[str]) -> Features:
    """The features of the tree by which its formulas, code and notes are found.  Cost: one walk."""
    if IS_NATIVE:
        return Features._make(_native.find_features(root, tags))
    return walk_features(root, tags)


def find_markup_names(element: Element, valued: Collection[str]) -> MarkupNames:
    """The names in the whole tree that has an element, without those with a namespace; the values
    of the ``valued`` attributes.  Cost: one walk."""
    if IS_NATIVE:
        return MarkupNames._make(_native.find_markup_names(element, valued))
    return walk_markup_names(element, valued)


def find_with_attributes(element: Element, is_wanted: Callable[[str], bool]) -> list[Element]:
    """The elements of the whole tree that has an element, in document order, with an attribute
    whose name is wanted; names with a namespace are not.  Cost: one walk, and one question for each
    different name.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> root = parse_html("<time datetime=2024-05-03>May</time><p title=Owls>")
    >>> [element.tag for element in find_with_attributes(root, "datetime".__eq__)]
    ['time']
    """
    if IS_NATIVE:
        return _native.find_with_attributes(element, is_wanted)
    return walk_with_attributes(element, is_wanted)


def read_long_texts(
    root: Element,
    ignored: Collection[str],
    min_length: int,
) -> list[tuple[Element, str]]:
    """The texts with more than ``min_length`` characters, each with the element that it is directly
    in, in document order; without those in elements with an ``ignored`` tag.  Cost: linear."""
    if IS_NATIVE:
        return _native.read_long_texts(root, ignored, min_length)
    return walk_long_texts(root, ignored, min_length)


def read_line_pieces(
    root: Element,
    phrasing: Collection[str],
    ignored: Collection[str],
) -> list[str]:
    """The texts below an element that are not in elements with an ``ignored`` tag, with a space
    where an element begins or ends that is not ``phrasing``.  Cost: linear."""
    if IS_NATIVE:
        return _native.read_line_pieces(root, phrasing, ignored)
    return walk_line_pieces(root, phrasing, ignored)


def walk_line_pieces(
    root: Element,
    phrasing: Collection[str],
    ignored: Collection[str],
) -> list[str]:
    """``read_line_pieces`` by lxml."""
    pieces: list[str] = []
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        is_tag = event in ("start", "end")
        if is_tag and element.tag not in phrasing:
            pieces.append(" ")
        if event == "start":
            if element.tag in ignored:
                walk.skip_subtree()
            elif element.text:
                pieces.append(element.text)
        elif element.tail and element is not root:
            pieces.append(element.tail)
    return pieces


def count_alike(element: Element) -> int:
    """The number of children of an element's parent, with the element, that have its tag and its
    class; 1 for the root of a document.  Cost: linear in the number of children."""
    if IS_NATIVE:
        return _native.count_alike(element)
    return walk_alike(element)


def walk_alike(element: Element) -> int:
    """``count_alike`` in Python."""
    parent = element.getparent()
    if parent is None:
        return 1
    css_class = element.get("class")
    count = 0
    for sibling in parent:
        if sibling.tag == element.tag and sibling.get("class") == css_class:
            count += 1
    return count


def inherit_nearest(parents: Rows, values: Rows) -> Rows:
    """For each row its value, or else that of the nearest row above it that has one; -1 stands for
    no value.  ``parents``: the row above each, which comes before it, or -1.

    >>> inherit_nearest(np.array([-1, 0, 1]), np.array([5, 6, -1])).tolist()
    [5, 6, 6]
    """
    if not IS_NATIVE:
        return inherit_in_python(parents, values, is_outermost=False)
    inherited = np.empty_like(values)
    _native.inherit_nearest(parents, values, inherited)
    return inherited


def inherit_outermost(parents: Rows, values: Rows) -> Rows:
    """For each row the value of the uppermost row that has one, of those above it and itself; see
    ``inherit_nearest``.

    >>> inherit_outermost(np.array([-1, 0, 1]), np.array([-1, 5, 6])).tolist()
    [-1, 5, 5]
    """
    if not IS_NATIVE:
        return inherit_in_python(parents, values, is_outermost=True)
    inherited = np.empty_like(values)
    _native.inherit_outermost(parents, values, inherited)
    return inherited


def inherit_in_python(parents: Rows, values: Rows, *, is_outermost: bool) -> Rows:
    """``inherit_outermost``, or else ``inherit_nearest``, in Python."""
    inherited: list[int] = []
    for parent, value in zip(parents.tolist(), values.tolist(), strict=True):
        value_above = inherited[parent] if parent >= 0 else -1
        has_first = value_above >= 0 if is_outermost else value < 0
        inherited.append(value_above if has_first else value)
    return np.array(inherited, dtype=np.intp)


def walk_columns(
    body: Element,
    number: int,
    level: int,
    without: Collection[Element],
    max_weight: float,
) -> Columns:
    """``read_columns`` in Python."""
    walk = _Walk(without, max_weight)
    walk.read(body, number, level)
    return walk.columns()


class _Walk:
    """The columns while a tree is read, iteratively: it may be nested thousands of levels deep."""

    def __init__(self, without: Collection[Element], max_weight: float) -> None:
        self.without = without
        self.max_weight = max_weight
        self.weight = 0.0
        self.is_cut = False
        self.rows: list[tuple[Element, str, int, int, int, int]] = []
        self.lasts: list[int] = []
        self.names: list[Names] = []
        self.ends: list[int] = []
        self.texts: list[str] = []
        self.owners: list[int] = []

    def read(
        self,
        body: Element,
        number: int,
        level: int,
    ) -> None:
        body_row = self._add(body, number, level, -1)
        stack = [(body_row, iter(body))]
        while stack:
            row, children = stack[-1]
            for child in children:
                if self.weight >= self.max_weight:
                    self.is_cut = True
                    stack[-1] = (row, iter(()))
                    break
                if is_ignored(child) or child in self.without:
                    number += sum(1 for _ in child.iter("*"))
                    self._add_text(child.tail, row)
                    continue
                number += 1
                child_row = self._add(child, number, level + len(stack), row)
                if len(child):
                    stack.append((child_row, iter(child)))
                    break
                self._end(child_row)
                self._add_text(child.tail, row)
            else:
                stack.pop()
                self._end(row)
                if stack:
                    element = self.rows[row][0]
                    parent_row, _ = stack[-1]
                    self._add_text(element.tail, parent_row)

    def columns(self) -> Columns:
        elements, tags, numbers, levels, parents, firsts = zip(*self.rows, strict=True)
        return Columns(
            elements=elements,
            tags=tags,
            numbers=numbers,
            levels=levels,
            parents=parents,
            firsts=firsts,
            lasts=self.lasts,
            names=self.names,
            ends=self.ends,
            texts=self.texts,
            owners=self.owners,
            weight=self.weight,
            is_cut=self.is_cut,
        )

    def _add(
        self,
        element: Element,
        number: int,
        level: int,
        parent: int,
    ) -> int:
        row = len(self.rows)
        first_text = len(self.texts)
        self.weight += 1
        self.rows.append((element, str(element.tag), number, level, parent, first_text))
        self.lasts.append(0)
        self.ends.append(0)
        self.names.append(read_names(element))
        self._add_text(element.text, row)
        return row

    def _end(self, row: int) -> None:
        self.lasts[row] = len(self.texts)
        self.ends[row] = len(self.rows)

    def _add_text(self, text: str | None, row: int) -> None:
        if text and not text.isspace() and not self.is_cut:
            self.weight += len(text) / CHARACTERS
            self.texts.append(text)
            self.owners.append(row)


def read_names(element: Element) -> Names:
    """The values of the naming attributes of an element."""
    if not element.attrib:
        return NO_NAMES
    return element.get("class"), element.get("id"), element.get("itemprop"), element.get("role")


def walk_steps(body: Element) -> list[Step]:
    """``read_steps`` in Python."""
    steps = [_step(body, -1)]
    stack = [(0, iter(body))]
    while stack:
        row, children = stack[-1]
        for child in children:
            if is_ignored(child):
                continue
            child_row = len(steps)
            steps.append(_step(child, row))
            if len(child):
                stack.append((child_row, iter(child)))
                break
        else:
            stack.pop()
    return steps


def _step(element: Element, parent: int) -> Step:
    return parent, str(element.tag), element.get("class"), element.get("id")


#: Elements looked at for each reason: libxml2 takes seconds to sort many that are in each other.
_MAX_MARKED = 1000
_MARKS = (
    ".//@hidden",
    ".//@aria-hidden[. = 'true']",
    ".//@role[contains(., 'dialog')]",
    ".//@style[contains(., 'none') or contains(., 'hidden')]",
    ".//@class[contains(., 'ookie') or contains(., 'onsent')]",
    ".//@id[contains(., 'ookie') or contains(., 'onsent')]",
)
_MARKED = etree.XPath(
    " | ".join(f"({mark})[position() <= {_MAX_MARKED}]/.." for mark in _MARKS)
    + f" | (.//input[@type = 'password'])[position() <= {_MAX_MARKED}]/ancestor::form[1]"
)


def walk_marked(root: Element) -> list[Element]:
    """``find_marked`` by XPath."""
    marked: list[Element] = _MARKED(root)
    return marked


_LINKS = etree.XPath(".//a[contains(@href, '#')]")
_CLASSES = etree.XPath(".//@class", smart_strings=False)


def walk_features(root: Element, tags: Collection[str]) -> Features:
    """``find_features`` by lxml."""
    return Features(
        links=_LINKS(root),
        elements=[(str(element.tag), element) for element in root.iter(*tags)],
        classes=set(_CLASSES(root)),
    )


def walk_markup_names(element: Element, valued: Collection[str]) -> MarkupNames:
    """``find_markup_names`` in Python."""
    tags = set()
    attributes: dict[str, set[str]] = {}
    *_, root = element, *element.iterancestors()
    for descendant in root.iter("*"):
        tag = str(descendant.tag)
        if "}" not in tag:
            tags.add(tag)
        for attribute, value in descendant.items():
            name = str(attribute)
            if "}" in name:
                continue
            values = attributes.setdefault(name, set())
            if name in valued:
                values.add(str(value))
    return MarkupNames(tags, attributes)


def walk_with_attributes(element: Element, is_wanted: Callable[[str], bool]) -> list[Element]:
    """``find_with_attributes`` in Python."""
    *_, root = element, *element.iterancestors()
    elements = []
    for descendant in root.iter("*"):
        names = map(str, descendant.keys())
        if any("}" not in name and is_wanted(name) for name in names):
            elements.append(descendant)
    return elements


_TEXTS = etree.XPath(".//text()[string-length(.) > $min_length]")


def walk_long_texts(
    root: Element,
    ignored: Collection[str],
    min_length: int,
) -> list[tuple[Element, str]]:
    """``read_long_texts`` by XPath."""
    texts: list[tuple[Element, str]] = []
    visited: dict[Element, bool] = {}
    for text in _TEXTS(root, min_length=min_length):
        parent = text.getparent()
        element = parent.getparent() if text.is_tail else parent
        if not _is_inside(element, ignored, root, visited):
            texts.append((element, str(text)))
    return texts


def _is_inside(
    element: Element,
    tags: Collection[str],
    root: Element,
    visited: dict[Element, bool],
) -> bool:
    """Whether the element has one of the tags, or is inside one that has, within ``root``.

    ``visited``: the answers for elements visited before; those on the way are added.
    """
    path: list[Element] = []
    ancestor: Element | None = element
    while ancestor is not None and ancestor not in visited and ancestor.tag not in tags:
        path.append(ancestor)
        ancestor = ancestor.getparent() if ancestor is not root else None
    is_inside = ancestor is not None and visited.get(ancestor, True)
    visited.update(dict.fromkeys(path, is_inside))
    return is_inside

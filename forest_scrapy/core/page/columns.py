"""The tree of a page read in one walk, into columns: one value for each element or text.

What libxml2 has as C structures becomes an object of lxml each time it is looked at, which is most
of the cost of a walk.  Where the compiled module ``_native`` is there, and was compiled for the
lxml that is installed, it reads the same columns from the structures themselves, in a quarter of
the time.
"""

import logging
from collections.abc import Collection, Sequence
from typing import NamedTuple

from lxml import etree

from forest_scrapy.core.page.tree import IGNORED, Element, is_ignored

try:
    from forest_scrapy.core.page import _native
except ImportError:  # no compiler was there when the package was installed
    _native = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)

#: The attributes by which sites name the role of an element, in the order of ``Columns.names``.
NAMING = ("class", "id", "itemprop", "role")
#: Their values for one element; None for each that it has not.
Names = tuple[str | None, str | None, str | None, str | None]
NO_NAMES: Names = (None, None, None, None)

#: Characters that take as long to read as an element.
CHARACTERS = 100

#: An element's parent, as its index among the steps (-1: none), its tag, class and id.
Step = tuple[int, str, str | None, str | None]


class Columns(NamedTuple):
    """What is visible of a tree: a row for each element, the others are its columns.

    ``elements`` to ``names`` are those of ``outline.Node``.  ``texts`` and ``owners``: each text
    that is not only white space, and the row of the element that it is in.  ``weight``: 1 for an
    element, and 1 for 100 characters of text; ``is_cut``: whether the tree has more.
    """

    elements: Sequence[Element]
    tags: Sequence[str]
    numbers: Sequence[int]
    levels: Sequence[int]
    parents: Sequence[int]
    firsts: Sequence[int]
    lasts: Sequence[int]
    names: Sequence[Names]
    texts: Sequence[str]
    owners: Sequence[int]
    weight: float
    is_cut: bool


class Features(NamedTuple):
    """What one search of a tree tells: its links with a fragment, but not the root, the elements
    with one of some tags, each with its tag, both in document order, and all classes."""

    links: list[Element]
    elements: list[tuple[str, Element]]
    classes: set[str]


#: The functions of the compiled module; one that was compiled earlier may not have all.
_COMPILED = ("read_columns", "read_steps", "find_marked", "read_long_texts", "find_features")


def _is_usable() -> bool:
    """Whether the compiled module is there, for this lxml: another may have other structures."""
    if _native is None:
        return False
    if not all(hasattr(_native, name) for name in _COMPILED):
        logger.info("Pages are read more slowly: install forest-scrapy again to compile it anew")
        return False
    if etree.__version__ == _native.COMPILED_FOR:
        return True
    logger.info(
        "Pages are read more slowly: forest-scrapy was compiled for lxml %s, and %s is installed",
        *(_native.COMPILED_FOR, etree.__version__),
    )
    return False


IS_NATIVE = _is_usable()


def read_columns(
    body: Element, number: int, level: int, without: Collection[Element], most: float
) -> Columns:
    """The columns of ``body``, whose ``number`` and ``level`` are given, and of the elements below
    it, without ignored ones (``is_ignored``) and those of ``without``.

    ``most``: the weight after which nothing more is read.  Cost: linear.
    """
    if IS_NATIVE:
        found = _native.read_columns(body, number, level, without, IGNORED, CHARACTERS, most)
        return Columns._make(found)
    return walk_columns(body, number, level, without, most)


def read_steps(body: Element) -> list[Step]:
    """A step for ``body`` and for each element below it, without ignored ones, but with hidden
    ones, in document order."""
    return _native.read_steps(body, IGNORED) if IS_NATIVE else walk_steps(body)


def find_marked(root: Element) -> list[Element]:
    """The elements of the tree that are hidden, dialogs or notices, as far as their attributes say
    that in the usual words, and the forms around passwords, which may be outside of ``root``; in
    document order.  Of each kind the first 1,000."""
    found = _native.find_marked(root, _MOST) if IS_NATIVE else None
    return walk_marked(root) if found is None else found


def find_features(root: Element, wanted: Collection[str]) -> Features:
    """The features of the tree by which its formulas, code and notes are known; ``wanted``: tags.
    Cost: one walk."""
    found = _native.find_features(root, wanted) if IS_NATIVE else walk_features(root, wanted)
    return Features._make(found)


def read_long_texts(
    root: Element, ignored: Collection[str], least: int
) -> list[tuple[Element, str]]:
    """The texts with more than ``least`` characters, each with the element that it is directly in,
    in document order; without those in elements with an ``ignored`` tag.  Cost: linear."""
    if IS_NATIVE:
        return _native.read_long_texts(root, ignored, least)
    return walk_long_texts(root, ignored, least)


def walk_columns(
    body: Element, number: int, level: int, without: Collection[Element], most: float
) -> Columns:
    """``read_columns`` in Python."""
    walk = _Walk(without, most)
    walk.read(body, number, level)
    return walk.columns()


class _Walk:
    """The columns while a tree is read, iteratively: it may be nested thousands of levels deep."""

    def __init__(self, without: Collection[Element], most: float) -> None:
        self.without, self.most = without, most
        self.weight, self.is_cut = 0.0, False
        self.rows: list[tuple[Element, str, int, int, int, int]] = []
        self.lasts: list[int] = []
        self.names: list[Names] = []
        self.texts: list[str] = []
        self.owners: list[int] = []

    def read(self, body: Element, number: int, level: int) -> None:
        stack = [(self._add(body, number, level, -1), iter(body))]
        while stack:
            row, children = stack[-1]
            for child in children:
                if self.weight >= self.most:
                    self.is_cut, stack[-1] = True, (row, iter(()))
                    break
                if is_ignored(child) or child in self.without:
                    number += sum(1 for _ in child.iter("*"))
                    self._add_text(child.tail, row)
                    continue
                number += 1
                inner = self._add(child, number, level + len(stack), row)
                if len(child):
                    stack.append((inner, iter(child)))
                    break
                self.lasts[inner] = len(self.texts)
                self._add_text(child.tail, row)
            else:
                stack.pop()
                self.lasts[row] = len(self.texts)
                if stack:
                    self._add_text(self.rows[row][0].tail, stack[-1][0])

    def columns(self) -> Columns:
        elements, tags, numbers, levels, parents, firsts = zip(*self.rows, strict=True)
        return Columns(
            *(elements, tags, numbers, levels, parents, firsts, self.lasts, self.names),
            *(self.texts, self.owners, self.weight, self.is_cut),
        )

    def _add(self, element: Element, number: int, level: int, parent: int) -> int:
        row = len(self.rows)
        self.weight += 1
        self.rows.append((element, str(element.tag), number, level, parent, len(self.texts)))
        self.lasts.append(0)
        self.names.append(read_names(element))
        self._add_text(element.text, row)
        return row

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
    steps: list[Step] = [(-1, str(body.tag), body.get("class"), body.get("id"))]
    stack = [(0, iter(body))]
    while stack:
        row, children = stack[-1]
        for child in children:
            if is_ignored(child):
                continue
            steps.append((row, str(child.tag), child.get("class"), child.get("id")))
            if len(child):
                stack.append((len(steps) - 1, iter(child)))
                break
        else:
            stack.pop()
    return steps


#: Elements looked at for each reason: libxml2 takes seconds to sort many that are in each other.
_MOST = 1000
_MARKS = (
    ".//@hidden",
    ".//@aria-hidden[. = 'true']",
    ".//@role[contains(., 'dialog')]",
    ".//@style[contains(., 'none') or contains(., 'hidden')]",
    ".//@class[contains(., 'ookie') or contains(., 'onsent')]",
    ".//@id[contains(., 'ookie') or contains(., 'onsent')]",
)
_MARKED = etree.XPath(
    " | ".join(f"({mark})[position() <= {_MOST}]/.." for mark in _MARKS)
    + f" | (.//input[@type = 'password'])[position() <= {_MOST}]/ancestor::form[1]"
)


def walk_marked(root: Element) -> list[Element]:
    """``find_marked`` by XPath."""
    found: list[Element] = _MARKED(root)
    return found


_LINKS = etree.XPath(".//a[contains(@href, '#')]")
_CLASSES = etree.XPath(".//@class", smart_strings=False)


def walk_features(root: Element, wanted: Collection[str]) -> Features:
    """``find_features`` by lxml."""
    elements = [(str(element.tag), element) for element in root.iter(*wanted)]
    return Features(_LINKS(root), elements, set(_CLASSES(root)))


_TEXTS = etree.XPath(".//text()[string-length(.) > $least]")


def walk_long_texts(
    root: Element, ignored: Collection[str], least: int
) -> list[tuple[Element, str]]:
    """``read_long_texts`` by XPath."""
    found: list[tuple[Element, str]] = []
    is_left_out: dict[Element, bool] = {}
    for text in _TEXTS(root, least=least):
        parent = text.getparent()
        element = parent.getparent() if text.is_tail else parent
        if not _is_inside(element, ignored, root, is_left_out):
            found.append((element, str(text)))
    return found


def _is_inside(
    element: Element, tags: Collection[str], root: Element, known: dict[Element, bool]
) -> bool:
    """Whether the element has one of the tags, or is inside one that has, within ``root``.
    ``known``: what was found before, which grows."""
    path: list[Element] = []
    around: Element | None = element
    while around is not None and around not in known and around.tag not in tags:
        path.append(around)
        around = around.getparent() if around is not root else None
    is_inside = around is not None and known.get(around, True)
    known.update(dict.fromkeys(path, is_inside))
    return is_inside

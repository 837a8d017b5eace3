"""Anchored paths: where elements are in a template's pages, also elements without attributes.

Pages of a template have the same paths again and again: what is known of one by its tags, classes
and ids is computed when it is first seen, for all pages and all elements at it.
"""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.page.columns import NO_NAMES, Names
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.site_caches import site_cache
from forest_scrapy.core.xpaths.structural import (
    MAX_CACHED_LENGTH,
    TYPING_ATTRIBUTES,
    ElementType,
    Pattern,
    element_type,
    type_of,
)
from forest_scrapy.core.xpaths.writing import write_step, write_xpath

#: Paths that are kept for further pages, some 1 KB each.
_MAX_PATHS = 10_000
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


class AnchoredPath(NamedTuple):
    """The pattern of the nearest element with typing attributes (the element itself or an
    ancestor; None if there is none), and the tags from there down to the element.

    >>> AnchoredPath(Pattern("div", (("id", "main"),), 2), ("ul", "li")).tags
    ('ul', 'li')
    """

    anchor: Pattern | None
    tags: tuple[str, ...]

    @property
    def level(self) -> int:
        """The depth of the element in the tree."""
        level = len(self.tags)
        if self.anchor:
            level += self.anchor.level
        return level


@site_cache
@lru_cache(maxsize=20_000)
def attribute_words(value: str) -> frozenset[str]:
    """The words of a class or id attribute.

    >>> sorted(attribute_words("postContent entry-content2"))
    ['content', 'entry', 'post']
    """
    words = _WORDS.findall(value)
    return frozenset(word.lower() for word in words if 2 < len(word) < 16)


class _Kind:
    """The naming attributes of an element: its type, and the words of class and id."""

    __slots__ = ("type", "words")

    def __init__(self, type_: ElementType, words: frozenset[str]) -> None:
        self.type = type_
        self.words = words


_PLAIN = _Kind((), frozenset())


class TreePath:
    """The tags and names of an element and of those around it, up to the body.

    ``anchored``: its anchored path; ``tag_path``: a number that paths with the same tags have, and
    no others; ``words``: the words of the classes and ids of all of these elements, and
    ``own_words`` of the element itself; ``notes``: what other modules compute from the path and
    store with it.
    """

    __slots__ = ("above", "anchored", "inner", "notes", "own_words", "tag", "tag_path", "words")

    def __init__(
        self,
        above: "TreePath | None",
        tag: str,
        kind: _Kind,
        level: int,
        tag_path: int,
    ) -> None:
        self.above = above
        self.tag = tag
        self.tag_path = tag_path
        self.own_words = kind.words
        self.words: frozenset[str] = kind.words
        anchor: Pattern | None = None
        tags: tuple[str, ...] = (tag,)
        if above:
            # Most elements add no word: their paths share the words of those above.
            self.words = above.words | kind.words if kind.words else above.words
            anchor = above.anchored.anchor
            tags = (*above.anchored.tags, tag)
        if kind.type:
            anchor = Pattern(tag, kind.type, level)
            tags = ()
        self.anchored: AnchoredPath = AnchoredPath(anchor, tags)
        self.inner: dict[tuple[str, _Kind], TreePath] = {}
        self.notes: dict[Any, Any] = {}


class _SeenPaths:
    """The paths seen so far, from those of the bodies of pages on, and the kinds of elements."""

    def __init__(self) -> None:
        self.bodies: dict[tuple[int, str, _Kind], TreePath] = {}
        self.kinds: dict[tuple[ElementType, frozenset[str]], _Kind] = {}
        self.kind_of: dict[Names, _Kind] = {NO_NAMES: _PLAIN}
        self.tag_paths: dict[tuple[int, str], int] = {}
        self.numbers = itertools.count()
        self.count = 0

    def read(self, outline: Outline) -> list[TreePath]:
        """The path of each node."""
        columns = outline.columns
        paths: list[TreePath] = []
        nodes = zip(columns.parents, columns.tags, columns.names, strict=True)
        for parent, tag, names in nodes:
            kind = self.kind_of.get(names) or self._find_kind(names)
            if parent < 0:
                paths.append(self._path_of_body(tag, kind, columns.levels[0]))
                continue
            above = paths[parent]
            key = (tag, kind)
            path = above.inner.get(key)
            if path is None:
                level = columns.levels[len(paths)]
                tag_path = self._number_tags(above.tag_path, tag)
                path = TreePath(above, tag, kind, level, tag_path)
                path = above.inner.setdefault(key, path)
                self.count += 1
            paths.append(path)
        return paths

    def _number_tags(self, number_above: int, tag: str) -> int:
        """The number of the path of tags with this tag below the path with the other number."""
        key = (number_above, tag)
        number = self.tag_paths.get(key)
        if number is None:
            number = self.tag_paths.setdefault(key, next(self.numbers))
        return number

    def forget(self) -> None:
        """Release the paths that no outline needs; without this they wait for garbage collection,
        since those above and below each other refer to each other."""
        paths = list(self.bodies.values())
        while paths:
            paths_below = paths.pop().inner
            paths.extend(paths_below.values())
            paths_below.clear()

    def _path_of_body(
        self,
        tag: str,
        kind: _Kind,
        level: int,
    ) -> TreePath:
        key = (level, tag, kind)
        path = self.bodies.get(key)
        if path is None:
            tag_path = self._number_tags(-1, tag)
            path = TreePath(None, tag, kind, level, tag_path)
        return self.bodies.setdefault(key, path)

    def _find_kind(self, names: Names) -> _Kind:
        class_and_id = names[:2]
        words = frozenset[str]()
        for value in class_and_id:
            if value:
                words |= attribute_words(value)
        type_ = type_of(names)
        key = (type_, words)
        kind = self.kinds.get(key) or _Kind(type_, words)
        kind = self.kinds.setdefault(key, kind)
        length = sum(map(len, filter(None, names)))
        if length <= MAX_CACHED_LENGTH:
            self.kind_of[names] = kind
        self.count += 1
        return kind


_seen_paths = _SeenPaths()
_paths_of: WeakKeyDictionary[Outline, list[TreePath]] = WeakKeyDictionary()


def tree_paths(outline: Outline) -> list[TreePath]:
    """The path of each node of the outline; computed once per outline."""
    global _seen_paths
    paths = _paths_of.get(outline)
    if paths is not None:
        return paths
    paths = _seen_paths.read(outline)
    _paths_of[outline] = paths
    if _seen_paths.count > _MAX_PATHS:
        _seen_paths.forget()
        _seen_paths = _SeenPaths()
    return paths


class NumberedPaths(NamedTuple):
    """The anchored paths of an outline: ``paths``, each once, and the number of that of each
    node."""

    paths: list[AnchoredPath]
    numbers: NDArray[np.intp]


_numbered_paths: WeakKeyDictionary[Outline, NumberedPaths] = WeakKeyDictionary()


def number_paths(outline: Outline) -> NumberedPaths:
    """The anchored paths of the outline by numbers, which arrays can hold, and which are compared
    faster; computed once per outline."""
    numbered = _numbered_paths.get(outline)
    if numbered is not None:
        return numbered
    number_of_anchored: dict[AnchoredPath, int] = {}
    number_of_tree: dict[TreePath, int] = {}
    numbers = []
    for tree_path in tree_paths(outline):
        number = number_of_tree.get(tree_path)
        if number is None:
            next_number = len(number_of_anchored)
            number = number_of_anchored.setdefault(tree_path.anchored, next_number)
            number_of_tree[tree_path] = number
        numbers.append(number)
    numbered = NumberedPaths(list(number_of_anchored), np.array(numbers, dtype=np.intp))
    _numbered_paths[outline] = numbered
    return numbered


def anchored_paths(outline: Outline) -> list[AnchoredPath]:
    """The anchored path of each node of the outline."""
    return [path.anchored for path in tree_paths(outline)]


def element_path(
    element: Element,
    paths: dict[Element, str],
    levels: dict[Element, int],
) -> str:
    """The anchored path of an element, as ``write_anchored_path`` writes it, without an outline.
    ``paths``, ``levels``: paths already written, and levels of elements, which grow.

    >>> from forest_scrapy.core.page.page import Page
    >>> page = Page.from_html("<div id=a><p>one<p>two")
    >>> [element_path(node.element, {}, {}) for node in page.outline.nodes]
    ['body', 'div[id=a]@2', 'div[id=a]@2 p', 'div[id=a]@2 p']
    """
    without_type: list[Element] = []
    above = element
    while above not in paths:
        tag = str(above.tag)
        type_ = element_type(above)
        parent = above.getparent()
        if type_:
            level = _level_of(above, levels)
            paths[above] = _write_anchor(tag, type_, level)
        elif tag == "body" or parent is None:
            paths[above] = tag
        else:
            without_type.append(above)
            above = parent
    path = paths[above]
    for below in reversed(without_type):
        path = f"{path} {below.tag!s}"
        paths[below] = path
    return path


def _level_of(element: Element, levels: dict[Element, int]) -> int:
    """The number of the element's ancestors; each is visited once for all elements."""
    path: list[Element] = []
    above: Element | None = element
    while above is not None and above not in levels:
        path.append(above)
        above = above.getparent()
    level = levels[above] if above is not None else -1
    for below in reversed(path):
        level += 1
        levels[below] = level
    return level


def find_text_path(outlines: Sequence[Outline]) -> AnchoredPath | None:
    """The anchored path whose blocks have the largest share of a page's text, averaged over the
    pages; None if there is no text.  Almost any pages of a template give the same path."""
    shares: defaultdict[AnchoredPath, float] = defaultdict(float)
    for outline in outlines:
        paths = anchored_paths(outline)
        lengths = Counter[AnchoredPath]()
        for leaf in outline.leaves:
            block = outline.blocks[leaf.node]
            lengths[paths[block]] += len(leaf.text)
        for path, characters in lengths.items():
            shares[path] += characters / lengths.total()

    def rank(path: AnchoredPath) -> tuple[float, str]:
        return -round(shares[path], 6), write_anchored_path(path)

    return min(shares, key=rank, default=None)


def write_anchored_path(path: AnchoredPath) -> str:
    """The path in a short form, unique to it.

    >>> write_anchored_path(AnchoredPath(Pattern("div", (("id", "main"),), 2), ("ul", "li")))
    'div[id=main]@2 ul li'
    """
    if path.anchor is None:
        return " ".join(path.tags)
    anchor = _write_anchor(*path.anchor)
    return " ".join((anchor, *path.tags))


def _write_anchor(
    tag: str,
    type_: ElementType,
    level: int,
) -> str:
    attributes = "".join(f"[{name}={form}]" for name, form in type_)
    return f"{tag}{attributes}@{level}"


def anchored_xpath(path: AnchoredPath, elements: Sequence[Element]) -> str:
    """The expression for an anchored path; ``elements`` are those that were found at it.

    It also tests for attributes that are missing: a paragraph without a class has another path
    than a sibling paragraph with one.

    >>> anchored_xpath(AnchoredPath(None, ("body", "p")), [])
    '/html/body/p[not(@class or @id or @itemprop or @role)]'
    """
    elements = list(elements)
    steps = []
    for tag in reversed(path.tags):
        step = write_step(tag) + _without((), elements)
        steps.append(step)
        elements = _parents(elements)
    steps.reverse()
    if path.anchor is None:
        steps[0] = write_step(path.tags[0])
        if path.tags[0] != "html":
            steps.insert(0, "html")
        return "/" + "/".join(steps)
    tested = [name for name, _ in path.anchor.type]
    anchor = write_xpath(path.anchor, elements)
    anchor += _without(tested, elements)
    return "/".join((anchor, *steps))


def _parents(elements: Iterable[Element]) -> list[Element]:
    """The parents of the elements, each once: paragraphs of a deep page share all ancestors."""
    parents = dict.fromkeys(element.getparent() for element in elements)
    return [parent for parent in parents if parent is not None]


def _without(tested: Sequence[str], elements: Sequence[Element]) -> str:
    """A test that the typing attributes which none of the elements has, and which are not tested
    already, are missing; blank ones count as missing if one of the elements has such."""
    tests = []
    for name in TYPING_ATTRIBUTES:
        if name in tested:
            continue
        values = [element.get(name) for element in elements]
        if any(value and value.strip() for value in values):
            continue
        if all(value is None for value in values):
            tests.append(f"@{name}")
        else:
            tests.append(f"normalize-space(@{name})")
    return f"[not({' or '.join(tests)})]" if tests else ""

"""The outline of a page: its visible elements and text leaves in document order.

Hidden elements, dialogs and notices are left out of outlines and of contents, so that no method
reads their text.  The walk is iterative: pages on the web can be nested thousands of levels deep.
"""

import re
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Container,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf
from typing import Any, NamedTuple, TypeVar

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from forest_scrapy.core.page.columns import (
    CHARACTERS,
    IS_NATIVE,
    NO_NAMES,
    Columns,
    Names,
    find_marked,
    inherit_nearest,
    read_columns,
)
from forest_scrapy.core.page.panels import find_panels, is_plainly_shown, is_slide
from forest_scrapy.core.page.tree import (
    PHRASING,
    Element,
    TagAndClass,
    body_of,
    class_and_id,
    outermost_elements,
    tag_and_class,
)

if IS_NATIVE:
    from forest_scrapy.core.page import _native

_NOT_SHOWN = re.compile(r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
#: Classes and ids of notices; "cookie" alone may be what an article is about.
_NOTICE = re.compile(
    r"(?:cookie|consent)s?[-_]?(?:alert|banner|bar|consent|dialog|disclaimer|info|law|message|modal|"
    r"notice|notification|overlay|policy|popup|preferences|settings|wall|warning)",
    re.IGNORECASE,
)
#: Elements that an article has, and no notice.
_ARTICLE_TAGS = ("h1", "article", "main")
#: Text nodes that are sentences rather than labels, as far as that can be told cheaply.
_SENTENCES = etree.XPath(
    ".//text()[string-length(.) > 40][not(parent::script or parent::style or parent::noscript)]"
)
#: The share of the sentences' characters from which hidden elements with the same tag and class
#: have the article itself, which a script shows later.  Not tuned.
_MIN_SENTENCE_SHARE = 0.4
#: Text nodes of the length of sentences.
_LONG_TEXTS = etree.XPath(".//text()[string-length(.) > 40]")
#: The share of the prose's characters from which hidden elements have the article.  Not tuned.
_MIN_PROSE_SHARE = 0.5
#: Characters of that prose.  Not tuned.
_MIN_PROSE_LENGTH = 300


def find_hidden(root: Element) -> frozenset[Element]:
    """The outermost elements below ``root`` that are hidden by an attribute or an inline style, are
    a dialog, a cookie notice by their class or id, or a form with a password.

    Hidden elements with a large part of the page's sentences are not among them: some sites hide an
    article until a script shows it.  Nor are closed panels with prose that stands nowhere else, see
    ``panels``.  Of each kind the first 1,000 are found.  The result may have
    elements outside of ``root``.  Cost: one search by libxml2; some more, of the whole page, if
    such elements have sentences.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> hidden = find_hidden(parse_html("<p>Owls</p><p hidden>Menu</p><i style='display: none'>"))
    >>> [element.tag for element in hidden if element.text]
    ['p']
    """
    if not isinstance(root.tag, str):  # a comment
        return frozenset()
    marked = _find_marked(root)
    if any(map(_SENTENCES, outermost_elements(marked))):
        marked = _without_article(root.getroottree().getroot())
    return frozenset(outermost_elements(marked))


def _find_marked(root: Element) -> list[Element]:
    """The elements to leave out, whether or not they have the article."""
    marked = []
    for element in find_marked(root):
        if not _is_left_out(element) or is_plainly_shown(element):
            continue
        if not is_slide(element):
            marked.append(element)
    return marked


def _without_article(root: Element) -> list[Element]:
    """The elements that are left out of a page, without those that have its article: hidden ones
    with the same tag and class that together have many of its sentences, or most of its prose."""
    marked = _find_marked(root)
    article_kinds = _kinds_with(marked, _SENTENCES(root), _MIN_SENTENCE_SHARE)
    article_kinds |= _kinds_with(
        marked,
        _find_prose(root),
        min_share=_MIN_PROSE_SHARE,
        min_length=_MIN_PROSE_LENGTH,
    )

    notices = set()
    hidden = []
    for element in marked:
        if _is_notice(element):
            notices.add(element)
        elif tag_and_class(element) not in article_kinds:
            hidden.append(element)
    panels = find_panels(root, hidden)
    left_out = notices.union(hidden).difference(panels)
    return [element for element in marked if element in left_out]


def _find_prose(root: Element) -> Iterator[Any]:
    """Long text nodes of paragraphs that are no items of lists, as teasers and comments often are,
    and no links.  Cost: linear, which an XPath with tests of ancestors is not."""
    surroundings: dict[Element | None, str] = {None: ""}
    for text in _LONG_TEXTS(root):
        if _surrounding(_parent_of(text), surroundings) == "p":
            yield text


def _surrounding(
    element: Element | None,
    surroundings: dict[Element | None, str],
) -> str:
    """``p`` if the element is or is inside of a paragraph of prose, ``other`` if it is inside of
    what is no prose, ``""`` if neither.

    ``surroundings``: those of elements visited before; the elements on the way are added.
    """
    path: list[Element] = []
    while element is not None and element not in surroundings:
        path.append(element)
        element = element.getparent()
    surrounding = surroundings[element]
    for below in reversed(path):
        if below.tag == "a" or (below.tag == "li" and not surrounding):
            surrounding = "other"
        elif below.tag == "p" and not surrounding:
            surrounding = "p"
        surroundings[below] = surrounding
    return surrounding


def _parent_of(text: Any) -> Element | None:
    """The element that a text node is in."""
    parent: Element | None = text.getparent()
    if parent is not None and text.is_tail:
        return parent.getparent()
    return parent


def _kinds_with(
    marked: Sequence[Element],
    texts: Iterable[Any],
    min_share: float,
    min_length: int = 0,
) -> set[TagAndClass]:
    """The tags and classes of those marked elements that together have this share of the texts'
    characters, and at least so many.  Repeated texts count once."""
    total = 0
    length_inside = dict.fromkeys(marked, 0)
    nearest: dict[Element, Element | None] = {}
    marked_around = {}
    for element in marked:
        parent = element.getparent()
        marked_around[element] = nearest_of(parent, length_inside, nearest)
    for text in dict.fromkeys(texts):
        total += len(text)
        container = nearest_of(_parent_of(text), length_inside, nearest)
        if container is not None:
            length_inside[container] += len(text)

    length_of_kind: Counter[TagAndClass] = Counter()
    for element in reversed(marked):  # inner elements before those around them
        kind = tag_and_class(element)
        length = length_inside[element]
        container = marked_around[element]
        if container is not None:
            length_inside[container] += length
        if container is None or tag_and_class(container) != kind:
            length_of_kind[kind] += length
    min_length_of_kind = max(min_share * total, min_length)
    return {kind for kind, length in length_of_kind.items() if length >= min_length_of_kind}


def nearest_of(
    element: Element | None,
    marked: Container[Element],
    nearest: dict[Element, Element | None],
) -> Element | None:
    """The element or the innermost one around it that is marked; None if there is none.

    ``nearest``: those of elements visited before; the elements on the way are added.
    """
    path: list[Element] = []
    while element is not None and element not in marked and element not in nearest:
        path.append(element)
        element = element.getparent()
    container = element
    if element is not None and element in nearest:
        container = nearest[element]
    nearest.update(dict.fromkeys(path, container))
    return container


def _is_left_out(element: Element) -> bool:
    """Whether the element is hidden, unless it is the article, a notice or a form to log in."""
    return (
        element.get("hidden", "until-found") != "until-found"
        or element.get("aria-hidden") == "true"
        or element.tag == "form"
        or _NOT_SHOWN.search(element.get("style") or "") is not None
        or _is_notice(element)
    )


def _is_notice(element: Element) -> bool:
    """Whether the element is a dialog or a cookie notice, and has no article."""
    is_named = False
    if element.tag not in ("html", "body"):
        is_named = _NOTICE.search(class_and_id(element)) is not None
    role = element.get("role") or ""
    if not is_named and not role.endswith("dialog"):
        return False
    return next(element.iter(*_ARTICLE_TAGS), None) is None


Value = TypeVar("Value")


class Node(NamedTuple):
    """An element of the outline.

    ``dfs`` is its number among all elements of the document, from 1; ``level`` the number of its
    ancestors (body = 1); ``parent`` its parent's index in ``Outline.nodes`` (-1 for the first);
    ``first`` and ``last`` bound the leaves below it: ``leaves[first:last]``; ``names``: its class,
    id, itemprop and role, None for each that it has not.
    """

    element: Element
    tag: str
    dfs: int
    level: int
    parent: int
    first: int
    last: int
    names: Names = NO_NAMES

    @property
    def is_block(self) -> bool:
        """Whether the element starts a new line."""
        return self.tag not in PHRASING

    @property
    def xpath(self) -> str:
        """The XPath that finds the element on this page, by its position; a path of names cannot
        have those of all elements (``o:p``)."""
        return f"(//*)[{self.dfs}]"


class Leaf(NamedTuple):
    """A text node that is not only white space; ``node`` is the index of its parent element."""

    text: str
    node: int


#: ``_make`` without its check of the length, which takes longer than all else.
_make_node: Callable[[tuple[Any, ...]], Node] = partial(tuple.__new__, Node)
_make_leaf: Callable[[tuple[Any, ...]], Leaf] = partial(tuple.__new__, Leaf)

#: Positions of nodes and leaves, and sets of tags as bits.
Indices = NDArray[np.intp]
Bits = NDArray[np.int64]
Flags = NDArray[np.bool_]

#: The tags that have a bit in ``NodeArrays``.
BIT_TAGS = (
    "a", "amp-img", "article", "aside", "blockquote", "body", "button", "code", "dd", "details",
    "dl", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "img", "label", "li", "main", "nav", "ol", "p", "picture", "pre", "section", "table", "td",
    "ul",
)  # fmt: skip
_BIT_OF_TAG = {tag: 1 << number for number, tag in enumerate(BIT_TAGS)}


def bits_of_tags(tags: Iterable[str]) -> int:
    """The bits of some of ``BIT_TAGS``; raises ``KeyError`` for another tag."""
    return sum(_BIT_OF_TAG[tag] for tag in tags)


class NodeArrays(NamedTuple):
    """Columns of the nodes of an outline, for computations on all of a page at once.

    ``parents`` to ``lasts``: those of ``Node``; ``ends``: those of ``Outline``.  ``tags``: the bit
    of each node's tag, 0 if it has none; ``tags_around``: the bits of its tag and of those of all
    elements that contain it.  ``leaf_nodes``: the node of each leaf.
    """

    parents: Indices
    levels: Indices
    firsts: Indices
    lasts: Indices
    ends: Indices
    tags: Bits
    tags_around: Bits
    leaf_nodes: Indices

    @classmethod
    def of(cls, columns: Columns) -> "NodeArrays":
        if not IS_NATIVE:
            return cls.of_lists(columns)
        count = len(columns.tags)
        numbers = np.empty((5, count), dtype=np.intp)
        bits = np.empty((2, count), dtype=np.int64)
        _native.number_nodes(columns, _BIT_OF_TAG, numbers, bits)
        leaf_nodes = np.array(columns.owners, dtype=np.intp)
        return cls._make((*numbers, *bits, leaf_nodes))

    @classmethod
    def of_lists(cls, columns: Columns) -> "NodeArrays":
        """``of`` in Python."""
        tag_bits = [_BIT_OF_TAG.get(tag, 0) for tag in columns.tags]
        bits_around = tag_bits[:1]
        for bit, parent in zip(tag_bits[1:], columns.parents[1:], strict=True):
            bits_around.append(bits_around[parent] | bit)
        return cls(
            parents=np.array(columns.parents, dtype=np.intp),
            levels=np.array(columns.levels, dtype=np.intp),
            firsts=np.array(columns.firsts, dtype=np.intp),
            lasts=np.array(columns.lasts, dtype=np.intp),
            ends=np.array(columns.ends, dtype=np.intp),
            tags=np.array(tag_bits, dtype=np.int64),
            tags_around=np.array(bits_around, dtype=np.int64),
            leaf_nodes=np.array(columns.owners, dtype=np.intp),
        )


@dataclass(frozen=True, eq=False)
class Outline:
    """The visible part of a page: the body, and the elements and texts below it.

    The same values are in ``columns``, in ``nodes`` and ``leaves``, and in ``arrays``.
    """

    columns: Columns

    @property
    def weight(self) -> int:
        """What reading the outline costs: 1 for an element and 1 for 100 characters."""
        return int(self.columns.weight)

    @property
    def is_cut(self) -> bool:
        """Whether the page has more than was to be read."""
        return self.columns.is_cut

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The elements, in document order."""
        rows = zip(*self.columns[:8], strict=True)
        return tuple(map(_make_node, rows))

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The texts, in document order."""
        rows = zip(self.columns.texts, self.columns.owners, strict=True)
        return tuple(map(_make_leaf, rows))

    @cached_property
    def arrays(self) -> NodeArrays:
        """Columns of the nodes as arrays."""
        return NodeArrays.of(self.columns)

    def path(self, index: int) -> Iterator[int]:
        """Indices of the node and its ancestors, from the node up to the body."""
        parents = self.columns.parents
        while index >= 0:
            yield index
            index = parents[index]

    def inherit(
        self,
        start: Value,
        step: Callable[[Value, Node], Value],
    ) -> list[Value]:
        """A value for each node, made from its parent's by ``step(parent's value, node)``;
        ``start`` takes the place of the parent's for the first node.  One pass over the nodes.

        >>> from forest_scrapy.core.page.tree import parse_html
        >>> outline = outline_tree(parse_html("<div><p>a"))
        >>> outline.inherit("", lambda above, node: f"{above}/{node.tag}")
        ['/body', '/body/div', '/body/div/p']
        """
        values: list[Value] = []
        for node in self.nodes:  # parents come before their children
            value_of_parent = values[node.parent] if node.parent >= 0 else start
            value = step(value_of_parent, node)
            values.append(value)
        return values

    def inside(self, tags: tuple[str, ...] | frozenset[str]) -> list[bool]:
        """For each node whether it, or an element that contains it, has one of the tags."""
        noted = self._inside.get(tags)
        if noted is not None:
            return noted
        is_inside: list[bool] = []
        for tag, parent in zip(self.columns.tags, self.columns.parents, strict=True):
            is_inside.append(tag in tags or (parent >= 0 and is_inside[parent]))
        self._inside[tags] = is_inside
        return is_inside

    @cached_property
    def _inside(self) -> dict[Hashable, list[bool]]:
        return {}

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        """For each node the index of its nearest block element: the lowest that is or contains
        it; 0, the body, if there is none."""
        return tuple(self.block_array.tolist())

    @cached_property
    def block_array(self) -> Indices:
        """``blocks`` as an array."""
        nearest = self.inherit_nearest(self.is_block)
        return np.maximum(nearest, 0)

    def inherit_nearest(self, is_chosen: Flags) -> Indices:
        """``nearest`` as an array, with -1 for none."""
        nodes = np.arange(len(is_chosen))
        chosen_nodes = np.where(is_chosen, nodes, -1)
        return inherit_nearest(self.arrays.parents, chosen_nodes)

    @cached_property
    def is_block(self) -> Flags:
        """For each node whether it is a block element, see ``Node.is_block``."""
        return np.array([tag not in PHRASING for tag in self.columns.tags], dtype=bool)

    def nearest(
        self,
        is_chosen: Sequence[bool],
        none: int = 0,
    ) -> tuple[int, ...]:
        """For each node the index of the lowest node that is or contains it and is chosen;
        ``none`` if there is none."""
        nearest: list[int] = []
        for i, parent in enumerate(self.columns.parents):
            if is_chosen[i]:
                nearest.append(i)
            elif parent >= 0:
                nearest.append(nearest[parent])
            else:
                nearest.append(none)
        return tuple(nearest)

    @property
    def ends(self) -> Sequence[int]:
        """For each node the index after the last node below it."""
        return self.columns.ends

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The text of each leaf on one line."""
        return tuple([" ".join(text.split()) for text in self.columns.texts])

    @cached_property
    def inner(self) -> tuple[int, ...]:
        """For each node the child that has all of its text; -1 if there is none."""
        parents = self.columns.parents
        firsts = self.columns.firsts
        lasts = self.columns.lasts
        child_with_text = [-1] * len(parents)
        for i, parent in enumerate(parents):
            if firsts[i] == lasts[i] or parent < 0:
                continue
            if firsts[parent] == firsts[i] and lasts[parent] == lasts[i]:
                child_with_text[parent] = i
        return tuple(child_with_text)

    def children(self, index: int) -> Iterator[int]:
        """The children of the node, in document order."""
        child = index + 1
        end = self.ends[index]
        while child < end:
            yield child
            child = self.ends[child]

    def same_text(self, index: int, depth: int) -> Iterator[int]:
        """The node, and those in it that have all of its text, to some depth."""
        for _ in range(depth):
            yield index
            index = self.inner[index]
            if index < 0:
                return

    def below(self, index: int) -> range:
        """The indices of the node and of the nodes below it.

        >>> from forest_scrapy.core.page.tree import parse_html
        >>> outline = outline_tree(parse_html("<div><p>a</div><p>b"))
        >>> list(outline.below(1)), sorted(outline.tags_below(1))
        ([1, 2], ['div', 'p'])
        """
        return range(index, self.ends[index])

    def tags_below(self, index: int) -> set[str]:
        """The tags of the node and of the nodes below it."""
        nodes = self.nodes[index : self.ends[index]]
        return {node.tag for node in nodes}

    def subtree(
        self,
        roots: Collection[int],
        without: Collection[int] = (),
    ) -> set[int]:
        """The roots and all nodes below them, except the subtrees of ``without``.

        >>> from forest_scrapy.core.page.tree import parse_html
        >>> outline = outline_tree(parse_html("<div><ul><li>a</ul><p>b</div>"))
        >>> sorted(outline.subtree([1], without=[2]))  # div, and p; ul and li are left out
        [1, 4]
        """
        nodes: set[int] = set()
        if not without:
            for root in self.outermost(roots):
                nodes.update(self.below(root))
            return nodes

        for i, node in enumerate(self.nodes):
            is_below = i in roots or node.parent in nodes
            if is_below and i not in without:
                nodes.add(i)
        return nodes

    def outermost(self, nodes: Collection[int]) -> list[int]:
        """The nodes that are not inside another one of them, in document order."""
        outermost = []
        end = 0
        for i in sorted(nodes):
            if i >= end:
                outermost.append(i)
                end = self.ends[i]
        return outermost

    @cached_property
    def _index_of(self) -> Mapping[Element, int]:
        return {element: i for i, element in enumerate(self.columns.elements)}

    def indices(self, elements: Iterable[Element]) -> list[int]:
        """The indices of the elements that are in the outline, in the given order."""
        index_of = self._index_of
        return [index_of[element] for element in elements if element in index_of]

    def line(self, index: int, max_leaves: int | None = None) -> str:
        """The text below a node on one line; ``""`` if it has more leaves than ``max_leaves``."""
        node = self.nodes[index]
        if max_leaves is not None and node.last - node.first > max_leaves:
            return ""
        return " ".join(self.text(node).split())

    def text(self, node: Node) -> str:
        """The texts of the leaves below the node, joined by spaces."""
        leaves = self.leaves[node.first : node.last]
        return " ".join(leaf.text for leaf in leaves)


_SIZE = etree.XPath(f"count(.//*) + 1 + string-length(.) div {CHARACTERS}")


def greatest_weight(root: Element) -> float:
    """The weight that the outline of a tree has at most: that of the whole tree, also of the
    elements and texts that it leaves out."""
    size = _SIZE(root)
    if isinstance(size, float):
        return size
    return inf


def outline_tree(root: Element, max_weight: float = inf) -> Outline:
    """The outline of the tree, in one iterative walk, without hidden elements (see
    ``find_hidden``); the tree is not changed.  ``max_weight``: no further elements are read after
    this weight.

    Cost: linear in the number of elements.
    """
    body = body_of(root)
    body_level = 0 if body is root else 1
    body_number = 1
    for element in root.iter("*"):
        if element is body:
            break
        body_number += 1
    hidden = find_hidden(body)
    columns = read_columns(body, body_number, body_level, hidden, max_weight)
    return Outline(columns)

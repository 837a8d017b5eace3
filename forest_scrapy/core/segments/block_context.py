"""The features of candidates that tell an article from teasers, lists and notices: how much prose
it has, and how far from the title it is in the tree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.segments.features import attribute_words
from forest_scrapy.core.segments.segmentation import SegmentedPage, running_sums

__all__ = ["BLOCK_CONTEXT", "BLOCK_MARKUP", "ContextSums", "describe_blocks"]

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Characters outside links from which a segment is prose.
_PROSE = 80
_END = re.compile(r"[.!?\u3002\uff1f\uff01\u0964\u2026][\"'\u201d\u2019\u00bb)\]]*$")

#: Names of the features, in their order.
BLOCK_CONTEXT = (
    "levels_to_title", "levels_from_title", "prose_share", "prose_of_page", "mean_length",
    "sentences",
)  # fmt: skip

Values = NDArray[np.float64]


class ContextSums:
    """What the values of ``BLOCK_CONTEXT`` are computed from, for each segment of a page."""

    def __init__(self, page: SegmentedPage, lengths: Values, linked: Values, title: int) -> None:
        self._page, self._lengths = page, lengths
        self._title = page.segments[title].block if title >= 0 else -1
        self._prose = np.where(lengths - linked >= _PROSE, lengths, 0.0)
        ends = [_END.search(segment.text) is not None for segment in page.segments]
        self._sentences = lengths * ends

    def values(
        self,
        firsts: NDArray[np.intp],
        lasts: NDArray[np.intp],
        levels: Values,
        kept: NDArray[np.bool_],
    ) -> Values:
        """One row for each candidate: the kept segments from ``firsts`` to before ``lasts``;
        ``levels``: those of its node."""

        def sums(of: Values) -> Values:
            before = running_sums(of * kept)
            return np.asarray(before[lasts] - before[firsts])

        total = np.maximum(sums(self._lengths), 1.0)
        count = np.maximum(sums(np.ones(len(kept))), 1.0)
        prose = sums(self._prose)
        return np.column_stack(
            (
                levels,
                prose / total,
                prose / max(self._prose.sum(), 1.0),
                np.log1p(total / count),
                sums(self._sentences) / total,
            )
        )

    def levels(self, nodes: Sequence[int]) -> Values:
        """A row for each node: the levels from it up to the nearest element that also contains the
        title, and from there down to the title; -1 without a title."""
        outline = self._page.outline
        if self._title < 0:
            return np.full((len(nodes), 2), -1.0)
        around = set(outline.path(self._title))
        bottom = outline.nodes[self._title].level
        rows = []
        for node in nodes:
            shared = outline.nodes[next(n for n in outline.path(node) if n in around)].level
            rows.append((outline.nodes[node].level - shared, bottom - shared))
        return np.array(rows, dtype=np.float64).reshape(-1, 2)


# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
_TAGS = ("article", "main", "body", "section", "td", "li", "ul", "p", "blockquote")
_TAGS_ABOVE = ("article", "main", "body", "section", "td")
#: Words of class and id attributes that tell the role of a block.
_ROLES = {
    "article": "article story post entry news",
    "content": "body content text main",
    "comments": "comment comments reply disqus",
    "related": "related more recommend recommended popular latest most",
    "sidebar": "sidebar aside widget footer nav menu",
    "popup": "popup modal overlay cookie newsletter subscribe promo",
    "list": "teaser card item list feed river grid excerpt summary",
    "gallery": "gallery slideshow carousel slide caption figure",
}
_ROLE_WORDS = [frozenset(words.split()) for words in _ROLES.values()]

#: Names of the features, in their order.
BLOCK_MARKUP = (
    "level", "level_of_innermost", "same_text", "siblings", "siblings_above", "articles_inside",
    "page_articles", "article_body", "in_article_body", "role_main",
    *(f"tag_{tag}" for tag in _TAGS),
    *(f"in_{tag}" for tag in _TAGS_ABOVE),
    *(f"named_{role}" for role in _ROLES),
    *(f"in_named_{role}" for role in _ROLES),
)  # fmt: skip


def describe_blocks(outline: Outline, blocks: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The values of ``BLOCK_MARKUP``, one row for each block, given as the nodes that contain the
    same text, the outermost first."""
    nodes = outline.nodes
    articles = np.array([i for i, node in enumerate(nodes) if node.tag == "article"])
    siblings = _SiblingCounts(outline)
    rows = []
    for block in blocks:
        own = [nodes[i] for i in block]
        above_at = list(outline.path(own[0].parent))
        above = [nodes[i] for i in above_at]
        inside = (articles >= block[0]) & (articles < outline.ends[block[0]])
        tags, tags_above = {node.tag for node in own}, {node.tag for node in above}
        words, words_above = _words(own), _words(above)
        rows.append(
            (
                own[0].level,
                own[-1].level,
                len(own),
                np.log1p(max(map(siblings.count, block))),
                np.log1p(max(map(siblings.count, above_at), default=1)),
                int(inside.sum()) - sum(node.tag == "article" for node in own),
                len(articles),
                _any(own, _is_article_body),
                _any(above, _is_article_body),
                _any(own, _is_main),
                *(tag in tags for tag in _TAGS),
                *(tag in tags_above for tag in _TAGS_ABOVE),
                *(not role.isdisjoint(words) for role in _ROLE_WORDS),
                *(not role.isdisjoint(words_above) for role in _ROLE_WORDS),
            )
        )
    return np.array(rows, dtype=np.float64).reshape(len(blocks), len(BLOCK_MARKUP))


class _SiblingCounts:
    """The number of children of an element's parent with its tag and class."""

    def __init__(self, outline: Outline) -> None:
        self._nodes = outline.nodes
        self._counts: dict[int, Counter[tuple[str, str | None]]] = {}

    def count(self, index: int) -> int:
        node = self._nodes[index]
        if node.parent < 0:
            return 1
        if node.parent not in self._counts:
            parent = self._nodes[node.parent].element
            self._counts[node.parent] = Counter(map(_type_of, parent))
        return self._counts[node.parent][_type_of(node.element)]


def _type_of(element: Element) -> tuple[str, str | None]:
    return str(element.tag), element.get("class")


def _words(nodes: Sequence[Node]) -> set[str]:
    values = (node.element.get(name) for node in nodes for name in ("class", "id"))
    return {word for value in values if value for word in attribute_words(value)}


def _any(nodes: Sequence[Node], test: Callable[[Element], bool]) -> bool:
    return any(test(node.element) for node in nodes)


def _is_article_body(element: Element) -> bool:
    return element.get("itemprop") == "articleBody"


def _is_main(element: Element) -> bool:
    return element.get("role") in ("main", "article")

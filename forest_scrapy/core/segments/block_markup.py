"""The features of blocks that come from their elements and from those around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.document.outline import Node, Outline
from forest_scrapy.core.document.tree import Element
from forest_scrapy.core.segments.features import attribute_words

__all__ = ["BLOCK_MARKUP", "describe_blocks"]

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

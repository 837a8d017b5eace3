"""Features of segments that come from the page's structure: where they are relative to the title
and to other headings, in which list of alike elements they are, how many pictures are near, and how
much of the text that the page declares they have."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.page.language import ngrams, split_words
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.segments.segmentation import (
    HEADINGS,
    KeptSums,
    SegmentedPage,
    running_sums,
)

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: The similarity to the declared title from which a heading shows the title.
_TITLE_FROM = 0.4
_PICTURES = frozenset(("img", "picture", "amp-img"))

_LIST = ("list_items", "list_share", "list_linked", "list_headings", "list_pictures", "list_length")
#: Names of the features, in their order.
STRUCTURE = (
    "title", "since_title", "text_since_title", "levels_to_title", "levels_from_title",
    "h1_since_title", "linked_headings_since_title", "since_heading", "heading_linked",
    "articles", "article_number", "title_in_article",
    *(f"{which}_{name}" for which in ("inner", "outer") for name in _LIST),
    "pictures_block", "pictures_parent", "pictures_grandparent",
)  # fmt: skip

Values = NDArray[np.float64]


def structure_rows(page: SegmentedPage) -> Values:
    """The values of ``STRUCTURE``, one row for each segment of a page that has some.

    Cost: some passes over the nodes.
    """
    outline = page.outline
    blocks = page.blocks
    title = find_title(page, page.in_heading)
    groups = _number_lists(page)
    lists = _list_values(outline, groups)
    return np.column_stack(
        (
            _title_values(page, blocks, title),
            _heading_values(page, title),
            _article_values(outline, blocks, blocks[title] if title >= 0 else -1),
            lists[groups.inner[blocks]],
            lists[groups.outer[blocks]],
            _picture_values(outline, blocks),
        )
    )


def find_title(page: SegmentedPage, is_heading: NDArray[np.bool_]) -> int:
    """The segment in a heading that is most similar to the declared title, -1 if none is similar.

    ``is_heading``: for each segment whether it is in a heading.
    """
    title = page.title_words
    best, found = _TITLE_FROM, -1
    for i in np.flatnonzero(is_heading).tolist():
        words = set(page.words[i])
        similarity = 2 * len(words & title) / ((len(words) + len(title)) or 1)
        if similarity > best:
            best, found = similarity, i
    return found


@dataclass(frozen=True)
class _Lists:
    """For each node the number of its list, of the innermost and of the outermost one that it is
    in; 0 if it is in none.  ``of_item``: the number of the list that the node is an item of."""

    of_item: NDArray[np.intp]
    inner: NDArray[np.intp]
    outer: NDArray[np.intp]
    count: int


def _number_lists(page: SegmentedPage) -> _Lists:
    outline, alike = page.outline, page.lists
    of_item = np.zeros(len(outline.nodes), dtype=np.intp)
    for number, own in enumerate(alike, 1):
        of_item[own] = number
    own_list = of_item.tolist()
    inner: list[int] = []
    outer: list[int] = []
    for i, node in enumerate(outline.nodes):
        above = node.parent >= 0
        inner.append(own_list[i] or (inner[node.parent] if above else 0))
        outer.append((outer[node.parent] if above else 0) or own_list[i])
    return _Lists(of_item, np.array(inner), np.array(outer), len(alike))


def _list_values(outline: Outline, lists: _Lists) -> Values:
    """The values of ``_LIST`` for each list; zeros for number 0."""
    nodes = outline.nodes
    ends, items = np.array(outline.ends), np.flatnonzero(lists.of_item)
    number = lists.of_item[items]
    size = np.bincount(number, minlength=lists.count + 1)
    lengths = running_sums([len(leaf.text) for leaf in outline.leaves])
    in_link = outline.inside(("a",))
    linked = running_sums([len(leaf.text) * in_link[leaf.node] for leaf in outline.leaves])
    first = np.array([nodes[i].first for i in items], dtype=np.intp)
    last = np.array([nodes[i].last for i in items], dtype=np.intp)
    text, links = lengths[last] - lengths[first], linked[last] - linked[first]
    headings = running_sums([node.tag in HEADINGS for node in nodes])
    pictures = running_sums([node.tag in _PICTURES for node in nodes])
    has_heading = headings[ends[items]] > headings[items]
    has_picture = pictures[ends[items]] > pictures[items]
    total = np.bincount(number, text, lists.count + 1)
    safe = np.maximum(size, 1)
    values = np.column_stack(
        (
            np.log1p(size),
            total / (lengths[-1] or 1.0),
            np.bincount(number, links, lists.count + 1) / np.maximum(total, 1),
            np.bincount(number, has_heading, lists.count + 1) / safe,
            np.bincount(number, has_picture, lists.count + 1) / safe,
            np.log1p(total / safe),
        )
    )
    values[0] = 0
    return values


def _title_values(page: SegmentedPage, blocks: NDArray[np.intp], title: int) -> Values:
    """title to levels_from_title: 1, the distances in segments and in text, relative to the page,
    and the levels to the nearest element that contains the title, and from there to the title."""
    n = len(blocks)
    if title < 0:
        return np.tile([0.0, -2.0, -2.0, -1.0, -1.0], (n, 1))
    outline = page.outline
    at = set(outline.path(int(blocks[title])))
    common = outline.nearest([i in at for i in range(len(outline.nodes))])
    levels = np.array([node.level for node in outline.nodes])
    shared = levels[np.array(common)[blocks]]
    before = page.length_sums
    return np.column_stack(
        (
            np.ones(n),
            (np.arange(n) - title) / n,
            (before[:-1] - before[title]) / before[-1],
            levels[blocks] - shared,
            levels[blocks[title]] - shared,
        )
    )


def _heading_values(page: SegmentedPage, title: int) -> Values:
    """h1_since_title to heading_linked: numbers of headings from the title (or the start) to the
    segment, and how far and of which kind the last heading is."""
    n, in_heading = len(page.segments), page.in_heading
    linked = 2 * page.linked > page.lengths
    h1 = page.inside(("h1",))
    is_other = np.arange(n) > title
    numbers = np.cumsum(h1 & is_other), np.cumsum(in_heading & linked & is_other)
    last = np.maximum.accumulate(np.where(in_heading, np.arange(n), -1))
    has_linked = np.where(last >= 0, linked[last], -1)
    since = np.where(last >= 0, np.log1p(np.arange(n) - last), -1.0)
    return np.column_stack((*numbers, since, has_linked))


def _article_values(outline: Outline, blocks: NDArray[np.intp], title: int) -> Values:
    """articles, article_number and title_in_article: of the outermost ``article`` elements how
    many there are, which one the segment is in (0: in none), and whether the title is in it."""
    number = 0
    found: list[int] = []
    for node in outline.nodes:
        above = found[node.parent] if node.parent >= 0 else 0
        if not above and node.tag == "article":
            number += 1
            above = number
        found.append(above)
    own = np.array(found)[blocks]
    with_title = own == found[title] if title >= 0 else np.zeros(len(blocks))
    return np.column_stack((np.full(len(blocks), number), own, with_title * (own > 0)))


def _picture_values(outline: Outline, blocks: NDArray[np.intp]) -> Values:
    """The number of pictures in the block, in its parent and in its grandparent, as logarithms."""
    nodes = outline.nodes
    before = running_sums([node.tag in _PICTURES for node in nodes])
    ends = np.array(outline.ends, dtype=np.intp)
    inside = np.append(before[ends] - before[:-1], 0.0)
    parents = np.array([node.parent for node in nodes] + [-1])  # the parent of -1 is -1
    above = (blocks, parents[blocks], parents[parents[blocks]])
    return np.asarray(np.log1p(np.column_stack([inside[key] for key in above])))


# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Words of the shortest text that counts: shorter ones are summaries.
_FEWEST_WORDS = 50
#: Words in a shingle.
_SHINGLE = 3


def body_shares(page: SegmentedPage) -> Values:
    """For each segment the share of its shingles that are in the declared text; -1 for all if none
    is declared.  A segment that is shorter than a shingle has the share of its words."""
    words = split_words(page.page.declared_text)
    if len(words) < _FEWEST_WORDS:
        return np.full(len(page.segments), -1.0)
    known, single = set(ngrams(words, _SHINGLE)), set(words)
    shares = []
    for own in page.words:
        parts = set(ngrams(own, _SHINGLE)) if len(own) >= _SHINGLE else set(own)
        wanted = known if len(own) >= _SHINGLE else single
        shares.append(len(parts & wanted) / (len(parts) or 1))
    return np.array(shares)


class BodySums:
    """How much of the declared text the candidates of a page have; ``characters``: that of each
    segment, negative if none is declared."""

    def __init__(self, page: SegmentedPage, lengths: Values) -> None:
        shares = body_shares(page)
        self._is_declared = bool((shares >= 0).any())
        self.characters = shares * lengths

    def values(self, kept: KeptSums, own: Values) -> tuple[Values, Values]:
        """The share of each candidate's ``own`` kept characters that are in the declared text, and
        the share of the page's characters in there that it keeps; -1 if none is declared."""
        if not self._is_declared:
            return np.full(own.shape, -1.0), np.full(own.shape, -1.0)
        inside = kept.inside(self.characters)
        return inside / own, inside / (self.characters.sum() or 1.0)

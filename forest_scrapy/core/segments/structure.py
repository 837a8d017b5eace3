"""Features of segments from the structure of the page: where they are relative to the title and to
other headings, in which list of alike elements they are, how many pictures are near, and how much
of the text that the page declares they contain."""

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from forest_scrapy.core.page.language import ngrams, split_words
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.segments.segmentation import (
    HEADINGS,
    Flags,
    Indices,
    KeptSums,
    SegmentedPage,
    Values,
    as_indices,
    difference,
    running_sums,
)

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: A heading shows the title if it is more similar to the declared title.
_MIN_TITLE_SIMILARITY = 0.4
_PICTURE_TAGS = frozenset(("img", "picture", "amp-img"))

_LIST = ("list_items", "list_share", "list_linked", "list_headings", "list_pictures", "list_length")
#: Names of the features, in their order.
STRUCTURE = (
    "title", "since_title", "text_since_title", "levels_to_title", "levels_from_title",
    "h1_since_title", "linked_headings_since_title", "since_heading", "heading_linked",
    "articles", "article_number", "title_in_article",
    *(f"{which}_{name}" for which in ("inner", "outer") for name in _LIST),
    "pictures_block", "pictures_parent", "pictures_grandparent",
)  # fmt: skip


def structure_rows(page: SegmentedPage) -> Values:
    """The values of ``STRUCTURE``, one row for each segment of a page that has some.

    Cost: some passes over the nodes.
    """
    outline = page.outline
    blocks = page.blocks
    title = find_title(page, page.in_heading)
    title_block = -1
    if title >= 0:
        title_block = int(blocks[title])
    lists = _number_lists(page)
    list_values = _list_values(outline, lists)
    return np.column_stack(
        (
            _title_values(page, blocks, title),
            _heading_values(page, title),
            _article_values(outline, blocks, title_block),
            list_values[lists.innermost[blocks]],
            list_values[lists.outermost[blocks]],
            _picture_values(outline, blocks),
        )
    )


def find_title(page: SegmentedPage, is_heading: Flags) -> int:
    """The segment in a heading that is most similar to the declared title, -1 if none is similar.

    ``is_heading``: for each segment whether it is in a heading.
    """
    title_words = page.title_words
    max_similarity = _MIN_TITLE_SIMILARITY
    title = -1
    for i in np.flatnonzero(is_heading).tolist():
        words = set(page.words[i])
        shared = words & title_words
        total = len(words) + len(title_words)
        similarity = 2 * len(shared) / (total or 1)
        if similarity > max_similarity:
            max_similarity = similarity
            title = i
    return title


@dataclass(frozen=True)
class _Lists:
    """The lists of a page by their numbers, from 1 to ``count``; 0 stands for no list.

    ``of_item``: for each node the list that it is an item of; ``innermost`` and ``outermost``: of
    the lists that it is in, or an item of.
    """

    of_item: Indices
    innermost: Indices
    outermost: Indices
    count: int


def _number_lists(page: SegmentedPage) -> _Lists:
    nodes = page.outline.nodes
    of_item = np.zeros(len(nodes), dtype=np.intp)
    for number, items in enumerate(page.lists, 1):
        of_item[items] = number

    innermost: list[int] = []
    outermost: list[int] = []
    for node, number in zip(nodes, of_item.tolist(), strict=True):
        innermost_above = 0
        outermost_above = 0
        if node.parent >= 0:
            innermost_above = innermost[node.parent]
            outermost_above = outermost[node.parent]
        innermost.append(number or innermost_above)
        outermost.append(outermost_above or number)
    return _Lists(
        of_item,
        innermost=np.array(innermost),
        outermost=np.array(outermost),
        count=len(page.lists),
    )


def _list_values(outline: Outline, lists: _Lists) -> Values:
    """The values of ``_LIST`` for each list; zeros for number 0."""
    nodes = outline.nodes
    in_link = outline.inside(("a",))
    leaf_lengths = []
    linked_lengths = []
    for leaf in outline.leaves:
        length = len(leaf.text)
        leaf_lengths.append(length)
        linked_lengths.append(length if in_link[leaf.node] else 0)
    length_sums = running_sums(leaf_lengths)
    linked_sums = running_sums(linked_lengths)
    is_heading = [node.tag in HEADINGS for node in nodes]
    is_picture = [node.tag in _PICTURE_TAGS for node in nodes]
    heading_sums = running_sums(is_heading)
    picture_sums = running_sums(is_picture)

    # The values of each item of a list.
    items = np.flatnonzero(lists.of_item)
    ends = np.array(outline.ends)[items]
    first_leaves = as_indices([nodes[i].first for i in items])
    last_leaves = as_indices([nodes[i].last for i in items])
    lengths = difference(length_sums, first_leaves, last_leaves)
    linked = difference(linked_sums, first_leaves, last_leaves)
    has_heading = heading_sums[ends] > heading_sums[items]
    has_picture = picture_sums[ends] > picture_sums[items]

    # The sums of these values for each list.
    list_of_item = lists.of_item[items]
    width = lists.count + 1
    list_sizes = np.bincount(list_of_item, minlength=width)
    list_lengths = np.bincount(list_of_item, lengths, width)
    list_linked = np.bincount(list_of_item, linked, width)
    list_headings = np.bincount(list_of_item, has_heading, width)
    list_pictures = np.bincount(list_of_item, has_picture, width)
    page_length = length_sums[-1] or 1.0
    sizes = np.maximum(list_sizes, 1)
    values = np.column_stack(
        (
            np.log1p(list_sizes),
            list_lengths / page_length,
            list_linked / np.maximum(list_lengths, 1),
            list_headings / sizes,
            list_pictures / sizes,
            np.log1p(list_lengths / sizes),
        )
    )
    values[0] = 0
    return values


def _title_values(
    page: SegmentedPage,
    blocks: Indices,
    title: int,
) -> Values:
    """title to levels_from_title: 1, the distances in segments and in text, relative to the page,
    and the levels to the nearest element that contains the title, and from there to the title."""
    count = len(blocks)
    if title < 0:
        return np.tile([0.0, -2.0, -2.0, -1.0, -1.0], (count, 1))

    outline = page.outline
    title_block = int(blocks[title])
    around_title = set(outline.path(title_block))
    has_title = [i in around_title for i in range(len(outline.nodes))]
    nearest_with_title = np.array(outline.nearest(has_title))
    levels = np.array([node.level for node in outline.nodes])
    shared_levels = levels[nearest_with_title[blocks]]

    segments_between = np.arange(count) - title
    length_before = page.length_sums
    length_between = length_before[:-1] - length_before[title]
    return np.column_stack(
        (
            np.ones(count),
            segments_between / count,
            length_between / length_before[-1],
            levels[blocks] - shared_levels,
            levels[title_block] - shared_levels,
        )
    )


def _heading_values(page: SegmentedPage, title: int) -> Values:
    """h1_since_title to heading_linked: numbers of headings from the title (or the start) to the
    segment, and how far and of which kind the last heading is."""
    in_heading = page.in_heading
    in_h1 = page.inside(("h1",))
    is_linked = 2 * page.linked > page.lengths
    segments = np.arange(len(page.segments))
    is_after_title = segments > title
    h1_count = np.cumsum(in_h1 & is_after_title)
    linked_count = np.cumsum(in_heading & is_linked & is_after_title)

    headings = np.where(in_heading, segments, -1)
    last_heading = np.maximum.accumulate(headings)
    has_heading = last_heading >= 0
    log_distance = np.log1p(segments - last_heading)
    distance = np.where(has_heading, log_distance, -1.0)
    is_last_linked = np.where(has_heading, is_linked[last_heading], -1)
    return np.column_stack((h1_count, linked_count, distance, is_last_linked))


def _article_values(
    outline: Outline,
    blocks: Indices,
    title_block: int,
) -> Values:
    """articles, article_number and title_in_article: of the outermost ``article`` elements how
    many there are, which one the segment is in (0: in none), and whether the title is in it.

    ``title_block``: -1 without a title.
    """
    count = 0
    article_of: list[int] = []
    for node in outline.nodes:
        article = article_of[node.parent] if node.parent >= 0 else 0
        if not article and node.tag == "article":
            count += 1
            article = count
        article_of.append(article)

    articles = np.array(article_of)[blocks]
    if title_block >= 0:
        has_title = articles == article_of[title_block]
    else:
        has_title = np.zeros(len(blocks), dtype=bool)
    counts = np.full(len(blocks), count)
    has_title &= articles > 0
    return np.column_stack((counts, articles, has_title))


def _picture_values(outline: Outline, blocks: Indices) -> Values:
    """The number of pictures in the block, in its parent and in its grandparent, as logarithms."""
    nodes = outline.nodes
    is_picture = [node.tag in _PICTURE_TAGS for node in nodes]
    sums = running_sums(is_picture)
    ends = as_indices(outline.ends)
    # The parent of the root is -1, which is the last number: no pictures, and -1 as its parent.
    pictures = sums[ends] - sums[:-1]
    pictures = np.append(pictures, 0.0)
    parent_of = np.array([node.parent for node in nodes] + [-1])
    parents = parent_of[blocks]
    grandparents = parent_of[parents]
    columns = (
        pictures[blocks],
        pictures[parents],
        pictures[grandparents],
    )
    counts = np.column_stack(columns)
    return np.asarray(np.log1p(counts))


# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Words of a declared text that counts: shorter ones are summaries.
_MIN_DECLARED_WORDS = 50
#: Words in a shingle.
_SHINGLE = 3


def body_shares(page: SegmentedPage) -> Values:
    """For each segment the share of its shingles that are in the declared text; -1 for all if none
    is declared.  A segment that is shorter than a shingle has the share of its words."""
    declared_words = split_words(page.page.declared_text)
    if len(declared_words) < _MIN_DECLARED_WORDS:
        return np.full(len(page.segments), -1.0)

    declared_shingles = set(ngrams(declared_words, _SHINGLE))
    single_words = set(declared_words)
    shares = []
    for words in page.words:
        if len(words) >= _SHINGLE:
            shingles = set(ngrams(words, _SHINGLE))
            share = _share_of(shingles, declared_shingles)
        else:
            share = _share_of(set(words), single_words)
        shares.append(share)
    return np.array(shares)


def _share_of(parts: Set[object], declared: Set[object]) -> float:
    """The share of the parts that are declared."""
    shared = parts & declared
    return len(shared) / (len(parts) or 1)


class BodySums:
    """How much of the declared text the candidates of a page contain.

    ``characters``: that of each segment, negative if none is declared.
    """

    def __init__(self, page: SegmentedPage, lengths: Values) -> None:
        shares = body_shares(page)
        self._is_declared = bool((shares >= 0).any())
        self.characters = shares * lengths

    def values(
        self,
        kept_sums: KeptSums,
        kept_length: Values,
    ) -> tuple[Values, Values]:
        """The share of each candidate's kept characters that are in the declared text, and the
        share of the page's characters in there that it keeps; -1 if none is declared."""
        if not self._is_declared:
            undeclared = np.full(kept_length.shape, -1.0)
            return undeclared, undeclared.copy()
        declared = kept_sums.inside(self.characters)
        page_declared = self.characters.sum() or 1.0
        return declared / kept_length, declared / page_declared

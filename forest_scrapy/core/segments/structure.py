"""Features of segments from the structure of the page: where they are relative to the title and to
other headings, in which list of alike elements they are, how many pictures are near, and how much
of the text that the page declares they contain."""

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from forest_scrapy.core.page.columns import inherit_nearest, inherit_outermost
from forest_scrapy.core.page.language import ngrams, split_words
from forest_scrapy.core.page.outline import Outline, bits_of_tags
from forest_scrapy.core.segments.segmentation import (
    HEADINGS,
    Flags,
    Indices,
    KeptSums,
    SegmentedPage,
    Values,
    difference,
    running_sums,
)
from forest_scrapy.core.segments.table import Table, number_names

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: A heading shows the title if it is more similar to the declared title.
_MIN_TITLE_SIMILARITY = 0.4
PICTURE_BITS = bits_of_tags(("img", "picture", "amp-img"))
HEADING_BITS = bits_of_tags(HEADINGS)
ARTICLE_BIT = bits_of_tags(("article",))
LINK_BIT = bits_of_tags(("a",))

_LIST = ("list_items", "list_share", "list_linked", "list_headings", "list_pictures", "list_length")
#: Names of the features, in their order.
STRUCTURE = (
    "title", "since_title", "text_since_title", "levels_to_title", "levels_from_title",
    "h1_since_title", "linked_headings_since_title", "since_heading", "heading_linked",
    "articles", "article_number", "title_in_article",
    *(f"{which}_{name}" for which in ("inner", "outer") for name in _LIST),
    "pictures_block", "pictures_parent", "pictures_grandparent",
)  # fmt: skip


_NUMBERS = number_names(STRUCTURE)


def structure_rows(page: SegmentedPage) -> Values:
    """The values of ``STRUCTURE``, one row for each segment of a page that has some.

    Cost: some passes over the nodes.
    """
    table = Table(_NUMBERS, rows=len(page.segments))
    blocks = page.blocks
    title = find_title(page, page.in_heading)
    lists = _number_lists(page)
    list_values = _list_values(page.outline, lists)
    _set_title_distances(table, page, title)
    _set_headings(table, page, title)
    _set_articles(table, page, title)
    table.set_columns("inner_list_items", list_values[:, lists.innermost[blocks]])
    table.set_columns("outer_list_items", list_values[:, lists.outermost[blocks]])
    _set_pictures(table, page)
    return table.values


def find_title(page: SegmentedPage, is_heading: Flags) -> int:
    """The segment in a heading that is most similar to the declared title, -1 if none is similar.

    ``is_heading``: for each segment whether it is in a heading.
    """
    title_words = page.title_words
    max_similarity = _MIN_TITLE_SIMILARITY
    title = -1
    for i in np.flatnonzero(is_heading).tolist():
        words = page.word_sets[i]
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


def number_items(page: SegmentedPage) -> Indices:
    """For each node the number of the list that it is an item of, from 1 on; 0 if of none."""
    numbers = np.zeros(len(page.outline.arrays.parents), dtype=np.intp)
    for number, items in enumerate(page.lists, 1):
        numbers[items] = number
    return numbers


def _number_lists(page: SegmentedPage) -> _Lists:
    parents = page.outline.arrays.parents
    of_item = number_items(page)
    numbers = of_item - 1
    return _Lists(
        of_item=of_item,
        innermost=inherit_nearest(parents, numbers) + 1,
        outermost=inherit_outermost(parents, numbers) + 1,
        count=len(page.lists),
    )


def _list_values(outline: Outline, lists: _Lists) -> Values:
    """The values of ``_LIST``, one column for each list; zeros for number 0."""
    nodes = outline.arrays
    leaf_lengths = np.array(list(map(len, outline.columns.texts)), dtype=np.float64)
    leaf_tags = nodes.tags_around[nodes.leaf_nodes]
    is_linked = leaf_tags & LINK_BIT != 0
    length_sums = running_sums(leaf_lengths)
    linked_sums = running_sums(leaf_lengths * is_linked)
    heading_sums = running_sums(nodes.tags & HEADING_BITS != 0)
    picture_sums = running_sums(nodes.tags & PICTURE_BITS != 0)

    # The values of each item of a list.
    items = np.flatnonzero(lists.of_item)
    ends = nodes.ends[items]
    first_leaves = nodes.firsts[items]
    last_leaves = nodes.lasts[items]
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
    values = np.zeros((len(_LIST), width))
    values[_LIST.index("list_items")] = np.log1p(list_sizes)
    values[_LIST.index("list_share")] = list_lengths / page_length
    values[_LIST.index("list_linked")] = list_linked / np.maximum(list_lengths, 1)
    values[_LIST.index("list_headings")] = list_headings / sizes
    values[_LIST.index("list_pictures")] = list_pictures / sizes
    values[_LIST.index("list_length")] = np.log1p(list_lengths / sizes)
    values[:, 0] = 0
    return values


def _set_title_distances(table: Table, page: SegmentedPage, title: int) -> None:
    """title to levels_from_title: 1, the distances in segments and in text, relative to the page,
    and the levels to the nearest element that contains the title, and from there to the title."""
    if title < 0:
        table["since_title"] = -2.0
        table["text_since_title"] = -2.0
        table["levels_to_title"] = -1.0
        table["levels_from_title"] = -1.0
        return

    outline = page.outline
    blocks = page.blocks
    title_block = int(blocks[title])
    levels = outline.arrays.levels
    has_title = np.zeros(len(levels), dtype=bool)
    has_title[list(outline.path(title_block))] = True
    nearest_with_title = outline.inherit_nearest(has_title)
    shared_levels = levels[nearest_with_title[blocks]]

    count = len(blocks)
    segments_between = np.arange(count) - title
    length_before = page.length_sums
    length_between = length_before[:-1] - length_before[title]
    table["title"] = 1.0
    table["since_title"] = segments_between / count
    table["text_since_title"] = length_between / length_before[-1]
    table["levels_to_title"] = levels[blocks] - shared_levels
    table["levels_from_title"] = levels[title_block] - shared_levels


def _set_headings(table: Table, page: SegmentedPage, title: int) -> None:
    """h1_since_title to heading_linked: numbers of headings from the title (or the start) to the
    segment, and how far and of which kind the last heading is."""
    in_heading = page.in_heading
    in_h1 = page.inside(("h1",))
    is_linked = 2 * page.linked > page.lengths
    segments = np.arange(len(page.segments))
    is_after_title = segments > title
    table["h1_since_title"] = np.cumsum(in_h1 & is_after_title)
    table["linked_headings_since_title"] = np.cumsum(in_heading & is_linked & is_after_title)

    headings = np.where(in_heading, segments, -1)
    last_heading = np.maximum.accumulate(headings)
    has_heading = last_heading >= 0
    log_distance = np.log1p(segments - last_heading)
    table["since_heading"] = np.where(has_heading, log_distance, -1.0)
    table["heading_linked"] = np.where(has_heading, is_linked[last_heading], -1)


def _set_articles(table: Table, page: SegmentedPage, title: int) -> None:
    """articles, article_number and title_in_article: of the outermost ``article`` elements how
    many there are, which one the segment is in (0: in none), and whether the title is in it."""
    nodes = page.outline.arrays
    is_article = nodes.tags & ARTICLE_BIT != 0
    if not is_article.any():
        return

    numbers = np.arange(len(is_article))
    articles_around = inherit_outermost(nodes.parents, np.where(is_article, numbers, -1))
    is_outermost = articles_around == numbers
    number_of_article = np.append(np.cumsum(is_outermost), 0)  # the last one: in no article
    articles = number_of_article[articles_around[page.blocks]]
    table["articles"] = is_outermost.sum()
    table["article_number"] = articles
    if title >= 0:
        table["title_in_article"] = (articles == articles[title]) & (articles > 0)


def _set_pictures(table: Table, page: SegmentedPage) -> None:
    """The number of pictures in the block, in its parent and in its grandparent, as logarithms."""
    nodes = page.outline.arrays
    sums = running_sums(nodes.tags & PICTURE_BITS != 0)
    # The parent of the root is -1, which is the last number: no pictures, and -1 as its parent.
    pictures = np.append(sums[nodes.ends] - sums[:-1], 0.0)
    parent_of = np.append(nodes.parents, -1)
    blocks = page.blocks
    parents = parent_of[blocks]
    grandparents = parent_of[parents]
    table["pictures_block"] = np.log1p(pictures[blocks])
    table["pictures_parent"] = np.log1p(pictures[parents])
    table["pictures_grandparent"] = np.log1p(pictures[grandparents])


# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Words of a declared text that counts: shorter ones are summaries.
_MIN_DECLARED_WORDS = 50
#: Words in a shingle.
_SHINGLE = 3


def body_shares(page: SegmentedPage) -> Values:
    """For each segment the share of its shingles that are in the declared text; -1 for all if none
    is declared.  A segment that is shorter than a shingle has the share of its words.
    Computed once for a page."""
    shares: Values | None = page.notes.get("body shares")
    if shares is None:
        shares = _find_body_shares(page)
        page.notes["body shares"] = shares
    return shares


def _find_body_shares(page: SegmentedPage) -> Values:
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

    ``characters``: that of each segment, negative if none is declared; ``page_characters``: those
    of the page, 0 if none is declared.
    """

    def __init__(self, page: SegmentedPage, lengths: Values) -> None:
        shares = body_shares(page)
        self.characters = shares * lengths
        self.page_characters = 0.0
        if (shares >= 0).any():
            self.page_characters = float(self.characters.sum()) or 1.0

    def values(
        self,
        kept_sums: KeptSums,
        kept_length: Values,
    ) -> tuple[Values, Values]:
        """The share of each candidate's kept characters that are in the declared text, and the
        share of the page's characters in there that it keeps; -1 if none is declared."""
        if not self.page_characters:
            undeclared = np.full(kept_length.shape, -1.0)
            return undeclared, undeclared.copy()
        declared = kept_sums.inside(self.characters)
        return declared / kept_length, declared / self.page_characters

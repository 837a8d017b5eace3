"""The features of a segment: numbers, tags, and words of class and id attributes.

No feature is specific to a site.  The tags and words that have a column come with the model.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.models.files import Arrays, names_of
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.outline import bits_of_tags
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.segments.segmentation import (
    Indices,
    SegmentedPage,
    Values,
    as_indices,
)
from forest_scrapy.core.segments.structure import (
    ARTICLE_BIT,
    HEADING_BITS,
    LINK_BIT,
    PICTURE_BITS,
    STRUCTURE,
    body_shares,
    find_title,
    number_items,
    structure_rows,
)
from forest_scrapy.core.segments.table import Table, number_names
from forest_scrapy.core.xpaths.anchored import TreePath, tree_paths

try:
    from forest_scrapy.core.models import _native
except ImportError:  # the package was installed without a compiler
    _native = None  # type: ignore[assignment]

#: Whether there is compiled code; a module that was compiled earlier may not have it.
IS_NATIVE = hasattr(_native, "describe_segments")

# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Ancestors that describe the role of what they contain.
_CONTAINERS = (
    "article", "main", "nav", "aside", "footer", "header", "form", "ul", "ol", "li", "table",
    "pre", "code", "blockquote", "figure", "figcaption", "p", "h1", "h2", "h3", "dl", "section",
    "details", "button", "label",
)  # fmt: skip
#: Characters outside links that make a segment running text.
_MIN_RUNNING_LENGTH = 80
#: Repeats of a text on its page are counted up to this number.
_MAX_REPEATS = 5
#: Pages of the template are counted up to this number.
_MAX_PAGES = 10

_LOCAL = ("length", "words", "link_density", "ends_sentence", "punctuation", "in_title")
#: Names of the numeric features, in their order.
NUMERIC = (
    *_LOCAL,
    "depth", "position", "position_by_text",
    "digits", "capitals", "sentences",
    "share_path", "share_block", "share_parent", "share_grandparent",
    "in_description", "df", "pages",
    "after_h1", "since_h1", "before_last_good",
    "block_children", "same_path", "page_segments", "page_text", "block_text",
    "repeats", "in_body", "body_length",
    *(f"in_{tag}" for tag in _CONTAINERS),
    *(f"{side}_{name}" for side in ("before", "before2", "after", "after2") for name in _LOCAL),
    *STRUCTURE,
)  # fmt: skip

#: The columns of the two values that depend on other pages.
_DF_COLUMN = NUMERIC.index("df")
_PAGES_COLUMN = NUMERIC.index("pages")

_NUMBERS = number_names(NUMERIC)
_CONTAINER_BITS = np.array([bits_of_tags((tag,)) for tag in _CONTAINERS])

#: The characters that end a sentence, or announce what follows it.
_ENDS = frozenset(".!?\u3002\uff1f\uff01\u0964\u2026:;")


def numeric_rows(page: SegmentedPage) -> Values:
    """The values of ``NUMERIC``, one row for each segment of a page that has some; zeros for those
    that depend on other pages."""
    describe_segments = _describe_compiled if IS_NATIVE else describe_in_numpy
    return describe_segments(page)


def _describe_compiled(page: SegmentedPage) -> Values:
    """``describe_in_numpy`` in compiled code."""
    nodes = page.outline.arrays
    characters = page.characters
    measured = Table(_MEASURED_NUMBERS, rows=len(page.segments))
    measured["length"] = page.lengths
    measured["linked"] = page.linked
    measured["words"] = list(map(len, page.words))
    measured["ends_sentence"] = page.ends_with(_ENDS)
    measured["in_title"] = _word_shares(page.word_sets, page.title_words)
    measured["in_description"] = _word_shares(page.word_sets, _description_words(page.page))
    measured["repeats"] = _count_repeats(page.texts)
    measured["in_body"] = body_shares(page)
    measured["stops_inside"] = _count_stops(page)
    measured["digits"] = characters.digits
    measured["letters"] = characters.letters
    measured["capitals"] = characters.capitals
    measured["punctuation"] = characters.punctuation

    values = np.empty((len(page.segments), len(NUMERIC)))
    room = max(len(nodes.parents), len(nodes.leaf_nodes), len(page.segments))
    first_heading = _native.describe_segments(
        nodes,
        number_items(page),
        list(map(len, page.outline.columns.texts)),
        _BITS,
        page.blocks,
        _number_paths(page),
        measured.columns(MEASURED[0], len(MEASURED)),
        find_title(page, page.in_heading),
        len(page.page.declared_text),
        _MIN_RUNNING_LENGTH,
        np.zeros((_native.SCRATCH, room + _native.SCRATCH_MARGIN)),
        values,
    )
    values[:, _LOGARITHMS] = np.log1p(values[:, _LOGARITHMS])
    values[:first_heading, _SINCE_HEADING] = -1.0
    return values


#: The values of segments that compiled code is given, in the order in which it knows them.
MEASURED = (
    "length", "linked", "words", "ends_sentence", "in_title", "in_description", "repeats",
    "in_body", "stops_inside", "digits", "letters", "capitals", "punctuation",
)  # fmt: skip
_MEASURED_NUMBERS = number_names(MEASURED)
#: The bits of tags that it is given, in this order, too.
_BITS = np.array(
    [PICTURE_BITS, HEADING_BITS, ARTICLE_BIT, LINK_BIT, bits_of_tags(("h1",)), *_CONTAINER_BITS],
    dtype=np.int64,
)
_SINCE_HEADING = NUMERIC.index("since_heading")
#: The columns that are logarithms.
_LOGARITHMS = [
    NUMERIC.index(name)
    for name in (
        "length", "words", "block_children", "same_path", "page_segments", "page_text",
        "block_text", "body_length", "before_length", "before_words", "before2_length",
        "before2_words", "after_length", "after_words", "after2_length", "after2_words",
        "since_heading", "inner_list_items", "inner_list_length", "outer_list_items",
        "outer_list_length", "pictures_block", "pictures_parent", "pictures_grandparent",
    )
]  # fmt: skip


def describe_in_numpy(page: SegmentedPage) -> Values:
    """``numeric_rows`` by numpy."""
    table = Table(_NUMBERS, rows=len(page.segments))
    running = _running_lengths(page)
    path_numbers = _number_paths(page)
    _set_local_values(table, page)
    _set_positions(table, page)
    _set_character_shares(table, page)
    _set_running_shares(table, page, path_numbers, running)
    _set_order(table, page, running)
    _set_sizes(table, page, path_numbers)
    table["in_description"] = _word_shares(page.word_sets, _description_words(page.page))
    table["repeats"] = _count_repeats(page.texts)
    table["in_body"] = body_shares(page)
    table["body_length"] = np.log1p(len(page.page.declared_text))
    table.set_columns(f"in_{_CONTAINERS[0]}", page.tags_around & _CONTAINER_BITS[:, None] != 0)
    table.set_columns(STRUCTURE[0], structure_rows(page).T)
    _set_neighbours(table)
    return table.values


def _description_words(page: Page) -> set[str]:
    """The words of the descriptions that the page and its feed entry declare."""
    entry_description = page.entry.description if page.entry else ""
    descriptions = f"{page.declared.description} {entry_description}"
    return set(split_words(descriptions))


def _word_shares(
    words_of_segments: Sequence[Set[str]],
    listed_words: Set[str],
) -> list[float]:
    """For each segment the share of its different words that are among the listed ones."""
    shares = []
    for words in words_of_segments:
        shared = words & listed_words
        count = len(words) or 1
        shares.append(len(shared) / count)
    return shares


def _count_repeats(texts: Sequence[str]) -> Values:
    """For each text how often it is there again."""
    counts = Counter(texts)
    repeats = [counts[text] - 1 for text in texts]
    return np.minimum(repeats, _MAX_REPEATS)


def _set_local_values(table: Table, page: SegmentedPage) -> None:
    """length to in_title."""
    word_counts = np.array(list(map(len, page.words)))
    table["length"] = np.log1p(page.lengths)
    table["words"] = np.log1p(word_counts)
    table["link_density"] = page.linked / page.lengths
    table["ends_sentence"] = page.ends_with(_ENDS)
    table["punctuation"] = page.characters.punctuation / np.maximum(word_counts, 1)
    table["in_title"] = _word_shares(page.word_sets, page.title_words)


def _set_positions(table: Table, page: SegmentedPage) -> None:
    """depth, position and position_by_text."""
    count = len(page.lengths)
    characters_before = page.length_sums[:-1]
    table["depth"] = page.outline.arrays.levels[page.blocks]
    table["position"] = np.arange(count) / count
    table["position_by_text"] = characters_before / page.length_sums[-1]


def _set_character_shares(table: Table, page: SegmentedPage) -> None:
    """digits, capitals and sentences."""
    characters = page.characters
    stops_inside = np.array(_count_stops(page))
    table["digits"] = characters.digits / page.lengths
    table["capitals"] = characters.capitals / np.maximum(characters.letters, 1)
    table["sentences"] = page.ends_with(_ENDS) + stops_inside


def _count_stops(page: SegmentedPage) -> list[int]:
    """For each segment the sentences that end before its end, as far as a stop tells that."""
    return [segment.text.count(". ") for segment in page.segments]


def _running_lengths(page: SegmentedPage) -> Values:
    """For each segment the characters outside links, if these are most of it, else 0."""
    unlinked = page.lengths - page.linked
    is_most = unlinked > 0.5 * page.lengths
    return np.where(is_most, unlinked, 0.0)


def _set_running_shares(
    table: Table,
    page: SegmentedPage,
    path_numbers: Indices,
    running: Values,
) -> None:
    """share_path to share_grandparent: shares of the page's running text in segments with the
    same tag path, block, parent or grandparent."""
    # The parent of the root is -1, which is the last index and so has -1 as its parent, too.
    parent_of = np.append(page.outline.arrays.parents, -1)
    parents = parent_of[page.blocks]
    grandparents = parent_of[parents]
    page_running = running.sum() or 1.0
    groups_of_name = {
        "share_path": path_numbers,
        "share_block": page.blocks,
        "share_parent": parents,
        "share_grandparent": grandparents,
    }
    for name, groups in groups_of_name.items():
        group_running = np.bincount(groups + 1, running)
        table[name] = group_running[groups + 1] / page_running


def _set_order(table: Table, page: SegmentedPage, running: Values) -> None:
    """after_h1, since_h1 and before_last_good."""
    count = len(running)
    positions = np.arange(count)
    in_h1 = page.inside(("h1",))
    if in_h1.any():
        h1 = int(np.argmax(in_h1))
        table["after_h1"] = positions > h1
        table["since_h1"] = (positions - h1) / count
    else:
        table["since_h1"] = -1.0
    long_running = np.flatnonzero(running > _MIN_RUNNING_LENGTH)
    last_running = long_running[-1] if len(long_running) else -1
    table["before_last_good"] = positions <= last_running


def _set_sizes(table: Table, page: SegmentedPage, path_numbers: Indices) -> None:
    """block_children to block_text, as logarithms."""
    nodes = page.outline.arrays
    blocks = page.blocks
    leaf_counts = nodes.lasts[blocks] - nodes.firsts[blocks]
    path_counts = np.bincount(path_numbers)
    block_lengths = np.bincount(blocks, page.lengths)
    table["block_children"] = np.log1p(leaf_counts)
    table["same_path"] = np.log1p(path_counts[path_numbers])
    table["page_segments"] = np.log1p(float(len(blocks)))
    table["page_text"] = np.log1p(page.length_sums[-1])
    table["block_text"] = np.log1p(block_lengths[blocks])


def _number_paths(page: SegmentedPage) -> Indices:
    """For each segment a number that segments with the same tag path share, from 0 on."""
    paths = tree_paths(page.outline)
    number_of_path: dict[int, int] = {}
    numbers = []
    for segment in page.segments:
        tag_path = paths[segment.block].tag_path
        number = number_of_path.setdefault(tag_path, len(number_of_path))
        numbers.append(number)
    return as_indices(numbers)


#: For each side how many segments before this one.
_STEPS = {"before": 1, "before2": 2, "after": -1, "after2": -2}


def _set_neighbours(table: Table) -> None:
    """The local values of the segments before and after each; 0 where there is none."""
    local = table.columns(_LOCAL[0], len(_LOCAL))
    for side, step in _STEPS.items():
        neighbours = table.columns(f"{side}_{_LOCAL[0]}", len(_LOCAL))
        if step > 0:
            neighbours[:, step:] = local[:, :-step]
        else:
            neighbours[:, :step] = local[:, -step:]


@dataclass(frozen=True)
class Vocabulary:
    """The tags and attribute words that have a column of their own."""

    tags: tuple[str, ...]
    words: tuple[str, ...]

    def to_arrays(self) -> dict[str, tuple[str, ...]]:
        """The names by those of their arrays in the file of a model."""
        return {"tags": self.tags, "words": self.words, "numeric": NUMERIC}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> "Vocabulary":
        """Read ``to_arrays``."""
        return cls(
            tags=names_of(arrays["tags"]),
            words=names_of(arrays["words"]),
        )

    @cached_property
    def column_of_tag(self) -> Mapping[str, int]:
        """The number of each tag."""
        return number_names(self.tags)

    @cached_property
    def column_of_word(self) -> Mapping[str, int]:
        """The number of each word."""
        return number_names(self.words)

    @property
    def width(self) -> int:
        """The number of columns: numbers, tags of three elements, words."""
        tag_columns = 3 * len(self.tags)
        return len(NUMERIC) + tag_columns + len(self.words)


def describe(
    page: SegmentedPage,
    pages_with_text: Mapping[str, int],
    pages: int,
    vocabulary: Vocabulary,
) -> NDArray[np.float32]:
    """The features of the page's segments, one row each: ``(segments, vocabulary.width)``.

    Columns: the numbers (``NUMERIC``); the tags of the segment's block, of its parent and of its
    grandparent, 0 or 1; the attribute words of the block and all its ancestors, 0 or 1.
    ``pages_with_text``: the number of the template's ``pages`` that have a segment's text.  What
    does not depend on these is computed once for a page.
    """
    if not page.segments:
        return np.zeros((0, vocabulary.width), dtype=np.float32)
    if page.notes.get("vocabulary") is not vocabulary:
        page.notes["vocabulary"] = vocabulary
        page.notes["table"] = _describe_single_page(page, vocabulary)
    table: NDArray[np.float32] = page.notes["table"].copy()

    other_pages = max(pages - 1, 1)
    shares = []
    for text in page.texts:
        others_with_text = pages_with_text.get(text, 1) - 1
        shares.append(others_with_text / other_pages)
    table[:, _DF_COLUMN] = shares
    table[:, _PAGES_COLUMN] = min(pages, _MAX_PAGES)
    return table


def _describe_single_page(
    page: SegmentedPage,
    vocabulary: Vocabulary,
) -> NDArray[np.float32]:
    shape = (len(page.segments), vocabulary.width)
    table = np.zeros(shape, dtype=np.float32)
    table[:, : len(NUMERIC)] = numeric_rows(page)
    paths = tree_paths(page.outline)
    columns = [_find_columns(paths[segment.block], vocabulary) for segment in page.segments]
    column_counts = list(map(len, columns))
    rows = np.repeat(np.arange(len(columns)), column_counts)
    table[rows, np.concatenate(columns)] = 1
    return table


def _find_columns(path: TreePath, vocabulary: Vocabulary) -> Indices:
    """The columns that are 1 for the tags of an element, of its parent and of its grandparent, and
    for the attribute words of it and its ancestors."""
    noted = path.notes.get("columns")
    if noted is not None and noted[0] is vocabulary:
        return noted[1]  # type: ignore[no-any-return]

    columns: list[int] = []
    first_column = len(NUMERIC)
    element: TreePath | None = path
    for _ in range(3):
        if element is not None:
            tag = vocabulary.column_of_tag.get(element.tag)
            if tag is not None:
                columns.append(first_column + tag)
            element = element.above
        first_column += len(vocabulary.tags)

    column_of_word = vocabulary.column_of_word
    for word in path.words:
        if word in column_of_word:
            columns.append(first_column + column_of_word[word])
    indices = np.array(columns, dtype=np.intp)
    path.notes["columns"] = (vocabulary, indices)
    return indices

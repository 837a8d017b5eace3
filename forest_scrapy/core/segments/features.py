"""The features of a segment: numbers, tags, and words of class and id attributes.

No feature is specific to a site.  The tags and words that have a column come with the model.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.models.files import Arrays, names_of
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.segments.segmentation import Indices, SegmentedPage, Values, as_indices
from forest_scrapy.core.segments.structure import STRUCTURE, body_shares, structure_rows
from forest_scrapy.core.xpaths.anchored import TreePath, tree_paths

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

_PUNCTUATION = frozenset(".,;:!?\u3002\uff0c\uff1b\uff1f\uff01\u3001\u060c\u0964")
_ENDS = re.compile(r"[.!?\u3002\uff1f\uff01\u0964\u2026:;][\"'\u201d\u2019\u00bb)\]]*$")


def numeric_rows(page: SegmentedPage) -> Values:
    """The values of ``NUMERIC``, one row for each segment of a page that has some; zeros for those
    that depend on other pages."""
    texts = [segment.text for segment in page.segments]
    lengths = page.lengths
    blocks = page.blocks
    counts = _count_characters(texts)
    local = _local_values(page, counts["punctuation"])
    running = _running_lengths(page)
    numbers = as_indices(_number_paths(page.outline))
    path_numbers = numbers[blocks]
    paths = tree_paths(page.outline)
    block_paths = [paths[block] for block in blocks]
    containers = _container_values(block_paths)
    in_h1 = containers[:, _CONTAINERS.index("h1")]
    of_other_pages = np.zeros((len(texts), 2))  # df and pages
    neighbours = [_shift(local, step) for step in (1, 2, -1, -2)]
    body_length = np.log1p(len(page.page.declared_text))
    shares = _share_values(page.outline, blocks, path_numbers, running)
    in_description = _word_shares(page.words, _description_words(page.page))
    sizes = _size_values(page.outline, blocks, path_numbers, lengths)
    return np.column_stack(
        (
            local,
            _position_values(page),
            _character_values(texts, lengths, local, counts),
            shares,
            in_description,
            of_other_pages,
            _order_values(running, in_h1),
            sizes,
            _count_repeats(page.texts),
            body_shares(page),
            np.full(len(texts), body_length),
            containers,
            *neighbours,
            structure_rows(page),
        )
    )


def _description_words(page: Page) -> set[str]:
    """The words of the descriptions that the page and its feed entry declare."""
    entry_description = page.entry.description if page.entry else ""
    descriptions = f"{page.declared.description} {entry_description}"
    return set(split_words(descriptions))


def _word_shares(
    words_of_segments: Sequence[Sequence[str]],
    listed_words: Set[str],
) -> list[float]:
    """For each segment the share of its different words that are among the listed ones."""
    shares = []
    for words in map(set, words_of_segments):
        shared = words & listed_words
        count = len(words) or 1
        shares.append(len(shared) / count)
    return shares


def _count_repeats(texts: Sequence[str]) -> Values:
    """For each text how often it is there again."""
    counts = Counter(texts)
    repeats = [counts[text] - 1 for text in texts]
    return np.minimum(repeats, _MAX_REPEATS)


_CHARACTERS: dict[str, Callable[[str], bool]] = {
    "digits": str.isdigit,
    "letters": str.isalpha,
    "capitals": str.isupper,
    "punctuation": _PUNCTUATION.__contains__,
}


def _count_characters(texts: Sequence[str]) -> dict[str, Values]:
    """For each text the number of its digits, letters, capitals and punctuation marks.  Each
    character of the page is classified once, however often it occurs."""
    encoded = "".join(texts).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(encoded, dtype=np.uint32)
    lengths = [len(text) for text in texts]
    ends = np.cumsum(lengths)
    starts = np.append(0, ends[:-1])
    code_counts = np.bincount(codes)
    present_codes = np.flatnonzero(code_counts)
    counts = {}
    for name, is_of_kind in _CHARACTERS.items():
        flags = np.zeros(present_codes[-1] + 1)
        flags_of_codes = [is_of_kind(chr(code)) for code in present_codes]
        flags[present_codes] = flags_of_codes
        page_flags = flags[codes]
        counts[name] = np.add.reduceat(page_flags, starts)
    return counts


def _local_values(page: SegmentedPage, punctuation: Values) -> Values:
    """length to in_title; ``punctuation``: the number of punctuation marks of each segment."""
    counts = [len(words) for words in page.words]
    word_counts = np.array(counts)
    ends_sentence = [bool(_ENDS.search(segment.text)) for segment in page.segments]
    return np.column_stack(
        (
            np.log1p(page.lengths),
            np.log1p(word_counts),
            page.linked / page.lengths,
            ends_sentence,
            punctuation / np.maximum(word_counts, 1),
            _word_shares(page.words, page.title_words),
        )
    )


def _position_values(page: SegmentedPage) -> Values:
    """depth, position and position_by_text."""
    nodes = page.outline.nodes
    depths = [nodes[block].level for block in page.blocks]
    count = len(page.lengths)
    positions = np.arange(count) / count
    characters_to_end = np.cumsum(page.lengths)
    characters_before = characters_to_end - page.lengths
    text_positions = characters_before / page.lengths.sum()
    return np.column_stack((depths, positions, text_positions))


def _character_values(
    texts: Sequence[str],
    lengths: Values,
    local: Values,
    counts: Mapping[str, Values],
) -> Values:
    """digits, capitals and sentences."""
    ends_sentence = local[:, _LOCAL.index("ends_sentence")]
    stops_inside = [text.count(". ") for text in texts]
    letters = np.maximum(counts["letters"], 1)
    return np.column_stack(
        (
            counts["digits"] / lengths,
            counts["capitals"] / letters,
            ends_sentence + stops_inside,
        )
    )


def _running_lengths(page: SegmentedPage) -> Values:
    """For each segment the characters outside links, if these are most of it, else 0."""
    unlinked = page.lengths - page.linked
    is_most = unlinked > 0.5 * page.lengths
    return np.where(is_most, unlinked, 0.0)


def _share_values(
    outline: Outline,
    blocks: Indices,
    path_numbers: Indices,
    running: Values,
) -> Values:
    """share_path to share_grandparent: shares of the page's running text in segments with the
    same tag path, block, parent or grandparent."""
    # The parent of the root is -1, which is the last index and so has -1 as its parent, too.
    parent_of = np.array([*(node.parent for node in outline.nodes), -1])
    parents = parent_of[blocks]
    grandparents = parent_of[parents]
    page_running = running.sum() or 1.0
    shares = []
    for groups in (path_numbers, blocks, parents, grandparents):
        group_running = np.bincount(groups + 1, running)
        shares.append(group_running[groups + 1] / page_running)
    return np.column_stack(shares)


def _order_values(running: Values, in_h1: Values) -> Values:
    """after_h1, since_h1 and before_last_good."""
    count = len(running)
    positions = np.arange(count)
    if in_h1.any():
        h1 = int(np.argmax(in_h1))
        is_after_h1 = positions > h1
        since_h1 = (positions - h1) / count
    else:
        is_after_h1 = np.zeros(count, dtype=bool)
        since_h1 = np.full(count, -1.0)
    long_running = np.flatnonzero(running > _MIN_RUNNING_LENGTH)
    last_running = max(long_running, default=-1)
    is_before_last = positions <= last_running
    return np.column_stack((is_after_h1, since_h1, is_before_last))


def _size_values(
    outline: Outline,
    blocks: Indices,
    path_numbers: Indices,
    lengths: Values,
) -> Values:
    """block_children to block_text, as logarithms."""
    count = len(blocks)
    counts_of_nodes = [node.last - node.first for node in outline.nodes]
    leaf_counts = np.array(counts_of_nodes)
    path_counts = np.bincount(path_numbers)
    block_lengths = np.bincount(blocks, lengths)
    sizes = np.column_stack(
        (
            leaf_counts[blocks],
            path_counts[path_numbers],
            np.full(count, count),
            np.full(count, lengths.sum()),
            block_lengths[blocks],
        )
    )
    return np.asarray(np.log1p(sizes))


def _number_paths(outline: Outline) -> list[int]:
    """For each node a number that nodes with the same tag path share."""
    numbers: dict[tuple[int, str], int] = {}
    return outline.inherit(
        -1,
        lambda above, node: numbers.setdefault((above, node.tag), len(numbers)),
    )


def _container_values(paths: Sequence[TreePath]) -> Values:
    """For each path, 1 for each of the containers that it has, else 0."""
    rows = [_find_containers(path) for path in paths]
    return np.array(rows, dtype=np.float64)


def _find_containers(path: TreePath) -> tuple[bool, ...]:
    containers: tuple[bool, ...] | None = path.notes.get("containers")
    if containers is None:
        containers = tuple(tag in path.tags for tag in _CONTAINERS)
        path.notes["containers"] = containers
    return containers


def _shift(values: Values, step: int) -> Values:
    """The rows moved down by ``step``, up if it is negative; 0 where no row is left."""
    moved = np.zeros_like(values)
    if step > 0:
        moved[step:] = values[:-step]
    else:
        moved[:step] = values[-step:]
    return moved


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
        return _number(self.tags)

    @cached_property
    def column_of_word(self) -> Mapping[str, int]:
        """The number of each word."""
        return _number(self.words)

    @property
    def width(self) -> int:
        """The number of columns: numbers, tags of three elements, words."""
        tag_columns = 3 * len(self.tags)
        return len(NUMERIC) + tag_columns + len(self.words)


def _number(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


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
    for row, segment in zip(table, page.segments, strict=True):
        path = paths[segment.block]
        columns = _find_columns(path, vocabulary)
        row[columns] = 1
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

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
from forest_scrapy.core.segments.segmentation import SegmentedPage
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
_GOOD = 80
#: Repeats of a text on its page are counted up to this number.
_MOST_REPEATS = 5
#: Pages of the template are counted up to this number.
_MOST_PAGES = 10

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

#: The column of the first of the two values that depend on other pages.
_DF = NUMERIC.index("df")

_PUNCTUATION = frozenset(".,;:!?\u3002\uff0c\uff1b\uff1f\uff01\u3001\u060c\u0964")
_ENDS = re.compile(r"[.!?\u3002\uff1f\uff01\u0964\u2026:;][\"'\u201d\u2019\u00bb)\]]*$")

Values = NDArray[np.float64]


def numeric_rows(page: SegmentedPage) -> Values:
    """The values of ``NUMERIC``, one row for each segment of a page that has some; zeros for those
    that depend on other pages."""
    texts = [segment.text for segment in page.segments]
    lengths, blocks = page.lengths, page.blocks
    words, counts = page.words, _character_counts(texts)
    local = _local_values(page, lengths, counts["punctuation"])
    paths = np.array(_path_numbers(page.outline))[blocks]
    good = _running_text(page, lengths)
    tree = tree_paths(page.outline)
    containers = _containers([tree[block] for block in blocks])
    repeats = Counter(page.texts)
    n = len(texts)
    return np.column_stack(
        (
            local,
            _position_values(page, blocks, lengths),
            _character_values(texts, lengths, local, counts),
            _share_values(page.outline, blocks, paths, good),
            _word_shares(words, _description_words(page.page)),
            np.zeros((n, 2)),  # df and pages
            _order_values(good, containers[:, _CONTAINERS.index("h1")]),
            _size_values(page.outline, blocks, paths, lengths),
            np.minimum([repeats[text] - 1 for text in page.texts], _MOST_REPEATS),
            body_shares(page),
            np.full(n, np.log1p(len(page.page.declared_text))),
            containers,
            *(_shift(local, step) for step in (1, 2, -1, -2)),
            structure_rows(page),
        )
    )


def _description_words(page: Page) -> set[str]:
    """The words of the descriptions that the page and its feed entry declare."""
    declared, entry = page.declared, page.entry
    return set(split_words(f"{declared.description} {entry.description if entry else ''}"))


def _word_shares(words: Sequence[Sequence[str]], wanted: Set[str]) -> list[float]:
    """For each segment the share of its different words that are among the wanted ones."""
    different = map(set, words)
    return [len(own & wanted) / (len(own) or 1) for own in different]


def _character_counts(texts: Sequence[str]) -> dict[str, Values]:
    """For each text the number of its digits, letters, capitals and punctuation marks.  Each
    character of the page is classified once, however often it occurs."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    starts = np.cumsum([0, *(len(text) for text in texts)])[:-1]
    present = np.flatnonzero(np.bincount(codes))
    counts = {}
    for name, test in _CHARACTERS.items():
        flags = np.zeros(present[-1] + 1)
        flags[present] = [test(chr(code)) for code in present]
        counts[name] = np.add.reduceat(flags[codes], starts)
    return counts


_CHARACTERS: dict[str, Callable[[str], bool]] = {
    "digits": str.isdigit,
    "letters": str.isalpha,
    "capitals": str.isupper,
    "punctuation": _PUNCTUATION.__contains__,
}


def _local_values(
    page: SegmentedPage,
    lengths: Values,
    punctuation: Values,
) -> Values:
    """length to in_title."""
    n_words = np.array([len(own) for own in page.words])
    return np.column_stack(
        (
            np.log1p(lengths),
            np.log1p(n_words),
            page.linked / lengths,
            [_ENDS.search(segment.text) is not None for segment in page.segments],
            punctuation / np.maximum(n_words, 1),
            _word_shares(page.words, page.title_words),
        )
    )


def _position_values(page: SegmentedPage, blocks: NDArray[np.intp], lengths: Values) -> Values:
    """depth, position and position_by_text."""
    nodes, n = page.outline.nodes, len(lengths)
    depths = [nodes[block].level for block in blocks]
    before = np.cumsum(lengths) - lengths
    return np.column_stack((depths, np.arange(n) / n, before / lengths.sum()))


def _character_values(
    texts: Sequence[str], lengths: Values, local: Values, counts: Mapping[str, Values]
) -> Values:
    """digits, capitals and sentences."""
    ends = local[:, _LOCAL.index("ends_sentence")]
    return np.column_stack(
        (
            counts["digits"] / lengths,
            counts["capitals"] / np.maximum(counts["letters"], 1),
            ends + [text.count(". ") for text in texts],
        )
    )


def _running_text(page: SegmentedPage, lengths: Values) -> Values:
    """For each segment the characters outside links, if these are most of it, else 0."""
    plain = lengths - page.linked
    return np.where(plain > 0.5 * lengths, plain, 0.0)


def _share_values(
    outline: Outline, blocks: NDArray[np.intp], paths: NDArray[np.intp], good: Values
) -> Values:
    """share_path to share_grandparent: shares of the page's running text in segments with the
    same tag path, block, parent or grandparent."""
    parents = np.array([node.parent for node in outline.nodes] + [-1])  # the parent of -1 is -1
    above = (paths, blocks, parents[blocks], parents[parents[blocks]])
    all_good = good.sum() or 1.0
    return np.column_stack([np.bincount(key + 1, good)[key + 1] / all_good for key in above])


def _order_values(good: Values, in_h1: Values) -> Values:
    """after_h1, since_h1 and before_last_good."""
    positions, n = np.arange(len(good)), len(good)
    h1 = int(np.argmax(in_h1)) if in_h1.any() else -1
    last_good = max(np.flatnonzero(good > _GOOD), default=-1)
    since = (positions - h1) / n if h1 >= 0 else np.full(n, -1.0)
    return np.column_stack(((h1 >= 0) & (h1 < positions), since, positions <= last_good))


def _size_values(
    outline: Outline, blocks: NDArray[np.intp], paths: NDArray[np.intp], lengths: Values
) -> Values:
    """block_children to block_text, as logarithms."""
    leaves = np.array([node.last - node.first for node in outline.nodes])[blocks]
    same_path = np.bincount(paths)[paths]
    of_page = np.broadcast_to((len(blocks), lengths.sum()), (len(blocks), 2))
    of_block = np.bincount(blocks, lengths)[blocks]
    return np.asarray(np.log1p(np.column_stack((leaves, same_path, of_page, of_block))))


def _path_numbers(outline: Outline) -> list[int]:
    """For each node a number that nodes with the same tag path share."""
    known: dict[tuple[int, str], int] = {}
    return outline.inherit(-1, lambda above, node: known.setdefault((above, node.tag), len(known)))


def _containers(paths: Sequence[TreePath]) -> Values:
    """For each path, 1 for each of the containers that it has, else 0."""
    rows = [path.notes.get("containers") or _note_containers(path) for path in paths]
    return np.array(rows, dtype=np.float64)


def _note_containers(path: TreePath) -> tuple[bool, ...]:
    found = path.notes["containers"] = tuple(tag in path.tags for tag in _CONTAINERS)
    return found


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
        return cls(names_of(arrays["tags"]), names_of(arrays["words"]))

    @cached_property
    def column_of_tag(self) -> Mapping[str, int]:
        """The number of each tag."""
        return {tag: i for i, tag in enumerate(self.tags)}

    @cached_property
    def column_of_word(self) -> Mapping[str, int]:
        """The number of each word."""
        return {word: i for i, word in enumerate(self.words)}

    @property
    def width(self) -> int:
        """The number of columns: numbers, tags of three elements, words."""
        return len(NUMERIC) + 3 * len(self.tags) + len(self.words)


def describe(
    page: SegmentedPage, found_on: Mapping[str, int], pages: int, vocabulary: Vocabulary
) -> NDArray[np.float32]:
    """The features of the page's segments, one row each: ``(segments, vocabulary.width)``.

    Columns: the numbers (``NUMERIC``); the tags of the segment's block, of its parent and of its
    grandparent, 0 or 1; the attribute words of the block and all its ancestors, 0 or 1.
    ``found_on``: the number of the template's ``pages`` on which a segment's text is found.  What
    does not depend on these is computed once for a page.
    """
    if not page.segments:
        return np.zeros((0, vocabulary.width), dtype=np.float32)
    if page.notes.get("vocabulary") is not vocabulary:
        page.notes.update(vocabulary=vocabulary, table=_describe_alone(page, vocabulary))
    table: NDArray[np.float32] = page.notes["table"]
    table[:, _DF] = [(found_on.get(text, 1) - 1) / max(pages - 1, 1) for text in page.texts]
    table[:, _DF + 1] = min(pages, _MOST_PAGES)
    return table.copy()


def _describe_alone(page: SegmentedPage, vocabulary: Vocabulary) -> NDArray[np.float32]:
    table = np.zeros((len(page.segments), vocabulary.width), dtype=np.float32)
    table[:, : len(NUMERIC)] = numeric_rows(page)
    paths = tree_paths(page.outline)
    for row, segment in zip(table, page.segments, strict=True):
        row[_find_columns(paths[segment.block], vocabulary)] = 1
    return table


def _find_columns(path: TreePath, vocabulary: Vocabulary) -> NDArray[np.intp]:
    """The columns that are 1 for the tags of an element, of its parent and of its grandparent, and
    for the attribute words of it and its ancestors."""
    own, known = path.notes.get("columns", (None, None))
    if own is vocabulary:
        return known  # type: ignore[no-any-return]
    columns: list[int] = []
    above: TreePath | None = path
    for step in range(3):
        if above is None:
            break
        if (column := vocabulary.column_of_tag.get(above.tag)) is not None:
            columns.append(len(NUMERIC) + step * len(vocabulary.tags) + column)
        above = above.above
    first = len(NUMERIC) + 3 * len(vocabulary.tags)
    of_word = vocabulary.column_of_word
    columns += [first + of_word[word] for word in path.words if word in of_word]
    found = np.array(columns, dtype=np.intp)
    path.notes["columns"] = (vocabulary, found)
    return found

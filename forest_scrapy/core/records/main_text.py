"""The main text of pages of any kind: products, lists, documentation, services and others.

    read_main_text(page) -> Extract

It is often in many places on a page, between other text, so there is no block to choose as for
articles.  A classifier scores each segment by its own features.  Whether a short text is part of a
product or a list shows from the probabilities of what is around it: of its neighbours, of the
elements that contain it, and of the whole page; by these a second classifier corrects the first
(stacked generalization, Wolpert 1992).  As many of the likeliest segments are kept as give the
highest expected F1.  Each page is read by itself: what the other pages of its template have adds
nothing (0.001 of F1).  ``python -m benchmarks.training.main_text`` makes the model file.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.models.files import read_arrays, read_packaged, write_arrays
from forest_scrapy.core.models.trees import Trees
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.structures.sparing import spare_structures
from forest_scrapy.core.segments.features import NUMERIC, Vocabulary, describe
from forest_scrapy.core.segments.scoring import average_scores, without_other_articles
from forest_scrapy.core.segments.segmentation import (
    Flags,
    Indices,
    SegmentedPage,
    Values,
    as_indices,
    best_run,
    running_sums,
    segment_page,
)

#: Prefix of the names of the arrays of ``context_trees`` in the file.
_CONTEXT = "context_"

#: The share of an extract's characters that must be in the segments of its blocks to compare it
#: with the main text.  Not tuned.
MIN_SHARE_IN_SEGMENTS = 0.8


@dataclass(frozen=True)
class MainTextClassifier:
    """``trees`` score segments by their own features, ``context_trees`` by those of
    ``describe_context``."""

    vocabulary: Vocabulary
    trees: Trees
    context_trees: Trees

    def score(self, page: SegmentedPage) -> Values:
        """The probability that each of the page's segments is main text; that of segments with
        the same anchored path is the same.

        Cost: some 30 microseconds a segment.
        """
        first_scores = score_alone(page, self.vocabulary, self.trees)
        context = describe_context(page, first_scores)
        corrected = self.context_trees.probabilities(context)
        (scores,) = average_scores([page], [corrected])
        return scores

    def to_bytes(self) -> bytes:
        """The model as an ``.npz`` file, with the names of its features."""
        arrays = {
            **self.vocabulary.to_arrays(),
            "context": CONTEXT,
            **self.trees.to_arrays(),
            **self.context_trees.to_arrays(_CONTEXT),
        }
        return write_arrays(arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> "MainTextClassifier":
        """Read ``to_bytes``; raises ``ValueError`` if the model was trained on other features."""
        expected = {"numeric": NUMERIC, "context": CONTEXT}
        arrays = read_arrays(data, expected)
        return cls(
            vocabulary=Vocabulary.from_arrays(arrays),
            trees=Trees.from_arrays(arrays),
            context_trees=Trees.from_arrays(arrays, _CONTEXT),
        )


def score_alone(
    page: SegmentedPage,
    vocabulary: Vocabulary,
    trees: Trees,
) -> Values:
    """The probability that each of the page's segments is main text, by its own features only; 0
    for those of articles that a page links to."""
    features = describe(page, {}, 1, vocabulary)
    probabilities = trees.probabilities(features)
    return without_other_articles(page, probabilities)


@cache
def default_main_text_classifier() -> MainTextClassifier:
    """The classifier of this package, loaded once."""
    data = read_packaged("main_text")
    return MainTextClassifier.from_bytes(data)


def read_main_text(
    page: Page,
    classifier: MainTextClassifier | None = None,
) -> Extract:
    """The main text of a page; an empty ``Extract`` if there is none.

    ``classifier``: None for the one of this package.  Cost: some 30 ms.
    """
    segmented = segment_page(page)
    scores = _score_segments(segmented, classifier)
    return _read_best(segmented, scores, _measure_segments(segmented))


#: Characters of the shortest text that is left out of the page of a product where it is repeated:
#: below are values that several attributes have.
MIN_REPEATED = 10
#: Addresses and keys that scripts write, which no reader reads, and their share of the text: there
#: are addresses in descriptions, too.
_KEY = re.compile(r"[!-~]{80,}")
MIN_KEY_SHARE = 0.5
#: The share of a text's characters in links from which on it is a link to somewhere else.
MIN_LINKED_SHARE = 0.9
#: The share of the text of a product that links may have, at most, to be left out: a page with more
#: is a list of products.
MAX_LINKS_SHARE = 0.3


def read_product_text(
    page: Page,
    is_other: Sequence[bool],
    classifier: MainTextClassifier | None = None,
) -> Extract:
    """The main text of the page of a product, as ``read_main_text``, without other products,
    reviews, menus, links, repeated texts and keys of scripts.

    The classifier, which has learned from pages of all kinds, keeps too much of these: of 113 pages
    of shops that it had not seen, 0.05 of the text in places of reviews and menus, and 0.02 of that
    about other products, is in the correct text; of the links that it keeps, 0.35.  ``is_other``:
    which nodes of the outline these are.
    """
    segmented = segment_page(page)
    scores = _score_segments(segmented, classifier)
    lengths = _measure_segments(segmented)
    texts: set[str] = set()
    is_left_out = []
    is_link = []
    for segment in segmented.segments:
        text = segment.text
        is_repeated = len(text) >= MIN_REPEATED and text in texts
        is_dropped = is_other[segment.block] or is_repeated or _is_key(text)
        is_left_out.append(is_dropped)
        is_link.append(segment.linked >= MIN_LINKED_SHARE * len(text))
        if not is_dropped:  # what repeats a text of a menu is not left out
            texts.add(text)
    if not all(is_left_out):
        scores = np.where(is_left_out, 0.0, scores)
        scores = _without_links(scores, lengths, np.array(is_link, dtype=bool))
    return _read_best(segmented, scores, lengths)


def _without_links(scores: Values, lengths: Values, is_link: Flags) -> Values:
    """The scores, 0 for links if these are a small part of the text."""
    is_main_text = choose_by_f1(scores, lengths)
    text_length = lengths[is_main_text].sum()
    links_length = lengths[is_main_text & is_link].sum()
    if links_length > MAX_LINKS_SHARE * text_length:
        return scores
    return np.where(is_link, 0.0, scores)


def _is_key(text: str) -> bool:
    length = sum(map(len, _KEY.findall(text)))
    return length > MIN_KEY_SHARE * len(text)


def find_larger_text(
    page: Page,
    extract: Extract,
    min_gain: float,
    classifier: MainTextClassifier | None = None,
) -> Extract | None:
    """The main text of a page if an extract of it is only a part, or another text: if the F1 that
    is expected of it, by the probabilities of the page's segments, is higher by ``min_gain``.

    None if not, or if much of the extract is not in the page's segments: it may be from data for
    scripts.  Cost: that of ``read_main_text``.
    """
    segmented = segment_page(page)
    blocks = set(extract.content.text_blocks)
    elements = [page.outline.nodes[segment.block].element for segment in segmented.segments]
    is_in_extract = np.array([element in blocks for element in elements], dtype=bool)
    lengths = _measure_segments(segmented)
    if lengths[is_in_extract].sum() < MIN_SHARE_IN_SEGMENTS * max(len(extract.text), 1):
        return None
    scores = _score_segments(segmented, classifier)
    main_text = _read_best(segmented, scores, lengths)
    gain = main_text.expected_f1 - expect_f1(scores, lengths, is_in_extract)
    return main_text if gain > min_gain else None


def _measure_segments(page: SegmentedPage) -> Values:
    """The characters of the segments."""
    text_lengths = [len(text) for text in page.texts]
    return np.array(text_lengths, dtype=np.float64)


def _score_segments(page: SegmentedPage, classifier: MainTextClassifier | None) -> Values:
    """The probabilities of the segments."""
    return (classifier or default_main_text_classifier()).score(page)


def _read_best(page: SegmentedPage, scores: Values, lengths: Values) -> Extract:
    """The content of the segments with the highest expected F1."""
    is_main_text = choose_by_f1(scores, lengths)
    expected_f1 = expect_f1(scores, lengths, is_main_text)
    extract = replace(_read_segments(page, is_main_text), expected_f1=expected_f1)
    return extract.with_captions("inline")  # the items of many lists are figures


def choose_by_f1(scores: Values, lengths: Values) -> Flags:
    """Which segments to keep: the likeliest ones, as many as give the highest expected F1.

    ``scores``: the probabilities of the segments; ``lengths``: their characters.  The F1 of the
    expected characters is used for the expected F1 (Lewis 1995).  Segments that are equally likely
    are kept together.

    >>> choose_by_f1(np.array([0.9, 0.4, 0.1]), np.array([10, 10, 10])).tolist()
    [True, True, False]
    """
    order = np.argsort(-scores, kind="stable")
    expected = (scores * lengths)[order]
    total = expected.sum()
    if not total:
        return np.zeros(len(scores), dtype=bool)
    kept_lengths = np.cumsum(lengths[order])
    kept_content = np.cumsum(expected)
    f1 = 2 * kept_content / (kept_lengths + total)
    best = int(np.argmax(f1.round(9)))
    min_score = scores[order][best]
    return np.asarray(scores >= min_score)


def expect_f1(
    scores: Values,
    lengths: Values,
    is_chosen: Flags,
) -> float:
    """The F1 of the expected characters of the chosen segments, as ``choose_by_f1`` computes it.

    >>> expect_f1(np.array([1.0, 0.5]), np.array([10, 10]), np.array([True, True]))
    0.857143
    """
    expected = scores * lengths
    chosen_length = lengths[is_chosen].sum()
    total = float(chosen_length + expected.sum())
    if not total:
        return 0.0
    expected_chosen = float(expected[is_chosen].sum())
    return round(2 * expected_chosen / total, 6)


def _read_segments(page: SegmentedPage, is_chosen: Flags) -> Extract:
    """The content of the smallest element with all chosen segments, without the blocks inside it
    that have other text only.  Text that is directly in a block with chosen text stays."""
    outline = page.outline
    blocks = page.blocks[is_chosen].tolist()
    if not blocks:
        return Extract()
    last_path = set(outline.path(max(blocks)))
    first_path = outline.path(min(blocks))
    root = next(node for node in first_path if node in last_path)

    firsts, lasts = page.spans
    counts = running_sums(is_chosen)
    has_text = lasts > firsts
    has_no_chosen = counts[lasts] == counts[firsts]
    is_other = (has_text & has_no_chosen).tolist()
    without = set()
    below = outline.below(root)[1:]
    for index in below:
        node = outline.nodes[index]
        if is_other[index] and node.is_block:
            without.add(node.element)

    element = outline.nodes[root].element
    structures = page.page.structures
    left_out = spare_structures(structures, without, [element])
    content = read_content(element, left_out, page.page.base_url, structures)
    return Extract(content, blocks=(element,), left_out=frozenset(left_out))


# None of the constants below is tuned.  The model is trained with them: a change needs a new one.
#: Elements with more text than the last one, up to this number.
_LEVELS = 6
#: Shares of the page's text that an element around the segment has at least.
_SHARES = (0.02, 0.05, 0.1, 0.25, 0.5)
#: Segments before (positive) and after it.
_STEPS = (1, 2, 3, -1, -2, -3)
#: Characters on either side of its middle.
_REACHES = (200, 500, 1000, 3000)
#: Probabilities from which text adds to the maximum scoring run.
_RUNS = (0.2, 0.35, 0.5)
#: The value of a segment or an element that does not exist.
_NONE = -1.0
#: Probabilities are cut at this distance from 0 and 1.
MIN_PROBABILITY = 1e-4

#: Names of the features, in their order.
CONTEXT = (
    "own", "own_path",
    *(f"level_{i}" for i in range(1, _LEVELS + 1)),
    *(f"share_{share}" for share in _SHARES),
    *(f"step_{step}" for step in _STEPS),
    *(f"reach_{reach}" for reach in _REACHES),
    *(f"run_{min_probability}" for min_probability in _RUNS),
    "before", "after", "page_mean", "page_content", "page_likely", "rank", "rank_by_text",
)  # fmt: skip


def describe_context(
    page: SegmentedPage,
    probabilities: Values,
) -> NDArray[np.float32]:
    """A row of ``CONTEXT`` for each segment of a page, from the probabilities of all.

    Cost: linear in the number of elements and segments, except for sorting.
    """
    lengths = page.lengths
    if not len(lengths):
        return np.zeros((0, len(CONTEXT)), dtype=np.float32)
    (of_path,) = average_scores([page], [probabilities])
    neighbours = [_shift(probabilities, step) for step in _STEPS]
    near = [_mean_near(probabilities, lengths, reach) for reach in _REACHES]
    runs = [_in_best_run(of_path, lengths, min_probability) for min_probability in _RUNS]
    columns = (
        _log_odds(probabilities),
        _log_odds(of_path),
        *_element_means(page, probabilities, lengths),
        *neighbours,
        *near,
        *runs,
        *_page_values(probabilities, lengths),
    )
    table = np.column_stack(columns)
    return table.astype(np.float32)


def _log_odds(probabilities: Values) -> Values:
    clipped = np.clip(probabilities, MIN_PROBABILITY, 1 - MIN_PROBABILITY)
    odds = clipped / (1 - clipped)
    return np.asarray(np.log(odds))


def _element_means(
    page: SegmentedPage,
    probabilities: Values,
    lengths: Values,
) -> list[Values]:
    """The mean probability of the text in the elements around each segment: in those of the next
    levels, and in the smallest ones with a share of the page's text."""
    firsts, lasts = page.spans
    text_sums = running_sums(lengths)
    content_sums = running_sums(lengths * probabilities)
    sizes = text_sums[lasts] - text_sums[firsts]
    contents = content_sums[lasts] - content_sums[firsts]
    means = contents / np.maximum(sizes, 1)
    means = np.append(means, _NONE)

    blocks = page.blocks
    counts = lasts - firsts
    larger = _larger_elements(page.outline, counts.tolist())
    columns = []
    nodes = blocks
    for _ in range(_LEVELS):
        columns.append(means[nodes])
        nodes = larger[nodes]

    for share in _SHARES:
        min_size = share * text_sums[-1]
        is_large = (sizes >= min_size).tolist()
        nearest = page.outline.nearest(is_large, none=-1)
        nearest_of_blocks = as_indices(nearest)[blocks]
        columns.append(means[nearest_of_blocks])
    return columns


def _larger_elements(outline: Outline, spans: Sequence[int]) -> Indices:
    """For each node the next block around it with more segments, -1 if there is none; the last
    value is that of -1 itself."""
    larger: list[int] = []
    for index, node in enumerate(outline.nodes):  # parents come before their children
        parent = node.parent
        if parent < 0:
            larger.append(parent)
        elif spans[parent] > spans[index]:
            larger.append(outline.blocks[parent])
        else:
            larger.append(larger[parent])
    return as_indices([*larger, -1])


def _shift(values: Values, step: int) -> Values:
    """The value so many segments before (or after, if negative) each."""
    shifted = np.full(len(values), _NONE)
    if step > 0:
        shifted[step:] = values[:-step]
    else:
        shifted[:step] = values[-step:]
    return shifted


def _mean_near(
    probabilities: Values,
    lengths: Values,
    reach: int,
) -> Values:
    """The mean probability of the segments within so many characters, the segment among them."""
    ends = running_sums(lengths)
    content_sums = running_sums(lengths * probabilities)
    middles = (ends[:-1] + ends[1:]) / 2
    segments = np.arange(len(lengths))
    first_reached = np.searchsorted(ends, middles - reach)
    last_reached = np.searchsorted(ends, middles + reach)
    firsts = np.minimum(first_reached, segments)
    lasts = np.minimum(last_reached, len(lengths))
    lasts = np.maximum(lasts, segments + 1)

    contents = content_sums[lasts] - content_sums[firsts]
    sizes = ends[lasts] - ends[firsts]
    return np.asarray(contents / np.maximum(sizes, 1))


def _in_best_run(
    probabilities: Values,
    lengths: Values,
    min_probability: float,
) -> Values:
    """1 for the segments in the run with the most text that is likelier than this, else 0."""
    gains = (probabilities - min_probability) * lengths
    first, last = best_run(gains.tolist())
    is_inside = np.zeros(len(lengths))
    is_inside[first:last] = 1
    return is_inside


def _page_values(probabilities: Values, lengths: Values) -> tuple[Values, ...]:
    """The shares of the likely content before and after each segment; the mean probability, the
    likely content and the share of it that is very likely, of the page; the share of the content
    and of the text in segments that are likelier."""
    count = len(lengths)
    text = max(float(lengths.sum()), 1.0)
    contents = lengths * probabilities
    content_sums = running_sums(contents)
    total = max(float(content_sums[-1]), 1e-9)
    is_likely = probabilities > 0.5
    very_likely = float((lengths * is_likely).sum())

    order = np.argsort(-probabilities, kind="stable")
    rank = np.empty(count)
    rank_by_text = np.empty(count)
    content_before = np.cumsum(contents[order])
    text_before = np.cumsum(lengths[order])
    rank[order] = content_before / total
    rank_by_text[order] = text_before / text
    return (
        content_sums[:-1] / total,
        1 - content_sums[1:] / total,
        np.full(count, total / text),
        np.full(count, np.log1p(total)),
        np.full(count, very_likely / text),
        rank,
        rank_by_text,
    )

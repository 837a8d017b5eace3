"""What surrounds a segment: the features by which a second classifier corrects the first.

The first classifier scores each segment by its own features.  Whether a short text is part of a
product or a list shows from the probabilities of what is around it: of its neighbours, of the
elements that contain it, and of the whole page (stacked generalization, Wolpert 1992).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.segments.scoring import average_scores
from forest_scrapy.core.segments.segmentation import (
    SegmentedPage,
    best_run,
    running_sums,
    segment_spans,
)

__all__ = ["CONTEXT", "describe_context"]

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
#: The value of what is not there; probabilities are cut at this distance from 0 and 1.
_NONE, _LEAST = -1.0, 1e-4

#: Names of the features, in their order.
CONTEXT = (
    "own", "own_path",
    *(f"level_{i}" for i in range(1, _LEVELS + 1)),
    *(f"share_{share}" for share in _SHARES),
    *(f"step_{step}" for step in _STEPS),
    *(f"reach_{reach}" for reach in _REACHES),
    *(f"run_{least}" for least in _RUNS),
    "before", "after", "page_mean", "page_content", "page_likely", "rank", "rank_by_text",
)  # fmt: skip

Values = NDArray[np.float64]


def describe_context(page: SegmentedPage, probabilities: Values) -> NDArray[np.float32]:
    """A row of ``CONTEXT`` for each segment of a page, from the probabilities of all.

    Cost: linear in the number of elements and segments, except for sorting.
    """
    lengths = np.array([len(segment.text) for segment in page.segments], dtype=np.float64)
    if not len(lengths):
        return np.zeros((0, len(CONTEXT)), dtype=np.float32)
    (of_path,) = average_scores([page], [probabilities])
    columns = (
        _log_odds(probabilities),
        _log_odds(of_path),
        *_element_means(page, probabilities, lengths),
        *(_shift(probabilities, step) for step in _STEPS),
        *(_mean_near(probabilities, lengths, reach) for reach in _REACHES),
        *(_in_best_run(of_path, lengths, least) for least in _RUNS),
        *_page_values(probabilities, lengths),
    )
    return np.column_stack(columns).astype(np.float32)


def _log_odds(probabilities: Values) -> Values:
    cut = np.clip(probabilities, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(cut / (1 - cut)))


def _element_means(page: SegmentedPage, probabilities: Values, lengths: Values) -> list[Values]:
    """The mean probability of the text in the elements around each segment: in those of the next
    levels, and in the smallest ones with a share of the page's text."""
    firsts, lasts = segment_spans(page)
    length, content = running_sums(lengths), running_sums(lengths * probabilities)
    sizes = length[lasts] - length[firsts]
    means = np.append((content[lasts] - content[firsts]) / np.maximum(sizes, 1), _NONE)
    blocks = np.array([segment.block for segment in page.segments])
    up, columns, at = _larger_elements(page.outline, (lasts - firsts).tolist()), [], blocks
    for _ in range(_LEVELS):
        columns.append(means[at])
        at = up[at]
    large = (sizes >= share * length[-1] for share in _SHARES)
    return columns + [means[_holders(page.outline, one.tolist())[blocks]] for one in large]


def _larger_elements(outline: Outline, spans: Sequence[int]) -> NDArray[np.intp]:
    """For each node the next block around it with more segments, -1 if there is none; the last
    value is that of -1 itself."""
    found: list[int] = []
    for i, node in enumerate(outline.nodes):  # parents come before their children
        above = node.parent
        if above >= 0:
            above = outline.blocks[above] if spans[above] > spans[i] else found[above]
        found.append(above)
    return np.array([*found, -1], dtype=np.intp)


def _holders(outline: Outline, is_large: Sequence[bool]) -> NDArray[np.intp]:
    """For each node the innermost large one around it, or itself; -1 if there is none."""
    found: list[int] = []
    for i, node in enumerate(outline.nodes):
        found.append(i if is_large[i] else found[node.parent] if node.parent >= 0 else -1)
    return np.array(found, dtype=np.intp)


def _shift(values: Values, step: int) -> Values:
    """The value so many segments before (or after, if negative) each."""
    shifted = np.full(len(values), _NONE)
    if step > 0:
        shifted[step:] = values[:-step]
    else:
        shifted[:step] = values[-step:]
    return shifted


def _mean_near(probabilities: Values, lengths: Values, reach: int) -> Values:
    """The mean probability of the segments within so many characters, the segment among them."""
    ends, content = running_sums(lengths), running_sums(lengths * probabilities)
    middle, own = (ends[:-1] + ends[1:]) / 2, np.arange(len(lengths))
    first = np.minimum(np.searchsorted(ends, middle - reach), own)
    last = np.maximum(np.minimum(np.searchsorted(ends, middle + reach), len(lengths)), own + 1)
    return np.asarray((content[last] - content[first]) / np.maximum(ends[last] - ends[first], 1))


def _in_best_run(probabilities: Values, lengths: Values, least: float) -> Values:
    first, last = best_run(((probabilities - least) * lengths).tolist())
    inside = np.zeros(len(lengths))
    inside[first:last] = 1
    return inside


def _page_values(probabilities: Values, lengths: Values) -> tuple[Values, ...]:
    """The shares of the likely content before and after each segment; the mean probability, the
    likely content and the share of it that is very likely, of the page; the share of the content
    and of the text in segments that are likelier."""
    n, text = len(lengths), max(float(lengths.sum()), 1.0)
    content = running_sums(lengths * probabilities)
    total = max(float(content[-1]), 1e-9)
    order = np.argsort(-probabilities, kind="stable")
    rank, by_text = np.empty(n), np.empty(n)
    rank[order] = np.cumsum((lengths * probabilities)[order]) / total
    by_text[order] = np.cumsum(lengths[order]) / text
    return (
        content[:-1] / total,
        1 - content[1:] / total,
        np.full(n, total / text),
        np.full(n, np.log1p(total)),
        np.full(n, float((lengths * (probabilities > 0.5)).sum()) / text),
        rank,
        by_text,
    )

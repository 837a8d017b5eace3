"""A bound on the time in which the records and the comments of a template are learned."""

from __future__ import annotations

from collections.abc import Sequence

from forest_scrapy.core import Page

__all__ = ["choose_affordable"]

#: What the pages of a sample may weigh together: ten pages of 8,000 elements, which is the most
#: that a page has whose reading is not tried in a process that can be stopped.
MOST = 80_000
#: Characters that take as long as an element.
_CHARACTERS = 100


def choose_affordable(pages: Sequence[Page]) -> list[Page]:
    """Those of the pages that can be learned from in a bounded time, in their order: the first
    ones that weigh at most ``MOST`` together, an element 1, and its text more if it is long.  If
    each weighs more, the one that weighs least.

    Learning runs in a thread, which cannot be stopped, and takes time in proportion to this weight
    (some 7 s for ``MOST``).
    """
    weights = [_weigh(page) for page in pages]
    chosen, total = [], 0
    for page, weight in zip(pages, weights, strict=True):
        if total + weight <= MOST:
            chosen.append(page)
            total += weight
    lightest = min(range(len(pages)), key=lambda i: (weights[i], i), default=0)
    return chosen or list(pages[lightest : lightest + 1])


def _weigh(page: Page) -> int:
    outline = page.outline
    return len(outline.nodes) + sum(len(leaf.text) for leaf in outline.leaves) // _CHARACTERS

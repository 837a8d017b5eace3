"""The experiments of the FOREST paper (section 4): one parameter varied, the others as they are."""

from __future__ import annotations

from collections.abc import Iterable

from forest_scrapy.core import Params
from forest_scrapy.core.methods.forest import MEASURES

__all__ = [
    "FIGURE_PAGES",
    "FIGURE_SIGNIFIERS",
    "Experiment",
    "vary_measures",
    "vary_pages",
    "vary_signifiers",
]

#: For a method and a value of what is varied, the parameters to run.
Experiment = dict[tuple[str, int | str], Params]

FIGURE_PAGES = (1, 2, 3, 5, 8, 10)
FIGURE_SIGNIFIERS = (1, 2, 3, 5, 8, 10, 15, 20, 30)


def vary_pages(pages: Iterable[int]) -> Experiment:
    """At most so many pages learned from (figure 5); ``auto`` from one is each page for
    itself, and FOREST starts with two."""
    plan: Experiment = {}
    for n in pages:
        plan["auto", n] = Params("auto", pages=n) if n > 1 else Params("single")
        if n > 1:
            plan["forest", n] = Params("forest", pages=n)
    return plan


def vary_signifiers(signifiers: Iterable[int]) -> Experiment:
    """So many signifiers a page (figure 6)."""
    methods = ("forest", "forest-feeds", "sigfeed")
    return {(name, k): Params(name, signifiers=k) for k in signifiers for name in methods}


def vary_measures() -> Experiment:
    """J alone, U alone, both (figure 7)."""
    methods = ("forest", "forest-feeds")
    return {(name, m): Params(name, measure=m) for m in MEASURES for name in methods}

"""The experiments of the FOREST paper (section 4), each of which varies one parameter."""

from __future__ import annotations

from collections.abc import Iterable

from forest_scrapy.core import Params
from forest_scrapy.core.methods.forest import MEASURES

#: The parameters to run, by method and value of the varied parameter.
Experiment = dict[tuple[str, int | str], Params]

#: Where the curves are computed, denser where F1 changes fast.
FIGURE_PAGES = (1, 2, 3, 5, 8, 10)
FIGURE_SIGNIFIERS = (1, 2, 3, 5, 8, 10, 15, 20, 30)


def vary_pages(pages: Iterable[int]) -> Experiment:
    """Vary the pages learned from (figure 5).  ``auto`` with one is ``single``; FOREST needs two
    at least."""
    plan: Experiment = {}
    for n in pages:
        plan["auto", n] = Params("auto", pages=n) if n > 1 else Params("single")
        if n > 1:
            plan["forest", n] = Params("forest", pages=n)
    return plan


def vary_signifiers(signifiers: Iterable[int]) -> Experiment:
    """Vary the signifiers of a page (figure 6)."""
    methods = ("forest", "forest-feeds", "sigfeed")
    return {(name, k): Params(name, signifiers=k) for k in signifiers for name in methods}


def vary_measures() -> Experiment:
    """J, U, and both (figure 7)."""
    methods = ("forest", "forest-feeds")
    return {(name, m): Params(name, measure=m) for m in MEASURES for name in methods}

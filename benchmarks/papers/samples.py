"""Choose sites of a set evenly, and tell how far a mean over sites can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np

#: Resamples of the bootstrap; with a fixed seed, so that a second run prints the same.
RESAMPLES = 2000
SEED = 2012


def sample_evenly(names: Sequence[str], count: int) -> list[str]:
    """So many of the names, at equal distances; all of them if ``count`` is 0 or too large.

    >>> sample_evenly("abcdefgh", 4), sample_evenly("abc", 0)
    (['a', 'c', 'e', 'g'], ['a', 'b', 'c'])
    """
    if not count or count >= len(names):
        return list(names)
    return [names[position * len(names) // count] for position in range(count)]


def site_interval(values: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The interval at 95% of the mean over all values, by bootstrap over the sites: whole sites are
    drawn with replacement, since pages of one site are not independent.

    >>> site_interval([[0.5, 0.5], [0.5]])
    (0.5, 0.5)
    """
    sums = np.array([sum(site) for site in values])
    sizes = np.array([len(site) for site in values])
    random = np.random.default_rng(SEED)
    drawn = random.integers(0, len(values), (RESAMPLES, len(values)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)


def format_interval(values: Sequence[Sequence[float]]) -> str:
    """The mean over all values and its interval over sites.

    >>> format_interval([[1.0, 0.0], [0.5]])
    '0.500 [0.500, 0.500]'
    """
    low, high = site_interval(values)
    mean = fmean(value for site in values for value in site)
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"

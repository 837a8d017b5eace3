"""How often something changes that is only looked at now and then, and when to look again.

Cho and Garcia-Molina 2003, *Estimating frequency of change*: changes are a Poisson process, and of
each interval between two looks it is only known whether there was any change.  With ``n`` equal
intervals of which ``X`` had one, the rate is ``-log((n - X + 0.5) / (n + 0.5))`` an interval.  That
is the maximum likelihood with half an interval without a change added; so is the estimate here, for
intervals of any lengths.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import expm1, sqrt

#: Steps of the search for a rate; each halves the error.
_SEARCH_STEPS = 60
#: The exponent above which a term is 0.
_MAX_EXPONENT = 700.0
#: How many times as often as the mean something is looked at, at most.
_MAX_FACTOR = 2
#: What is added before numbers are rounded down, which may be a little too small.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Look:
    """An interval between two looks: its ``seconds``, and whether the second saw a change."""

    seconds: float
    has_changed: bool


def estimate_rate(looks: Sequence[Look]) -> float:
    """Changes a second; 0 without a look.  Cost: linear.

    >>> from math import log
    >>> looks = [Look(1, True)] * 3 + [Look(1, False)] * 7
    >>> abs(estimate_rate(looks) + log(7.5 / 10.5)) < 1e-9
    True
    """
    usable_looks = [look for look in looks if look.seconds > 0]
    changed = [look.seconds for look in usable_looks if look.has_changed]
    if not changed:
        return 0.0
    seconds = [look.seconds for look in usable_looks]
    mean_seconds = sum(seconds) / len(usable_looks)
    unchanged_seconds = mean_seconds / 2
    unchanged_seconds += sum(look.seconds for look in usable_looks if not look.has_changed)

    low = 0.0
    high = len(changed) / unchanged_seconds  # since s / (exp(rate * s) - 1) < 1 / rate
    for _ in range(_SEARCH_STEPS):
        rate = (low + high) / 2
        if _expected_seconds(changed, rate) > unchanged_seconds:
            low = rate
        else:
            high = rate
    return (low + high) / 2


def _expected_seconds(changed: Sequence[float], rate: float) -> float:
    """The left side of the likelihood equation, which falls with the rate."""
    total = 0.0
    for seconds in changed:
        exponent = rate * seconds
        if exponent < _MAX_EXPONENT:
            total += seconds / expm1(exponent)
    return total


def read_looks(
    spans: Sequence[tuple[int, int]],
    max_age: int,
) -> list[Look]:
    """What is known of the changes of a page from its versions, each seen from a first to a last
    moment, in their order: it has not changed between these, and has from one version to the next.
    Only looks at a page of at most ``max_age`` seconds count.

    >>> [(look.seconds, look.has_changed) for look in read_looks([(0, 50), (60, 500)], 100)]
    [(50, False), (10, True), (40, False)]
    """
    if not spans:
        return []
    end = spans[0][0] + max_age
    looks = []
    changes = [None, *pairwise(spans)]
    for (first_seen, last_seen), change in zip(spans, changes, strict=True):
        if first_seen > end:
            break
        if change is not None:
            (_, last_seen_before), _ = change
            gap = first_seen - last_seen_before
            looks.append(Look(gap, has_changed=True))
        seconds = min(last_seen, end) - first_seen
        looks.append(Look(seconds, has_changed=False))
    return [look for look in looks if look.seconds > 0]


@dataclass(frozen=True)
class ChangeRate:
    """How often the pages of a template change, in changes a second, and how many ``pages`` tell
    it."""

    rate: float
    pages: int


def plan_hours(
    hours: Sequence[float],
    rates: Mapping[str, ChangeRate],
) -> dict[str, tuple[float, ...]]:
    """When to look at the pages of each template again, instead of after the same ``hours``.

    The number of looks is in proportion to the square root of the rate, which gives the least delay
    of changes for a number of looks, at least 1 and at most ``_MAX_FACTOR`` times that of
    ``hours``; over all pages it is not larger than before.  The looks are between the first and the
    last of the ``hours``, see ``spread_hours``.
    """
    if not hours:
        return {}
    pages = sum(rate.pages for rate in rates.values())
    roots = sum(sqrt(rate.rate) * rate.pages for rate in rates.values())
    plans = {}
    for template, rate in rates.items():
        share = sqrt(rate.rate) * pages / roots if roots else 1.0
        # One look is left to each, to notice that it changes by now; rounded down, so that the
        # number of requests stays.
        number = 1 + int((len(hours) - 1) * share + _ROUNDING)
        number = min(number, _MAX_FACTOR * len(hours))
        if number == len(hours):
            plans[template] = tuple(hours)
        else:
            plans[template] = spread_hours(min(hours), max(hours), number)
    return plans


def spread_hours(
    first: float,
    last: float,
    number: int,
) -> tuple[float, ...]:
    """Hours from the first to the last, each the same multiple of the one before; the first alone
    is in the middle of them.

    >>> spread_hours(1, 16, 3), spread_hours(1, 16, 1)
    ((1.0, 4.0, 16.0), (4.0,))
    """
    if number == 1:
        return (round(sqrt(first * last), 3),)
    gaps = number - 1
    factor = (last / first) ** (1 / gaps)
    hours = [round(first * factor**place, 3) for place in range(number)]
    return tuple(hours)

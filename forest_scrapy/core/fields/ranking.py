"""The order in which a template's sources of one field are tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.sources import kind_of

__all__ = ["drop_constant", "rank_sources"]

Value = TypeVar("Value")

#: Sources that agree with the feed on fewer of the pages come after the feed's own word.
_LEAST_AGREEMENT = 0.5
#: Sources of one family are filled by the same hand, so that they agree proves nothing.
_FAMILIES = {
    "json-ld": "data",
    "microdata": "data",
    "opengraph": "share",
    "meta": "share",
    "template": "shown",
}


def rank_sources(
    sources: Sequence[str],
    found: Sequence[Mapping[str, Value]],
    feed: Sequence[Value | None],
    is_same: Callable[[Value, Value], bool],
    feed_source: str,
    is_exact: Callable[[Value], bool] = lambda value: True,
) -> tuple[str, ...]:
    """The sources that give something, the best first.

    ``found``: for each page, the value by source; ``feed``: the feed's value for each page,
    None where it has none; ``sources`` in the order of the care that publishers take.

    First come those that agree with the feed on most pages, then those that sources of other
    families agree with on most pages, then those that are exact on most, then as ``sources``
    has them.  Shares count in tenths.  The feed's own word follows those that agree with it on
    half of the pages, and goes before the others.
    """
    agreement = {source: _agree(source, found, feed, is_same) for source in sources}

    def order(source: str) -> tuple[float, float, float, int]:
        values = [values[source] for values in found if source in values]
        exact = sum(map(is_exact, values)) / len(values)
        confirmed = sum(_is_confirmed(source, values, is_same) for values in found) / len(found)
        place = sources.index(source)
        return -agreement[source], -round(confirmed, 1), -round(exact, 1), place

    given = [source for source in sources if any(source in values for values in found)]
    ranked = sorted(given, key=order)
    if all(value is None for value in feed):
        return tuple(ranked)
    good = [source for source in ranked if agreement[source] >= _LEAST_AGREEMENT]
    return (*good, feed_source, *(source for source in ranked if source not in good))


def drop_constant(
    sources: Sequence[str],
    found: Sequence[Mapping[str, Value]],
    key: Callable[[Value], Any],
) -> list[str]:
    """The sources without those that say the same on most pages where others do not, and the
    elements that show the same on every page: such a one tells of the site, or of today."""
    different = {
        source: len({key(values[source]) for values in found if source in values})
        for source in sources
    }
    covered = {source: sum(source in values for values in found) for source in sources}
    most = max(different.values(), default=0)
    return [
        source
        for source in sources
        if (different[source] == most or different[source] > covered[source] / 2)
        and not (is_xpath(source) and different[source] == 1 and covered[source] > 2)
    ]


def _agree(
    source: str,
    found: Sequence[Mapping[str, Value]],
    feed: Sequence[Value | None],
    is_same: Callable[[Value, Value], bool],
) -> float:
    """The share of the pages with a word of the feed on which the source says the same."""
    verdicts = [
        source in values and is_same(values[source], expected)
        for values, expected in zip(found, feed, strict=True)
        if expected is not None
    ]
    return round(sum(verdicts) / len(verdicts), 1) if verdicts else 0.0


def _is_confirmed(
    source: str, values: Mapping[str, Value], is_same: Callable[[Value, Value], bool]
) -> bool:
    """Whether a source of another family says the same on the page."""
    return source in values and any(
        _family(other) not in ("", _family(source)) and is_same(values[source], value)
        for other, value in values.items()
    )


def _family(source: str) -> str:
    return _FAMILIES.get(kind_of(source), "")

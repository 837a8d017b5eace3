"""The order in which the sources of one field are tried on the pages of a template."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.sources import kind_of

Value = TypeVar("Value")

#: The share of pages on which a source must agree with the feed to come before it.  Not tuned.
_LEAST_AGREEMENT = 0.5
#: Sources of one family are mostly filled by the same program: they do not confirm each other.
_FAMILIES = {
    "json-ld": "data",
    "microdata": "data",
    "opengraph": "sharing",
    "meta": "sharing",
    "template": "visible",
    "url": "url",
}


def rank_sources(
    sources: Sequence[str],
    found: Sequence[Mapping[str, Value]],
    feed: Sequence[Value | None],
    is_same: Callable[[Value, Value], bool],
    feed_source: str,
    is_exact: Callable[[Value], bool] = lambda value: True,
) -> tuple[str, ...]:
    """The sources with a value on some page, best first.

    ``sources``: all of them, the more reliable first.  ``found``: for each page, the value by
    source.  ``feed``: for each page, the feed's value or None.

    They are ranked by the share of pages on which they agree with the feed, then on which a
    source of another family confirms them, then on which their value is exact, all rounded to
    tenths, then by their order in ``sources``.  The feed itself comes after the sources that
    agree with it on half of the pages.
    """
    agreement = {source: _agree(source, found, feed, is_same) for source in sources}

    def order(source: str) -> tuple[float, float, float, int]:
        values = [values[source] for values in found if source in values]
        exact = sum(map(is_exact, values)) / len(values)
        confirmed = sum(_is_confirmed(source, values, is_same) for values in found) / len(found)
        position = sources.index(source)
        return -agreement[source], -round(confirmed, 1), -round(exact, 1), position

    given = [source for source in sources if any(source in values for values in found)]
    ranked = sorted(given, key=order)
    if all(value is None for value in feed):
        return tuple(ranked)
    good = [source for source in ranked if agreement[source] >= _LEAST_AGREEMENT]
    return (*good, feed_source, *(source for source in ranked if source not in good))


def drop_constant(
    sources: Sequence[str], found: Sequence[Mapping[str, Value]], key: Callable[[Value], Any]
) -> list[str]:
    """The sources whose value is about the page, and not about the site or the day.

    Left out are sources with the same value on most pages while another source has more
    different values, and elements with the same value on all of three or more pages.
    """
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
    """The share of the pages with a value of the feed on which the source has the same."""
    agreements = [
        source in values and is_same(values[source], expected)
        for values, expected in zip(found, feed, strict=True)
        if expected is not None
    ]
    return round(sum(agreements) / len(agreements), 1) if agreements else 0.0


def _is_confirmed(
    source: str, values: Mapping[str, Value], is_same: Callable[[Value, Value], bool]
) -> bool:
    """Whether a source of another family has the same value on the page.  The page's ``title``
    confirms visible elements only: it is often one for search engines, as are declared titles."""
    return source in values and any(
        (other != "html:title" or _family(source) == "visible")
        and _family(other) not in ("", _family(source))
        and is_same(values[source], value)
        for other, value in values.items()
    )


def _family(source: str) -> str:
    return "sharing" if source == "html:title" else _FAMILIES.get(kind_of(source), "")


def family_of(source: str) -> str:
    """The family of a source; the kind of one that no other one is like.

    >>> family_of("json-ld:datePublished"), family_of("html:time"), family_of("url:date")
    ('data', 'visible', 'url')
    """
    kind = kind_of(source)
    return _FAMILIES.get(kind, "visible" if kind == "html" else kind)

"""The order in which the sources of one field are tried on the pages of a template."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.source_readers import kind_of

Value = TypeVar("Value")

#: The share of pages on which a source must agree with the feed to come before it.  Not tuned.
_MIN_AGREEMENT = 0.5
#: Pages of which a value that is the same on all says nothing.
_MIN_CONSTANT_PAGES = 3
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
    page_values: Sequence[Mapping[str, Value]],
    feed_values: Sequence[Value | None],
    is_same: Callable[[Value, Value], bool],
    feed_source: str,
    is_exact: Callable[[Value], bool] = lambda value: True,
) -> tuple[str, ...]:
    """The sources with a value on some page, best first.

    ``sources``: all of them, the more reliable first.  ``page_values``: for each page, the value
    by source.  ``feed_values``: for each page, the feed's value or None.

    They are ranked by the share of pages on which they agree with the feed, then on which a
    source of another family confirms them, then on which their value is exact, all rounded to
    tenths, then by their order in ``sources``.  The feed itself comes after the sources that
    agree with it on half of the pages.
    """
    with_value = []
    for source in sources:
        if any(source in values for values in page_values):
            with_value.append(source)
    agreement = {}
    for source in with_value:
        agreement[source] = _agree(source, page_values, feed_values, is_same)

    def rank(source: str) -> tuple[float, float, float, int]:
        exact = []
        confirmations = 0
        for values in page_values:
            if source in values:
                exact.append(is_exact(values[source]))
            confirmations += _is_confirmed(source, values, is_same)
        exact_share = round(sum(exact) / len(exact), 1)
        confirmed_share = round(confirmations / len(page_values), 1)
        position = sources.index(source)
        return -agreement[source], -confirmed_share, -exact_share, position

    ranked = sorted(with_value, key=rank)
    if all(value is None for value in feed_values):
        return tuple(ranked)
    before_feed = [source for source in ranked if agreement[source] >= _MIN_AGREEMENT]
    after_feed = [source for source in ranked if source not in before_feed]
    return (*before_feed, feed_source, *after_feed)


def drop_constant(
    sources: Sequence[str],
    page_values: Sequence[Mapping[str, Value]],
    key: Callable[[Value], Any],
) -> list[str]:
    """The sources whose value is about the page, and not about the site or the day.

    Left out are sources with the same value on most pages while another source has more
    different values, and elements with the same value on all of three or more pages.
    """
    different: dict[str, int] = {}
    covered: dict[str, int] = {}
    for source in sources:
        keys = []
        for values in page_values:
            if source in values:
                keys.append(key(values[source]))
        different[source] = len(set(keys))
        covered[source] = len(keys)
    max_different = max(different.values(), default=0)

    varying_sources = []
    for source in sources:
        is_most_different = different[source] == max_different
        is_constant = different[source] == 1 and covered[source] >= _MIN_CONSTANT_PAGES
        if is_xpath(source) and is_constant:
            continue
        if is_most_different or different[source] > covered[source] / 2:
            varying_sources.append(source)
    return varying_sources


def _agree(
    source: str,
    page_values: Sequence[Mapping[str, Value]],
    feed_values: Sequence[Value | None],
    is_same: Callable[[Value, Value], bool],
) -> float:
    """The share of the pages with a value of the feed on which the source has the same."""
    agreements = []
    for values, feed_value in zip(page_values, feed_values, strict=True):
        if feed_value is None:
            continue
        has_value = source in values
        agreements.append(has_value and is_same(values[source], feed_value))
    if not agreements:
        return 0.0
    return round(sum(agreements) / len(agreements), 1)


def _is_confirmed(
    source: str,
    values: Mapping[str, Value],
    is_same: Callable[[Value, Value], bool],
) -> bool:
    """Whether a source of another family has the same value on the page.  The page's ``title``
    confirms visible elements only: it is often one for search engines, as are declared titles."""
    if source not in values:
        return False
    family = _family(source)
    for other_source, value in values.items():
        if other_source == "html:title" and family != "visible":
            continue
        is_independent = _family(other_source) not in ("", family)
        if is_independent and is_same(values[source], value):
            return True
    return False


def _family(source: str) -> str:
    if source == "html:title":
        return "sharing"
    return _FAMILIES.get(kind_of(source), "")


def family_of(source: str) -> str:
    """The family of a source; the kind of one that no other one is like.

    >>> family_of("json-ld:datePublished"), family_of("html:time"), family_of("url:date")
    ('data', 'visible', 'url')
    """
    kind = kind_of(source)
    return _FAMILIES.get(kind, "visible" if kind == "html" else kind)

"""Dates of pages from those of the pages around them (thesis 1.2.1, using the neighbourhood; Nunes
et al. 2007): of pages without a date, the mean of the dates of the pages that link them or that
they link."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from statistics import fmean, median

from benchmarks.papers.tables import Row, print_table
from benchmarks.sets.bench_set import Group
from forest_scrapy.core.methods.signifiers import read_links
from forest_scrapy.core.page.urls import page_key

DAY = 86400.0
#: Days that a date may be off, in the table.
LIMITS = (1, 7, 30, 365)

#: The pages that a page links, and the dates of pages in seconds, by the keys of pages.
Links = Mapping[str, Collection[str]]
Dates = Mapping[str, float]


def join_links(links: Links) -> dict[str, set[str]]:
    """The pages that each page links or is linked by, without itself.

    >>> {key: sorted(keys) for key, keys in join_links({"a": ["b", "a"], "c": ["a"]}).items()}
    {'a': ['b', 'c'], 'b': ['a'], 'c': ['a']}
    """
    neighbours: dict[str, set[str]] = {}
    for page, targets in links.items():
        for target in targets:
            if target != page:
                neighbours.setdefault(page, set()).add(target)
                neighbours.setdefault(target, set()).add(page)
    return dict(sorted(neighbours.items()))


def date_by_neighbours(neighbours: Collection[str], dates: Dates) -> float | None:
    """The mean of the dates of a page's neighbours; None if none has a date.

    >>> date_by_neighbours(["a", "b", "x"], {"a": 1.0, "b": 2.0, "c": 9.0})
    1.5
    """
    known = [dates[key] for key in neighbours if key in dates]
    if not known:
        return None
    return fmean(known)


def print_neighbourhood(groups: Iterable[Group]) -> None:
    """How far the dates are off that neighbours give to the articles of each site, and those of
    the other articles of the site, linked or not."""
    errors: list[float] = []
    site_errors: list[float] = []
    articles = 0
    for group in groups:
        dates = read_dates(group)
        neighbours = join_links(read_site_links(group))
        for key, date in dates.items():
            articles += 1
            other_dates = {other: dates[other] for other in dates if other != key}
            estimate = date_by_neighbours(neighbours.get(key, ()), other_dates)
            if estimate is not None:
                errors.append(abs(estimate - date) / DAY)
            site_estimate = date_by_neighbours(list(other_dates), other_dates)
            if site_estimate is not None:
                site_errors.append(abs(site_estimate - date) / DAY)
    print_table(
        "Thesis, 1.2.1: dates from the neighbourhood",
        [
            Row("", "", "articles  median days off  within " + ", ".join(map(str, LIMITS))),
            Row("neighbours", "not precise", describe_errors(errors)),
            Row("all of the site", "", describe_errors(site_errors)),
        ],
        f"of {articles} articles with a date; links between the recorded pages only.",
    )


def describe_errors(errors: Sequence[float]) -> str:
    """The number of pages with a date, the median error and the shares within the limits, in days.

    >>> describe_errors([0.5, 20.0])
    '       2             10.2  50%, 50%, 100%, 100%'
    """
    if not errors:
        return "none"
    shares = []
    for limit in LIMITS:
        within = sum(error <= limit for error in errors)
        shares.append(f"{within / len(errors):.0%}")
    return f"{len(errors):8d}  {median(errors):15.1f}  {', '.join(shares)}"


def read_dates(group: Group) -> dict[str, float]:
    """The correct dates of the articles, in seconds."""
    dates = {}
    for page in group.articles:
        if page.published:
            moment = datetime.fromisoformat(page.published)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            dates[page_key(page.url)] = moment.timestamp()
    return dates


def read_site_links(group: Group) -> dict[str, set[str]]:
    """The links between the recorded pages of a site."""
    keys = {page_key(page.url) for page in group.pages}
    links = {}
    for page in group.pages:
        targets = {key for key, _ in read_links(page.parse())}
        links[page_key(page.url)] = targets & keys
    return links

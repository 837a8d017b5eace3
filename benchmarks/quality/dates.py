"""Dates of publication of single pages whose URL is not told, and how sure they are.

Only the markup tells the date then, as in evaluations of extractors of dates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from hashlib import blake2b
from time import process_time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.sets.bench_set import BenchPage, load_groups, set_name
from benchmarks.support.peers import FieldPeer, run_field_peer
from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.fields.read_fields import read_fields

FOREST = "forest-scrapy"
#: Dates with a higher confidence should be right.
SURE = 0.9
_DAY_LENGTH = 10
#: Pages of a site that are read: its pages are alike.
_MAX_PAGES_OF_SITE = 4


class DateResult(NamedTuple):
    """The dates of a page by extractor, ``""`` if one finds none, the confidence in ours, and the
    seconds that each took."""

    set: str
    url: str
    half: str
    gold: str
    dates: Mapping[str, str]
    confidence: float
    seconds: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()


class DateScore(NamedTuple):
    """``found``: pages with a date; ``right``: those of them with the right day; of ``sure`` ones,
    those with a confidence above 0.9, ``sure_right`` have it, and ``sure_near`` one a day off at
    most: a day begins at another hour in other zones."""

    pages: int
    found: int
    right: int
    sure: int = 0
    sure_right: int = 0
    sure_near: int = 0

    @property
    def precision(self) -> float:
        return _share(self.right, self.found)

    @property
    def recall(self) -> float:
        """The share of the pages on which the date is right, of those without a wrong one."""
        return _share(self.right, self.right + self.pages - self.found)

    @property
    def f_score(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def accuracy(self) -> float:
        return _share(self.right, self.pages)


def compare_dates(
    folders: Iterable[str],
    peers: Mapping[str, FieldPeer],
) -> Iterator[DateResult]:
    """The results for at most four pages with a known date of each site."""
    number = 0
    for folder in folders:
        for group in load_groups(folder):
            dated_pages = [page for page in group.pages if read_date(page.published)]
            for page in dated_pages[:_MAX_PAGES_OF_SITE]:
                number += 1
                yield _compare_page(page, set_name(folder), f"http://page-{number}.invalid/", peers)


def _compare_page(
    page: BenchPage,
    name_of_set: str,
    made_up_url: str,
    peers: Mapping[str, FieldPeer],
) -> DateResult:
    hidden = replace(page, url=made_up_url, entry=None)
    start = process_time()
    fields = read_fields(hidden.parse())
    seconds = {FOREST: process_time() - start}
    dates = {FOREST: fields.published}
    for name, peer in peers.items():
        start = process_time()
        dates[name] = run_field_peer(peer, page.html).published
        seconds[name] = process_time() - start
    return DateResult(
        set=name_of_set,
        url=page.url,
        half=half_of(page.url),
        gold=read_date(page.published),
        dates=dates,
        confidence=fields.date_confidence.get("published", 0.0),
        seconds=seconds,
    )


def half_of(url: str) -> str:
    """The half of the sites that a page is in: errors of ``second`` are not looked at.

    >>> half_of("http://www.a.example/1") == half_of("http://a.example/2")
    True
    """
    host = urlsplit(url).hostname or url
    digest = blake2b(host.removeprefix("www.").encode(), digest_size=1).digest()
    return "second" if digest[0] % 2 else "first"


def score_dates(results: Sequence[DateResult], extractor: str) -> DateScore:
    """How well an extractor does on these pages."""
    found = 0
    right = 0
    sure = 0
    sure_right = 0
    sure_near = 0
    for result in results:
        value = result.dates[extractor]
        if not value:
            continue
        distance = _count_days_between(value, result.gold)
        found += 1
        right += distance == 0
        if extractor == FOREST and result.confidence > SURE:
            sure += 1
            sure_right += distance == 0
            sure_near += distance <= 1
    return DateScore(len(results), found, right, sure, sure_right, sure_near)


def report_dates(results: Sequence[DateResult]) -> list[dict[str, Any]]:
    """A row of figures for each set, half of the sites and extractor."""
    rows = []
    for name, part in _parts(results):
        for half in ("first", "second", "both"):
            of_half = [result for result in part if half in (result.half, "both")]
            if not of_half:
                continue
            for extractor in of_half[0].dates:
                score = score_dates(of_half, extractor)
                seconds = sum(result.seconds[extractor] for result in of_half)
                rows.append(_write_row(name, half, extractor, score, seconds))
    return rows


def _parts(results: Sequence[DateResult]) -> Iterator[tuple[str, list[DateResult]]]:
    """The results of each set, then all if there are several sets."""
    names = dict.fromkeys(result.set for result in results)
    for name in names:
        yield name, [result for result in results if result.set == name]
    if len(names) > 1:
        yield "all sets", list(results)


def _write_row(
    name: str,
    half: str,
    extractor: str,
    score: DateScore,
    seconds: float,
) -> dict[str, Any]:
    row: dict[str, Any] = {"set": name, "half": half, "extractor": extractor}
    row |= {"pages": score.pages, "found": score.found, "right": score.right}
    for figure in ("precision", "recall", "f_score", "accuracy"):
        row[figure] = round(getattr(score, figure), 4)
    row["sure"] = score.sure
    row["sure_right"] = round(_share(score.sure_right, score.sure), 4)
    row["sure_near"] = round(_share(score.sure_near, score.sure), 4)
    row["ms"] = round(1000 * seconds / score.pages, 1)
    return row


def print_dates(rows: Sequence[Mapping[str, Any]], write: Callable[[str], object] = print) -> None:
    """The rows as a table."""
    for row in rows:
        texts = [
            f"{value:.4f}" if isinstance(value, float) else str(value) for value in row.values()
        ]
        if row is rows[0]:
            write("  ".join(row))
        write("  ".join(texts))


def _count_days_between(value: str, other_value: str) -> int:
    day = date.fromisoformat(value[:_DAY_LENGTH])
    other_day = date.fromisoformat(other_value[:_DAY_LENGTH])
    return abs((day - other_day).days)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0

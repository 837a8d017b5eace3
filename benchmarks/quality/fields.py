"""Compare title, authors and date of publication with the correct ones.

    python -m benchmarks.quality.fields SET [--withhold-feed] [--no-peers] [--pages FILE] [--json]
    python -m benchmarks.quality.fields SET [SET ...] --dates [--no-peers] [--pages FILE] [--json]

Each page is read twice: with the sources learned from its template, as in a crawl, and as a
single page.  Printed: the share of pages with an equal title and equal authors (words, without
case and punctuation; authors as a set), and with a date at most a day apart; for the pages in
templates of two or more, and for all pages.  FILE gets a JSON line for each page.

With ``--dates``, at most four pages of each site are read, each by itself, and its URL is not told.
Printed, for both halves of the sites: precision, recall, F-score and accuracy of the day, the share
of days that are right of those with a confidence above 0.9 (``sure``), and milliseconds of
processor time a page, those of parsing included.  The peer is htmldate, with the extensive search.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.quality.dates import compare_dates, print_dates, report_dates
from benchmarks.sets.bench_set import BenchPage, run_command, set_name
from benchmarks.sets.placed_pages import Site, read_sites
from benchmarks.sets.scores import find_words
from benchmarks.support.peers import (
    FieldPeer,
    FoundFields,
    installed_date_peers,
    installed_field_peers,
    run_field_peer,
)
from forest_scrapy.core import Page, Params, sample_pages
from forest_scrapy.core.fields import FieldSources, learn_fields
from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.fields.learn_dates import is_same_day
from forest_scrapy.core.fields.read_fields import read_fields

TEMPLATE = "forest-scrapy, template"
SINGLE = "forest-scrapy, single page"
_FIELDS = ("title", "authors", "published")
#: Pages that fields are learned from.
_SAMPLE = Params().pages


class FieldResult(NamedTuple):
    """The fields of a page by extractor, and the pages of its template."""

    page: BenchPage
    mates: int
    found: dict[str, FoundFields]

    def to_dict(self) -> dict[str, Any]:
        """The page as a line of FILE."""
        gold = FoundFields(self.page.title, self.page.authors, self.page.published)
        row = {"url": self.page.url, "mates": self.mates, "gold": gold._asdict()}
        for extractor, fields in self.found.items():
            row[extractor] = fields._asdict()
        return row


def main() -> None:
    options = _read_options()
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    if options.dates:
        _compare_dates(options)
        return
    folder = options.sets[0]
    peers = {} if options.no_peers else installed_field_peers()
    results: list[FieldResult] = []
    for site in read_sites(folder):
        results += compare_fields(site, peers, options.withhold_feed)

    if options.pages:
        lines = [json.dumps(result.to_dict(), ensure_ascii=False) + "\n" for result in results]
        Path(options.pages).write_text("".join(lines), encoding="utf-8")
    grouped = [result for result in results if result.mates > 1]
    report = {
        "set": set_name(folder),
        "templates": summarize_fields(grouped),
        "all": summarize_fields(results),
    }
    if options.json:
        print(json.dumps(report))
    else:
        _print_report(report)


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="SET", help="folders with a manifest.json")
    parser.add_argument("--dates", action="store_true", help="only dates, of single pages")
    parser.add_argument(
        "--withhold-feed",
        action="store_true",
        help="read no field from feed entries",
    )
    parser.add_argument("--no-peers", action="store_true", help="leave out other extractors")
    parser.add_argument("--pages", default="", metavar="FILE", help="JSON lines of all pages")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if len(options.sets) > 1 and not options.dates:
        parser.error("several sets need --dates")
    return options


def _compare_dates(options: argparse.Namespace) -> None:
    peers = {} if options.no_peers else installed_date_peers()
    results = list(compare_dates(options.sets, peers))
    if options.pages:
        lines = [json.dumps(result.to_dict(), ensure_ascii=False) + "\n" for result in results]
        Path(options.pages).write_text("".join(lines), encoding="utf-8")
    rows = report_dates(results)
    if options.json:
        print(json.dumps(rows))
    else:
        print_dates(rows)


def compare_fields(
    site: Site,
    peers: Mapping[str, FieldPeer],
    withhold_feed: bool,
) -> Iterator[FieldResult]:
    """The fields of the site's pages.  A page that a crawl does not take for an article is in no
    template, and read as a single page."""
    scored = {page.url: page for page in site.scored}
    templates = [[placed.page for placed in template] for template in site.templates]
    placed = {page.url for template in templates for page in template}
    templates += [[page.parse()] for url, page in scored.items() if url not in placed]
    for template in templates:
        if withhold_feed:
            template = [_without_feed(page) for page in template]
        learned = None
        if len(template) > 1:
            learned = learn_fields(sample_pages(template, _SAMPLE))
        for page in template:
            if page.url in scored:
                yield _read_page(scored[page.url], page, learned, len(template), peers)


def _without_feed(page: Page) -> Page:
    return replace(page, entry=page.entry.for_signifiers() if page.entry else None)


def _read_page(
    gold: BenchPage,
    page: Page,
    learned: FieldSources | None,
    mates: int,
    peers: Mapping[str, FieldPeer],
) -> FieldResult:
    single = _read(page, None)
    by_extractor = {
        TEMPLATE: _read(page, learned) if learned else single,
        SINGLE: single,
    }
    for name, peer in peers.items():
        by_extractor[name] = run_field_peer(peer, gold.html)
    return FieldResult(gold, mates, by_extractor)


def _read(page: Page, learned: FieldSources | None) -> FoundFields:
    fields = read_fields(page, learned)
    return FoundFields(fields.title, fields.authors, fields.published)


def is_right(field: str, gold: Any, value: Any) -> bool:
    """Whether the value of a field is the correct one.

    >>> is_right("title", "The owl's night", "The OWL: s night!")
    True
    >>> is_right("authors", ("Ana Bo",), ("Ana Bo", "Cy Dee"))
    False
    >>> is_right("published", "2024-05-03", "2024-05-04T01:00:00+02:00")
    True
    """
    if field == "published":
        gold_date = read_date(gold)
        date = read_date(value)
        return bool(gold_date and date) and is_same_day(gold_date, date)
    if field == "authors":
        return {_fold(name) for name in gold} == {_fold(name) for name in value}
    return _fold(gold) == _fold(value)


def _fold(text: str) -> str:
    return " ".join(find_words(text))


def summarize_fields(results: Sequence[FieldResult]) -> dict[str, Any]:
    """For each field the number of pages whose correct value is known, and the share of them on
    which each extractor has it."""
    names = results[0].found if results else ()
    summary: dict[str, Any] = {}
    for field in _FIELDS:
        with_gold = [result for result in results if getattr(result.page, field)]
        if with_gold:
            shares = {name: round(_share_right(field, with_gold, name), 4) for name in names}
            summary[field] = {"pages": len(with_gold), "right": shares}
    return summary


def _share_right(field: str, results: Sequence[FieldResult], name: str) -> float:
    correct = 0
    for result in results:
        gold = getattr(result.page, field)
        value = getattr(result.found[name], field)
        correct += is_right(field, gold, value)
    return correct / len(results)


def _print_report(report: Mapping[str, Any]) -> None:
    for part in ("templates", "all"):
        fields = report[part]
        names = next(iter(fields.values()))["right"] if fields else ()
        pages = ", ".join(f"{row['pages']} {field}" for field, row in fields.items())
        title = "pages in templates of two or more" if part == "templates" else "all pages"
        print(f"{report['set']}, {title}: {pages}")
        print(f"{'':28s}" + "".join(f"{field:>11s}" for field in fields))
        for name in names:
            cells = "".join(f"{row['right'][name]:11.4f}" for row in fields.values())
            print(f"{name:28s}{cells}")


if __name__ == "__main__":
    run_command(main)

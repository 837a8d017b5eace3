"""Compare title, authors and date of publication with the correct ones.

    python -m benchmarks.fields SET [--withhold-feed] [--no-peers] [--pages FILE] [--json]

Each page is read twice: with the sources learned from its template, as in a crawl, and as a
single page.  Printed: the share of pages with an equal title and equal authors (words, without
case and punctuation; authors as a set), and with a date at most a day apart; for the pages in
templates of two or more, and for all pages.  FILE gets a JSON line for each page.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.bench_set import BenchPage, run_command, set_name
from benchmarks.peers import (
    FieldPeer,
    FoundFields,
    installed_field_peers,
    run_field_peer,
)
from benchmarks.placed_pages import Site, read_sites
from benchmarks.scores import find_words
from forest_scrapy.core import Page, Params, sample_pages
from forest_scrapy.core.fields import FieldSources, learn_fields, read_fields
from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.fields.learn_dates import is_same_day

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
        found = {name: own._asdict() for name, own in self.found.items()}
        return {"url": self.page.url, "mates": self.mates, "gold": gold._asdict(), **found}


def main() -> None:
    options = _read_options()
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    peers = {} if options.no_peers else installed_field_peers()
    results = [
        result
        for site in read_sites(options.set)
        for result in compare_fields(site, peers, options.withhold_feed)
    ]
    if options.pages:
        lines = (json.dumps(one.to_dict(), ensure_ascii=False) + "\n" for one in results)
        Path(options.pages).write_text("".join(lines), encoding="utf-8")
    grouped = [one for one in results if one.mates > 1]
    report = {
        "set": set_name(options.set),
        "templates": summarize_fields(grouped),
        "all": summarize_fields(results),
    }
    if options.json:
        print(json.dumps(report))
    else:
        _print_report(report)


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--withhold-feed", action="store_true",
                        help="read no field from feed entries")  # fmt: skip
    parser.add_argument("--no-peers", action="store_true", help="leave out other extractors")
    parser.add_argument("--pages", default="", metavar="FILE", help="JSON lines of all pages")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args()


def compare_fields(
    site: Site, peers: Mapping[str, FieldPeer], withhold_feed: bool
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
        learned = learn_fields(sample_pages(template, _SAMPLE)) if len(template) > 1 else None
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
    found = {
        TEMPLATE: _read(page, learned) if learned else single,
        SINGLE: single,
        **{name: run_field_peer(peer, gold.html) for name, peer in peers.items()},
    }
    return FieldResult(gold, mates, found)


def _read(page: Page, learned: FieldSources | None) -> FoundFields:
    read = read_fields(page, learned)
    return FoundFields(read.title, read.authors, read.published)


def is_right(field: str, gold: Any, found: Any) -> bool:
    """Whether the value of a field is the correct one.

    >>> is_right("title", "The owl's night", "The OWL: s night!")
    True
    >>> is_right("authors", ("Ana Bo",), ("Ana Bo", "Cy Dee"))
    False
    >>> is_right("published", "2024-05-03", "2024-05-04T01:00:00+02:00")
    True
    """
    if field == "published":
        gold = read_date(gold)
        found = read_date(found)
        return bool(gold and found) and is_same_day(gold, found)
    if field == "authors":
        return {_fold(name) for name in gold} == {_fold(name) for name in found}
    return _fold(gold) == _fold(found)


def _fold(text: str) -> str:
    return " ".join(find_words(text))


def summarize_fields(results: Sequence[FieldResult]) -> dict[str, Any]:
    """For each field the number of pages whose correct value is known, and the share of them on
    which each extractor has it."""
    names = results[0].found if results else ()
    summary: dict[str, Any] = {}
    for field in _FIELDS:
        known = [one for one in results if getattr(one.page, field)]
        if known:
            rows = {name: round(_share_right(field, known, name), 4) for name in names}
            summary[field] = {"pages": len(known), "right": rows}
    return summary


def _share_right(field: str, results: Sequence[FieldResult], name: str) -> float:
    return fmean(
        is_right(field, getattr(one.page, field), getattr(one.found[name], field))
        for one in results
    )


def _print_report(report: Mapping[str, Any]) -> None:
    for part in ("templates", "all"):
        fields = report[part]
        names = next(iter(fields.values()))["right"] if fields else ()
        pages = ", ".join(f"{own['pages']} {field}" for field, own in fields.items())
        title = "pages in templates of two or more" if part == "templates" else "all pages"
        print(f"{report['set']}, {title}: {pages}")
        print(f"{'':28s}" + "".join(f"{field:>11s}" for field in fields))
        for name in names:
            cells = "".join(f"{own['right'][name]:11.4f}" for own in fields.values())
            print(f"{name:28s}{cells}")


if __name__ == "__main__":
    run_command(main)

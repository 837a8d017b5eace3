"""Measure what a crawl knows of earlier ones.

    python -m benchmarks.history SET [--part PART] [--only NAME] [--sites N] [--json]

The parts:

- changes: recorded pages are changed, in their article (typos, edited, new and deleted
  paragraphs) and around it (advertisements, comments, related articles, counters).  Precision and
  recall of the changes that are found, by the article's text, by a digest of the page, and by the
  page's shingles.
- fields: the same of the title, the authors and the main image: other ones, and changes that keep
  them.
- redesigns: the articles of each site in the layout of the next one.  The share that is noticed
  within ten pages, F1 of later pages after it and of learning from scratch, and false alarms on
  sites that keep their layout.
- polling: the dates of the recorded feeds are replayed.  The delay of entries against the number of
  polls, for a fixed interval, for what feeds state (ttl), and by the rate of their entries
  (Poisson), by hour of the day, which the spider uses.  --plots draws it, and the thesis' figures
  1.2 and 1.3.
- runs: the recorded feeds are crawled three times: in full, with only_new, and in full again.
- not-modified: the processor time of polling 1,000 feeds that all answer 304, and of a spider that
  only makes the same requests.
- store: the size of a history of 100,000 articles, and the time of a look-up.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable
from itertools import islice
from typing import Any

from benchmarks.history.changes import score_changes
from benchmarks.history.fields import score_fields
from benchmarks.history.polling import draw_polling, score_polling
from benchmarks.history.redesigns import score_redesigns
from benchmarks.history.runs import measure_not_modified, score_runs
from benchmarks.history.store import measure_store
from benchmarks.sets.bench_set import Group, load_groups

_ARTICLES = 100_000

PARTS: dict[str, Callable[[list[Group]], dict[str, Any]]] = {
    "changes": score_changes,
    "fields": score_fields,
    "redesigns": lambda groups: asyncio.run(score_redesigns(groups)),
    "polling": score_polling,
    "runs": score_runs,
    "not-modified": lambda groups: measure_not_modified(),
    "store": lambda groups: measure_store(_ARTICLES),
}


def print_part(name: str, report: dict[str, Any]) -> None:
    """The figures, one a line; tables by method side by side."""
    print(f"\n{name}")
    rows = {name: row for name, row in report.items() if isinstance(row, dict)}
    for figure in sorted(report.keys() - rows.keys()):
        print(f"  {figure:24s} {report[figure]}")
    if not rows:
        return
    print(f"  {'':24s} {' '.join(f'{method:>14s}' for method in rows)}")
    for figure in next(iter(rows.values())):
        print(f"  {figure:24s} {' '.join(f'{row[figure]!s:>14s}' for row in rows.values())}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.history", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--part", choices=tuple(PARTS), action="append", help="only this part")
    parser.add_argument("--only", default="", help="only sites whose name contains this")
    parser.add_argument("--sites", type=int, help="only the first N sites")
    parser.add_argument("--plots", metavar="FOLDER", help="draw the plots of polling")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    matching = (group for group in load_groups(args.set) if args.only in group.name)
    groups = list(islice(matching, args.sites))
    if args.plots:
        draw_polling(groups, args.plots)
    report = {name: PARTS[name](groups) for name in args.part or PARTS}
    if args.json:
        print(json.dumps(report, indent=2))
        return
    for name, part in report.items():
        print_part(name, part)

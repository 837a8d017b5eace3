"""How much of a table is found behind its search form, and what is told of the form's fields.

    python -m benchmarks.forms [--rows N] [--probes N] [--table NAME|CSV] [--layout NAME ...]
                               [--strategy dictionary]

Real tables (``benchmarks.form_tables``), rows of a CSV file, or made ones (``--table made``) are
served behind forms in several layouts (``benchmarks.form_sites``); each is crawled by ``scrapy
crawl form``.  Printed for each:

- ``rows``: the share of the rows that were found, with so many probes and requests.
- ``records``: precision, recall and F1 of the records of the answers: a record is right if it has
  at least half of the values of a row that was shown, and is no second one of that row.
- ``attributes``: precision, recall and F1 of their values.  An attribute is taken as the column
  that most of its values are of; each column is that of one attribute.
- ``fields``: precision and recall of the fields that are mapped to the attribute of their column.
- ``dictionary``: the probes of random words of a dictionary that find as many rows.

``--strategy dictionary`` prints only the rows that the probes of a dictionary find.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.bench_set import run_command
from benchmarks.form_sites import MOST_ROWS, Layout, Row, TableSite, layouts, make_rows, serve_table
from benchmarks.form_tables import TABLES, read_table

ROOT = Path(__file__).parents[1]
#: The table of each layout.
SITES = {
    "table": "flights", "cards": "diagnoses", "pairs": "airports",
    "nested": "flights", "icons": "diagnoses", "groups": "airports",
}  # fmt: skip
#: The form of layouts whose page has a smaller one for searching, too, which would be taken.
FORMS = {"icons": 2}
_SETTINGS = 'ADDONS = {"forest_scrapy.Addon": 500}\nDOWNLOAD_DELAY = 0\nROBOTSTXT_OBEY = False\n'
_MEANING = re.compile(r"\[form\] INFO: (\S+): what is put in comes back in (.+?) \((\w+);")
#: Probes after which the dictionary is given up.
_MOST_WORDS = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--probes", type=int, default=500)
    parser.add_argument("--table", help=f"{', '.join(TABLES)}, made, or a CSV file with a head")
    parser.add_argument("--layout", action="append", help="only this one; can be repeated")
    parser.add_argument("--strategy", choices=("records", "dictionary"), default="records")
    parser.add_argument("--dictionary", default="/usr/share/dict/words", help="a word a line")
    options = parser.parse_args()
    words = _read_words(options.dictionary)
    for name in options.layout or SITES:
        rows = read_rows(options.table or SITES.get(name, "airports"), options.rows)
        layout = layouts(rows)[name]
        if options.strategy == "dictionary":
            found = probe_by_words(rows, layout, words, options.probes)
            print(f"{name:8s} rows {found[-1] / len(rows):.3f}", flush=True)
            continue
        site = TableSite(rows, layout)
        items, log = crawl(site, options.probes)
        print(f"{name:8s} {'  '.join(_scores(site, items, log))}", flush=True)
        shown = len({i for _, own in site.shown for i in own})
        baseline = probe_by_words(rows, layout, words, _MOST_WORDS)
        count = next((i + 1 for i, n in enumerate(baseline) if n >= shown), None)
        said = str(count) if count else f"more than {len(baseline)}"
        half = baseline[min(options.probes, len(baseline)) - 1]
        own = _probes_for(site, half)
        print(f"    dictionary: {said} probes for {shown} rows; {half} rows with {options.probes}"
              f" probes, found with {own}", flush=True)  # fmt: skip


def read_rows(table: str, count: int) -> list[Row]:
    """The rows of a table by its name, or of a CSV file, without those with an empty cell."""
    if table == "made":
        return make_rows(count)
    if table in TABLES:
        return read_table(table, count)
    with Path(table).open(newline="", encoding="utf-8") as file:
        rows = (row for row in csv.DictReader(file) if all(row.values()))
        return [row for row, _ in zip(rows, range(count), strict=False)]


def crawl(site: TableSite, probes: int) -> tuple[list[dict[str, Any]], str]:
    """The items that are found, and the log."""
    with serve_table(site) as url, TemporaryDirectory() as folder:
        Path(folder, "scrapy.cfg").write_text("[settings]\ndefault = own\n", "utf-8")
        Path(folder, "own.py").write_text(_SETTINGS, "utf-8")
        command = [sys.executable, "-m", "scrapy", "crawl", "form", "-a", f"url={url}"]
        if number := FORMS.get(site.layout.name):
            command += ["-a", f"form={number}"]
        done = subprocess.run(
            [*command, "-a", f"probes={probes}", "-O", "out.jsonl"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"},
            capture_output=True,
            text=True,
            check=True,
        )
        lines = Path(folder, "out.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines], done.stderr


def _scores(site: TableSite, items: Sequence[Mapping[str, Any]], log: str) -> list[str]:
    """The scores of a crawl, each as text."""
    shown = sorted({i for _, own in site.shown for i in own})
    records = [
        {one["name"]: one["value"] for one in item["values"] if one["type"] not in ("url", "image")}
        for item in items
    ]
    rows_of = match_rows(records, site.rows, shown)
    columns = match_columns(records, rows_of, site.rows)
    right = sum(
        site.rows[row].get(columns.get(name, "")) == value
        for record, row in zip(records, rows_of, strict=True) if row is not None
        for name, value in record.items()
    )  # fmt: skip
    matched = sum(row is not None for row in rows_of)
    cells = sum(map(len, records)), sum(len(site.rows[i]) for i in shown)
    mapped = list(_MEANING.findall(log))
    wanted = {one.name: one.column for one in site.layout.fields}
    correct = sum(
        wanted[control] == ""
        or {columns.get(one) for one in names.split(" or ")} == {wanted[control]}
        for control, names, _ in mapped
    )
    probes = len({tuple(sorted(q.items() - {("page", q.get("page"))})) for q in site.queries})
    told = "; ".join(f"{c} -> {names} ({relation})" for c, names, relation in mapped)
    return [
        f"rows {matched / len(site.rows):.3f}",
        f"probes {probes}  requests {len(site.queries)}",
        f"records {_measures(matched, len(records), len(shown))}",
        f"attributes {_measures(right, *cells)}",
        f"fields {_ratio(correct, len(mapped)):.2f} {correct / len(wanted):.2f}  [{told}]",
    ]


def match_rows(
    records: Sequence[Mapping[str, str]], rows: Sequence[Row], shown: Sequence[int]
) -> list[int | None]:
    """The row of each record: the one with the most of its values, if these are at least half of
    the row's, and if no record before is that row."""
    by_value: defaultdict[str, set[int]] = defaultdict(set)
    for i in shown:
        for value in rows[i].values():
            by_value[value].add(i)
    left, found = set(shown), list[int | None]()
    for record in records:
        counts = Counter(i for value in set(record.values()) for i in by_value.get(value, ()))
        best = max(
            ((n, -i) for i, n in counts.items() if i in left and 2 * n >= len(rows[i])),
            default=None,
        )
        found.append(None if best is None else -best[1])
        left -= {found[-1]}
    return found


def match_columns(
    records: Sequence[Mapping[str, str]], rows_of: Sequence[int | None], rows: Sequence[Row]
) -> dict[str, str]:
    """The column of each attribute."""
    counts: Counter[tuple[str, str]] = Counter()
    for record, row in zip(records, rows_of, strict=True):
        if row is not None:
            counts.update((n, c) for n, v in record.items() for c, w in rows[row].items() if v == w)
    columns: dict[str, str] = {}
    for (name, column), _ in counts.most_common():
        if name not in columns and column not in columns.values():
            columns[name] = column
    return columns


def probe_by_words(
    rows: Sequence[Row], layout: Layout, words: Sequence[str], probes: int
) -> list[int]:
    """The rows that are found after each probe with a random word of a dictionary, each in the
    next of the text fields, with a random option of those choices that must be filled in."""
    site, chance, found = TableSite(rows, layout), random.Random(5), set[int]()
    order = chance.sample(words, min(probes, len(words)))
    texts = cycle([one for one in layout.fields if not one.options])
    needed = [one for one in layout.fields if one.name in layout.needs]
    counts = []
    for word, one in zip(order, texts, strict=False):
        query = {
            need.name: chance.choice(need.options) if need.options else word for need in needed
        }
        found.update(site.find({**query, one.name: word})[:MOST_ROWS])
        counts.append(len(found))
    return counts


def _probes_for(site: TableSite, rows: int) -> int:
    """The probes with which the crawl had found so many rows."""
    found, probes = set[int](), set[tuple[tuple[str, str], ...]]()
    shown = iter(site.shown)
    for query in site.queries:
        own = {name: value for name, value in query.items() if name != "page"}
        probes.add(tuple(sorted(own.items())))
        if site.find(own):
            found.update(next(shown)[1])
        if len(found) >= rows:
            break
    return len(probes)


def _read_words(path: str) -> list[str]:
    try:
        lines = Path(path).read_text("utf-8").split()
    except OSError as error:
        raise SystemExit(
            f"{path}: {error.strerror}; install a dictionary, such as Debian's wamerican, or name"
            " another file with --dictionary"
        ) from error
    return sorted({word.casefold() for word in lines if word.isalpha()})


def _measures(right: int, found: int, wanted: int) -> str:
    precision, recall = _ratio(right, found), _ratio(right, wanted)
    f1 = 2 * precision * recall / ((precision + recall) or 1)
    return f"{precision:.3f} {recall:.3f} {f1:.3f}"


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


if __name__ == "__main__":
    run_command(main)

"""How much of a table is found behind its search form, and what is told of the form's fields.

    python -m benchmarks.forms [--rows N] [--probes N] [--table NAME|CSV] [--layout NAME ...]
                               [--seed N] [--strategy dictionary|oracle|seen | --no-dictionary]

Real tables (``benchmarks.forms.tables``), rows of a CSV file, or made ones (``--table made``) are
served behind forms in several layouts (``benchmarks.forms.sites``); each is crawled by ``scrapy
crawl form``.  Printed for each:

- ``rows``: the share of the rows that were found, with so many probes and requests.
- ``records``: precision, recall and F1 of the records of the answers: a record is right if it has
  at least half of the values of a row that was shown, and is no second one of that row.
- ``attributes``: precision, recall and F1 of their values.  An attribute is taken as the column
  that most of its values are of; each column is that of one attribute.
- ``names``: the share of the columns whose attribute has the name of the column, and ``titles``:
  the share of the records whose title is a value of their row.
- ``fields``: precision and recall of the fields that are mapped to the attribute of their column.
- ``dictionary``: the probes of random words of a dictionary that find as many rows.

``--strategy dictionary`` prints only the rows that the probes of a dictionary find; ``oracle``
those that a prober could find which knew the table, ``seen`` one that knew which words of rows seen
before find the most (``benchmarks.forms.oracle``).  ``--seed`` takes other rows of the table, by
chance.
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
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.forms.markups import further_layouts
from benchmarks.forms.oracle import find_most_rows
from benchmarks.forms.sites import (
    Layout,
    Row,
    TableSite,
    layouts,
    make_rows,
    serve_table,
)
from benchmarks.forms.tables import TABLES, NoTable, read_table

ROOT = Path(__file__).parents[2]
#: The table of each layout.
SITES = {
    "table": "flights",
    "cards": "diagnoses",
    "pairs": "airports",
    "nested": "flights",
    "icons": "diagnoses",
    "groups": "airports",
    "errors": "cities",
    "post": "airports",
    "bare": "flights",
    "flat": "cities",
    "starts": "airports",
    "headings": "diagnoses",
    "data": "cities",
    "script": "departures",
    "tworows": "airports",
    "spans": "cities",
    "lines": "diagnoses",
    "links": "flights",
    "ranges": "departures",
    "equals": "departures",
}
#: The form of layouts whose page has a smaller one for searching, too, which would be taken.
FORMS = {"icons": 2}
_SETTINGS = 'ADDONS = {"forest_scrapy.Addon": 500}\nDOWNLOAD_DELAY = 0\nROBOTSTXT_OBEY = False\n'
_MEANING = re.compile(r"\[form\] INFO: (\S+): what is put in comes back in (.+?) \(([\w ]+);")
#: Probes after which the dictionary is given up.
MAX_DICTIONARY_PROBES = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.forms", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--probes", type=int, default=500)
    parser.add_argument("--table", help=f"{', '.join(TABLES)}, made, or a CSV file with a head")
    parser.add_argument(
        "--layout",
        action="append",
        choices=SITES,
        help="only this one; can be repeated",
    )
    parser.add_argument("--seed", type=int, help="take rows by chance, not evenly")
    parser.add_argument(
        "--strategy", choices=("records", "dictionary", "oracle", "seen"), default="records"
    )
    parser.add_argument("--dictionary", default="/usr/share/dict/words", help="a word a line")
    parser.add_argument("--no-dictionary", action="store_true", help="without the comparison")
    options = parser.parse_args()
    is_oracle = options.strategy in ("oracle", "seen")
    words = []
    if not options.no_dictionary and not is_oracle:
        words = _read_words(options.dictionary)
    is_complete = True
    for name in options.layout or SITES:
        try:
            table = options.table or SITES.get(name, "airports")
            rows = read_rows(table, options.rows, options.seed)
        except NoTable as error:
            print(f"{name:8s} not measured: {error}", file=sys.stderr, flush=True)
            is_complete = False
            continue
        layout = {**layouts(rows), **further_layouts(rows)}[name]
        if options.strategy == "dictionary":
            row_counts = probe_by_words(rows, layout, words, options.probes)
            print(f"{name:8s} rows {row_counts[-1] / len(rows):.3f}", flush=True)
            continue

        if is_oracle:
            only_seen = options.strategy == "seen"
            row_counts = find_most_rows(rows, layout, options.probes, only_seen)
            share = row_counts[-1] / len(rows)
            print(f"{name:8s} rows {share:.3f}  probes {len(row_counts)}", flush=True)
            continue

        site = TableSite(rows, layout)
        items, log = crawl(site, options.probes)
        scores = "  ".join(_scores(site, items, log))
        print(f"{name:8s} {scores}", flush=True)
        if words:
            print(f"    {_compare_with_dictionary(site, words, options.probes)}", flush=True)
    if not is_complete:
        sys.exit(1)


def _compare_with_dictionary(site: TableSite, words: Sequence[str], probes: int) -> str:
    """The probes of a dictionary for the rows of a crawl, and those of the crawl for the rows of
    a dictionary, as a line."""
    row_count = len(_shown_rows(site))
    baseline = probe_by_words(site.rows, site.layout, words, MAX_DICTIONARY_PROBES)
    dictionary_probes = f"more than {len(baseline)}"
    for number, dictionary_rows in enumerate(baseline, start=1):
        if dictionary_rows >= row_count:
            dictionary_probes = str(number)
            break

    last_probe = min(probes, len(baseline)) - 1
    rows_by_dictionary = baseline[last_probe]
    crawl_probes = _probes_for(site, rows_by_dictionary)
    return (
        f"dictionary: {dictionary_probes} probes for {row_count} rows; {rows_by_dictionary} rows"
        f" with {probes} probes, found with {crawl_probes}"
    )


def _shown_rows(site: TableSite) -> set[int]:
    """The numbers of the rows that any answer showed."""
    rows: set[int] = set()
    for _, answer_rows in site.shown:
        rows.update(answer_rows)
    return rows


def read_rows(table: str, count: int, seed: int | None = None) -> list[Row]:
    """The rows of a table by its name, or of a CSV file, without those with an empty cell.
    ``seed``: of the chance by which rows of a table are chosen; None chooses them evenly."""
    if table == "made":
        return make_rows(count)
    if table in TABLES:
        return read_table(table, count, seed)
    with Path(table).open(newline="", encoding="utf-8") as file:
        rows = (row for row in csv.DictReader(file) if all(row.values()))
        return list(islice(rows, count))


def crawl(site: TableSite, probes: int) -> tuple[list[dict[str, Any]], str]:
    """The items that are found, and the log."""
    with serve_table(site) as url, TemporaryDirectory() as folder:
        Path(folder, "scrapy.cfg").write_text("[settings]\ndefault = own\n", "utf-8")
        Path(folder, "own.py").write_text(_SETTINGS, "utf-8")
        command = [sys.executable, "-m", "scrapy", "crawl", "form", "-a", f"url={url}"]
        form = FORMS.get(site.layout.name)
        if site.layout.method == "post":
            command += ["-a", "form=1", "-a", "method=post"]
        elif form:
            command += ["-a", f"form={form}"]
        crawl_run = subprocess.run(
            [*command, "-a", f"probes={probes}", "-O", "out.jsonl"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"},
            capture_output=True,
            text=True,
            check=True,
        )
        lines = Path(folder, "out.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines], crawl_run.stderr


def _scores(site: TableSite, items: Sequence[Mapping[str, Any]], log: str) -> list[str]:
    """The scores of a crawl, each as text."""
    shown_rows = sorted(_shown_rows(site))
    records = [_read_record(item) for item in items]
    rows_of = match_rows(records, site.rows, shown_rows)
    columns = match_columns(records, rows_of, site.rows)

    matched_records = 0
    correct_values = 0
    for record, row in zip(records, rows_of, strict=True):
        if row is None:
            continue
        matched_records += 1
        for name, value in record.items():
            column = columns.get(name, "")
            correct_values += site.rows[row].get(column) == value
    extracted_values = sum(len(record) for record in records)
    shown_values = sum(len(site.rows[row]) for row in shown_rows)

    columns_with_name = 0
    for name, column in columns.items():
        columns_with_name += _has_name(name, column)
    named_columns = columns_with_name / len(site.rows[0])
    titles = 0
    for item, row in zip(items, rows_of, strict=True):
        titles += row is not None and item["title"] in site.rows[row].values()

    column_of = {field.name: field.column for field in site.layout.fields}
    correct_fields = 0
    meanings = []
    mapped_fields = _MEANING.findall(log)
    for control, names, relation in mapped_fields:
        column = column_of[control]
        mapped_columns = {columns.get(name) for name in names.split(" or ")}
        correct_fields += column == "" or mapped_columns == {column}
        meanings.append(f"{control} -> {names} ({relation})")
    precision = _ratio(correct_fields, len(mapped_fields))
    recall = correct_fields / len(column_of)

    probes = len({_without_page(query) for query in site.queries})
    return [
        f"rows {matched_records / len(site.rows):.3f}",
        f"probes {probes}  requests {len(site.queries)}",
        f"records {_measures(matched_records, len(records), len(shown_rows))}",
        f"attributes {_measures(correct_values, extracted_values, shown_values)}",
        f"names {named_columns:.2f}  titles {_ratio(titles, matched_records):.3f}",
        f"fields {precision:.2f} {recall:.2f}  [{'; '.join(meanings)}]",
    ]


def _has_name(name: str, column: str) -> bool:
    """Whether an attribute is named as its column is, or by it: case, signs and the names of the
    objects that it is in do not count."""
    words = re.findall(r"[^\W_]+", name.rpartition(".")[2].casefold())
    return words == re.findall(r"[^\W_]+", column.casefold())


def _read_record(item: Mapping[str, Any]) -> dict[str, str]:
    """The texts of an item by the names of their attributes."""
    record = {}
    for value in item["values"]:
        if value["type"] not in ("url", "image"):
            record[value["name"]] = value["value"]
    return record


def _without_page(query: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The fields of a query, sorted, without the number of the page."""
    return tuple(sorted((name, value) for name, value in query.items() if name != "page"))


def match_rows(
    records: Sequence[Mapping[str, str]],
    rows: Sequence[Row],
    shown_rows: Sequence[int],
) -> list[int | None]:
    """The row of each record: the one with the most of its values, if these are at least half of
    the row's, and if no record before is that row."""
    by_value: defaultdict[str, set[int]] = defaultdict(set)
    for number in shown_rows:
        for value in rows[number].values():
            by_value[value].add(number)

    unmatched = set(shown_rows)
    matches: list[int | None] = []
    for record in records:
        counts: Counter[int] = Counter()
        for value in set(record.values()):
            counts.update(by_value.get(value, ()))

        candidates = []
        for number, count in counts.items():
            has_half_of_row = 2 * count >= len(rows[number])
            if number in unmatched and has_half_of_row:
                candidates.append(number)
        if not candidates:
            matches.append(None)
            continue

        # The first of the rows with the most values.
        best = min(candidates, key=lambda number: (-counts[number], number))
        matches.append(best)
        unmatched.discard(best)
    return matches


def match_columns(
    records: Sequence[Mapping[str, str]],
    rows_of: Sequence[int | None],
    rows: Sequence[Row],
) -> dict[str, str]:
    """The column of each attribute."""
    counts: Counter[tuple[str, str]] = Counter()
    for record, row in zip(records, rows_of, strict=True):
        if row is None:
            continue
        for name, value in record.items():
            for column, cell in rows[row].items():
                if value == cell:
                    counts[name, column] += 1
    columns: dict[str, str] = {}
    for (name, column), _ in counts.most_common():
        if name not in columns and column not in columns.values():
            columns[name] = column
    return columns


def probe_by_words(
    rows: Sequence[Row],
    layout: Layout,
    words: Sequence[str],
    probes: int,
) -> list[int]:
    """The rows that are found after each probe with a random word of a dictionary, each in the
    next of the text fields, with a random option of those choices that must be filled in."""
    site = TableSite(rows, layout)
    chance = random.Random(5)
    probe_words = chance.sample(words, min(probes, len(words)))
    text_fields = cycle([field for field in layout.fields if not field.options])
    needed_fields = [field for field in layout.fields if field.name in layout.needs]

    rows_so_far: set[int] = set()
    counts = []
    for word, text_field in zip(probe_words, text_fields, strict=False):
        query = {}
        for needed in needed_fields:
            query[needed.name] = chance.choice(needed.options) if needed.options else word
        query[text_field.name] = word
        rows_so_far.update(site.find(query)[: layout.max_rows])
        counts.append(len(rows_so_far))
    return counts


def _probes_for(site: TableSite, rows: int) -> int:
    """The probes with which the crawl had found so many rows."""
    rows_so_far: set[int] = set()
    probes: set[tuple[tuple[str, str], ...]] = set()
    answers = iter(site.shown)
    for query in site.queries:
        probe = _without_page(query)
        probes.add(probe)
        if site.find(dict(probe)):
            _, answer_rows = next(answers)
            rows_so_far.update(answer_rows)
        if len(rows_so_far) >= rows:
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


def _measures(correct: int, extracted: int, expected: int) -> str:
    """Precision, recall and F1 as text."""
    precision = _ratio(correct, extracted)
    recall = _ratio(correct, expected)
    f1 = 2 * precision * recall / ((precision + recall) or 1)
    return f"{precision:.3f} {recall:.3f} {f1:.3f}"


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0

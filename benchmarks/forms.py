"""How much of a table is found behind its search form, and what is told of the form's fields.

    python -m benchmarks.forms [--rows N] [--probes N] [--table CSV] [--layout NAME ...]

The rows, made ones or those of a CSV file, are served behind forms in six layouts (see
``benchmarks.form_sites``); each is crawled by ``scrapy crawl form``.  Printed for each: the share
of the rows that were found, the share of the found records that are rows, the requests, and what is
told of each field, beside the column that it searches.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.bench_set import run_command
from benchmarks.form_sites import Row, TableSite, layouts, make_rows, serve_table

ROOT = Path(__file__).parents[1]
_SETTINGS = 'ADDONS = {"forest_scrapy.Addon": 500}\nDOWNLOAD_DELAY = 0\nROBOTSTXT_OBEY = False\n'
_MEANING = re.compile(r"\[form\] INFO: (\S+): what is put in comes back in (.+?) \((\w+);")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--probes", type=int, default=500)
    parser.add_argument("--table", metavar="CSV", help="rows with a head, instead of made ones")
    parser.add_argument("--layout", action="append", help="only this one; can be repeated")
    options = parser.parse_args()
    rows = read_rows(options.table, options.rows) if options.table else make_rows(options.rows)
    for name, layout in layouts(rows).items():
        if options.layout and name not in options.layout:
            continue
        site = TableSite(rows, layout)
        found, log = crawl(site, options.probes)
        wanted = {frozenset(row.values()) for row in rows}
        shares = len(found & wanted) / len(wanted), len(found & wanted) / (len(found) or 1)
        counts = f"rows {shares[0]:.3f}  precision {shares[1]:.3f}  requests {len(site.queries)}"
        print(f"{name:8s} {counts}", flush=True)
        for control, attributes, relation in _MEANING.findall(log):
            column = next(one.column for one in layout.fields if one.name == control)
            print(f"    {control} ({column or 'all columns'}): {attributes}, {relation}")


def read_rows(path: str, most: int) -> list[Row]:
    """The first rows of a CSV file, without those with an empty cell."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        rows = (row for row in csv.DictReader(file) if all(row.values()))
        return [row for row, _ in zip(rows, range(most), strict=False)]


def crawl(site: TableSite, probes: int) -> tuple[set[frozenset[str]], str]:
    """The values of the records that are found, and the log."""
    with serve_table(site) as url, TemporaryDirectory() as folder:
        Path(folder, "scrapy.cfg").write_text("[settings]\ndefault = own\n", "utf-8")
        Path(folder, "own.py").write_text(_SETTINGS, "utf-8")
        command = [sys.executable, "-m", "scrapy", "crawl", "form", "-a", f"url={url}"]
        done = subprocess.run(
            [*command, "-a", f"probes={probes}", "-O", "out.jsonl"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"},
            capture_output=True,
            text=True,
            check=True,
        )
        lines = Path(folder, "out.jsonl").read_text("utf-8").splitlines()
    items = [json.loads(line)["values"] for line in lines]
    return {frozenset(v["value"] for v in one if v["type"] != "url") for one in items}, done.stderr


if __name__ == "__main__":
    run_command(main)

"""The worked example of the docs: a made register of books behind a form, and an ontology that
knows some of them.

    python -m benchmarks.forms.example [--rows N] [--layout NAME] [--ontology FILE]

Serves the register until Ctrl-C, and prints its URL.  The ontology is in the manner of YAGO
(Suchanek, Kasneci, Weikum 2007), with which the thesis aligns the books of a shop: a book has a
preferred name and a date, and its author, an entity, has created it.  It has three of five books,
and has not heard of subjects.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.forms.sites import Row, TableSite, layouts, make_rows, serve_table
from benchmarks.sets.bench_set import run_command
from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.ntriples import write_line
from forest_scrapy.core.graph.vocabulary import TYPE, XSD

ROOT = Path(__file__).parents[2]
_YAGO = "http://yago.example/"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--layout", default="table", help="see benchmarks.forms.sites")
    parser.add_argument("--ontology", metavar="FILE", help="write the ontology, as N-Triples")
    options = parser.parse_args()
    rows = make_rows(options.rows)
    known_layouts = layouts(rows)
    if options.layout not in known_layouts:
        parser.error(f"--layout {options.layout} is not one of {', '.join(known_layouts)}")
    if options.ontology:
        lines = map(write_line, write_ontology(rows))
        Path(options.ontology).write_text("".join(lines), encoding="utf-8")
    with serve_table(TableSite(rows, known_layouts[options.layout])) as url:
        print(url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            sys.stderr.write("\n")


def run_example(folder: Path, count: int = 500) -> Path:
    """Run the commands of the worked example in a folder; the page of the form in the report."""
    rows = make_rows(count)
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = own\n", "utf-8")
    (folder / "own.py").write_text('ADDONS = {"forest_scrapy.Addon": 500}\n', "utf-8")
    (folder / "yago.nt").write_text("".join(map(write_line, write_ontology(rows))), "utf-8")
    with serve_table(TableSite(rows, layouts(rows)["table"])) as url:
        for command in (
            f"crawl form -a url={url} -a probes=150 -O books.nt",
            "forest align books.nt yago.nt -o links.json --enrich new.ttl",
            f"forest form {url} --aligned links.json -o report",
        ):
            subprocess.run(
                [sys.executable, "-m", "scrapy", *command.split()],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"},
                check=True,
            )
    return next((folder / "report").glob("form-*.html"))


def write_ontology(rows: Sequence[Row]) -> Iterator[Triple]:
    """The statements about three of five rows, and about their authors."""
    for number, row in enumerate(rows):
        if number % 5 < 3:
            book = f"{_YAGO}book_{number}"
            author = f"{_YAGO}{row['Author'].replace(' ', '_')}"
            yield Triple(book, TYPE, f"{_YAGO}Book")
            yield Triple(book, f"{_YAGO}hasPreferredName", Literal(row["Title"]))
            yield Triple(
                book, f"{_YAGO}wasCreatedOnDate", Literal(row["Year"], datatype=f"{XSD}gYear")
            )
            yield Triple(author, TYPE, f"{_YAGO}Writer")
            yield Triple(author, f"{_YAGO}hasPreferredName", Literal(row["Author"]))
            yield Triple(author, f"{_YAGO}created", book)


if __name__ == "__main__":
    run_command(main)

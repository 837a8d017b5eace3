"""``python -m benchmarks.hostile``: crawls that meet hostile answers, and what each of them takes.

Each answer is served on loopback, with a feed of three stories, to a crawl in a process of its
own.  Printed are the processor time and memory above those of a crawl of the stories alone, the
longest step of the event loop, and what became of the answer.  Exit status 1 if an answer is
beyond the bounds, or keeps a story from becoming an article.  The spiders ``site`` and ``records``
meet the pages, and ``extract`` those with hostile markup or text: some 290 runs of 2 to 3 s of
processor time; ``--ways`` and ``--only`` choose some.  Further ways are ``form`` (a form whose
answers are hostile), ``sitemap``, and the commands ``why``, ``edit``, ``refresh``, and ``align``,
which is run with hostile RDF files.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

from benchmarks.hostile.alignment import align_files, harmless_files, hostile_files
from benchmarks.hostile.others import (
    hostile_feeds,
    hostile_headers,
    hostile_sitemaps,
    hostile_sites,
)
from benchmarks.hostile.pages import hostile_bodies, hostile_pages
from benchmarks.hostile.server import STORIES, Answer, answer, serve

#: The bounds: seconds of processor time, megabytes, and seconds of a step of the event loop.
SECONDS = 2.0
MEGABYTES = 300.0
GAP = 0.2
#: Crawls to compare with: without a hostile answer, and with a harmless one that is tried in the
#: process for unusual pages, whose start (once in a crawl) is not counted.
_PLAIN = answer(b"<p>Boats")
_PROBED = answer(b"<p>Boats and nets.</p>" * 4_200)
_URLS = answer(b"<urlset><url><loc>/story/0</loc></url></urlset>", kind="application/xml")
_HARMLESS = {"sitemap": ("urls", "urls")}
#: Ways that are commands, and those by which no stories come.
_COMMANDS = ("why", "edit", "refresh")
_WITHOUT_STORIES = ("form", "sitemap", *_COMMANDS)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("--only", default="", help="only the answers whose name has this text")
    parser.add_argument("--ways", default="feeds,site,records,extract", help="what meets them")
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    options = parser.parse_args(arguments)
    sources = (
        hostile_pages(),
        hostile_feeds(),
        hostile_sites(),
        hostile_sitemaps(),
        hostile_headers(),
    )
    answers = {name: answer for source in sources for name, answer in source}
    chosen = [name for name in answers if options.only in name]
    bodies = dict(hostile_bodies())
    bad = 0
    if not options.json:
        print(f"| answer (of {len(chosen)}) | way | CPU s | MB | longest step s | outcome |")
        print("|---|---|---|---|---|---|")
    harmless_answers = {"plain": _PLAIN, "probed": _PROBED, "urls": _URLS}
    with serve({**answers, **harmless_answers}) as url:
        for way in options.ways.split(","):
            if way == "align":
                bad += print_alignments(options.only, options.json)
                continue
            harmless = _HARMLESS.get(way, ("plain", "probed"))
            idle, probed = (crawl(url, name, "page", way) for name in harmless)
            for name in chosen:
                if _is_met(way, answers[name].where) or (way == "extract" and name in bodies):
                    row = measure(url, name, answers[name], idle, probed, way)
                    bad += not row["within"]
                    print(json.dumps(row) if options.json else _line(row), flush=True)
    return int(bad > 0)


def print_alignments(only: str, is_json: bool) -> int:
    """Print what alignments with hostile files take above one with a harmless file; the number of
    those beyond the bounds."""
    idle = align_files(harmless_files()[1])
    bad = 0
    for name, file in hostile_files():
        if only not in name:
            continue
        took = align_files(file)
        row = {
            "name": name,
            "way": "align",
            "seconds": max(0.0, took["seconds"] - idle["seconds"]),
            "megabytes": max(0.0, took["megabytes"] - idle["megabytes"]),
            "gap": 0.0,
            "outcome": took["outcome"],
        }
        row["within"] = (
            row["seconds"] <= SECONDS
            and row["megabytes"] <= MEGABYTES
            and not took["outcome"].startswith(("failed", "not named"))
        )
        bad += not row["within"]
        print(json.dumps(row) if is_json else _line(row), flush=True)
    return bad


def measure(
    url: str,
    name: str,
    answer: Answer,
    idle: Mapping[str, Any],
    probed: Mapping[str, Any],
    way: str,
) -> dict[str, Any]:
    """What one answer takes above an idle crawl.  ``way``: a spider, or ``extract``."""
    costs = crawl(url, name, answer.where, way)
    base = probed if costs["probed"] else idle
    row = {
        "name": name,
        "way": way,
        "seconds": max(0.0, costs["seconds"] - base["seconds"]),
        "megabytes": max(0.0, costs["megabytes"] - base["megabytes"]),
        "gap": costs["gap"],
        "outcome": outcome_of(costs),
    }
    row["within"] = (
        row["seconds"] <= SECONDS
        and row["megabytes"] <= MEGABYTES
        and row["gap"] <= GAP
        and (costs["stories"] == STORIES or answer.where == "robots" or way in _WITHOUT_STORIES)
        and not costs["leaked"]
    )
    return row


def _is_met(way: str, where: str) -> bool:
    """Whether a way meets an answer of this kind."""
    if way == "feeds":
        return where != "sitemap"
    if way == "sitemap":
        return where == "sitemap"
    return way != "extract" and where == "page"


def crawl(url: str, name: str, where: str, way: str) -> dict[str, Any]:
    """What the crawl of an answer took, and its stats."""
    stories = [f"{url}/story/{number}" for number in range(STORIES)]
    argument = {
        "page": f"feeds={url}/feed/{name}",
        "feed": f"feeds={url}/{name},{url}/feed/",
        "site": f"site={url}/{name}",
        "robots": f"feeds={url}/feed/",
        "sitemap": f"sitemap={url}/{name}",
    }[where]
    if way == "sitemap":
        argument = f"sitemap={url}/{name}"
    elif way == "form":
        argument = f"url={url}/form/{name}"
    elif way != "feeds":
        argument = f"url={url}/links/{name}" if way == "site" else f"url={','.join(stories)}"
        argument += "" if way == "site" else f",{url}/{name}"
    urlopen(f"{url}/robots/{name if where == 'robots' else ''}").close()
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.hostile.crawl", way, argument, folder]
        if way in _COMMANDS:
            command = [sys.executable, "-m", "benchmarks.hostile.commands", way, url, name, folder]
        process = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if process.returncode:
        raise SystemExit(f"{name}: the crawl failed:\n{process.stderr}")
    result: dict[str, Any] = json.loads(process.stdout)
    return result


def outcome_of(costs: Mapping[str, Any]) -> str:
    """What became of the answer, from the stats that the stories do not have.

    >>> outcome_of({"stats": {"articles/trained": 3, "refused/too_slow": 1}, "stories": 3})
    'refused/too_slow'
    """
    stats = dict(costs["stats"])
    bad = (
        "refused",
        "dropped",
        "failed",
        "feeds/failed",
        "feeds/unreadable",
        "feeds/not_found",
        "form/too",
        "form/failed",
        "form/not_html",
        "form/empty",
        "sitemaps/failed",
        "sitemaps/unreadable",
    )
    parts = [name for name in sorted(stats) if name.startswith(bad)]
    articles = sum(n for name, n in stats.items() if name.startswith("articles/"))
    parts += ["article"] * (articles > costs["stories"])
    parts += [f"{costs['stories']} stories"] * (costs["stories"] != STORIES)
    return ", ".join(parts) or "-"


def _line(row: Mapping[str, Any]) -> str:
    mark = "" if row["within"] else " **beyond the bounds**"
    return (
        f"| {row['name']} | {row['way']} | {row['seconds']:.2f} | {row['megabytes']:.0f} |"
        f" {row['gap']:.3f} | {row['outcome']}{mark} |"
    )

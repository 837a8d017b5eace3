"""Which pages of saved sites are found to be articles, from a folder of files and from a WARC file.

    python -m benchmarks.sets.saved_pages SET [--sites N]

All pages of some sites of a set, articles and others, are written as browsers, SingleFile, HTTrack
and ``wget -r`` save them, or plainly into one folder, with numbers as names; each site in one of
these ways, half of them without the URLs that the pages declare. ``forest-scrapy extract`` reads
the folder, and the same pages as a WARC file; printed are the recall and the precision of the
articles, by the way in which they were saved.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from benchmarks.sets.bench_set import BenchPage, load_groups, run_command
from benchmarks.sets.warcs import write_warc
from forest_scrapy.core.page.urls import page_key

WAYS = ("browser", "singlefile", "httrack", "wget", "plain")
_DECLARED = re.compile(
    rb"""<(?:link\b[^>]*\bcanonical\b|meta\b[^>]*\bog:url\b|base\b)[^>]*>""", re.IGNORECASE
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("set", help="folder with a manifest.json")
    parser.add_argument("--sites", type=int, default=20)
    options = parser.parse_args()
    sites = [group.pages for group in islice(load_groups(options.set), options.sites)]
    with TemporaryDirectory() as folder:
        place = Path(folder)
        way_of, key_of = save_sites(sites, place / "saved")
        pages = [page for site in sites for page in site]
        warc = write_warc(place / "pages.warc.gz", pages)
        for name, path in (("folder", place / "saved"), ("WARC", warc)):
            articles = {key_of.get(key, key) for key in extract(path, place / "out.jsonl")}
            print_scores(name, pages, articles, way_of)


def save_sites(
    sites: Sequence[Sequence[BenchPage]], folder: Path
) -> tuple[dict[str, str], dict[str, str]]:
    """Write the pages as files; the way each was saved, by its key, and the keys of the pages by
    those of their files."""
    ways = {}
    keys = {}
    for number, pages in enumerate(sites):
        way = WAYS[number % len(WAYS)]
        declares = number // len(WAYS) % 2 == 0
        for count, page in enumerate(pages):
            html = page.html if declares else without_urls(page.html)
            path, body = save_page(way, page.url, html, number, count)
            ways[page_key(page.url)] = f"{way}{'' if declares else ', nothing declared'}"
            keys[page_key(str(folder / path))] = page_key(page.url)
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(body)
    return ways, keys


def without_urls(html: bytes) -> bytes:
    """A page without what declares its URL."""
    return _DECLARED.sub(b"", html)


def save_page(way: str, url: str, html: bytes, site: int, count: int) -> tuple[str, bytes]:
    """The path and the content of a saved page."""
    name = f"site {site}/Page {count}.html"
    if way == "browser":
        return name, f"<!-- saved from url=({len(url):04}){url} -->\n".encode() + html
    if way == "singlefile":
        note = f"<!--\n Page saved with SingleFile \n url: {url} \n saved date: 2026 -->"
        return name, html.replace(b">", f">{note}".encode(), 1)
    if way == "httrack":
        mirrored = url.partition("://")[2]
        return (
            name,
            html + f"<!-- Mirrored from {mirrored} by HTTrack Website Copier/3.x -->".encode(),
        )
    if way == "plain":
        return f"plain/{site * 100 + count}.html", html
    parts = urlsplit(url)
    path = f"{parts.netloc}{parts.path}"
    path += "index.html" if path.endswith("/") else "" if path.endswith("html") else "/index.html"
    return (f"{path}?{parts.query}" if parts.query else path), html


def extract(path: Path, out: Path) -> set[str]:
    """The keys of the pages of the articles."""
    program = "from forest_scrapy.commands.main import main; main()"
    command = [sys.executable, "-c", program, "extract", str(path), "-o", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    return {page_key(json.loads(line)["url"]) for line in out.read_text("utf-8").splitlines()}


def print_scores(
    name: str,
    pages: Iterable[BenchPage],
    extracted: set[str],
    way_of: Mapping[str, str],
) -> None:
    articles = {page_key(page.url) for page in pages if page.is_article}
    other_pages = {page_key(page.url) for page in pages} - articles
    unknown = len(extracted - articles - other_pages)
    for way in ("", *sorted(set(way_of.values()))):
        expected = {key for key in articles if way_of[key] == way or not way}
        wrong = {key for key in other_pages & extracted if way_of[key] == way or not way}
        right = len(expected & extracted)
        scores = right / (len(expected) or 1), right / (right + len(wrong) or 1)
        print(f"{name:8s} {way or 'all':32s} recall {scores[0]:.3f}  precision {scores[1]:.3f}")
    if unknown:
        print(f"{name:8s} {unknown} articles under no URL of the set")


if __name__ == "__main__":
    run_command(main)

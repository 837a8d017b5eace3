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
from dataclasses import dataclass
from itertools import chain, islice
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
        saved = place / "saved"
        saved_sites = save_sites(sites, saved)
        pages = list(chain.from_iterable(sites))
        warc = write_warc(place / "pages.warc.gz", pages)

        inputs = {
            "folder": saved,
            "WARC": warc,
        }
        for name, path in inputs.items():
            articles = set()
            for key in extract(path, place / "out.jsonl"):
                page = saved_sites.pages.get(key, key)
                articles.add(page)
            print_scores(name, pages, articles, saved_sites.ways)


@dataclass(frozen=True)
class SavedSites:
    """``ways``: how each page was saved, by its key; ``pages``: the keys of the pages, by those of
    their files."""

    ways: Mapping[str, str]
    pages: Mapping[str, str]


def save_sites(sites: Sequence[Sequence[BenchPage]], folder: Path) -> SavedSites:
    """Write the pages as files, each site in one of the ``WAYS``."""
    ways = {}
    keys = {}
    for number, pages in enumerate(sites):
        way = WAYS[number % len(WAYS)]
        declares = number // len(WAYS) % 2 == 0
        for count, page in enumerate(pages):
            html = page.html
            label = way
            if not declares:
                html = without_urls(html)
                label = f"{way}, nothing declared"
            name, body = save_page(way, page.url, html, number, count)
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)

            key = page_key(page.url)
            file_key = page_key(str(path))
            ways[key] = label
            keys[file_key] = key
    return SavedSites(ways, keys)


def without_urls(html: bytes) -> bytes:
    """A page without what declares its URL."""
    return _DECLARED.sub(b"", html)


def save_page(way: str, url: str, html: bytes, site: int, count: int) -> tuple[str, bytes]:
    """The path and the content of a saved page."""
    name = f"site {site}/Page {count}.html"
    if way == "browser":
        note = f"<!-- saved from url=({len(url):04}){url} -->\n"
        return name, note.encode() + html
    if way == "singlefile":
        note = f"<!--\n Page saved with SingleFile \n url: {url} \n saved date: 2026 -->"
        with_note = f">{note}".encode()
        return name, html.replace(b">", with_note, 1)
    if way == "httrack":
        mirrored = url.partition("://")[2]
        note = f"<!-- Mirrored from {mirrored} by HTTrack Website Copier/3.x -->"
        return name, html + note.encode()
    if way == "plain":
        file_number = site * 100 + count
        return f"plain/{file_number}.html", html
    return _wget_path(url), html


def _wget_path(url: str) -> str:
    """The path that ``wget -r`` writes a page to."""
    parts = urlsplit(url)
    path = f"{parts.netloc}{parts.path}"
    if path.endswith("/"):
        path += "index.html"
    elif not path.endswith("html"):
        path += "/index.html"
    if parts.query:
        path += f"?{parts.query}"
    return path


def extract(path: Path, out: Path) -> set[str]:
    """The keys of the pages of the articles."""
    program = "from forest_scrapy.commands.main import main; main()"
    command = [sys.executable, "-c", program, "extract", str(path), "-o", str(out)]
    subprocess.run(command, check=True, capture_output=True)
    keys = set()
    for line in out.read_text("utf-8").splitlines():
        item = json.loads(line)
        keys.add(page_key(item["url"]))
    return keys


def print_scores(
    name: str,
    pages: Iterable[BenchPage],
    extracted: set[str],
    way_of: Mapping[str, str],
) -> None:
    articles = set()
    other_pages = set()
    for page in pages:
        key = page_key(page.url)
        if page.is_article:
            articles.add(key)
        else:
            other_pages.add(key)
    other_pages -= articles

    wrong_pages = other_pages & extracted
    for way in ("", *sorted(set(way_of.values()))):
        expected = articles
        wrong = wrong_pages
        if way:
            expected = {key for key in articles if way_of[key] == way}
            wrong = {key for key in wrong_pages if way_of[key] == way}
        right = len(expected & extracted)
        recall = right / (len(expected) or 1)
        precision = right / (right + len(wrong) or 1)
        label = way or "all"
        print(f"{name:8s} {label:32s} recall {recall:.3f}  precision {precision:.3f}")

    unknown = extracted - articles - other_pages
    if unknown:
        print(f"{name:8s} {len(unknown)} articles under no URL of the set")


if __name__ == "__main__":
    run_command(main)

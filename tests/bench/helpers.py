"""A set of recorded pages, made of the demo site, what can be wrong with one, and running a
benchmark on it."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forest_scrapy.demo import build_site

ROOT = Path(__file__).parents[2]
BASE = "http://demo.example"

Run = Callable[..., subprocess.CompletedProcess[str]]


def write_bench_set(folder: Path) -> Path:
    """The demo site in the format of a set: one group, with its feed."""
    site = build_site(BASE)
    articles = {article.path: article for article in site.articles}
    pages: list[dict[str, Any]] = []
    for number, path in enumerate(site.pages):
        html, gold = f"page-{number}.html.gz", ""
        (folder / html).write_bytes(gzip.compress(site.files[path][1], 1))
        article = articles.get(path)
        if article:
            gold = f"page-{number}.txt"
            (folder / gold).write_text(article.text, encoding="utf-8")
        pages.append(
            {
                "id": f"page-{number}",
                "url": BASE + path,
                "kind": "article" if article else "listing",
                "html": html,
                "gold": gold or None,
                "title": article.title if article else "",
            }
        )
    (folder / "feed.gz").write_bytes(gzip.compress(site.files["/feed.xml"][1], 1))
    feed = {"url": site.feed_url, "file": "feed.gz"}
    groups = [{"group": "demo.example", "language": "en", "feed": feed, "pages": pages}]
    manifest = {"name": "demo", "groups": groups}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def run_benchmark(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """``python -m benchmarks.NAME``, as on the command line."""
    return subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def break_folder(folder: Path) -> str:
    folder.rename(folder.with_name("elsewhere"))
    return "manifest.json"


def break_manifest(folder: Path) -> str:
    (folder / "manifest.json").write_text('{"groups": [', encoding="utf-8")
    return "JSONDecodeError"


def break_encoding(folder: Path) -> str:
    (folder / "manifest.json").write_bytes(b'{"name": "\xff"}')
    return "UnicodeDecodeError"


def break_groups(folder: Path) -> str:
    (folder / "manifest.json").write_text("{}", encoding="utf-8")
    return "groups"


def break_list(folder: Path) -> str:
    (folder / "manifest.json").write_text("[]", encoding="utf-8")
    return "TypeError"


def break_html(folder: Path) -> str:
    (folder / "page-3.html.gz").unlink()
    return "page-3.html.gz"


def break_archive(folder: Path) -> str:
    path = folder / "page-3.html.gz"
    path.write_bytes(path.read_bytes()[:40])
    return "EOFError"


def break_bytes(folder: Path) -> str:
    path = folder / "page-3.html.gz"
    path.write_bytes(gzip.compress(b"")[:10] + b"\xff" * 40)
    return "error"


#: What can be wrong with a set; each gives a part of the reason.
FAULTS = {
    "folder": break_folder,
    "manifest": break_manifest,
    "html": break_html,
}
#: Read by the same code in every command: one of them is enough.
MORE_FAULTS = {
    "groups": break_groups,
    "list": break_list,
    "archive": break_archive,
    "encoding": break_encoding,
    "bytes": break_bytes,
}

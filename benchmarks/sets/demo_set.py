"""The demo site as a set of pages, to try the benchmarks without recordings.

    python -m benchmarks.sets.demo_set FOLDER

writes the folder, which the other benchmarks take as ``SET``.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

from benchmarks.sets.bench_set import run_command
from demo import build_site

BASE = "http://demo.example"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    print(write_demo_set(folder))


def write_demo_set(folder: Path, articles: int = 30) -> Path:
    """Write the demo site in the format of a set: one group with its feed.  ``articles``: only
    this number of them; the first 16 are of one template."""
    site = build_site(BASE)
    article_of = {article.path: article for article in site.articles}
    paths = [path for path in site.pages if path in article_of][:articles]
    paths += [path for path in site.pages if path not in article_of]
    pages: list[dict[str, Any]] = []
    for number, path in enumerate(paths):
        html = f"page-{number}.html.gz"
        gold = ""
        (folder / html).write_bytes(gzip.compress(site.files[path][1], 1))
        article = article_of.get(path)
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


if __name__ == "__main__":
    run_command(main)

"""The benchmark of lists of articles, on a small set."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tests.bench.helpers import run_benchmark
from tests.core.records.article_list.pages import HOME, STORIES, blog, plain


def feed_of(numbers: range) -> bytes:
    items = "".join(
        f"<item><title>{STORIES[n].title}</title><link>{STORIES[n].url}</link></item>"
        for n in numbers
    )
    return f"<rss version='2.0'><channel><title>P</title>{items}</channel></rss>".encode()


def write_set(folder: Path) -> None:
    """A home page with the ten latest stories, another page with four, of which one is only in the
    text, and a feed with twelve, of which the home page links eight."""
    about = f"<p>We wrote <a href={STORIES[9].path}>a story</a> about this, and it was long.</p>"
    pages = {
        "home": (HOME, "listing", blog(STORIES[:10])),
        "list": (f"{HOME}all/", "listing", plain(STORIES[4:8]) + about),
        "about": (f"{HOME}about/", "other", about),
        "story": (STORIES[0].url, "article", "<h1>A story</h1>"),
    }
    rows = []
    for name, (url, kind, html) in pages.items():
        (folder / f"{name}.gz").write_bytes(gzip.compress(html.encode()))
        rows.append({"id": name, "url": url, "kind": kind, "html": f"{name}.gz", "gold": None})
    (folder / "feed.gz").write_bytes(gzip.compress(feed_of(range(2, 14))))
    feed = {"url": f"{HOME}feed", "file": "feed.gz"}
    group = {"group": "paper", "language": "en", "feed": feed, "pages": rows}
    manifest = {"name": "lists", "groups": [group]}
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")


def test_scores(tmp_path: Path) -> None:
    write_set(tmp_path)
    done = run_benchmark("lists", tmp_path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["home"] == {
        "pages": 1,
        "recall": 1.0,
        "whole": 1.0,
        "articles": 9,  # eight of the feed, and the one of the set that is older
        "others": 0,
        "titles": 1.0,
    }
    assert (report["other"]["pages"], report["other"]["recall"]) == (1, 0.8)
    done = run_benchmark("lists", tmp_path, "--home", "--worst", "1")
    assert done.stdout.startswith("home pages 1  recall 1  whole 1")
    assert f"1.000 of 8  {HOME}  //article" in done.stdout

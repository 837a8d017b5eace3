"""``python -m benchmarks.hostile.suites FOLDER``: public suites of feeds and of attacks.

``FOLDER/feedvalidator/testcases``: the feeds of the W3C feed validator, through the feed and OPML
readers.
``FOLDER/dompurify/payloads.json``: the attacks of DOMPurify's tests, through the sanitizer.  Exit
status 1 if a feed raises or loses items, or if anything executable survives.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.hostile.safe_html import dangers
from forest_scrapy.core import Page
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.markup import clean_markup
from forest_scrapy.core.page.tree import body_of
from forest_scrapy.feeds.discovery import read_opml
from forest_scrapy.feeds.reader import read_feed

_FEED = "http://feed.example/feed.xml"
_LINKS = "*[local-name() = 'link'][not(@rel) or @rel = 'alternate']"
#: Items with a link that can be followed, in feeds that are well-formed.  (No item is within
#: another one.)
_ITEM = "*[local-name() = 'item' or local-name() = 'entry']"
_ITEMS = (
    f"//{_ITEM}[not(.//{_ITEM})]"
    f"[{_LINKS}[starts-with(normalize-space(@href), 'http')]"
    f" or {_LINKS}[starts-with(normalize-space(.), 'http')]]"
)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    feeds = run_feeds(options.folder / "feedvalidator" / "testcases")
    payloads = run_payloads(options.folder / "dompurify" / "payloads.json")
    for name, result in (("feeds", feeds), ("attacks", payloads)):
        print(name, json.dumps(result, ensure_ascii=False))
    return int(bool(feeds["raised"] or feeds["lost_items"] or payloads["dangers"]))


def run_feeds(folder: Path) -> dict[str, Any]:
    """Read every file of the folder as a feed; the numbers, the slowest, and what failed."""
    result: dict[str, Any] = {
        "files": 0,
        "with_items": 0,
        "opml_feeds": 0,
        "raised": [],
        "lost_items": [],
    }
    slowest = (0.0, "")
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        body = path.read_bytes()
        start = time.process_time()
        result["files"] += 1
        try:
            items = read_feed(body, _FEED, {}).items
            result["opml_feeds"] += len(read_opml(body))
        except Exception as error:
            result["raised"].append(f"{path.name}: {error!r}")
            continue
        slowest = max(slowest, (time.process_time() - start, path.name))
        result["with_items"] += bool(items)
        if len(items) < expected_items(body):
            result["lost_items"].append(str(path.relative_to(folder)))
    return {**result, "slowest_seconds": round(slowest[0], 3), "slowest": slowest[1]}


def expected_items(body: bytes) -> int:
    """The number of items with a link of a well-formed feed; 0 for other files."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return 0
    kinds = ("rss", "feed", "RDF", "entry")
    items: Any = root.xpath(_ITEMS) if etree.QName(root).localname in kinds else []
    return len(items)


def run_payloads(path: Path) -> dict[str, Any]:
    """Clean every payload, alone and in four contexts; what could be executed after that."""
    payloads = [row["payload"] for row in json.loads(path.read_text(encoding="utf-8"))]
    problems = []
    for payload in payloads:
        for fragment in _in_contexts(payload):
            cleaned = clean(fragment)
            problems += [f"{danger}: {fragment[:200]}" for danger in dangers(cleaned)]
            problems += [f"not stable: {fragment[:200]}"] * (clean_markup(cleaned) != cleaned)
    return {"payloads": len(payloads), "contexts": 5, "dangers": problems}


def _in_contexts(payload: str) -> Iterator[str]:
    yield payload
    yield f"<p>before</p>{payload}<p>after</p>"
    yield f"<table><tr><td>{payload}</table>"
    yield f"<a href='{payload}'>{payload}</a>"
    yield f"<article><noscript>{payload}</noscript><svg>{payload}</svg></article>"


def clean(fragment: str) -> str:
    """The fragment as the HTML of an article has it."""
    page = Page.from_html(f"<body>{fragment}", "http://a.example/")
    return clean_markup(read_content(body_of(page.root), base=page.url).markup)


if __name__ == "__main__":
    sys.exit(main())

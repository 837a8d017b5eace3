"""A mirror that wget has made gives the items of a crawl, under the URLs of the crawl."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from itemadapter import ItemAdapter

from benchmarks.support import starter
from forest_scrapy import RawPage, extract_pages
from forest_scrapy.settings import read_settings
from tests.commands.test_main import PROGRAM
from tests.crawls.helpers import Server, environment, read_items, slow, story, thorough
from tests.crawls.test_records_spider import forum_pages

pytestmark = [
    pytest.mark.crawl,
    pytest.mark.skipif(not shutil.which("wget"), reason="needs wget"),
]

SETTINGS = {"FOREST_KINDS": "article,thread"}


def site_pages() -> dict[str, str]:
    """Stories and threads of several pages under addresses with queries, by path."""
    pages = {}
    for number in range(8):
        html = story(number).replace(
            "Paragraph 0 of",
            f"<a href='story.php?id={(number + 1) % 8}'>The next one</a> Paragraph 0 of",
        )
        pages[f"/story.php?id={number}"] = html
    for path, html in forum_pages().items():
        pages[_as_script(path)] = re.sub(r'(?<=href=")(/[^"]+)', _rewrite, html)
    links = []
    for path in pages:
        address = path.replace("&", "&amp;")
        links.append(f"<li><a href='{address}'>Page {address}</a></li>")
    start_page = f"<html lang=en><body><h1>All</h1><ul>{''.join(links)}</ul></body></html>"
    return {"/": start_page, **pages}


def _rewrite(match: re.Match[str]) -> str:
    return _as_script(match[0]).replace("&", "&amp;")


def _as_script(path: str) -> str:
    """``/t/owl?page=2`` as ``/viewtopic.php?t=owl&page=2``, and other paths with an ending."""
    if path.startswith("/t/"):
        return "/viewtopic.php?t=" + path.removeprefix("/t/").replace("?", "&")
    return f"{path}.php"


def comparable(item: dict[str, Any]) -> dict[str, Any]:
    values = json.loads(json.dumps(item))
    return {name: value for name, value in values.items() if name != "fetched_at"}


@pytest.mark.parametrize("options", [slow(()), thorough(("-E", "-k"))], ids=["as-is", "converted"])
def test_a_mirror_gives_the_items_of_the_site(tmp_path: Path, options: tuple[str, ...]) -> None:
    pages = site_pages()
    with Server() as server:
        for path, html in pages.items():
            server.add(path, html)
        mirror = ["wget", "-q", "-r", "-l", "5", *options, "-P", "mirror", f"{server.url}/"]
        subprocess.run(mirror, cwd=tmp_path, timeout=60, check=False)  # 8: some links are broken
        raw_pages = [RawPage(f"{server.url}{path}", html) for path, html in pages.items()]
    expected = {}
    for item in extract_pages(raw_pages, read_settings(SETTINGS)):
        expected[item.url] = comparable(ItemAdapter(item).asdict())

    extract = (*PROGRAM, "extract", "mirror", "--kinds", "article,thread", "--processes", "1")
    done = starter.run((*extract, "-o", "out.jsonl"), tmp_path, environment())
    assert done.returncode == 0, done.stderr
    items = {item["url"]: comparable(item) for item in read_items(tmp_path / "out.jsonl")}

    assert items == expected
    assert any(len(item.get("pages", ())) == 3 for item in items.values())
    assert len(items) == 8 + 6

    (tmp_path / "urls.txt").write_text("\n".join(list(items)[:3]))
    named_pages = ("-o", "some.jsonl", "--urls", "urls.txt")
    done = starter.run((*extract, *named_pages), tmp_path, environment())
    assert done.returncode == 0, done.stderr
    named = {item["url"] for item in read_items(tmp_path / "some.jsonl")}
    assert named == set(list(items)[:3])

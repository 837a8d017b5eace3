from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bench_set import ENTRY_CHARACTERS, UnreadableSet, load_groups
from forest_scrapy.demo import build_site

from .helpers import BASE, FAULTS, MORE_FAULTS


def edit(folder: Path, **changes: Any) -> None:
    """Change the first group of the manifest."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["groups"][0].update(changes)
    path.write_text(json.dumps(manifest), encoding="utf-8")


def test_the_demo(bench_set: Path) -> None:
    (group,) = load_groups(str(bench_set))
    site = build_site(BASE)
    assert (group.name, group.has_feed) == ("demo.example", True)
    assert [page.url for page in group.pages] == [BASE + path for path in site.pages]
    assert {page.url: page.gold for page in group.articles} == {
        BASE + article.path: article.text for article in site.articles
    }
    for page in group.pages:
        assert page.html == site.files[page.url.removeprefix(BASE)][1]


def test_entries_are_shortened(bench_set: Path) -> None:
    (group,) = load_groups(str(bench_set))
    entries = [page.entry for page in group.pages if page.entry]
    assert entries
    assert all(len(entry.description) <= ENTRY_CHARACTERS for entry in entries)
    assert all(page.is_article for page in group.pages if page.entry)


def test_without_a_feed(own_set: Path) -> None:
    edit(own_set, feed=None)
    (group,) = load_groups(str(own_set))
    assert not group.has_feed
    assert not any(page.entry for page in group.pages)


def test_a_page_without_address_gets_one(own_set: Path) -> None:
    page = {"id": "x", "url": None, "kind": "article", "html": "page-0.html.gz"}
    edit(own_set, pages=[page], group="A b.example")
    (group,) = load_groups(str(own_set))
    assert group.pages[0].url == "http://a-b-example.invalid/x"
    assert group.pages[0].is_article
    assert group.articles == []


@pytest.mark.parametrize("fault", [*FAULTS, *MORE_FAULTS])
def test_an_unreadable_set(own_set: Path, fault: str) -> None:
    reason = {**FAULTS, **MORE_FAULTS}[fault](own_set)
    with pytest.raises(UnreadableSet, match=re.escape(str(own_set))) as error:
        list(load_groups(str(own_set)))
    assert reason in str(error.value)

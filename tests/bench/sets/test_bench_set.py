from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sets.bench_set import (
    ENTRY_CHARACTERS,
    UnreadableSet,
    digest_set,
    load_groups,
    set_name,
)
from benchmarks.sets.demo_set import BASE
from demo import build_site

from ..helpers import FAULTS, MORE_FAULTS


def read_manifest(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def edit(folder: Path, **changes: Any) -> None:
    """Change the first group of the manifest."""
    manifest = read_manifest(folder)
    manifest["groups"][0].update(changes)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


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


def test_the_digest_is_of_what_is_in_the_files(own_set: Path) -> None:
    first = digest_set(str(own_set))
    assert len(first) == 64
    html = own_set / "page-0.html.gz"
    html.write_bytes(gzip.compress(gzip.decompress(html.read_bytes()), 9, mtime=1))
    path = own_set / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=1), "utf-8")
    assert digest_set(str(own_set)) == first


@pytest.mark.parametrize("name", ["manifest", "html", "gold", "feed"])
def test_the_digest_tells_another_set(own_set: Path, name: str) -> None:
    first = digest_set(str(own_set))
    page = next(p for p in read_manifest(own_set)["groups"][0]["pages"] if p["gold"])
    if name == "manifest":
        edit(own_set, group="another.example")
    elif name == "gold":
        (own_set / page["gold"]).write_text("other", "utf-8")
    else:
        file = page["html"] if name == "html" else "feed.gz"
        (own_set / file).write_bytes(gzip.compress(b"other"))
    assert digest_set(str(own_set)) != first


def test_the_name(own_set: Path) -> None:
    assert set_name(str(own_set)) == "demo"
    (own_set / "manifest.json").write_text("{}", "utf-8")
    assert set_name(str(own_set)) == own_set.name


@pytest.mark.parametrize("fault", [*FAULTS, *MORE_FAULTS])
def test_an_unreadable_set(own_set: Path, fault: str) -> None:
    reason = {**FAULTS, **MORE_FAULTS}[fault](own_set)
    with pytest.raises(UnreadableSet, match=re.escape(str(own_set))) as error:
        list(load_groups(str(own_set)))
    assert reason in str(error.value)

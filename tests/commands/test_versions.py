"""``scrapy forest versions``, of a history as crawls write it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from forest_scrapy.core.page.urls import page_key
from forest_scrapy.stores import HistoryStore, PageRecord, PageVersion

from .conftest import Run

HOST = "news.example"
URL = f"http://{HOST}/minister"
DAY = 86_400
START = 1_795_000_000
OLD_TEXT = "The minister was convicted.\nThe court sat for two days."
NEW_TEXT = "The minister was cleared.\nThe court sat for two days."
LAST_TEXT = f"{NEW_TEXT}\n<b>A note.</b>"


def version_of(url: str, day: int, kind: str, **values: Any) -> PageVersion:
    moment = START + day * DAY
    values = {"url": url, **values}
    digest = json.dumps(values).encode()
    change: dict[str, Any] = {}
    if kind == "changed":
        fields = {"title": {"from": "Minister convicted", "to": "Minister cleared"}}
        change = {"share": 0.25, "inserted": ["cleared."], "deleted": [], "fields": fields}
    return PageVersion(
        key=page_key(url),
        first_seen=moment,
        last_seen=moment + DAY // 2,
        kind=kind,
        status=404 if kind == "gone" else 200,
        change=change,
        values=values,
        digest=digest,
    )


@pytest.fixture
def history(tmp_path: Path) -> str:
    """A history with an article that has changed, was gone, and has returned, and another one."""
    location = str(tmp_path / "history.db")
    other_url = f"http://{HOST}/\u001b[2Jowl"
    versions = [
        version_of(URL, 0, "new", title="Minister convicted", text=OLD_TEXT, tags=["a", "b"]),
        version_of(URL, 2, "changed", title="Minister cleared", text=NEW_TEXT, is_free=False),
        version_of(URL, 4, "gone"),
        version_of(URL, 6, "returned", title="Minister cleared", text=LAST_TEXT),
        version_of(other_url, 1, "new", title="Owls", text="Owls fly."),
    ]
    with closing(HistoryStore(location)) as store:
        for version in versions:
            url = str(version.values["url"])
            page = PageRecord(version.key, HOST, url, START, START, outcome="article")
            store.save(page, version=version)
    return location


@pytest.fixture
def ask(run: Run, history: str) -> Run:
    def ask(*arguments: str) -> Any:
        return run("versions", *arguments, "-s", f"FOREST_HISTORY={history}")

    return ask


def test_versions_are_listed(ask: Run) -> None:
    done = ask(URL)
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"{URL}: 4 versions",
        "    1  2026-11-18 11:06:40  2026-11-18 23:06:40  new, 55 characters, 'Minister convicted'",
        "    2  2026-11-20 11:06:40  2026-11-20 23:06:40  changed, 53 characters,"
        " 'Minister cleared'",
        "       text: 25.0% changed, 1 inserted, 0 deleted",
        "       title: 'Minister convicted' -> 'Minister cleared'",
        "    3  2026-11-22 11:06:40  2026-11-22 23:06:40  gone, status 404",
        "    4  2026-11-24 11:06:40  2026-11-24 23:06:40  returned, 68 characters,"
        " 'Minister cleared'",
    ]
    listed = json.loads(ask(URL, "--json").out)
    assert [version["kind"] for version in listed] == ["new", "changed", "gone", "returned"]
    assert listed[0]["first_seen"] == "2026-11-18T11:06:40+00:00"


def test_two_versions_are_compared(ask: Run) -> None:
    lines = ask(URL, "--diff").out.splitlines()
    assert lines[-2:] == [" The court sat for two days.", "+<b>A note.</b>"]
    lines = ask(URL, "--diff", "--between", "1", "2").out.splitlines()
    assert lines[:2] == ["--- version 1, 2026-11-18 11:06:40", "+++ version 2, 2026-11-20 11:06:40"]
    assert {"-title: Minister convicted", "+title: Minister cleared"} <= set(lines)
    assert {"-tags: a, b", "+is_free: no"} <= set(lines)
    words = ask(URL, "--words", "--between", "1", "2").out
    assert "title: Minister [-convicted-] {+cleared+}" in words
    assert "The minister was [-convicted.-] {+cleared.+}" in words
    assert "are equal" in ask(URL, "--diff", "--between", "2", "2").out


@pytest.mark.parametrize(
    ("date", "title"),
    [
        ("2026-11-18", "Minister convicted"),
        ("2026-11-19", "Minister convicted"),
        ("2026-11-20T11:06:39", "Minister convicted"),
        ("2026-11-20T13:06:40+02:00", "Minister cleared"),
        ("2027-01-01", "Minister cleared"),
    ],
)
def test_an_article_as_it_was(ask: Run, date: str, title: str) -> None:
    item = json.loads(ask(URL, "--at", date).out)
    assert (item["url"], item["title"], item["status"]) == (URL, title, 200)
    assert item["text"] and item["change"]["kind"]


def test_an_article_that_was_gone(ask: Run) -> None:
    item = json.loads(ask(URL, "--at", "2026-11-23").out)
    assert item == {"url": URL, "change": {"kind": "gone"}, "status": 404}
    done = ask(URL, "--at", "2026-11-17")
    assert (done.status, done.out) == (1, "")
    assert "was seen at 2026-11-18 11:06:40, UTC" in done.err


def test_two_versions_side_by_side(ask: Run, tmp_path: Path) -> None:
    page = tmp_path / "versions.html"
    done = ask(URL, "--html", "--between", "1", "4", "-o", str(page))
    assert (done.status, done.out, done.err) == (0, "", "")
    html = page.read_text(encoding="utf-8")
    assert "Content-Security-Policy" in html
    assert "<td>The minister was <del>convicted.</del></td>" in html
    assert "<td>The minister was <ins>cleared.</ins></td>" in html
    assert "<ins>&lt;b&gt;A note.&lt;/b&gt;</ins>" in html
    assert "<td><del>a, b</del></td>" in html
    assert html.count('<tr class="keep">') == 2
    assert "gone, status 404" in html


def test_all_changes_of_a_host(ask: Run, tmp_path: Path) -> None:
    file = tmp_path / "versions.jsonl"
    done = ask("--host", HOST, "-O", str(file))
    assert (done.status, done.out) == (0, "")
    assert done.err == f"5 versions of items of {HOST}\n"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [row["kind"] for row in rows] == ["new", "new", "changed", "gone", "returned"]
    assert rows[2]["change"]["fields"]["title"]["to"] == "Minister cleared"
    assert rows[2]["item"]["text"] == NEW_TEXT
    printed = ask("--host", f"http://{HOST}/any").out
    assert [json.loads(line) for line in printed.splitlines()] == rows
    assert "\u001b" not in printed


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ((), 2, "name the URL of an article, or --host"),
        ((URL, "--host", HOST), 2, "name the URL of an article, or --host"),
        (("--host", HOST, "--diff"), 2, "are for one article"),
        ((URL, "--between", "1", "2"), 2, "--between needs"),
        ((URL, "--json", "--html"), 2, "name one of"),
        ((URL, "--at", "yesterday"), 2, "is not a date such as"),
        ((URL, "--diff", "--between", "1", "9"), 1, "there is no version 9; there are 4"),
        ((f"{URL}/other",), 1, "keeps no version of"),
        (("--host", "b.example"), 1, "keeps no version of an article of b.example"),
    ],
)
def test_what_cannot_be_done(
    ask: Run, arguments: tuple[str, ...], status: int, message: str
) -> None:
    done = ask(*arguments)
    assert (done.status, done.out) == (status, "")
    assert message in done.err

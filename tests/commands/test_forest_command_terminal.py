"""What pages and addresses say cannot control the terminal that a command writes to."""

from __future__ import annotations

import json
import re
import time
from contextlib import closing
from pathlib import Path

import pytest

from forest_scrapy.commands.explain import colour_lines
from forest_scrapy.stores import HistoryStore, PageRecord

from .conftest import Run

ATTACK = "\x1b]0;owned\x07 \x1b[2J\x9b1m \u202eseno\u2069 \u2028 \r"
#: What must not be written as it is.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
TEXT = "The boats are in the sea, and the nets are in the boats. " * 4


@pytest.fixture
def attacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Pages with such a title, class and text."""
    monkeypatch.chdir(tmp_path)
    for i in range(3):
        html = (
            f"<html><head><title>{ATTACK} {i}</title></head><body><article class='a {ATTACK}'>"
            f"<h1>{ATTACK} {i}</h1><p>{TEXT}{i} {ATTACK}</p><p>{ATTACK} {i} {TEXT}</p></article>"
            f"<footer>{ATTACK} {TEXT}</footer></body></html>"
        )
        Path(f"{i}.html").write_text(html, encoding="utf-8")
    return [f"{i}.html" for i in range(3)]


def test_explain(run: Run, attacks: list[str]) -> None:
    done = run("explain", *attacks, "--text")
    assert done.status == 0 and CONTROLS.findall(done.out + done.err) == []
    assert "\\u001b" in done.out


def test_json_has_the_same_data(run: Run, attacks: list[str]) -> None:
    done = run("explain", *attacks, "--text", "--json")
    assert CONTROLS.findall(done.out) == []
    assert "\u202e" in json.dumps(json.loads(done.out), ensure_ascii=False)


def test_history(run: Run, tmp_path: Path) -> None:
    path, now = str(tmp_path / "history.db"), int(time.time())
    with closing(HistoryStore(path)) as store:
        url = f"http://a.example/{ATTACK}"
        store.save(PageRecord("aa", "a.example", url, now, now, outcome=ATTACK))
    for options in ((), ("--json",)):
        done = run("history", "a.example", *options, FOREST_HISTORY=path)
        assert done.status == 0 and "owned" in done.out
        assert CONTROLS.findall(done.out + done.err) == []


@pytest.mark.parametrize(
    "arguments", [("explain", f"{ATTACK}.html"), ("show", f"a{ATTACK}"), ("import", f"no{ATTACK}")]
)
def test_errors(run: Run, arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.status and CONTROLS.findall(done.out + done.err) == []


def test_colours_are_those_of_the_command() -> None:
    assert colour_lines("wrapper\n", force=True) == "\x1b[1mwrapper\x1b[0m\n"

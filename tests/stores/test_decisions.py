"""How it was decided whether pages are articles."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from forest_scrapy.stores import HistoryStore, decisions
from forest_scrapy.stores.decisions import Decision

KEYS = [f"{number:032x}" for number in range(30)]


def test_the_latest_decision_on_a_page(tmp_path: Path) -> None:
    place = str(tmp_path / "history.db")
    first = Decision(KEYS[1], False, "content", 0.125, "plain_share -2.1", 7)
    with closing(HistoryStore(place)) as store:
        store.decisions.add(first, 100)
        store.decisions.add(Decision(KEYS[2], False, "template"), 100)
    with closing(HistoryStore(place)) as store:
        known = store.decisions.find(KEYS[1])
        assert known == Decision(KEYS[1], False, "content", 0.125, "plain_share -2.1", 7, 100)
        store.decisions.add(Decision(KEYS[1], True, "person"), 200)
        assert store.decisions.find(KEYS[1]) == Decision(KEYS[1], True, "person", decided=200)
        assert store.decisions.find(KEYS[3]) is None
        store.prune(150)
        assert [bool(store.decisions.find(key)) for key in KEYS[1:3]] == [True, False]


def test_old_decisions_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "MAX_DECISIONS", 10)
    monkeypatch.setattr(decisions, "_PRUNE_INTERVAL", 5)
    with closing(HistoryStore(str(tmp_path / "history.db"))) as store:
        for key in KEYS:
            store.decisions.add(Decision(key, True, "content", 0.5), 100)
        assert [bool(store.decisions.find(key)) for key in KEYS] == [False] * 20 + [True] * 10

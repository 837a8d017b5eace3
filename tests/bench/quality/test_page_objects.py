"""The texts of page objects against those of the wrappers that they were exported from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..helpers import Run

pytest.importorskip("web_poet")
pytest.importorskip("zyte_common_items")

from benchmarks.quality.page_objects import (
    SiteResult,
    print_summary,
    summarize,
)


def test_page_objects_of_the_demo_site(small_set: Path, run: Run) -> None:
    done = run("quality.page_objects", small_set, "--json")
    row = json.loads(done.stdout)
    assert (row["sites"], row["pages"], row["good_sites"]) == (1, 12, 1)
    assert row["f1"] >= 0.99
    assert len(row["worst_pages"]) == 10


def test_the_summary_names_the_worst(capsys: pytest.CaptureFixture[str]) -> None:
    good = SiteResult("good.example", {"https://good.example/1": 1.0})
    bad = SiteResult("bad.example", {"https://bad.example/1": 0.5, "https://bad.example/2": 1.0})
    print_summary(summarize([good, bad], worst=1))
    assert capsys.readouterr().out.splitlines() == [
        "2 sites, 3 pages",
        "  F1 0.8750; at least 0.99 on 1 sites",
        "  worst sites",
        "    0.750 bad.example",
        "  worst pages",
        "    0.500 https://bad.example/1",
    ]


def test_a_summary_of_no_site(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(summarize([], worst=1))
    assert capsys.readouterr().out == "0 sites, 0 pages\n"

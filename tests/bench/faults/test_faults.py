"""What the fault matrix calls lost, doubled or another problem."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.faults.archives import PLACES
from benchmarks.faults.extracts import Extraction, demo_pages, read_records
from demo import build_site

LINES = [json.dumps({"url": f"http://a.example/{n}", "text": "a\nb"}) for n in range(30)]
WANTED = Counter(LINES)


def extraction_of(folder: Path, lines: list[str]) -> Extraction:
    extraction = Extraction(folder, ["pages.jsonl"])
    extraction.output.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return extraction


@pytest.mark.parametrize(
    ("lines", "lost", "doubled"),
    [
        (LINES, 0, 0),
        (LINES[::-1], 0, 0),
        (LINES[1:], 1, 0),
        ([*LINES, LINES[3]], 0, 1),
        ([*LINES[1:], LINES[0].replace("a", "b")], 1, 1),
        ([], 30, 0),
    ],
)
def test_lost_and_doubled(tmp_path: Path, lines: list[str], lost: int, doubled: int) -> None:
    result = extraction_of(tmp_path, lines).check("name", [WANTED])
    assert (result.lost, result.doubled, result.articles) == (lost, doubled, len(lines))
    assert result.is_good == (not lost and not doubled)


def test_no_output(tmp_path: Path) -> None:
    result = Extraction(tmp_path, []).check("name", [WANTED])
    assert result.lost == 30 and result.problems == ["output: FileNotFoundError"]


def test_an_incomplete_output_after_a_run(tmp_path: Path) -> None:
    extraction = extraction_of(tmp_path, LINES[1:])
    extraction.check_whole(WANTED)
    assert extraction.problems == ["an output of 29 after run 0"]


def test_bad_inputs_must_be_named(tmp_path: Path) -> None:
    extraction = extraction_of(tmp_path, LINES)
    line = {"url": "", "source": "pages.jsonl:1", "reason": "empty"}
    extraction.errors.write_text(json.dumps(line), "utf-8")
    extraction.check_named(["pages.jsonl:1 "])
    assert not extraction.problems
    extraction.check_named(["pages.jsonl:1 ", "pages.jsonl:11 "])
    assert extraction.problems == ["1 not named: pages.jsonl:11 "]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '[\n{"a": 1},\n{"a": 2}\n]'),
        ("a.xml", "<items>\n<item>1</item>\n<item>2</item>\n</items>"),
        ("a.jsonl", '{"a": 1}\n{"a": 2}\n'),
    ],
)
def test_records_of_formats(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text, "utf-8")
    assert read_records(file).total() >= 2


def test_damaged_records_are_those_of_articles() -> None:
    articles = {article.path for article in build_site("http://a.example").articles}
    pages = demo_pages()
    assert len(pages) == 40
    assert all(pages[place][0][len("http://a.example") :] in articles for place in PLACES)

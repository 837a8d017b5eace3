"""Scores of dates of single pages."""

from __future__ import annotations

from benchmarks.quality.dates import (
    FOREST,
    DateResult,
    half_of,
    print_dates,
    report_dates,
    score_dates,
)


def result(gold: str, ours: str, confidence: float, peer: str = "") -> DateResult:
    url = "http://a.example/1"
    dates = {FOREST: ours, "peer": peer}
    seconds = {FOREST: 0.002, "peer": 0.001}
    return DateResult("pages", url, half_of(url), gold, dates, confidence, seconds)


RESULTS = [
    result("2024-05-03", "2024-05-03T10:00:00+02:00", 0.99, "2024-05-03"),
    result("2024-05-03", "2024-05-04", 0.99),
    result("2024-05-03", "2024-06-09", 0.9),
    result("2024-05-03", "", 0.0),
]


def test_scores() -> None:
    score = score_dates(RESULTS, FOREST)
    assert (score.pages, score.found, score.right) == (4, 3, 1)
    assert (score.precision, score.recall, score.accuracy) == (1 / 3, 1 / 2, 1 / 4)
    assert round(score.f_score, 2) == 0.4
    assert (score.sure, score.sure_right, score.sure_near) == (2, 1, 2)
    peer = score_dates(RESULTS, "peer")
    assert (peer.found, peer.right, peer.precision, peer.recall) == (1, 1, 1.0, 1 / 4)
    assert score_dates([], FOREST).f_score == 0.0


def test_the_report_has_a_row_for_each_half_and_extractor() -> None:
    rows = report_dates(RESULTS)
    half = half_of("http://a.example/1")
    assert [(row["half"], row["extractor"]) for row in rows] == [
        (half, FOREST),
        (half, "peer"),
        ("both", FOREST),
        ("both", "peer"),
    ]
    assert rows[0]["sure_right"] == 0.5 and rows[0]["ms"] == 2.0
    lines: list[str] = []
    print_dates(rows, lines.append)
    assert len(lines) == 5 and lines[0].startswith("set  half  extractor")

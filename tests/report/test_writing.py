"""The overview of a report."""

from __future__ import annotations

from pathlib import Path

from forest_scrapy.core.health.doubts import Doubt
from forest_scrapy.report.contents import Report
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings


def test_doubtful_items_of_a_crawl_are_listed_the_worst_first(tmp_path: Path) -> None:
    doubts = (Doubt("http://a.example/bad", 0.12), Doubt("http://a.example/odd", 0.61))
    written = write_report(Report("Crawl", (), doubts=doubts), tmp_path, ForestSettings())
    html = written.index.read_text(encoding="utf-8")
    assert "Doubtful items" in html
    assert html.index("a.example/bad") < html.index("a.example/odd")
    assert "0.12" in html


def test_a_report_without_doubtful_items_says_nothing_of_them(tmp_path: Path) -> None:
    written = write_report(Report("Crawl", ()), tmp_path, ForestSettings())
    assert "Doubtful items" not in written.index.read_text(encoding="utf-8")

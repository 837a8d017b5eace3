"""Tables and pictures of all feeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_scrapy.core.codec import to_json
from forest_scrapy.feeds.turnover import FeedTraits
from forest_scrapy.report.contents import Report
from forest_scrapy.report.feeds_view import (
    CURVES_HEIGHT,
    WIDTH,
    FeedBar,
    draw_bars,
    draw_curves,
    view_feeds,
)
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import FeedRecord

HOUR = 3600


def make_feed(
    number: int, site: str = "a.example", interval: int = HOUR, missed: int = 0
) -> FeedRecord:
    traits = FeedTraits("rss20", listed=10 + number, missed=missed, gaps=int(missed > 0))
    return FeedRecord(
        f"https://{site}/{number}",
        read=1,
        hints={"traits": to_json(traits)},
        dates=tuple(interval * place for place in range(11)),
    )


def test_feeds_that_no_crawl_has_read_are_none() -> None:
    assert view_feeds([]) is None
    assert view_feeds([FeedRecord("https://a.example/feed")]) is None


def test_the_tables_and_pictures_of_feeds() -> None:
    feeds = [make_feed(0), make_feed(0, "b.example", 2 * HOUR), make_feed(1, missed=40)]
    view = view_feeds([*feeds, FeedRecord("https://c.example/never-read")])
    assert view is not None
    assert (view.feeds, view.formats, view.missed, view.gaps) == (3, {"RSS 2.0": 3}, 40, 1)
    rows = [(row.name, row.feeds, row.mean, row.deviation) for row in view.sites]
    assert rows == [("a.example", 2, "1.0 h", "0 min"), ("b.example", 1, "2.0 h", "0 min")]
    assert [(bar.label, bar.feeds) for bar in view.bars] == [("10", 2), ("11-14", 1)]
    assert [curve.name for curve in view.curves] == [
        "minimum",
        "first quartile",
        "median",
        "third quartile",
        "maximum",
    ]


def test_all_is_within_the_picture() -> None:
    """Also intervals of a second and of ten years."""
    (curve,) = draw_curves({"median": [1.0, 60.0, 3e8]})
    points = [tuple(map(float, point.split(","))) for point in curve.points.split(" ")]
    assert all(0 <= x <= WIDTH and 0 <= y <= CURVES_HEIGHT for x, y in points)
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert points[-1][1] == 0, "all feeds"
    for bar in draw_bars(dict.fromkeys(range(1, 2001), 3)):
        assert 84 + bar.length < WIDTH - 30


def test_curves_without_intervals_are_left_out() -> None:
    assert draw_curves({"median": []}) == ()
    assert draw_bars({}) == ()


@pytest.mark.parametrize(
    ("listed", "bar"),
    [(9, "1-9"), (10, "10"), (11, "11-14"), (99, "51-99"), (100, "100"), (101, "101 or more")],
)
def test_usual_limits_have_bars_of_their_own(listed: int, bar: str) -> None:
    assert draw_bars({listed: 1}) == (FeedBar(bar, 1, 0.0, 240.0),)


def test_a_report_links_the_page_of_feeds(tmp_path: Path) -> None:
    feeds = view_feeds([make_feed(0, missed=1), make_feed(3, "<b>.example")])
    write_report(Report("Crawl", (), feeds=feeds), tmp_path, ForestSettings())
    overview = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<a href="feeds-of-the-history.html">2 feeds:' in overview
    page = (tmp_path / "feeds-of-the-history.html").read_text(encoding="utf-8")
    assert "about 1 entry has come and gone, once." in page
    assert page.count('<polyline class="curve-2"') == 2  # and the one of the legend
    assert "<td>&lt;b&gt;.example</td>" in page
    write_report(Report("Crawl", ()), tmp_path, ForestSettings())
    assert not (tmp_path / "feeds-of-the-history.html").exists()
    assert "feeds-of" not in (tmp_path / "index.html").read_text(encoding="utf-8")

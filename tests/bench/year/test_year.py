"""The simulated year: a few days of it, and its checks of the rolling feed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

pytest.importorskip("time_machine")

from benchmarks.year.checks import Checker, Emission
from benchmarks.year.command import simulate
from benchmarks.year.feed import check_feed, check_last, check_run
from benchmarks.year.server import FAILED, GONE
from benchmarks.year.sites import DAY, START, Site
from forest_scrapy.exporters.feeds import AtomItemExporter, FeedHead
from forest_scrapy.items import Article

NOW = START + DAY


@pytest.mark.thorough
@pytest.mark.slow
def test_two_days_of_two_sites(tmp_path: Path) -> None:
    runs, year = simulate(tmp_path, days=2, number=2, seed=1, every=1, appends=True)
    assert year.checker.finish(len(runs) - 1) == []
    assert [run.fault for run in runs if run.fault][:4] == ["kill", "limit", "overlap", "back"]
    assert sum(run.items for run in runs) > 30
    assert year.feeds >= 6


def write_feed(site: Site, numbers: Sequence[int], texts: dict[int, str], updated: int) -> bytes:
    """A rolling feed of these stories, with their first texts or others."""
    file, moment = BytesIO(), datetime.fromtimestamp(updated, UTC).isoformat()
    exporter = AtomItemExporter(
        file, FeedHead("A", "urn:uuid:0", "http://a.example/", moment, "", "")
    )
    exporter.start_exporting()
    for number in numbers:
        story = site.stories[number]
        text = texts.get(number, story.versions[0].text)
        url = f"http://{site.host}{story.path}"
        exporter.export_item(
            Article(url, title=story.title, text=text, summary="A teaser", modified=moment)
        )
    exporter.finish_exporting()
    return file.getvalue()


def test_what_is_wrong_with_a_feed() -> None:
    site = Site(0, 2, 1)
    checker = Checker({site.host: site})
    name = f"paper{site.number}/"
    for number, version, kind in ((0, 0, "new"), (1, 0, "changed"), (2, GONE, "gone")):
        checker.tracks[0, number].emitted += [Emission(0, 0, "new")] * bool(number)
        checker.tracks[0, number].emitted.append(Emission(3, version, kind))
    good = write_feed(site, (0, 1), {}, NOW + 9)
    bad = write_feed(site, (2, 1, 1), {1: ""}, NOW)
    late = write_feed(site, (0, 1), {}, NOW + DAY)
    assert [*check_feed(good, checker), *check_run(good, checker, 3, NOW)] == []
    assert list(check_last(good, checker)) == []
    assert list(check_feed(bad, checker)) == [
        "the feed is not valid: DuplicateEntries", f"twice in the feed: {name}1"
    ]  # fmt: skip
    assert list(check_run(bad, checker, 3, NOW)) == [
        f"new, and not in the feed: {name}0",
        f"version {FAILED} in the feed, not 0: {name}1",
        f"gone, and still in the feed: {name}2",
    ]
    assert len(list(check_run(late, checker, 3, NOW))) == 1
    assert len(list(check_last(bad, checker))) == 3
    other = write_feed(site, (0,), {0: "Nothing of this is on the page."}, NOW)
    assert list(check_feed(other, checker)) == [f"another text in the feed: {name}0"]

"""Crawls of a recorded site, with and without its feed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.quality.sites import expected_articles, score_crawl
from benchmarks.sets.bench_set import Group, load_groups
from benchmarks.sets.demo_set import BASE
from benchmarks.sets.recorded_site import RecordedSite, cut_feed
from demo import build_site
from forest_scrapy.items import Article

from ..helpers import ROOT


@pytest.fixture(scope="module")
def group(bench_set: Path) -> Group:
    return next(iter(load_groups(str(bench_set))))


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.crawl
def test_three_ways(small_set: Path) -> None:
    """A process of its own: the reactor can be started once."""
    command = [sys.executable, "-m", "benchmarks.quality.sites", str(small_set), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert report["feed"]["recall"] == report["feed"]["precision"] == 1
    assert {one["way"] for one in report["sites"]} == {"feed", "home", "article"}
    for way in ("feed", "home", "article"):
        assert report[way]["f1"] > 0.9


def test_urls_of_recorded_pages(group: Group) -> None:
    site, page = RecordedSite(group), group.articles[0]
    assert site.find(page.url) is page
    assert site.find(page.url.replace("http:", "https:")) is page
    assert site.find(page.url + "?p=1") is None
    assert site.find(BASE + "/nothing") is None
    body, kind = site.body(page.url) or (b"", "")
    assert (body, kind) == (page.html, "text/html")
    assert site.home is not None and site.home.url == BASE + "/"


def test_the_feed_can_be_left_out(group: Group) -> None:
    site = RecordedSite(group)
    assert site.body(group.feed_url) is not None
    site.with_feed = False
    assert site.body(group.feed_url) is None


def test_full_texts_are_cut_from_the_feed(group: Group) -> None:
    feed = b"<rss><channel><description>About</description><item><title>A</title><description>"
    text = b"&lt;p&gt;" + b"word " * 100 + b"&lt;/p&gt;"
    cut = cut_feed(feed + text + b"</description><link>http://a.example/</link></item>")
    assert b"About" in cut and b"http://a.example/" in cut
    assert cut.count(b"word") == 56
    assert b"<p>" not in cut


def test_reachable_articles(group: Group) -> None:
    site = RecordedSite(group)
    assert len(expected_articles(site, "home")) == len(group.articles)
    assert expected_articles(site, "feed") <= {page.id for page in group.articles}


def test_scores(group: Group) -> None:
    site = RecordedSite(group)
    wanted = expected_articles(site, "home")
    text_of = {article.path: article.text for article in build_site(BASE).articles}
    urls = [page.url for page in group.articles][: len(wanted) // 2]
    emitted = [Article(url, text=text_of[url.removeprefix(BASE)], language="en") for url in urls]
    more = [emitted[0], Article(BASE + "/"), Article("http://other.example/")]
    score = score_crawl(site, "home", [*emitted, *more])
    assert score is not None
    assert score.recall == len(urls) / len(wanted)
    assert score.precision == len(urls) / (len(urls) + 2)  # the home page, and one twice
    assert (score.f1, score.language) == (1, 1)
    assert len(score.missed) == len(wanted) - len(urls)
    assert score.extra == (BASE + "/", emitted[0].url)

"""Methods and peers on the same pages, without the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.quality.comparison import (
    PageScore,
    Results,
    compare,
    compare_sites,
    score_held_out,
    summarize,
)
from benchmarks.quality.method_runs import run_method
from benchmarks.sets.bench_set import BenchPage, load_groups
from benchmarks.sets.demo_set import BASE
from benchmarks.sets.placed_pages import PlacedPage, Site, read_site, read_sites
from benchmarks.sets.scores import Score, score_text
from benchmarks.support.peers import PEERS, installed_peers, run_peer
from forest_scrapy.core import Entry, Page, Params
from forest_scrapy.core.segments.classifier import Classifier, default_classifier


@pytest.fixture(scope="module")
def site(bench_set: Path) -> Site:
    (site,) = read_sites(str(bench_set))
    return site


def results(
    *pages: tuple[float, bool, int], learning: tuple[tuple[int, float], ...] = ()
) -> Results:
    scores = [
        PageScore(Score(f1, 1, f1), f1 > 0, learned, articles) for f1, learned, articles in pages
    ]
    return Results(scores, 3.0, list(learning))


def test_figures_by_hand() -> None:
    row = summarize(
        results((0.2, True, 2), (0.5, True, 2), (0.8, True, 2),
              learning=((10, 0.1), (3, 9.0), (10, 0.3)))
    )  # fmt: skip
    assert (row["pages"], row["precision"], row["recall"], row["f1"]) == (3, 0.5, 1, 0.5)
    assert row["below_half"] == pytest.approx(1 / 3, abs=1e-4)
    assert (row["seconds_per_page"], row["learning_seconds"]) == (1.0, 0.2)
    assert (row["f1_at"]["q1"], row["f1_at"]["median"], row["f1_at"]["q3"]) == (0.35, 0.5, 0.65)
    assert 0.2 < row["f1_at"]["p9"] < row["f1_at"]["q1"]


def test_figures_of_no_pages() -> None:
    row = summarize(Results())
    assert (row["pages"], row["f1"], row["below_half"], row["learning_seconds"]) == (0, 0, 0, None)


def test_held_out_counts_sites_with_more_than_ten_articles() -> None:
    pages = ((0.9, True, 11), (0.7, True, 11), (0.5, False, 11), (0.1, False, 10))
    found = score_held_out(results(*pages))
    assert found == {"learned": 0.8, "other": 0.5, "learned_pages": 2, "other_pages": 1}
    assert score_held_out(results((0.9, True, 10)))["other"] is None


def test_a_site_is_placed_as_in_a_crawl(site: Site) -> None:
    """The articles are in two templates, news and journal; the listings in none of them."""
    assert (site.name, len(site.scored)) == ("demo.example", 30)
    placed = {p.page.url for template in site.templates for p in template}
    assert {page.url for page in site.scored} <= placed
    assert sorted(map(len, site.templates))[-2:] == [14, 16]
    assert any(p.page.entry and p.is_article for template in site.templates for p in template)


def test_a_method_learns_from_ten_pages_of_each_template(site: Site) -> None:
    outcome = run_method(site, Params("forest-feeds"))
    assert outcome.texts.keys() == {page.url for page in site.scored}
    assert [pages for pages, _ in outcome.learning] == [10, 10]
    assert len(outcome.learned) == 20


def test_a_method_that_looks_at_each_page_alone_learns_from_no_other(site: Site) -> None:
    outcome = run_method(site, Params("mss"))
    assert len(outcome.texts) == 30
    assert (outcome.learned, outcome.learning) == (set(), [])


def test_a_method_of_the_papers_is_on_its_own(site: Site) -> None:
    """FOREST from one page learns nothing."""
    assert set(run_method(site, Params("forest", pages=1)).texts.values()) == {""}


@pytest.mark.parametrize("classifier", [None, default_classifier()])
def test_a_trained_method_turns_to_the_feed(classifier: Classifier | None) -> None:
    page = Page.from_html("<body></body>", BASE + "/1", Entry("Boats"))
    scored = (BenchPage("1", page.url, "article", b"", "Boats"),)
    site = Site("a", scored, ((PlacedPage(page, True),),), 0.0)
    assert run_method(site, Params("auto"), classifier).texts == {page.url: "Boats"}
    assert run_method(site, Params("description")).texts == {page.url: "Boats"}
    assert run_method(site, Params("sigfeed")).texts == {page.url: ""}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "single", "mss"])
def test_a_given_classifier_is_asked_in_the_place_of_the_one_that_ships(
    site: Site, method: str
) -> None:
    """The same classifier gives the same texts."""
    given = run_method(site, Params(method), default_classifier())
    assert given.texts == run_method(site, Params(method)).texts


def test_every_page_counts_for_everyone(site: Site) -> None:
    asked: list[str] = []

    def name_classifier(site: str) -> None:
        asked.append(site)

    peers = {"all": lambda html: html.decode(), "none": lambda html: None}
    methods = [Params("description"), Params("auto")]
    compared = compare([site], methods, peers, name_classifier)
    rows = [summarize(own) for own in (*compared.methods.values(), *compared.peers.values())]
    assert [row["pages"] for row in rows] == [30] * 4
    assert rows[1]["f1"] > 0.95
    assert rows[2]["recall"] > rows[2]["precision"] > 0
    assert (rows[3]["f1"], rows[3]["below_half"], rows[3]["nothing"]) == (0, 1, 1)
    assert rows[1]["nothing"] == rows[2]["nothing"] == 0
    assert asked == ["demo.example"]  # no other method asks a classifier


def test_a_page_that_the_crawl_drops_is_scored_as_empty(bench_set: Path) -> None:
    (group,) = load_groups(str(bench_set))
    site = read_site(group)
    bare = Site(site.name, site.scored, (), 0.0)
    compared = compare([bare], [Params("auto")], {})
    assert summarize(compared.methods[Params("auto")])["f1"] == 0


def test_a_peer_that_fails_gives_nothing() -> None:
    def fail(html: bytes) -> str:
        raise RecursionError("too deep")

    text, seconds = run_peer(fail, b"<p>a")
    assert text == ""
    assert 0 <= seconds < 60


@pytest.mark.parametrize("name", PEERS)
def test_installed_peers_read_a_page(site: Site, name: str) -> None:
    if name not in installed_peers():
        pytest.skip(f"{name} is not installed")
    text, _ = run_peer(PEERS[name], site.scored[0].html)
    assert score_text(site.scored[0].gold, text).recall > 0.5


def site_results(f1_by_site: dict[str, list[float]]) -> Results:
    scores = [
        PageScore(Score(f1, f1, f1), True, False, len(values), name)
        for name, values in f1_by_site.items()
        for f1 in values
    ]
    return Results(scores)


def test_sites_are_ranked_by_what_their_templates_lose() -> None:
    template = site_results({"owl": [0.4, 0.8], "elm": [0.99, 0.99], "oak": [1.0, 1.0]})
    single = site_results({"owl": [0.9, 0.9], "elm": [1.0, 1.0], "oak": [0.5, 0.5]})
    found = compare_sites(template, single)
    assert [(row["site"], row["loss"]) for row in found["worst_sites"]] == [
        ("owl", 0.3), ("elm", 0.01),
    ]  # fmt: skip
    assert (found["sites"], found["losing_sites"], found["largest_loss"]) == (3, 1, 0.3)
    assert (found["below_half"], found["below_nine_tenths"]) == (1, 2)


def test_templates_that_lose_nothing_have_no_worst_site() -> None:
    template = site_results({"oak": [1.0]})
    single = site_results({"oak": [0.5]})
    found = compare_sites(template, single)
    assert (found["largest_loss"], found["worst_sites"]) == (0.0, [])

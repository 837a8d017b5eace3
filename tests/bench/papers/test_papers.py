"""``benchmarks.papers``: its measures by hand, and the command on a small set."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.papers.article_layouts import LABEL, make_articles
from benchmarks.papers.baselines import WINDOW, extract_plain, extract_slope
from benchmarks.papers.luo import (
    NoBrowser,
    choose_plain,
    choose_rendered,
    labelled_texts,
    render_pages,
)
from benchmarks.papers.samples import site_interval
from benchmarks.papers.tree_distance import Tree, read_tree, tree_distance
from benchmarks.papers.zhang import LAYOUTS, compare_counts, make_catalogues, split_sentences
from forest_scrapy.core import Page
from forest_scrapy.core.methods.vsse import choose_leaves, read_pairs, weigh_leaves

from ..helpers import Run


def tree_of(html: str) -> Tree:
    return read_tree(Page.from_html(f"<html><head></head><body>{html}</body></html>"))


@pytest.mark.parametrize(
    ("a", "b", "cost"),
    [
        pytest.param("<p></p>", "<p></p>", 0, id="equal"),
        pytest.param("<p></p>", "<p></p><p></p>", 1, id="insert"),
        pytest.param("<ul><li></li></ul>", "", 2, id="delete a subtree"),
        pytest.param("<p></p>", "<h1></h1>", 1, id="replace a leaf"),
        pytest.param("<ul><li></li></ul>", "<ol><li></li></ol>", 3, id="no leaf: li is not mapped"),
        pytest.param("<p></p><ul></ul>", "<ul></ul>", 1, id="children in order"),
    ],
)
def test_costs_of_restricted_top_down_mappings(a: str, b: str, cost: int) -> None:
    first = tree_of(a)
    second = tree_of(b)
    assert tree_distance(first, second) == cost / (first.size + second.size)
    assert tree_distance(second, first) == tree_distance(first, second)


def test_prose_is_flat_in_the_slope_curve() -> None:
    prose = "word " * WINDOW * 3
    menu = "<a>link</a>" * WINDOW
    html = f"<body>{menu}<p>{prose}</p>{menu}".encode()
    words = extract_slope(html).split()
    assert 2 * WINDOW <= words.count("word") <= 3 * WINDOW
    assert words.count("link") < WINDOW / 10
    assert extract_plain(html).split().count("link") == 2 * WINDOW


def test_the_interval_is_that_of_sites_and_not_of_pages() -> None:
    by_site = site_interval([[0.0] * 50, [1.0] * 50])
    by_page = site_interval([[0.0]] * 50 + [[1.0]] * 50)
    assert by_site == (0.0, 1.0)
    assert 0.3 < by_page[0] < 0.5 < by_page[1] < 0.7


def test_made_articles_differ_in_what_breaks_their_lines() -> None:
    """Paragraphs that the style sheet makes are no segments until the page is rendered."""
    elements, line_breaks, blocks, *_ = make_articles()
    assert all(LABEL in html for html in (elements, line_breaks, blocks))
    for html in (elements, line_breaks):
        assert sum(text[1:3] == ". " for text in choose_plain(Page.from_html(html))["MSS"]) == 4
    texts = choose_plain(Page.from_html(blocks))["MSS"]
    assert sum(text[1:3] == ". " for text in texts) == 1


def test_nothing_is_rendered_without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoBrowser, match="install"):
        render_pages([])


def test_sentences_count_as_often_as_they_occur() -> None:
    """|ECS| = 2, |EAS| = 3, |GS| = 4."""
    extracted = split_sentences("Owls sit. Owls sit. A menu")
    correct = split_sentences("Owls sit. Owls sit.\nOwls sit! They fly?")
    assert compare_counts(extracted, correct) == (2 / 3, 1 / 2, 4 / 7)


def test_a_lower_t1_starts_from_more_leaves() -> None:
    """The leaves share nothing but the body: the area is that of the starting leaves."""
    first = "Owls, here, sit on a long branch, and look, all night, at mice."
    page = Page.from_html(f"<div><p>{first}</p></div><ul><li>Owls, fly, at night.</li></ul>")
    weights = weigh_leaves([leaf.text for leaf in page.outline.leaves])
    assert choose_leaves(page, weights) == {0}
    assert choose_leaves(page, weights, min_share=0.1) == {0, 1}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pairs_of_made_pages_are_read(layout: str) -> None:
    *_, last = make_catalogues(layout)
    assert len(last.pairs) == 20
    page = Page.from_html(last.html)
    assert read_pairs(page, characteristics=["height"]) == last.pairs


@pytest.mark.slow
def test_a_rendered_article_is_its_labelled_segments() -> None:
    elements, _, blocks, *_ = make_articles()
    try:
        rendered = render_pages([elements, blocks])
    except NoBrowser as error:
        pytest.skip(str(error))
    for html in rendered:
        page = Page.from_html(html)
        labelled = labelled_texts(page)
        assert len(labelled) == 4
        assert choose_rendered(page)["MSS and alignment"] == labelled


@pytest.mark.thorough
@pytest.mark.slow
def test_the_tables(small_set: Path, run: Run) -> None:
    done = run("papers", small_set)
    assert (done.returncode, done.stderr) == (0, "")
    titles = [line for line in done.stdout.splitlines() if line.startswith(("FOREST", "Gottron"))]
    assert len(titles) == 11
    before_luo, *luo = done.stdout.split("\nLuo, section 5")
    assert before_luo.count("\nDiffers: ") == 14
    luo[-1], *zhang = luo[-1].split("\nZhang, ")
    assert sum("\nDiffers: " in table or "skipped: " in table for table in luo) == len(luo) >= 2
    zhang[-1], *thesis = zhang[-1].split("\nThesis, 1.2")
    assert [table.count("\nDiffers: ") for table in zhang] == [1, 1, 1]
    assert [table.count("\nDiffers: ") for table in thesis] == [1] * 6
    assert "1 of 1 sites, sampled evenly" in done.stdout

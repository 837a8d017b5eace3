from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import sqrt

import pytest

from forest_scrapy.core import (
    Entry,
    NotEnoughPages,
    Page,
    Params,
    UnknownChoice,
    UnknownMeasure,
    Wrapper,
)
from forest_scrapy.core.methods.forest import (
    MEASURES,
    density,
    informativeness,
    learn_coverage,
    learn_forest,
    learn_forest_feeds,
    measure_coverage,
    measure_coverage_share,
    measure_informativeness,
    rank_template,
    unexpectedness,
)
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.core.xpaths.structural import Measure, Significant, mark_significant, read_page

from ..helpers import make_page, make_pages

Learn = Callable[[Sequence[Page], Params], Wrapper]

LEARNERS: tuple[Learn, ...] = (learn_forest, learn_forest_feeds, learn_coverage)
MENU = "<ul class=menu><li>home</li><li>about</li></ul>"


def story(text: str) -> str:
    return f"{MENU}<div class=story><p>{text}</p></div>"


PAGES = make_pages(
    story("harbour boats harbour fish in the net"),
    story("owl hedge owl mice in the field"),
    story("rain cloud rain wind over the hill"),
)


def measured(weights: dict[str, float]) -> tuple[Significant, Node]:
    page = make_page("<div class=a><p>sea sea boat and rain</p></div><p>owl cloud</p>")
    marked = mark_significant(read_page(page), weights)
    return marked, next(n for n in page.outline.nodes if n.element.tag == "div")


def test_the_share_of_coverage_by_hand() -> None:
    """Weights 3 and 1 of a total of 5, regardless of frequency."""
    marked, node = measured({"sea": 3.0, "boat": 1.0, "owl": 1.0})
    assert measure_coverage_share(marked, node) == pytest.approx(0.8)
    assert measure_coverage_share(marked, marked.page.outline.nodes[0]) == pytest.approx(1.0)


def test_coverage_of_equation_6_by_hand() -> None:
    """The weights 3 and 4 have the length 5, so they are 0.6 and 0.8 of it; two signifiers."""
    marked, node = measured({"sea": 3.0, "owl": 4.0})
    assert measure_coverage(marked, node) == pytest.approx(0.6 / 2)
    assert measure_coverage(marked, marked.page.outline.nodes[0]) == pytest.approx(1.4 / 2)
    assert measure_coverage_share(marked, node) == pytest.approx(3 / 7)


@pytest.mark.parametrize("measure", [measure_coverage, measure_coverage_share])
def test_coverage_without_signifiers_is_0(measure: Measure) -> None:
    assert measure(*measured({})) == 0.0


def test_coverage_ranks_by_the_choice_of_params() -> None:
    """Equation 7: the first page has one signifier, of which the box has all; the others have two,
    of the same weight, of which it has one.  Shares: 1 + 1/2 + 1/2; means: 1 + 2 * (1/sqrt(2)) / 2.
    Three pages, level 2."""
    pages = make_pages(
        "<div class=a>harbour</div>",
        "<div class=a>hedge</div><p>mouse</p>",
        "<div class=a>cloud</div><p>rain</p>",
    )
    shares = learn_coverage(pages, Params(coverage="share"))
    means = learn_coverage(pages, Params())
    assert shares.evidence.score == pytest.approx(2 * 3 * 2)
    assert means.evidence.score == pytest.approx((1 + 1 / sqrt(2)) * 3 * 2, abs=1e-4)


def test_what_p_counts_is_chosen_by_method_and_params() -> None:
    """Three pages, each with two paths: p = 3 or 6, at level 2."""
    bodies = [f"<div class=a>{word}<br>{word}</div>" for word in ("owl", "sea", "rain")]
    pages = make_pages(*bodies)
    scores = {}
    for learn in LEARNERS:
        for occurrences in (None, "pages", "paths"):
            params = Params(occurrences=occurrences)
            scores[learn, occurrences] = learn(pages, params).evidence.score
    for learn in LEARNERS:
        assert scores[learn, "paths"] == pytest.approx(2 * scores[learn, "pages"], abs=1e-3)
    assert scores[learn_forest, None] == scores[learn_forest, "pages"]
    assert scores[learn_coverage, None] == scores[learn_coverage, "pages"]
    assert scores[learn_forest_feeds, None] == scores[learn_forest_feeds, "paths"]


@pytest.mark.parametrize(
    ("learn", "params", "message"),
    [
        (learn_forest, Params(occurrences="leaves"), "occurrences 'leaves'; .* paths, pages"),
        (learn_coverage, Params(coverage="sum"), "coverage 'sum'; .* mean, share"),
        (learn_forest, Params(source="logs"), "source 'logs'; .* tf-idf, feed, title"),
        (learn_forest, Params(attribute_values="all"), "attribute_values 'all'; .* full"),
        (learn_forest, Params(filtered=("menus",)), "filtered 'menus'; .* links, comments"),
    ],
)
def test_an_unknown_choice_is_refused(learn: Learn, params: Params, message: str) -> None:
    with pytest.raises(UnknownChoice, match=message):
        learn(PAGES, params)


def test_informativeness_by_counts() -> None:
    """x = 3 of 4 signifiers, y = 2 of 3 other terms, with multiplicity."""
    marked, node = measured({"sea": 3.0, "boat": 1.0, "owl": 1.0})
    assert measure_informativeness(marked, node) == pytest.approx(informativeness(3, 2, 4, 3))


def test_measures_of_figure_7() -> None:
    marked, node = measured({"sea": 3.0, "boat": 1.0, "owl": 1.0})
    found = {name: measure(marked, node) for name, measure in MEASURES.items()}
    parts = {"J": density(3, 2), "U": unexpectedness(3, 2, 4, 3)}
    assert found == pytest.approx({**parts, "J*U": parts["J"] * parts["U"]})


def test_patterns_are_ranked_by_the_measure_of_params() -> None:
    """J prefers the shortest element of signifiers only, U the element with all of them."""
    pages = make_pages(
        "<div class=a><p class=b>harbour</p><p>harbour and boats there</p></div>",
        "<div class=a><p class=b>hedge</p><p>hedge and owls here</p></div>",
    )
    texts = {}
    for name in MEASURES:
        params = Params(signifiers=1, measure=name, occurrences="paths")
        texts[name] = learn_forest(pages, params).apply(pages[0]).text
    assert texts["J"] == "harbour"
    assert texts["U"] == texts["J*U"] == "harbour\nharbour and boats there"


@pytest.mark.parametrize("learn", [learn_forest, learn_forest_feeds])
def test_an_unknown_measure_is_refused_with_the_known_ones(learn: Learn) -> None:
    with pytest.raises(
        UnknownMeasure, match=r"unknown measure 'V'; the measures are J\*U, J, U"
    ) as error:
        learn(PAGES, Params(measure="V"))
    assert (error.value.name, error.value.known) == ("V", ("J*U", "J", "U"))


@pytest.mark.parametrize("learn", LEARNERS)
def test_the_story_is_found(learn: Learn) -> None:
    wrapper = learn(PAGES, Params())
    texts = [wrapper.apply(page).text for page in PAGES]
    assert texts[0] == "harbour boats harbour fish in the net"
    assert not any("about" in text for text in texts)


@pytest.mark.parametrize("learn", LEARNERS)
@pytest.mark.parametrize("given", [0, 1])
def test_two_pages_are_needed(learn: Learn, given: int) -> None:
    with pytest.raises(NotEnoughPages) as error:
        learn(PAGES[:given], Params())
    assert (error.value.needed, error.value.given) == (2, given)
    assert learn(PAGES[:2], Params()).keep


def test_evidence() -> None:
    evidence = learn_forest(PAGES, Params()).evidence
    assert evidence.pages == 3
    assert evidence.signifiers == "tf-idf"
    assert evidence.score >= evidence.runner_up_score > 0
    assert evidence.runner_up.startswith(("//", "(//"))


def test_only_forest_feeds_uses_entries() -> None:
    fed = [Page(page.url, page.root, Entry("Boats and owls")) for page in PAGES]
    assert learn_forest_feeds(fed, Params()).evidence.signifiers == "feed"
    assert learn_forest(fed, Params()).evidence.signifiers == "tf-idf"
    assert learn_coverage(fed, Params()).evidence.signifiers == "tf-idf"


def test_feed_entries_and_tfidf_can_find_different_blocks() -> None:
    """The chat has more rare words; the entries have the words of the story."""
    texts = [("boats", "goose gander geese"), ("owls", "tulip rose lily")]
    pages = [
        make_page(
            f"<div class=story>{text} seen today</div><div class=chat>{chat} {chat}</div>",
            f"http://a.example/{text}",
            Entry(f"{text} seen"),
        )
        for text, chat in texts
    ]
    assert learn_forest_feeds(pages, Params()).apply(pages[0]).text == "boats seen today"
    assert "goose" in learn_forest(pages, Params()).apply(pages[0]).text


def test_a_page_without_the_best_pattern_keeps_its_own_best() -> None:
    odd = make_page("<div class=other><p>bread butter jam</p></div>", "http://a.example/odd")
    wrapper = learn_forest([*PAGES, odd], Params())
    assert len(wrapper.keep) > 1
    assert "bread butter jam" in wrapper.apply(odd).text
    assert wrapper.apply(PAGES[0]).xpath == wrapper.xpath


def test_nothing_is_learned_from_equal_pages() -> None:
    """Terms on all pages are not signifiers, so the wrapper has no expressions."""
    same = make_pages(story("fish"), story("fish"))
    wrapper = learn_forest(same, Params())
    assert (wrapper.keep, wrapper.evidence.score, wrapper.evidence.runner_up) == ((), 0.0, "")


def test_params_set_the_number_of_signifiers() -> None:
    marked, _ = rank_template(PAGES, Params(signifiers=1), measure_coverage, "tf-idf")
    assert [list(page.weights) for page in marked] == [["harbour"], ["owl"], ["rain"]]


def test_full_values_are_tested_for_by_the_wrapper() -> None:
    bodies = [f"<div class='post-3228 x'>{word} {word}</div>" for word in ("owl", "sea")]
    pages = make_pages(*bodies)
    tolerant = learn_forest(pages, Params())
    full = learn_forest(pages, Params(attribute_values="full"))
    assert tolerant.xpath == "//div[@class='post-3228 x'][count(ancestor::*)=2]"
    assert full.xpath == tolerant.xpath
    other = make_page("<div class='post-3229 x'>rain</div>")
    single = learn_forest([*pages[:1], other], Params(attribute_values="full"))
    assert [single.apply(page).text for page in (pages[0], other)] == ["owl owl", "rain"]


def test_without_the_level_a_high_pattern_may_win() -> None:
    """By J the box has three signifiers of three terms, at level 2, and the paragraph in it two of
    two, at level 3; two pages, so that both sums and p are 2."""
    bodies = [
        f"<div class=a>{a}<p class=b>{b} {c}</p></div><p>and and and and</p>"
        for a, b, c in (("owl", "hedge", "mice"), ("sea", "boat", "net"))
    ]
    pages = make_pages(*bodies)
    with_level = learn_forest(pages, Params(measure="J"))
    without_level = learn_forest(pages, Params(measure="J", level_factor=False))
    assert with_level.apply(pages[0]).text == "hedge mice"
    assert with_level.evidence.score == pytest.approx(2 * density(2, 0) * 2 * 3, abs=1e-4)
    assert without_level.apply(pages[0]).text == "owl\nhedge mice"
    assert without_level.evidence.score == pytest.approx(2 * density(3, 0) * 2, abs=1e-4)


def test_lists_of_links_are_left_out_if_they_are_filtered_first() -> None:
    links = "<ul><li><a href=/1>rain one</a><li><a href=/2>rain two</a></ul>"
    bodies = [f"<div class=a>{word} {word}{links}</div>" for word in ("owl", "sea")]
    pages = make_pages(*bodies)
    wrapper = learn_forest(pages, Params(filtered=("links",)))
    assert wrapper.apply(pages[0]).text == "owl owl"
    assert "rain one" in learn_forest(pages, Params()).apply(pages[0]).text


@pytest.mark.parametrize(
    ("source", "first"),
    [
        ("feed", "from the feed"),
        ("title", "with the title"),
        ("metadata", "in the metadata"),
        ("url", "of the address"),
        ("links", "behind the link"),
        ("query", "by the query"),
    ],
)
def test_signifiers_come_from_the_chosen_source(source: str, first: str) -> None:
    """Each source has words of its own, which are dense in a block of its own."""
    pages = []
    for number, words in enumerate(
        ("owl hedge mice nest wood lake", "sea boat net fish tide reef")
    ):
        feed, title, metadata, address, link, query = words.split()
        entry = Entry(title, feed) if source == "title" else Entry(feed, feed)
        html = (
            f"<html lang=xx><head><meta name=description content='{metadata}'></head><body>"
            f"<p class=a>{feed} from the feed</p><p class=b>{title} with the title</p>"
            f"<p class=c>{metadata} in the metadata</p><p class=d>{address} of the address</p>"
            f"<p class=e>{link} behind the link</p><p class=f>{query} by the query</p></body>"
        )
        url = f"http://a.example/{number}/{address}.html"
        page = Page(url, parse_html(html), entry, query, link_texts=(link,))
        pages.append(page)
    wrapper = learn_forest(pages, Params(source=source))
    assert wrapper.evidence.signifiers == source
    if source == "links":  # the title of the entry is that of a link, too
        pages = [replace(page, entry=None) for page in pages]
        wrapper = learn_forest(pages, Params(source=source))
    assert wrapper.apply(pages[0]).text.endswith(first)

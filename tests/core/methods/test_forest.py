from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from forest_scrapy.core import Entry, NotEnoughPages, Page, Params, UnknownMeasure, Wrapper
from forest_scrapy.core.document.tree import Node
from forest_scrapy.core.methods.forest import (
    MEASURES,
    learn_coverage,
    learn_forest,
    learn_forest_feeds,
    measure_coverage,
    measure_informativeness,
    rank_template,
)
from forest_scrapy.core.methods.relevance import density, informativeness, unexpectedness
from forest_scrapy.core.patterns.structural import Significant, mark_significant, read_page

from ..helpers import make_page, make_pages

WrapperProvider = Callable[[Sequence[Page], Params], Wrapper]

LEARNERS: tuple[WrapperProvider, ...] = (learn_forest, learn_forest_feeds, learn_coverage)
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


def test_coverage_by_hand() -> None:
    """Equation 6: the weights 3 and 1 of all 5 are in the node, however often."""
    marked, node = measured({"sea": 3.0, "boat": 1.0, "owl": 1.0})
    assert measure_coverage(marked, node) == pytest.approx(0.8)
    assert measure_coverage(marked, marked.page.outline.nodes[0]) == pytest.approx(1.0)


def test_coverage_without_signifiers_is_none() -> None:
    assert measure_coverage(*measured({})) == 0.0


def test_informativeness_by_counts() -> None:
    """x = 3 of 4 signifiers, y = 2 of 3 other terms: multiplicity counts."""
    marked, node = measured({"sea": 3.0, "boat": 1.0, "owl": 1.0})
    assert measure_informativeness(marked, node) == pytest.approx(informativeness(3, 2, 4, 3))


def test_measures_of_figure_7() -> None:
    marked, node = measured({"sea": 3.0, "boat": 1.0, "owl": 1.0})
    found = {name: measure(marked, node) for name, measure in MEASURES.items()}
    parts = {"J": density(3, 2), "U": unexpectedness(3, 2, 4, 3)}
    assert found == pytest.approx({**parts, "J*U": parts["J"] * parts["U"]})


def test_the_measure_that_params_name_ranks() -> None:
    """J goes for the shortest element that is all signifiers, U for all that holds them."""
    pages = make_pages(
        "<div class=a><p class=b>harbour</p><p>harbour and boats there</p></div>",
        "<div class=a><p class=b>hedge</p><p>hedge and owls here</p></div>",
    )
    texts = {
        name: learn_forest(pages, Params(signifiers=1, measure=name)).apply(pages[0]).text
        for name in MEASURES
    }
    assert texts["J"] == "harbour"
    assert texts["U"] == texts["J*U"] == "harbour\nharbour and boats there"


@pytest.mark.parametrize("learn", [learn_forest, learn_forest_feeds])
def test_an_unknown_measure_names_those_there_are(learn: WrapperProvider) -> None:
    with pytest.raises(
        UnknownMeasure, match=r"unknown measure 'V'; the measures are J\*U, J, U"
    ) as error:
        learn(PAGES, Params(measure="V"))
    assert (error.value.name, error.value.known) == ("V", ("J*U", "J", "U"))


@pytest.mark.parametrize("learn", LEARNERS)
def test_the_story_is_found(learn: WrapperProvider) -> None:
    wrapper = learn(PAGES, Params())
    texts = [wrapper.apply(page).text for page in PAGES]
    assert texts[0] == "harbour boats harbour fish in the net"
    assert not any("about" in text for text in texts)


@pytest.mark.parametrize("learn", LEARNERS)
@pytest.mark.parametrize("given", [0, 1])
def test_two_pages_are_the_least(learn: WrapperProvider, given: int) -> None:
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


def test_entries_are_used_by_forest_feeds_and_by_no_other() -> None:
    fed = [Page(page.url, page.root, Entry("Boats and owls")) for page in PAGES]
    assert learn_forest_feeds(fed, Params()).evidence.signifiers == "feed"
    assert learn_forest(fed, Params()).evidence.signifiers == "tf-idf"
    assert learn_coverage(fed, Params()).evidence.signifiers == "tf-idf"


def test_the_feed_points_at_another_block_than_the_rarest_words() -> None:
    """The chatter is longer and told apart by tf-idf; the entries name the stories."""
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


def test_a_page_without_the_winner_keeps_the_best_it_has() -> None:
    odd = make_page("<div class=other><p>bread butter jam</p></div>", "http://a.example/odd")
    wrapper = learn_forest([*PAGES, odd], Params())
    assert len(wrapper.keep) > 1
    assert "bread butter jam" in wrapper.apply(odd).text
    assert wrapper.apply(PAGES[0]).xpath == wrapper.xpath


def test_equal_pages_teach_nothing() -> None:
    """What all pages share is no signifier: a wrapper without expressions."""
    same = make_pages(story("fish"), story("fish"))
    wrapper = learn_forest(same, Params())
    assert (wrapper.keep, wrapper.evidence.score, wrapper.evidence.runner_up) == ((), 0.0, "")


def test_fewer_signifiers_are_taken_where_params_say_so() -> None:
    marked, _ = rank_template(PAGES, Params(signifiers=1), measure_coverage, use_entries=False)
    assert [list(page.weights) for page in marked] == [["harbour"], ["owl"], ["rain"]]

from __future__ import annotations

import pytest

from forest_scrapy.core import NotEnoughPages, Page, Params, Wrapper
from forest_scrapy.core.methods.entropy import learn_entropy, template_texts

from ..helpers import make_pages

MENU = "<ul class=menu><li>home<li>about</ul>"


def story(text: str, more: str = "") -> str:
    return f"{MENU}<div class=story><p>{text}</p></div>{more}"


def learn(pages: list[Page]) -> Wrapper:
    return learn_entropy(pages, Params())


@pytest.mark.parametrize(
    ("pages", "found_on", "is_template"),
    [(2, 1, False), (2, 2, True), (3, 1, False), (3, 2, True), (6, 2, False), (6, 3, True),
     (9, 3, False), (10, 3, False), (10, 4, True)],
)  # fmt: skip
def test_more_than_a_third(pages: int, found_on: int, is_template: bool) -> None:
    texts = [{"menu"} if i < found_on else {str(i)} for i in range(pages)]
    assert ("menu" in template_texts(texts)) is is_template


def test_a_text_counts_once_per_page() -> None:
    assert template_texts([["a", "a", "a"], ["b"]]) == frozenset()


def test_template_text_is_dropped_and_the_rest_kept() -> None:
    pages = make_pages(story("boats", "<p>42 views</p>"), story("owls", "<p>7 views</p>"))
    wrapper = learn(pages)
    assert [wrapper.apply(page).text for page in pages] == ["boats\n42 views", "owls\n7 views"]
    assert (wrapper.keep, len(wrapper.drop)) == (("/html/body",), 1)
    assert wrapper.evidence.score == pytest.approx(1 - 18 / (18 + 5 + 8 + 4 + 7), abs=1e-4)


def test_an_unseen_page() -> None:
    wrapper = learn(make_pages(story("boats"), story("owls")))
    (other,) = make_pages(story("rain"))
    assert wrapper.apply(other).text == "rain"


def test_a_recurrent_sentence_in_a_story_is_kept() -> None:
    """Most text at its path is not template text."""
    ending = "</p><p>more"
    pages = make_pages(story(f"the boats{ending}"), story(f"the owls{ending}"))
    assert learn(pages).apply(pages[0]).text == "the boats\nmore"


def test_pages_of_template_text_only_give_no_expression() -> None:
    assert learn(make_pages(story("boats"), story("boats"))).keep == ()
    assert learn(make_pages("", "")).keep == ()


@pytest.mark.parametrize("given", [0, 1])
def test_two_pages_are_needed(given: int) -> None:
    with pytest.raises(NotEnoughPages, match=f"entropy needs 2 pages or more, {given}"):
        learn(make_pages(story("boats"), story("owls"))[:given])

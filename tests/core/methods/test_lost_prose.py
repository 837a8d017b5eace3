"""Prose that the wrapper of a template loses on one of its pages."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from forest_scrapy.core import Article, Page, Wrapper, extract_item, learn_rules
from forest_scrapy.core.methods.lost_prose import find_lost_prose

SUBJECTS = ("The harbour master", "A retired pilot", "The bakery on the quay", "Her neighbour")
VERBS = ("repaired", "photographed", "forgot", "described", "sold")
OBJECTS = ("the old lighthouse", "a crate of lamps", "the ferry's bell", "two charts of the bay")


def paragraph(number: int, sentences: int = 3) -> str:
    choose = random.Random(number).choice
    return " ".join(
        f"{choose(SUBJECTS)} {choose(VERBS)} {choose(OBJECTS)} in the year {1900 + number + i}."
        for i in range(sentences)
    )


def story(number: int, more: str = "", url: str = "") -> Page:
    """An article in its container, followed by ``more``, and a column of teasers."""
    body = "".join(f"<p>{paragraph(10 * number + i)}</p>" for i in range(5))
    teaser = "The paper is printed on the island, and it is delivered by boat on every weekday."
    return Page.from_html(
        f"<html lang=en><head><title>Story {number} of the island</title></head><body>"
        f"<header><a href=/>The island paper</a></header>"
        f"<main><h1>Story {number} of the island</h1>"
        f"<div class=story>{body}</div>{more}</main>"
        f"<aside class=about><h3>About us</h3><p>{teaser}</p></aside></body></html>",
        url or f"https://island.example/stories/{number}",
    )


STORIES = [story(number) for number in range(10)]
MORE = f"<div class=article-text><p>{paragraph(700)}</p><p>{paragraph(800)}</p></div>"


def text_of(page: Page, pages: list[Page]) -> str:
    item = extract_item(page, learn_rules(pages))
    assert isinstance(item, Article)
    return item.text


def test_prose_at_a_place_that_no_page_had_is_recovered() -> None:
    page = story(50, MORE)
    text = text_of(page, STORIES)
    assert paragraph(500) in text
    assert text.endswith(f"{paragraph(700)}\n{paragraph(800)}")


def test_what_stood_outside_on_the_learning_pages_is_not_lost() -> None:
    rules = learn_rules(STORIES)
    page = story(50)
    assert find_lost_prose(page, rules.wrapper, rules.wrapper.apply(page)) == {}
    longer = story(50, MORE)
    lost = find_lost_prose(longer, rules.wrapper, rules.wrapper.apply(longer))
    assert [block.getparent().get("class") for block in lost] == ["article-text", "article-text"]


def test_other_pages_keep_their_text() -> None:
    rules = learn_rules(STORIES)
    page = story(51)
    assert extract_item(page, rules) == extract_item(story(51), rules)
    assert "delivered by boat" not in text_of(page, STORIES)


def test_a_page_of_the_sample_that_has_more_is_learned_from() -> None:
    pages = [*STORIES[:9], story(9, MORE)]
    for rotation in range(10):
        sample = [*pages[rotation:], *pages[:rotation]]
        assert paragraph(700) in text_of(pages[-1], sample)


@pytest.mark.parametrize(
    "edit",
    [
        lambda wrapper: replace(wrapper, drop=(*wrapper.drop, "//div[@class='story']/p[1]")),
        lambda wrapper: replace(wrapper, keep=("//div[@class='story']/p[position() > 1]",)),
    ],
)
def test_what_a_person_leaves_out_is_not_recovered(edit: Callable[[Wrapper], Wrapper]) -> None:
    rules = learn_rules(STORIES)
    edited = edit(rules.wrapper)
    assert rules.wrapper.is_as_learned and not edited.is_as_learned
    item = extract_item(story(60, MORE), rules.with_article(edited))
    assert isinstance(item, Article)
    assert paragraph(600) not in item.text and paragraph(700) not in item.text
    assert paragraph(601) in item.text

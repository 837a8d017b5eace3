from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from forest_scrapy.core import Page, Wrapper, learn
from forest_scrapy.core.segments.classifier import classify_unseen, default_classifier
from forest_scrapy.core.wrapper import Evidence
from tests.core.helpers import demo_pages, make_page

STORY = "The boats came in with the fish of the night, and the town bought all of it. " * 3
LINKS = "".join(f"<li><a href=/{i}>More on boats {i}</a></li>" for i in range(12))


def story(extra: str = "") -> Page:
    return make_page(
        f"<nav><a href=/>Home</a></nav><div class=post><h1>Boats</h1><p>{STORY}</p>{extra}"
        f"<p>{STORY}</p></div><footer>All rights reserved</footer>"
    )


#: A wrapper of such pages, as ``learn`` would make it.
WRAPPER = Wrapper(
    "trained",
    ("//div[@class='post']",),
    Evidence(),
    take="all",
    known=("div[class=post]@2 h1", "div[class=post]@2 p"),
)


def test_known_paths_are_not_classified() -> None:
    found = WRAPPER.apply(story())
    assert (found.unseen, found.text.count("The boats")) == (0, 6)


def test_a_new_block_of_links_is_left_out_and_counted() -> None:
    related = f"<aside class=related><h4>Related</h4><ul>{LINKS}</ul></aside>"
    found = WRAPPER.apply(story(related))
    assert found.unseen == 13
    assert "More on boats" not in found.text and found.text.count("The boats") == 6
    assert "More on boats" not in found.html


def test_new_text_in_the_article_is_kept() -> None:
    found = WRAPPER.apply(story(f"<blockquote class=said><p>{STORY}</p></blockquote>"))
    assert (found.unseen, found.text.count("The boats")) == (1, 9)


def test_elements_that_are_dropped_are_not_classified() -> None:
    page = story(f"<aside class=related><ul>{LINKS}</ul></aside>")
    blocks = set(page.root.xpath("//div[@class='post']"))
    asides = set(page.root.xpath("//aside"))
    assert classify_unseen(page, blocks, WRAPPER.known, asides).segments == 0


def test_another_classifier_can_be_given() -> None:
    shipped = default_classifier()
    trees = replace(shipped.trees, values=np.full_like(shipped.trees.values, -0.1))
    nothing = replace(shipped, trees=trees)
    page = story(f"<blockquote class=said><p>{STORY}</p></blockquote>")
    assert WRAPPER.apply(page, nothing).text.count("The boats") == 6


@pytest.mark.parametrize("section", ["news", "journal"])
def test_pages_of_the_sample_have_no_unseen_segments(section: str) -> None:
    pages = demo_pages(section)[:10]
    wrapper = learn(pages)
    assert wrapper.known
    assert {wrapper.apply(page).unseen for page in pages} == {0}

"""Pages nested thousands of levels deep: no recursion errors, and bounded time."""

from __future__ import annotations

from collections.abc import Iterator
from math import log1p

import pytest
from effort import limited_effort

from forest_scrapy.core import METHODS, Page, Params, extract, learn
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.templates.fingerprints import DISTANCES
from forest_scrapy.core.templates.signals import read_signals

from ..helpers import chain_tree

DEPTH = 5_000


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    with limited_effort(20):
        yield


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    texts = ("harbour boats fish net", "owl hedge mice field")
    return [Page(f"http://a.example/{i}", chain_tree(DEPTH, t)) for i, t in enumerate(texts)]


def test_outline(pages: list[Page]) -> None:
    assert max(node.level for node in pages[0].outline.nodes) == DEPTH + 1
    assert [leaf.text for leaf in pages[0].outline.leaves] == ["harbour boats fish net"]


@pytest.mark.parametrize("kind", DISTANCES)
def test_fingerprint(pages: list[Page], kind: str) -> None:
    assert DISTANCES[kind](pages[0]) == DISTANCES[kind](pages[1])


@pytest.mark.parametrize("method", METHODS)
def test_learn_and_apply(pages: list[Page], method: str) -> None:
    wrapper = learn(pages, Params(method=method))
    found = [wrapper.apply(page).text for page in pages]
    needs_more = method in ("sigfeed", "description", "vsse", "vsse-records")
    texts = ["harbour boats fish net", "owl hedge mice field"]
    assert found == (["", ""] if needs_more else texts)


def test_text_and_html(pages: list[Page]) -> None:
    assert block_text(pages[0].root) == "harbour boats fish net"
    content = read_content(pages[0].root)
    assert content.text == "harbour boats fish net"
    assert content.markup.count("</div>") > DEPTH


def test_signals_title_and_extract(pages: list[Page]) -> None:
    assert read_signals(pages[0]).log_plain_words == log1p(4)
    assert pages[0].declared.title == ""
    assert extract(pages[0], learn(pages))[1].text == "harbour boats fish net"


def test_html_deeper_than_the_parser_reads() -> None:
    """libxml2 2.13 and later stop reading at 2,048 levels; a page with 5,000 is not an error."""
    deep = "<div>" * DEPTH + "deep" + "</div>" * DEPTH
    pages = [
        Page.from_html(f"<body><p>{text}</p>{deep}", f"http://a.example/{text}")
        for text in ("boats", "owls")
    ]
    assert pages[0].outline.leaves[0].text == "boats"
    assert learn(pages).apply(pages[0]).text == "boats"
    assert all(features(pages[0]) for features in DISTANCES.values())


def test_html_as_deep_as_the_parser_reads() -> None:
    text = "<div class=x>" * 2_000 + "boats" + "</div>" * 2_000 + "<p>after</p>"
    page = Page.from_html(text)
    assert [leaf.text for leaf in page.outline.leaves] == ["boats", "after"]


@pytest.mark.slow
def test_text_on_every_level() -> None:
    """1,000 levels with a signifier each: half a million steps up to the body."""
    pages = [
        Page.from_html(
            "".join(f"<div class=x>{word}{i}x " for i in range(1_000)), f"http://a/{word}"
        )
        for word in ("boat", "owl")
    ]
    found = {
        method: learn(pages, Params(method=method, signifiers=1_000)).apply(pages[0]).text
        for method in METHODS
    }
    with_text = [method for method, text in found.items() if "boat999x" in text]
    assert with_text == [
        "forest",
        "forest-feeds",
        "forest-records",
        "coverage",
        "entropy",
        "mss",
    ]

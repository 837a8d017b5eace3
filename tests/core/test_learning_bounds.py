"""What bounds the cost and the harm of records and comments: the pages that they are learned from,
and errors."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Article, Options, Page, extract_page, learning
from forest_scrapy.core.learning import choose_affordable
from forest_scrapy.core.records import comments
from forest_scrapy.core.records.next_page import find_next_page
from tests.crawls.helpers import story


def page(elements: int, text: str = "") -> Page:
    """A page with a body and so many elements in it."""
    return Page.from_html(f"<html><body>{text}{'<p>a' * elements}", "http://a.example/")


def test_usual_pages_are_all_learned_from() -> None:
    pages = [page(5_000) for _ in range(10)]
    assert choose_affordable(pages) == pages
    assert choose_affordable([]) == []


def test_the_start_of_a_long_page_is_learned_from() -> None:
    (head,) = choose_affordable([page(20_000)])
    assert 8_000 <= head.outline.weight < 8_100
    assert head.outline.is_cut


@pytest.mark.slow
def test_a_page_is_read_up_to_a_bound() -> None:
    """Also the links to the next page at the end of a page that is longer."""
    posts = "".join(f"<p>Post {i} of the thread" for i in range(32_000))
    long = Page.from_html(f"<div>{posts}</div><a rel=next href=/2>Next", "http://a.example/1")
    assert long.outline.is_cut and not page(20_000).outline.is_cut
    assert len(long.outline.nodes) < 30_100
    assert long.outline.nodes[1].last == len(long.outline.leaves)
    bare = Page.from_html(f"<div>{posts}</div><b>1</b> <a href=/?page=2>2</a>", "http://a.example/")
    assert (find_next_page(long), find_next_page(bare)) == (
        "http://a.example/2",
        "http://a.example/?page=2",
    )
    assert long.whole.outline.leaves[-1].text == "Next"


def test_what_is_above_the_bound_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MAX_WEIGHT", 100)
    small, other, large, long = page(40), page(50), page(90), page(1, "owl " * 5_000)
    assert choose_affordable([small, large, long, other]) == [small, other]
    assert choose_affordable([large, small, other]) == [large]
    lightest = page(120)
    assert choose_affordable([page(200), lightest, long]) == [lightest]


def test_an_article_whose_comments_cannot_be_read_has_none(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*args: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(comments, "learn_comments", fail)
    done = extract_page(
        Page.from_html(story(1), "http://a.example/"), options=Options(comments=True)
    )
    assert isinstance(done.outcome, Article) and done.outcome.comments == []
    assert done.comments_failed
    assert "Cannot read the comments of http://a.example/" in caplog.text

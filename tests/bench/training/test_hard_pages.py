"""Hard pages that are made for training."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.sets.examples import Example
from benchmarks.training.hard_changes import CHANGES, Source, close_page, open_page
from benchmarks.training.hard_pages import BLOCK_WEIGHT, SEGMENT_WEIGHT, SHARES, make_hard_pages
from forest_scrapy.core import Page
from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page

SENTENCE = "The boats of harbour {0} came in at night with more fish than town {0} could buy."
GOLD = ["\n".join(f"{SENTENCE.format(20 * n + i)} Part {i}." for i in range(14)) for n in range(6)]
POST = "<div class=post id=p{0}><b>Owl {0}</b><p>I saw the boats from window {0} on that day.</div>"
THREAD = [parse_html(POST.format(i)).find("body")[0] for i in range(5)]  # type: ignore[index]


def make_page(number: int) -> SegmentedPage:
    paragraphs = "".join(f"<p>{line}</p>" for line in GOLD[number].splitlines())
    html = (
        f"<title>Night {number}</title><body><nav><a href=/>Home</a></nav>"
        f"<main><h1>Night {number}</h1><div class=body>{paragraphs}</div><p>Tags</p></main>"
    )
    return segment_page(Page.from_html(html, f"http://a.example/{number}"))


PAGES = tuple(map(make_page, range(3)))
OTHERS = [
    Example("b.example", "set", page, (page,), GOLD[i])
    for i in range(6)
    for page in (make_page(i),)
]
EXAMPLES = [
    Example("a.example", "set", page, PAGES, gold) for page, gold in zip(PAGES, GOLD, strict=False)
]
SOURCE = Source(
    "a.example", PAGES, {id(e.page): e.gold for e in EXAMPLES}, EXAMPLES + OTHERS, [THREAD]
)


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("seed", range(6))
def test_a_change_leaves_the_text_that_it_gives(name: str, seed: int) -> None:
    opened = open_page(PAGES[0], GOLD[0])
    assert opened is not None
    done = CHANGES[name](opened, SOURCE, Random(seed), Random(seed))
    if done is None:
        assert name == "notice"  # the other page may be of the same site
        return
    page = close_page(done)
    html = page.page.root.text_content()
    assert done.text
    assert set(done.text.splitlines()) <= set(GOLD[0].splitlines())
    assert all(line in html for line in done.text.splitlines())
    assert html != PAGES[0].page.root.text_content()


def test_what_is_put_in() -> None:
    def text_after(name: str) -> str:
        opened = open_page(PAGES[0], GOLD[0])
        assert opened is not None
        done = CHANGES[name](opened, SOURCE, Random(1), Random(1))
        assert done is not None
        return close_page(done).page.root.text_content()

    assert "I saw the boats" in text_after("comments")
    assert SENTENCE.format(20) in text_after("next article") or SENTENCE.format(40) in text_after(
        "next article"
    )
    assert len(text_after("short")) < len(PAGES[0].page.root.text_content())


def test_hidden_text_is_not_removed() -> None:
    opened = open_page(PAGES[0], GOLD[0])
    assert opened is not None
    done = CHANGES["hidden"](opened, SOURCE, Random(0), Random(0))
    assert done is not None
    names = ("hidden", "aria-hidden", "style")
    assert sum(done.body.get(name) is not None for name in names) == 1


def test_a_page_without_its_text_cannot_be_changed() -> None:
    assert open_page(PAGES[0], "") is None
    assert open_page(PAGES[0], "Nothing of it stands there at all.") is None


def test_the_same_examples_give_the_same_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SHARES:
        monkeypatch.setitem(SHARES, name, 1.0)
    made, again = (make_hard_pages(EXAMPLES + OTHERS, [], 5) for _ in range(2))
    assert made
    assert [(e.set, e.gold) for e in made] == [(e.set, e.gold) for e in again]
    assert [e.page.texts for e in made] == [e.page.texts for e in again]
    assert {e.set.removeprefix("made ") for e in made} <= set(SHARES)
    assert {(e.segment_weight, e.block_weight) for e in made} == {(SEGMENT_WEIGHT, BLOCK_WEIGHT)}
    assert all(e.page in e.siblings for e in made)

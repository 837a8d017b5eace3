"""The causes of catastrophes."""

from __future__ import annotations

import pytest

from benchmarks.quality.catastrophes import (
    CAUSES,
    find_cause,
    summarize_catastrophes,
    write_summary,
)
from forest_scrapy.core import Page

WORDS = (
    "harbour boat town fish night owl hill fox noon river stone bridge market street lamp".split()
)


def prose(seed: int, words: int = 60) -> str:
    """Sentences of words that differ from those of other seeds."""
    named = [
        f"{WORDS[(seed * 7 + i * i + 3 * i) % len(WORDS)]}{seed}x{i % 17}" for i in range(words)
    ]
    return " ".join(named)


GOLD = prose(1)
COMMENTS = "".join(
    f"<li class=comment><b>Ana {i}</b> <time>3 May 2024, 10:{20 + i}</time><p>{prose(20 + i)}</p>"
    for i in range(4)
)
TEASERS = "".join(f"<li><a href=/{i}>{prose(40 + i, 20)}</a>" for i in range(6))
OTHERS = "".join(f"<div><h2>Foxes {i}</h2><p>{prose(60 + i)}</p></div>" for i in range(3))
NOTES = "".join(f"<p>{prose(80 + i)}</p>" for i in range(4))


@pytest.mark.parametrize(
    ("cause", "rest", "kept"),
    [
        ("comments", f"<ol id=comments>{COMMENTS}</ol>", [prose(20 + i) for i in range(4)]),
        ("comments", f"<ol class=c>{COMMENTS}</ol>", [prose(20 + i) for i in range(4)]),
        ("links", f"<ul>{TEASERS}</ul>", [prose(40 + i, 20) for i in range(6)]),
        ("articles", OTHERS, [f"Foxes {i}\n{prose(60 + i)}" for i in range(3)]),
        ("other", NOTES, [prose(80 + i) for i in range(4)]),
    ],
)
def test_far_too_much(cause: str, rest: str, kept: list[str]) -> None:
    page = Page.from_html(f"<main><h1>Boats</h1><p>{GOLD}</p></main>{rest}")
    assert find_cause(page, GOLD, "\n".join([GOLD, *kept])) == cause


def test_too_little_or_something_else() -> None:
    page = Page.from_html(f"<p>{GOLD}</p><div>{NOTES}</div>")
    assert find_cause(page, GOLD, " ") == "empty"
    assert find_cause(page, GOLD, " ".join(GOLD.split()[:12])) == "too_little"
    assert find_cause(page, GOLD, prose(80)) == "wrong_block"
    assert find_cause(page, prose(99), GOLD) == "absent"
    commented = Page.from_html(f"<p>{GOLD}</p><ol id=comments>{COMMENTS}</ol>")
    assert find_cause(commented, GOLD, prose(20)) == "comments"


def test_hidden_text() -> None:
    page = Page.from_html(f"<p>{NOTES}</p><div hidden><p>{GOLD}</p></div>")
    assert find_cause(page, GOLD, prose(80)) == "hidden"


def test_figures() -> None:
    found = summarize_catastrophes([(0.5, "links"), (0.25, "links"), (0.25, "empty"), (1.0, "")])
    assert found["causes"] == {"empty": 1, "links": 2}
    assert (found["catastrophes"], found["pages"], found["share_of_error"]) == (3, 4, 1.0)
    assert list(CAUSES).index("empty") < list(CAUSES).index("links")
    none = summarize_catastrophes([(1.0, "")])
    assert write_summary("a", none) == "a: 0 of 1 pages below 0.6, 0% of the error"

"""The kinds of errors of a page."""

from __future__ import annotations

import pytest

from benchmarks.quality.error_kinds import KINDS, divide_error
from forest_scrapy.core import Page

GOLD = "The boats came in with the fish of the night\nAnd the town bought all of it at once"
START, END = GOLD.splitlines()
EXTRA = "Nobody had expected quite so many owls"


def errors(middle: str, text: str, after: str = "") -> dict[str, float]:
    page = Page.from_html(f"<div><p>{START}</p>{middle}<p>{END}</p>{after}</div>")
    return {kind: amount for kind, amount in divide_error(page, GOLD, text).items() if amount}


@pytest.mark.parametrize(
    ("kind", "html"),
    [
        ("hidden", f"<div style='display: none'>{EXTRA}</div>"),
        ("hidden", f"<div aria-hidden=true><p>{EXTRA}</div>"),
        ("caption", f"<figure><img src=a.png><figcaption>{EXTRA}</figcaption></figure>"),
        ("caption", f"<p class=photo-credit>{EXTRA}</p>"),
        ("list", f"<div class=box>{EXTRA}</div><div class=box>b</div><div class=box>c</div>"),
        ("inside", f"<p>{EXTRA}</p>"),
    ],
)
def test_extra_text(kind: str, html: str) -> None:
    found = errors(html, f"{START}\n{EXTRA}\n{END}")
    assert max(found, key=lambda name: found[name]) == kind


def test_extra_text_beyond_the_end() -> None:
    found = errors("", f"{GOLD}\n{EXTRA}", after=f"<p>{EXTRA}</p>")
    assert max(found, key=lambda name: found[name]) == "beyond"


def test_markup_as_text() -> None:
    code = "&lt;div&gt; nobody had expected quite so many owls &lt;/div&gt;"
    found = errors(f"<p>{code}</p>", f"{START}\n<div> {EXTRA} </div>\n{END}")
    assert max(found, key=lambda name: found[name]) == "markup"


def test_missing_text() -> None:
    assert errors("", START)["missing"] > 0.25
    found = errors("", "")
    assert found["missing"] > 0.9


def test_text_that_is_not_on_the_page() -> None:
    assert errors("", f"{GOLD} {EXTRA}").keys() == {"rewritten"}


def test_the_parts_are_the_whole_error() -> None:
    page = Page.from_html(f"<p>{START}</p><p>{EXTRA}</p>")
    found = divide_error(page, GOLD, EXTRA)
    assert found.keys() == set(KINDS)
    assert sum(found.values()) == pytest.approx(1)
    assert sum(divide_error(page, START, START).values()) == 0

"""The comments on an article's page."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page, Wrapper
from forest_scrapy.core.records.comments import learn_comments, read_comments
from forest_scrapy.core.records.record import Record

WRAPPER = Wrapper("trained", keep=("//article",))
TEXTS = (
    "The bridge had been closed twice already in that winter.",
    "I would rather take the ferry, which is never late at all.",
    "Nobody asked those of us who live on the other bank.",
)


def page_of(after: str, number: int = 1) -> Page:
    story = f"<p>The harbour bridge number {number} opens again on Monday, the town says.</p>" * 2
    return Page.from_html(
        f"<html lang=en><body><h1>Bridge</h1><article>{story}</article>{after}"
        "<form id=comment-form><p>Write what you think about it here, please.</p></form>"
        "<footer><p>All of our stories are free to read for everyone.</p></footer>",
        f"http://a.example/{number}",
    )


def comment(number: int, text: str, inner: str = "", date: str = "May 2024, 10:15") -> str:
    dated = f"<time>{number + 1} {date}</time>" if date else ""
    return (
        f'<li class="comment" id="comment-{number}"><div><cite class="author">user{number}</cite>'
        f"{dated}</div><div class=said><p>{text}</p></div>{inner}</li>"
    )


def read(page: Page, sample: list[Page] | None = None) -> list[Record]:
    pages = sample or [page]
    rules = learn_comments(pages, [WRAPPER.apply(one).content for one in pages])
    return read_comments(rules, page, WRAPPER.apply(page).content) if rules else []


def listed(*comments: str) -> str:
    return f"<ol class=comments>{''.join(comments)}</ol>"


def test_comments() -> None:
    page = page_of(listed(*(comment(i, text) for i, text in enumerate(TEXTS))))
    found = read(page)
    assert [one.text for one in found] == list(TEXTS)
    assert [one.get("author") for one in found] == ["user0", "user1", "user2"]
    assert found[1].get("date") == "2024-05-02T10:15:00"


def test_replies() -> None:
    inner = f"<ul>{comment(1, TEXTS[1])}</ul>"
    found = read(page_of(listed(comment(0, TEXTS[0], inner), comment(2, TEXTS[2]))))
    assert [(one.position, one.reply_to) for one in found] == [(1, None), (2, 1), (3, None)]
    assert [one.text for one in found] == list(TEXTS)


def test_a_single_comment_by_what_it_is_called() -> None:
    assert [one.text for one in read(page_of(listed(comment(0, TEXTS[0]))))] == [TEXTS[0]]


def test_undated_comments_by_what_they_are_called() -> None:
    page = page_of(listed(*(comment(i, text, date="") for i, text in enumerate(TEXTS))))
    assert [one.text for one in read(page)] == list(TEXTS)


def test_comments_without_a_name() -> None:
    rows = "".join(
        f"<div class=row><b>user{i}</b> <i>{i + 1} May 2024, 10:15</i><p>{text}</p></div>"
        for i, text in enumerate(TEXTS)
    )
    assert [one.text for one in read(page_of(f"<div class=box>{rows}</div>"))] == list(TEXTS)


def test_the_rules_of_a_template_on_a_page_with_one_comment() -> None:
    several = [
        page_of(listed(*(comment(i, f"In year {n}: {t}") for i, t in enumerate(TEXTS))), n)
        for n in (1, 2)
    ]
    assert len(read(page_of(listed(comment(7, TEXTS[1])), 3), several)) == 1
    assert read(page_of("", 3), several) == []


NONE = {
    "nothing": "",
    "a form only": "<div id=respond><h3>Leave a comment</h3></div>",
    "teasers": "".join(
        f"<div class=t><h3><a href=/{i}>Story {i}</a></h3>{i + 1} May 2024<p>{text}</p></div>"
        for i, text in enumerate(TEXTS)
    ),
    "recent comments of other pages": "<ul class=recent-comments>"
    + "".join(f"<li><a href=/{i}>user{i} on the bridge</a></li>" for i in range(3))
    + "</ul>",
}


@pytest.mark.parametrize("after", NONE.values(), ids=NONE.keys())
def test_no_comments(after: str) -> None:
    assert read(page_of(after)) == []


@pytest.mark.slow
def test_hostile_pages() -> None:
    many = listed(*(comment(i, f"{TEXTS[i % 3]} Said {i} times.") for i in range(1000)))
    assert len(read(page_of(many))) == 1000
    assert read(page_of("<div class=comment>" * 3000)) == []
    assert read(Page.from_html("")) == []

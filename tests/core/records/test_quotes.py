"""Quotes in a forum's own markup, and the lines above quotes."""

from __future__ import annotations

import pytest

from forest_scrapy.core.records import Record, learn_records
from forest_scrapy.core.records.quotes import read_quoted_author
from tests.core.records.threads import THREADS, Post, as_divs, make_thread

QUOTED = THREADS[0][1]
ANSWER = "There was one, and it is cut off now."
QUOTES = {
    "a block of its own": "<div class=zitat><cite>{0}</cite><div>{1}</div></div>",
    "a table": "<table class=x><tr><td><b>{0}</b> schrieb:</td></tr><tr><td>{1}</td></tr></table>",
    "a citation": "<blockquote><cite>{0} wrote:</cite>{1}</blockquote>",
    "a line in the quote": "<blockquote>{0} said:<br>{1}</blockquote>",
    "a line before the quote": (
        "<p>On Fri, 3 May 2024 at 11:02, {0} wrote:</p><div class=quoted>{1}</div>"
    ),
    "a linked name": "<div class=quote><a href=/user/3>@{0}</a> <p>{1}</p></div>",
}


def _read(quote: str, answer: str = ANSWER) -> list[Record]:
    text = f"{quote.format(QUOTED.author, QUOTED.text)}<p>{answer}</p>"
    posts = [*THREADS[0], Post("Cy Dee", "5 May 2024, 07:00", text), *THREADS[1]]
    page = make_thread(posts, _with_a_block)
    return learn_records([page]).apply(page)


def _with_a_block(number: int, post: Post) -> str:
    return as_divs(number, post).replace("<p>", "<div>", 1).replace("</p></div>", "</div></div>", 1)


@pytest.mark.parametrize("quote", QUOTES.values(), ids=QUOTES)
def test_quotes(quote: str) -> None:
    records = _read(quote)
    record = records[len(THREADS[0])]
    assert record.text == ANSWER
    assert record.quote == QUOTED.text
    assert record.get("quoted_author") == QUOTED.author
    assert record.reply_to == 2
    assert all(not other.quote for other in records if other is not record)


def test_what_another_post_does_not_have_is_no_quote() -> None:
    box = "<div class=note><cite>{0}</cite><div>Nobody has said this in the thread.</div></div>"
    record = _read(box)[len(THREADS[0])]
    assert not record.quote
    assert "Nobody has said this" in record.text


@pytest.mark.parametrize(
    ("line", "is_quote"),
    [("{0} wrote:", True), ("{0} schrieb am 3.5.2024:", True), ("Note:", False)],
)
def test_a_post_of_another_page_is_quoted_if_a_line_says_who_wrote_it(
    line: str, is_quote: bool
) -> None:
    text = "The gate by the old mill was open in June."
    box = f"<div class=qt><div class=qh>{line}</div><div class=qb>{text}</div></div>"
    record = _read(box)[len(THREADS[0])]
    assert (record.quote == text) == is_quote
    assert (text in record.text) != is_quote
    assert record.get("quoted_author") == (QUOTED.author if is_quote else "")


def _with_a_body(number: int, post: Post) -> str:
    text = post.text if "<p>" in post.text else f"<p>{post.text}</p>"
    html = as_divs(number, Post(post.author, post.date, "{}"))
    return html.replace("<p>{}</p>", f"<div class=body>{text}</div>")


@pytest.mark.parametrize("markup", ["<ul><li>{}</ul>", "<pre>{}</pre>", "<pre class=x>{}</pre>"])
def test_a_list_that_repeats_another_post_makes_no_other_list_a_quote(markup: str) -> None:
    line = "Wood, screws and a hinge are all that a box needs."
    part = " ".join(QUOTED.text.split()[:6])
    repeat = f"<p>{ANSWER}</p>{markup.format(part)}"
    post = Post("Cy Dee", "5 May 2024, 07:00", repeat)
    pages = [make_thread([*THREADS[0], post], _with_a_body)]
    for posts in THREADS[1:]:
        pages.append(make_thread(posts, _with_a_body))
    wrapper = learn_records(pages)
    post = Post("Cy Dee", "6 May 2024, 07:00", f"<p>{ANSWER}</p>{markup.format(line)}")
    record = wrapper.apply(make_thread([*THREADS[1], post], _with_a_body))[-1]
    assert not record.quote
    assert line in record.text


def test_a_button_named_after_quotes_is_none() -> None:
    page = make_thread(THREADS[0], lambda number, post: as_divs(number, post).replace(
        "<p class=tools>", "<p class=tools><a class=quote-button href=/q>Answer it</a> "
    ))  # fmt: skip
    assert not any(record.quote for record in learn_records([page]).apply(page))


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ("Ana Bo a \u00e9crit :", "Ana Bo"),
        ("Zitat von hedgerow:", "hedgerow"),
        ("@owl_42 said in Empty box:", "owl_42"),
        ("hedgerow \u043f\u0438\u0448\u0435\u0442:", "hedgerow"),
        ("My list of what you need to buy in the market:", ""),
        ("", ""),
    ],
)
def test_the_author_that_a_line_names(line: str, author: str) -> None:
    assert read_quoted_author(line) == author


def test_a_quote_without_its_author_has_the_text_only() -> None:
    html = f"<blockquote>{QUOTED.text}</blockquote>"
    record = _read(html)[len(THREADS[0])]
    assert record.quote == QUOTED.text
    assert not record.get("quoted_author")


def test_pages_are_read_with_stored_rules() -> None:
    quote = QUOTES["a block of its own"].format(QUOTED.author, QUOTED.text)
    post = Post("Cy Dee", "5 May 2024, 07:00", f"{quote}<p>{ANSWER}</p>")
    page = make_thread([*THREADS[0], post], _with_a_block)
    wrapper = learn_records([page])
    other = make_thread([*THREADS[1], post], _with_a_block)
    assert wrapper.apply(other)[-1].quote == QUOTED.text

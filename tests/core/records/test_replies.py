"""What posts reply to, by what they quote and how far they are indented."""

from __future__ import annotations

import pytest
from effort import limited_effort
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Page, learn_records
from forest_scrapy.core.records.replies import QuotedPosts, find_parents, split_quoted_lines

POSTS = (
    ("Ana", "The roof of the workshop has been leaking since the storm of last week."),
    ("Bo", "Copper nails hold better than iron ones, and they do not rust."),
    ("Ana", "Thanks."),
)
QUOTES = {
    "a whole post": ("Bo wrote: Copper nails hold better than iron ones, and they do not rust.", 1),
    "a part": ("Ana said:\nhas been leaking since the storm of last week", 0),
    "a date beside the author": (
        "Bo wrote: \u2191 Fri Mar 01, 2024 8:15 am Copper nails hold better than iron ones",
        1,
    ),
    "a short post": ("Ana wrote: Thanks.", 2),
    "of mails": ("On 1 May, Bo wrote:\n> Copper nails hold better than\n> iron ones, and they", 1),
    "something else": ("Cy wrote: Has anyone a ladder that is long enough for this house?", None),
    "a few words of a post": ("Cy wrote: It hangs in the hall of the workshop since then", None),
    "nothing": ("", None),
}


@pytest.mark.parametrize(("quote", "index"), QUOTES.values(), ids=QUOTES)
def test_the_post_that_is_quoted(quote: str, index: int | None) -> None:
    posts = QuotedPosts()
    for author, text in POSTS:
        posts.add(author, text)
    assert posts.find(quote) == index


def test_of_posts_with_the_same_text_the_one_of_the_named_author_is_quoted() -> None:
    posts = QuotedPosts()
    for author in ("Ana", "Bo", "Cy"):
        posts.add(author, "Copper nails hold better than iron ones.")
    assert posts.find("Bo wrote: Copper nails hold better than iron ones.") == 1
    assert posts.find("Copper nails hold better than iron ones.") == 2


@given(st.lists(st.tuples(st.text(max_size=9), st.text(max_size=40)), max_size=6), st.text())
def test_any_texts(texts: list[tuple[str, str]], quote: str) -> None:
    posts = QuotedPosts()
    for author, text in texts:
        posts.add(author, text)
    index = posts.find(quote)
    assert index is None or 0 <= index < len(texts)


@pytest.mark.slow
def test_posts_of_one_word_are_compared_in_bounded_time() -> None:
    posts = QuotedPosts()
    for number in range(150):
        posts.find(f"user{number} wrote: {'owl ' * 400}")
        posts.add(f"user{number}", "owl " * 2_000)
    assert posts.find(f"user7 wrote: {'owl ' * 400}") is None


def test_parents_by_indents() -> None:
    assert find_parents([0, 1, 2, 2, 1, 0, 1]) == [None, 0, 1, 1, 0, None, 5]
    assert find_parents([2, 1, None, 3]) == [None, None, None, 1]
    assert find_parents([]) == []


def test_lines_that_mails_quote() -> None:
    text = "Hello,\nBo wrote:\n> Copper nails\n> hold.\nYes.\n> And iron?\nNo."
    html = "<pre>" + text.replace(">", "&gt;") + "</pre>"
    mail = split_quoted_lines(text, html)
    assert mail.text == "Hello,\nYes.\nNo."
    assert mail.html == "<pre>Hello,\nYes.\nNo.</pre>"
    assert mail.quote == "Bo wrote:\n> Copper nails\n> hold.\n> And iron?"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("> all\n> quoted", "<pre>&gt; all\n&gt; quoted</pre>"),
        ("a\n> b\n> c", "<p>a</p>&gt; b<br>&gt; c"),
    ],
)
def test_quoted_lines_that_stay(text: str, html: str) -> None:
    mail = split_quoted_lines(text, html)
    assert (mail.text, mail.html) == (text, html)
    assert mail.quote


def test_no_part_of_a_line_is_taken_for_a_quoted_one() -> None:
    mail = split_quoted_lines(
        "Note that b > a is so.\n> a\nYes.",
        "<p>Note that b &gt; a is so.\n&gt; a\nYes.</p>",
    )
    assert mail.text == "Note that b > a is so.\nYes."
    assert mail.html == "<p>Note that b &gt; a is so.\nYes.</p>"
    assert mail.quote == "> a"


def test_many_quotes_are_cut_in_linear_time() -> None:
    text = "\n".join(f"> quoted {number}\nanswer {number}" for number in range(40_000))
    with limited_effort(4):
        mail = split_quoted_lines(text, text.replace(">", "&gt;"))
    assert mail.text.startswith("answer 0\nanswer 1\n")


SENTENCES = (
    "The roof of the workshop has been leaking since the storm of last week, says the owner.",
    "Copper nails hold better than iron ones, and they do not rust in the salty air here.",
    "We had the same in spring, and a new beam from the mill in the valley solved all of it.",
    "Nobody at the market could tell me where such a ladder may be lent for one afternoon.",
)

REFERENCES = {
    "a source": '<blockquote class="quote" data-source="post: 101">Short</blockquote>',
    "a number": '<aside class="quote" data-post="101"><p>Short</p></aside>',
    "a citation": '<blockquote cite="/t?p=101#p101">Short</blockquote>',
    "a link": '<div class="quote"><a href="/goto?id=101">↑</a> Short</div>',
}


@pytest.mark.parametrize("reference", REFERENCES.values(), ids=REFERENCES)
def test_what_a_quote_names(reference: str) -> None:
    posts = "".join(
        f'<div class="post" id="p{100 + number}"><a class="user" href="/u/{number}">'
        f"user{number}</a> <time>{number} May 2024</time>{reference if number == 3 else ''}"
        f"<p>{sentence}</p></div>"
        for number, sentence in enumerate(SENTENCES, 1)
    )
    page = Page.from_html(f"<h1>Roofs</h1><div>{posts}</div>", "http://a.example/t/1")
    records = learn_records([page]).apply(page)
    assert [record.reply_to for record in records] == [None, None, 1, None]


INDENTS = {
    "an attribute": '<i indent="{}"></i>',
    "a class": '<i class="comment depth-{}"></i>',
    "a style": '<i style="margin-left: {}px"></i>',
    "an image": '<img src="/s.gif" height="1" width="{}">',
}


@pytest.mark.parametrize("indent", INDENTS.values(), ids=INDENTS)
def test_indented_posts(indent: str) -> None:
    posts = "".join(
        f'<div class="post">{indent.format(depth)}<a class="user" href="/u/{depth}{number}">'
        f"user{number}</a> <time>{number} May 2024</time><p>{sentence}</p></div>"
        for number, (depth, sentence) in enumerate(zip((0, 1, 2, 1), SENTENCES, strict=True), 1)
    )
    page = Page.from_html(f"<h1>Roofs</h1><div>{posts}</div>", "http://a.example/t/1")
    records = learn_records([page]).apply(page)
    assert [record.reply_to for record in records] == [None, 1, 2, 1]
    assert [record.get("indent") for record in records] == ["0", "1", "2", "1"]

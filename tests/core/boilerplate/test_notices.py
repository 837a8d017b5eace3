"""Texts that the articles of one template share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from forest_scrapy.core import Article, Page, Wrapper, extract_item, learn_rules
from forest_scrapy.core.boilerplate.notices import (
    learn_end_boxes,
    learn_masked_notices,
    learn_notices,
)
from forest_scrapy.core.page.content_walk import read_content


def page(i: int, extra: str) -> Page:
    prose = "".join(
        f"<p>Boat {i}.{j} came in at noon, with herring in its hold, said the office.</p>"
        for j in range(5)
    )
    return Page.from_html(
        f"<title>Boat {i}</title><article><h1>Boat {i}</h1><div class=body>{prose}{extra}</div>"
        "</article>",
        f"http://a.example/{i}",
    )


def learn(extras: list[str]) -> tuple[str, ...]:
    contents = [read_content(page(i, extra).root) for i, extra in enumerate(extras)]
    assert learn_notices(contents[::-1]) == learn_notices(contents)
    return learn_notices(contents)


BIO = "Ana Bo has written on boats for twenty years and lives at the quay."
RIGHTS = "All rights reserved by the Harbour Gazette and its owners."
GREETING = "Thank you for listening, and until the next evening at the quay."


def test_texts_in_a_box_that_is_named() -> None:
    box = f"<div class='author-bio'><p>{BIO}</p></div>"
    assert learn([box, "", box, ""]) == (BIO,)
    assert learn([box, "", "", ""]) == ()
    assert learn([f"<p>{BIO}</p>"] * 4) == ()


def test_texts_that_speak_of_rights_or_newsletters_on_most_pages() -> None:
    assert learn([f"<p>{RIGHTS}</p>"] * 4) == (RIGHTS,)
    assert learn([f"<p>{RIGHTS}</p>"] * 3 + [""] * 5) == ()
    assert learn([f"<p>{RIGHTS}</p>"] * 2) == ()


@pytest.mark.parametrize(
    "extra",
    [
        f"<p>{GREETING}</p>",
        "<pre>subscribe(boats, all, rights, reserved)</pre>",
        "<h2>How to subscribe to the newsletter of boats</h2>",
        "<p>Subscribe!</p>",
    ],
)
def test_what_is_content_although_it_is_repeated(extra: str) -> None:
    assert learn([extra] * 6) == ()


def test_copies_of_an_article_teach_nothing() -> None:
    content = read_content(page(1, f"<p>{RIGHTS}</p>").root)
    assert learn_notices([content] * 5) == ()


def test_an_article_in_an_element_that_is_named_like_a_box() -> None:
    html = f"<main class=related><p>Boat.</p><p>{BIO}</p></main>"
    contents = [read_content(Page.from_html(html.replace("Boat", f"B {i}")).root) for i in range(3)]
    assert learn_notices(contents) == ()


def test_notices_stand_in_the_rules_and_are_left_out_of_unseen_pages() -> None:
    extra = f"<p>{RIGHTS}</p>"
    rules = learn_rules([page(i, extra) for i in range(6)])
    assert RIGHTS in rules.wrapper.repeated or any("p" in x for x in rules.wrapper.drop)
    item = extract_item(page(9, extra), rules)
    assert isinstance(item, Article)
    assert "Boat 9.4" in item.text and RIGHTS not in item.text


def article(i: int, title: str, start: str = "", end: str = "") -> Page:
    prose = "".join(
        f"<p>Boat {i}.{j} came in at noon, with herring in its hold, said the office.</p>"
        for j in range(12)
    )
    return Page.from_html(
        f"<title>{title} - Gazette</title><meta property=og:site_name content=Gazette>"
        f"<meta name=author content='Ana Bo {chr(65 + i)}'>"
        f"<meta property=article:published_time content=2024-05-0{i + 1}>"
        f"<article><h1>{title}</h1><div class=body>{start}{prose}{end}</div></article>",
        f"http://a.example/{i}/boat",
    )


TITLES = ("Cod & chips", "The old quay", "A storm at noon", "Gulls", "Nets of hemp", "Low tide")
LICENCE = "<p>{} by <a href=/>Gazette</a> is licensed under a Creative Commons Attribution licence."


def learn_masked(starts: list[str], ends: list[str]) -> tuple[str, ...]:
    pages = [
        article(i, title, start, end)
        for i, (title, start, end) in enumerate(zip(TITLES, starts, ends, strict=False))
    ]
    contents = [read_content(page.root.find(".//div")) for page in pages]
    notices = learn_masked_notices(pages, contents)
    assert learn_masked_notices(pages[::-1], contents[::-1]) == notices
    return notices


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        (LICENCE, "{title} by gazette is licensed under a creative commons attribution licence."),
        ("<p>The post {} appeared first on <a href=/>Gazette</a>.",
         "the post {title} appeared first on gazette."),
        ("<div>Cite this page as: “{}”, the Gazette.</div>",
         'cite this page as: “{title}”, the gazette.'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_start", [True, False])
def test_lines_that_are_the_same_but_for_the_title(line: str, masked: str, is_start: bool) -> None:
    lines = [line.format(title.replace("&", "&amp;")) for title in TITLES]
    empty = [""] * len(TITLES)
    found = learn_masked(lines, empty) if is_start else learn_masked(empty, lines)
    assert found == (masked,)


def test_lines_that_are_the_same_but_for_the_author_date_or_address() -> None:
    empty = [""] * len(TITLES)
    posted = [
        f"<p>This entry was posted on {i + 1} May 2024 at 1{i}:05 pm by Ana Bo {chr(65 + i)}."
        for i in range(6)
    ]
    assert learn_masked(empty, posted) == ("this entry was posted on {date} by {author}.",)
    dated = [f"<p>This entry of ours was posted on {i + 1} May 2024." for i in range(6)]
    assert learn_masked(empty, dated) == ("this entry of ours was posted on {date}.",)
    linked = [f"<p>The address of this page is https://a.example/{i}/boat" for i in range(6)]
    assert learn_masked(empty, linked) == ("the address of this page is {url}",)


@pytest.mark.parametrize(
    ("line", "pages"),
    [
        (LICENCE, 2),  # of six pages
        (LICENCE, 3),
        ("<p>{} is a village on the coast of the north, with a quay and a church.", 6),
        ("<p>More of {}", 6),  # few words beside the title
        ("<p>Thank you for reading the Gazette on this evening at the quay.", 6),  # no value
        ("<h2>What the office of the harbour says on {}</h2>", 6),
        ("<p>I wrote the story of {0} when boat {0} of the year came in, number {1}.", 6),
    ],
)
def test_lines_that_are_kept_although_they_have_the_title(line: str, pages: int) -> None:
    words = ("one", "two", "three", "four", "five", "six")
    ends = [
        line.format(title, word) if i < pages else ""
        for i, (title, word) in enumerate(zip(TITLES, words, strict=True))
    ]
    assert learn_masked([""] * 6, ends) == ()


@pytest.mark.parametrize("first_day", [1, 11])
def test_sentences_that_differ_in_a_date_are_kept(first_day: int) -> None:
    starts = []
    ends = []
    for i, title in enumerate(TITLES):
        date = f"{i + first_day} May 2024"
        starts.append(f"<p>The appeal was dismissed and judgment was entered on {date}.</p>")
        ends.append(f"<p>{title} was decided by a panel of three, and dismissed on {date}.</p>")
    assert learn_masked(starts, ends) == ()


def test_such_lines_amid_the_text_are_kept() -> None:
    middle = [
        "".join(f"<p>Word {i}.{j} of the boat that came in.</p>" for j in range(4))
        + LICENCE.format(title)
        + "".join(f"<p>Word {i}.{j} of the boat that left.</p>" for j in range(4))
        for i, title in enumerate(TITLES)
    ]
    assert learn_masked(middle, [""] * 6) == ()


def test_the_wrapper_has_the_masked_line_and_leaves_it_out_of_new_pages() -> None:
    pages = [article(i, title, end=LICENCE.format(title)) for i, title in enumerate(TITLES)]
    rules = learn_rules(pages)
    assert rules.wrapper.repeated == (
        "{title} by gazette is licensed under a creative commons attribution licence.",
    )
    new_title = "The ice of March"
    item = extract_item(article(9, new_title, end=LICENCE.format(new_title)), rules)
    assert isinstance(item, Article)
    assert item.text.endswith("said the office.")
    other = LICENCE.format("The boats of Gdansk")
    item = extract_item(article(9, new_title, end=other), rules)
    assert isinstance(item, Article)
    assert "The boats of Gdansk by Gazette" in item.text


def test_lists_of_titles_of_any_kind_do_no_harm() -> None:
    assert learn_masked_notices([], []) == ()
    pages = [Page.from_html("<p>{title}</p>" * 9, "http://[a/") for _ in range(4)]
    contents = [read_content(page.root) for page in pages]
    assert learn_masked_notices(pages, contents) == ()


def widgets(*parts: str) -> str:
    """Parts in the elements of a page builder, which all have the same class."""
    return "".join(f"<div class=widget>{part}</div>" for part in parts)


BOX = "<p>Do you want to talk to us? We read each letter.</p><p>Made by the harbour office</p>"
BOX_LINES = ("Do you want to talk to us? We read each letter.", "Made by the harbour office")


@pytest.mark.parametrize(
    ("make_body", "count", "lines"),
    [
        (lambda story: widgets(story, BOX), 5, BOX_LINES),
        (lambda story: widgets(story, BOX), 3, ()),  # too few pages
        (lambda story: widgets(story + BOX), 5, ()),  # the closing words of a series
        (lambda story: widgets(BOX, story), 5, BOX_LINES),
        (lambda story: widgets(BOX + story), 5, ()),
        (lambda story: widgets(BOX, *story.split("\n")), 5, ()),
        (lambda story: widgets(story, BOX, story), 5, ()),
        (lambda story: widgets(*story.split("\n"), "<p>Good night, and good luck.</p>"), 5, ()),
    ],
)
def test_boxes_that_articles_begin_or_end_with(
    make_body: Callable[[str], str],
    count: int,
    lines: tuple[str, ...],
) -> None:
    wrapper = Wrapper("trained", ("//div[@class='widget']/p",), take="span")
    extracts = []
    for number in range(count):
        story = f"<p>Boat {number} came in at noon.</p>\n<p>It had {number} cranes on board.</p>"
        page = Page.from_html(
            f"<title>Boats</title>{make_body(story)}", f"http://a.example/{number}"
        )
        extracts.append(wrapper.apply(page))
    assert learn_end_boxes(extracts) == lines
    assert learn_end_boxes(extracts[::-1]) == lines
    assert learn_end_boxes(extracts[:1] * count) == ()

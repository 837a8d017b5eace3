"""Texts that the articles of one template share."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Article, Page, extract_item, learn_rules
from forest_scrapy.core.boilerplate.notices import learn_notices
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

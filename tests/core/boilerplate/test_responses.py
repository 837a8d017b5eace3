"""Readers' comments in the block of the article, whatever they are called."""

from __future__ import annotations

import pytest
from effort import limited_effort

from forest_scrapy.core import Page
from forest_scrapy.core.boilerplate.responses import find_responses
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.wrapper import Wrapper

PROSE = "".join(
    f"<p>Boat {i} came in at noon, with {i} barrels of herring in its hold, said the office.</p>"
    for i in range(4)
)
SAID = "I have seen this boat, and its hold was empty when it left the harbour at night, I think."
NAMES = ("Ana Bo", "owl_99", "Cy Dee", "Old Harbour Hand", "Eve")


def kept(body: str) -> str:
    page = Page.from_html(f"<main><h1>The boats</h1>{PROSE}{body}</main>", "http://a.example/1")
    text = Wrapper("trained", ("//main",)).apply(page).text
    assert "Boat 3 came in" in text
    return text


def records(template: str, count: int = 5) -> str:
    return "".join(template.format(name=NAMES[i], i=i + 1, said=SAID) for i in range(count))


COMMENTS = {
    "without names": "<div class=x><b>{name}</b> <i>{i} h ago</i><p>{said}</p><p>{said}</p></div>",
    "numbered ids": "<div id=c{i}><div>{name}</div><div>2 days ago</div><p>{said}</p></div>",
    "with a link to reply": "<li><p>{name}</p><p>{said}</p><a href=#>Reply</a></li>",
    "says": "<div class=x><p>{name} says:</p><p>3 May 2024 at 10:1{i}</p><p>{said}</p></div>",
    "a date and a time": "<div><p>{name}</p><p>2024-05-03 10:1{i}</p><p>{said}</p></div>",
    "German": "<div class=x><p>{name}</p><p>vor {i} Stunden</p><p>{said}</p><a>Antworten</a></div>",
    "Chinese": "<div class=x><p>{name}</p><p>{i}小时前</p><p>{said}</p></div>",
    "lines beside each other": "<p>{name}, 3 May 2024 10:1{i}</p><p>{said}</p>",
}


@pytest.mark.parametrize("name", COMMENTS)
def test_comments_after_the_prose_are_cut_off(name: str) -> None:
    body = records(COMMENTS[name])
    text = kept(body)
    assert "I have seen" not in text and "Ana Bo" not in text and "Eve" not in text
    text = kept(f"<section><h2>5 comments</h2>{body}</section><p>Log in to comment</p>")
    assert "I have seen" not in text and "5 comments" not in text


def test_comments_that_are_named_need_no_time_of_the_day() -> None:
    template = "<div class=c><p>{name}</p><p>3 May 2024</p><p>{said}</p></div>"
    assert "I have seen" in kept(records(template, 2))
    assert "I have seen" not in kept(f"<div id=comments>{records(template, 2)}</div>")
    assert "I have seen" not in kept(f"<h3>Kommentare</h3><div>{records(template, 2)}</div>")
    hours = "<div class=c><b>{name}</b> <i>{i} h</i><p>{said}</p></div>"
    assert "I have seen" not in kept(f"<div><h2>Discussion</h2>{records(hours)}</div>")
    assert "I have seen" in kept(records(hours))


@pytest.mark.parametrize(
    "body",
    [
        # a chronicle
        "".join(
            f"<div class=x><p>Spring {i}</p><p>May 199{i}</p><p>{SAID}</p></div>" for i in range(5)
        ),
        # changes of a program
        "".join(
            f"<div class=x><h3>Version 1.{i}</h3><p>2024-05-0{i + 1} 10:00</p><p>{SAID}</p></div>"
            for i in range(5)
        ),
        # an interview
        "".join(f"<div class=x><p>{NAMES[i]}</p><p>{SAID}</p></div>" for i in range(5)),
        # a programme of an evening, in sentences
        "".join(
            f"<p>At 10:0{i} the boat number {i} is to come in.</p><p>{SAID}</p>" for i in range(5)
        ),
        # phases of a plan, with how long they take
        "".join(
            f"<h3>Phase {i}</h3><p>Timeline estimate: 1 to {i} weeks</p><p>{SAID}</p>"
            for i in range(5)
        ),
        "".join(
            f"<div class=x><p>Phase {i}</p><p>Takes {i} h</p><p>{SAID}</p></div>" for i in range(5)
        ),
        # a programme of talks
        "".join(
            f"<div class=x><p>10:{i}0</p><p>{NAMES[i]}</p><p>{SAID}</p></div>" for i in range(5)
        ),
        # a table of exercises
        "<table>"
        + "".join(f"<tr><td>Run Easy</td><td>{i} min</td><td>{SAID}</td></tr>" for i in range(5))
        + "</table>",
        # steps of a recipe
        "".join(f"<li><p>Bake the bread</p><p>{i} minutes</p><p>{SAID}</p></li>" for i in range(5)),
        # two of them are no list
        records(COMMENTS["without names"], 2),
        # prose goes on
        records(COMMENTS["without names"], 3) + 3 * PROSE,
    ],
)
def test_other_records_stay(body: str) -> None:
    assert SAID in kept(body)


def test_credits_below_comments_after_a_label() -> None:
    credit = "<p>{said}</p><p>Posted by: {name} at December 2{i}, 2008 10:5{i} PM</p>"
    own = "<p>Posted by Bernice at November 6, 2008 06:55 PM</p>"
    text = kept(f"{own}<h3>Comments</h3>{records(credit, 2)}")
    assert "I have seen" not in text and "Ana Bo" not in text and "Bernice" in text
    assert "I have seen" in kept(f"<h3>Discussion</h3><p>{SAID}</p><p>{SAID}</p>")


def test_records_without_prose_before_them_are_the_content() -> None:
    body = records(COMMENTS["without names"])
    page = Page.from_html(f"<main><h1>The boats</h1>{body}</main>", "http://a.example/1")
    assert find_responses(read_content(page.root)) == frozenset()


def test_an_element_around_the_article_with_text_after_the_comments_stays() -> None:
    text = kept(records(COMMENTS["without names"]) + "All the best")
    assert "I have seen" not in text and "Boat 0" in text


def test_records_in_each_other_take_no_time() -> None:
    nest = "<div class=x><p>Ana Bo</p><p>2 h ago</p>" * 1500
    page = Page.from_html(f"<main>{PROSE}{nest}</main>", "http://a.example/1")
    content = read_content(page.root)
    with limited_effort(5):
        find_responses(content)

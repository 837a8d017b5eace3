"""Which of the dates that a page shows is that of the publication."""

from __future__ import annotations

import math
import time

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.fields import learn_fields, shown_dates
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.page.tree import parse_html

BODY = "<p>" + "Boats lie in the harbour, and the owls are late. " * 4 + "</p>"


def read(html: str, url: str = "http://a.example/boats") -> str:
    return read_fields(Page.from_html(f"<html lang=en><title>Boats</title>{html}", url)).published


@pytest.mark.parametrize(
    "html",
    [
        # A text beside longer ones, in an element with the whole article.
        f"<fieldset><legend>Boats</legend> 3 May 2024 <div>{BODY}</div></fieldset>",
        # Before many categories.
        f"<h1>Boats</h1><p>on May 3, 2024 by owl in {'<a>Sea and Shore</a>, ' * 9}</p>{BODY}",
        # The class says that the page may have comments, and has the article, too.
        f"<div class='post comments-on'><h1>Boats</h1><b class=date>3 May 2024</b>{BODY}</div>",
        # Of two dates in an element, that without a label.
        f"<h1>Boats</h1><p class=date>News<b>MAY 3, 2024</b><i>Updated: MAY 9, 2024</i></p>{BODY}",
        f"<h1>Boats</h1><p class=date>Updated 9 May 2024, first published 3 May 2024</p>{BODY}",
        f"<h1>Boats</h1><p><i>Updated</i> <b>9 May 2024</b></p><p><b>3 May 2024</b></p>{BODY}",
        # The second of two elements at the same path, in one whose name is no XML name.
        f"<o:p><i>Sea</i><h1>Boats</h1><i>3 May 2024</i></o:p>{BODY}",
        # The date for programs is exact.
        f"<h1>Boats</h1><p><time datetime=2024-05-03>03/05/2024</time></p>{BODY}",
        # It is the only one, in an element and around it.
        f"<h1>Boats</h1><p class=date><i>On <time datetime=2024-05-03>Friday</time></i></p>{BODY}",
        f"<h1>Boats</h1><p content=2024-05-03 class=date>Friday</p>{BODY}",
    ],
)
def test_the_date_is_read_where_it_is(html: str) -> None:
    assert read(html) == "2024-05-03"


@pytest.mark.parametrize(
    "other",
    [
        "<a href=/1 class=date>9 June 2024</a>",
        "<div class=date>Ana Bo 9 June 2024</div>",
        "<p>The fair opens again on 9 June 2024.</p>",
    ],
)
def test_the_date_nearest_to_the_title_is_the_articles(other: str) -> None:
    assert read(f"{other}{BODY}<h1>Boats</h1><p>3 May 2024 | Sea</p>{BODY}{other}") == "2024-05-03"


def teasers(*days: int) -> str:
    return "".join(
        f"<li><a href=/{day}>Owls and boats of yesterday</a><span class=date>{day} May 2024</span>"
        for day in days
    )


def test_dates_of_teasers_are_not_the_articles() -> None:
    assert read(f"<h1>Boats</h1>{BODY}<ul>{teasers(3, 4, 5)}</ul>") == ""
    pages = [
        Page.from_html(
            f"<html lang=en><h1>Boats {n}</h1>{BODY}<ul>{teasers(n, n + 7, n + 14)}</ul>",
            f"http://a.example/{n}",
        )
        for n in range(1, 6)
    ]
    fields = learn_fields(pages)
    assert [read_fields(page, fields).published for page in pages] == [""] * 5


def test_dates_in_a_list_of_texts_are_not_the_articles() -> None:
    items = "".join(f"<li>Owls were seen in the harbour on {n} May 2024</li>" for n in (3, 4, 5))
    assert read(f"<h1>Boats</h1>{BODY}<ul>{items}</ul>") == ""
    alone = "<p class=date><a href=/may>Posted on 3 May 2024</a></p>"
    assert read(f"<h1>Boats</h1>{BODY}{alone}") == "2024-05-03"


@pytest.mark.parametrize(
    "nearer",
    [
        "".join(f"<i class=date>{n} June 2024</i> " for n in range(4, 8)),
        "<p>The fair opens again on 9 June 2024 at noon</p>",
        "<nav><b class=date>9 June 2024</b></nav>",
    ],
    ids=["several", "in a sentence", "in a menu"],
)
def test_a_nearer_date_that_is_unlikely(nearer: str) -> None:
    assert read(f"<h1>Boats</h1>{nearer}<p class=date>3 May 2024</p>{BODY}") == "2024-05-03"


def test_a_date_on_one_of_the_pages_is_unlikely() -> None:
    event = "<b class=event>9 June 2024</b>"
    html = "<html lang=en><h1>Boats {n}</h1>{event}<p class=date>{n} May 2024</p>" + BODY
    pages = [
        Page.from_html(html.format(n=n, event=event * (n == 1)), f"http://a.example/{n}")
        for n in range(1, 6)
    ]
    assert read_fields(pages[0], learn_fields(pages)).published == "2024-05-01"


def test_the_nearest_date_on_most_pages_is_learned() -> None:
    html = "<html lang=en><h1>Boats {n}</h1><p>{n} May 2024 | Sea</p>" + BODY
    html += "<div class=date>{m} June 2024</div>"
    pages = [
        Page.from_html(html.format(n=n, m=n + 9), f"http://a.example/{n}") for n in range(1, 6)
    ]
    fields = learn_fields(pages)
    assert [read_fields(page, fields).published[-2:] for page in pages] == [
        "01", "02", "03", "04", "05"
    ]  # fmt: skip


def test_the_folders_of_a_file_are_no_date() -> None:
    assert read(BODY, "http://a.example/2024/05/03/boats") == "2024-05-03"
    assert read(BODY, "file:///2024/05/03/boats") == ""


def test_the_month_of_the_url_decides() -> None:
    html = f"<h1>Boats</h1><b class=date>9 June 2024</b><i class=date>3 May 2024</i>{BODY}"
    assert read(html) == "2024-06-09"
    assert read(html, "http://a.example/2024/05/boats") == "2024-05-03"


@pytest.mark.parametrize("name", ["article:first_published_time", "w-published-date", "date-pub"])
def test_a_date_is_declared_under_many_names(name: str) -> None:
    assert read(f"<meta name='{name}' content=2024-05-03>{BODY}") == "2024-05-03"


@pytest.mark.parametrize("name", ["article:modified_time", "publisher", "unpublished"])
def test_other_declared_dates_are_not_the_publications(name: str) -> None:
    assert read(f"<meta name='{name}' content=2024-05-03>{BODY}") == ""


@pytest.mark.slow
def test_the_time_for_elements_with_dates_beside_each_other_is_linear() -> None:
    def seconds(count: int) -> float:
        root = parse_html("<p>" + "<i data-date=2024-05-03>a</i>" * count)
        least = math.inf
        for _ in range(3):
            start = time.process_time()
            assert len(shown_dates._find_dated(root)) == count
            least = min(least, time.process_time() - start)
        return least

    assert seconds(48_000) < 24 * seconds(6_000)


@pytest.mark.slow
def test_the_time_for_dates_after_the_text_does_not_depend_on_the_depth() -> None:
    prose = "<p>Forty boats came in at noon, with herring in their holds, and all had a crane.</p>"
    dates = "".join(f"<p>Posted {1 + i % 28} May 2020</p>" for i in range(2_500))

    def seconds(depth: int) -> float:
        html = f"<title>The boats</title>{depth * '<div>'}<h1>The boats</h1>{3 * prose}{dates}"
        page = PageSources(Page.from_html(html, "http://a.example/1").head)
        start = time.process_time()
        assert len(shown_dates.find_shown(page, "The boats", is_relative=False)) > 1_000
        return time.process_time() - start

    shallow = min(seconds(10) for _ in range(3))
    deep = min(seconds(2_000) for _ in range(3))
    assert deep < 10 * shallow

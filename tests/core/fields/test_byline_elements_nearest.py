"""The byline nearest to the title."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.fields.byline_elements import Credits, read_line, read_nearest
from forest_scrapy.core.fields.read_fields import read_fields

TITLE = "<h1>Boats</h1>"
FAR = "<p>Boats</p>" * 40


def nearest(body: str) -> list[str]:
    page = Page.from_html(f"<html lang=en><body>{body}", "http://a.example/1")
    return read_nearest(Credits(page))


@pytest.mark.parametrize(
    ("html", "names"),
    [
        (f"<div>{TITLE}<p>By Ana Bo</p></div>{FAR}<p>By Cy Dee</p>", ["Ana Bo"]),
        (f"<p>By Cy Dee</p><div>{TITLE}<b>Boats</b><p>By Ana Bo</p></div>", ["Ana Bo"]),
        (f"<p>By Cy Dee</p><div>{TITLE}{FAR}<p>By Ana Bo</p></div>", ["Cy Dee"]),
        (f"{TITLE}<ul><li>By Ana Bo<li>By Cy Dee</ul>", ["Ana Bo", "Cy Dee"]),
        (f"{TITLE}<div><p><b>By</b> <a>Ana Bo</a></p></div>", ["Ana Bo"]),
        (f"{TITLE}<!-- a --><p><!-- a -->By <?b?>Ana Bo</p><!-- c -->", ["Ana Bo"]),
        ("<p>Boats</p><p>By Ana Bo</p>", ["Ana Bo"]),
        (f"{TITLE}<p>Posted by owl on Friday, 3 May 2024</p>", ["owl"]),
        (f"{TITLE}<p>by owl</p>{FAR}<p>By Ana Bo</p>", ["Ana Bo"]),
        (f"{TITLE}{FAR}<p>by default</p>", []),
    ],
)
def test_which_byline_is_the_nearest(html: str, names: list[str]) -> None:
    assert nearest(html) == names


@pytest.mark.parametrize(
    "byline",
    [
        "<div hidden><p>By Cy Dee</p></div>",
        "<div class=comments><p>By Cy Dee</p></div>",
        "<nav><p>By Cy Dee</p></nav>",
        "<script>By Cy Dee</script>",
        "<!-- By Cy Dee -->",
    ],
)
def test_what_readers_do_not_take_for_the_byline(byline: str) -> None:
    assert nearest(f"{TITLE}<div>{byline}</div><p>By Ana Bo</p>") == ["Ana Bo"]
    assert nearest(TITLE + byline) == []


@pytest.mark.parametrize("html", ["", "<!-- Boats -->", "<frameset>"])
def test_pages_without_text(html: str) -> None:
    assert nearest(html) == []


def test_the_walk_ends_far_from_the_title() -> None:
    assert nearest(f"{TITLE}{'<hr>' * 390}<p>By Ana Bo</p>") == ["Ana Bo"]
    assert nearest(f"{TITLE}{'<hr>' * 410}<p>By Ana Bo</p>") == []


TEXT = "The ferry to the island leaves at dawn, whatever the weather says. " * 3


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (f"<b>Boats</b><br>By Ana Bo, May 3, 2024<br><br>{TEXT}<br>{TEXT}", ["Ana Bo"]),
        (f"By Ana Bo and Cy Dee<br>Rome<br>{TEXT}", ["Ana Bo", "Cy Dee"]),
        (f"By night, May 3, 2024<br>{TEXT}", []),
        (f"By Ana Bo and so on went the day<br>{TEXT}", []),
        (f"{TEXT}<br>Design by Ana Bo<br>By Ana Bo", []),
    ],
)
def test_a_byline_between_line_breaks(lines: str, names: list[str]) -> None:
    page = Page.from_html(f"<html lang=en><td><font>{lines}</font></td>", "http://a.example/1")
    assert read_line(Credits(page)) == names
    assert read_fields(page).authors == tuple(names)

"""The title of a single page that declares none, or only with the names of site and sections."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.fields.sources import PageSources

TEXT = f"<p>{'The boats come in at night. ' * 12}</p>"
SITE = "<h1><a href='/'>The Night Gazette</a></h1><ul><li><a href='/sea/'>Sea and Ports</a></ul>"
URL = "http://night.example/sea/2009/05/boats-come-in.html"


def title(html: str, url: str = URL) -> str:
    return read_fields(Page.from_html(html, url)).title


@pytest.mark.parametrize(
    "window",
    [
        "Boats come in",
        "Boats come in | The Night Gazette",
        "The Night Gazette » Blog Archive » Boats come in",
        "The Night Gazette > Sea and Ports > Boats come in",
        "The Night Gazette",
        "Sea and Ports - The Night Gazette",
    ],
)
@pytest.mark.parametrize(
    "heading",
    [
        "<h2>Boats come in</h2>",
        "<div class=headline>Boats come in</div>",
        "<table><tr><td><font size=4><b>Boats come in</b></font></table>",
    ],
)
def test_the_heading_of_the_article_is_not_that_of_the_site(window: str, heading: str) -> None:
    aside = "<h2>Our other stories of the week</h2>"
    assert title(f"<title>{window}</title>{SITE}{heading}{TEXT}{aside}") == "Boats come in"


def test_a_title_that_is_cut_off_gives_the_whole_heading() -> None:
    html = "<title>Boats come in at night, and nob... - Ports - Night Daily</title>"
    whole = "Boats come in at night, and nobody sees them"
    assert title(f"{html}{SITE}<h3>{whole}</h3>{TEXT}", "http://a.example/1") == whole


@pytest.mark.parametrize("window", ["标题很长的新闻_港口频道_夜报网", "标题很长的新闻-夜报网"])
def test_hyphens_and_underscores_separate_chinese_titles(window: str) -> None:
    page = f"<title>{window}</title><h1>夜报网</h1><div>标题很长的新闻</div>{TEXT}"
    assert title(page) == "标题很长的新闻"


def test_the_name_of_the_site_is_cut_off_where_nothing_shows_the_title() -> None:
    links = "<a href='../../../'><img alt='Night Gazette'></a>"
    assert title(f"<title>Boats - Night Gazette</title>{links}{TEXT}") == "Boats"
    assert title(f"<title>Boats - NightGazette</title>{links}{TEXT}") == "Boats"


def test_a_heading_in_a_menu_or_of_a_teaser_is_not_the_title() -> None:
    menu = "<nav><h2>Sections and more</h2></nav><h2><a href='/other'>Owls of the night</a></h2>"
    assert title(f"<title>Night</title>{SITE}{menu}<h3>The boats</h3>{TEXT}") == "The boats"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<title>Boats come in</title><h2>Boats</h2>", "Boats come in"),
        ("<title>Boats come in and nob...</title><h3>Boats come in and nobody in the town sees what "
         "they have, or who is on them, until noon</h3>", "Boats come in and nobody in the town sees "
         "what they have, or who is on them, until noon"),
        ("<title>10 best boats to buy</title><h1>The best boats of the year that we like to see</h1><h1>Subscribe to us</h1>",
         "The best boats of the year that we like to see"),
        ("<title>Night</title><div class=title>Read more</div>", "Night"),
        ("<title>Boats come in at night | Owls</title><i>Owls</i>", "Boats come in at night | Owls"),
        ("<title>Boats come in - Night Boat Blog</title><h1>Night Boat Blog</h1><h2>Boats come in</h2>",
         "Boats come in"),
    ],
    ids=["one word", "cut off", "for readers", "two marked words", "a short part", "the host"],
)  # fmt: skip
def test_what_is_alike_the_title(html: str, expected: str) -> None:
    assert title(f"{html}{TEXT}", "http://night.example/1") == expected


def test_the_names_are_those_of_the_folders_above_the_page() -> None:
    html = (
        "<a href=http://www.night.example/index.html>Night</a><a href=/sea>Sea</a>"
        "<a href=/sea/2009/05/boats-come-in.html>Boats come in</a><a href='/?s=1'>Search</a>"
        "<a href=http://other.example/>Other</a><a href=/land/>Land</a>"
    )
    page = PageSources(Page.from_html(html, URL))
    assert page.home_names == {"night", "night example"}
    assert page.section_names == {"sea"}

"""Which of the titles of a single page is taken."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.fields import learn_fields
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.fields.titles import read_title

SHARED = "<meta property=og:title content='10 Best Boats | Buy Cheap'>"
PAGE = "<title>10 Best Boats | Buy Cheap</title>"


def title(html: str) -> str:
    return read_fields(Page.from_html(html, "http://a.example/1")).title


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"{PAGE}{SHARED}<h1>The 10 best boats of the year</h1>", "The 10 best boats of the year"),
        (f"{PAGE}{SHARED}<h1>Gazette</h1>", "10 Best Boats | Buy Cheap"),
        (f"{PAGE}<div><h1>The best boats</h1></div><h3>Subscribe now</h3>", "The best boats"),
        (f"{PAGE}{SHARED}<h1 class=logo>Gazette</h1><h1>Our ten best boats</h1>", "Our ten best boats"),
        ('<script type=application/ld+json>{"@type": "Article", "headline": "Ten boats"}</script>'
         f"{SHARED}<h1>Best boats</h1>", "Ten boats"),
        ('<script type=application/ld+json>{"@type": "Article", "headline": "Ten boats"}</script>'
         "<meta property=og:title content='Best boats'><h1>Best boats</h1>", "Best boats"),
    ],
)  # fmt: skip
def test_the_heading_comes_before_a_title_for_search_engines(html: str, expected: str) -> None:
    assert title(html) == expected


@pytest.mark.parametrize("path", ["1", "1#top", "?p=1", "forum/thread.php?t=1", "index.php?t=1#p2"])
def test_the_name_in_the_link_to_the_home_page_is_no_title(path: str) -> None:
    html = "<title>Boats - Forum</title><a href=/>Forum</a><h1>Forum</h1>"
    assert read_title(Page.from_html(html, f"http://a.example/{path}")) == "Boats"


def test_a_heading_in_an_element_whose_name_is_no_xml_name() -> None:
    """Word writes ``o:p``; the second heading has no XPath but its position."""
    other = "<o:p><div><b>Whales near the coast</b></div></o:p>"
    assert title(f"{PAGE}{other}<o:p><div><b>10 Best Boats</b></div></o:p>") == "10 Best Boats"


TITLE = "The harbour office sold the pier"
WINDOWS = [
    "{} @ Daily Skerry", "{} [Daily Skerry]", "{} (Daily Skerry)", "{}【Daily Skerry】",
    "{} &lt; Daily Skerry", "Daily Skerry: {}", "[Daily Skerry] {}", "(Daily Skerry) {}",
    "【Daily Skerry】{}", "{} | Local News | North | Daily Skerry", "Daily Skerry: Local: {}",
    "{} - Local News - North | Daily Skerry", "{} | Daily Skerry | News from our coast",
    "Daily Skerry - News from our coast: {}", "{} – Local News – Daily Skerry",
]  # fmt: skip


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("names_site", [True, False])
def test_the_name_of_the_site_is_cut_off_on_a_single_page(window: str, names_site: bool) -> None:
    logo = "<a href=/>Daily Skerry</a>" if names_site else ""
    html = f"<title>{window.format(TITLE)}</title>{logo}<p>{'Boats come in. ' * 20}"
    url = "http://skerry.example/local/the-harbour-office-sold-the-pier-1"
    assert read_title(Page.from_html(html, url)) == TITLE


@pytest.mark.parametrize("window", WINDOWS)
def test_the_name_of_the_site_is_cut_off_in_a_group(window: str) -> None:
    texts = [TITLE, "Beekeepers counted an unusual map", "Two engineers measured seven boats"]
    pages = [
        Page.from_html(f"<title>{window.format(text)}</title><p>Boats.", f"http://a.example/{i}")
        for i, text in enumerate(texts)
    ]
    learned = learn_fields(pages)
    assert [read_fields(page, learned).title for page in pages] == texts


@pytest.mark.parametrize(
    ("window", "url", "title"),
    [
        ("Result in std::result - Rust", "http://rust.example/a/b", "Result in std::result"),
        (
            "Skerry Maps | Harbour charts",
            "http://skerry.example/maps",
            "Skerry Maps | Harbour charts",
        ),
        ("Boats - Skerry Weather Map", "http://skerry.example/a", "Boats - Skerry Weather Map"),
        ("Interview: «Skerry» is a film", "http://skerry.example/interview-about-a-long-film",
         "Interview: «Skerry» is a film"),
        ("Home - Daily Owl", "http://skerry.example/a", "Home - Daily Owl"),
    ],
)  # fmt: skip
def test_what_is_no_name_of_the_site_stays(window: str, url: str, title: str) -> None:
    logo = "<a href=/>Daily Owl</a><a href=/>Rust</a>"
    html = f"<title>{window}</title>{logo}<p>{'Boats come in. ' * 20}"
    assert read_title(Page.from_html(html, url)) == title


@pytest.mark.parametrize(
    "html",
    [
        "<title>{0} | Skerry</title><h1>{0}<a href=#x>¶</a></h1>",
        "<title>{0} | Docs</title><meta property=og:title content='{0} | Docs'>"
        "<h1><div>{0}</div><div>Stay organized</div></h1>",
        "<title>{0}</title><meta property=og:title content='{0}'>"
        "<h1><div>Local</div><div>{0}</div></h1>",
        "<title>Skerry</title><meta property=og:title content=Skerry><h1>{0}</h1>",
        "<title>{0} | Guide | Hospital</title><h1>{0} | Guide | Hospital</h1><h2>{0}</h2>",
    ],
)
def test_a_heading_shows_the_title_with_something_else(html: str) -> None:
    page = f"{html.format(TITLE)}<p>{'Boats come in. ' * 20}"
    url = "http://skerry.example/1"
    assert read_fields(Page.from_html(page, url)).title == TITLE


def test_a_page_that_lists_itself_beside_others_has_its_own_title() -> None:
    texts = [TITLE, "Beekeepers counted an unusual map", "Two engineers measured seven boats"]
    items = "".join(f"<li><a href=/{i}>{text}</a>" for i, text in enumerate(texts))
    pages = [
        Page.from_html(
            f"<title>{text} | Skerry</title><p>{'Boats come in. ' * 20}<aside><ul>{items}</ul>",
            f"http://a.example/{i}",
        )
        for i, text in enumerate(texts)
    ]
    learned = learn_fields(pages)
    assert [read_fields(page, learned).title for page in pages] == texts
    assert read_title(pages[0]) == TITLE

"""Which entries of a feed have a page of their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Entry
from forest_scrapy.core.page.content import MediaFile
from forest_scrapy.core.page.urls import entry_url, is_entry_url, page_key
from forest_scrapy.feeds.feed_items import Feed
from forest_scrapy.feeds.own_pages import LinkedEntry, place_again, place_entries
from forest_scrapy.feeds.reader import read_feed

FEED = "https://a.example/feed.xml"
PAGE = "https://a.example/show"


def entry(number: int = 1, **values: object) -> Entry:
    defaults = {"title": f"Title {number}", "description": f"Text {number}", "id": f"id{number}"}
    return Entry(**{**defaults, **values})  # type: ignore[arg-type]


def audio(number: int) -> tuple[MediaFile, ...]:
    return (MediaFile(f"https://a.example/{number}.mp3", "audio/mpeg"),)


def urls(*entries: tuple[str, Entry], site: str = "") -> list[str]:
    linked = [LinkedEntry(link, entry) for link, entry in entries]
    return [url for url, _ in place_entries(linked, FEED, site).items]


def test_the_identity_is_the_id_then_the_file_then_the_place_then_the_title() -> None:
    file = audio(1)[0].url
    assert urls(("", entry(1, enclosures=audio(1)))) == [entry_url(FEED, "id1")]
    assert urls(("", entry(1, id="", enclosures=audio(1)))) == [entry_url(FEED, file)]
    places = [(f"{PAGE}#v{number}", entry(number, id="")) for number in (1, 2)]
    assert urls(*places) == [f"{PAGE}#v1:~:entry=v1", f"{PAGE}#v2:~:entry=v2"]
    (first,) = urls(("", entry(1, id="", description="Boats.")))
    (edited,) = urls(("", entry(1, id="", description="Ferries.")))
    (other,) = urls(("", entry(2, id="", description="Boats.")))
    assert first == edited != other


def test_entries_that_share_an_id_or_a_title_are_articles_each() -> None:
    same_id = [entry(number, id="show", enclosures=audio(number)) for number in (1, 2)]
    same_title = [entry(number, id="", title="News", description=f"{number}") for number in (1, 2)]
    for entries in (same_id, same_title):
        listed = [("", each) for each in entries]
        assert len(set(urls(*listed))) == 2
        assert urls(*listed) == urls(*reversed(listed))[::-1]
    twice = ("", entry(1))
    assert urls(twice, twice) == [entry_url(FEED, "id1")] * 2


def test_entries_that_link_one_page() -> None:
    assert urls(*((PAGE, entry(number)) for number in (1, 2))) == [
        f"{PAGE}#:~:entry=id1",
        f"{PAGE}#:~:entry=id2",
    ]


def test_an_id_that_repeats_the_link_tells_nothing() -> None:
    assert len(set(urls((PAGE, entry(1, id=PAGE)), (PAGE, entry(2, id=PAGE))))) == 2


def test_a_feed_of_several_shows_with_a_page_each() -> None:
    shows = [
        (f"{PAGE}/{number % 4}", entry(number, enclosures=audio(number))) for number in range(8)
    ]
    assert all(map(is_entry_url, urls(*shows)))


@pytest.mark.parametrize(
    "entries",
    [
        [entry(1), entry(1)],
        [entry(1), entry(2, title="Re: RE: title 1")],
        [entry(1, description=""), entry(2, description="")],
    ],
    ids=["one entry twice", "answers", "without text"],
)
def test_a_page_that_is_read(entries: list[Entry]) -> None:
    assert urls(*((PAGE, entry) for entry in entries)) == [PAGE, PAGE]


def test_a_few_of_many_that_link_one_page_are_parts_of_it() -> None:
    pages = [(f"https://a.example/{number}", entry(number)) for number in range(5)]
    live = [(f"https://a.example/live#{number}", entry(number)) for number in (8, 9)]
    assert urls(*pages, *live) == [link for link, _ in (*pages, *live)]


def test_an_entry_that_links_the_site_of_its_feed() -> None:
    assert urls(("https://a.example/", entry())) == ["https://a.example/#:~:entry=id1"]
    assert urls(("https://b.example/", entry())) == ["https://b.example/"]
    home = "https://a.example/"
    assert urls((home, entry(id=home))) == [home]
    show = "https://b.example/show"
    assert urls((show, entry()), site=show) == [show]  # a feed that names its newest article
    assert urls((show, entry(enclosures=audio(1))), site=show) == [f"{show}#:~:entry=id1"]
    assert urls(("https://a.example/feed", entry()), site="https://a.example/feed") == [
        "https://a.example/feed#:~:entry=id1"
    ]


def test_what_is_left_out() -> None:
    image = (MediaFile("https://a.example/1.jpg", "image/jpeg"),)
    assert urls(("", entry(description="")), ("", entry(description="", enclosures=image))) == []


def test_a_page_that_several_entries_had_linked_before() -> None:
    items = ((PAGE, entry()), ("https://a.example/1", entry(2)), (PAGE, entry(3, description="")))
    feed = place_again(Feed(items), (page_key(PAGE),))
    assert [url for url, _ in feed.items] == [
        f"{PAGE}#:~:entry=id1",
        "https://a.example/1",
        PAGE,
    ]
    assert place_again(feed, (page_key(PAGE),)) == feed
    assert place_again(feed, ()) is feed


@given(st.text(), st.text())
def test_keys_of_entries(identity: str, other: str) -> None:
    url = entry_url(PAGE, identity)
    assert is_entry_url(url) and len(url) < 400
    assert (page_key(url) == page_key(entry_url("http://www.a.example/show/#x", other))) == (
        identity.encode(errors="replace") == other.encode(errors="replace")
    )
    assert page_key(url) != page_key(PAGE)


def test_a_query_like_the_mark_of_an_entry_is_one_of_a_page() -> None:
    page = "https://a.example/?q=:~:entry=7"
    assert not is_entry_url(page)
    assert is_entry_url(entry_url(page, "1"))
    assert page_key(entry_url(page, "1")) != page_key(entry_url(page, "2"))
    assert page_key(entry_url(page, "1")) != page_key(entry_url("https://a.example/?q=", "1"))
    assert is_entry_url(PAGE + "#" + 9_999 * ":~:entry=") and page_key(
        PAGE + "#" + 9_999 * ":~:entry="
    )


@pytest.mark.parametrize("guid", ["<guid>ep7</guid>", "<guid isPermaLink='false'>ep7</guid>", ""])
def test_an_id_that_is_no_url_is_no_link(guid: str) -> None:
    body = f"<rss><channel><item>{guid}<description>Boats.</description></item></channel></rss>"
    ((url, _),) = read_feed(body.encode(), FEED, {}).items
    assert url.startswith(f"{FEED}#:~:entry=")


@pytest.mark.parametrize("guid", ["https://a.example/7", " /7", "<![CDATA[https://a.example/7]]>"])
def test_an_id_that_is_a_url_is_the_link(guid: str) -> None:
    body = f"<rss><channel><item><guid>{guid}</guid><title>Boats</title></item></channel></rss>"
    ((url, _),) = read_feed(body.encode(), FEED, {}).items
    assert url == "https://a.example/7"


@pytest.mark.parametrize(
    ("guid", "link"),
    [
        ("https://a.example/?ids[]=7", "https://a.example/?ids[]=7"),
        ("<![CDATA[https://a.example/a]b]]>", "https://a.example/a]b"),
        ("HTTPS://a.example/7", "https://a.example/7"),
        ("?p=7", "https://a.example/feed.xml?p=7"),
    ],
)
def test_an_unusual_id_that_is_a_url_is_the_link(guid: str, link: str) -> None:
    item = f"<item><guid>{guid}</guid><description>Boats.</description></item>"
    ((url, _),) = read_feed(f"<rss><channel>{item}</channel></rss>".encode(), FEED, {}).items
    assert page_key(url) == page_key(link)


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_an_id_that_is_a_url_in_other_encodings(encoding: str) -> None:
    item = "<item><guid>https://a.example/\xe97</guid><description>Boats.</description></item>"
    text = f"<?xml version='1.0' encoding='{encoding}'?><rss><channel>{item}</channel></rss>"
    ((url, _),) = read_feed(text.encode(encoding), FEED, {}).items
    assert url == "https://a.example/%C3%A97"


def test_an_id_that_says_it_is_no_link_is_none_beside_one_that_is() -> None:
    guid = "<guid>https://a.example/7</guid>"
    other_guid = "<guid isPermaLink='false'>https://a.example/7</guid>"
    items = ""
    for item_guid in (guid, other_guid):
        items += f"<item>{item_guid}<description>Boats.</description></item>"
    (url, _), (other_url, _) = read_feed(
        f"<rss><channel>{items}</channel></rss>".encode(), FEED, {}
    ).items
    assert url == "https://a.example/7"
    assert is_entry_url(other_url)

"""Reading the items of a feed."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_scrapy.core import Entry
from forest_scrapy.feeds.reader import MAX_NAMED_FEEDS, bound_feed, read_feed

FEED = "http://a.example/feed.xml"
RSS = """<?xml version="1.0"?><rss version="2.0"
 xmlns:slash="http://purl.org/rss/1.0/modules/slash/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>News</title><item><title>Boats</title><link>/boats</link>{}</item></channel></rss>"""
ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"
 xmlns:thr="http://purl.org/syndication/thread/1.0"><title>News</title>
<entry><title>Boats</title><link href="/boats"/><id>x</id>{}</entry></feed>"""

#: Parts of random feeds.
PIECES = (
    '<?xml version="1.0"?>', "<rss>", "<channel>", "<item>", "</item>", "</channel>", "</rss>",
    '<feed xmlns="http://www.w3.org/2005/Atom">', "<entry>", "</entry>", "</feed>", "<title>",
    "</title>", "<link>", "</link>", "http://a.example/1", "http://[", '<link href="/a"/>',
    '<link href="//[::1"/>', '<link rel="replies" href="a:b"/>', "<guid>", "</guid>", "\0", "&#0;",
    "<description>", "</description>", "<![CDATA[", "]]>", "&amp;", "&lt;p&gt;", "&", "<", "text",
    "<pubDate>", "Mon, 99 Foo 2024 25:61:00", "</pubDate>", "<published>", "2024-13-45T99",
    "</published>", "<author>", "</author>", "a@b.example (A)", '<category term="a"/>',
    '<content type="xhtml">', "</content>", "<base>", '<x xml:base="http://[">', "<!DOCTYPE a [",
    "<itunes:duration>x</itunes:duration>", "<georss:point>1 x</georss:point>",
    "<enclosure length='x' url='http://['/>", "<media:content fileSize='a'/>", "<slash:comments>9",
)  # fmt: skip


def read(form: str, inside: str) -> Entry:
    feed = read_feed(form.format(inside).encode(), FEED, {})
    assert feed.problem == ""
    assert [url for url, _ in feed.items] == ["http://a.example/boats"]
    return feed.items[0][1]


@pytest.mark.parametrize(
    ("form", "inside", "name", "value"),
    [
        (RSS, "<comments>/boats#talk</comments>", "comments_url", "http://a.example/boats#talk"),
        (RSS, "<slash:comments>12</slash:comments>", "comments_count", 12),
        (RSS, "<slash:comments>many</slash:comments>", "comments_count", None),
        (RSS, "", "comments_url", ""),
        (ATOM, '<link rel="replies" href="/talk"/>', "comments_url", "http://a.example/talk"),
        (ATOM, "<thr:total>3</thr:total>", "comments_count", 3),
        (RSS, "<dc:creator>Ana Bo</dc:creator>", "author", "Ana Bo"),
        (
            ATOM,
            "<author><name>Ana Bo</name></author><author><name>Cy Dee</name></author>",
            "author",
            "Ana Bo, Cy Dee",
        ),
        (RSS, "<category>Sea</category><category>Sea</category>", "tags", ("Sea",)),
    ],
)
def test_parts_of_an_entry(form: str, inside: str, name: str, value: Any) -> None:
    assert getattr(read(form, inside), name) == value


def test_a_link_of_any_type_is_the_page() -> None:
    body = ATOM.format("").replace('href="/boats"', 'type="text/html; charset=x" href="/boats"')
    feed = read_feed(body.encode(), FEED, {})
    assert [url for url, _ in feed.items] == ["http://a.example/boats"]


def test_dates_keep_their_offset() -> None:
    entry = read(
        ATOM,
        "<published>2024-05-01T10:00:00+02:00</published>"
        "<updated>2024-05-02T11:00:00+02:00</updated>",
    )
    assert entry.published == "2024-05-01T10:00:00+02:00"
    assert entry.updated == "2024-05-02T11:00:00+02:00"


def test_an_entry_is_read_from_its_dict() -> None:
    entry = read(RSS, "<comments>/talk</comments><slash:comments>2</slash:comments>")
    assert Entry.from_dict(entry.to_dict()) == entry


@pytest.mark.parametrize(
    "link",
    ["http://a.example:99999/x", "http://a.example:x/", "http://[", "http://[::1"],
)
def test_a_bad_item_does_not_lose_the_others(link: str) -> None:
    body = RSS.format(f"</item><item><title>Bad</title><link>{link}</link>")
    feed = read_feed(body.encode(), FEED, {})
    assert ([url for url, _ in feed.items], feed.problem) == (["http://a.example/boats"], "")


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "http://a.example:99999/", "file:///x"]
)
def test_comments_url_is_http(url: str) -> None:
    assert read(RSS, f"<comments>{url}</comments>").comments_url == ""
    assert read(ATOM, f'<link rel="replies" href="{url}"/>').comments_url == ""


def test_a_long_text_is_cut() -> None:
    entry = read(RSS, f"<description>{'word ' * 400_000}</description>")
    assert 90_000 < len(entry.description) <= 100_000


@pytest.mark.parametrize("form", ["rss", "atom", "rdf", "prefixed"])
def test_a_feed_with_many_items_is_read_up_to_a_bound(form: str) -> None:
    rss = "<item><title>{0}</title><link>/{0}</link></item>"
    atom = '<entry><title>{0}</title><link href="/{0}"/><id>{0}</id></entry>'
    start, item = {
        "rss": ('<rss version="2.0"><channel><title>a</title>', rss),
        "atom": ('<feed xmlns="http://www.w3.org/2005/Atom">', atom),
        "rdf": (
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
            ' xmlns="http://purl.org/rss/1.0/"><channel><title>a</title></channel>',
            rss,
        ),
        "prefixed": (
            '<a:feed xmlns:a="http://www.w3.org/2005/Atom">',
            atom.replace("<", "<a:").replace("<a:/", "</a:"),
        ),
    }[form]
    body = (start + "".join(map(item.format, range(2_100)))).encode()
    feed = read_feed(body, FEED, {})
    assert (len(feed.items), feed.problem) == (2_000, "")
    assert feed.items[-1][1].title == "1999"


@pytest.mark.parametrize(("size", "items"), [(3_000_000, 3), (3_000_001, 2)])
def test_only_the_start_of_a_large_feed_is_read(size: int, items: int) -> None:
    head, tail = b"<rss><channel>", b"</channel></rss>"
    item = b"<item><link>http://a.example/1</link><description>%s</description></item>"
    body = head + item % (b"a" * 1_000_000) * 2
    body += item % (b"a" * (size - len(body) - len(tail) - len(item) + 2)) + tail
    assert len(body) == size
    assert bound_feed(body).endswith(tail)
    assert len(read_feed(body, FEED, {}).items) == items


@given(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join).map(str.encode) | st.binary(),
    st.sampled_from(["", "text/xml; charset=hex", "text/xml; charset=utf-16", "\xe9"]),
)
@settings(max_examples=200, deadline=None)
def test_no_feed_raises(body: bytes, kind: str) -> None:
    feed = read_feed(body, FEED, {"Content-Type": kind})
    assert bool(feed.items) != bool(feed.problem)
    for url, entry in feed.items:
        assert url.startswith(("http://", "https://"))
        assert Entry.from_dict(entry.to_dict()) == entry


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024/10/06 10:00:00", "2024-10-06T10:00:00"),
        ("Sun, 06 Oct 2024 08:28:28 PM", "2024-10-06T20:28:28"),
        ("Sun, 06 Oct 2024 10:00:00 CEST", "2024-10-06T10:00:00+02:00"),
        ("Sun, 06 Oct 2024 10:00:00 Europe/Rome", "2024-10-06T10:00:00+02:00"),
        ("Sun, 06 Oct 2024 10:00:00 UTC+2", "2024-10-06T10:00:00+02:00"),
        ("dim., 06 octobre 2024 10:00:00 +0200", "2024-10-06T10:00:00+02:00"),
        ("1728208800", "2024-10-06T10:00:00+00:00"),
        ("2024-10-06", "2024-10-06"),
        ("some day soon", "some day soon"),
        ("99/99/2024", "99/99/2024"),
    ],
)
def test_dates_as_feeds_write_them(text: str, moment: str) -> None:
    assert read(RSS, f"<pubDate>{text}</pubDate>").published == moment


def test_the_dates_of_a_feed_tell_the_order_of_day_and_month() -> None:
    item = "<item><title>Boats</title><link>/{0}</link><pubDate>{0}/10/2024</pubDate></item>"
    body = f"<rss><channel>{item.format('05')}{item.format('23')}</channel></rss>"
    items = read_feed(body.encode(), FEED, {}).items
    assert [entry.published for _, entry in items] == ["2024-10-05", "2024-10-23"]


def test_the_language_of_a_feed_tells_the_order_of_day_and_month() -> None:
    item = "<item><title>Boats</title><link>/1</link><pubDate>05/10/2024</pubDate></item>"
    body = f"<rss><channel><language>en-gb</language>{item}</channel></rss>"
    assert read_feed(body.encode(), FEED, {}).items[0][1].published == "2024-10-05"


@pytest.mark.parametrize("domain", ["bo.example", "bo.media", "a.bo.photography"])
def test_the_name_beside_an_address_is_the_author(domain: str) -> None:
    assert read(RSS, f"<author>press@{domain} (Ana Bo)</author>").author == "Ana Bo"


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ("Ana Bo &lt;ana@bo.example&gt;", "Ana Bo"),
        ("Ana Bo (ana@bo.media)", "Ana Bo"),
        ("Ana Bo, ana@bo.media", "Ana Bo"),
        ("ana@bo.media (Ana Bo), cy@dee.media (Cy Dee)", "Ana Bo, Cy Dee"),
        ("ana@bo.media (Ana (Anna) Bo)", "Ana (Anna) Bo"),
        ("ana@bo.example", ""),
    ],
)
def test_addresses_are_no_part_of_the_author(author: str, names: str) -> None:
    assert read(RSS, f"<author>{author}</author>").author == names


def test_authors_of_atom_with_addresses_are_their_names() -> None:
    authors = "".join(
        f"<author><name>{name}</name><email>press@bo.example</email></author>"
        for name in ("Ana Bo", "Cy Dee")
    )
    assert read(ATOM, authors).author == "Ana Bo, Cy Dee"


CYRILLIC = (
    '<?xml version="1.0" encoding="{}"?><rss><channel><item><title>Хранитель маяка</title>'
    "<link>/1</link></item></channel></rss>"
)


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [("windows-1251", "utf-8"), ("windows-1251", "cp1251"), ("utf-8", "cp1251")],
)
def test_the_encoding_of_the_bytes_counts(declared: str, encoding: str) -> None:
    body = CYRILLIC.format(declared).encode(encoding)
    headers = {"Content-Type": f"application/rss+xml; charset={declared}"}
    assert read_feed(body, FEED, headers).items[0][1].title == "Хранитель маяка"


@pytest.mark.parametrize("headers", [{}, {"Content-Type": "text/xml"}])
def test_a_feed_that_declares_no_encoding_is_in_utf_8(headers: dict[str, str]) -> None:
    """Also if a text of it has references, and if it is from a file, so that it has no type."""
    body = RSS.replace("Boats", "Owls &#8212; a café")
    ((_, entry),) = read_feed(body.encode(), FEED, headers).items
    assert entry.title == "Owls — a café"


def test_a_packed_feed_is_read() -> None:
    body = gzip.compress(RSS.format("").encode())
    assert read_feed(body, FEED, {}).items[0][1].title == "Boats"
    assert "decompressed" in read_feed(body[:40], FEED, {}).problem


@pytest.mark.parametrize(
    "start", ["<!DOCTYPE html>", "\ufeff\n<!-- a --> <html lang=en>", "<HTML>"]
)
def test_a_page_is_no_feed_and_names_those_that_it_links(start: str) -> None:
    """Also one whose entities are not those of XML."""
    page = f"{start}<head>{{}}</head><body><p>Boats&nbsp;and <br> owls</body></html>"
    problem = read_feed(page.format("").encode(), FEED, {}).problem
    assert problem.startswith("not a feed but an HTML page, which links none; -a site=URL")

    links = "".join(
        f'<link rel="alternate" type="application/rss+xml" href="/feed/{n}">' for n in range(9)
    )
    problem = read_feed(page.format(links).encode(), FEED, {}).problem
    assert problem.startswith("not a feed but an HTML page, whose feeds are http://a.example/feed/")
    assert problem.count("http") == MAX_NAMED_FEEDS


def test_a_feed_may_stand_after_the_start_of_a_page() -> None:
    body = f"<!DOCTYPE html>{RSS.format('').partition('?>')[2]}"
    assert "HTML page" not in read_feed(body.encode(), FEED, {}).problem


@pytest.mark.parametrize("form", [RSS, ATOM])
def test_a_feed_that_is_cut_off(form: str) -> None:
    """The entry that it ends in is left out: its link may be cut off, too."""
    whole = form.format("").encode()
    start = whole.index(b"<item>" if form is RSS else b"<entry>")
    end = max(
        whole.rfind(b"</item>") + len(b"</item>"), whole.rfind(b"</entry>") + len(b"</entry>")
    )
    second = whole[start:end].replace(b"/boats", b"/harbour").replace(b"<id>x", b"<id>y")
    feed = read_feed(whole[:end] + second + whole[end:], FEED, {})
    assert (len(feed.items), feed.is_cut) == (2, False)
    for cut in range(1, len(second)):
        feed = read_feed(whole[:end] + second[:cut], FEED, {})
        assert [url for url, _ in feed.items] == ["http://a.example/boats"]
        assert feed.is_cut
    for cut in range(start + len(b"<entry>"), end - len(b"</item>")):
        feed = read_feed(whole[:cut], FEED, {})
        assert (feed.items, feed.problem) == ((), "cut off before the end of its first item")


def test_a_feed_whose_tags_begin_as_its_end_tag() -> None:
    whole = ATOM.format("").encode()
    name = b"<feedburner:origLink>http://a.example/boats</feedburner:origLink></entry>"
    whole = whole.replace(b"</entry>", name)
    assert not read_feed(whole, FEED, {}).is_cut
    cut = whole[: whole.index(b"</feed>")]
    assert read_feed(cut, FEED, {}).is_cut

"""Plain feeds are read as feedparser reads them."""

from __future__ import annotations

from typing import Any

import feedparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.feeds import reader
from forest_scrapy.feeds.plain_feed import NotPlain, parse_plain_feed

URL = "http://a.example/blog/feed.xml"
HEADERS = {"content-location": URL, "content-type": "application/xml; charset=utf-8"}
NAMESPACES = (
    'xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"'
    ' xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"'
    ' xmlns:slash="http://purl.org/rss/1.0/modules/slash/"'
    ' xmlns:thr="http://purl.org/syndication/thread/1.0"'
    ' xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
    ' xmlns:media="http://search.yahoo.com/mrss/" xmlns:own="http://a.example/own"'
    ' xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"'
)
RSS_ELEMENTS = (
    "<title>Owls &amp; boats</title>",
    "<title>\n Über&#160;Eulen </title>",
    "<title/>",
    "<link>/owls?a=1&amp;b=2</link>",
    "<link>http://a.example//x/../owls</link>",
    "<link/>",
    '<atom:link rel="alternate" href="other"/>',
    '<atom:link rel="replies" type="text/html" href="/c"/>',
    '<link xml:base="http://b.example/x/">owls</link>',
    '<atom:link xml:base="http://b.example/x/" href="owls"/>',
    "<guid>/owls/7</guid>",
    '<guid xml:base="http://b.example/x/">7</guid>',
    '<guid isPermaLink="false">tag:7</guid>',
    "<description>&lt;p&gt;Owls <![CDATA[<b>hunt</b>]]></description>",
    "<description>Ã¼ber \x92 boats</description>",
    "<description/>",
    "<content:encoded><![CDATA[<p>All of it</p>]]></content:encoded>",
    '<itunes:summary type="html">A &lt;b&gt;sum&lt;/b&gt;</itunes:summary>',
    "<itunes:subtitle>Less</itunes:subtitle>",
    "<pubDate>Mon, 06 May 2024 10:00:00 GMT</pubDate>",
    "<pubDate>2024/10/06</pubDate>",
    "<dc:date>2024-05-06T10:00:00+02:00</dc:date>",
    "<dc:creator>Ana Bo</dc:creator>",
    "<author>press@a.example (Cy Dee)</author>",
    "<author>press@a.media (Cy Dee)</author>",
    "<author><name> Ana  Bo</name><email>a@b.example</email><uri>/ana</uri></author>",
    "<itunes:author>Ana Bo</itunes:author>",
    "<category>Birds</category>",
    '<category domain="x">Birds</category>',
    '<category term="birds" label="Birds"/>',
    "<category/>",
    "<dc:subject>Owls</dc:subject>",
    "<itunes:keywords>owl, boat,</itunes:keywords>",
    "<comments>/owls#c</comments>",
    "<slash:comments>3</slash:comments>",
    "<thr:total>4</thr:total>",
    "<feedburner:origLink>/orig</feedburner:origLink>",
    '<enclosure url="/1.mp3" length="9" type="AUDIO/mpeg"/>',
    '<media:content url="/1.jpg" medium="image"/>',
    '<media:content url="/1.jpg"><media:title type="html">Boat</media:title></media:content>',
    "<media:content url='/1.jpg'>a<media:thumbnail url='/2.jpg'/>b</media:content>",
    "<media:group><media:content url='/1.mp4' type='video/mp4'/><media:content url='/2.mp4'>"
    "<media:title>Boat</media:title></media:content></media:group>",
    "<media:group><media:title>Boat</media:title><media:thumbnail url='/2.jpg'/>"
    "<media:description>A boat\nat sea</media:description></media:group>",
    "<media:group><media:credit role='x'>Ana</media:credit><media:rating>7</media:rating>"
    "<media:copyright>7</media:copyright><media:player url='/p'/><media:license>7</media:license>"
    "<media:hash>7</media:hash><media:text>7</media:text><media:restriction>a b</media:restriction>"
    "</media:group>",
    "<media:group><media:community><media:starRating count='7'/><media:statistics views='7'/>"
    "<media:tags>a</media:tags></media:community></media:group>",
    "<media:community><media:starRating count='7'/></media:community>",
    "<media:group><media:other>7</media:other><own:thing at='7'/></media:group>",
    "<media:group><media:keywords>a, b</media:keywords></media:group>",
    "<media:group><title>In a group</title></media:group>",
    "<media:content url='/1.jpg'><category>a</category></media:content>",
    "<media:content url='/1.jpg'><media:category label='b'>a</media:category></media:content>",
    "<media:title>Boat</media:title>",
    "<media:description>A boat</media:description>",
    '<media:thumbnail url="/2.jpg"/>',
    "<media:thumbnail>/3.jpg</media:thumbnail>",
    '<itunes:image href="/4.jpg"/>',
    "<own:thing>7</own:thing>",
    '<own:thing at="7">text</own:thing>',
    "<source url='/x'>X</source>",
    "<source>X</source>",
    "<unknown>7</unknown>",
    "<unknown at='7'>7</unknown>",
    "<unknown><own:part><part>7</part></own:part></unknown>",
    "<unknown><title>No</title></unknown>",
    "<own:thing><own:part>7</own:part><title>No</title></own:thing>",
    "<img src='/a.png' width='4'/>",
    "<post-id xmlns='com-wordpress:feed-additions:1'>7</post-id>",
    "<own:thing xmlns:own='http://a.example/other'>7</own:thing>",
    "<own:total xmlns:own='http://purl.org/syndication/thread/1.0'>7</own:total>",
    "<thr:total xmlns:thr='http://purl.org/syndication/thread/1.0'>8</thr:total>",
    "<thr:total xmlns:thr='http://a.example/own'>8</thr:total>",
    "<links>7</links>",
    "<thr_total>7</thr_total>",
    "<authors><author>Ana</author></authors>",
    "<enclosures>7</enclosures>",
    "<href>/7</href>",
    "<name>Ana</name>",
    "<url>/7</url>",
    "<date>2020-01-01</date>",
)
RSS_FEED_ELEMENTS = (
    "<title>The Owl Paper</title>",
    "<link>/</link>",
    '<atom:link rel="hub" href="http://hub.example/"/>',
    '<atom:link rel="self" href="feed.xml"/>',
    '<atom:link rel="next" href="?page=2"/>',
    "<language>de-AT</language>",
    "<ttl>60</ttl>",
    "<sy:updatePeriod> hourly </sy:updatePeriod>",
    "<sy:updateFrequency>2</sy:updateFrequency>",
    '<generator uri="/wp" version="6">WordPress</generator>',
    "<image><title>I</title><url>/i.png</url><link>http://b.example/</link></image>",
    "<own:thing><own:part/></own:thing>",
    "<site xmlns='com-wordpress:feed-additions:1'>7</site>",
    "<image><own:part/><part/><title>I</title><url>/i.png</url></image>",
    "<skipHours><hour>7</hour></skipHours>",
)
ATOM_ELEMENTS = (
    "<title type='html'>Owls &amp;amp; boats</title>",
    "<title type='xhtml'><div>Owls</div></title>",
    "<link href='/owls'/>",
    "<link xml:base='http://b.example/x/' href='owls'/>",
    "<author><name>Ana Bo</name><uri xml:base='http://b.example/x/'>ana</uri></author>",
    "<link href='/owls.json' type='application/json'/>",
    "<link rel='replies' href='/owls#c' thr:count='7' own:at='7'/>",
    "<link rel='replies' href='/owls#c' thr:count='7' thr:updated='2020-01-01'/>",
    "<link rel='replies' href='/owls#c' atom:href='/other'/>",
    "<link rel='enclosure' href='/1.mp3' type='audio/mpeg' length='7'/>",
    "<id>tag:a.example,2024:7</id>",
    "<id>/owls/7</id>",
    "<published>2024-05-06T10:00:00Z</published>",
    "<updated>2024-05-07T10:00:00Z</updated>",
    "<author><name>Ana Bo</name></author>",
    "<author><email>c@a.example</email><name>Cy Dee</name></author>",
    "<author><name>Eve</name><own:image at='7'/></author>",
    "<category term='birds' scheme='/s'/>",
    "<summary>Short</summary>",
    "<summary type='html'>&lt;p&gt;Short</summary>",
    "<content type='html' xml:base='/x/'>&lt;p&gt;Long &lt;a href='y'&gt;y&lt;/a&gt;</content>",
    "<content type='text'>a &lt; b</content>",
    "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>Long</div></content>",
    "<content type='image/png'>aGk=</content>",
    "<content src='/owls.html' type='text/html'/>",
    "<thr:total>4</thr:total>",
    "<media:thumbnail url='/2.jpg'/>",
    "<media:group><media:title>Boat</media:title><media:content url='/1.swf'/>"
    "<media:description>A boat</media:description></media:group>",
    "<media:group><media:description type='html'>A boat</media:description></media:group>",
    "<media:group><media:description>&lt;b&gt;A&lt;/b&gt;</media:description></media:group>",
    "<rights>All</rights>",
    "<source><id>tag:b</id><title>B</title><link href='http://b.example/'/></source>",
    "<unknown><own:part>7</own:part></unknown>",
    "<post-id xmlns='com-wordpress:feed-additions:1'>7</post-id>",
)


def read_both(body: bytes, headers: dict[str, str] = HEADERS) -> bool:
    """Whether a feed is plain; then all that is read of it has to be as feedparser has it."""
    try:
        plain = parse_plain_feed(body, headers)
    except NotPlain:
        return False
    parsed = feedparser.parse(
        body, response_headers=headers, sanitize_html=False, resolve_relative_uris=False
    )
    assert describe(plain, body) == describe(parsed, body)
    return True


def describe(parsed: Any, body: bytes) -> tuple[Any, ...]:
    return (
        reader._items(parsed, URL, body),
        reader._hints(parsed.feed, None),
        reader._link_of(parsed.feed, "next"),
        reader._generator(parsed.feed),
        parsed.get("version"),
    )


def rss(feed: str, *items: str, attributes: str = 'version="2.0"') -> bytes:
    joined_items = "".join(f"<item>{item}</item>" for item in items)
    text = f"<rss {attributes} {NAMESPACES}><channel>{feed}{joined_items}</channel></rss>"
    return text.encode()


def atom(feed: str, *entries: str, attributes: str = "") -> bytes:
    joined_entries = "".join(f"<entry>{entry}</entry>" for entry in entries)
    names = f'xmlns="http://www.w3.org/2005/Atom" {NAMESPACES}'
    return f"<feed {names} {attributes}>{feed}{joined_entries}</feed>".encode()


WORDPRESS_MEDIA = (
    "<title>Boats</title><link>/1</link><description>Boats</description>"
    '<media:content url="/1.jpg" medium="image"><media:title type="html">1</media:title>'
    "</media:content>"
)
YOUTUBE_MEDIA = (
    "<title>Boats</title><link rel='alternate' href='/1'/><media:group>"
    "<media:title>Boats</media:title>"
    "<media:content url='/1' type='application/x-shockwave-flash' width='640'/>"
    "<media:thumbnail url='/1.jpg' width='480'/><media:description>Boats</media:description>"
    "<media:community><media:starRating count='1' average='5.00'/><media:statistics views='1'/>"
    "</media:community></media:group>"
)


def rdf(feed: str, outside: str, *items: str, attributes: str = "") -> bytes:
    joined_items = "".join(items)
    names = (
        f'xmlns="http://purl.org/rss/1.0/" xmlns:rdf="{RDF}" {NAMESPACES}'
        f' xmlns:admin="http://webns.net/mvcb/"'
    )
    channel = f"<channel rdf:about='http://a.example/'>{feed}</channel>"
    return f"<rdf:RDF {names} {attributes}>{channel}{outside}{joined_items}</rdf:RDF>".encode()


LINK = "<link>/1</link><title>One</title>"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDF_FEED_ELEMENTS = (
    *RSS_FEED_ELEMENTS,
    "<items><rdf:Seq><rdf:li rdf:resource='/1'/><rdf:li resource='/2'/></rdf:Seq></items>",
    "<image rdf:resource='/i.png'/>",
    "<textinput rdf:resource='/search'/>",
    "<admin:generatorAgent rdf:resource='http://a.example/?v=7'/>",
    "<admin:generatorAgent/>",
    "<admin:errorReportsTo rdf:resource='mailto:a@a.example'/>",
    "<dc:creator>Ana</dc:creator>",
    "<item><title>In the channel</title></item>",
)
OUTSIDE_ELEMENTS = (
    "<image rdf:about='/i'><title>I</title><url>/i.png</url><link>http://b.example/</link></image>",
    "<textinput rdf:about='/s'><title>S</title><name>q</name><link>/s</link></textinput>",
    "<textinput><description>S</description></textinput>",
    "<channel><title>Again</title></channel>",
    "<own:thing/>",
)
ITEM_STARTS = (
    "<item>",
    "<item rdf:about='/7'>",
    "<item rdf:about=''>",
    "<item about='/7'>",
    "<item rdf:about='/7' xml:lang='de'>",
    "<item xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' r:about='/7'>",
)


@pytest.mark.parametrize(
    ("body", "is_plain"),
    [
        (rss("".join(RSS_FEED_ELEMENTS[:-2]), LINK), True),
        (rss(RSS_FEED_ELEMENTS[-2], LINK), False),
        (rss("", f"{LINK}<source url='/x'>X</source><unknown><a:b/></unknown>"), False),
        (rss("", f"{LINK}<source url='/x'>X</source><unknown><own:b/></unknown>"), True),
        (rss("", f"{LINK}<unknown><title>No</title></unknown>"), False),
        (rss("", LINK, attributes='version="0.91"'), True),
        (rss("", LINK, attributes='version="2.0" xml:base="http://b.example/x"'), True),
        (rss("", LINK, attributes='version="2.0" xml:lang="pt_BR"'), True),
        (atom("<id>/</id><link href='/'/>", "".join(ATOM_ELEMENTS[:1])), True),
        (atom("<author><name>Ana</name></author>", LINK, attributes="xml:lang='fr'"), True),
        (b"<!DOCTYPE rss [<!ENTITY a 'b'>]>" + rss("", "<title>&a;</title>"), False),
        (rss("", "<title>&nbsp;</title>"), False),
        (rss("", "<title>a</titel>"), False),
        (rss("", WORDPRESS_MEDIA, WORDPRESS_MEDIA), True),
        (atom("", YOUTUBE_MEDIA, YOUTUBE_MEDIA), True),
        (rdf(RDF_FEED_ELEMENTS[0], OUTSIDE_ELEMENTS[0], f"{ITEM_STARTS[1]}{LINK}</item>"), True),
        (rdf("".join(RDF_FEED_ELEMENTS[-8:]), OUTSIDE_ELEMENTS[1]), True),
        (rdf("", "", attributes="xml:lang='fr' xml:base='http://b.example/x/'"), True),
        (b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>", False),
        (b"<html/>", False),
        (b"", False),
    ],
)
def test_feeds_that_are_plain_or_not(body: bytes, is_plain: bool) -> None:
    assert read_both(body) == is_plain


@pytest.mark.parametrize("element", RSS_ELEMENTS)
def test_each_element_of_an_item(element: str) -> None:
    read_both(rss("", element, f"{LINK}{element}", f"{element}{LINK}{element}"))


@pytest.mark.parametrize("element", ATOM_ELEMENTS)
def test_each_element_of_an_entry(element: str) -> None:
    read_both(atom("", element, f"<link href='/1'/>{element}{element}"))


@given(
    st.lists(st.sampled_from(RSS_FEED_ELEMENTS), max_size=4),
    st.lists(st.lists(st.sampled_from(RSS_ELEMENTS), max_size=6), max_size=3),
)
def test_any_order_of_elements_of_rss(feed: list[str], items: list[list[str]]) -> None:
    read_both(rss("".join(feed), *["".join(item) for item in items]))


@given(
    st.lists(st.sampled_from(RDF_FEED_ELEMENTS), max_size=4),
    st.lists(st.sampled_from(OUTSIDE_ELEMENTS), max_size=2),
    st.sampled_from(ITEM_STARTS),
    st.lists(st.lists(st.sampled_from(RSS_ELEMENTS), max_size=6), max_size=3),
)
def test_any_order_of_elements_of_rdf(
    feed: list[str], outside: list[str], start: str, items: list[list[str]]
) -> None:
    joined_items = [f"{start}{''.join(item)}</item>" for item in items]
    read_both(rdf("".join(feed), "".join(outside), *joined_items))
    read_both(rdf("".join(feed), "".join(joined_items), *outside))


@given(st.lists(st.lists(st.sampled_from(ATOM_ELEMENTS), max_size=6), max_size=3))
def test_any_order_of_elements_of_atom(entries: list[list[str]]) -> None:
    read_both(atom("<link href='/'/>", *["".join(entry) for entry in entries]))


DECLARATIONS = (
    "<?xml version='1.0' encoding='utf-8'?>",
    "<?xml version='1.0' encoding='utf-8'?><?style encoding='koi8-r'?>",
    "<?xml version='1.0' encoding='utf-8'?>\n<?style encoding='koi8-r'?>",
    "<?xml version='1.0'\n encoding='UTF8'?>",
    "<?xml version='1.0' encoding='iso-8859-1'?>",
)


@pytest.mark.parametrize("content_type", ["", "text/xml", "text/html", "application/rss+xml"])
def test_encodings(content_type: str) -> None:
    headers = {"content-location": URL, "content-language": "de"}
    if content_type:
        headers["content-type"] = content_type
    body = rss("", "<title>Über Eulen und “Bücher”</title><link>/ü</link>")
    assert read_both(body, headers)
    for declaration in DECLARATIONS:
        read_both(declaration.encode() + body, headers)
        read_both(declaration.encode("utf-8-sig") + body.decode().encode("cp1252"), headers)
    assert read_both(DECLARATIONS[0].encode() + body, headers)


def test_what_takes_quadratic_time_is_not_plain() -> None:
    names = "".join(f'<x{i}:y xmlns:x{i}="http://a.example/{i}"/>' for i in range(1000))
    tags = "".join(f"<category>{i}</category>" for i in range(1000))
    for body in (rss(names, LINK), rss("", tags)):
        with pytest.raises(NotPlain):
            parse_plain_feed(body, HEADERS)

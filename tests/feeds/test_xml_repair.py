"""Feeds that are no XML for a few characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from forest_scrapy.feeds.reader import read_feed
from forest_scrapy.feeds.xml_repair import repair_xml

FEED = "http://a.example/feed"


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("a\x02b\t\n", "ab\t\n"),
        ("&nbsp;&rsquo;", "&#160;&#8217;"),
        ("&amp;&lt;&apos;", "&amp;&lt;&apos;"),
        ("&unknown; &x=1 & &;", "&amp;unknown; &amp;x=1 &amp; &amp;;"),
        ("&#0;&#x1F;&#xD800;&#x110000;&#xFFFF;", ""),
        ("&#8217;&#x2019;&#9;", "&#8217;&#8217;&#9;"),
        ("<![CDATA[& &nbsp;]]>&nbsp;<!-- & -->", "<![CDATA[& &nbsp;]]>&#160;<!-- & -->"),
        ("<![CDATA[]&]]]>&nbsp;<![CDATA[&nbsp;]", "<![CDATA[]&]]]>&#160;<![CDATA[&nbsp;]"),
        ("<!-->&--->&nbsp;<!--&nbsp;->", "<!-->&--->&#160;<!--&nbsp;->"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]>&b;", "<!DOCTYPE a [<!ENTITY b 'c'>]>&b;"),
    ],
)
def test_what_is_repaired(text: str, repaired: str) -> None:
    assert repair_xml(text.encode()) == repaired.encode()


@given(st.text(st.sampled_from("&#x1a;<>![CDATA]-\x01é "), max_size=30))
def test_well_formed_documents_mean_the_same(text: str) -> None:
    body = f"<a>{text}</a>".encode()
    try:
        root = etree.fromstring(body)
    except etree.XMLSyntaxError:
        return
    assert etree.tostring(etree.fromstring(repair_xml(body))) == etree.tostring(root)


ENTRY = (
    "<item><title>Fish&nbsp;&amp; chips{odd}</title><link>http://a.example/a?b=1{ampersand}c=2"
    "</link><description>&lt;a title=&quot;Kadr z &amp;quot;28&amp;quot;&quot;&gt;b&lt;/a&gt;"
    "</description></item>"
)


@pytest.mark.parametrize(
    ("odd", "ampersand"),
    [
        ("", "&amp;"),
        ("\x02", "&amp;"),
        ("", "&"),
        ("&#2;", "&"),
        ("\x00", "&amp;"),
        ("\x1b", "&amp;"),
        ("é\x1b", "&amp;"),
    ],
)
def test_a_feed_with_such_characters(odd: str, ampersand: str) -> None:
    """Its attributes keep their quotation marks."""
    entry = ENTRY.format(odd=odd, ampersand=ampersand)
    body = f"<rss version='2.0'><channel>{entry}</channel></rss>"
    body = body.replace(
        "<description>",
        "<content:encoded xmlns:content='http://purl.org/rss/1.0/modules/content/'>",
    )
    body = body.replace("</description>", "</content:encoded>")
    ((url, found),) = read_feed(body.encode(), FEED, {}).items
    title = "Fish & chipsé" if "é" in odd else "Fish & chips"
    assert (url, found.title) == ("http://a.example/a?b=1&c=2", title)
    assert found.content == '<a title="Kadr z &quot;28&quot;">b</a>'


@pytest.mark.parametrize("encoding", ["iso-2022-jp", "shift_jis", "euc-jp", "utf-16", "utf-8"])
def test_a_feed_in_an_encoding_of_another_kind(encoding: str) -> None:
    title = "日本語の長い記事"
    body = (
        f"<?xml version='1.0' encoding='{encoding}'?><rss version='2.0'><channel><item>"
        f"<title>{title}&nbsp;{title}</title><link>http://a.example/a?b=1&c=2</link></item>"
        "</channel></rss>"
    )
    ((url, found),) = read_feed(body.encode(encoding), FEED, {}).items
    assert (url, found.title) == ("http://a.example/a?b=1&c=2", f"{title} {title}")


def test_a_feed_with_one_of_another_kind() -> None:
    """feedparser reads it."""
    entry = ENTRY.format(odd="\x02", ampersand="&")
    body = f"<rss version='2.0'><channel>{entry}<item><title>b</titel></channel></rss>"
    items = read_feed(body.encode(), FEED, {}).items
    assert items[0][0] == "http://a.example/a?b=1&c=2"

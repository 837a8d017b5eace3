from __future__ import annotations

import listparser
from lxml import etree

from forest_scrapy.core import Wrapper
from forest_scrapy.core.exports import Origin, export_wrapper
from forest_scrapy.core.exports.readers import choose_selectors

WRAPPER = Wrapper("trained", ("//div[@class='story']",), drop=(".//p[@class='ad']",))
FULL, FILTER = (
    f"{{https://freshrss.org/opml}}{name}" for name in ("cssFullContent", "cssContentFilter")
)


def outline(wrapper: Wrapper, origin: Origin) -> tuple[str, dict[str, str]]:
    text = export_wrapper(wrapper, origin, "opml")
    [found] = etree.fromstring(text.encode()).iter("outline")
    return text, dict(found.attrib)


def test_a_subscription_with_the_selectors_of_freshrss() -> None:
    text, found = outline(WRAPPER, Origin("a.example", "t", ("https://a.example/feed?a=1&b=2",)))
    selectors = choose_selectors(WRAPPER)
    assert selectors.keep
    assert found[FULL] == ", ".join(selectors.keep)
    assert found.get(FILTER, "") == ", ".join(selectors.remove)
    [feed] = listparser.parse(text).feeds
    assert (feed.url, feed.title) == ("https://a.example/feed?a=1&b=2", "a.example")


def test_without_a_feed_the_home_page_is_named() -> None:
    text, found = outline(WRAPPER, Origin("a--b.example-"))
    assert found["xmlUrl"] == "https://a--b.example-/"
    assert 'xmlns:frss="https://freshrss.org/opml"' in text


def test_the_home_page_of_a_port() -> None:
    _, found = outline(WRAPPER, Origin("a.example", "t", ("http://a.example:8000/feed",), 8000))
    assert (found["xmlUrl"], found["htmlUrl"]) == (
        "http://a.example:8000/feed",
        "http://a.example:8000/",
    )
    _, found = outline(WRAPPER, Origin("::1", "t", (), 8000))
    assert found["xmlUrl"] == found["htmlUrl"] == "http://[::1]:8000/"

"""Rules for lists, as other programs read them."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, unquote

import pytest
from lxml import etree
from lxml import html as lxml_html

from forest_scrapy.core import Page
from forest_scrapy.core.exports.article_lists import LIST_FORMATS
from forest_scrapy.core.records.article_list import ArticleListRules, learn_article_list
from tests.core.records.article_list.pages import HOME, STORIES, blog, paper

STORIES_TODAY = STORIES[:10]
PAPER = paper(STORIES_TODAY)
RULES = learn_article_list(Page.from_html(PAPER, HOME))


def outlines(*lists: ArticleListRules) -> list[dict[str, str]]:
    document = LIST_FORMATS["freshrss"](lists)
    root = etree.fromstring(document.encode())
    return [
        {name.replace("{https://freshrss.org/opml}", "frss:"): value for name, value in pairs}
        for pairs in (outline.attrib.items() for outline in root.iter("outline"))
    ]


def test_freshrss_finds_the_articles() -> None:
    """It evaluates ``normalize-space(EXPRESSION)`` at each item."""
    (outline,) = outlines(RULES)
    assert (outline["type"], outline["xmlUrl"], outline["text"]) == (
        "HTML+XPath",
        HOME,
        "The paper",
    )
    root = lxml_html.document_fromstring(PAPER)
    found = []
    for item in root.xpath(outline["frss:xPathItem"]):
        title = item.xpath(f"normalize-space({outline['frss:xPathItemTitle']})")
        found.append((item.xpath(f"normalize-space({outline['frss:xPathItemUri']})"), title))
    assert found == [(story.path, story.title) for story in STORIES_TODAY]
    assert outline["frss:xPathItemTimeFormat"] == "!d/m/Y"
    assert outline["frss:xPathItemUid"] == outline["frss:xPathItemUri"]


def test_dates_that_freshrss_cannot_read() -> None:
    words = ArticleListRules("//li", "a/@href", "a", published="i", date_form="words", url=HOME)
    standard = learn_article_list(Page.from_html(blog(STORIES_TODAY), HOME))
    without, with_dates = outlines(words, standard)
    assert not {name for name in without if "Time" in name}
    assert with_dates["frss:xPathItemTimestamp"] == "descendant::time/@datetime"
    assert "frss:xPathItemTimeFormat" not in with_dates
    assert f"The dates of {HOME}" in LIST_FORMATS["freshrss"]([words])


@pytest.mark.parametrize("title", ["a[@class='x+y']", "a[@title='5%20']"])
def test_rss_bridge_decodes_twice(title: str) -> None:
    rules = ArticleListRules("//li", "a/@href", title, published="i", date_form="d/m/Y", url=HOME)
    (line,) = LIST_FORMATS["rss-bridge"]([rules]).splitlines()
    assert line.startswith("?action=display&bridge=XPathBridge&")
    values = {name: value for name, (value,) in parse_qs(line[1:], keep_blank_values=True).items()}
    assert unquote(values["title"].replace("+", " ")) == title
    assert (values["url"], values["uri"], values["format"]) == (HOME, "a/@href", "Atom")
    assert values["timestamp"] == ""  # strtotime takes 5/6/2026 for a day in May


def test_changedetection() -> None:
    lines = LIST_FORMATS["changedetection"]([RULES, RULES]).splitlines()
    watch, other = map(json.loads, lines)
    assert watch == other == {
        "url": HOME,
        "title": "The paper",
        "include_filters": [f"xpath1:{RULES.items}"],
    }  # fmt: skip


def test_the_rules_themselves() -> None:
    text = LIST_FORMATS["json"]([RULES])
    assert ArticleListRules.loads(text) == RULES
    assert json.loads(LIST_FORMATS["json"]([RULES, RULES])) == [json.loads(text)] * 2

"""The rules for the list of articles of a page, written for programs that read pages as feeds.

These evaluate XPath 1.0 on the tree of libxml2, as the rules were learned.
"""

import json
from collections.abc import Callable, Sequence
from urllib.parse import quote, urlencode

from lxml import etree

from forest_scrapy.core.page.text import xml_text
from forest_scrapy.core.records.article_list import ArticleListRules
from forest_scrapy.core.records.article_list.rules import STANDARD, WORDS

_NAMESPACE = "https://freshrss.org/opml"
#: What PHP cannot read of the dates of a list.
_NO_DATES = "The dates of {} are in words that FreshRSS cannot read: they are left out."
#: Patterns of numbers that PHP's ``strtotime`` reads by itself, as it is meant.
_READ_BY_PHP = ("d.m.Y", "d-m-Y", "Y/m/d", "m/d/Y")


def write_outlines(lists: Sequence[ArticleListRules]) -> str:
    """An OPML document for FreshRSS with a subscription of the type ``HTML+XPath`` for each list
    (https://freshrss.github.io/FreshRSS/en/developers/OPML.html)."""
    root = etree.Element("opml", {"version": "2.0"}, nsmap={"frss": _NAMESPACE})
    head = etree.SubElement(root, "head")
    etree.SubElement(head, "title").text = "Lists of articles"
    body = etree.SubElement(root, "body")
    for rules in lists:
        if rules.date_form == WORDS:
            note = _NO_DATES.format(rules.url).replace("--", "%2D%2D")
            body.append(etree.Comment(f" {note} "))
        attributes = {
            "text": xml_text(rules.name).strip() or rules.url,
            "type": "HTML+XPath",
            "xmlUrl": rules.url,
            "htmlUrl": rules.url,
        }
        for name, value in _outline_values(rules).items():
            if value:
                attributes[f"{{{_NAMESPACE}}}{name}"] = xml_text(value)
        etree.SubElement(body, "outline", attributes)
    document = etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True)
    return document.decode("utf-8")


def _outline_values(rules: ArticleListRules) -> dict[str, str]:
    is_pattern = rules.date_form not in ("", STANDARD, WORDS)
    return {
        "xPathItem": rules.items,
        "xPathItemTitle": rules.title,
        "xPathItemUri": rules.link,
        # The URL identifies an article: its title may be corrected.
        "xPathItemUid": rules.link,
        "xPathItemContent": rules.summary,
        "xPathItemAuthor": rules.author,
        "xPathItemTimestamp": "" if rules.date_form == WORDS else rules.published,
        # "!": what the pattern does not have, the time, is 0, instead of that of the reading.
        "xPathItemTimeFormat": f"!{rules.date_form}" if is_pattern else "",
        "xPathItemThumbnail": rules.image,
    }


def write_bridges(lists: Sequence[ArticleListRules]) -> str:
    """For each list a line with the query of a URL of RSS-Bridge, by its XPathBridge: the address
    of the bridge comes before it."""
    lines = []
    for rules in lists:
        is_read = rules.date_form in (STANDARD, *_READ_BY_PHP)
        parameters = {
            "action": "display",
            "bridge": "XPathBridge",
            "url": rules.url.replace("|", "%7C"),
            "item": _decoded_twice(rules.items),
            "title": _decoded_twice(rules.title),
            "content": _decoded_twice(rules.summary),
            "uri": _decoded_twice(rules.link),
            "author": _decoded_twice(rules.author),
            "timestamp": _decoded_twice(rules.published) if is_read else "",
            "enclosures": _decoded_twice(rules.image),
            "categories": "",
            "format": "Atom",
        }
        lines.append(f"?{urlencode(parameters, quote_via=quote)}\n")
    return "".join(lines)


def _decoded_twice(xpath: str) -> str:
    """The expression as XPathBridge must receive it: it decodes what PHP has decoded already.

    >>> _decoded_twice("//p[@class='a+b']")
    "//p[@class='a%2Bb']"
    """
    return xpath.replace("%", "%25").replace("+", "%2B")


def write_watches(lists: Sequence[ArticleListRules]) -> str:
    """A JSON object for each list, one a line, as the API of changedetection.io takes it (``POST
    /api/v1/watch``): it tells when an article is added."""
    lines = []
    for rules in lists:
        watch = {
            "url": rules.url,
            "title": rules.name or rules.url,
            # The prefix: by libxml2, XPath 1.0.
            "include_filters": [f"xpath1:{rules.items}"],
        }
        lines.append(json.dumps(watch, ensure_ascii=False) + "\n")
    return "".join(lines)


def write_rules(lists: Sequence[ArticleListRules]) -> str:
    """The rules themselves, of one list an object, of several an array."""
    if len(lists) == 1:
        return lists[0].dumps()
    values = [json.loads(rules.dumps()) for rules in lists]
    return json.dumps(values, ensure_ascii=False, indent=2) + "\n"


#: The formats by name; the first is the default.
LIST_FORMATS: dict[str, Callable[[Sequence[ArticleListRules]], str]] = {
    "freshrss": write_outlines,
    "rss-bridge": write_bridges,
    "changedetection": write_watches,
    "json": write_rules,
}

"""Export as an OPML file for FreshRSS: a subscription with the selectors of ``freshrss``.

The attributes are those of FreshRSS's own OPML exports (namespace ``https://freshrss.org/opml``).
"""

from __future__ import annotations

from lxml import etree

from forest_scrapy.core.exports.freshrss import choose_selectors
from forest_scrapy.core.exports.origin import Origin, describe
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["write_opml"]

_NAMESPACE = "https://freshrss.org/opml"
#: A comment must not have these, and must not end in the second.
_DASHES, _DASH = "--", "-"


def write_opml(wrapper: Wrapper, origin: Origin) -> str:
    """An OPML document with one subscription: the feed is the first of the origin's URLs, or the
    home page of the host, from which FreshRSS finds it."""
    root = etree.Element("opml", {"version": "2.0"}, nsmap={"frss": _NAMESPACE})
    note = describe(wrapper, origin).replace(_DASHES, "- -").rstrip(_DASH)
    root.append(etree.Comment(f" {note} "))
    head = etree.SubElement(root, "head")
    etree.SubElement(head, "title").text = origin.host
    found = choose_selectors(wrapper)
    home = f"https://{origin.host}/"
    attributes = {
        "text": origin.host,
        "type": "rss",
        "xmlUrl": next(iter(origin.urls), home),
        "htmlUrl": home,
        f"{{{_NAMESPACE}}}cssFullContent": ", ".join(found.keep),
        f"{{{_NAMESPACE}}}cssContentFilter": ", ".join(found.remove),
    }
    given = {name: value for name, value in attributes.items() if value}
    etree.SubElement(etree.SubElement(root, "body"), "outline", given)
    document = etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=True)
    return document.decode("utf-8")

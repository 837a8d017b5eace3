"""The RSS and Atom feeds of the demo site, with summaries instead of full texts."""

from __future__ import annotations

from collections.abc import Sequence
from email.utils import format_datetime
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from demo.stories import Story


def rss(base_url: str, title: str, stories: Sequence[Story]) -> bytes:
    """The feed as RSS 2.0; authors are in ``dc:creator``, since RSS's own ``author`` is an e-mail
    address."""
    root = Element("rss", {"version": "2.0", "xmlns:dc": "http://purl.org/dc/elements/1.1/"})
    channel = SubElement(root, "channel")
    _child(channel, "title", title)
    _child(channel, "link", f"{base_url}/")
    _child(channel, "description", "News and natural history from Skerrymouth")
    _child(channel, "language", "en")
    for story in stories:
        item = SubElement(channel, "item")
        _child(item, "title", story.title)
        _child(item, "link", base_url + story.path)
        _child(item, "guid", base_url + story.path, isPermaLink="true")
        _child(item, "pubDate", format_datetime(story.when))
        for author in story.authors:
            _child(item, "dc:creator", author)
        for tag in story.tags:
            _child(item, "category", tag)
        _child(item, "description", story.summary)
    return _document(root)


def atom(base_url: str, title: str, stories: Sequence[Story]) -> bytes:
    """The feed as Atom 1.0; ``updated`` is the date of the newest story."""
    root = Element("feed", {"xmlns": "http://www.w3.org/2005/Atom"})
    _child(root, "title", title)
    _child(root, "id", f"{base_url}/journal/")
    _child(root, "updated", max(stories, key=lambda story: story.when).published)
    _child(root, "link", href=f"{base_url}/journal/")
    _child(root, "link", rel="self", href=f"{base_url}/journal/atom.xml")
    for story in stories:
        entry = SubElement(root, "entry", {"xml:lang": story.language})
        _child(entry, "title", story.title)
        _child(entry, "link", rel="alternate", type="text/html", href=base_url + story.path)
        _child(entry, "id", base_url + story.path)
        _child(entry, "published", story.published)
        _child(entry, "updated", story.published)
        for author in story.authors:
            _child(SubElement(entry, "author"), "name", author)
        for tag in story.tags:
            _child(entry, "category", term=tag)
        _child(entry, "summary", story.summary)
    return _document(root)


def _child(parent: Element, tag: str, text: str | None = None, **attributes: str) -> None:
    SubElement(parent, tag, attributes).text = text


def _document(root: Element) -> bytes:
    indent(root)
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"

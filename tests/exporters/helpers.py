"""A check of feeds by the rules of RFC 4287 and RSS 2.0, with the names of the W3C's validator."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from email.utils import parsedate_to_datetime
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from lxml import etree

ATOM = "{http://www.w3.org/2005/Atom}"
_CONTENT = "{http://purl.org/rss/1.0/modules/content/}"
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
#: The children that an element must have, and those that it may have once.
_NEEDED = {"feed": "id title updated", "entry": "id title updated", "author": "name"}
_NEEDED["contributor"] = "name"
_SINGLE = {
    "feed": "id title updated generator icon logo rights subtitle",
    "entry": "id title updated published summary content rights source",
    "author": "name uri email",
    "contributor": "name uri email",
}
_SINGLE["source"] = _SINGLE["feed"]
#: All children of Atom's own that an element may have.
_CHILDREN = {name: f"{names} author contributor category link" for name, names in _SINGLE.items()}
_CHILDREN |= {"author": "name uri email", "contributor": "name uri email"}
_CHILDREN["feed"] += " entry"
_CHILDREN["entry"] += " content"
_URN = re.compile(r"urn:[a-z0-9][a-z0-9-]{1,31}:.+", re.IGNORECASE)
_LINK = re.compile(r"([a-zA-Z][0-9a-zA-Z+\-.]*:)?/{0,2}[0-9a-zA-Z;/?:@&=+$._!~*'()%,#\[\]-]*")
#: What readers leave out of HTML, because it is dangerous or is nothing there.
_UNSAFE = re.compile(
    r"<(script|object|embed|iframe|meta|form|link|base|applet|frame)\b|<[^>]*\son\w+\s*=",
    re.IGNORECASE,
)
_STYLE = re.compile(r"<[^>]*\sstyle\s*=", re.IGNORECASE)
#: Children of a channel that may occur often.
_MANY = ("item", "category", f"{ATOM}link")
_SINGLE_OF_ITEMS = "title link guid pubDate description comments author source"


def feed_problems(document: bytes) -> set[str]:
    """What is wrong with an Atom or RSS document; empty if it is valid."""
    root = etree.fromstring(document)
    check = _atom_problems if root.tag == f"{ATOM}feed" else _rss_problems
    return set(check(root))


def _atom_problems(root: Any) -> Iterator[str]:
    for element in root.iter(*(f"{ATOM}{name}" for name in _SINGLE)):
        name = element.tag.removeprefix(ATOM)
        numbers = Counter(one.tag for one in element.iterchildren(f"{ATOM}*"))
        if any(not numbers[ATOM + one] for one in _NEEDED.get(name, "").split()):
            yield "MissingElement"
        if any(numbers[ATOM + one] > 1 for one in _SINGLE[name].split()):
            yield "DuplicateElement"
        if any(tag.removeprefix(ATOM) not in _CHILDREN[name].split() for tag in numbers):
            yield "UndefinedElement"
        links = element.findall(f"{ATOM}link")
        kinds = [tuple(map(one.get, ("type", "hreflang"))) for one in links if _is_alternate(one)]
        if len(kinds) > len(set(kinds)):
            yield "DuplicateAtomLink"
    entries = root.findall(f"{ATOM}entry")
    if root.find(f"{ATOM}author") is None and any(
        one.find(f"{ATOM}author") is None and one.find(f"{ATOM}source/{ATOM}author") is None
        for one in entries
    ):
        yield "MissingElement"
    for one in entries:
        is_linked = any(map(_is_alternate, one.findall(f"{ATOM}link")))
        if one.find(f"{ATOM}content") is None and not is_linked:
            yield "MissingContentOrAlternate"
    yield from _atom_values(root)
    ids = [(one.findtext(f"{ATOM}id"), one.findtext(f"{ATOM}updated")) for one in entries]
    if len(ids) > len(set(ids)):
        yield "DuplicateEntries"


def _is_alternate(link: Any) -> bool:
    return bool(link.get("rel", "alternate") == "alternate")


def _atom_values(root: Any) -> Iterator[str]:
    for element in root.iter(f"{ATOM}updated", f"{ATOM}published"):
        if not _is_iso(element.text or ""):
            yield "InvalidRFC3339Date"
    for name, attribute in (("category", "term"), ("link", "href")):
        for element in root.iter(ATOM + name):
            if element.get(attribute) is None:
                yield "MissingAttribute"
            elif not element.get(attribute):
                yield "NotBlank"
            elif attribute == "href" and not _is_link(element.get(attribute)):
                yield "InvalidLink"
    for element in root.iter(f"{ATOM}id"):
        text = element.text or ""
        if not urlsplit(text).scheme:
            yield "InvalidFullLink"
        if text.startswith("urn:") and not _URN.fullmatch(text):
            yield "InvalidURN"
    for element in root.iter(f"{ATOM}content", f"{ATOM}summary"):
        yield from _html_problems(element.text or "" if element.get("type") == "html" else "")
    for element in root.iter(f"{ATOM}title", f"{ATOM}name", f"{ATOM}generator"):
        if not "".join(element.itertext()).strip():
            yield "NotBlank"


def _is_link(text: str) -> bool:
    """Whether a text is an IRI reference."""
    with suppress(ValueError):
        parts = urlsplit(text)
        host = (parts.hostname or "").encode("idna").decode()
        ascii = "".join(one if one.isascii() else "a" for one in text)
        return bool(_LINK.fullmatch(ascii)) and host.isascii()
    return False


def _html_problems(html: str) -> Iterator[str]:
    if _UNSAFE.search(html):
        yield "SecurityRisk"
    if _STYLE.search(html):
        yield "DangerousStyleAttr"


def _is_iso(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text) and datetime.fromisoformat(text))
    except ValueError:
        return False


def _rss_problems(root: Any) -> Iterator[str]:
    if root.get("version") is None:
        yield "MissingAttribute"
    channels = root.findall("channel")
    if len(channels) != 1:
        yield "DuplicateElement" if channels else "MissingElement"
    for channel in channels:
        for name in ("title", "link", "description"):
            if channel.find(name) is None:
                yield f"Missing{name.capitalize()}"
        numbers = Counter(one.tag for one in channel.iterchildren("*"))
        if any(n > 1 and tag not in _MANY for tag, n in numbers.items()):
            yield "DuplicateElement"
        for item in channel.iterchildren("item"):
            yield from _item_problems(item)
        for element in chain(channel.iter("pubDate"), channel.iter("lastBuildDate")):
            if not _is_rfc_2822(element.text or ""):
                yield "InvalidRFC2822Date"


def _item_problems(item: Any) -> Iterator[str]:
    numbers = Counter(one.tag for one in item)
    if not numbers["title"] and not numbers["description"]:
        yield "MissingItemTitleOrDescription"
    if any(numbers[name] > 1 for name in _SINGLE_OF_ITEMS.split()):
        yield "DuplicateElement"
    for name in ("description", f"{_CONTENT}encoded"):
        yield from _html_problems(item.findtext(name) or "")
    for link in item.iterchildren("link"):
        if not _is_link(link.text or ""):
            yield "InvalidLink"
    for guid in item.iterchildren("guid"):
        if guid.get("isPermaLink", "true") == "true" and not urlsplit(guid.text or "").netloc:
            yield "InvalidHttpGUID"


def _is_rfc_2822(text: str) -> bool:
    try:
        return parsedate_to_datetime(text).tzinfo is not None
    except ValueError:
        return False

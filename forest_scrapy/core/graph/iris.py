"""IRIs of entities and of their properties, made from URLs and names.

The same URL or name always gives the same IRI, whatever is in it: an IRI has only characters that
RFC 3986 allows, and letters of other alphabets in the names of properties (RFC 3987).
"""

from __future__ import annotations

import re
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from forest_scrapy.core.digests import hex_digest

_URL = re.compile(r"(https?)://([^/?#\s]+)(?![^/?#])([^#]*)(?:#(.*))?", re.IGNORECASE | re.DOTALL)
_AUTHORITY = re.compile(
    r"(?:[\w.~%!$&'()*+,;=:-]*@)?(?:[\w.~-]+|\[[0-9a-f:.]+\])(?::\d*)?", re.ASCII
)
#: What a path, a query and a fragment must not have; a percent sign only before two digits.
_ILLEGAL = re.compile(r"[^\w.~!$&'()*+,;=:@/?%-]|%(?![0-9A-Fa-f]{2})", re.ASCII)
#: Characters of a readable name in an IRI.
MAX_NAME_LENGTH = 40
#: Names in a namespace that are not those of properties.
_RESERVED = re.compile(r"Record$|(?:record|form)-")


def web_iri(url: object) -> str:
    """The IRI of a page; ``""`` for what is no http or https URL.

    >>> web_iri("HTTPS://A.example/b c?d=<e>#f#g")
    'https://a.example/b%20c?d=%3Ce%3E#f%23g'
    >>> web_iri("http://a.example/100%"), web_iri("javascript:x()"), web_iri("http://a b/")
    ('http://a.example/100%25', '', '')
    """
    if not isinstance(url, str):
        return ""
    match = _URL.fullmatch(url.strip())
    if match is None:
        return ""
    scheme, authority, path, fragment = match.groups()
    if not authority.isascii():
        authority = _ascii_authority(authority)
    if not _AUTHORITY.fullmatch(authority.lower()):
        return ""

    user, at, host = authority.rpartition("@")
    if not path.startswith("/"):
        path = f"/{path}"
    iri = f"{scheme.lower()}://{user}{at}{host.lower()}{_escape(path)}"
    if fragment is None:
        return iri
    return f"{iri}#{_escape(fragment)}"


def _ascii_authority(text: str) -> str:
    try:
        return text.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


def _escape(text: str) -> str:
    return _ILLEGAL.sub(lambda match: quote(match[0], safe="", errors="replace"), text)


def entity_iri(url: object, seed: str = "") -> str:
    """The IRI of what a page is about: the page's own; one made of the ``seed`` without a page.

    >>> entity_iri("https://a.example/1"), entity_iri("", "Hamlet")
    ('https://a.example/1', 'urn:uuid:99702228-a1a5-561c-837e-ab1b706d4176')
    """
    iri = web_iri(url)
    if iri:
        return iri
    text = f"{url} {seed}".strip()
    name = text.encode("utf-8", "replace").decode()
    return f"urn:uuid:{uuid5(NAMESPACE_URL, name)}"


def part_iri(iri: str, name: str) -> str:
    """The IRI of a part of an entity.

    >>> part_iri("https://a.example/1", "offer"), part_iri("https://a.example/1#b", "offer")
    ('https://a.example/1#offer', 'https://a.example/1#b/offer')
    """
    separator = "/" if "#" in iri else "#"
    return f"{iri}{separator}{name}"


def home_iri(url: object) -> str:
    """The IRI of the site of a URL; ``""`` if it has none.

    >>> home_iri("https://a.example:8000/b?c")
    'https://a.example:8000/'
    """
    iri = web_iri(url)
    if not iri:
        return ""
    scheme, _, authority = iri.split("/")[:3]
    return f"{scheme}//{authority}/"


def page_iri(url: object) -> str:
    """The IRI of a URL without query and fragment, such as that of all answers of a form.

    >>> page_iri("https://a.example/find?q=the#top")
    'https://a.example/find'
    """
    return re.split("[?#]", web_iri(url), maxsplit=1)[0]


def last_part(iri: str) -> str:
    """The end of an IRI, or of a path of SPARQL, that people read as its name.

    >>> last_part("http://a.example/terms#title"), last_part("^<urn:b>/<http://a.example/c/>")
    ('title', 'c')
    """
    return re.split("[/#:]", iri.strip("<>^").rstrip("/#"))[-1]


def local_name(name: str) -> str:
    """The name of a property in a namespace: readable, different for each name, and one that Turtle
    needs no escapes for.

    >>> local_name("Title"), local_name("First name"), local_name("td[class=a]")
    ('Title', 'First_name', 'td_class_a_c9417e')
    >>> local_name("作者"), local_name("2nd"), local_name("Record")
    ('作者', 'p_2nd_594b01', 'Record_f2bd87')
    """
    plain = "".join(character if _is_plain(character) else "_" for character in name)
    readable = re.sub("__+", "_", plain).strip("_-")
    readable = readable[:MAX_NAME_LENGTH].strip("_-")
    starts_with_letter = readable[:1].isalpha()
    is_same = readable.replace("_", " ") == name and not _RESERVED.match(readable)
    if is_same and starts_with_letter:
        return readable

    parts = [readable, hex_digest(name, 3)]
    if not starts_with_letter:
        parts.insert(0, "p")
    return "_".join(filter(None, parts))


def _is_plain(character: str) -> bool:
    """Whether Turtle has the character in names as it is."""
    if character.isascii():
        return character.isalnum() or character == "-"
    is_in_range = "À" <= character <= "\u1fff" or "\u3001" <= character <= "\ud7ff"
    return character.isalpha() and is_in_range

"""Feeds as most programs write them, read as feedparser reads them, in a fraction of its time.

feedparser handles every text, tag and attribute by methods that serve all that feeds have ever
had.  Most feeds are well-formed RSS or Atom whose entries have a dozen elements with nothing but
text in them.  These are read here, with the same values in what ``reader`` uses; a feed with
anything else is ``NotPlain``, and feedparser reads it.  The encoding and the DOCTYPE are read by
feedparser's own functions, and the parser is the same, expat, so a feed is well-formed for both.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Any
from urllib.parse import urljoin
from xml.parsers import expat

from forest_scrapy.core.encoding import is_utf8

#: What is known of a feed, or of an entry, by feedparser's names.
Values = dict[str, Any]

_SPACE_OF_ATOM = "http://www.w3.org/2005/atom"
_RSS_BY_NAMESPACE = {
    "http://purl.org/rss/1.0/": "rss10",
    _SPACE_OF_ATOM: "atom10",
}
_RSS_VERSIONS = {"0.91": "rss091u", "0.92": "rss092", "0.93": "rss093", "0.94": "rss094"}
_ATOM_VERSIONS = {"0.1": "atom01", "0.2": "atom02", "0.3": "atom03"}
#: Namespaces with attributes or prefixes that feedparser reads in other ways.
_ODD_NAMESPACES = ("backend.userland.com/rss", "www.w3.org/1999/xlink", "netscape.com")
_XML = "http://www.w3.org/XML/1998/namespace "
#: The attribute with the id of an item of RSS 1.0, as expat names it, and attributes of an item, or
#: of a channel, that nothing is read of.
_ABOUT = "http://www.w3.org/1999/02/22-rdf-syntax-ns# about rdf"
_IGNORED_ATTRIBUTES = frozenset((f"{_XML}lang xml", f"{_XML}space xml", _ABOUT))
#: Attributes with what URLs are relative to, and elements in which no URL is read.
_BASES = frozenset((f"{_XML}base xml", "base"))
_WITHOUT_URLS = frozenset(
    "title description summary content content:encoded itunes:summary".split()
)
#: More namespaces of a feed, or tags of an entry, take quadratic time, as in feedparser.
_MAX_NAMESPACES = 50
_MAX_TAGS = 200
#: Bytes of text that expat gathers before it hands them on.
_BUFFER_SIZE = 1 << 16

#: Elements of a feed that nothing is read of, and those that they may contain.
_IGNORED_IN_FEED: dict[str, frozenset[str]] = {
    "image": frozenset(("title", "url", "link", "width", "height", "description")),
    "author": frozenset(("name", "email", "uri", "url", "homepage")),
    "textinput": frozenset(("title", "link", "description", "name")),
    "items": frozenset(("rdf:seq", "rdf:bag", "rdf:li")),
    "skiphours": frozenset(("hour",)),
    "skipdays": frozenset(("day",)),
    "itunes:owner": frozenset(("itunes:name", "itunes:email")),
    "itunes:category": frozenset(("itunes:category",)),
}
_IGNORED_TEXTS_IN_FEED = frozenset(
    "title description subtitle tagline updated modified lastbuilddate pubdate published copyright"
    " rights docs icon logo webmaster managingeditor category rating cloud".split()
)
#: Prefixes whose elements, as far as they are not read below, have no part in what is used.
_IGNORED_PREFIXES_IN_FEED = frozenset(
    "itunes dc media sy thr slash wfw content feedburner creativecommons cc geo admin".split()
)
_IGNORED_PREFIXES = frozenset("sy thr slash wfw feedburner creativecommons cc geo".split())
_IGNORED_IN_ENTRY = frozenset(
    "georss:point dc:publisher dc:rights dc:identifier dc:format dc:type dc:source dc:language"
    " itunes:subtitle itunes:duration itunes:explicit itunes:episode itunes:episodetype"
    " itunes:season itunes:title itunes:block itunes:order".split()
)
#: Elements of a group or a content of Media RSS: those of an entry, those that nothing is read of,
#: and what the counts of views and votes consist of.
_MEDIA_IN_MEDIA = frozenset(("media:content", "media:thumbnail"))
_IGNORED_IN_MEDIA = frozenset(
    "media:credit media:rating media:copyright media:player media:license media:hash media:text"
    " media:restriction".split()
)
_PARTS_OF_COMMUNITY = frozenset("media:starrating media:statistics media:tags".split())
#: Texts that are values of the same name, or of another one.
_VALUES_OF_FEED = {
    "ttl": "ttl",
    "sy:updateperiod": "sy_updateperiod",
    "sy:updatefrequency": "sy_updatefrequency",
    "language": "language",
    "dc:language": "language",
}
_VALUES_OF_ENTRY = {
    "pubdate": "published",
    "published": "published",
    "issued": "published",
    "updated": "updated",
    "modified": "updated",
    "dc:date": "updated",
    "created": "created",
    "comments": "comments",
    "slash:comments": "slash_comments",
    "thr:total": "thr_total",
    "feedburner:origlink": "feedburner_origlink",
}
#: The names of further values.
_NAMES_OF_VALUES = ("authors", "enclosures", "href", "links", "ttl")
_URL_SLASHES = re.compile("^([A-Za-z][A-Za-z0-9+-.]*://)(/*)(.*?)")
#: A URL that is the same if it is joined to any other, and has no double slashes to repair.
_ABSOLUTE_URL = re.compile("https?://[A-Za-z0-9.-]+(?:/[A-Za-z0-9_-][A-Za-z0-9._~-]*)*/?")
_REFERENCE = re.compile("&([A-Za-z0-9_]+);")
#: The control characters U+0080 to U+009F, their bytes in UTF-8, and references to them.
_C1 = re.compile("[\x80-\x9f]")
_BYTES_OF_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_REFERENCE_TO_C1 = re.compile(rb"&#(?:0*+1[2-5]\d|[xX]0*+[89][0-9a-fA-F]);")


class NotPlain(Exception):
    """A feed has something that only feedparser reads."""


class PlainFeed:
    """The feed, as ``feedparser.parse`` gives it as far as it is used.  The parsed dates of entries
    are left out."""

    def __init__(self, version: str, encoding: str, feed: Values, entries: list[Values]) -> None:
        self.feed = feed
        self.entries = entries
        self._values = {"version": version, "encoding": encoding}

    def get(self, name: str) -> Any:
        return self._values.get(name)


def parse_plain_feed(body: bytes, headers: Mapping[str, str]) -> PlainFeed:
    """The feed.  ``headers``: by lower-case name, with the URL as ``content-location``.  Raises
    ``NotPlain``."""
    from feedparser.sanitizer import replace_doctype
    from feedparser.urls import make_safe_absolute_uri

    try:
        data, encoding = _convert_to_utf8(body, headers)
        doctype_version, data, entities = replace_doctype(data)
    except Exception as error:  # it is raised again by feedparser
        raise NotPlain from error
    location = headers["content-location"]
    base = make_safe_absolute_uri(location)
    if not encoding or doctype_version or entities or not base:
        raise NotPlain
    reader = _FeedReader(base, headers.get("content-language", ""))
    try:
        reader.read(data)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise NotPlain from error
    return PlainFeed(reader.version, encoding, reader.feed, reader.entries)


def _convert_to_utf8(body: bytes, headers: Mapping[str, str]) -> tuple[bytes, str]:
    """The feed in UTF-8, and its encoding; ``""`` if feedparser finds none."""
    from feedparser.encodings import convert_to_utf8

    result: dict[str, Any] = {"encoding": ""}
    end = _end_of_declaration(body)
    if end:  # all but the declaration stays as it is, if that says UTF-8
        declaration = convert_to_utf8(headers, body[:end], result)
        is_declared = result["encoding"].lower() == "utf-8"
        if is_declared and (body.isascii() or is_utf8(body)):
            return declaration + body[end:], result["encoding"]
    data = convert_to_utf8(headers, body, result)
    return data, result["encoding"]


def _end_of_declaration(body: bytes) -> int:
    """Where the declaration of XML ends; 0 if there is none, or feedparser may take more for it:
    anything up to the last such end in the first line."""
    if not body.startswith((b"<?xml", BOM_UTF8 + b"<?xml")):
        return 0
    first_line, _, _ = body.partition(b"\n")
    if first_line.count(b"?>") != 1:
        return 0
    return first_line.index(b"?>") + 2


@cache
def _known_prefixes() -> dict[str, str]:
    """feedparser's prefixes by the namespaces that it knows."""
    from feedparser.api import StrictFeedParser

    return {uri.lower(): prefix.lower() for uri, prefix in StrictFeedParser.namespaces.items()}


def _is_unknown(tag: str) -> bool:
    """Whether feedparser has no method for an element, and nothing that is used has its name."""
    prefix, _, name = tag.rpartition(":")
    if prefix:
        return prefix not in _known_prefixes().values()
    return name not in _known_names()


@cache
def _known_names() -> frozenset[str]:
    """The names of elements without a prefix that feedparser has methods for, or another name, and
    those of values that are used."""
    from feedparser.api import StrictFeedParser
    from feedparser.util import FeedParserDict

    names = {*FeedParserDict.keymap, *_VALUES_OF_ENTRY.values(), *_VALUES_OF_FEED.values()}
    names.update(_NAMES_OF_VALUES)
    for method in dir(StrictFeedParser):
        names.add(method.removeprefix("_start_").removeprefix("_end_"))
    return frozenset(names)


@cache
def _windows_characters() -> dict[int, str]:
    """The characters that Windows-1252 has where Unicode has control characters."""
    characters = {}
    for code in range(0x80, 0xA0):
        character = bytes([code]).decode("cp1252", "ignore")
        if character:
            characters[code] = character
    return characters


def _may_have_controls(data: bytes) -> bool:
    """Whether the characters of a feed in UTF-8, or its references, may be control characters that
    Windows-1252 has characters for; most feeds have none."""
    if _BYTES_OF_C1.search(data):
        return True
    return _REFERENCE_TO_C1.search(data) is not None


class _FeedReader:
    """Reads the elements of one feed; ``base``: what URLs are relative to."""

    def __init__(self, base: str, language: str) -> None:
        self.version = ""
        self.feed: Values = {}
        self.entries: list[Values] = []
        self._base = base
        self._language = language
        if language:
            self.feed["language"] = language.replace("_", "-")
        #: Prefixes and namespaces as feedparser keeps them.
        self._prefix_map: dict[str | None, str] = {}
        self._namespaces: dict[str, str] = {}
        self._tags: dict[str, str] = {}
        #: The open elements that are no texts: the root, the channel of RSS, an entry.
        self._open = 0
        self._entry: Values | None = None
        self._has_channel = False
        self._is_rdf = False
        #: What is done with the text of the open element; None if there is none.
        self._end_text: Callable[[str], None] | None = None
        self._texts: list[str] = []
        #: The elements that the open element may contain, and how many of these are open.
        self._children: frozenset[str] = frozenset()
        self._depth = 0
        #: Whether these are any that feedparser does not know either.
        self._is_in_unknown = False
        #: The entry whose author is read, the part of the author that is open, and its texts.
        self._entry_of_author: Values | None = None
        self._part = ""
        self._texts_of_part: list[str] = []
        self._guid_is_link = False
        self._has_content = False
        self._has_title = False
        #: How many groups and contents of Media RSS are open, which have elements of an entry.
        self._open_media = 0
        #: Whether texts may have control characters, which are then read as Windows-1252.
        self._may_have_controls = True

    def read(self, data: bytes) -> None:
        """Read all of a feed.  Raises ``NotPlain`` and ``ExpatError``."""
        self._may_have_controls = _may_have_controls(data)
        parser = expat.ParserCreate(None, " ")
        parser.namespace_prefixes = True
        parser.buffer_text = True
        parser.buffer_size = _BUFFER_SIZE
        parser.StartNamespaceDeclHandler = self._declare
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add_text
        parser.StartDoctypeDeclHandler = self._refuse
        parser.Parse(data, True)

    def _refuse(self, *arguments: object) -> None:
        raise NotPlain

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        """As feedparser notes a namespace."""
        if not uri:
            return
        lower_uri = uri.lower()
        if any(namespace in lower_uri for namespace in _ODD_NAMESPACES):
            raise NotPlain
        if not self.version:
            self.version = _RSS_BY_NAMESPACE.get(lower_uri, "")
        known_prefix = _known_prefixes().get(lower_uri)
        name = prefix or ""
        if known_prefix is not None:
            name = known_prefix
            if self._prefix_map.get(prefix) != known_prefix:
                self._prefix_map[prefix] = known_prefix
                self._tags.clear()
        if self._namespaces.get(name) == uri:
            return  # some programs declare one at each element
        self._namespaces[name] = uri
        if len(self._namespaces) > _MAX_NAMESPACES:
            raise NotPlain
        self._tags.clear()

    def _tag_of(self, name: str) -> str:
        """The tag of an element with the prefix by which feedparser calls a method."""
        tag = self._tags.get(name)
        if tag is None:
            tag = self._find_tag(name)
            self._tags[name] = tag
        return tag

    def _find_tag(self, name: str) -> str:
        namespace, _, local_name = name.rpartition(" ")
        if " " in namespace:  # the prefix comes last
            namespace, local_name = name.split(" ")[:2]
        prefix = _known_prefixes().get(namespace.lower())
        if prefix is None:
            for used_prefix, uri in self._namespaces.items():
                if used_prefix and uri == namespace:
                    prefix = used_prefix
                    break
        if prefix:
            prefix = self._prefix_map.get(prefix.lower(), prefix.lower())
        return f"{prefix}:{local_name}".lower() if prefix else local_name.lower()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = self._tag_of(name)
        has_base = bool(attributes) and not _BASES.isdisjoint(attributes)
        if has_base and self._open and tag not in _WITHOUT_URLS:
            raise NotPlain
        if self._end_text is not None:
            self._start_child(tag)
        elif self._open_media:
            self._start_in_media(tag, _read_attributes(attributes))
        elif self._entry is not None:
            self._start_in_entry(tag, _read_attributes(attributes))
        elif self._open == 0:
            self._start_root(tag, attributes)
        elif tag == ("item" if self.version.startswith("rss") else "entry"):
            self._start_entry(attributes)
        elif self.version.startswith("rss") and self._open == 1:
            self._start_in_root(tag, attributes)
        else:
            self._start_in_feed(tag, _read_attributes(attributes))

    def _end(self, name: str) -> None:
        if self._depth:
            self._end_child()
        elif self._end_text is not None:
            end_text = self._end_text
            text = "".join(self._texts)
            self._end_text = None
            self._children = frozenset()
            self._texts = []
            end_text(text)
        elif self._open_media:
            self._open_media -= 1
        elif self._entry is not None:
            self._entry = None
        else:
            self._open -= 1

    def _add_text(self, text: str) -> None:
        if self._depth:
            self._texts_of_part.append(text)
        elif self._end_text is not None:
            self._texts.append(text)

    def _start_root(self, tag: str, attributes: dict[str, str]) -> None:
        values = _read_attributes(attributes)
        base = values.get("xml:base", values.get("base"))
        for relative in (base, None):
            self._base = self._safe_uri(relative or self._base) or self._base
        language = values.get("xml:lang", values.get("lang"))
        if language is None:
            language = self._language
        if language and tag != "rdf:rdf":
            self.feed["language"] = language.replace("_", "-")
        version = values.get("version", "")
        if tag == "rss":
            if not self.version.startswith("rss"):
                self.version = _RSS_VERSIONS.get(version, "")
            if not self.version:
                self.version = "rss20" if version.startswith("2.") else "rss"
        elif tag == "rdf:rdf" and self.version == "rss10":
            self._is_rdf = True
        elif tag == "feed":
            if not self.version:
                self.version = _ATOM_VERSIONS.get(version, "atom")
            if not self.version.startswith("atom"):
                raise NotPlain
        else:
            raise NotPlain
        self._open = 1

    def _start_in_root(self, tag: str, attributes: dict[str, str]) -> None:
        """The channel; RSS 1.0 has the image and the form beside it, and the items."""
        if self._is_rdf and tag in ("image", "textinput"):
            self._read_text(_ignore, _IGNORED_IN_FEED[tag])
            return
        if tag != "channel" or self._has_channel or attributes.keys() - _IGNORED_ATTRIBUTES:
            raise NotPlain
        self._has_channel = True
        self._open = 2

    def _start_entry(self, attributes: dict[str, str]) -> None:
        if attributes.keys() - _IGNORED_ATTRIBUTES:
            raise NotPlain
        if self._open == 1 and self.version.startswith("rss") and not self._is_rdf:
            raise NotPlain
        self._entry = {}
        if attributes.get(_ABOUT):
            self._entry["id"] = attributes[_ABOUT]
        self.entries.append(self._entry)
        self._guid_is_link = False
        self._has_title = False
        self._has_content = False

    def _safe_uri(self, relative: str) -> str:
        from feedparser.urls import make_safe_absolute_uri

        uri: str = make_safe_absolute_uri(self._base, relative)
        return uri

    def _join(self, url: str) -> str:
        """The URL as feedparser joins it to the base."""
        if _ABSOLUTE_URL.fullmatch(url):
            return url
        url = _URL_SLASHES.sub(r"\1\3", url)
        try:
            return urljoin(self._base, url)
        except ValueError:
            return ""

    # Elements in others.

    def _start_child(self, tag: str) -> None:
        if self._is_in_unknown:
            is_allowed = _is_unknown(tag)
        elif ":" in tag and _is_unknown(tag):
            is_allowed = bool(self._children)
        else:
            is_allowed = tag in self._children
        is_in_part = self._depth > 0 and self._entry_of_author is not None
        if not is_allowed or is_in_part:
            raise NotPlain
        self._depth += 1
        self._part = tag
        self._texts_of_part = []

    def _end_child(self) -> None:
        self._depth -= 1
        if self._entry_of_author is not None:
            text = "".join(self._texts_of_part)
            self._end_author_part(self._entry_of_author, text)

    def _start_unknown(self, tag: str) -> None:
        """An element, of the feed or of an entry, of which feedparser only keeps the text."""
        if not _is_unknown(tag):
            raise NotPlain
        self._read_text(_ignore)
        self._is_in_unknown = True

    # In the feed itself.

    def _start_in_feed(self, tag: str, attributes: Values) -> None:
        prefix, _, _ = tag.partition(":")
        values = self.feed
        if tag == "link":
            self._start_link(values, attributes)
        elif tag in _VALUES_OF_FEED and not attributes:
            self._read_text(lambda text: values.update({_VALUES_OF_FEED[tag]: self._clean(text)}))
        elif tag == "id" and self.version.startswith("atom") and not attributes:
            self._guid_is_link = True
            self._read_text(lambda text: self._end_id(values, text))
        elif tag == "generator":
            self._start_generator(attributes)
        elif tag in _IGNORED_IN_FEED:
            self._read_text(_ignore, _IGNORED_IN_FEED[tag])
        elif tag in _VALUES_OF_FEED:
            raise NotPlain
        elif tag in _IGNORED_TEXTS_IN_FEED or prefix in _IGNORED_PREFIXES_IN_FEED:
            self._read_text(_ignore)
        else:
            self._start_unknown(tag)

    def _start_generator(self, attributes: Values) -> None:
        _move_url(attributes)
        if "href" in attributes:
            attributes["href"] = self._join(attributes["href"])
        self.feed["generator_detail"] = attributes
        self._read_text(lambda text: attributes.update(name=self._clean(text)))

    def _start_link(self, values: Values, attributes: Values) -> None:
        """A link: its URL is its text, or an attribute."""
        attributes.setdefault("rel", "alternate")
        is_self = attributes["rel"] == "self"
        attributes.setdefault("type", "application/atom+xml" if is_self else "text/html")
        _move_url(attributes)
        values.setdefault("links", []).append(attributes)
        if "href" not in attributes:
            self._read_text(lambda text: self._end_link(values, attributes, text))
            return
        attributes["href"] = self._join(attributes["href"])
        if attributes["rel"] == "alternate" and _map_type(attributes["type"]) in _HTML_TYPES:
            values["link"] = attributes["href"]
        self._read_text(_ignore)

    def _end_link(self, values: Values, link: Values, text: str) -> None:
        url = self._read_url(text)
        if values is not self.feed:
            url = url.replace("&amp;", "&")
        url = _REFERENCE.sub(r"&\g<1>", url)
        values["link"] = url
        if url or values is self.feed:
            link["href"] = url

    def _clean(self, text: str) -> str:
        return self._repair(text.strip())

    def _repair(self, text: str) -> str:
        """The text; read as UTF-8 if it was UTF-8 that was read as Latin-1."""
        if text.isascii():
            return text
        with suppress(UnicodeError):  # it was read as it should be
            text = text.encode("iso-8859-1").decode("utf-8")
        if self._may_have_controls and _C1.search(text):
            return text.translate(_windows_characters())
        return text

    def _read_url(self, text: str) -> str:
        url = text.strip()
        return self._repair(self._join(url)) if url else url

    def _end_id(self, values: Values, text: str) -> None:
        values["id"] = self._read_url(text) if self._guid_is_link else self._clean(text)
        if self._guid_is_link:
            values.setdefault("link", values["id"])

    # In an entry.

    def _start_in_entry(self, tag: str, attributes: Values) -> None:
        entry = self._entry
        assert entry is not None
        prefix, _, _ = tag.partition(":")
        if tag in _VALUES_OF_ENTRY:
            if attributes:
                raise NotPlain
            name = _VALUES_OF_ENTRY[tag]
            read = self._read_url if name == "comments" else self._clean
            self._read_text(lambda text: entry.update({name: read(text)}))
        elif tag in _STARTS_IN_ENTRY:
            _STARTS_IN_ENTRY[tag](self, entry, attributes)
        elif tag in _IGNORED_IN_ENTRY or prefix in _IGNORED_PREFIXES:
            self._read_text(_ignore)
        elif tag == "source" and self.version.startswith("rss"):
            self._has_title = False  # feedparser takes the next title, too
            self._read_text(_ignore)
        else:
            self._start_unknown(tag)

    def _start_title(self, entry: Values, attributes: Values) -> None:
        _check_text(attributes)
        self._read_text(lambda text: self._end_title(entry, text))

    def _end_title(self, entry: Values, text: str) -> None:
        title = self._clean(text)
        if self._has_title:  # the first one is the title
            return
        entry["title"] = title
        self._has_title = bool(title)

    def _start_entry_link(self, entry: Values, attributes: Values) -> None:
        self._start_link(entry, attributes)

    def _start_guid(self, entry: Values, attributes: Values) -> None:
        self._guid_is_link = attributes.get("ispermalink", "true") == "true"
        self._read_text(lambda text: self._end_id(entry, text))

    def _start_description(self, entry: Values, attributes: Values) -> None:
        """A summary; a second one before the content is the content."""
        if "summary" in entry and not self._has_content:
            self._start_content(entry, attributes)
            return
        _check_text(attributes)
        self._read_text(lambda text: entry.update(summary=self._clean(text)))

    def _start_content(self, entry: Values, attributes: Values) -> None:
        self._start_content_of(entry, attributes, "text/plain")

    def _start_encoded(self, entry: Values, attributes: Values) -> None:
        self._start_content_of(entry, attributes, "text/html")

    def _start_content_of(self, entry: Values, attributes: Values, default_type: str) -> None:
        _check_text(attributes)
        if "src" in attributes:
            raise NotPlain
        content_type = _map_type(attributes.get("type", default_type))
        self._has_content = True
        self._read_text(lambda text: self._end_content(entry, content_type, text))

    def _end_content(self, entry: Values, content_type: str, text: str) -> None:
        value = self._clean(text)
        is_copied = content_type in ("text/plain", *_HTML_TYPES)
        if content_type == "text/plain" and self.version.startswith("rss"):
            from feedparser.api import StrictFeedParser

            if StrictFeedParser.looks_like_html(value):
                content_type = "text/html"
        entry.setdefault("content", []).append({"type": content_type, "value": value})
        if is_copied:
            entry.setdefault("summary", value)

    def _start_author(self, entry: Values, attributes: Values) -> None:
        entry.setdefault("authors", []).append({})
        self._entry_of_author = entry
        self._read_text(lambda text: self._end_author(entry, text), _IGNORED_IN_FEED["author"])

    def _end_author(self, entry: Values, text: str) -> None:
        self._entry_of_author = None
        entry["author"] = self._clean(text)
        _author_methods()(entry)._sync_author_detail()

    def _end_author_part(self, entry: Values, text: str) -> None:
        author = _author_methods()(entry)
        if self._part in ("name", "email"):
            author._save_author(self._part, text.strip())
        elif ":" not in self._part:
            author._save_author("href", self._read_url(text))
        elif text.strip():  # feedparser may take it for that of the author
            raise NotPlain

    def _start_category(self, entry: Values, attributes: Values) -> None:
        scheme = attributes.get("scheme", attributes.get("domain"))
        _add_tag(entry, attributes.get("term"), scheme, attributes.get("label"))
        self._read_text(lambda text: _end_category(entry, self._clean(text)))

    def _start_itunes_category(self, entry: Values, attributes: Values) -> None:
        _add_tag(entry, attributes.get("text"), "http://www.itunes.com/", None)
        self._read_text(lambda text: _end_category(entry, self._clean(text)))

    def _start_itunes_keywords(self, entry: Values, attributes: Values) -> None:
        if attributes:
            raise NotPlain
        self._read_text(lambda text: _end_keywords(entry, self._clean(text)))

    def _start_itunes_image(self, entry: Values, attributes: Values) -> None:
        url = attributes.get("href") or attributes.get("url")
        if url:
            entry["image"] = {"href": url}
        self._read_text(_ignore)

    def _start_enclosure(self, entry: Values, attributes: Values) -> None:
        _move_url(attributes)
        attributes["rel"] = "enclosure"
        entry.setdefault("links", []).append(attributes)
        self._read_text(_ignore)

    def _start_media_group(self, entry: Values, attributes: Values) -> None:
        self._open_media += 1

    def _start_media(self, entry: Values, attributes: Values) -> None:
        entry.setdefault("media_content", []).append(attributes)
        self._open_media += 1

    def _start_in_media(self, tag: str, attributes: Values) -> None:
        """An element of a group or a content of Media RSS, which feedparser reads as one of the
        entry: a title only if that has none, and a description below those of the entry."""
        entry = self._entry
        assert entry is not None
        if tag == "media:title":
            if not self._has_title:
                raise NotPlain
            self._start_title(entry, attributes)
        elif tag == "media:description":
            if self._has_content and "summary" in entry:
                raise NotPlain
            self._start_description(entry, attributes)
        elif tag in _MEDIA_IN_MEDIA:
            self._start_in_entry(tag, attributes)
        elif tag in _IGNORED_IN_MEDIA:
            self._read_text(_ignore)
        elif tag == "media:community":
            self._read_text(_ignore, _PARTS_OF_COMMUNITY)
        else:
            self._start_unknown(tag)

    def _start_thumbnail(self, entry: Values, attributes: Values) -> None:
        entry.setdefault("media_thumbnail", []).append(attributes)
        self._read_text(lambda text: _end_thumbnail(attributes, self._read_url(text)))

    def _read_text(
        self,
        end_text: Callable[[str], None],
        children: frozenset[str] = frozenset(),
    ) -> None:
        self._end_text = end_text
        self._children = children
        self._is_in_unknown = False


_HTML_TYPES = ("text/html", "application/xhtml+xml")
_Start = Callable[[_FeedReader, Values, Values], None]
#: What begins to read an element of an entry.
_STARTS_IN_ENTRY: dict[str, _Start] = {
    "title": _FeedReader._start_title,
    "link": _FeedReader._start_entry_link,
    "guid": _FeedReader._start_guid,
    "id": _FeedReader._start_guid,
    "description": _FeedReader._start_description,
    "summary": _FeedReader._start_description,
    "itunes:summary": _FeedReader._start_description,
    "content": _FeedReader._start_content,
    "content:encoded": _FeedReader._start_encoded,
    "author": _FeedReader._start_author,
    "dc:creator": _FeedReader._start_author,
    "itunes:author": _FeedReader._start_author,
    "category": _FeedReader._start_category,
    "dc:subject": _FeedReader._start_category,
    "itunes:category": _FeedReader._start_itunes_category,
    "itunes:keywords": _FeedReader._start_itunes_keywords,
    "itunes:image": _FeedReader._start_itunes_image,
    "enclosure": _FeedReader._start_enclosure,
    "media:group": _FeedReader._start_media_group,
    "media:content": _FeedReader._start_media,
    "media:thumbnail": _FeedReader._start_thumbnail,
}


def _ignore(text: str) -> None:
    """For an element that is not used."""


def _read_attributes(attributes: dict[str, str]) -> Values:
    """The attributes by lower-case name, with feedparser's prefix and with that of the feed.

    Raises ``NotPlain`` for those of namespaces that feedparser has no prefix for."""
    values: Values = {}
    for name, value in attributes.items():
        key = name.lower()
        if name.startswith(_XML):
            key = f"xml:{name.split(' ')[1].lower()}"
        elif " " in name:
            namespace, local_name, prefix = name.split(" ")
            known_prefix = _known_prefixes().get(namespace.lower())
            if not known_prefix:
                raise NotPlain
            values[f"{known_prefix}:{local_name}".lower()] = value
            key = f"{prefix}:{local_name}".lower()
        values[key] = value.lower() if key in ("rel", "type") else value
    return values


def _check_text(attributes: Values) -> None:
    """Raise ``NotPlain`` for a content that is no text: elements, or data in base64."""
    content_type = _map_type(attributes.get("type", "text"))
    if attributes.get("mode") == "base64" or not content_type.startswith("text/"):
        raise NotPlain


def _map_type(content_type: str) -> str:
    """The media type of Atom's names of types."""
    lower_type = content_type.lower()
    names = {"text": "text/plain", "plain": "text/plain", "html": "text/html"}
    names["xhtml"] = "application/xhtml+xml"
    return names.get(lower_type, lower_type)


def _move_url(attributes: Values) -> None:
    """Name the attribute with a URL ``href``, whatever its name is."""
    url = attributes.get("url", attributes.get("uri", attributes.get("href")))
    if url:
        attributes.pop("url", None)
        attributes.pop("uri", None)
        attributes["href"] = url


def _add_tag(entry: Values, term: str | None, scheme: str | None, label: str | None) -> None:
    tags = entry.setdefault("tags", [])
    tag = {"term": term, "scheme": scheme, "label": label}
    if len(tags) > _MAX_TAGS:
        raise NotPlain
    if (term or scheme or label) and tag not in tags:
        tags.append(tag)


def _end_category(entry: Values, term: str) -> None:
    if not term:
        return
    tags = entry["tags"]
    if tags and not tags[-1]["term"]:
        tags[-1]["term"] = term
    else:
        _add_tag(entry, term, None, None)


def _end_keywords(entry: Values, text: str) -> None:
    for term in text.split(","):
        if term.strip():
            _add_tag(entry, term.strip(), "http://www.itunes.com/", None)


def _end_thumbnail(attributes: Values, url: str) -> None:
    if url.strip():
        attributes.setdefault("url", url)


@cache
def _author_methods() -> Any:
    """A class with feedparser's methods for the authors of an entry."""
    from feedparser.api import StrictFeedParser

    class Authors:
        _sync_author_detail = StrictFeedParser._sync_author_detail
        _save_author = StrictFeedParser._save_author

        def __init__(self, entry: Values) -> None:
            self._entry = entry

        def _get_context(self) -> Values:
            return self._entry

    return Authors

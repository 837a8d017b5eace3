"""Feeds with the whole articles: ``-O full.rss``, ``-O full.atom``, and the documents of
``forest-scrapy feed``."""

import json
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from io import SEEK_END, BytesIO, TextIOWrapper
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import XMLGenerator

from itemadapter import ItemAdapter
from lxml import etree
from scrapy.exporters import BaseItemExporter

from forest_scrapy.core.items import is_teaser
from forest_scrapy.core.moments import read_moment
from forest_scrapy.core.page.text import xml_text
from forest_scrapy.core.page.urls import fold_url
from forest_scrapy.exporters.appending import appended_path, path_of_file
from forest_scrapy.exporters.site_files import site_file
from forest_scrapy.input_files import read_bytes
from forest_scrapy.items import Article
from forest_scrapy.output_files import BadOutput, locked, replacing
from forest_scrapy.zyte_items import as_ours

_GENERATOR = "forest-scrapy"
_ATOM = "http://www.w3.org/2005/Atom"
_NAMESPACES = {
    "version": "2.0",
    "xmlns:content": "http://purl.org/rss/1.0/modules/content/",
    "xmlns:dc": "http://purl.org/dc/elements/1.1/",
    "xmlns:atom": _ATOM,
}
#: The start of an element, comment or declaration in HTML.
_ELEMENT = re.compile(r"<(?=[A-Za-z/!?])")
#: What the URLs of some pages have, and an IRI has not (RFC 3987).
_NO_IRI = re.compile(r'[\x00-\x20"<>\\^`{|}\x7f]')
_FIELDS = frozenset(field.name for field in fields(Article))
#: Articles of a feed that is appended to, the latest.
MAX_ENTRIES = 500

#: Seconds that a crawl waits for another one that writes the same feed.
_PATIENCE = 5.0


class Element(NamedTuple):
    """An element; ``content``: its text, or the elements in it.  Without content and attributes it
    is left out."""

    name: str
    content: "str | list[Element]" = ""
    attributes: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class FeedHead:
    """What a feed says about itself.

    ``id``: an IRI that stays the same; ``link``: the site; ``updated``: ISO 8601, with an offset;
    ``url``: where the feed is published, ``hub``: of WebSub; ``""`` if there is none.
    """

    title: str
    id: str
    link: str
    updated: str
    url: str = ""
    hub: str = ""

    @property
    def links(self) -> list[dict[str, str]]:
        """The attributes of the links to the feed itself and to its hub."""
        links = []
        if self.url:
            links.append({"rel": "self", "href": self.url})
        if self.hub:
            links.append({"rel": "hub", "href": self.hub})
        return links


def head_of(article: Article) -> FeedHead:
    """The head of a feed that is named after the site of an article."""
    home = home_of(article.url)
    return FeedHead(site_name(article), home, home, _updated(article))


#: The head of a feed without articles.
_NO_HEAD = FeedHead(
    title="No articles yet",
    id="urn:uuid:00000000-0000-0000-0000-000000000000",
    link="http://localhost/",
    updated="",
)


class _FeedItemExporter(BaseItemExporter):
    """Base of the exporters of feeds.  Each article is written when it is scraped; the feed is
    named after the site of the first one, and was updated with the latest one: that date, at the
    head, is overwritten at the end.  Items of other kinds are left out.

    If the file is appended to (``-o``), it stays one document: an article takes the place of one
    with the same id, and the latest ``MAX_ENTRIES`` are kept; it is written as a whole at the
    end.  Raises ``BadOutput`` if it is no such feed.  A new file is locked until it is complete:
    what another crawl puts in its place would lack what this one writes later.  Raises ``InUse``.
    Files of sites, which may be thousands, are not locked: that they were replaced is an error at
    the end, ``BadOutput``.
    """

    #: The elements around the articles with their attributes.
    around: tuple[tuple[str, Mapping[str, str]], ...] = ()
    #: The element of an article.
    element = ""
    #: The tags of the root, of an article, and of its id, with namespaces.
    root_tag = ""
    article_tag = ""
    id_tag = ""
    #: The element at the head that says when the feed was updated.
    updated_element = ""

    def __init__(
        self,
        file: Any,
        head: FeedHead | None = None,
        **options: Any,
    ) -> None:
        super().__init__(dont_fail=True, **options)
        self._path = appended_path(file)
        self._lock = ExitStack()
        if self._path:
            self._read_earlier(self._path)
        else:
            self._lock_new(file)
        target = BytesIO() if self._path else file
        self._text = TextIOWrapper(target, encoding="utf-8", newline="\n", write_through=True)
        self._writer = XMLGenerator(self._text, encoding="utf-8", short_empty_elements=True)
        self._head = head
        self._is_empty = True
        #: When the feed was updated: as it is at the head, at which byte, and as it should be.
        self._written_update = ""
        self._update_position = 0
        self._latest_update = ""
        #: The new articles for a file that is appended to.
        self._new: deque[Article] = deque(maxlen=MAX_ENTRIES)

    def _lock_new(self, file: Any) -> None:
        path = path_of_file(file)
        if path is None or site_file(file) is not None:
            return
        with suppress(BadOutput):  # nobody can put a file into this folder
            self._lock.enter_context(locked(path))

    def start_exporting(self) -> None:
        self._writer.startDocument()
        for name, attributes in self.around:
            self._writer.startElement(name, dict(attributes))  # type: ignore[arg-type]

    def export_item(self, item: Any) -> None:
        article = _as_article(item)
        if article is None:
            return
        if self._path:
            self._new.append(article)
        else:
            self._write_article(article)

    def _write_article(self, article: Article) -> None:
        if self._is_empty:
            self._write_head(article)
            self._is_empty = False
        self._latest_update = max(self._latest_update, _in_utc(_updated(article)))
        self._writer.startElement(self.element, {})  # type: ignore[arg-type]
        self._write(self.article_elements(article))
        self._writer.endElement(self.element)
        self._writer.ignorableWhitespace("\n")

    def finish_exporting(self) -> None:
        for article in self._new:
            self._write_article(article)
        if self._is_empty:
            self._write(self.head_elements(self._head or _NO_HEAD))
        for name, _ in reversed(self.around):
            self._writer.endElement(name)
        self._writer.endDocument()

        target = self._text.detach()  # Scrapy closes the file
        target.flush()
        file = site_file(target)
        is_replaced = file is not None and not file.is_in_place
        if not is_replaced:
            self._correct_update(target)
        self._lock.close()
        if file and is_replaced:
            raise BadOutput(
                f"{file.name} was replaced by another crawl: articles are missing there"
            )
        if self._path and not self._is_empty:
            self._append(self._path, target.getvalue())

    def _write_head(self, article: Article) -> None:
        """Write the elements of the feed, and note where its date is, unless its head was given."""
        if self._head:
            self._write(self.head_elements(self._head))
            return
        head = head_of(article)
        updated = _in_utc(head.updated)
        head_in_utc = replace(head, updated=updated)
        for element in self.head_elements(head_in_utc):
            self._write([element])
            is_update = element.name == self.updated_element
            if is_update and isinstance(element.content, str):
                date_to_end = f"{element.content}</{element.name}>"
                length = len(date_to_end.encode())
                with suppress(OSError, AttributeError):  # a pipe, or a compressed file
                    position = self._text.buffer.tell()
                    self._update_position = position - length
                self._written_update = element.content

    def _correct_update(self, target: Any) -> None:
        """Overwrite the date at the head with that of the latest article; it is as long.  It stays
        in a pipe, a compressed file and the standard output, which may be appended to a file."""
        if not self._update_position:
            return
        date = self.format_update(self._latest_update)
        has_same_length = len(date) == len(self._written_update)
        if date == self._written_update or not has_same_length:
            return
        path = path_of_file(target)
        with suppress(OSError, AttributeError):
            if path is not None:  # it may be open for appending only
                with path.open("r+b") as file:
                    file.seek(self._update_position)
                    file.write(date.encode())
            elif target.seekable() and target is not getattr(sys.stdout, "buffer", None):
                target.seek(self._update_position)
                target.write(date.encode())
                target.seek(0, SEEK_END)

    def format_update(self, moment: str) -> str:
        """An ISO 8601 date as the element at the head has it."""
        return moment

    def head_elements(self, head: FeedHead) -> Iterator[Element]:
        """The elements of the feed itself."""
        raise NotImplementedError

    def article_elements(self, article: Article) -> Iterator[Element]:
        """The elements of an article."""
        raise NotImplementedError

    def _write(self, elements: Iterable[Element]) -> None:
        for name, content, attributes in elements:
            if not content and not attributes:
                continue
            plain = {key: xml_text(value) for key, value in attributes.items()}
            self._writer.startElement(name, plain)  # type: ignore[arg-type]
            if isinstance(content, str):
                self._writer.characters(xml_text(content))
            else:
                self._write(content)
            self._writer.endElement(name)

    def _append(self, path: Path, document: bytes) -> None:
        """Write the new articles of a document, followed by the earlier ones."""
        root = etree.fromstring(document, _parser())
        parent = self._parent_of_articles(root)
        with locked(path, _PATIENCE):
            new_ids = set()
            for article in parent.iterchildren(self.article_tag):
                new_ids.add(self._id(article))
            room = MAX_ENTRIES - len(new_ids)
            for article in self._read_earlier(path):
                if room > 0 and self._id(article) not in new_ids:
                    parent.append(article)
                    room -= 1
            with replacing(path) as part:
                part.write(etree.tostring(root, xml_declaration=True, encoding="utf-8"))

    def _read_earlier(self, path: Path) -> list[Any]:
        """The elements of the articles that are in the file."""
        document = read_bytes(path)
        for text in (document, self._closed(document)):
            with suppress(etree.XMLSyntaxError):
                root = etree.fromstring(text, _parser())
                if root.tag == self.root_tag:
                    parent = self._parent_of_articles(root)
                    return list(parent.iterchildren(self.article_tag))
        kind, _ = self.around[0]
        raise BadOutput(
            f"{path} is no feed that {kind} articles can be added to; name another"
            " file, or overwrite it with -O"
        )

    def _closed(self, document: bytes) -> bytes:
        """The whole articles of a document that was cut, because its first crawl was killed;
        ``b""`` if it is not ours."""
        head, generator, _ = document.partition(f"<generator>{_GENERATOR}</generator>".encode())
        if not generator:
            return b""
        # Texts are escaped, so that these are tags.
        articles, tag, _ = document.rpartition(f"</{self.element}>".encode())
        complete = articles + tag or head + generator
        for name, _ in reversed(self.around):
            complete += f"</{name}>".encode()
        return complete

    def _parent_of_articles(self, root: Any) -> Any:
        """The element that has the articles."""
        is_inside_root = len(self.around) > 1 and len(root)
        return root[0] if is_inside_root else root

    def _id(self, element: Any) -> str:
        return element.findtext(self.id_tag) or ""


class RssItemExporter(_FeedItemExporter):
    """RSS 2.0; the article is in ``content:encoded``.

    That and ``description`` are HTML.  Other elements are text, but many readers take them for
    HTML: what looks like an element in them is escaped once more.
    """

    around = (("rss", _NAMESPACES), ("channel", {}))
    element = "item"
    root_tag = "rss"
    article_tag = "item"
    id_tag = "guid"
    updated_element = "lastBuildDate"

    def format_update(self, moment: str) -> str:
        updated = read_moment(moment)
        return format_datetime(updated) if updated else ""

    def head_elements(self, head: FeedHead) -> Iterator[Element]:
        yield Element("title", _without_elements(head.title))
        yield Element("link", head.link)
        yield Element("description", escape(f"Articles of {head.title}", quote=False))
        yield Element("generator", _GENERATOR)
        yield Element("lastBuildDate", self.format_update(head.updated))
        for link in head.links:
            if link["rel"] == "self":
                link["type"] = "application/rss+xml"
            yield Element("atom:link", "", link)

    def article_elements(self, article: Article) -> Iterator[Element]:
        yield Element("title", _without_elements(_title(article)))
        yield Element("link", _iri(article.url))
        yield Element("guid", id_of(article.url), {"isPermaLink": "false"})
        published = read_moment(article.published)
        if published:
            yield Element("pubDate", format_datetime(published))
        yield Element("atom:updated", _date(article.modified))
        for name in _unique_names(article.authors):
            yield Element("dc:creator", _without_elements(name))
        for name in _unique_names((*article.categories, *article.tags)):
            yield Element("category", _without_elements(name))
        summary, html = _contents(article)
        yield Element("description", escape(summary, quote=False))
        yield Element("content:encoded", html)


class AtomItemExporter(_FeedItemExporter):
    """Atom; the article is in ``content``."""

    around = (("feed", {"xmlns": _ATOM}),)
    element = "entry"
    root_tag = f"{{{_ATOM}}}feed"
    article_tag = f"{{{_ATOM}}}entry"
    id_tag = f"{{{_ATOM}}}id"
    updated_element = "updated"

    def head_elements(self, head: FeedHead) -> Iterator[Element]:
        yield Element("title", head.title)
        yield Element("id", head.id)
        yield Element("link", "", {"href": head.link})
        for link in head.links:
            yield Element("link", "", link)
        yield Element("updated", head.updated or _now())
        yield Element("author", [Element("name", head.title)])
        yield Element("generator", _GENERATOR)

    def article_elements(self, article: Article) -> Iterator[Element]:
        yield Element("title", _title(article))
        yield Element("id", id_of(article.url))
        yield Element("link", "", {"href": _iri(article.url), "rel": "alternate"})
        yield Element("published", _date(article.published))
        yield Element("updated", _updated(article))
        for name in _unique_names((*article.categories, *article.tags)):
            yield Element("category", "", {"term": name})
        summary, html = _contents(article)
        yield Element("summary", summary)
        if html:
            yield Element("content", html, {"type": "html"})
        for name in _unique_names(article.authors):
            yield Element("author", [Element("name", name)])


def write_json_feed(head: FeedHead, articles: Iterable[Article]) -> bytes:
    """A document of JSON Feed 1.1."""
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": head.title,
        "home_page_url": head.link,
        "feed_url": head.url,
        "hubs": [{"type": "WebSub", "url": head.hub}] if head.hub else [],
    }
    document = _without_empty(feed)
    document["items"] = [_json_item(article) for article in articles]
    text = json.dumps(document, ensure_ascii=False, indent=1)
    return f"{text}\n".encode("utf-8", "replace")


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


def _json_item(article: Article) -> dict[str, Any]:
    summary, html = _contents(article)
    authors = [{"name": name} for name in _unique_names(article.authors)]
    tags = _unique_names((*article.categories, *article.tags))
    item = {
        "id": id_of(article.url),
        "url": _iri(article.url),
        "title": article.title,
        "summary": summary,
        "image": article.main_image,
        "date_published": _date(article.published),
        "date_modified": _updated(article),
        "authors": authors,
        "tags": tags,
        "language": article.language,
    }
    values = _without_empty(item)
    if html:
        values["content_html"] = html
    else:  # one of them is required
        values["content_text"] = ""
    return values


def _contents(article: Article) -> tuple[str, str]:
    """The summary, and the article as HTML; of a teaser only the summary."""
    if is_teaser(article):
        return article.summary or article.text, ""
    html = article.html
    if not html:
        for line in article.text.splitlines():
            if line.strip():
                content = escape(line, quote=False)
                html += f"<p>{content}</p>"
    return article.summary, html


def _iri(url: str) -> str:
    """A URL without the characters that it must not have.

    >>> _iri("https://a.example/a b")
    'https://a.example/a%20b'
    """
    return _NO_IRI.sub(lambda match: quote(match[0]), url)


def id_of(url: str) -> str:
    """The id of an entry: the URL without what may differ when the article is found again, as
    parameters that track readers.

    >>> id_of("https://www.a.example/1?utm_source=rss")
    'http://a.example/1'
    """
    if url.lower().startswith(("http://", "https://")):
        url = f"http://{fold_url(url)}"
    return _iri(url)


def _title(article: Article) -> str:
    """The title; the URL if there is none, since feeds must have one."""
    return xml_text(article.title).strip() or article.url


def _unique_names(names: Iterable[str]) -> list[str]:
    """The names without repetitions and blank ones."""
    plain_names = [xml_text(name).strip() for name in names]
    distinct_names = dict.fromkeys(plain_names)
    return list(filter(None, distinct_names))


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


def _as_article(item: Any) -> Article | None:
    """The item as an article; None if it has no URL, or the article is gone."""
    item = as_ours(item)
    if not isinstance(item, Article):
        values = ItemAdapter(item).asdict() if ItemAdapter.is_item(item) else {}
        if not values.get("url"):
            return None
        fields_of_articles = {name: values[name] for name in values if name in _FIELDS}
        item = Article(**fields_of_articles)
    has_content = item.title or item.text or item.html
    return item if has_content else None


def _without_elements(text: str) -> str:
    """
    >>> _without_elements("AT&T: 1 < 2 <b>")
    'AT&T: 1 < 2 &lt;b>'
    """
    return _ELEMENT.sub("&lt;", text)


def site_name(article: Article) -> str:
    """The name of an article's site, or its host."""
    return article.site_name or urlsplit(article.url).netloc


def home_of(url: str) -> str:
    """
    >>> home_of("https://a.example/news/1?page=2")
    'https://a.example/'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"


def _updated(article: Article) -> str:
    """When an article was changed last, as far as that is known; a feed must say it."""
    for text in (article.modified, article.published, article.fetched_at):
        date = _date(text)
        if date:
            return date
    return _now()


def _in_utc(text: str) -> str:
    """An ISO 8601 date in UTC, whose texts are in the order of the moments; another one as it is.

    >>> _in_utc("2024-06-01T10:00:00+02:00"), _in_utc("0001-01-01T00:00:00+14:00")
    ('2024-06-01T08:00:00+00:00', '0001-01-01T00:00:00+14:00')
    """
    moment = read_moment(text)
    if moment is None:
        return text
    try:
        return moment.astimezone(UTC).isoformat(timespec="seconds")
    except OverflowError:
        return text


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _date(text: str) -> str:
    """An ISO 8601 date with time and offset, as Atom requires; ``""`` if there is none."""
    moment = read_moment(text)
    if moment:
        return moment.isoformat(timespec="seconds")
    return ""

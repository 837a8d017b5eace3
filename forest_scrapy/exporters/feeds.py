"""Feeds with the whole articles: ``-O full.rss``, ``-O full.atom``, and the documents of
``forest-scrapy feed``."""

import json
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import XMLGenerator

from itemadapter import ItemAdapter
from lxml import etree
from scrapy.exporters import BaseItemExporter
from scrapy.extensions.postprocessing import PostProcessingManager

from forest_scrapy.core.items import is_teaser
from forest_scrapy.core.moments import read_moment
from forest_scrapy.core.page.urls import fold_url
from forest_scrapy.exporters.site_files import site_file
from forest_scrapy.exporters.text_formats import plain_text
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
_FIELDS = frozenset(one.name for one in fields(Article))
#: Articles of a feed that is appended to, the latest.
MOST_ENTRIES = 500

#: Seconds that a crawl waits for another one that writes the same feed.
_PATIENCE = 5.0

#: An element: its name, its text or the elements in it, and its attributes.
Row = tuple[str, "str | list[Row]", Mapping[str, str]]


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
        named = (("self", self.url), ("hub", self.hub))
        return [{"rel": name, "href": url} for name, url in named if url]


def head_of(article: Article) -> FeedHead:
    """The head of a feed that is named after the site of an article."""
    home = home_of(article.url)
    return FeedHead(site_name(article), home, home, _updated(article))


#: The head of a feed without articles.
_NO_HEAD = FeedHead(
    "No articles yet", "urn:uuid:00000000-0000-0000-0000-000000000000", "http://localhost/", ""
)


class _FeedItemExporter(BaseItemExporter):
    """Base of the exporters of feeds.  Each article is written when it is scraped; the feed is
    named after the site of the first one.  Items of other kinds are left out.

    If the file is appended to (``-o``), it stays one document: an article takes the place of one
    with the same id, and the latest ``MOST_ENTRIES`` are kept; it is written as a whole at the
    end.  Raises ``BadOutput`` if it is no such feed.  A new file is locked until it is complete:
    what another crawl puts in its place would lack what this one writes later.  Raises ``InUse``.
    Files of sites, which may be thousands, are not locked: that they were replaced is an error at
    the end, ``BadOutput``.
    """

    #: The elements around the articles with their attributes, and the element of an article.
    around: tuple[tuple[str, Mapping[str, str]], ...] = ()
    element = ""
    #: The tags of the root, of an article, and of its id, with namespaces.
    tags = ("", "", "")

    def __init__(self, file: Any, head: FeedHead | None = None, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._path = appended_path(file)
        self._lock = ExitStack()
        if self._path:
            self._read_earlier(self._path)
        elif (path := _path_of(file)) and site_file(file) is None:
            with suppress(BadOutput):  # nobody can put a file into this folder
                self._lock.enter_context(locked(path))
        target = BytesIO() if self._path else file
        self._text = TextIOWrapper(target, encoding="utf-8", newline="\n", write_through=True)
        self._writer = XMLGenerator(self._text, encoding="utf-8", short_empty_elements=True)
        self._head, self._is_empty = head, True
        #: The new articles for a file that is appended to.
        self._new: deque[Article] = deque(maxlen=MOST_ENTRIES)

    def start_exporting(self) -> None:
        self._writer.startDocument()
        for name, attributes in self.around:
            self._writer.startElement(name, dict(attributes))  # type: ignore[arg-type]

    def export_item(self, item: Any) -> None:
        article = _as_article(item)
        if article is not None and self._path:
            self._new.append(article)
        elif article is not None:
            self._write_article(article)

    def _write_article(self, article: Article) -> None:
        if self._is_empty:
            self._write(self.head_rows(self._head or head_of(article)))
            self._is_empty = False
        self._writer.startElement(self.element, {})  # type: ignore[arg-type]
        self._write(self.article_rows(article))
        self._writer.endElement(self.element)
        self._writer.ignorableWhitespace("\n")

    def finish_exporting(self) -> None:
        for article in self._new:
            self._write_article(article)
        if self._is_empty:
            self._write(self.head_rows(self._head or _NO_HEAD))
        for name, _ in reversed(self.around):
            self._writer.endElement(name)
        self._writer.endDocument()
        target = self._text.detach()  # Scrapy closes the file
        target.flush()
        self._lock.close()
        file = site_file(target)
        if file and not file.is_in_place:
            raise BadOutput(
                f"{file.name} was replaced by another crawl: articles are missing there"
            )
        if self._path and not self._is_empty:
            self._append(self._path, target.getvalue())

    def head_rows(self, head: FeedHead) -> Iterator[Row]:
        """The elements of the feed itself."""
        raise NotImplementedError

    def article_rows(self, article: Article) -> Iterator[Row]:
        """The elements of an article."""
        raise NotImplementedError

    def _write(self, rows: Iterable[Row]) -> None:
        for name, content, attributes in rows:
            if content or attributes:
                plain = {key: plain_text(value) for key, value in attributes.items()}
                self._writer.startElement(name, plain)  # type: ignore[arg-type]
                if isinstance(content, str):
                    self._writer.characters(plain_text(content))
                else:
                    self._write(content)
                self._writer.endElement(name)

    def _append(self, path: Path, document: bytes) -> None:
        """Write the new articles of a document, followed by the earlier ones."""
        root = etree.fromstring(document, _parser())
        with locked(path, _PATIENCE):
            around = self._around(root)
            ids = {self._id(one) for one in around.iterchildren(self.tags[1])}
            room = MOST_ENTRIES - len(ids)
            for one in self._read_earlier(path):
                if room > 0 and self._id(one) not in ids:
                    around.append(one)
                    room -= 1
            with replacing(path) as part:
                part.write_bytes(etree.tostring(root, xml_declaration=True, encoding="utf-8"))

    def _read_earlier(self, path: Path) -> list[Any]:
        """The elements of the articles that are in the file."""
        document = path.read_bytes()
        for text in (document, self._closed(document)):
            with suppress(etree.XMLSyntaxError):
                root = etree.fromstring(text, _parser())
                if root.tag == self.tags[0]:
                    return list(self._around(root).iterchildren(self.tags[1]))
        raise BadOutput(
            f"{path} is no feed that {self.around[0][0]} articles can be added to; name another"
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
        whole = articles + tag or head + generator
        return whole + "".join(f"</{name}>" for name, _ in reversed(self.around)).encode()

    def _around(self, root: Any) -> Any:
        """The element that has the articles."""
        return root[0] if len(self.around) > 1 and len(root) else root

    def _id(self, element: Any) -> str:
        return element.findtext(self.tags[2]) or ""


class RssItemExporter(_FeedItemExporter):
    """RSS 2.0; the article is in ``content:encoded``.

    That and ``description`` are HTML.  Other elements are text, but many readers take them for
    HTML: what looks like an element in them is escaped once more.
    """

    around = (("rss", _NAMESPACES), ("channel", {}))
    element = "item"
    tags = ("rss", "item", "guid")

    def head_rows(self, head: FeedHead) -> Iterator[Row]:
        yield "title", _without_elements(head.title), {}
        yield "link", head.link, {}
        yield "description", escape(f"Articles of {head.title}", quote=False), {}
        yield "generator", _GENERATOR, {}
        if moment := read_moment(head.updated):
            yield "lastBuildDate", format_datetime(moment), {}
        for attributes in head.links:
            type = {"type": "application/rss+xml"} if attributes["rel"] == "self" else {}
            yield "atom:link", "", {**attributes, **type}

    def article_rows(self, article: Article) -> Iterator[Row]:
        yield "title", _without_elements(_title(article)), {}
        yield "link", _iri(article.url), {}
        yield "guid", id_of(article.url), {"isPermaLink": "false"}
        if moment := read_moment(article.published):
            yield "pubDate", format_datetime(moment), {}
        yield "atom:updated", _date(article.modified), {}
        for name in _names(article.authors):
            yield "dc:creator", _without_elements(name), {}
        for name in _names((*article.categories, *article.tags)):
            yield "category", _without_elements(name), {}
        summary, html = _contents(article)
        yield "description", escape(summary, quote=False), {}
        yield "content:encoded", html, {}


class AtomItemExporter(_FeedItemExporter):
    """Atom; the article is in ``content``."""

    around = (("feed", {"xmlns": _ATOM}),)
    element = "entry"
    tags = (f"{{{_ATOM}}}feed", f"{{{_ATOM}}}entry", f"{{{_ATOM}}}id")

    def head_rows(self, head: FeedHead) -> Iterator[Row]:
        yield "title", head.title, {}
        yield "id", head.id, {}
        yield "link", "", {"href": head.link}
        for attributes in head.links:
            yield "link", "", attributes
        yield "updated", head.updated or _now(), {}
        yield "author", [("name", head.title, {})], {}
        yield "generator", _GENERATOR, {}

    def article_rows(self, article: Article) -> Iterator[Row]:
        yield "title", _title(article), {}
        yield "id", id_of(article.url), {}
        yield "link", "", {"href": _iri(article.url), "rel": "alternate"}
        yield "published", _date(article.published), {}
        yield "updated", _updated(article), {}
        for name in _names((*article.categories, *article.tags)):
            yield "category", "", {"term": name}
        summary, html = _contents(article)
        yield "summary", summary, {}
        if html:
            yield "content", html, {"type": "html"}
        for name in _names(article.authors):
            yield "author", [("name", name, {})], {}


def write_json_feed(head: FeedHead, articles: Iterable[Article]) -> bytes:
    """A document of JSON Feed 1.1."""
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": head.title,
        "home_page_url": head.link,
        "feed_url": head.url,
        "hubs": [{"type": "WebSub", "url": head.hub}] if head.hub else [],
        "items": [_json_item(one) for one in articles],
    }
    named = {name: value for name, value in feed.items() if value or name == "items"}
    return (json.dumps(named, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def _json_item(article: Article) -> dict[str, Any]:
    summary, html = _contents(article)
    item = {
        "id": id_of(article.url),
        "url": _iri(article.url),
        "title": article.title,
        "summary": summary,
        "image": article.main_image,
        "date_published": _date(article.published),
        "date_modified": _updated(article),
        "authors": [{"name": name} for name in _names(article.authors)],
        "tags": _names((*article.categories, *article.tags)),
        "language": article.language,
    }
    content = {"content_html": html} if html else {"content_text": ""}  # one of them is required
    return {name: value for name, value in item.items() if value} | content


def _contents(article: Article) -> tuple[str, str]:
    """The summary, and the article as HTML; of a teaser only the summary."""
    if is_teaser(article):
        return article.summary or article.text, ""
    lines = (escape(line, quote=False) for line in article.text.splitlines() if line.strip())
    return article.summary, article.html or "".join(f"<p>{line}</p>" for line in lines)


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
    is_web = url.lower().startswith(("http://", "https://"))
    return _iri(f"http://{fold_url(url)}" if is_web else url)


def _title(article: Article) -> str:
    """The title; the URL if there is none, since feeds must have one."""
    return plain_text(article.title).strip() or article.url


def _names(names: Iterable[str]) -> list[str]:
    """The names without repetitions and blank ones."""
    shown = (plain_text(name).strip() for name in names)
    return list(dict.fromkeys(name for name in shown if name))


def appended_path(file: Any) -> Path | None:
    """The file that is appended to, and has something in it; None for a new one.  Raises
    ``BadOutput`` for one that is compressed."""
    is_packed = isinstance(file, PostProcessingManager)
    try:
        # A compressed file that is new has the head of its format already, in a buffer.
        if not (os.fstat(file.file.fileno()).st_size if is_packed else file.tell()):
            return None
    except (AttributeError, OSError):  # a pipe
        return None
    if path := _path_of(file):
        return path
    raise BadOutput("a compressed file cannot be appended to; overwrite it with -O")


def _path_of(file: Any) -> Path | None:
    """The path of a file; None if it has none."""
    name = getattr(file, "name", "")
    return Path(name).resolve() if isinstance(name, str) and Path(name).is_file() else None


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


def _as_article(item: Any) -> Article | None:
    """The item as an article; None if it has no URL, or the article is gone."""
    item = as_ours(item)
    if not isinstance(item, Article):
        values = ItemAdapter(item).asdict() if ItemAdapter.is_item(item) else {}
        if not values.get("url"):
            return None
        item = Article(**{name: value for name, value in values.items() if name in _FIELDS})
    return item if item.title or item.text or item.html else None


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
    dates = (article.modified, article.published, article.fetched_at)
    return next(filter(None, map(_date, dates)), "") or _now()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _date(text: str) -> str:
    """An ISO 8601 date with time and offset, as Atom requires; ``""`` if there is none."""
    moment = read_moment(text)
    return moment.isoformat(timespec="seconds") if moment else ""

"""RSS and Atom feeds with the whole articles: ``-O full.rss`` and ``-O full.atom``."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from io import TextIOWrapper
from typing import Any
from urllib.parse import urlsplit
from xml.sax.saxutils import XMLGenerator

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter

from forest_scrapy.exporters.text_formats import plain_text
from forest_scrapy.items import Article
from forest_scrapy.zyte_items import as_ours

_GENERATOR = "forest-scrapy"
_RSS = {
    "version": "2.0",
    "xmlns:content": "http://purl.org/rss/1.0/modules/content/",
    "xmlns:dc": "http://purl.org/dc/elements/1.1/",
}
#: The start of an element, comment or declaration in HTML.
_ELEMENT = re.compile(r"<(?=[A-Za-z/!?])")
_ATOM = {"xmlns": "http://www.w3.org/2005/Atom"}
_FIELDS = frozenset(one.name for one in fields(Article))

#: An element: its name, its text or the elements in it, and its attributes.
Row = tuple[str, "str | list[Row]", Mapping[str, str]]


class _FeedItemExporter(BaseItemExporter):
    """Base of the exporters of feeds.  Each article is written when it is scraped; the feed is
    named after the site of the first one.  Items of other kinds are left out."""

    #: The elements around the articles with their attributes, and the element of an article.
    around: tuple[tuple[str, Mapping[str, str]], ...] = ()
    element = ""

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._text = TextIOWrapper(file, encoding="utf-8", newline="\n", write_through=True)
        self._writer = XMLGenerator(self._text, encoding="utf-8", short_empty_elements=True)
        self._is_empty = True

    def start_exporting(self) -> None:
        self._writer.startDocument()
        for name, attributes in self.around:
            self._writer.startElement(name, dict(attributes))  # type: ignore[arg-type]

    def export_item(self, item: Any) -> None:
        article = _as_article(item)
        if article is None:
            return
        if self._is_empty:
            self._write(self.head_rows(article))
            self._is_empty = False
        self._writer.startElement(self.element, {})  # type: ignore[arg-type]
        self._write(self.article_rows(article))
        self._writer.endElement(self.element)
        self._writer.ignorableWhitespace("\n")

    def finish_exporting(self) -> None:
        for name, _ in reversed(self.around):
            self._writer.endElement(name)
        self._writer.endDocument()
        self._text.detach()  # Scrapy closes the file

    def head_rows(self, article: Article) -> Iterator[Row]:
        """The elements of the feed itself; ``article``: the first one."""
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


class RssItemExporter(_FeedItemExporter):
    """RSS 2.0; the article is in ``content:encoded``.

    That and ``description`` are HTML.  Other elements are text, but many readers take them for
    HTML: what looks like an element in them is escaped once more.
    """

    around = (("rss", _RSS), ("channel", {}))
    element = "item"

    def head_rows(self, article: Article) -> Iterator[Row]:
        yield "title", _without_elements(_site_name(article)), {}
        yield "link", _home(article.url), {}
        yield "description", escape(f"Articles of {_site_name(article)}", quote=False), {}
        yield "generator", _GENERATOR, {}

    def article_rows(self, article: Article) -> Iterator[Row]:
        yield "title", _without_elements(article.title), {}
        yield "link", article.url, {}
        yield "guid", article.url, {"isPermaLink": "true"}
        if moment := _moment(article.published):
            yield "pubDate", format_datetime(moment), {}
        for name in article.authors:
            yield "dc:creator", _without_elements(name), {}
        for name in [*article.categories, *article.tags]:
            yield "category", _without_elements(name), {}
        yield "description", escape(article.summary, quote=False), {}
        yield "content:encoded", article.html or escape(article.text, quote=False), {}


class AtomItemExporter(_FeedItemExporter):
    """Atom; the article is in ``content``."""

    around = (("feed", _ATOM),)
    element = "entry"

    def head_rows(self, article: Article) -> Iterator[Row]:
        yield "title", _site_name(article), {}
        yield "id", _home(article.url), {}
        yield "link", "", {"href": _home(article.url)}
        yield "updated", _date(article.fetched_at), {}
        yield "generator", _GENERATOR, {}

    def article_rows(self, article: Article) -> Iterator[Row]:
        yield "title", article.title or article.url, {}
        yield "id", article.url, {}
        yield "link", "", {"href": article.url, "rel": "alternate"}
        yield "published", _date(article.published), {}
        yield "updated", _date(article.modified or article.published or article.fetched_at), {}
        for name in [*article.categories, *article.tags]:
            yield "category", "", {"term": name}
        yield "summary", article.summary, {}
        yield "content", article.html or article.text, {"type": "html" if article.html else "text"}
        for name in article.authors:
            yield "author", [("name", name, {})], {}


def _as_article(item: Any) -> Article | None:
    """The item as an article; None if it has no URL, or the article is gone."""
    item = as_ours(item)
    if not isinstance(item, Article):
        values = ItemAdapter(item).asdict() if ItemAdapter.is_item(item) else {}
        if not values.get("url"):
            return None
        item = Article(**{name: value for name, value in values.items() if name in _FIELDS})
    return item if item.title or item.text else None


def _without_elements(text: str) -> str:
    """
    >>> _without_elements("AT&T: 1 < 2 <b>")
    'AT&T: 1 < 2 &lt;b>'
    """
    return _ELEMENT.sub("&lt;", text)


def _site_name(article: Article) -> str:
    return article.site_name or urlsplit(article.url).netloc


def _home(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"


def _date(text: str) -> str:
    """An ISO 8601 date with time and offset, as Atom requires; ``""`` if there is none."""
    moment = _moment(text)
    return moment.isoformat(timespec="seconds") if moment else ""


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

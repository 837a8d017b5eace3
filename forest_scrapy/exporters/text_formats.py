"""Exporters of text files: JSON lines, XML, plain text, HTML and Markdown.

JSON lines, and CSV, are flushed after every item, so that a killed crawl has written every article
that it recorded.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from html import escape
from io import TextIOWrapper
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exporters import (
    BaseItemExporter,
    JsonLinesItemExporter,
    XmlItemExporter,
)
from scrapy.utils.serialize import ScrapyJSONEncoder

from forest_scrapy.core.page.text import xml_text
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.crawl.failure import DiskFailure
from forest_scrapy.zyte_items import as_ours


class Flushed(BaseItemExporter):
    """Writes each item at once, completely or not at all.

    If that fails, the crawl ends, and nothing more is written to the file.
    """

    is_flushed = True
    _failure: DiskFailure | None = None
    _output: Any = None

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        file: Any,
        **options: Any,
    ) -> Self:
        exporter = cls(file, **options)  # type: ignore[call-arg]
        # Loaded here: files are written without a crawl, too.
        from forest_scrapy.crawl.context import context_of

        exporter._failure = context_of(crawler).failure
        exporter._output = file
        return exporter

    def export_item(self, item: Any) -> None:
        if self._failure and self._failure.in_export:
            return
        size = self._size()
        try:
            self.write_item(item)
        except OSError as error:
            if self._failure is None:
                raise
            self._failure.report(error, in_export=True)
            self._abandon(size)

    def write_item(self, item: Any) -> None:
        """Write an item and what is in the buffers."""
        raise NotImplementedError

    def _size(self) -> int:
        with suppress(OSError, AttributeError):
            return os.fstat(self._output.fileno()).st_size
        return 0

    def _abandon(self, size: int) -> None:
        """Remove a part of an item.  What is left in the buffers goes to the null device, since
        Scrapy closes the file, which would write it."""
        with suppress(OSError, AttributeError):
            number = self._output.fileno()
            os.ftruncate(number, size)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, number)
            os.close(null)


class FlushedJsonLinesItemExporter(Flushed, JsonLinesItemExporter):
    """Scrapy's exporter of JSON lines, flushed after every item."""

    def write_item(self, item: Any) -> None:
        JsonLinesItemExporter.export_item(self, item)
        self.file.flush()


_EMPTY: tuple[Any, ...] = (None, "", [], (), {})


class BulkItemExporter(BaseItemExporter):
    """Writes lines for the bulk interface of Elasticsearch and OpenSearch: for each item one that
    says what is done with which ``_id``, and the item; for one that is gone, its deletion.

    The ``_id`` is the same for all URLs that lead to one page.  Empty values are left out,
    since an empty text is no date.
    """

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._file = file
        self._encoder = ScrapyJSONEncoder(ensure_ascii=False)

    def export_item(self, item: Any) -> None:
        all_values = ItemAdapter(item).asdict()
        values = {name: value for name, value in all_values.items() if value not in _EMPTY}
        change = values.get("change") or {}
        id = page_key(str(values.get("url") or ""))
        if change.get("kind") == "gone":
            self._write({"delete": {"_id": id}})
            return
        self._write({"index": {"_id": id}})
        self._write(values)

    def _write(self, value: Mapping[str, Any]) -> None:
        line = self._encoder.encode(value)
        self._file.write(line.encode("utf-8", "replace") + b"\n")


class PlainXmlItemExporter(XmlItemExporter):
    """Scrapy's exporter; values that are missing are empty elements."""

    def serialize_field(
        self,
        field: Any,
        name: str,
        value: Any,
    ) -> Any:
        return _plain_value(super().serialize_field(field, name, value))


def _plain_value(value: Any) -> Any:
    """A value for XML: an empty string for None, also inside lists and objects, ``true`` and
    ``false`` for booleans, and no characters that XML does not allow.

    >>> _plain_value({"a": None, "b": ["x\\x00", True]})
    {'a': '', 'b': ['x', 'true']}
    """
    if isinstance(value, Mapping):
        return {name: _plain_value(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_value(member) for member in value]
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return xml_text(value)
    return "" if value is None else value


def title_of(item: ItemAdapter) -> Any:
    """The title of an item, the name of a product."""
    return item.get("title") or item.get("name")


class TextItemExporter(BaseItemExporter):
    """Writes title, URL and text of each item, and two empty lines after it."""

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        #: Whether the file has an item before the next one, which an earlier crawl may have
        #: written.
        self._has_item = _has_content(file)
        self._text = TextIOWrapper(
            file,
            encoding="utf-8",
            errors="replace",
            newline="\n",
            write_through=True,
        )

    def export_item(self, item: Any) -> None:
        article = ItemAdapter(as_ours(item))
        head = (title_of(article), article.get("url"), article.get("published"))
        lines = "\n".join(str(line) for line in head if line)
        text = article.get("text") or ""
        self._text.write(f"{lines}\n\n{text}\n\n\n")

    def finish_exporting(self) -> None:
        self._text.detach()  # Scrapy closes the file


def _has_content(file: Any) -> bool:
    """Whether a file that is appended to has something already; a stream has not."""
    with suppress(OSError, AttributeError, ValueError):
        return bool(file.tell())
    return False


_HTML_HEAD = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<title>Articles</title>
</head>
<body>
"""


class HtmlItemExporter(TextItemExporter):
    """Writes a page with an ``article`` for each item: its title, which links the item, its date,
    and its safe HTML, or its text."""

    def start_exporting(self) -> None:
        self._text.write(_HTML_HEAD)

    def export_item(self, item: Any) -> None:
        article = ItemAdapter(as_ours(item))
        url = str(article.get("url") or "")
        title = str(title_of(article) or url)
        published = article.get("published")
        language = article.get("language")
        lang = f' lang="{escape(str(language))}"' if language else ""
        heading = escape(title)
        if url.startswith(("http://", "https://")):
            heading = f'<a href="{escape(url)}">{heading}</a>'
        lines = [f"<article{lang}>", f"<h1>{heading}</h1>"]
        if published:
            lines.append(f"<p><time>{escape(str(published))}</time></p>")
        lines.append(_html_of(article))
        lines.append("</article>")
        self._text.write("\n".join(lines) + "\n")

    def finish_exporting(self) -> None:
        self._text.write("</body>\n</html>\n")
        super().finish_exporting()


def _html_of(article: ItemAdapter) -> str:
    """The HTML of an item, else that of its text."""
    html = article.get("html")
    if html:
        return str(html)
    paragraphs = []
    for line in str(article.get("text") or "").splitlines():
        paragraphs.append(f"<p>{escape(line)}</p>")
    return "\n".join(paragraphs)


class MarkdownItemExporter(TextItemExporter):
    """Writes each item under a heading with its title, and a rule between items.

    What is not Markdown yet is text: all of the item but its field ``markdown``.
    """

    def export_item(self, item: Any) -> None:
        from forest_scrapy.core.markdown.inline import write_address, write_text

        article = ItemAdapter(as_ours(item))
        url = str(article.get("url") or "")
        published = article.get("published")
        title = write_text(str(title_of(article) or url), is_line=True)
        facts = []
        if url:
            facts.append(write_address(url))
        if published:
            facts.append(write_text(str(published), is_line=True))
        parts = []
        if title:
            parts.append(f"# {title}")
        if facts:
            parts.append(" ".join(facts))
        parts.append(markdown_of(article))
        if self._has_item:
            self._text.write("\n---\n\n")
        self._has_item = True
        self._text.write("\n\n".join(parts) + "\n")


def markdown_of(article: ItemAdapter) -> str:
    """The Markdown of an item, else that of its HTML, else of its text."""
    from forest_scrapy.core.markdown.blocks import text_to_markdown, to_markdown

    markdown = article.get("markdown") or to_markdown(article.get("html") or "")
    return markdown or text_to_markdown(str(article.get("text") or ""))

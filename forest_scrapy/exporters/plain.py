"""Plain text and Markdown for people: ``-O articles.txt`` and ``-O articles.md``."""

from __future__ import annotations

from io import TextIOWrapper
from typing import Any

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter

from forest_scrapy.runtime.pages.formats import to_markdown

__all__ = ["MarkdownItemExporter", "TextItemExporter"]


class TextItemExporter(BaseItemExporter):
    """Writes title, URL and text of each article, and two empty lines after it."""

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._text = TextIOWrapper(
            file, encoding="utf-8", errors="replace", newline="\n", write_through=True
        )

    def export_item(self, item: Any) -> None:
        given = ItemAdapter(item).asdict()
        head = (given.get("title"), given.get("url"), given.get("published"))
        lines = "\n".join(str(line) for line in head if line)
        self._text.write(f"{lines}\n\n{given.get('text') or ''}\n\n\n")

    def finish_exporting(self) -> None:
        self._text.detach()  # Scrapy closes the file


class MarkdownItemExporter(TextItemExporter):
    """Writes each article under a heading with its title, and a rule after it."""

    def export_item(self, item: Any) -> None:
        given = ItemAdapter(item).asdict()
        content = given.get("markdown") or to_markdown(given.get("html") or "")
        title, when = given.get("title") or given.get("url"), given.get("published")
        line = f"<{given.get('url')}>" + (f" {when}" if when else "")
        text = content or given.get("text") or ""
        self._text.write(f"# {title}\n\n{line}\n\n{text}\n\n---\n\n")

"""``llms.txt`` and ``llms-full.txt`` of a site, as https://llmstxt.org/ describes them."""

import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import Any

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter

from forest_scrapy.core.markdown.inline import write_address, write_text
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.exporters.text_formats import markdown_of, title_of
from forest_scrapy.zyte_items import as_ours

#: The section of items without a category.
_SECTION = "Pages"
#: Characters of a summary beside a link.
_MAX_SUMMARY = 200


@dataclass(frozen=True)
class _Entry:
    """An item, and where its Markdown is in the temporary file."""

    title: str
    url: str
    published: str
    section: str
    summary: str
    start: int = 0
    size: int = 0


class LlmsItemExporter(BaseItemExporter):
    """Writes ``llms.txt``: the name of the site, and a link to each item, by section, the latest
    first.  The items are in no order when they come, so all is written at the end."""

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._file = file
        self._names: Counter[str] = Counter()
        self._entries: list[_Entry] = []

    def export_item(self, item: Any) -> None:
        article = ItemAdapter(as_ours(item))
        if (article.get("change") or {}).get("kind") == "gone":
            return
        url = str(article.get("url") or "")
        self._names[str(article.get("site_name") or host_of(url))] += 1
        self._entries.append(self._make_entry(article, url))

    def _make_entry(self, article: ItemAdapter, url: str) -> _Entry:
        categories = article.get("categories") or [_SECTION]
        summary = " ".join(str(article.get("summary") or "").split())
        if len(summary) > _MAX_SUMMARY:
            summary = summary[:_MAX_SUMMARY].rpartition(" ")[0] + " ..."
        return _Entry(
            title=str(title_of(article) or url),
            url=url,
            published=str(article.get("published") or ""),
            section=str(categories[0]),
            summary=summary,
        )

    def finish_exporting(self) -> None:
        lines = [f"# {self._site_name()}", ""]
        links_of_sections: dict[str, list[str]] = defaultdict(list)
        for entry in self._sorted_entries():
            links_of_sections[entry.section].append(_link(entry))
        for section, links in sorted(links_of_sections.items()):
            lines += [f"## {write_text(section, is_line=True)}", "", *links, ""]
        self._file.write("\n".join(lines).encode("utf-8", "replace"))

    def _site_name(self) -> str:
        """The name that most items have."""
        names = sorted(self._names, key=lambda name: (-self._names[name], name))
        return write_text(names[0] if names else "", is_line=True)

    def _sorted_entries(self) -> list[_Entry]:
        """The latest first, then by URL."""
        by_url = sorted(self._entries, key=lambda entry: entry.url)
        return sorted(by_url, key=lambda entry: entry.published, reverse=True)


def _link(entry: _Entry) -> str:
    title = write_text(entry.title, is_line=True)
    url = entry.url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
    line = f"- [{title}]({url})"
    if entry.summary:
        line += f": {write_text(entry.summary, is_line=True)}"
    return line


class LlmsFullItemExporter(LlmsItemExporter):
    """Writes ``llms-full.txt``: the Markdown of all items, which is in a temporary file until all
    have come."""

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(file, **options)
        self._texts = tempfile.TemporaryFile()  # noqa: SIM115 - closed in finish_exporting

    def _make_entry(self, article: ItemAdapter, url: str) -> _Entry:
        entry = super()._make_entry(article, url)
        text = markdown_of(article).strip().encode("utf-8", "replace")
        start = self._texts.tell()
        self._texts.write(text)
        return replace(entry, start=start, size=len(text))

    def finish_exporting(self) -> None:
        self._file.write(f"# {self._site_name()}\n\n".encode())
        for entry in self._sorted_entries():
            title = write_text(entry.title, is_line=True)
            head = f"# {title}\n\nSource: {write_address(entry.url)}\n\n"
            self._file.write(head.encode("utf-8", "replace"))
            self._texts.seek(entry.start)
            self._file.write(self._texts.read(entry.size) + b"\n\n")
        self._texts.close()

"""``llms.txt`` and ``llms-full.txt`` of a site, as https://llmstxt.org/ describes them."""

import re
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import Any

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter

from forest_scrapy.core.markdown.inline import write_address, write_text
from forest_scrapy.core.page.urls import bare_host, host_of
from forest_scrapy.core.plurals import count
from forest_scrapy.exporters.text_formats import markdown_of, title_of
from forest_scrapy.zyte_items import as_ours

#: The section of items without a category.
_SECTION = "Pages"
#: Characters of a summary beside a link.
_MAX_SUMMARY = 200
#: Characters of a text in which its first sentences are looked for.
_MAX_START = 1_000
#: The end of a sentence, also where no spaces are between them.
_SENTENCE_END = re.compile(r"[.!?\u2026][\"'\u201d\u2019\u00bb)]?(?=\s|$)|[\u3002\uff01\uff1f]")


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
    first; of several sites how many they are, and a section for each.  The items are in no order
    when they come, so all is written at the end."""

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
        summary = _cut_words(str(article.get("summary") or ""))
        if not summary:
            summary = _first_sentences(str(article.get("text") or ""))
        return _Entry(
            title=str(title_of(article) or url),
            url=url,
            published=str(article.get("published") or ""),
            section=str(categories[0]),
            summary=summary,
        )

    def finish_exporting(self) -> None:
        lines = [f"# {self._title()}", ""]
        has_several_sites = len(self._hosts()) > 1
        links_of_sections: dict[str, list[str]] = defaultdict(list)
        for entry in self._sorted_entries():
            section = bare_host(entry.url) if has_several_sites else entry.section
            links_of_sections[section or _SECTION].append(_link(entry))
        for section, links in sorted(links_of_sections.items()):
            lines += [f"## {write_text(section, is_line=True)}", "", *links, ""]
        self._file.write("\n".join(lines).encode("utf-8", "replace"))

    def _hosts(self) -> set[str]:
        hosts = {bare_host(entry.url) for entry in self._entries}
        return hosts - {""}

    def _title(self) -> str:
        """The name that most items have; of several sites how many they are."""
        hosts = self._hosts()
        if len(hosts) > 1:
            return f"Pages of {count(len(hosts), 'site')}"
        names = sorted(self._names, key=lambda name: (-self._names[name], name))
        return write_text(names[0] if names else "", is_line=True)

    def _sorted_entries(self) -> list[_Entry]:
        """The latest first, then by URL."""
        by_url = sorted(self._entries, key=lambda entry: entry.url)
        return sorted(by_url, key=lambda entry: entry.published, reverse=True)


def _cut_words(text: str) -> str:
    """The text on one line, cut between words if it is too long."""
    line = " ".join(text.split())
    if len(line) <= _MAX_SUMMARY:
        return line
    start = line[:_MAX_SUMMARY]
    words = start.rpartition(" ")[0] or start
    return f"{words} ..."


def _first_sentences(text: str) -> str:
    """The whole sentences at the start of a text, as many as a summary has room for; a first one
    that is too long is cut.

    >>> _first_sentences("Owls hunt at night.\\nMice hide.")
    'Owls hunt at night. Mice hide.'
    """
    line = " ".join(text[:_MAX_START].split())
    if len(line) <= _MAX_SUMMARY:
        return line
    last_end = 0
    for end in _SENTENCE_END.finditer(line, 0, _MAX_SUMMARY + 1):
        last_end = end.end()
    return line[:last_end] if last_end else _cut_words(line)


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
        self._file.write(f"# {self._title()}\n\n".encode())
        for entry in self._sorted_entries():
            title = write_text(entry.title, is_line=True)
            head = f"# {title}\n\nSource: {write_address(entry.url)}\n\n"
            self._file.write(head.encode("utf-8", "replace"))
            self._texts.seek(entry.start)
            self._file.write(self._texts.read(entry.size) + b"\n\n")
        self._texts.close()

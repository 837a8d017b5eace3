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
#: What characters that would end the address of a link are written as.
_ESCAPES = str.maketrans({"(": "%28", ")": "%29", " ": "%20"})
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
        change = article.get("change") or {}
        if change.get("kind") == "gone":
            return
        url = _text_of(article, "url")
        name = _text_of(article, "site_name") or host_of(url)
        self._names[name] += 1
        entry = self._make_entry(article, url)
        self._entries.append(entry)

    def _make_entry(self, article: ItemAdapter, url: str) -> _Entry:
        title = title_of(article) or url
        categories = article.get("categories") or [_SECTION]
        summary = _text_of(article, "summary")
        short_summary = _cut_words(summary)
        if not short_summary:
            text = _text_of(article, "text")
            short_summary = _first_sentences(text)
        return _Entry(
            title=str(title),
            url=url,
            published=_text_of(article, "published"),
            section=str(categories[0]),
            summary=short_summary,
        )

    def finish_exporting(self) -> None:
        lines = [f"# {self._title()}", ""]
        links_of_sections = self._links_of_sections()
        for section in sorted(links_of_sections):
            heading = write_text(section, is_line=True)
            lines += [f"## {heading}", ""]
            lines += links_of_sections[section]
            lines.append("")
        text = "\n".join(lines)
        self._file.write(text.encode("utf-8", "replace"))

    def _links_of_sections(self) -> dict[str, list[str]]:
        """The links of each section; of several sites each has one."""
        has_several_sites = len(self._hosts()) > 1
        links_of_sections: dict[str, list[str]] = defaultdict(list)
        for entry in self._sorted_entries():
            section = entry.section
            if has_several_sites:
                section = bare_host(entry.url)
            links = links_of_sections[section or _SECTION]
            links.append(_link(entry))
        return links_of_sections

    def _hosts(self) -> set[str]:
        hosts = {bare_host(entry.url) for entry in self._entries}
        return hosts - {""}

    def _title(self) -> str:
        """The name that most items have; of several sites how many they are."""
        hosts = self._hosts()
        if len(hosts) > 1:
            return f"Pages of {count(len(hosts), 'site')}"
        names = sorted(self._names)
        name = max(names, key=self._names.__getitem__, default="")
        return write_text(name, is_line=True)

    def _sorted_entries(self) -> list[_Entry]:
        """The latest first, then by URL."""
        by_url = sorted(self._entries, key=lambda entry: entry.url)
        return sorted(by_url, key=lambda entry: entry.published, reverse=True)


def _text_of(article: ItemAdapter, name: str) -> str:
    """The text of a field; ``""`` if it has none."""
    value = article.get(name)
    return str(value or "")


def _cut_words(text: str) -> str:
    """The text on one line, cut between words if it is too long."""
    line = _one_line(text)
    if len(line) <= _MAX_SUMMARY:
        return line
    start = line[:_MAX_SUMMARY]
    whole_words, _, _ = start.rpartition(" ")
    return f"{whole_words or start} ..."


def _one_line(text: str) -> str:
    words = text.split()
    return " ".join(words)


def _first_sentences(text: str) -> str:
    """The whole sentences at the start of a text, as many as a summary has room for; a first one
    that is too long is cut.

    >>> _first_sentences("Owls hunt at night.\\nMice hide.")
    'Owls hunt at night. Mice hide.'
    """
    start = text[:_MAX_START]
    line = _one_line(start)
    if len(line) <= _MAX_SUMMARY:
        return line
    length = 0
    for sentence_end in _SENTENCE_END.finditer(line, 0, _MAX_SUMMARY + 1):
        length = sentence_end.end()
    if not length:
        return _cut_words(line)
    return line[:length]


def _link(entry: _Entry) -> str:
    title = write_text(entry.title, is_line=True)
    url = entry.url.translate(_ESCAPES)
    link = f"- [{title}]({url})"
    if not entry.summary:
        return link
    summary = write_text(entry.summary, is_line=True)
    return f"{link}: {summary}"


class LlmsFullItemExporter(LlmsItemExporter):
    """Writes ``llms-full.txt``: the Markdown of all items, which is in a temporary file until all
    have come."""

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(file, **options)
        self._texts = tempfile.TemporaryFile()  # noqa: SIM115 - closed in finish_exporting

    def _make_entry(self, article: ItemAdapter, url: str) -> _Entry:
        entry = super()._make_entry(article, url)
        markdown = markdown_of(article)
        text = markdown.strip().encode("utf-8", "replace")
        start = self._texts.tell()
        self._texts.write(text)
        return replace(entry, start=start, size=len(text))

    def finish_exporting(self) -> None:
        self._file.write(f"# {self._title()}\n\n".encode())
        for entry in self._sorted_entries():
            title = write_text(entry.title, is_line=True)
            address = write_address(entry.url)
            head = f"# {title}\n\nSource: {address}\n\n"
            self._texts.seek(entry.start)
            text = self._texts.read(entry.size)
            self._file.write(head.encode("utf-8", "replace"))
            self._file.write(text)
            self._file.write(b"\n\n")
        self._texts.close()

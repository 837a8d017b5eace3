"""A folder of Markdown: ``-o notes/``, one file for each item.

A file has the name of its item's URL, and is written only if its content has changed, so that the
folder can be kept in git, or watched by what fills a search index.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from itemadapter import ItemAdapter
from scrapy import Spider
from scrapy.exporters import BaseItemExporter

from forest_scrapy.core.page.urls import host_with_port, page_key, strip_www
from forest_scrapy.exporters.text_formats import markdown_of, title_of
from forest_scrapy.output_files import replacing
from forest_scrapy.zyte_items import as_ours

#: Bytes of the part of a file's name that is from the URL.
MAX_SLUG = 80
#: Characters of the page's key, a digest, in a file's name.
_DIGEST_LENGTH = 10
#: What names of files have no characters of.
_UNSAFE = re.compile(r"[^\w]+")
_UNSAFE_IN_HOST = re.compile(r"[^\w.-]")
_URL_LINE = re.compile(r"^url: (\".*\")$", re.MULTILINE)
#: Characters of the front matter that are read to know whose file it is.
_MAX_HEAD = 100_000
_MARK = "---\n"


class MarkdownFolder:
    """A folder of Markdown that is written.

    ``names``: of the files of this run, as paths in the folder; ``written``, ``deleted``: how many
    were written because they are new or have changed, and how many were deleted.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: set[str] = set()
        self.written = 0
        self.deleted = 0

    def write(self, item: Any) -> None:
        """Write the file of an item, unless it is there with the same content.  Raises
        ``OSError``."""
        article = ItemAdapter(as_ours(item))
        name = file_name(str(article.get("url") or ""))
        self.names.add(name)
        content = write_document(article).encode("utf-8", "replace")
        path = self.path / name
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, is_synced=False) as part:
            part.write(content)
        self.written += 1

    def delete(self, url: str) -> None:
        """Delete the file of a page that is gone."""
        path = self.path / file_name(url)
        if path.is_file() and is_of_folder(self.path, path):
            path.unlink()
            self.deleted += 1

    def delete_others(self) -> None:
        """Delete the files of earlier runs that this one has not written.  Files that are none of
        ours are left."""
        for path in sorted(self.path.glob("*/*.md")):
            name = path.relative_to(self.path).as_posix()
            if name not in self.names and is_of_folder(self.path, path):
                path.unlink()
                self.deleted += 1


def is_of_folder(folder: Path, path: Path) -> bool:
    """Whether a file was written by ``MarkdownFolder``: its name is that of the URL in it."""
    with path.open(encoding="utf-8", errors="replace") as file:
        head = file.read(_MAX_HEAD)
    match = _URL_LINE.search(head)
    if not head.startswith(_MARK) or match is None:
        return False
    try:
        url = json.loads(match[1])
    except ValueError:
        return False
    return file_name(url) == path.relative_to(folder).as_posix()


def file_name(url: str) -> str:
    """The path of the file of a page in the folder: the same in each run, another one for each
    page.

    >>> file_name("https://a.example/news/Owls%20at%20sea.html?utm_source=x")
    'a.example/owls-at-sea-dd74a24fa5.md'
    """
    host = strip_www(host_with_port(url))
    folder = _UNSAFE_IN_HOST.sub("_", host).strip(".") or "other"
    last_part = urlsplit(url).path.rstrip("/").rpartition("/")[2]
    stem = unquote(last_part).rpartition(".")[0] or unquote(last_part)
    slug = _UNSAFE.sub("-", stem.lower()).strip("-_") or "index"
    slug = slug.encode("utf-8", "replace")[:MAX_SLUG].decode("utf-8", "ignore").rstrip("-")
    digest = page_key(url)[:_DIGEST_LENGTH]
    return f"{folder}/{slug}-{digest}.md"


def write_document(article: ItemAdapter) -> str:
    """The front matter in YAML, and the Markdown of an item."""
    text = str(article.get("text") or "")
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    lines = [
        f"title: {yaml_text(str(title_of(article) or ''))}",
        f"date: {yaml_text(str(article.get('published') or ''))}",
        f"authors: {yaml_list(article.get('authors') or ())}",
        f"url: {yaml_text(str(article.get('url') or ''))}",
        f"tags: {yaml_list(article.get('tags') or ())}",
        f"confidence: {round(float(article.get('confidence') or 0), 2)}",
        f"sha256: {digest}",
    ]
    head = "\n".join(lines)
    return f"{_MARK}{head}\n{_MARK}\n{markdown_of(article).strip()}\n"


def yaml_list(values: Any) -> str:
    """The texts as a list of YAML.

    >>> yaml_list(["a", 'b: "c"'])
    '["a", "b: \\\\"c\\\\""]'
    """
    return f"[{', '.join(yaml_text(str(value)) for value in values)}]"


def yaml_text(text: str) -> str:
    """The text in double quotes; what YAML would not keep in them is escaped.

    >>> yaml_text("a\\u2028b\\n"), yaml_text("\\U0001f989")
    ('"a\\\\u2028b\\\\n"', '"\U0001f989"')
    """
    return "".join(_escape(json.dumps(text, ensure_ascii=False)))


def _escape(quoted: str) -> Iterator[str]:
    for character in quoted:
        if character.isprintable():
            yield character
        else:
            number = ord(character)
            yield f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


class FolderFile:
    """What stands for the open file of an export that is a folder."""

    def __init__(self, path: Path, deletes_gone: bool = False) -> None:
        self.folder = MarkdownFolder(path)
        self.deletes_gone = deletes_gone

    def close(self) -> None:
        """There is nothing to close."""


class FolderStorage:
    """Scrapy's storage of an export that is a folder; with ``overwrite`` the files of pages that
    are gone are deleted."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        self.path = Path(uri.removeprefix("file://"))
        self._deletes_gone = bool((feed_options or {}).get("overwrite"))

    def open(self, spider: Spider) -> FolderFile:
        self.path.mkdir(parents=True, exist_ok=True)
        return FolderFile(self.path, self._deletes_gone)

    def store(self, file: FolderFile) -> None:
        """All is written already."""


class FolderItemExporter(BaseItemExporter):
    """Writes each item to a file of its own, see ``MarkdownFolder``."""

    is_flushed = True

    def __init__(self, file: FolderFile, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._file = file

    @classmethod
    def from_crawler(cls, crawler: Any, file: FolderFile, **options: Any) -> Self:
        return cls(file, **options)

    def export_item(self, item: Any) -> None:
        article = ItemAdapter(as_ours(item))
        change = article.get("change") or {}
        if change.get("kind") != "gone":
            self._file.folder.write(item)
        elif self._file.deletes_gone:
            self._file.folder.delete(str(article.get("url") or ""))

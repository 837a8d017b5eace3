"""The formats that ``extract`` writes, and where it writes them."""

from collections.abc import Iterable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scrapy.settings.default_settings import FEED_EXPORTERS_BASE
from scrapy.utils.misc import load_object

from forest_scrapy.batch.files import write_item_line
from forest_scrapy.core.plurals import count
from forest_scrapy.exporters import (
    FOLDER,
    NAMED_FILES,
    NEEDED,
    NEW_FORMATS,
    REPLACED_FORMATS,
    how_to_get,
)
from forest_scrapy.output_files import is_stream, locked
from forest_scrapy.settings import BadSetting, ForestSettings
from forest_scrapy.stores.database import store_errors

#: Formats that are written while pages are extracted; the others are converted from them.
LINE_FORMATS = ("jsonl", "jl", "jsonlines")
#: Formats that have the fields of articles only.
FORMATS_OF_ARTICLES = ("rss", "atom")
#: Names that are no endings of files: formats that are for Python only, and another name of JSON
#: lines.
_FORMATS_OF_PYTHON = ("marshal", "pickle", "jsonlines")
#: Other names of formats, for ``--format``.
FORMAT_NAMES = {"text": "txt", "markdown": "md"}
#: The output of this process, which other lines are written to, too.
STDOUT = "/dev/stdout"


def stream_of(name: str | None) -> str:
    """The stream of an output; ``""`` if it is a file."""
    if name in (None, "", "-"):
        return STDOUT
    if is_stream(str(name)):
        return str(name)
    return ""


def format_of(output: str | None, format_name: str = "") -> str:
    """The format of the output: the one that is named, else that of the file's name; JSON lines for
    a stream whose name has none.

    >>> format_of("a.md"), format_of(None), format_of("a.md", "text"), format_of("llms.txt")
    ('md', 'jsonl', 'txt', 'llms')
    >>> format_of("notes/"), format_of("notes/", "markdown")
    ('folder', 'folder')
    """
    if is_folder(output):
        return FOLDER
    if format_name:
        return FORMAT_NAMES.get(format_name, format_name)
    path = Path(output or "")
    if path.name in NAMED_FILES:
        return NAMED_FILES[path.name]
    ending = path.suffix.lstrip(".").lower()
    if not ending and stream_of(output):
        return LINE_FORMATS[0]
    return ending


def is_folder(output: str | None) -> bool:
    """Whether an output is a folder of Markdown: its name ends with a slash, or it is one.

    A folder whose name ends as a file of another format does (``out.jsonl``) has to be named with
    the slash, since a file may have been meant.
    """
    if not output:
        return False
    if output.endswith("/"):
        return True
    path = Path(output)
    return path.is_dir() and path.suffix.lstrip(".").lower() not in find_exporters()


def check_format(
    format_name: str,
    settings: ForestSettings,
    option: str = "",
) -> ForestSettings:
    """The settings for this format.  ``option``: the value of ``--format``, ``""`` if the name of
    the file tells the format.  Raises ``BadSetting``, before any work is done."""
    exporters = find_exporters()
    name = "--format" if option else "--output"
    value = option or f".{format_name}"
    if format_name not in exporters:
        endings = ", ".join(exporters)
        if option:
            allowed = f"one of {', '.join(FORMAT_NAMES)}, {endings}"
        else:
            allowed = f"a file that ends in {endings}"
        raise BadSetting(name, value, allowed)

    takes_articles_only = format_name in FORMATS_OF_ARTICLES
    if settings.wants_records and takes_articles_only:
        endings = ", ".join(name for name in exporters if name not in FORMATS_OF_ARTICLES)
        start = "one of " if option else "a file that ends in "
        raise BadSetting(name, value, f"{start}{endings}, because of FOREST_KINDS")

    if format_name in FORMATS_OF_MARKDOWN:
        settings = with_markdown(settings)
    package = NEEDED.get(format_name)
    if package and find_spec(package) is None:
        start = "another one" if option else "of another format"
        raise BadSetting(name, value, f"{start}, unless you {how_to_get(package)}")
    return settings


#: Formats that are Markdown.
FORMATS_OF_MARKDOWN = ("md",)


def with_markdown(settings: ForestSettings) -> ForestSettings:
    """The settings with which items have Markdown."""
    if "markdown" in settings.formats:
        return settings
    return replace(settings, formats=(*settings.formats, "markdown"))


def find_exporters() -> dict[str, str]:
    """The exporters by the ending of the file."""
    exporters = {
        name: exporter
        for name, exporter in FEED_EXPORTERS_BASE.items()
        if name not in _FORMATS_OF_PYTHON
    }
    for name, (_, exporter) in REPLACED_FORMATS.items():
        exporters[name] = exporter
    return exporters | NEW_FORMATS


def write_folder(items: Iterable[Any], output: str, deletes_others: bool) -> str:
    """Write a file for each item to a folder.  ``deletes_others``: delete those of pages that gave
    no item.  What was done, in one line."""
    from forest_scrapy.exporters.folders import MarkdownFolder

    folder = MarkdownFolder(Path(output))
    folder.path.mkdir(parents=True, exist_ok=True)
    with locked(folder.path):
        for item in items:
            folder.write(item)
        if deletes_others and folder.names:
            folder.delete_others()
    same = len(folder.names) - folder.written
    text = f"{count(folder.written, 'file')} written in {output}, {same} are as they were"
    if folder.deleted:
        text += f", {folder.deleted} deleted"
    return text


def write_items(
    items: Iterable[Any],
    output: Path,
    format_name: str,
    settings: ForestSettings,
) -> None:
    """Write items, of the class that ``FOREST_ITEM`` names, to a new file."""
    if format_name in LINE_FORMATS and settings.item == "article":
        # As the exporter of Scrapy writes them, which takes longer to load than to write an item.
        with store_errors(str(output)), output.open("w", encoding="utf-8", newline="") as lines:
            for item in items:
                write_item_line(lines, vars(item))
        return
    options: dict[str, Any] = {}
    if format_name in ("csv", "parquet"):
        options["kinds"] = settings.kinds
    if format_name == "csv":
        options["item_class"] = settings.item
        options["is_safe"] = settings.csv_safe
    with store_errors(str(output)), output.open("w+b") as file:
        exporter_class = load_object(find_exporters()[format_name])
        exporter = exporter_class(file, encoding="utf-8", **options)
        exporter.start_exporting()
        for item in items:
            exporter.export_item(item)
        exporter.finish_exporting()

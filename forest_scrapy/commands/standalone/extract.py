"""``forest-scrapy extract``, and ``scrapy forest extract``: articles from stored pages."""

import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from scrapy.exceptions import UsageError
from scrapy.settings.default_settings import FEED_EXPORTERS_BASE
from scrapy.utils.misc import load_object

from forest_scrapy.batch.batch import Watcher
from forest_scrapy.batch.files import FileBatch, NoProgress, Order, TerminalProgress, read_items
from forest_scrapy.commands import forest_command
from forest_scrapy.commands.forest_command import Action, AddOption
from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.exporters import NEEDED, NEW_FORMATS, REPLACED_FORMATS
from forest_scrapy.settings import BadSetting, ForestSettings
from forest_scrapy.zyte_items import convert_item

#: Formats that are written while pages are extracted; the others are converted from them.
_LINES = ("jsonl", "jl", "jsonlines")


class Extract(Action):
    """Extract the articles, or items of other kinds, of pages in files and archives.

    What was done is printed to standard error.
    """

    name = "extract"

    @staticmethod
    def add_options(add: AddOption) -> None:
        text = "HTML files, folders, WARC files and JSON lines"
        add("paths", nargs="+", metavar="PATH", help=text)
        text = "write to this file (default: JSON lines, to standard output)"
        add("-o", "--output", metavar="FILE", help=text)
        text = "pages without an article (default: errors.jsonl)"
        add("--errors", metavar="FILE", help=text)
        text = "all pages are articles (default: a classifier finds the articles)"
        add("--articles", action="store_true", help=text)
        text = "extract with the wrappers of this store; learn none"
        add("--wrappers", default="", metavar="STORE", help=text)
        text = "add the wrappers that are learned to this store"
        add("--save-wrappers", default="", metavar="STORE", help=text)
        text = "extract only the pages of these URLs, one a line"
        add("--urls", metavar="FILE", help=text)
        text = "default: one for each processor"
        add("--processes", type=int, metavar="N", help=text)

    def run(self, options: Namespace) -> str:
        """Raises ``ForestError``, ``OSError`` and ``UsageError``."""
        if options.wrappers and options.save_wrappers:
            raise UsageError("--save-wrappers cannot be used with --wrappers, which learns nothing")
        processes = options.processes or len(os.sched_getaffinity(0))
        if processes < 1:
            raise UsageError("--processes must be 1 or more")
        with _output_of(options) as output:
            kind = output.suffix.lstrip(".").lower()
            settings = _check_format(kind, self.config)
            order = Order(
                paths=tuple(options.paths),
                output=output,
                errors=Path(options.errors or output.with_name("errors.jsonl")),
                are_articles=options.articles,
                wrappers=options.wrappers,
                save_wrappers=options.save_wrappers,
                urls=_read_urls(options.urls),
            )
            counts = _extract_files(order, settings, processes)
            if not options.output:
                shutil.copyfileobj(output.open(encoding="utf-8"), sys.stdout)
        print(_summary(counts, order), file=sys.stderr)
        return ""


class Command(forest_command.Command):
    """``scrapy forest extract`` as a command of its own."""

    program = "forest-scrapy"

    def syntax(self) -> str:
        return "PATH ... -o FILE [options]"

    def short_desc(self) -> str:
        return "Extract articles from HTML files, folders, WARC files and JSON lines"

    def process_options(self, args: list[str], opts: Namespace) -> None:
        super().process_options([Extract.name, *args], opts)


def _extract_files(order: Order, settings: ForestSettings, processes: int) -> Mapping[str, int]:
    """Write the output; how many pages became what."""
    with _watcher() as watcher:
        batch = FileBatch(order, settings, processes, watcher)
        try:
            articles = batch.run()
        except KeyboardInterrupt:
            raise SystemExit(f"stopped; the same command goes on ({batch.folder})") from None
    kind = order.output.suffix.lstrip(".").lower()
    if kind in _LINES and settings.item == "article":
        articles.replace(order.output)
    else:
        convert(articles, order.output, kind, settings.item)
    batch.finish()
    return batch.counts


def _check_format(kind: str, settings: ForestSettings) -> ForestSettings:
    """The settings for this format.  Raises ``BadSetting``, before any work is done."""
    known = _exporters()
    if kind not in known:
        raise BadSetting("--output", f".{kind}", f"a file that ends in {', '.join(known)}")
    is_mixed = settings.wants_records and (len(settings.kinds) > 1 or kind in _OF_TEXT)
    if is_mixed and kind not in _OF_ANY:
        allowed = f"a file that ends in {', '.join(_OF_ANY)}, because of FOREST_KINDS"
        raise BadSetting("--output", f".{kind}", allowed)
    if kind == "md" and "markdown" not in settings.formats:
        settings = replace(settings, formats=(*settings.formats, "markdown"))
    package = NEEDED.get(kind)
    if package and find_spec(package) is None:
        allowed = f"of another format, unless you pip install {package}"
        raise BadSetting("--output", f".{kind}", allowed)
    return settings


def _exporters() -> dict[str, str]:
    """The exporters by the ending of the file."""
    base = {name: one for name, one in FEED_EXPORTERS_BASE.items() if name not in _NOT_FILES}
    return {**base, **{name: new for name, (_, new) in REPLACED_FORMATS.items()}, **NEW_FORMATS}


#: Formats for items with different fields, and those that have the text of articles only.
_OF_ANY, _OF_TEXT = (*_LINES, "json", "xml"), ("txt", "md", "rss", "atom")
#: The names under which items are counted.
_KINDS = tuple(f"{kind}s" for kind in ITEM_KINDS)
#: Formats that are for Python only.
_NOT_FILES = ("marshal", "pickle", "jsonlines")


def convert(items: Path, output: Path, kind: str, item: str = "article") -> None:
    """Write the items in another format, or of the class that ``FOREST_ITEM`` names; the output is
    complete or not there."""
    part = output.with_name(f"{output.name}.part")
    with part.open("w+b") as file:
        exporter = load_object(_exporters()[kind])(file, encoding="utf-8")
        exporter.start_exporting()
        for one in read_items(items):
            exporter.export_item(convert_item(one, item))
        exporter.finish_exporting()
    part.replace(output)


def _read_urls(name: str | None) -> tuple[str, ...]:
    if not name:
        return ()
    lines = Path(name).read_text(encoding="utf-8").splitlines()
    return tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))


@contextmanager
def _output_of(options: Namespace) -> Iterator[Path]:
    """The output; a temporary file if none is named."""
    if options.output:
        yield Path(options.output)
        return
    with TemporaryDirectory() as folder:
        yield Path(folder, "articles.jsonl")


@contextmanager
def _watcher() -> Iterator[Watcher]:
    if not sys.stderr.isatty():
        yield NoProgress()
        return
    progress = TerminalProgress(sys.stderr)
    try:
        yield progress
    finally:
        progress.close()


def _summary(counts: Mapping[str, int], order: Order) -> str:
    """What was done, in one line."""
    how = ", ".join(f"{n} {name}" for name, n in sorted(counts.items()) if name.startswith("by "))
    without = {
        name: n for name, n in sorted(counts.items())
        if name not in (*_KINDS, "wrappers saved") and not name.startswith("by ")
    }  # fmt: skip
    text = f"{counts['articles']} articles" + (f" ({how})" if how else "")
    text += "".join(f", {counts[name]} {name}" for name in _KINDS[1:] if counts[name])
    if without:
        reasons = ", ".join(f"{n} {name}" for name, n in without.items())
        text += f"; {sum(without.values())} pages without one ({reasons}), see {order.errors}"
    if order.save_wrappers:
        text += f"; {counts['wrappers saved']} wrappers in {order.save_wrappers}"
    return text

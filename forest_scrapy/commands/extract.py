"""``scrapy forest extract``, and ``forest-scrapy extract``: articles from stored pages."""

import json
import os
import shutil
import signal
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from scrapy.exceptions import UsageError
from scrapy.settings.default_settings import FEED_EXPORTERS_BASE
from scrapy.utils.misc import load_object

from forest_scrapy.batch.batch import Watcher
from forest_scrapy.batch.files import BatchArguments, BatchStopped, FileBatch, read_items
from forest_scrapy.batch.progress import NoProgress, TerminalProgress
from forest_scrapy.commands.forest_command import Action, AddOption, write_piece
from forest_scrapy.core import ForestError
from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.exporters import NEEDED, NEW_FORMATS, REPLACED_FORMATS, how_to_get
from forest_scrapy.input_files import read_bytes
from forest_scrapy.output_files import BadOutput, follow_links, is_stream, naming
from forest_scrapy.settings import BadSetting, ForestSettings, read_settings
from forest_scrapy.stores.database import store_errors
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
        text = "HTML files, folders, WARC files and JSON lines, also in gzip and zip files"
        add("paths", nargs="+", metavar="PATH", help=text)
        text = "write to this file (default: JSON lines, to standard output)"
        add("-o", "--output", metavar="FILE", help=text)
        text = "pages without an article (default: errors.jsonl; without -o: standard error)"
        add("--errors", metavar="FILE", help=text)
        text = "all pages are articles (default: a classifier finds the articles)"
        add("--articles", action="store_true", help=text)
        text = f"instead of articles, items of these kinds: some of {', '.join(ITEM_KINDS)}"
        add("--kinds", metavar="KIND,KIND", help=text)
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
        processes = _count_processors() if options.processes is None else options.processes
        if processes < 1:
            raise UsageError("--processes must be 1 or more")
        kind = _kind_of(options.output)
        settings = self.config
        if options.kinds:
            chosen = read_settings({"FOREST_KINDS": options.kinds}).kinds
            settings = replace(settings, kinds=chosen)
        settings = _check_format(kind, settings)
        with _place_of(options, kind) as place:
            arguments = BatchArguments(
                paths=tuple(options.paths),
                output=place.output,
                errors=place.errors,
                are_articles=options.articles,
                wrappers=options.wrappers,
                save_wrappers=options.save_wrappers,
                urls=_read_urls(options.urls, place) if options.urls else (),
            )
            counts, changed = _extract_files(arguments, kind, settings, processes, place)
            place.copy()
            write_piece(f"{_summary(counts, arguments, place)}\n", sys.stderr)
            if changed:
                named = ", ".join(changed[:_MOST_NAMED])
                more = f" and {len(changed) - _MOST_NAMED} more" * (len(changed) > _MOST_NAMED)
                raise InputChanged(
                    f"{named}{more} changed while pages were read: pages that are not the same are"
                    " left out; extract again"
                )
        return ""


#: Files that a message names, at most.
_MOST_NAMED = 5


class InputChanged(ForestError):
    """Files were changed while they were read; the message names them."""


@dataclass(frozen=True)
class Place:
    """Where the output and the errors are written: files; and the streams that these are copied to,
    ``""`` if the file itself was asked for.  Both are temporary files if they are copied."""

    output: Path
    errors: Path
    output_stream: str = ""
    errors_stream: str = ""

    def copy(self) -> None:
        """Copy the files to the streams.  A reader that has ended, such as ``head``, is no
        error."""
        if self.errors_stream == _STDERR:
            with self.errors.open(encoding="utf-8") as lines:
                for line in lines:  # as ASCII: nothing in it moves the cursor of a terminal
                    write_piece(f"{json.dumps(json.loads(line))}\n", sys.stderr)
        elif self.errors_stream:
            _copy(self.errors, self.errors_stream)
        if self.output_stream:
            _copy(self.output, self.output_stream)


#: The streams of this process, which other lines are written to, too.
_STDOUT, _STDERR = "/dev/stdout", "/dev/stderr"
#: Bytes that are copied at a time.
_PIECE = 1 << 20


def _copy(file: Path, stream: str) -> None:
    with file.open("rb") as source:
        if own := {_STDOUT: sys.stdout, _STDERR: sys.stderr}.get(stream):
            while (piece := source.read(_PIECE)) and write_piece(piece, own):
                pass
            return
        with suppress(BrokenPipeError), naming(Path(stream)), Path(stream).open("ab") as target:
            shutil.copyfileobj(source, target)


def _stream_of(name: str | None) -> str:
    """The stream of an output; ``""`` if it is a file."""
    if name in (None, "", "-"):
        return _STDOUT
    return str(name) if is_stream(str(name)) else ""


def _kind_of(output: str | None) -> str:
    """The format of the output, from its name; JSON lines for a stream whose name has none."""
    kind = Path(output or "").suffix.lstrip(".").lower()
    return kind or (_LINES[0] if _stream_of(output) else "")


@contextmanager
def _place_of(options: Namespace, kind: str) -> Iterator[Place]:
    """Where to write.  Beside an output that is a stream no file is written: without ``--errors``,
    the pages without an article are printed to standard error.  Raises ``ForestError``."""
    output_stream = _stream_of(options.output)
    errors_stream = _stream_of(options.errors) if options.errors else _STDERR * bool(output_stream)
    for stream in {output_stream, errors_stream} - {"", _STDOUT, _STDERR}:
        if not os.access(stream, os.W_OK):
            raise ForestError(f"{stream} cannot be written")
    with ExitStack() as opened:
        if output_stream or errors_stream:
            folder = Path(opened.enter_context(TemporaryDirectory()))
        output = folder / f"output.{kind}" if output_stream else Path(options.output)
        errors = Path(options.errors or output.with_name("errors.jsonl"))
        errors = folder / "errors.jsonl" if errors_stream else errors
        yield Place(output, errors, output_stream, errors_stream)


def _extract_files(
    arguments: BatchArguments, kind: str, settings: ForestSettings, processes: int, place: Place
) -> tuple[Mapping[str, int], Sequence[str]]:
    """Write the output; how many pages became what, and the files that have changed meanwhile."""

    def write(items: Path, output: Path) -> None:
        convert(items, output, kind, settings.item, settings.csv_safe)

    is_converted = kind not in _LINES or settings.item != "article"
    with _watcher() as watcher, _stopped_by_signals():
        batch = FileBatch(arguments, settings, processes, watcher, write if is_converted else None)
        goes_on = f"; the same command goes on ({batch.folder})"
        if place.output_stream:
            goes_on = "; with -o FILE a run that was stopped goes on"
        try:
            batch.run()
        except KeyboardInterrupt:
            raise SystemExit(f"stopped{goes_on}") from None
        except BatchStopped as error:
            raise ForestError(f"{error}{goes_on}") from error
    return batch.counts, batch.changed


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """A signal to terminate stops like Ctrl-C."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _check_format(kind: str, settings: ForestSettings) -> ForestSettings:
    """The settings for this format.  Raises ``BadSetting``, before any work is done."""
    known = _exporters()
    if kind not in known:
        raise BadSetting("--output", f".{kind}", f"a file that ends in {', '.join(known)}")
    is_mixed = len(settings.kinds) > 1
    is_other = settings.wants_records and (is_mixed or kind in _OF_ARTICLES)
    if is_other and kind not in _OF_ANY:
        allowed = f"a file that ends in {', '.join(_OF_ANY)}, because of FOREST_KINDS"
        raise BadSetting("--output", f".{kind}", allowed)
    if kind == "md" and "markdown" not in settings.formats:
        settings = replace(settings, formats=(*settings.formats, "markdown"))
    package = NEEDED.get(kind)
    if package and find_spec(package) is None:
        allowed = f"of another format, unless you {how_to_get(package)}"
        raise BadSetting("--output", f".{kind}", allowed)
    return settings


def _exporters() -> dict[str, str]:
    """The exporters by the ending of the file."""
    base = {name: one for name, one in FEED_EXPORTERS_BASE.items() if name not in _NOT_FILES}
    return {**base, **{name: new for name, (_, new) in REPLACED_FORMATS.items()}, **NEW_FORMATS}


#: Formats for items with different fields, and those that have the fields of articles only.
_OF_ANY, _OF_ARTICLES = (
    (*_LINES, "json", "xml", "txt", "md", "nt", "ttl", "jsonld"),
    ("rss", "atom"),
)
#: The names under which items are counted.
_KINDS = tuple(f"{kind}s" for kind in ITEM_KINDS)
#: Formats that are for Python only.
_NOT_FILES = ("marshal", "pickle", "jsonlines")


def convert(
    items: Path, output: Path, kind: str, item: str = "article", csv_safe: bool = False
) -> None:
    """Write the items in another format, or of the class that ``FOREST_ITEM`` names."""
    options = {"is_safe": True} if kind == "csv" and csv_safe else {}
    with store_errors(str(output)), output.open("w+b") as file:
        exporter = load_object(_exporters()[kind])(file, encoding="utf-8", **options)
        exporter.start_exporting()
        for one in read_items(items):
            exporter.export_item(convert_item(one, item))
        exporter.finish_exporting()


def _count_processors() -> int:
    """The processors that this process may use; all of them where the system does not tell."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _read_urls(name: str, place: Place) -> tuple[str, ...]:
    """The URLs of a file, each once.  Raises ``ForestError``, also if there are none: that does not
    mean all pages."""
    if follow_links(name) in (follow_links(place.output), follow_links(place.errors)):
        raise BadOutput(f"{name} is not only an output; write to another file")
    try:
        text = read_bytes(name).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ForestError(
            f"{name}: not a text in UTF-8; convert it, with iconv for example"
        ) from None
    urls = tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    if not urls:
        raise ForestError(f"{name}: there are no URLs in it; leave out --urls for all pages")
    return urls


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


def _summary(counts: Mapping[str, int], arguments: BatchArguments, place: Place) -> str:
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
        text += f"; {sum(without.values())} pages without one ({reasons})"
        if place.errors_stream != _STDERR:
            text += f", see {place.errors_stream or arguments.errors}"
        if 2 * without.get("not_article", 0) > counts["articles"] + sum(without.values()):
            text += "; most pages do not look like articles: if they are, use --articles"
    if arguments.save_wrappers:
        text += f"; {counts['wrappers saved']} wrappers in {arguments.save_wrappers}"
    return text

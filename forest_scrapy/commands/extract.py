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
from typing import Any

from scrapy.exceptions import UsageError
from scrapy.settings.default_settings import FEED_EXPORTERS_BASE
from scrapy.utils.misc import load_object

from forest_scrapy.batch.batch import Watcher
from forest_scrapy.batch.files import (
    WITHOUT_BASE,
    BatchArguments,
    BatchStopped,
    FileBatch,
    read_items,
)
from forest_scrapy.batch.progress import NoProgress, TerminalProgress
from forest_scrapy.commands.forest_command import Action, AddOption, write_piece
from forest_scrapy.core import ForestError
from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.core.methods.substitutes import describe_substitutes
from forest_scrapy.core.plurals import count
from forest_scrapy.exporters import NEEDED, NEW_FORMATS, REPLACED_FORMATS, how_to_get
from forest_scrapy.input_files import read_bytes
from forest_scrapy.output_files import BadOutput, follow_links, is_stream, naming
from forest_scrapy.settings import BadSetting, ForestSettings, read_settings
from forest_scrapy.stores.database import store_errors
from forest_scrapy.zyte_items import convert_item

#: Formats that are written while pages are extracted; the others are converted from them.
_LINE_FORMATS = ("jsonl", "jl", "jsonlines")


class Extract(Action):
    """Extract the articles, or items of other kinds, of pages in files and archives.

    What was done is printed to standard error. The exit status is 1 if no item comes out.
    """

    name = "extract"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add(
            "paths",
            nargs="+",
            metavar="PATH",
            help="HTML files, folders, WARC files and JSON lines, also in gzip and zip files",
        )
        add(
            "-o",
            "--output",
            metavar="FILE",
            help="write to this file (default: JSON lines, to standard output)",
        )
        add(
            "--errors",
            metavar="FILE",
            help=(
                "pages without an article (default: out.errors.jsonl beside out.jsonl; without -o:"
                " standard error)"
            ),
        )
        add(
            "--articles",
            action="store_true",
            help="all pages are articles (default: a classifier finds the articles)",
        )
        add(
            "--kinds",
            metavar="KIND,KIND",
            help=f"instead of articles, items of these kinds: some of {', '.join(ITEM_KINDS)}",
        )
        add(
            "--wrappers",
            default="",
            metavar="STORE",
            help="extract with the wrappers of this store; learn none",
        )
        add(
            "--save-wrappers",
            default="",
            metavar="STORE",
            help="add the wrappers that are learned to this store",
        )
        add(
            "--urls",
            metavar="FILE",
            help="extract only the pages of these URLs, one a line",
        )
        add(
            "--processes",
            type=int,
            metavar="N",
            help="default: one for each processor",
        )

    def run(self, options: Namespace) -> str:
        """Raises ``ForestError``, ``OSError`` and ``UsageError``."""
        if options.wrappers and options.save_wrappers:
            raise UsageError("--save-wrappers cannot be used with --wrappers, which learns nothing")
        processes = _count_processors() if options.processes is None else options.processes
        if processes < 1:
            raise UsageError("--processes must be 1 or more")
        format_name = _format_of(options.output)
        settings = self.config
        if options.kinds:
            kinds = read_settings({"FOREST_KINDS": options.kinds}).kinds
            settings = replace(settings, kinds=kinds)
        settings = _check_format(format_name, settings)
        with _open_targets(options, format_name) as targets:
            arguments = BatchArguments(
                paths=tuple(options.paths),
                output=targets.output,
                errors=targets.errors,
                are_articles=options.articles,
                wrappers=options.wrappers,
                save_wrappers=options.save_wrappers,
                urls=_read_urls(options.urls, targets) if options.urls else (),
            )
            counts, changed_files = _extract_files(
                arguments,
                format_name,
                settings,
                processes,
                targets,
            )
            targets.copy()
            write_piece(f"{_summary(counts, arguments, targets, settings.method)}\n", sys.stderr)
            if changed_files:
                names = ", ".join(changed_files[:MAX_NAMED_FILES])
                unnamed = len(changed_files) - MAX_NAMED_FILES
                if unnamed > 0:
                    names += f" and {unnamed} more"
                raise InputChanged(
                    f"{names} changed while pages were read: pages that are not the same are"
                    " left out; extract again"
                )
            if not any(counts[name] for name in _COUNTED_KINDS):
                raise NothingExtracted(_explain_nothing(counts, options, targets))
        return ""


#: Files that a message names.
MAX_NAMED_FILES = 5


class InputChanged(ForestError):
    """Files were changed while they were read; the message names them."""


class NothingExtracted(ForestError):
    """No page has given an item; the message names the remedy."""


@dataclass(frozen=True)
class OutputTargets:
    """The files that the output and the errors are written to, and the streams that these are
    copied to, ``""`` if the file itself was asked for.  Files that are copied are temporary."""

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
_STDOUT = "/dev/stdout"
_STDERR = "/dev/stderr"
#: Bytes that are copied at a time.
PIECE_SIZE = 1 << 20


def _copy(file: Path, stream: str) -> None:
    standard_streams = {_STDOUT: sys.stdout, _STDERR: sys.stderr}
    with file.open("rb") as source:
        if standard_stream := standard_streams.get(stream):
            while piece := source.read(PIECE_SIZE):
                if not write_piece(piece, standard_stream):
                    break
            return
        with suppress(BrokenPipeError), naming(Path(stream)), Path(stream).open("ab") as target:
            shutil.copyfileobj(source, target)


def _stream_of(name: str | None) -> str:
    """The stream of an output; ``""`` if it is a file."""
    if name in (None, "", "-"):
        return _STDOUT
    if is_stream(str(name)):
        return str(name)
    return ""


def _format_of(output: str | None) -> str:
    """The format of the output, from its name; JSON lines for a stream whose name has none."""
    ending = Path(output or "").suffix.lstrip(".").lower()
    if not ending and _stream_of(output):
        return _LINE_FORMATS[0]
    return ending


@contextmanager
def _open_targets(options: Namespace, format_name: str) -> Iterator[OutputTargets]:
    """Where to write.  Beside an output that is a stream no file is written: without ``--errors``,
    the pages without an article are printed to standard error.  Raises ``ForestError``."""
    output_stream = _stream_of(options.output)
    if options.errors:
        errors_stream = _stream_of(options.errors)
    else:
        errors_stream = _STDERR if output_stream else ""
    for stream in {output_stream, errors_stream} - {"", _STDOUT, _STDERR}:
        if not os.access(stream, os.W_OK):
            raise ForestError(f"{stream} cannot be written")

    with ExitStack() as stack:
        if output_stream or errors_stream:
            folder = Path(stack.enter_context(TemporaryDirectory()))
        output = folder / f"output.{format_name}" if output_stream else Path(options.output)
        if errors_stream:
            errors = folder / "errors.jsonl"
        else:
            errors = Path(options.errors or output.with_name(f"{output.stem}.errors.jsonl"))
        yield OutputTargets(output, errors, output_stream, errors_stream)


def _extract_files(
    arguments: BatchArguments,
    format_name: str,
    settings: ForestSettings,
    processes: int,
    targets: OutputTargets,
) -> tuple[Mapping[str, int], Sequence[str]]:
    """Write the output; returns the number of pages by outcome, and the files that have changed
    meanwhile."""

    def write(items: Path, output: Path) -> None:
        convert(items, output, format_name, settings)

    is_converted = format_name not in _LINE_FORMATS or settings.item != "article"
    with _watcher() as watcher, _stopped_by_signals():
        batch = FileBatch(arguments, settings, processes, watcher, write if is_converted else None)
        if targets.output_stream:
            remedy = "with -o FILE a run that was stopped goes on"
        else:
            remedy = f"the same command goes on ({batch.folder})"
        try:
            batch.run()
        except KeyboardInterrupt:
            raise SystemExit(f"stopped; {remedy}") from None
        except BatchStopped as error:
            raise ForestError(f"{error}; {remedy}") from error
    return batch.counts, batch.changed


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """A signal to terminate stops like Ctrl-C."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _check_format(format_name: str, settings: ForestSettings) -> ForestSettings:
    """The settings for this format.  Raises ``BadSetting``, before any work is done."""
    exporters = _exporters()
    if format_name not in exporters:
        raise BadSetting(
            "--output", f".{format_name}", f"a file that ends in {', '.join(exporters)}"
        )

    takes_articles_only = format_name in _FORMATS_OF_ARTICLES
    if settings.wants_records and takes_articles_only:
        endings = ", ".join(name for name in exporters if name not in _FORMATS_OF_ARTICLES)
        allowed = f"a file that ends in {endings}, because of FOREST_KINDS"
        raise BadSetting("--output", f".{format_name}", allowed)

    if format_name == "md" and "markdown" not in settings.formats:
        settings = replace(settings, formats=(*settings.formats, "markdown"))
    package = NEEDED.get(format_name)
    if package and find_spec(package) is None:
        allowed = f"of another format, unless you {how_to_get(package)}"
        raise BadSetting("--output", f".{format_name}", allowed)
    return settings


def _exporters() -> dict[str, str]:
    """The exporters by the ending of the file."""
    exporters = {
        name: exporter
        for name, exporter in FEED_EXPORTERS_BASE.items()
        if name not in _FORMATS_OF_PYTHON
    }
    for name, (_, exporter) in REPLACED_FORMATS.items():
        exporters[name] = exporter
    return exporters | NEW_FORMATS


#: Formats that have the fields of articles only.
_FORMATS_OF_ARTICLES = ("rss", "atom")
#: The names under which items are counted.
_COUNTED_KINDS = tuple(f"{kind}s" for kind in ITEM_KINDS)
#: Names that are no endings of files: formats that are for Python only, and another name of JSON
#: lines.
_FORMATS_OF_PYTHON = ("marshal", "pickle", "jsonlines")


def convert(
    items: Path,
    output: Path,
    format_name: str,
    settings: ForestSettings,
) -> None:
    """Write the items in another format, or of the class that ``FOREST_ITEM`` names."""
    options: dict[str, Any] = {}
    if format_name in ("csv", "parquet"):
        options["kinds"] = settings.kinds
    if format_name == "csv":
        options["item_class"] = settings.item
        options["is_safe"] = settings.csv_safe
    with store_errors(str(output)), output.open("w+b") as file:
        exporter_class = load_object(_exporters()[format_name])
        exporter = exporter_class(file, encoding="utf-8", **options)
        exporter.start_exporting()
        for item in read_items(items):
            exporter.export_item(convert_item(item, settings.item))
        exporter.finish_exporting()


def _count_processors() -> int:
    """The processors that this process may use; all of them where the system does not tell."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _read_urls(name: str, targets: OutputTargets) -> tuple[str, ...]:
    """The URLs of a file, each once.  Raises ``ForestError``, also if there are none: that does not
    mean all pages."""
    written_files = (follow_links(targets.output), follow_links(targets.errors))
    if follow_links(name) in written_files:
        raise BadOutput(f"{name} is not only an output; write to another file")
    try:
        text = read_bytes(name).decode("utf-8-sig")
    except OSError as error:
        raise ForestError(f"--urls {name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ForestError(
            f"{name}: not a text in UTF-8; convert it, with iconv for example"
        ) from None
    urls = dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())
    if not urls:
        raise ForestError(f"{name}: there are no URLs in it; leave out --urls for all pages")
    return tuple(urls)


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


def _explain_nothing(
    counts: Mapping[str, int],
    options: Namespace,
    targets: OutputTargets,
) -> str:
    """Why no item came out, by the most frequent reason, and what to do."""
    reasons = _count_reasons(counts)
    if not reasons:
        return (
            "no item came out, because there is no page in what was named: name HTML files, folders"
            " of them, WARC files or JSON lines with url and html"
        )
    reason = max(reasons, key=lambda name: (reasons[name], name))
    if reason == "not_article":
        return (
            "no item came out: other kinds of pages are given by --kinds; if the pages are"
            " articles, use --articles"
        )
    if reason == "not_found":
        return (
            f"no item came out: the URLs of {options.urls} are not those of the pages; leave out"
            " --urls to see these"
        )
    place = f"in {targets.errors_stream or targets.errors}"
    if targets.errors_stream == _STDERR:
        place = "above"
    return (
        f"no item came out, because no page could be used ({reason}): each page's reason is {place}"
    )


def _count_reasons(counts: Mapping[str, int]) -> dict[str, int]:
    """The number of pages without an item, by reason."""
    reasons = {}
    for name, pages in sorted(counts.items()):
        is_reason = name not in (*_COUNTED_KINDS, "wrappers saved", WITHOUT_BASE)
        if is_reason and not name.startswith("by "):
            reasons[name] = pages
    return reasons


def _summary(
    counts: Mapping[str, int],
    arguments: BatchArguments,
    targets: OutputTargets,
    method: str,
) -> str:
    """What was done, in one line.  ``method``: as ``FOREST_METHOD`` names it."""
    articles = {}
    methods = []
    for name, pages in sorted(counts.items()):
        if name.startswith("by "):
            methods.append(f"{pages} {name}")
            articles[name.removeprefix("by ")] = pages
    pages_by_reason = _count_reasons(counts)
    reasons = [f"{pages} {name}" for name, pages in pages_by_reason.items()]
    without_item = sum(pages_by_reason.values())

    text = count(counts["articles"], "article")
    if methods:
        text += f" ({', '.join(methods)})"
    for kind in list(ITEM_KINDS)[1:]:
        number = counts[f"{kind}s"]
        if number:
            text += f", {count(number, kind)}"
    substitutes = describe_substitutes(method, articles)
    if substitutes:
        text += f"; {substitutes}"
    if reasons:
        text += f"; {count(without_item, 'page')} without one ({', '.join(reasons)})"
        if targets.errors_stream != _STDERR:
            text += f", see {targets.errors_stream or arguments.errors}"
        if 2 * counts.get("not_article", 0) > counts["articles"] + without_item:
            text += "; most pages do not look like articles: if they are, use --articles"
    if counts.get(WITHOUT_BASE):
        text += (
            f"; {counts[WITHOUT_BASE]} without their relative links and images, since their pages"
            ' tell no URL: put <base href="URL"> into these'
        )
    if arguments.save_wrappers:
        text += f"; {count(counts['wrappers saved'], 'wrapper')} in {arguments.save_wrappers}"
    return text

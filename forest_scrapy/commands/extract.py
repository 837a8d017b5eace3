"""``scrapy forest extract``, and ``forest-scrapy extract``: articles from stored pages."""

import json
import os
import shutil
import signal
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from scrapy.exceptions import UsageError

from forest_scrapy.batch.batch import Watcher
from forest_scrapy.batch.files import (
    WITHOUT_BASE,
    BatchArguments,
    BatchStopped,
    FileBatch,
    read_items,
)
from forest_scrapy.batch.progress import NoProgress, TerminalProgress
from forest_scrapy.commands.extract_formats import (
    LINE_FORMATS,
    STDOUT,
    check_format,
    format_of,
    stream_of,
    write_folder,
    write_items,
)
from forest_scrapy.commands.forest_command import Action, AddOption, write_piece
from forest_scrapy.commands.named_pages import (
    crawl_site,
    extract_named,
    has_other_scheme,
    is_fetched,
)
from forest_scrapy.core import ForestError
from forest_scrapy.core.items import ITEM_KINDS
from forest_scrapy.core.methods.substitutes import describe_substitutes
from forest_scrapy.core.other_kinds import describe_other_kinds
from forest_scrapy.core.page.urls import bare_host, with_scheme
from forest_scrapy.core.plurals import count
from forest_scrapy.exporters import FOLDER
from forest_scrapy.input_files import read_bytes
from forest_scrapy.output_files import (
    BadOutput,
    follow_links,
    locked,
    move_into_place,
    naming,
    output_file,
)
from forest_scrapy.settings import ForestSettings, read_settings
from forest_scrapy.zyte_items import convert_item


class Extract(Action):
    """Extract the articles, or items of other kinds, of pages: in files and archives, by URL, or
    from standard input.

    What was done is printed to standard error. The exit status is 1 if no item comes out, or a URL
    gives none.
    """

    name = "extract"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add(
            "paths",
            nargs="+",
            metavar="PATH",
            help=(
                "HTML files, folders, WARC files and JSON lines, also in gzip and zip files; or"
                " URLs of pages, which are fetched; or - for the HTML of a page from standard input"
            ),
        )
        add(
            "--site",
            action="store_true",
            help="crawl the site of the URL, as crawl site does",
        )
        add(
            "--url",
            default="",
            metavar="URL",
            help="the address of the page from standard input",
        )
        add(
            "-o",
            "--output",
            metavar="FILE",
            help=(
                "write to this file (default: JSON lines, to standard output); FOLDER/ gets a file"
                " of Markdown for each item"
            ),
        )
        add(
            "--delete",
            action="store_true",
            help="of a folder: delete the files of earlier runs whose pages are not there any more",
        )
        add(
            "--format",
            default="",
            metavar="FORMAT",
            help=(
                "text, markdown, html, json, or the ending of another format (default: that of the"
                " file's name; JSON lines to standard output)"
            ),
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
            "--hosts",
            metavar="FILE",
            help="read only the pages of these hosts, one a line, with or without www.",
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
        for path in options.paths:
            if has_other_scheme(path):
                raise UsageError(f"{path}: only http and https URLs are fetched")
        processes = _count_processors() if options.processes is None else options.processes
        if processes < 1:
            raise UsageError("--processes must be 1 or more")
        format_name = format_of(options.output, options.format)
        settings = self.config
        if options.kinds:
            kinds = read_settings({"FOREST_KINDS": options.kinds}).kinds
            settings = replace(settings, kinds=kinds)
        settings = check_format(format_name, settings, options.format)
        if options.delete and format_name != FOLDER:
            raise UsageError("--delete is for a folder: -o FOLDER/")
        if options.site or any(map(is_fetched, options.paths)):
            self._extract_named(options, format_name, settings)
            return ""
        if options.url:
            raise UsageError("--url is the address of a page from standard input (-)")
        if options.urls and options.hosts:
            raise UsageError("--urls names the hosts, too: leave out --hosts")
        with _open_targets(options, format_name) as targets:
            arguments = BatchArguments(
                paths=tuple(options.paths),
                output=targets.output,
                errors=targets.errors,
                are_articles=options.articles,
                wrappers=options.wrappers,
                save_wrappers=options.save_wrappers,
                urls=_read_urls(options.urls, targets) if options.urls else (),
                hosts=_read_hosts(options.hosts, targets) if options.hosts else (),
            )
            batch = _extract_files(
                arguments,
                format_name,
                settings,
                processes,
                targets,
            )
            counts = batch.counts
            changed_files = batch.changed
            targets.copy()
            write_piece(f"{_summary(counts, arguments, targets, settings.method)}\n", sys.stderr)
            other_kinds = describe_other_kinds(batch.other_kinds, settings.kinds)
            if other_kinds:
                write_piece(f"{other_kinds}\n", sys.stderr)
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
            if format_name == FOLDER:
                summary = write_folder(read_items(targets.output), options.output, options.delete)
                write_piece(f"{summary}\n", sys.stderr)
        return ""

    def _extract_named(
        self,
        options: Namespace,
        format_name: str,
        settings: ForestSettings,
    ) -> None:
        """Extract pages that are fetched, or come from standard input."""
        if options.site:
            crawl_site(options, format_name, self.settings)
            return
        if not options.kinds and settings.kinds == ("article",):
            # Whoever names a page wants its text, also if it is no article.
            settings = replace(settings, kinds=("article", "page"))
        stream = stream_of(options.output)
        path = None if stream or format_name == FOLDER else output_file(options.output)
        items = extract_named(options, self, settings)
        if not items:
            return
        if format_name == FOLDER:
            # What could not be fetched may be there the next time.
            deletes_others = options.delete and not self.errors
            summary = write_folder(items, options.output, deletes_others)
            write_piece(f"{summary}\n", sys.stderr)
            return
        with TemporaryDirectory() as folder:
            output = Path(folder, f"output.{format_name}")
            write_items(items, output, format_name, settings)
            if path is None:
                _copy(output, stream)
                return
            with locked(path):
                move_into_place(output, path)


#: Files that a message names.
MAX_NAMED_FILES = 5


#: The names under which items are counted.
_COUNTED_KINDS = tuple(f"{kind}s" for kind in ITEM_KINDS)


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


_STDERR = "/dev/stderr"
#: Bytes that are copied at a time.
PIECE_SIZE = 1 << 20


def _copy(file: Path, stream: str) -> None:
    standard_streams = {STDOUT: sys.stdout, _STDERR: sys.stderr}
    with file.open("rb") as source:
        if standard_stream := standard_streams.get(stream):
            while piece := source.read(PIECE_SIZE):
                if not write_piece(piece, standard_stream):
                    break
            return
        with suppress(BrokenPipeError), naming(Path(stream)), Path(stream).open("ab") as target:
            shutil.copyfileobj(source, target)


@contextmanager
def _open_targets(options: Namespace, format_name: str) -> Iterator[OutputTargets]:
    """Where to write.  Beside an output that is a stream no file is written: without ``--errors``,
    the pages without an article are printed to standard error.  Raises ``ForestError``."""
    output_stream = stream_of(options.output)
    is_folder = format_name == FOLDER
    if options.errors:
        errors_stream = stream_of(options.errors)
    else:
        errors_stream = _STDERR if output_stream or is_folder else ""
    for stream in {output_stream, errors_stream} - {"", STDOUT, _STDERR}:
        if not os.access(stream, os.W_OK):
            raise ForestError(f"{stream} cannot be written")

    with ExitStack() as stack:
        if output_stream or errors_stream or is_folder:
            folder = Path(stack.enter_context(TemporaryDirectory()))
        if is_folder:  # what it is made of
            output = folder / "items.jsonl"
        elif output_stream:
            output = folder / f"output.{format_name}"
        else:
            output = Path(options.output)
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
) -> FileBatch:
    """Write the output; returns the batch, which has ended."""

    def write(items: Path, output: Path) -> None:
        convert(items, output, format_name, settings)

    is_converted = format_name not in LINE_FORMATS or settings.item != "article"
    if format_name == FOLDER:
        is_converted = False
    with _watcher() as watcher, _stopped_by_signals():
        batch = FileBatch(arguments, settings, processes, watcher, write if is_converted else None)
        if targets.output_stream or format_name == FOLDER:
            remedy = "with -o FILE a run that was stopped goes on"
        else:
            remedy = f"the same command goes on ({batch.folder})"
        try:
            batch.run()
        except KeyboardInterrupt:
            raise SystemExit(f"stopped; {remedy}") from None
        except BatchStopped as error:
            raise ForestError(f"{error}; {remedy}") from error
    return batch


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """A signal to terminate stops like Ctrl-C."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def convert(
    items: Path,
    output: Path,
    format_name: str,
    settings: ForestSettings,
) -> None:
    """Write the items of JSON lines in another format, or of the class that ``FOREST_ITEM``
    names."""
    converted = (convert_item(item, settings.item) for item in read_items(items))
    write_items(converted, output, format_name, settings)


def _count_processors() -> int:
    """The processors that this process may use; all of them where the system does not tell."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _read_urls(name: str, targets: OutputTargets) -> tuple[str, ...]:
    """The URLs of a file, each once.  Raises ``ForestError``, also if there are none: that does not
    mean all pages."""
    urls = _read_lines("--urls", name, targets)
    if not urls:
        raise ForestError(f"{name}: there are no URLs in it; leave out --urls for all pages")
    return urls


def _read_hosts(name: str, targets: OutputTargets) -> tuple[str, ...]:
    """The hosts of a file, without ``www.``, each once; a URL stands for its host.  Raises
    ``ForestError``, as ``_read_urls`` does."""
    lines = _read_lines("--hosts", name, targets)
    hosts = dict.fromkeys(bare_host(with_scheme(line)) for line in lines)
    hosts.pop("", None)
    if not hosts:
        raise ForestError(f"{name}: there are no hosts in it; leave out --hosts for all pages")
    return tuple(hosts)


def _read_lines(option: str, name: str, targets: OutputTargets) -> tuple[str, ...]:
    """The lines of the file of an option, each once, without empty ones."""
    written_files = (follow_links(targets.output), follow_links(targets.errors))
    if follow_links(name) in written_files:
        raise BadOutput(f"{name} is not only an output; write to another file")
    try:
        text = read_bytes(name).decode("utf-8-sig")
    except OSError as error:
        raise ForestError(f"{option} {name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ForestError(
            f"{name}: not a text in UTF-8; convert it, with iconv for example"
        ) from None
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


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
    if not reasons and options.hosts:
        return (
            f"no item came out, because no page is of the hosts of {options.hosts}; leave out"
            " --hosts for all pages"
        )
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

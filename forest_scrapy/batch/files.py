"""Running a batch from files to files, and going on with one that was stopped.

``FILE.job`` is a folder beside the output ``FILE``: the notes of the batch, and the items and
errors so far.  When all pages are extracted, the errors are copied to their file, the output is
made, and that this is so is noted.  Then the output is moved into place, and the folder is deleted.
So a batch that is killed in between goes on there, and never writes to an output in place.
"""

import json
import logging
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from forest_scrapy.batch.batch import HELD, NOT_WANTED, Batch, PageResult, Watcher
from forest_scrapy.batch.pool import Pool, rare_collections
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.batch.work import TaskContext, close_stores, try_rules
from forest_scrapy.core import ForestError
from forest_scrapy.core.items import ITEM_KINDS, item_kind
from forest_scrapy.core.page.urls import bare_host, page_key
from forest_scrapy.items import Article, Item
from forest_scrapy.output_files import (
    BadOutput,
    follow_links,
    lock_of,
    locked,
    move_into_place,
    naming,
    output_file,
    replacing,
    sync,
)
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BatchStore, RulesStore
from forest_scrapy.stores.database import BadStore, StoreFailed

if TYPE_CHECKING:
    from forest_scrapy.batch.inputs import Inputs

logger = logging.getLogger(__name__)

#: The name in the counts of the items whose relative links and images are left out.
WITHOUT_BASE = "without base"

#: Makes the output of a file of JSON lines, at another path.
Convert = Callable[[Path, Path], None]


@dataclass(frozen=True)
class BatchArguments:
    """What is to be done.

    ``paths``: of the pages; ``output``, ``errors``: the files to write, JSON lines.
    ``are_articles``: whether all pages are known to be articles.  ``wrappers``: a store to
    extract with, without learning; ``save_wrappers``: a store that the learned ones are added to.
    ``urls``: the only pages to extract; ``()``: all.  ``hosts``: those of the only pages to read,
    without ``www.``; ``()``: all.
    """

    paths: tuple[str, ...]
    output: Path
    errors: Path
    are_articles: bool = False
    wrappers: str = ""
    save_wrappers: str = ""
    urls: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


class BatchStopped(ForestError):
    """The batch cannot go on for the moment: a disk is full, a file cannot be read or written.
    When that is repaired, the same batch goes on."""


class _FolderDamaged(Exception):
    """A file of the folder is shorter than noted, or is not what was written."""


class FileBatch:
    """One batch with its folder.

    ``convert``: makes the output of the lines; None: they are the output.
    """

    def __init__(
        self,
        arguments: BatchArguments,
        settings: ForestSettings,
        processes: int,
        watcher: Watcher,
        convert: Convert | None = None,
    ) -> None:
        self._settings = settings
        self._processes = processes
        self._watcher = watcher
        self._convert = convert
        output = output_file(str(arguments.output))
        errors = output_file(str(arguments.errors))
        self._arguments = replace(arguments, output=output, errors=errors)

        self.folder = output.with_name(f"{output.name}.job")
        self._database = self.folder / "pages.db"
        self._articles = self.folder / "articles.jsonl"
        self._errors = self.folder / "errors.jsonl"
        #: The output before it is moved into place.
        self._made_output = self.folder / f"output{output.suffix}" if convert else self._articles

        ignored = (output, errors, self.folder)
        # Reads archives of all kinds: a command with a page or two needs none of it.
        from forest_scrapy.batch.inputs import Inputs

        inputs = Inputs(arguments.paths, settings.max_bytes, ignored)
        self._source = _WantedPages(inputs, arguments.urls, arguments.hosts)
        self.counts: Counter[str] = Counter()
        #: The numbers of the pages that were looked at, by ``find_other_kind``.
        self.other_kinds: Counter[str] = Counter()
        #: The names of the files that were changed while they were read.
        self.changed = inputs.changed
        self._check_files()
        self._check_folder()

    def run(self) -> None:
        """Write the output and the errors.  Raises ``ForestError``: ``InUse`` if another process
        writes one of them, ``BatchStopped`` if the disk is full; then, or after a kill, ``run``
        again goes on."""
        with ExitStack() as stack:
            stack.enter_context(locked(self._arguments.output))
            stack.enter_context(locked(self._arguments.errors))
            stack.enter_context(_stopping(self.folder))
            description = self._describe()
            if not self._is_done(description):
                self._extract_or_begin_again(description)
            if self._made_output.exists():
                move_into_place(self._made_output, self._arguments.output)
            shutil.rmtree(self.folder, ignore_errors=True)  # nothing in it is needed any more

    def _check_files(self) -> None:
        """Raises ``BadOutput`` if one file would be written twice, or is one to read."""
        output = self._arguments.output
        errors = self._arguments.errors
        is_output = errors in (output, lock_of(output))
        if is_output or self.folder in (errors, *errors.parents):
            raise BadOutput(f"--errors cannot be {errors}; name another file")

        stores = (self._arguments.wrappers, self._arguments.save_wrappers)
        for name in (*self._arguments.paths, *stores):
            if name and follow_links(name) in (output, errors):
                raise BadOutput(f"{name} is not only an output; write to another file")

    def _check_folder(self) -> None:
        """Raises ``BadOutput`` if what has the name of the folder is not a batch's."""
        try:
            names = os.listdir(self.folder)  # noqa: PTH208 - names are all that is needed
        except FileNotFoundError:
            return
        except OSError as error:
            raise BadOutput(f"{self.folder}: {error.strerror}; name another output") from error
        files = (self._database, self._articles, self._errors)
        starts = (*(file.name for file in files), "output")
        for name in names:
            if not name.startswith(starts):
                raise BadOutput(
                    f"{self.folder} has other files, such as {name}; name another output"
                )
            # Somebody else may have made it, and it may lead to any file.
            if (self.folder / name).is_symlink():
                raise BadOutput(
                    f"{self.folder / name} is a link; remove it, or name another output"
                )

    def _describe(self) -> dict[str, Any]:
        """What the batch is of, as JSON has it.  Raises ``ForestError`` if there are no pages."""
        arguments = {**asdict(self._arguments), "output": "", "errors": ""}
        files = self._source.inputs.describe()
        if not files:
            raise ForestError(f"there are no pages in {', '.join(self._arguments.paths)}")
        values = {
            "files": files,
            "order": arguments,
            "settings": asdict(self._settings),
        }
        description: dict[str, Any] = json.loads(json.dumps(values, default=str))
        return description

    def _is_done(self, description: Mapping[str, Any]) -> bool:
        """Whether nothing is left to do but to move the output; also if it is in place."""
        if not self._database.exists():
            return False
        with closing(_open_notes(self._database)) as store:
            finished = store.get("finished")
            is_same = store.get("given") == description
        if finished is None:
            return False

        size = finished["size"]
        is_made = _is_file(self._made_output, size)
        is_in_place = _is_file(self._arguments.output, size)
        if is_same and (is_made or is_in_place):
            self.counts.update(finished["counts"])
            self.other_kinds.update(finished.get("other_kinds", {}))
            return True
        if is_made:  # another batch, whose output was not moved: see ``_check_same``
            return False
        self._begin_again()
        return False

    def _begin_again(self) -> None:
        shutil.rmtree(self.folder)
        self.counts.clear()
        self.other_kinds.clear()
        self._source.seen.clear()

    def _extract_or_begin_again(self, description: Mapping[str, Any]) -> None:
        try:
            self._extract(description)
        except _FolderDamaged:  # by a power cut: the pages are there to begin again
            logger.warning("%s is damaged: all pages are extracted again", self.folder)
            self._begin_again()
            self._extract(description)

    def _extract(self, description: Mapping[str, Any]) -> None:
        """Extract all pages, and write all but the output into place."""
        arguments = self._arguments
        with ExitStack() as stack:
            stack.callback(close_stores)
            saved_rules = self._open_rules(stack)  # before there is a folder to go on with
            self.folder.mkdir(exist_ok=True)
            if self._processes == 1:  # else the worker processes do the same
                stack.enter_context(rare_collections())
            store = stack.enter_context(closing(_open_notes(self._database)))
            self._check_same(store, description)
            pool = stack.enter_context(closing(Pool(self._processes)))
            context = TaskContext(
                store=str(self._database),
                settings=self._settings,
                are_articles=arguments.are_articles,
                wrappers=arguments.wrappers,
            )
            batch = Batch(
                self._source,
                context,
                store,
                pool,
                self._watcher,
                self._source.keys,
            )
            batch.learn()
            self._write(batch, store)
            if saved_rules is not None:
                self.counts["wrappers saved"] = batch.save_rules(saved_rules)
            self._finish(store)

    def _open_rules(self, stack: ExitStack) -> RulesStore | None:
        """The store to add wrappers to.  The one to read them from is only tried: the processes
        open it.  Raises ``BadStore``."""
        arguments = self._arguments
        if arguments.wrappers:
            try_rules(arguments.wrappers, self._settings)
        if not arguments.save_wrappers:
            return None
        store = RulesStore(
            arguments.save_wrappers,
            self._settings.fingerprint_kind,
            seconds=self._settings.store_seconds,
        )
        return stack.enter_context(closing(store))

    def _check_same(self, store: BatchStore, description: Mapping[str, Any]) -> None:
        """Raises ``ForestError`` if the folder is that of a batch with other pages or options."""
        if store.get("given", description) != description:
            raise ForestError(
                f"{self.folder} is of a batch with other pages or options that was stopped; "
                "delete it, or name another output"
            )
        with store.writing():
            store.set("given", description)

    def _finish(self, store: BatchStore) -> None:
        """Make the output, and note that it only has to be moved."""
        with replacing(self._arguments.errors) as errors, self._errors.open("rb") as lines:
            shutil.copyfileobj(lines, errors)
        output = self._made_output
        if self._convert is not None:
            for file in self.folder.glob(f"{output.name}*"):  # left by a killed process
                file.unlink()
            with naming(output):
                self._convert(self._articles, output)
        sync(output)
        finished = {
            "size": output.stat().st_size,
            "counts": dict(self.counts),
            "other_kinds": dict(self.other_kinds),
        }
        with store.writing():
            store.set("finished", finished)

    def _write(self, batch: Batch, store: BatchStore) -> None:
        """Write the items and the errors of all pages to the files in the folder."""
        seen = self._source.seen
        state = store.get("written")
        if not state:
            state = {
                "pages": 0,
                "articles": 0,
                "errors": 0,
                "counts": {},
                "other_kinds": {},
            }
        self.counts.update(state["counts"])
        self.other_kinds.update(state.get("other_kinds", {}))
        seen.update(state.get("seen", ()))
        with (
            naming(self.folder),
            _append(self._articles, state["articles"]) as articles,
            _append(self._errors, state["errors"]) as errors,
        ):
            for results in batch.extract(state["pages"]):
                for result in results:
                    self._write_result(result, articles, errors)
                state["pages"] += len(results)
                state["articles"] = _size(articles)
                state["errors"] = _size(errors)
                state["counts"] = dict(self.counts)
                state["other_kinds"] = dict(self.other_kinds)
                state["seen"] = sorted(seen)
                store.set("written", state)

            for url in self._source.missing():
                self.counts["not_found"] += 1
                write_item_line(errors, {"url": url, "source": "", "reason": "not_found"})

    def _write_result(
        self,
        result: PageResult,
        articles: IO[str],
        errors: IO[str],
    ) -> None:
        if result.reason == NOT_WANTED:
            return
        if result.item is not None:
            self._write_item(result.item, articles)
            if result.has_no_base:
                self.counts[WITHOUT_BASE] += 1
        elif result.reason != HELD:
            self._write_error(result, errors)
        if result.other_kind:
            self.other_kinds[result.other_kind] += result.pages_alike
        self._source.note(result.raw)

    def _write_item(self, item: Item, articles: IO[str]) -> None:
        values = {field.name: getattr(item, field.name) for field in fields(item)}
        write_item_line(articles, values)
        self.counts[f"{item_kind(item)}s"] += 1
        if isinstance(item, Article):
            self.counts[f"by {item.method}"] += 1

    def _write_error(self, result: PageResult, errors: IO[str]) -> None:
        values = {
            "url": result.raw.name,
            "source": result.raw.source,
            "reason": result.reason,
        }
        write_item_line(errors, values)
        is_word = result.reason.isidentifier()
        self.counts[result.reason if is_word else "unreadable"] += 1


class _WantedPages:
    """The pages of some hosts, and of those of some URLs; all pages if there are none.

    ``keys``: of the pages that are wanted, None: all; ``seen``: those that were found.
    """

    def __init__(self, inputs: "Inputs", urls: tuple[str, ...], hosts: tuple[str, ...]) -> None:
        self.inputs = inputs
        self._urls = {page_key(url): url for url in urls}
        self._hosts = {*hosts, *(bare_host(url) for url in urls)}
        self.keys = self._urls.keys() if urls else None
        self.seen: set[str] = set()

    def __iter__(self) -> Iterator[RawPage]:
        for page in self.inputs:
            if not self._hosts or page.error:
                yield page
                continue
            host = bare_host(page.page_url)
            if host in self._hosts:
                yield page

    def note(self, raw: RawPage) -> None:
        """Note that a page was found."""
        if self._urls:
            url = raw.url if raw.error else raw.page_url
            key = page_key(url)
            self.seen.add(key)

    def missing(self) -> list[str]:
        """The URLs that were not found."""
        missing_urls = []
        for key, url in self._urls.items():
            if key not in self.seen:
                missing_urls.append(url)
        return missing_urls


def write_item_line(file: IO[str], value: Mapping[str, Any]) -> None:
    """Write a line of JSON, as Scrapy's exporter writes it in UTF-8."""
    file.write(json.dumps(value, ensure_ascii=False) + "\n")


def read_items(file: Path) -> Iterator[Item]:
    """The items of a file of JSON lines, which are recognised by their fields."""
    classes: dict[frozenset[str], Callable[..., Item]] = {}
    for kind in ITEM_KINDS.values():
        names = frozenset(field.name for field in fields(kind))
        classes[names] = kind
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            values = json.loads(line)
            item_class = classes[frozenset(values)]
            yield item_class(**values)


@contextmanager
def _append(path: Path, size: int) -> Iterator[IO[str]]:
    """Open a file to write after its first ``size`` bytes, which are lines; what was written later
    is deleted.  Raises ``_FolderDamaged``."""
    with path.open("a+b") as file:
        if size:
            is_short = file.seek(0, os.SEEK_END) < size
            if is_short or not _ends_line(file, size):
                raise _FolderDamaged
        file.truncate(size)
    with path.open("a", encoding="utf-8", errors="replace", newline="\n") as text:
        yield text


def _ends_line(file: IO[bytes], size: int) -> bool:
    file.seek(size - 1)
    return file.read(1) == b"\n"


def _is_file(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


def _open_notes(database: Path) -> BatchStore:
    try:
        return BatchStore(str(database))
    except BadStore as error:  # the folder is the batch's own: no other remedy than space
        raise BatchStopped(f"{database}: {error.__cause__ or error}") from error


@contextmanager
def _stopping(folder: Path) -> Iterator[None]:
    """Errors of disks and files, among them the notes in the folder, are ``BatchStopped``."""
    try:
        yield
    except (OSError, StoreFailed) as error:
        raise BatchStopped(str(error)) from error
    except sqlite3.Error as error:
        raise BatchStopped(f"{folder}: {error}") from error


def _size(file: IO[str]) -> int:
    """The bytes of a file, when what is in its buffers is written."""
    file.flush()
    return os.fstat(file.fileno()).st_size

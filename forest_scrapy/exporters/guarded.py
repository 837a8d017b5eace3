"""Feed exports that fail are noticed: no page counts as done whose item was not exported.

Scrapy logs such failures, and goes on without the export.
"""

import errno
import logging
import os
import stat
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import IO, Any
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FeedSlot, FileFeedStorage
from scrapy.extensions.postprocessing import PostProcessingManager
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.project import data_path

from forest_scrapy.crawl.context import context_of
from forest_scrapy.crawl.exports import WatchedFeedExporter
from forest_scrapy.crawl.failure import ExportFailed
from forest_scrapy.crawl.outcomes import found_nothing
from forest_scrapy.exporters import FOLDER
from forest_scrapy.settings import BadSetting, read_settings

#: Formats of feeds, which keep their earlier articles when a crawl has only new ones.
_DOCUMENTS = ("rss", "atom")

#: Seconds that an export waits for the reader of a named pipe, and between two attempts.
_READER_SECONDS = 5.0
_RETRY_SECONDS = 0.05

logger = logging.getLogger(__name__)


class GuardedFeedExporter(WatchedFeedExporter):
    """Scrapy's exporter.

    - An export that cannot work, such as one in an unknown format or in a place that is no folder,
      is an error before anything is fetched.
    - If an export fails to open, the crawl ends, and its pages are left for the next run.
    - If it fails for an item, its page is an ``error``, the other exports get the item, and the
      exit status is 1.
    - Until an export is on the disk, its articles do not count as seen (``holds_articles``).
    - If it cannot be stored when the crawl closes, the exit status is 1, and what should have been
      stored is kept in a file.
    - If nothing could be fetched, a file that would be overwritten stays as it is.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Raises ``BadSetting``; ``NotConfigured`` in Scrapy's shell, which has no spider yet."""
        if crawler.spider is None:
            # The shell: nothing is exported, and Scrapy's exporter would empty the files.
            raise NotConfigured("there is no spider whose items could be exported")
        feeds = _read_feeds(crawler.settings)
        _check_formats(feeds, crawler.settings)
        try:
            super().__init__(crawler)
        except NotConfigured:
            if not feeds:
                raise
            # Scrapy has logged why: no boto3 for S3, no %(batch_id)d in a URI.
            name = ", ".join(feeds)
            raise BadSetting("FEEDS", name, "what Scrapy can export to, see above") from None
        #: Named pipes that are exported to, which stay open until all is written.
        self._pipes = ExitStack()
        for uri, options in self.feeds.items():
            self._check_uri(uri, options)
            if options["format"] in _DOCUMENTS and read_settings(crawler.settings).only_new:
                self._keep_earlier(uri, options)

    def _load_components(self, setting_prefix: str) -> dict[str, Any]:
        """Scrapy loads the exporters of all formats; only those of this crawl's exports are
        needed."""
        if setting_prefix != "FEED_EXPORTERS":
            return super()._load_components(setting_prefix)
        classes = self.settings.getwithbase(setting_prefix)
        exporters = {}
        for options in self.feeds.values():
            format = options["format"]
            if classes.get(format):
                exporters[format] = load_object(classes[format])
        return exporters

    def _get_storage(
        self,
        uri: str,
        feed_options: dict[str, Any],
    ) -> Any:
        """Scrapy's storage, or that of a folder."""
        if feed_options["format"] == FOLDER:
            # Imported here: few crawls write a folder.
            from forest_scrapy.exporters.folders import FolderStorage

            return FolderStorage(uri, feed_options=feed_options)
        return super()._get_storage(uri, feed_options)

    def _keep_earlier(self, uri: str, options: dict[str, Any]) -> None:
        """Add new articles to a feed, which would have no others; warn if that cannot be done."""
        is_local = isinstance(self._get_storage(uri, options), FileFeedStorage)
        if is_local and "postprocessing" not in options:
            options["overwrite"] = False
            return
        logger.warning(
            "%s will have only the articles that are new in this crawl; for a feed with the earlier"
            " ones, export to a local file without compression, or use forest-scrapy feed",
            uri,
        )

    async def close_spider(self, spider: Spider) -> None:
        try:
            await super().close_spider(spider)
        finally:
            self._pipes.close()

    def _check_uri(self, uri: str, options: dict[str, Any]) -> None:
        """Raise ``BadSetting`` for a URI with an unknown parameter, and for a file that cannot be
        written."""
        assert self.crawler.spider is not None
        params = self._get_uri_params(self.crawler.spider, options["uri_params"])
        params = {**params, "site": "a"}
        try:
            location = uri % params if "%(" in uri else uri
        except (KeyError, ValueError, TypeError) as error:
            raise BadSetting("FEEDS", uri, f"a URI with known parameters ({error})") from error
        storage = self._get_storage(location, options)
        if isinstance(storage, FileFeedStorage):
            path = Path(storage.path).absolute()
            _check_file(uri, path)
            has_content = path.is_file() and path.stat().st_size > 0
            if path.is_fifo():
                # Scrapy would wait for a reader in the event loop.
                pipe = _open_pipe(uri, path)
                self._pipes.callback(os.close, pipe)
            elif storage.write_mode == "ab" and has_content:
                self._note_appending(uri, options["format"])
            elif has_content and options["format"] != "bulk":
                self._warn_of_overwriting(uri)

    def _note_appending(self, uri: str, format: str) -> None:
        """Log that an export has items of earlier crawls, which this one adds to, unless it is to
        go on with that crawl, or has only what is new."""
        replaces_items = format in (*_DOCUMENTS, "sqlite", "db")
        settings = self.crawler.settings
        is_meant = read_settings(settings).only_new or settings.get("JOBDIR")
        if not replaces_items and not is_meant:
            logger.info(
                "%s has items already, and this crawl's are added: what both have found is there"
                " twice; -O overwrites the file, and -a only_new=yes adds only what is new",
                uri,
            )

    def _warn_of_overwriting(self, uri: str) -> None:
        """Tell that a file will lose all items but the new ones, if only these are exported."""
        if read_settings(self.crawler.settings).only_new:
            logger.warning(
                "%s has items already, and is overwritten with those that are new in this crawl;"
                " -o adds them",
                uri,
            )

    def open_spider(self, spider: Spider) -> None:
        try:
            super().open_spider(spider)
        except Exception as error:
            self._end(", ".join(self.feeds), error)

    def item_scraped(self, item: Any, spider: Spider) -> None:
        all_slots: list[FeedSlot] = []
        for slot in self.slots:
            self.slots = [slot]
            try:
                super().item_scraped(item, spider)
            except Exception as error:
                self._note_failure(slot, item, error)
            all_slots += self.slots  # or the next batch in its place
        self.slots = all_slots

    def _note_failure(
        self,
        slot: FeedSlot,
        item: Any,
        error: Exception,
    ) -> None:
        """An item was not exported: it is its page's error, unless the export cannot be opened."""
        if not slot._exporting:
            self._end(slot.uri, error)
            return
        logger.error("An item cannot be exported to %s: %s", slot.uri, _describe(error))
        context_of(self.crawler).failure.refuse(item, error)

    def _end(self, uri: str, error: Exception) -> None:
        if not isinstance(error, ExportFailed):
            error = ExportFailed(f"{uri}: {_describe(error)}")
        context_of(self.crawler).failure.report(error, in_export=True)

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        if self._would_empty(slot):
            slot.store_empty = False
            logger.warning(
                "%s stays as it was, and is not overwritten: nothing could be fetched", slot.uri
            )
        content = _duplicate(slot)
        failures = self._count_failures()
        problem = ""
        try:
            await super()._close_slot(slot, spider)
            if self._count_failures() > failures:
                problem = "it cannot be stored, see above"
        except Exception as error:
            problem = _describe(error)
        try:
            if problem:
                place = _keep(content, slot) if content else ""
                self._end(slot.uri, ExportFailed(f"{slot.uri}: {problem}{place}"))
        finally:
            if content:
                content.close()

    def _would_empty(self, slot: FeedSlot) -> bool:
        """Whether an export would overwrite a file of an earlier crawl with nothing, because
        nothing could be fetched; it is opened at its first item."""
        assert self.crawler.stats is not None
        storage = slot.storage
        if not isinstance(storage, FileFeedStorage):
            return False
        if slot.itemcount or storage.write_mode != "wb":
            return False
        path = Path(storage.path)
        has_content = path.is_file() and path.stat().st_size > 0
        return has_content and found_nothing(self.crawler.stats.get_stats())

    def _count_failures(self) -> int:
        """How many exports could not be stored so far."""
        assert self.crawler.stats is not None
        failures = 0
        for name, number in self.crawler.stats.get_stats().items():
            if name.startswith("feedexport/failed_count/"):
                failures += number
        return failures


def _check_file(uri: str, path: Path) -> None:
    """Raise ``BadSetting`` if the file of an export cannot be written."""
    try:
        existing = _first_existing((path, *path.parents))
        is_in_file = existing != path and not existing.is_dir()
        if path.is_dir() or is_in_file:
            raise BadSetting("FEEDS", uri, f"a file, and {existing} is in its place")
    except OSError as error:  # a folder above it may not be searched
        raise BadSetting("FEEDS", uri, f"a file that may be written ({error})") from error
    if not os.access(existing, os.W_OK):
        raise BadSetting("FEEDS", uri, f"a file that may be written, and {existing} may not")
    if existing.is_dir():
        _check_folder(uri, existing)


def _check_folder(uri: str, folder: Path) -> None:
    """Raise ``BadSetting`` if nothing can be made in a folder, whose permissions do not tell that:
    one in ``/proc``, or on a full disk."""
    try:
        TemporaryDirectory(dir=folder, prefix=".forest-").cleanup()
    except OSError as error:
        allowed = f"a file that may be written, and none can be in {folder} ({error.strerror})"
        raise BadSetting("FEEDS", uri, allowed) from error


def _first_existing(paths: Iterable[Path]) -> Path:
    """Raises ``OSError`` for a path in a folder that may not be searched."""
    return next(path for path in paths if path.exists())


def _open_pipe(uri: str, path: Path) -> int:
    """A descriptor of a named pipe that is read from; waits a moment for the reader.  Raises
    ``BadSetting``."""
    end = monotonic() + _READER_SECONDS
    while True:
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO or monotonic() > end:
                allowed = f"a file, or a named pipe that a program reads from ({error.strerror})"
                raise BadSetting("FEEDS", uri, allowed) from error
        sleep(_RETRY_SECONDS)


def _read_feeds(settings: BaseSettings) -> dict[str, Any]:
    """The exports and their options, by URI."""
    feeds = {str(uri): options for uri, options in settings.getdict("FEEDS").items()}
    uri = settings.get("FEED_URI")
    if uri:
        options = {"format": settings.get("FEED_FORMAT")}
        feeds.setdefault(str(uri), options)
    return feeds


def _check_formats(feeds: dict[str, Any], settings: BaseSettings) -> None:
    """Raise ``BadSetting`` for an export in an unknown format, or to an unknown storage."""
    formats = _enabled_names(settings, "FEED_EXPORTERS")
    schemes = _enabled_names(settings, "FEED_STORAGES")
    for uri, options in feeds.items():
        ending = Path(urlsplit(uri).path).suffix.removeprefix(".")
        format = options.get("format") or ending
        if format not in formats:
            names = ", ".join(sorted(formats))
            raise BadSetting("FEEDS", uri, f"in a known format, not {format!r}; known are {names}")
        scheme = uri.partition("://")[0] if "://" in uri else ""
        if scheme not in schemes:
            names = ", ".join(sorted(filter(None, schemes)))
            raise BadSetting("FEEDS", uri, f"a path, or a URI of a known scheme: {names}")


def _enabled_names(settings: BaseSettings, setting: str) -> list[str]:
    components = settings.getwithbase(setting)
    return [name for name, component in components.items() if component]


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _duplicate(slot: FeedSlot) -> IO[bytes] | None:
    """The temporary file of an export to a server, opened once more; None for other exports."""
    file = _file_of(slot)
    if file is None or isinstance(slot.storage, FileFeedStorage):
        return None
    with suppress(AttributeError, OSError, ValueError):  # not a file of the system
        number = file.fileno()
        mode = os.fstat(number).st_mode
        if stat.S_ISREG(mode):
            duplicate = os.dup(number)
            return os.fdopen(duplicate, "rb")
    return None


def _file_of(slot: FeedSlot) -> IO[bytes] | None:
    """What is written at last, also of an export that is compressed."""
    if isinstance(slot.file, PostProcessingManager):
        return slot.file.file
    return slot.file


def _keep(file: IO[bytes], slot: FeedSlot) -> str:
    """Copy what could not be stored to a file; where that is."""
    with suppress(AttributeError, OSError, ValueError):  # closed, and so written
        _file_of(slot).flush()  # type: ignore[union-attr]
    file_name = Path(urlsplit(slot.uri).path).name or "export"
    name = f"{file_name}-{os.getpid()}-{slot.batch_id}"
    relative_path = Path("forest", "unstored", name)
    path = Path(data_path(str(relative_path)))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file.seek(0)
        with path.open("xb") as copy:
            copyfileobj(file, copy)
    except OSError as error:
        return f"; nor can it be kept: {error}"
    return f"; it is kept in {path}"

"""One file per site: ``-O 'articles/%(site)s.jsonl'``."""

import re
from pathlib import Path
from typing import IO, Any

from itemadapter import ItemAdapter
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedSlot, FileFeedStorage
from scrapy.utils.job import job_dir

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.page.urls import site_of
from forest_scrapy.crawl.context import context_of
from forest_scrapy.crawl.exports import is_flushed
from forest_scrapy.crawl.recovery import export_sizes
from forest_scrapy.exporters import SITE
from forest_scrapy.exporters.guarded import GuardedFeedExporter
from forest_scrapy.exporters.site_files import MAX_NAME, OpenFiles

#: The name of the file of items without a URL, or with one that has no host.
NO_SITE = "other"
#: Characters that names of files have as they are.
_UNSAFE = re.compile(r"[^\w.-]")


class SiteFeedExporter(GuardedFeedExporter):
    """An exporter in which a URI with ``%(site)s`` stands for a file for each site, which
    is opened when its first article comes.  Local files that were not written for long are closed,
    and opened again when more is written, so that there may be any number of sites.

    The site is the registered domain of the article's URL: ``example.co.uk``.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Raises ``BadSetting``."""
        super().__init__(crawler)
        self._files = OpenFiles()
        self._has_job = bool(job_dir(crawler.settings))
        #: The slots of exports that are no files of sites, and those of each site.
        self._common: list[FeedSlot] = []
        self._by_site: dict[str, list[FeedSlot]] = {}
        #: One slot for each URI with ``%(site)s``, which is never opened.
        self.templates: list[FeedSlot] = []
        #: The slots that have got items since the last call of ``take_written``.
        self._written: dict[int, FeedSlot] = {}

    def open_spider(self, spider: Spider) -> None:
        all_feeds = self.feeds
        by_site = [uri for uri in all_feeds if SITE in uri]
        self.feeds = {uri: all_feeds[uri] for uri in all_feeds if uri not in by_site}
        try:
            super().open_spider(spider)
        finally:
            self.feeds = all_feeds
        self._common = list(self.slots)
        for uri in by_site:
            self.templates.append(self._make_slot(uri, uri, spider))

    def item_scraped(self, item: Any, spider: Spider) -> None:
        name = site_file_name(item)
        if name not in self._by_site:
            self._add_site(name, spider)
        site_slots = self._by_site[name]
        # Only these are asked whether they accept the item: there may be thousands.
        self.slots = [*self._common, *site_slots]
        try:
            super().item_scraped(item, spider)
        finally:
            # A batch that is full is replaced by the next one, in its place.
            number = len(self._common)
            self._common = self.slots[:number]
            self._by_site[name] = self.slots[number:]
            for slot in self.slots:
                self._written[id(slot)] = slot

    async def close_spider(self, spider: Spider) -> None:
        self.slots = list(self._common)
        for site_slots in self._by_site.values():
            self.slots += site_slots
        await super().close_spider(spider)

    @property
    def holds_articles(self) -> bool:
        slots = (*self._common, *self.templates)
        return any(not is_flushed(slot) for slot in slots)

    def take_written(self) -> list[FeedSlot]:
        """The slots that have got items since the last call."""
        slots = list(self._written.values())
        self._written.clear()
        return slots

    def _add_site(self, name: str, spider: Spider) -> None:
        self._by_site[name] = []
        for template in self.templates:
            try:
                self._add_slot(template, name, spider)
            except Exception as error:
                self._end(template.uri, error)

    def _add_slot(
        self,
        template: FeedSlot,
        name: str,
        spider: Spider,
    ) -> None:
        options = self.feeds[template.uri]
        params = self._get_uri_params(spider, options["uri_params"])
        uri = template.uri % {**params, "site": name}
        slot = self._make_slot(uri, template.uri, spider)
        slot.filter = template.filter
        if type(slot.storage) is FileFeedStorage:
            slot.storage = _SiteStorage(slot.storage, self._files)
        self._by_site[name].append(slot)
        if self._has_job:
            # If the crawl is killed, it must be known what was in the file before.
            context = context_of(self.crawler)
            with context.failure.guard(OSError):
                context.spool.file.commit(export_sizes([slot]))

    def _make_slot(
        self,
        uri: str,
        template: str,
        spider: Spider,
    ) -> FeedSlot:
        return self._start_new_batch(
            batch_id=1,
            uri=uri,
            feed_options=self.feeds[template],
            spider=spider,
            uri_template=template,
        )

    def _get_uri_params(
        self,
        spider: Spider,
        uri_params_function: Any,
        slot: FeedSlot | None = None,
    ) -> dict[str, Any]:
        params = super()._get_uri_params(spider, uri_params_function, slot)
        if slot is None:
            return params
        return {**params, "site": self._site_of(slot)}

    def _site_of(self, slot: FeedSlot) -> str:
        """The site of a slot, whose next batch is begun."""
        for name, slots in self._by_site.items():
            if slot in slots:
                return name
        return NO_SITE


class _SiteStorage(FileFeedStorage):
    """Scrapy's storage of local files, whose files are closed when there are many."""

    def __init__(self, storage: FileFeedStorage, files: OpenFiles) -> None:
        self.path = storage.path
        self.write_mode = storage.write_mode
        self._files = files

    def open(self, spider: Spider) -> IO[bytes]:
        path = Path(self.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        return self._files.open(path, is_new=self.write_mode == "wb")


def site_file_name(item: Any) -> str:
    """The part of a file's name that stands for the site of an item; different for each site, and
    of at most ``MAX_NAME`` bytes.

    >>> site_file_name({"url": "https://www.example.co.uk/a"})
    'example.co.uk'
    >>> site_file_name({"url": "http://user:secret@127.0.0.1:8000/"}), site_file_name({})
    ('127.0.0.1_8000', 'other')
    >>> site_file_name({"url": "http://%(x)s.example/"})
    '__x_s.example-6b6fcff8'
    """
    site = _read_site(item)
    if not site.strip("."):
        return NO_SITE
    site = site.replace(":", "_")
    name = _UNSAFE.sub("_", site)
    encoded = name.encode("utf-8", "replace")
    if name == site and len(encoded) <= MAX_NAME:
        return name
    suffix = hex_digest(site, 4)
    max_start = MAX_NAME - len(suffix) - 1
    start = encoded[:max_start].decode("utf-8", "ignore")
    return f"{start}-{suffix}"


def _read_site(item: Any) -> str:
    """The site of an item; ``""`` if it has none."""
    url = ItemAdapter(item).get("url") if ItemAdapter.is_item(item) else ""
    if not isinstance(url, str):
        return ""
    try:
        return site_of(url)
    except ValueError:  # not a URL
        return ""

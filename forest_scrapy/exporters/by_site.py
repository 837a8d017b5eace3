"""One file per site: ``-O 'articles/%(site)s.jsonl'``."""

from typing import Any

from itemadapter import ItemAdapter
from scrapy import Spider
from scrapy.extensions.feedexport import ItemFilter
from scrapy.settings import BaseSettings

from forest_scrapy.core.page.urls import site_of
from forest_scrapy.exporters.guarded import GuardedFeedExporter

_SITE = "%(site)s"


class SiteFeedExporter(GuardedFeedExporter):
    """An exporter in which a URI with ``%(site)s`` stands for a file for each site, which
    is opened when its first article comes.  All files stay open until the crawl closes.

    The site is the registered domain of the article's URL: ``example.co.uk``.
    """

    def open_spider(self, spider: Spider) -> None:
        all_feeds = self.feeds
        self.feeds = {uri: feed for uri, feed in all_feeds.items() if _SITE not in uri}
        try:
            super().open_spider(spider)
        finally:
            self.feeds = all_feeds
        self._site_uris = [uri for uri in all_feeds if _SITE in uri]
        self._seen: set[tuple[str, str]] = set()

    def item_scraped(self, item: Any, spider: Spider) -> None:
        site = _site_of(item)
        for uri in self._site_uris if site else ():
            if (uri, site) not in self._seen:
                self._seen.add((uri, site))
                try:
                    self._open_site(uri, site, spider)
                except Exception as error:
                    self._end(uri, error)
        super().item_scraped(item, spider)

    def _open_site(self, template: str, site: str, spider: Spider) -> None:
        options = self.feeds[template]
        uri = template.replace(_SITE, site.replace(":", "_"))
        if "%(" in uri:
            uri %= self._get_uri_params(spider, options["uri_params"])
        slot = self._start_new_batch(
            batch_id=1, uri=uri, feed_options=options, spider=spider, uri_template=template
        )
        slot.filter = _SiteFilter(slot.filter, site)
        self.slots.append(slot)


def is_by_site(settings: BaseSettings) -> bool:
    """Whether an export has a file for each site."""
    return any(_SITE in str(uri) for uri in settings.getdict("FEEDS"))


class _SiteFilter(ItemFilter):
    """Accepts the items of one site that another filter accepts."""

    def __init__(self, inner: ItemFilter, site: str) -> None:
        super().__init__(inner.feed_options)
        self._inner, self._site = inner, site

    def accepts(self, item: Any) -> bool:
        return _site_of(item) == self._site and self._inner.accepts(item)


def _site_of(item: Any) -> str:
    """The site of an item; ``""`` if it has no URL."""
    url = ItemAdapter(item).get("url") if ItemAdapter.is_item(item) else ""
    return site_of(url) if isinstance(url, str) and url else ""

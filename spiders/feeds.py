"""``scrapy crawl feeds`` of this checkout."""

from forest_scrapy.spiders.feeds_spider import FeedsSpider


class Feeds(FeedsSpider):
    name = "feeds"

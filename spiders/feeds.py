"""``scrapy crawl feeds`` of this checkout."""

from forest_scrapy.spiders.feeds import FeedsSpider


class Feeds(FeedsSpider):
    name = "feeds"

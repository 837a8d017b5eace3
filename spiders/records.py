"""``scrapy crawl records`` of this checkout."""

from forest_scrapy.spiders.records_spider import RecordsSpider


class Records(RecordsSpider):
    name = "records"

"""``scrapy crawl site`` of this checkout."""

from forest_scrapy.spiders.site_spider import SiteSpider


class Site(SiteSpider):
    name = "site"

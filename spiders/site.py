"""``scrapy crawl site`` of this checkout."""

from forest_scrapy.spiders.site import SiteSpider


class Site(SiteSpider):
    name = "site"

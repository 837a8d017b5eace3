"""``scrapy crawl form`` of this checkout."""

from forest_scrapy.spiders.form_spider import FormSpider


class Form(FormSpider):
    name = "form"

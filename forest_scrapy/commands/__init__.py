"""Commands of Scrapy: ``scrapy forest``."""

"""The Scrapy command ``scrapy forest``."""

"""The spider middlewares, at the path that projects name in their settings."""

from forest_scrapy.crawl.middlewares import RequestWatch, TemplateMiddleware

__all__ = ["RequestWatch", "TemplateMiddleware"]

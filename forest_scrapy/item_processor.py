"""The item processor, at the path that projects name in their settings."""

from forest_scrapy.crawl.item_processor import ForestItemProcessor

__all__ = ["ForestItemProcessor"]

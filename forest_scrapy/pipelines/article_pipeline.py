"""The article pipeline, at the path that projects name in their settings."""

from forest_scrapy.crawl.article_pipeline import COUNTED_FIELDS, ArticlePipeline, NoArticle

__all__ = ["COUNTED_FIELDS", "ArticlePipeline", "NoArticle"]

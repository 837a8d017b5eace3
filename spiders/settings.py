"""The settings of this checkout's project."""

from forest_scrapy.exporters import NEW_FORMATS

BOT_NAME = "forest"
SPIDER_MODULES = ["spiders"]
NEWSPIDER_MODULE = "spiders"

FEED_EXPORTERS = NEW_FORMATS  # for -O full.rss: Scrapy checks formats before it loads add-ons
ADDONS = {"forest_scrapy.Addon": 500}
FOREST_SPIDERS = False  # this project has its own spiders, next to this file

ITEM_PIPELINES = {"pipelines.text_files.TextFiles": 300}
#: A folder to which every article is also written as a text file.
ARTICLES_FOLDER = None

ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS = 32
CONCURRENT_REQUESTS_PER_DOMAIN = 4
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_TARGET_CONCURRENCY = 4.0
AUTOTHROTTLE_START_DELAY = 0.2
DOWNLOAD_TIMEOUT = 30
LOG_LEVEL = "INFO"
FEED_EXPORT_ENCODING = "utf-8"

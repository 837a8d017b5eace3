"""A small newspaper site to try the plugin on, served on loopback without any internet.

>>> site = build_site("http://127.0.0.1:8000")
>>> len(site.articles), site.feed_url
(30, 'http://127.0.0.1:8000/feed.xml')
"""

from __future__ import annotations

from forest_scrapy.demo.server import DemoServer
from forest_scrapy.demo.site import DemoArticle, DemoSite, build_site

__all__ = ["DemoArticle", "DemoServer", "DemoSite", "build_site"]

"""A small newspaper site for trying the plugin, served on loopback: no internet is needed.

>>> site = build_site("http://127.0.0.1:8000")
>>> len(site.articles), site.feed_url
(30, 'http://127.0.0.1:8000/feed.xml')
"""

from __future__ import annotations

from demo.demo_site import DemoArticle, DemoSite, build_site
from demo.server import DemoServer

__all__ = ["DemoArticle", "DemoServer", "DemoSite", "build_site"]

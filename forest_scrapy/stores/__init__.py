"""What outlives a crawl: learned wrappers, the history of articles and feeds, and the pages that
have no outcome yet.

The only package that opens files.  The stores are SQLite files, opened by path or URI and used
from one thread.  Every method commits before it returns, so that a killed process loses nothing
that a method has returned for.
"""

from forest_scrapy.stores.history import HistoryStore
from forest_scrapy.stores.history_feeds import FeedRecord
from forest_scrapy.stores.history_pages import PageRecord
from forest_scrapy.stores.spool import Spool
from forest_scrapy.stores.spooled_page import SpooledPage
from forest_scrapy.stores.wrappers import StoredWrapper, WrapperStore, WrapperVersion

__all__ = [
    "FeedRecord",
    "HistoryStore",
    "PageRecord",
    "Spool",
    "SpooledPage",
    "StoredWrapper",
    "WrapperStore",
    "WrapperVersion",
]

"""What outlives a crawl: learned wrappers, and the pages that have no outcome yet.

The only package that opens files.  Both stores are SQLite files, opened by path or URI and used
from one thread.  A store commits before its methods return, or soon after, if the spool's user
says so; a killed process loses nothing that was committed.
"""

from forest_scrapy.stores.database import BadStore, StoreFailed
from forest_scrapy.stores.run_state import Export
from forest_scrapy.stores.spool import Spool
from forest_scrapy.stores.spooled_page import SpooledPage
from forest_scrapy.stores.wrappers import StoredWrapper, WrapperStore

__all__ = [
    "BadStore",
    "Export",
    "Spool",
    "SpooledPage",
    "StoreFailed",
    "StoredWrapper",
    "WrapperStore",
]

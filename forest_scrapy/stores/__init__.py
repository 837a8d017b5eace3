"""What outlives a crawl: learned wrappers, and the pages put aside until they are articles.

The only part that opens files.  Both stores are SQLite files, opened by URI, used from one
thread; every call commits before it returns, so that a killed process loses nothing that a
call has returned for.
"""

from forest_scrapy.stores.spool import Spool, SpooledPage
from forest_scrapy.stores.wrappers import StoredWrapper, WrapperStore

__all__ = ["Spool", "SpooledPage", "StoredWrapper", "WrapperStore"]

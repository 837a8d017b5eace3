"""What outlives a crawl: learned rules, the history of articles and feeds, and the pages that
have no outcome yet.

The stores are SQLite files, opened by path or URI and used from one thread; rules and history may
be in a PostgreSQL server instead.  A store commits before its methods return, or soon after, if the
spool's user says so; a killed process loses nothing that was committed.

Only this package, and the ontologies that ``alignment`` writes to disk, have databases that are
read again.  Exports, archives of pages, probes of forms and the inputs of batches are plain files,
which those packages open themselves.
"""

from typing import TYPE_CHECKING

from forest_scrapy.core.lazy import load_on_use

if TYPE_CHECKING:
    from forest_scrapy.stores.batch import BatchStore, NotedPage
    from forest_scrapy.stores.database import BadStore, StoreFailed
    from forest_scrapy.stores.history import HistoryStore
    from forest_scrapy.stores.history_rows import FeedRecord, PageRecord
    from forest_scrapy.stores.latest_articles import LatestArticle
    from forest_scrapy.stores.rules import RulesStore, RulesVersion
    from forest_scrapy.stores.spool import Spool, SpooledPage, UnclassifiedPage
    from forest_scrapy.stores.spool_file import Export
    from forest_scrapy.stores.versions import PageVersion

__all__ = [
    "BadStore",
    "BatchStore",
    "Export",
    "FeedRecord",
    "HistoryStore",
    "LatestArticle",
    "NotedPage",
    "PageRecord",
    "PageVersion",
    "RulesStore",
    "RulesVersion",
    "Spool",
    "SpooledPage",
    "StoreFailed",
    "UnclassifiedPage",
]

__getattr__ = load_on_use(
    __name__,
    {
        "batch": "BatchStore NotedPage",
        "database": "BadStore StoreFailed",
        "history": "HistoryStore",
        "history_rows": "FeedRecord PageRecord",
        "latest_articles": "LatestArticle",
        "rules": "RulesStore RulesVersion",
        "spool": "Spool SpooledPage UnclassifiedPage",
        "spool_file": "Export",
        "versions": "PageVersion",
    },
)

"""Clean articles from any feed or site, without a hand-written selector, inside Scrapy.

``ADDONS = {"forest_scrapy.Addon": 500}`` in a project's settings is the whole set-up.  It adds
the spiders ``feeds`` and ``site``, and any callback of the project's own spiders may yield
``ArticlePage.from_response(response)``: the page is exported as an ``Article``.

Without a crawl, ``extract_pages`` extracts the articles of pages that you have.

The core (``forest_scrapy.core``) learns and applies wrappers without Scrapy.
"""

from typing import TYPE_CHECKING

from forest_scrapy.core.lazy import load_on_use

if TYPE_CHECKING:
    from forest_scrapy.addon import Addon
    from forest_scrapy.batch.library import extract_pages
    from forest_scrapy.batch.raw_page import RawPage
    from forest_scrapy.integrations.shell import article
    from forest_scrapy.items import Article, ArticlePage, Listing, Product, Thread, WebPage
    from forest_scrapy.settings import ForestSettings

__version__ = "0.1.0"
__all__ = [
    "Addon",
    "Article",
    "ArticlePage",
    "ForestSettings",
    "Listing",
    "Product",
    "RawPage",
    "Thread",
    "WebPage",
    "__version__",
    "article",
    "extract_pages",
]

__getattr__ = load_on_use(
    __name__,
    {
        "addon": "Addon",
        "batch.library": "extract_pages",
        "batch.raw_page": "RawPage",
        "integrations.shell": "article",
        "items": "Article ArticlePage Listing Product Thread WebPage",
        "settings": "ForestSettings",
    },
)

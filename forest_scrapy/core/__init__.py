"""Learning the rules of templates from their pages, without Scrapy, files, clock or network.

Pages of a site that share a template have their article in the same elements.  Learning finds
these elements once, from a few pages, and writes them as XPaths, which are then applied to every
other page of the template.

    learn_rules(pages, options)       -> TemplateRules, all that is learned, one JSON document
    extract_item(page, rules, options) -> Article, Thread, Product, Listing, WebPage, or Refusal

The parts of the rules can be learned by themselves:

    learn(pages, params) -> Wrapper, for articles
    wrapper.apply(page)  -> Extract
    wrapper.article(page) -> Article, with title, dates, authors and the other fields

    learn_records(pages) -> RecordWrapper, for threads, comments and lists; see ``records``
    wrapper.apply(page)  -> list of Record

The methods and their papers: docs/methods.md; the departures from these: ``core.methods``.
"""

from typing import TYPE_CHECKING

from forest_scrapy.core.lazy import load_on_use

if TYPE_CHECKING:
    from forest_scrapy.core.errors import (
        BadCharacteristic,
        BadRules,
        ForestError,
        NotEnoughPages,
        UnknownChoice,
        UnknownMeasure,
        UnknownMethod,
    )
    from forest_scrapy.core.extraction import Extraction, Visit, extract_item, extract_page
    from forest_scrapy.core.items import Article, Item, Listing, Product, Refusal, Thread, WebPage
    from forest_scrapy.core.learning import learn_rules
    from forest_scrapy.core.methods import METHODS, PAGE_METHODS, TRAINED_METHODS
    from forest_scrapy.core.methods.article import extract, learn, sample_pages
    from forest_scrapy.core.options import Options, Params
    from forest_scrapy.core.page.page import Entry, Extract, Page
    from forest_scrapy.core.records import Record, RecordWrapper, learn_records
    from forest_scrapy.core.rules import Template, TemplateRules
    from forest_scrapy.core.templates.clusters import Cluster, HostClusters
    from forest_scrapy.core.templates.fingerprints import Fingerprint
    from forest_scrapy.core.wrapper import Evidence, Wrapper

__all__ = [
    "METHODS",
    "PAGE_METHODS",
    "TRAINED_METHODS",
    "Article",
    "BadCharacteristic",
    "BadRules",
    "Cluster",
    "Entry",
    "Evidence",
    "Extract",
    "Extraction",
    "Fingerprint",
    "ForestError",
    "HostClusters",
    "Item",
    "Listing",
    "NotEnoughPages",
    "Options",
    "Page",
    "Params",
    "Product",
    "Record",
    "RecordWrapper",
    "Refusal",
    "Template",
    "TemplateRules",
    "Thread",
    "UnknownChoice",
    "UnknownMeasure",
    "UnknownMethod",
    "Visit",
    "WebPage",
    "Wrapper",
    "extract",
    "extract_item",
    "extract_page",
    "learn",
    "learn_records",
    "learn_rules",
    "sample_pages",
]

__getattr__ = load_on_use(
    __name__,
    {
        "errors": (
            "BadCharacteristic BadRules ForestError NotEnoughPages UnknownChoice UnknownMeasure"
            " UnknownMethod"
        ),
        "extraction": "Extraction Visit extract_item extract_page",
        "items": "Article Item Listing Product Refusal Thread WebPage",
        "learning": "learn_rules",
        "methods": "METHODS PAGE_METHODS TRAINED_METHODS",
        "methods.article": "extract learn sample_pages",
        "options": "Options Params",
        "page.page": "Entry Extract Page",
        "records": "Record RecordWrapper learn_records",
        "rules": "Template TemplateRules",
        "templates.clusters": "Cluster HostClusters",
        "templates.fingerprints": "Fingerprint",
        "wrapper": "Evidence Wrapper",
    },
)

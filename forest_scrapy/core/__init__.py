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
    from forest_scrapy.core.boilerplate.challenges import is_blocked, note_unblocked
    from forest_scrapy.core.changes import (
        TextSummary,
        compare_texts,
        have_other_prose,
        share_changed,
        summarize_text,
    )
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
    from forest_scrapy.core.hosts import HostTemplates, choose_fingerprints
    from forest_scrapy.core.items import Article, Item, Listing, Product, Refusal, Thread, WebPage
    from forest_scrapy.core.learning import (
        MAX_PAGES_WITH_FEW_POSTS,
        adopt_posts,
        learn_article_comments,
        learn_rules,
        may_have_few_posts,
    )
    from forest_scrapy.core.methods import METHODS, PAGE_METHODS, TRAINED_METHODS
    from forest_scrapy.core.methods.article import extract, learn, sample_key, sample_pages
    from forest_scrapy.core.options import Options, Params
    from forest_scrapy.core.other_kinds import describe_other_kinds, find_other_kind
    from forest_scrapy.core.page.content import Content
    from forest_scrapy.core.page.entry import Entry
    from forest_scrapy.core.page.page import Extract, Page
    from forest_scrapy.core.records import Record, RecordWrapper, learn_records
    from forest_scrapy.core.records.next_page import has_previous_page, is_same_thread
    from forest_scrapy.core.repeated import MAX_TEMPLATES, ArticleLines, may_repeat, read_lines
    from forest_scrapy.core.rules import Template, TemplateRules, kinds_apart
    from forest_scrapy.core.templates.clusters import Cluster, HostClusters
    from forest_scrapy.core.templates.fingerprints import MANY_FEATURES, Fingerprint, typed_paths
    from forest_scrapy.core.templates.grouping import (
        ENOUGH_PAGES,
        ClassifiedPages,
        UnknownPage,
        read_fingerprint,
    )
    from forest_scrapy.core.templates.kinds import MIN_CHANCE
    from forest_scrapy.core.templates.redesigns import TemplateFit, agree
    from forest_scrapy.core.templates.signals import Signals, is_service_url, read_signals
    from forest_scrapy.core.wrapper import NO_WRAPPER, Evidence, Wrapper

__all__ = [
    "ENOUGH_PAGES",
    "MANY_FEATURES",
    "MAX_PAGES_WITH_FEW_POSTS",
    "MAX_TEMPLATES",
    "METHODS",
    "MIN_CHANCE",
    "NO_WRAPPER",
    "PAGE_METHODS",
    "TRAINED_METHODS",
    "Article",
    "ArticleLines",
    "BadCharacteristic",
    "BadRules",
    "ClassifiedPages",
    "Cluster",
    "Content",
    "Entry",
    "Evidence",
    "Extract",
    "Extraction",
    "Fingerprint",
    "ForestError",
    "HostClusters",
    "HostTemplates",
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
    "Signals",
    "Template",
    "TemplateFit",
    "TemplateRules",
    "TextSummary",
    "Thread",
    "UnknownChoice",
    "UnknownMeasure",
    "UnknownMethod",
    "UnknownPage",
    "Visit",
    "WebPage",
    "Wrapper",
    "adopt_posts",
    "agree",
    "choose_fingerprints",
    "compare_texts",
    "describe_other_kinds",
    "extract",
    "extract_item",
    "extract_page",
    "find_other_kind",
    "has_previous_page",
    "have_other_prose",
    "is_blocked",
    "is_same_thread",
    "is_service_url",
    "kinds_apart",
    "learn",
    "learn_article_comments",
    "learn_records",
    "learn_rules",
    "may_have_few_posts",
    "may_repeat",
    "note_unblocked",
    "read_fingerprint",
    "read_lines",
    "read_signals",
    "sample_key",
    "sample_pages",
    "share_changed",
    "summarize_text",
    "typed_paths",
]

__getattr__ = load_on_use(
    __name__,
    {
        "boilerplate.challenges": "is_blocked note_unblocked",
        "changes": "TextSummary compare_texts have_other_prose share_changed summarize_text",
        "errors": (
            "BadCharacteristic BadRules ForestError NotEnoughPages"
            " UnknownChoice UnknownMeasure UnknownMethod"
        ),
        "extraction": "Extraction Visit extract_item extract_page",
        "hosts": "HostTemplates choose_fingerprints",
        "items": "Article Item Listing Product Refusal Thread WebPage",
        "learning": (
            "MAX_PAGES_WITH_FEW_POSTS adopt_posts learn_article_comments"
            " learn_rules may_have_few_posts"
        ),
        "methods": "METHODS PAGE_METHODS TRAINED_METHODS",
        "methods.article": "extract learn sample_key sample_pages",
        "options": "Options Params",
        "other_kinds": "describe_other_kinds find_other_kind",
        "page.content": "Content",
        "page.entry": "Entry",
        "page.page": "Extract Page",
        "records": "Record RecordWrapper learn_records",
        "records.next_page": "has_previous_page is_same_thread",
        "repeated": "MAX_TEMPLATES ArticleLines may_repeat read_lines",
        "rules": "Template TemplateRules kinds_apart",
        "templates.clusters": "Cluster HostClusters",
        "templates.fingerprints": "MANY_FEATURES Fingerprint typed_paths",
        "templates.grouping": "ENOUGH_PAGES ClassifiedPages UnknownPage read_fingerprint",
        "templates.kinds": "MIN_CHANCE",
        "templates.redesigns": "TemplateFit agree",
        "templates.signals": "Signals is_service_url read_signals",
        "wrapper": "NO_WRAPPER Evidence Wrapper",
    },
)

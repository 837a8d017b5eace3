"""Learning the rules of templates from their pages, without Scrapy, files, clock or network.

Pages of a site that share a template have their article in the same elements.  Learning finds
these elements once, from a few pages, and writes them as XPaths, which are then applied to every
other page of the template.

    learn_rules(pages, options)       -> TemplateRules, all that is learned, one JSON document
    extract_item(page, rules, options) -> Article, Thread, Product, Listing, or Refusal

The parts of the rules can be learned by themselves:

    learn(pages, params) -> Wrapper, for articles
    wrapper.apply(page)  -> Extract
    wrapper.article(page) -> Article, with title, dates, authors and the other fields

    learn_records(pages) -> RecordWrapper, for threads, comments and lists; see ``records``
    wrapper.apply(page)  -> list of Record

The steps, and the papers they come from:

- ``HostClusters`` groups the pages of a host by template (Gottron 2008, sections 4 and 5).
- Signifiers, the terms that describe what a page is about, come from the feed entry or by tf-idf
  (FOREST: Oita & Senellart 2012, section 3.1).
- ``forest-records`` takes them from the query that a page of search results answers (Oita's
  thesis, chapter 3).
- FOREST and COVERAGE rank structural patterns by them, over all pages of a template (sections
  3.2 to 3.5); SIGFEED (Oita & Senellart 2010) ranks the blocks of a single page.
- ENTROPY removes text that the pages of a template share (Gottron 2008, section 6).
- MSS finds the maximum scoring subsequence of a page's text segments (Luo et al. 2009); VSSE
  finds the leaves of a page that are rich in text and punctuation (Zhang et al. 2018).
- The default methods, ``trained`` and ``single``, score text segments by a trained classifier
  (Luo et al. 2009, section 4.1).  ``trained`` averages the scores over the pages of the template.
- ``fields`` learns, in the same way, where the template has title, authors, dates and tags.

Departures from the papers:

- Clusters are cut where the pages of the feed stay together, not at a fixed distance.  The
  default distance includes classes and ids, and gives more weight to paths that differ between
  pages.  The published distances and thresholds can be set.
- An element's type consists of ``class``, ``id``, ``itemprop`` and ``role`` only: other attributes
  hold data.
- A pattern with several elements on a page counts once there, with the best of them, and the
  wrapper keeps the one with the most text.  The paper's list of dfs values would tie the wrapper
  to the pages it was learned from.
- For pages that lack the winning pattern, the wrapper has the best pattern that they have.
- Without a feed entry, SIGFEED uses the title and description that the page declares.
- ENTROPY finds template text leaf by leaf, as published.  Its wrapper has to work on unseen pages,
  so it drops anchored paths, not texts: those with mostly template text over all pages, and no
  other path below.  It is trained on the template's pages of the crawl, not on the pages that one
  page links to.
- MSS as published needs rendered pages (``FOREST_RENDER``): fonts and colours, and the horizontal
  alignment of section 4.2.  A segment is aligned if its box covers half of the width that most of
  the body has, or, being scored as body text, has its centre; the paper gives no figure.  Besides
  ``display: block``, the other values that break a line count.  Other pages are scored by links
  alone.
- MSS and VSSE write the numbers of elements: their wrapper is for a single page.
- VSSE compares only the leaves without punctuation with title and description: a paragraph is
  seldom within 3 of 64 bits of them, and comparing all leaves, as section 4.4 can be read, leaves a
  third of the text.
- ``forest-records`` reads the query from the URL or the search field, instead of submitting forms.
  The thesis leaves open how the records are found inside the pattern: see
  ``records.regions.responses``.  Its output schema is described in ``records.attributes.learning``.
- VSSE extracts text, and ``vsse-records`` the area of the records of section 4.3.2.  Of the latter
  the paper leaves open the container (a list of marks and English names of attributes here), the
  initial weight (1), and the end of the path (the heaviest node of the next level weighs no more).
- Terms of VSSE are stemmed words instead of the output of a Chinese segmenter; L of equation 4,
  which the paper does not give, is 0.01; punctuation is any character that is neither in a word
  nor a space.
"""

from forest_scrapy.core.errors import (
    BadRules,
    ForestError,
    NotEnoughPages,
    UnknownMeasure,
    UnknownMethod,
)
from forest_scrapy.core.items import Article, Item, Listing, Product, Refusal, Thread
from forest_scrapy.core.learning import (
    Extraction,
    Visit,
    extract_item,
    extract_page,
    learn_rules,
)
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
    "UnknownMeasure",
    "UnknownMethod",
    "Visit",
    "Wrapper",
    "extract",
    "extract_item",
    "extract_page",
    "learn",
    "learn_records",
    "learn_rules",
    "sample_pages",
]

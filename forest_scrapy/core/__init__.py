"""Learning article wrappers from the pages of one template, without Scrapy, files or clock.

The approach: pages of one site share a template.  ``HostClusters`` finds the pages that do
(Gottron 2008), ``learn`` finds the block that holds the article on all of them, by the terms
that say what each page is about (FOREST, Oita & Senellart 2012; for one page SIGFEED, 2010),
and writes it down as XPaths: a ``Wrapper``.  ``Wrapper.apply`` needs no other page.  By
default the block is found, and what in it is no article left out, by a trained classifier of
text segments (Luo et al. 2009), its verdicts averaged over the template's pages; the methods
of the papers have their own names in ``METHODS``.

    learn(pages, params) -> Wrapper
    wrapper.apply(page)  -> Extract

Departures from the papers:

- Clusters are cut where the feed's items hold together, not at a fixed distance, and the
  default distance sees classes and ids and weighs paths by how well they tell pages apart.
  The published distances and thresholds can be chosen.
- An element's type has its ``class``, ``id``, ``itemprop`` and ``role`` only: other attributes
  hold data.
- A pattern that stands on several elements of a page counts once there, with the best of them,
  and the wrapper takes the one with most text; the paper's list of dfs values would tie the
  wrapper to the pages it was learned from.
- For pages without the winning pattern, the wrapper keeps the best one that they have.
- SIGFEED uses the title and description that a page declares where there is no feed entry.
- ``entropy`` (Gottron 2008, section 6) finds template text leaf by leaf as published.  Since a
  wrapper meets pages that it has not seen, it drops places, not texts: those where, over all
  pages, most of the text is template text, and that hold no other place.  The training pages
  are the crawl's template, not the pages that one page links.
- ``mss`` (Luo et al. 2009, section 4.1) judges segments by their links alone: font sizes and
  colours, and the horizontal alignment of section 4.2, need a rendered page.  ``mss`` and
  ``vsse`` write elements' numbers: their wrapper is for the one page.
- ``vsse`` (Zhang et al. 2018) extracts text only, without the records of section 4.3.2.  Terms
  are stemmed words instead of a Chinese segmenter's; L of equation 4, which the paper does not
  give, is 0.01; punctuation is whatever is neither word nor space.
"""

from forest_scrapy.core.clustering.hosts import Cluster, Fingerprint, HostClusters
from forest_scrapy.core.document.page import Entry, Extract, Page
from forest_scrapy.core.errors import (
    BadWrapper,
    ForestError,
    NotEnoughPages,
    UnknownMeasure,
    UnknownMethod,
)
from forest_scrapy.core.evidence import Evidence
from forest_scrapy.core.learning import extract, learn, sample_pages
from forest_scrapy.core.methods import METHODS, PAGE_METHODS
from forest_scrapy.core.params import Params
from forest_scrapy.core.wrapper import Wrapper

__all__ = [
    "METHODS",
    "PAGE_METHODS",
    "BadWrapper",
    "Cluster",
    "Entry",
    "Evidence",
    "Extract",
    "Fingerprint",
    "ForestError",
    "HostClusters",
    "NotEnoughPages",
    "Page",
    "Params",
    "UnknownMeasure",
    "UnknownMethod",
    "Wrapper",
    "extract",
    "learn",
    "sample_pages",
]

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
"""

from forest_scrapy.core.clustering import Cluster, Fingerprint, HostClusters
from forest_scrapy.core.errors import BadWrapper, ForestError, NotEnoughPages, UnknownMethod
from forest_scrapy.core.evidence import Evidence
from forest_scrapy.core.learning import METHODS, PAGE_METHODS, extract, learn, sample_pages
from forest_scrapy.core.page import Entry, Extract, Page
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
    "UnknownMethod",
    "Wrapper",
    "extract",
    "learn",
    "sample_pages",
]

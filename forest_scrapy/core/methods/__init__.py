"""The extraction methods, one module each; ``METHODS`` has them by name.

- ``forest``, ``forest-feeds``, ``coverage``: the most relevant structural pattern of a template
  (Oita & Senellart 2012)
- ``forest-records``: the same for pages of search results, by the terms of the query (Oita 2012)
- ``sigfeed``: the block of a page that is densest in the words of its feed entry (2010)
- ``description``: the feed entry itself, a baseline of the FOREST paper
- ``entropy``: text that many pages of a template share is boilerplate (Gottron 2008)
- ``mss``: the maximum scoring subsequence of a page's text segments (Luo et al. 2009)
- ``vsse``: the leaves of a page rich in text and punctuation, and their like (Zhang et al. 2018)
- ``vsse-records``: the area of a page with delimiters and names of attributes (the same paper)
- ``trained``, ``single``: text segments scored by a trained classifier, the scores averaged
  over the template's pages, or from a single page

Departures from the papers:

- CP, CPS and CTSS have the shingles and the scope that ``core.templates.fingerprints`` tells; the
  paper gives no length of shingles.
- Clusters are cut where the pages of the feed stay together, not at a fixed distance.  The default
  distance includes classes and ids, and gives more weight to paths that differ between pages.
- An element's type consists of ``class``, ``id``, ``itemprop`` and ``role`` only.
- FOREST: p of equation 5 counts pages with signifiers by tf-idf, paths with those of others, unless
  ``Params.occurrences`` says otherwise.
- FOREST: a pattern with several elements on a page counts once there, with the best of them, and
  the wrapper keeps the one with the most text; the list of dfs values of the paper would tie it to
  the pages it was learned from.  Pages that lack the winning pattern have the best of theirs.
- ``forest-records`` does not submit forms: the query is what the caller gives, or what the URL or a
  filled-in search field tells.  How records are found in the pattern: ``core.records.regions``.
- SIGFEED takes 3-grams of the title and of the description, none that spans both.
- SIGFEED uses the title and description that the page declares if there is no feed entry.
- ENTROPY drops anchored paths with mostly template text, not texts, so that it works on unseen
  pages, and is trained on the template's pages of the crawl.
- MSS scores pages that are not rendered by links alone.  A segment is aligned if its box covers
  half of the width of the body, or has its centre; the paper gives no figure.
- VSSE compares only the leaves without punctuation with title and description.  Terms are stemmed
  words; L of equation 4 is 0.01.  Of section 4.3.2 what the container has at first, the initial
  weight (1) and the end of the path are our choice; with the product of weights along the path F1
  on harvest-forum is 0.155, without 0.705.
- MSS and VSSE write the numbers of elements: their wrapper is for a single page.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from forest_scrapy.core.options import Params

if TYPE_CHECKING:
    from forest_scrapy.core.page.page import Page
    from forest_scrapy.core.segments.classifier import Classifier
    from forest_scrapy.core.wrapper import Wrapper

__all__ = ["METHODS", "PAGE_METHODS", "TRAINED_METHODS", "Method"]

#: From the pages of a template to its wrapper.  The classifier (None: the one that ships) is
#: for ``TRAINED_METHODS``; the others ignore it.
Method = Callable[[Sequence["Page"], Params, "Classifier | None"], "Wrapper"]


class _MethodTable(Mapping[str, Method]):
    """The methods by name.  The module of a method is loaded when it is used: a crawl uses two or
    three."""

    def __init__(self, places: Mapping[str, tuple[str, str]]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> Method:
        module, function = self._places[name]
        method: Method = getattr(import_module(f"{__name__}.{module}"), function)
        return method

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


#: Every method by its name: its module and its function.
METHODS: Mapping[str, Method] = _MethodTable(
    {
        "forest": ("forest", "learn_forest"),
        "forest-feeds": ("forest", "learn_forest_feeds"),
        "forest-records": ("forest", "learn_forest_records"),
        "coverage": ("forest", "learn_coverage"),
        "sigfeed": ("sigfeed", "learn_sigfeed"),
        "description": ("sigfeed", "learn_description"),
        "entropy": ("entropy", "learn_entropy"),
        "mss": ("mss", "learn_mss"),
        "vsse": ("vsse", "learn_vsse"),
        "vsse-records": ("vsse", "learn_vsse_records"),
        "trained": ("trained", "learn_trained"),
        "single": ("trained", "learn_single"),
    }
)

#: Methods that look at single pages: their wrapper is for one page.
PAGE_METHODS = frozenset(("sigfeed", "description", "mss", "vsse", "vsse-records", "single"))
#: Methods with the trained classifier; ``auto`` stands for ``trained`` or ``single``.
TRAINED_METHODS = frozenset(("auto", "trained", "single"))

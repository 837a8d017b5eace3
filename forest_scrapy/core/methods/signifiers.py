"""Signifiers: the terms that say what a page is about (FOREST section 3.1)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from forest_scrapy.core.document.page import Entry, Page
from forest_scrapy.core.document.terms import find_terms, ngrams, split_words

__all__ = [
    "entry_keywords",
    "entry_ngrams",
    "page_signifiers",
    "recurrent_expressions",
    "tfidf_signifiers",
]

#: A 3-gram in more than this share of a feed's entries says nothing of one of them.
RECURRENT_SHARE = 1 / 3
#: Fewer entries than this tell nothing of what recurs.
LEAST_ENTRIES = 3


def tfidf_signifiers(terms: Sequence[Sequence[str]], k: int) -> list[dict[str, float]]:
    """The k terms of each page with the largest tf-idf weight over the pages given, with it.

    ``terms`` holds the terms of two or more pages.  Weight: frequency * ln(pages / pages with
    the term); terms of weight 0 (on all pages) are left out.  Ties go to the alphabet.

    >>> tfidf_signifiers([["sea", "boat"], ["sea", "owl", "owl"]], k=1)
    [{'boat': 0.6931471805599453}, {'owl': 1.3862943611198906}]
    """
    found_on = Counter(term for page in terms for term in set(page))
    ranked = []
    for page in terms:
        weights = {
            term: n * math.log(len(terms) / found_on[term])
            for term, n in Counter(page).items()
            if found_on[term] < len(terms)
        }
        ranked.append(_heaviest(weights, k))
    return ranked


def entry_keywords(
    entry: Entry, language: str, k: int, recurrent: frozenset[str] = frozenset()
) -> dict[str, float]:
    """The k most frequent terms of the entry's title and description, with their frequency.

    >>> entry_keywords(Entry("Owls", "An owl by the sea, the sea"), "en", k=2)
    {'owl': 2, 'sea': 2}
    """
    counts = Counter(find_terms(entry.text, language))
    return _heaviest({term: n for term, n in counts.items() if term not in recurrent}, k)


def entry_ngrams(
    entry: Entry, n: int = 3, recurrent: frozenset[tuple[str, ...]] = frozenset()
) -> frozenset[tuple[str, ...]]:
    """Runs of n words of the entry's title, and of its description (SIGFEED, Algorithm 1)."""
    parts = (entry.title, entry.description)
    found = {gram for part in parts for gram in ngrams(list(split_words(part)), n)}
    return frozenset(found - recurrent)


def recurrent_expressions(entries: Iterable[Entry], n: int = 3) -> frozenset[tuple[str, ...]]:
    """Runs of n words in more than a third of a feed's entries: "read more on ..." (thesis 5.1).

    Cost: linear in the words of the entries.
    """
    grams = [entry_ngrams(entry, n) for entry in entries]
    found_on = Counter(gram for page in grams for gram in page)
    if len(grams) < LEAST_ENTRIES:
        return frozenset()
    return frozenset(gram for gram, df in found_on.items() if df > len(grams) * RECURRENT_SHARE)


def page_signifiers(
    pages: Sequence[Page],
    terms: Sequence[Sequence[str]],
    k: int,
    use_entries: bool,
) -> list[dict[str, float]]:
    """Signifiers of each page with their weight: of its feed entry where ``use_entries`` and it
    has one that says something, by tf-idf over the pages else.
    """
    found = tfidf_signifiers(terms, k)
    if use_entries:
        recurrent = _recurrent_terms(pages)
        for i, page in enumerate(pages):
            if page.entry and (own := entry_keywords(page.entry, page.language, k, recurrent)):
                found[i] = own
    return found


def _recurrent_terms(pages: Sequence[Page]) -> frozenset[str]:
    texts = [set(find_terms(page.entry.text, page.language)) for page in pages if page.entry]
    found_on = Counter(term for text in texts for term in text)
    if len(texts) < LEAST_ENTRIES:
        return frozenset()
    return frozenset(term for term, df in found_on.items() if df > len(texts) * RECURRENT_SHARE)


def _heaviest(weights: Mapping[str, float], k: int) -> dict[str, float]:
    ranked = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:k])

"""Signifiers: the terms that describe what a page is about (FOREST section 3.1).

The thesis submits the forms itself, and so knows the query.  Crawled pages tell it by their URL or
by the search field that they show again.
"""

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from forest_scrapy.core.page.language import find_terms, ngrams, split_words
from forest_scrapy.core.page.page import Entry, Page
from forest_scrapy.core.page.tree import find_texts

#: Names of form fields that hold a query.
_NAME = re.compile(
    r"q|s|k|kw|wd|term|find|(?=\w*(?:query|search|keyword|phrase))\w++(?:\[\])?", re.IGNORECASE
)
#: Folders of a URL whose next folder is what the page is about.
_FOLDERS = frozenset(("search", "tag", "tags", "label", "labels", "keyword", "keywords"))
#: Characters of the longest query; a longer value is no query.  Not tuned.
_MAX_LENGTH = 200
_SUFFIX = re.compile(r"\.\w{2,5}$")
_BETWEEN_WORDS = re.compile("[-_+]+")
#: The values of search fields.
_FIELDS = "//input[@value][not(@type) or @type='search' or @type='text']"
_SEARCH_FIELDS = " | ".join(
    (
        "//input[@type='search' or @role='searchbox']/@value",
        f"//form[@role='search']{_FIELDS}/@value",
        f"{_FIELDS}[@name='q' or @name='s' or contains(@name, 'search') or contains(@name, 'query')"
        " or contains(@name, 'keyword')]/@value",
    )
)


def find_queries(pages: Sequence[Page]) -> list[str]:
    """The query of each page, ``""`` if it is unknown.

    In this order: ``Page.query``; values of the URL's query string; the folder after ``/search/``
    or ``/tag/``; the text of a filled-in search field.  A text that is in the fields of all of
    several pages is a label.
    """
    field_texts = [_query_of_field(page) for page in pages]
    is_same_text = len(set(field_texts)) == 1
    is_label = len(pages) > 1 and is_same_text

    queries = []
    for page, field_text in zip(pages, field_texts, strict=True):
        query = page.query or _query_of_url(page.url)
        if not query and not is_label:
            query = field_text
        queries.append(query)
    return queries


def _query_of_url(url: str) -> str:
    """The query in a URL.

    >>> _query_of_url("http://a.example/?page=2&q=great+expectations")
    'great expectations'
    >>> _query_of_url("http://a.example/tag/barn-owls.html"), _query_of_url("http://a.example/q")
    ('barn owls', '')
    """
    try:
        parts = urlsplit(url)
        arguments = parse_qsl(parts.query, max_num_fields=_MAX_LENGTH)
    except ValueError:
        return ""

    queries = []
    for name, value in arguments:
        if _NAME.fullmatch(name) and _is_query(value):
            queries.append(value)
    return " ".join(queries) or _query_of_path(parts.path)


def _query_of_path(path: str) -> str:
    """The query in the path of a URL: the folder after the last ``/search/``, ``/tag/`` ..."""
    folders = path.split("/")
    pairs = list(pairwise(folders))
    for folder, next_folder in reversed(pairs):
        is_search = folder.lower() in _FOLDERS
        if not is_search or next_folder.lower() in _FOLDERS:
            continue
        text = _SUFFIX.sub("", unquote(next_folder))
        text = _BETWEEN_WORDS.sub(" ", text).strip()
        if _is_query(text):
            return text
    return ""


def _query_of_field(page: Page) -> str:
    """The text of the first search field that has one."""
    for value in find_texts(_SEARCH_FIELDS, page.root):
        if _is_query(value):
            return " ".join(value.split())
    return ""


def _is_query(text: str) -> bool:
    is_short = len(text) <= _MAX_LENGTH
    return is_short and any(map(str.isalpha, text))


#: A 3-gram or term in a larger share of a feed's entries does not describe one of them.  Not
#: tuned.
RECURRENT_SHARE = 1 / 3
#: With fewer entries, nothing counts as recurrent.  Not tuned.
MIN_ENTRIES = 3

#: Words that follow each other.
NGram = tuple[str, ...]
#: A term, or an n-gram of words.
_Expression = TypeVar("_Expression", bound=Hashable)


def tfidf_signifiers(
    terms: Sequence[Sequence[str]],
    k: int,
) -> list[dict[str, float]]:
    """For each page the k terms with the largest tf-idf weight over the given pages.

    ``terms``: the terms of each of two or more pages.  The weight tf * idf is frequency *
    ln(pages / pages with the term); terms on all pages (weight 0) are left out.  Ties: alphabetical
    order.

    >>> tfidf_signifiers([["sea", "boat"], ["sea", "owl", "owl"]], k=1)
    [{'boat': 0.6931471805599453}, {'owl': 1.3862943611198906}]
    """
    pages = len(terms)
    page_counts = _count_texts(terms)
    signifiers = []
    for page_terms in terms:
        weights = {}
        for term, frequency in Counter(page_terms).items():
            if page_counts[term] < pages:
                rareness = math.log(pages / page_counts[term])
                weights[term] = frequency * rareness
        signifiers.append(_heaviest(weights, k))
    return signifiers


def entry_keywords(
    entry: Entry,
    language: str,
    k: int,
    recurrent: frozenset[str] = frozenset(),
) -> dict[str, float]:
    """The k most frequent terms of the entry's title and description, with their frequency.

    >>> entry_keywords(Entry("Owls", "An owl by the sea, the sea"), "en", k=2)
    {'owl': 2, 'sea': 2}
    """
    counts = Counter(find_terms(entry.text, language))
    for term in recurrent:
        counts.pop(term, None)
    return _heaviest(counts, k)


def entry_ngrams(
    entry: Entry,
    n: int = 3,
    recurrent: frozenset[NGram] = frozenset(),
) -> frozenset[NGram]:
    """The n-grams of words of the entry's title, and of its description (SIGFEED, Algorithm 1)."""
    grams: set[NGram] = set()
    for text in (entry.title, entry.description):
        words = split_words(text)
        grams.update(ngrams(words, n))
    return frozenset(grams - recurrent)


def recurrent_expressions(
    entries: Iterable[Entry],
    n: int = 3,
) -> frozenset[NGram]:
    """The n-grams in more than a third of a feed's entries, such as "read more on" (thesis 5.1).

    Cost: linear in the words of the entries.
    """
    grams_of_entries = [entry_ngrams(entry, n) for entry in entries]
    return _find_recurrent(grams_of_entries)


def page_signifiers(
    pages: Sequence[Page],
    terms: Sequence[Sequence[str]],
    k: int,
    source: str,
) -> list[dict[str, float]]:
    """The signifiers of each page with their weight: from its feed entry if ``source`` is ``feed``,
    from the query that it answers if it is ``query``, provided that there are usable terms; else,
    and if ``source`` is ``tf-idf``, by tf-idf over the pages.
    """
    signifiers = tfidf_signifiers(terms, k)
    entries: Sequence[Entry | None] = [None] * len(pages)
    recurrent: frozenset[str] = frozenset()
    if source == "feed":
        entries = [page.entry for page in pages]
        recurrent = _recurrent_terms(pages)
    elif source == "query":
        entries = [Entry(query) for query in find_queries(pages)]

    pairs = zip(pages, entries, strict=True)
    for i, (page, entry) in enumerate(pairs):
        if entry:
            keywords = entry_keywords(entry, page.language, k, recurrent)
            signifiers[i] = keywords or signifiers[i]
    return signifiers


def _recurrent_terms(pages: Sequence[Page]) -> frozenset[str]:
    texts = []
    for page in pages:
        if page.entry:
            terms = find_terms(page.entry.text, page.language)
            texts.append(terms)
    return _find_recurrent(texts)


def _find_recurrent(texts: Sequence[Iterable[_Expression]]) -> frozenset[_Expression]:
    """The expressions in more than a third of the texts; none of a few texts."""
    if len(texts) < MIN_ENTRIES:
        return frozenset()
    max_texts = len(texts) * RECURRENT_SHARE
    counts = _count_texts(texts)
    recurrent = set()
    for expression, count in counts.items():
        if count > max_texts:
            recurrent.add(expression)
    return frozenset(recurrent)


def _count_texts(texts: Iterable[Iterable[_Expression]]) -> Counter[_Expression]:
    """The number of texts that each expression is in."""
    counts: Counter[_Expression] = Counter()
    for expressions in texts:
        counts.update(set(expressions))
    return counts


def _heaviest(weights: Mapping[str, float], k: int) -> dict[str, float]:
    def rank(weighted_term: tuple[str, float]) -> tuple[float, str]:
        term, weight = weighted_term
        return -weight, term

    ranked = sorted(weights.items(), key=rank)
    return dict(ranked[:k])

"""Signifiers: the terms that describe what a page is about (FOREST section 3.1).

The thesis submits the forms itself, and so knows the query.  Crawled pages tell it by their URL or
by the search field that they show again.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from urllib.parse import parse_qsl, unquote, urlsplit

from forest_scrapy.core.page.language import find_terms, ngrams, split_words
from forest_scrapy.core.page.page import Entry, Page
from forest_scrapy.core.page.tree import find_texts

#: Names of form fields that hold a query.
_NAME = re.compile(
    r"q|s|k|kw|wd|term|find|\w*(?:query|search|keyword|phrase)\w*(?:\[\])?", re.IGNORECASE
)
#: Folders of a URL whose next folder is what the page is about.
_FOLDERS = frozenset(("search", "tag", "tags", "label", "labels", "keyword", "keywords"))
#: Characters of the longest query; a longer value is no query.  Not tuned.
_LONGEST = 200
_SUFFIX, _BETWEEN_WORDS = re.compile(r"\.\w{2,5}$"), re.compile("[-_+]+")
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
    fields = [_query_of_field(page) for page in pages]
    if len(pages) > 1 and len(set(fields)) == 1:
        fields = [""] * len(pages)
    return [
        page.query or _query_of_url(page.url) or field
        for page, field in zip(pages, fields, strict=True)
    ]


def _query_of_url(url: str) -> str:
    """The query in a URL.

    >>> _query_of_url("http://a.example/?page=2&q=great+expectations")
    'great expectations'
    >>> _query_of_url("http://a.example/tag/barn-owls.html"), _query_of_url("http://a.example/q")
    ('barn owls', '')
    """
    try:
        parts = urlsplit(url)
        given = parse_qsl(parts.query, max_num_fields=_LONGEST)
    except ValueError:
        return ""
    values = (value for name, value in given if _NAME.fullmatch(name))
    return " ".join(filter(_is_query, values)) or _query_of_path(parts.path)


def _query_of_path(path: str) -> str:
    for name, value in reversed(list(pairwise(path.split("/")))):
        text = _BETWEEN_WORDS.sub(" ", _SUFFIX.sub("", unquote(value))).strip()
        if name.lower() in _FOLDERS and value.lower() not in _FOLDERS and _is_query(text):
            return text
    return ""


def _query_of_field(page: Page) -> str:
    """The text of the first search field that has one."""
    values = find_texts(_SEARCH_FIELDS, page.root)
    return next((" ".join(value.split()) for value in values if _is_query(value)), "")


def _is_query(text: str) -> bool:
    return len(text) <= _LONGEST and any(map(str.isalpha, text))


#: A 3-gram or term in a larger share of a feed's entries does not describe one of them.  Not
#: tuned.
RECURRENT_SHARE = 1 / 3
#: With fewer entries, nothing counts as recurrent.  Not tuned.
LEAST_ENTRIES = 3


def tfidf_signifiers(terms: Sequence[Sequence[str]], k: int) -> list[dict[str, float]]:
    """For each page the k terms with the largest tf-idf weight over the given pages.

    ``terms``: the terms of each of two or more pages.  The weight is frequency * ln(pages /
    pages with the term); terms on all pages (weight 0) are left out.  Ties: alphabetical order.

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
    """The n-grams of words of the entry's title, and of its description (SIGFEED, Algorithm 1)."""
    parts = (entry.title, entry.description)
    found = {gram for part in parts for gram in ngrams(split_words(part), n)}
    return frozenset(found - recurrent)


def recurrent_expressions(entries: Iterable[Entry], n: int = 3) -> frozenset[tuple[str, ...]]:
    """The n-grams in more than a third of a feed's entries, such as "read more on" (thesis 5.1).

    Cost: linear in the words of the entries.
    """
    grams = [entry_ngrams(entry, n) for entry in entries]
    found_on = Counter(gram for page in grams for gram in page)
    if len(grams) < LEAST_ENTRIES:
        return frozenset()
    return frozenset(gram for gram, df in found_on.items() if df > len(grams) * RECURRENT_SHARE)


def page_signifiers(
    pages: Sequence[Page], terms: Sequence[Sequence[str]], k: int, source: str
) -> list[dict[str, float]]:
    """The signifiers of each page with their weight: from its feed entry if ``source`` is ``feed``,
    from the query that it answers if it is ``query``, provided that there are usable terms; else,
    and if ``source`` is ``tf-idf``, by tf-idf over the pages.
    """
    given: list[dict[str, float]] = [{} for _ in pages]
    if source == "feed":
        recurrent = _recurrent_terms(pages)
        given = [
            entry_keywords(page.entry, page.language, k, recurrent) if page.entry else {}
            for page in pages
        ]
    elif source == "query":
        queries = zip(pages, find_queries(pages), strict=True)
        given = [entry_keywords(Entry(query), page.language, k) for page, query in queries]
    return [own or rest for own, rest in zip(given, tfidf_signifiers(terms, k), strict=True)]


def _recurrent_terms(pages: Sequence[Page]) -> frozenset[str]:
    texts = [set(find_terms(page.entry.text, page.language)) for page in pages if page.entry]
    found_on = Counter(term for text in texts for term in text)
    if len(texts) < LEAST_ENTRIES:
        return frozenset()
    return frozenset(term for term, df in found_on.items() if df > len(texts) * RECURRENT_SHARE)


def _heaviest(weights: Mapping[str, float], k: int) -> dict[str, float]:
    ranked = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:k])

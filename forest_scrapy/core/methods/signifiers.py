"""Signifiers: the terms that describe what a page is about (FOREST section 3.1).

``Params.source`` chooses where they come from.  Beside tf-idf, each source is a text for each page:

- ``feed``: title and description of its feed entry; ``title``: the title alone (thesis 2.5.1)
- ``query``: the terms of the search that the page answers
- ``metadata``: the title and description that the page declares
- ``url``: the words of its URL
- ``links``: the texts of links to the page: ``Page.link_texts``, the title in the feed, which links
  the item, and links on the other pages

The last three are the other sources that section 5 of FOREST names, except for the logs of search
engines.  The thesis submits the forms itself, and so knows the query.  Crawled pages tell it by
their URL or by the search field that they show again.
"""

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from forest_scrapy.core.errors import UnknownChoice
from forest_scrapy.core.options import SOURCE_NAMES
from forest_scrapy.core.page.entry import Entry
from forest_scrapy.core.page.language import find_terms, ngrams, split_words
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import line_text
from forest_scrapy.core.page.tree import find_elements, find_texts
from forest_scrapy.core.page.urls import absolute_url, page_key

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
_BETWEEN_PARTS = re.compile("[-_+/.,;:~]+")
_LINKS = "//a[@href]"
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


#: The source of the signifiers of each method with signifiers; of others it is ``feed``.
METHOD_SOURCES = {
    "forest": "tf-idf",
    "coverage": "tf-idf",
    "forest-feeds": "feed",
    "forest-records": "query",
}


def choose_source(method: str, source: str | None) -> str:
    """The source of the method's signifiers; ``source``: that of ``Params``.  Raises
    ``UnknownChoice``.

    >>> choose_source("forest", None), choose_source("forest-feeds", None)
    ('tf-idf', 'feed')
    >>> choose_source("forest", "links")
    'links'
    """
    if source is None:
        return METHOD_SOURCES.get(method, "feed")
    if source not in SOURCE_NAMES:
        raise UnknownChoice("source", source, SOURCE_NAMES)
    return source


def source_entries(pages: Sequence[Page], source: str) -> list[Entry | None]:
    """The text of each page's source as an entry; None for a page that has none, and with
    ``tf-idf`` for all.  Cost: with ``links`` one search of each page."""
    if source == "feed":
        return [page.entry for page in pages]
    if source == "metadata":
        return [_filled(page.declared_entry) for page in pages]
    if source == "title":
        titles = [page.entry.title if page.entry else "" for page in pages]
    elif source == "query":
        titles = find_queries(pages)
    elif source == "url":
        titles = [words_of_url(page.url) for page in pages]
    elif source == "links":
        titles = ["\n".join(texts) for texts in find_link_texts(pages)]
    else:
        titles = [""] * len(pages)
    return [_filled(Entry(title)) for title in titles]


def _filled(entry: Entry) -> Entry | None:
    return entry if entry.text.strip() else None


def words_of_url(url: str) -> str:
    """The words of the path of a URL, without the suffix.

    >>> words_of_url("http://a.example/2012/boats-leave_harbour.html?id=7")
    '2012 boats leave harbour'
    """
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    path = _SUFFIX.sub("", unquote(path))
    return " ".join(_BETWEEN_PARTS.sub(" ", path).split())


def find_link_texts(pages: Sequence[Page]) -> list[list[str]]:
    """The texts of links to each page: its ``link_texts``, the title of its feed entry, and the
    texts of the links on other pages of these, each once."""
    texts: dict[str, dict[str, None]] = {}
    for page in pages:
        page_texts = texts.setdefault(page_key(page.url), {})
        page_texts.update(dict.fromkeys(page.link_texts))
        if page.entry:
            page_texts[page.entry.title] = None
    for page in pages:
        own_key = page_key(page.url)
        for key, text in read_links(page):
            if key in texts and key != own_key:
                texts[key][text] = None
    found = []
    for page in pages:
        page_texts = texts[page_key(page.url)]
        found.append([text for text in page_texts if text])
    return found


def read_links(page: Page) -> Iterator[tuple[str, str]]:
    """The links of a page: the key of the URL (see ``page_key``), and the text on one line."""
    for link in find_elements(_LINKS, page.root):
        url = absolute_url(link.get("href", ""), page.base_url)
        if url:
            yield page_key(url), line_text(link)


def page_signifiers(
    pages: Sequence[Page],
    terms: Sequence[Sequence[str]],
    k: int,
    source: str,
) -> list[dict[str, float]]:
    """The signifiers of each page with their weight: the keywords of its ``source``, one of
    ``SOURCE_NAMES``, provided that it has usable terms; else, and if ``source`` is ``tf-idf``, by
    tf-idf over the pages.  Terms of more than a third of the texts are left out, but for queries.
    """
    signifiers = tfidf_signifiers(terms, k)
    entries = source_entries(pages, source)
    recurrent: frozenset[str] = frozenset()
    if source != "query":
        recurrent = _recurrent_terms(pages, entries)

    pairs = zip(pages, entries, strict=True)
    for i, (page, entry) in enumerate(pairs):
        if entry:
            keywords = entry_keywords(entry, page.language, k, recurrent)
            signifiers[i] = keywords or signifiers[i]
    return signifiers


def _recurrent_terms(
    pages: Sequence[Page],
    entries: Sequence[Entry | None],
) -> frozenset[str]:
    texts = []
    for page, entry in zip(pages, entries, strict=True):
        if entry:
            terms = find_terms(entry.text, page.language)
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

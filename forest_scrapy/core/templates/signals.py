"""Signals that distinguish the articles of a site from its other pages, if no feed does: those of
one page, and their sums over the pages of a host.

``kinds`` compares them with those of the page's template and of the whole host.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import log1p
from operator import and_
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from forest_scrapy.core.lazy import LazyPattern
from forest_scrapy.core.models.logistic import Table
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.urls import host_of

_LINKS = frozenset(("a",))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
#: Elements of which a listing has one for each entry.
_ENTRIES = frozenset(("article", "div", "li", "section", "tr"))
_DATE_META = (
    "article:published_time",
    "datepublished",
    "date",
    "pubdate",
    "dc.date.issued",
)
#: Words of the last part of a URL that are counted.
_MAX_URL_WORDS = 6
#: Words of a block that is more than a label.
_MIN_BLOCK_WORDS = 10

# Scripts without spaces between words: two characters count as a word.
_UNSPACED = LazyPattern(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
#: Parts of URLs that name listings, in the languages whose words are common in URLs.
_LISTING = re.compile(
    r"(?:tag|categor|kategor|page|seite|pagin|author|autor|auteur|archi[vf]|search|such|busca"
    r"|recherche|topic|thema|tema|label|rubri|secti|index|etiquet|user|date|list)[a-z]{0,4}s?"
)
#: Last parts of URLs that name pages about the site, in the same languages.  Each word is written
#: out: an article may be on legal battles, on foreign policy ("politica-exterior"), or on whatever
#: follows "sobre-".
_SERVICE = re.compile(
    r"(?:about(?:[-_]?(?:us|me))?|contact(?:[-_]?us)?|imprint|impress(?:um)?"
    r"|privacy(?:[-_](?:policy|notice|statement|settings|cent(?:er|re)))?"
    r"|terms(?:[-_](?:and|of|conditions|use|service|sale|privacy))*"
    r"|(?:legal|cookie)s?(?:[-_](?:notices?|policy|information|info|terms|settings|statement))?"
    r"|disclaimer|faq|help|team|jobs|advertise"
    r"|datenschutz(?:erkl(?:ae|ä)rung|hinweise?|bestimmungen|richtlinien?)?|agb|kontakt"
    r"|(?:ueber|über)[-_]?(?:uns|mich)|mentions[-_]l[eé]gales"
    r"|confidentialit[eé]|cgu|cgv|[aà][-_]propos|qui[-_]sommes[-_]nous|aviso[-_]legal"
    r"|(?:pol[ií]tica|informativa)(?:[-_](?:de|sulla|sui|e|y|privacidade?|privacy|cookies?))+"
    r"|privacidade?|contact[oa]|contatt[io]|contato"
    r"|(?:acerca|sobre)(?:[-_](?:de|el|la|o|a|autora?|n[oó]s|nosotr[oa]s|m[ií]m?))*"
    r"|qui[eé]nes[-_]somos|chi[-_]siamo|quem[-_]somos|note[-_]legali"
    r"|over[-_]ons|om[-_]oss|o[-_]nas|kontak)"
)
_DATE_IN_PATH = re.compile(r"/(?:19|20)\d\d[/-]?\d{1,2}(?:[/-]|\d\d|$)")
#: Parts of the URL of an archive of a year, a month or a day.
_DATE_PART = re.compile(r"[0-9]{1,2}|(?:19|20)[0-9]{2}(?:-?[0-9]{2})?")
_EXTENSION = re.compile(r"\.\w{2,5}$")
#: Classes of ``body`` that blog systems set.
_LISTING_CLASS = re.compile(r"(?:archive|category|tag|blog|home|search|paged|author|error404)\b")
_PAGE_CLASS = re.compile(r"page(?:$|-template|-id)")
#: The signals of a URL without a host, such as that of a file, which says nothing about the page:
#: close to those of an average article.  Not tuned.
_NO_URL = {
    "url_date": 0.1,
    "url_listing": 0.0,
    "url_number": 0.05,
    "url_root": 0.0,
    "url_words": 0.6,
    "log_url_length": 3.3,
}
_LIST_TYPES = ("collectionpage", "searchresultspage", "itemlist", "blog", "profilepage")


@dataclass(frozen=True)
class Signals:
    """Signals of one page, each a number; flags are 0 or 1, ``log_`` is ln(1 + n).

    - ``plain_share``: words outside links, of all words; ``log_plain_words``,
      ``log_linked_words``: their numbers.
    - ``largest_share``: words of the element with most text in blocks of its own, of those
      outside links.
    - ``one_heading``: exactly one ``h1``; ``linked_headings``: a heading is a link, as in a list
      of teasers; ``title_is_heading``: an ``h1`` is part of the declared title.
    - ``one_article``, ``many_articles``: one, or more than two ``article`` elements;
      ``log_siblings``: elements of one kind side by side, as the entries of a listing.
    - ``declares_article``, ``declares_list``, ``declares_date``: by JSON-LD, microdata or ``meta``;
      ``listing_class``, ``page_class``: by the classes of ``body``.
    - ``url_date``, ``url_listing``, ``url_number``, ``url_root``: the path has a date, names a
      listing, ends in a number, is the root; ``url_words``: words of its last part, up to 6, as
      a share; ``log_url_length``: characters of its last part.
    """

    plain_share: float = 0.0
    log_plain_words: float = 0.0
    log_linked_words: float = 0.0
    largest_share: float = 0.0
    one_heading: float = 0.0
    linked_headings: float = 0.0
    title_is_heading: float = 0.0
    one_article: float = 0.0
    many_articles: float = 0.0
    log_siblings: float = 0.0
    declares_article: float = 0.0
    declares_list: float = 0.0
    declares_date: float = 0.0
    listing_class: float = 0.0
    page_class: float = 0.0
    url_date: float = 0.0
    url_listing: float = 0.0
    url_number: float = 0.0
    url_root: float = 0.0
    url_words: float = 0.0
    log_url_length: float = 0.0

    def to_dict(self) -> dict[str, float]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Signals":
        """The signals of ``to_dict``; names that are not known any more are ignored."""
        values = {}
        for signal in fields(cls):
            value = data.get(signal.name, 0.0)
            values[signal.name] = float(value)
        return cls(**values)


def is_service_url(url: str) -> bool:
    """Whether a URL names a page about the site, such as its imprint.

    >>> is_service_url("http://a.example/en/about-us/"), is_service_url("http://a.example/about-owls")
    (True, False)
    """
    path = unquote(urlsplit(url).path).strip("/").lower()
    last_part = _EXTENSION.sub("", path.rpartition("/")[2])
    return _SERVICE.fullmatch(last_part) is not None


def is_list_url(url: str) -> bool:
    """Whether a URL names a list of pages: those with a tag, of an author, or of a month.

    >>> is_list_url("http://a.example/tag/owls/"), is_list_url("http://a.example/archives/000253")
    (True, False)
    """
    names = []
    for part in unquote(urlsplit(url).path).split("/"):
        if part:
            names.append(_EXTENSION.sub("", part.lower()))
    if names and names[-1] == "index":
        del names[-1]
    for number, name in enumerate(names):
        if not _LISTING.fullmatch(name):
            continue
        following = names[number + 1 :]
        is_archive = name.startswith("archi")
        if not is_archive or all(_DATE_PART.fullmatch(part) for part in following):
            return True
    return False


def read_signals(page: Page) -> Signals:
    """The signals of a page.  Cost: linear in the number of its elements."""
    return Signals(
        **_text_signals(page.outline),
        **_markup_signals(page),
        **_url_signals(page.url),
    )


def _text_signals(outline: Outline) -> dict[str, float]:
    in_link = outline.inside(_LINKS)
    plain = 0
    linked = 0
    plain_of_block: Counter[int] = Counter()
    for leaf in outline.leaves:
        count = _count_words(leaf.text)
        if in_link[leaf.node]:
            linked += count
        else:
            plain += count
            plain_of_block[outline.blocks[leaf.node]] += count

    words_below: Counter[int] = Counter()
    for block, count in plain_of_block.items():
        if count >= _MIN_BLOCK_WORDS:
            words_below[outline.nodes[block].parent] += count
    largest = max(words_below.values(), default=0)
    return {
        "plain_share": plain / (plain + linked) if plain else 0.0,
        "log_plain_words": log1p(plain),
        "log_linked_words": log1p(linked),
        "largest_share": largest / plain if plain else 0.0,
    }


def _markup_signals(page: Page) -> dict[str, float]:
    outline = page.outline
    declared = page.declared
    tags = Counter(node.tag for node in outline.nodes)
    in_link = outline.inside(_LINKS)
    in_heading = outline.inside(_HEADINGS)
    siblings: Counter[tuple[int, str, str | None]] = Counter()
    for node in outline.nodes:
        if node.tag in _ENTRIES:
            css_class = node.names[0]
            siblings[node.parent, node.tag, css_class] += 1
    classes: list[str] = []
    for body in page.root.iter("body"):
        css_classes = body.get("class", "").lower()
        classes += css_classes.split()
    types = [schema_type.lower() for schema_type in declared.types]
    most_siblings = max(siblings.values(), default=0)
    return {
        "one_heading": tags["h1"] == 1,
        "linked_headings": any(map(and_, in_link, in_heading)),
        "title_is_heading": _is_title_heading(page),
        "one_article": tags["article"] == 1,
        "many_articles": tags["article"] > 2,
        "log_siblings": log1p(most_siblings),
        "declares_article": declared.is_article,
        "declares_list": any(schema_type.endswith(_LIST_TYPES) for schema_type in types),
        "declares_date": bool(declared.first_meta(*_DATE_META)),
        "listing_class": any(map(_LISTING_CLASS.match, classes)),
        "page_class": any(map(_PAGE_CLASS.match, classes)),
    }


def _is_title_heading(page: Page) -> bool:
    """Whether an ``h1`` is part of the declared title."""
    title = page.declared.title.casefold()
    for heading in page.root.iter("h1"):
        raw_text = "".join(heading.itertext())
        text = " ".join(raw_text.split())
        if text and text.casefold() in title:
            return True
    return False


def _url_signals(url: str) -> dict[str, float]:
    if not host_of(url):
        return _NO_URL
    path = unquote(urlsplit(url).path)
    names = []
    for part in path.split("/"):
        if part:
            name = _EXTENSION.sub("", part.lower())
            names.append(name)
    if names and names[-1] == "index":
        del names[-1]
    last = names[-1] if names else ""
    words = len(re.findall(r"[-_ ]", last))
    return {
        "url_date": bool(_DATE_IN_PATH.search(path)),
        "url_listing": any(map(_LISTING.fullmatch, names)),
        "url_number": last.isdigit(),
        "url_root": not names,
        "url_words": min(words, _MAX_URL_WORDS) / _MAX_URL_WORDS,
        "log_url_length": log1p(len(last)),
    }


def _count_words(text: str) -> int:
    if not text.isascii() and _UNSPACED.compiled.search(text):
        return max(1, len(text) // 2)
    return len(text.split())


SIGNALS = tuple(signal.name for signal in fields(Signals))
#: Features of a template: its share of the host's pages; the standard deviation of
#: ``log_plain_words`` over its pages; and its mean of that, less the highest of the host.
TEMPLATE_FEATURES = ("pages_share", "length_spread", "length_rank")
#: What a page is classified by: its signals, their means over its template, these less the means
#: of the host, and the features of the template.
FEATURES = (
    *SIGNALS,
    *(f"template's {name}" for name in SIGNALS),
    *(f"{name} above the host's" for name in SIGNALS),
    *TEMPLATE_FEATURES,
)
_LENGTH = SIGNALS.index("log_plain_words")


class HostSignals:
    """Sums of the signals of a host's pages, by the digest of their fingerprint.

    Pages are added one by one; what a template is like can be asked at any time.  Memory: some
    200 bytes for each digest.
    """

    def __init__(self) -> None:
        #: For each digest the number of pages, the sums of the signals, and the sum of the
        #: squares of ``log_plain_words``.
        self._sums: dict[str, Table] = {}
        self.pages = 0

    def add(self, digest: str, signals: Signals) -> None:
        """Count a page."""
        row = _row(signals)
        self.pages += 1
        square = row[_LENGTH] ** 2
        added = np.array([1.0, *row, square])
        self._sums[digest] = self._sum((digest,)) + added

    def has(self, digest: str) -> bool:
        """Whether a page with this digest was counted."""
        return digest in self._sums

    def mean(self, digest: str) -> Signals:
        """The means of the signals of the pages with this digest; zeros if there are none."""
        means = _means(self._sum((digest,)))
        values = means[: len(SIGNALS)].tolist()
        return Signals(**dict(zip(SIGNALS, values, strict=True)))

    def describe(
        self,
        templates: Sequence[Collection[str]],
        pages: Sequence[Sequence[Signals]],
    ) -> list[Table]:
        """For each template, given by the digests of its pages, a table with a row for each of
        its ``pages`` and a column for each of ``FEATURES``."""
        sums = [self._sum(digests) for digests in templates]
        host_sum = self._sum(self._sums)
        host_means = _means(host_sum)
        host_pages = max(host_sum[0], 1)
        lengths = []
        for template_sum in sums:
            if template_sum[0]:
                lengths.append(_means(template_sum)[_LENGTH])
        max_length = max(lengths, default=0.0)

        tables = []
        for template_sum, template_signals in zip(sums, pages, strict=True):
            means = _means(template_sum)
            pages_or_one = max(template_sum[0], 1)
            mean_square = template_sum[-1] / pages_or_one
            variance = max(0.0, mean_square - means[_LENGTH] ** 2)
            length_spread = variance**0.5
            pages_share = template_sum[0] / host_pages
            length_rank = means[_LENGTH] - max_length
            template_features = [pages_share, length_spread, length_rank]
            above_host = means - host_means
            shared = np.concatenate([means, above_host, template_features])
            rows = []
            for signals in template_signals:
                rows.append(np.concatenate([_row(signals), shared]))
            shape = (len(rows), len(FEATURES))
            table = np.array(rows).reshape(shape)
            tables.append(table)
        return tables

    def to_dict(self) -> dict[str, list[float]]:
        """The sums as JSON values."""
        return {digest: sums.tolist() for digest, sums in sorted(self._sums.items())}

    def merge(self, data: Mapping[str, Sequence[float]]) -> None:
        """Count the pages of other signals, as ``to_dict`` wrote them."""
        for digest, sums in data.items():
            added = np.array(sums)
            self._sums[digest] = self._sum((digest,)) + added
            self.pages += round(sums[0])

    def _sum(self, digests: Collection[str]) -> Table:
        sums = []
        for digest in digests:
            if digest in self._sums:
                sums.append(self._sums[digest])
        if not sums:
            return np.zeros(len(SIGNALS) + 2)
        return np.asarray(np.sum(sums, axis=0))


def _row(signals: Signals) -> Table:
    values = [getattr(signals, name) for name in SIGNALS]
    return np.array(values, dtype=float)


def _means(sums: Table) -> Table:
    pages = max(sums[0], 1)
    return np.asarray(sums[1:-1] / pages)

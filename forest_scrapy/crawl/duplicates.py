"""One article once: articles that were found under another URL."""

import logging
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from forest_scrapy.core.changes import TextSummary, summarize_text
from forest_scrapy.core.fields.sources import fold_words
from forest_scrapy.core.page.urls import bare_host, host_of, page_key, site_of
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.responses.background import run
from forest_scrapy.responses.conversion import asked_url
from forest_scrapy.stores.page_tables import ArticleTable, FoundArticle

logger = logging.getLogger(__name__)

#: The share of shingles that may differ between two pages of one article, such as an AMP page
#: and the page that it names as canonical.  Not tuned; the estimate is good to about 0.1.
_MOST_CHANGED = 0.5
#: Methods whose text is from the feed entry: entries of different pages may have the same.
_OF_ENTRIES = ("description", "entry")
#: Characters from which on a text is read in a thread, which takes some 50 ms.
_LONG = 100_000
#: At most this many other URLs in an item.
_MOST_URLS = 100


class Duplicates:
    """Tells the duplicates among the articles of a crawl, also of a resumed one.

    A canonical URL is believed only if the texts are alike: some sites name the home page, or
    one page for several articles, and pages may name each other.  A page that a copy on another
    site has named as canonical is no duplicate of it, though the copy was found first; pages of one
    site, such as an AMP page and the page that it names, give one article, the first.
    """

    def __init__(
        self, articles: ArticleTable, count: Callable[[str], None] = lambda stat: None
    ) -> None:
        """``count``: increments a stat."""
        self._articles, self._count = articles, count
        self._warned: set[str] = set()

    async def check(self, item: ArticlePage, article: Article) -> bool:
        """Whether the article was found before, on another page.  If not, it is noted, a
        canonical URL that is wrong is removed from it, and its other URLs are added."""
        if is_home_page(article):
            self._ignore_canonical(article)
        key = item.key or page_key(article.url)
        found = await run(len(article.text) > _LONG, describe_article, key, article)
        request = item.response.request
        redirects = request.meta.get("redirect_urls", ()) if request else ()
        return self.is_known(found, article, (asked_url(item.response), *redirects))

    def is_known(self, found: FoundArticle, article: Article, urls: Sequence[str]) -> bool:
        """As ``check``, for an article that was described; ``urls``: those that were requested,
        the first one first."""
        how = self._find(found, article)
        if how:
            self._count(f"forest/duplicates/{how}")
            return True
        self._articles.add(found)
        article.other_urls = self._other_urls(found.page_key, article, urls)
        return False

    def _find(self, found: FoundArticle, article: Article) -> str:
        """How a duplicate is told: ``canonical`` or ``text``; ``""`` if the article is new."""
        same = [
            other for other in self._articles.with_canonical(found) if not _is_copy(other, found)
        ]
        if any(_is_alike(found, other) for other in same):
            return "canonical"
        if same and article.canonical_url:
            self._ignore_canonical(article)
        if article.method in _OF_ENTRIES:
            return ""
        same = [other for other in self._articles.with_text(found) if not _is_copy(other, found)]
        return "text" if any(_is_same_title(found.title, other.title) for other in same) else ""

    def _ignore_canonical(self, article: Article) -> None:
        self._count("forest/canonicals/ignored")
        host = host_of(article.url)
        if host not in self._warned:
            self._warned.add(host)
            message = "%s declares %s as its canonical URL, which is another page: ignored"
            logger.info(message, article.url, article.canonical_url)
        drop_canonical(article)

    def _other_urls(self, page: str, article: Article, urls: Sequence[str]) -> list[str]:
        keys = dict.fromkeys((page, *(page_key(url) for url in urls[:1])))
        known = [url for key in keys for url in self._articles.urls(key)]
        found = (*urls, article.canonical_url, *known)
        others = dict.fromkeys(url for url in found if url and url != article.url)
        return list(others)[:_MOST_URLS]


def describe_article(key: str, article: Article) -> FoundArticle:
    """What duplicates of the article of the page with this key are told by.  1 ms for 20 KB."""
    summary = summarize_text(article.text, tuple(link["text"] for link in article.links))
    canonical = page_key(article.canonical_url) if article.canonical_url else key
    host, title = bare_host(article.url), fold_words(article.title)
    is_elsewhere = _is_elsewhere(article.canonical_url, article.url)
    return FoundArticle(key, canonical, host, title, summary.digest, summary.sketch, is_elsewhere)


def _is_elsewhere(canonical: str, url: str) -> bool:
    """Whether a canonical URL is on another site than the page."""
    if not canonical:
        return False
    try:
        return site_of(canonical) != site_of(url)
    except ValueError:  # no URL
        return False


def is_home_page(article: Article) -> bool:
    """Whether the canonical URL of an article is a home page, and not its own."""
    if not article.canonical_url or page_key(article.canonical_url) == page_key(article.url):
        return False
    parts = urlsplit(article.canonical_url)
    return parts.path in ("", "/") and not parts.query


def drop_canonical(article: Article) -> None:
    """Remove a canonical URL that is wrong."""
    article.canonical_url = ""
    article.sources.pop("canonical_url", None)


def _is_copy(other: FoundArticle, article: FoundArticle) -> bool:
    """Whether the other article is on another site and names the page of this one as canonical,
    which names no other page."""
    is_own = article.canonical_key == article.page_key
    return is_own and other.is_elsewhere and other.canonical_key == article.page_key


def _is_alike(one: FoundArticle, other: FoundArticle) -> bool:
    if one.digest == other.digest:
        return True
    sketches = (TextSummary(sketch=article.sketch) for article in (one, other))
    return next(sketches).share_changed(next(sketches)) <= _MOST_CHANGED


def _is_same_title(one: str, other: str) -> bool:
    """Whether one title contains the words of the other: print versions add words to it.

    >>> _is_same_title("tides", "tides print version"), _is_same_title("part 1", "part 10")
    (True, False)
    """
    shorter, longer = sorted((one, other), key=len)
    return not shorter or f" {shorter} " in f" {longer} "

"""One article once: articles that were found under another URL."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from forest_scrapy import core
from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.page.urls import bare_host, host_of, page_key, site_of
from forest_scrapy.items import Article, ArticlePage
from forest_scrapy.responses.background import run
from forest_scrapy.responses.conversion import asked_url
from forest_scrapy.stores.page_tables import ArticleIdentity, ArticleTable

logger = logging.getLogger(__name__)

#: The share of shingles that may differ between two pages of one article, such as an AMP page
#: and the page that it names as canonical.  Not tuned; the estimate is good to about 0.1.
_MAX_CHANGED = 0.5
#: Methods whose text is from the feed entry: entries of different pages may have the same.
_METHODS_OF_ENTRIES = ("description", "entry")
#: Characters from which on a text is read in a thread, which takes some 50 ms.
_LONG_TEXT = 100_000
#: Other URLs in an item.
_MAX_URLS = 100


class Duplicates:
    """Recognises the duplicates among the articles of a crawl, also of a resumed one.

    A canonical URL is believed only if the texts are alike: some sites name the home page, or
    one page for several articles, and pages may name each other.  A page that a copy on another
    site has named as canonical is no duplicate of it, though the copy was found first; pages of one
    site, such as an AMP page and the page that it names, give one article, the first.
    """

    def __init__(
        self,
        articles: ArticleTable,
        count: Callable[[str], None] = lambda stat: None,
    ) -> None:
        """``count``: increments a stat."""
        self._articles = articles
        self._count = count
        #: The hosts whose canonical URLs were warned of.
        self._warned_hosts: set[str] = set()

    async def check(self, item: ArticlePage, article: Article) -> bool:
        """Whether the article was found before, on another page.  If not, it is noted, a
        canonical URL that is wrong is removed from it, and its other URLs are added."""
        if is_home_page(article):
            self._ignore_canonical(article)
        key = item.key or page_key(article.url)
        is_long = len(article.text) > _LONG_TEXT
        identity = await run(is_long, describe_article, key, article)  # in a thread if long
        request = item.response.request
        redirects = request.meta.get("redirect_urls", ()) if request else ()
        requested_urls = (asked_url(item.response), *redirects)
        return self.is_known(identity, article, requested_urls)

    def is_known(
        self,
        identity: ArticleIdentity,
        article: Article,
        urls: Sequence[str],
    ) -> bool:
        """As ``check``, for an article that was described; ``urls``: those that were requested,
        the first one first."""
        reason = self._find_duplicate(identity, article)
        if reason:
            self._count(f"forest/duplicates/{reason}")
            return True
        self._articles.add(identity)
        article.other_urls = self._other_urls(identity.page_key, article, urls)
        return False

    def _find_duplicate(self, identity: ArticleIdentity, article: Article) -> str:
        """What makes the article a duplicate: ``canonical`` or ``text``; ``""`` if it is new.  A
        canonical URL that is wrong is removed from the article."""
        with_same_url = self._articles.with_canonical(identity)
        candidates = _without_copies(with_same_url, identity)
        for candidate in candidates:
            if _is_alike(identity, candidate):
                return "canonical"
        if candidates and article.canonical_url:
            self._ignore_canonical(article)

        if article.method in _METHODS_OF_ENTRIES:
            return ""
        with_same_text = self._articles.with_text(identity)
        for candidate in _without_copies(with_same_text, identity):
            if _is_same_title(identity.title, candidate.title):
                return "text"
        return ""

    def _ignore_canonical(self, article: Article) -> None:
        self._count("forest/canonicals/ignored")
        host = host_of(article.url)
        if host not in self._warned_hosts:
            self._warned_hosts.add(host)
            logger.info(
                "%s declares %s as its canonical URL, which is another page: ignored",
                article.url,
                article.canonical_url,
            )
        drop_canonical(article)

    def _other_urls(
        self,
        page: str,
        article: Article,
        urls: Sequence[str],
    ) -> list[str]:
        """Further URLs of the article, each once: requested, canonical, and noted before."""
        further = [*urls, article.canonical_url]
        keys = {page: True}
        if urls:
            keys[page_key(urls[0])] = True
        for key in keys:
            further += self._articles.urls(key)
        return list_other_urls(article, further)


def list_other_urls(article: Article, urls: Sequence[str]) -> list[str]:
    """Those of the URLs that are not the article's own, each once."""
    own_urls = ("", article.url, article.fetched_url)
    unique = dict.fromkeys(url for url in urls if url not in own_urls)
    return list(unique)[:_MAX_URLS]


def describe_article(key: str, article: Article) -> ArticleIdentity:
    """What duplicates of the article of the page with this key are recognised by.  1 ms for
    20 KB."""
    link_texts = tuple(link["text"] for link in article.links)
    summary = core.summarize_text(article.text, link_texts)
    return ArticleIdentity(
        page_key=key,
        canonical_key=page_key(article.canonical_url) if article.canonical_url else key,
        host=bare_host(article.url),
        title=fold_words(article.title),
        digest=summary.digest,
        sketch=summary.sketch,
        is_elsewhere=_is_elsewhere(article.canonical_url, article.url),
    )


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


def _without_copies(
    candidates: Sequence[ArticleIdentity],
    article: ArticleIdentity,
) -> list[ArticleIdentity]:
    return [candidate for candidate in candidates if not _is_copy(candidate, article)]


def _is_copy(candidate: ArticleIdentity, article: ArticleIdentity) -> bool:
    """Whether a candidate is on another site and names the page of the article as canonical, which
    names no other page."""
    names_itself = article.canonical_key == article.page_key
    names_article = candidate.canonical_key == article.page_key
    return names_itself and candidate.is_elsewhere and names_article


def _is_alike(article: ArticleIdentity, candidate: ArticleIdentity) -> bool:
    if article.digest == candidate.digest:
        return True
    article_summary = core.TextSummary(sketch=article.sketch)
    candidate_summary = core.TextSummary(sketch=candidate.sketch)
    share_changed = article_summary.share_changed(candidate_summary)
    return share_changed <= _MAX_CHANGED


def _is_same_title(first: str, second: str) -> bool:
    """Whether one title contains the words of the other: print versions add words to it.

    >>> _is_same_title("tides", "tides print version"), _is_same_title("part 1", "part 10")
    (True, False)
    """
    shorter, longer = sorted((first, second), key=len)
    return not shorter or f" {shorter} " in f" {longer} "

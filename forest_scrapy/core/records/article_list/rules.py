"""The rules for the list of articles of a page, applied to it or written as JSON."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forest_scrapy.core import codec
from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.fields.bylines import split_names
from forest_scrapy.core.fields.dates import find_url_date, read_date
from forest_scrapy.core.page.noscript import show_content
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element, compile_xpath
from forest_scrapy.core.page.urls import absolute_url, fold_url
from forest_scrapy.core.xpaths.checking import check_xpaths, select_elements

#: The forms of dates, besides patterns of numbers such as ``d/m/Y``: what any program reads (ISO
#: 8601, or with the English name of the month), and what only some can.
STANDARD = "standard"
WORDS = "words"
#: Characters of the longest title, and of the longest summary.
MAX_TITLE_LENGTH = 300
MAX_SUMMARY_LENGTH = 5000
#: Summaries that are a text of the item itself, of 40 characters or more.
OWN_TEXT = "./text()[string-length(normalize-space()) > 39]"
#: Characters of the link at the end of a summary that only says to read on.
MAX_LINK_LENGTH = 40
#: Items of a page whose summaries end with the same words in a link, which tell nothing then.
MIN_SAME_LABELS = 2
#: What stands between a summary and this link.
_BEFORE_LINK = " \t\n|»\u203a→>-\u2013\u2014["
#: An attribute at the end of an expression, or of an operand of a union.
_ATTRIBUTE = re.compile(r"/@[\w:-]+(?=$| \| )")


@dataclass(frozen=True)
class ListedArticle:
    """An article that a page lists.  ``published``: ISO 8601; ``""`` for what is not there."""

    url: str
    title: str
    published: str = ""
    summary: str = ""
    image: str = ""
    authors: tuple[str, ...] = ()


@dataclass(frozen=True)
class ArticleListRules:
    """XPath 1.0 expressions for the articles that a page lists, and for the fields of each.

    ``items``: the elements of the articles.  The others start at one of these, their first match
    in the order of the page counts, and they are ``""`` if most articles have no such field:
    ``link`` and ``image`` give URLs, ``title``, ``published``, ``summary`` and ``author`` texts.
    ``date_form``: that of the dates, ``standard``, a pattern of numbers such as ``d/m/Y``, or
    ``words``.  ``url`` and ``name``: the page that they were learned from, and its title.
    """

    items: str
    link: str
    title: str
    published: str = ""
    summary: str = ""
    image: str = ""
    author: str = ""
    date_form: str = ""
    url: str = ""
    name: str = ""

    def apply(self, page: Page, fetched_at: str = "") -> list[ListedArticle]:
        """The articles that a page lists, in its order, each once.

        ``fetched_at`` (ISO 8601): for relative dates.  Raises ``BadRules`` if an expression cannot
        be evaluated.
        """
        page = show_content(page)
        elements = list(select_elements(self.items, page.root))
        labels = Counter(self._last_label(element, page) for element in elements)
        articles: dict[str, ListedArticle] = {}
        for element in elements:
            article = self._read(element, page, fetched_at, labels)
            if article is not None:
                articles.setdefault(fold_url(article.url), article)
        return list(articles.values())

    def _read(
        self,
        element: Element,
        page: Page,
        fetched_at: str,
        labels: Mapping[str, int],
    ) -> ListedArticle | None:
        url = self._read_url(element, page)
        title = read_first(self.title, element)[:MAX_TITLE_LENGTH]
        if not title or not url.startswith(("http://", "https://")):
            return None
        image = read_first(self.image, element)
        published = read_date(
            read_first(self.published, element),
            page.language,
            fetched_at,
            self._order,
        )
        authors = split_names(read_first(self.author, element), is_visible=True)
        return ListedArticle(
            url=url,
            title=title,
            published=published or find_url_date(url),
            summary=self._read_summary(element, page, labels)[:MAX_SUMMARY_LENGTH],
            image=absolute_url(image, page.base_url) if image else "",
            authors=tuple(authors),
        )

    def _read_url(self, element: Element, page: Page) -> str:
        href = read_first(self.link, element)
        return absolute_url(href, page.base_url).partition("#")[0] if href else ""

    def _read_summary(
        self,
        element: Element,
        page: Page,
        labels: Mapping[str, int],
    ) -> str:
        """The summary, without the link to the article at its end if those of other items have the
        same words ("Read more").  ``labels``: how many items have them."""
        text = read_first(self.summary, element)
        label = self._last_label(element, page)
        if not label or labels[label] < MIN_SAME_LABELS:
            return text
        return text[: -len(label)].rstrip(_BEFORE_LINK)

    def _last_label(self, element: Element, page: Page) -> str:
        """The words of the link to the article that the summary ends with; ``""`` if there is
        none."""
        if not self.summary or self.summary == OWN_TEXT:
            return ""
        summary_element = next(iter(select_elements(self.summary, element)), None)
        links = list(summary_element.iter("a")) if summary_element is not None else []
        if not links:
            return ""
        text = read_first(self.summary, element)
        label = " ".join("".join(links[-1].itertext()).split())
        is_at_end = text.endswith(label) and label != text
        href = absolute_url(links[-1].get("href") or "", page.base_url).partition("#")[0]
        is_to_article = fold_url(href) == fold_url(self._read_url(element, page))
        return label if is_at_end and is_to_article and len(label) <= MAX_LINK_LENGTH else ""

    @property
    def _order(self) -> str:
        """That of day and month in dates of numbers, see ``read_date``."""
        return {"d": "DMY", "m": "MDY"}.get(self.date_form[:1], "")

    def check(self) -> None:
        """Raise ``BadRules`` for an expression that is none."""
        check_xpaths("items", [self.items])
        for field in ("link", "title", "published", "summary", "image", "author"):
            xpath = getattr(self, field)
            if xpath and xpath != OWN_TEXT:
                check_xpaths(field, [_ATTRIBUTE.sub("", xpath)])
        for field in ("link", "title"):
            if not getattr(self, field):
                raise BadRules(f"{field} is missing: an article has a link and a title")

    def dumps(self) -> str:
        """The rules as JSON."""
        return codec.dumps(self)

    @classmethod
    def loads(cls, text: str) -> "ArticleListRules":
        """The rules of ``dumps``; raises ``BadRules``."""
        rules = codec.loads(cls, text)
        rules.check()
        return rules


def read_first(xpath: str, element: Element) -> str:
    """The text of what an expression finds first from an element, on one line; ``""`` if it finds
    nothing."""
    if not xpath:
        return ""
    try:
        results: Any = compile_xpath(xpath)(element)
    except Exception as error:
        raise BadRules(f"{xpath}: {error}") from error
    if not isinstance(results, list):
        return " ".join(str(results).split())
    for result in results:
        raw_text = result if isinstance(result, str) else "".join(result.itertext())
        return " ".join(raw_text.split())
    return ""

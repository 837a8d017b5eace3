"""The pages of an article before and after one of them, as it links them.

A link leads to another page of the same article if its URL differs from the page's own in a page
number only, and something besides says that it is one: its text is the number, or a word for the
next page, or ``rel``, or a text such as "page 2 of 3".  The next post of a blog, the next chapter
of a manual and pages of comments have other URLs, or nothing that says so.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple, Self
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.joining.page_numbers import PageNumber, fold_base, read_page_numbers
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import absolute_url, bare_host
from forest_scrapy.core.records.next_page import is_next_link, is_previous_link

#: Links whose URLs are compared with the page's own, the first ones.
_MAX_LINKS = 300
#: Characters of the text of a link, and of a text such as "page 2 of 3".
_MAX_LINK_TEXT = 80
_MAX_PAGE_TEXT = 60
#: Elements around a link in which a name tells what it is for.
_MAX_DEPTH = 6

_PAGE = (
    r"(?:pages?|seiten?|p[áa]ginas?|pagine|sida|sidan|side|sivu|stron[ay]|stran[aky]|str\.?|oldal"
    r"|страниц[аы]|стр\.?|сторінка|sayfa|σελίδα|halaman|trang|teil|ページ|頁|第)"
)
_OF = r"(?:of|out of|von|de|sur|di|da|van|av|af|z|ze|из|з|από|dari|/|\||共)"
#: "Page 2 of 3", "Seite 2/3", "第2页 共3页", "2 / 3 ページ"; the first number is the page's own.
_PAGE_OF = re.compile(
    rf"\b{_PAGE}\s*(\d{{1,3}})\s*+(?:(?:页|頁|ページ|페이지)\s*+)?{_OF}\s*(\d{{1,3}})"
    r"|(\d{1,3})\s*/\s*(\d{1,3})\s*(?:pages?|seiten?|p[áa]ginas?|ページ|页|頁|페이지)",
    re.IGNORECASE,
)
#: "Page 2", at an end of a title.
_PAGE_IN_TITLE = re.compile(rf"(?<!\w){_PAGE}\s*(\d{{1,3}})(?!\w)", re.IGNORECASE)
#: The number of a page at the start of the text of a link: "2", "[2]", "2. Eggs", "Page 2: Eggs".
_LINK_NUMBER = re.compile(rf"[\[(]?\s*(?:{_PAGE}\s*)?(\d{{1,3}})(?!\w)\s*(.?)", re.IGNORECASE)
#: What may follow the number, if anything does.
_AFTER_NUMBER = ("", ".", ":", ")", "]", "-", "\u2013")
_ONLY_NUMBER = re.compile(rf"[\[(]?\s*(?:{_PAGE}\s*)?(\d{{1,3}})\s*[\])]?", re.IGNORECASE)
#: Links to older posts of a blog, and to comments.
_OTHER_TEXT = re.compile(
    r"\b(?:older|newer|ältere|neuere|antigu[ao]s|recientes|anciens|récents|oudere|nieuwere|posts?"
    r"|entries|chapters?|lessons?|beiträge|kapitel|chapitre|cap[íi]tulo|next article"
    r"|nächster artikel|article suivant|comments?|kommentare?|commentaires?)\b",
    re.IGNORECASE,
)
_OTHER_NAME = re.compile(
    r"comment|kommentar|disqus|respon[ds]|replies|reactions|(?:^|[\s_-])reviews|forum"
    r"|posts?-navigation|archive|listing|search-result",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Neighbours:
    """The pages around one page of an article: the URL of the ``next_page``, ``""`` if there is
    none; whether it ``has_previous`` ones."""

    next_page: str = ""
    has_previous: bool = False

    def __bool__(self) -> bool:
        return bool(self.next_page) or self.has_previous


NO_NEIGHBOURS = Neighbours()


class _Link(NamedTuple):
    """A link of the page, with its absolute URL."""

    url: str
    element: Element

    @property
    def text(self) -> str:
        """The text, on one line; ``""`` for a long one."""
        raw_text = "".join(self.element.itertext())
        text = " ".join(raw_text.split())
        if len(text) <= _MAX_LINK_TEXT:
            return text
        return ""

    def has_rel(self, *names: str) -> bool:
        """Whether ``rel`` has one of the names."""
        rel = self.element.get("rel") or ""
        relations = rel.lower().split()
        return not set(names).isdisjoint(relations)


@dataclass
class _Article:
    """The links of a page to pages of one article that it may be a page of.

    ``number``: that of the page itself, from 1; ``has_number``: whether its URL has the number.
    ``links``: the links to each other page, by its number; for an article whose URLs have offsets,
    by these.  ``plain_links``: those to the URL without a page number, if the page's own has one.
    """

    number: int = 1
    has_number: bool = False
    links: dict[int, list[_Link]] = field(default_factory=dict)
    plain_links: list[_Link] = field(default_factory=list)
    is_named: bool = False
    is_step: bool = False
    is_offset: bool = False

    @classmethod
    def of_page(cls, reading: PageNumber) -> Self:
        """The article that a page with this number is of."""
        return cls(
            number=reading.number,
            has_number=True,
            is_named=reading.is_named,
            is_step=reading.is_step,
            is_offset=reading.is_offset,
        )

    def add(self, reading: PageNumber, link: _Link) -> None:
        """Add a link to the page with this number."""
        links = self.links.setdefault(reading.number, [])
        links.append(link)
        self.is_named |= reading.is_named
        self.is_step |= reading.is_step
        self.is_offset |= reading.is_offset


def find_neighbours(page: Page, number: int = 0) -> Neighbours:
    """The pages of the article around this one.  ``number``: that of the page, if it was requested
    as a further page of an article; 0 if it was not.

    Cost: of a page without links to URLs such as its own, that of looking at its links once, some
    0.1 ms.

    >>> html = "<p>Owls</p>Pages: <b>1</b> <a href=/owls/2/>2</a>"
    >>> find_neighbours(Page.from_html(html, "http://a.example/owls/")).next_page
    'http://a.example/owls/2/'
    >>> html = "<p>Owls</p><a rel=next href=/boats/>Next: Boats</a>"
    >>> find_neighbours(Page.from_html(html, "http://a.example/owls/"))
    Neighbours(next_page='', has_previous=False)
    """
    readings = read_page_numbers(page.url)
    links = _find_similar_links(page, bool(readings))
    if links:
        articles = _group_links(page, readings, links)
        for article in sorted(articles, key=_rank):
            _count_from_one(article)
            neighbours = _find_around(page, article, number)
            if neighbours:
                return neighbours
    return Neighbours("", number > 1)


def _rank(article: _Article) -> tuple[bool, bool, int]:
    """The reading that says that its numbers are of pages comes first, then that with most
    pages."""
    return not article.is_named, not article.is_step, -len(article.links)


def _find_similar_links(page: Page, has_number: bool) -> list[_Link]:
    """The links of the page that may lead to another page of its article.  ``has_number``: whether
    the URL of the page may have the number of a page, so that the URL of the first page may have
    none."""
    stem = _stem_of(page.url)
    if stem is None:
        return []

    similar: list[_Link] = []
    host = bare_host(page.url)
    may_be_encoded = not stem.isascii()
    has_query = "?" in page.url
    for element in chain(page.header_links, page.root.iter("a", "link", "option")):
        href = element.get("href") or element.get("value")
        # Nearly all links of a page end here.
        if not href:
            continue
        is_whole = href[0] in "/h#" or (len(href) > _MAX_SHORT_HREF and href[0] != "?")
        if is_whole and stem not in href and not may_be_encoded:
            continue

        is_canonical = has_query and element.tag == "link"
        may_lack_number = has_number or is_canonical
        if not _may_be_similar(href.strip(), stem, may_lack_number):
            continue
        url = absolute_url(href, page.base_url)
        if bare_host(url) == host:
            similar.append(_Link(url, element))
            if len(similar) == _MAX_LINKS:
                break
    return similar


def _stem_of(url: str) -> str | None:
    """What the URLs of all pages of an article have in common: the last step of the path that is
    more than a number, without its end; None for a URL that has neither path nor query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    path = parts.path[-_MAX_PATH:]
    for step in reversed(path.split("/")):
        words = _STEP_END.sub("", step)
        if words and not _PAGE_STEP.fullmatch(words):
            return unquote(words)
    return unquote(parts.query) or None


#: Characters of a path that are looked at.
_MAX_PATH = 1_000
_STEP_END = re.compile(r"[-_,.]?\d{0,9}(?:\.\w{2,5})?$")
_PAGE_STEP = re.compile(rf"{_PAGE}|index|default|p", re.IGNORECASE)
#: What the URL of a further page has: a short number at the end of the path, or in a parameter.
_MAY_HAVE_NUMBER = re.compile(r"=\d{1,4}(?:[&#]|$)|\d{1,3}/?(?:\.\w{2,5})?(?:[?#]|$)", re.ASCII)
#: "2/", "page-2.html", "index_2.html".
_SHORT_HREF = re.compile(rf"(?:\./)?(?:index|default)?[-_.]?(?:{_PAGE})?[-_/]?\d", re.IGNORECASE)
_MAX_SHORT_HREF = 24
#: From a further page to the first one.
_FIRST_HREFS = ("./", ".", "../", "..", "index.html", "index.htm", "index.php")


def _may_be_similar(href: str, stem: str, has_number: bool) -> bool:
    """Whether a URL as a page has it may be that of another page of the article, by what is seen
    without joining it to the base."""
    if not href:
        return False
    if stem in href or href[0] == "?":
        return has_number or bool(_MAY_HAVE_NUMBER.search(href))
    has_scheme = href.startswith("http")
    is_relative = href[0] not in "/#" and not has_scheme
    if is_relative:
        if _SHORT_HREF.match(href):
            return True
        if has_number and href in _FIRST_HREFS:
            return True
    is_encoded = "%" in href or not href.isascii()
    if not is_encoded or not _MAY_HAVE_NUMBER.search(href):
        return False
    return stem in unquote(href)


def _group_links(
    page: Page,
    readings: Sequence[PageNumber],
    links: Sequence[_Link],
) -> list[_Article]:
    """The articles that the page may be a page of, with the links to their pages.  ``readings``:
    the page numbers in its own URL."""
    articles: dict[str, _Article] = {}
    articles[fold_base(page.url)] = _Article()
    if "?" in page.url:
        # It may have been requested with parameters that say where a reader comes from.
        plain_url, _, _ = page.url.partition("?")
        plain_base = fold_base(plain_url)
        for link in links:
            if link.has_rel("canonical") and fold_base(link.url) == plain_base:
                articles[plain_base] = _Article()
                break
    for reading in readings:
        articles[reading.base] = _Article.of_page(reading)

    for link in links:
        is_of_head = link.element.tag == "link"
        if is_of_head and not link.has_rel("next", "prev", "previous"):
            continue
        if "comment" not in link.url:
            url, _, _ = link.url.partition("#")
            link = _Link(url, link.element)
        for reading in read_page_numbers(link.url):
            article = articles.get(reading.base)
            if article is not None and not _is_of_list(link):
                article.add(reading, link)
        if readings:
            article = articles.get(fold_base(link.url))
            if article is None or not article.has_number:
                continue
            if not _is_of_list(link):
                article.plain_links.append(link)

    with_links = []
    for article in articles.values():
        if article.links or article.plain_links:
            with_links.append(article)
    return with_links


def _is_of_list(link: _Link) -> bool:
    """Whether a link is one of the comments or of a list of posts."""
    if link.element.tag == "link":
        return False
    if _OTHER_TEXT.search(link.text):
        return True
    element: Element | None = link.element
    for _ in range(_MAX_DEPTH):
        if element is None:
            return False
        if element.tag in ("body", "article", "main"):
            return False
        name = f"{element.get('class') or ''} {element.get('id') or ''}"
        if len(name) > 1 and _OTHER_NAME.search(name[:500]):
            return True
        element = element.getparent()
    return False


def _count_from_one(article: _Article) -> None:
    """Give the pages of an article the numbers from 1 on, if its URLs have offsets, or count from
    0."""
    if article.is_offset:
        page_offset = article.number if article.has_number else 0
        offsets = sorted({0, page_offset, *article.links})
        numbers = {offset: number for number, offset in enumerate(offsets, 1)}
        article.number = numbers[page_offset]
        article.links = {numbers[offset]: links for offset, links in article.links.items()}
    elif _counts_from_zero(article):
        if article.has_number:
            article.number += 1
        article.links = {number + 1: links for number, links in article.links.items()}
    if article.plain_links:
        first_links = article.links.setdefault(1, [])
        first_links.extend(article.plain_links)


def _counts_from_zero(article: _Article) -> bool:
    """Whether the text of links to pages is greater by one than the number in their URLs."""
    has_shown_number = False
    for number, links in article.links.items():
        for link in links:
            shown_number = _read_shown_number(link)
            if shown_number is None:
                continue
            has_shown_number = True
            if shown_number != number + 1:
                return False
    if has_shown_number:
        return True

    if article.has_number or not article.is_named:
        return False
    has_second_only = article.links.keys() == {1}
    return has_second_only and _is_named_next(article.links[1])


def _read_shown_number(link: _Link) -> int | None:
    """The number that is the text of a link; None for another text."""
    if link.element.tag == "link":
        return None
    match = _ONLY_NUMBER.fullmatch(link.text)
    if match:
        return int(match[1])
    return None


def _is_numbered(links: Iterable[_Link], number: int) -> bool:
    """Whether one of the links has the number as its text."""
    return any(_read_shown_number(link) == number for link in links)


def _is_named_next(links: Iterable[_Link]) -> bool:
    """Whether one of the links says that it leads to the next page."""
    return any(link.has_rel("next") or is_next_link(link.element, link.text) for link in links)


def _is_named_previous(links: Iterable[_Link]) -> bool:
    """Whether one of the links says that it leads to the previous page."""
    return any(
        link.has_rel("prev", "previous") or is_previous_link(link.element, link.text)
        for link in links
    )


def _begins_with(links: Iterable[_Link], number: int) -> bool:
    """Whether the text of one of the links begins with the number, as in "2. Eggs"."""
    for link in links:
        match = _LINK_NUMBER.match(link.text)
        if not match or int(match[1]) != number:
            continue
        if match[2] in _AFTER_NUMBER:
            return True
    return False


def _find_around(
    page: Page,
    article: _Article,
    number: int,
) -> Neighbours | None:
    """The pages around the page, if it is one of this article; None if nothing says so."""
    following = _Following(article)
    page_number = _ShownNumber(page, article.number)
    if not article.has_number:
        if following.links and _is_next_of_first(article, following, page_number):
            return Neighbours(following.url, number > 1)
        return None

    is_further = number > 1 or _is_further(article, page_number)
    is_first = article.number == 1 and article.is_named
    next_page = ""
    if following.links:
        is_named = following.is_named and (is_further or is_first)
        if is_named or page_number.is_of_several:
            next_page = following.url

    # It waits for the page that leads to it, if there is one.
    has_previous = is_further
    if not is_further and article.number > 2:
        previous_links = article.links.get(article.number - 1, [])
        has_previous = _is_named_previous(previous_links)
    if not next_page and not has_previous:
        return None
    return Neighbours(next_page, has_previous)


class _Following:
    """The links to the page of an article that follows by its number."""

    def __init__(self, article: _Article) -> None:
        self._number = article.number + 1
        self.links = article.links.get(self._number, [])

    @property
    def url(self) -> str:
        """The URL of the first link."""
        return self.links[0].url

    @cached_property
    def is_numbered(self) -> bool:
        """Whether a link has the number of the page as its text."""
        return _is_numbered(self.links, self._number)

    @cached_property
    def is_named(self) -> bool:
        """Whether a link says that it leads to the next page, or to the one with this number."""
        if self.is_numbered or _is_named_next(self.links):
            return True
        return _begins_with(self.links, self._number)


def _is_next_of_first(
    article: _Article,
    following: _Following,
    page_number: "_ShownNumber",
) -> bool:
    """Whether the link from a URL without a page number to one with the number 2 leads to the
    second page."""
    if article.is_named or article.is_step:
        return following.is_named or page_number.is_of_several
    # The URL of another post with the same title ends in "-2", too.
    return following.is_numbered or page_number.is_of_several


def _is_further(article: _Article, page_number: "_ShownNumber") -> bool:
    """Whether a page with a number in its URL is a further page of an article."""
    number = article.number
    if number <= 1:
        return False
    if article.is_named:
        earlier_links = article.links.get(number - 1) or article.links.get(1)
        return bool(earlier_links) or page_number.is_of_several
    if page_number.is_of_several or page_number.is_in_title:
        return True
    # Chapters of a manual have URLs such as /manual/2/, and links to /manual/, too; but their
    # first one is /manual/1/.
    if _is_numbered(article.plain_links, 1):
        return True
    return number == 2 and _is_named_previous(article.plain_links)


class _ShownNumber:
    """Where the page shows its own number; looked for when it is asked for."""

    def __init__(self, page: Page, number: int) -> None:
        self._page = page
        self._number = number

    @cached_property
    def is_of_several(self) -> bool:
        """Whether the page shows its number as one of several, as in "page 2 of 3"."""
        outline = self._page.whole.outline
        return any(self._is_shown_in(leaf.text) for leaf in outline.leaves)

    def _is_shown_in(self, text: str) -> bool:
        if len(text) > _MAX_PAGE_TEXT:
            return False
        has_number = any(map(str.isdigit, text))
        if not has_number:
            return False
        match = _PAGE_OF.search(text)
        if match is None:
            return False
        number = int(match[1] or match[3])
        total = int(match[2] or match[4])
        return number == self._number <= total and total > 1

    @property
    def is_in_title(self) -> bool:
        """Whether the page's title has its number, as in "Owls - page 2"."""
        title = next(self._page.root.iter("title"), None)
        if title is None:
            return False
        text = "".join(title.itertext())
        matches = _PAGE_IN_TITLE.finditer(text[:500])
        return any(int(match[1]) == self._number for match in matches)

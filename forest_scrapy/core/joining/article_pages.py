"""The pages of an article before and after one of them, as it links them.

A link leads to another page of the same article if its URL differs from the page's own in a page
number only, and something besides says that it is one: its text is the number, or a word for the
next page, or ``rel``, or a text such as "page 2 of 3".  The next post of a blog, the next chapter
of a manual and pages of comments have other URLs, or nothing that says so.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
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


@dataclass
class _Article:
    """The links of a page to pages of one article that it may be a page of.

    ``number``: the page's own, from 1; ``own``: how it was read from the URL, None if the URL has
    none.  ``links``: the URL and the links of each other page, by its number; for an article whose
    URLs have offsets, by these.
    """

    number: int
    own: PageNumber | None
    links: dict[int, list[tuple[str, Element]]] = field(default_factory=dict)
    plain: list[tuple[str, Element]] = field(default_factory=list)
    is_named: bool = False
    is_step: bool = False
    is_offset: bool = False

    def add(self, reading: PageNumber, url: str, link: Element) -> None:
        self.links.setdefault(reading.number, []).append((url, link))
        self.is_named |= reading.is_named
        self.is_step |= reading.is_step
        self.is_offset |= reading.is_offset


def find_neighbours(page: Page, number: int = 0) -> Neighbours:
    """The pages of the article around this one.  ``number``: that of the page, if it was requested
    as a further page of an article; 0 if that is not known.

    Cost: of a page without links to URLs such as its own, that of looking at its links once, some
    0.1 ms.

    >>> html = "<p>Owls</p>Pages: <b>1</b> <a href=/owls/2/>2</a>"
    >>> find_neighbours(Page.from_html(html, "http://a.example/owls/")).next_page
    'http://a.example/owls/2/'
    >>> html = "<p>Owls</p><a rel=next href=/boats/>Next: Boats</a>"
    >>> find_neighbours(Page.from_html(html, "http://a.example/owls/"))
    Neighbours(next_page='', has_previous=False)
    """
    own_numbers = read_page_numbers(page.url)
    links = _find_similar_links(page, bool(own_numbers))
    for article in sorted(_group_links(page, own_numbers, links) if links else [], key=_rank):
        _count_from_one(article)
        if neighbours := _find_around(page, article, number):
            return neighbours
    return Neighbours("", number > 1)


def _rank(article: _Article) -> tuple[bool, bool, int]:
    """The reading that says that its numbers are of pages comes first, then that with most
    pages."""
    return not article.is_named, not article.is_step, -len(article.links)


def _find_similar_links(page: Page, has_number: bool) -> list[tuple[str, Element]]:
    """The links of the page that may lead to another page of its article, absolute.
    ``has_number``: whether its own URL may have the number of a page, so that the URL of the first
    page may have none."""
    stem = _stem_of(page.url)
    if stem is None:
        return []
    similar: list[tuple[str, Element]] = []
    host = bare_host(page.url)
    may_be_encoded = not stem.isascii()
    has_query = "?" in page.url
    for element in page.root.iter("a", "link", "option"):
        href = element.get("href") or element.get("value")
        # Nearly all links of a page end here.
        if not href:
            continue
        is_other = href[0] in "/h#" or (len(href) > _MAX_SHORT_HREF and href[0] != "?")
        if is_other and stem not in href and not may_be_encoded:
            continue
        is_canonical = has_query and element.tag == "link"
        if not _may_be_similar(href.strip(), stem, has_number or is_canonical):
            continue
        url = absolute_url(href, page.base_url)
        if bare_host(url) == host:
            similar.append((url, element))
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
    for step in reversed(parts.path[-_MAX_PATH:].split("/")):
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
    is_relative = href[0] not in "/#" and not href.startswith("http")
    if is_relative and (_SHORT_HREF.match(href) or (has_number and href in _FIRST_HREFS)):
        return True
    is_encoded = "%" in href or not href.isascii()
    return is_encoded and bool(_MAY_HAVE_NUMBER.search(href)) and stem in unquote(href)


def _group_links(
    page: Page, own_numbers: Sequence[PageNumber], links: Sequence[tuple[str, Element]]
) -> list[_Article]:
    """The articles that the page may be a page of, by what their URLs have in common, with the
    links to their pages."""
    articles: dict[str, _Article] = {fold_base(page.url): _Article(1, None)}
    if "?" in page.url:
        # It may have been requested with parameters that say where a reader comes from.
        plain_url = page.url.partition("?")[0]
        canonical = (url for url, link in links if _has_rel(link, ("canonical",)))
        if any(_is_same(url, plain_url) for url in canonical):
            articles[fold_base(plain_url)] = _Article(1, None)
    for own in own_numbers:
        numbered = articles[own.base] = _Article(own.number, own)
        numbered.is_named = own.is_named
        numbered.is_step = own.is_step
        numbered.is_offset = own.is_offset
    for url, element in links:
        if element.tag == "link" and not _has_rel(element, ("next", "prev", "previous")):
            continue
        url = url.partition("#")[0] if "comment" not in url else url
        for reading in read_page_numbers(url):
            article = articles.get(reading.base)
            if article is not None and not _is_other(element):
                article.add(reading, url, element)
        if own_numbers:
            plain = articles.get(fold_base(url))
            if plain is not None and plain.own is not None and not _is_other(element):
                plain.plain.append((url, element))
    return [article for article in articles.values() if article.links or article.plain]


def _is_same(url: str, other: str) -> bool:
    return fold_base(url) == fold_base(other)


def _has_rel(element: Element, names: Sequence[str]) -> bool:
    return bool(set(names).intersection((element.get("rel") or "").lower().split()))


def _is_other(link: Element) -> bool:
    """Whether a link is one of the comments or of a list of posts."""
    if link.tag == "link":
        return False
    if _OTHER_TEXT.search(_text_of(link)):
        return True
    element: Element | None = link
    for _ in range(_MAX_DEPTH):
        if element is None or element.tag in ("body", "article", "main"):
            return False
        name = f"{element.get('class') or ''} {element.get('id') or ''}"
        if len(name) > 1 and _OTHER_NAME.search(name[:500]):
            return True
        element = element.getparent()
    return False


def _text_of(link: Element) -> str:
    """The text of a link, on one line; ``""`` for a long one."""
    text = " ".join("".join(link.itertext()).split())
    return text if len(text) <= _MAX_LINK_TEXT else ""


def _count_from_one(article: _Article) -> None:
    """Give the pages of an article the numbers from 1 on, if its URLs have offsets, or count from
    0."""
    if article.is_offset:
        own = article.number if article.own else 0
        offsets = sorted({0, own, *article.links})
        numbers = {offset: i for i, offset in enumerate(offsets, 1)}
        article.number = numbers[own]
        article.links = {numbers[offset]: links for offset, links in article.links.items()}
    elif _counts_from_zero(article):
        article.number += 1 if article.own else 0
        article.links = {number + 1: links for number, links in article.links.items()}
    if article.plain:
        article.links.setdefault(1, []).extend(article.plain)


def _counts_from_zero(article: _Article) -> bool:
    """Whether the text of links to pages is greater by one than the number in their URLs."""
    shown = [
        (number, int(match[1]))
        for number, links in article.links.items()
        for _, link in links
        if link.tag != "link" and (match := _ONLY_NUMBER.fullmatch(_text_of(link)))
    ]
    if not shown:
        is_only = article.own is None and article.is_named and set(article.links) == {1}
        return is_only and _is_named_next(article.links[1])
    return all(text == number + 1 for number, text in shown if number or text != 1)


def _is_numbered(links: Iterable[tuple[str, Element]], number: int) -> bool:
    """Whether one of the links has the number as its text."""
    for _, link in links:
        match = None if link.tag == "link" else _ONLY_NUMBER.fullmatch(_text_of(link))
        if match and int(match[1]) == number:
            return True
    return False


def _is_named_next(links: Iterable[tuple[str, Element]]) -> bool:
    """Whether one of the links says that it leads to the next page."""
    return any(_has_rel(link, ("next",)) or is_next_link(link, _text_of(link)) for _, link in links)


def _is_named_previous(links: Iterable[tuple[str, Element]]) -> bool:
    return any(
        _has_rel(link, ("prev", "previous")) or is_previous_link(link, _text_of(link))
        for _, link in links
    )


def _begins_with(links: Iterable[tuple[str, Element]], number: int) -> bool:
    """Whether the text of one of the links begins with the number, as in "2. Eggs"."""
    for _, link in links:
        match = _LINK_NUMBER.match(_text_of(link))
        if (
            match
            and int(match[1]) == number
            and match[2] in ("", ".", ":", ")", "]", "-", "\u2013")
        ):
            return True
    return False


def _find_around(page: Page, article: _Article, number: int) -> Neighbours | None:
    """The pages around the page, if it is one of this article; None if nothing says so."""
    is_followed = number > 1 and article.own is not None
    own = article.number
    following = article.links.get(own + 1, [])
    is_numbered = _is_numbered(following, own + 1)
    is_named = is_numbered or _is_named_next(following) or _begins_with(following, own + 1)
    shown = _ShownNumber(page, own)
    if article.own is None:
        if not following:
            return None
        is_next = _is_next_of_first(article, is_numbered, is_named, shown)
        return Neighbours(following[0][0], number > 1) if is_next else None
    is_further = is_followed or (own > 1 and _is_further(article, shown))
    if is_further or (own == 1 and article.is_named):
        is_next = bool(following) and (is_named or shown.is_of_several)
    else:
        is_next = bool(following) and shown.is_of_several
    next_page = following[0][0] if is_next else ""
    # It waits for the page that leads to it, if there is one.
    before = article.links.get(own - 1, [])
    has_previous = is_further or (own > 2 and _is_named_previous(before))
    return Neighbours(next_page, has_previous) if next_page or has_previous else None


def _is_next_of_first(
    article: _Article, is_numbered: bool, is_named: bool, shown: "_ShownNumber"
) -> bool:
    """Whether the link from a URL without a page number to one with the number 2 leads to the
    second page."""
    if article.is_named or article.is_step:
        return is_named or shown.is_of_several
    # The URL of another post with the same title ends in "-2", too.
    return is_numbered or shown.is_of_several


def _is_further(article: _Article, shown: "_ShownNumber") -> bool:
    """Whether a page with a number above 1 in its URL is a further page of an article."""
    own = article.number
    before = article.links.get(own - 1, [])
    if article.is_named:
        return bool(before or article.links.get(1)) or shown.is_of_several
    if shown.is_of_several or shown.is_in_title:
        return True
    # Chapters of a manual have URLs such as /manual/2/, and links to /manual/, too; but their
    # first one is /manual/1/.
    if _is_numbered(article.plain, 1):
        return True
    return own == 2 and _is_named_previous(article.plain)


class _ShownNumber:
    """What the page itself says of its number; looked for when it is asked for."""

    def __init__(self, page: Page, number: int) -> None:
        self._page, self._number = page, number
        self._is_of_several: bool | None = None

    @property
    def is_of_several(self) -> bool:
        """Whether the page shows its number as one of several, as in "page 2 of 3"."""
        if self._is_of_several is None:
            texts = (leaf.text for leaf in self._page.whole.outline.leaves)
            self._is_of_several = any(self._shows(text) for text in texts)
        return self._is_of_several

    def _shows(self, text: str) -> bool:
        if len(text) > _MAX_PAGE_TEXT or not any(map(str.isdigit, text)):
            return False
        match = _PAGE_OF.search(text)
        if match is None:
            return False
        own, total = match[1] or match[3], match[2] or match[4]
        return int(own) == self._number <= int(total) and int(total) > 1

    @property
    def is_in_title(self) -> bool:
        """Whether the page's title has its number, as in "Owls - page 2"."""
        title = next(self._page.root.iter("title"), None)
        text = "".join(title.itertext())[:500] if title is not None else ""
        return any(int(match[1]) == self._number for match in _PAGE_IN_TITLE.finditer(text))

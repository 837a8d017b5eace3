"""The next and the previous page of a thread or a list, as the page links them, and whether that is
a page of the same thread."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import absolute_url

#: Texts of links to the next page, in several languages, and arrows.
_NEXT = re.compile(
    r"(?:next|next page|older|older posts|weiter|nächste|nächste seite|suivant|suivante"
    r"|page suivante|siguiente|seguinte|próxima|successiva|avanti|volgende|nästa|neste|næste"
    r"|seuraava|następna|další|след(?:ующая)?|вперед|sonraki|次へ|次|下一页|下一頁|다음)?"
    "\\s*[\u203a»>\u2192]*",
    re.IGNORECASE,
)
#: The same for the page before.
_PREVIOUS = re.compile(
    r"[\u2039\u00ab<\u2190]*\s*"
    r"(?:prev|previous|previous page|zurück|vorherige|vorherige seite|précédent|précédente"
    r"|page précédente|anterior|precedente|indietro|vorige|föregående|forrige|edellinen"
    r"|poprzednia|назад|пред(?:ыдущая)?|önceki|前へ|前|上一页|上一頁|이전)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,5}")
#: Attributes that name a link.
_NAMES = ("aria-label", "title", "class")
#: Those that tell a reader what a link does; characters of the longest of them that is read.
_LABELS = ("aria-label", "title")
MAX_LABEL_LENGTH = 60
_NEXT_NAME = re.compile(r"(?:^|[\s_-])next(?:$|[\s_-])", re.IGNORECASE)
_PREVIOUS_NAME = re.compile(r"(?:^|[\s_-])prev(?:ious)?(?:$|[\s_-])", re.IGNORECASE)
#: Words of labels such as "To the next page".
_NEXT_WORD = re.compile(
    r"\bnext|\bnächste|\bsuivant|\bsiguiente|\bseguinte|\bpróxim|\bsuccessiv|\bvolgende|\bnästa"
    r"|\bneste|\bnæste|\bseuraava|\bnastępn|\bdalší|\b(?:след)|\bsonraki|次|下一|다음",
    re.IGNORECASE,
)
_PREVIOUS_WORD = re.compile(
    r"\bprevious|\bvorherige|\bprécédent|\banterior|\bprecedente|\bvorige|\bföregående|\bforrige"
    r"|\bedellinen|\bpoprzedni|\bpředchozí|\b(?:пред)|\bönceki|前の|上一|이전",
    re.IGNORECASE,
)
_PAGE_WORD = re.compile(
    r"\bpages?\b|\bseite|\bp[áa]gina|\bsida|\bside\b|\bsivu|\bstron|\bstrán|\b(?:страниц)|\bsayfa"
    r"|ページ|页|頁|페이지",
    re.IGNORECASE,
)
#: Attributes for scripts and tests, such as ``data-testid="pagination-next"``; the words of
#: "paginationNext".
_DATA = "data-"
_PAGING = re.compile(r"(?:^|[\s_-])(?:page|pager|paging|pagination|paginator)(?:$|[\s_-])", re.I)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class _Names(NamedTuple):
    """What the texts, names and labels of links to a page match."""

    text: re.Pattern[str]
    name: re.Pattern[str]
    word: re.Pattern[str]


_TO_NEXT = _Names(_NEXT, _NEXT_NAME, _NEXT_WORD)
_TO_PREVIOUS = _Names(_PREVIOUS, _PREVIOUS_NAME, _PREVIOUS_WORD)


def find_next_page(page: Page) -> str:
    """The URL of the next page: a link with ``rel=next``, else the link after the number of this
    page in a row of page numbers, else one with a text such as "Next", or a label, class or data
    attribute that says so; ``""`` if there is none.  Only on the same host.

    >>> page = Page.from_html("<b>1</b> <a href=?p=2>2</a>", "http://a.example/t")
    >>> find_next_page(page), find_next_page(Page.from_html("<a href=/x>x</a>", page.url))
    ('http://a.example/t?p=2', '')
    """
    page = page.whole  # the links are at its end
    return (
        _first_url(page, _declared_links(page, ("next",)))
        or _first_url(page, _links_after_own_number(page))
        or _first_url(page, _named_links(page, _TO_NEXT))
    )


def find_previous_page(page: Page) -> str:
    """The URL of the page before, found in the same ways.

    >>> page = Page.from_html("<a href=?p=1>1</a> <b>2</b>", "http://a.example/t?p=2")
    >>> find_previous_page(page), find_next_page(page)
    ('http://a.example/t?p=1', '')
    """
    page = page.whole
    return (
        _first_url(page, _declared_links(page, ("prev", "previous")))
        or _first_url(page, _links_before_own_number(page))
        or _first_url(page, _named_links(page, _TO_PREVIOUS))
    )


def _first_url(page: Page, links: Iterable[Element]) -> str:
    """The first URL of another page on the same host."""
    page_url, _, _ = page.url.partition("#")
    for link in links:
        href = link.get("href") or ""
        url = absolute_url(href, page.base_url)
        url, _, _ = url.partition("#")
        is_other_page = bool(url) and url != page_url
        if is_other_page and _is_same_host(url, page.url):
            return url
    return ""


def _declared_links(page: Page, names: Sequence[str]) -> Iterator[Element]:
    for element in page.root.iter("link", "a"):
        rel = element.get("rel") or ""
        relations = rel.lower().split()
        if not set(names).isdisjoint(relations):
            yield element


class _PageNumber(NamedTuple):
    """A page number, and its link; None for the page's own."""

    number: int
    link: Element | None


def _links_after_own_number(page: Page) -> Iterator[Element]:
    for first, second in _number_pairs(page):
        is_own = first.link is None
        if is_own and second.link is not None:
            yield second.link


def _links_before_own_number(page: Page) -> Iterator[Element]:
    for first, second in _number_pairs(page):
        is_own = second.link is None
        if is_own and first.link is not None:
            yield first.link


def _number_pairs(page: Page) -> Iterator[tuple[_PageNumber, _PageNumber]]:
    """Successive numbers in rows of page numbers."""
    outline = page.outline
    previous: _PageNumber | None = None
    for leaf in outline.leaves:
        text = leaf.text.strip()
        if not _NUMBER.fullmatch(text):
            is_separator = not text.strip("[]()|·, ")
            if not is_separator:
                previous = None
            continue
        path = outline.path(leaf.node)
        ancestors = (outline.nodes[index].element for index in path)
        link = next(filter(_is_link, ancestors), None)
        number = _PageNumber(int(text), link)
        if previous and number.number == previous.number + 1:
            yield previous, number
        previous = number


def is_next_link(link: Element, text: str) -> bool:
    """Whether the text of a link, a class, a label or a data attribute says that it leads to the
    next page."""
    return _is_named(link, text, _TO_NEXT)


def is_previous_link(link: Element, text: str) -> bool:
    """As ``is_next_link``, for the page before."""
    return _is_named(link, text, _TO_PREVIOUS)


def _is_named(
    link: Element,
    text: str,
    names: _Names,
) -> bool:
    if text and names.text.fullmatch(text):
        return True
    is_short = len(text) <= MAX_LABEL_LENGTH
    if is_short and _is_page_label(text, names):
        return True
    return _has_name(link, names)


def _is_page_label(text: str, names: _Names) -> bool:
    """Whether a text such as "To the next page" names the page."""
    if not names.word.search(text):
        return False
    return _PAGE_WORD.search(text) is not None


def _has_name(link: Element, names: _Names) -> bool:
    """Whether a class, a label or a data attribute names the page."""
    for attribute in _NAMES:
        value = link.get(attribute) or ""
        if names.name.search(value):
            return True
    if _has_label(link, names):
        return True
    return _has_data(link, names)


def _named_links(page: Page, names: _Names) -> Iterator[Element]:
    """The links with a text, class, label or data attribute that names the page."""
    for index, node in enumerate(page.outline.nodes):
        if not _is_link(node.element):
            continue
        text = page.outline.line(index)
        is_named_by_text = text and names.text.fullmatch(text)
        if is_named_by_text or _has_name(node.element, names):
            yield node.element


def _has_label(element: Element, names: _Names) -> bool:
    for attribute in _LABELS:
        label = element.get(attribute) or ""
        label = label.strip()
        if not label or len(label) > MAX_LABEL_LENGTH:
            continue
        if _is_page_label(label, names):
            return True
        if names.text.fullmatch(label):
            return True
    return False


def _has_data(element: Element, names: _Names) -> bool:
    for attribute, value in element.attrib.items():
        is_data = str(attribute).startswith(_DATA)
        if not is_data or len(value) > MAX_LABEL_LENGTH:
            continue
        words = _CAMEL.sub("-", f"{attribute} {value}")
        names_page = names.name.search(words) is not None
        if names_page and _PAGING.search(words):
            return True
    return False


def _is_link(element: Element) -> bool:
    if element.tag != "a":
        return False
    return element.get("href") is not None


def _is_same_host(first_url: str, second_url: str) -> bool:
    try:
        first_host = urlsplit(first_url).netloc
        second_host = urlsplit(second_url).netloc
    except ValueError:
        return False
    return first_host == second_host


#: Words with which URLs name the number of a page, and those of links to other threads.
_PAGE_WORDS = frozenset(
    "page pages pageno pagenumber p pg pn start st offset o i from skip seite pagina s sid"
    " phpsessid html htm".split()
)
_ELSEWHERE_WORDS = frozenset("next prev previous older newer last unread new goto".split())
#: Session ids.
_SESSION = re.compile(r"(?<![0-9a-f])(?=[0-9a-f]{16})(?=\w{0,256}\d)[0-9a-f]++", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_NUMBERS = re.compile(r"\d+")
#: Digits of the largest page number or offset.
MAX_DIGITS = 5


def digest_words(page: Page) -> str:
    """A digest of the visible text without digits: equal for pages that a site repeats with
    another page number.

    >>> first, second = (Page.from_html(f"<p>Owls</p>Page {i}") for i in (1, 2))
    >>> digest_words(first) == digest_words(second)
    True
    """
    leaves = page.outline.leaves
    texts = [_NUMBERS.sub("", leaf.text) for leaf in leaves]
    return hex_digest("".join(texts))


def next_thread_page(page: Page) -> str:
    """The URL of the next page of the same thread; ``""`` if there is none.

    >>> page = Page.from_html("<a href=/t/9 rel=next>Next</a>", "http://a.example/t/7")
    >>> next_thread_page(page)
    ''
    """
    url = find_next_page(page)
    if url and is_same_thread(page.url, url):
        return url
    return ""


def has_previous_page(page: Page) -> bool:
    """Whether the page links to a previous page of the same thread."""
    url = find_previous_page(page)
    if not url:
        return False
    return is_same_thread(page.url, url)


def is_same_thread(first_url: str, second_url: str) -> bool:
    """Whether two URLs may be those of pages of one thread: they differ in a page number only, or
    share the number of the thread and differ in words, too.

    >>> is_same_thread("http://a.example/t/owls", "http://a.example/t/owls?page=2")
    True
    >>> is_same_thread("http://a.example/t/owls", "http://a.example/t/boats?page=2")
    False
    """
    first_tokens = _tokens(first_url)
    second_tokens = _tokens(second_url)
    added = Counter(second_tokens) - Counter(first_tokens)
    removed = Counter(first_tokens) - Counter(second_tokens)
    if _ELSEWHERE_WORDS.intersection(added):
        return False

    shared_tokens = set(first_tokens).intersection(second_tokens)
    shared_numbers = set(filter(str.isdigit, shared_tokens))
    differing_tokens = (*added, *removed)
    differing_words = {token for token in differing_tokens if not token.isdigit()}
    has_other_words = not differing_words <= _PAGE_WORDS
    shares_long_number = any(len(number) > 2 for number in shared_numbers)
    if has_other_words and not shares_long_number:
        return False

    added_numbers = _numbers_of(added)
    removed_numbers = _numbers_of(removed)
    if not _may_be_page_number(added_numbers):
        return False
    if not _may_be_page_number(removed_numbers):
        return False
    if not added_numbers or not removed_numbers or shared_numbers:
        return True
    return _is_page_number(second_tokens, added_numbers[0])


def _numbers_of(tokens: Counter[str]) -> list[str]:
    return list(filter(str.isdigit, tokens.elements()))


def _may_be_page_number(numbers: list[str]) -> bool:
    """Whether the numbers that only one of two URLs has are one short number, or none."""
    if not numbers:
        return True
    if len(numbers) > 1:
        return False
    return len(numbers[0]) <= MAX_DIGITS


def _tokens(url: str) -> list[str]:
    """The words and numbers of the path and the query, in lower case, without session ids."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    text = unquote(f"{parts.path} {parts.query}")
    text = _SESSION.sub(" ", text.lower())
    return _TOKEN.findall(text)


def _is_page_number(tokens: list[str], number: str) -> bool:
    """Whether the last such number follows a word for pages."""
    after_number = tokens[::-1].index(number)
    position = len(tokens) - 1 - after_number
    return position > 0 and tokens[position - 1] in _PAGE_WORDS

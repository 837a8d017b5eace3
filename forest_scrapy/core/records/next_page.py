"""The next and the previous page of a list, a thread or an answer, as the page links them, and
whether that is a page of the same thread.

A pager is read in three ways: a declared relation, a row of page numbers or ranges around the
page's own, and a link with a label such as "Next 25".  Whichever it is, the URL decides, too: that
of a page of the same list differs in a number, or says that it is a page.  So "Next" below an
article and the days of a calendar lead nowhere.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import absolute_url, fold_url
from forest_scrapy.core.records.page_labels import (
    MAX_LABEL_LENGTH,
    NEXT,
    PREVIOUS,
    Claim,
    Direction,
    has_name,
    read_label,
)
from forest_scrapy.core.records.page_steps import (
    PageStep,
    is_second_page,
    may_be_any_page,
    read_named_number,
    read_step,
)

_RELATIONS_OF_NEXT = frozenset(("next",))
_RELATIONS_OF_PREVIOUS = frozenset(("prev", "previous"))
#: Attributes that tell a reader what a link does, and what pictures in it have.
_LABELS = ("aria-label", "title")
_PICTURE_LABELS = ("alt", "title", "aria-label")
#: Attributes for scripts and tests, such as ``data-testid="pagination-next"``; the words of
#: "paginationNext".
_DATA = "data-"
_PAGING = re.compile(r"(?:^|[\s_-])(?:page|pager|paging|pagination|paginator)(?:$|[\s_-])", re.I)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_FILE_ENDING = re.compile(r"\.\w{3,4}$")
_DISABLED = re.compile(r"(?:^|[\s_-])(?:disabled|inactive)(?:$|[\s_-])", re.IGNORECASE)
#: Names of the number of the page itself, where that is a link, too.
_CURRENT = re.compile(
    r"(?:^|[\s_-])(?:active|current|selected|cur|on|here|this)(?:$|[\s_-])",
    re.IGNORECASE,
)
#: Elements around a number in which such a name is looked for.
_MAX_DEPTH = 2

#: Text between the numbers of pages: words for pages, arrows and separators; "Page 2 of 9", which
#: is no number of a row.
_PAGE_OF = re.compile(
    r"\d{1,5}\s*(?:of|von|de|sur|di|van|av|af|z|из|/)\s*\d{1,5}\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,5}")
_HAS_NUMBER = re.compile(r".{0,20}\d")
#: "26-50", "26 to 50".
_RANGE = re.compile(r"(\d{1,7})\s*(?:[-\u2010-\u2015]|to|bis|à|a)\s*(\d{1,7})")
_ROW_TEXT = re.compile(
    r"(?:pages?|seiten?|p[áa]ginas?|pagine|sida|side|sivu|strony?|strana|страниц[аы]|sayfa|go to"
    r"|goto|results?|first|last|prev|previous|next|jump|[\W_])*",
    re.IGNORECASE,
)
#: Claims that tell the direction.
_STEP_CLAIMS = (Claim.NAME, Claim.STEP, Claim.PAGE)
#: Texts in a link: one with more is no label.
_MAX_LEAVES = 8
#: Years and ids are no numbers of pages, if the row does not begin with smaller ones.
_MAX_FIRST_NUMBER = 999


def find_next_page(page: Page) -> str:
    """The URL of the next page: a link with ``rel=next``, else the number after the page's own in a
    row of page numbers or ranges, else a link with a label such as "Next" or "More results", or
    with a class or data attribute that says so; ``""`` if there is none.  Only on the same host,
    and only to a URL as pages of one list have.

    >>> page = Page.from_html("<b>1</b> <a href=?p=2>2</a>", "http://a.example/t")
    >>> find_next_page(page), find_next_page(Page.from_html("<a href=/x>x</a>", page.url))
    ('http://a.example/t?p=2', '')
    """
    return _find_page(page, NEXT, 1)


def find_previous_page(page: Page) -> str:
    """The URL of the page before, found in the same ways.

    >>> page = Page.from_html("<a href=?p=1>1</a> <b>2</b>", "http://a.example/t?p=2")
    >>> find_previous_page(page), find_next_page(page)
    ('http://a.example/t?p=1', '')
    """
    return _find_page(page, PREVIOUS, -1)


def _find_page(
    page: Page,
    direction: Direction,
    distance: int,
) -> str:
    page = page.whole  # the links are at its end
    reverse_url = ""
    for link in _declared_links(page, direction):
        url = _other_page(page, link)
        if url and _may_lead(page.url, url, Claim.STEP, distance):
            return url
        if url and not reverse_url and _is_reverse(page.url, url, distance):
            reverse_url = url

    for row in _number_rows(page):
        url = _url_beside_own(page, row, distance)
        if url:
            return url

    for link, claim in _claiming_links(page, direction):
        url = _other_page(page, link)
        if url and _may_lead(page.url, url, claim, distance):
            return url
        is_step = claim >= Claim.STEP
        if url and is_step and not reverse_url and _is_reverse(page.url, url, distance):
            reverse_url = url

    if reverse_url and _counts_down(page, direction, distance):
        return reverse_url
    return ""


def _is_reverse(page_url: str, url: str, distance: int) -> bool:
    """Whether a URL has the number of a page on the other side of the page's own."""
    step = read_step(page_url, url)
    if step is None or step.number is None or step.own_number is None:
        return False
    return step.is_named and (step.number - step.own_number) * distance < 0


def _counts_down(
    page: Page,
    direction: Direction,
    distance: int,
) -> bool:
    """Whether the link in the other direction is reversed, too: blogs may give their oldest page
    the number 1.  On the last page of another pager only "next" is reversed, which leads to the
    first one."""
    opposite = PREVIOUS if direction is NEXT else NEXT
    urls = [_other_page(page, link) for link in _declared_links(page, opposite)]
    for link, claim in _claiming_links(page, opposite):
        if claim >= Claim.STEP:
            urls.append(_other_page(page, link))
    return any(url and _is_reverse(page.url, url, -distance) for url in urls)


def _other_page(page: Page, link: Element) -> str:
    """The URL of a link; ``""`` if that is the page itself, or on another host."""
    href = link.get("href") or ""
    if href.startswith("#"):
        return ""
    url = absolute_url(href, page.base_url)
    url, _, _ = url.partition("#")
    if not url or not _is_same_host(url, page.url):
        return ""
    return "" if fold_url(url) == fold_url(page.url) else url


def _may_lead(
    page_url: str,
    url: str,
    claim: Claim,
    distance: int,
) -> bool:
    """Whether a link with this claim may lead from the page to another page of the list, at a
    distance of 1 or -1."""
    step = read_step(page_url, url)
    if step is not None:
        return _is_plausible(step, claim, distance)
    if claim == Claim.PAGE and may_be_any_page(page_url, url):
        return True
    if claim < Claim.STEP:
        return False
    # An answer to a form may have its further pages at another path.
    return read_named_number(url) is not None or is_second_page(page_url, url)


def _is_plausible(
    step: PageStep,
    claim: Claim,
    distance: int,
) -> bool:
    """Whether the numbers of a step are those of a link with this claim."""
    if step.is_cursor:
        return claim != Claim.NAME
    if step.own_number is None:
        return True
    number = step.number or 0  # the first page may have no number
    return (number - step.own_number) * distance > 0


def _declared_links(page: Page, direction: Direction) -> Iterator[Element]:
    names = _RELATIONS_OF_NEXT if direction is NEXT else _RELATIONS_OF_PREVIOUS
    for element in chain(page.root.iter("link", "a"), page.header_links):
        rel = element.get("rel") or ""
        relations = rel.lower().split()
        if not names.isdisjoint(relations):
            yield element


class _Numeral(NamedTuple):
    """A number of a row, or the range from ``first`` to ``last``; the element that it stands in,
    and its link, None if it has none."""

    first: int
    last: int
    element: Element
    link: Element | None

    @property
    def is_range(self) -> bool:
        return self.first != self.last


def _number_rows(page: Page) -> Iterator[list[_Numeral]]:
    """Rows of numbers or ranges with at least one link, in the order of the page."""
    outline = page.outline
    row: list[_Numeral] = []
    for line, leaf in zip(outline.lines, outline.leaves, strict=True):
        # Nearly all texts of a page end here.
        if not row and not _HAS_NUMBER.match(line):
            continue
        numerals = _read_numerals(page, line, leaf.node)
        if numerals is None:
            if _is_row(row):
                yield row
            row = []
            continue
        for numeral in numerals:
            # The numbers of pages ascend; what stands before them, such as counts, does not.
            if row and numeral.first <= row[-1].first:
                if _is_row(row):
                    yield row
                row = []
            row.append(numeral)
    if _is_row(row):
        yield row


def _is_row(row: Sequence[_Numeral]) -> bool:
    if len(row) < 2:
        return False
    return any(numeral.link is not None for numeral in row)


def _read_numerals(
    page: Page,
    text: str,
    node: int,
) -> list[_Numeral] | None:
    """The numbers that a text is, none for a separator; None for a text that is neither."""
    if len(text) > MAX_LABEL_LENGTH:
        return None
    text = _PAGE_OF.sub(" ", text)
    spans = [(int(match[1]), int(match[2])) for match in _RANGE.finditer(text)]
    rest = _RANGE.sub(" ", text)
    if not spans:
        spans = [(int(match[0]), int(match[0])) for match in _NUMBER.finditer(text)]
        rest = _NUMBER.sub(" ", text)
    link = _link_around(page, node)
    if not spans:
        is_between = _ROW_TEXT.fullmatch(rest) is not None
        if is_between or (link is not None and _is_step_link(link, text)):
            return []
        return None
    if not _ROW_TEXT.fullmatch(rest):
        return None
    if "#" in rest or "/" in rest:  # numbers of posts, dates
        return None
    if link is not None and len(spans) > 1:
        return None

    element = page.outline.nodes[node].element
    numerals = []
    for first, last in spans:
        if last < first:
            return None
        numerals.append(_Numeral(first, last, element, link))
    return numerals


def _is_step_link(link: Element, text: str) -> bool:
    return is_next_link(link, text) or is_previous_link(link, text)


def _link_around(page: Page, node: int) -> Element | None:
    outline = page.outline
    for index in outline.path(node):
        element = outline.nodes[index].element
        if _is_link(element):
            return element
    return None


def _is_current(page: Page, numeral: _Numeral) -> bool:
    """Whether a number is that of the page itself by an attribute, or as a link to the page."""
    element: Element | None = numeral.element
    if numeral.link is not None:
        element = numeral.link
        href = element.get("href") or ""
        if not href or href.startswith("#"):
            return True
        url = absolute_url(href, page.base_url)
        if url and fold_url(url) == fold_url(page.url):
            return True
    for _ in range(_MAX_DEPTH):
        if element is None or element.tag == "body":
            return False
        current = element.get("aria-current") or "false"
        if current != "false":
            return True
        if _CURRENT.search(element.get("class") or ""):
            return True
        element = element.getparent()
    return False


def _url_beside_own(
    page: Page,
    row: Sequence[_Numeral],
    distance: int,
) -> str:
    """The URL of the page at this distance from the page itself, 1 or -1, in a row of numbers;
    ``""`` if the row is none of pages, or has no such link."""
    if min(numeral.first for numeral in row) > _MAX_FIRST_NUMBER and not row[0].is_range:
        return ""
    own = _own_numeral(page, row)
    if own is None:
        return ""
    for numeral in row:
        if numeral.link is None or numeral is own:
            continue
        is_after = numeral.first == own.last + 1
        is_before = numeral.last == own.first - 1
        is_wanted = is_after if distance > 0 else is_before
        if not is_wanted:
            continue
        url = _other_page(page, numeral.link)
        step = read_step(page.url, url) if url else None
        if step is not None and _fits(step, numeral, own):
            return url
    return ""


def _own_numeral(page: Page, row: Sequence[_Numeral]) -> _Numeral | None:
    """The number of the page itself: the only one without a link, or the only one that is marked;
    else the first, if the page has a URL without a number and the link of the first one has."""
    current = [numeral for numeral in row if _is_current(page, numeral)]
    if len({numeral.first for numeral in current}) == 1:
        return current[0]
    plain = [numeral for numeral in row if numeral.link is None]
    beside_links = [numeral for numeral in plain if _is_beside_link(row, numeral)]
    if len(beside_links) == 1:
        return beside_links[0]
    if len(plain) == 1:
        return plain[0]
    if plain or current:
        return None

    first = min(row, key=lambda numeral: numeral.first)
    if first.first > 1 or first.link is None:
        return None
    url = _other_page(page, first.link)
    step = read_step(page.url, url) if url else None
    if step is None or step.own_number is not None:
        return None
    is_first = step.number is not None and step.number <= 1
    return first if is_first else None


def _is_beside_link(row: Sequence[_Numeral], own: _Numeral) -> bool:
    """Whether the number before or after one has a link."""
    for numeral in row:
        is_beside = numeral.first == own.last + 1 or numeral.last == own.first - 1
        if is_beside and numeral.link is not None:
            return True
    return False


def _fits(
    step: PageStep,
    numeral: _Numeral,
    own: _Numeral,
) -> bool:
    """Whether the number of a URL is one of the page with this number, from 0 or 1, or the number
    of what comes before that page."""
    if step.is_cursor:
        return False
    if step.number is None:
        return numeral.first == 1
    if step.is_named:
        return True
    before = numeral.first - 1
    if step.number in (numeral.first, before):
        return True
    if not before or step.number <= before:
        return False
    if own.first == 1 and step.own_number is None:
        return True
    return step.number % before in (0, 1)


def is_next_link(link: Element, text: str) -> bool:
    """Whether the text of a link, a class, a label or a data attribute says that it leads to the
    next page."""
    return _read_claim(link, text, NEXT) in _STEP_CLAIMS


def is_previous_link(link: Element, text: str) -> bool:
    """As ``is_next_link``, for the page before."""
    return _read_claim(link, text, PREVIOUS) in _STEP_CLAIMS


def _claiming_links(page: Page, direction: Direction) -> Iterator[tuple[Element, Claim]]:
    """The links that say something of a direction, and what."""
    for index, node in enumerate(page.outline.nodes):
        if node.tag != "a" or not _is_link(node.element):
            continue
        if node.last - node.first > _MAX_LEAVES:
            continue
        text = page.outline.line(index)
        claim = _read_claim(node.element, text, direction)
        if claim != Claim.NONE and not _is_disabled(node.element):
            yield node.element, claim


def _is_disabled(link: Element) -> bool:
    element: Element | None = link
    for _ in range(_MAX_DEPTH):
        if element is None:
            return False
        if element.get("aria-disabled") == "true":
            return True
        if _DISABLED.search(element.get("class") or ""):
            return True
        element = element.getparent()
    return False


def _read_claim(link: Element, text: str, direction: Direction) -> Claim:
    """The strongest claim of a link's text, labels, pictures, class and data attributes."""
    claim = read_label(text, direction)
    if claim >= Claim.STEP:
        return claim
    labels = [link.get(name) or "" for name in _LABELS]
    if not text:
        labels += _picture_labels(link)
    for label in filter(None, labels):
        claim = max(claim, read_label(label, direction))
    if claim != Claim.NONE:
        return claim
    if _has_class(link, text, direction) or _has_data(link, direction):
        return Claim.NAME
    return Claim.NONE


def _picture_labels(link: Element) -> Iterator[str]:
    """What pictures and icons in a link are called."""
    for element in link.iterdescendants():
        if element.tag == "title":
            yield element.text or ""
            continue
        for name in _PICTURE_LABELS:
            yield element.get(name) or ""
        if element.tag == "img":
            source = element.get("src") or ""
            path, _, _ = source.partition("?")
            yield _FILE_ENDING.sub("", path.rpartition("/")[2])


def _has_class(link: Element, text: str, direction: Direction) -> bool:
    names = [link.get("class") or "", link.get("id") or ""]
    parent = link.getparent()
    # ``len`` of the parent would count all links of a row, for each of them.
    is_alone = link.getprevious() is None and link.getnext() is None
    if parent is not None and is_alone:
        names.append(parent.get("class") or "")
    if not text:
        names += [element.get("class") or "" for element in link.iterdescendants()]
    return any(has_name(name, direction) for name in names if name)


def _has_data(element: Element, direction: Direction) -> bool:
    for attribute, value in element.attrib.items():
        is_data = str(attribute).startswith(_DATA)
        if not is_data or len(value) > MAX_LABEL_LENGTH:
            continue
        words = _CAMEL.sub("-", f"{attribute} {value}")
        if has_name(words, direction) and _PAGING.search(words):
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
    """Whether the page links to a previous page of the same thread: as such or, if its URL says
    that it is a further one, anywhere, as titles do."""
    url = find_previous_page(page)
    if url:
        return is_same_thread(page.url, url)
    if not _NUMBER.search(page.url):
        return False
    return any(_is_earlier(page, link) for link in page.whole.root.iter("a"))


def _is_earlier(page: Page, link: Element) -> bool:
    """Whether a link leads to an earlier page of the thread by the numbers of pages in the URLs."""
    url = _other_page(page, link)
    step = read_step(page.url, url) if url else None
    if step is None or not step.is_named or step.own_number is None:
        return False
    is_earlier = (step.number or 0) < step.own_number
    return is_earlier and is_same_thread(page.url, url)


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

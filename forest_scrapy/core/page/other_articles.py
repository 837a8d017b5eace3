"""Other articles on an article's page: appended ones, and teasers."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple
from urllib.parse import urlsplit

from forest_scrapy.core.page.declared import is_at
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text, line_text
from forest_scrapy.core.page.tree import Element, TagAndClass, tag_and_class
from forest_scrapy.core.page.urls import absolute_url, host_of

_HEADINGS = ("h1", "h2", "h3", "h4")
#: The share of words in common from which a heading shows the title.  Not tuned.
_MIN_TITLE_SHARE = 0.6
#: Characters of a heading that are read.
_MAX_HEADING_LENGTH = 2000
#: Links below a heading, and elements around a block, that are looked at.
_MAX_ELEMENTS = 50
#: Articles that show the title whose texts are compared: teasers of the page's own article.
_MAX_SHOWING = 8

#: Elements that link to sections of the site.
_MENUS = frozenset(("nav", "footer", "header"))
#: Related articles that are listed.  Not tuned.
_MAX_RELATED = 50
#: Words of the title of a related article: labels of sections are shorter.  Not tuned.
_MIN_TITLE_WORDS = 3

#: Headings that link to other pages of the site, which an article may have.  Not tuned.
_MAX_LINKED_HEADINGS = 4
#: The share of the text before the first of more of them, if the page is an article.  Not tuned.
_MIN_SHARE_BEFORE = 0.5

#: Headings of further articles in a content.  Not tuned.
_MAX_APPENDED = 50
#: The share of an article's text that the element of its text has.  Not tuned.
_MIN_BODY_SHARE = 0.8
#: Words of an article's text.  Not tuned.
_MIN_BODY_WORDS = 20


#: The elements with the text of an article, by their tag and class.
_Bodies = dict[TagAndClass, Element]


class Related(NamedTuple):
    """Another article that the page shows or links."""

    title: str
    url: str


def find_other_articles(
    page: Page,
    blocks: Iterable[Element],
) -> frozenset[Element]:
    """The ``article`` elements of a page that are not its article, and those of the ``blocks`` that
    are inside of them.

    The page's article is the one whose heading shows the title that the page or its feed entry
    declares, and of several, as teasers in a side column show it too, the one with the most text;
    the others beside it have an ``h1`` too, or a heading that links to another page.  Headings of
    an article in an article are not those of the outer one.  Empty if no heading shows the title,
    or if all blocks would be left out.  Cost: one search for ``article``.
    """
    articles = list(page.root.iter("article"))
    if len(articles) < 2:
        return frozenset()

    heading_of: dict[Element, Element] = {}
    for article in articles:
        heading = next(article.iterdescendants("article", *_HEADINGS), None)
        if heading is not None and heading.tag != "article":
            heading_of[article] = heading
    title_words = _title_words(page)
    showing = []
    for article, heading in heading_of.items():
        if _shows(heading, title_words):
            showing.append(article)
    if not showing:
        return frozenset()

    page_article = _longest(showing)
    page_heading = heading_of[page_article]
    articles_around = {page_article, *page_article.iterancestors()}
    other_articles = set()
    for article, heading in heading_of.items():
        if article in articles_around or heading is page_heading:
            continue
        is_main_heading = heading.tag == page_heading.tag == "h1"
        if is_main_heading or _link_of(heading, page):
            other_articles.add(article)

    all_blocks = list(blocks)
    other_blocks = _find_inside(all_blocks, other_articles)
    if len(other_blocks) == len(all_blocks):
        return frozenset()
    return frozenset(other_articles).union(other_blocks)


def _longest(articles: Sequence[Element]) -> Element:
    """The article with the most text, of the first few; of equal ones the first."""
    if len(articles) == 1:
        return articles[0]
    first_articles = articles[:_MAX_SHOWING]
    lengths = [len(block_text(article)) for article in first_articles]
    return articles[lengths.index(max(lengths))]


def _find_inside(
    blocks: Iterable[Element],
    containers: Collection[Element],
) -> list[Element]:
    """The blocks that are one of the containers or inside of one.  Looks at each ancestor once."""
    is_inside: dict[Element | None, bool] = {None: False}
    blocks_inside = []
    for block in blocks:
        path: list[Element] = []
        element: Element | None = block
        while element is not None and element not in is_inside:
            path.append(element)
            element = element.getparent()
        for element in reversed(path):
            is_parent_inside = is_inside[element.getparent()]
            is_inside[element] = is_parent_inside or element in containers
        if is_inside[block]:
            blocks_inside.append(block)
    return blocks_inside


def find_next_article(
    page: Page,
    content: Sequence[Element],
) -> frozenset[Element]:
    """The blocks from the next article on that follows the page's own in its content, as of pages
    that load the next ones at their end; empty if there is none.

    ``content``: the elements with text of the content, in document order.  The next article begins
    with a heading of the level of the one that shows the title, which links to another page of the
    site.
    """
    title_words = _title_words(page)
    title = _find_title(page, title_words)
    if title is None:
        return frozenset()
    first = 1
    if title in content:
        first = content.index(title) + 1
    for number, block in enumerate(content[first:], first):
        is_title = block.tag == title.tag
        if not is_title or _shows(block, title_words):
            continue
        if _is_link_inside(block, page):
            return frozenset(content[number:])
    return frozenset()


def find_appended(page: Page, content: Sequence[Element]) -> frozenset[Element]:
    """The blocks from the first of further articles on that have the same markup as the page's own.

    These have a main heading that links to another page of the site, or an ``h1`` with the class
    of the own one; and an element with their text that has the tag and class of the one with the
    own text, and is before or around its heading as that is.  Empty if there are none, or if such
    elements stand elsewhere, too, as sections do.

    ``content``: the elements with text of the content, in document order.
    """
    title_words = _title_words(page)
    title = _find_title(page, title_words)
    if title is None:
        return frozenset()
    heads = _find_heads(page, content, title, title_words)
    if not 0 < len(heads) <= _MAX_APPENDED:
        return frozenset()

    texts = _texts_outside_others(content)
    own_texts = texts[: heads[0]]
    page_bodies = _find_bodies(own_texts)
    if not page_bodies:
        return frozenset()
    appended_bodies: dict[int, _Bodies] = {}
    bounds = [*heads, len(content)]
    for start, end in pairwise(bounds):
        appended_bodies[start] = _find_bodies(texts[start:end])
    bodies_of: dict[TagAndClass, set[Element]] = defaultdict(set)
    for bodies in (page_bodies, *appended_bodies.values()):
        for kind, body in bodies.items():
            bodies_of[kind].add(body)

    elements_around: set[Element] = set()
    for block in content:
        elements_around.update(_around(block))
    counts = Counter(map(tag_and_class, elements_around))
    for head, bodies in appended_bodies.items():
        for kind in page_bodies.keys() & bodies.keys():
            page_body = page_bodies[kind]
            body = bodies[kind]
            stands_elsewhere = counts[kind] > len(bodies_of[kind])
            if body is page_body or stands_elsewhere:
                continue
            is_page_body_around = _is_around(page_body, title)
            is_body_around = _is_around(body, content[head])
            if is_page_body_around == is_body_around:
                return frozenset(content[head:])
    return frozenset()


def _find_heads(
    page: Page,
    content: Sequence[Element],
    title: Element,
    title_words: set[str],
) -> list[int]:
    """The numbers of the blocks that may be headings of further articles; some more than the
    limit, if there are more."""
    candidates = []
    for number, block in enumerate(content):
        if _is_next(block, title, page):
            candidates.append(number)
    candidates = candidates[: _MAX_APPENDED + 1]
    return [number for number in candidates if not _shows(content[number], title_words)]


def _is_next(
    heading: Element,
    title: Element,
    page: Page,
) -> bool:
    """Whether a heading may be that of another article than that of the title."""
    if heading is title or heading.tag not in ("h1", "h2"):
        return False
    is_h1 = title.tag == "h1"
    if is_h1 and tag_and_class(heading) == tag_and_class(title):
        return True
    return _is_link_inside(heading, page)


def _texts_outside_others(content: Sequence[Element]) -> list[tuple[Element, str]]:
    """The blocks, each with its text outside of the other ones.  Cost: linear."""
    other_blocks = set(content)
    texts = []
    for block in content:
        other_blocks.discard(block)
        text = block_text(block, other_blocks)
        texts.append((block, text))
        other_blocks.add(block)
    return texts


def _find_bodies(blocks: Sequence[tuple[Element, str]]) -> _Bodies:
    """The elements with a class around most of the text of the blocks, headings left out, the
    innermost of each tag and class; none around a few words."""
    words = 0
    length = 0
    length_inside: Counter[Element] = Counter()
    for block, text in blocks:
        if block.tag in _HEADINGS:
            continue
        words += len(split_words(text))
        length += len(text)
        for element in _around(block):
            length_inside[element] += len(text)
    if words < _MIN_BODY_WORDS:
        return {}

    bodies: _Bodies = {}
    min_length = _MIN_BODY_SHARE * length
    for element, inside in length_inside.items():  # innermost elements come first
        if element.get("class") and inside >= min_length:
            bodies.setdefault(tag_and_class(element), element)
    return bodies


def _around(block: Element) -> Iterator[Element]:
    """The elements around the block, the innermost if they are very many."""
    return islice(block.iterancestors(), _MAX_ELEMENTS)


def _is_around(element: Element, block: Element) -> bool:
    return any(ancestor is element for ancestor in block.iterancestors())


def is_one_article(page: Page, content: Sequence[Element]) -> bool:
    """Whether a page whose content has many linked headings is an article nevertheless, with other
    articles or teasers after it.

    It is if it declares that, by ``og:type``, or by JSON-LD or microdata of an article with its
    URL; if few of the headings link to the same site; or if most of the text is before them.  A
    home page is none.  ``content``: the elements with text of the content, in document order.
    """
    path = urlsplit(page.url).path
    if not path.strip("/"):
        return False
    declared = page.declared
    if is_at(declared.article, page.url) or is_at(declared.item, page.url):
        return True
    if "article" in declared.meta.get("og:type", ()):
        return True

    linked_headings = []
    for number, block in enumerate(content):
        is_heading = block.tag in _HEADINGS
        if is_heading and _is_link_inside(block, page):
            linked_headings.append(number)
    if len(linked_headings) <= _MAX_LINKED_HEADINGS:
        return True
    lengths = [len(text) for _, text in _texts_outside_others(content)]
    length_before = sum(lengths[: linked_headings[0]])
    return length_before > _MIN_SHARE_BEFORE * sum(lengths)


def find_related(page: Page, content: Iterable[Element]) -> tuple[Related, ...]:
    """The articles that headings outside the content link to, in document order.

    ``content``: the elements with text of the content.  Cost: one search for headings.
    """
    content_elements = set(content)
    related: dict[str, Related] = {}
    for heading in page.root.iter(*_HEADINGS):
        if len(related) == _MAX_RELATED:
            break
        url = _link_of(heading, page)
        if not url or url in related:
            continue
        links = heading.iter("a")
        is_outside = content_elements.isdisjoint((heading, *links))
        if not is_outside:
            continue
        title = line_text(heading)
        is_long = len(split_words(title)) >= _MIN_TITLE_WORDS
        if is_long and not _is_in_menu(heading):
            related[url] = Related(title, url)
    return tuple(related.values())


def _title_words(page: Page) -> set[str]:
    """The words of the title that the feed entry or the page declares."""
    entry_title = page.entry.title if page.entry else ""
    return set(split_words(f"{entry_title} {page.declared.title}"))


def _find_title(page: Page, title_words: set[str]) -> Element | None:
    """The first heading that shows the title."""
    for heading in page.root.iter(*_HEADINGS):
        if _shows(heading, title_words):
            return heading
    return None


def _shows(heading: Element, title_words: set[str]) -> bool:
    """Whether the heading has little but the title, which may be declared with the site's name."""
    line = line_text(heading)[:_MAX_HEADING_LENGTH]
    words = set(split_words(line))
    if not words:
        return False
    shared = words & title_words
    min_length = 0.5 * len(title_words)
    length = max(len(words), min_length)
    return len(shared) >= _MIN_TITLE_SHARE * length


def _link_of(heading: Element, page: Page) -> str:
    """The page that the heading links to; ``""`` if it is this one."""
    links_below = islice(heading.iter("a"), _MAX_ELEMENTS)
    for link in chain(links_below, _parents(heading)):
        href = link.get("href")
        if link.tag != "a" or not href:
            continue
        url = absolute_url(href, page.base_url)
        url = _without_fragment(url)
        is_this_page = _without_query(url) == _without_query(page.url)
        if is_this_page or not url.startswith("http"):
            return ""
        return url
    return ""


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


def _without_query(url: str) -> str:
    without_fragment = _without_fragment(url)
    return without_fragment.partition("?")[0]


def _is_link_inside(heading: Element, page: Page) -> bool:
    """Whether the heading links to another page of the same host."""
    url = _link_of(heading, page)
    if not url:
        return False
    return host_of(url) == host_of(page.url)


def _parents(heading: Element) -> Iterator[Element]:
    """The parent and the grandparent."""
    return islice(heading.iterancestors(), 2)


def _is_in_menu(element: Element) -> bool:
    return any(ancestor.tag in _MENUS for ancestor in element.iterancestors())

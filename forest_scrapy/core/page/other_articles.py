"""Other articles on an article's page: appended ones, and teasers."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import urlsplit

from forest_scrapy.core.page.declared import is_at
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text, line_text
from forest_scrapy.core.page.tree import Element, tag_and_class
from forest_scrapy.core.page.urls import absolute_url, host_of

_HEADINGS = ("h1", "h2", "h3", "h4")
#: The share of words in common from which a heading shows the title.  Not tuned.
_SAME_TITLE = 0.6
#: Elements that link to sections of the site.
_MENUS = frozenset(("nav", "footer", "header"))
#: The most articles listed, and the fewest words of a title: labels of sections are shorter.  Not
#: tuned.
_MOST, _FEWEST_WORDS = 50, 3
#: Characters of a heading that are read.
_LONGEST = 2000
#: Articles that show the title whose texts are compared: teasers of the page's own article.
_MAX_SHOWING = 8
#: Headings that link to other pages of the site, which an article may have; the share of the text
#: before the first of more of them.  Not tuned.
_FEW_LINKED, _BEFORE = 4, 0.5
#: The share of an article's text that the element of its text has, and its fewest words.  Not
#: tuned.
_MOSTLY, _FEW_WORDS = 0.8, 20


class Related(NamedTuple):
    """Another article that the page shows or links."""

    title: str
    url: str


def find_other_articles(page: Page, blocks: Iterable[Element]) -> frozenset[Element]:
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
    headings: dict[Element, Element] = {}
    for article in articles:
        first = next(article.iterdescendants("article", *_HEADINGS), None)
        if first is not None and first.tag != "article":
            headings[article] = first
    wanted = _title_words(page)
    showing = [article for article in headings if _shows(headings[article], wanted)]
    if not showing:
        return frozenset()
    own = _longest(showing)
    around = {own, *own.iterancestors()}
    others = {
        article
        for article, heading in headings.items()
        if article not in around
        and heading is not headings[own]
        and (heading.tag == headings[own].tag == "h1" or _link_of(heading, page))
    }
    kept_blocks = list(blocks)
    blocks_inside = _find_inside(kept_blocks, others)
    if len(blocks_inside) == len(kept_blocks):
        return frozenset()
    return frozenset(others).union(blocks_inside)


def _longest(articles: Sequence[Element]) -> Element:
    """The article with the most text, of the first few; of equal ones the first."""
    if len(articles) == 1:
        return articles[0]
    lengths = [len(block_text(article)) for article in articles[:_MAX_SHOWING]]
    return articles[lengths.index(max(lengths))]


def _find_inside(blocks: Iterable[Element], outer: Collection[Element]) -> list[Element]:
    """The blocks that are one of these elements or inside of one.  Looks at each ancestor once."""
    is_inside: dict[Element | None, bool] = {None: False}
    inside = []
    for block in blocks:
        path: list[Element] = []
        above: Element | None = block
        while above is not None and above not in is_inside:
            path.append(above)
            above = above.getparent()
        for element in reversed(path):
            is_inside[element] = is_inside[element.getparent()] or element in outer
        if is_inside[block]:
            inside.append(block)
    return inside


def find_next_article(page: Page, content: Sequence[Element]) -> frozenset[Element]:
    """The blocks from the next article on that follows the page's own in its content, as of pages
    that load the next ones at their end; empty if there is none.

    ``content``: the elements with text of the content, in document order.  The next article begins
    with a heading of the level of the one that shows the title, which links to another page of the
    site.
    """
    wanted = _title_words(page)
    own = _find_title(page, wanted)
    if own is None:
        return frozenset()
    first = content.index(own) + 1 if own in content else 1
    for number, block in enumerate(content[first:], first):
        is_title = block.tag == own.tag and not _shows(block, wanted)
        if is_title and _is_link_inside(block, page):
            return frozenset(content[number:])
    return frozenset()


def find_appended(page: Page, content: Sequence[Element]) -> frozenset[Element]:
    """The blocks from the first on of further articles that have the same markup as the page's own:
    a main heading that links to another page of the site, or an ``h1`` of the class of the own one;
    and the element with the text, which has the tag and class of the one with the own text, and is
    before or around its heading as that is.  Empty if there are none, or if such elements stand
    elsewhere, too, as sections do.

    ``content``: the elements with text of the content, in document order.
    """
    wanted = _title_words(page)
    title = _find_title(page, wanted)
    if title is None:
        return frozenset()
    heads = [i for i, block in enumerate(content) if _is_next(block, title, page)]
    heads = [i for i in heads[: _MOST + 1] if not _shows(content[i], wanted)]
    texts = _own_texts(content) if 0 < len(heads) <= _MOST else []
    own = _find_bodies(texts[: heads[0]]) if texts else {}
    if not own:
        return frozenset()
    ends = zip(heads, [*heads[1:], len(content)], strict=True)
    others = [(start, _find_bodies(texts[start:end])) for start, end in ends]
    counts = Counter(map(tag_and_class, {above for block in content for above in _near(block)}))
    for number, other in others:
        for kind in own.keys() & other.keys():
            bodies = {own[kind], *(found[kind] for _, found in others if kind in found)}
            is_alike = _is_around(own[kind], title) == _is_around(other[kind], content[number])
            if own[kind] is not other[kind] and is_alike and counts[kind] <= len(bodies):
                return frozenset(content[number:])
    return frozenset()


def _is_next(heading: Element, title: Element, page: Page) -> bool:
    """Whether a heading may be that of another article than that of the title."""
    if heading is title or heading.tag not in ("h1", "h2"):
        return False
    is_alike = title.tag == "h1" and tag_and_class(heading) == tag_and_class(title)
    return is_alike or _is_link_inside(heading, page)


def _own_texts(content: Sequence[Element]) -> list[tuple[Element, str]]:
    """The blocks, each with its text outside of the other ones.  Cost: linear."""
    others = set(content)
    texts = []
    for block in content:
        others.discard(block)
        texts.append((block, block_text(block, others)))
        others.add(block)
    return texts


def _find_bodies(blocks: Sequence[tuple[Element, str]]) -> dict[tuple[str, str], Element]:
    """The elements with a class around most of the text of the blocks, headings left out, the
    innermost of each tag and class; none around a few words."""
    texts = [(block, text) for block, text in blocks if block.tag not in _HEADINGS]
    if sum(len(split_words(text)) for _, text in texts) < _FEW_WORDS:
        return {}
    inside: Counter[Element] = Counter()
    for block, text in texts:
        for above in _near(block):
            inside[above] += len(text)
    least = _MOSTLY * sum(len(text) for _, text in texts)
    found: dict[tuple[str, str], Element] = {}
    for element, length in inside.items():  # inner elements come first
        if element.get("class") and length >= least:
            found.setdefault(tag_and_class(element), element)
    return found


def _near(block: Element) -> Iterator[Element]:
    """The elements around the block, the innermost if they are very many."""
    return islice(block.iterancestors(), _MOST)


def _is_around(element: Element, inner: Element) -> bool:
    return any(above is element for above in inner.iterancestors())


def is_one_article(page: Page, content: Sequence[Element]) -> bool:
    """Whether a page whose content has many linked headings is an article all the same, with other
    articles or teasers after it.

    It is if it declares that, by ``og:type``, or by JSON-LD or microdata of an article with its
    URL; if few of the headings link to the same site; or if most of the text is before them.  A
    home page is none.  ``content``: the elements with text of the content, in document order.
    """
    declared = page.declared
    if not urlsplit(page.url).path.strip("/"):
        return False
    is_own = is_at(declared.article, page.url) or is_at(declared.item, page.url)
    if is_own or "article" in declared.meta.get("og:type", ()):
        return True
    linked = [i for i, b in enumerate(content) if b.tag in _HEADINGS and _is_link_inside(b, page)]
    if len(linked) <= _FEW_LINKED:
        return True
    lengths = [len(text) for _, text in _own_texts(content)]
    return sum(lengths[: linked[0]]) > _BEFORE * sum(lengths)


def find_related(page: Page, content: Iterable[Element]) -> tuple[Related, ...]:
    """The articles that headings outside the content link to, in document order.

    ``content``: the elements with text of the content.  Cost: one search for headings.
    """
    inside = set(content)
    found: dict[str, Related] = {}
    for heading in page.root.iter(*_HEADINGS):
        url = _link_of(heading, page)
        if url and url not in found and inside.isdisjoint((heading, *heading.iter("a"))):
            title = line_text(heading)
            if len(split_words(title)) >= _FEWEST_WORDS and not _is_in_menu(heading):
                found[url] = Related(title, url)
                if len(found) == _MOST:
                    break
    return tuple(found.values())


def _title_words(page: Page) -> set[str]:
    """The words of the title that the feed entry or the page declares."""
    return set(split_words(f"{page.entry.title if page.entry else ''} {page.declared.title}"))


def _find_title(page: Page, title: set[str]) -> Element | None:
    """The first heading that shows the title."""
    return next((one for one in page.root.iter(*_HEADINGS) if _shows(one, title)), None)


def _shows(heading: Element, title: set[str]) -> bool:
    """Whether the heading has little but the title, which may be declared with the site's name."""
    words = set(split_words(line_text(heading)[:_LONGEST]))
    return bool(words) and len(words & title) >= _SAME_TITLE * max(len(words), 0.5 * len(title))


def _link_of(heading: Element, page: Page) -> str:
    """The page that the heading links to; ``""`` if it is this one."""
    for link in chain(islice(heading.iter("a"), _MOST), _above(heading)):
        if link.tag == "a" and (href := link.get("href")):
            url = absolute_url(href, page.base_url).partition("#")[0]
            is_own = url.partition("?")[0] == page.url.partition("#")[0].partition("?")[0]
            return "" if is_own or not url.startswith("http") else url
    return ""


def _is_link_inside(heading: Element, page: Page) -> bool:
    """Whether the heading links to another page of the same host."""
    url = _link_of(heading, page)
    return bool(url) and host_of(url) == host_of(page.url)


def _above(heading: Element) -> Iterator[Element]:
    """The parent and the grandparent."""
    above = heading.getparent()
    for _ in range(2):
        if above is None:
            return
        yield above
        above = above.getparent()


def _is_in_menu(element: Element) -> bool:
    return any(above.tag in _MENUS for above in element.iterancestors())

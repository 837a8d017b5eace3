"""Which parts of a page are about its own product, and which about others."""

import re
from collections.abc import Iterator
from functools import lru_cache

from forest_scrapy.core.lazy import LazyPattern
from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.page.tree import HEADINGS, class_and_id

#: Characters of names of elements that are read, and of the longest heading of other products.
MAX_NAMES_LENGTH = 200
MAX_HEADING_LENGTH = 60
#: Leaves that an element must have beside the heading to be what it is the heading of.
MIN_LEAVES = 2
#: Links that a part about other products has at least.
MIN_LINKS = 2
#: Headings of a page that are looked at.
MAX_HEADINGS = 300
#: Names of elements that are known to be such or not: most of a page are the same.
MAX_CACHED = 4096
#: Names of elements with other products.
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:related|recommend\w*|recs?|similar|up-?sells?|cross-?sells?|sponsored"
    r"|recently|bestsellers?|also-?(?:like|bought|viewed)|you-?may|product-?(?:list|grid|carousel"
    r"|slider|teasers?|recommendations?)|minicart|mini-?cart|cart-?drawer|search-?results?"
    r"|mega-?menu|empfehlung\w*|zubehoer)(?:$|[\s_-])",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HEADING_CLASS = re.compile(r"(?:^|[\s_-])(?:heading|title|headline)(?:$|[\s_-])", re.IGNORECASE)
#: Headings of other products.
_HEADING = LazyPattern(
    # English
    r"\b(?:(?:you|we) (?:may|might|could|think)\b.{0,12}\b(?:like|love|enjoy|need)"
    r"|(?:customers?|people|shoppers|guests|others)\b.{0,20}\b(?:also|bought|viewed|ordered)"
    r"|(?:related|similar|recommended|other|more|popular|featured|trending) (?:products?|items?)"
    r"|recommend(?:ed|ations)\b|(?:recently|last|also|previously) (?:viewed|bought|seen)"
    r"|frequently bought|bought together|more (?:from|like|to love|by|great)|pairs? well"
    r"|goes? well with|complete (?:the|your)|best ?sellers|sponsored|shop the (?:look|collection)"
    r"|you may also|related$|similar$|new arrivals|top picks|inspired by|explore more"
    # German
    r"|ähnliche|das könnte|dazu passen|passend dazu|passende|kunden (?:kauften|kauf|haben|such)"
    r"|wird oft|zuletzt (?:an)?gesehen|empfehl\w+|weitere (?:artikel|produkte)|beliebte|zubehör"
    r"|auch (?:gekauft|interessant|gefallen)"
    # French, Spanish, Italian, Portuguese
    r"|(?:produits?|articles?) (?:similaires?|associés?|liés?|complémentaires?|vus?|recommandés?)"
    r"|vous (?:aimerez|pourriez|aimeriez)|les clients|nos (?:recommandations|suggestions)"
    r"|(?:productos?|artículos?) (?:relacionados?|similares?|recomendados?|vistos?)"
    r"|(?:también|tambien) (?:te|le|compraron|vieron)|(?:te|le) (?:puede|podría|recomend)"
    r"|(?:prodotti|articoli) (?:correlati|simili|consigliati|visti)|(?:potrebbe|potrebbero)"
    r"|ti (?:potrebb|consigl)|produtos? (?:relacionados?|similares|semelhantes|recomendados?)"
    r"|você (?:também|pode)|quem (?:viu|comprou)|aproveite também|veja também|compre junto"
    # Dutch, Nordic, Slavic and other languages
    r"|gerelateerd\w*|vergelijkbare|andere klanten|anderen (?:kochten|bekeken)|aanbevolen"
    r"|liknande|relaterade|andra köpte|kunder|lignende|relaterte|relaterede|anbefal\w+"
    r"|samankalt|podobne|polecane|klienci|podobné|související|zákazníci|hasonló|kapcsolódó"
    r"|produse (?:similare|asemănătoare)|benzer|önerilen|ilgili ürünler)"
    r"|похожие|рекомендуем|с этим товаром|вам (?:может|понравится)|схожі|関連|おすすめ|最近|相关"
    r"|相關|推荐|推薦|猜你喜欢|관련|추천|σχετικά|παρόμοια"
    r"|منتجات (?:مشابهة|ذات)|sản phẩm (?:liên|tương)",
    re.IGNORECASE,
)


def find_aside(outline: Outline, name_at: int) -> list[bool]:
    """For each node whether it is about other products: in an element that is named so, or below a
    heading such as "You may also like", or in a menu or footer.

    ``name_at``: the leaf of the product's name, -1 if it is not shown; elements that have it are
    about the product.  Cost: linear in the size of the page.
    """
    links = count_links(outline)
    is_below_heading = [False] * len(outline.nodes)
    for first, last in _find_sections(outline, name_at):
        if links[last] - links[first] < MIN_LINKS:
            continue
        for index in range(first, last):
            is_below_heading[index] = True

    is_aside: list[bool] = []
    for index, node in enumerate(outline.nodes):  # parents come before their children
        is_parent_aside = node.parent >= 0 and is_aside[node.parent]
        if is_parent_aside or is_below_heading[index]:
            is_aside.append(True)
        elif node.first <= name_at < node.last or node.tag == "body":
            is_aside.append(False)
        elif node.tag in ("nav", "footer"):
            is_aside.append(True)
        else:
            has_links = links[outline.ends[index]] - links[index] >= MIN_LINKS
            is_aside.append(has_links and is_named_aside(node))
    return is_aside


def names_others(text: str) -> bool:
    """Whether a line begins with a heading of other products: the line itself, or what is before
    its colon.

    >>> names_others("You may also like: bowls, jugs"), names_others("A bowl for related people")
    (True, False)
    """
    heading, _, _ = text[: MAX_HEADING_LENGTH + 1].partition(":")
    return len(heading) <= MAX_HEADING_LENGTH and _HEADING.compiled.match(heading) is not None


def count_links(outline: Outline) -> list[int]:
    """For each node, and the end, how many links to other pages come before it."""
    counts = [0]
    for node in outline.nodes:
        href = ""
        if node.tag == "a":
            href = node.element.get("href") or ""
        is_link = bool(href) and not href.startswith(("#", "javascript:"))
        counts.append(counts[-1] + is_link)
    return counts


def is_named_aside(node: Node) -> bool:
    """Whether an element is called one of other products."""
    return _is_aside_name(class_and_id(node.element, MAX_NAMES_LENGTH))


@lru_cache(maxsize=MAX_CACHED)
def _is_aside_name(names: str) -> bool:
    return _NAMES.search(_CAMEL.sub("-", names)) is not None


def _find_sections(outline: Outline, name_at: int) -> Iterator[tuple[int, int]]:
    """The headings of other products, each with the node after the last one below it."""
    count = 0
    for index, node in enumerate(outline.nodes):
        if not 0 < node.last - node.first <= MIN_LEAVES + 1 or count >= MAX_HEADINGS:
            continue
        if not _may_be_heading(node):
            continue
        count += 1
        text = outline.line(index)
        is_short = len(text) <= MAX_HEADING_LENGTH
        is_name = node.first <= name_at < node.last
        if is_short and not is_name and _HEADING.compiled.search(text):
            yield index, _find_end(outline, index)


def _may_be_heading(node: Node) -> bool:
    if node.tag in HEADINGS:
        return True
    if node.tag not in ("div", "p", "span", "strong", "b"):
        return False
    return _HEADING_CLASS.search(class_and_id(node.element, MAX_NAMES_LENGTH)) is not None


def _find_end(outline: Outline, heading: int) -> int:
    """The node after the last one of a heading's section: the end of the innermost element with
    more than the heading, or the next heading of its level, or of a higher one."""
    node = outline.nodes[heading]
    section = heading
    for index in outline.path(heading):
        section = index
        if outline.nodes[index].last - node.last >= MIN_LEAVES:
            break
    end = outline.ends[section]
    level = node.tag if node.tag in HEADINGS else "h2"
    in_link = outline.inside(("a",))
    for index in range(outline.ends[heading], end):
        following = outline.nodes[index]
        if following.tag not in HEADINGS or following.tag > level:
            continue
        is_name_of_other = in_link[index] or "a" in outline.tags_below(index)
        if not is_name_of_other:
            return index
    return end

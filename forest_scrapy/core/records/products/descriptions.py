"""The description that a page shows of its product."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import HEADINGS, class_and_id
from forest_scrapy.core.records.products.declared_product import read_declared
from forest_scrapy.core.records.products.pairs import find_other_places
from forest_scrapy.core.records.products.surroundings import MIN_LINKS, count_links, names_others

#: Characters of names of elements that are read, of the shortest description, and of the longest.
MAX_NAMES_LENGTH = 200
MIN_LENGTH = 40
MAX_LENGTH = 20_000
#: Characters of the shortest paragraph that is a description without being called one.
MIN_PARAGRAPH = 80
#: Leaves after the name in which such a paragraph is looked for.
MAX_DISTANCE = 150
#: The share of the characters below a line such as "You may also like" that links to other products
#: have.  Not tuned.
MIN_LINKED_SHARE = 0.5
#: Names of elements that are known to be those of descriptions or not.
MAX_CACHED = 4096
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:(?:long|short|full|main|item|pdp|product)?[_-]?(?:desc|description)"
    r"|beschreibung|descripcion|descrizione|descricao|omschrijving|beskrivning|opis)(?:$|[\s_-])",
    re.IGNORECASE,
)
#: Elements that a description has not, and the box of the price and the choices has.
_CONTROLS = frozenset(("input", "select", "textarea", "form"))
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HEADING = re.compile(
    r"(?:product |item )?(?:description|details|overview)"
    r"|about (?:this [\w-]+|the (?:item|product))"
    r"|(?:produkt|artikel)?-?beschreibung|produktdetails|description(?: du produit)?|détails"
    r"|descripci[óo]n(?: del producto)?|descrizione(?: prodotto)?|descriç[ãa]o(?: do produto)?"
    r"|(?:product)?omschrijving|(?:produkt)?beskriv(?:ning|else)|tuotekuvaus|kuvaus"
    r"|opis(?: produktu)?|popis(?: produktu)?|leírás|descriere|açıklama|ürün açıklaması"
    r"|описание(?: товара)?|опис"
    r"|商品(?:説明|描述|介绍|詳情)|产品描述"
    r"|상품 ?설명|περιγραφή|الوصف"
    r"|وصف المنتج|mô tả(?: sản phẩm)?",
    re.IGNORECASE,
)


#: The share of the pairs of words of a declared description that a page shows, up to which it does
#: not show it, and how many times as long the text that it shows instead is at most.  Not tuned.
MAX_SHOWN_SHARE = 0.2
MAX_TEXT_RATIO = 2
_WORD = re.compile(r"\w+")


def find_unshown_description(page: Page, text: str) -> str:
    """The description that a page declares as data and fills in by a script, so that the text found
    on it is not that of the product; ``""`` if there is none.

    Those of ``meta`` elements are written for results of searches.  Cost: linear in the page if
    its text is that short.
    """
    descriptions: list[str] = []
    for source, values in read_declared(page):
        description = str(values.get("description", ""))
        if source != "meta" and len(description) >= MIN_LENGTH:
            descriptions.append(description)
    if not descriptions:
        return ""
    longest = max(descriptions, key=len)
    if len(text) > MAX_TEXT_RATIO * len(longest):
        return ""
    shown_pairs = _word_pairs("\n".join(page.outline.lines))
    pairs = _word_pairs(longest)
    if not pairs or len(pairs & shown_pairs) > MAX_SHOWN_SHARE * len(pairs):
        return ""
    return longest


def _word_pairs(text: str) -> set[tuple[str, str]]:
    words = _WORD.findall(text.casefold())
    return set(pairwise(words))


def find_description(
    outline: Outline,
    name_at: int,
    is_aside: Sequence[bool],
) -> str:
    """The text that describes the product, one line for each block; ``""`` if there is none.

    The text of the element that is named so or has such a heading and most text; else the first
    long paragraph after the name.  ``name_at``: the leaf of the name, -1 if it is not shown;
    ``is_aside``: which nodes are about other products.  Cost: linear in the size of the page.
    """
    is_elsewhere = find_other_places(outline)
    others = _OtherProducts(outline)
    candidates = []
    for index, node in enumerate(outline.nodes):
        if is_aside[index] or is_elsewhere[index] or node.first == node.last:
            continue
        if node.first <= name_at < node.last or node.first < name_at:
            continue
        if node.tag in HEADINGS:
            if _HEADING.fullmatch(outline.line(index, 3).strip(" :")):
                first, last = _find_range_below(outline, index, name_at)
                candidates.append(_make_candidate(index, others, first, last))
            continue
        names = class_and_id(node.element, MAX_NAMES_LENGTH)
        if _is_named_description(names) and not outline.tags_below(index) & _CONTROLS:
            candidates.append(_make_candidate(index, others, node.first, node.last))

    long_candidates = [one for one in candidates if MIN_LENGTH <= one[0] <= MAX_LENGTH]
    if long_candidates:
        _, _, text = min(long_candidates, key=lambda one: (-one[0], one[1]))
        return text
    return _first_paragraph(outline, name_at, is_aside, is_elsewhere)


@lru_cache(maxsize=MAX_CACHED)
def _is_named_description(names: str) -> bool:
    return _NAMES.search(_CAMEL.sub("-", names)) is not None


def _find_range_below(outline: Outline, heading: int, name_at: int) -> tuple[int, int]:
    """The leaves from a heading to the end of the element around it, or to the next heading of its
    level."""
    node = outline.nodes[heading]
    for index in outline.path(heading):
        around = outline.nodes[index]
        if around.first <= name_at < around.last:
            break
        if around.last > node.last:
            return node.last, around.last
    last = node.last
    for index in range(outline.ends[heading], len(outline.nodes)):
        following = outline.nodes[index]
        if following.tag in HEADINGS and following.first >= node.last:
            break
        last = following.last if following.parent == node.parent else last
    return node.last, last


class _OtherProducts:
    """Where lines such as "You may also like" begin other products at the end of a text.  Cost of
    making it: linear in the page; of a look-up: linear in such lines."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        in_link = outline.inside(("a",))
        self._links = count_links(outline)
        #: The first leaves of blocks with such a line, in order.
        self._starts: list[int] = []
        lengths = []
        linked_lengths = []
        for number, leaf in enumerate(outline.leaves):
            block = outline.blocks[leaf.node]
            if outline.nodes[block].first == number and names_others(outline.line(block)):
                self._starts.append(number)
            length = len(outline.lines[number])
            lengths.append(length)
            linked_lengths.append(length * in_link[leaf.node])
        #: The characters before each leaf, and before the end; those of them in links.
        self._lengths = list(accumulate(lengths, initial=0))
        self._linked_lengths = list(accumulate(linked_lengths, initial=0))

    def length(self, first: int, last: int) -> int:
        """The characters of some leaves."""
        return self._lengths[last] - self._lengths[first]

    def cut(self, first: int, last: int) -> int:
        """The leaf at which other products begin that are at the end of these leaves, with mostly
        links below it; ``last`` if there are none."""
        if first == last:
            return last
        end_node = self._end_node(last)
        for position in range(bisect_right(self._starts, first), len(self._starts)):
            start = self._starts[position]
            if start >= last:
                break
            links = self._links[end_node] - self._links[self._block_of(start)]
            linked = self._linked_lengths[last] - self._linked_lengths[start + 1]
            if links >= MIN_LINKS and linked >= MIN_LINKED_SHARE * self.length(start + 1, last):
                return start
        return last

    def _end_node(self, last: int) -> int:
        return self.outline.ends[self._block_of(last - 1)]

    def _block_of(self, leaf: int) -> int:
        return self.outline.blocks[self.outline.leaves[leaf].node]


def _make_candidate(
    index: int,
    others: _OtherProducts,
    first: int,
    last: int,
) -> tuple[int, int, str]:
    """The length, the node and the text of a description; without a text if it is too long."""
    last = others.cut(first, last)
    if others.length(first, last) > MAX_LENGTH + MAX_NAMES_LENGTH:
        return 0, index, ""  # the heading, at most so long, is left out
    text = _block_text(others.outline, first, last)
    return len(text), index, text


def _block_text(outline: Outline, first: int, last: int) -> str:
    """The texts of leaves, one line for each block."""
    lines: list[str] = []
    block = -1
    for number in range(first, last):
        leaf = outline.leaves[number]
        text = outline.lines[number]
        if outline.blocks[leaf.node] == block and lines:
            lines[-1] += f" {text}"
        else:
            lines.append(text)
        block = outline.blocks[leaf.node]
    if lines and _HEADING.fullmatch(lines[0].strip(" :")):
        lines = lines[1:]
    return "\n".join(lines)


def _first_paragraph(
    outline: Outline,
    name_at: int,
    is_aside: Sequence[bool],
    is_elsewhere: Sequence[bool],
) -> str:
    if name_at < 0:
        return ""
    in_link = outline.inside(("a", "button"))
    for number in range(name_at + 1, min(name_at + MAX_DISTANCE, len(outline.leaves))):
        node = outline.leaves[number].node
        if is_aside[node] or is_elsewhere[node] or in_link[node]:
            continue
        block = outline.nodes[outline.blocks[node]]
        if number != block.first:
            continue
        text = _block_text(outline, block.first, block.last)
        if MIN_PARAGRAPH <= len(text) <= MAX_LENGTH and "\n" not in text:
            return text
    return ""

"""Structural patterns: elements with the same type and level on the pages of a template (FOREST
section 3.2).

Terms and signifiers of a page are counted once, as running sums over its leaves; the counts of an
element are then differences of two sums.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from statistics import fmean
from typing import NamedTuple

from forest_scrapy.core.page.columns import NAMING, NO_NAMES, Names, read_names
from forest_scrapy.core.page.language import find_terms
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.site_caches import site_cache
from forest_scrapy.core.xpaths.checking import select_elements

# Digits and spaces as XPath 1.0 defines them, so that an expression selects the elements whose
# tolerant form it was written from.
_DIGITS = re.compile(r"[0-9]+")
_TOKEN = re.compile(r"[^ \t\r\n]*")
#: Characters that an XPath literal cannot contain.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

#: Lists of two links or more without other text (FOREST section 4, challenges).  The link of a text
#: is looked for in four steps: a search of all elements around it takes too long in nested lists.
LINK_LISTS = (
    "//*[self::ul or self::ol or self::dl][count(.//a) > 1][not(.//text()[normalize-space()]"
    "[not(parent::a or ../parent::a or ../../parent::a or ../../../parent::a)])]"
)
#: The keyword of paths that may be filtered first (the same section).
COMMENTS = "comments"

#: Types of elements with longer attributes, in characters together, are not cached.
MAX_CACHED_LENGTH = 500

#: Attributes that describe an element's role.  Others (href, src, title, data-*) hold data that
#: differs from page to page.
TYPING_ATTRIBUTES = NAMING

#: Names of typing attributes with their values in tolerant form.
ElementType = tuple[tuple[str, str], ...]


def tolerant_form(value: str) -> str:
    """The first token of an attribute's value, without digits (FOREST section 3.2).

    >>> tolerant_form("post wrapper-09"), tolerant_form("post-12 hentry"), tolerant_form("2012")
    ('post', 'post-', '')
    """
    stripped = value.strip(" \t\r\n")
    first_token = _TOKEN.match(stripped)
    return _DIGITS.sub("", first_token[0]) if first_token else ""


def full_type(values: Names) -> ElementType:
    """The typing attributes with their whole values, without blank ones and values with control
    characters: element types without the tolerant form (FOREST section 4, challenges).

    >>> full_type(("post wrapper-09", None, "", None))
    (('class', 'post wrapper-09'),)
    """
    attributes = []
    for name, value in zip(TYPING_ATTRIBUTES, values, strict=True):
        if value and value.strip() and not CONTROL.search(value):
            attributes.append((name, value))
    return tuple(attributes)


def element_type(element: Element) -> ElementType:
    """Names and tolerant forms of the element's typing attributes (FOREST definition 2), without
    empty forms and values with control characters."""
    return type_of(read_names(element))


def type_of(values: Names) -> ElementType:
    """``element_type`` of an element with these values of ``TYPING_ATTRIBUTES``."""
    if values == NO_NAMES:
        return ()
    length = sum(len(value) for value in values if value)
    if length > MAX_CACHED_LENGTH:
        return _type_of.__wrapped__(values)
    return _type_of(values)


@site_cache
@lru_cache(maxsize=20_000)
def _type_of(values: Names) -> ElementType:
    forms = []
    for name, value in zip(TYPING_ATTRIBUTES, values, strict=True):
        if not value or CONTROL.search(value):
            continue
        form = tolerant_form(value)
        if form:
            forms.append((name, form))
    return tuple(forms)


class Pattern(NamedTuple):
    """A structural pattern (FOREST definition 3): an element type on a level.

    ``type``: attributes in tolerant form (or with full values), or ``(("dfs", number),)`` for an
    element without any.
    """

    tag: str
    type: tuple[tuple[str, str], ...]
    level: int

    @property
    def has_attributes(self) -> bool:
        """Whether the type has attributes, and not the element's number."""
        return self.type[0][0] != "dfs"


@dataclass(frozen=True)
class ReadPage:
    """A page and the terms of each of its leaves, in document order."""

    page: Page
    terms: tuple[tuple[str, ...], ...]

    @property
    def all_terms(self) -> list[str]:
        """The terms of the whole page."""
        return [term for leaf in self.terms for term in leaf]


@dataclass(frozen=True)
class Significant:
    """A page with its signifiers counted.

    ``weights``: the weight of each signifier.  ``leaves``: indices of the significant leaves.
    ``signifiers_before[i]`` and ``terms_before[i]``: numbers of signifiers and of terms in the
    leaves before leaf i.  ``full_values``: whether the types of elements have the full values of
    attributes.
    """

    page: Page
    weights: Mapping[str, float]
    leaves: tuple[int, ...]
    signifiers_before: tuple[int, ...]
    terms_before: tuple[int, ...]
    terms: tuple[tuple[str, ...], ...]
    full_values: bool = False

    def counts(self, first: int, last: int) -> tuple[int, int]:
        """The numbers of signifiers (x) and of other terms (y) in ``leaves[first:last]``; of all
        leaves these are X and Y."""
        signifiers = self.signifiers_before[last] - self.signifiers_before[first]
        terms = self.terms_before[last] - self.terms_before[first]
        return signifiers, terms - signifiers


@dataclass(frozen=True)
class Occurrence:
    """An element on a significant path: its index in the outline, its pattern, and the number of
    significant leaves below it (the significant terminal paths it occurs in)."""

    index: int
    node: Node
    pattern: Pattern
    paths: int


@dataclass(frozen=True)
class RankedPattern:
    """A pattern sp with the values of its relevance: R = information * occurrences * level
    (equation 5), or without the level (section 4, challenges).

    ``information``: the sum of I(sp, d_k) over the pages d_k.  ``paths``: the number of significant
    terminal paths with the pattern.  ``occurrences``: p, the paths or the pages, see
    ``rank_patterns``.  ``nodes[k]`` is the index of its most informative element on page k.
    """

    pattern: Pattern
    information: float
    paths: int
    occurrences: int
    mean_dfs: float
    nodes: Mapping[int, int]
    level_factor: bool = True

    @property
    def relevance(self) -> float:
        """R of equation 5."""
        relevance = self.information * self.occurrences
        if self.level_factor:
            relevance *= self.pattern.level
        return relevance


#: The informativeness of an element of a page (I of equation 4, or another measure).
Measure = Callable[[Significant, Node], float]


def read_page(page: Page, without_link_lists: bool = False) -> ReadPage:
    """The terms of the page's leaves; ``without_link_lists``: leaves in lists of links have none.
    Cost: linear in the text, most of the time of learning."""
    language = page.language
    ignored_nodes: Collection[int] = ()
    if without_link_lists:
        ignored_nodes = find_link_lists(page)
    terms = []
    for leaf in page.outline.leaves:
        leaf_terms: Sequence[str] = ()
        if leaf.node not in ignored_nodes:
            leaf_terms = find_terms(leaf.text, language)
        terms.append(tuple(leaf_terms))
    return ReadPage(page, tuple(terms))


def find_link_lists(page: Page) -> set[int]:
    """The indices of the elements of the outline in lists of links, the lists included."""
    lists = set(select_elements(LINK_LISTS, page.root))
    roots = set()
    for index, node in enumerate(page.outline.nodes):
        if node.element in lists:
            roots.add(index)
    return set(page.outline.subtree(roots))


def find_comments(page: Page, full_values: bool = False) -> set[int]:
    """The indices of the elements of the outline whose path has "comments" in its signature, that
    is in the type of an element below the body: a class of the body tells of the whole page."""
    roots = set()
    for index, node in enumerate(page.outline.nodes):
        if node.level > 1 and _is_comments(node_pattern(node, full_values)):
            roots.add(index)
    return set(page.outline.subtree(roots))


def _is_comments(pattern: Pattern) -> bool:
    return any(COMMENTS in value.lower() for _, value in pattern.type)


def mark_significant(
    read_page: ReadPage,
    weights: Mapping[str, float],
    full_values: bool = False,
    without_comments: bool = False,
) -> Significant:
    """The page with its signifiers counted; a leaf with at least one is significant.

    ``full_values``: that of the result.  ``without_comments``: leaves whose path has "comments" in
    its signature are not significant; their terms count all the same.
    """
    ignored_nodes: Collection[int] = ()
    if without_comments:
        ignored_nodes = find_comments(read_page.page, full_values)
    leaf_nodes = [leaf.node for leaf in read_page.page.outline.leaves]
    signifiers = []
    significant_leaves = []
    for index, terms in enumerate(read_page.terms):
        count = sum(term in weights for term in terms)
        signifiers.append(count)
        if count and leaf_nodes[index] not in ignored_nodes:
            significant_leaves.append(index)

    lengths = map(len, read_page.terms)
    return Significant(
        page=read_page.page,
        weights=weights,
        leaves=tuple(significant_leaves),
        signifiers_before=tuple(accumulate(signifiers, initial=0)),
        terms_before=tuple(accumulate(lengths, initial=0)),
        terms=read_page.terms,
        full_values=full_values,
    )


def node_pattern(node: Node, full_values: bool = False) -> Pattern:
    """The structural pattern of an element; ``full_values``: with the whole values of attributes
    instead of their tolerant form."""
    attributes = full_type(node.names) if full_values else type_of(node.names)
    if not attributes:
        attributes = (("dfs", str(node.dfs)),)
    return Pattern(node.tag, attributes, node.level)


def find_occurrences(page: Significant) -> list[Occurrence]:
    """The elements on the page's significant paths, in document order."""
    outline = page.page.outline
    paths = Counter[int]()
    for leaf in page.leaves:
        parent = outline.leaves[leaf].node
        paths.update(outline.path(parent))
    occurrences = []
    for index in sorted(paths):
        node = outline.nodes[index]
        pattern = node_pattern(node, page.full_values)
        occurrence = Occurrence(index, node, pattern, paths[index])
        occurrences.append(occurrence)
    return occurrences


def rank_patterns(
    pages: Sequence[Significant],
    measure: Measure,
    count_pages: bool = False,
    level_factor: bool = True,
) -> list[RankedPattern]:
    """All patterns of the pages by their relevance, highest first.

    ``count_pages``: p of equation 5 is the number of pages with the pattern ("p <= n", and figure
    3); else of significant terminal paths, as the text has it.  If a pattern has several elements
    on a page, its informativeness there is that of the best one.  ``level_factor``: whether the
    level is a factor of the relevance.  Ties: the deeper level, then the
    smaller mean dfs, then the pattern itself.
    """
    ratings: dict[Pattern, list[tuple[int, Occurrence, float]]] = defaultdict(list)
    for number, page in enumerate(pages):
        for occurrence in find_occurrences(page):
            information = measure(page, occurrence.node)
            rating = (number, occurrence, information)
            ratings[occurrence.pattern].append(rating)

    ranked = []
    for pattern, occurrences in ratings.items():
        ranked.append(_rank_pattern(pattern, occurrences, count_pages, level_factor))
    return sorted(ranked, key=_order)


def _rank_pattern(
    pattern: Pattern,
    occurrences: Iterable[tuple[int, Occurrence, float]],
    count_pages: bool,
    level_factor: bool,
) -> RankedPattern:
    """The pattern with its values; ``occurrences``: the number of the page, the element, and its
    informativeness."""
    #: By page, the informativeness of the best element, and its index with the sign changed: of
    #: several, the first is the best.
    best: dict[int, tuple[float, int]] = {}
    dfs: set[int] = set()
    paths = 0
    for number, occurrence, information in occurrences:
        rating = (information, -occurrence.index)
        previous = best.get(number, (-1.0, 0))
        best[number] = max(previous, rating)
        dfs.add(occurrence.node.dfs)
        paths += occurrence.paths
    nodes = {number: -index for number, (_, index) in best.items()}
    return RankedPattern(
        pattern,
        information=sum(information for information, _ in best.values()),
        paths=paths,
        occurrences=len(nodes) if count_pages else paths,
        mean_dfs=fmean(dfs),
        nodes=nodes,
        level_factor=level_factor,
    )


def _order(ranked: RankedPattern) -> tuple[float, int, float, Pattern]:
    # Rounded: the last bits of a sum of floats depend on the order of the pages.
    relevance = round(ranked.relevance, 6)
    pattern = ranked.pattern
    return -relevance, -pattern.level, ranked.mean_dfs, pattern

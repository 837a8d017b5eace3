"""The heading of a single page: the element that shows its title.

Many pages declare no title but that of the window, which has the names of the site and of its
sections, too; and their first heading is the site's name.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from forest_scrapy.core.fields.byline_elements import MAX_DEPTH, AsideFinder
from forest_scrapy.core.fields.sources import PageSources, ShortElement
from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.page.outline import Node, Outline

#: The levels of elements that are headings, 1 for the highest.
_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 3}
#: The levels of elements whose class or id says that they are a title, and of bold text.
_MARKED_LEVEL = 4
_BOLD_LEVEL = 5
#: Class names and ids of titles.
_TITLE_MARK = re.compile(r"(?<![a-z])title|headline|heading", re.IGNORECASE)
#: Elements that stand out from the text around them.
_BOLD_TAGS = frozenset(("b", "strong", "font", "big"))

#: The share of words that a heading and a part of the title must have in common.  Not tuned.
_MIN_OVERLAP = 0.5
#: The weight of a heading that shows not just the title, and of an element that is no heading.
#: Not tuned.
_INEXACT_WEIGHT = 0.8
#: An element that is no heading may show a run that is at most this many times lighter than the
#: heaviest.  Not tuned.
_MAX_WEIGHT_RATIO = 4
#: The similarity of a highest heading with half of the words.
_NEAR_HIGHEST = 0.8
#: Words of the shortest part of a title that may be the start of a longer heading.
_MIN_START_WORDS = 4
#: Words of the shortest marked or bold text that may be a heading.
_MIN_MARKED_WORDS = 3
#: Characters of the first paragraph of the text; those of Chinese and Japanese count as two.
_MIN_PARAGRAPH = 120
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
#: A heading with half of the words of a shorter URL may just name the same thing.
_MIN_SLUG_WORDS = 2


class Heading(NamedTuple):
    """An element that may be a heading: its level, 1 for the highest, 0 if it does not look like
    a heading, and the element."""

    level: int
    element: ShortElement


def find_heading(page: PageSources, runs: Sequence[str]) -> Node | None:
    """The element that shows the page's title, None if none seems to.

    ``runs``: what the title may be without the names of the site, such as one part of the title
    of the window.  The element with the most of the longest run is taken.  If there is none, it is
    the highest heading before the text, and the nearest of these, for which no run is needed.
    """
    outline = page.page.outline
    candidates = []
    headings = []
    for element in page.short_elements:
        candidate = Heading(_level_of(element, outline), element)
        candidates.append(candidate)
        if candidate.level and not page.is_upper(element.text):
            headings.append(candidate)

    slug = page.slug
    weights = {}
    for run in runs:
        relevance = 1 + _overlap(run, slug)
        weights[fold_words(run)] = len(run) * relevance
    heading = _find_most_similar(candidates, weights)
    if heading is None and len(slug.split()) > _MIN_SLUG_WORDS:
        heading = _find_most_similar(headings, {slug: len(slug)})
    if heading is None:
        is_aside = AsideFinder()
        headings = [heading for heading in headings if not is_aside(heading.element.node.element)]
        if runs:
            headings = [heading for heading in headings if heading.level == 1]
        heading = _find_before_text(page, headings)
    return heading.node if heading else None


def _find_most_similar(
    candidates: Sequence[Heading],
    weights: Mapping[str, float],
) -> ShortElement | None:
    """The element with the most of the run with the greatest weight; the first of several."""
    matcher = _RunMatcher(weights)
    best_rating = (0.0, 0)
    best_element = None
    for candidate in candidates:
        rating = matcher.rate(candidate)
        if best_element is None or rating > best_rating:
            best_rating = rating
            best_element = candidate.element
    return best_element if best_rating[0] else None


class _RunMatcher:
    """Rates elements by how much they show of one of the runs.  ``weights``: by folded run."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = weights
        self._runs: list[tuple[list[str], float]] = []
        for run, weight in weights.items():
            words = run.split()
            if words:
                self._runs.append((words, weight))
        max_weight = max(weights.values(), default=0.0)
        self._min_weight = max_weight / _MAX_WEIGHT_RATIO

    def rate(self, heading: Heading) -> tuple[float, int]:
        """The weight of what the element shows of a run, 0 if that is too little, and its rank
        among elements that show the same.

        An element that is no heading must show all of a run and nothing else.
        """
        words = fold_words(heading.element.text)
        exact_weight = self._weights.get(words, 0.0)
        if not heading.level:
            if exact_weight < self._min_weight:
                return 0.0, 0
            return exact_weight * _INEXACT_WEIGHT, 0
        rank = -heading.level
        if exact_weight or heading.level >= _BOLD_LEVEL:
            return exact_weight, rank
        return self._rate_similar(words.split(), heading.level), rank

    def _rate_similar(self, words: Sequence[str], level: int) -> float:
        """The weight of the run that is the most similar to the words."""
        best_weight = 0.0
        for run, weight in self._runs:
            similarity = _similarity(words, run, level)
            if similarity >= _MIN_OVERLAP:
                rating = _INEXACT_WEIGHT * similarity * weight
                best_weight = max(best_weight, rating)
        return best_weight


def _similarity(
    heading: Sequence[str],
    run: Sequence[str],
    level: int = 0,
) -> float:
    """The share of words that both have; nearly 1 if the run is the start of the heading and cut
    off.

    For the highest heading the half of the words of the shorter text is enough: its site declares
    a title that is made for search engines, and shows another to readers.
    """
    run_start = run[:-1]
    if len(run) > _MIN_START_WORDS and heading[: len(run_start)] == run_start:
        share = min(1.0, len(run) / len(heading))
        return (1 + share) / 2

    heading_words = set(heading)
    run_words = set(run)
    if len(heading_words) < 2:  # the whole text is one word in languages without spaces
        return 0.0
    common = len(heading_words & run_words)
    word_count = len(heading_words) + len(run_words)
    share = 2 * common / word_count
    if level == 1:
        shorter = min(len(heading_words), len(run_words))
        has_half = 2 * common >= shorter
        if has_half:
            return max(share, _NEAR_HIGHEST)
    return share


def _overlap(text: str, slug: str) -> float:
    words = fold_words(text).split()
    return _similarity(words, slug.split())


def _find_before_text(
    page: PageSources,
    headings: Sequence[Heading],
) -> ShortElement | None:
    """The highest heading before the first paragraph, the last of these; a heading that links to
    another page is that of a teaser."""
    outline = page.page.outline
    text_start = _find_start_of_text(outline)
    before = []
    for heading in headings:
        element = heading.element
        is_before = element.node.first < text_start
        if is_before and not _is_link(element, outline):
            before.append(heading)
    if not before:
        return None
    best = min(before, key=lambda heading: (heading.level, -heading.element.position))
    return best.element


def _is_link(element: ShortElement, outline: Outline) -> bool:
    """Whether the whole element is a link."""
    for position in outline.same_text(element.position, MAX_DEPTH):
        node = outline.nodes[position]
        if node.tag == "a" and node.element.get("href"):
            return True
    return False


def _find_start_of_text(outline: Outline) -> int:
    """The number of the first text leaf that is a paragraph; 0 if none is."""
    for number, leaf in enumerate(outline.leaves):
        length = len(leaf.text)
        if _MIN_PARAGRAPH // 2 <= length < _MIN_PARAGRAPH and not leaf.text.isascii():
            length += len(_WIDE.findall(leaf.text))
        if length >= _MIN_PARAGRAPH:
            return number
    return 0


def _level_of(element: ShortElement, outline: Outline) -> int:
    """1 for the highest heading, more for lower ones, 0 if the element does not look like one."""
    level = 0
    for position in outline.same_text(element.position, MAX_DEPTH):
        node_level = _level_of_node(outline.nodes[position])
        if node_level and (not level or node_level < level):
            level = node_level
    if level < _MARKED_LEVEL:
        return level
    word_count = len(element.text.split())
    return level if word_count >= _MIN_MARKED_WORDS else 0


def _is_title_name(name: str) -> bool:
    """Whether a class or an id is that of a title; most have no part of such a word."""
    lower_name = name.lower()
    if name.isascii() and "title" not in lower_name and "head" not in lower_name:
        return False
    return _TITLE_MARK.search(name) is not None


def _level_of_node(node: Node) -> int:
    level = _LEVELS.get(node.tag)
    if level:
        return level
    css_class, id_, *_ = node.names
    if (css_class and _is_title_name(css_class)) or (id_ and _is_title_name(id_)):
        return _MARKED_LEVEL
    if node.tag in _BOLD_TAGS:
        return _BOLD_LEVEL
    return 0

"""The heading of a single page: the element that shows its title.

Many pages declare no title but that of the window, which has the names of the site and of its
sections, too; and their first heading is the site's name.
"""

import re
from collections.abc import Mapping, Sequence

from forest_scrapy.core.fields.byline_elements import DEPTH, AsideFinder
from forest_scrapy.core.fields.sources import PageSources, ShortElement, fold_words
from forest_scrapy.core.page.outline import Node, Outline

#: Elements that are headings, the higher first; class names and ids of titles; and elements that
#: stand out from the text around them.
_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 3}
_MARK = re.compile(r"(?<![a-z])title|headline|heading", re.IGNORECASE)
_MARKED, _BOLD = 4, 5
_BOLDS = frozenset(("b", "strong", "font", "big"))
#: The share of words that a heading and a part of the title must have in common; the weight of a
#: heading that shows not just the title, and of an element that is no heading; and how many times
#: shorter than the longest run one may be that an element of text shows.  Not tuned.
_LEAST_OVERLAP, _NOT_EXACT, _LEAST_PART = 0.5, 0.8, 4
#: The overlap that counts for a highest heading with half of the words.
_NEAR_HIGHEST = 0.8
#: Words of the shortest part of a title that may be the start of a longer heading, and of the
#: shortest marked or bold text that may be one.
_FEW_WORDS, _FEW_MARKED = 4, 3
#: Characters of the first paragraph of the text.
_PARAGRAPH = 120

Heading = tuple[int, ShortElement]


def find_heading(page: PageSources, runs: Sequence[str]) -> Node | None:
    """The element that shows the page's title, None if none seems to.

    ``runs``: what the title may be without the names of the site, such as one part of the title
    of the window.  Taken is the element that has the most of the longest run; if there is none,
    the highest heading before the text, the nearest, without those that a run must be like.
    """
    outline = page.page.outline
    shown = [(_level_of(one, outline), one) for one in page.short_elements]
    slug = page.slug
    known = {fold_words(run): len(run) * (1 + _overlap(run, slug)) for run in runs}
    headings = [pair for pair in shown if pair[0] and not page.is_upper(pair[1].text)]
    found = _most_similar(shown, known) or _most_similar(headings, {slug: len(slug)})
    if found is None:
        is_aside = AsideFinder()
        before = [pair for pair in headings if not is_aside(pair[1].node.element)]
        found = _before_text(page, [pair for pair in before if pair[0] == 1 or not runs])
    return found.node if found else None


def _most_similar(shown: Sequence[Heading], runs: Mapping[str, float]) -> ShortElement | None:
    """The element with the most of the run with the greatest weight.  Elements that are no
    headings must show all of it and nothing else."""
    wanted = [(words, weight) for run, weight in runs.items() if (words := run.split())]
    least = max(runs.values(), default=0.0) / _LEAST_PART

    def rate(pair: Heading) -> tuple[float, int]:
        level, one = pair
        words = fold_words(one.text)
        best = runs.get(words, 0.0)
        if not level:
            return (best * _NOT_EXACT if best >= least else 0.0), 0
        if level < _BOLD and not best:
            rated = ((_similarity(words.split(), run, level), weight) for run, weight in wanted)
            near = (_NOT_EXACT * s * weight for s, weight in rated if s >= _LEAST_OVERLAP)
            best = max(near, default=0.0)
        return best, -level

    rated = [(rate(pair), pair[1]) for pair in shown]
    best, found = max(rated, key=lambda one: one[0], default=((0.0, 0), None))
    return found if best[0] else None


def _similarity(heading: Sequence[str], run: Sequence[str], level: int = 0) -> float:
    """The share of words that both have, 1 if the run is the start of the heading and cut off.

    Of the highest heading the half of the words of the shorter one is enough: its site declares
    a title that is made for search engines, and shows another to readers.
    """
    if len(run) > _FEW_WORDS and heading[: len(run) - 1] == run[:-1]:
        return (1 + min(1.0, len(run) / len(heading))) / 2
    one, other = set(heading), set(run)
    if len(one) < 2:  # the whole text is one word in languages without spaces
        return 0.0
    share = 2 * len(one & other) / (len(one) + len(other))
    is_near = level == 1 and 2 * len(one & other) >= min(len(one), len(other))
    return max(share, _NEAR_HIGHEST) if is_near else share


def _overlap(text: str, slug: str) -> float:
    return _similarity(fold_words(text).split(), slug.split())


def _before_text(page: PageSources, headings: Sequence[Heading]) -> ShortElement | None:
    """The highest heading before the first paragraph, the last of these; a heading that links to
    another page is that of a teaser."""
    start = _start_of_text(page.page.outline)
    outline = page.page.outline
    before = [
        pair for pair in headings if pair[1].node.first < start and not _is_link(pair[1], outline)
    ]
    return min(before, key=lambda pair: (pair[0], -pair[1].position), default=(0, None))[1]


def _is_link(one: ShortElement, outline: Outline) -> bool:
    inner = (outline.nodes[i] for i in outline.same_text(one.position, DEPTH))
    return any(node.tag == "a" and node.element.get("href") for node in inner)


def _start_of_text(outline: Outline) -> int:
    leaves = enumerate(outline.leaves)
    return next((i for i, leaf in leaves if len(leaf.text) >= _PARAGRAPH), 0)


def _level_of(one: ShortElement, outline: Outline) -> int:
    """1 for the highest heading, more for lower ones, 0 if the element does not look like one."""
    inner = (outline.nodes[i] for i in outline.same_text(one.position, DEPTH))
    levels = [level for node in inner if (level := _level_of_node(node))]
    level = min(levels, default=0)
    return 0 if level >= _MARKED and len(one.text.split()) < _FEW_MARKED else level


def _level_of_node(node: Node) -> int:
    if level := _LEVELS.get(node.tag):
        return level
    if any(value and _MARK.search(value) for value in node.names[:2]):
        return _MARKED
    return _BOLD if node.tag in _BOLDS else 0

"""The name that a page shows for its product."""

from __future__ import annotations

import re
from dataclasses import dataclass

from forest_scrapy.core.document.outline import Outline
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.terms import split_words
from forest_scrapy.core.fields.site_names import find_site_names
from forest_scrapy.core.fields.sources import fold_words

__all__ = ["Shown", "find_names", "similarity", "text_at"]

#: Characters of the longest name.
_LONGEST_NAME = 300
#: Declared titles that are looked at.
_MOST_TITLES = 4
#: Elements that are looked at.
_MOST_NODES = 20_000
#: Leaves of the largest element that is a name.
_MOST_LEAVES = 20
_HEADINGS = {"h1": 0.6, "h2": 0.2}
#: What it is worth that a text is a part of the declared title.
_CONTAINED = 0.5
_TITLE_NAME = re.compile(r"(?:product|item)[\w-]*(?:name|title)", re.IGNORECASE)


@dataclass(frozen=True)
class Shown:
    """A text on a page that may be the value of a field: the index of its element, and how likely
    it is: larger is better."""

    node: int
    text: str
    score: float


def find_names(page: Page) -> list[Shown]:
    """The headings of a page that may be the product's name, the likeliest first."""
    outline = page.outline
    declared = (*page.declared.meta.get("og:title", ()), *page.declared.titles)
    titles = [text[:_LONGEST_NAME] for text in (*declared[:_MOST_TITLES], page.declared.title)]
    sites = {fold_words(one) for one in find_site_names(page.declared)}
    found = []
    for i, node in enumerate(outline.nodes[:_MOST_NODES]):
        if not 0 < node.last - node.first <= _MOST_LEAVES:
            continue
        text = text_at(outline, i, " ")
        names = f"{node.element.get('class') or ''} {node.element.get('id') or ''}"
        bonus = max(_HEADINGS.get(node.tag, 0.0), 0.4 * bool(_TITLE_NAME.search(names[:300])))
        inside = any(_contains(one, text) for one in titles)
        is_site = fold_words(text[:_LONGEST_NAME]) in sites
        if (bonus or inside) and not is_site and 1 < len(text) <= _LONGEST_NAME:
            alike = max((similarity(text, one) for one in titles), default=0.0)
            found.append(Shown(i, text, round(alike + bonus + _CONTAINED * inside, 4)))
    return sorted(found, key=lambda one: (-one.score, one.node))


def _contains(title: str, text: str) -> bool:
    """Whether a text is a part of a title, in whole words."""
    return len(text) > 1 and f" {text.casefold()} " in f" {title.casefold()} "


def similarity(text: str, other: str) -> float:
    """Twice the words of both texts by the words of each, 0 to 1.

    >>> similarity("Red box", "The red box"), similarity("Box", "Owl")
    (0.8, 0.0)
    """
    a, b = set(split_words(text)), set(split_words(other))
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


def text_at(outline: Outline, index: int, between: str = "") -> str:
    """The text of an element, on one line, or of an image; ``""`` if it is too long for a name.

    ``between``: what separates its parts; nothing for prices, which are often in several.
    """
    node = outline.nodes[index]
    if node.tag == "img":
        return " ".join((node.element.get("alt") or "")[:_LONGEST_NAME].split())
    if node.last - node.first > _MOST_LEAVES:
        return ""
    text = between.join(leaf.text for leaf in outline.leaves[node.first : node.last])
    return " ".join(text.split()) if len(text) <= 2 * _LONGEST_NAME else ""

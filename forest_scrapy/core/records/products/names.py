"""The name and the brand that a page shows for its product."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from forest_scrapy.core.document.outline import Outline
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.terms import split_words

__all__ = ["Shown", "clean_brand", "find_brands", "find_names", "similarity", "text_at"]

#: Characters of the longest name, and of the longest brand.
_LONGEST_NAME, _LONGEST_BRAND = 300, 40
#: Declared titles that are looked at.
_MOST_TITLES = 4
#: The largest similarity of a brand to the name of the product.
_MOST_ALIKE = 0.7
#: Elements that are looked at, and leaves around the name in which a brand is looked for.
_MOST_NODES, _NEAR = 20_000, 60
#: Leaves of the largest element that is a name.
_MOST_LEAVES = 20
_HEADINGS = {"h1": 0.6, "h2": 0.2}
#: What it is worth that a text is a part of the declared title.
_CONTAINED = 0.5
_TITLE_NAME = re.compile(r"(?:product|item)[\w-]*(?:name|title)", re.IGNORECASE)
_BRAND_NAME = re.compile(r"brand|manufacturer|vendor|hersteller|marque|marca|maker", re.IGNORECASE)
_BRAND_LINK = re.compile(r"[/?&](?:brands?|manufacturers?|marken?|marques?|marcas?|vendors?)[/=_-]")
_BRAND_LABEL = re.compile(
    r"\s*(?:brand|manufacturer|marke|hersteller|marque|marca|by|merk|producent|märke)\s*:?\s*",
    re.IGNORECASE,
)
_STORE_WORDS = re.compile(
    r"^(?:visit the|brand:|by|shop(?: all)?|more (?:from|by)|view all|see all)\s+|\s+store$",
    re.IGNORECASE,
)


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
    found = []
    for i, node in enumerate(outline.nodes[:_MOST_NODES]):
        if not 0 < node.last - node.first <= _MOST_LEAVES:
            continue
        text = text_at(outline, i, " ")
        names = f"{node.element.get('class') or ''} {node.element.get('id') or ''}"
        bonus = max(_HEADINGS.get(node.tag, 0.0), 0.4 * bool(_TITLE_NAME.search(names[:300])))
        inside = any(_contains(one, text) for one in titles)
        if (bonus or inside) and 1 < len(text) <= _LONGEST_NAME:
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


def find_brands(page: Page, name: str, name_at: int) -> list[Shown]:
    """The texts of a page that may be the product's brand, the likeliest first; ``name_at``: the
    leaf of the name, -1 if it is not shown."""
    outline, found = page.outline, []
    for i, text, says in _named_brands(outline):
        text = clean_brand(text)
        if (
            not text
            or similarity(text, name) > _MOST_ALIKE
            or not (says or f"{name} ".lower().startswith(f"{text} ".lower()))
        ):
            continue
        starts = f"{name} ".lower().startswith(f"{text} ".lower())
        inside = f" {text.lower()} " in f" {name.lower()} "
        near = name_at >= 0 and abs(outline.nodes[i].first - name_at) <= _NEAR
        links = 0.5 * (outline.nodes[i].tag == "a")
        score = says + 1.5 * starts + 0.5 * (inside and not starts) + 0.6 * near + links
        found.append(Shown(i, text, round(score, 4)))
    return sorted(found, key=lambda one: (-one.score, one.node))


def clean_brand(text: str) -> str:
    """The brand in a text; ``""`` if it is none.

    >>> clean_brand("Visit the Owl Store"), clean_brand("Brand:")
    ('Owl', '')
    """
    text = _STORE_WORDS.sub("", text).strip(" :|-")
    is_short = 1 < len(text) <= _LONGEST_BRAND and any(map(str.isalpha, text))
    return text if is_short and not _BRAND_LABEL.fullmatch(text) else ""


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


def _named_brands(outline: Outline) -> Iterator[tuple[int, str, float]]:
    """Short texts, with what markup and labels say for them being a brand."""
    previous = ""
    for i, node in enumerate(outline.nodes[:_MOST_NODES]):
        count = node.last - node.first
        if not 0 < count <= 3:
            text = (node.element.get("alt") or "") if node.tag == "img" else ""
        else:
            text = " ".join(outline.text(node).split())
        if not text or len(text) > _LONGEST_BRAND + 20:
            continue
        before = outline.leaves[node.first - 1].text if node.first else ""
        names = f"{node.element.get('class') or ''} {node.element.get('id') or ''}"[:300]
        parent = outline.nodes[node.parent].element if node.parent >= 0 else node.element
        names += f" {parent.get('class') or ''}"[:200]
        says = 1.2 * bool(_BRAND_NAME.search(names))
        says += 1.0 * (node.tag == "a" and bool(_BRAND_LINK.search(node.element.get("href") or "")))
        says += 1.5 * (len(before) <= 30 and _BRAND_LABEL.fullmatch(before) is not None)
        if text != previous or says:
            yield i, text, says
        previous = text

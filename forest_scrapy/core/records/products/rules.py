"""Where the pages of a template show the values of their products, learned from several pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from forest_scrapy.core.page.page import Page
from forest_scrapy.core.records.products.declared import read_declared, read_meta
from forest_scrapy.core.records.products.names import find_brands, find_names, similarity, text_at
from forest_scrapy.core.records.products.pairs import find_pairs
from forest_scrapy.core.records.products.prices import ShownValue, find_prices
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, anchored_xpath

__all__ = ["ProductRules", "find_values", "learn_product"]

#: Expressions that are kept for a field, and pairs that are the same on all pages.
_MOST_PATHS, _MOST_CONSTANT = 3, 200
#: What is added to the score of a place whose values differ from page to page, and, for each
#: page that declares the value found there, as a share of those that declare one.  The second is
#: above all scores of single pages: what is declared is certain.
_VARIES, _TAUGHT = 1.0, 20.0
#: The least score of a brand that is taken from the text of a page.
_LEAST_BRAND = 1.9


@dataclass(frozen=True)
class ProductRules:
    """For each field the XPaths of the elements that show it, the best first.

    ``taught``: the fields whose places were found by the values that pages declare.  ``constant``:
    what is the same on all pages and says nothing about a product: attributes, as
    ``label: value``, and URLs of images.
    """

    name: tuple[str, ...] = ()
    price: tuple[str, ...] = ()
    brand: tuple[str, ...] = ()
    taught: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()

    def xpaths(self) -> tuple[str, ...]:
        """All expressions."""
        return (*self.name, *self.price, *self.brand)


def find_values(page: Page) -> dict[str, list[ShownValue]]:
    """What a page shows as ``name``, ``price`` and ``brand``, the likeliest first."""
    names = find_names(page)
    name = names[0].text if names else page.declared.title
    at = page.outline.nodes[names[0].node].first if names else -1
    brands = [one for one in find_brands(page, name, at) if one.score >= _LEAST_BRAND]
    return {"name": names, "price": find_prices(page, at), "brand": brands}


def learn_product(pages: Sequence[Page]) -> ProductRules:
    """Where the pages of a template show their products' values.

    Pages that declare a value teach where it is shown on those that declare none.
    """
    shown = [find_values(page) for page in pages]
    told = [_declared_texts(page) for page in pages]
    paths: dict[str, tuple[str, ...]] = {}
    taught = []
    for field in SAME:
        own = [_mark_told(*one, field) for one in zip(pages, shown, told, strict=True)]
        paths[field] = _choose_paths(pages, own)
        if any(one.score >= _TAUGHT for candidates in own for one in candidates):
            taught.append(field)
    return ProductRules(**paths, taught=tuple(taught), constant=_find_constant(pages))


def _declared_texts(page: Page) -> dict[str, str]:
    found: dict[str, str] = {}
    for source, values in read_declared(page):
        for field in SAME:
            if values.get(field) and (source != "meta" or field == "price"):
                found.setdefault(field, values[field])
    return found


def _mark_told(
    page: Page, shown: Mapping[str, Sequence[ShownValue]], told: Mapping[str, str], field: str
) -> list[ShownValue]:
    """The values that a page shows for a field; those that it declares, wherever they are shown,
    have a higher score than any other."""
    declared = told.get(field, "")
    found = {one.node: one for one in shown[field]}
    if declared and field != "price":
        for i, node in enumerate(page.outline.nodes):
            is_new = i not in found and 0 < node.last - node.first <= 3
            if is_new and text_at(page.outline, i, " ").casefold() == declared.casefold():
                found[i] = ShownValue(i, declared, 0.0)
    return [
        replace(one, score=one.score + _TAUGHT)
        if declared and SAME[field](one.text, declared)
        else one
        for one in found.values()
    ]


def _choose_paths(pages: Sequence[Page], shown: Sequence[Sequence[ShownValue]]) -> tuple[str, ...]:
    """The places with the highest sum of scores over the pages."""
    scores: dict[AnchoredPath, float] = defaultdict(float)
    texts: dict[AnchoredPath, set[str]] = defaultdict(set)
    nodes: dict[AnchoredPath, list[tuple[int, int]]] = defaultdict(list)
    least = min((one.score for own in shown for one in own), default=0.0) - 1.0
    for k, (page, own) in enumerate(zip(pages, shown, strict=True)):
        best: dict[AnchoredPath, ShownValue] = {}
        paths = anchored_paths(page.outline)
        for one in sorted(own, key=lambda one: (-one.score, one.node)):
            best.setdefault(paths[one.node], one)
        for path, one in best.items():
            scores[path] += one.score - least
            texts[path].add(one.text)
            nodes[path].append((k, one.node))
    for path, own_texts in texts.items():
        scores[path] += _VARIES * (len(own_texts) - 1)
    ranked = sorted(scores, key=lambda path: (-round(scores[path], 4), path.level, str(path)))
    return tuple(
        anchored_xpath(path, [pages[k].outline.nodes[i].element for k, i in nodes[path]])
        for path in ranked[:_MOST_PATHS]
    )


#: Whether a shown value is the declared one, by field.
SAME: Mapping[str, Callable[[str, str], bool]] = {
    "name": lambda shown, declared: similarity(shown, declared) >= 0.8,
    "price": lambda shown, declared: float(shown) == float(declared),
    "brand": lambda shown, declared: shown.casefold() == declared.casefold(),
}


def _find_constant(pages: Sequence[Page]) -> tuple[str, ...]:
    """The attributes and declared images that all of several pages have."""
    if len(pages) < 2:
        return ()
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({f"{pair.label}: {pair.value}" for pair in find_pairs(page)})
        counts.update(set(read_meta(page).get("images", ())))
    same = sorted(text for text, count in counts.items() if count == len(pages))
    return tuple(same)[:_MOST_CONSTANT]

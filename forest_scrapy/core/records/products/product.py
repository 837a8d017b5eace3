"""The product of a page: what it declares, what it shows where the pages of its template show the
values of their products, and for the rest what it shows most likely."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from forest_scrapy.core.items import Product
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.records.products.declared_product import (
    FIELDS,
    Values,
    find_images,
    is_logo,
    read_declared,
    read_meta,
)
from forest_scrapy.core.records.products.names import (
    clean_brand,
    find_brands,
    find_names,
    find_shop_brand,
    similarity,
    text_at,
)
from forest_scrapy.core.records.products.pairs import find_pairs, read_typed
from forest_scrapy.core.records.products.prices import ShownValue, find_prices, read_price
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, anchored_xpath
from forest_scrapy.core.xpaths.checking import select_elements

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


#: Attributes of a product.
_MOST_PAIRS = 100
_SKU_LABEL = re.compile(
    r"sku|(?:item|article|part|model|product)(?: (?:no\.?|number|code|#|id))|mpn|artikel(?:-?nr\.?"
    r"|nummer)|référence|referencia|ref\.?|codice|kod",
    re.IGNORECASE,
)
_CODE_LABEL = re.compile(
    rf"\b(?:ean|gtin|upc|isbn|asin|{_SKU_LABEL.pattern})(?:\W|$)", re.IGNORECASE
)
_STATES = {
    "OutOfStock": r"out of stock|sold out|ausverkauft|nicht (?:verfügbar|lieferbar|auf lager)"
    r"|en rupture|agotado|esaurito|esgotado|uitverkocht|нет в наличии|currently unavailable",
    "PreOrder": r"pre-?order|vorbestell|précommande",
    "InStock": r"in stock|auf lager|sofort lieferbar|en stock|disponible|disponibile|op voorraad"
    r"|em estoque|в наличии|på lager|i lager|available now",
}
#: Characters of the longest text that says whether a product is available.
_LONGEST_STATE = 60
#: Leaves before and after a price in which that is looked for.
_NEAR = 80


def read_product(page: Page, rules: ProductRules, fetched_at: str = "") -> Product:
    """The product of a page.

    In this order: what JSON-LD, microdata and ``meta`` elements declare; what is at the places
    that were learned from the template's pages; what the page shows most likely.  The name,
    images and description of ``meta`` elements come last, since sites write them for other
    readers.
    """
    values: Values = {}
    sources: dict[str, str] = {}
    for source, found in _all_values(page, rules):
        for name in (*FIELDS, "attributes"):
            # A currency is that of its price.
            if name == "currency" and sources.get("price", source) != source:
                continue
            if found.get(name) and name not in values:
                values[name], sources[name] = found[name], source
    pairs = [_add_type(one, page.language) for one in values.pop("attributes", ())]
    return Product(
        url=page.url,
        **values,
        attributes=pairs,
        language=page.language,
        fetched_at=fetched_at,
        sources=sources,
    )


def _add_type(pair: Mapping[str, str], language: str) -> dict[str, str]:
    if _CODE_LABEL.search(pair["name"]):
        return {**pair, "type": "text", "unit": ""}
    typed = read_typed(pair["value"], language)
    return {**pair, "type": typed.type, "unit": typed.unit}


def _all_values(page: Page, rules: ProductRules) -> Iterator[tuple[str, Values]]:
    declared = list(read_declared(page))
    yield from declared[:-1]
    meta = declared[-1][1]
    late: Values = {name: meta[name] for name in ("name", "images", "description") if name in meta}
    yield "meta", {name: value for name, value in meta.items() if name not in late}
    shown = find_values(page)
    yield "template", _read_rules(page, rules, shown)
    yield "page", _read_shown(page, rules, shown, late)
    yield "meta", late


def _read_rules(
    page: Page, rules: ProductRules, shown: Mapping[str, Sequence[ShownValue]]
) -> Values:
    """The values at the places of the template."""
    found: Values = {}
    for name, paths in (("name", rules.name), ("brand", rules.brand), ("price", rules.price)):
        for path in paths:
            nodes = page.outline.indices(select_elements(path, page.root))
            here = [one for one in shown[name] if one.node in nodes]
            if here:
                found[name] = here[0].text
            elif nodes and name == "brand" and name in rules.taught:
                found[name] = clean_brand(text_at(page.outline, nodes[0], " "))
            if found.get(name):
                break
        if name == "price" and found.get(name):
            found["currency"] = _currency_of(page, here[0])
    return found


def _read_shown(
    page: Page, rules: ProductRules, shown: Mapping[str, Sequence[ShownValue]], meta: Values
) -> Values:
    """What the page shows most likely."""
    found: Values = {name: own[0].text for name, own in shown.items() if own}
    if not shown["brand"] and not rules.brand:
        found["brand"] = find_shop_brand(page)
    if shown["price"]:
        found["currency"] = _currency_of(page, shown["price"][0])
    constant = set(rules.constant)
    pairs = [one for one in find_pairs(page) if f"{one.label}: {one.value}" not in constant]
    skus = (pair.value for pair in pairs if _SKU_LABEL.fullmatch(pair.label))
    found["sku"] = next(skus, "")
    found["availability"] = _find_state(page, shown["price"])
    declared = meta.get("images", ())
    images = [url for url in declared if url not in constant and not is_logo(url)]
    name = found.get("name") or meta.get("name", "")
    found["images"] = list(dict.fromkeys((*images, *find_images(page, name))))
    found["attributes"] = [{"name": p.label, "value": p.value} for p in pairs[:_MOST_PAIRS]]
    return found


def _currency_of(page: Page, shown: ShownValue) -> str:
    price = read_price(text_at(page.outline, shown.node))
    return price.currency if price else ""


def _find_state(page: Page, prices: Sequence[ShownValue]) -> str:
    """Whether the product is available, from the text around its price, or of the whole page if
    that shows no price."""
    leaves = page.outline.leaves
    if prices:
        at = page.outline.nodes[prices[0].node].first
        leaves = leaves[max(0, at - _NEAR) : at + _NEAR]
    texts = [leaf.text for leaf in leaves if len(leaf.text) <= _LONGEST_STATE]
    found = (
        name for name, words in _STATES.items() if any(re.search(words, t, re.I) for t in texts)
    )
    return next(found, "")

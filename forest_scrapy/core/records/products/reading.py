"""The product of a page: what it declares, and for the rest what it shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from forest_scrapy.core.items import Product
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import find_elements
from forest_scrapy.core.records.products.declared import (
    FIELDS,
    Values,
    find_images,
    is_logo,
    read_declared,
)
from forest_scrapy.core.records.products.names import clean_brand, find_shop_brand, text_at
from forest_scrapy.core.records.products.pairs import find_pairs, read_typed
from forest_scrapy.core.records.products.prices import ShownValue, read_price
from forest_scrapy.core.records.products.rules import ProductRules, find_values

__all__ = ["read_product"]


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
            nodes = page.outline.indices(find_elements(path, page.root))
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

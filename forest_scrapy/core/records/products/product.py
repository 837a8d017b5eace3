"""The product of a page: the values that it declares, those at the places where the pages of its
template show them, and for the rest the likeliest ones that it shows."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field

from forest_scrapy.core.items import Product
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
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
from forest_scrapy.core.records.products.prices import (
    ShownValue,
    find_prices,
    likeliest_first,
    read_price,
)
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, anchored_xpath
from forest_scrapy.core.xpaths.checking import select_elements

#: Expressions of a field, and pairs that are the same on all pages.
MAX_PATHS = 3
MAX_CONSTANT = 200
#: What is added to the score of a place for each further value that pages show there.
VARIES_WORTH = 1.0
#: What is added to the score of a value that its page also declares.  It is above all scores of
#: single pages: what is declared is certain.
DECLARED_WORTH = 20.0
#: The least score of a brand that is taken from the text of a page.
MIN_BRAND_SCORE = 1.9


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
    name = page.declared.title
    name_leaf = -1
    if names:
        name = names[0].text
        name_node = page.outline.nodes[names[0].node]
        name_leaf = name_node.first
    brands = find_brands(page, name, name_leaf)
    return {
        "name": names,
        "price": find_prices(page, name_leaf),
        "brand": list(filter(_is_likely_brand, brands)),
    }


def _is_likely_brand(brand: ShownValue) -> bool:
    return brand.score >= MIN_BRAND_SCORE


def learn_product(pages: Sequence[Page]) -> ProductRules:
    """Where the pages of a template show their products' values.

    Pages that declare a value teach where it is shown on those that declare none.
    """
    shown_values = [find_values(page) for page in pages]
    declared_texts = [_declared_texts(page) for page in pages]
    paths: dict[str, tuple[str, ...]] = {}
    taught = []
    for field in SAME:
        marked_pages = []
        has_declared = False
        for page, page_values, declared in zip(pages, shown_values, declared_texts, strict=True):
            declared_text = declared.get(field, "")
            marked_values = _mark_declared(page, page_values[field], declared_text, field)
            marked_pages.append(marked_values)
            has_declared |= any(value.score >= DECLARED_WORTH for value in marked_values)
        paths[field] = _choose_paths(pages, marked_pages)
        if has_declared:
            taught.append(field)
    return ProductRules(
        **paths,
        taught=tuple(taught),
        constant=_find_constant(pages),
    )


def _declared_texts(page: Page) -> dict[str, str]:
    """What a page declares, by field; names and brands of ``meta`` elements are not certain."""
    texts: dict[str, str] = {}
    for source, values in read_declared(page):
        for field in SAME:
            is_certain = source != "meta" or field == "price"
            if is_certain and values.get(field):
                texts.setdefault(field, values[field])
    return texts


def _mark_declared(
    page: Page,
    shown_values: Sequence[ShownValue],
    declared: str,
    field: str,
) -> list[ShownValue]:
    """The values that a page shows for a field; those that it declares, wherever they are shown,
    have a higher score than any other."""
    values = {value.node: value for value in shown_values}
    if not declared:
        return list(values.values())
    if field != "price":
        for index, node in enumerate(page.outline.nodes):
            leaves = node.last - node.first
            if index in values or not 0 < leaves <= 3:
                continue
            text = text_at(page.outline, index, " ")
            if text.casefold() == declared.casefold():
                values[index] = ShownValue(index, declared, 0.0)

    marked = []
    is_same = SAME[field]
    for value in values.values():
        if is_same(value.text, declared):
            score = value.score + DECLARED_WORTH
            value = replace(value, score=score)
        marked.append(value)
    return marked


@dataclass
class _Place:
    """What the pages show at the same path: the sum of the scores, the texts, and the elements."""

    score: float = 0.0
    texts: set[str] = dataclass_field(default_factory=set)
    elements: list[Element] = dataclass_field(default_factory=list)


def _choose_paths(
    pages: Sequence[Page],
    shown_values: Sequence[Sequence[ShownValue]],
) -> tuple[str, ...]:
    """The places with the highest sum of scores over the pages."""
    all_scores = []
    for values in shown_values:
        for value in values:
            all_scores.append(value.score)
    base_score = min(all_scores, default=0.0) - 1.0
    places: dict[AnchoredPath, _Place] = defaultdict(_Place)
    for page, values in zip(pages, shown_values, strict=True):
        paths = anchored_paths(page.outline)
        best: dict[AnchoredPath, ShownValue] = {}
        for value in sorted(values, key=likeliest_first):
            best.setdefault(paths[value.node], value)
        for path, value in best.items():
            place = places[path]
            place.score += value.score - base_score
            place.texts.add(value.text)
            element = page.outline.nodes[value.node].element
            place.elements.append(element)

    def order(path: AnchoredPath) -> tuple[float, int, str]:
        place = places[path]
        other_texts = len(place.texts) - 1
        score = place.score + VARIES_WORTH * other_texts
        return -round(score, 4), path.level, str(path)

    ranked = sorted(places, key=order)
    xpaths = []
    for path in ranked[:MAX_PATHS]:
        elements = places[path].elements
        xpaths.append(anchored_xpath(path, elements))
    return tuple(xpaths)


#: Whether a shown value is the declared one, by field.
SAME: Mapping[str, Callable[[str, str], bool]] = {
    "name": lambda text, declared: similarity(text, declared) >= 0.8,
    "price": lambda text, declared: float(text) == float(declared),
    "brand": lambda text, declared: text.casefold() == declared.casefold(),
}


def _find_constant(pages: Sequence[Page]) -> tuple[str, ...]:
    """The attributes and declared images that all of several pages have."""
    if len(pages) < 2:
        return ()
    counts: Counter[str] = Counter()
    for page in pages:
        texts = {f"{pair.label}: {pair.value}" for pair in find_pairs(page)}
        counts.update(texts)
        images = read_meta(page).get("images", ())
        counts.update(set(images))
    constant = []
    for text, count in counts.items():
        if count == len(pages):
            constant.append(text)
    return tuple(sorted(constant)[:MAX_CONSTANT])


#: Attributes of a product.
MAX_PAIRS = 100
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
MAX_STATE_LENGTH = 60
#: Leaves before and after a price in which that is looked for.
NEAR_LEAVES = 80


def read_product(
    page: Page,
    rules: ProductRules,
    fetched_at: str = "",
) -> Product:
    """The product of a page.

    In this order: what JSON-LD, microdata and ``meta`` elements declare; what is at the places
    that were learned from the template's pages; what the page shows most likely.  The name,
    images and description of ``meta`` elements come last, since sites write them for other
    readers.
    """
    values: Values = {}
    sources: dict[str, str] = {}
    for source, source_values in _all_values(page, rules):
        for name in (*FIELDS, "attributes"):
            price_source = sources.get("price", source)
            if name == "currency" and price_source != source:
                continue  # a currency is that of its price
            if source_values.get(name) and name not in values:
                values[name] = source_values[name]
                sources[name] = source
    pairs = values.pop("attributes", ())
    return Product(
        url=page.url,
        **values,
        attributes=[_add_type(pair, page.language) for pair in pairs],
        language=page.language,
        fetched_at=fetched_at,
        sources=sources,
    )


def _add_type(pair: Mapping[str, str], language: str) -> dict[str, str]:
    if _CODE_LABEL.search(pair["name"]):
        return {**pair, "type": "text", "unit": ""}
    typed = read_typed(pair["value"], language)
    return {**pair, "type": typed.type, "unit": typed.unit}


#: What sites write in ``meta`` elements for readers other than shoppers.
_META_FOR_OTHERS = ("name", "images", "description")


def _all_values(
    page: Page,
    rules: ProductRules,
) -> Iterator[tuple[str, Values]]:
    """The values by their source, the most reliable first."""
    *declared, (_, meta) = read_declared(page)
    yield from declared
    for_others: Values = {}
    for_shoppers: Values = {}
    for name, value in meta.items():
        values = for_others if name in _META_FOR_OTHERS else for_shoppers
        values[name] = value
    yield "meta", for_shoppers
    shown_values = find_values(page)
    yield "template", _read_rules(page, rules, shown_values)
    yield "page", _read_shown(page, rules, shown_values, for_others)
    yield "meta", for_others


def _read_rules(
    page: Page,
    rules: ProductRules,
    shown_values: Mapping[str, Sequence[ShownValue]],
) -> Values:
    """The values at the places of the template."""
    values: Values = {}
    name = _find_at(page, rules.name, shown_values["name"])
    if name:
        values["name"] = name.text
    brand = _read_brand(page, rules, shown_values["brand"])
    if brand:
        values["brand"] = brand
    price = _find_at(page, rules.price, shown_values["price"])
    if price:
        values["price"] = price.text
        values["currency"] = _currency_of(page, price)
    return values


def _find_at(
    page: Page,
    paths: Sequence[str],
    shown_values: Sequence[ShownValue],
) -> ShownValue | None:
    """The first shown value at the first of the paths that has one."""
    for path in paths:
        nodes = page.outline.indices(select_elements(path, page.root))
        for value in shown_values:
            if value.node in nodes and value.text:
                return value
    return None


def _read_brand(
    page: Page,
    rules: ProductRules,
    shown_values: Sequence[ShownValue],
) -> str:
    """The brand at the first of the paths that has one; at paths that declared brands taught also
    a text that is not recognised as one."""
    for path in rules.brand:
        nodes = page.outline.indices(select_elements(path, page.root))
        brands = []
        for value in shown_values:
            if value.node in nodes:
                brands.append(value.text)
        brand = brands[0] if brands else ""
        if not brand and nodes and "brand" in rules.taught:
            text = text_at(page.outline, nodes[0], " ")
            brand = clean_brand(text)
        if brand:
            return brand
    return ""


def _read_shown(
    page: Page,
    rules: ProductRules,
    shown_values: Mapping[str, Sequence[ShownValue]],
    meta: Values,
) -> Values:
    """What the page shows most likely."""
    values: Values = {}
    for field, candidates in shown_values.items():
        if candidates:
            values[field] = candidates[0].text
    if not shown_values["brand"] and not rules.brand:
        values["brand"] = find_shop_brand(page)
    if shown_values["price"]:
        values["currency"] = _currency_of(page, shown_values["price"][0])

    constant = set(rules.constant)
    pairs = []
    for pair in find_pairs(page):
        if f"{pair.label}: {pair.value}" not in constant:
            pairs.append(pair)
    skus = []
    for pair in pairs:
        if _SKU_LABEL.fullmatch(pair.label):
            skus.append(pair.value)
    values["sku"] = skus[0] if skus else ""
    values["availability"] = _find_state(page, shown_values["price"])

    declared_images = []
    for url in meta.get("images", ()):
        if url not in constant:
            declared_images.append(url)
    name = values.get("name") or meta.get("name", "")
    images = [url for url in declared_images if not is_logo(url)]
    images += find_images(page, name)
    values["images"] = list(dict.fromkeys(images))
    values["attributes"] = []
    for pair in pairs[:MAX_PAIRS]:
        attribute = {"name": pair.label, "value": pair.value}
        values["attributes"].append(attribute)
    return values


def _currency_of(page: Page, shown_price: ShownValue) -> str:
    text = text_at(page.outline, shown_price.node)
    price = read_price(text)
    return price.currency if price else ""


def _find_state(page: Page, prices: Sequence[ShownValue]) -> str:
    """Whether the product is available, from the text around its price, or of the whole page if
    that shows no price."""
    leaves = page.outline.leaves
    if prices:
        price_leaf = page.outline.nodes[prices[0].node].first
        first = max(0, price_leaf - NEAR_LEAVES)
        leaves = leaves[first : price_leaf + NEAR_LEAVES]
    texts = []
    for leaf in leaves:
        if len(leaf.text) <= MAX_STATE_LENGTH:
            texts.append(leaf.text)
    for state, words in _STATES.items():
        if any(re.search(words, text, re.IGNORECASE) for text in texts):
            return state
    return ""

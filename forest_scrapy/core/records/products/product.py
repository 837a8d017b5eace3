"""The product of a page: the values that it declares, those at the places where the pages of its
template show them, and for the rest the likeliest ones that it shows."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field

from forest_scrapy.core.items import Product
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.records.products.availability import count_carts, find_availability
from forest_scrapy.core.records.products.codes import Codes, find_codes
from forest_scrapy.core.records.products.currencies import page_signs
from forest_scrapy.core.records.products.declared_product import (
    FIELDS,
    Values,
    find_images,
    is_logo,
    read_declared,
    read_meta,
)
from forest_scrapy.core.records.products.descriptions import find_description
from forest_scrapy.core.records.products.names import (
    clean_brand,
    find_brands,
    find_names,
    find_shop_brand,
    similarity,
    text_at,
)
from forest_scrapy.core.records.products.pairs import (
    Pair,
    find_other_places,
    find_pairs,
    read_typed,
)
from forest_scrapy.core.records.products.prices import (
    ShownPrice,
    ShownValue,
    find_prices,
    find_regular_price,
    is_with_tax,
    likeliest_first,
)
from forest_scrapy.core.records.products.product_rules import ProductRules
from forest_scrapy.core.records.products.surroundings import find_aside
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, anchored_xpath
from forest_scrapy.core.xpaths.checking import select_elements

#: Expressions of a field, and pairs that are the same on all pages.
MAX_PATHS = 3
MAX_CONSTANT = 200
#: What is added to the score of a place for each further value that pages show there.
VARIES_WORTH = 1.0
#: From so many pages on, what they all show at a place is that of the site.
MIN_SAME_PAGES = 3
#: What is added to the score of a value that its page also declares.  It is above all scores of
#: single pages: what is declared is certain.
DECLARED_WORTH = 20.0
#: The least score of a brand that is taken from the text of a page.
MIN_BRAND_SCORE = 1.9


@dataclass(frozen=True)
class ShownFacts:
    """What a page shows: its names, prices and brands, the likeliest first; ``name_at``: the leaf
    of the name, -1 if it is not shown; ``codes``: its numbers; ``availability``: the name that
    schema.org has for it; ``is_aside``: which nodes are about other products; ``has_closed_cart``:
    whether all buttons that put it into the cart are disabled.  It has indices only, so that it can
    be kept with the page."""

    names: tuple[ShownValue, ...]
    prices: tuple[ShownPrice, ...]
    brands: tuple[ShownValue, ...]
    name: str
    name_at: int
    codes: Codes
    availability: str
    is_aside: tuple[bool, ...]
    has_closed_cart: bool = False

    def values(self) -> dict[str, Sequence[ShownValue]]:
        return {"name": self.names, "price": self.prices, "brand": self.brands}


#: Under this key the facts of a page are kept with it: learning and reading ask for them.
_FACTS = "products.shown"


def find_shown(page: Page) -> ShownFacts:
    """What a page shows of its product; read once."""
    facts = page.notes.get(_FACTS)
    if facts is None:
        facts = _find_shown(page)
        page.notes[_FACTS] = facts
    return facts


def _find_shown(page: Page) -> ShownFacts:
    names = find_names(page)
    name = page.declared.title
    name_at = -1
    if names:
        name = names[0].text
        name_node = page.outline.nodes[names[0].node]
        name_at = name_node.first
    is_aside = find_aside(page.outline, name_at)
    brands = find_brands(page, name, name_at)
    signs = page_signs(page, _codes_of(page))
    all_prices = find_prices(page, name_at, is_aside, signs)
    prices = [price for price in all_prices if not price.is_other]
    price_at = page.outline.nodes[prices[0].node].first if prices else -1
    availability = find_availability(page.outline, name_at, price_at, is_aside)
    return ShownFacts(
        names=tuple(names),
        prices=tuple(prices),
        brands=tuple(filter(_is_likely_brand, brands)),
        name=name,
        name_at=name_at,
        codes=find_codes(page, name, name_at, is_aside),
        availability=availability.state,
        is_aside=tuple(is_aside),
        has_closed_cart=availability.has_closed_cart,
    )


def find_other_nodes(page: Page) -> list[bool]:
    """For each node of a page whether it is about other products, or in a menu or a review."""
    is_aside = find_shown(page).is_aside
    is_elsewhere = find_other_places(page.outline)
    return [aside or elsewhere for aside, elsewhere in zip(is_aside, is_elsewhere, strict=True)]


def _codes_of(page: Page) -> list[str]:
    """The currencies that the page declares."""
    codes = []
    for _, values in read_declared(page):
        if values.get("currency"):
            codes.append(values["currency"])
    return codes


#: Under this key the evidence of a page is kept with it.
_EVIDENCE = "products.evidence"
#: Prices of the page of one product, at most: a list has more.
MAX_PRICES_OF_PRODUCT = 30


def count_evidence(page: Page) -> int:
    """How much tells that a page is about one product, 0 to 5: a declared product, a price at the
    name or the button of the cart, that button, a labelled number of the shop, and words that say
    whether it is available.  Cost: linear in the size of the page."""
    count = page.notes.get(_EVIDENCE)
    if count is None:
        count = _count_evidence(page)
        page.notes[_EVIDENCE] = count
    return int(count)


def _count_evidence(page: Page) -> int:
    shown = find_shown(page)
    declared = dict(read_declared(page))
    declared.pop("meta")
    has_offer = any(values.get("price") for values in declared.values())
    has_few_prices = 0 < len(shown.prices) <= MAX_PRICES_OF_PRODUCT
    is_near = has_few_prices and shown.prices[0].is_near
    carts = count_carts(page.outline, shown.is_aside)
    has_cart = 0 < carts <= MAX_CARTS
    has_state = bool(shown.availability)
    return has_offer + is_near + has_cart + shown.codes.is_sure + has_state


#: The least evidence of a product on a page that looks like another kind, and if that is one of
#: ``_KINDS_AGAINST``.  Of the pages of seven sets of WCXB 89 of 113 products have 2, and 9 and 2 of
#: 200 others; see ``extraction.is_surely_product`` for 3.
_MIN_EVIDENCE = 2
_MIN_EVIDENCE_AGAINST = 3
_KINDS_AGAINST = ("thread", "listing", "article")


def min_evidence_against(kind: str) -> int:
    """The least evidence (``count_evidence``) that makes a page of another kind a product, if that
    kind is not wanted."""
    return _MIN_EVIDENCE_AGAINST if kind in _KINDS_AGAINST else _MIN_EVIDENCE


def are_products(pages: Sequence[Page], kind: str) -> bool:
    """Whether most pages of a template that looks like another kind are products all the same, if
    that kind is not wanted."""
    min_evidence = min_evidence_against(kind)
    products = sum(count_evidence(page) >= min_evidence for page in pages)
    return 2 * products > len(pages)


#: The share of products among the pages that become one with so much evidence.
_CONFIDENCES = (0.6, 0.7, 0.8, 0.95, 0.97, 0.99)


def rate_product(page: Page) -> float:
    """The probability that a page which becomes a product is about one."""
    return _CONFIDENCES[count_evidence(page)]


#: Buttons of the cart that the page of one product has at most: it is repeated for small screens.
MAX_CARTS = 6


def _is_likely_brand(brand: ShownValue) -> bool:
    return brand.score >= MIN_BRAND_SCORE


def learn_product(pages: Sequence[Page]) -> ProductRules:
    """Where the pages of a template show their products' values.

    Pages that declare a value teach where it is shown on those that declare none.
    """
    shown_values = [find_shown(page).values() for page in pages]
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
        paths[field] = _choose_paths(pages, marked_pages, varies=field == "name")
        if field == "brand":
            paths[field] = _without_other_brands(pages, declared_texts, paths[field])
        if has_declared:
            taught.append(field)
    if not paths["brand"]:
        paths["brand"] = _find_leading_words(pages, paths["name"])
        if paths["brand"]:
            taught.append("brand")
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
    varies: bool,
) -> tuple[str, ...]:
    """The places with the highest sum of scores over the pages; those with the same text on all of
    several pages come last if the field ``varies``, unless the pages declare it."""
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

    def order(path: AnchoredPath) -> tuple[bool, float, int, str]:
        place = places[path]
        other_texts = len(place.texts) - 1
        is_declared = place.score >= DECLARED_WORTH * len(place.elements)
        is_same = not other_texts and len(place.elements) >= MIN_SAME_PAGES
        score = place.score + VARIES_WORTH * other_texts
        is_of_site = varies and is_same and not is_declared
        return is_of_site, -round(score, 4), path.level, str(path)

    ranked = sorted(places, key=order)
    xpaths = []
    for path in ranked[:MAX_PATHS]:
        elements = places[path].elements
        xpaths.append(anchored_xpath(path, elements))
    return tuple(xpaths)


def _without_other_brands(
    pages: Sequence[Page],
    declared_texts: Sequence[Mapping[str, str]],
    paths: Sequence[str],
) -> tuple[str, ...]:
    """The paths, except those that more often show another text than the brand that a page
    declares: a category, which a brand may be called like."""
    is_same = SAME["brand"]
    brand_paths = []
    for path in paths:
        agreement = 0
        for page, declared in zip(pages, declared_texts, strict=True):
            declared_brand = declared.get("brand", "")
            shown_brands = find_shown(page).brands
            shown_brand = _brand_at(page, path, shown_brands, is_taught=True)
            if declared_brand and shown_brand:
                agreement += 1 if is_same(shown_brand, declared_brand) else -1
        if agreement >= 0:
            brand_paths.append(path)
    return tuple(brand_paths)


#: Pages from which a brand is learned that nothing names, and leaves between it and the name.
MIN_LEADING_PAGES = 3
MAX_LEADING_DISTANCE = 4


def _find_leading_words(pages: Sequence[Page], name_paths: Sequence[str]) -> tuple[str, ...]:
    """The places at the names that have the first words of the name on all pages, and not always
    the same: brands that no markup, label or URL tells.  Categories are rarely the first words of
    all names, and most are words that the pages have in lower case, too."""
    if len(pages) < MIN_LEADING_PAGES:
        return ()
    places: dict[AnchoredPath, _Place] = defaultdict(_Place)
    for page in pages:
        paths = anchored_paths(page.outline)
        # Only the first element of a place is read.
        first_nodes: dict[AnchoredPath, int] = {}
        for index, path in enumerate(paths):
            first_nodes.setdefault(path, index)
        for index in _leading_nodes(page, name_paths):
            path = paths[index]
            if first_nodes[path] == index and not _is_word(page.outline, index):
                places[path].texts.add(page.outline.line(index))
                places[path].elements.append(page.outline.nodes[index].element)

    brand_paths = []
    for path, place in places.items():
        if len(place.elements) == len(pages) and len(place.texts) > 1:
            brand_paths.append(path)
    brand_paths.sort(key=lambda path: (path.level, str(path)))
    return tuple(anchored_xpath(path, places[path].elements) for path in brand_paths[:MAX_PATHS])


def _leading_nodes(page: Page, name_paths: Sequence[str]) -> Iterator[int]:
    """The elements close before and behind the name of a page that have its first words, but those
    of menus and breadcrumbs, which have categories."""
    shown = find_shown(page)
    name = _find_at(page, name_paths, shown.names)
    if name is None:
        return
    outline = page.outline
    name_node = outline.nodes[name.node]
    lower_name = name.text.lower()
    is_other = find_other_nodes(page)
    for index, node in enumerate(outline.nodes):
        if node.last - node.first != 1 or is_other[index]:
            continue
        distance = max(name_node.first - node.first, node.last - name_node.last)
        if not 0 < distance <= MAX_LEADING_DISTANCE:
            continue
        text = outline.line(index)
        lower_text = text.lower()
        is_start = lower_text != lower_name and f"{lower_name} ".startswith(f"{lower_text} ")
        if is_start and clean_brand(text):
            yield index


def _is_word(outline: Outline, index: int) -> bool:
    """Whether the page has the text of a node in lower case as well, as no name is written; also
    in the plural."""
    text = outline.line(index)
    lower_text = text.lower()
    if lower_text == text:
        return False
    pattern = _word_pattern(lower_text)
    return any(pattern.search(leaf.text) for leaf in outline.leaves)


def _word_pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?:e?[sn])?(?!\w)")


#: Whether a shown value is the declared one, by field.
SAME: Mapping[str, Callable[[str, str], bool]] = {
    "name": lambda text, declared: similarity(text, declared) >= 0.8,
    "price": lambda text, declared: float(text) == float(declared),
    "brand": lambda text, declared: text.casefold() == declared.casefold(),
}


def _find_constant(pages: Sequence[Page]) -> tuple[str, ...]:
    """The attributes, images and declared descriptions that all of several pages have."""
    if len(pages) < 2:
        return ()
    counts: Counter[str] = Counter()
    for page in pages:
        texts = {f"{pair.label}: {pair.value}" for pair in find_pairs(page)}
        counts.update(texts)
        meta = read_meta(page)
        images = {*meta.get("images", ()), *_shown_images(page)}
        counts.update(images)
        if meta.get("description"):
            counts[_write_description(meta["description"])] += 1
    constant = []
    for text, count in counts.items():
        if count == len(pages):
            constant.append(text)
    return tuple(sorted(constant)[:MAX_CONSTANT])


def _shown_images(page: Page) -> list[str]:
    shown = find_shown(page)
    return find_images(page, shown.name, shown.is_aside, shown.name_at)


#: Attributes of a product.
MAX_PAIRS = 100
_CODE_LABEL = re.compile(
    r"\b(?:ean|gtin|upc|isbn|asin|sku|(?:item|article|part|model|product)(?: (?:no\.?|number|code|#"
    r"|id))|mpn|artikel(?:-?nr\.?|nummer)|référence|referencia|ref\.?|codice|kod)(?:\W|$)",
    re.IGNORECASE,
)
_BRAND_LABEL = re.compile(
    r"(?:brand|manufacturer|marke|hersteller|marque|fabricant|marca|fabricante|produttore|merk"
    r"|fabrikant|varumärke|tillverkare|merke|mærke|producent|marka|značka|výrobce|márka|gyártó"
    r"|merkki|valmistaja|brändi|producător|üretici|бренд|производитель|торговая марка|виробник"
    r"|ブランド|メーカー|品牌|브랜드|제조사|thương hiệu|μάρκα|العلامة التجارية)(?: name)?",
    re.IGNORECASE,
)


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
            if name in _OF_PRICE and price_source != source:
                continue  # a currency is that of its price
            if source_values.get(name) and name not in values:
                values[name] = source_values[name]
                sources[name] = source
    _check_price(page, values, sources)
    pairs = values.pop("attributes", ())
    return Product(
        url=page.url,
        **values,
        attributes=[_add_type(pair, page.language) for pair in pairs],
        language=page.language,
        fetched_at=fetched_at,
        sources=sources,
    )


_OF_PRICE = ("currency", "regular_price")


def _check_price(page: Page, values: Values, sources: dict[str, str]) -> None:
    """Replace a declared price by the one that the page shows instead, and add the old one that is
    shown beside it.

    A declared price is outdated if the page shows it as the old one beside a lower one, or nowhere,
    but a single other one of its currency at the name or the button of the cart: shops convert
    prices for readers abroad, and show those without taxes to firms.
    """
    prices = find_shown(page).prices
    current = [price for price in prices if not price.is_old]
    amount = values.get("price", "")
    if not amount or not current:
        return
    same_prices = [price for price in prices if float(price.text) == float(amount)]
    shown_price = current[0]
    is_shown_now = any(not price.is_old for price in same_prices)
    near_amounts = {float(price.text) for price in current if price.is_near}
    if not is_shown_now and shown_price.is_near:
        is_old = bool(same_prices) and float(shown_price.text) < float(amount)
        is_converted = shown_price.currency not in (
            "",
            values.get("currency", shown_price.currency),
        )
        is_without_tax = shown_price.is_net and is_with_tax(amount, shown_price.text)
        is_single = not same_prices and len(near_amounts) == 1 and not is_converted
        if (is_old or is_single) and not is_without_tax:
            values["price"] = shown_price.text
            sources["price"] = "page"
            if shown_price.currency:
                values["currency"] = shown_price.currency
                sources["currency"] = "page"
            _replace_availability(page, values, sources)
            same_prices = [shown_price]

    if values.get("regular_price") or not same_prices:
        return
    for price in same_prices:
        regular_price = find_regular_price(price, prices)
        if regular_price and not price.is_old:
            values["regular_price"] = regular_price
            sources["regular_price"] = "page"
            return


def _replace_availability(page: Page, values: Values, sources: dict[str, str]) -> None:
    """Replace the availability of an offer that is outdated by the one that the page says to be; of
    a price alone it is not known."""
    availability = find_shown(page).availability
    if availability and availability != values.get("availability"):
        values["availability"] = availability
        sources["availability"] = "page"


def _read_availability(shown: ShownFacts) -> str:
    """The availability that a page shows: if it says nothing, a product with a price can be bought,
    unless the button that does so cannot be used."""
    if shown.availability or not (shown.prices and shown.prices[0].is_near):
        return shown.availability
    return "" if shown.has_closed_cart else "InStock"


def _add_type(pair: Mapping[str, str], language: str) -> dict[str, str]:
    if _CODE_LABEL.search(pair["name"]):
        return {**pair, "type": "text", "unit": ""}
    typed = read_typed(pair["value"], language)
    return {**pair, "value": typed.text, "type": typed.type, "unit": typed.unit}


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
    shown = find_shown(page)
    yield "template", _read_rules(page, rules, shown.values())
    codes = shown.codes
    if codes.is_sure:
        yield "page", {"sku": codes.sku}
    for source, source_values in declared:
        if source_values.get("other_sku"):
            yield source, {"sku": source_values["other_sku"]}
    page_values = _read_shown(page, rules, shown, for_others)
    yield "page", {**page_values, "sku": codes.sku, "gtin": codes.gtin}
    images = [url for url in for_others.get("images", ()) if not is_logo(url)]
    yield "meta", {**for_others, "images": images}


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
    if isinstance(price, ShownPrice):
        values["price"] = price.text
        values["currency"] = price.currency
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
    is_taught = "brand" in rules.taught
    for path in rules.brand:
        brand = _brand_at(page, path, shown_values, is_taught)
        if brand:
            return brand
    return ""


def _brand_at(
    page: Page,
    path: str,
    shown_values: Sequence[ShownValue],
    is_taught: bool,
) -> str:
    nodes = page.outline.indices(select_elements(path, page.root))
    for value in shown_values:
        if value.node in nodes and value.text:
            return value.text
    if nodes and is_taught:
        text = text_at(page.outline, nodes[0], " ")
        return clean_brand(text)
    return ""


def _read_shown(
    page: Page,
    rules: ProductRules,
    shown: ShownFacts,
    meta: Values,
) -> Values:
    """What the page shows most likely."""
    values: Values = {}
    constant = set(rules.constant)
    pairs = []
    for pair in find_pairs(page):
        if f"{pair.label}: {pair.value}" not in constant:
            pairs.append(pair)
    for field, candidates in shown.values().items():
        if candidates:
            values[field] = candidates[0].text
    if shown.prices:
        values["currency"] = shown.prices[0].currency
    if not shown.brands:
        values["brand"] = _labelled_brand(pairs)
    if not values.get("brand") and not rules.brand:
        values["brand"] = find_shop_brand(page)

    outline = page.outline
    values["availability"] = _read_availability(shown)
    declared_description = meta.get("description", "")
    is_repeated = _write_description(declared_description) in constant
    if not declared_description or is_repeated or _ADVERT.match(declared_description):
        values["description"] = find_description(outline, shown.name_at, shown.is_aside)

    declared_images = []
    for url in meta.get("images", ()):
        if url not in constant:
            declared_images.append(url)
    name = values.get("name") or meta.get("name", "")
    images = [url for url in declared_images if not is_logo(url)]
    for url in find_images(page, name, shown.is_aside, shown.name_at):
        if url not in constant:
            images.append(url)
    values["images"] = list(dict.fromkeys(images))
    values["attributes"] = []
    for pair in pairs[:MAX_PAIRS]:
        attribute = {"name": pair.label, "value": pair.value}
        values["attributes"].append(attribute)
    return values


#: How descriptions begin that are written for results of searches.
_ADVERT = re.compile(
    r"(?:buy|shop|find|order|get|read reviews|kaufen|jetzt|bestellen?|günstig|achetez|commandez"
    r"|compr[ae]|acquista|koop|bestel|köp|kjøp|køb|kup|купить)\b"
    r"|^.{0,80}(?:for sale|free (?:shipping|delivery)|online)\b",
    re.IGNORECASE,
)


def _write_description(text: str) -> str:
    """A description as one of the texts that are the same on all pages."""
    return f"description: {text[:MAX_PAIRS]}"


def _labelled_brand(pairs: Sequence[Pair]) -> str:
    """The brand that a label names."""
    for pair in pairs:
        if _BRAND_LABEL.fullmatch(pair.label):
            brand = clean_brand(pair.value)
            if brand:
                return brand
    return ""

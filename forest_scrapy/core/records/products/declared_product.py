"""The values that a page declares of its product in JSON-LD, microdata and ``meta`` elements, and
the images that it shows."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from html import unescape
from itertools import islice
from typing import Any

from forest_scrapy.core.page.declared import Properties, as_list, names_of, text_of
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.pictures import image_url
from forest_scrapy.core.page.tree import class_and_id
from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.core.records.products.codes import read_gtin
from forest_scrapy.core.records.products.currencies import CODE_OF
from forest_scrapy.core.records.products.names import similarity

#: The fields of a product that are found in several ways, in their order.
FIELDS = (
    "name",
    "price",
    "currency",
    "regular_price",
    "availability",
    "sku",
    "gtin",
    "brand",
    "images",
    "description",
)

#: Endings of the types of schema.org that are products, in lower case.
_TYPES = ("product", "productgroup", "productmodel", "individualproduct")
#: The largest number of images and attributes.
MAX_VALUES = 50
#: The share of words that the name of the page's product has in common with the title.
MIN_TITLE_SIMILARITY = 0.5
#: Prices from this number on are none; characters of the longest price.
MAX_PRICE = 10**12
MAX_DIGITS = 30
_SEPARATORS = re.compile(r"[\s_-]+")
#: The names of schema.org for what is available, by these names without capitals.
_STATES = {
    name.lower(): name
    for name in (
        "BackOrder",
        "Discontinued",
        "InStock",
        "InStoreOnly",
        "LimitedAvailability",
        "MadeToOrder",
        "OnlineOnly",
        "OutOfStock",
        "PreOrder",
        "PreSale",
        "Reserved",
        "SoldOut",
    )
}
#: What shops write instead, without capitals and separators.
_STATE_SYNONYMS = {
    "oos": "OutOfStock",
    "unavailable": "OutOfStock",
    "notavailable": "OutOfStock",
    "notinstock": "OutOfStock",
    "nostock": "OutOfStock",
    "outstock": "OutOfStock",
    "available": "InStock",
    "instocks": "InStock",
    "availablefororder": "InStock",
    "yes": "InStock",
    "true": "InStock",
    "limitedstock": "LimitedAvailability",
    "backordered": "BackOrder",
    "onbackorder": "BackOrder",
    "preorders": "PreOrder",
    "availableforpreorder": "PreOrder",
    "comingsoon": "PreOrder",
}
_META = {
    "name": ("og:title", "twitter:title"),
    "price": ("product:sale_price:amount", "product:price:amount", "og:price:amount"),
    "currency": (
        "product:sale_price:currency",
        "product:price:currency",
        "og:price:currency",
    ),
    "regular_price": ("product:original_price:amount", "product:price:amount"),
    "availability": ("product:availability", "og:availability"),
    "sku": ("product:retailer_item_id",),
    "gtin": ("product:gtin", "product:ean", "product:upc", "product:isbn"),
    "brand": ("product:brand", "og:brand"),
    "images": ("og:image", "og:image:secure_url", "twitter:image"),
    "description": ("og:description", "description", "twitter:description"),
}

#: The names of numbers that all shops have for a product.
_GTIN_NAMES = ("gtin13", "gtin", "gtin12", "gtin14", "gtin8", "ean", "isbn", "upc", "barcode")
#: What may stand before a number, and what is written if there is none.
_SCHEMES = frozenset(("sku", "mpn", "id", "productid", "isbn", "asin"))
_NO_CODES = frozenset(("", "n/a", "na", "null", "none", "undefined", "-", "0", "default"))
#: Endings of the types of prices that are not to be paid.
_REGULAR_TYPES = ("ListPrice", "StrikethroughPrice", "SRP", "MSRP", "RegularPrice")

Values = dict[str, Any]


def read_declared(page: Page) -> Iterator[tuple[str, Values]]:
    """The values that a page declares, by field, with where they are from, the most reliable
    first.  All are texts, except ``images`` and ``attributes``: lists."""
    declared = page.declared
    sources = (("json-ld", declared.nodes), ("microdata", declared.items))
    for source, nodes in sources:
        node = _choose_product(nodes, page)
        if node:
            yield source, _read_node(node, nodes, page.base_url)
    yield "meta", read_meta(page)


def read_meta(page: Page) -> Values:
    """What ``meta`` elements declare, also on pages without a product."""
    values: Values = {}
    for name, keys in _META.items():
        contents: list[str] = []
        for key in keys:
            contents += page.declared.meta.get(key, ())
        if not contents:
            continue
        if name == "images":
            urls = [absolute_url(text, page.base_url) for text in contents]
            different_urls = dict.fromkeys(filter(None, urls))
            values[name] = list(different_urls)[:MAX_VALUES]
        else:
            clean = _CLEAN.get(name, str)
            values[name] = clean(contents[0])
    return _without_empty(_with_regular_price(values))


def _with_regular_price(values: Values) -> Values:
    """The values, without a regular price that is not higher than the price."""
    price = values.get("price")
    regular_price = values.get("regular_price")
    if regular_price and not (price and float(regular_price) > float(price)):
        return {**values, "regular_price": ""}
    return values


def _without_empty(values: Values) -> Values:
    return {name: value for name, value in values.items() if value}


def _choose_product(nodes: Sequence[Properties], page: Page) -> Properties:
    """The node of the page's product: the one with the page's URL, else one with the name in the
    page's title, else one with offers, else the first; empty if no node is a product."""
    products = list(filter(_is_product, nodes))
    if len(products) < 2:
        return products[0] if products else {}
    title = page.declared.title

    def order(node: Properties) -> tuple[bool, bool, bool]:
        is_elsewhere = not _is_at(node, page.url)
        name = text_of(node.get("name"))
        is_titled = similarity(name, title) >= MIN_TITLE_SIMILARITY
        return is_elsewhere, not is_titled, not _has_offers(node)

    return min(products, key=order)


def _is_product(node: Properties) -> bool:
    for name in as_list(node.get("@type")):
        if str(name).lower().endswith(_TYPES):
            return bool(text_of(node.get("name")))
    return False


def _has_offers(node: Properties) -> bool:
    offers = node.get("offers") or node.get("hasVariant")
    return bool(offers)


def _is_at(node: Properties, url: str) -> bool:
    """Whether a node declares the URL, whatever its query and fragment."""
    page_url, _, _ = url.partition("?")
    page_url = page_url.rstrip("/")
    for name in ("url", "@id"):
        declared_url = text_of(node.get(name))
        node_url, _, _ = declared_url.partition("#")
        node_url = node_url.rstrip("/")
        if node_url and node_url == page_url:
            return True
    return False


def _read_node(
    node: Properties,
    nodes: Sequence[Properties],
    base_url: str,
) -> Values:
    variants = _objects_of(node.get("hasVariant"))
    variant = variants[0] if variants else {}
    offer = _choose_offer(node) or _choose_offer(variant)
    availability = _first(offer, "availability") or _first(node, "availability")
    price, currency = _read_price(offer)
    regular_price = _read_regular_price(offer)
    brand = node.get("brand") or node.get("manufacturer")
    brand_names = names_of(brand, tuple(nodes))
    urls = _image_urls(node.get("image"), base_url)
    image_urls = dict.fromkeys(urls)
    skus = [_first(part, "sku") for part in (node, variant, offer)]
    numbers = [_first(part, "productID", "mpn") for part in (node, variant)]
    properties = list(_read_properties(node))
    values = {
        "name": text_of(node.get("name")),
        "price": write_amount(price),
        "currency": _clean_currency(currency),
        "regular_price": write_amount(regular_price) if regular_price else "",
        "availability": _clean_availability(availability),
        "sku": _first_text(skus),
        "other_sku": _first_text(numbers),
        "gtin": _read_gtin(node, variant, offer),
        "brand": unescape(brand_names[0]) if brand_names else "",
        "images": list(image_urls)[:MAX_VALUES],
        "description": text_of(node.get("description")),
        "attributes": properties[:MAX_VALUES],
    }
    return _without_empty(_with_regular_price(values))


def _first_text(texts: Sequence[str]) -> str:
    """The first text that is a number of a product, without the name of its scheme."""
    for text in texts:
        scheme, _, number = text.partition(":")
        code = number if scheme.lower() in _SCHEMES else text
        if code.strip().lower() not in _NO_CODES:
            return code.strip()
    return ""


def _read_gtin(*parts: Properties) -> str:
    """The first number with a right check digit."""
    for part in parts:
        for name in _GTIN_NAMES:
            text = _first(part, name)
            _, _, number = text.rpartition(":")
            gtin = read_gtin(number)
            if gtin:
                return gtin
    return ""


def _read_regular_price(offer: Properties) -> str:
    """The list price or the struck price among the specifications of an offer."""
    for specification in _objects_of(offer.get("priceSpecification")):
        price_type = _first(specification, "priceType")
        if price_type.endswith(_REGULAR_TYPES):
            return _first(specification, "price")
    return ""


def _objects_of(value: Any) -> list[Properties]:
    members = as_list(value)
    return [member for member in members if isinstance(member, Mapping)]


def _read_price(offer: Properties) -> tuple[str, str]:
    """The price and the currency of an offer, or of the first of its specifications with a
    price."""
    price = _first(offer, "price", "lowPrice")
    currency = _first(offer, "priceCurrency")
    if price:
        return price, currency
    for specification in _objects_of(offer.get("priceSpecification")):
        price_type = _first(specification, "priceType")
        if price_type.endswith(_REGULAR_TYPES):
            continue
        currency = _first(specification, "priceCurrency") or currency
        price = _first(specification, "price", "minPrice")
        if price:
            break
    return price, currency


def _choose_offer(node: Properties) -> Properties:
    """The first offer with a price, else the first."""
    offers = _objects_of(node.get("offers"))
    for offer in list(offers):
        offers += _objects_of(offer.get("offers"))
    for offer in offers:
        if offer.get("price") or offer.get("lowPrice"):
            return offer
    if offers:
        return offers[0]
    return {}


def _first(node: Properties, *names: str) -> str:
    """The first of the properties that has a text or a number."""
    for name in names:
        for value in as_list(node.get(name)):
            is_number = isinstance(value, (int, float))
            if is_number and not isinstance(value, bool):
                return str(value)
            text = text_of(value)
            if text:
                return text
    return ""


def _image_urls(value: Any, base_url: str) -> Iterator[str]:
    for image in as_list(value)[:MAX_VALUES]:
        if isinstance(image, Mapping):
            image = image.get("contentUrl") or image.get("url")
        for text in as_list(image)[:MAX_VALUES]:
            if not isinstance(text, str):
                continue
            url = absolute_url(text, base_url)
            if url:
                yield url


def _read_properties(node: Properties) -> Iterator[dict[str, str]]:
    for declared in _objects_of(node.get("additionalProperty")):
        name = text_of(declared.get("name"))
        value = _first(declared, "value")
        if name and value:
            yield {"name": name, "value": value}


def write_amount(text: str) -> str:
    """A price as a decimal number; ``""`` if there is none, or 0.

    >>> write_amount("1,299.5"), write_amount("1.299,50 EUR"), write_amount("0.00")
    ('1299.5', '1299.50', '')
    """
    try:
        amount = Decimal(text[:MAX_DIGITS])
    except InvalidOperation:
        from price_parser import Price as ParsedPrice

        price = ParsedPrice.fromstring(text[:80])
        amount = price.amount or Decimal(0)
    is_price = amount.is_finite() and 0 < amount < MAX_PRICE
    return f"{amount:f}"[:MAX_DIGITS] if is_price else ""


def _clean_currency(text: str) -> str:
    """The ISO 4217 code; that of a sign if it is one of one currency only.

    >>> _clean_currency("eur"), _clean_currency("€"), _clean_currency("$")
    ('EUR', 'EUR', '')
    """
    code = text.strip().upper()
    has_letters = code.isascii() and code.isalpha()
    if has_letters and len(code) == 3:
        return code
    sign = text.strip()
    return "" if sign in ("$", "¥", "Rs") else CODE_OF.get(sign, "")


def _clean_availability(text: str) -> str:
    """The name that schema.org has for it; another name as it is.

    >>> _clean_availability("http://schema.org/InStock"), _clean_availability("out of stock")
    ('InStock', 'OutOfStock')
    >>> _clean_availability("Instock"), _clean_availability("pre-order")
    ('InStock', 'PreOrder')
    """
    address = text.strip().rstrip("/")
    _, _, name = address.rpartition("/")
    _, _, name = name.rpartition("#")
    joined = _SEPARATORS.sub("", name).lower()
    state = _STATES.get(joined) or _STATE_SYNONYMS.get(joined)
    if state:
        return state
    capitalized = ""
    for word in name.split():
        capitalized += word[:1].upper() + word[1:]
    return capitalized[:40]


_CLEAN: dict[str, Callable[[str], str]] = {
    "price": write_amount,
    "regular_price": write_amount,
    "gtin": read_gtin,
    "currency": _clean_currency,
    "availability": _clean_availability,
}


#: The largest number of images.
MAX_IMAGES = 20
#: The images of a page that are looked at.
MAX_SCORED_IMAGES = 500
#: Elements around an image whose names are read, itself among them.
MAX_NAMED_AROUND = 6
_GALLERY = re.compile(
    r"gallery|zoom|carousel|slider|thumb|swatch|viewer|picture"
    r"|(?<![\w-])(?>[\w-]*?product)[\w-]*(?:image|media|photo|img)"
    r"|(?<![\w-])(?>[\w-]*?(?:main|hero))[\w-]*(?:image|img)",
    re.IGNORECASE,
)
_NO_PRODUCT = re.compile(
    r"logo|icon|sprite|payment|badge|avatar|flag|banner|related|recommend|similar|also|review|nav"
    r"|footer|header|menu|rating|star|upsell|sponsor|social",
    re.IGNORECASE,
)
_IMAGE_FILE = re.compile(r"\.(?:jpe?g|png|webp|gif|avif)(?:$|\?)", re.IGNORECASE)
_FILES = re.compile(r"\.svg(?:$|\?)|/(?:icons?|logos?)/|placeholder|spacer", re.IGNORECASE)
#: Names of video players, and of links that open them.
_VIDEO = re.compile(
    r"(?:^|[\s_-])(?:videos?|player|play-?(?:btn|button|icon))(?:$|[\s_-])", re.IGNORECASE
)
_VIDEO_LINK = re.compile(r"/(?:watch|embed|videos?)[/?]|\.(?:mp4|webm|m3u8)(?:$|\?)", re.IGNORECASE)
#: The least score of an image of the product.
MIN_IMAGE_SCORE = 1.0


def find_images(
    page: Page,
    name: str,
    is_aside: Sequence[bool] = (),
    name_at: int = -1,
) -> list[str]:
    """The URLs of the images, the likeliest first, and the previews of videos last; the weights
    are chosen by hand.  If none is likely, the nearest to the name that is no link elsewhere.  With
    the first one come those beside it in an element that holds only images.

    ``is_aside``: which nodes are about other products; ``name_at``: the leaf of the name, -1 if it
    is not shown.
    """
    outline = page.outline
    orders: dict[str, tuple[bool, float, int]] = {}
    for index, node in enumerate(outline.nodes):
        if len(orders) >= MAX_SCORED_IMAGES:
            break
        if node.tag != "img" or (is_aside and is_aside[index]):
            continue
        url = image_url(node.element, page.base_url)
        if not url or url in orders:
            continue
        if _FILES.search(url):
            continue
        path = islice(outline.path(index), MAX_NAMED_AROUND)
        around = [outline.nodes[i] for i in path]
        names = " ".join(class_and_id(ancestor.element, 200) for ancestor in around)
        links = []
        for ancestor in around:
            if ancestor.tag == "a":
                links.append(ancestor.element.get("href") or "")

        alt = node.element.get("alt") or ""
        in_gallery = _GALLERY.search(names) is not None
        is_elsewhere = _NO_PRODUCT.search(names) is not None
        leads_away = any(map(_leads_away, links))
        score = 2.0 * similarity(alt, name)
        score += 1.0 * in_gallery - 1.5 * is_elsewhere
        score -= 1.5 * leads_away
        is_video = _VIDEO.search(names) is not None
        has_video_link = any(map(_VIDEO_LINK.search, links))
        orders[url] = (is_video or has_video_link, -round(score, 4), index)

    likely = []
    for url, (_, negative_score, _) in orders.items():
        score = -negative_score
        if score >= MIN_IMAGE_SCORE:
            likely.append(url)
    likely.sort(key=orders.__getitem__)
    if not likely and name_at >= 0:
        likely = _find_nearest(page, orders, name_at)
    if likely:
        likely += _find_beside(page, orders, likely)
        likely.sort(key=orders.__getitem__)
    return likely[:MAX_IMAGES]


#: What an element that holds only images has in it.
_TAGS_OF_IMAGES = frozenset(("img", "picture", "source"))


def _find_beside(
    page: Page,
    orders: Mapping[str, tuple[bool, float, int]],
    likely: Sequence[str],
) -> list[str]:
    """The other images that nothing speaks against in the element of the main image, the first
    likely one, if that element holds only images."""
    outline = page.outline
    _, _, main = orders[likely[0]]
    container = outline.nodes[main].parent
    if outline.nodes[container].tag == "picture":
        container = outline.nodes[container].parent
    if container < 0:
        return []
    node = outline.nodes[container]
    has_text = node.first < node.last
    if has_text or not outline.tags_below(container) <= _TAGS_OF_IMAGES | {node.tag}:
        return []
    beside = []
    for url, (is_video, negative_score, index) in orders.items():
        is_possible = not is_video and negative_score <= 0 and not is_logo(url)
        if is_possible and url not in likely and index in outline.below(container):
            beside.append(url)
    return beside


#: Leaves between the name and the nearest image.
MAX_IMAGE_DISTANCE = 12


def _find_nearest(
    page: Page,
    orders: Mapping[str, tuple[bool, float, int]],
    name_at: int,
) -> list[str]:
    """The image nearest to the name that nothing speaks against."""
    nearest = []
    for url, (is_video, negative_score, index) in orders.items():
        distance = abs(page.outline.nodes[index].first - name_at)
        is_possible = not is_video and negative_score <= 0 and not is_logo(url)
        if is_possible and distance <= MAX_IMAGE_DISTANCE:
            nearest.append((distance, index, url))
    return [min(nearest)[2]] if nearest else []


def _leads_away(href: str) -> bool:
    """Whether a link leads to another page, not to an image or a place on this page."""
    if not href or href.startswith("#"):
        return False
    return not _is_image(href)


def is_logo(url: str) -> bool:
    """Whether the file name of an image is that of a logo.

    >>> is_logo("http://a.example/i/Owl_logo.png"), is_logo("http://logo.example/owl.png")
    (True, False)
    """
    path, _, _ = url.partition("?")
    _, _, file_name = path.rpartition("/")
    return "logo" in file_name.lower()


def _is_image(url: str) -> bool:
    return _IMAGE_FILE.search(url) is not None

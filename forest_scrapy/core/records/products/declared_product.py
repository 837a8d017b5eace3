"""What a page declares about its product in JSON-LD, microdata and ``meta`` elements, and the
images that it shows."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from forest_scrapy.core.page.declared import Properties, as_list, names_of, text_of
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.pictures import image_url
from forest_scrapy.core.page.tree import class_and_id
from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.core.records.products.names import similarity

#: The fields of a product that are found in several ways, in their order.
FIELDS = ("name", "price", "currency", "availability", "sku", "brand", "images", "description")

#: Endings of the types of schema.org that are products, in lower case.
_TYPES = ("product", "productgroup", "productmodel", "individualproduct")
#: The largest number of images and attributes.
_MOST = 50
#: Prices from this number on are none; characters of the longest price.
_LARGEST, _MOST_DIGITS = 10**12, 30
_SEPARATORS = re.compile(r"[\s_-]+")
#: The names of schema.org for what is available, by these names without capitals.
_STATES = {
    name.lower(): name
    for name in (
        "BackOrder", "Discontinued", "InStock", "InStoreOnly", "LimitedAvailability",
        "MadeToOrder", "OnlineOnly", "OutOfStock", "PreOrder", "PreSale", "Reserved", "SoldOut",
    )
}  # fmt: skip
_META = {
    "name": ("og:title", "twitter:title"),
    "price": ("product:price:amount", "og:price:amount", "product:sale_price:amount"),
    "currency": ("product:price:currency", "og:price:currency"),
    "availability": ("product:availability", "og:availability"),
    "sku": ("product:retailer_item_id",),
    "brand": ("product:brand", "og:brand"),
    "images": ("og:image", "og:image:secure_url", "twitter:image"),
    "description": ("og:description", "description", "twitter:description"),
}

Values = dict[str, Any]


def read_declared(page: Page) -> Iterator[tuple[str, Values]]:
    """The values that a page declares, by field, with where they are from, the most reliable
    first.  All are texts, except ``images`` and ``attributes``: lists."""
    declared = page.declared
    for source, nodes in (("json-ld", declared.nodes), ("microdata", declared.items)):
        node = _choose_product(nodes, page.url)
        if node:
            yield source, _read_node(node, nodes, page.base_url)
    yield "meta", read_meta(page)


def read_meta(page: Page) -> Values:
    """What ``meta`` elements declare, also on pages without a product."""
    found: Values = {}
    for name, keys in _META.items():
        contents = [text for key in keys for text in page.declared.meta.get(key, ())]
        if contents and name == "images":
            urls = (absolute_url(text, page.base_url) for text in contents)
            found[name] = list(dict.fromkeys(url for url in urls if url))[:_MOST]
        elif contents:
            found[name] = _CLEAN.get(name, str)(contents[0])
    return {name: value for name, value in found.items() if value}


def _choose_product(nodes: Sequence[Properties], url: str) -> Properties:
    """The node of the page's product: the one with the page's URL, else one with offers, else
    the first; empty if no node is a product."""
    found = [
        (not _is_at(node, url), not (node.get("offers") or node.get("hasVariant")), i)
        for i, node in enumerate(nodes)
        if any(str(one).lower().endswith(_TYPES) for one in as_list(node.get("@type")))
        and text_of(node.get("name"))
    ]
    return nodes[min(found)[2]] if found else {}


def _is_at(node: Properties, url: str) -> bool:
    own = (text_of(node.get(name)).partition("#")[0].rstrip("/") for name in ("url", "@id"))
    return any(one and url.partition("?")[0].rstrip("/") == one for one in own)


def _read_node(node: Properties, nodes: Sequence[Properties], base: str) -> Values:
    variant = next((one for one in as_list(node.get("hasVariant")) if isinstance(one, Mapping)), {})
    offer = _choose_offer(node) or _choose_offer(variant)
    brands = names_of(node.get("brand") or node.get("manufacturer"), tuple(nodes))
    price = _first(offer, "price", "lowPrice")
    currency = _first(offer, "priceCurrency")
    if not price:
        for part in as_list(offer.get("priceSpecification")):
            if isinstance(part, Mapping) and not price:
                price = _first(part, "price", "minPrice")
                currency = _first(part, "priceCurrency") or currency
    found = {
        "name": text_of(node.get("name")),
        "price": write_amount(price),
        "currency": _clean_currency(currency),
        "availability": _clean_availability(_first(offer, "availability")),
        "sku": _first(node, "sku", "productID", "mpn") or _first(variant, "sku"),
        "brand": brands[0] if brands else "",
        "images": list(dict.fromkeys(_image_urls(node.get("image"), base)))[:_MOST],
        "description": text_of(node.get("description")),
        "attributes": list(_read_properties(node))[:_MOST],
    }
    return {name: value for name, value in found.items() if value}


def _choose_offer(node: Properties) -> Properties:
    """The first offer with a price, else the first."""
    offers = [one for one in as_list(node.get("offers")) if isinstance(one, Mapping)]
    offers += [
        inner
        for one in offers
        for inner in as_list(one.get("offers"))
        if isinstance(inner, Mapping)
    ]
    priced = (one for one in offers if one.get("price") or one.get("lowPrice"))
    return next(priced, offers[0] if offers else {})


def _first(node: Properties, *names: str) -> str:
    """The first of the properties that has a text or a number."""
    for name in names:
        for value in as_list(node.get(name)):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return str(value)
            if text := text_of(value):
                return text
    return ""


def _image_urls(value: Any, base: str) -> Iterator[str]:
    for one in as_list(value)[:_MOST]:
        if isinstance(one, Mapping):
            one = one.get("contentUrl") or one.get("url")
        for text in as_list(one)[:_MOST]:
            if isinstance(text, str) and (url := absolute_url(text, base)):
                yield url


def _read_properties(node: Properties) -> Iterator[dict[str, str]]:
    for one in as_list(node.get("additionalProperty")):
        if isinstance(one, Mapping):
            name, value = text_of(one.get("name")), _first(one, "value")
            if name and value:
                yield {"name": name, "value": value}


def write_amount(text: str) -> str:
    """A price as a decimal number; ``""`` if there is none, or 0.

    >>> write_amount("1,299.5"), write_amount("1.299,50 EUR"), write_amount("0.00")
    ('1299.5', '1299.50', '')
    """
    try:
        amount = Decimal(text[:_MOST_DIGITS])
    except InvalidOperation:
        from price_parser import Price as ParsedPrice

        parsed = ParsedPrice.fromstring(text[:80]).amount
        amount = Decimal(0) if parsed is None else parsed
    is_price = amount.is_finite() and 0 < amount < _LARGEST
    return f"{amount:f}"[:_MOST_DIGITS] if is_price else ""


def _clean_currency(text: str) -> str:
    code = text.strip().upper()
    return code if len(code) == 3 and code.isascii() and code.isalpha() else ""


def _clean_availability(text: str) -> str:
    """The name that schema.org has for it; another name as it is.

    >>> _clean_availability("http://schema.org/InStock"), _clean_availability("out of stock")
    ('InStock', 'OutOfStock')
    >>> _clean_availability("Instock"), _clean_availability("pre-order")
    ('InStock', 'PreOrder')
    """
    name = text.strip().rstrip("/").rpartition("/")[2].rpartition("#")[2]
    known = _STATES.get(_SEPARATORS.sub("", name).lower())
    return known or "".join(word[:1].upper() + word[1:] for word in name.split())[:40]


_CLEAN: dict[str, Callable[[str], str]] = {
    "price": write_amount,
    "currency": _clean_currency,
    "availability": _clean_availability,
}


#: The largest number of images, and of elements above one whose names are read.
_MOST_IMAGES, _NAMED_ABOVE = 20, 6
_GALLERY = re.compile(
    r"gallery|zoom|carousel|slider|thumb|swatch|product[\w-]*(?:image|media|photo|img)|(?:main|hero)"
    r"[\w-]*(?:image|img)|viewer|picture",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"logo|icon|sprite|payment|badge|avatar|flag|banner|related|recommend|similar|also|review|nav"
    r"|footer|header|menu|rating|star|upsell|sponsor|social",
    re.IGNORECASE,
)
_FILES = re.compile(r"\.svg(?:$|\?)|/(?:icons?|logos?)/|placeholder|spacer", re.IGNORECASE)
#: Names of video players, and of links that open them.
_VIDEO = re.compile(
    r"(?:^|[\s_-])(?:videos?|player|play-?(?:btn|button|icon))(?:$|[\s_-])", re.IGNORECASE
)
_VIDEO_LINK = re.compile(r"/(?:watch|embed|videos?)[/?]|\.(?:mp4|webm|m3u8)(?:$|\?)", re.IGNORECASE)
#: The least score of an image of the product.
_LEAST = 1.0


def find_images(page: Page, name: str) -> list[str]:
    """The URLs of the images, the likeliest first, and the previews of videos last; the weights
    are chosen by hand."""
    outline, scored = page.outline, dict[str, tuple[bool, float, int]]()
    for i, node in enumerate(outline.nodes):
        if node.tag != "img" or len(scored) >= 500:
            continue
        url = image_url(node.element, page.base_url)
        if not url or _FILES.search(url):
            continue
        above = list(outline.path(i))[:_NAMED_ABOVE]
        elements = [outline.nodes[j].element for j in above]
        names = " ".join(class_and_id(element, 200) for element in elements)
        links = [
            outline.nodes[j].element.get("href") or "" for j in above if outline.nodes[j].tag == "a"
        ]
        leads_away = any(one and not one.startswith("#") and not _is_image(one) for one in links)
        score = 2.0 * similarity(node.element.get("alt") or "", name)
        score += 1.0 * bool(_GALLERY.search(names)) - 1.5 * bool(_OTHER.search(names))
        score -= 1.5 * leads_away
        is_video = bool(_VIDEO.search(names)) or any(map(_VIDEO_LINK.search, links))
        if url not in scored:
            scored[url] = (is_video, -round(score, 4), i)
    kept = sorted((key, url) for url, key in scored.items() if -key[1] >= _LEAST)
    return [url for _, url in kept[:_MOST_IMAGES]]


def is_logo(url: str) -> bool:
    """Whether the file name of an image is that of a logo.

    >>> is_logo("http://a.example/i/Owl_logo.png"), is_logo("http://logo.example/owl.png")
    (True, False)
    """
    return "logo" in url.partition("?")[0].rpartition("/")[2].lower()


def _is_image(url: str) -> bool:
    return re.search(r"\.(?:jpe?g|png|webp|gif|avif)(?:$|\?)", url, re.IGNORECASE) is not None

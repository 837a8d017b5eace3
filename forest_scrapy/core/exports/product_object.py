"""Export of the rules for products as a module with a web-poet page object."""

import json

from forest_scrapy.core.exports.origin import Origin
from forest_scrapy.core.exports.page_object import JSON_LD_READER, name_page
from forest_scrapy.core.exports.parsel_module import fill, in_docstring, list_of
from forest_scrapy.core.records.products.currencies import CODE_OF
from forest_scrapy.core.records.products.product_rules import ProductRules

_HEAD = """
import json
import re
from collections import deque
from collections.abc import Iterator
from typing import Any

from parsel import Selector
from web_poet import Returns, WebPage, cached_method, field, handle_urls
from zyte_common_items import Brand, Gtin, Image, Product

#: Where the pages show the name, the price and the brand: XPaths, tried in order.
NAME: list[str] = []
PRICE: list[str] = []
BRAND: list[str] = []
#: The currencies of signs; of those that several countries have, the most common one.
SIGNS: dict[str, str] = {}
#: A number with signs between its thousands and before its decimals.
NUMBER = re.compile(r"[0-9]+(?:[ \\u00a0\\u202f.,'\\u2019][0-9]+)*")
CODE = re.compile(r"(?<![A-Z])[A-Z]{3}(?![A-Z])")
#: Names of availability in schema.org, of which the product cannot be bought.
UNAVAILABLE = ("OutOfStock", "SoldOut", "Discontinued")
TYPES_OF_GTIN = {8: "gtin8", 12: "upc", 13: "gtin13", 14: "gtin14"}
#: What structured data have further objects in.
INSIDE = ("@graph", "mainEntity")

"""
_PAGE = '''
def text_of(value: Any) -> str:
    """The text of a value of structured data: of several the first, of an object its name."""
    for part in as_list(value):
        if isinstance(part, dict):
            part = part.get("name") or part.get("url") or part.get("@value")
        if isinstance(part, str | int | float) and str(part).strip():
            return " ".join(re.sub(r"<[^<>]*>", " ", str(part)).split())
    return ""


def declared_product(selector: Selector) -> dict[str, Any]:
    """The product that the page declares in JSON-LD; empty if there is none."""
    for value in json_ld_of(selector):
        types = [str(name).rpartition("/")[2] for name in as_list(value.get("@type"))]
        if "Product" in types or "ProductGroup" in types:
            variants = [part for part in as_list(value.get("hasVariant")) if isinstance(part, dict)]
            if "offers" not in value and variants:
                return {**variants[0], **value}
            return value
    return {}


def offers_of(product: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The offers of a declared product, each with the prices that it specifies."""
    for offer in as_list(product.get("offers")):
        if isinstance(offer, dict):
            yield offer
            for name in ("priceSpecification", "offers"):
                yield from (part for part in as_list(offer.get(name)) if isinstance(part, dict))


def read_price(text: str) -> tuple[str, str]:
    """The amount, with a point before its decimals, and the currency; empty if there is none."""
    number = NUMBER.search(text)
    if number is None:
        return "", ""
    parts = re.split(r"[^0-9]", number[0])
    separators = re.findall(r"[^0-9]", number[0])
    amount = "".join(parts)
    is_decimal = bool(separators) and separators[-1] in ".," and len(parts[-1]) <= 2
    if is_decimal:
        amount = "".join(parts[:-1]) + "." + parts[-1]
    code = CODE.search(text)
    if code is not None:
        return amount, code[0]
    signs = [sign for sign in SIGNS if sign in text]
    return amount, SIGNS[max(signs, key=len)] if signs else ""


@handle_urls("HOST")
class SitePage(WebPage, Returns[Product]):
    """A product of the site: what the page declares, and for the rest what it shows where the
    pages of the site have it."""

    @cached_method
    def html(self) -> Selector:
        """The page as HTML; ``self.selector`` takes pages with an XML declaration for XML."""
        return Selector(text=self.response.text, type="html")

    def declared(self, name: str) -> str:
        """A value that the page declares in JSON-LD or microdata."""
        selector = self.html()
        value = text_of(declared_product(selector).get(name))
        if value:
            return value
        scope = "(//*[contains(@itemtype, 'schema.org/Product')])[1]"
        for element in selector.xpath(f"{scope}//*[@itemprop=$name]", name=name):
            value = element.attrib.get("content") or element.xpath("normalize-space()").get("")
            if value:
                return value
        return ""

    def offered(self, *names: str) -> str:
        """A value of the offers that the page declares."""
        for offer in offers_of(declared_product(self.html())):
            for name in names:
                value = text_of(offer.get(name))
                if value:
                    return value
        return ""

    def meta(self, *names: str) -> str:
        """A value of a ``meta`` element."""
        for name in names:
            xpath = "//meta[@property=$name or @name=$name]/@content"
            value = self.html().xpath(xpath, name=name).get("").strip()
            if value:
                return value
        return ""

    def shown(self, xpaths: list[str]) -> str:
        """The first text at the places of a field, without what is struck out."""
        for xpath in xpaths:
            for element in self.html().xpath(xpath):
                texts = element.xpath(".//text()[not(ancestor::del or ancestor::s)]").getall()
                text = " ".join("".join(texts).split())
                if text:
                    return text
        return ""

    def price_and_currency(self) -> tuple[str, str]:
        amount = self.offered("price", "lowPrice") or self.declared("price")
        amount = amount or self.meta("product:price:amount", "og:price:amount")
        currency = self.offered("priceCurrency") or self.declared("priceCurrency")
        currency = currency or self.meta("product:price:currency", "og:price:currency")
        shown_amount, shown_currency = read_price(self.shown(PRICE))
        declared_amount, _ = read_price(amount)
        return declared_amount or shown_amount, currency or shown_currency

    @field
    def url(self) -> str:
        return str(self.response.url)

    @field
    def name(self) -> str | None:
        return self.declared("name") or self.shown(NAME) or None

    @field
    def price(self) -> str | None:
        return self.price_and_currency()[0] or None

    @field
    def currency(self) -> str | None:
        amount, currency = self.price_and_currency()
        return currency if amount and currency else None

    @field
    def availability(self) -> str | None:
        value = self.offered("availability") or self.declared("availability")
        name = (value or self.meta("product:availability", "og:availability")).rpartition("/")[2]
        if not name:
            return None
        folded = re.sub(r"[^a-z]", "", name.lower())
        return "OutOfStock" if folded in map(str.lower, UNAVAILABLE) else "InStock"

    @field
    def sku(self) -> str | None:
        return self.declared("sku") or self.offered("sku") or None

    @field
    def gtin(self) -> list[Gtin] | None:
        for name in ("gtin13", "gtin14", "gtin12", "gtin8", "gtin"):
            digits = re.sub(r"[^0-9]", "", self.declared(name) or self.offered(name))
            if len(digits) in TYPES_OF_GTIN:
                return [Gtin(type=TYPES_OF_GTIN[len(digits)], value=digits)]
        return None

    @field
    def brand(self) -> Brand | None:
        name = self.declared("brand") or self.shown(BRAND) or self.meta("product:brand")
        return Brand(name=name) if name else None

    @field
    def images(self) -> list[Image] | None:
        urls = []
        for value in as_list(declared_product(self.html()).get("image")):
            if isinstance(value, dict):
                value = text_of(value.get("url") or value.get("contentUrl"))
            if isinstance(value, str) and value.strip():
                urls.append(value.strip())
        if not urls:
            xpath = "//*[@itemprop='image']/@*[name()='content' or name()='src' or name()='href']"
            urls = self.html().xpath(xpath).getall()
        if not urls:
            urls = [url for url in [self.meta("og:image", "og:image:url")] if url]
        absolute = {}
        for url in urls:
            try:
                absolute[str(self.response.urljoin(url))] = True
            except ValueError:
                continue  # no URL
        return [Image(url=url) for url in absolute] or None

    @field
    def mainImage(self) -> Image | None:
        images = self.images
        return images[0] if images else None

    @field
    def description(self) -> str | None:
        return self.declared("description") or self.meta("og:description", "description") or None
'''


def write_product_object(rules: ProductRules, origin: Origin) -> str:
    """The source of a module with a page object for ``zyte_common_items.Product``."""
    template = f", template {origin.template}" if origin.template else ""
    about = in_docstring(f"{origin.host}{template}: learned by forest-scrapy")
    head = f'"""A page object for the products of {about}."""\n'
    source = name_page(head + _HEAD + JSON_LD_READER + _PAGE, origin.host)
    source = fill(source, "NAME: list[str]", list_of(rules.name))
    source = fill(source, "PRICE: list[str]", list_of(rules.price))
    source = fill(source, "BRAND: list[str]", list_of(rules.brand))
    signs = json.dumps(dict(CODE_OF), ensure_ascii=False, indent=4).replace('"\n}', '",\n}')
    return fill(source, "SIGNS: dict[str, str]", signs)

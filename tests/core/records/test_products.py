"""The values of products: declared, learned from the template, or shown."""

from __future__ import annotations

import pytest
from hypothesis import given

from forest_scrapy.core import Page, learn_records
from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.records import (
    ProductRules,
    learn_product,
    read_listing,
    read_product,
)
from forest_scrapy.core.records.products.declared_product import read_declared
from forest_scrapy.core.records.products.prices import read_price
from tests.core.helpers import html_texts, read_again
from tests.core.records.shop import LAMPS, Lamp, list_html, product_html, product_page

PAGES = [product_page(lamp) for lamp in LAMPS]
RULES = learn_product(PAGES)


@pytest.mark.parametrize("lamp", LAMPS, ids=[lamp.key for lamp in LAMPS])
def test_values_that_are_not_declared(lamp: Lamp) -> None:
    found = read_product(product_page(lamp), RULES)
    assert (found.name, found.price, found.currency) == (lamp.name, lamp.price, "EUR")
    assert (found.brand, found.sku, found.availability) == (lamp.brand, f"L-{lamp.key}", "InStock")
    assert found.images[:1] == [f"http://shop.example/img/{lamp.key}.jpg"]
    assert found.sources["price"] == "template"


def test_a_single_page() -> None:
    found = read_product(PAGES[0], ProductRules())
    assert (found.name, found.price, found.brand) == (LAMPS[0].name, LAMPS[0].price, "Strix")
    assert found.sources["price"] == "page"


def test_attributes_that_are_the_same_everywhere_are_none() -> None:
    found = read_product(PAGES[0], RULES).attributes
    assert {"name": "Height", "value": "31", "type": "number", "unit": "cm"} in found
    assert not any(one["name"] == "Warranty" for one in found)


VIDEOS = {
    "a video": "<p class='product-video'><img src=/v.jpg alt='{name}'></p>",
    "a button": "<p><img src=/v.jpg alt='{name}' class='x play-button'></p>",
    "a link to a video": "<a href=/owl.mp4><img src=/v.jpg alt='{name}'></a>",
    "a link to a page of a video": "<a href=/watch?v=x><img src=/v.jpg alt='{name}'></a>",
}


@pytest.mark.parametrize("video", VIDEOS.values(), ids=VIDEOS.keys())
def test_the_preview_of_a_video_is_no_main_image(video: str) -> None:
    preview = video.format(name=LAMPS[0].name)
    html = product_html(LAMPS[0]).replace('<div class="gallery">', f"<div class=gallery>{preview}")
    found = read_product(Page.from_html(html, PAGES[0].url), ProductRules()).images
    assert found[0] == "http://shop.example/img/owl.jpg"
    only = Page.from_html(f"<h1>{LAMPS[0].name}</h1><div class=gallery>{preview}", PAGES[0].url)
    assert all(url.endswith("/v.jpg") for url in read_product(only, ProductRules()).images)


JUNK = {
    "a button": "<div><p>Buy all:</p><p><a href=/c>Add All To Cart</a></p></div>",
    "a price with a button": "<div>Set: 9,00 € <button>In den Warenkorb</button></div>",
    "a menu": "<nav><ul><li>Lamps: how to choose</ul></nav>",
    "a link": "<p><a href=/b>The new lamps: all you must know</a></p>",
    "a review": "<div class=review-list><p>Lives in: Bergen</p></div>",
    "times of a player": "<p>Sound of the switch 0:37</p>",
    "signs": "<p>Tags: +</p>",
    "a phone number": "<p>Tel: 03 59 55 40 40</p>",
    "a German phone number": "<p>Telefon: +49 (0)40 1234-567</p>",
    "a question": "<dl><dt>Q. Will it fit?<dd>A. It will</dl>",
    "a question in a line": "<p>Question: Does it swing?</p>",
    "an answer": "<p>A: It does, in the wind.</p>",
    "a label in two parts": "<div><p>Popular</p><p>Age rating for: XY</p></div>",
    "an open bracket": "<p>All news (last: 5 March)</p>",
}


@pytest.mark.parametrize("markup", JUNK.values(), ids=JUNK.keys())
def test_pairs_that_are_no_attributes(markup: str) -> None:
    html = product_html(LAMPS[0]).replace("<table>", f"{markup}<table>")
    names = [one["name"] for one in read_product(Page.from_html(html), ProductRules()).attributes]
    own = [one["name"] for one in read_product(PAGES[0], ProductRules()).attributes]
    assert [name for name in names if name != "Age rating for"] == own


@pytest.mark.parametrize(
    "markup",
    [
        "<p>Colour: red</p>",
        "<table><tr><td>Panier:<td>oui</table><p>Colour: red</p>",
        "<p><b>Colour:</b> <a href=/red>red</a></p>",
        "<div><p>Colour:</p><p>red</p></div>",
        "<body class=has-reviews><div class='product reviews'><h1>A</h1><p>Colour: red</p></div>",
    ],
)
def test_pairs_that_are_attributes(markup: str) -> None:
    html = product_html(LAMPS[0]).replace("<table>", f"{markup}<table>")
    found = read_product(Page.from_html(html), ProductRules()).attributes
    assert [one["value"] for one in found if one["name"] == "Colour"] == ["red"]


@pytest.mark.parametrize("name", ["Code EAN", "GTIN", "ISBN-10", "Référence fournisseur"])
def test_the_type_of_codes_is_text(name: str) -> None:
    html = product_html(LAMPS[0]).replace("<table>", f"<p>{name}: 109 004</p><table>")
    found = read_product(Page.from_html(html), ProductRules()).attributes
    assert [one["type"] for one in found if one["name"] == name] == ["text"]


def test_what_is_declared_comes_first() -> None:
    html = product_html(LAMPS[0], declares=True).replace("In stock", "Sold out")
    page = Page.from_html(html, PAGES[0].url)
    found = read_product(page, RULES)
    assert (found.price, found.currency, found.availability) == ("1299.00", "EUR", "InStock")
    assert (found.sources["price"], found.sources["attributes"]) == ("json-ld", "page")


def test_a_declared_price_gives_way_to_the_only_one_at_the_name() -> None:
    html = product_html(LAMPS[0], declares=True).replace("1.299,00", "1.111,00")
    found = read_product(Page.from_html(html, PAGES[0].url), RULES)
    assert (found.price, found.currency) == ("1111.00", "EUR")
    assert found.sources["price"] == "page"


def test_a_declared_price_that_is_struck_is_the_regular_one() -> None:
    html = product_html(LAMPS[0], declares=True)
    html = html.replace("2.000,00 €", "1.299,00 €").replace('now">1.299,00', 'now">999,00')
    found = read_product(Page.from_html(html, PAGES[0].url), RULES)
    assert (found.price, found.regular_price) == ("999.00", "1299.00")


def test_a_declared_price_stays_if_several_others_are_shown() -> None:
    html = product_html(LAMPS[0], declares=True)
    html = html.replace('now">1.299,00 €', 'now">1.111,00 €</span> <span>1.222,00 €')
    found = read_product(Page.from_html(html, PAGES[0].url), RULES)
    assert found.price == "1299.00"


@pytest.mark.parametrize("field", ["brand", "price"])
def test_pages_that_declare_teach_the_others(field: str) -> None:
    """Nothing on the pages but the declaration says which text is the value."""

    def plain(lamp: Lamp, declares: bool) -> Page:
        html = product_html(lamp, declares)
        html = html.replace('class="brand"', 'class="x7"').replace("/brands/", "/b/")
        html = html.replace(f"<h1>{lamp.name}", f"<h1>{lamp.name.partition(' ')[2]}")
        html = html.replace("<del>2.000,00 €</del>", "<b class=u>2.000,00 €</b>")
        return Page.from_html(html, f"http://shop.example/p/{lamp.key}")

    rules = learn_product([plain(lamp, declares=True) for lamp in LAMPS[:2]])
    assert field in rules.taught
    found = read_product(plain(LAMPS[2], declares=False), rules)
    assert getattr(found, field) == getattr(LAMPS[2], field)


def test_microdata_and_meta() -> None:
    page = Page.from_html(
        "<meta property='product:price:amount' content='3.50'>"
        "<meta property='product:price:currency' content='USD'>"
        "<div itemscope itemtype='http://schema.org/Product'><b itemprop=name>Tin</b></div>"
    )
    found = read_product(page, ProductRules())
    assert (found.name, found.price, found.currency) == ("Tin", "3.50", "USD")
    assert (found.sources["name"], found.sources["price"]) == ("microdata", "meta")


@pytest.mark.parametrize(
    "state", ["Instock", "in stock", "http://schema.org/INSTOCK", "in_stock", "schema.org#InStock"]
)
def test_the_name_of_an_availability(state: str) -> None:
    page = Page.from_html(
        "<div itemscope itemtype='http://schema.org/Product'><b itemprop=name>Tin</b>"
        "<p itemprop=offers itemscope itemtype='http://schema.org/Offer'>"
        f"<meta itemprop=availability content='{state}'></div>"
    )
    assert read_product(page, ProductRules()).availability == "InStock"


@pytest.mark.parametrize(
    "script",
    ["{", "[]", '{"@type": "Product"}', '{"@type": "Product", "name": [], "offers": "x"}',
     '{"@type": "Product", "name": "A", "offers": {"price": "1e999", "priceCurrency": {}}}',
     '{"@type": ["Product"], "name": "A", "image": [{"url": 1}], "brand": [[]]}'],
)  # fmt: skip
def test_broken_declarations(script: str) -> None:
    page = Page.from_html(f"<script type='application/ld+json'>{script}</script><h1>A tin</h1>")
    for _, values in read_declared(page):
        assert "price" not in values
    assert read_product(page, ProductRules()).name in ("A", "A tin")


@given(html_texts(), html_texts())
def test_any_page(first: str, second: str) -> None:
    pages = [Page.from_html(first, "http://a.example/1"), Page.from_html(second)]
    rules = learn_product(pages)
    assert from_json(ProductRules, to_json(rules)) == rules
    for page in pages:
        read_product(page, rules)


def test_the_order_of_the_pages_does_not_matter() -> None:
    assert learn_product(PAGES[::-1]) == RULES


def test_the_wrapper_of_a_template_of_products() -> None:
    wrapper = learn_records([product_page(lamp, declares=True) for lamp in LAMPS])
    assert wrapper.kind.name == "product"
    assert wrapper.product is not None
    assert read_again(wrapper) == wrapper
    assert "warm light" in wrapper.read_text(PAGES[0])


def test_the_items_of_a_list() -> None:
    page = Page.from_html(list_html(LAMPS[:4], "/lamps?page=2"), "http://shop.example/lamps")
    listing = read_listing(page, learn_records([page]))
    assert [one["title"] for one in listing.items] == [
        f"{lamp.name} with a shade" for lamp in LAMPS[:4]
    ]
    assert [one["price"] for one in listing.items] == [lamp.price for lamp in LAMPS[:4]]
    assert listing.items[0] == {
        "position": 1,
        "title": "Strix Owl table lamp with a shade",
        "url": "http://shop.example/p/owl",
        "image": "http://shop.example/img/owl.jpg",
        "text": "",
        "date": "",
        "price": "1299.00",
        "currency": "EUR",
        "attributes": [],
    }
    assert listing.next_page == "http://shop.example/lamps?page=2"


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("R$ 1.299,90", "BRL"), ("A$20", "AUD"), ("C$5", "CAD"), ("HK$ 3", "HKD"), ("NZ$5", "NZD"),
        ("US$ 7", "USD"), ("MX$ 5", "MXN"), ("S$5", "SGD"), ("NT$5", "TWD"), ("AU $20.00", "AUD"),
        ("5 A$", "AUD"), ("20 US$", "USD"), ("CN¥5", "CNY"), ("E£5", ""), ("Q$5", ""),
        ("AUD $5", "AUD"), ("$5 CAD", "CAD"), ("SIZE M $5", "USD"), ("SALE$20", "USD"),
        ("BUY $5", "USD"), ("now $5", "USD"),
    ],
)  # fmt: skip
def test_a_currency_is_that_of_the_letters_at_its_sign(text: str, currency: str) -> None:
    price = read_price(text)
    assert price is not None and price.currency == currency

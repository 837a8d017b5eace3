"""Names, brands and images that are those of the shop, not of the product."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.records import ProductRules, read_product

SHOP = '<meta property="og:site_name" content="Owl Pots"><title>Mug | Owl Pots</title>'


@pytest.mark.parametrize(
    ("body", "brand"),
    [
        ("<h1>Mug</h1>", "Owl Pots"),
        ("<h1>Mug</h1><a href=/b>Shop by brand</a>", ""),
        ("<h1>Mug</h1><a href=/s>Sell on Owl Pots</a>", ""),
        ("<h1>Mug</h1><p>Brand: <b>Strix</b></p>", "Strix"),
        ("<h1>Strix mug</h1><img class=logo alt=Strix src=/s.png>", "Strix"),
        ("<h1>Mug</h1><p><a class=text-brand-500 href=/g>Lifetime guarantee</a></p>", "Owl Pots"),
    ],
)
def test_brands(body: str, brand: str) -> None:
    page = Page.from_html(f"<head>{SHOP}</head><body>{body}</body>", "http://shop.example/mug")
    assert read_product(page, ProductRules()).brand == brand


def test_the_name_of_the_site_is_no_name_of_a_product() -> None:
    html = f"<head>{SHOP}</head><body><h2>Owl Pots</h2><h1>Blue mug</h1></body>"
    page = Page.from_html(html, "http://shop.example/mug")
    assert read_product(page, ProductRules()).name == "Blue mug"


def test_logos_are_no_images() -> None:
    image = '<meta property="og:image" content="/i/owl-logo.png">'
    page = Page.from_html(f"<head>{SHOP}{image}</head><h1>Mug</h1>", "http://shop.example/mug")
    assert read_product(page, ProductRules()).sources.get("images") != "page"


def test_the_price_after_an_old_one() -> None:
    html = "<h1>Mug</h1><p><b>Original price was: 24 €</b> <b>Current price is: 14 €</b></p>"
    page = Page.from_html(html, "http://shop.example/mug")
    assert read_product(page, ProductRules()).price == "14"

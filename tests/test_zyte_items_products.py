"""Products as zyte-common-items."""

from __future__ import annotations

from dataclasses import replace

import pytest
from itemadapter import ItemAdapter

from forest_scrapy.items import Product
from forest_scrapy.zyte_items import product_from_zyte, product_to_zyte

zyte = pytest.importorskip("zyte_common_items")

FULL = Product(
    "http://a.example/p/1",
    name="Owl lamp",
    price="1299.00",
    currency="EUR",
    availability="InStock",
    sku="OL-1",
    brand="Strix",
    images=["http://a.example/1.jpg", "http://a.example/2.jpg"],
    description="A lamp.",
    attributes=[{"name": "Height", "value": "30", "type": "number", "unit": "cm"}],
    text="A lamp in the form of an owl.",
    language="en",
    fetched_at="2026-11-22T06:00:00+00:00",
    template_id="t1",
    regular_price="1499.00",
    gtin="4006381333931",
    confidence=0.95,
    sources={"name": "json-ld", "price": "template"},
)


@pytest.mark.parametrize("product", [FULL, Product("http://a.example/")], ids=["full", "empty"])
def test_a_product_is_an_item(product: Product) -> None:
    item = product_to_zyte(product)
    assert isinstance(item, zyte.Product)
    assert ItemAdapter(item).asdict()["url"] == product.url


def test_an_empty_product_has_no_values() -> None:
    item = product_to_zyte(Product("http://a.example/"))
    given = {name for name, value in ItemAdapter(item).items() if value is not None}
    assert given == {"url", "metadata"}
    assert item.metadata == type(item.metadata)()


def test_fields_with_a_name_in_zyte_common_items() -> None:
    item = product_to_zyte(FULL)
    same = ("url", "name", "price", "currency", "availability", "sku", "description")
    assert [getattr(item, name) for name in same] == [getattr(FULL, name) for name in same]
    assert item.brand.name == "Strix"
    assert item.regularPrice == "1499.00"
    assert [(one.type, one.value) for one in item.gtin] == [("gtin13", "4006381333931")]
    assert product_from_zyte(item) == replace(FULL, fetched_at=product_from_zyte(item).fetched_at)
    assert item.mainImage.url == FULL.images[0]
    assert [image.url for image in item.images] == FULL.images
    assert [(one.name, one.value) for one in item.additionalProperties] == [("Height", "30 cm")]


def test_other_fields_are_in_the_metadata() -> None:
    metadata = product_to_zyte(FULL).metadata
    assert metadata.dateDownloaded == FULL.fetched_at
    assert metadata.attribute_types == [{"type": "number", "unit": "cm"}]
    rest = ("text", "language", "template_id", "sources", "confidence")
    assert [getattr(metadata, name) for name in rest] == [getattr(FULL, name) for name in rest]

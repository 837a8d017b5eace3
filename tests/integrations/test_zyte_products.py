"""Products as zyte-common-items."""

from __future__ import annotations

import pytest
from itemadapter import ItemAdapter

from forest_scrapy.integrations.zyte import product_from_zyte, product_to_zyte
from forest_scrapy.items import Product

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
    attributes=[{"name": "Height", "value": "30 cm", "type": "number", "unit": "cm"}],
    text="A lamp in the form of an owl.",
    language="en",
    fetched_at="2026-11-22T06:00:00+00:00",
    template_id="t1",
    sources={"name": "json-ld", "price": "template"},
)


@pytest.mark.parametrize("product", [FULL, Product("http://a.example/")], ids=["full", "empty"])
def test_a_converted_product_is_converted_back(product: Product) -> None:
    item = product_to_zyte(product)
    assert isinstance(item, zyte.Product)
    assert product_from_zyte(item) == product
    assert ItemAdapter(item).asdict()["url"] == product.url


def test_fields_with_a_name_in_zyte_common_items() -> None:
    item = product_to_zyte(FULL)
    assert (item.name, item.price, item.brand.name) == ("Owl lamp", "1299.00", "Strix")
    assert item.mainImage.url == FULL.images[0]
    assert [(one.name, one.value) for one in item.additionalProperties] == [("Height", "30 cm")]
    assert item.metadata.dateDownloaded == FULL.fetched_at


def test_a_product_of_another_source() -> None:
    item = zyte.Product(
        url="http://a.example/",
        name="Owl",
        brand=zyte.Brand(name="Strix"),
        additionalProperties=[zyte.AdditionalProperty(name="Height", value="30 cm")],
    )
    pairs = [{"name": "Height", "value": "30 cm"}]
    assert product_from_zyte(item) == Product(
        "http://a.example/", name="Owl", brand="Strix", attributes=pairs
    )

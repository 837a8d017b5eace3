"""The measure of the items of lists."""

from __future__ import annotations

import json

import pytest

from benchmarks.quality.listed_items import declared_items, measure_lists
from forest_scrapy.core import Page
from tests.core.records.shop import LAMPS, list_html

URL = "http://shop.example/lamps"
NAMES = {f"shop.example/p/{lamp.key}" for lamp in LAMPS}


def page_of(declared: object, html: str = "") -> Page:
    script = f"<script type='application/ld+json'>{json.dumps(declared)}</script>"
    return Page.from_html((html or list_html(LAMPS)).replace("<body>", f"<body>{script}"), URL)


def list_of(urls: list[str], nested: bool = False) -> dict[str, object]:
    items = [
        {"@type": "ListItem", **({"item": {"url": u}} if nested else {"url": u})} for u in urls
    ]
    return {"@context": "https://schema.org", "@type": "ItemList", "itemListElement": items}


@pytest.mark.parametrize("nested", [False, True])
def test_a_declared_list_is_what_should_be_found(nested: bool) -> None:
    page = page_of(list_of([f"http://shop.example/p/{lamp.key}" for lamp in LAMPS], nested))
    assert declared_items(page) == NAMES
    (result,) = measure_lists([page])
    assert (result.precision, result.recall, result.found) == (1.0, 1.0, len(LAMPS))


def test_several_products_are_a_list() -> None:
    products = [
        {"@context": "https://schema.org", "@type": "Product", "name": lamp.name,
         "url": f"http://shop.example/p/{lamp.key}"}
        for lamp in LAMPS
    ]  # fmt: skip
    assert declared_items(page_of(products)) == NAMES


def test_a_list_that_a_script_loads_does_not_count() -> None:
    page = page_of(list_of([f"http://shop.example/other/{i}" for i in range(5)]))
    assert declared_items(page) == frozenset()
    assert list(measure_lists([page])) == []

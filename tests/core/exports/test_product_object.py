"""The page object of products: what pages declare and show, and tests without the package."""

from __future__ import annotations

import asyncio
import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from effort import limited_effort
from scrapy.settings import Settings

from forest_scrapy.commands.page_objects import write_page_folder
from forest_scrapy.commands.stored import Export
from forest_scrapy.core.exports import Origin
from forest_scrapy.core.exports.page_object import page_name
from forest_scrapy.core.exports.product_object import write_product_object
from forest_scrapy.core.records import learn_product
from tests.core.records.shop import HOST, LAMPS, Lamp, product_html, product_page

from .test_page_object import run_tests

web_poet = pytest.importorskip("web_poet")
pytest.importorskip("zyte_common_items")
pytest.importorskip("time_machine")

RULES = learn_product([product_page(lamp) for lamp in LAMPS])


def load(host: str) -> Any:
    """The class of the module; web-poet warns of two page objects of one host."""
    source = write_product_object(RULES, Origin(host))
    space: dict[str, Any] = {"__name__": f"exported_{page_name(host)}"}
    exec(compile(source, "exported.py", "exec"), space)
    return space[page_name(host)], space


PAGE_CLASS, SPACE = load("lamps.example")


def item_of(html: str, path: str = "p/owl") -> Any:
    response = web_poet.HttpResponse(f"{HOST}/{path}", body=html.encode(), encoding="utf-8")
    return asyncio.run(PAGE_CLASS(response).to_item())


@pytest.mark.parametrize("lamp", LAMPS[:3], ids=lambda lamp: lamp.key)
def test_what_pages_show(lamp: Lamp) -> None:
    """Undeclared: the price is not the struck one, nor that of another product."""
    item = item_of(product_html(lamp), f"p/{lamp.key}")
    assert (item.name, item.price, item.currency) == (lamp.name, lamp.price, "EUR")
    assert item.brand.name == lamp.brand
    assert (item.sku, item.images, item.availability) == (None, None, None)


def test_what_pages_declare() -> None:
    lamp = LAMPS[1]
    item = item_of(product_html(lamp, declares=True))
    assert (item.name, item.price, item.currency) == (lamp.name, lamp.price, "EUR")
    assert (item.sku, item.brand.name, item.availability) == ("L-heron", "Ardea", "InStock")
    assert [image.url for image in item.images] == [f"{HOST}/img/heron.jpg"]
    assert item.mainImage.url == f"{HOST}/img/heron.jpg"


MICRODATA = """<div itemscope itemtype="https://schema.org/Product"><h2 itemprop=name>A lamp</h2>
<img itemprop=image src=/a.jpg><p itemprop=description>It is <b>warm</b>.</p>
<div itemprop=offers itemscope><meta itemprop=price content=12.50><meta itemprop=priceCurrency
content=CHF><link itemprop=availability href=http://schema.org/SoldOut content=SoldOut></div>
<span itemprop=gtin13>4006381333931</span></div>"""
META = """<meta property=og:image content=/b.jpg><meta property=product:price:amount content=7>
<meta property=product:price:currency content=SEK><meta name=description content="A small one.">
<meta property=product:availability content="out of stock"><h1>x</h1>"""


def test_microdata() -> None:
    item = item_of(MICRODATA)
    assert (item.name, item.price, item.currency) == ("A lamp", "12.50", "CHF")
    assert (item.description, item.availability) == ("It is warm.", "OutOfStock")
    assert (item.gtin[0].type, item.gtin[0].value) == ("gtin13", "4006381333931")
    assert item.mainImage.url == f"{HOST}/a.jpg"


def test_meta_elements() -> None:
    item = item_of(META)
    assert (item.price, item.currency, item.description) == ("7", "SEK", "A small one.")
    assert (item.availability, item.mainImage.url) == ("OutOfStock", f"{HOST}/b.jpg")


@pytest.mark.parametrize(
    "node",
    [
        {"@type": "Product", "offers": {"@type": "AggregateOffer", "lowPrice": 5,
                                        "priceCurrency": "USD"}},
        {"@graph": [{"@type": ["Product"], "offers": [{"price": "5", "priceCurrency": "USD"}]}]},
        {"@type": "https://schema.org/ProductGroup",
         "hasVariant": [{"offers": {"price": 5, "priceCurrency": "USD"}}]},
        {"@type": "Product", "offers": {"priceSpecification": {"price": 5,
                                                               "priceCurrency": "USD"}}},
    ],
)  # fmt: skip
def test_offers(node: dict[str, Any]) -> None:
    item = item_of(f"<script type='application/ld+json'>{json.dumps(node)}</script>")
    assert (item.price, item.currency) == ("5", "USD")


BROKEN = [None, 3, {"@type": "Product", "offers": 7}]


@pytest.mark.parametrize("script", ["", "{", json.dumps(BROKEN)])
def test_pages_without_a_product(script: str) -> None:
    item = item_of(f"<p><script type='application/ld+json'>{script}</script>")
    assert (item.name, item.price, item.brand, item.images) == (None, None, None, None)


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("1.299,00 €", ("1299.00", "EUR")),
        ("$1,299", ("1299", "USD")),
        ("CHF 12.50", ("12.50", "CHF")),
        ("1 299 Kč", ("1299", "CZK")),
        ("R$ 9,9", ("9.9", "BRL")),
        ("free", ("", "")),
    ],
)
def test_prices(text: str, price: tuple[str, str]) -> None:
    assert SPACE["read_price"](text) == price


@pytest.mark.slow
def test_its_tests_pass_where_forest_scrapy_cannot_be_imported(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for lamp in LAMPS[:3]:
        (pages / f"{lamp.key}.html").write_text(product_html(lamp), "utf-8")
    (pages / "about.html").write_text("<h1>About us</h1><p>We sell lamps.", "utf-8")
    files = [str(path) for path in sorted(pages.iterdir())]
    folder = tmp_path / "poet"
    source = write_product_object(RULES, Origin("shop-tests.example"))
    action = Export(Settings())
    options = Namespace(output=f"{folder}/", pages=files)
    summary = write_page_folder(source, "shop-tests.example", options, action, "price")
    assert action.errors == []
    assert "with tests of 3 pages; 1 page without a price by this wrapper" in summary
    absent = tmp_path / "absent"
    absent.mkdir()
    (absent / "forest_scrapy.py").write_text("raise ImportError('it is not installed')\n", "utf-8")
    done = run_tests(folder, absent)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


@pytest.mark.parametrize(
    "data",
    [
        "[" * 100_000,
        '{"@type": "Product", "image": ["http://[bad/x.jpg", "/a.png"]}',
        "[" * 9 + "7",
    ],
)
def test_data_that_cannot_be_read(data: str) -> None:
    script = f"<script type=application/ld+json>{data}</script>"
    item = item_of(product_html(LAMPS[0]) + script)
    assert item.name == LAMPS[0].name
    images = [image.url for image in item.images or ()]
    assert images == ([f"{HOST}/a.png"] if "image" in data else [])


@pytest.mark.slow
def test_markup_without_ends_takes_linear_time() -> None:
    data = json.dumps({"@type": "Product", "name": "<" * 200_000, "@graph": [{}] * 100_000})
    with limited_effort(10):
        item_of(f"<h1>a</h1><script type=application/ld+json>{data}</script>")


def test_what_was_learned_stays_as_it_is() -> None:
    """Also what looks like what the module has in the place of the host and of the class."""
    rules = replace(RULES, name=("//h1[@class='SitePage']", '//*[@id="HOST"]'))
    source = write_product_object(rules, Origin("lamps.example"))
    assert "//h1[@class='SitePage']" in source and '//*[@id="HOST"]' in source
    compile(source, "exported.py", "exec")

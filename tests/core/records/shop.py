"""Pages of a shop: products, with or without a declaration, and lists of them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from forest_scrapy.core import Page

__all__ = ["LAMPS", "Lamp", "crowded_html", "list_html", "product_html", "product_page"]

HOST = "http://shop.example"


@dataclass(frozen=True)
class Lamp:
    """A product, with its price as the page shows it, and as a number."""

    key: str
    name: str
    brand: str
    shown: str
    price: str
    height: str


LAMPS = (
    Lamp("owl", "Strix Owl table lamp", "Strix", "1.299,00 €", "1299.00", "31 cm"),
    Lamp("heron", "Ardea Heron floor lamp", "Ardea", "89,90 €", "89.90", "152 cm"),
    Lamp("wren", "Nid Wren reading lamp", "Nid", "45,50 €", "45.50", "22 cm"),
    Lamp("gull", "Larus Gull wall lamp", "Larus", "61,00 €", "61.00", "18 cm"),
    Lamp("rook", "Corva Rook garden lamp", "Corva", "119,00 €", "119.00", "88 cm"),
    Lamp("stork", "Ciconia Stork tripod lamp", "Ciconia", "249,00 €", "249.00", "164 cm"),
    Lamp("teal", "Anas Teal night light", "Anas", "19,95 €", "19.95", "9 cm"),
    Lamp("finch", "Pinson Finch string lights", "Pinson", "27,40 €", "27.40", "6 cm"),
)


def product_html(lamp: Lamp, declares: bool = False) -> str:
    """The page of a lamp; other lamps with their prices come before and after its own."""
    node = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": lamp.name,
        "brand": {"@type": "Brand", "name": lamp.brand},
        "image": f"/img/{lamp.key}.jpg",
        "sku": f"L-{lamp.key}",
        "offers": {
            "@type": "Offer",
            "price": lamp.price,
            "priceCurrency": "EUR",
            "availability": "https://schema.org/InStock",
        },
    }
    declared = f"<script type='application/ld+json'>{json.dumps(node)}</script>" if declares else ""
    related = "".join(
        f'<li><a href="/p/{other.key}"><img src="/img/{other.key}-s.jpg" alt="">{other.name}</a>'
        f' <span class="amount">{other.shown}</span></li>'
        for other in LAMPS
        if other is not lamp
    )
    return (
        f"<html lang=en><head><title>{lamp.name} | Lamp shop</title>{declared}</head><body>"
        f'<ul class="top"><li><a href="/">Lamp shop</a></ul><div class="product-detail">'
        f'<div class="gallery"><img src="/img/{lamp.key}.jpg" alt="{lamp.name}"></div>'
        f'<a class="brand" href="/brands/{lamp.key}">{lamp.brand}</a><h1>{lamp.name}</h1>'
        f'<p><del>2.000,00 €</del> <span class="amount now">{lamp.shown}</span></p>'
        f"<form action=/cart><button>Add to cart</button></form><p>In stock</p>"
        f"<p>The {lamp.name} gives a warm light, and its shade of paper is made by hand in the "
        f"harbour town. It comes with a cable of two metres, and a bulb for the {lamp.key}.</p>"
        f"<table><tr><th>Height</th><td>{lamp.height}</td></tr>"
        f"<tr><th>Article number</th><td>L-{lamp.key}</td></tr>"
        f"<tr><th>Warranty</th><td>Two years</td></tr></table></div>"
        f'<div class="also"><h2>You may also like</h2><ul>{related}</ul></div></body></html>'
    )


def product_page(lamp: Lamp, declares: bool = False) -> Page:
    return Page.from_html(product_html(lamp, declares), f"{HOST}/p/{lamp.key}")


def crowded_html(lamp: Lamp) -> str:
    """The page of a lamp with little text of its own, and many others below it."""
    cards = "".join(
        f'<div class="card"><a href="/p/{other.key}{number}">'
        f'<img src="/img/{other.key}.jpg" alt=""></a><h3>'
        f'<a href="/p/{other.key}{number}">{other.name} number {number}</a></h3>'
        f'<span class="price">{other.shown}</span></div>'
        for number in range(3)
        for other in LAMPS
    )
    return (
        f"<html lang=en><title>{lamp.name}</title><body><h1>{lamp.name}</h1><p>{lamp.shown}</p>"
        f"<button>Add to cart</button><p>SKU: L-{lamp.key}1</p>"
        f"<div class=grid><h2>You may also like</h2>{cards}</div></body></html>"
    )


def list_html(lamps: tuple[Lamp, ...], next_page: str = "") -> str:
    """A page that lists lamps."""
    items = "".join(
        f'<div class="card"><a href="/p/{lamp.key}"><img src="/img/{lamp.key}.jpg" alt=""></a>'
        f'<h3><a href="/p/{lamp.key}">{lamp.name} with a shade</a></h3>'
        f'<span class="price">{lamp.shown}</span></div>'
        for lamp in lamps
    )
    link = f'<a rel="next" href="{next_page}">Next</a>' if next_page else ""
    return f"<html lang=en><body><h1>Lamps</h1><div class=grid>{items}</div>{link}</body></html>"

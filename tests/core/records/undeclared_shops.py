"""Three shops that declare nothing of their products, each with its own markup and language."""

from __future__ import annotations

from dataclasses import dataclass

from forest_scrapy.core import Page

__all__ = ["SHOPS", "Shop", "Ware"]


@dataclass(frozen=True)
class Ware:
    """A product with the values that a reader sees on its page."""

    key: str
    name: str
    brand: str
    price: str
    sku: str
    gtin: str
    is_sold_out: bool = False
    regular_price: str = ""


@dataclass(frozen=True)
class Shop:
    """A shop: its language, the currency of its prices, its wares, and their pages."""

    language: str
    currency: str
    wares: tuple[Ware, ...]
    pages: tuple[Page, ...]


_KINDS = {
    "en": ("kettle", "toaster", "blender", "juicer", "grinder", "scale"),
    "de": ("Wasserkocher", "Toaster", "Standmixer", "Entsafter", "Mühle", "Waage"),
    "pt": ("chaleira", "torradeira", "liquidificador", "espremedor", "moedor", "balança"),
}
_BRANDS = ("Strix", "Ardea", "Larus", "Corva")


def _gtin(number: int) -> str:
    digits = f"400638{number:06d}"
    total = sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(digits))
    return f"{digits}{(10 - total % 10) % 10}"


def _wares(language: str) -> tuple[Ware, ...]:
    wares = []
    for number in range(12):
        kind = _KINDS[language][number % 6]
        brand = _BRANDS[(5 * number + number // 4) % 4]
        price = 19 + 137 * number + number / 100 + 0.9
        wares.append(
            Ware(
                key=f"w{number:02d}",
                name=f"{brand} {kind} {('Mono', 'Duo')[number // 6]} {110 + number}",
                brand=brand,
                price=f"{price:.2f}",
                sku=f"{language.upper()}-{2000 + 37 * number}",
                gtin=_gtin(811 + 97 * number),
                is_sold_out=number % 5 == 3,
                regular_price=f"{price * 1.25:.2f}" if number % 4 == 1 else "",
            )
        )
    return tuple(wares)


def _comma(price: str) -> str:
    return f"{float(price):,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")


_TEXT = {
    "en": "boils, mixes and weighs with little noise, and its lid of steel is made to last.",
    "de": "arbeitet leise und sparsam, und der Deckel aus Stahl hält ein ganzes Leben lang.",
    "pt": "trabalha sem ruído e com pouca energia, e a tampa de aço foi feita para durar.",
}


def _english(ware: Ware, others: tuple[Ware, ...]) -> str:
    """Divs with classes, a button, tiles of other products below a heading."""
    old = f"<s>Was A${ware.regular_price}</s> " if ware.regular_price else ""
    button = "<button>Add to cart</button>"
    if ware.is_sold_out:
        button = "<button disabled>Sold out</button><p>Email me when available</p>"
    tiles = "".join(
        f"<div class=tile><a href=/items/{other.key}>"
        f"<img src=/i/{other.key}.jpg alt='{other.name}'>{other.name}</a><span>A${other.price}</span><button>Add to cart</button></div>"
        for other in others
    )
    return (
        f"<html lang=en-AU><head><title>{ware.name} - Kitchen Corner</title></head><body>"
        "<div class=top><a href=/>Kitchen Corner</a> <a href=/brands>Brands</a>"
        "<span>Free shipping on orders over A$99</span></div>"
        f"<div class=photos><img src=/i/{ware.key}.jpg alt='{ware.name}'></div>"
        f"<div class=box><h1>{ware.name}</h1><p>by <a href=/brands/{ware.brand}>{ware.brand}</a></p>"
        f"<div>{old}<b>A${ware.price}</b></div><p>or 4 payments of A${float(ware.price) / 4:.2f}</p>"
        f"{button}<p>Item #: {ware.sku}</p><p>UPC: {ware.gtin}</p></div>"
        f"<h2>Description</h2><div>The {ware.name} {_TEXT['en']} It comes in its own box.</div>"
        f"<section><h2>You may also like</h2>{tiles}</section></body></html>"
    )


def _german(ware: Ware, others: tuple[Ware, ...]) -> str:
    """A table of data, an input for the cart, a list of other products."""
    old = f"<p>statt {_comma(ware.regular_price)} €</p>" if ware.regular_price else ""
    state = "Auf Lager, Lieferzeit 2 Tage"
    button = "<input type=submit value='In den Warenkorb'>"
    if ware.is_sold_out:
        state = "Zurzeit nicht lieferbar"
        button = ""
    rows = "".join(
        f"<li><a href=/a/{other.key}><img src=/b/{other.key}.jpg>{other.name}</a>"
        f" {_comma(other.price)} €</li>"
        for other in others
    )
    return (
        f"<html lang=de><head><title>{ware.name} | Haushalt Klein</title></head><body>"
        "<ul><li><a href=/>Haushalt Klein</a><li><a href=/marken>Marken</a></ul>"
        f"<h1>{ware.name}</h1><a href=/b/{ware.key}-gross.jpg>"
        f"<img src=/b/{ware.key}.jpg alt='{ware.name}'></a>"
        f"<form action=/korb method=post>{old}<p>{_comma(ware.price)} € inkl. MwSt. zzgl. Versand</p>"
        f"<p>{state}</p>{button}</form>"
        f"<table><tr><td>Hersteller</td><td>{ware.brand}</td></tr>"
        f"<tr><td>Artikelnummer</td><td>{ware.sku}</td></tr>"
        f"<tr><td>EAN</td><td>{ware.gtin}</td></tr><tr><td>Farbe</td><td>Weiß</td></tr></table>"
        f"<h3>Beschreibung</h3><p>{ware.name} {_TEXT['de']} Geliefert wird in einem Karton.</p>"
        f"<h3>Kunden kauften auch</h3><ul>{rows}</ul></body></html>"
    )


def _portuguese(ware: Ware, others: tuple[Ware, ...]) -> str:
    """A list of definitions, instalments before the price, cards above and below."""
    price = float(ware.price)
    old = f"<del>R$ {_comma(ware.regular_price)}</del>" if ware.regular_price else ""
    button = "<a class=botao href=/carrinho role=button>Adicionar ao carrinho</a>"
    if ware.is_sold_out:
        button = "<p>Produto esgotado</p><button>Avise-me quando chegar</button>"
    cards = "".join(
        f"<article><a href=/p/{other.key}><img src=/f/{other.key}.webp alt=''>"
        f"<h4>{other.name}</h4></a><span class=price>R$ {_comma(other.price)}</span></article>"
        for other in others
    )
    return (
        f"<html lang=pt-BR><head><title>{ware.name} - Casa Boa</title></head><body>"
        "<nav><a href=/>Casa Boa</a><a href=/marcas>Marcas</a></nav>"
        f"<main><div class=galeria-gallery><img src=/f/{ware.key}.webp alt='{ware.name}'></div>"
        f"<h1>{ware.name}</h1>{old}<p>12x de R$ {_comma(str(price / 12))} sem juros</p>"
        f"<p><strong>R$ {_comma(ware.price)}</strong> à vista</p>{button}"
        f"<dl><dt>Marca<dd>{ware.brand}<dt>Código do produto<dd>{ware.sku}"
        f"<dt>Código de barras<dd>{ware.gtin}<dt>Voltagem<dd>220 V</dl>"
        f"<h2>Descrição do produto</h2><p>{ware.name} {_TEXT['pt']} Acompanha manual.</p></main>"
        f"<aside><h2>Quem viu este produto comprou</h2>{cards}</aside></body></html>"
    )


def _shop(language: str, host: str, currency: str, write: object) -> Shop:
    wares = _wares(language)
    pages = []
    for number, ware in enumerate(wares):
        others = tuple(wares[(number + step) % len(wares)] for step in (1, 2, 5, 7))
        html = write(ware, others)  # type: ignore[operator]
        pages.append(Page.from_html(html, f"https://{host}/p/{ware.key}"))
    return Shop(language, currency, wares, tuple(pages))


SHOPS = (
    _shop("en", "kitchen.example", "AUD", _english),
    _shop("de", "haushalt.example", "EUR", _german),
    _shop("pt", "casa.example", "BRL", _portuguese),
)

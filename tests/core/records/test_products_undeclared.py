"""The values of products in shops that declare nothing."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page, learn_records, learn_rules
from forest_scrapy.core.extraction import Visit, extract_item
from forest_scrapy.core.items import Product, Refusal
from forest_scrapy.core.options import Options
from forest_scrapy.core.records import ProductRules, learn_product, read_product
from forest_scrapy.core.records.products.codes import clean_code, is_gtin
from forest_scrapy.core.records.products.currencies import page_signs
from forest_scrapy.core.records.products.prices import read_price
from tests.core.records.shop import LAMPS, crowded_html
from tests.core.records.undeclared_shops import SHOPS, Shop, Ware

IDS = [shop.language for shop in SHOPS]


def expected(shop: Shop, ware: Ware) -> dict[str, str]:
    return {
        "name": ware.name,
        "price": ware.price,
        "currency": shop.currency,
        "regular_price": ware.regular_price,
        "availability": "OutOfStock" if ware.is_sold_out else "InStock",
        "sku": ware.sku,
        "gtin": ware.gtin,
        "brand": ware.brand,
    }


@pytest.mark.parametrize("shop", SHOPS, ids=IDS)
@pytest.mark.parametrize("is_single", [False, True], ids=["template", "single pages"])
def test_the_values_of_a_shop(shop: Shop, is_single: bool) -> None:
    rules = ProductRules() if is_single else learn_product(shop.pages)
    for ware, page in zip(shop.wares, shop.pages, strict=True):
        product = read_product(page, rules)
        values = expected(shop, ware)
        assert {name: getattr(product, name) for name in values} == values
        assert ware.name in product.description
        assert len(product.images) == 1
        assert f"/{ware.key}." in product.images[0]


def read(body: str, url: str = "https://shop.example/p/owl", language: str = "en") -> Product:
    html = (
        f"<html lang={language}><title>Owl lamp</title><body><h1>Owl lamp</h1>{body}</body></html>"
    )
    return read_product(Page.from_html(html, url), ProductRules())


@pytest.mark.parametrize(
    ("body", "price", "currency"),
    [
        ("<p>12x de R$ 108,32</p><p>R$ 1.299,90</p>", "1299.90", "BRL"),
        ("<p>$9/month</p><p>$199</p>", "199", "USD"),
        ("<p>or 4 payments of $48.75</p><p>$195.00</p>", "195.00", "USD"),
        ("<p>(19,90 € / kg)</p><p>9,95 €</p>", "9.95", "EUR"),
        ("<p>Free shipping over $50</p>", "", ""),
        ("<p>12,50 € inkl. MwSt. zzgl. Versandkosten</p>", "12.50", "EUR"),
        ("<p><del>$150</del> <b>$98</b></p>", "98", "USD"),
        ("<p><span class=regular>$150</span> <span>$98</span></p>", "98", "USD"),
        ("<p><span class=regular>$150</span></p>", "150", "USD"),
        ("<p>Cena katalogowa 229,00 zł</p><p>Twoja cena 189,00 zł</p>", "189.00", "PLN"),
        ("<p>Netto: 100,00 €</p><p>Brutto: 119,00 €</p>", "119.00", "EUR"),
        ("<p>£100.00 ex. VAT</p><p>£120.00 inc. VAT</p>", "120.00", "GBP"),
        ("<b>100,00 €</b><i>zzgl. MwSt.</i><b>119,00 €</b><i>inkl. MwSt.</i>", "119.00", "EUR"),
        ("<b>£100.00</b> <i>+ VAT</i> <b>£120.00</b> <i>inc. VAT</i>", "120.00", "GBP"),
        (
            f"<b>£100.00</b>\n{50 * ' '}ex. VAT <b>£120.00</b>\n{50 * ' '}inc. VAT",
            "120.00",
            "GBP",
        ),
        ("<p>100,00 € HT</p>", "100.00", "EUR"),
        ("<p><span>Regular price</span> <b>$139.99</b></p>", "139.99", "USD"),
        ("<p>KWD 46.060</p>", "46.060", "KWD"),
        ("<p>549.56AED</p>", "549.56", "AED"),
        ("<p>1,980円</p>", "1980", "JPY"),
        ("<h3>You may also like</h3><p><a href=/a>A $5</a> <a href=/b>B</a> $7</p>", "", ""),
    ],
)
def test_the_price(body: str, price: str, currency: str) -> None:
    product = read(body)
    assert (product.price, product.currency) == (price, currency)


@pytest.mark.parametrize(
    "body",
    [
        "<p class=money><del>£1,172.00</del> £1,152.00</p>",
        "<div class=money><s>£1,172.00</s> £1,152.00</div>",
        "<span><strike>£1,172.00</strike> £1,152.00</span>",
        "<p>£1,152.00 <del>£1,172.00</del></p>",
        "<p><del><span>£1,172.00</span></del> £1,152.00</p>",
        "<p><del>£<b>1,172</b><sup>00</sup></del> £<b>1,152</b><sup>00</sup></p>",
        "<p><span class=old-price>£1,172.00</span> £1,152.00 <i>incl. VAT</i></p>",
        "<p>Was <del>£1,172.00</del> now £1,152.00</p>",
    ],
)
def test_the_text_beside_an_old_price_is_the_price(body: str) -> None:
    product = read(body)
    assert (product.price, product.regular_price) == ("1152.00", "1172.00")


def test_a_template_shows_some_prices_beside_old_ones() -> None:
    pages = []
    for number in range(4):
        old_price = f"<del>£{number + 50}.00</del> " if number % 2 else ""
        html = (
            f"<h1>Owl lamp {number}</h1><p class=money>{old_price}£{number + 20}.00</p>"
            "<button>Add to cart</button>"
        )
        pages.append(Page.from_html(html, f"https://shop.example/p/{number}"))
    rules = learn_product(pages)
    products = [read_product(page, rules) for page in pages]
    assert [product.price for product in products] == ["20.00", "21.00", "22.00", "23.00"]
    assert [product.regular_price for product in products] == ["", "51.00", "", "53.00"]


@pytest.mark.parametrize(
    "body",
    [
        "<p><del>£30.00</del> free shipping</p>",
        "<p><del>£30.00</del> save £5.00</p>",
        "<p><del>£30.00</del> or 3 payments of £10.00</p>",
    ],
)
def test_other_texts_beside_an_old_price_are_no_price(body: str) -> None:
    assert read(f"{body}<p>£24.00</p>").price == "24.00"


@pytest.mark.parametrize(
    ("url", "language", "text", "currency"),
    [
        ("https://a.example.au/", "en", "$20", "AUD"),
        ("https://a.example.com/en-ca/x", "en", "$20", "CAD"),
        ("https://nz.example.com/", "en", "$20", "NZD"),
        ("https://a.example.com/", "en-SG", "$20", "SGD"),
        ("https://a.example.com/", "es-MX", "$20", "MXN"),
        ("https://a.example.com/", "en", "$20", "USD"),
        ("https://a.example.io/de/", "de", "$20", "USD"),
        ("https://a.example.se/", "sv", "20 kr", "SEK"),
        ("https://a.example.com/", "nb", "20 kr", "NOK"),
        ("https://a.example.dk/", "da", "20 kr.", "DKK"),
        ("https://a.example.com/", "zh", "¥20", "CNY"),
        ("https://a.example.cn/", "en", "¥20", "CNY"),
        ("https://a.example.com/", "ja", "¥20", "JPY"),
        ("https://a.example.au/", "en", "US$20", "USD"),
        ("https://a.example.au/", "en", "NT$20", "TWD"),
    ],
)
def test_the_currency_of_a_sign_is_that_of_the_country(
    url: str, language: str, text: str, currency: str
) -> None:
    page = Page.from_html(f"<html lang={language}><p>a", url)
    price = read_price(text, page_signs(page))
    assert price is not None and price.currency == currency


def test_the_currency_of_a_sign_is_the_declared_one() -> None:
    page = Page.from_html("<p>a", "https://a.example.com/")
    assert page_signs(page, ["AUD"])["$"] == "AUD"
    assert page_signs(page, ["EUR"])["$"] == "USD"


@pytest.mark.parametrize(
    ("body", "state"),
    [
        ("<button>Add to cart</button>", "InStock"),
        ("<input type=submit value='In den Warenkorb'>", "InStock"),
        ("<button>Put in basket</button>", "InStock"),
        ("<a class=btn href=#>Ajouter au panier</a>", "InStock"),
        ("<p><span class=badge>Sold out</span></p><button>Add to cart</button>", "InStock"),
        ("<button disabled>Sold out</button>", "OutOfStock"),
        ("<button>Pre-order now</button>", "PreOrder"),
        ("<p>Currently unavailable.</p>", "OutOfStock"),
        ("<p>Derzeit nicht verfügbar</p>", "OutOfStock"),
        ("<p>Épuisé</p>", "OutOfStock"),
        ("<p>Agotado</p>", "OutOfStock"),
        ("<p>Produto indisponível</p>", "OutOfStock"),
        ("<p>Nicht auf Lager</p>", "OutOfStock"),
        ("<p>Nur noch 3 Stück</p>", "InStock"),
        ("<p>En stock</p>", "InStock"),
        ("<p>Нет в наличии</p>", "OutOfStock"),
        ("<p>В наличии</p>", "InStock"),
        ("<p>売り切れ</p>", "OutOfStock"),
        ("<p>Available on back order</p>", "BackOrder"),
        ("<p>Available in 3 weeks</p><button>Add to cart</button>", "BackOrder"),
        ("<p>Bestellbar in 3 Wochen</p><button>In den Warenkorb</button>", "BackOrder"),
        ("<p>Nicht auf Lager, lieferbar in 2-3 Wochen</p>", "BackOrder"),
        ("<p>Disponible sous 2 semaines</p>", "BackOrder"),
        ("<p>Leverbaar over 1 maand</p>", "BackOrder"),
        ("<p>Dostępny za <b>3 tygodnie</b></p>", "BackOrder"),
        ("<p>Будет доступен через 2 недели</p>", "BackOrder"),
        ("<p>3週間後に入荷予定</p>", "BackOrder"),
        ("<p>$5</p><p>Available in 3 colours</p><p>3 weeks to return</p>", "InStock"),
        ("<p>Nicht verfügbar seit 3 Wochen</p>", "OutOfStock"),
        ("<p>Available with 24 months warranty</p><button>Add to cart</button>", "InStock"),
        ("<p>Interest-free credit available for 12 months</p><button>Buy</button>", "InStock"),
        ("<p>24 Monate Garantie verfügbar</p><button>In den Warenkorb</button>", "InStock"),
        ("<p>Ratenzahlung über 12 Monate verfügbar</p><p>5 €</p>", "InStock"),
        ("<p>Disponible con 24 meses de garantía</p><p>5 €</p>", "InStock"),
        ("<p>Available in sizes 3 months to 9 months</p><button>Add to bag</button>", "InStock"),
        ("<p>$5</p><button disabled>Add to cart</button>", "OutOfStock"),
        ("<p>$5</p><a class='btn disabled' href=#>Add to cart</a>", "OutOfStock"),
        ("<form><p>$5</p><select><option>S</select><button disabled>Buy now</button></form>", ""),
        (
            "<div><p>$5</p><button aria-pressed=false>S</button><button disabled>Buy now</button></div>",
            "",
        ),
        (
            "<div><p>$5</p><i role=radio>S</i><i role=radio>M</i><button disabled>Buy now</button></div>",
            "",
        ),
        (
            "<div><p>$5</p><p>Choose a size</p><a>S</a><a>M</a><button disabled>Buy now</button></div>",
            "",
        ),
        ("<p>In stock</p><button disabled>Add to cart</button>", "InStock"),
        ("<label>Size S: sold out</label><button>Add to bag</button>", "InStock"),
        ("<p>$5</p>", "InStock"),
        ("<p>A lamp.</p>", ""),
    ],
)
def test_the_availability(body: str, state: str) -> None:
    assert read(body).availability == state


@pytest.mark.parametrize(
    ("body", "sku"),
    [
        ("<p>SKU: A-12</p>", "A-12"),
        ("<p>Art.-Nr.: 4711</p>", "4711"),
        ("<p>Item #22405 by mail</p>", "22405"),
        ("<p>Référence : 80-B</p>", "80-B"),
        ("<p>Ref. 80/B</p>", "80/B"),
        ("<dl><dt>Item number<dd>595247</dl>", "595247"),
        ("<p>Артикул: 100176</p>", "100176"),
        ("<span class=product-sku>AB 123</span>", "AB 123"),
        ("<div data-sku=XY-9></div>", "XY-9"),
        ("<form><input type=hidden name=sku value=Q7></form>", "Q7"),
        ("<script>var p = {'sku': 'T-1', 'id': 4}</script>", "T-1"),
        ("<script>var p = [{'sku': 'T-1'}, {'sku': 'T-2'}]</script>", ""),
        ("<p>Model: MX 500</p><p>Item no. 88</p>", "88"),
        ("<p>Model: MX500</p>", "MX500"),
        ("<div data-product-id=8865799700775></div>", ""),
        ("<h3>You may also like</h3><p>SKU: B1 <a href=/b>B</a> <a href=/c>C</a></p>", ""),
    ],
)
def test_the_number_of_the_shop(body: str, sku: str) -> None:
    assert read(body).sku == sku


def test_the_number_in_the_url_comes_last() -> None:
    url = "https://shop.example/ip/Owl-lamp/562225800"
    assert read("<p>A lamp.</p>", url).sku == "562225800"
    assert read("<p>SKU: 12</p>", url).sku == "12"
    assert read("<p>A lamp.</p>", "https://shop.example/news/20240611").sku == ""


def test_a_declared_number_of_the_manufacturer_comes_after_a_labelled_one() -> None:
    node = '{"@type": "Product", "name": "Owl lamp", "mpn": "M-1"}'
    script = f"<script type=application/ld+json>{node}</script>"
    assert read(f"{script}<p>SKU: 12</p>").sku == "12"
    assert read(script).sku == "M-1"


@pytest.mark.parametrize("text", ["", "n/a", "Blue lamp", "$20", "a sentence of 5 words"])
def test_what_is_no_number_of_a_shop(text: str) -> None:
    assert clean_code(text) == ""


@pytest.mark.parametrize(
    ("digits", "is_right"),
    [("96385074", True), ("036000291452", True), ("4006381333931", True), ("4006381333932", False),
     ("10012345678902", True), ("0000000000000", False), ("12345", False), ("\uff14\uff10\uff10", False)],
)  # fmt: skip
def test_a_gtin_has_a_check_digit(digits: str, is_right: bool) -> None:
    assert is_gtin(digits) == is_right


def test_a_declared_gtin_with_a_wrong_check_digit_is_none() -> None:
    node = '{"@type": "Product", "name": "Owl", "gtin13": "4006381333932", "gtin": "4006381333931"}'
    product = read(f"<script type=application/ld+json>{node}</script>")
    assert (product.gtin, product.sources["gtin"]) == ("4006381333931", "json-ld")


def test_the_declared_product_is_the_one_with_the_name_in_the_title() -> None:
    nodes = '[{"@type": "Product", "name": "Heron chair", "sku": "1"}, ' \
        '{"@type": "Product", "name": "Owl lamp", "sku": "2"}]'  # fmt: skip
    assert read(f"<script type=application/ld+json>{nodes}</script>").sku == "2"


ONLY_PRODUCTS = Options(kinds=("product",))
#: A page that is taken for one of another kind.
PLAIN = (
    "<title>Owl lamp</title><h1>Owl lamp</h1><p>A lamp for the desk and for the night, of paper and "
    "of wood, made by hand, and made for long use.</p>"
)
SOLD = "<p>$19.90</p><button>Add to cart</button>"


def test_a_page_of_a_product_is_not_refused_if_only_products_are_wanted() -> None:
    page = Page.from_html(PLAIN + SOLD, "https://shop.example/owl")
    item = extract_item(page, None, ONLY_PRODUCTS)
    assert isinstance(item, Product)
    assert (item.price, item.availability) == ("19.90", "InStock")
    assert item.confidence >= 0.9


def test_less_evidence_is_enough_for_a_page_that_a_user_has_named() -> None:
    page = Page.from_html(f"{PLAIN}<p>$19.90</p>", "https://shop.example/owl")
    named = extract_item(page, None, ONLY_PRODUCTS, Visit(is_article=True))
    assert isinstance(named, Product)
    text = Page.from_html(PLAIN, "https://shop.example/owl")
    assert isinstance(extract_item(text, None, ONLY_PRODUCTS, Visit(is_article=False)), Refusal)


def test_a_page_of_a_product_that_looks_like_a_list_is_one_if_only_products_are_wanted() -> None:
    page = Page.from_html(crowded_html(LAMPS[0]), "https://shop.example/p/owl")
    assert learn_records([page]).kind.name == "listing"
    item = extract_item(page, None, ONLY_PRODUCTS)
    assert isinstance(item, Product)
    assert (item.name, item.price) == (LAMPS[0].name, LAMPS[0].price)


def test_pages_of_errors_are_no_products() -> None:
    page = Page.from_html(PLAIN + SOLD, "https://shop.example/owl")
    visit = Visit(status=404, is_article=True)
    assert isinstance(extract_item(page, None, ONLY_PRODUCTS, visit), Refusal)


def test_the_brand_of_a_logo_that_links_to_it() -> None:
    logo = "<a href=/marque/strix><img src=/l.png alt=Strix></a><a href=/m>Nos marques</a>"
    assert read(logo, language="fr").brand == "Strix"


def test_the_image_beside_the_name_if_nothing_tells_which_it_is() -> None:
    others = "<h3>Andra köpte också</h3><a href=/b><img src=/b.jpg>B</a><a href=/c>C</a>"
    product = read(f"<img src=/i/owl.jpg alt=''><p>199 kr</p>{others}", language="sv")
    assert product.images == ["https://shop.example/i/owl.jpg"]


@pytest.mark.parametrize("alt", ["Owl lamp", ""])
def test_images_in_the_same_element_as_the_main_one(alt: str) -> None:
    others = "<img src=/i/2.jpg alt=''><picture><img src=/i/3.jpg alt=''></picture>"
    logo = "<img src=/i/maker-logo.png alt=''><img class=payment src=/i/cards.png alt=''>"
    images = f"<div class=shots><img src=/i/1.jpg alt='{alt}'>{others}{logo}</div>"
    product = read(f"{images}<p>£24.00</p><div><img src=/i/hall.jpg alt=''></div>")
    assert product.images == [f"https://shop.example/i/{number}.jpg" for number in (1, 2, 3)]


@pytest.mark.parametrize(
    "others",
    [
        "<img src=/i/2.jpg alt=''><p>Seen in our hall</p>",
        "<a href=/p/mug><img src=/i/2.jpg alt=''></a>",
        "<img src=/i/2.jpg alt=''><a href=/p/mug><img src=/i/3.jpg alt=''></a>",
    ],
)
def test_an_element_with_more_than_images_adds_none(others: str) -> None:
    product = read(f"<div><img src=/i/1.jpg alt='Owl lamp'>{others}</div><p>£24.00</p>")
    assert product.images == ["https://shop.example/i/1.jpg"]


@pytest.mark.parametrize(
    ("shown", "price"),
    [("€24.99", ("24.99", "EUR")), ("£24.99", ("19.99", "EUR"))],
    ids=["another amount", "another currency"],
)
def test_a_price_in_another_currency_does_not_replace_the_declared_one(
    shown: str, price: tuple[str, str]
) -> None:
    declared = (
        '{"@type": "Product", "name": "Owl lamp",'
        ' "offers": {"@type": "Offer", "price": "19.99", "priceCurrency": "EUR"}}'
    )
    html = (
        f'<script type="application/ld+json">{declared}</script><h1>Owl lamp</h1>'
        f"<b class=price>{shown}</b><button>Add to cart</button>"
    )
    product = read_product(Page.from_html(html, "https://a.example/p/1"), ProductRules())
    assert (product.price, product.currency) == price


@pytest.mark.parametrize(
    ("shown", "regular_price"),
    [
        ("<p><span class=regular>$150</span> <span>$98</span></p>", "150"),
        ("<p><b class='price-item normal'>$150</b> <b>$98</b></p>", "150"),
        ("<p><span class=regular>$98</span> <span>$150</span></p>", ""),
        ("<p><span class='font-regular'>$150</span> <span>$98</span></p>", ""),
        ("<p>Catalogusprijs $150</p><p>Onze prijs $98</p>", "150"),
    ],
)
def test_the_regular_price(shown: str, regular_price: str) -> None:
    assert read(shown).regular_price == regular_price


OFFER = (
    '<script type="application/ld+json">{"@type": "Product", "name": "Owl lamp", "offers": '
    '{"@type": "Offer", "price": "119.00", "priceCurrency": "EUR", "availability": "InStock"}}'
    "</script>"
)


@pytest.mark.parametrize(
    "shown",
    [
        "<p>100,00 € zzgl. MwSt.</p>",
        "<p>100,00 € <small>netto</small></p>",
        "<p>excl. btw € 100,00</p>",
        "<p>100,00 € HT</p>",
    ],
)
def test_a_price_without_tax_does_not_replace_the_declared_one(shown: str) -> None:
    assert read(f"{OFFER}{shown}<button>Add to cart</button>").price == "119.00"


@pytest.mark.parametrize(
    ("shown", "state"),
    [
        ("<p>€ 99,00</p><p>Sold out</p>", "OutOfStock"),
        ("<p>€ 119,00</p><p>Sold out</p>", "InStock"),
        ("<p>€ 99,00</p><button disabled>Add to cart</button>", "OutOfStock"),
        ("<p>€ 99,00</p>", "InStock"),
    ],
)
def test_an_offer_whose_price_is_outdated_tells_no_availability(shown: str, state: str) -> None:
    assert read(f"{OFFER}{shown}").availability == state


@pytest.mark.parametrize("state", ["PreOrder", "OutOfStock", "Discontinued"])
def test_a_price_alone_tells_no_other_availability_than_the_declared_one(state: str) -> None:
    offer = OFFER.replace("InStock", state)
    product = read(f"{offer}<p><del>€ 119,00</del> <b>€ 99,00</b></p>")
    assert (product.price, product.availability) == ("99.00", state)


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("<h1><a href=/>Hearth Goods</a></h1>", "Hearth Goods"),
        ("<h1>Hearth Goods</h1>", "Brass lantern - Hearth Goods"),
        ("<h1>Lanternshop</h1>", "Lanternshop | Brass lantern"),
    ],
    ids=["links to the home page", "ends the title", "is the host"],
)
def test_a_heading_with_the_name_of_the_shop_is_no_name(heading: str, title: str) -> None:
    html = (
        f"<html lang=en><title>{title}</title><body>{heading}<h2>Brass lantern</h2>"
        "<p>£12.50</p><button>Add to cart</button>"
    )
    page = Page.from_html(html, "https://lanternshop.example/p/1")
    assert read_product(page, ProductRules()).name == "Brass lantern"


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("https://brasslantern.example/p/1", "Brass lantern"),
        ("https://www.brasslantern.example/", "Brass lantern - by hand"),
        ("https://shop.lantern/p/1", "Brass lantern"),
    ],
)
def test_a_product_may_have_the_name_of_its_host(url: str, title: str) -> None:
    html = (
        f"<html lang=en><title>{title}</title><body><h1>Brass lantern</h1><h2>Description</h2>"
        "<p>£12.50</p><button>Add to cart</button>"
    )
    assert read_product(Page.from_html(html, url), ProductRules()).name == "Brass lantern"


def _bare_goods(number: int) -> Page:
    """A page that says nothing of itself, with a name in a heading of the second level."""
    name = f"{('Brass', 'Copper', 'Iron', 'Oak')[number % 4]} {('lantern', 'stool')[number // 4]}"
    html = (
        "<html lang=en><title>Hearth Goods</title><h1>Hearth Goods</h1><p><a href=/>Home</a> "
        f"<a href=/list>All goods</a></p><h2>{name}</h2><img src=/i/{number}.jpg>"
        f"<p>£{12 + number}.50</p><p>Made by hand in our shop.</p><button>Add to cart</button>"
    )
    return Page.from_html(html, f"https://h.example/g/{number}")


@pytest.mark.parametrize("kinds", [("product",), ("product", "listing"), ("thread", "product")])
def test_products_that_look_like_another_kind_have_the_names_of_their_template(
    kinds: tuple[str, ...],
) -> None:
    options = Options(kinds=kinds)
    pages = [_bare_goods(number) for number in range(8)]
    rules = learn_rules(pages, options)
    items = [extract_item(page, rules, options, Visit(is_article=False)) for page in pages]
    names = [item.name if isinstance(item, Product) else "" for item in items]
    assert names == [page.root.findtext(".//h2") for page in pages]


def test_a_brand_at_a_place_that_nothing_names() -> None:
    """All names start with what stands there, and it differs between the pages."""
    pages = []
    for number, brand in enumerate(("Strix", "Ardea", "Larus", "Corva", "Strix")):
        html = (
            f"<html lang=en><title>Owl</title><body><ul><li><a href=/k>Lamps</a></ul><h1>{brand} "
            f"lamp {number}</h1><div class=w7>{brand}</div><p>£{20 + number}.00</p>"
            "<button>Add to cart</button>"
        )
        pages.append(Page.from_html(html, f"https://h.example/p/{number}"))
    rules = learn_product(pages)
    assert [read_product(page, rules).brand for page in pages] == [
        "Strix", "Ardea", "Larus", "Corva", "Strix"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "markup",
    [
        "<ul class=breadcrumbs><li><a href=/>Home</a><li><a href=/c>{}</a></ul>",
        "<ul class=w7><li><a href=/>Home</a><li><a href=/c>{}</a></ul>",
        "<div class=breadcrumb><a href=/c>{}</a></div>",
    ],
)
def test_what_breadcrumbs_name_is_no_brand(markup: str) -> None:
    """Though all names start with their category."""
    pages = []
    for number, category in enumerate(("Sofa", "Table", "Chair", "Sofa")):
        html = (
            f"<html lang=en><title>Goods</title><body>{markup.format(category)}<h1>{category} "
            f"no. {number}</h1><p>£{20 + number}.00</p><button>Add to cart</button>"
        )
        pages.append(Page.from_html(html, f"https://h.example/p/{number}"))
    rules = learn_product(pages)
    assert [read_product(page, rules).brand for page in pages] == [""] * 4


@pytest.mark.parametrize("prose", ["This {} is made by hand.", "More {}s in our shop"])
def test_a_category_that_nothing_names_is_no_brand(prose: str) -> None:
    """Though all names start with it: the pages have it as a word, too."""
    pages = []
    for number, category in enumerate(("Lamp", "Vase", "Stool", "Lamp")):
        word = prose.format(category.lower())
        html = (
            f"<html lang=en><title>Goods</title><body><div class=w7>{category}</div><h1>{category} "
            f"no. {number}</h1><p>£{20 + number}.00</p><p>{word}</p><button>Add to cart</button>"
        )
        pages.append(Page.from_html(html, f"https://h.example/p/{number}"))
    rules = learn_product(pages)
    assert [read_product(page, rules).brand for page in pages] == [""] * 4


def test_a_brand_that_another_word_begins_with() -> None:
    pages = []
    for number, brand in enumerate(("Fila", "Larus", "Strix", "Fila")):
        html = (
            f"<html lang=en><title>Goods</title><body><div class=w7>{brand}</div><h1>{brand} "
            f"no. {number}</h1><p>£{20 + number}.00</p><p>Of nylon filament.</p>"
            "<button>Add to cart</button>"
        )
        pages.append(Page.from_html(html, f"https://h.example/p/{number}"))
    rules = learn_product(pages)
    brands = [read_product(page, rules).brand for page in pages]
    assert brands == ["Fila", "Larus", "Strix", "Fila"]


def test_a_category_is_no_brand_because_one_brand_is_called_like_it() -> None:
    """The place of the category has the declared brand of one page, and not that of the others."""
    brands = ("Lamps", "", "Strix", "", "Larus")
    pages = []
    for number, (brand, category) in enumerate(
        zip(brands, ("Lamps", "Vases", "Stools", "Lamps", "Chairs"), strict=True)
    ):
        declared = f"<meta itemprop=brand content={brand}>" if brand else ""
        html = (
            f"<html lang=en><title>Fine {number}</title><body><div class=w7>{category}</div><div "
            f"itemscope itemtype=https://schema.org/Product>{declared}<h1 itemprop=name>Fine "
            f"{number}</h1></div><p>£{20 + number}.00</p><button>Add to cart</button>"
        )
        pages.append(Page.from_html(html, f"https://h.example/p/{number}"))
    rules = learn_product(pages)
    assert [read_product(page, rules).brand for page in pages] == list(brands)


def test_the_numbers_of_attributes_have_their_units_apart() -> None:
    product = read(
        "<p>£12.50</p><dl><dt>Weight<dd>250 g<dt>Deposit<dd>1,50 €<dt>Colour<dd>red</dl>"
    )
    values = {one["name"]: (one["value"], one["type"], one["unit"]) for one in product.attributes}
    assert values["Weight"] == ("250", "number", "g")
    assert values["Deposit"] == ("1.50", "price", "EUR")
    assert values["Colour"] == ("red", "text", "")


def test_the_description_below_a_heading_that_names_the_ware() -> None:
    text = "A slim vase for one stem, in a pale green glaze that pools in its lines."
    more = "Made in small batches in the studio of the maker, who signs each of them at the foot."
    body = f"<p>£12.50</p><section><h2>About this pot</h2><p>{text}</p><p>{more}</p></section>"
    assert read(body).description == f"{text}\n{more}"


OTHERS = {
    "heading": "<h3>Related products</h3><ul>{}</ul>",
    "line": "<p>You may also like</p><ul>{}</ul>",
    "line of links": "<p>Das könnte Ihnen auch gefallen: {}</p>",
}


@pytest.mark.parametrize("around", ["<div class=description>{}</div>", "<h2>Description</h2>{}"])
@pytest.mark.parametrize("others", OTHERS.values(), ids=OTHERS)
def test_other_products_are_no_part_of_a_description(others: str, around: str) -> None:
    text = "A slim vase for one stem, in a pale green glaze. You may also like it without flowers."
    more = "Similar vases are made in the <a href=/k>kiln</a> at the quay, one for each stem."
    links = "".join(f"<li><a href=/p/{n}>Blue bowl no. {n}</a> £{n}.50</li>" for n in range(4))
    if "<ul>" not in others:
        links = ", ".join(f"<a href=/p/{n}>Blue bowl no. {n}</a>" for n in range(4))
    description = around.format(f"<p>{text}</p><p>{more}</p>{others.format(links)}")
    product = read(f"<p>£12.50</p><section>{description}</section>")
    assert [line[:12] for line in product.description.split("\n")] == [text[:12], more[:12]]

"""The items of lists, among menus, variants and other links."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.items import Listing
from forest_scrapy.core.records import learn_records
from forest_scrapy.core.records.learning import read_candidates
from forest_scrapy.core.records.listing import read_list_title, read_listing
from forest_scrapy.core.records.regions.items import find_list, read_item
from tests.core.records.shop import LAMPS, Lamp, list_html

URL = "http://shop.example/lamps"


def read(html: str) -> Listing:
    page = Page.from_html(html, URL)
    return read_listing(page, learn_records([page]))


def urls(listing: Listing) -> list[str]:
    return [item["url"].rpartition("/")[2] for item in listing.items]


KEYS = [lamp.key for lamp in LAMPS]


def test_links_with_the_tag_of_the_items_are_none() -> None:
    links = "".join(f"<li><a href=/c/{i}>All our lamps of kind {i}</a></li>" for i in range(40))
    items = list_html(LAMPS).replace('<div class="card">', "<li class=card>")
    html = items.replace("<h1>", f"<ul>{links}</ul><h1>")
    assert urls(read(html)) == KEYS


def test_items_of_menus_are_left_out() -> None:
    cards = "".join(
        f"<div class=card><a href=/m/{i}>Lamps of the year {i}</a></div>" for i in range(3)
    )
    html = list_html(LAMPS).replace("<h1>", f"<nav>{cards}</nav><h1>")
    assert urls(read(html)) == KEYS


ADVERT = "<div class=card><p>The best lamps</p><a href=/guide>Read our guide</a></div>"


def many(count: int) -> tuple[Lamp, ...]:
    return tuple(replace(LAMPS[i % 8], key=f"k{i}") for i in range(count))


def test_adverts_among_products_are_left_out() -> None:
    lamps = many(16)
    html = list_html(lamps).replace("<div class=grid>", f"<div class=grid>{ADVERT}")
    assert urls(read(html)) == [lamp.key for lamp in lamps]


def test_products_without_a_price_stay() -> None:
    lamps = many(16)
    html = list_html((*lamps[:15], replace(lamps[15], shown="sold out")))
    assert urls(read(html)) == [lamp.key for lamp in lamps]


def test_a_list_without_prices_keeps_other_items() -> None:
    lamps = tuple(replace(lamp, shown="") for lamp in many(16))
    html = list_html(lamps).replace("<div class=grid>", f"<div class=grid>{ADVERT}")
    assert urls(read(html))[-16:] == [lamp.key for lamp in lamps]


def variants(lamp: Lamp) -> str:
    names = "".join(
        f"<a class=variant href=/p/{lamp.key}-{i}><img src=/i/{i}.jpg alt=''>"
        f"Option: {lamp.name} in another colour, number {i}</a>"
        for i in range(3)
    )
    return f"</h3><p>{names}</p>"


def test_variants_of_products_are_no_items() -> None:
    html = list_html(LAMPS)
    for lamp in LAMPS:
        title = f"{lamp.name} with a shade</a>"
        html = html.replace(f"{title}</h3>", title + variants(lamp))
    assert urls(read(html)) == KEYS


@pytest.mark.parametrize(
    ("html", "price"),
    [
        ("<a href=/p/a><b>Phone 15</b></a>\n<div>164,00 €</div>", "164.00"),
        ("<a href=/p/a><b>Phone 15</b></a><div>164,00 €</div>", "164.00"),
        ("<a href=/p/a><b>Phone 15</b></a>\n<span>164,00 €</span>", "164.00"),
        ("<a href=/p/a><b>Phone 15</b></a><span>164,00 €</span>", "164.00"),
        ("<a href=/p/a><b>Phone 15</b></a> <span>164.00 USD</span>", "164.00"),
        ("<a href=/p/a><b>Phone 15</b></a> <span>€ 164</span>", "164"),
        ("<a href=/p/a>Phone <b>15</b></a> <span>164,00 €</span>", "164.00"),
        ("<a href=/p/a>The year 1984</a> <i><b>1</b> <b>299</b>,00 €</i>", "1299.00"),
        ("<a href=/p/a>Phone</a> <div>1 299,00 €</div>", "1299.00"),
        ("<a href=/p/a>Phone</a> <div><span>1</span> <span>299,00 €</span></div>", "1299.00"),
        ("<a href=/p/a>Phone</a> <div><span>1</span><sup>99</sup> €</div>", "1.99"),
        ("<a href=/p/a>Phone 15</a><div>only <span>1</span><sup>99</sup> €</div>", "1.99"),
    ],
)
def test_the_number_of_a_name_is_no_part_of_the_price(html: str, price: str) -> None:
    page = Page.from_html(f"<div>{html}</div>", URL)
    item = read_item(page, 1)
    assert item
    assert item.price
    assert item.price.amount == price


@pytest.mark.parametrize(
    ("html", "price"),
    [
        ("<b>$<i>549</i><sup>00</sup></b>", "549.00"),
        ("<b>Lamp 6</b> <b>$155</b>", "155"),
        ("<del>$9</del> <b>$7</b>", "7"),
        ("<p><del>$9</del> $7</p>", "7"),
        ("<p>$7 <s>$9</s></p>", "7"),
        ("<span class=was>$9</span> $7", "7"),
        ("<p>was <s>$9</s> $7</p>", "7"),
        ("<p class=regular>$9</p><p>$7</p>", "7"),
        ("<b class='price regular'>£9.00</b> <i>£1.50/100g</i>", "9.00"),
        ("<b class='price regular'>£9.00</b> <i>£1.50</i> <i>/ 100g</i>", "9.00"),
        ("<b class=normal>£9.00</b> <i>Shipping £3.00</i>", "9.00"),
        ("<b class=normal>£9.00</b> <i>or 4 payments of £2.25</i>", "9.00"),
        ("<b class=regular>£9.00</b> <i>£1.50/100g</i> <b>£7.00</b>", "7.00"),
        ("<b>£407 30 days to return it</b>", "407"),
        ("<b>no price</b>", ""),
        ("<i class=price-regular>$9</i> <b class=price>$7</b>", "7"),
        ("<b class=oldPrice>$9</b> <b>$7</b>", "7"),
        ("<b class='x was'>9,00 €</b> <b>7,00 €</b>", "7.00"),
        ("<b style='color: red; text-decoration: line-through'>$9</b> <b>$7</b>", "7"),
        ("<b aria-label='Prix de base'>9,00 €</b> <b aria-label=Prix>7,00 €</b>", "7.00"),
        ("<b aria-label='Precio anterior'>9,00 €</b> <b>7,00 €</b>", "7.00"),
        ("<b>Was £9.50</b> <b>£7.20</b>", "7.20"),
        ("<p>statt 9,00 € nur 7,00 €</p>", "7.00"),
        ("<b class=regular-price>$9</b>", "9"),
        ("<b class='font-regular price'>$9</b> <b>$7 for two</b>", "9"),
        ("<p class=old-price-box><b class=now>$7</b> <s>$9</s></p>", "7"),
        ("<b>\n  999,00\u00a0€\n</b>", "999.00"),
    ],
)
def test_the_price_of_an_item(html: str, price: str) -> None:
    page = Page.from_html(f"<div><a href=/p/a>A lamp</a><p>{html}</p></div>", URL)
    item = read_item(page, 1)
    assert item
    assert (item.price.amount if item.price else "") == price


@pytest.mark.parametrize(
    "html",
    [
        "<div class=item><a href=/x>A lamp of the shop</a>$5" * 1_000,
        "<a href=/x class='a b c'>A lamp of the shop</a>" * 3_000,
        f"<div class='{'item ' * 50_000}'><a href='/{'x' * 200_000}'>A lamp</a></div>" * 3,
        "".join(f"<b>{'1' * 60}</b>" for _ in range(2_000)),
        f"<ul><li><a href=/x>{'lamp ' * 200_000}</a></ul>",
    ],
    ids=["nested", "same URL", "attributes", "digits", "long"],
)
def test_hostile_lists(html: str) -> None:
    found = read_candidates([Page.from_html(html, URL)])
    group = find_list(found.linked_pages, found.linked_groups)
    assert group is None or any(group.nodes)
    assert read(html).items == [] or read(html).items[0]["url"]


def test_the_title_is_not_the_name_of_the_site() -> None:
    head = "<title>The Shop - Lamps</title><h1><a href=/>The Shop</a></h1><h2>Lamps</h2>"
    assert read(head + list_html(LAMPS).replace("h1", "div")).title == "Lamps"


PAPERS = ("Harbours of the north and their boats", "Owls, meadows and lanterns in the night")


def term(number: int, title: str) -> str:
    people = ", ".join(
        f'<a href="/search?author={i}">Ana Maria Constantine {name}</a>'
        for i, name in enumerate(("Bo", "Dee", "Fee", "Gil", "Hoy", "Ida", "Jon")[: 3 + 2 * number])
    )
    return (
        f'<dt>[{number}] <a href="/abs/{number}">papers:{number}</a> '
        f'<a href="/pdf/{number}">pdf</a></dt>'
        f"<dd><div class=list-title><span>Title:</span> {title}</div>"
        f"<div class=list-authors>{people}</div><div class=list-comments>12 pages</div></dd>"
    )


def test_a_term_and_its_description_are_one_item() -> None:
    titles = [f"{title}, part {part}" for part in range(1, 5) for title in PAPERS]
    page = Page.from_html(
        f"<h1>New papers</h1><dl>{''.join(term(i, one) for i, one in enumerate(titles))}</dl>", URL
    )
    found = read_candidates([page])
    group = find_list(found.linked_pages, found.linked_groups)
    items = [read_item(page, node) for node in (group.nodes[0] if group else ())]
    assert [(item.title, item.url[-6:]) for item in items if item] == [
        (title, f"/abs/{i}") for i, title in enumerate(titles)
    ]


LIST_HEADS = {
    "the site first": "<title>Lamps - The Shop</title><h1>The Shop</h1><h2>Lamps</h2>",
    "only the site": "<title>The Shop</title><a href=/>The Shop</a><h2>Lamps</h2>",
    "no heading": "<title>Lamps | The Shop</title><b><a href=/new>The Shop</a></b>",
    "the index page": (
        "<title>The Shop - Lamps</title><a href=index.php>The Shop</a>"
        "<p><a href=index.php>The Shop</a> &rsaquo; Lamps</p>"
    ),
    "the site in the heading": (
        "<title>Lamps - shop - a.example</title><h2>Lamps <small>shop@a.example</small></h2>"
    ),
}


@pytest.mark.parametrize("head", LIST_HEADS.values(), ids=LIST_HEADS)
def test_the_title_is_that_of_the_list(head: str) -> None:
    html = f"{head}{list_html(LAMPS)}".replace("<h1>Lamps</h1>", "")
    page = Page.from_html(html, "http://a.example/lamps")
    classes = [node.element.get("class") for node in page.outline.nodes]
    assert read_list_title(page, classes.index("card")) == "Lamps"


def test_a_row_leads_to_its_thing_and_not_to_a_person() -> None:
    page = Page.from_html(
        "<div class=row><a href=/user?id=constantine_of_the_harbour>constantine_of_the_harbour</a>"
        " <a href=/story?id=7>8 comments</a></div>",
        "http://a.example/new",
    )
    classes = [node.element.get("class") for node in page.outline.nodes]
    item = read_item(page, classes.index("row"))
    assert item is not None
    assert item.url == "http://a.example/story?id=7"

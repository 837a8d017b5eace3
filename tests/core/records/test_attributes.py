"""The attributes of records: their types, labels and order."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from forest_scrapy.core import Page, RecordWrapper
from forest_scrapy.core.records import Record, Value
from forest_scrapy.core.records.attributes.cells import read_cells
from forest_scrapy.core.records.learning import learn_record_rules
from forest_scrapy.core.records.products.pairs import read_typed, split_unit
from forest_scrapy.core.records.record import locate_records, walk_record
from forest_scrapy.core.records.regions.groups import measure_groups, write_key
from forest_scrapy.core.records.regions.prose import read_prose
from tests.core.helpers import read_again

BOOKS = (
    ("Great Expectations", "Charles Dickens", "4.80", "544 pages"),
    ("The Quilp Papers", "Ida Skagen", "3.99", "96 pages"),
    ("Whales at Sea", "Roger Payne", "12.75", "310 pages"),
)


def read(key: str, *bodies: str) -> tuple[RecordWrapper, list[list[Record]]]:
    """The wrapper for the elements with a key, and the records of each page."""
    pages = read_prose([Page.from_html(f"<html lang=en>{b}", "http://a.example/") for b in bodies])
    linked = read_prose([page.page for page in pages], linked=True)
    groups = [*measure_groups(pages), *measure_groups(linked)]
    group = next(one for one in groups if write_key(one.key).rpartition(" ")[2] == key)
    wrapper = RecordWrapper((learn_record_rules(pages, group),))
    assert read_again(wrapper) == wrapper
    return wrapper, [wrapper.apply(page.page) for page in pages]


def values(records: Sequence[Record]) -> list[list[str]]:
    return [[value.text for value in record.values] for record in records]


def test_heads_of_columns() -> None:
    rows = "".join(
        f"<tr><td>{a}</td><td>{b}</td><td colspan=2>${c}</td><td>{d}</td></tr>"
        for a, b, c, d in BOOKS
    )
    heads = "<tr><th>Work<th>Written by<th colspan=2>Price:<th>Length</tr>"
    wrapper, (found,) = read("tr", f"<table class=books>{heads}{rows}</table>")
    known = {one.path: (one.label, one.type) for one in wrapper.rules[0].attributes}
    assert known["td[1]"] == ("Work", "text")
    assert known["td[2]"] == ("Written by", "text")
    assert known["td[3]"] == ("Price", "price")
    assert known["td[5]"] == ("Length", "number")
    last = {value.name: (value.text, value.unit) for value in found[-1].values}
    assert last["Work"] == ("Whales at Sea", "")
    assert last["price"] == ("12.75", "USD")
    assert last["Length"] == ("310", "pages")


def test_numbers_in_brackets_are_numbers() -> None:
    years = ("(1861)", "[1937]", "(1979)")
    rows = "".join(
        f"<li><b>{name}</b> <i>{year}</i> <u>({pages})</u></li>"
        for (name, _, _, pages), year in zip(BOOKS, years, strict=True)
    )
    wrapper, (found,) = read("li", f"<ul>{rows}</ul>")
    assert {one.path: one.type for one in wrapper.rules[0].attributes}["i"] == "number"
    assert values(found)[0][1:] == ["1861", "544"]
    assert [value.unit for value in found[0].values][2] == "pages"


def test_columns_without_heads_have_numbers() -> None:
    rows = "".join(f"<tr><td>{a}</td><td>{b}</td><td>In stock</td></tr>" for a, b, _, _ in BOOKS)
    wrapper, _ = read("tr", f"<table class=books>{rows}</table>")
    names = [one.name for one in wrapper.rules[0].attributes]
    assert names == ["column 1", "column 2"]


@pytest.mark.parametrize(
    "write",
    [
        "<dl><dt>Author</dt><dd>{}</dd><dt>Price:</dt><dd>{} EUR</dd><dt>Length<dd>{}</dl>",
        "<table><tr><th>Author<td>{}<tr><th>Price<td>{} EUR<tr><th>Length<td>{}</table>",
        "<table><tr><td>Author:<td>{}<tr><td>Price:<td>{} EUR<tr><td>Length:<td>{}</table>",
        "<p><span>Author: {}</span> <span>Price: {} EUR</span> <span>Length: {}</span></p>",
        "<p><i>Author:</i> {}</p><p><i>Price:</i> {} EUR</p><p><i>Length:</i> {}</p>",
    ],
    ids=["dt", "th", "cells with a colon", "label: text", "paragraphs"],
)
def test_labels_in_records(write: str) -> None:
    cards = "".join(
        f"<div class=card><h3>{a}</h3>{write.format(b, c, d)}</div>" for a, b, c, d in BOOKS
    )
    wrapper, (found,) = read("div[class~=card]", cards)
    one = {value.name: (value.type, value.text, value.unit) for value in found[1].values}
    assert one == {
        "title": ("title", "The Quilp Papers", ""),
        "Author": ("text", "Ida Skagen", ""),
        "price": ("price", "3.99", "EUR"),
        "Length": ("number", "96", "pages"),
    }
    labels = {one.label for one in wrapper.rules[0].attributes}
    assert {"Author", "Price", "Length"} <= labels


def test_the_attributes_of_items() -> None:
    values = (
        Value("author", "author", "Ana"),
        Value("Home", "author", "Ana"),
        Value("Joined", "date", "2019-05-03"),
        Value("Length", "number", "96", "pages"),
    )
    described = Record(1, "Hello", values=values).describe()
    assert described["author"] == "Ana"
    assert described["attributes"] == [
        {"name": "Joined", "value": "2019-05-03", "type": "date", "unit": ""},
        {"name": "Length", "value": "96", "type": "number", "unit": "pages"},
    ]


def test_labels_in_one_line() -> None:
    page = Page.from_html("<p>In short: <b>Author:</b> Ida <b>Price:</b> 3 EUR</p>")
    (record,) = locate_records(page.outline, [1], 0, 0)
    cells = list(read_cells(page, list(walk_record(page.outline, record, {1}))))
    assert [(c.label, c.text) for c in cells] == [("Author", "Ida"), ("Price", "3 EUR")]


def test_the_start_of_a_title_is_no_label() -> None:
    cards = "".join(f"<div class=card><h3>Re: {a}</h3><i>{d}</i></div>" for a, _, _, d in BOOKS)
    wrapper, (found,) = read("div[class~=card]", cards)
    assert [one.get("title") for one in found] == [f"Re: {a}" for a, _, _, _ in BOOKS]
    assert [one.label for one in wrapper.rules[0].attributes] == ["", ""]


def test_microdata_names() -> None:
    cards = "".join(
        f"<div class=card><h3 itemprop=name>{a}</h3><i itemprop=bookFormat>{d}</i></div>"
        for a, _, _, d in BOOKS
    )
    wrapper, _ = read("div[class~=card]", cards)
    assert [one.label for one in wrapper.rules[0].attributes] == ["name", "bookFormat"]


def test_the_order_is_that_of_the_page() -> None:
    cards = "".join(
        f"<div class=card><i>{d}</i><b>${c}</b><u>{b}</u><h3>{a}</h3></div>" for a, b, c, d in BOOKS
    )
    _, (found,) = read("div[class~=card]", cards)
    assert values(found)[0] == ["544", "4.80", "Charles Dickens", "Great Expectations"]


def test_what_each_page_repeats_is_no_attribute() -> None:
    """The same words in the same order on both pages; in another order they say something."""
    states = (("On", "Off", "Off", "On"), ("On", "Off", "On", "Off"))
    pages = [
        "".join(
            f"<div class=card><h3>Lamp {k}{i}</h3><i>Rank {i}</i><u>{state}</u><b>Buy</b></div>"
            for i, state in enumerate(own)
        )
        for k, own in enumerate(states)
    ]
    wrapper, _ = read("div[class~=card]", *pages)
    assert [one.path for one in wrapper.rules[0].attributes] == ["h3", "u"]


@pytest.mark.parametrize(
    ("text", "kind", "found", "unit"),
    [
        ("$4.80", "price", "4.80", "USD"),
        ("1.299,00 € incl. VAT", "price", "1299.00", "EUR"),
        ("12 kg", "number", "12", "kg"),
        ("5.5″", "number", "5.5", "″"),
        ("40 °C", "number", "40", "°C"),
        ("120 km/h", "number", "120", "km/h"),
        ("2000 mAh", "number", "2000", "mAh"),
        ("1861", "number", "1861", ""),
        ("2nd", "text", "2nd", ""),
        ("10 x 20 cm", "text", "10 x 20 cm", ""),
        ("3 May 2024", "date", "2024-05-03", ""),
        ("03.05.2024", "date", "2024-05-03", ""),
        ("https://a.example/x", "url", "https://a.example/x", ""),
        ("Solid oak, 12 drawers", "text", "Solid oak, 12 drawers", ""),
        ("", "text", "", ""),
    ],
)
def test_types_of_single_values(text: str, kind: str, found: str, unit: str) -> None:
    assert read_typed(text, "en") == (kind, found, unit)


def test_long_texts_are_no_numbers() -> None:
    assert split_unit("1 " * 10_000) is None
    assert read_typed("1." * 10_000).type == "text"


def write_posts(links: Sequence[str]) -> str:
    posts = ("So is it.", "No, I think not.", "Well, in the end it may be so.", "We shall see.")
    return "".join(
        f"<div class=post id=p{i}><a href='#p{i}'>#{i}</a> <u><a href='/u/{i}'>user{i}</a></u>"
        f"<em>{links[i - 1]}</em><p>{text} {i} is what I have to say about this today.</p></div>"
        for i, text in enumerate(posts, 1)
    )


def test_links_to_the_record_that_is_replied_to() -> None:
    links = ["", "<a href='#p1'>re</a>", "<a href='http://a.example/#p1'>re</a>", ""]
    wrapper, (found,) = read("div[class~=post]", write_posts(links))
    assert [one.reply_to for one in found] == [None, 1, 1, None]
    (reply,) = [one for one in wrapper.rules[0].attributes if one.type == "reply-to"]
    assert (reply.path, reply.share) == ("em a @reply", 0.5)


def test_links_to_later_records_and_other_pages_are_no_replies() -> None:
    """Nor are buttons without a text."""
    links = [
        "<a href='#p3'>a</a>",
        "<a href='http://b.example/#p1'>b</a>",
        "<a href='#top'>c</a>",
        "",
    ]
    links[3] = "<a href='#p2'><img src=up.png></a>"
    wrapper, (found,) = read("div[class~=post]", write_posts(links))
    assert [one.reply_to for one in found] == [None] * 4
    assert not any(one.type == "reply-to" for one in wrapper.rules[0].attributes)


def test_links_in_quotes() -> None:
    links = ["", "", "<blockquote>It is. <a href='/goto?p=2#p2'>more</a></blockquote>", ""]
    _, (found,) = read("div[class~=post]", write_posts(links))
    assert [one.reply_to for one in found] == [None, None, 2, None]

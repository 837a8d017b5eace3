"""The main text of products and lists."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Page
from forest_scrapy.core.page.content import text_content
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.page import Extract
from forest_scrapy.core.records import RecordWrapper
from forest_scrapy.core.records.main_text import (
    CONTEXT,
    MainTextClassifier,
    choose_by_f1,
    default_main_text_classifier,
    describe_context,
    find_larger_text,
    read_main_text,
)
from forest_scrapy.core.segments.classifier import default_classifier
from forest_scrapy.core.segments.segmentation import segment_page
from forest_scrapy.core.templates.kinds import Kind
from tests.core.records.shop import LAMPS, list_html, product_html, product_page

PROBABILITIES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 90)), max_size=30)


def test_the_text_of_a_product() -> None:
    found = read_main_text(product_page(LAMPS[0]))
    assert "its shade of paper is made by hand" in found.text
    assert "its shade of paper is made by hand" in found.html
    assert "script" not in found.html


#: What shops write beside the description, each in a place of its own.
BESIDE = {
    "a review": "<div class=reviews><h3>Reviews</h3><p>{line} I bought two of them for the hall, "
    "and they hang well.</p></div>",
    "another product": "<h2>You may also like</h2><div><p><a href=/p/x>{line}</a> A lamp for the "
    "wall, with a shade of paper.</p><a href=/p/y>More lamps</a></div>",
    "a link": "<p><a href=/light>{line}</a></p>",
    "a key": "<p>{line}" + 30 * "9303097ac-" + "</p>",
}


@pytest.mark.parametrize(
    "markup",
    [
        "<nav><p>{0}</p></nav><p>{0}</p>",
        "<div class=reviews><p>{0}</p></div><p>{0}</p>",
        "<p>{0} The manual: https://www.shop.example/manuals/2024/tables/and/lamps/"
        "hanging-the-strix-owl-table-lamp-in-one-hour.pdf</p>",
    ],
    ids=["in a menu before", "in a review before", "an address in it"],
)
def test_the_description_of_a_product_is_in_its_text(markup: str) -> None:
    html = product_html(LAMPS[0])
    match = re.search(r"<p>(The Strix[^<]*)</p>", html)
    assert match
    html = html.replace(match[0], markup.format(match[1]))
    page = Page.from_html(html, "http://shop.example/p/owl")
    text = RecordWrapper(kind=Kind("product")).read_text(page)
    assert text.count("its shade of paper is made by hand") == 1


@pytest.mark.parametrize("markup", BESIDE.values(), ids=BESIDE.keys())
def test_the_text_of_a_product_is_about_it(markup: str) -> None:
    html = product_html(LAMPS[0])
    line = "The light of this lamp is as warm as promised."
    place = "</div><div class=" if "also like" in markup else "<table>"
    html = html.replace(place, f"{markup.format(line=line)}{place}", 1)
    page = Page.from_html(html, "http://shop.example/p/owl")
    text = RecordWrapper(kind=Kind("product")).read_text(page)
    assert "its shade of paper is made by hand" in text
    assert line not in text


def test_testimonials_of_a_service_stay() -> None:
    praise = "The team moved our whole office in a day, and nothing of it was lost or broken."
    html = (
        "<html lang=en><title>Movers</title><body><main><h1>Movers for offices</h1><p>We carry "
        "desks and files from door to door, and set them up where you want them to be.</p>"
        f"<div class=testimonials><p>{praise}</p></div><p>Ask us for a visit, and we tell you "
        "how long it takes and what it needs.</p></main></body></html>"
    )
    page = Page.from_html(html, "http://movers.example/offices")
    assert praise in RecordWrapper(kind=Kind("product")).read_text(page)


def test_a_repeated_description_of_a_product_is_read_once() -> None:
    html = product_html(LAMPS[0])
    (description,) = re.findall("<p>The Strix.*?</p>", html)
    page = Page.from_html(html.replace(description, 2 * description), "http://shop.example/p/owl")
    text = RecordWrapper(kind=Kind("product")).read_text(page)
    assert text.count("its shade of paper is made by hand") == 1


DECLARED = (
    "The shade of this lamp is folded by hand from one sheet of paper. Its light is as warm as "
    "that of a candle, and its foot of oak stands on any table."
)


@pytest.mark.parametrize(
    ("shown", "count"),
    [("", 1), (f"<p>{DECLARED}</p>", 1), ("<p>" + 30 * "Another text about it. ", 0)],
    ids=["a script shows it", "it is shown", "another text is shown"],
)
def test_a_description_that_is_only_declared_is_in_the_text(shown: str, count: int) -> None:
    node = {
        "@type": "Product",
        "name": "Owl table lamp",
        "description": DECLARED,
        "offers": {"@type": "Offer", "price": "12.00", "priceCurrency": "EUR"},
    }
    html = (
        "<html lang=en><title>Owl table lamp</title><body><main><h1>Owl table lamp</h1>"
        f"<p>12,00 €</p><button>Add to cart</button><div id=description>{shown}</div></main>"
        f"<script type='application/ld+json'>{json.dumps(node)}</script></body></html>"
    )
    page = Page.from_html(html, "http://shop.example/p/owl")
    extract = RecordWrapper(kind=Kind("product")).read_main(page)
    assert extract.text.count(DECLARED) == count
    assert extract.html.count(DECLARED) == count


def test_the_text_of_a_list() -> None:
    text = read_main_text(Page.from_html(list_html(LAMPS), "http://shop.example/lamps")).text
    assert all(lamp.name in text for lamp in LAMPS)


def test_captions_are_part_of_the_text() -> None:
    figures = list_html(LAMPS).replace('<div class="card">', '<figure class="card">')
    page = Page.from_html(figures.replace("</div>", "</figure>"), "http://shop.example/lamps")
    assert LAMPS[-1].name in read_main_text(page).text


INTRODUCTION = "Our lamps are made of paper and ash in a small workshop beside the old harbour."


def page_with_introduction() -> Page:
    html = list_html(LAMPS).replace("<h1>", f"<p id=intro>{INTRODUCTION}</p><h1>", 1)
    return Page.from_html(html, "http://shop.example/lamps")


def read_part(page: Page, xpath: str) -> Extract:
    (element,) = page.root.xpath(xpath)
    return Extract(read_content(element, (), page.base_url, page.structures))


def test_a_part_of_the_main_text_gives_way_to_all_of_it() -> None:
    page = page_with_introduction()
    introduction = read_part(page, "//p[@id='intro']")
    assert introduction.text == INTRODUCTION
    larger = find_larger_text(page, introduction, 0.3)
    assert larger is not None
    assert larger == read_main_text(page)
    assert all(lamp.name in larger.text for lamp in LAMPS)


def test_all_of_the_main_text_stays() -> None:
    page = page_with_introduction()
    assert find_larger_text(page, read_part(page, "//body"), 0.3) is None


def test_text_that_the_page_does_not_show_stays() -> None:
    page = page_with_introduction()
    assert find_larger_text(page, Extract(text_content("A text for scripts")), 0.0) is None


@pytest.mark.parametrize("html", ["", "<html></html>", "<p> </p>", "<script>x()</script>"])
def test_pages_without_text(html: str) -> None:
    assert read_main_text(Page.from_html(html, "http://shop.example/")).text == ""


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 3_000 + "A lamp" + "</div>" * 3_000,
        "<ul>" + "<li><a href=/a>A lamp with a shade</a>" * 3_000 + "</ul>",
        f"<p>{'lamp ' * 200_000}</p>",
        "<div><b>A</b>" * 1_000,
    ],
    ids=["deep", "wide", "long", "nested texts"],
)
def test_hostile_pages(html: str) -> None:
    page = Page.from_html(html, "http://shop.example/")
    context = describe_context(segment_page(page), np.full(len(segment_page(page).segments), 0.5))
    assert context.shape[1] == len(CONTEXT)
    assert np.isfinite(context).all()
    assert isinstance(read_main_text(page).text, str)


@given(PROBABILITIES)
def test_no_other_threshold_has_a_higher_expected_f1(given: list[tuple[float, int]]) -> None:
    scores = np.array([score for score, _ in given])
    words = np.array([count for _, count in given], dtype=float)

    def expected(kept: np.ndarray) -> float:
        likely = scores * words
        size = words[kept].sum() + likely.sum()
        return float(2 * likely[kept].sum() / size) if size else 0.0

    kept = choose_by_f1(scores, words)
    best = max((expected(scores >= least) for least in scores), default=0.0)
    assert expected(kept) >= best - 1e-6


def test_a_model_is_read_as_it_was_written() -> None:
    classifier = default_main_text_classifier()
    again = MainTextClassifier.from_bytes(classifier.to_bytes())
    page = segment_page(product_page(LAMPS[0]))
    assert (again.score(page) == classifier.score(page)).all()


def test_a_model_of_other_features_is_refused() -> None:
    with pytest.raises((ValueError, KeyError)):
        MainTextClassifier.from_bytes(default_classifier().to_bytes())

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import replace
from gzip import decompress

import pytest

from forest_scrapy.core import Page, Wrapper, learn
from forest_scrapy.report.contents import ReportPage, ReportTemplate
from forest_scrapy.report.template_view import HostDistances, TemplateView, view_template
from forest_scrapy.settings import ForestSettings


def test_pages_of_a_template_agree(pages: list[Page]) -> None:
    config, odd = (
        ForestSettings(),
        Page.from_html("<p>Closed today.</p>", "http://demo.example/odd"),
    )
    shown = tuple(ReportPage(p.url, "article", lambda p=p: p) for p in (*pages[:4], odd))
    template = ReportTemplate("demo.example", "news", learn(pages), shown)
    distances = HostDistances(config)
    view, _ = view_template(template, distances, config.params)
    *others, of_odd = [row.agreement or 0.0 for row in view.pages]
    assert of_odd < 0.2
    assert min(others) > 0.4
    assert {bar.kind for bar in view.pages[0].bars} >= {"kept", "other"}
    assert distances.picture() is not None
    drawn = distances.map_of({row.digest for row in view.pages})
    assert set(drawn.places) == {row.digest for row in view.pages}
    best, worst = view.extremes
    assert (worst.url, worst.first_line) == (odd.url, "Closed today.")
    assert best.url != odd.url
    assert best.first_line == best_text(pages, best.url, template.wrapper)


def test_a_page_that_nests_a_thousand_elements_has_few_steps_of_paths() -> None:
    """Each of its paths has as many steps as it is deep: all of them would have 35 MB."""
    deep = Page.from_html("<p>The boats are in the harbour.</p>" + "<div>a " * 1_000)
    shown = (ReportPage(deep.url, "article", lambda: deep),)
    template = ReportTemplate("demo.example", "deep", learn([deep]), shown)
    config = ForestSettings()
    _, (view,) = view_template(template, HostDistances(config), config.params)
    data = json.loads(decompress(b64decode(view.data)))
    steps = sum(xpath.count("/") for xpath, _, _ in data["paths"])
    assert 40_000 < steps < 60_000
    numbers = {int(number) for number in re.findall(r'data-x="(\d+)"', data["html"])}
    assert numbers == set(range(len(data["paths"])))


def best_text(pages: Sequence[Page], url: str, wrapper: Wrapper) -> str:
    page = next(page for page in pages if page.url == url)
    return wrapper.apply(page).text.partition("\n")[0]


def view_of(pages: Sequence[Page], **counted: object) -> TemplateView:
    shown = tuple(ReportPage(p.url, "article", lambda p=p: p) for p in pages)
    template = ReportTemplate("a.example", "1", Wrapper("trained", ("//article",)), shown)
    config = ForestSettings()
    return view_template(replace(template, **counted), HostDistances(config), config.params)[0]


def test_fields_that_many_pages_lack_are_marked() -> None:
    by, text = "<p class=byline>By <a rel=author>Ann Lee</a></p>", "<p>Boats come in. Fog.</p>"
    pages = [
        Page.from_html(
            f"<article><h1>Boats {number}</h1>{by * (number > 1)}{text}</article>",
            f"http://a.example/{number}",
        )
        for number in range(5)
    ]
    view = view_of(pages)
    assert view.fields["title"] == 1
    assert set(view.missing) == {"published", "authors"}
    assert view.missing["authors"].share == pytest.approx(0.4)
    assert view.missing["authors"].file == view.pages[0].file
    assert view.pages[2].missing == ("published",)
    assert "authors" not in view_of(pages[2:]).missing
    counted = view_of(
        pages[2:], outcomes={"article": 40}, fields={"url": 10, "title": 8, "authors": 9}
    )
    assert {name: one.file for name, one in counted.missing.items()} == {
        "title": "",  # no page of the report lacks it
        "published": counted.pages[0].file,
    }


def test_without_pages_nothing_is_missing() -> None:
    view = view_of([])
    assert (view.missing, view.extremes, view.fields["title"]) == ({}, (), None)
    assert (
        len(view_of([Page.from_html("<article>Fog.</article>", "http://a.example")]).extremes) == 1
    )


def test_pages_have_the_confidence_of_their_text() -> None:
    text = "Boats come in at noon, and the fog is gone by then, as every summer in this harbour. "
    pages = [
        Page.from_html(
            f"<article><h1>Boats {n}</h1><p>{4 * text}</p></article>", f"http://a.example/{n}"
        )
        for n in range(2)
    ]
    empty = Page.from_html("<p>Nothing", "http://a.example/empty")
    *rated, unrated = view_of([*pages, empty]).pages
    assert all(0 < row.confidence <= 1 for row in rated)
    assert unrated.characters > 0 or unrated.confidence == 0

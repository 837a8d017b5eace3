"""What an edited wrapper would change, before it is stored."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from forest_scrapy.core import BadRules, Page, Params, Wrapper
from forest_scrapy.core.fields.metadata import FieldSources
from forest_scrapy.report.preview import (
    PageChange,
    compare_results,
    preview_values,
    read_result,
    summarize,
)

PARAMS = Params()
WRAPPER = Wrapper("trained", ("//article",), fields=FieldSources(title=("//h1",)))


def page_of(number: int, ad: str = "") -> Page:
    html = (
        f"<html><head><title>Harbour news</title></head><body><article><h1>Boats {number}</h1>"
        f"<p>Boats come in.</p>{ad}<p>Fog, too.</p></article></body></html>"
    )
    return Page.from_html(html, f"http://a.example/{number}")


PAGES = [page_of(1), page_of(2, "<p class=ad>Buy now.</p>"), page_of(3)]


def changes_by(wrapper: Wrapper) -> list[PageChange]:
    results = [read_result(page, WRAPPER, PARAMS) for page in PAGES]
    return [
        compare_results(page, result, wrapper, PARAMS)
        for page, result in zip(PAGES, results, strict=True)
    ]


def test_the_same_wrapper_changes_nothing() -> None:
    changes = changes_by(WRAPPER)
    assert not any(one.is_change for one in changes)
    assert summarize(changes) == "3 pages: the text of 0 changes; mean F1 1.000"


def test_pages_whose_text_changes_are_first() -> None:
    changes = changes_by(replace(WRAPPER, drop=("//p[@class='ad']",)))
    values = preview_values(changes, {PAGES[1].url: "page-1.html"}, PAGES[1], WRAPPER, PARAMS)
    first, *others = values["pages"]
    assert (first["url"], first["file"], first["deleted"]) == (
        PAGES[1].url,
        "page-1.html",
        ["Buy now."],
    )
    assert [one["changes"] for one in others] == [False, False]
    assert values["summary"].startswith("3 pages: the text of 1 changes")
    assert ("-", "Buy now.") in values["lines"]
    assert (" ", "Fog, too.") in values["lines"]
    assert 'data-m0="kept keep 1"' in values["html"]
    json.dumps(values)


def test_fields_that_change_or_get_lost() -> None:
    changes = changes_by(replace(WRAPPER, fields=FieldSources(title=("//title",))))
    assert [one.changed_fields for one in changes] == [["title"]] * 3
    assert changes[0].new.fields["title"] == "Harbour news"
    assert summarize(changes).endswith("; title of 3")
    values = preview_values(changes, {}, None, WRAPPER, PARAMS)
    assert values["pages"][0]["fields"] == [["title", "Boats 1", "Harbour news"]]
    assert "html" not in values


def test_a_wrapper_that_finds_nothing_is_named() -> None:
    wrapper = replace(WRAPPER, keep=("//main",))
    values = preview_values(changes_by(wrapper), {}, None, wrapper, PARAMS)
    assert {one["method"] for one in values["pages"]} <= {"single", "data", "description", ""}
    assert all(one["method"] or not one["characters"][1] for one in values["pages"])


def test_much_text_is_cut() -> None:
    words = " ".join(["boat"] * 500)
    html = "".join(f"<p>{words} {number}</p><h2>Fog {number}</h2>" for number in range(40))
    page = Page.from_html(f"<article>{html}</article>", "http://a.example/1")
    old = read_result(page, WRAPPER, PARAMS)
    change = compare_results(page, old, replace(WRAPPER, drop=("//p",)), PARAMS)
    (found,) = preview_values([change], {}, None, WRAPPER, PARAMS)["pages"]
    assert len(found["deleted"]) == 21
    assert found["deleted"][-1] == "... and 20 more"
    assert max(map(len, found["deleted"])) == 400


def test_rules_that_cannot_be_evaluated() -> None:
    result = read_result(PAGES[0], WRAPPER, PARAMS)
    with pytest.raises(BadRules):
        compare_results(PAGES[0], result, replace(WRAPPER, keep=("//p[x:y()]",)), PARAMS)

"""How well wrappers fit: scores, contradicted rules, and changes since a crawl."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from forest_scrapy.core import Page, Params, Wrapper, learn
from forest_scrapy.core.changes import summarize_text
from forest_scrapy.core.page.urls import page_key
from forest_scrapy.core.wrapper import Evidence, Rule
from forest_scrapy.report.contents import ReportPage, ReportTemplate
from forest_scrapy.report.fit import change_since, find_contradictions
from forest_scrapy.report.template_view import HostDistances, TemplateView, view_template
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import HistoryStore, PageRecord


def two_columns(number: int) -> Page:
    html = f"<div class=a><p>Boats {number}.</p><p class=ad>Buy <b>now</b>.</p></div>"
    return Page.from_html(html, f"http://a.example/{number}")


def test_a_removed_rule_is_contradicted() -> None:
    given = [two_columns(number) for number in range(4)]
    rules = (Rule("//p[@class='ad']", 4, 0.9), Rule("//div", 4, 0.99))
    again = Wrapper("trained", ("//div",), Evidence(rules=rules), drop=("//p[@class='ad']",))
    (found,) = find_contradictions(given, replace(again, drop=()), again)
    assert (found.role, found.xpath, found.pages) == ("drop", "//p[@class='ad']", 1.0)
    assert found.text == "Buy"
    assert found.weight == pytest.approx(0.8)
    assert find_contradictions(given, again, again) == ()


def test_text_that_is_not_kept_is_contradicted() -> None:
    given = [two_columns(number) for number in range(4)]
    again = Wrapper("trained", ("//div",), Evidence(rules=(Rule("//div", 4, 0.75),)))
    wrapper = Wrapper("trained", ("//p[@class='ad']",))
    (found,) = find_contradictions(given, wrapper, again)
    assert (found.role, found.weight, found.text) == ("keep", 0.5, "Boats 0.")


def test_the_fit_is_low_for_too_much_text_or_a_moved_title(pages: list[Page]) -> None:
    learned = learn(pages[:8])
    shown = tuple(ReportPage(page.url, "article", lambda page=page: page) for page in pages[8:])
    wide = replace(learned, keep=("//body",), known=())
    moved = replace(learned, fields=replace(learned.fields, title=("//p",)))
    scores = []
    for wrapper in (learned, wide, moved):
        score = view_wrapper(wrapper, shown).fit.score
        assert score is not None
        scores.append(score)
    right, with_too_much_text, with_moved_title = scores
    assert right > 0.9
    assert with_too_much_text < 0.9
    assert with_moved_title == 0


def test_without_pages_the_fit_is_not_known() -> None:
    view = view_wrapper(Wrapper("trained", ("//article",)), ())
    assert view.fit.score is None
    assert not view.is_bad


def test_a_wrapper_corrected_by_hand_is_not_measured_by_learning_again(pages: list[Page]) -> None:
    shown = tuple(ReportPage(page.url, "article", lambda page=page: page) for page in pages[8:])
    wrapper = learn(pages[:8])
    corrected = replace(wrapper, fields=replace(wrapper.fields, title=("//p",)))
    assert view_wrapper(corrected, shown).is_bad
    assert not view_wrapper(corrected, shown, is_edited=True).is_bad


def view_wrapper(
    wrapper: Wrapper,
    pages: tuple[ReportPage, ...],
    is_edited: bool = False,
) -> TemplateView:
    config = ForestSettings()
    template = ReportTemplate("demo.example", "news", wrapper, pages, is_edited=is_edited)
    view, _ = view_template(template, HostDistances(config), config.params)
    return view


def test_an_article_that_was_edited_has_changed(tmp_path: Path) -> None:
    old, url = "A harbour town.\nSixteen boats came in on Monday.", "http://a.example/1"
    html = "<article><p>A harbour town.</p><p>{} boats came in on Monday.</p></article>"
    wrapper = Wrapper("trained", ("//article",))
    with closing(HistoryStore(str(tmp_path / "history.db"))) as history:
        page = Page.from_html(html.format("Seventeen"), url)
        assert change_since(page, wrapper, history, Params()) is None
        text = summarize_text(old)
        record = PageRecord(page_key(url), "a.example", url, 1, 1, 60, outcome="article", text=text)
        history.save(record)
        assert change_since(page, wrapper, history, Params()) is None  # the text is not kept
        history.save(record, text=old)
        found = change_since(page, wrapper, history, Params())
        assert found is not None
        assert (found.deleted, found.inserted) == (("Sixteen",), ("Seventeen",))
        assert found.since == "1970-01-01T00:01:00+00:00"
        same = Page.from_html(html.format("Sixteen"), url)
        assert change_since(same, wrapper, history, Params()) is None

"""From the pages of a template to its rules."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import (
    NotEnoughPages,
    Options,
    Page,
    Params,
    TemplateRules,
    UnknownChoice,
    UnknownMeasure,
    UnknownMethod,
    extract_item,
    learn,
    learn_rules,
)
from forest_scrapy.core import learning as learning_module
from forest_scrapy.core.rules import NO_WRAPPER

from .helpers import demo_pages, html_texts
from .records.shop import LAMPS, list_html, product_page
from .records.test_comments import TEXTS, comment, listed, page_of
from .records.threads import pages_of

ALL = ("article", "thread", "product", "listing")
NEWS = demo_pages("news")
THREADS = pages_of()
PRODUCTS = [product_page(lamp, declares=True) for lamp in LAMPS]
LISTS = [
    Page.from_html(list_html(LAMPS[i : i + 4], f"/lamps?page={i}"), f"http://shop.example/{i}")
    for i in (0, 4)
]


def commented(number: int, comments: int = 3) -> Page:
    said = (comment(i, f"{text} {number}") for i, text in enumerate(TEXTS[:comments]))
    return page_of(listed(*said) if comments else "", number)


def test_articles_only() -> None:
    rules = learn_rules(NEWS)
    assert rules == TemplateRules(learn(NEWS), text_at=rules.wrapper.evidence.text_at)
    assert rules.text_at
    assert (rules.kind, rules.comments, rules.failed) == ("", None, ())


@pytest.mark.parametrize(
    ("pages", "kind"),
    [(NEWS, "article"), (THREADS, "thread"), (PRODUCTS, "product"), (LISTS, "listing")],
    ids=ALL,
)
def test_the_kind_of_the_pages(pages: list[Page], kind: str) -> None:
    rules = learn_rules(pages, Options(kinds=ALL))
    assert rules.kind == kind
    assert rules.are_of_threads is (kind == "thread")
    assert (rules.article is None) is (kind == "thread")
    assert rules.text_at


def test_threads_are_articles_if_they_are_not_wanted() -> None:
    rules = learn_rules(THREADS, Options(kinds=("article", "product")))
    assert rules.wrapper.keep
    assert not rules.are_of_threads


def test_no_articles() -> None:
    assert learn_rules(PRODUCTS, Options(kinds=("product",))).article is None
    assert learn_rules(NEWS, Options(kinds=ALL), may_be_articles=False).article is None


@pytest.mark.parametrize("method", ["single", "sigfeed", "mss"])
def test_methods_for_a_page_learn_nothing_of_a_template(method: str) -> None:
    rules = learn_rules(NEWS, Options(Params(method)))
    assert (rules.article, rules.wrapper) == (None, NO_WRAPPER)
    assert rules.text_at == learn_rules(NEWS).text_at


def test_what_a_single_page_can_give() -> None:
    assert learn_rules(NEWS[:1]).wrapper.method == "single"
    assert learn_rules(NEWS[:1], Options(Params("forest"))).article == NO_WRAPPER  # needs two
    assert learn_rules(THREADS[:1], Options(kinds=ALL)).are_of_threads
    assert learn_rules([commented(1)], Options(comments=True)).comments is None


def test_what_cannot_be_learned_from() -> None:
    with pytest.raises(NotEnoughPages):
        learn_rules([])
    with pytest.raises(UnknownMethod):
        learn_rules(NEWS, Options(Params("wood")))
    with pytest.raises(UnknownMeasure):
        learn_rules(NEWS, Options(Params("forest", measure="J*J")))
    with pytest.raises(UnknownChoice):
        learn_rules(NEWS, Options(Params("forest", occurrences="leaves")))


def test_comments_are_learned() -> None:
    pages = [commented(n) for n in (1, 2, 3)]
    rules = learn_rules(pages, Options(comments=True))
    assert rules.comments is not None
    assert learn_rules(pages).comments is None
    assert learn_rules([page_of("", n) for n in (1, 2)], Options(comments=True)).comments is None


@pytest.mark.parametrize(
    ("function", "part"),
    [
        ("learn", "article"),
        ("learn_kind", "records"),
        ("learn_article_comments", "comments"),
    ],
)
def test_a_part_that_fails_is_named_and_the_others_are_learned(
    function: str, part: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: object) -> None:
        raise ZeroDivisionError("owl")

    pages = [commented(n) for n in (1, 2, 3)]
    options = Options(kinds=ALL, comments=True)
    whole = learn_rules(pages, options)
    monkeypatch.setattr(learning_module, function, fail)
    rules = learn_rules(pages, options)
    assert rules.failed == (f"{part}: ZeroDivisionError: owl",)
    assert f"Cannot learn the {part} of the template of http://a.example/1" in caplog.text
    assert bool(rules.wrapper.keep) is (part != "article")
    assert (rules.records == whole.records) is (part != "records")
    assert (rules.comments is None) is (part in ("article", "comments"))
    assert rules.text_at == whole.text_at


@pytest.mark.parametrize("pages", [NEWS, THREADS, PRODUCTS, LISTS], ids=ALL)
def test_the_order_of_the_pages_does_not_matter(pages: list[Page]) -> None:
    options = Options(kinds=ALL, comments=True)
    shuffled = Random(3).sample(pages, len(pages))
    assert learn_rules(shuffled, options).dumps() == learn_rules(pages, options).dumps()


@given(st.lists(html_texts(), min_size=1, max_size=4), st.sampled_from(["auto", "forest", "mss"]))
def test_any_pages(bodies: list[str], method: str) -> None:
    pages = [Page.from_html(html, f"http://a.example/{i}") for i, html in enumerate(bodies)]
    options = Options(Params(method), ALL, comments=True, formats=("text", "html", "markdown"))
    rules = learn_rules(pages, options)
    assert rules.failed == ()
    assert TemplateRules.loads(rules.dumps()) == rules
    for page in pages:
        extract_item(page, rules, options)


def test_a_process_without_memory_learns_nothing_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(learning_module, "learn", fail)
    with pytest.raises(MemoryError):
        learn_rules([commented(1)])
    assert caplog.text == ""

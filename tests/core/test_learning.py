"""From the pages of a template to its rules, and from a page to its item."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import (
    Article,
    Entry,
    Extraction,
    Listing,
    NotEnoughPages,
    Options,
    Page,
    Params,
    Product,
    Refusal,
    TemplateRules,
    Thread,
    UnknownMeasure,
    UnknownMethod,
    Visit,
    Wrapper,
    extract_item,
    extract_page,
    learn,
    learn_rules,
)
from forest_scrapy.core import learning as learning_module
from forest_scrapy.core.records import RecordRules
from forest_scrapy.core.rules import NO_WRAPPER

from .helpers import demo_pages, html_texts, make_page
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
STORY = "<p>The owls of this harbour town hunt by night, and they sleep when the boats leave.</p>"


def commented(number: int, comments: int = 3) -> Page:
    said = (comment(i, f"{text} {number}") for i, text in enumerate(TEXTS[:comments]))
    return page_of(listed(*said) if comments else "", number)


def with_entry(page: Page, **values: Any) -> Page:
    return Page(page.url, page.root, Entry(**values))


# Learning


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
        ("_learn_kind", "records"),
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


# Items


def extract(page: Page, rules: TemplateRules | None = None, **options: Any) -> Extraction:
    return extract_page(page, rules, Options(**options))


def test_an_article_by_the_rules_of_its_template() -> None:
    rules = learn_rules(NEWS)
    visit = Visit("2024-06-04T08:00:00+00:00", 203, etag="x", template_id="t")
    done = extract_page(NEWS[0], rules, None, visit)
    article = done.item
    assert isinstance(article, Article)
    assert (article.text, article.xpath) == (done.found.text, rules.wrapper.xpath)
    assert (article.template_id, article.wrapper_id) == ("t", rules.wrapper.id)
    assert (article.status, article.etag, article.fetched_at) == (203, "x", visit.fetched_at)
    assert article.entry is not None
    assert (done.method, done.by_template, done.is_record) == ("trained", True, False)
    assert done.reason == ""


def test_an_article_by_itself() -> None:
    done = extract(NEWS[0])
    assert isinstance(done.item, Article)
    assert (done.method, done.by_template, done.found.text) == ("single", False, "")


@pytest.mark.parametrize(
    ("pages", "kind"),
    [(THREADS, Thread), (PRODUCTS, Product), (LISTS, Listing)],
    ids=ALL[1:],
)
@pytest.mark.parametrize("by_template", [True, False])
def test_other_kinds(pages: list[Page], kind: type, by_template: bool) -> None:
    options = Options(kinds=ALL)
    rules = learn_rules(pages, options) if by_template else None
    done = extract_page(pages[0], rules, options, Visit(template_id="t"))
    assert isinstance(done.item, kind)
    assert (done.is_record, done.by_template) == (True, by_template)
    assert done.method == kind.__name__.lower()
    assert done.item.template_id == ("t" if by_template else "")


def test_a_page_of_another_kind() -> None:
    assert extract(PRODUCTS[0], kinds=("thread",)).reason == "other_kind"
    rules = learn_rules(PRODUCTS, Options(kinds=("product",)))
    assert extract(PRODUCTS[0], rules, kinds=("thread",)).outcome == Refusal("other_kind")


def test_a_page_that_is_known_to_be_no_article() -> None:
    visit = Visit(is_article=False, may_be_article=False)
    assert extract_page(NEWS[0], None, None, visit).reason == "not_article"
    done = extract_page(PRODUCTS[0], None, Options(kinds=ALL), visit)
    assert isinstance(done.item, Product)


@pytest.mark.parametrize("rules", [None, TemplateRules(Wrapper("forest", ("//q",)))])
def test_a_page_without_content(rules: TemplateRules | None) -> None:
    done = extract(make_page(""), rules)
    assert (done.item, done.reason, done.found.text) == (None, "no_content", "")


def test_several_articles_unless_it_is_known_to_be_one() -> None:
    teasers = "".join(f"<h2><a href=/{i}>Owls {i}</a></h2>{STORY}" for i in range(9))
    page, rules = make_page(f"<main>{teasers}"), TemplateRules(Wrapper("forest", ("//main",)))
    several = extract_page(page, rules, None, Visit(is_article=False))
    assert several.reason == "several_articles"
    assert several.found.text
    assert isinstance(extract_item(page, rules), Article)


@pytest.mark.parametrize(
    ("formats", "html", "markdown"),
    [
        (("text", "html"), True, False),
        (("text", "markdown"), False, True),
        (("text",), False, False),
    ],
)
def test_formats(formats: tuple[str, ...], html: bool, markdown: bool) -> None:
    article = extract(NEWS[0], learn_rules(NEWS), formats=formats).item
    assert isinstance(article, Article)
    assert (bool(article.html), bool(article.markdown), bool(article.text)) == (
        html,
        markdown,
        True,
    )


@pytest.mark.parametrize("captions", ["separate", "inline"])
def test_captions(captions: str) -> None:
    figure = "<figure><img src=/owl.jpg alt=owl><figcaption>An owl at dusk.</figcaption></figure>"
    page = make_page(f"<main>{STORY}{figure}{STORY}</main>")
    rules = TemplateRules(Wrapper("forest", ("//main",)))
    article = extract(page, rules, captions=captions).item
    assert isinstance(article, Article)
    assert ("An owl at dusk." in article.text) is (captions == "inline")


@pytest.mark.parametrize("method", ["mss", "sigfeed", "vsse"])
def test_methods_for_a_page_look_at_each_page(method: str) -> None:
    options = Options(Params(method))
    done = extract_page(NEWS[0], learn_rules(NEWS, options), options)
    assert (done.method, done.found.text) == (
        method,
        learn(NEWS[:1], Params(method)).apply(NEWS[0]).text,
    )
    assert done.by_template


# Feed entries


def test_the_full_text_of_a_feed_entry() -> None:
    rules = TemplateRules(Wrapper("forest", ("//main",)))
    page = make_page(f"<main>{STORY}</main>")
    short, full = (
        f"<p>{STORY[3:30]}",
        STORY
        + "<p>"
        + " ".join(f"In night {i} they caught {i * 7} mice there." for i in range(40)),
    )
    for content, method, is_full in (
        ("", "forest", None),
        (short, "forest", False),
        (full, "entry", True),
    ):
        done = extract(with_entry(page, title="Owls", content=content), rules)
        assert (done.method, done.full_text) == (method, is_full)
        assert done.found.text  # of the page, by the template
    assert isinstance(done.item, Article)
    assert "In night 7 they caught 49 mice" in done.item.text


def test_the_full_text_if_the_page_has_nothing() -> None:
    page = with_entry(make_page(""), title="Owls", content=STORY)
    done = extract(page, TemplateRules(Wrapper("forest", ("//main",))))
    assert (done.method, done.full_text, done.found.text) == ("entry", True, "")


def test_a_page_that_was_not_fetched() -> None:
    page = with_entry(make_page(""), title="Owls", description="They hunt by night.")
    done = extract_page(
        page, learn_rules(NEWS), Options(kinds=ALL), Visit(was_fetched=False, status=0)
    )
    assert isinstance(done.item, Article)
    assert (done.method, done.full_text, done.item.status) == ("entry", None, 0)
    assert "They hunt by night." in done.item.text


# Comments


def test_comments_by_the_rules_of_the_template() -> None:
    options = Options(comments=True)
    pages = [commented(n) for n in (1, 2, 3)]
    rules = learn_rules(pages, options)
    done = extract_page(commented(7), rules, options)
    assert isinstance(done.item, Article)
    assert [one["text"] for one in done.item.comments] == [f"{text} 7" for text in TEXTS]
    assert not done.comments_missed
    bare = extract_page(commented(8, comments=0), rules, options)
    assert isinstance(bare.item, Article)
    assert (bare.item.comments, bare.comments_missed) == ([], False)
    unwanted = extract_item(commented(7), rules)
    assert isinstance(unwanted, Article)
    assert unwanted.comments == []


def test_comments_of_a_page_alone() -> None:
    rules = TemplateRules(Wrapper("trained", ("//article",)))
    done = extract_page(commented(7), rules, Options(comments=True))
    assert isinstance(done.item, Article)
    assert (len(done.item.comments), done.comments_missed) == (3, False)


@pytest.mark.parametrize("may_be_outdated", [True, False])
def test_comments_that_the_rules_miss(may_be_outdated: bool) -> None:
    rules = TemplateRules(Wrapper("trained", ("//article",)), comments=RecordRules("//q"))
    visit = Visit(may_be_outdated=may_be_outdated)
    done = extract_page(commented(7), rules, Options(comments=True), visit)
    assert isinstance(done.item, Article)
    assert bool(done.item.comments) is may_be_outdated
    assert done.comments_missed is may_be_outdated


@pytest.mark.parametrize("may_be_outdated", [True, False])
def test_threads_that_the_rules_miss(may_be_outdated: bool) -> None:
    options = Options(kinds=("thread",))
    rules = learn_rules(THREADS, options)
    assert rules.records is not None
    missing = replace(rules.records, rules=(RecordRules("//q"),))
    visit = Visit(may_be_outdated=may_be_outdated, template_id="t")
    done = extract_page(THREADS[0], replace(rules, records=missing), options, visit)
    assert (done.is_record, done.by_template) == (may_be_outdated, False)
    if may_be_outdated:
        assert isinstance(done.item, Thread)
        assert done.item.template_id == ""
    else:
        assert done.reason == "other_kind"


# Dates from outside of the page


@pytest.mark.parametrize(
    ("last_modified", "modified"),
    [
        ("Mon, 03 Jun 2024 10:00:00 GMT", "2024-06-03T10:00:00+00:00"),
        ("Tue, 04 Jun 2024 07:30:00 GMT", ""),  # the page may have been generated then
        ("soon", ""),
    ],
)
def test_the_date_of_the_server(last_modified: str, modified: str) -> None:
    page, rules = make_page(f"<main>{STORY}"), TemplateRules(Wrapper("forest", ("//main",)))
    visit = Visit("2024-06-04T08:00:00+00:00", last_modified=last_modified)
    article = extract_item(page, rules, None, visit)
    assert isinstance(article, Article)
    assert (article.modified, article.last_modified) == (modified, last_modified)


def test_the_date_of_the_sitemap() -> None:
    page, rules = make_page(f"<main>{STORY}"), TemplateRules(Wrapper("forest", ("//main",)))
    article = extract_item(
        page, rules, None, Visit("2024-06-04T08:00:00+00:00", lastmod="2024-06-02")
    )
    assert isinstance(article, Article)
    assert (article.modified, article.sources.get("modified")) == ("2024-06-02", "sitemap")


def test_rules_that_fail_on_a_page_leave_it_to_be_read_by_itself(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A function that a project has registered may fail on some pages only."""
    page = make_page(f"<i>a</i><p>{'The owls are out. ' * 20}")
    rules = TemplateRules(Wrapper("forest", ("//i[text()[has-class('a')]] | //p",)))
    item = extract_item(page, rules, visit=Visit(template_id="f00"))
    assert isinstance(item, Article) and item.text.startswith("The owls")
    (message,) = caplog.messages
    assert message.startswith(
        f"{page.url} is read by itself: the rules of template f00: //i[text()"
    )


def test_a_process_without_memory_learns_nothing_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(learning_module, "learn", fail)
    with pytest.raises(MemoryError):
        learn_rules([commented(1)])
    assert caplog.text == ""

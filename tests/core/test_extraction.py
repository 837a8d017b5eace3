"""From a page to its item."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from forest_scrapy.core import (
    Article,
    Entry,
    Extraction,
    Listing,
    Options,
    Page,
    Params,
    Product,
    Refusal,
    TemplateRules,
    Thread,
    Visit,
    Wrapper,
    extract_item,
    extract_page,
    learn,
    learn_rules,
)
from forest_scrapy.core.records import RecordRules

from .helpers import make_page
from .records.test_comments import TEXTS
from .test_learning import ALL, LISTS, NEWS, PRODUCTS, THREADS, commented

STORY = "<p>The owls of this harbour town hunt by night, and they sleep when the boats leave.</p>"


def with_entry(page: Page, **values: Any) -> Page:
    return Page(page.url, page.root, Entry(**values))


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

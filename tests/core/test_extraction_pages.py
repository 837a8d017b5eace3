"""Pages of any kind, and the text of every item."""

from __future__ import annotations

from dataclasses import fields

import pytest
from lxml.etree import tostring

from forest_scrapy.core import (
    Article,
    Listing,
    Options,
    Page,
    Product,
    Refusal,
    Thread,
    Visit,
    WebPage,
    extract_item,
    extract_page,
    learn_rules,
)
from forest_scrapy.core.items import ITEM_KINDS
from tests.core.records.shop import LAMPS, list_html, product_page
from tests.crawls.helpers import story
from tests.crawls.test_records_spider import forum_pages

PRICING = """<html lang=en><head><title>Pricing - Acme</title></head><body>
<nav><a href=/>Home</a> <a href=/a>About us</a></nav><main><h1>Pricing</h1>
<p>Acme is simple to pay for. Every plan has all features, and no limits on users.</p>
<h2>Starter plan</h2><p>For small teams that want to try it, with support by mail.</p>
<h2>Large plan</h2><p>For companies with more than one hundred people, with support by phone.</p>
</main><footer><a href=/terms>Terms</a> Copyright Acme 2025</footer></body></html>"""
ALL = Options(kinds=tuple(ITEM_KINDS))
ONLY = Options(kinds=("page",))


def page_of(html: str) -> Page:
    return Page.from_html(html, "http://a.example/page")


def thread_html() -> str:
    return next(html for path, html in forum_pages().items() if "/t/" in path)


PAGES = {
    "story": (page_of(story(1)), Article),
    "thread": (page_of(thread_html()), Thread),
    "product": (product_page(LAMPS[0]), Product),
    "list": (page_of(list_html(LAMPS)), Listing),
}


def test_a_page_of_no_other_kind() -> None:
    found = extract_item(page_of(PRICING), None, ONLY)
    assert isinstance(found, WebPage)
    assert (found.title, found.language, found.url) == ("Pricing", "en", "http://a.example/page")
    assert "Every plan has all features" in found.text and "support by phone" in found.text
    assert "Terms" not in found.text and "Home" not in found.text
    assert "<p>" in found.html and found.markdown == ""


def test_formats() -> None:
    options = Options(kinds=("page",), formats=("text", "markdown"))
    found = extract_item(page_of(PRICING), None, options)
    assert isinstance(found, WebPage)
    assert found.html == "" and "Every plan has all features" in found.markdown


@pytest.mark.parametrize("name", PAGES)
def test_only_pages(name: str) -> None:
    """Whatever its kind, a page has an item with its text; the kind is told."""
    page, item_class = PAGES[name]
    found = extract_item(page, None, ONLY)
    assert isinstance(found, WebPage) and found.text
    assert found.kind == "other" or ITEM_KINDS[found.kind] is item_class


@pytest.mark.parametrize("name", PAGES)
def test_the_other_kinds_come_first(name: str) -> None:
    page, item_class = PAGES[name]
    found = extract_item(page, None, ALL)
    assert isinstance(found, item_class) and found.text


def test_every_item_has_a_text() -> None:
    for item_class in ITEM_KINDS.values():
        assert "text" in {field.name for field in fields(item_class)}


def test_the_text_of_a_thread_is_that_of_its_posts() -> None:
    found = extract_item(page_of(thread_html()), None, ALL)
    assert isinstance(found, Thread)
    assert found.text.split("\n") == [line for p in found.posts for line in p["text"].split("\n")]


@pytest.mark.parametrize("name", ["story", "thread"])
def test_only_pages_have_the_text_of_their_kind(name: str) -> None:
    page, _ = PAGES[name]
    if name == "story":
        declared = '<script type="application/ld+json">{"@type": "NewsArticle"}</script></head>'
        page = page_of(story(1).replace("</head>", declared))
    found, as_page = extract_item(page, None, ALL), extract_item(page, None, ONLY)
    assert isinstance(found, Article | Thread) and isinstance(as_page, WebPage)
    assert as_page.text == found.text and as_page.html


def test_the_text_of_a_list_has_its_items() -> None:
    found = extract_item(page_of(list_html(LAMPS)), None, ALL)
    assert isinstance(found, Listing)
    assert all(lamp.name in found.text for lamp in LAMPS)


@pytest.mark.parametrize("kinds", [("page",), ("article", "page")])
def test_a_page_without_text(kinds: tuple[str, ...]) -> None:
    done = extract_page(page_of("<p> </p>"), None, Options(kinds=kinds))
    assert isinstance(done.outcome, Refusal)


def test_a_page_that_is_no_article() -> None:
    """It is not dropped; why it is no article is known."""
    visit = Visit(is_article=False, may_be_article=False, template_id="t1")
    done = extract_page(page_of(PRICING), None, Options(kinds=("article", "page")), visit)
    assert isinstance(done.outcome, WebPage)
    assert (done.method, done.reason, done.instead_of) == ("page", "", "other_kind")
    assert done.outcome.template_id == "t1" and not done.is_of_article and not done.is_record


@pytest.mark.parametrize(("is_named", "item_class"), [(False, WebPage), (True, Article)])
def test_a_plain_page_is_an_article_only_if_it_is_named(is_named: bool, item_class: type) -> None:
    options = Options(kinds=("article", "page"))
    found = extract_item(page_of(PRICING), None, options, Visit(is_article=is_named))
    assert isinstance(found, item_class)


def test_an_article_that_nobody_named_stays_one() -> None:
    options = Options(kinds=("article", "page"))
    declared = '<script type="application/ld+json">{"@type": "NewsArticle"}</script></head>'
    page = page_of(story(1).replace("</head>", declared))
    assert isinstance(extract_item(page, None, options, Visit(is_article=False)), Article)


def test_an_article_without_content_is_a_page_that_its_rules_miss() -> None:
    """So that a redesign of the template is noticed."""
    rules = learn_rules([page_of(story(number)) for number in range(4)], Options())
    done = extract_page(page_of(list_html(LAMPS)), rules, Options(kinds=("article", "page")))
    assert done.is_of_article


DESCRIBED = (
    "<title>Which telescope for a beginner?</title><meta name=description content='I would like to "
    "see the planets with my children this winter, and my budget is around three hundred dollars. "
    "Should it be a refractor or a reflector, which makers are good, and what else is needed?'>"
)


def test_a_page_that_shows_nothing_without_scripts() -> None:
    """Its declared description stands for its text; else it has no content, of any kind."""
    url = "https://forum.example/t/which-telescope/1555"
    body = "<nav><a href=/>Home</a> <a href=/top>Top</a></nav><main id=app></main>"
    done = extract_page(Page.from_html(f"{DESCRIBED}<body>{body}", url), None, ONLY)
    assert done.item is not None
    assert done.item.text.startswith("I would like to see the planets")
    done = extract_page(Page.from_html("<title>Telescopes</title><main></main>", url), None, ONLY)
    assert (done.reason, done.is_of_article) == ("no_content", False)


def test_the_language_is_that_of_the_text() -> None:
    """Many pages declare the language of their template."""
    lines = "".join(
        f"<p>Les bateaux rentrent au port le soir, avec le vent {i}.</p>" for i in "abc"
    )
    page = page_of(f"<html lang=en><body><main><h1>Les bateaux</h1>{lines}</main>")
    item = extract_page(page, None, ONLY).item
    assert item is not None
    assert item.language == "fr"
    thread = page_of(f"<html lang=fr>{thread_html()}")
    item = extract_page(thread, None, ALL).item
    assert isinstance(item, Thread)
    assert item.language == "en"


PROSE = "".join(
    f"<p>The crane lifts boats of {n} tons, and all of them wait at the quay until noon comes.</p>"
    for n in range(40, 52)
)
HEAD = (
    "<html lang=en><head><title>The crane of the harbour - Gazette</title>"
    "<meta name=author content='Ana Bo'></head><body><nav><a href=/>Home</a></nav>"
)


@pytest.mark.parametrize("byline", ["<p>By Ana Bo</p>", "<div>By Ana Bo | 3 May 2024</div>"])
@pytest.mark.parametrize("heading", ["", "<h1>The crane of the harbour</h1>"])
def test_the_text_of_a_page_does_not_begin_with_its_byline(byline: str, heading: str) -> None:
    for body in (f"{heading}{byline}", f"{byline}{heading}"):
        html = f"{HEAD}<main><article>{body}{PROSE}</article></main>"
        item = extract_item(page_of(html), None, ONLY)
        assert isinstance(item, WebPage)
        assert "Ana Bo" not in item.text
        assert "Ana Bo" not in item.html
        assert "The crane lifts boats of 40 tons" in item.text


def test_the_first_item_of_a_list_keeps_its_author() -> None:
    items = "".join(
        f"<li><h2><a href=/{n}>Boat {n} of the year</a></h2><p>By Ana Bo | {n} May 2024</p>"
        f"<p>The boat {n} came in at noon with herring, said the office of the harbour.</p></li>"
        for n in range(3, 20)
    )
    item = extract_item(page_of(f"{HEAD}<main><ul>{items}</ul></main>"), None, ONLY)
    assert isinstance(item, WebPage)
    assert (item.kind, item.text.count("Ana Bo")) == ("listing", 17)


def overview_html() -> str:
    """A page that introduces a subject and lists its pages."""
    declared = (
        '<script type="application/ld+json">{"@type": "CollectionPage", "name": "Owls"}</script>'
    )
    introduction = "".join(
        f"<p>Owls hunt at night, and in chapter {number} we look at what they eat, how they find it"
        " in the dark, and why farmers were always glad to have them in a barn.</p>"
        for number in range(3)
    )
    letters = "".join(
        f"<div class=letter><h2>{letter}</h2><ul>"
        + "".join(
            f"<li><a href=/owls/{letter}{number}>{letter}{word} owl of the northern woods</a></li>"
            for number, word in enumerate(("arn", "and", "ill", "oft", "ural", "awny", "orest"))
        )
        + "</ul></div>"
        for letter in "ABCDEFGHIKLMNOPRST"
    )
    return (
        f"<html lang=en><head><title>Owls</title>{declared}</head><body><main><h1>Owls</h1>"
        f"<div class=text>{introduction}</div>{letters}</main></body></html>"
    )


def test_an_article_that_is_only_the_introduction_of_a_page() -> None:
    page = Page.from_html(overview_html(), "http://a.example/owls")
    found = extract_item(page, None, ALL, Visit(is_article=False))
    assert isinstance(found, WebPage)
    assert found.kind == "other"
    assert "Owls hunt at night" in found.text
    assert "Tawny owl of the northern woods" in found.text


def test_a_page_that_is_named_as_an_article_is_one() -> None:
    page = Page.from_html(overview_html(), "http://a.example/owls")
    assert isinstance(extract_item(page, None, ALL, Visit(is_article=True)), Article)


DECLARED = (
    "<meta property=article:published_time content='2024-05-03T10:00:00+02:00'>"
    "<meta property=article:modified_time content='2024-06-01'>"
)


def with_head(page: Page, head: str) -> Page:
    html = tostring(page.root, encoding="unicode").replace("<body", f"{head}<body", 1)
    return Page.from_html(html, page.url)


@pytest.mark.parametrize("name", ["product", "list"])
def test_products_and_lists_have_the_dates_that_they_declare(name: str) -> None:
    page, item_class = PAGES[name]
    found = extract_item(with_head(page, DECLARED), None, ALL)
    assert isinstance(found, item_class)
    assert (found.published, found.modified) == ("2024-05-03T10:00:00+02:00", "2024-06-01")
    assert 0 < found.date_confidence["published"] < 1
    undated = extract_item(page, None, ALL)
    assert (undated.published, undated.modified, undated.date_confidence) == ("", "", {})


def test_other_pages_have_the_dates_that_they_show() -> None:
    for shown, published, modified in (
        ("<p class=date>3 May 2024</p>", "2024-05-03", ""),
        ("<p>Last updated: 3 May 2024</p>", "", "2024-05-03"),
    ):
        page = page_of(PRICING.replace("</h1>", f"</h1>{shown}"))
        found = extract_item(page, None, ONLY)
        assert isinstance(found, WebPage)
        assert (found.published, found.modified) == (published, modified)
    future = page_of(PRICING.replace("</h1>", "</h1><p class=date>3 May 2034</p>"))
    visit = Visit(fetched_at="2024-06-01T12:00:00+00:00")
    assert extract_item(future, None, ONLY, visit).published == ""

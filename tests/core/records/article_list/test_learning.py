"""The rules for the list of articles of a page, learned from it alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from effort import limited_effort
from lxml import html as lxml_html

from forest_scrapy.core import Page
from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.core.records.article_list import (
    ArticleListRules,
    NoArticleList,
    learn_article_list,
)
from forest_scrapy.core.records.article_list.rules import read_first

from .pages import HOME, STORIES, Story, blog, paper, plain

Write = Callable[[list[Story]], str]
TODAY = STORIES[:10]
TOMORROW = STORIES[4:]


def learn(write: Write) -> ArticleListRules:
    return learn_article_list(Page.from_html(write(TODAY), HOME))


def read_elsewhere(rules: ArticleListRules, html: str) -> list[tuple[str, str]]:
    """What a program finds that evaluates the expressions on the tree of libxml2."""
    root = lxml_html.document_fromstring(html)
    return [
        (absolute_url(read_first(rules.link, item), HOME), read_first(rules.title, item))
        for item in root.xpath(rules.items)
    ]


@pytest.mark.parametrize("write", [blog, paper, plain])
@pytest.mark.parametrize("stories", [TODAY, TOMORROW])
def test_all_articles_and_nothing_else(write: Write, stories: list[Story]) -> None:
    """Also those of another day, by the rules as they are and by the expressions alone."""
    rules = learn(write)
    html = write(stories)
    expected = [(story.url, story.title) for story in stories]
    articles = rules.apply(Page.from_html(html, HOME))
    assert [(article.url, article.title) for article in articles] == expected
    assert read_elsewhere(rules, html) == expected


def test_fields() -> None:
    article = learn(blog).apply(Page.from_html(blog(TODAY), HOME))[2]
    assert article.published == "2026-11-03T08:00:00+00:00"
    assert article.authors == ("Ana Bo",)
    assert article.summary.startswith("The council has looked at it for the 3th time")
    cards = learn(paper).apply(Page.from_html(paper(TODAY), HOME))
    assert cards[1].image == "https://paper.example/i/2.jpg"
    assert cards[1].published == "2026-11-02"


@pytest.mark.parametrize(
    ("write", "form"), [(blog, "standard"), (paper, "d/m/Y"), (plain, "words")]
)
def test_the_form_of_the_dates(write: Write, form: str) -> None:
    assert learn(write).date_form == form


def test_the_expressions_are_plain() -> None:
    """No level of the tree, and no position: an advert may come above the list."""
    rules = learn(blog)
    assert rules.items == "//article"
    assert rules.title == "descendant::h2/a"
    assert rules.link == "descendant::h2/a/@href"
    assert rules.published == "descendant::time/@datetime"
    html = paper(TODAY).replace("<main>", "<main><div class='advert'><p>Buy it.</p></div>")
    assert len(read_elsewhere(learn(paper), html)) == len(TODAY)


def test_elements_around_others_of_the_same_class() -> None:
    posts = "".join(f"<div class=box><h2><a href={s.path}>{s.title}</a></h2></div>" for s in TODAY)
    html = f"{posts[: len(posts) // 2]}{posts[len(posts) // 2 :]}"
    page = Page.from_html(f"<div class=box><p>All of them</p>{html}</div>", HOME)
    rules = learn_article_list(page)
    assert [article.url for article in rules.apply(page)] == [story.url for story in TODAY]
    assert len(read_elsewhere(rules, f"<div class=box><p>All</p>{html}</div>")) == len(TODAY)


@pytest.mark.parametrize(
    "html",
    [
        "<p>Nothing is linked here.</p>",
        "<ul><li><a href=/tag/a/>Ants and bees of the town</a><li><a href=/about>About</a></ul>",
        "<ul><li><a href=https://b.example/a-long-story>A story of another site</a></ul>",
    ],
)
def test_no_list(html: str) -> None:
    with pytest.raises(NoArticleList, match=r"https://paper\.example/: no list of articles"):
        learn_article_list(Page.from_html(html, HOME))


MENU = """<ul class=menu><li><a href=/lokales>Lokales</a><li><a href=/sport>Sport</a>
<li><a href=/wetter>Wetter</a><li><a href=/reise>Reise und Leben</a></ul>"""


def test_a_menu_is_no_list() -> None:
    """Also if the page has no other links."""
    with pytest.raises(NoArticleList):
        learn_article_list(Page.from_html(f"{MENU}<h2>Sport</h2><p>Nothing today.</p>", HOME))


@pytest.mark.parametrize("label", ["Meistgelesen", "Most read", "Les plus lus", "Trending now:"])
def test_what_is_read_most_is_no_part_of_the_list(label: str) -> None:
    old = "".join(f"<li><a href={story.url}>{story.title}</a>" for story in STORIES[-4:])
    html = blog(TODAY) + f"<div class=side><h3>{label}</h3><ol>{old}</ol></div>"
    rules = learn_article_list(Page.from_html(html, HOME))
    articles = rules.apply(Page.from_html(html, HOME))
    assert [article.url for article in articles] == [story.url for story in TODAY]


TEASER = "The council has looked at it again, and nobody knows when it opens."


@pytest.mark.parametrize(
    "teaser",
    [
        "<p>{teaser} <a href={url}>Weiterlesen</a></p>",
        "<p>{teaser} | <a href={url}>Read more</a></p>",
        "<br>{teaser}",
    ],
)
def test_the_teaser(teaser: str) -> None:
    """Without the link to read on, and as a text after a line break."""
    rows = []
    for story in TODAY:
        text = teaser.format(teaser=TEASER, url=story.url)
        rows.append(f"<div class=row><a href={story.url}><b>{story.title}</b></a>{text}</div>")
    page = Page.from_html("".join(rows), HOME)
    rules = learn_article_list(page)
    assert ArticleListRules.loads(rules.dumps()) == rules
    assert {article.summary for article in rules.apply(page)} == {TEASER}


def test_a_teaser_that_ends_in_a_link_of_its_own() -> None:
    """Its words are kept: no other teaser ends with them."""
    rows = []
    for number, story in enumerate(TODAY):
        text = f"{TEASER} See the <a href={story.url}>report number {number}</a>"
        rows.append(f"<div class=row><a href={story.url}><b>{story.title}</b></a><p>{text}</div>")
    page = Page.from_html("".join(rows), HOME)
    summaries = [article.summary for article in learn_article_list(page).apply(page)]
    assert summaries == [f"{TEASER} See the report number {n}" for n in range(len(TODAY))]


def test_rules_as_json() -> None:
    rules = learn(paper)
    assert ArticleListRules.loads(rules.dumps()) == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "JSON"),
        ('{"items": "//p["}', "link"),
        ('{"items": "//p[", "link": "a/@href", "title": "a"}', "items: '//p\\[' is not an XPath"),
        ('{"items": "//p", "link": "a/@href", "title": "count(a)"}', "title: .* gives a number"),
        ('{"items": "//p", "link": "a/@href", "title": ""}', "title is missing"),
        ('{"items": "//p", "link": "a/@href", "title": "a", "date": "b"}', "date"),
    ],
)
def test_bad_rules(text: str, message: str) -> None:
    with pytest.raises(BadRules, match=message):
        ArticleListRules.loads(text)


@pytest.mark.parametrize("length", [250, 300, 301, 900])
def test_titles_of_any_length(length: int) -> None:
    """Cards that are a link as a whole."""
    cards = ""
    for number in range(8):
        text = f"Owls {number} sleep at noon in the barn of the mill, and wake at night. " * 20
        cards += f"<div class=card><a href=/2026/11/owls-{number}>{text[:length]}</a></div>"
    page = Page.from_html(f"<html><body>{cards}</body></html>", "https://a.example/")
    listed = learn_article_list(page).apply(page)
    assert [article.url.rpartition("-")[2] for article in listed] == [str(n) for n in range(8)]


def test_deep_texts_take_linear_time() -> None:
    """The text of each of the elements in each other was joined: 8 s for such a page."""
    text = "<span>" * 200 + "word " * 20_000 + "</span>" * 200
    items = ""
    for number in range(20):
        link = f"<h2><a href=/2026/11/owls-{number}>Owls number {number} sleep</a></h2>"
        items += f"<div class=item>{link}<div>{text}</div></div>"
    page = Page.from_html(f"<html><body>{items}</body></html>", "https://a.example/")
    with limited_effort(5):
        assert len(learn_article_list(page).apply(page)) == 20

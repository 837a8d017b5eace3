"""Declared metadata, also of hostile pages."""

from __future__ import annotations

import json

import pytest
from effort import limited_effort
from hypothesis import given

from forest_scrapy.core import Page
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.declared import Declared, names_of
from forest_scrapy.core.page.tree import parse_html

from ..helpers import html_texts


def ld(text: str) -> str:
    return (
        f'<html><head><script type="application/ld+json">{text}</script></head><body><h1>Boats</h1>'
    )


def test_the_node_with_the_url_of_the_page_is_the_article() -> None:
    nodes = [
        {"@type": "NewsArticle", "headline": "Other", "url": "http://a.example/other"},
        {"@graph": [{"@type": ["BlogPosting"], "headline": "Own", "url": "http://a.example/own"}]},
    ]
    root = parse_html(ld(json.dumps(nodes)))
    assert Declared(root, "http://a.example/own").article["headline"] == "Own"


def test_a_script_type_with_a_charset_and_a_broken_script() -> None:
    root = parse_html(
        '<script type="application/ld+json">{"@type": oops</script>'
        '<script type="application/ld+json; charset=utf-8">{"@type": "Article", "headline": "A"}'
        "</script>"
    )
    assert Declared(root).article["headline"] == "A"


HOSTILE = {
    "enormous": '{"@type": "Article", "headline": "' + "x" * 5_000_000 + '"}',
    "enormous and broken": "{" * 5_000_000,
    "deep": "[" * 100_000,
    "deep and complete": "[" * 900 + "]" * 900,
    "wide": "[" + ",".join('{"@type": "Thing"}' for _ in range(20_000)) + "]",
    "of other types": '{"@type": 5, "headline": ["a", 7, null], "author": [[1]], "image": {"url": {}}}',
    "article of other types": '{"@type": "Article", "headline": {"a": 1}, "datePublished": 9e99, '
    '"author": [{"name": {"x": 1}}, 4], "keywords": {"a": [1]}, "publisher": [3], "url": [null]}',
    "lone surrogate": '{"@type": "Article", "headline": "\\ud800 \\u0000"}',
    "null": "null",
    "empty": "",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_json_ld_takes_bounded_time_and_the_page_keeps_a_title(name: str) -> None:
    with limited_effort(5):
        read = read_fields(Page.from_html(ld(HOSTILE[name]), "http://a.example/b"))
    assert read.title


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://[", ""),
        ("", ""),
        ("x:", ""),
        ("http://a.example:99999999/", "http://a.example:99999999/"),
    ],
)
def test_ill_formed_urls_are_left_out(url: str, found: str) -> None:
    html = f'<base href="{url}"><link rel=canonical href="{url}"><meta property=og:image content="{url}">'
    items = (
        f'<div itemscope itemtype="//schema.org/Article"><a itemprop=url href="{url}">b</a></div>'
    )
    page = Page.from_html(html + items + f'<img src="{url}"><a href="{url}">b</a>', url)
    read = read_fields(page, content=read_content(page.root, base=page.base_url))
    assert (read.canonical_url, read.main_image) == (found, found)
    assert [image.url for image in read.images] == ([found] if found else [])


@given(html_texts())
def test_any_page_has_fields(html: str) -> None:
    page = Page.from_html(html, "http://a.example/b")
    read_fields(page, content=read_content(page.root, base=page.base_url))


OG = "<meta property='og:title' content='Og'>"
TITLE = "<title>Title - Site</title>"
H1 = "<body><h1>Heading</h1>"


@pytest.mark.parametrize(
    ("html", "title"),
    [
        (OG + TITLE + H1, "Og"),
        (TITLE + H1, "Heading"),
        (TITLE + H1 + "<h1>Another</h1>", "Title - Site"),
        (TITLE, "Title - Site"),
        ("<meta name='og:title' content=' a  b '>" + TITLE, "a b"),
        ("<meta property='og:title' content=' '>" + H1, "Heading"),
        (TITLE + "<body><h1> </h1>", "Title - Site"),
        ("<body><h1>Old <em>boats</em></h1>", "Old boats"),
        ("<body><svg><title>Icon</title></svg>", ""),
        ("", ""),
    ],
)
def test_title(html: str, title: str) -> None:
    assert Declared(parse_html(html)).title == title


@pytest.mark.parametrize(
    "heading", ["B<em>oats</em>", "Boats<script>x</script>"], ids=["initial", "script"]
)
def test_title_is_the_visible_text_of_the_heading(heading: str) -> None:
    assert Declared(parse_html(f"<body><h1>{heading}</h1>")).title == "Boats"


def test_description_is_the_longest() -> None:
    head = (
        "<meta name=description content='short'>"
        "<meta property='og:description' content='rather \n longer'>"
    )
    declared = Declared(parse_html(head + TITLE))
    assert (declared.title, declared.description) == ("Title - Site", "rather longer")


def test_empty_page() -> None:
    declared = Declared(parse_html(""))
    assert (declared.title, declared.description) == ("", "")


def test_the_reviews_of_customers_are_no_articles() -> None:
    review = {"@type": "Review", "name": "I like the colour", "author": "Ana Bo"}
    product = {"@type": "Product", "name": "Shelf", "review": [review, review]}
    page = f"<script type=application/ld+json>{json.dumps(product)}</script>"
    assert Page.from_html(page, "http://a.example/shelf").declared.article == {}
    own = {**review, "url": "http://a.example/shelf"}
    product = {**product, "review": [review, own]}
    page = f"<script type=application/ld+json>{json.dumps(product)}</script>"
    assert Page.from_html(page, "http://a.example/shelf").declared.article == own
    page = f"<script type=application/ld+json>{json.dumps(review)}</script>"
    assert Page.from_html(page, "http://a.example/shelf").declared.article == review


@pytest.mark.parametrize("key", ["@type", "@Type", "@TYPE"])
@pytest.mark.parametrize(
    "name", ["NewsArticle", "newsarticle", "NEWSARTICLE", "schema:newsArticle", "http://schema.org/NewsArticle"]
)  # fmt: skip
def test_types_are_known_in_any_case(key: str, name: str) -> None:
    node = {key: name, "headline": "Owls", "author": {key: "person", "name": "Ana Bo"}}
    root = parse_html(ld(json.dumps(node)))
    declared = Declared(root)
    assert declared.article["headline"] == "Owls"
    assert declared.is_article
    assert read_fields(Page("http://a.example/", root)).authors == ("Ana Bo",)


@pytest.mark.parametrize("name", ["", '"name": null, ', '"name": "", ', '"name": [], '])
@pytest.mark.parametrize("author", ["{%s}", '[{"@type": "Person", %s}]', '{"@id": "#ana"}'])
def test_given_and_family_name_are_the_name(name: str, author: str) -> None:
    names = f'{name}"givenName": "Ana", "familyName": "Bo"'
    nodes = json.loads(f'[{{"@id": "#ana", "@type": "Person", {names}}}]')
    value = json.loads(author.replace("%s", names))
    assert names_of(value, nodes) == ["Ana Bo"]

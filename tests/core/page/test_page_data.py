"""The text of pages that a script fills."""

from __future__ import annotations

import json

import pytest

from forest_scrapy.core import Page, Wrapper, extract

BODY = "<p>" + 20 * "The boats came in with the fish of the night. " + "</p>"
TITLE = "<title>The boats come in | Gazette</title>"


def page_of(script: str, kind: str = "application/json") -> Page:
    shell = f"<head>{TITLE}<script type='{kind}'>{script}</script></head><body><div id=app></div>"
    return Page.from_html(shell, "http://a.example/boats")


def data(title: str = "The boats come in", body: str = BODY) -> str:
    terms = {"title": "Terms of use", "html": 2 * BODY.replace("boats", "lawyers")}
    post = {"title": title, "id": 7, "content": {"rendered": body}}
    return json.dumps({"props": {"posts": [post], "terms": terms}}).replace("</", "<\\/")


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        (data(), "application/json"),
        (f"window.__STATE__ = {data()}; start();", ""),
        (f'(self.queue = self.queue || []).push({data()})', "text/javascript"),
        (json.dumps({"@type": "NewsArticle", "articleBody": BODY}), "application/ld+json"),
    ],
)  # fmt: skip
def test_the_text_with_the_title_of_the_page(script: str, kind: str) -> None:
    wrapper, found = extract(page_of(script, kind), Wrapper("none"))
    assert (wrapper.method, found.text.count("The boats came in")) == ("data", 20)
    assert "lawyers" not in found.text


@pytest.mark.parametrize(
    "script",
    ["", "{", "{" * 3000, '{"a": 1}', data("Owls of the hedge"), data(body="<p>Soon.</p>")],
    ids=["nothing", "broken", "deep", "no text", "another title", "short text"],
)
def test_pages_without_such_a_text(script: str) -> None:
    wrapper, found = extract(page_of(script), Wrapper("none"))
    assert (wrapper.method, found.text) == ("description", "")


def test_the_article_says_how_it_was_found() -> None:
    page = page_of(data())
    wrapper, _ = extract(page, Wrapper("none"))
    article = wrapper.article(page)
    assert article is not None
    assert (article.method, article.sources["text"]) == ("data", "text")
    assert "<p>The boats" in article.html
    assert Wrapper.loads(wrapper.dumps()) == wrapper

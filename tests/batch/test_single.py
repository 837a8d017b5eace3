"""One page has the outcome that it has in a batch."""

from __future__ import annotations

from typing import Any

import pytest

from forest_scrapy import ForestSettings, RawPage, extract_pages

TEXT = "<p>The owls hunt at night in the wood, and the mice hide under the snow. " * 9
URL = "http://a.example/owls/"
ARTICLE = f"<title>Owls</title><h1>Owls</h1><p class=by>By Ana Bo</p>{TEXT}"
CANONICAL = "<link rel=canonical href=https://www.a.example/owls>"
ALL_KINDS = ForestSettings(
    kinds=("article", "thread", "product", "listing", "page"),
    formats=("text", "html", "markdown"),
    comments=True,
)
POSTS = "".join(
    f"<div class=post><b class=author>Ana {i}</b><time>2024-05-0{i + 1}</time>{TEXT}Post {i}.</div>"
    for i in range(5)
)
#: A page with which another one is no single page.
OTHER = RawPage("http://b.example/", b"")


def outcomes(*pages: RawPage, **options: Any) -> list[Any]:
    """The items and refusals of the pages but ``OTHER``."""
    refusals: list[tuple[RawPage, str]] = []
    items = extract_pages(
        pages,
        refused=lambda raw, reason: refusals.append((raw, reason)),
        **options,
    )
    values = [(type(item), vars(item)) for item in items]
    return [*values, *[refusal for refusal in refusals if refusal[0].url != OTHER.url]]


@pytest.mark.parametrize("are_articles", [False, True])
@pytest.mark.parametrize("settings", [ForestSettings(), ALL_KINDS], ids=["articles", "all kinds"])
@pytest.mark.parametrize(
    "page",
    [
        RawPage(URL, ARTICLE),
        RawPage(URL, ARTICLE.encode(), headers={"Content-Type": "text/html; charset=utf-8"}),
        RawPage(URL, CANONICAL + ARTICLE, status=203, fetched_at="2024-05-06T10:00:00+00:00"),
        RawPage(URL, f"{ARTICLE}Page 1 of 2: <b>1</b> <a href=/owls/2/>2</a>"),
        RawPage(f"{URL}2/", f"{ARTICLE}Page 2 of 2: <a href=/owls/>1</a> <b>2</b>"),
        RawPage("", f"{ARTICLE}<a href=/x>x</a>", source="owls.html"),
        RawPage(URL, f"<h1>Owls</h1>{POSTS}"),
        RawPage(URL, "<p>Home"),
        RawPage(URL, ""),
        RawPage("ftp://a.example/", ARTICLE),
        RawPage(URL, b"", error="damaged"),
        RawPage(URL, "<title>Just a moment...</title><div id=challenge-form>Checking"),
    ],
    ids=[
        "text", "bytes", "canonical", "first of two", "second of two", "file", "thread", "short",
        "empty", "bad URL", "damaged", "challenge",
    ],
)  # fmt: skip
def test_a_single_page(page: RawPage, settings: ForestSettings, are_articles: bool) -> None:
    single = outcomes(page, settings=settings, are_articles=are_articles)
    assert len(single) == 1
    assert single == outcomes(page, OTHER, settings=settings, are_articles=are_articles)

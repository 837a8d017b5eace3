"""The pages of a crawl of articles that are looked at for other kinds."""

from __future__ import annotations

import random

from forest_scrapy.crawl.other_kinds import MAX_KEPT_PAGES, KindSurvey
from forest_scrapy.items import ArticlePage
from forest_scrapy.settings import ForestSettings

from .helpers import article_page, key_of


def make_page(number: int, name: str) -> ArticlePage:
    page = article_page(number, name)
    page.key = key_of(number, name)
    return page


def kept_urls(pages: list[tuple[str, ArticlePage]]) -> dict[str, str]:
    """The URLs of the pages that are kept of each template, if they come in this order."""
    survey = KindSurvey(ForestSettings())
    for template, page in pages:
        needed = page if survey.needs_page(template, page.key) else None
        survey.add(template, False, needed)
    return {template: page.url for template, page in survey._kept_pages.items()}


def test_the_same_pages_are_kept_in_any_order() -> None:
    pages = []
    for template in range(2 * MAX_KEPT_PAGES):
        for number in range(1 + template % 3):
            pages.append((f"template {template}", make_page(number, f"listing{template}")))
    in_order = kept_urls(pages)
    assert len(in_order) == MAX_KEPT_PAGES
    for seed in range(3):
        shuffled = random.Random(seed).sample(pages, len(pages))
        assert kept_urls(shuffled) == in_order


def test_a_template_with_many_pages_is_kept() -> None:
    """Also after as many others as are kept."""
    pages = []
    for template in range(MAX_KEPT_PAGES):
        pages.append((f"small {template}", make_page(0, f"listing{template}")))
    for number in range(300):
        pages.append(("large", make_page(number, "large")))
    assert "large" in kept_urls(pages)

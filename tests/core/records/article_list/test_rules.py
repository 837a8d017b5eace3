"""Rules for lists, applied to pages."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.records.article_list import ArticleListRules

PAGE = Page.from_html(
    "<ul><li><a href=/2026/11/28/one>One</a> <i>2 hours ago</i><li><a>No link</a>"
    "<li><a href=/2026/11/28/one?utm_source=x>One again</a><li><a href=mailto:a@b.example>Mail</a>",
    "https://a.example/",
)
RULES = ArticleListRules(items="//li", link="a/@href", title="a", published="i")


def test_what_is_no_article_is_left_out() -> None:
    (article,) = RULES.apply(PAGE, "2026-11-28T12:00:00+00:00")
    assert (article.url, article.title) == ("https://a.example/2026/11/28/one", "One")
    assert article.published == "2026-11-28T10:00:00+00:00"


def test_the_date_of_the_url_if_the_page_has_none() -> None:
    (article,) = ArticleListRules(items="//li", link="a/@href", title="a").apply(PAGE)
    assert article.published == "2026-11-28"


@pytest.mark.parametrize("name", ["items", "title"])
def test_an_expression_that_cannot_be_evaluated(name: str) -> None:
    values = {"items": "//li", "link": "a/@href", "title": "a", name: "//a[nothing:at(.)]"}
    with pytest.raises(BadRules, match="nothing:at"):
        ArticleListRules(**values).apply(PAGE)

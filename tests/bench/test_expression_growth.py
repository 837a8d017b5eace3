"""The time of regular expressions does not grow with the square of the text."""

from __future__ import annotations

import re

import pytest

from benchmarks.expression_growth import NamedExpression, growth
from forest_scrapy.batch import saved_url
from forest_scrapy.core.fields import byline_elements, bylines, dates, tags, titles
from forest_scrapy.core.joining import article_pages, articles
from forest_scrapy.core.records import next_page
from forest_scrapy.responses import conversion


@pytest.mark.parametrize("pattern", [r"\s*[|]", r"\w+@"])
def test_an_expression_that_grows_with_the_square_is_told(pattern: str) -> None:
    result = growth(NamedExpression("it", re.compile(pattern)))
    assert result is not None
    assert result.exponent > 1.5


@pytest.mark.parametrize(
    "expression",
    [
        saved_url._ATTRIBUTE,
        byline_elements._LAST_STEP,
        bylines._BETWEEN,
        bylines._OTHER_CREDIT,
        bylines._TITLE_END,
        dates._UNIT_BEFORE,
        dates._NUMBERED_MONTH,
        tags._BETWEEN_STEPS,
        titles._BRACKET,
        titles._SEPARATOR,
        article_pages._PAGE_OF,
        next_page._SESSION,
    ],
    ids=lambda expression: str(expression.pattern)[:20],
)
def test_an_expression_of_pages_takes_linear_time(expression: re.Pattern[str]) -> None:
    result = growth(NamedExpression("it", expression))
    assert result is None or result.exponent < 1.5, str(result)


def test_many_stylesheets_before_a_page_are_read_in_one_way() -> None:
    start = b"<?xml version='1.0'?>" + b"<?xml-stylesheet href='a.css'?> <!-- a --> " * 200
    assert conversion._XML.match(start + b"<rss>")
    assert not conversion._XML.match(start + b"<p>")


@pytest.mark.parametrize(
    ("line", "is_pager"),
    [("Page 1 2 [3] (4)", True), ("page 12", True), ("Page 1", False), ("page " + "1" * 190, True)],
)
def test_the_numbers_of_a_pager_are_read_in_one_way(line: str, is_pager: bool) -> None:
    assert articles._is_pager(line) == is_pager
    assert not articles._is_pager(line + "x")

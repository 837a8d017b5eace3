"""The time of regular expressions does not grow with the square of the text."""

from __future__ import annotations

import re

import pytest

from benchmarks.expression_growth import NamedExpression, growth
from forest_scrapy.batch import saved_url
from forest_scrapy.core.fields import byline_elements, bylines, dates, tags, titles
from forest_scrapy.core.joining import article_pages
from forest_scrapy.core.records import next_page


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
        dates._BEFORE,
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

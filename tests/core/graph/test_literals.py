"""Literals have a type only where it is sure."""

from __future__ import annotations

from typing import Any

import pytest

from forest_scrapy.core.graph import Literal
from forest_scrapy.core.graph.literals import (
    date_literal,
    number_literal,
    plain_literal,
    text_literal,
)

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("2025", "2025", "gYear"),
        ("2025-02", "2025-02", "gYearMonth"),
        ("2025-13", "2025-13", ""),
        ("0000", "0000", ""),
        ("2025-02-11", "2025-02-11", "date"),
        ("2025-02-29", "2025-02-29", ""),
        ("2025-02-11T07:40:00", "2025-02-11T07:40:00", "dateTime"),
        ("2025-02-11T07:40:00+01:00", "2025-02-11T07:40:00+01:00", "dateTime"),
        ("2025-02-11T07:40:00+14:30", "2025-02-10T17:10:00+00:00", "dateTime"),
        ("2025-02-11T07:40:00+00:00:30", "2025-02-11T07:39:30+00:00", "dateTime"),
        ("0001-01-01T00:00:00+23:00", "0001-01-01T00:00:00+23:00", ""),
        ("yesterday", "yesterday", ""),
    ],
)
def test_dates(text: str, value: str, kind: str) -> None:
    assert date_literal(text) == Literal(value, f"{XSD}{kind}" if kind else None)


@pytest.mark.parametrize(
    ("number", "kind"),
    [("0", "integer"), ("-12", "integer"), ("1.50", "decimal"), (3, "integer"), (0.5, "decimal")]
    + [(text, "") for text in ("007", "1,5", "1e9", "9" * 19, "½", "٣")],
)
def test_numbers(number: Any, kind: str) -> None:
    assert number_literal(number) == Literal(str(number), f"{XSD}{kind}" if kind else None)


def test_texts() -> None:
    assert text_literal("a\x00\ud800b") == Literal("ab")
    assert text_literal("a", "de-AT") == Literal("a", language="de-at")
    assert text_literal("a", 'de"@') == text_literal("a", None) == Literal("a")
    assert text_literal("\x00 ") is text_literal(None) is text_literal(["a"]) is None


def test_values_of_json() -> None:
    assert plain_literal(True) == Literal("true", f"{XSD}boolean")
    assert plain_literal(None) is plain_literal({}) is number_literal(False) is None

"""Equal values have equal normal forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.alignment.literals import letters, normalise
from forest_scrapy.core.graph import Literal

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.mark.parametrize(
    ("value", "datatype", "normal"),
    [
        ("Hamlet", None, "=hamlet"),
        ("Hamlet (French Edition)", None, "=hamlet"),
        ("Hamlet [Paperback]: a play", None, "=hamletaplay"),
        ("(untitled)", None, "=untitled"),
        ("Ménagère, Straße", None, "=menagerestrasse"),
        ("310/246-1501", None, "=3102461501"),
        ("Война и мир", None, "=воинаимир"),
        ("!?", None, "=!?"),
        ("", None, "="),
        ("12", None, "#12"),
        (" 012 ", None, "=012"),
        ("012", XSD + "integer", "#12"),
        ("012", XSD + "string", "=012"),
        ("1,234,567.50", None, "#1234567.5"),
        ("1,23", None, "=123"),
        ("-0.0", XSD + "double", "#0"),
        ("1E3", XSD + "double", "#1000"),
        ("NaN", XSD + "double", "=nan"),
        ("1998", None, "#1998"),
        ("1998", XSD + "gYear", "#1998"),
        ("0998", XSD + "gYear", "#998"),
        ("1998-##-##", None, "#1998"),
        ("1998-03", XSD + "gYearMonth", "@1998-03"),
        ("1998-03-04", XSD + "date", "@1998-03-04"),
        ("1998-03-04T12:30:00+02:00", None, "@1998-03-04"),
        ("1998-3-4", None, "=199834"),
        ("9" * 60, None, "=" + "9" * 60),
        ("1e99999", None, "=1e99999"),
    ],
)
def test_normal_forms(value: str, datatype: str | None, normal: str) -> None:
    assert normalise(Literal(value, datatype)) == normal


def test_languages_are_not_compared() -> None:
    assert normalise(Literal("Paris", language="fr")) == normalise(Literal("PARIS", language="en"))


@given(st.text())
def test_letters_of_letters_are_the_same(text: str) -> None:
    assert letters(letters(text)) == letters(text)


@given(st.integers(-(10**12), 10**12), st.sampled_from(["{}", "{}.0", "{:+}", "{:,}"]))
def test_a_number_has_one_form(number: int, pattern: str) -> None:
    literal = Literal(pattern.format(number), f"{XSD}decimal")
    assert normalise(literal) == f"#{number}"

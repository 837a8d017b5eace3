from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.xpaths.structural import element_type, tolerant_form

from ..helpers import make_page, read_cases


@pytest.mark.parametrize("case", read_cases("xpaths/element_types", "tolerant_form"))
def test_tolerant_form(case: dict[str, str]) -> None:
    assert tolerant_form(case["value"]) == case["form"]


@pytest.mark.parametrize("case", read_cases("xpaths/element_types", "element_type"))
def test_element_type(case: dict[str, Any]) -> None:
    element = make_page(case["html"]).root.find(".//p")
    assert element_type(element) == tuple(map(tuple, case["type"]))


@given(st.text())
def test_a_tolerant_form_is_one_token_without_digits(value: str) -> None:
    form = tolerant_form(value)
    assert not any(space in form for space in " \t\r\n")
    assert not any(char in "0123456789" for char in form)
    assert tolerant_form(form) == form

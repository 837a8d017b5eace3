"""Values that a person has for a form."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_scrapy.forms.form import Control, Form
from forest_scrapy.forms.form_graph import FormGraph
from forest_scrapy.forms.given_values import (
    ANY_CONTROL,
    BadValues,
    assign_values,
    read_named_values,
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("owls\n\n  barn owls \r\nowls\n1921\n", ("owls", "barn owls", "1921")),
        ("\ufeffowls", ("owls",)),
        ('["owls", "1921"]', ("owls", "1921")),
        ('["owls",\n "1921"]', ("owls", "1921")),
        ("[2024] Owls\nBoats", ("[2024] Owls", "Boats")),
        ('"owls"', ('"owls"',)),
    ],
)
def test_a_plain_list(tmp_path: Path, text: str, values: tuple[str, ...]) -> None:
    file = tmp_path / "values.txt"
    file.write_text(text, "utf-8")
    assert read_named_values(file) == {ANY_CONTROL: values}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"city":\n ["Leeds",\n}', "values.json: line 3: "),
        ("\n \n", "values.json: there are no values in it: give one value a line"),
        ("{}", "there are no values in it"),
        ("[1]", "no list of texts"),
        ('["Leeds" "York"]', "values.json: line 1: "),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "values.json"
    file.write_text(text, "utf-8")
    with pytest.raises(BadValues, match="-a values=") as error:
        read_named_values(file)
    assert problem in str(error.value)


def test_a_plain_list_is_for_all_controls_that_can_have_its_values() -> None:
    controls = (
        Control("q", "text"),
        Control("year", "text", type="number"),
        Control("kind", "choice", options=(("1", "Owls"), ("2", "Boats"))),
    )
    form = Form(1, "http://a.example/find", "GET", "search", controls)
    graph = FormGraph(form=form, predicates=(), meanings=(), records=0, probes=0)
    assigned, unknown = assign_values({ANY_CONTROL: ["owls", "eels"]}, graph)
    assert assigned == {"q": ["owls", "eels"], "kind": ["1"]}
    assert unknown == []

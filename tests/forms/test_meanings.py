"""The relation between what is put into a control and what comes back."""

from __future__ import annotations

import pytest

from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.forms.form import read_forms
from forest_scrapy.forms.meanings import Meaning, ProbeResult, map_controls

FORM = "<form action=/find><input name=q type=search></form>"
TITLES = [
    "Owls of the harbour", "The harbour master", "Bowls and plates", "A fowl in the lane",
    "Lantern light", "The lighthouse", "Twilight owls", "Light on the lane", "Planes and lanes",
]  # fmt: skip
AUTHORS = ["Ada Lane", "Bo Light", "Cy Harbour", "Di Owl", "Ed Plane", "Flo Master"]
ROWS = [
    {"Title": title, "Author": AUTHORS[number % len(AUTHORS)], "Shelf": f"s{number}"}
    for number, title in enumerate(TITLES)
]


def meaning_of(*results: tuple[str, list[dict[str, str]]]) -> Meaning:
    (form,) = read_forms(parse_html(FORM), "http://a.example/")
    found = [ProbeResult("q", value, rows) for value, rows in results]
    other = ProbeResult("", "", ROWS)  # what the others are compared with
    (meaning,) = map_controls(form, [*found, other])
    return meaning


def rows_where(text: str, *names: str) -> list[dict[str, str]]:
    return [row for row in ROWS if any(text in row[name].lower() for name in names)]


@pytest.mark.parametrize("extra", [0, 40])
def test_a_value_that_is_found_inside_words_is_contained(extra: int) -> None:
    """However many words begin with it."""
    values = ["owl", "light", "lane", "harb"]
    results = [(value, rows_where(value, "Title")) for value in values]
    more = [{"Title": f"Owlet number {n}", "Author": "", "Shelf": "x"} for n in range(extra)]
    results[0] = (values[0], [*results[0][1][:1], *more, *results[0][1][1:]])
    meaning = meaning_of(*results)
    assert (meaning.attributes, meaning.relation) == (("Title",), "contains")
    assert meaning.share == 1


def test_the_starts_of_words_are_starts() -> None:
    words = {"Title": ["Harbour news", "Harbours", "Lanterns", "Lanes", "Owls", "Owlets"]}
    rows = [{"Title": title, "Shelf": "x"} for title in words["Title"]]
    values = ["harb", "lan", "owl"]
    results = [
        (value, [row for row in rows if row["Title"].lower().startswith(value)]) for value in values
    ]
    meaning = meaning_of(*results)
    assert (meaning.attributes, meaning.relation) == (("Title",), "starts")
    assert meaning.relation_text == "begins with"


STREETS = ["Lane of Owls", "Lane End", "Owl Lane", "Harbour Road", "Road to Harbour", "Owl Hill"]


@pytest.mark.parametrize(
    ("values", "begins"),
    [
        (["lane", "owl", "harbour"], True),  # whole words, of which others have some inside
        (["lane o", "owl h", "harbour r"], True),
        (["lan", "ow", "ha"], True),
        (["lane", "owl", "harbour"], False),
    ],
)
def test_what_texts_begin_with_is_told_apart_from_words_anywhere(
    values: list[str], begins: bool
) -> None:
    rows = [{"Street": street, "Town": f"t{number}"} for number, street in enumerate(STREETS)]
    results = []
    for value in values:
        matching = [row for row in rows if row["Street"].lower().startswith(value)]
        if not begins:
            matching = [row for row in rows if value in row["Street"].lower().split()]
        results.append((value, matching))
    results.append(("road", [row for row in rows if row["Street"].lower().startswith("road")]))
    if not begins:
        results[-1] = ("road", rows[3:5])
    meaning = meaning_of(*results)
    assert meaning.attributes == ("Street",)
    assert meaning.relation == ("starts" if begins else "contains")

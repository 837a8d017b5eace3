"""Probes of forms that find parts of texts, ranges, and say how many records there are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.forms.sites import Field, make_rows, matches
from forest_scrapy.forms.form import Control, Form
from forest_scrapy.forms.probing import Gain, Prober
from forest_scrapy.forms.ranges import find_ranges

ROWS = make_rows(400)
MAX_ROWS = 20


def make_form(*controls: Control) -> Form:
    return Form(1, "https://a.example/find", "GET", "search", controls)


def probe_all(
    form: Form,
    fields: dict[str, Field],
    probes: int,
    tells_total: bool,
) -> tuple[Prober, int]:
    """The state after so many probes of the rows, and how many were sent."""
    prober = Prober(form, (), "en")
    sent = 0
    while sent < probes and (probe := prober.next()):
        sent += 1
        row_numbers = []
        for number, row in enumerate(ROWS):
            if all(matches(fields[name], value, row) for name, value in probe.filling):
                row_numbers.append(number)
        if not probe.filling and not tells_total:
            row_numbers = []
        shown = row_numbers[:MAX_ROWS]
        values = {str(number): ROWS[number] for number in shown if str(number) not in prober.keys}
        missing = len(row_numbers) - len(shown) if tells_total else None
        keys = frozenset(map(str, shown))
        gain = Gain(keys, len(values), 1, is_error=not shown, missing=missing)
        prober.add(probe, gain, values)
    return prober, sent


@pytest.mark.parametrize(
    ("how", "tells_total"), [("starts", True), ("starts", False), ("contains", True)]
)
def test_a_form_that_finds_parts_of_texts(how: str, tells_total: bool) -> None:
    form = make_form(Control("t", "text", "Title"))
    prober, _ = probe_all(form, {"t": Field("t", "Title", "Title", how)}, 160, tells_total)
    assert prober.regions.relation("t") == ("starts" if how == "starts" else "within")
    assert len(prober.keys) > 0.8 * len(ROWS)


def test_a_form_that_finds_words_is_asked_for_few_parts() -> None:
    form = make_form(Control("t", "text", "Title"))
    prober, _ = probe_all(form, {"t": Field("t", "Title", "Title")}, 60, False)
    assert prober.regions.relation("t") == "words"


def test_a_range_is_halved_until_answers_show_all() -> None:
    low = Control("year_from", "text", "From", type="number")
    form = make_form(low, replace(low, name="year_to", label="To"))
    fields = {
        "year_from": Field("year_from", "From", "Year", "from"),
        "year_to": Field("year_to", "To", "Year", "to"),
    }
    prober, sent = probe_all(form, fields, 100, True)
    assert len(prober.keys) == len(ROWS)
    assert sent < 80


def test_all_records_that_the_form_says_to_have_are_enough() -> None:
    subjects = tuple((subject, subject) for subject in sorted({row["Subject"] for row in ROWS}))
    form = make_form(Control("s", "choice", "Subject", options=subjects))
    prober = Prober(form, (), "en")
    probe = prober.next()
    assert probe is not None and probe.filling == ()
    values = {str(number): row for number, row in enumerate(ROWS[:30])}
    prober.add(probe, Gain(frozenset(values), 30, 1, missing=0), values)
    assert prober.next() is None


@pytest.mark.parametrize(
    ("names", "ranges"),
    [
        (("date_from", "date_to"), [("date_from", "date_to")]),
        (("minPrice", "maxPrice", "q"), [("minPrice", "maxPrice")]),
        (("from", "to"), [("from", "to")]),
        (("town_from", "date_to"), []),
        (("name", "place"), []),
    ],
)
def test_the_ends_of_a_range(names: tuple[str, ...], ranges: list[tuple[str, str]]) -> None:
    form = make_form(*(Control(name, "text") for name in names))
    assert [(controls.low, controls.high) for controls in find_ranges(form)] == ranges


@pytest.mark.slow
def test_two_controls_that_search_the_same_attribute() -> None:
    subjects = tuple((subject, subject) for subject in sorted({row["Subject"] for row in ROWS}))
    form = make_form(
        Control("t", "text", "Any"), Control("s", "choice", "Subject", options=subjects)
    )
    fields = {"t": Field("t", "Any", "", "contains"), "s": Field("s", "", "Subject", "equal")}
    prober, _ = probe_all(form, fields, 70, True)
    assert len(prober.keys) > 0.7 * len(ROWS)


def test_a_total_that_turns_out_to_be_none_does_not_end_the_search() -> None:
    prober = Prober(make_form(Control("t", "text", "Title")), (), "en")
    probe = prober.next()
    assert probe is not None
    keys = frozenset(map(str, range(MAX_ROWS)))
    values = {key: ROWS[int(key)] for key in keys}
    everything = replace(probe, filling=())
    prober.add(everything, Gain(keys, len(keys), 1, is_error=False, missing=0), values)
    assert prober.next() is None
    assert prober.has_all and prober.total == MAX_ROWS
    prober.note_missing({})
    assert not prober.has_all
    assert prober.next() is not None

"""How many records answers say to have."""

from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.forms.totals import CutAnswers, Totals, read_numbers


def make_page(total: int, shown: int, word: str) -> Page:
    rows = "".join(f"<li>Row {number} of 1990" for number in range(shown))
    html = (
        f"<html><body><p>{total:,} entries found for {word} in 0.31 s</p><p>Page 1 of 3</p>"
        f"<ul>{rows}</ul><p>We have 12 helpers</p>"
    )
    return Page.from_html(html, "http://a.example/find")


def test_the_number_that_is_right_where_all_records_are_shown() -> None:
    totals = Totals()
    for total, shown, word in ((3, 3, "owl"), (7, 7, "elk"), (1234, 20, "fox")):
        filling = (("q", word),)
        assert not totals.add(filling, read_numbers(make_page(total, shown, word), filling), shown)
    filling = (("q", "ant"),)
    assert totals.add(filling, read_numbers(make_page(7, 7, "ant"), filling), 7)
    assert totals.missing((("q", "fox"),)) == 1214
    assert totals.missing((("q", "elk"),)) == 0
    assert totals.missing((("q", "emu"),)) is None
    assert len(totals.all_missing()) == 4


def read_lines(lines: str, total: int, shown: int) -> dict[str, int]:
    html = f"<html><body><p>{lines.format(total=total, shown=shown)}</p><ul><li>A row</ul>"
    return read_numbers(Page.from_html(html, "http://a.example/find"), ())


@pytest.mark.parametrize(
    "lines",
    [
        "{total} films, first {shown} shown",
        "1 - {shown} of {total}",
        "Showing {shown} of {total} results",
        "{total} films<p>Showing {shown}",
    ],
)
def test_the_number_of_records_that_are_shown_is_not_the_total(lines: str) -> None:
    """It is as large as what is shown in more answers than the total is."""
    totals = Totals()
    answers = ((15, 15), (300, 40), (90, 40), (15, 15), (60, 40), (12, 12), (80, 40), (15, 15))
    for number, (total, shown) in enumerate(answers):
        totals.add((("q", f"x{number}"),), read_lines(lines, total, shown), shown)
        assert totals.missing((("q", "x1"),)) in (None, 260)
    assert totals.missing((("q", "x1"),)) == 260
    assert totals.missing((("q", "x5"),)) == 0


def test_a_larger_number_that_is_no_total_hides_none() -> None:
    totals = Totals()
    for number, shown in enumerate((3, 7, 12, 7)):
        numbers = read_lines("Found {shown} of our 5,300 films of 1990", 0, shown)
        totals.add((("q", f"x{number}"),), numbers, shown)
    assert totals.missing((("q", "x2"),)) == 0


def test_numbers_of_records_hide_no_total() -> None:
    """They are larger than the total, and once as large by chance."""
    totals = Totals()
    for number, (shown, people) in enumerate(((3, 800), (7, 7), (12, 950), (5, 640), (9, 700))):
        numbers = read_lines(f"{shown} entries<p>People: {people}", 0, shown)
        totals.add((("q", f"x{number}"),), numbers, shown)
    assert totals.missing((("q", "x2"),)) == 0


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("Page 1 {total} results", 300),
        ("{total} results in 12 registers", 300),
        ("{total} results", 300),
        ("Results: {total} of 5 300", 300),
        ("{total:_} results", 12_300),
        ("Results 1 to {shown} of {total:_}", 12_300),
    ],
)
def test_a_space_is_in_a_number_or_between_two(lines: str, told: int) -> None:
    """ "Page 1 300 results" says 300, "1 300 results" says 1,300."""
    totals = Totals()
    for number, total in enumerate((7, told, 9, 12, 5, told, 7)):
        shown = min(total, 40)
        text = lines.format(total=total, shown=shown).replace("_", " ")
        totals.add((("q", f"x{number}"),), read_lines(text, total, shown), shown)
    assert totals.largest == told
    assert totals.missing((("q", "x5"),)) == told - 40
    assert totals.missing((("q", "x6"),)) == 0


def test_a_number_that_was_too_small_once_is_no_total() -> None:
    totals = Totals()
    for total, shown, word in ((3, 3, "owl"), (7, 7, "elk"), (20, 25, "fox"), (5, 5, "ant")):
        filling = (("q", word),)
        totals.add(filling, read_numbers(make_page(total, shown, word), filling), shown)
    assert totals.place == ""


def test_the_most_that_an_answer_says_to_have() -> None:
    totals = Totals()
    answers = ((3, 3), (300, 40), (7, 7), (90, 40))
    for number, (total, shown) in enumerate(answers):
        totals.add((("q", f"x{number}"),), read_lines("{total} entries", total, shown), shown)
    assert totals.largest == 0
    totals.add((("q", "x4"),), read_lines("{total} entries", 3, 3), 3)
    assert totals.largest == 300
    assert totals.count_cut() == CutAnswers(cut=2, answers=5, size=40)


@pytest.mark.parametrize(
    ("sizes", "cut"),
    [
        ((40, 40, 40), CutAnswers(3, 3, 40)),
        ((40, 12, 40, 0, 40), CutAnswers(3, 4, 40)),
        ((40, 40, 12), CutAnswers(0, 3, 40)),
        ((1, 1, 1, 1), CutAnswers(0, 4, 1)),
        ((), CutAnswers(0, 0, 0)),
    ],
    ids=["all", "some", "too few", "single results", "no answer"],
)
def test_answers_that_are_cut_off_where_no_total_is_told(
    sizes: tuple[int, ...], cut: CutAnswers
) -> None:
    totals = Totals()
    for number, shown in enumerate(sizes):
        totals.add((("q", f"x{number}"),), {}, shown)
    assert totals.count_cut() == cut


def test_most_answers_are_cut_off_from_a_half_of_them_on() -> None:
    assert CutAnswers(3, 6, 40).are_most
    assert not CutAnswers(3, 7, 40).are_most
    assert not CutAnswers(0, 0, 0).are_most

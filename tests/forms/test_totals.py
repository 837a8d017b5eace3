"""How many records answers say to have."""

from __future__ import annotations

from forest_scrapy.core import Page
from forest_scrapy.forms.totals import Totals, read_numbers


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


def test_a_number_that_was_too_small_once_is_no_total() -> None:
    totals = Totals()
    for total, shown, word in ((3, 3, "owl"), (7, 7, "elk"), (20, 25, "fox"), (5, 5, "ant")):
        filling = (("q", word),)
        totals.add(filling, read_numbers(make_page(total, shown, word), filling), shown)
    assert totals.place == ""

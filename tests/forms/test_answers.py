"""The records of an answer."""

from __future__ import annotations

from forest_scrapy.core import Page
from forest_scrapy.core.records import RecordRules, RecordWrapper
from forest_scrapy.forms.answers import read_records

NAMES = ("Hamlet", "Macbeth", "Othello", "Cymbeline", "Pericles", "Coriolanus")


def make_page(start: int) -> Page:
    rows = "".join(
        f"<tr><td>{name} {start}</td><td>Author {start + number}</td><td>{1590 + number}</td></tr>"
        for number, name in enumerate(NAMES)
    )
    head = "<tr><th>Title</th><th>Author</th><th>Year</th></tr>"
    html = f"<html><body><h1>Books</h1><table>{head}{rows}</table></body></html>"
    return Page.from_html(html, f"http://a.example/find?q={start}")


def test_the_head_of_a_table_does_not_count_in_the_positions() -> None:
    pages = [make_page(start) for start in (1, 20, 40)]
    rules = RecordRules("//tr").with_all_attributes(pages)
    wrapper = RecordWrapper((rules,))
    records = read_records(wrapper, pages[0])
    assert [record.record.position for record in records] == [1, 2, 3, 4, 5, 6]
    assert len(list(wrapper.apply(pages[0]))) == 7

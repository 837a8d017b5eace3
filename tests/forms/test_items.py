"""The items of a form's records."""

from __future__ import annotations

from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.core.records.record import Record, Value
from forest_scrapy.forms.answers import AnswerRecord
from forest_scrapy.forms.form import read_forms
from forest_scrapy.forms.items import FormRecord


def test_the_text_of_a_record_of_values_has_no_addresses() -> None:
    (form,) = read_forms(
        parse_html("<form action=/find><input name=q></form>"), "http://a.example/"
    )
    values = (
        Value("title", "text", "Hamlet"),
        Value("url", "url", "http://a.example/1"),
        Value("cover", "image", "http://a.example/1.png"),
        Value("year", "number", "1599"),
    )
    answer_record = AnswerRecord(Record(1, "", values=values), "key")
    item = FormRecord.of(answer_record, "http://a.example/find?q=a", form, [("q", "a")])
    assert item.text == "Hamlet\n1599"
    assert item.url == "http://a.example/1"
    assert len(item.values) == 4

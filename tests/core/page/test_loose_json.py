"""JSON that is not quite JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import Page
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.page.loose_json import read_json

OWLS = {"title": "Owls", "date": "2024-05-03"}
CASES: dict[str, tuple[str, Any]] = {
    "a semicolon behind": ('{"title": "Owls", "date": "2024-05-03"};', OWLS),
    "commas behind the last": ('{"title": "Owls", "date": "2024-05-03",}', OWLS),
    "a comma is missing": ('{"title": "Owls" "date": "2024-05-03"}', OWLS),
    "a comma is missing at the end of a line": ('{"title": "Owls"\n"date": "2024-05-03"}', OWLS),
    "comments": ('{"title": "Owls", /* a */ "date": "2024-05-03" // b\n}', OWLS),
    "CDATA": ('//<![CDATA[\n{"title": "Owls", "date": "2024-05-03"}\n//]]>', OWLS),
    "a comment of HTML": ('<!-- {"title": "Owls", "date": "2024-05-03"} -->', OWLS),
    "an assignment": ('var data = {"title": "Owls", "date": "2024-05-03"};', OWLS),
    "single quotes and keys without": ("{title: 'Owls', date: '2024-05-03'}", OWLS),
    "entities": ("{&quot;title&quot;: &quot;Owls&quot;, &quot;date&quot;: &quot;2024-05-03&quot;}", OWLS),
    "entities by number": ("{&#34;title&#34;: &#x22;Owls&#x22;, &#034;date&quot;: &quot;2024-05-03&quot;}", OWLS),
    "quotes of a text": ("{“title”: “Owls”, ”date”: ”2024-05-03”}", OWLS),
    "quotes with a backslash each": (r'{\"title\": \"Owls\", \"date\": \"2024-05-03\"}', OWLS),
    "a placeholder that was not filled in": ('{"id": {{ page.id }}, "title": "Owls"}', {"id": {"": {}}, "title": "Owls"}),
    "encoded twice": (json.dumps(json.dumps(OWLS)), OWLS),
    "cut off": ('{"title": "Owls", "date": "2024-05-03", "by": {"name": "An', OWLS | {"by": {"name": "An"}}),
    "quotes in a value": ('{"title": "The "old" owl", "n": 1}', {"title": 'The "old" owl', "n": 1}),
    "quotes with a comma": ('{"title": "So "no", and "yes"", "n": 1}', {"title": 'So "no", and "yes"', "n": 1}),
    "quotes in a list": ('{"tags": ["a "b" c", "d"], }', {"tags": ['a "b" c', "d"]}),
    "line breaks in a value": ('{"title": "Owls\nat night"}', {"title": "Owls\nat night"}),
    "no numbers of JSON": ('{"a": NaN, "b": -Infinity, "c": undefined, "d": 2}', {"a": None, "b": None, "c": None, "d": 2}),
    "an unknown escape": (r'{"title": "Owls \& boats", "b": "\u00e9",}', {"title": "Owls & boats", "b": "é"}),
}  # fmt: skip


@pytest.mark.parametrize(("text", "value"), CASES.values(), ids=CASES)
def test_what_is_meant_is_read(text: str, value: Any) -> None:
    assert read_json(text) == [value]


def test_several_documents_in_one_script_are_read() -> None:
    assert read_json('{"a": 1}\n{"b": 2}; [{"c": 3}]') == [{"a": 1}, {"b": 2}, {"c": 3}]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=1), inner), max_leaves=10))  # fmt: skip
def test_json_is_read_as_json(value: Any) -> None:
    assert read_json(json.dumps([value])) == [value]


@given(st.text(alphabet="{}[]\"',:\\/*<!-a1 \n;", max_size=200) | st.text(max_size=50))
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert isinstance(read_json(text), list)


@pytest.mark.parametrize(
    "part", ['"', '{"a":', "[", '{"a": "b" ', "/*", "\\", '"a" ', "<!", "{{", "&quot;{", '{\\"']
)
def test_hostile_texts_do_not_take_long(part: str) -> None:
    read_json(part * (200_000 // len(part)))


def test_fields_of_a_script_with_an_error_are_those_of_the_page() -> None:
    page = Page.from_html(
        """<script type="Application/LD+json">{"@type": "NewsArticle", "headline": "The "old" owl",
        "datePublished": "2024-05-03T08:30:00+02:00", "author": {"name": "Ana Bo"},};</script>
        <p>Owls come in.""",
        "http://a.example/owl",
    )
    fields = read_fields(page)
    assert fields.title == 'The "old" owl'
    assert fields.published == "2024-05-03T08:30:00+02:00"
    assert fields.authors == ("Ana Bo",)

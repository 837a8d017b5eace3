from __future__ import annotations

import json
from typing import Any

import pytest
from effort import limited_effort

from forest_scrapy.core.page import declared
from forest_scrapy.core.page.declared import (
    as_list,
    names_of,
    read_json_ld,
    text_of,
)
from forest_scrapy.core.page.tree import parse_html


def json_ld(*scripts: str, type: str = "application/ld+json") -> list[Any]:
    html = "".join(f'<script type="{type}">{script}</script>' for script in scripts)
    return list(read_json_ld(parse_html(html).iter("script")))


def test_nodes_of_json_ld_are_in_order_the_outer_first() -> None:
    inner = {"name": "a"}
    nodes = json_ld(json.dumps([{"@graph": [inner]}]), json.dumps({"name": "b"}))
    assert nodes == [{"@graph": [inner]}, {"name": "b"}, inner]


@pytest.mark.parametrize("type", ["application/ld+json", "application/ld+json; charset=utf-8"])
def test_the_type_of_a_script_may_have_a_charset(type: str) -> None:
    assert json_ld('{"name": "a"}', type=type) == [{"name": "a"}]
    assert json_ld('{"name": "a"}', type="application/json") == []


@pytest.mark.parametrize("script", ["", "null", "3", "{", '{"name": oops}', "[" * 100_000])
def test_a_broken_script_does_not_hide_another(script: str) -> None:
    assert json_ld(script, '{"name": "a"}') == [{"name": "a"}]


@pytest.mark.parametrize(
    "script",
    [
        '//<![CDATA[\n{"name": "http://a //b", "x": [1, 2]}\n//]]>',
        '<!-- {"name": "http://a //b", "x": [1, 2]} -->',
        '{"name": "http://a //b", // the name\n"x": [1, 2,],}',
        '/* by hand */ {"name": "http://a //b", "x": [1, /* two */ 2]}',
    ],
)
def test_comments_and_commas_that_json_has_not_are_left_out(script: str) -> None:
    assert json_ld(script) == [{"name": "http://a //b", "x": [1, 2]}]


@pytest.mark.parametrize(
    "script", ["/*" * 200_000, '"\\"' * 150_000, ", " * 200_000, "// " * 150_000]
)
def test_broken_scripts_are_read_in_linear_time(script: str) -> None:
    with limited_effort(2):
        assert json_ld(script) == []


@pytest.mark.parametrize(("more", "nodes"), [(0, 1), (1, 0)])
def test_long_scripts_are_ignored(more: int, nodes: int) -> None:
    script = '{"name": ""}'
    padding = declared._MAX_SCRIPT_LENGTH - len(script) + more
    assert len(json_ld(script + " " * padding)) == nodes


def test_a_limited_number_of_nodes_is_read() -> None:
    most = declared._MAX_NODES
    assert len(json_ld(json.dumps([{"name": "a"}] * (most + 10)))) == most


@pytest.mark.parametrize(
    ("value", "values"),
    [(None, []), ("a", ["a"]), (["a"], ["a"]), ((), []), ({"a": 1}, [{"a": 1}])],
)
def test_as_list(value: object, values: list[object]) -> None:
    assert as_list(value) == values


@pytest.mark.parametrize("value", [None, 3, [], {}, {"@value": 3}, ["", " "], [[["a"]]]])
def test_values_without_text(value: object) -> None:
    assert text_of(value) == ""


def test_names_without_a_node_to_look_up() -> None:
    assert names_of([{"@id": "#a"}, {"name": ["A", "B"]}, 3], ({"@id": "#a"},)) == ["A", "B"]

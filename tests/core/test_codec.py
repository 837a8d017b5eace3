from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import BadRules
from forest_scrapy.core.codec import dumps, from_json, loads, read_object, to_json


class Place(NamedTuple):
    x: float = 0.0
    name: str = ""


HERE = Place()


@dataclass(frozen=True)
class Leaf:
    name: str
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Tree:
    leaf: Leaf | None = None
    leaves: tuple[Leaf, ...] = ()
    place: Place = HERE
    by_name: dict[str, Leaf] = field(default_factory=dict)
    weight: float = 1.0
    is_old: bool = False


leaves = st.builds(Leaf, st.text(), st.lists(st.integers(-(2**63), 2**63 - 1)).map(tuple))
trees = st.builds(
    Tree,
    st.none() | leaves,
    st.lists(leaves, max_size=3).map(tuple),
    st.builds(Place, st.floats(allow_nan=False, allow_infinity=False), st.text()),
    st.dictionaries(st.text(), leaves, max_size=2),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)


@given(trees, st.booleans())
def test_round_trip(tree: Tree, whole: bool) -> None:
    assert loads(Tree, dumps(tree)) == tree
    assert from_json(Tree, json.loads(json.dumps(to_json(tree, whole)))) == tree


def test_defaults_are_left_out_unless_the_whole_is_wanted() -> None:
    assert to_json(Tree(leaf=Leaf(""), weight=2.0)) == {"leaf": {"name": ""}, "weight": 2.0}
    whole = to_json(Tree(), whole=True)
    assert list(whole) == ["leaf", "leaves", "place", "by_name", "weight", "is_old"]
    assert whole["place"] == [0.0, ""]


def test_a_required_field_is_written_whatever_its_value() -> None:
    assert dumps(Leaf("")) == '{\n  "name": ""\n}\n'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "Expected `object`, got `array`"),
        ({"leaf": {}}, r"missing required field `name` - at `\$.leaf`"),
        ({"weight": "1"}, r"Expected `float`, got `str` - at `\$.weight`"),
        ({"is_old": 1}, r"Expected `bool`, got `int` - at `\$.is_old`"),
        ({"leaf": {"name": "a", "numbers": [1, 2.5]}}, r"- at `\$.leaf.numbers\[1\]`"),
        ({"old": True}, r"'old' is not one of leaf, leaves, .* - at `\$`"),
        ({"leaves": [{"name": "a"}, {"name": "b", "x": 1}]}, r"'x' is .* at `\$.leaves\[1\]`"),
    ],
)
def test_what_is_wrong_is_named_with_its_path(data: object, message: str) -> None:
    with pytest.raises(BadRules, match=message):
        from_json(Tree, data)


def test_unknown_keys_may_be_ignored() -> None:
    data = {"leaf": {"name": "a", "colour": "red"}, "height": 3}
    assert from_json(Tree, data, ignore_unknown=True) == Tree(Leaf("a"))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, "9" * 5_000])
def test_what_is_no_json_object(text: str) -> None:
    with pytest.raises(BadRules):
        read_object(text)


def test_a_read_value_has_its_defaults_in_asdict() -> None:
    read = from_json(Leaf, {"name": "a"})
    assert read == Leaf("a") and read.numbers == Leaf("a").numbers
    assert asdict(read) == asdict(Leaf("a"))

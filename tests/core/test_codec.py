"""Values as JSON and back: what is left out, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core import BadRules, Entry
from forest_scrapy.core.codec import (
    check_xpaths,
    dumps,
    from_json,
    loads,
    read_object,
    to_json,
)


@dataclass(frozen=True)
class Inner:
    name: str
    weight: float = 0.0


@dataclass(frozen=True)
class Outer:
    parts: tuple[Inner, ...] = ()
    counts: tuple[int, ...] = ()


TEXT = st.text(max_size=20)
VALUES = st.builds(
    Outer,
    st.lists(st.builds(Inner, TEXT, st.floats(allow_nan=False, allow_infinity=False))).map(tuple),
    st.lists(st.integers(-(2**31), 2**31)).map(tuple),
)


@given(VALUES)
def test_what_is_written_is_read(value: Outer) -> None:
    assert loads(Outer, dumps(value)) == value
    assert from_json(Outer, to_json(value, whole=True)) == value


def test_defaults_are_left_out_unless_the_whole_is_wanted() -> None:
    value = Outer((Inner("a"),))
    assert to_json(value) == {"parts": [{"name": "a"}]}
    assert to_json(value, whole=True) == {"parts": [{"name": "a", "weight": 0.0}], "counts": []}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"parts": [{}]}, "missing required field `name`"),
        ({"parts": [{"name": 1}]}, r"Expected `str`, got `int` - at `\$.parts\[0\].name`"),
        ({"counts": "12"}, "Expected `array`, got `str`"),
        ({"part": []}, r"'part' is not one of parts, counts - at `\$`"),
        ({"parts": [{"name": "a", "wait": 1}]}, r"'wait' is not one of .* - at `\$.parts\[0\]`"),
    ],
)
def test_other_values_are_refused(data: object, message: str) -> None:
    with pytest.raises(BadRules, match=message):
        from_json(Outer, data)


def test_keys_of_other_versions_may_be_ignored() -> None:
    data = {"title": "Owls", "added_later": 1}
    assert from_json(Entry, data, ignore_unknown=True) == Entry(title="Owls")


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, '"a"'])
def test_texts_that_are_no_objects(text: str) -> None:
    with pytest.raises(BadRules):
        read_object(text)


@pytest.mark.parametrize("xpath", ["//p[", "//p[$x]", "f()", "//" + "a" * 10_000, "//p\0"])
def test_bad_xpaths_are_named(xpath: str) -> None:
    check_xpaths("keep", ["//p", '//a[text()="$"]'])
    with pytest.raises(BadRules, match=r"^keep: "):
        check_xpaths("keep", ["//p", xpath])

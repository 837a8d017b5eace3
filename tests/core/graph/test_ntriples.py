"""Statements are lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.ntriples import is_whole, write_line

OBJECTS = st.sampled_from(["urn:o", "_:b1"]) | st.builds(
    Literal, st.text(), st.none() | st.just("urn:type"), st.none()
)


@given(OBJECTS | st.builds(Literal, st.text(), st.none(), st.just("en-gb")), st.data())
def test_a_line_that_was_cut_is_not_whole(node: str | Literal, data: st.DataObject) -> None:
    line = write_line(Triple("urn:s", "urn:p", node)).encode()
    assert line.count(b"\n") == 1
    assert is_whole(line)
    assert not is_whole(line[: data.draw(st.integers(1, len(line) - 2))])

"""Tests of dates and times in ISO 8601."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.moments import parse_day, parse_moment, read_iso, read_moment


@given(st.datetimes(timezones=st.none() | st.timezones()))
def test_a_written_moment_is_read_with_its_offset(moment) -> None:
    assert read_iso(moment.isoformat()) == moment or moment.fold


@pytest.mark.parametrize("text", ["2024-05-03", "2024-05-03T10:00", "20240503T100000"])
def test_a_moment_without_an_offset_is_in_utc(text: str) -> None:
    assert str(read_moment(text).tzinfo) == "UTC"
    assert parse_moment(text) == read_moment(text)
    assert read_iso(text).tzinfo is None


@pytest.mark.parametrize("text", ["", "May", "2024-13-01", "\ud800", "2024-05-03T25:00"])
def test_another_text_is_no_moment(text: str) -> None:
    assert read_iso(text) is None and read_moment(text) is None
    with pytest.raises(ValueError, match="is no date in ISO 8601"):
        parse_moment(text)


def test_a_day_is_that_of_the_text_whatever_its_offset() -> None:
    assert str(parse_day("2024-05-03T23:30:00-11:00")) == "2024-05-03"
    with pytest.raises(ValueError, match="isoformat"):
        parse_day("2024-5-3")

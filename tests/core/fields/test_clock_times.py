"""Times of day and time zones beside a date."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.fields.clock_times import (
    ClockTime,
    read_time_after,
    read_time_before,
    read_zone,
)

DAY = datetime(2024, 10, 6)


def read(text: str, locale: str = "") -> str:
    clock = read_time_after(text, 0, locale)
    moment = clock.at(DAY) if clock else None
    return moment.isoformat()[11:] if moment else ""


@pytest.mark.parametrize(
    ("text", "time"),
    [
        (" at 22:05", "22:05:00"),
        (", 22:05:33 Uhr", "22:05:33"),
        (" - 22h05", "22:05:00"),
        (" 10 pm", "22:00:00"),
        (" 12:05 am", "00:05:00"),
        (" 오후 10시 5분", "22:05:00"),
        ("(日) 22時05分", "22:05:00"),
        (" (22:05)", "22:05:00"),
        (" um 22 Uhr", "22:00:00"),
        (", 12 comments", ""),
        (" 25:05", ""),
        (" 22:65", ""),
        (" 13:05 pm", ""),
        (" 22", ""),
        (" in the long night of boats 22:05", ""),
    ],
)
def test_times(text: str, time: str) -> None:
    assert read(text) == time


@pytest.mark.parametrize(
    ("text", "locale", "offset"),
    [
        (" 22:05 CEST", "", "+02:00"),
        (" 22:05 (GMT+7)", "", "+07:00"),
        (" 22:05 UTC−3:30", "", "-03:30"),
        (" 22:05 +0530", "", "+05:30"),
        (" 22:05Z", "", "+00:00"),
        (" 22:05 Pacific Time", "", "-07:00"),
        (" 22:05 Asia/Kolkata", "", "+05:30"),
        (" 22:05 Nowhere/Nothing", "", ""),
        (" 22:05 IST", "en-IN", "+05:30"),
        (" 22:05 IST", "en-IE", "+01:00"),
        (" 22:05 CST", "zh", "+08:00"),
        (" 22:05 CST", "en-US", "-06:00"),
        (" 22:05 NEWS", "", ""),
        (" 22:05 +9900", "", ""),
        (" 20:05-22:05", "", ""),
    ],
)
def test_zones(text: str, locale: str, offset: str) -> None:
    assert read(text, locale)[8:] == offset


def test_a_place_has_the_offset_of_the_day() -> None:
    clock = ClockTime(10, 0, 0, "Europe/Rome", 0)
    assert [clock.at(datetime(2024, month, 1)).isoformat()[19:] for month in (1, 7)] == [  # type: ignore[union-attr]
        "+01:00",
        "+02:00",
    ]


def test_a_time_before_its_date() -> None:
    clock = read_time_before("Rome, 22:05 CEST on 6 October", 20)
    assert clock is not None
    assert (clock.hour, clock.minute, clock.zone) == (22, 5, 120)
    assert read_time_before("A video of 22:05 minutes of boats at dawn, 6 October", 43) is None


@given(st.text(alphabet="0123456789:.hapmz +-()/GMTUCE時분오후 ", max_size=60))
def test_any_text_has_a_time_or_none(text: str) -> None:
    for clock in (read_time_after(text, 0), read_time_before(text, len(text))):
        if clock:
            clock.at(DAY)
    read_zone(text, 0)

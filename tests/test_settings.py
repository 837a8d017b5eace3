"""Reading the settings, and what is said of invalid ones."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from scrapy.settings import Settings

from forest_scrapy.settings import BadSetting, ForestSettings, read_settings


def test_without_settings_the_defaults_are_used() -> None:
    assert read_settings(Settings()) == ForestSettings()
    nothing = {f"FOREST_{field.name.upper()}": None for field in fields(ForestSettings)}
    assert read_settings(Settings(nothing)) == ForestSettings()


def test_settings_may_be_strings_as_on_the_command_line() -> None:
    given = {
        "FOREST_PAGES": "5",
        "FOREST_METHOD": "forest",
        "FOREST_DISTANCE": "cps",
        "FOREST_THRESHOLD": "0.6",
        "FOREST_FEED_FIELDS": "False",
        "FOREST_SPIDERS": "1",
    }
    settings = read_settings(Settings(given))
    assert (settings.pages, settings.method, settings.distance) == (5, "forest", "cps")
    assert (settings.threshold, settings.feed_fields, settings.spiders) == (0.6, False, True)
    assert (settings.params.method, settings.params.pages) == ("forest", 5)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("PAGES", "abc", "an integer from 2"),
        ("PAGES", 1, "an integer from 2"),
        ("PAGES", True, "an integer from 2"),
        ("SIGNIFIERS", 0, "an integer from 1"),
        ("MAX_BYTES", "many", "an integer from 1"),
        ("METHOD", "magic", "one of auto, forest, forest-feeds, "),
        ("DISTANCE", "far", "one of typed, cp, cps, ctss"),
        ("THRESHOLD", "2", "a number from 0 to 1, or None"),
        ("THRESHOLD", "x", "a number from 0 to 1, or None"),
        ("STORE", "", "a path, or a sqlite:/// or postgresql+psycopg:// URI"),
        ("STORE", 5, "a path, or a sqlite:/// or postgresql+psycopg:// URI"),
        ("FEED_FIELDS", "maybe", "True or False"),
        ("ITEM", "book", "one of article, zyte"),
        ("CAPTIONS", "none", "one of separate, inline"),
    ],
)
def test_the_error_names_setting_value_and_what_is_allowed(
    name: str, value: Any, allowed: str
) -> None:
    with pytest.raises(BadSetting) as raised:
        read_settings(Settings({f"FOREST_{name}": value}))
    error = raised.value
    assert str(error).startswith(f"FOREST_{name} = {value!r} cannot be used: it must be {allowed}")
    assert (error.name, error.value) == (f"FOREST_{name}", value)


@pytest.mark.parametrize(
    ("name", "hint"), [("PAGE", "; did you mean FOREST_PAGES? "), ("XQZ", ". The settings are")]
)
def test_an_unknown_setting(name: str, hint: str) -> None:
    with pytest.raises(BadSetting) as raised:
        read_settings(Settings({f"FOREST_{name}": 5}))
    assert str(raised.value).startswith(f"FOREST_{name} is not a setting{hint}")
    assert str(raised.value).count("FOREST_PAGES, FOREST_METHOD") == 1


@pytest.mark.parametrize(
    ("name", "least", "most"), [("PAGES", 2, None), ("THRESHOLD", 0, 1), ("SIGNIFIERS", 1, None)]
)
def test_limits_are_allowed(name: str, least: int, most: int | None) -> None:
    for value in (least, most):
        if value is not None:
            found = read_settings(Settings({f"FOREST_{name}": value}))
            assert getattr(found, name.lower()) == value

"""Reading the settings, and what is said of invalid ones."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from forest_scrapy.core import Params
from forest_scrapy.settings import (
    BadSetting,
    ForestSettings,
    MethodOptions,
    read_settings,
)

OPTIONS: list[tuple[Any, MethodOptions]] = [
    ({}, MethodOptions()),
    ("{}", MethodOptions()),
    ({"threshold": None, "distance": "cp"}, MethodOptions(distance="cp")),
    ('{"measure": "J", "threshold": null}', MethodOptions(measure="J")),
    ({"threshold": "0.7"}, MethodOptions(threshold=0.7)),
    (
        '{"characteristics": ["release date", "<dt>"]}',
        MethodOptions(characteristics=("release date", "<dt>")),
    ),
]


def test_without_settings_the_defaults_are_used() -> None:
    assert read_settings(Settings()) == ForestSettings()
    nothing = {f"FOREST_{field.name.upper()}": None for field in fields(ForestSettings)}
    assert read_settings(Settings(nothing)) == ForestSettings()


def test_settings_may_be_strings_as_on_the_command_line() -> None:
    given = {
        "FOREST_PAGES": "5",
        "FOREST_METHOD": "forest",
        "FOREST_METHOD_OPTIONS": '{"distance": "cps", "threshold": 0.6, "signifiers": "5"}',
        "FOREST_FEED_FIELDS": "False",
        "FOREST_SPIDERS": "1",
    }
    settings = read_settings(Settings(given))
    assert (settings.pages, settings.method, settings.distance) == (5, "forest", "cps")
    assert (settings.threshold, settings.feed_fields, settings.spiders) == (0.6, False, True)
    assert settings.params == Params("forest", 5, signifiers=5)


@pytest.mark.parametrize(
    ("value", "hours"),
    [
        ("2,8", (2, 8)),
        (" 0.5 , 24 ", (0.5, 24)),
        ("6", (6,)),
        ("[1, 4]", (1, 4)),
        ("[]", ()),
        ([3], (3,)),
    ],
)
def test_hours_are_a_list_of_numbers(value: Any, hours: tuple[float, ...]) -> None:
    settings = read_settings(Settings({"FOREST_RECHECK_HOURS": value}))
    assert settings.recheck_hours == hours


@pytest.mark.parametrize(
    "value", ["", "1;4", "1,,4", "[1", "[[1]]", "nan", "0", "1001", 7, {"x": 1}]
)
def test_hours_that_are_no_list_of_numbers(value: Any) -> None:
    with pytest.raises(BadSetting, match="FOREST_RECHECK_HOURS"):
        read_settings(Settings({"FOREST_RECHECK_HOURS": value}))


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("PAGES", "abc", "an integer from 2"),
        ("REPORT", __file__, "the path of a folder"),
        ("PAGES", 1, "an integer from 2"),
        ("PAGES", True, "an integer from 2"),
        ("MAX_BYTES", "many", "an integer from 1"),
        ("MAX_BYTES", 2**63, "an integer from 1 to 1000000000"),
        ("MAX_BYTES", float("inf"), "an integer from 1 to 1000000000"),
        ("PAGES", "-1e308", "an integer from 2 to 1000000000"),
        ("POLL_GREATEST", 10**12, "an integer from 1 to 1000000000"),
        ("PAGE_SECONDS", "inf", "a number of seconds above 0, at most 999"),
        ("PAGE_SECONDS", 10**309, "a number of seconds above 0, at most 999"),
        ("STORE_SECONDS", float("-inf"), "a number of seconds above 0, at most 999"),
        ("METHOD", "magic", "one of auto, forest, forest-feeds, "),
        ("METHOD_OPTIONS", "{", """a dict, or JSON such as {"signifiers": 10}"""),
        ("METHOD_OPTIONS", "[1]", """a dict, or JSON such as {"signifiers": 10}"""),
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
    ("name", "value", "allowed"),
    [
        ("signifiers", 0, "an integer from 1"),
        ("distance", "far", "one of typed, cp, cps, ctss"),
        ("threshold", "2", "a number from 0 to 1, or None"),
        ("scope", "head", "one of document, body"),
        ("characteristics", "price", "a list of words, marks, and tags such as <dt>"),
        ("characteristics", ["price", ""], "a list of words, marks, and tags such as <dt>"),
        ("characteristics", [7], "a list of words, marks, and tags such as <dt>"),
        ("t1", 2, "a number from 0 to 1"),
        ("t2", 65, "an integer from 0 to 64"),
        ("compared", "none", "one of unmarked, all"),
        ("filter_characteristics", 3, "True or False"),
        ("shingle", 0, "an integer from 1 to 100"),
        ("threshold", "x", "a number from 0 to 1, or None"),
        ("measure", "V", "one of J*U, J, U"),
        ("occurrences", "leaves", "one of paths, pages"),
        ("source", "logs", "one of tf-idf, feed, title, query, metadata, url, links"),
        ("ngram", 0, "an integer from 1 to 10"),
        ("attribute_values", "whole", "one of tolerant, full"),
        ("level_factor", "maybe", "True or False"),
        ("filtered", ["menus"], "some of links, comments"),
        ("coverage", "sum", "one of mean, share"),
    ],
)
def test_an_invalid_option(name: str, value: Any, allowed: str) -> None:
    with pytest.raises(BadSetting) as raised:
        read_settings({"FOREST_METHOD_OPTIONS": {name: value}})
    option = f"FOREST_METHOD_OPTIONS[{name!r}]"
    start = f"{option} = {value!r} cannot be used: it must be {allowed}"
    assert str(raised.value).startswith(start)
    assert (raised.value.name, raised.value.value) == (option, value)


def test_an_unknown_option() -> None:
    with pytest.raises(BadSetting) as raised:
        read_settings({"FOREST_METHOD_OPTIONS": {"signifier": 5}})
    assert str(raised.value) == (
        "FOREST_METHOD_OPTIONS has no option 'signifier'; did you mean signifiers? The options are"
        " signifiers, measure, occurrences, source, ngram, attribute_values, level_factor,"
        " filtered, coverage, t1, t2, compared, characteristics, filter_characteristics, distance,"
        " threshold, scope, shingle"
    )


@pytest.mark.parametrize(
    ("name", "value"), [("SIGNIFIERS", 5), ("DISTANCE", "cp"), ("THRESHOLD", None)]
)
def test_settings_that_have_become_options(name: str, value: Any) -> None:
    with pytest.raises(BadSetting) as raised:
        read_settings(Settings({f"FOREST_{name}": value}))
    options = {name.lower(): value}
    message = f"FOREST_{name} is now an option: use FOREST_METHOD_OPTIONS = {options}"
    assert str(raised.value) == message


@pytest.mark.parametrize(("options", "expected"), OPTIONS)
def test_options_of_methods(options: Any, expected: MethodOptions) -> None:
    settings = read_settings(Settings({"FOREST_METHOD_OPTIONS": options}))
    assert settings.method_options == expected
    assert (settings.distance, settings.threshold) == (expected.distance, expected.threshold)


def test_limits_are_allowed() -> None:
    assert read_settings({"FOREST_PAGES": 2}).pages == 2
    for least in ({"signifiers": 1}, {"threshold": 0}, {"threshold": 1}):
        options = read_settings({"FOREST_METHOD_OPTIONS": least}).method_options
        assert least.items() <= asdict(options).items()


@pytest.mark.parametrize("given", [{"kinds": ("pages",)}, {"formats": ("md",)}, {"pages": 1}])
def test_settings_of_a_program_are_checked_as_those_of_a_crawl(given: dict[str, Any]) -> None:
    ((name, value),) = given.items()
    with pytest.raises(BadSetting) as raised:
        ForestSettings(**given)
    assert (raised.value.name, raised.value.value) == (f"FOREST_{name.upper()}", value)
    assert ForestSettings(kinds=["page"]).kinds == ("page",)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["store", "history", "report", "warc", "health"])
def test_a_path_is_as_good_as_its_text(name: str, tmp_path: Path) -> None:
    path = tmp_path / "forest.db"
    settings = read_settings({f"FOREST_{name.upper()}": path})
    assert getattr(settings, name) == str(path)
    assert getattr(ForestSettings(**{name: path}), name) == str(path)

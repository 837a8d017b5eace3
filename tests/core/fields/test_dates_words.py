"""Plain dates are read as dateparser reads them, and no relative date is missed."""

from __future__ import annotations

import re
from datetime import datetime
from importlib import import_module

import dateparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.fields import dates
from forest_scrapy.core.fields.dates import may_be_relative, read_plain_date

NUMBER = re.compile(r"\(\\d[^)]*\)")
SETTINGS = {"REQUIRE_PARTS": ["day", "month", "year"]}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("September 27, 2015", "en"),
        ("27th Sept. 2015", "en"),
        ("3. März 2024", "de"),
        ("1er février 2020", "fr"),
        ("3 de mayo de 2024", "es"),
        ("3 мая 2024", "ru"),
        ("2024. május 3.", "hu"),
        ("2024年5月3日", "ja"),
        ("2024년 5월 3일", "ko"),
        ("2024/05/13", "en"),
        ("2024. 05. 13", "ko"),
        ("30.01.2013", "ru"),
        ("30.1.2013 15:47", "de"),
        ("3 May 2024 at 15:47", "en"),
        ("May 3, 2024 3:47 pm", "en"),
        ("May 3, 2024, 12:07:30 a.m.", "en"),
        ("27 avril 2013 à 11:13", "fr"),
        ("3. Mai 2024 um 15:47", "de"),
        ("3 de mayo de 2024 - 15:47", "es"),
        ("2024年5月3日 15:47", "ja"),
    ],
)
def test_dates_in_many_languages(text: str, language: str) -> None:
    found = read_plain_date(text, language)
    assert found is not None
    assert found == dateparser.parse(text, languages=[language], settings=SETTINGS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("31 June 2024", "en"),
        ("2024年13月3日", "zh"),
        ("31.02.2024", "de"),
        ("3/5/2024", "en"),
        ("3 May 2024 at 15:77", "en"),
        ("3 May 2024 at 13:47 p.m.", "en"),
        ("Posted 3 May 2024", "en"),
        ("3 May 24", "en"),
        ("3 May 2024", "de"),
        ("May 2024", "en"),
        ("3 May 2024", "../../etc"),
        ("3 May 2024", ""),
    ],
)
def test_other_texts_are_left_to_dateparser(text: str, language: str) -> None:
    assert read_plain_date(text, language) is None


def test_hours_and_minutes_with_a_letter() -> None:
    assert read_plain_date("27 avril 2013 à 11 h 13", "fr") == datetime(2013, 4, 27, 11, 13)


def test_a_day_of_one_digit_and_a_year() -> None:
    assert read_plain_date("May 3, 2024", "en") == datetime(2024, 5, 3)


@pytest.mark.parametrize(
    "language", "ar cs da de en es fi fr hu it ja ko nl pl pt ru sv tr zh".split()
)
def test_no_relative_date_is_missed(language: str) -> None:
    """All forms of dateparser's own data, with numbers in them."""
    info = import_module(f"dateparser.data.date_translation_data.{language}").info
    phrases = [phrase for some in info["relative-type"].values() for phrase in some]
    forms = [form for some in info["relative-type-regex"].values() for form in some]
    texts = phrases + [NUMBER.sub("3", form).replace(r"\s*", " ") for form in forms]
    read = [text for text in texts if "\\" not in text and is_relative(text, language)]
    assert len(read) > 10
    assert [text for text in read if not may_be_relative(text, language)] == []


def is_relative(text: str, language: str) -> bool:
    settings = {"PARSERS": ["relative-time"]}
    return dateparser.parse(text, languages=[language], settings=settings) is not None  # type: ignore[arg-type]


def test_few_other_texts_may_be_relative() -> None:
    texts = "Home|About us|12 comments|Photo: A. Bo|Read more|4.5|Share|News in brief".split("|")
    assert [text for text in texts if may_be_relative(text, "en")] == []
    assert not may_be_relative("yesterday", "")


_LABELS = st.sampled_from(
    [
        *dates._PUBLISHED_WORDS.replace("[εέ]", "ε").split("|"),
        *"Last update|update :|edited by|edited|reviewed by|stand:|actualizs|YAYIN|yayin".split(
            "|"
        ),
        "3 May",
        "\u017f",
        "\u212a",
    ]
)


@given(st.lists(_LABELS | st.text("updatesİıÉé· KP:", max_size=8), max_size=4), st.booleans())
def test_labels_in_latin_letters_are_found_as_all_others(words: list[str], is_upper: bool) -> None:
    text = " ".join(words)
    text = text.upper() if is_upper else text
    assert dates.has_update_label(text) is (dates._UPDATED.search(text) is not None)
    if dates._PUBLISHED.search(text):
        assert dates.is_published_label(text) is True
    else:
        assert dates.is_published_label(text) in (None, False)


@given(st.text("0123456789 ./-:amMaySep,", max_size=30))
def test_expressions_that_begin_with_a_digit_find_what_those_of_the_forms_find(text: str) -> None:
    forms = rf"{dates._YEAR}|\d\s?[./-]\s?\d|\d-[^\W\d_]|\d\s[^\W\d_]+\.?\s\d\d,?\s\d\d:"
    slashed = (
        rf"(?<![\d./-])(\d{{1,2}})\s?"
        rf"(?:[/-]\s?(\d{{1,2}})\s?[/-]\s?{dates._YEAR}|/(\d{{1,2}})/\d\d)(?![\d/-])"
    )
    for expression, form in ((dates._MAY_MATCH, forms), (dates._SLASHED, slashed)):
        found = [(match.span(), match.groups()) for match in expression.finditer(text)]
        assert found == [(match.span(), match.groups()) for match in re.finditer(form, text)]

"""Names in bylines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.fields.bylines import is_plausible_name, split_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Ana Bo", ["Ana Bo"]),
        ("Von Ana Bo und Cy Dee, Berlin", ["Ana Bo", "Cy Dee"]),
        ("Por Juan Ortega y Gasset", ["Juan Ortega y Gasset"]),
        ("Ana Bo y Cy Dee", ["Ana Bo", "Cy Dee"]),
        ("記者 牛镛", ["牛镛"]),
        ("Ana Bo, ana@a.example, @ana", ["Ana Bo"]),
        ("5 minutes", []),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert split_names(text, is_visible=True) == names


@given(st.text(), st.booleans())
def test_any_text_gives_names_only(text: str, is_visible: bool) -> None:
    assert all(map(is_plausible_name, split_names(text, is_visible)))


@pytest.mark.parametrize(
    "contact",
    [
        "Email the author", "| Contact the author", "Follow @anabo", "· Follow on Mastodon",
        "E-Mail schreiben", "| See all posts", "View profile", "ana@bo.example Twitter",
        "Écrire à l’auteur", "Seguir",
    ],
)  # fmt: skip
def test_what_readers_may_do_is_no_part_of_a_name(contact: str) -> None:
    assert split_names(f"By Ana Bo {contact}", is_visible=True) == ["Ana Bo"]
    assert split_names(f"By Ana Bo {contact} and Cy Dee", is_visible=True) == ["Ana Bo", "Cy Dee"]


def test_what_readers_may_do_may_be_glued_to_a_name() -> None:
    assert split_names("By Ana BoTwitter", is_visible=True) == ["Ana Bo"]

"""Names in bylines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.fields.bylines import (
    is_plausible_name,
    may_credit,
    read_credit,
    split_names,
)


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
        ("Ana Bo, MS, RD, FAND", ["Ana Bo, MS, RD, FAND"]),
        ("Ana Bo CPP, PSP", ["Ana Bo CPP, PSP"]),
        ("Ana Bo, AFP", ["Ana Bo", "AFP"]),
        ("Article written by: Ana Bo, MD, FOMA, DABOM", ["Ana Bo, MD, FOMA, DABOM"]),
        ("By Peter Share", ["Peter Share"]),
        ("By Ana Bo Share", ["Ana Bo"]),
        ("By Ana Bo | Share", ["Ana Bo"]),
        ("By Ali al-Hassan and Yusuf el-Sayed", ["Ali al-Hassan", "Yusuf el-Sayed"]),
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


@pytest.mark.parametrize(
    "byline",
    [
        "✍️ Ana Bo", "Ana Bo 🇺🇦", "By Ana Bo ✍️", "👤 Ana Bo · 🕒 3 min read", "By Ana Bo / @anabo",
        "Ana Bo, @anabo on Twitter", "By Ana Bo • @ana.bo@social.example", "By Ana Bo Email the",
        "By Ana Bo for The Gazette", "By Ana Bo, special to The Gazette", "By Ana Bo In",
        "By Ana Bo, Head of Marketing and Community Development", "Ana Bo More articles by Ana Bo",
        "More articles by Ana Bo", "Ana Bo Ana Bo", "Ana Bo\x1fRelated Topics", "Ana\x1fBo",
        "Ana Bo\x1fth", "Post author\x1fAna Bo", "on\x1fAna Bo", "Ana Bo\x1fNews Reporter", "Ana Bo\x1fFacebook\x1fTweet\x1fPin", "von Ana Bo",
    ],
)  # fmt: skip
def test_what_stands_beside_a_name_is_no_part_of_it(byline: str) -> None:
    assert split_names(byline, is_visible=True) == ["Ana Bo"]


def test_the_names_in_elements_without_separators_are_read() -> None:
    byline = "By\x1fAna Bo\x1fNews Reporter\x1fCy Dee\x1fEditor"
    assert split_names(byline, is_visible=True) == ["Ana Bo", "Cy Dee"]


@pytest.mark.parametrize(
    ("user", "is_user"),
    [
        ("owl_42", True), ("Owl42", True), ("owl.of-night_7", True), ("site_admin", False),
        ("a3f9-09be", False), ("2024", False), ("v2", False), ("owl 42", False), ("5min", False),
    ],
)  # fmt: skip
def test_names_of_users(user: str, is_user: bool) -> None:
    assert split_names(user) == ([user] if is_user else [])


@pytest.mark.parametrize(
    ("language", "byline", "name"),
    [
        ("ru", "Автор: Анна Кузнецова", "Анна Кузнецова"),
        ("ru", "Текст: Анна Кузнецова", "Анна Кузнецова"),
        ("el", "Του Γιώργου Νικολάου", "Γιώργου Νικολάου"),
        ("ar", "بقلم: أحمد محمود", "أحمد محمود"),
        ("ar", "الكاتب: أحمد محمود", "أحمد محمود"),
        ("he", "מאת: דנה כהן", "דנה כהן"),
        ("hi", "लेखक: राहुल शर्मा", "राहुल शर्मा"),
        ("hi", "द्वारा राहुल शर्मा", "राहुल शर्मा"),
        ("hi", "राहुल शर्मा द्वारा", "राहुल शर्मा"),
        ("bn", "লিখেছেন রহিম উদ্দিন", "রহিম উদ্দিন"),
        ("bn", "লেখক: রহিম উদ্দিন", "রহিম উদ্দিন"),
        ("th", "โดย สมชาย ใจดี", "สมชาย ใจดี"),
        ("th", "ผู้เขียน: สมชาย ใจดี", "สมชาย ใจดี"),
        ("zh", "作者：王小明", "王小明"),
        ("zh", "记者 王小明", "王小明"),
        ("ja", "執筆：田中太郎", "田中太郎"),
        ("ja", "取材・文＝田中太郎", "田中太郎"),
        ("ko", "김민수 기자", "김민수"),
        ("ko", "글쓴이: 김민수", "김민수"),
        ("ka", "ავტორი: ნინო ბერიძე", "ნინო ბერიძე"),
        ("hy", "Հեղինակ՝ Անի Գրիգորյան", "Անի Գրիգորյան"),
    ],
)
def test_names_in_twelve_scripts(language: str, byline: str, name: str) -> None:
    assert may_credit(byline, language)[0]
    assert read_credit(byline, language) == [name]


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        ("Von unserer Mitarbeiterin Petra Rademacher", "de", ["Petra Rademacher"]),
        ("VON UNSEREM REDAKTEUR ANA BO", "de", ["ANA BO"]),
        ("Von unserem Korrespondenten in Rom, Cy Dee", "de", ["Cy Dee"]),
        ("Von Redaktionsmitglied Ana Bo", "de", ["Ana Bo"]),
        ("Von unserem Mitarbeiter", "de", []),
        ("Text und Fotos: Hannelore Freifrau von Böckh", "de", ["Hannelore Freifrau von Böckh"]),
        ("Fotos und Text: Ana Bo", "de", ["Ana Bo"]),
        ("Text/Bilder: Ana Bo", "de", ["Ana Bo"]),
        ("Text und Fotos von Ana Bo zeigen das Dorf", "de", []),
        ("Text: Ana Bo / Fotos: Cy Dee", "de", ["Ana Bo"]),
        ("Fotos: Ana Bo", "de", []),
        ("Words and pictures: Ana Bo", "en", ["Ana Bo"]),
        ("Story and photos by Ana Bo and Cy Dee", "en", ["Ana Bo", "Cy Dee"]),
        ("3 May 2024 | Story and photos by Ana Bo", "en", ["Ana Bo"]),
        ("By our correspondent Ana Bo", "en", ["Ana Bo"]),
        ("Textes et photos : Ana Bo", "fr", ["Ana Bo"]),
        ("Texte : Ana Bo", "fr", ["Ana Bo"]),
        ("Par notre correspondant à Rome, Ana Bo", "fr", ["Ana Bo"]),
    ],
)
def test_words_before_a_name_say_more_than_by(text: str, language: str, names: list[str]) -> None:
    assert read_credit(text, language) == names


@pytest.mark.parametrize("text", ["Fotos von Ana Bo", "Pictures by Ana Bo", "Foto: Ana Bo"])
def test_who_made_only_the_pictures_is_no_author(text: str) -> None:
    assert split_names(text, is_visible=True) == []


@pytest.mark.parametrize(
    "text", ["Print Share", "View Share", "Comments Share", "Save Share", "Advanced Search"]
)
def test_buttons_are_no_names(text: str) -> None:
    assert text not in split_names(text, is_visible=True)


@pytest.mark.parametrize("name", ["Peter Share", "Ali al-Hassan", "Yusuf El-Sayed", "Jeanne d'Arc"])
def test_a_name_that_is_written_unusually_is_credited(name: str) -> None:
    assert read_credit(f"By {name}", "en") == [name]

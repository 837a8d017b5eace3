from __future__ import annotations

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.fields import FieldSources
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.page.content import text_content
from forest_scrapy.core.page.language import (
    detect_language,
    guess_language,
    most_common_language,
    stop_words,
)
from forest_scrapy.core.page.tree import parse_html

from ..helpers import read_cases


@pytest.mark.parametrize("case", read_cases("page/language", "guess_language"))
def test_language(case: dict[str, str]) -> None:
    assert Page.from_html(case["html"]).language == case["language"]


@pytest.mark.parametrize(("stops", "language"), [(15, ""), (16, "en")])
def test_more_than_15_percent_must_be_stop_words(stops: int, language: str) -> None:
    text = "the " * stops + "zzqx " * (100 - stops)
    assert guess_language(parse_html(""), [text]) == language


def test_only_the_first_2000_words_are_read() -> None:
    start = "zzqx " * 1_900
    assert guess_language(parse_html(""), [start, "the " * 5_000]) == ""
    assert guess_language(parse_html(""), ["the " * 400, start, "und " * 5_000]) == "en"


def test_ties_go_to_the_first_code() -> None:
    """``der`` is a stop word of Danish, German, Dutch and Norwegian."""
    assert guess_language(parse_html(""), ["der der der"]) == "da"


def test_unknown_languages_have_no_stop_words() -> None:
    assert stop_words("") == stop_words("xx") == frozenset()


TEXTS = {
    "en": "The boats come back to the harbour with the evening tide.",
    "de": "Die Boote kommen mit der Abendflut in den Hafen zurück.",
    "zh": "晚潮时分渔船陆续回到港口。",
    "ja": "夕方の潮とともに船が港に戻ってくる。",
    "ru": "Лодки возвращаются в гавань с вечерним приливом.",  # noqa: RUF001
}


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_of_a_text(language: str) -> None:
    assert detect_language(TEXTS[language]) == language


@pytest.mark.parametrize("text", ["", "2012 - 2013", "→ …", "zq xk"])
def test_an_unclear_text_has_no_language(text: str) -> None:
    assert detect_language(text) == ""


def test_a_long_text_is_sampled_from_start_to_end() -> None:
    """A text with a foreign quotation at its start."""
    text = TEXTS["de"] * 3 + TEXTS["en"] * 100
    assert detect_language(text) == "en"


@pytest.mark.parametrize("language", TEXTS)
def test_the_expected_language_is_taken_only_if_the_text_is_in_it(language: str) -> None:
    for expected in TEXTS:
        assert detect_language(TEXTS[language], expected) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Les bateaux de la ville rentrent au port, et la mer est un miroir.", "fr"),
        ("O porto da cidade fica perto do mar e os barcos voltam com a maré.", "pt"),
    ],
)
def test_words_of_other_languages_are_among_the_english_stop_words(
    text: str, language: str
) -> None:
    """Platforms declare English for sites in any language."""
    assert detect_language(text, "en") == language


def test_the_language_of_most_texts() -> None:
    assert most_common_language([TEXTS["ru"], "2012", TEXTS["en"], TEXTS["ru"]]) == "ru"
    assert most_common_language([TEXTS["en"], TEXTS["de"]]) == "de"
    assert most_common_language(["2012"]) == ""


MALAY = (
    "Kapal-kapal kembali ke pelabuhan sebelum subuh, manakala penjaga rumah api menunggu di "
    "pantai. Majlis bandaran memutuskan untuk membaiki jambatan lama."
)
NORWEGIAN = "Fiskerne på nordkysten solgte sju båter fordi høststormene kom tidlig i år. " * 3


def test_the_word_of_the_site_decides_between_languages_that_are_alike() -> None:
    assert detect_language(MALAY) == "id"
    assert detect_language(MALAY, "ms") == "ms"
    assert detect_language(MALAY, "gl") == "id"
    assert detect_language(NORWEGIAN, "nb") == "nb"


def test_the_kinds_of_norwegian_count_together() -> None:
    assert detect_language(NORWEGIAN, "en") == "no"


def test_the_declared_language_decides_on_a_page_of_a_template_that_was_taken_for_another() -> None:
    page = Page.from_html(f"<html lang=ms><p>{MALAY}", "http://a.example/1")
    fields = FieldSources(language=("text:id",))
    assert read_fields(page, fields, text_content(MALAY)).language == "ms"


SERBIAN = "Dugo smo čekali na ovo, kaže ona, ali nije sigurno da će svi biti zadovoljni."
GALICIAN = (
    "O concello aprobou onte á noite a construción dunha nova ponte sobre o río.",
    "Algúns dos veciños seguen preocupados polo ruído e enviáronlle unha carta á Xunta.",
)
MALAY_TEXTS = (
    "Kerajaan negeri bersetuju untuk membina sebuah jambatan baharu di daerah itu selepas beberapa"
    " tahun perbincangan dengan penduduk kampung.",
    "Beliau turut memaklumkan bahawa peruntukan sebanyak lima juta ringgit telah diluluskan bagi"
    " projek tersebut.",
    "Penduduk di sini berasa gembira kerana mereka tidak perlu lagi menggunakan bot untuk pergi ke"
    " bandar, katanya kepada pemberita.",
)


@pytest.mark.parametrize("expected", ["", "en", "sr"])
def test_serbian_in_latin_letters(expected: str) -> None:
    assert detect_language(SERBIAN, expected) == "sr"


def test_all_texts_of_a_template_decide_between_languages_that_are_alike() -> None:
    assert [detect_language(text) for text in MALAY_TEXTS] == ["id", "ms", "id"]
    assert most_common_language(MALAY_TEXTS) == "ms"
    assert most_common_language(GALICIAN) == "gl"


def test_words_that_languages_share_do_not_decide_for_a_page_without_lang() -> None:
    text = " ".join(MALAY_TEXTS)
    page = Page.from_html(f"<html><p>{text}", "http://a.example/1")
    assert page.language == "id"
    assert read_fields(page, FieldSources(), text_content(text)).language == "ms"

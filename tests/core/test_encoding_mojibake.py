from __future__ import annotations

import pytest

from forest_scrapy.core.encoding import is_mojibake

SENTENCES = (
    "Die Möwen fliegen über den Hafen, während es früh dämmert.",
    "La pêche a été bonne; « les filets étaient pleins », dit-elle.",
    "Рыбаки вернулись на рассвете на лодках.",
    "漁師たちは夜明けに港へ戻った。",
)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_correctly_decoded_text_is_not_garbled(sentence: str) -> None:
    assert not is_mojibake(sentence * 20)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_utf8_decoded_as_latin_1_is_garbled(sentence: str) -> None:
    assert is_mojibake(sentence.encode().decode("latin-1") * 20)


def test_one_garbled_word_in_a_long_text_is_ignored() -> None:
    plain = "The boats came into the harbour with the fish of the night. " * 60
    assert not is_mojibake(plain + "It said MÃ¶we.")


@pytest.mark.parametrize("text", ["", " ", "\ufffd"])
def test_short_texts(text: str) -> None:
    assert is_mojibake(text) == (text == "\ufffd")

"""Tests of digests."""

from hashlib import blake2b

from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.digests import digest_number, digest_of, hex_digest


@given(st.text(st.characters(exclude_categories=("Cs",))), st.integers(1, 64))
def test_the_digest_of_a_text_is_that_of_its_utf_8(text: str, size: int) -> None:
    expected = blake2b(text.encode(), digest_size=size)
    assert digest_of(text, size) == digest_of(text.encode(), size) == expected.digest()
    assert hex_digest(text, size) == expected.hexdigest()
    assert digest_number(text, size) == int.from_bytes(expected.digest(), "big")


@given(st.text(st.characters(exclude_categories=())))
def test_every_text_has_a_digest(text: str) -> None:
    assert len(digest_of(text)) == 8


def test_texts_that_differ_in_a_lone_surrogate_have_different_digests() -> None:
    assert len({digest_of(text) for text in ("?", "\ud800", "\udfff", "\ufffd")}) == 4

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_scrapy.core.page.columns import IS_NATIVE
from forest_scrapy.core.page.language import find_runs_by_pattern, find_terms, ngrams, split_words

from ..helpers import read_cases

if IS_NATIVE:
    from forest_scrapy.core.page import _native


@pytest.mark.parametrize("case", read_cases("page/terms", "split_words"))
def test_split_words(case: dict[str, Any]) -> None:
    assert list(split_words(case["text"])) == case["words"]


@pytest.mark.parametrize("case", read_cases("page/terms", "find_terms"))
def test_find_terms(case: dict[str, Any]) -> None:
    assert find_terms(case["text"], case["language"]) == case["terms"]


def test_long_words_are_cut() -> None:
    assert split_words("a" * 250) == ["a" * 100, "a" * 100, "a" * 50]
    assert len(split_words("森" * 250)) == 249


@pytest.mark.parametrize(("n", "count"), [(1, 4), (3, 2), (4, 1), (5, 0)])
def test_ngrams(n: int, count: int) -> None:
    assert len(ngrams(["a", "b", "c", "d"], n)) == count


def test_terms_are_the_same_in_every_thread() -> None:
    text = " ".join(f"running{chr(97 + i)} houses{chr(97 + i)}es" for i in range(26))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: find_terms(text, "en"), range(32)))
    assert all(terms == found[0] for terms in found)


@given(st.text(), st.sampled_from(["en", "de", "zh", "ja", "th", "ar", "tr", "hi", "xx", ""]))
def test_terms_are_not_empty_and_not_digits(text: str, language: str) -> None:
    terms = find_terms(text, language)
    assert all(term and not term.isdigit() for term in terms)


@pytest.mark.parametrize(
    "mark", ["", "\u0301", "森林公", "\u0e01", "\u212a", "\u0130", "_", "\ud800"]
)
@given(st.text(alphabet="aZ9é_ ß-"))
def test_other_words_are_the_same_beside_any_character(mark: str, text: str) -> None:
    """Texts of different alphabets are read by different expressions."""
    words = split_words(text)
    assert split_words(f"{text} {mark}")[: len(words)] == words


@pytest.mark.skipif(not IS_NATIVE, reason="nothing was compiled here")
@given(st.text(st.characters() | st.sampled_from("aZ9_ é²Ⅷ߂"), max_size=20), st.integers(0, 201))
def test_compiled_runs_are_those_of_the_pattern(text: str, length: int) -> None:
    long_text = f"{text}{'a' * length}{text}"
    assert _native.find_runs(long_text, 100) == find_runs_by_pattern(long_text)

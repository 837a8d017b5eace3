"""Precision, recall and F1 of word 2-grams, the measure of the FOREST paper (section 4); and of
words, that of WCXB."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

# Scripts without word boundaries: each ideograph, kana or hangul syllable is a word.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


class Score(NamedTuple):
    """Shares from 0 to 1."""

    precision: float
    recall: float
    f1: float


def score_text(gold: str, text: str) -> Score:
    """Precision, recall and F1 of a text against the gold text.

    >>> score_text("the cat sat down", "the cat sat up")
    Score(precision=0.6666666666666666, recall=0.6666666666666666, f1=0.6666666666666666)
    """
    gold_pairs = _bigrams(gold)
    text_pairs = _bigrams(text)
    hits = len(gold_pairs & text_pairs)
    if not hits:
        return Score(0.0, 0.0, 0.0)
    precision = hits / len(text_pairs)
    recall = hits / len(gold_pairs)
    return _with_f1(precision, recall)


def score_words(gold: str, text: str) -> Score:
    """Precision, recall and F1 of words in lower case, each as often as it occurs, as the scorer of
    WCXB has them; in equation 5 of Luo et al. 2009 (P' and R') each word counts once.

    >>> score_words("the cat saw the dog", "The dog")
    Score(precision=1.0, recall=0.4, f1=0.5714285714285715)
    """
    gold_words = _count_words(gold)
    text_words = _count_words(text)
    hits = (gold_words & text_words).total()
    if not hits:
        are_both_empty = not gold_words and not text_words
        value = float(are_both_empty)
        return Score(value, value, value)
    precision = hits / text_words.total()
    recall = hits / gold_words.total()
    return _with_f1(precision, recall)


def _with_f1(precision: float, recall: float) -> Score:
    """Neither may be 0."""
    f1 = 2 * precision * recall / (precision + recall)
    return Score(precision, recall, f1)


def _count_words(text: str) -> Counter[str]:
    words = re.findall(r"\w+", text.lower())
    return Counter(words)


def mean_score(scores: Sequence[Score]) -> Score:
    """The mean over pages of each of the three; zeros without pages."""
    if not scores:
        return Score(0.0, 0.0, 0.0)
    return Score(
        precision=fmean(score.precision for score in scores),
        recall=fmean(score.recall for score in scores),
        f1=fmean(score.f1 for score in scores),
    )


def find_words(text: str) -> list[str]:
    """The words of a text in lower case.

    >>> find_words("The cat, 森林")
    ['the', 'cat', '森', '林']
    """
    return _WORD.findall(text.lower())


def _bigrams(text: str) -> set[tuple[str, str]]:
    words = find_words(text)
    return set(pairwise(words)) or {(word, word) for word in words}

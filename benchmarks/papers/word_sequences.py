"""F1 of the longest common subsequence of words, the measure of Gottron 2008 (section 7)."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.sets.scores import Score, find_words


def score_sequence(gold: str, text: str) -> Score:
    """Precision, recall and F1: the words of the longest common subsequence by those of each text.

    >>> score_sequence("owls sit at night", "Night owls at night")
    Score(precision=0.75, recall=0.75, f1=0.75)
    """
    gold_words = find_words(gold)
    words = find_words(text)
    common = common_length(gold_words, words)
    if not common:
        return Score(0.0, 0.0, 0.0)
    return Score(
        precision=common / len(words),
        recall=common / len(gold_words),
        f1=2 * common / (len(words) + len(gold_words)),
    )


def common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence (Hyyrö 2004: a row of the table is the bits of
    one number, in which a bit is 0 where the length grows).

    >>> common_length("abcbdab", "bdcaba"), common_length("", "a")
    (4, 0)
    """
    positions: dict[str, int] = {}
    for position, word in enumerate(first):
        positions[word] = positions.get(word, 0) | 1 << position
    all_bits = (1 << len(first)) - 1
    row = all_bits
    for word in second:
        matches = row & positions.get(word, 0)
        row = (row + matches | row - matches) & all_bits
    return len(first) - row.bit_count()

"""Fixed wordings as tables, one expression a line, and how texts are compared with them."""

import re
from collections.abc import Iterable, Iterator

from forest_scrapy.core.page.language import split_words

#: Characters of the longest sentence that is compared with a wording.
_MAX_SENTENCE = 600
#: Apostrophes, hyphens, colons and spaces as keyboards have them, so that a table has one of each.
_PLAIN = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u2013": "-", "\u2014": "-", "\uff1a": ":", "\xa0": " "}
)
#: What ends a sentence, also in Chinese and Japanese.
_SENTENCE_ENDS = re.compile("[.!?\u3002\uff01\uff1f\n]+")


def compile_wordings(table: str) -> re.Pattern[str]:
    """One expression for all lines of a table; letters of any case match.

    >>> bool(compile_wordings("read more\\nlies mehr").fullmatch("Read More"))
    True
    """
    lines = (line.strip() for line in table.splitlines())
    return re.compile("|".join(line for line in lines if line), re.IGNORECASE)


class Starts:
    """How texts may begin that match one of several tables; most texts do not, and that is told
    from the first character mostly.

    >>> starts = Starts([compile_wordings("(please )?read on\\nlies mehr")])
    >>> starts.match("Please read on and on"), starts.match("Rain is likely")
    (True, False)
    """

    def __init__(self, tables: Iterable[re.Pattern[str]]) -> None:
        lines = [line for table in tables for line in _split(_fold(table.pattern))]
        letters = {line: _first_letters(line) for line in lines}
        every_letter = set().union(*letters.values()) - {_ANY}
        self._others = _compile_folded(line for line in lines if _ANY in letters[line])
        self._by_letter = {
            letter: _compile_folded(
                line for line in lines if not letters[line].isdisjoint((letter, _ANY))
            )
            for letter in every_letter
        }

    def match(self, text: str) -> bool:
        """Whether a text begins with a wording of a table."""
        folded = _lower(text)
        first = _DIGIT if folded[:1].isdecimal() else folded[:1]
        return self._by_letter.get(first, self._others).match(folded) is not None


#: Stand for any character and for any digit.
_ANY = "any"
_DIGIT = "digit"


def _compile_folded(lines: Iterable[str]) -> re.Pattern[str]:
    """One expression for texts of ``_lower``; one that matches nothing for no line."""
    return re.compile("|".join(lines) or "(?!)")


def _lower(text: str) -> str:
    return text.lower() if text.isascii() else _fold(text.replace("\u0130", "i").lower())


def _fold(text: str) -> str:
    """The text with one letter for the two that ``re.IGNORECASE`` takes for an ``i``."""
    return text.replace("\u0131", "i")


def _split(expression: str) -> list[str]:
    """The alternatives of an expression."""
    alternatives = [""]
    depth = 0
    for piece in _PIECES.findall(expression):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and depth == 0:
            alternatives.append("")
        else:
            alternatives[-1] += piece
    return alternatives


def _first_letters(expression: str) -> frozenset[str]:
    r"""The characters that texts begin with which match the expression, or ``_ANY``.

    >>> sorted(_first_letters("(a|bc )?(de?|f)+g")), sorted(_first_letters(r"x?\d\d"))
    (['a', 'b', 'd', 'f'], ['digit', 'x'])
    """
    pieces = _PIECES.findall(expression)
    if not pieces:
        return frozenset()
    first = pieces[0]
    end = 1
    letters = frozenset((first,))
    if first == "(":
        depth = 1
        while depth:
            depth += (pieces[end] == "(") - (pieces[end] == ")")
            end += 1
        inside = "".join(pieces[1 : end - 1])
        is_plain_group = not inside.startswith("?")
        letters = frozenset((_ANY,))
        if is_plain_group:
            letters = frozenset().union(*map(_first_letters, _split(inside)))
    elif first.startswith("\\"):
        kind = _DIGIT if first == r"\d" else _ANY
        letters = frozenset((kind if first[1].isalpha() else first[1],))
    elif first in _SPECIAL or first.startswith("["):
        letters = frozenset((_ANY,))
    rest = "".join(pieces[end:])
    if rest.startswith("?"):
        return letters | _first_letters(rest[1:])
    return frozenset((_ANY,)) if rest.startswith(("*", "{0")) else letters


#: The pieces of an expression: classes, escaped characters, other characters.
_PIECES = re.compile(r"\[[^\]]*\]|\\.|.", re.DOTALL)
#: Characters that stand for others or for none.
_SPECIAL = frozenset(".^$")


def plain(text: str) -> str:
    """The text on one line, with the apostrophes, hyphens and colons that the tables have.

    >>> plain("You\u2019re  here")
    "You're here"
    """
    if text.isascii():  # faster
        return " ".join(text.split())
    return " ".join(text.translate(_PLAIN).split())


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text, the start of long ones."""
    for sentence in _SENTENCE_ENDS.split(text.translate(_PLAIN)):
        if sentence.strip():
            yield " ".join(sentence[:_MAX_SENTENCE].split())


def share_of_wording(wording: re.Pattern[str], text: str) -> float:
    """The share of a text's words, 0 to 1, that are in sentences with such a wording.

    >>> share_of_wording(compile_wordings("cookies"), "We use cookies. Do you agree?")
    0.5
    """
    words = 0
    matching_words = 0
    for sentence in sentences_of(text):
        count = len(split_words(sentence))
        words += count
        if wording.search(sentence):
            matching_words += count
    return matching_words / words if words else 0.0

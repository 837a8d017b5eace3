"""Fixed wordings as tables, one expression a line, and how texts are compared with them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from forest_scrapy.core.page.language import split_words

#: Characters of the longest sentence that is compared with a wording.
_MAX_SENTENCE = 600
#: Apostrophes, hyphens, colons and spaces as keyboards have them, so that a table has one of each.
_PLAIN = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u2013": "-", "\u2014": "-", "\uff1a": ":", "\xa0": " "}
)
#: What ends a sentence, also in Chinese and Japanese.
_SENTENCE_ENDS = re.compile("[.!?\u3002\uff01\uff1f\n]+")


class Wordings:
    """A table of wordings, one expression a line; letters of any case match.

    The tables have hundreds of lines, and most pages need few of the tables: each is compiled when
    it is first used.

    >>> wordings = Wordings("read more\\nlies mehr")
    >>> bool(wordings.fullmatch("Read More")), bool(wordings.search("Please read more here"))
    (True, True)
    """

    def __init__(self, table: str) -> None:
        lines = (line.strip() for line in table.splitlines())
        self.expression = "|".join(line for line in lines if line)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """One expression for all lines of the table."""
        return re.compile(self.expression, re.IGNORECASE)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The wording that begins at this position of the text."""
        return self.compiled.match(text, start)

    def search(self, text: str) -> re.Match[str] | None:
        """The first wording anywhere in the text."""
        return self.compiled.search(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The wording that is the whole text."""
        return self.compiled.fullmatch(text)


class Starts:
    """How texts may begin that match one of several tables; most texts do not, and that is told
    from the first character mostly.

    >>> starts = Starts([Wordings("(please )?read on\\nlies mehr")])
    >>> starts.match("Please read on and on"), starts.match("Rain is likely")
    (True, False)
    """

    def __init__(self, tables: Iterable[Wordings]) -> None:
        self._tables = tuple(tables)
        self._by_letter: dict[str, re.Pattern[str]] = {}

    def match(self, text: str) -> bool:
        """Whether a text begins with a wording of a table."""
        folded = _lower(text)
        first = _DIGIT if folded[:1].isdecimal() else folded[:1]
        expression = self._by_letter.get(first)
        if expression is None:
            expression = self._compile(first)
        return expression.match(folded) is not None

    def _compile(self, first: str) -> re.Pattern[str]:
        """The wordings that may begin with a letter, as one expression, which is kept."""
        if first not in self._letters_of_tables:
            first = _ANY
        expression = self._by_letter.get(first)
        if expression is None:
            lines = [
                line
                for line, letters in self._letters.items()
                if _ANY in letters or first in letters
            ]
            expression = self._by_letter[first] = _compile_folded(lines)
        return expression

    @cached_property
    def _letters(self) -> Mapping[str, frozenset[str]]:
        """The wordings of the tables, each with the letters that it may begin with."""
        lines = [line for table in self._tables for line in _split(_fold(table.expression))]
        return {line: _first_letters(line) for line in lines}

    @cached_property
    def _letters_of_tables(self) -> frozenset[str]:
        return frozenset().union(*self._letters.values()) - {_ANY}


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


def share_of_wording(wording: Wordings, text: str) -> float:
    """The share of a text's words, 0 to 1, that are in sentences with such a wording.

    >>> share_of_wording(Wordings("cookies"), "We use cookies. Do you agree?")
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

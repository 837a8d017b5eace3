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
        lines = [line.strip() for line in table.splitlines()]
        self.expression = "|".join(filter(None, lines))

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
    """How texts may begin that match one of several tables; most texts do not, and mostly the first
    character shows that.

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
        letter = folded[:1]
        if letter.isdecimal():
            letter = _DIGIT
        expression = self._by_letter.get(letter)
        if expression is None:
            expression = self._compile(letter)
        return expression.match(folded) is not None

    def _compile(self, letter: str) -> re.Pattern[str]:
        """The wordings that may begin with a letter, as one expression, which is kept."""
        if letter not in self._letters_of_tables:
            letter = _ANY
        expression = self._by_letter.get(letter)
        if expression is None:
            lines = []
            for line, first_letters in self._letters.items():
                if _ANY in first_letters or letter in first_letters:
                    lines.append(line)
            expression = _compile_folded(lines)
            self._by_letter[letter] = expression
        return expression

    @cached_property
    def _letters(self) -> Mapping[str, frozenset[str]]:
        """The wordings of the tables, each with the letters that it may begin with."""
        letters = {}
        for table in self._tables:
            folded = _fold(table.expression)
            for line in _split(folded):
                letters[line] = _first_letters(line)
        return letters

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
    if text.isascii():
        return text.lower()
    dotless = text.replace("\u0130", "i")
    return _fold(dotless.lower())


def _fold(text: str) -> str:
    """The text with one letter for the two that ``re.IGNORECASE`` takes for an ``i``."""
    return text.replace("\u0131", "i")


def _split(expression: str) -> list[str]:
    """The alternatives of an expression."""
    alternatives = [""]
    depth = 0
    for piece in _PIECES.findall(expression):
        depth += _DEPTHS.get(piece, 0)
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

    end = 1
    if pieces[0] == "(":
        depth = 1
        while depth:
            piece = pieces[end]
            depth += _DEPTHS.get(piece, 0)
            end += 1
        inside = "".join(pieces[1 : end - 1])
        letters = _first_letters_of_group(inside)
    else:
        letter = _first_letter_of_piece(pieces[0])
        letters = frozenset((letter,))

    following = "".join(pieces[end:])
    if following.startswith("?"):
        return letters | _first_letters(following[1:])
    if following.startswith(("*", "{0")):
        return frozenset((_ANY,))
    return letters


def _first_letters_of_group(inside: str) -> frozenset[str]:
    if inside.startswith("?"):
        return frozenset((_ANY,))
    letters: set[str] = set()
    for alternative in _split(inside):
        letters |= _first_letters(alternative)
    return frozenset(letters)


def _first_letter_of_piece(piece: str) -> str:
    if piece == r"\d":
        return _DIGIT
    if piece.startswith("\\"):
        if piece[1].isalpha():
            return _ANY
        return piece[1]
    if piece in _SPECIAL or piece.startswith("["):
        return _ANY
    return piece


#: The pieces of an expression: classes, escaped characters, other characters.
_PIECES = re.compile(r"\[[^\]]*+\]?|\\.|.", re.DOTALL)
#: How a piece changes the depth in groups.
_DEPTHS = {"(": 1, ")": -1}
#: Characters that stand for others or for none.
_SPECIAL = frozenset(".^$")


def plain(text: str) -> str:
    """The text on one line, with the apostrophes, hyphens and colons that the tables have.

    >>> plain("You\u2019re  here")
    "You're here"
    """
    if not text.isascii():  # else faster
        text = text.translate(_PLAIN)
    words = text.split()
    return " ".join(words)


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text, the start of long ones."""
    plain_text = text.translate(_PLAIN)
    for sentence in _SENTENCE_ENDS.split(plain_text):
        if sentence.strip():
            start = sentence[:_MAX_SENTENCE]
            words = start.split()
            yield " ".join(words)


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
    if not words:
        return 0.0
    return matching_words / words

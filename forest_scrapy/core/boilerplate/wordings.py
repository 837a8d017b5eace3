"""Fixed wordings as tables, one expression a line, and how texts are compared with them."""

import re
from collections.abc import Iterator

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


def plain(text: str) -> str:
    """The text on one line, with the apostrophes, hyphens and colons that the tables have.

    >>> plain("You\u2019re  here")
    "You're here"
    """
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

"""What may be put into a control to find a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from forest_scrapy.core.page.language import split_words

#: Characters of a word that is put into a control.
MIN_WORD_LENGTH = 2
MAX_WORD_LENGTH = 40
#: Words, and characters, of a value that is put into a control.
MAX_VALUE_WORDS = 6
MAX_VALUE_LENGTH = 80


@dataclass(frozen=True)
class SearchTerms:
    """What may be put into a control to find a text: its words, and all of it if it is short.
    ``text``: the text itself, for what is a part of it and no word."""

    words: frozenset[str]
    whole: str
    text: str = ""

    @cached_property
    def all(self) -> list[str]:
        """The words, and the whole text if it has more than one and not too many."""
        terms = []
        for word in self.words:
            if MIN_WORD_LENGTH <= len(word) <= MAX_WORD_LENGTH:
                terms.append(word)
        terms.sort()
        word_count = self.whole.count(" ") + 1
        has_few_words = 1 < word_count <= MAX_VALUE_WORDS
        is_short = len(self.whole) <= MAX_VALUE_LENGTH
        if has_few_words and is_short:
            terms.append(self.whole)
        return terms


#: The terms of a record by attribute.
RecordTerms = Mapping[str, SearchTerms]


def read_search_terms(text: str) -> SearchTerms:
    """The terms of a text.

    >>> read_search_terms("Bleak House").all
    ['bleak', 'house', 'bleak house']
    """
    words = split_words(text)
    return SearchTerms(frozenset(words), " ".join(words), text.strip().casefold())


def read_record_terms(values: Mapping[str, str]) -> RecordTerms:
    """The terms of a record's values."""
    return {name: read_search_terms(text) for name, text in values.items()}

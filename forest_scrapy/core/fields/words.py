"""The words of texts, and the search for texts by their words."""

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import accumulate

from forest_scrapy.core.site_caches import site_cache

_WORD = re.compile(r"[^\W_]+")


@site_cache
@lru_cache(maxsize=8192)  # the same menus and titles are on all pages of a site
def fold_words(text: str) -> str:
    """The words of a text, case-folded, with single spaces: equal for texts that differ in case,
    punctuation and white space only.

    >>> fold_words("«Boats» come  in!") == fold_words("boats COME in")
    True
    """
    words = _WORD.findall(text.casefold())
    return " ".join(words)


class TextIndex:
    """Finds texts of one line by words in them, as of ``fold_words``: one search in all texts by
    the longest word, instead of one in each text."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._joined = "\n".join(texts).casefold()
        self._folded = self._joined.split("\n")
        lengths = [len(text) + 1 for text in self._folded]
        self._ends = list(accumulate(lengths))

    def having(self, words: Collection[str]) -> list[int]:
        """The indices of the texts that contain all of the words, as parts of others, too; of all
        texts if there is no word.

        >>> index = TextIndex(["Owls at night", "Old boats", "Night owls"])
        >>> index.having(["owl"]), index.having(["owls", "at"]), index.having([])
        ([0, 2], [0], [0, 1, 2])
        """
        if not words:
            return list(range(len(self.texts)))
        words = set(words)
        longest = max(sorted(words), key=len)
        indices = []
        start = self._joined.find(longest)
        while start >= 0:
            index = bisect_right(self._ends, start)
            text = self._folded[index]
            if all(word in text for word in words):
                indices.append(index)
            start = self._joined.find(longest, self._ends[index])
        return indices

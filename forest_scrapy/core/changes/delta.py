"""What was inserted into a text, and what was deleted, for people to read."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

__all__ = ["Delta", "compare_texts"]

#: Lines of a text that are compared; the comparison takes time quadratic in them.
_MOST_LINES = 1000
#: Words of changed lines that are compared word by word; longer ones are given whole.
_MOST_WORDS = 2000
#: Unchanged words between two changes that are joined into one.
_JOINED = 1


@dataclass(frozen=True)
class Delta:
    """The runs of words that were ``inserted`` and ``deleted``, in the order of the text."""

    inserted: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


def compare_texts(old: str, new: str) -> Delta:
    """The difference of two texts, line by line, and within changed lines word by word.

    >>> compare_texts("An owl flew.\\nEnd.", "A grey owl flew.\\nEnd.")
    Delta(inserted=('A grey',), deleted=('An',))
    >>> compare_texts("One.", "One.\\nTwo.")
    Delta(inserted=('Two.',), deleted=())
    """
    a, b = (text.splitlines()[:_MOST_LINES] for text in (old, new))
    inserted: list[str] = []
    deleted: list[str] = []
    for kind, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        before, after = " ".join(a[i:j]).split(), " ".join(b[k:m]).split()
        if kind == "replace" and max(len(before), len(after)) <= _MOST_WORDS:
            _compare_words(before, after, inserted, deleted)
        elif kind != "equal":
            deleted += [" ".join(before)] * bool(before)
            inserted += [" ".join(after)] * bool(after)
    return Delta(tuple(inserted), tuple(deleted))


def _compare_words(a: list[str], b: list[str], inserted: list[str], deleted: list[str]) -> None:
    """Append the runs of words that differ."""
    matcher = SequenceMatcher(None, a, b)
    blocks = [one for one in matcher.get_matching_blocks() if one.size > _JOINED or not one.size]
    i = k = 0
    for block in blocks:
        deleted += [" ".join(a[i : block.a])] * (block.a > i)
        inserted += [" ".join(b[k : block.b])] * (block.b > k)
        i, k = block.a + block.size, block.b + block.size

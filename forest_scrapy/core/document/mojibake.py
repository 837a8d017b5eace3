"""Text that was read in the wrong encoding."""

from __future__ import annotations

from ftfy.badness import badness

__all__ = ["is_mojibake"]

#: Characters looked at, and how many of them there are for each sign of a wrong encoding before
#: the text counts as garbled: a quotation may have a few.
_READ, _SPARSE = 4000, 200


def is_mojibake(text: str) -> bool:
    """Whether the text is full of what comes of reading one encoding as another.

    >>> is_mojibake("Die Möwen fliegen über den Hafen"), is_mojibake("Die MÃ¶wen fliegen Ã¼ber")
    (False, True)
    """
    read = text[:_READ]
    signs = badness(read) + read.count("\ufffd")
    return signs > len(read) / _SPARSE

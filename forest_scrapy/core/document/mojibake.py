"""Detection of text that was decoded with the wrong encoding."""

from __future__ import annotations

from ftfy.badness import badness

__all__ = ["is_mojibake"]

#: Characters that are read.
_READ = 1500
#: Text with fewer characters than this per sign of a wrong encoding is garbled.  Not tuned; a
#: quotation may have a few signs.
_SPARSE = 200


def is_mojibake(text: str) -> bool:
    """Whether the text has many characters that come from decoding with the wrong encoding
    (ftfy's "badness", and U+FFFD).

    >>> is_mojibake("Die Möwen fliegen über den Hafen"), is_mojibake("Die MÃ¶wen fliegen Ã¼ber")
    (False, True)
    """
    read = text[:_READ]
    if read.isascii():
        return False
    signs = badness(read) + read.count("\ufffd")
    return signs > len(read) / _SPARSE

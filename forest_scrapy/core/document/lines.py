"""Text as lines: one for each block; preformatted text keeps its own."""

from __future__ import annotations

import re

__all__ = ["Lines"]

_SPACES = re.compile(r"\s+")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")


class Lines:
    """Lines under construction; those that end while ``is_caption`` is set are captions.

    >>> lines = Lines()
    >>> lines.add("One  two", is_pre=False); lines.end(); lines.add("three", is_pre=False)
    >>> lines.text()
    'One two\\nthree'
    """

    __slots__ = ("_body", "_keeps_indent", "_line", "_lines", "is_caption", "pieces")

    def __init__(self) -> None:
        self.is_caption = False
        self._lines: list[str] = []
        self._body: list[str] = []
        self._line: list[str] = []
        self._keeps_indent = False
        #: Everything added, with a space at each line end.
        self.pieces: list[str] = []

    @property
    def is_open(self) -> bool:
        """Whether the current line has anything in it."""
        return bool(self._line)

    @property
    def ends_in_space(self) -> bool:
        """Whether the current line ends in white space."""
        return bool(self._line) and self._line[-1].endswith(" ")

    def add(self, text: str, is_pre: bool) -> None:
        """Add text to the current line; ``is_pre``: white space and line ends count."""
        if not is_pre:
            is_clean = text.isprintable() and "  " not in text  # faster than the substitution
            self._append(text if is_clean else _SPACES.sub(" ", text), is_pre)
            return
        for i, part in enumerate(_LINE_ENDS.split(text)):
            if i:
                self.end()
            if part:
                self._append(part, is_pre)

    def end(self) -> None:
        """End the current line, if there is anything in it."""
        if not self._line:
            return
        line = "".join(self._line).rstrip()
        if not self._keeps_indent:
            line = line.lstrip()
        self._line.clear()
        self.pieces.append(" ")
        if line:
            self._lines.append(line)
            if not self.is_caption:
                self._body.append(line)

    def add_caption(self, text: str) -> None:
        """Add a caption as a line of its own."""
        self.end()
        outer, self.is_caption = self.is_caption, True
        self.add(text, is_pre=False)
        self.end()
        self.is_caption = outer

    def text(self) -> str:
        """All lines, the current one too."""
        self.end()
        return "\n".join(self._lines)

    def body(self) -> str:
        """The lines that are not captions; all if there are no others."""
        self.end()
        return "\n".join(self._body or self._lines)

    def _append(self, piece: str, is_pre: bool) -> None:
        if not self._line:
            self._keeps_indent = is_pre
        self._line.append(piece)
        self.pieces.append(piece)

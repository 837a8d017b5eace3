"""Whether a template's wrapper still fits its pages.

A page does not fit if the wrapper finds nothing there.  If it finds an unusual amount of text, or
text at places that were not seen in learning, the classifier is asked: the page fits if it finds
much the same.  Misfits are summed up page by page (CUSUM: Page 1954), so that three in a row are a
redesign, and one now and then is not.
"""

from dataclasses import dataclass
from statistics import quantiles

from forest_scrapy.core.changes import share_changed

#: The sum of misfits from which the template has been redesigned.
_MIN_MISFITS = 3.0
#: The number by which a page that fits lowers the sum.
_RELIEF = 0.5
#: Lengths of the latest texts that are stored.
_MAX_LENGTHS = 50
#: Lengths that show what is usual.
_MIN_LENGTHS = 5
#: A text is unusual if it is that many times shorter than the first quartile of the lengths, or
#: longer than the third.
_UNUSUAL_FACTOR = 4
#: A page with a larger share of lines at unseen places is unusual.
_MAX_UNSEEN = 0.5
#: The share of common shingles of two texts that agree.
_MIN_AGREEMENT = 0.5
#: A lower probability is not taken for chance.
_MIN_PROBABILITY = 0.01


@dataclass(frozen=True)
class TemplateFit:
    """How a template's wrapper has fitted so far.

    ``pages``: the number of its pages; ``lengths``: characters of the latest texts;
    ``misfits``: the sum of misfits.
    """

    pages: int = 0
    lengths: tuple[int, ...] = ()
    misfits: float = 0.0

    @property
    def has_failed(self) -> bool:
        """Whether the template has been redesigned."""
        return self.misfits >= _MIN_MISFITS

    def is_unusual(self, length: int, unseen: float) -> bool:
        """Whether a text needs a second opinion.  ``unseen``: the share of its lines at places
        that were not seen in learning, 0 to 1."""
        if unseen > _MAX_UNSEEN:
            return True
        if len(self.lengths) < _MIN_LENGTHS:
            return False
        first, _, third = quantiles(self.lengths, n=4)
        return length * _UNUSUAL_FACTOR < first or length > third * _UNUSUAL_FACTOR

    def add(self, length: int, fits: bool) -> "TemplateFit":
        """The fit after one more page."""
        pages = self.pages + 1
        if not fits:
            return TemplateFit(pages, self.lengths, self.misfits + 1)
        lengths = (*self.lengths, length)
        misfits = max(0.0, self.misfits - _RELIEF)
        return TemplateFit(pages, lengths[-_MAX_LENGTHS:], misfits)

    def restart(self) -> "TemplateFit":
        """The fit of the template's next wrapper."""
        return TemplateFit(self.pages)


def agree(text: str, other_text: str) -> bool:
    """Whether two texts of one page are much the same.

    >>> agree("a b c d e f g h", "a b c d e f g"), agree("a b c d e", "f g h i j")
    (True, False)
    """
    return 1 - share_changed(text, other_text) >= _MIN_AGREEMENT


def is_superseded(
    pages: int,
    host_pages: int,
    missing: int,
) -> bool:
    """Whether a template has been given up: it had ``pages`` of the ``host_pages`` so far, and
    none of the ``missing`` latest, which would be too unlikely by chance.

    >>> is_superseded(20, 20, 2), is_superseded(5, 20, 2), is_superseded(5, 20, 20)
    (True, False, True)
    """
    share = pages / (host_pages + 1)  # one more: the host may have templates not seen so far
    return (1 - share) ** missing < _MIN_PROBABILITY

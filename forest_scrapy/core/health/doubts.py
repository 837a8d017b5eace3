"""Items whose text is in doubt, the worst first."""

from bisect import insort
from dataclasses import dataclass

#: Items below this confidence are named by the health digest and the report.
LOW_CONFIDENCE = 0.7
#: Items that are named at most.
MAX_DOUBTS = 100


@dataclass(frozen=True)
class Doubt:
    """An item of low ``confidence``."""

    url: str
    confidence: float


class Doubts:
    """Counts the items of low confidence, and keeps the worst ``MAX_DOUBTS`` of them."""

    def __init__(self) -> None:
        #: How many items are of low confidence.
        self.count = 0
        self._worst: list[tuple[float, str]] = []

    def add(self, url: str, confidence: float) -> None:
        """Note an item; one whose confidence is high, or 0, which is not estimated, is ignored."""
        if not 0 < confidence < LOW_CONFIDENCE:
            return
        self.count += 1
        insort(self._worst, (confidence, url))
        del self._worst[MAX_DOUBTS:]

    @property
    def worst(self) -> tuple[Doubt, ...]:
        """The items of lowest confidence, the worst first, equal ones by their URL.

        >>> doubts = Doubts()
        >>> for number, confidence in enumerate((0.5, 0.99, 0.2)):
        ...     doubts.add(f"https://a.example/{number}", confidence)
        >>> [doubt.url for doubt in doubts.worst], doubts.count
        (['https://a.example/2', 'https://a.example/0'], 2)
        """
        return tuple(Doubt(url, confidence) for confidence, url in self._worst)

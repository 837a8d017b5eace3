"""How many records a form has, as far as answers tell that overlap.

Records that a single answer showed are compared with those that two answers showed: where hardly
any came twice, most are unknown (Chao 1984, "Nonparametric estimation of the number of classes in a
population", Scandinavian Journal of Statistics 11; its bias-corrected form).  That is a lower bound
for samples by chance.  Probes are none: those that avoid what is known, such as the options of a
choice, overlap little, and the estimate is then too high; what no word of a known record finds is
not in it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection
from dataclasses import dataclass, field

#: The last probes of which the new records are counted.
LAST_PROBES = 50
#: The share of new records among those that the last answers showed from which more are likely.
MIN_NEW_SHARE = 0.02
#: The estimated number of records to the known ones from which more are likely.
MIN_TIMES_KNOWN = 1.1
#: Answers with records from which a total is estimated.
MIN_ANSWERS = 20


@dataclass(frozen=True)
class LastGain:
    """The last probes that were sent, the records that their answers showed, and how many of these
    were new."""

    probes: int
    shown: int
    new: int

    @property
    def is_ongoing(self) -> bool:
        """Whether so many were new that more are likely."""
        return self.new > 0 and self.new >= MIN_NEW_SHARE * self.shown


@dataclass
class Coverage:
    """How often each record was shown, and what the last probes brought."""

    answers: int = 0
    #: The answers that showed a record, by its key.
    _times_shown: Counter[str] = field(default_factory=Counter)
    _last_shown: deque[int] = field(default_factory=lambda: deque(maxlen=LAST_PROBES))
    _last_new: deque[int] = field(default_factory=lambda: deque(maxlen=LAST_PROBES))

    def add(self, keys: Collection[str], new: int) -> None:
        """Note the keys of the records of an answer, and how many of these are new."""
        self.answers += bool(keys)
        self._times_shown.update(keys)
        self._last_shown.append(len(keys))
        self._last_new.append(new)

    @property
    def last_gain(self) -> LastGain:
        """What the last probes brought."""
        return LastGain(
            probes=len(self._last_new),
            shown=sum(self._last_shown),
            new=sum(self._last_new),
        )

    @property
    def known(self) -> int:
        """The number of different records."""
        return len(self._times_shown)

    @property
    def has_unknown(self) -> bool:
        """Whether more records are likely: by what the last probes brought, or by the estimate."""
        is_estimated = self.estimated_total >= MIN_TIMES_KNOWN * self.known
        return self.last_gain.is_ongoing or (self.answers >= MIN_ANSWERS and is_estimated)

    @property
    def estimated_total(self) -> int:
        """The estimated number of all records; 0 if there are too few answers for one."""
        if self.answers < MIN_ANSWERS:
            return 0
        counts = Counter(self._times_shown.values())
        return estimate_total(
            known=self.known,
            shown_once=counts[1],
            shown_twice=counts[2],
        )


def estimate_total(known: int, shown_once: int, shown_twice: int) -> int:
    """The number of all records by those that were shown once and twice (Chao1).

    >>> estimate_total(known=120, shown_once=60, shown_twice=44)
    159
    >>> estimate_total(known=120, shown_once=0, shown_twice=0)
    120
    """
    pairs = shown_once * (shown_once - 1)
    return round(known + pairs / (2 * (shown_twice + 1)))

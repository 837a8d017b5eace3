"""When all items of a crawl were valid at once (Oita's thesis, 1.1; Spaniol et al. 2008).

A crawl takes time, and its pages change meanwhile.  Of an item it is told that it was the same at
two moments: since when, by ``Last-Modified``, by the date of its last change, or by the crawl
before, and until it was fetched, or was confirmed by status 304.  In the intersection of these
intervals all items were valid.  If that is empty, some items break the coherence: they are those
outside of the largest set that was valid at one moment.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forest_scrapy.core.moments import read_http_date, read_moment

#: Looks that are kept of a crawl, of 28 bytes each.
MAX_LOOKS = 200_000
#: Items outside of the largest set that are named.
MAX_BREAKING = 20
#: The bytes of a key.
_KEY_BYTES = 12


@dataclass(frozen=True)
class Look:
    """An item that was the same from ``since`` until it was ``seen``, in seconds since 1970; the
    same number if nothing tells since when."""

    key: str
    since: int
    seen: int


@dataclass(frozen=True)
class Coherence:
    """When the items of a crawl were valid at once; moments are seconds since 1970, UTC.

    ``items``: those of which an interval is known; ``valid``: how many of them were valid from
    ``start`` to ``end``; ``unknown``: items of which nothing tells since when they are as they are;
    ``breaking``: the keys, later the URLs, of some items that were not valid then, sorted.
    """

    items: int = 0
    valid: int = 0
    unknown: int = 0
    start: int = 0
    end: int = 0
    breaking: tuple[str, ...] = ()


class Looks:
    """The latest looks at the items of a crawl, at most ``MAX_LOOKS``; later ones are ignored."""

    def __init__(self) -> None:
        self._keys = bytearray()
        self._since = array("q")
        self._seen = array("q")

    def add(self, key: str, since: int | None, seen: int) -> None:
        """Note an item, which ``page_key`` tells; a moment after it was ``seen`` tells nothing."""
        if len(self._seen) >= MAX_LOOKS:
            return
        if since is None or since > seen:
            since = seen
        self._keys += bytes.fromhex(key)
        self._since.append(since)
        self._seen.append(seen)

    def __iter__(self) -> Iterator[Look]:
        for number, seen in enumerate(self._seen):
            first = number * _KEY_BYTES
            key = self._keys[first : first + _KEY_BYTES].hex()
            yield Look(key, self._since[number], seen)


def unchanged_since(
    last_modified: str,
    modified: str,
    before: int | None = None,
) -> int | None:
    """The first moment at which an item is known to have been as it is, in seconds since 1970.

    ``last_modified``: the header of its page; ``modified``: when it was changed last, as it says,
    in ISO 8601; a date without a time is no moment; ``before``: when it was seen to be the same
    before.  None if none of them tells.

    >>> unchanged_since("Thu, 01 Jan 1970 00:01:00 GMT", "1970-01-01T00:00:30Z")
    30
    """
    moments = [] if before is None else [before]
    told_by_server = read_http_date(last_modified)
    if told_by_server is not None:
        moments.append(told_by_server)
    declared = read_moment(modified) if "T" in modified else None
    if declared is not None:
        moments.append(int(declared.timestamp()))
    return min(moments, default=None)


def measure_coherence(looks: Sequence[Look]) -> Coherence:
    """When the items were valid at once; of several looks at one item the last one counts.

    Of several largest sets it is that of the latest moment.  Cost: O(n log n).

    >>> coherence = measure_coherence([Look("a", 0, 10), Look("b", 5, 20), Look("c", 15, 30)])
    >>> coherence.valid, coherence.items, coherence.start, coherence.end, coherence.breaking
    (2, 3, 15, 20, ('a',))
    """
    latest = {look.key: look for look in looks}
    dated = [look for look in latest.values() if look.since < look.seen]
    unknown = len(latest) - len(dated)
    if not dated:
        return Coherence(unknown=unknown)

    moment = _best_moment(dated)
    valid = []
    breaking = []
    for look in dated:
        if look.since <= moment <= look.seen:
            valid.append(look)
        else:
            breaking.append(look.key)
    return Coherence(
        items=len(dated),
        valid=len(valid),
        unknown=unknown,
        start=max(look.since for look in valid),
        end=min(look.seen for look in valid),
        breaking=tuple(sorted(breaking)[:MAX_BREAKING]),
    )


def _best_moment(looks: Sequence[Look]) -> int:
    """The latest of the moments at which most items are valid; it is the start of one of them."""
    starts = sorted(look.since for look in looks)
    ends = sorted(look.seen for look in looks)
    best_moment = starts[0]
    best_count = 0
    ended = 0
    for started, moment in enumerate(starts, 1):
        while ends[ended] < moment:
            ended += 1
        if started - ended >= best_count:
            best_count = started - ended
            best_moment = moment
    return best_moment

"""The digest of a crawl: its sources, what needs a person, and what has changed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from forest_scrapy.core.health.coherence import Coherence
from forest_scrapy.core.health.doubts import Doubt
from forest_scrapy.core.health.troubles import FeedState, SourceRun, Trouble, Usual
from forest_scrapy.core.plurals import count

#: Dead links, and items of low confidence, that the text names.
_MAX_SHOWN_LINKS = 10
MAX_SHOWN_DOUBTS = 10


@dataclass(frozen=True)
class SourceHealth:
    """A source in the digest."""

    run: SourceRun
    usual: Usual = field(default_factory=Usual)
    feed: FeedState | None = None
    troubles: tuple[Trouble, ...] = ()


@dataclass(frozen=True)
class Redesign:
    """A template whose pages have a new layout, and whose wrapper was learned again: the XPaths,
    and the start of the text of one of the new pages, by the wrapper before and after."""

    host: str
    template: str
    url: str
    xpath_before: str = ""
    xpath_after: str = ""
    text_before: str = ""
    text_after: str = ""


@dataclass(frozen=True)
class DeadLink:
    """A page, feed or sitemap that does not exist any more, or could not be fetched."""

    url: str
    reason: str


@dataclass(frozen=True)
class Digest:
    """The health of one crawl.

    ``status``: 0 if all is well, 1 if the crawl has failed, 3 if something needs a person;
    ``started`` and ``ended``: ISO 8601, UTC; ``finish_reason``: that of Scrapy; ``failure``: what
    has failed, ``""`` if nothing has; ``summary``: the last line of the log; ``dead_links``: what
    does not exist any more, ``unfetched``: what could not be fetched for another reason;
    ``not_seen``: troubles in earlier digests of sources that this crawl did not look at;
    ``doubts``: the items of lowest confidence, the worst first; ``doubtful``: how many items are of
    low confidence; ``dead_count``, ``unfetched_count``: how many links there are in all, of which
    the lists have the first; ``is_new_failure``: whether the last crawl has not failed in the same
    way; ``coherence``: when all items were valid at once.
    """

    status: int = 0
    spider: str = ""
    started: str = ""
    ended: str = ""
    finish_reason: str = ""
    failure: str = ""
    summary: str = ""
    troubles: tuple[Trouble, ...] = ()
    sources: tuple[SourceHealth, ...] = ()
    redesigns: tuple[Redesign, ...] = ()
    dead_links: tuple[DeadLink, ...] = ()
    not_seen: tuple[Trouble, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    doubtful: int = 0
    unfetched: tuple[DeadLink, ...] = ()
    dead_count: int = 0
    unfetched_count: int = 0
    is_new_failure: bool = False
    coherence: Coherence = field(default_factory=Coherence)

    @property
    def new_troubles(self) -> tuple[Trouble, ...]:
        """Those that the last crawl of their source did not have."""
        return tuple(trouble for trouble in self.troubles if trouble.is_new)

    def new_lines(self) -> list[str]:
        """What needs a person and is new, as text; nothing if nothing is."""
        lines = self._failure_lines() if self.is_new_failure else []
        for trouble in self.new_troubles:
            lines += trouble.lines()
        return lines

    def _failure_lines(self) -> list[str]:
        if self.status != 1:
            return []
        return [f"! the crawl has failed: {self.failure or self.finish_reason}"]

    def lines(self) -> list[str]:
        """The digest as text: what needs a person first."""
        lines = [f"{self.ended}  {self.spider}: {self.summary}"]
        lines += self._failure_lines()
        for trouble in self.troubles:
            lines += trouble.lines()
        for redesign in self.redesigns:
            lines.append(f"redesigned: {redesign.host}, template {redesign.template}")
        lines += _link_lines("dead", self.dead_links, self.dead_count)
        lines += _link_lines("not fetched", self.unfetched, self.unfetched_count)
        shown_doubts = self.doubts[:MAX_SHOWN_DOUBTS]
        for doubt in shown_doubts:
            lines.append(f"doubtful: {doubt.url} (confidence {doubt.confidence:.2f})")
        if self.doubtful > len(shown_doubts):
            lines.append(f"doubtful: and {self.doubtful - len(shown_doubts)} more")
        if len(lines) == 1:
            lines.append("nothing needs a person")
        if self.coherence.items:
            lines.append(f"coherence: {describe_coherence(self.coherence)}")
        return lines


def describe_coherence(coherence: Coherence) -> str:
    """When the items of a crawl were valid at once, in words.

    >>> describe_coherence(Coherence(items=3, valid=3, start=0, end=60))
    '3 of 3 items were valid from 1970-01-01T00:00:00+00:00 to 1970-01-01T00:01:00+00:00'
    >>> describe_coherence(Coherence(unknown=2))
    'of 2 items it is not known since when they are as they are'
    """
    unknown = count(coherence.unknown, "item")
    unknown_text = f"of {unknown} it is not known since when they are as they are"
    if not coherence.items:
        return unknown_text
    start = datetime.fromtimestamp(coherence.start, UTC).isoformat()
    end = datetime.fromtimestamp(coherence.end, UTC).isoformat()
    items = count(coherence.items, "item")
    text = f"{coherence.valid} of {items} were valid from {start} to {end}"
    if coherence.unknown:
        return f"{text}; {unknown_text}"
    return text


def _link_lines(label: str, links: Sequence[DeadLink], total: int) -> list[str]:
    """The first of some links, and the number of the others; ``total``: how many there are, at
    least those that are listed."""
    total = max(total, len(links))
    shown_links = links[:_MAX_SHOWN_LINKS]
    lines = [f"{label}: {link.url} ({link.reason})" for link in shown_links]
    if total > len(shown_links):
        lines.append(f"{label}: and {total - len(shown_links)} more, {total} in all")
    return lines

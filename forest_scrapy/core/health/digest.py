"""The digest of a crawl: its sources, what needs a person, and what has changed."""

from dataclasses import dataclass, field

from forest_scrapy.core.health.doubts import Doubt
from forest_scrapy.core.health.troubles import FeedState, SourceRun, Trouble, Usual

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
    """A page that does not exist any more, or could not be fetched."""

    url: str
    reason: str


@dataclass(frozen=True)
class Digest:
    """The health of one crawl.

    ``status``: 0 if all is well, 1 if the crawl has failed, 3 if something needs a person;
    ``started`` and ``ended``: ISO 8601, UTC; ``finish_reason``: that of Scrapy; ``failure``: what
    has failed, ``""`` if nothing has; ``summary``: the last line of the log; ``not_seen``: troubles
    in earlier digests of sources that this crawl did not look at; ``doubts``: the items of lowest
    confidence, the worst first; ``doubtful``: how many items are of low confidence.
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

    @property
    def new_troubles(self) -> tuple[Trouble, ...]:
        """Those that the last crawl of their source did not have."""
        return tuple(trouble for trouble in self.troubles if trouble.is_new)

    def lines(self) -> list[str]:
        """The digest as text: what needs a person first."""
        lines = [f"{self.ended}  {self.spider}: {self.summary}"]
        if self.status == 1:
            lines.append(f"! the crawl has failed: {self.failure or self.finish_reason}")
        for trouble in self.troubles:
            lines.append(f"! {trouble.source}: {trouble.text}")
            lines.append(f"    {trouble.remedy}")
        for redesign in self.redesigns:
            lines.append(f"redesigned: {redesign.host}, template {redesign.template}")
        for link in self.dead_links[:_MAX_SHOWN_LINKS]:
            lines.append(f"dead: {link.url} ({link.reason})")
        if len(self.dead_links) > _MAX_SHOWN_LINKS:
            lines.append(f"dead: and {len(self.dead_links) - _MAX_SHOWN_LINKS} more")
        shown_doubts = self.doubts[:MAX_SHOWN_DOUBTS]
        for doubt in shown_doubts:
            lines.append(f"doubtful: {doubt.url} (confidence {doubt.confidence:.2f})")
        if self.doubtful > len(shown_doubts):
            lines.append(f"doubtful: and {self.doubtful - len(shown_doubts)} more")
        return lines if len(lines) > 1 else [*lines, "nothing needs a person"]

"""What needs a person, and what tells so.

A source is a feed, or a site whose pages no feed lists.  What a crawl found of it is compared with
what earlier crawls have found of the same source, so that nothing has to be configured.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median
from urllib.parse import urljoin

from forest_scrapy.core.plurals import count

#: Fields that most articles of a source have, or none.
HEALTH_FIELDS = ("title", "published", "authors")
#: Earlier crawls of a source that it is compared with, at least and at most.
_MIN_RUNS = 2
MAX_RUNS = 20
#: Pages from which on a share says something.
_MIN_PAGES = 5
#: The share of the usual length of texts, and of the usual share of articles among the pages, below
#: which something is wrong.
_MIN_USUAL_LENGTH = 0.5
_MIN_USUAL_ARTICLES = 0.5
#: By how much the share of articles with a field may fall.
_MAX_FALL = 0.5
#: Requests for a feed that fail one after the other until a person should look; answers that say
#: that it does not exist need none of these.
_MAX_FAILURES = 3
_NOT_THERE = ("status 404", "status 410")
_REFUSALS = ("status 401", "status 403", "status 429", "status 451")
#: How the problems of feeds begin that were fetched and cannot be read.
_NO_FEED = ("not a feed", "no item", "cannot be decompressed")
#: How the problem of a feed starts that ends before its first item.
_CUT = "cut off"
#: How the reasons of feeds start that have too many bytes or take too long; they name the setting.
_TOO_LARGE = ("it has more than", "takes more than")
#: What the problem of a file has that is named as a feed, such as an image.
_IS_FILE = ", no feed:"
_PRIVATE = "private_address"
_ROBOTS = "robots.txt"
#: The reason of pages that the server has not given.
_BLOCKED = "blocked"
#: Troubles of sources that other crawls looked at.
_MAX_NOT_SEEN = 1000
#: A feed is silent after so many times its longest pause, of at least so many, and so many seconds.
_MAX_PAUSE_RATIO = 2
_MIN_PAUSES = 4
_MIN_SILENCE = 2 * 86_400


@dataclass(frozen=True)
class SourceRun:
    """What one crawl found of one source.

    - ``pages``: those with an outcome; ``articles``: those that have an article or another item,
      also one that has not changed; ``dropped``: the others, by reason; ``failed``: pages that
      could not be fetched, by reason.
    - ``characters``: the median length of the texts.
    - ``fields``: how many of the articles have each of ``HEALTH_FIELDS``.
    """

    source: str
    pages: int = 0
    articles: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    characters: int = 0
    fields: dict[str, int] = field(default_factory=dict)

    @property
    def article_share(self) -> float:
        """The share of the pages that have an article."""
        if self.pages:
            return self.articles / self.pages
        return 0.0


@dataclass(frozen=True)
class Usual:
    """What earlier crawls have found of a source, in the median: the share of articles among the
    pages, the length of the texts, and the share of articles with each field."""

    runs: int = 0
    article_share: float = 0.0
    characters: int = 0
    fields: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Sequence[SourceRun]) -> "Usual":
        """What is usual, by these crawls; only those with pages count."""
        with_pages = [run for run in runs if run.pages]
        if not with_pages:
            return cls()
        usual = cls(
            runs=len(with_pages),
            article_share=median(run.article_share for run in with_pages),
        )
        with_articles = [run for run in with_pages if run.articles]
        if not with_articles:
            return usual

        articles = sum(run.articles for run in with_articles)
        counts: Counter[str] = Counter()
        for run in with_articles:
            counts.update(run.fields)
        return replace(
            usual,
            characters=int(median(run.characters for run in with_articles)),
            fields={name: counts[name] / articles for name in HEALTH_FIELDS},
        )


@dataclass(frozen=True)
class LostEntries:
    """Entries of a feed that have come and gone between two polls: about how many; ``is_counted``:
    False if nothing tells how many; ``since``: from when on, ISO 8601."""

    number: int
    is_counted: bool
    since: str

    def describe(self) -> str:
        """
        >>> LostEntries(1, True, "").describe()
        'about one more entry was published than it lists'
        """
        if not self.is_counted:
            return "more entries were published than it lists; its dates do not tell how many"
        if self.number == 1:
            return "about one more entry was published than it lists"
        return f"about {self.number} more entries were published than it lists"

    def remedy(self, feed: str, crawl: str = "scrapy crawl") -> str:
        """What to do about it; ``crawl``: the command that starts a crawl."""
        day = self.since[: len("2024-05-31")]
        return (
            "crawl it more often; what is lost may be in older pages of the feed:"
            f" {crawl} feeds -a feeds={feed} -a older=20 -a since={day},"
            f" or on the site: {crawl} site -a url={urljoin(feed, '/')} -a since={day}"
        )


@dataclass(frozen=True)
class FeedState:
    """A feed as it was polled last.

    ``status``: ``read``, ``not modified`` or why it failed; ``failures``: one after the other;
    ``newest``: the date of its newest entry, ``longest_pause``: the longest time between two of its
    latest entries, in seconds since 1970, and in seconds; ``watched_since``: when a crawl found
    pages of it for the first time, in seconds since 1970; None if unknown.  ``lost``: the entries
    that have come and gone between the last two polls.
    """

    status: str
    failures: int = 0
    newest: int | None = None
    longest_pause: int | None = None
    watched_since: int | None = None
    lost: LostEntries | None = None

    @property
    def has_failed(self) -> bool:
        return self.status not in ("read", "not modified")

    def silence(self, now: int) -> int | None:
        """The seconds since the newest entry; None if that is unknown."""
        if self.newest is None:
            return None
        return max(0, now - self.newest)

    def is_silent(self, now: int) -> bool:
        """Whether there was no entry for much longer than ever between the latest ones, all the
        time watched: that a feed was silent before its first crawl is no news."""
        if self.newest is None or self.longest_pause is None or self.watched_since is None:
            return False
        watched_silence = now - max(self.newest, self.watched_since)
        usual_silence = _MAX_PAUSE_RATIO * self.longest_pause
        return watched_silence > max(usual_silence, _MIN_SILENCE)


def longest_pause(dates: Sequence[int]) -> int | None:
    """The longest time between two entries of these dates; None for few."""
    different_dates = sorted(set(dates))
    gaps = []
    for earlier, later in pairwise(different_dates):
        gaps.append(later - earlier)
    if len(gaps) >= _MIN_PAUSES:
        return max(gaps)
    return None


@dataclass(frozen=True)
class Trouble:
    """Something that needs a person.

    ``kind`` and ``source`` are the same in each crawl for the same trouble; ``text``: what is
    wrong; ``remedy``: what to do.  ``is_new``: whether the last crawl of its source did not have
    it.
    """

    kind: str
    source: str
    text: str
    remedy: str
    is_new: bool = True

    def lines(self) -> list[str]:
        """The trouble as text, what to do below what is wrong."""
        return [f"! {self.source}: {self.text}", f"    {self.remedy}"]


def find_troubles(
    run: SourceRun,
    usual: Usual,
    feed: FeedState | None,
    now: int,
    crawl: str = "scrapy crawl",
) -> tuple[Trouble, ...]:
    """What needs a person at a source; ``feed``: its state if it is a feed, ``now``: seconds since
    1970, ``crawl``: the command that starts a crawl."""
    feed_troubles = _find_in_feed(run.source, feed, now, crawl) if feed else []
    return (*feed_troubles, *_find_in_pages(run, usual))


def _find_in_feed(source: str, feed: FeedState, now: int, crawl: str) -> list[Trouble]:
    if feed.has_failed:
        if not is_dead(feed.status) and feed.failures < _MAX_FAILURES:
            return []
        times = f", {feed.failures} times in a row" if feed.failures > 1 else ""
        text = f"the feed cannot be read: {feed.status}{times}"
        return [Trouble("feed_failed", source, text, _remedy_of_feed(feed.status))]
    if feed.lost:
        text = f"between two polls {feed.lost.describe()}"
        return [Trouble("missed", source, text, feed.lost.remedy(source, crawl))]
    if not feed.is_silent(now):
        return []
    silence = _days(feed.silence(now) or 0)
    pause = _days(feed.longest_pause or 0)
    text = f"no new entry for {silence}; its longest pause was {pause}"
    return [Trouble("silent", source, text, "look whether the site has another feed by now")]


def is_dead(reason: str) -> bool:
    """Whether something does not exist any more that could not be fetched for this reason.

    >>> is_dead("status 404"), is_dead("status 500")
    (True, False)
    """
    return reason in _NOT_THERE


def _remedy_of_feed(reason: str) -> str:
    """What to do about a feed that cannot be read for this reason.

    >>> _remedy_of_feed("status 503")
    'its server has an error: wait, and tell the site if it stays'
    >>> _remedy_of_feed("it has more than 9 bytes, FOREST_MAX_BYTES")
    'raise the setting, or look for a shorter feed of the site'
    """
    if is_dead(reason):
        return "look for its new address, or take it from your list"
    if reason.startswith("status 5"):
        return "its server has an error: wait, and tell the site if it stays"
    if reason in _REFUSALS:
        return "the site refuses the crawl: open the feed in a browser, and crawl less often"
    if reason.startswith(_NO_FEED):
        return "open it in a browser: the site may have moved its feed, or show a notice instead"
    if reason.startswith(_CUT):
        return "its server ends the answer too early; the next crawl reads it again"
    if reason.startswith(_TOO_LARGE):
        return "raise the setting, or look for a shorter feed of the site"
    if _IS_FILE in reason:
        return "take it from your list, and name the feed instead, or a page of its site"
    if _PRIVATE in reason:
        return "set FOREST_ALLOW_PRIVATE if the address is right, or take it from your list"
    if _ROBOTS in reason:
        return "robots.txt forbids it: look for another feed of the site, or ask the site"
    return "its server does not answer: look whether the site, and the network here, are up"


def _find_in_pages(run: SourceRun, usual: Usual) -> list[Trouble]:
    troubles = []
    failed = sum(run.failed.values())
    requested = run.pages + failed
    if failed >= _MIN_PAGES and failed > requested / 2:
        reason = max(run.failed, key=lambda name: (run.failed[name], name))
        text = f"{failed} of {requested} pages cannot be fetched, most: {reason}"
        remedy = "open one in a browser; the site may block the crawl, or need a browser"
        troubles.append(Trouble("pages_failed", run.source, text, remedy))

    blocked = run.dropped.get(_BLOCKED, 0)
    if blocked >= _MIN_PAGES and blocked > run.pages / 2:
        text = f"{blocked} of {run.pages} pages are challenges, consent walls or script notices"
        remedy = "the site blocks the crawl, or needs a browser: see FOREST_RENDER"
        troubles.append(Trouble("pages_blocked", run.source, text, remedy))

    if usual.runs < _MIN_RUNS:
        return troubles
    min_share = _MIN_USUAL_ARTICLES * usual.article_share
    if run.pages >= _MIN_PAGES and run.article_share < min_share:
        text = (
            f"{count(run.articles, 'article')} of {count(run.pages, 'page')}"
            f"; usually {usual.article_share:.0%} of the pages are articles"
        )
        remedy = "scrapy forest why URL says for a page why it was dropped"
        troubles.append(Trouble("few_articles", run.source, text, remedy))

    min_characters = _MIN_USUAL_LENGTH * usual.characters
    if run.articles >= _MIN_PAGES and run.characters < min_characters:
        text = f"texts have {count(run.characters, 'character')}; usually {usual.characters}"
        remedy = "scrapy forest edit HOST shows what the wrapper takes, and corrects it by clicks"
        troubles.append(Trouble("short_texts", run.source, text, remedy))
    return troubles + _find_in_fields(run, usual)


def _find_in_fields(run: SourceRun, usual: Usual) -> list[Trouble]:
    if run.articles < _MIN_PAGES:
        return []
    troubles = []
    for name in HEALTH_FIELDS:
        share = run.fields.get(name, 0) / run.articles
        usual_share = usual.fields.get(name, 0.0)
        if usual_share - share > _MAX_FALL:
            text = f"{share:.0%} of the articles have {name}; usually {usual_share:.0%}"
            remedy = "scrapy forest edit HOST shows where it is looked for, and corrects it"
            troubles.append(Trouble(f"lacks_{name}", run.source, text, remedy))
    return troubles


def mark_new(
    troubles: Sequence[Trouble],
    before: Sequence[Trouble],
) -> tuple[Trouble, ...]:
    """The troubles, with whether each was there ``before``."""
    keys_before = {(trouble.kind, trouble.source) for trouble in before}
    marked = []
    for trouble in troubles:
        is_new = (trouble.kind, trouble.source) not in keys_before
        marked.append(replace(trouble, is_new=is_new))
    return tuple(marked)


def not_seen(
    before: Sequence[Trouble],
    sources: Collection[str],
    troubles: Sequence[Trouble],
) -> tuple[Trouble, ...]:
    """The troubles of earlier crawls that are not among the ``troubles`` of this one, and whose
    source is none of the ``sources`` that were looked at: another crawl has found them, or this
    one has failed.  The first ``_MAX_NOT_SEEN``."""
    seen = {(trouble.kind, trouble.source) for trouble in troubles}
    remaining = []
    for trouble in before:
        is_seen = (trouble.kind, trouble.source) in seen
        if trouble.source not in sources and not is_seen:
            remaining.append(replace(trouble, is_new=False))
    return tuple(remaining[:_MAX_NOT_SEEN])


def _days(seconds: float) -> str:
    """
    >>> _days(7200), _days(86_400 * 12.4)
    ('2 hours', '12 days')
    """
    hours = seconds / 3600
    return count(round(hours), "hour") if hours < 48 else count(round(hours / 24), "day")

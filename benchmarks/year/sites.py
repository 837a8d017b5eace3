"""Made sites whose articles, corrections, redesigns and failures over a year follow from a seed."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from html import escape
from itertools import islice
from operator import attrgetter

HOUR = 3600
DAY = 86_400
#: The first moment of the year.
START = int(datetime(2027, 1, 1, tzinfo=UTC).timestamp())
#: Articles a day of each site; further sites begin again.
_RATES = (8.0, 4.0, 2.0, 1.0, 0.3, 6.0, 3.0, 1.5, 0.7, 0.12)
#: Items in the feeds: at least those of two days, and of many more of slow sites.
_LEAST_ITEMS = 12
#: Shares of articles that are corrected; of these those in the first hours, and those whose feed
#: entry changes too.
_CORRECTED = 0.15
_EARLY = 0.5
_LISTED = 0.5
#: The share of articles whose page fails at first.
_FAILING = 0.01
#: Share of corrections that are another headline, in the page and in the feed.
_HEADLINES = 0.3
#: Shares of articles that are deleted, of these those that return, and those that the feed lists
#: all the time.
_DELETED = 0.06
_RETURNED = 0.6
_STILL_LISTED = 0.5
#: The share of deletions of which all is within the days in which the feed lists the article, so
#: that crawls can see it: days until the deletion, and until the return, at least and at most; and
#: those of the others, which crawls see if they ask for the page by chance.
_EARLY_DELETED = 0.6
_DAYS_EARLY = (0.3, 1.2)
_DAYS_UNTIL_DELETED = (0.5, 10)
_DAYS_UNTIL_RETURNED = (0.5, 6)
#: Days between two bursts of a site, in each of which it publishes more within hours than its feed
#: lists; by how many articles more, at least and at most.
_BURST_DAYS = 9
_BURST_HOURS = 3
_BURST_MORE = (5, 30)
#: How a feed fails, in turn.
FAILURES = ("404", "500", "cut", "empty", "410", "page", "timeout", "no items")
#: One site ends for good after this share of the year.
_ENDS = 3
_END = 0.6

_WHO = "mayor captain baker teacher surveyor engineer miller doctor librarian gardener".split()
_ACT = "opened repaired inspected painted closed measured rented described moved drained".split()
_WHAT = "harbour bridge quarry meadow foundry orchard tannery beacon ferry mill library".split()
_HOW = "quietly again together slowly early late carefully proudly reluctantly cheaply".split()
_WHERE = "Alden Brook Carrow Denby Elmore Farley Gorton Haxby Ilkeston Jarrow Kelso".split()
_LAYOUTS = 4
_NAMES = "story post entry text piece report column note feature article main lead".split()


@dataclass(frozen=True)
class Version:
    """The text and title of an article from a moment on; ``is_listed``: its feed entry says so."""

    since: int
    paragraphs: tuple[str, ...]
    is_listed: bool
    title: str = ""

    @property
    def text(self) -> str:
        return "\n".join(self.paragraphs)


@dataclass(frozen=True)
class Story:
    """An article: what is on its page, and when.  ``returned``: when it is there again after it was
    ``deleted``; ``is_still_listed``: whether the feed lists it meanwhile."""

    number: int
    path: str
    author: str
    published: int
    versions: tuple[Version, ...]
    deleted: int | None
    fails_until: int
    returned: int | None = None
    is_still_listed: bool = False

    @property
    def title(self) -> str:
        """The first title."""
        return self.versions[0].title

    def is_gone(self, now: int) -> bool:
        """Whether its page does not exist at a moment."""
        if self.deleted is None or now < self.deleted:
            return False
        return self.returned is None or now < self.returned

    def version_at(self, now: int) -> int:
        """The number of the version at a moment."""
        return sum(version.since <= now for version in self.versions) - 1


@dataclass(frozen=True)
class Outage:
    """A time in which the feed fails, in one of the ways of ``FAILURES``."""

    start: int
    end: int
    kind: str


class Site:
    """One of the sites; all that happens on it follows from its number and the seed."""

    def __init__(self, number: int, days: int, seed: int) -> None:
        self.number = number
        self._days = days
        self.host = f"paper{number}.example"
        self.feed_path = "/atom.xml" if number % 3 == 1 else "/feed.xml"
        self.feed_url = f"http://{self.host}{self.feed_path}"
        self.rate = _RATES[number % len(_RATES)]
        self.most_items = max(_LEAST_ITEMS, int(self.rate * 3))
        self.has_etags = number % 3 != 2
        self.pages_have_etags = number % 2 == 0
        #: Whether there is a sitemap, in which a crawl finds what its feed has lost.
        self.has_sitemap = number % 3 == 1
        self.is_atom = number % 3 == 1
        self.has_dates = number % 5 != 4
        self._chance = random.Random(f"{seed} {number}")
        self.end = START + int(days * DAY * _END) if number == _ENDS else None
        self.stories = tuple(self._stories())
        self.outages = tuple(self._outages())
        self.redesigns = tuple(self._redesigns())

    @cached_property
    def by_path(self) -> dict[str, Story]:
        return {story.path: story for story in self.stories}

    def listed(self, now: int) -> list[Story]:
        """The stories of the feed, the latest first."""
        latest = bisect_right(self.stories, now, key=attrgetter("published"))
        there = (
            story
            for story in reversed(self.stories[:latest])
            if story.is_still_listed or not story.is_gone(now)
        )
        return list(islice(there, self.most_items))

    def published(self, since: int, until: int) -> list[Story]:
        """The stories that were published after one moment and not after the other."""
        first = bisect_right(self.stories, since, key=attrgetter("published"))
        last = bisect_right(self.stories, until, key=attrgetter("published"))
        return list(self.stories[first:last])

    def link(self, story: Story, now: int) -> str:
        """The URL of a story in the feed: one site has it with the time, another one moves."""
        host = f"www.{self.host}" if self.number % 5 == 1 and self.layout(now) else self.host
        tracker = f"?utm_source=feed&utm_id={now}" if self.number % 5 == 2 else ""
        return f"http://{host}{story.path}{tracker}"

    def failure(self, now: int) -> str:
        """How the feed fails now, or ``""``."""
        if self.end is not None and now >= self.end:
            return "410"
        return next(
            (outage.kind for outage in self.outages if outage.start <= now < outage.end), ""
        )

    def layout(self, now: int) -> int:
        """The number of redesigns so far."""
        return sum(moment <= now for moment in self.redesigns)

    def _stories(self) -> Iterator[Story]:
        moments = sorted([*self._usual_moments(), *self._moments_of_bursts()])
        for number, moment in enumerate(moments):
            yield self._story(number, moment)

    def _usual_moments(self) -> Iterator[int]:
        moment = START - self.most_items * DAY / self.rate
        while True:
            moment += self._chance.expovariate(self.rate / DAY)
            if moment > START + self._days * DAY:
                return
            yield int(moment)

    def _moments_of_bursts(self) -> Iterator[int]:
        """Days on which a site publishes more than its feed lists, each site on other ones."""
        for day in range(3 + self.number % 5, self._days - 1, _BURST_DAYS):
            start = START + day * DAY + self._chance.randrange(DAY)
            for _ in range(self.most_items + self._chance.randint(*_BURST_MORE)):
                yield start + self._chance.randrange(_BURST_HOURS * HOUR)

    def _story(self, number: int, published: int) -> Story:
        chance = self._chance
        paragraphs = tuple(self._paragraph(number, 0) for _ in range(chance.randint(4, 9)))
        slug = f"{chance.choice(_WHO)} {chance.choice(_ACT)} the {chance.choice(_WHAT)}"
        title = f"{slug.capitalize()} of {chance.choice(_WHERE)}, no. {number}"
        versions = [Version(published, paragraphs, True, title)]
        while chance.random() < _CORRECTED and len(versions) < 4:
            is_early = chance.random() < _EARLY
            wait = chance.uniform(0.3 * HOUR, 6 * HOUR if is_early else 20 * DAY)
            latest = versions[-1]
            since = latest.since + int(wait)
            if chance.random() < _HEADLINES:
                versions.append(Version(since, latest.paragraphs, True, self._headline(latest)))
            else:
                changed = self._correct(latest.paragraphs, number, len(versions))
                is_listed = chance.random() < _LISTED
                versions.append(Version(since, changed, is_listed, latest.title))
        is_deleted = chance.random() < _DELETED
        fails = chance.random() < _FAILING
        deleted = None
        returned = None
        if is_deleted:
            is_early = chance.random() < _EARLY_DELETED
            days = chance.uniform(*(_DAYS_EARLY if is_early else _DAYS_UNTIL_DELETED))
            deleted = published + int(days * DAY)
            if chance.random() < _RETURNED:
                days = chance.uniform(*(_DAYS_EARLY if is_early else _DAYS_UNTIL_RETURNED))
                returned = deleted + int(days * DAY)
        return Story(
            number,
            f"/{datetime.fromtimestamp(published, UTC):%Y/%m}/{slug.replace(' ', '-')}-{number}",
            f"{chance.choice(_WHERE)} {chance.choice(_WHERE)}son",
            published,
            tuple(versions),
            deleted,
            published + int(chance.uniform(4, 30) * HOUR) if fails else 0,
            returned,
            chance.random() < _STILL_LISTED,
        )

    def _headline(self, version: Version) -> str:
        """Another title: someone else has done it."""
        _, _, end = version.title.partition(" ")
        others = [who for who in _WHO if who.capitalize() not in version.title]
        return f"{self._chance.choice(others).capitalize()} {end}"

    def _correct(self, paragraphs: tuple[str, ...], number: int, version: int) -> tuple[str, ...]:
        """One sentence, a paragraph or the end is another one."""
        kind = self._chance.randrange(3)
        at = self._chance.randrange(len(paragraphs))
        if kind == 0:
            return (*paragraphs, self._paragraph(number, version))
        new = self._sentence(number, version) if kind == 1 else self._paragraph(number, version)
        if kind == 1:
            new = f"{paragraphs[at]} {new}"
        return (*paragraphs[:at], new, *paragraphs[at + 1 :])

    def _paragraph(self, number: int, version: int) -> str:
        count = self._chance.randint(2, 4)
        return " ".join(self._sentence(number, version) for _ in range(count))

    def _sentence(self, number: int, version: int) -> str:
        pick = self._chance.choice
        draw = self._chance.randint
        mark = "" if version == 0 else f", as was found out {version * 7} days afterwards"
        return (
            f"In {draw(1700, 1990)} the {pick(_WHO)} of {pick(_WHERE)} {pick(_HOW)}"
            f" {pick(_ACT)} the {pick(_WHAT)} which the {pick(_WHO)} had {pick(_ACT)}"
            f" for {draw(20, 9999)} pounds near {pick(_WHERE)}{mark}."
        )

    def _outages(self) -> Iterator[Outage]:
        for number in range(max(1, self._days // 45)):
            start = START + int(self._chance.uniform(0.2, 0.9) * self._days * DAY)
            kind = FAILURES[(self.number + number) % len(FAILURES)]
            yield Outage(start, start + int(self._chance.uniform(6, 60) * HOUR), kind)

    def _redesigns(self) -> Iterator[int]:
        parts = 1 + self._days // 150
        for part in range(parts):
            yield START + int((part + self._chance.uniform(0.4, 0.8)) / parts * self._days * DAY)

    def page(self, story: Story, now: int) -> str:
        """The page of a story; what is around the article changes from day to day."""
        day = (now - START) // DAY
        noise = random.Random(f"{self.number} {story.number} {day}")
        links = "".join(
            f'<li><a href="{listed_story.path}">{escape(listed_story.title)}</a></li>'
            for listed_story in self.listed(now)[:5]
            if listed_story is not story
        )
        design = self.layout(now)
        names = random.Random(f"{self.number} {design}").sample(_NAMES, 4)
        text = "".join(
            f"<p>{escape(paragraph)}</p>"
            for paragraph in story.versions[story.version_at(now)].paragraphs
        )
        moment = datetime.fromtimestamp(story.published, UTC)
        title = story.versions[story.version_at(now)].title
        return _PAGES[(self.number + design) % _LAYOUTS].format(
            *names,
            paper=f"Paper {self.number}",
            title=escape(title),
            author=story.author,
            date=moment.isoformat(),
            day=f"{moment.day} {moment:%B %Y}",
            text=text,
            others=links,
            views=noise.randrange(10**6),
            advert=f"{noise.choice(_HOW)} {noise.choice(_WHAT)} {noise.choice(_WHERE)}",
        )


_HEAD = (
    "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title} - {paper}</title>"
    '<meta property="og:type" content="article"><meta name="author" content="{author}">'
    '<meta property="article:published_time" content="{date}"></head>'
)
_PAGES = (
    _HEAD + "<body><header><nav><a href='/'>Home</a> <a href='/news'>News</a></nav></header>"
    "<main class='{0}'><h1>{title}</h1><p class='by'>By {author}, <time>{day}</time></p>"
    "<div class='{1}-body'>{text}</div><p class='views'>{views} views</p></main>"
    "<aside class='{2}'><h2>Most read</h2><ul>{others}</ul><p>{advert}</p></aside>"
    "<footer>All rights reserved by {paper}. Terms of use.</footer></body></html>",
    _HEAD + "<body><div id='top'><ul class='menu'><li><a href='/'>Start</a></li>"
    "<li>Archive</li></ul></div><div class='ad-{2}'>{advert}</div><div class='{0}'>"
    "<h2 class='{1}'>{title}</h2>"
    "<span class='meta'>{day} | {author}</span><section class='{3}'>{text}</section>"
    "<div class='related'><h4>Related</h4><ol>{others}</ol></div></div>"
    "<div class='foot'><small>{paper} since 1901, seen {views} times</small></div></body></html>",
    _HEAD + "<body><article class='{0} h-entry'><header><h1 class='p-name'>{title}</h1>"
    "<address>{author}</address><time datetime='{date}'>{day}</time></header>"
    "<div class='{1} e-content'>{text}</div><footer>Share this: a b c</footer></article>"
    "<nav class='{2}'><h3>Latest</h3><ul>{others}</ul></nav>"
    "<p class='count'>{views} readers, {advert}</p></body></html>",
    _HEAD + "<body><table class='page'><tr><td class='left'><ul>{others}</ul><p>{advert}</p></td>"
    "<td class='{0}'><h1>{title}</h1><div class='{1}'><em>{author}</em> <i>{day}</i></div>"
    "<div class='{2}'>{text}</div><div class='{3}'>{views} people have read this page.</div>"
    "</td></tr></table></body></html>",
)

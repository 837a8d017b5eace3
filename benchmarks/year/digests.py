"""Whether the health digests of a simulated year are true."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.year.server import Answer
from benchmarks.year.sites import DAY, HOUR, Site

#: Failures that need a person at once.
_NOT_THERE = ("404", "410")
#: Polls in a row after which others do at the latest: a crawl that is killed may not have counted
#: its own.
MAX_POLLS = 5
#: Faults by which the clock of a crawl is wrong.
CLOCK_FAULTS = ("back", "back-far", "ahead", "epoch")
#: The server notes a timeout too late for the run.
_UNCERTAIN = "timeout"
#: After a redesign, pages may be unusual for some days.
_UNSETTLED = 2 * DAY
#: A slow site needs some days to be learned.
_LEARNED = 40 * DAY
_QUIET = 2 * DAY


class DigestChecker:
    """Compares each digest with what the sites did.

    ``troubles``: how often each kind was told, by all digests; ``redesigns``: those that were told,
    as site and number; ``gaps``: for each feed that has lost stories, how many it was told to have
    lost, and how many it has; ``in_sitemaps``: stories that a feed has lost and a sitemap has, as
    site and number.
    """

    def __init__(self, sites: Sequence[Site]) -> None:
        self._sites = {site.feed_url: site for site in sites}
        self._failed: Counter[int] = Counter()
        #: When each site's feed was last read.
        self._read: dict[int, int] = {}
        self.checked = 0
        self.troubles = Counter[str]()
        self.redesigns: set[tuple[int, int]] = set()
        self.gaps: list[tuple[int, int]] = []
        self.in_sitemaps: set[tuple[int, int]] = set()
        #: Sites whose feeds were polled by a crawl with a fault since they were read last.
        self._uncertain: set[int] = set()
        #: Those of them that a crawl with a wrong clock has polled: to it, the entries are not of
        #: the time of the gap.
        self._mistimed: set[int] = set()
        #: When the crawls ended whose digests have something new, which a person has to be told.
        self._news: list[str] = []
        #: How many of these were handed on once.
        self.told = 0

    def add(
        self,
        now: int,
        fault: str,
        place: Path,
        status: int,
        answers: Sequence[Answer],
    ) -> Iterator[str]:
        """What is wrong with the digest after one run, at ``now``; ``status``: that of its process;
        ``answers``: those of the server in it.  After a fault only failures are counted."""
        polled = {}
        for answer in answers:
            is_of_feed = answer.version is None
            if is_of_feed:
                polled[answer.site] = answer.status != 0
        for site, is_fine in polled.items():
            if is_fine:
                self._failed[site] = 0
            else:
                self._failed[site] += 1
        if fault:
            self._uncertain.update(polled)
            if fault in CLOCK_FAULTS:
                self._mistimed.update(polled)
        if fault or not polled:
            return
        try:
            digest = json.loads(place.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            yield f"no digest: {error}"
            return
        self.checked += 1
        has_new_trouble = any(trouble["is_new"] for trouble in digest["troubles"])
        if has_new_trouble or digest["is_new_failure"]:
            self._news.append(digest["ended"])
        yield from self._check(now, digest, status, polled)

    @property
    def news(self) -> int:
        """How many digests have something new."""
        return len(self._news)

    def check_told(self, told: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """What is wrong with the digests that were handed on, after the last run."""
        counts = Counter(digest["ended"] for digest in told)
        self.told = sum(counts[ended] == 1 for ended in self._news)
        for ended in self._news:
            if counts[ended] != 1:
                yield f"the digest of {ended} was told {counts[ended]} times"

    def _check(
        self,
        now: int,
        digest: Mapping[str, Any],
        status: int,
        polled: Mapping[int, bool],
    ) -> Iterator[str]:
        ended = datetime.fromisoformat(digest["ended"]).timestamp()
        if not now <= ended <= now + HOUR:
            yield f"the digest is of {digest['ended']}"
        if status not in (1, digest["status"]):
            yield f"status {status}, {digest['status']} in the digest"

        told: dict[tuple[str, str], str] = {}
        for trouble in digest["troubles"]:
            source = trouble["source"]
            kind = trouble["kind"]
            told[source, kind] = trouble["text"]
        self.troubles.update(kind for _, kind in told)

        for url, site in self._sites.items():
            if site.number in polled:
                is_told = (url, "feed_failed") in told
                yield from self._check_feed(now, site, is_told)

        for (url, kind), text in told.items():
            told_site = self._sites.get(url)
            if not self._may_be(told_site, kind, now):
                yield f"false alarm: {url}: {text}"

        for url, site in self._sites.items():
            was_read = polled.get(site.number)
            if was_read:
                gap_text = told.get((url, "missed"))
                yield from self._check_gap(now, site, gap_text)
                self._read[site.number] = now
                self._uncertain.discard(site.number)
                self._mistimed.discard(site.number)

        for redesign in digest["redesigns"]:
            yield from self._check_redesign(now, redesign["host"])

    def _may_be(self, site: Site | None, kind: str, now: int) -> bool:
        """Whether a trouble that is told may be one; ``_check_feed`` tells it of failures."""
        if kind == "feed_failed":
            return True
        if site is None:
            return False
        if kind == "missed" and self._has_overflowed(site, now):
            return True
        return _is_unsettled(site, kind, now)

    def _check_feed(self, now: int, site: Site, is_told: bool) -> Iterator[str]:
        failure = site.failure(now)
        polls = self._failed[site.number]
        if failure == _UNCERTAIN:
            return
        if is_told and not failure:
            yield f"{site.feed_url} is told to fail, and does not"
        must_be = failure in _NOT_THERE or (failure and polls >= MAX_POLLS)
        if must_be and not is_told:
            yield f"{site.feed_url} fails ({failure}, poll {polls}), which is not told"

    def _check_gap(self, now: int, site: Site, text: str | None) -> Iterator[str]:
        """Whether what a feed has lost is told, or found in the sitemap."""
        if site.number in self._mistimed or not self._has_overflowed(site, now):
            return
        is_uncertain = site.number in self._uncertain
        if is_uncertain and not site.has_sitemap:
            return
        listed = site.listed(now)
        last_read = self._read[site.number]
        lost = []
        for story in site.published(last_read, now):
            is_there = not story.is_gone(now)
            if is_there and story not in listed:
                lost.append(story)
        if not lost:
            return

        if site.has_sitemap:
            for story in lost:
                can_be_fetched = now >= story.fails_until
                if can_be_fetched:
                    self.in_sitemaps.add((site.number, story.number))
            if text and not is_uncertain:
                yield f"{site.feed_url}: its sitemap has all that is told to be lost: {text}"
            return

        match = re.search(r"about (\d+|one) more", text or "")
        if match is None:
            yield f"{site.feed_url} has lost {len(lost)} stories, which is not told: {text}"
            return
        number = match[1]
        told = 1 if number == "one" else int(number)
        self.gaps.append((told, len(lost)))

    def _has_overflowed(self, site: Site, now: int) -> bool:
        """Whether all listed stories are newer than the last poll that has read the feed."""
        last_read = self._read.get(site.number)
        if last_read is None:
            return False
        return all(story.published > last_read for story in site.listed(now))

    def _check_redesign(self, now: int, host: str) -> Iterator[str]:
        site = self._site_of(host)
        recent = []
        for number, moment in enumerate(site.redesigns):
            if now - _LEARNED < moment <= now:
                recent.append(number)
        if recent:
            latest = recent[-1]
            self.redesigns.add((site.number, latest))
        else:
            yield f"{host} was not redesigned"

    def _site_of(self, host: str) -> Site:
        name = host.removeprefix("www.")
        return next(site for site in self._sites.values() if site.host == name)


def _is_unsettled(site: Site, kind: str, now: int) -> bool:
    """Whether a site lists nothing new (``silent``), or was redesigned not long ago."""
    if kind == "silent":
        quiet_since = now - _QUIET
        return not any(quiet_since < story.published <= now for story in site.listed(now))
    unsettled_since = now - _UNSETTLED
    return any(unsettled_since < moment <= now for moment in site.redesigns)

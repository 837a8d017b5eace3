"""What a year of crawls has to give, from the answers that were served and the items that came."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.year.server import FAILED, GONE, Answer
from benchmarks.year.sites import DAY, Site, Story, Version

#: The last runs of the year, whose answers need not have an item yet.
_LAST_RUNS = 2
#: An article is listed if it is still in the feed so many seconds after a correction.
_SOON = 8 * 3600
#: F1 of bigrams of a text that is that of its page.
_MIN_F1 = 0.9
#: Characters of a text that is a teaser, at most, and of its start that it shares with the page.
_MAX_TEASER = 200
_TEASER_START = 60


class Fetch(NamedTuple):
    """A page that was served: the number of the run, and that of the version, ``FAILED`` or
    ``GONE``."""

    run: int
    version: int


class Emission(NamedTuple):
    """An item: the number of the run, that of the version, ``FAILED`` or ``GONE``, and the kind of
    the change."""

    run: int
    version: int
    kind: str

    def __str__(self) -> str:
        return f"run {self.run}: {self.version} {self.kind}"


@dataclass(frozen=True)
class Missed:
    """A version that was served and never emitted; the run of the last item before it, and the run
    that was the first to fetch it."""

    version: int
    emitted_in: int
    served_in: int


@dataclass
class Track:
    """The runs that a story was listed in, what was served of it, and what was emitted."""

    listed: list[int] = field(default_factory=list)
    served: list[Fetch] = field(default_factory=list)
    emitted: list[Emission] = field(default_factory=list)

    @property
    def texts(self) -> list[Emission]:
        """What was emitted with a text."""
        return [emission for emission in self.emitted if emission.version != GONE]

    @property
    def deletions(self) -> list[int]:
        """The runs that have emitted that the story is gone."""
        return [emission.run for emission in self.emitted if emission.version == GONE]


class Checker:
    """Takes the answers and lines of each run, and tells what is wrong after the last one."""

    def __init__(self, sites: Mapping[str, Site]) -> None:
        self.sites = sites
        self._by_number = {site.number: site for site in sites.values()}
        self.tracks: defaultdict[tuple[int, int], Track] = defaultdict(Track)
        #: Problems that are found at once: the run, and what it is.
        self.problems: list[tuple[int, str]] = []
        #: Changes that a redesign may hide, which is documented, and not a problem.
        self.hidden: list[str] = []
        self._times: dict[int, int] = {}

    def add(self, run: int, now: int, answers: Iterable[Answer], lines: Iterable[str]) -> int:
        """The answers and the lines of an export of a run; the number of items."""
        self._times[run] = now
        for answer in answers:
            self._add_answer(run, answer)
        number = 0
        for line in lines:
            number += 1
            try:
                self._add_item(run, json.loads(line))
            except ValueError:
                self.problems.append((run, f"a line is not JSON: {line[:60]!r}"))
        return number

    def _add_answer(self, run: int, answer: Answer) -> None:
        for number in answer.stories:
            track = self.tracks[answer.site, number]
            if answer.version is None:
                track.listed.append(run)
            else:
                fetch = Fetch(run, answer.version)
                track.served.append(fetch)

    def _add_item(self, run: int, item: Mapping[str, Any]) -> None:
        url = item["url"]
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
        site = self.sites.get(host)
        story = site.by_path.get(parts.path) if site else None
        if site is None or story is None:
            self.problems.append((run, f"an item of no article: {url}"))
            return

        change = item.get("change") or {}
        kind = change.get("kind", "none")
        version: int | None = GONE
        if kind != "gone":
            version = find_version(story, item["text"], item["title"])
        if version is None:
            excerpt = f"{item['title']!r}, {item['text'][:80]!r}"
            self.problems.append((run, f"another title or text: {url}: {excerpt}"))
            return

        track = self.tracks[site.number, story.number]
        emission = Emission(run, version, kind)
        track.emitted.append(emission)

    def finish(self, last: int) -> list[str]:
        """All problems, those of single runs first; ``last``: the number of the last run."""
        problems = [f"run {run}: {text}" for run, text in self.problems]
        for (site, number), track in sorted(self.tracks.items()):
            url = f"paper{site}/{number}"
            for text in check_track(track, last):
                problems.append(f"{url}: {text}")

            missed = find_missed(track, last)
            if missed is None:
                continue
            problem = (
                f"{url}: version {missed.version} was served in run {missed.served_in}"
                " and never emitted"
            )
            if self._is_redesigned(site, missed.emitted_in, missed.served_in):
                self.hidden.append(problem)
            else:
                problems.append(problem)
        return problems

    def _is_redesigned(self, site: int, start: int, end: int) -> bool:
        """Whether the layout has changed between two runs."""
        start_time = self._times[start]
        end_time = self._times[end]
        moments = self._by_number[site].redesigns
        return any(start_time < moment <= end_time for moment in moments)

    def delays(self) -> dict[str, Counter[str]]:
        """By kind of correction, how long after it the corrected text was emitted."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        end = max(self._times.values(), default=0)
        for (site_number, story_number), track in self.tracks.items():
            site = self._by_number[site_number]
            story = site.stories[story_number]
            first_time = end
            if track.emitted:
                first_run = track.emitted[0].run
                first_time = self._times[first_run]

            for number, version in enumerate(story.versions[1:], 1):
                is_due = first_time < version.since < end - DAY
                if not is_due:
                    continue
                kind = _kind_of_correction(site, story, version)
                seconds = self._delay_of(track, number, version.since)
                label = _label_delay(seconds)
                counts[kind][label] += 1
        return dict(counts)

    def _delay_of(self, track: Track, number: int, since: int) -> int | None:
        """The seconds until this version, or a later one, was emitted; None if it never was."""
        for emission in track.emitted:
            if emission.version >= number:
                return self._times[emission.run] - since
        return None


def _kind_of_correction(site: Site, story: Story, version: Version) -> str:
    """Whether the feed shows a correction, and whether it is of the first day."""
    is_listed = version.is_listed
    if is_listed:
        still_listed = site.listed(version.since + _SOON)
        is_listed = story in still_listed
    listing = "listed" if is_listed else "unlisted"
    age = version.since - story.published
    day = "day 1" if age < DAY else "later"
    return f"{listing}, {day}"


def check_track(track: Track, last: int) -> list[str]:
    """What is wrong with the items of a story.

    >>> emitted = [Emission(0, 0, "new"), Emission(1, 0, "changed")]
    >>> check_track(Track([0], [Fetch(0, 0)], emitted), 9)
    ['emitted again: run 0: 0 new, run 1: 0 changed']
    """
    return [
        *_check_new(track, last),
        *_check_changes(track),
        *_check_gone(track, last),
    ]


def _check_new(track: Track, last: int) -> list[str]:
    problems = []
    if _is_never_emitted(track, last):
        first_listed = track.listed[0]
        first_served = [tuple(fetch) for fetch in track.served[:3]]
        problems.append(f"never emitted, listed in run {first_listed}, served {first_served}")

    new_in = [emission.run for emission in track.emitted if emission.kind == "new"]
    if len(new_in) > 1:
        problems.append(f"new {len(new_in)} times, in runs {new_in}")
    return problems


def _is_never_emitted(track: Track, last: int) -> bool:
    """Whether a story that was listed has no item, and was not gone whenever it was fetched."""
    if track.emitted or not track.listed:
        return False
    is_due = track.listed[0] <= last - _LAST_RUNS
    was_there = any(fetch.version != GONE for fetch in track.served)
    was_always_gone = bool(track.served) and not was_there
    return is_due and not was_always_gone


def _check_changes(track: Track) -> list[str]:
    problems = []
    for earlier, later in pairwise(track.texts):
        is_same = later.version == earlier.version
        if is_same and later.kind != "returned":
            problems.append(f"emitted again: {earlier}, {later}")
        elif later.version < earlier.version:
            problems.append(f"an older text again: {earlier}, {later}")
    return problems


def find_missed(track: Track, last: int) -> Missed | None:
    """The latest version, if it was served and never emitted.

    >>> served = [Fetch(0, 0), Fetch(3, 1), Fetch(4, 1)]
    >>> find_missed(Track([0], served, [Emission(0, 0, "new")]), 9)
    Missed(version=1, emitted_in=0, served_in=3)
    """
    served = []
    for fetch in track.served:
        is_due = fetch.run <= last - _LAST_RUNS
        if is_due and fetch.version >= 0:
            served.append(fetch.version)
    if not served or not track.texts:
        return None

    latest_served = max(served)
    latest = max(track.texts, key=lambda emission: (emission.version, emission.run))
    if latest_served <= latest.version:
        return None
    runs = [fetch.run for fetch in track.served if fetch.version == latest_served]
    return Missed(
        version=latest_served,
        emitted_in=latest.run,
        served_in=runs[0],
    )


def _check_gone(track: Track, last: int) -> list[str]:
    if track.deletions:
        return _check_after_deletion(track, last)

    if any(emission.kind == "returned" for emission in track.emitted):
        return ["returned, and never gone"]

    served_gone = []
    for fetch in track.served:
        is_due = fetch.run <= last - _LAST_RUNS
        if is_due and fetch.version == GONE:
            served_gone.append(fetch.run)
    if not served_gone or not track.texts:
        return []
    first_emitted = min(emission.run for emission in track.texts)
    if first_emitted < served_gone[0]:
        return [f"404 in run {served_gone[0]}, and never gone"]
    return []


def _check_after_deletion(track: Track, last: int) -> list[str]:
    """What is wrong with the items of a story that was emitted as gone."""
    first_deletion = min(track.deletions)
    texts_after = [emission for emission in track.texts if emission.run > first_deletion]
    if texts_after and texts_after[0].kind != "returned":
        first_text = texts_after[0]
        return [f"after it was gone: run {first_text.run}: {first_text.kind}"]

    served_after = []
    for fetch in track.served:
        if fetch.version >= 0 and fetch.run > first_deletion:
            served_after.append(fetch.run)
    is_due = bool(served_after) and served_after[0] <= last - _LAST_RUNS
    if is_due and not texts_after:
        return [f"there again in run {served_after[0]}, and never returned"]

    if len(track.deletions) > 1:
        return [f"gone {len(track.deletions)} times, in runs {track.deletions}"]
    return []


def find_version(story: Story, text: str, title: str) -> int | None:
    """The version with this text and title, ``FAILED`` for the text of the feed's entry, None for
    others."""
    squeezed = " ".join(text.split())
    texts_of_title = {}
    for number, version in enumerate(story.versions):
        if version.title == title:
            texts_of_title[number] = " ".join(version.text.split())
    for number, version_text in texts_of_title.items():
        if version_text == squeezed:
            return number
    if not texts_of_title:
        return None

    first_text = " ".join(story.versions[0].text.split())
    starts_same = squeezed[:_TEASER_START] == first_text[:_TEASER_START]
    if squeezed and starts_same and len(squeezed) < _MAX_TEASER:
        return FAILED

    scores = {}
    for number, version_text in texts_of_title.items():
        scores[number] = _bigram_f1(squeezed, version_text)
    best = max(scores, key=scores.__getitem__)
    best_score = scores[best]
    is_single = list(scores.values()).count(best_score) == 1
    if best_score >= _MIN_F1 and is_single:
        return best
    return None


def _bigram_f1(text: str, gold: str) -> float:
    text_pairs = _bigrams(text)
    gold_pairs = _bigrams(gold)
    hits = len(text_pairs & gold_pairs)
    total = len(text_pairs) + len(gold_pairs)
    return 2 * hits / (total or 1)


def _bigrams(text: str) -> set[tuple[str, str]]:
    words = re.findall(r"\w+", text)
    return set(pairwise(words))


#: Limits of delays in hours, by their names.
_DELAYS = {
    "<=6h": 6,
    "<=12h": 12,
    "<=1d": 24,
    "<=2d": 48,
    "<=7d": 168,
}


def _label_delay(seconds: int | None) -> str:
    if seconds is None:
        return "never"
    for name, hours in _DELAYS.items():
        if seconds <= hours * 3600:
            return name
    return "later"


def delay_names() -> Sequence[str]:
    return (*_DELAYS, "later", "never")

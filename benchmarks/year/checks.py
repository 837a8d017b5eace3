"""What a year of crawls has to give, from the answers that were served and the items that came."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from benchmarks.year.server import FAILED, GONE, Answer
from benchmarks.year.sites import DAY, Site, Story

#: The first runs and the last ones of the year whose answers need not have an item yet.
_LAST = 2
#: An article is listed if it is still in the feed so many seconds after a correction.
_SOON = 8 * 3600
#: The least F1 of bigrams of a text that is that of its page.
_LEAST_F1 = 0.9


@dataclass
class Track:
    """What was served of a story and what was emitted, each with the number of the run; the
    numbers of versions, ``FAILED`` or ``GONE``."""

    listed: list[int] = field(default_factory=list)
    served: list[tuple[int, int]] = field(default_factory=list)
    emitted: list[tuple[int, int, str]] = field(default_factory=list)


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
                track.served.append((run, answer.version))

    def _add_item(self, run: int, item: Mapping[str, Any]) -> None:
        parts = urlsplit(item["url"])
        site = self.sites.get((parts.hostname or "").removeprefix("www."))
        story = site.by_path.get(parts.path) if site else None
        if site is None or story is None:
            self.problems.append((run, f"an item of no article: {item['url']}"))
            return
        kind = (item.get("change") or {}).get("kind", "none")
        version = GONE if kind == "gone" else find_version(story, item["text"], item["title"])
        if version is None:
            shown = f"{item['title']!r}, {item['text'][:80]!r}"
            self.problems.append((run, f"another title or text: {item['url']}: {shown}"))
            return
        self.tracks[site.number, story.number].emitted.append((run, version, kind))

    def finish(self, last: int) -> list[str]:
        """All problems, those of single runs first; ``last``: the number of the last run."""
        found = [f"run {run}: {text}" for run, text in self.problems]
        for (site, number), track in sorted(self.tracks.items()):
            url = f"paper{site}/{number}"
            found += [f"{url}: {text}" for text in check_track(track, last)]
            if missed := find_missed(track, last):
                is_hidden = self._is_redesigned(site, *missed[1:])
                text = "version {0} was served in run {2} and never emitted".format(*missed)
                (self.hidden if is_hidden else found).append(f"{url}: {text}")
        return found

    def _is_redesigned(self, site: int, start: int, end: int) -> bool:
        """Whether the layout has changed between two runs."""
        moments = self._by_number[site].redesigns
        return any(self._times[start] < moment <= self._times[end] for moment in moments)

    def delays(self) -> dict[str, Counter[str]]:
        """By kind of correction, how long after it the corrected text was emitted."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        end = max(self._times.values(), default=0)
        for (site, number), track in self.tracks.items():
            story = self._by_number[site].stories[number]
            for at, version in enumerate(story.versions[1:], 1):
                first = next((self._times[run] for run, _, _ in track.emitted), end)
                if not first < version.since < end - DAY:
                    continue
                age = version.since - story.published
                is_listed = version.is_listed and story in self._by_number[site].listed(
                    version.since + _SOON
                )
                kind = f"{'listed' if is_listed else 'unlisted'}, "
                kind += "day 1" if age < DAY else "later"
                times = [self._times[run] for run, v, _ in track.emitted if v >= at]
                counts[kind][_delay(times[0] - version.since if times else None)] += 1
        return dict(counts)


def check_track(track: Track, last: int) -> list[str]:
    """What is wrong with the items of a story.

    >>> check_track(Track([0], [(0, 0)], [(0, 0, "new"), (1, 0, "changed")]), 9)
    ['emitted again: run 0: 0 new, run 1: 0 changed']
    """
    return [*_check_new(track, last), *_check_changes(track, last), *_check_gone(track, last)]


def _check_new(track: Track, last: int) -> list[str]:
    news = [run for run, _, kind in track.emitted if kind == "new"]
    is_due = bool(track.listed) and track.listed[0] <= last - _LAST
    was_there = any(version != GONE for _, version in track.served)
    problems = []
    if not track.emitted and is_due and (was_there or not track.served):
        problems.append(
            f"never emitted, listed in run {track.listed[0]}, served {track.served[:3]}"
        )
    if len(news) > 1:
        problems.append(f"new {len(news)} times, in runs {news}")
    return problems


def _check_changes(track: Track, last: int) -> list[str]:
    texts = [(run, version, kind) for run, version, kind in track.emitted if version != GONE]
    found = []
    for one, other in pairwise(texts):
        if one[1] == other[1] and other[2] != "returned":
            found.append(f"emitted again: {_show(one)}, {_show(other)}")
        elif other[1] < one[1]:
            found.append(f"an older text again: {_show(one)}, {_show(other)}")
    return found


def find_missed(track: Track, last: int) -> tuple[int, int, int] | None:
    """A version that was served and never emitted: its number, the run of the item before it, and
    the run that was the first to fetch it.

    >>> find_missed(Track([0], [(0, 0), (3, 1), (4, 1)], [(0, 0, "new")]), 9)
    (1, 0, 3)
    """
    texts = [(version, run) for run, version, _ in track.emitted if version != GONE]
    served = [version for run, version in track.served if version >= 0 and run <= last - _LAST]
    if not served or not texts or max(served) <= max(texts)[0]:
        return None
    first = next(run for run, version in track.served if version == max(served))
    return max(served), max(texts)[1], first


def _check_gone(track: Track, last: int) -> list[str]:
    gone = [run for run, version, _ in track.emitted if version == GONE]
    after_gone = (
        [(run, kind) for run, version, kind in track.emitted if version != GONE and run > min(gone)]
        if gone
        else []
    )
    if after_gone and after_gone[0][1] != "returned":
        return ["after it was gone: run {}: {}".format(*after_gone[0])]
    returned = [run for run, version in track.served if gone and version >= 0 and run > min(gone)]
    if returned and returned[0] <= last - _LAST and not after_gone:
        return [f"there again in run {returned[0]}, and never returned"]
    if any(kind == "returned" for _, _, kind in track.emitted) and not gone:
        return ["returned, and never gone"]
    served = [run for run, version in track.served if version == GONE and run <= last - _LAST]
    first = min((run for run, version, _ in track.emitted if version != GONE), default=None)
    if len(gone) > 1:
        return [f"gone {len(gone)} times, in runs {gone}"]
    if served and first is not None and first < served[0] and not gone:
        return [f"404 in run {served[0]}, and never gone"]
    return []


def _show(emitted: tuple[int, int, str]) -> str:
    return "run {}: {} {}".format(*emitted)


def find_version(story: Story, text: str, title: str) -> int | None:
    """The version with this text and title, ``FAILED`` for the text of the feed's entry, None for
    others."""
    squeezed = " ".join(text.split())
    versions = [" ".join(version.text.split()) for version in story.versions]
    titled = [n for n, version in enumerate(story.versions) if version.title == title]
    for number in titled:
        if versions[number] == squeezed:
            return number
    if not titled:
        return None
    if squeezed and squeezed[:60] == versions[0][:60] and len(squeezed) < 200:
        return FAILED
    scores = {number: _bigram_f1(squeezed, versions[number]) for number in titled}
    best = max(titled, key=scores.__getitem__)
    is_single = list(scores.values()).count(scores[best]) == 1
    return best if scores[best] >= _LEAST_F1 and is_single else None


def _bigram_f1(text: str, gold: str) -> float:
    found, wanted = (set(pairwise(re.findall(r"\w+", one))) for one in (text, gold))
    return 2 * len(found & wanted) / (len(found) + len(wanted) or 1)


#: Names and limits in hours.
_DELAYS = (("<=6h", 6), ("<=12h", 12), ("<=1d", 24), ("<=2d", 48), ("<=7d", 168))


def _delay(seconds: int | None) -> str:
    if seconds is None:
        return "never"
    return next((name for name, hours in _DELAYS if seconds <= hours * 3600), "later")


def delay_names() -> Sequence[str]:
    return (*(name for name, _ in _DELAYS), "later", "never")

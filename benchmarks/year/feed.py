"""Checks of the rolling feed of a year: it is valid, and has the texts that the crawls emit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from lxml import etree, html

from benchmarks.year.checks import Checker, find_version
from benchmarks.year.server import FAILED, GONE
from benchmarks.year.sites import Site
from tests.exporters.helpers import ATOM, feed_problems

#: Of the articles that the history keeps of each source, those that must be in the feed: one whose
#: date is not known takes the place of an older one.
_SURE = 40
#: Seconds that a crawl takes at most.
_CRAWL = 300

#: The number of a site, and of a story.
_Key = tuple[int, int]


@dataclass(frozen=True)
class FeedEntry:
    """An entry with the version whose text it has, ``FAILED`` for a teaser, None for another text;
    ``updated`` in seconds since 1970."""

    version: int | None
    updated: float


def check_feed(document: bytes, checker: Checker) -> Iterator[str]:
    """What is wrong with an Atom document after any run: it is valid, has no article twice, and
    only texts of pages."""
    yield from (f"the feed is not valid: {problem}" for problem in sorted(feed_problems(document)))
    there = set()
    for key, entry in _read_entries(document, checker.sites):
        if key in there:
            yield f"twice in the feed: {_name(key)}"
        if entry.version is None:
            yield f"another text in the feed: {_name(key)}"
        there.add(key)


def check_run(document: bytes, checker: Checker, run: int, now: int) -> Iterator[str]:
    """What is wrong after a run without a fault at ``now``: new articles are there, corrected ones
    have the new text and its time, deleted ones are not there."""
    entries = dict(_read_entries(document, checker.sites))
    for key, track in checker.tracks.items():
        if not track.emitted or track.emitted[-1][0] != run:
            continue
        _, version, kind = track.emitted[-1]
        entry = entries.get(key)
        if version == GONE:
            if entry:
                yield f"gone, and still in the feed: {_name(key)}"
        elif entry is None:
            if kind == "new":
                yield f"new, and not in the feed: {_name(key)}"
        elif entry.version != version:
            yield f"version {entry.version} in the feed, not {version}: {_name(key)}"
        elif kind == "changed" and not now <= entry.updated <= now + _CRAWL:
            yield f"changed at {now}, in the feed at {entry.updated:.0f}: {_name(key)}"


def check_last(document: bytes, checker: Checker, wrong: Collection[int] = ()) -> Iterator[str]:
    """What is wrong after the last run: all entries have what was emitted last, and none of the
    latest articles of a site is missing.

    ``wrong``: the runs whose clock was wrong.  To these, an article of today has a date in the
    future, which is none; it is as old as the clock, and may leave the feed at once.
    """
    entries = dict(_read_entries(document, checker.sites))
    latest: dict[_Key, int] = {
        key: track.emitted[-1][1] for key, track in sorted(checker.tracks.items()) if track.emitted
    }
    for key, entry in entries.items():
        if latest.get(key, GONE) != entry.version:
            emitted = latest.get(key, "nothing")
            yield f"at last version {entry.version} in the feed, not {emitted}: {_name(key)}"
    for site in checker.sites.values():
        there = [key for key, version in latest.items() if key[0] == site.number and version > GONE]
        for key in there[-_SURE:]:  # the number of a story grows with its date
            if key not in entries and checker.tracks[key].emitted[0][0] not in wrong:
                yield f"at last not in the feed: {_name(key)}"


def _read_entries(document: bytes, sites: Mapping[str, Site]) -> Iterator[tuple[_Key, FeedEntry]]:
    root: Any = etree.fromstring(document)
    for entry in root.iter(f"{ATOM}entry"):
        parts = urlsplit(entry.find(f"{ATOM}link").get("href"))
        site = sites[(parts.hostname or "").removeprefix("www.")]
        story = site.by_path[parts.path]
        updated = datetime.fromisoformat(entry.findtext(f"{ATOM}updated")).timestamp()
        text = _text_of(entry.find(f"{ATOM}content"))
        title = entry.findtext(f"{ATOM}title") or ""
        version = find_version(story, text, title) if text else FAILED
        yield (site.number, story.number), FeedEntry(version, updated)


def _text_of(content: Any) -> str:
    """The text of a content element, ``""`` if there is none."""
    if content is None or not (content.text or "").strip():
        return ""
    return " ".join(html.fromstring(f"<div>{content.text}</div>").itertext())


def _name(key: _Key) -> str:
    return "paper{}/{}".format(*key)

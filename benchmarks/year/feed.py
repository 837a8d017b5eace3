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
_MAX_CRAWL = 300

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
    for problem in sorted(feed_problems(document)):
        yield f"the feed is not valid: {problem}"

    earlier_keys = set()
    for key, entry in _read_entries(document, checker.sites):
        name = _name(key)
        if key in earlier_keys:
            yield f"twice in the feed: {name}"
        if entry.version is None:
            yield f"another text in the feed: {name}"
        earlier_keys.add(key)


def check_run(document: bytes, checker: Checker, run: int, now: int) -> Iterator[str]:
    """What is wrong after a run without a fault at ``now``: new articles are there, corrected ones
    have the new text and its time, deleted ones are not there."""
    entries = dict(_read_entries(document, checker.sites))
    for key, track in checker.tracks.items():
        if not track.emitted:
            continue
        latest = track.emitted[-1]
        if latest.run != run:
            continue

        name = _name(key)
        entry = entries.get(key)
        if latest.version == GONE:
            if entry:
                yield f"gone, and still in the feed: {name}"
        elif entry is None:
            if latest.kind == "new":
                yield f"new, and not in the feed: {name}"
        elif entry.version != latest.version:
            yield f"version {entry.version} in the feed, not {latest.version}: {name}"
        elif latest.kind == "changed":
            is_of_this_run = now <= entry.updated <= now + _MAX_CRAWL
            if not is_of_this_run:
                yield f"changed at {now}, in the feed at {entry.updated:.0f}: {name}"


def check_last(document: bytes, checker: Checker, wrong: Collection[int] = ()) -> Iterator[str]:
    """What is wrong after the last run: all entries have what was emitted last, and none of the
    latest articles of a site is missing.

    ``wrong``: the runs whose clock was wrong.  To these, an article of today has a date in the
    future, which is none; it is as old as the clock, and may leave the feed at once.
    """
    entries = dict(_read_entries(document, checker.sites))
    latest: dict[_Key, int] = {}
    for key, track in sorted(checker.tracks.items()):
        if track.emitted:
            latest[key] = track.emitted[-1].version

    for key, entry in entries.items():
        if latest.get(key, GONE) != entry.version:
            emitted = latest.get(key, "nothing")
            yield f"at last version {entry.version} in the feed, not {emitted}: {_name(key)}"

    for site in checker.sites.values():
        stories = []
        for key, version in latest.items():
            site_number, _ = key
            if site_number == site.number and version > GONE:
                stories.append(key)
        for key in stories[-_SURE:]:  # the number of a story grows with its date
            first_run = checker.tracks[key].emitted[0].run
            if key not in entries and first_run not in wrong:
                yield f"at last not in the feed: {_name(key)}"


def _read_entries(document: bytes, sites: Mapping[str, Site]) -> Iterator[tuple[_Key, FeedEntry]]:
    root: Any = etree.fromstring(document)
    for entry in root.iter(f"{ATOM}entry"):
        link = entry.find(f"{ATOM}link")
        parts = urlsplit(link.get("href"))
        host = (parts.hostname or "").removeprefix("www.")
        site = sites[host]
        story = site.by_path[parts.path]

        updated = datetime.fromisoformat(entry.findtext(f"{ATOM}updated"))
        content = entry.find(f"{ATOM}content")
        text = _text_of(content)
        title = entry.findtext(f"{ATOM}title") or ""
        version: int | None = FAILED
        if text:
            version = find_version(story, text, title)
        key = (site.number, story.number)
        yield key, FeedEntry(version, updated.timestamp())


def _text_of(content: Any) -> str:
    """The text of a content element, ``""`` if there is none."""
    if content is None or not (content.text or "").strip():
        return ""
    element = html.fromstring(f"<div>{content.text}</div>")
    return " ".join(element.itertext())


def _name(key: _Key) -> str:
    return "paper{}/{}".format(*key)

"""The feeds that are due: for ``scrapy forest due``."""

from __future__ import annotations

import json
import time
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from forest_scrapy.feeds.hints import FeedHints
from forest_scrapy.feeds.schedule import publishing_strategy
from forest_scrapy.runtime.context import open_history
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import FeedRecord

__all__ = ["due_report"]


def due_report(everything: bool, as_json: bool | None, config: ForestSettings) -> str:
    """The URLs of the feeds that are due, one a line, the longest due first; with ``everything``,
    all feeds with what is known of them.  Raises ``BadStore``."""
    now = int(time.time())
    with closing(open_history(config, must_exist=True)) as store:
        feeds = sorted(store.feeds.all(), key=lambda feed: (feed.due or 0, feed.url))
    feeds = [feed for feed in feeds if everything or (feed.due or 0) <= now]
    if as_json:
        return (
            json.dumps([_values(feed, now) for feed in feeds], ensure_ascii=False, indent=2) + "\n"
        )
    lines = (_line(feed, now) if everything else feed.url for feed in feeds)
    return "".join(f"{line}\n" for line in lines)


def _line(feed: FeedRecord, now: int) -> str:
    values = _values(feed, now)
    failed = f", failed {feed.failures} times" if feed.failures else ""
    hub = ", WebSub" if values["hub"] else ""
    regular = ", regular" if values["is_regular"] else ""
    return (
        f"{values['due'] or 'now':25}  {values['entries_a_day']:8.2f} entries a day"
        f"{regular}{hub}{failed}  {feed.url}"
    )


def _values(feed: FeedRecord, now: int) -> dict[str, Any]:
    """A feed as JSON values.  ``quartiles``: hours between two entries."""
    hints = FeedHints.from_dict(feed.hints)
    strategy = publishing_strategy(feed.dates, now, hints.period)
    return {
        "url": feed.url,
        "polled": _iso(feed.polled),
        "due": _iso(feed.due),
        "status": feed.status,
        "failures": feed.failures,
        "entries_a_day": round(strategy.rate * 86_400, 3),
        "quartiles": [round(seconds / 3600, 2) for seconds in strategy.quartiles],
        "is_regular": strategy.is_regular,
        "hub": hints.hub,
    }


def _iso(seconds: int | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()

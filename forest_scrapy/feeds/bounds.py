"""Bounds on feeds: how much of a feed is read, and which feeds may take long to read."""

from __future__ import annotations

import re

__all__ = ["ITEM", "bound_feed", "may_be_slow"]

#: Items read of a feed, the first ones; feeds list the newest item first.
MOST_ITEMS = 2_000
#: Bytes read of a feed.  feedparser takes about 0.3 s for each million.
LARGEST = 3_000_000
#: A feed above one of these is read in a process with a time limit: bytes, tags, and attributes
#: (feedparser takes quadratic time for the attributes of a tag).
_LARGE, _MANY_TAGS, _MANY_ATTRIBUTES = 500_000, 20_000, 5_000

#: The start of an item.
ITEM = re.compile(rb"<(?:[\w.-]+:)?(?:item|entry)[\s>]")
_ROOT = re.compile(rb"<((?:[\w.-]+:)?(rss|feed|RDF))[\s>]")


def bound_feed(body: bytes) -> bytes:
    """The feed without the items beyond ``MOST_ITEMS`` or ``LARGEST``, closed again so that it
    stays well-formed; a feed within the bounds as it is.

    >>> bound_feed(b"<rss><channel></channel></rss>")
    b'<rss><channel></channel></rss>'
    """
    if len(body) <= LARGEST and body.count(b"<") <= MOST_ITEMS:
        return body
    starts = [match.start() for match in ITEM.finditer(body)]
    within = [start for start in starts[: MOST_ITEMS + 1] if start <= LARGEST]
    if len(body) <= LARGEST and len(within) == len(starts):
        return body
    cut = within[-1] if len(within) > 1 else LARGEST
    return body[:cut] + _closing_tags(body)


def _closing_tags(body: bytes) -> bytes:
    root = _ROOT.search(body, 0, 10_000)
    if root is None:
        return b""
    name, kind = root.groups()
    return (b"</channel></%s>" if kind == b"rss" else b"</%s>") % name


def may_be_slow(body: bytes) -> bool:
    """Whether reading a bounded feed may take long.  Cost: one pass over the bytes."""
    return (
        len(body) > _LARGE or body.count(b"<") > _MANY_TAGS or body.count(b"=") > _MANY_ATTRIBUTES
    )

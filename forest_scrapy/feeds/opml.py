"""Reading lists of feeds: OPML, as feed readers export it."""

from __future__ import annotations

import listparser

__all__ = ["is_opml", "read_opml"]

#: Bytes read of a file, some 5,000 feeds.
_LARGEST = 1_000_000


def is_opml(body: bytes) -> bool:
    """Whether a file is OPML.

    >>> is_opml(b'<?xml version="1.0"?><opml version="2.0">'), is_opml(b"https://a.example/feed")
    (True, False)
    """
    return b"<opml" in body[:5000].lower()


def read_opml(body: bytes) -> list[str]:
    """The URLs of the feeds in an OPML file, in its order, each once; never raises.  A broken file
    is read as far as possible.

    >>> read_opml(b'<opml><body><outline xmlUrl="http://a.example/feed"/></body></opml>')
    ['http://a.example/feed']
    """
    try:
        found = listparser.parse(body[:_LARGEST].decode("utf-8", "replace").encode())
    except Exception:  # a parser of any input; the caller says that there is no feed
        return []
    urls = (str(feed.get("url", "")).strip() for feed in found.get("feeds", ()))
    return list(dict.fromkeys(url for url in urls if url))

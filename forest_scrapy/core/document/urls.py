"""Parts of URLs."""

from __future__ import annotations

from urllib.parse import urlsplit

__all__ = ["host_of"]


def host_of(url: str) -> str:
    """The host in lower case, without the port; ``""`` if the URL has none or is ill-formed.

    >>> host_of("https://WWW.Example.org:8000/a"), host_of("a/b"), host_of("http://[")
    ('www.example.org', '', '')
    """
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""

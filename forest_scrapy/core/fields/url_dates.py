"""The date in the path of a URL."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

__all__ = ["find_url_date"]

_PATH_DATE = re.compile(
    r"[/_-](?P<y>(?:19|20)\d\d)(?P<s>[/_-]?)(?P<m>0[1-9]|1[0-2])(?P=s)(?P<d>[0-2]\d|3[01])(?!\d)"
)


def find_url_date(url: str) -> str:
    """Year, month and day in a URL's path, as ``2024-05-03``; ``""`` if it has none.

    >>> find_url_date("http://a.example/2024/05/03/boats"), find_url_date("http://a.example/2024")
    ('2024-05-03', '')
    """
    try:
        path = urlsplit(url).path if "://" in url else ""
    except ValueError:
        return ""
    match = _PATH_DATE.search(path)
    return "-".join(match.group("y", "m", "d")) if match else ""

"""Links to the pages of the users of a site."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

__all__ = ["is_person_url"]

#: Characters of a URL that are read.
_LONGEST = 300
_PERSON = re.compile(
    r"(?:^|/)(?:u|users?|members?|memberlist|profiles?|people|person|authors?|personal_pages)"
    r"(?:[/.?=-]|$)|[?&;](?:u|uid|user|userid|member)=|/[@~]",
    re.IGNORECASE,
)


def is_person_url(href: str) -> bool:
    """Whether a link leads to the page of a user.

    >>> is_person_url("/user/42-ana"), is_person_url("member.php?u=7"), is_person_url("/news/7")
    (True, True, False)
    """
    try:
        parts = urlsplit(href[:_LONGEST])
    except ValueError:
        return False
    return _PERSON.search(f"{parts.path}?{parts.query}") is not None

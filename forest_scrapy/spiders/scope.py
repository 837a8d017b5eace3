"""Which pages a spider requests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from forest_scrapy.runtime.pages.date_range import ANY_DATE, DateRange
from forest_scrapy.spiders.arguments import read_dates, read_number, read_pattern

__all__ = ["Scope", "read_scope"]


@dataclass(frozen=True)
class Scope:
    """The limits of a crawl; None: no limit.

    ``allow``, ``deny``: regular expressions that are searched in URLs.  ``dates``: of
    publication.  ``max_pages``: number of pages requested.  ``max_depth``: number of steps for
    which links are followed.
    """

    allow: re.Pattern[str] | None = None
    deny: re.Pattern[str] | None = None
    dates: DateRange = ANY_DATE
    max_pages: int | None = None
    max_depth: int | None = None

    def check_url(self, url: str) -> str:
        """``not_allowed``, ``denied``, or ``""`` for a URL in the scope."""
        if self.allow and not self.allow.search(url):
            return "not_allowed"
        return "denied" if self.deny and self.deny.search(url) else ""

    def check(self, url: str, published: str, requested: int) -> str:
        """The reason why a page is not requested, ``""`` if it is; ``requested``: the number of
        pages requested before."""
        reason = self.check_url(url) or (self.dates.check(published) if published else "")
        return reason or ("max_pages" if self.has_enough(requested) else "")

    def has_enough(self, requested: int) -> bool:
        """Whether ``max_pages`` have been requested."""
        return self.max_pages is not None and requested >= self.max_pages


def read_scope(
    allow: str = "",
    deny: str = "",
    since: str = "",
    until: str = "",
    max_pages: Any = "",
    max_depth: Any = "",
) -> Scope:
    """The scope that the spider arguments of these names describe.  Raises ``BadArgument``."""
    return Scope(
        allow=read_pattern("allow", allow),
        deny=read_pattern("deny", deny),
        dates=read_dates(since, until),
        max_pages=None if max_pages in ("", None) else read_number("max_pages", max_pages, 1),
        max_depth=None if max_depth in ("", None) else read_number("max_depth", max_depth),
    )

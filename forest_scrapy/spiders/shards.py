"""Splitting feeds and sites between several crawls."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from forest_scrapy.runtime.pages.page_urls import site_of
from forest_scrapy.spiders.arguments import BadArgument

__all__ = ["Shard", "read_shard"]

_FORM = re.compile(r"(\d{1,6})/(\d{1,6})")


@dataclass(frozen=True)
class Shard:
    """The part ``number`` (from 1) of ``count`` parts, by the registered domain of a URL.

    All hosts of a domain are in one part, so that a site is crawled by one machine only: delays
    and templates need no coordination.  By a digest, which is the same on all machines.
    """

    number: int = 1
    count: int = 1

    def has(self, url: str) -> bool:
        """Whether the URL is in this part."""
        if self.count == 1:
            return True
        digest = blake2b(site_of(url).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.count == self.number - 1

    def select(self, urls: Iterable[str]) -> list[str]:
        """The URLs that are in this part."""
        return [url for url in urls if self.has(url)]


def read_shard(text: str) -> Shard:
    """The part that ``I/N`` means; all for ``""``.  Raises ``BadArgument``.

    >>> read_shard("2/4")
    Shard(number=2, count=4)
    """
    if not text:
        return Shard()
    found = _FORM.fullmatch(text.strip())
    shard = Shard(int(found[1]), int(found[2])) if found else Shard(0, 0)
    if not 1 <= shard.number <= shard.count:
        raise BadArgument(f"-a shard={text}: must be I/N with I from 1 to N, such as 1/4")
    return shard

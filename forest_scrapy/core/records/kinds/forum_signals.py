"""What tells threads of forums from other pages: the host, the software, and the posts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.tree import Element
from forest_scrapy.core.records.regions.groups import Group
from forest_scrapy.core.records.regions.persons import is_person_url
from forest_scrapy.core.records.regions.prose import ProsePage

__all__ = ["describe_forum", "describe_posts"]

#: Records of a page that are looked at, nodes of each, and characters of an attribute.
_MOST_RECORDS, _MOST_NODES, _LONGEST = 30, 300, 300
_FORUM = re.compile(r"forum|foren|foro\b|boards?\b|bbs|communit|discu|answers", re.IGNORECASE)
_SOFTWARE = re.compile(
    r"\b(?:phpbb|xf|xenforo|ipsapp|invision|vbulletin|discourse|nodebb|flarum|mybb|smf|vanilla"
    r"|fluxbb|punbb|kunena|question2answer|question-page)",
    re.IGNORECASE,
)
_DECLARED = re.compile(r"comment|answer|question|posting|reply", re.IGNORECASE)
_NUMBER = re.compile(r"#\s?\d{1,7}")


def describe_forum(page: Page) -> dict[str, float]:
    """Numbers of a page: whether its URL names a forum, and whether it names forum software."""
    return {
        "forum_url": float(_FORUM.search(page.url[:_LONGEST]) is not None),
        "forum_software": float(any(map(_SOFTWARE.search, _software_names(page)))),
    }


def _software_names(page: Page) -> Iterator[str]:
    yield from (text[:_LONGEST] for text in page.declared.meta.get("generator", ()))
    for element in (page.root, *islice(page.root.iter("body"), 1)):
        yield from ((element.get(name) or "")[:_LONGEST] for name in ("id", "class"))


def describe_posts(pages: Sequence[ProsePage], posts: Group | None) -> dict[str, float]:
    """The shares of the records that are numbered (#2), that are declared as comments, answers or
    postings, and that link to a person.  Cost: linear in the nodes of the records, up to 300
    each and 30 on a page."""
    numbered = declared = linked = total = 0
    found = zip(pages, posts.nodes if posts and posts.is_repeated else (), strict=False)
    for page, nodes in found:
        for node in nodes[:_MOST_RECORDS]:
            total += 1
            segments = page.segments[page.firsts[node] : page.lasts[node]]
            numbered += any(_NUMBER.fullmatch(segment.text) for segment in segments)
            end = min(page.outline.ends[node], node + _MOST_NODES)
            elements = [one.element for one in page.outline.nodes[node:end]]
            declared += _is_declared(elements[0])
            linked += any(is_person_url(one.get("href") or "") for one in elements)
    count = total or 1
    return {
        "posts_numbered": numbered / count,
        "posts_declared": declared / count,
        "posts_of_persons": linked / count,
    }


def _is_declared(element: Element) -> bool:
    names = f"{element.get('itemprop') or ''} {element.get('itemtype') or ''}"
    return _DECLARED.search(names[:_LONGEST]) is not None

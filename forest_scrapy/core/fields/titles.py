"""The article's title among what a page has for one, without the site's name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from forest_scrapy.core.fields.sources import PageSources, plain

__all__ = ["TITLES", "common_affixes", "cut_affixes", "read_titles", "title_parts"]

#: What pages declare titles by, the best first: what the publisher says of the article, what it
#: shares it under, what it calls the page.
TITLES = (
    "json-ld:headline",
    "opengraph:og:title",
    "microdata:headline",
    "meta:twitter:title",
    "json-ld:name",
    "meta:dc.title",
    "html:title",
)
LONGEST = 400
#: What stands between the title and the site's name; with a hyphen or a colon, also a space.
_SEPARATOR = re.compile(r"\s*[|｜ㅣ»«·•—–~]+\s*|\s+[-:/]+\s+|[:：]\s+|\s*--+\s*|\s*::\s*|\s+-|-\s+")


def read_titles(
    facts: PageSources, sources: Iterable[str], affixes: Sequence[str]
) -> dict[str, str]:
    """The title by each of the sources that has one, without the site's name.

    What another source has for the whole title is taken for it: "Boats - News" beside "Boats".
    """
    raw = {s: _one_line(text) for s in sources if (text := next(iter(facts.texts(s)), ""))}
    cut = {source: cut_affixes(text, affixes) for source, text in raw.items()}
    named = {source: _cut_names(text, facts) for source, text in cut.items()}
    whole = {plain(text) for text in named.values()}
    return {
        source: _cut_to(source, text, whole - {plain(text)})
        for source, text in named.items()
        if text
    }


def cut_affixes(title: str, affixes: Sequence[str]) -> str:
    """The title without the affixes, one before and one after, if something is left.

    >>> cut_affixes("The Gazette: Boats | Home", ("The Gazette: ", " | Home"))
    'Boats'
    """
    for affix in affixes:
        if len(affix) < len(title):
            title = title.removeprefix(affix) if title.startswith(affix) else title
            title = title.removesuffix(affix) if len(affix) < len(title) else title
    return title.strip()


def common_affixes(titles: Sequence[str]) -> tuple[str, ...]:
    """What all titles begin or end with, up to a separator; none for less than two titles that
    differ.

    >>> common_affixes(["Boats | Gazette", "Owls at night | Gazette"])
    (' | Gazette',)
    >>> common_affixes(["Part one of boats", "Part two of boats"])
    ()
    """
    titles = sorted({_one_line(title) for title in titles})
    if len(titles) < 2:
        return ()
    start = _common_start(titles)
    end = _common_start([title[::-1] for title in titles])[::-1]
    starts = [match.end() for match in _SEPARATOR.finditer(start)]
    ends = [match.start() for match in _SEPARATOR.finditer(end)]
    affixes = (start[: max(starts)] if starts else "", end[min(ends) :] if ends else "")
    return tuple(affix for affix in affixes if plain(affix))


def _common_start(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    pairs = zip(first, last, strict=False)
    return first[
        : next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first), len(last)))
    ]


def title_parts(title: str) -> list[str]:
    """What stands before and after each separator.

    >>> title_parts("Gazette » Boats")
    ['Gazette', 'Boats']
    """
    return [part for before, after, _ in _parts(title) for part in (before, after)]


def _one_line(text: str) -> str:
    return " ".join(text.split())[:LONGEST]


def _cut_names(title: str, facts: PageSources) -> str:
    """Without the site's name at either end, where a separator sets it off."""
    names = {plain(name) for name in facts.site_names} | {facts.host_words}
    names |= {name.replace(" ", "") for name in names}
    for before, after, _ in _parts(title):
        if plain(after).replace(" ", "") in names and plain(before):
            return before
        if plain(before).replace(" ", "") in names and plain(after):
            return after
    return title


def _cut_to(source: str, title: str, whole: set[str]) -> str:
    """The longest part of the title that is another source's whole title, else all of it.  Only
    the page's own title also has names before it; after a colon more of the title follows."""
    is_page = source == "html:title"
    parts = [
        part
        for before, after, mark in _parts(title)
        for part in ((before, after) if is_page else (before,))
        if plain(part) in whole - {""} and (is_page or mark.strip() not in (":", "："))
    ]
    return max(parts, key=len, default=title)


def _parts(title: str) -> list[tuple[str, str, str]]:
    """The title cut in two at each separator, and the separator."""
    return [
        (title[: match.start()].strip(), title[match.end() :].strip(), match.group())
        for match in _SEPARATOR.finditer(title)
    ]

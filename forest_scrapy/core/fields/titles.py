"""The titles that a page declares and shows, without the site's name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from forest_scrapy.core.fields.sources import LONGEST_FIELD, PageSources, fold_words

__all__ = [
    "TITLES",
    "common_affixes",
    "cut_affixes",
    "first_title",
    "read_titles",
    "title_parts",
]

#: The sources of declared titles, best first: the article's headline, the title for sharing, the
#: title of the page.
TITLES = (
    "json-ld:headline",
    "opengraph:og:title",
    "microdata:headline",
    "meta:twitter:title",
    "json-ld:name",
    "meta:dc.title",
    "html:title",
)
_SOFT_HYPHEN = "\xad"
#: Characters of the longest title.
LONGEST = LONGEST_FIELD
#: Separators of the title and the site's name; hyphens, slashes and colons need a space, too.
_SEPARATOR = re.compile(r"\s*[|｜ㅣ»«·•—–~]+\s*|\s+[-:/]+\s+|[:：]\s+|\s*--+\s*|\s*::\s*|\s+-|-\s+")


def read_titles(
    page: PageSources, sources: Iterable[str], affixes: Sequence[str]
) -> dict[str, str]:
    """The title by each of the sources that has one, without the site's name.

    If one source has "Boats - News" and another "Boats", both give "Boats".
    """
    named = {source: _own_title(page, source, affixes) for source in sources}
    whole = {fold_words(text) for text in named.values()}
    return {source: _cut_to(source, text, whole) for source, text in named.items() if text}


def first_title(
    page: PageSources, sources: Sequence[str], affixes: Sequence[str]
) -> tuple[str, str]:
    """The first of the sources that has a title, and its title as ``read_titles`` gives it; empty
    texts if there is none.  The other sources are read only if the title has a separator."""
    for source in sources:
        title = _own_title(page, source, affixes)
        if title and not _SEPARATOR.search(title):
            return source, title
        if title:
            return source, read_titles(page, sources, affixes)[source]
    return "", ""


def _own_title(page: PageSources, source: str, affixes: Sequence[str]) -> str:
    """The title of one source, without affixes and the site's name; ``""`` if it has none."""
    title = _one_line(next(iter(page.texts(source)), ""))
    return _cut_site_name(cut_affixes(title, affixes), page)


def cut_affixes(title: str, affixes: Sequence[str]) -> str:
    """The title without the affixes, unless nothing would be left.

    >>> cut_affixes("The Gazette: Boats | Home", ("The Gazette: ", " | Home"))
    'Boats'
    """
    for affix in affixes:
        if len(affix) < len(title):
            title = title.removeprefix(affix) if title.startswith(affix) else title
            title = title.removesuffix(affix) if len(affix) < len(title) else title
    return title.strip()


def common_affixes(titles: Sequence[str]) -> tuple[str, ...]:
    """What all titles begin or end with, up to a separator; empty unless two titles differ.

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
    return tuple(affix for affix in affixes if fold_words(affix))


def _common_start(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    pairs = zip(first, last, strict=False)
    return first[
        : next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first), len(last)))
    ]


def title_parts(title: str) -> list[str]:
    """The text before and after each separator.

    >>> title_parts("Gazette » Boats")
    ['Gazette', 'Boats']
    """
    return [part for before, after, _ in _split_titles(title) for part in (before, after)]


def _one_line(text: str) -> str:
    return " ".join(text.replace(_SOFT_HYPHEN, "").split())[:LONGEST]


def _cut_site_name(title: str, page: PageSources) -> str:
    """The title without the site's name before the first separator or after the last."""
    splits = _split_titles(title)
    if not splits:
        return title
    names = {fold_words(name) for name in page.site_names} | {page.host_words}
    names |= {name.replace(" ", "") for name in names}
    for before, after, _ in splits:
        if fold_words(after).replace(" ", "") in names and fold_words(before):
            return before
        if fold_words(before).replace(" ", "") in names and fold_words(after):
            return after
    return title


def _cut_to(source: str, title: str, whole: set[str]) -> str:
    """The longest part of the title that is another source's whole title, else all of it.
    ``whole``: the titles of all sources, folded.

    Only the page's own title is cut at the start, and at a colon: the text after a colon is
    mostly part of the title.
    """
    is_page = source == "html:title"
    others = whole - {"", fold_words(title)}
    parts = [
        part
        for before, after, separator in _split_titles(title)
        for part in ((before, after) if is_page else (before,))
        if fold_words(part) in others and (is_page or separator.strip() not in (":", "："))
    ]
    return max(parts, key=len, default=title)


def _split_titles(title: str) -> list[tuple[str, str, str]]:
    """For each separator, the title before and after it, and the separator."""
    return [
        (title[: match.start()].strip(), title[match.end() :].strip(), match.group())
        for match in _SEPARATOR.finditer(title)
    ]

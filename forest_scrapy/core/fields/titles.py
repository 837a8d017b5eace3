"""The titles that a page declares and shows, without the site's name."""

import re
from collections.abc import Iterable, Mapping, Sequence

from forest_scrapy.core.fields.headings import find_heading
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.ranking import drop_constant, rank_sources
from forest_scrapy.core.fields.sources import (
    LONGEST_FIELD,
    PageSources,
    find_visible,
    fold_words,
)
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text

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
#: Those that are declared for other programs.
_DECLARED = TITLES[:4]
_SOFT_HYPHEN = "\xad"
#: Characters of the longest title.
LONGEST = LONGEST_FIELD
#: Parts of a title that are compared with headings.
_MOST_PARTS = 8
#: Separators of the title and the site's name; hyphens, slashes and colons need a space, too.
#: Between Chinese, Japanese and Korean characters a hyphen or an underscore is one, too.
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
#: White space, all of it: a search that begins inside it takes quadratic time.
_SPACE = r"(?:(?<!\s)\s++)"
_SEPARATOR = re.compile(
    rf"{_SPACE}?+[|｜ㅣ»«›‹·•—–~]+\s*|{_SPACE}[-:/>]+\s+|[:：]\s+|{_SPACE}?+--+\s*|"
    rf"{_SPACE}?+::\s*|{_SPACE}-|-\s+|"
    rf"{_SPACE}?+(?:(?<=[{_CJK}])[-_]+|[-_]{{1,20}}(?=[{_CJK}]))\s*|{_SPACE}@\s+"
)
#: Where what all titles end with may begin, too: "Boats [Gazette]".
_BRACKET = re.compile(r"(?<!\s)\s++(?=[\[(])")
#: A date before a title, in numbers.
_DATE_BEFORE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}")
#: Dashes of one meaning, which some programs write at random.
_DASHES = str.maketrans("‐‑‒–—―", "------")


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
    return _cut_names(cut_affixes(title, affixes), page, source)


def read_title(page: Page) -> str:
    """The title of a single page of any kind; ``""`` if it has none.

    >>> read_title(Page.from_html("<title>Boats - Forum</title><a href=/>Forum</a><h1>Forum</h1>"))
    'Boats'
    """
    sources = PageSources(page)
    learned, affixes = learn_titles([sources])
    return first_title(sources, (*learned, *TITLES, "//h1"), affixes)[1]


def cut_affixes(title: str, affixes: Sequence[str]) -> str:
    """The title without the affixes, unless nothing would be left.  All dashes are alike.

    >>> cut_affixes("The Gazette: Boats | Home", ("The Gazette: ", " | Home"))
    'Boats'
    """
    for affix in affixes:
        folded = affix.translate(_DASHES)
        if len(affix) < len(title) and title.translate(_DASHES).startswith(folded):
            title = title[len(affix) :]
        if len(affix) < len(title) and title.translate(_DASHES).endswith(folded):
            title = title[: -len(affix)]
    return title.strip()


def common_affixes(titles: Sequence[str]) -> tuple[str, ...]:
    """What all titles begin or end with, up to a separator; empty unless two titles differ.  All
    dashes are alike; they are written as in the first title by the alphabet.

    >>> common_affixes(["Boats | Gazette", "Owls at night | Gazette"])
    (' | Gazette',)
    >>> common_affixes(["Boats — Gazette", "Owls at night – Gazette"])
    (' — Gazette',)
    >>> common_affixes(["Part one of boats", "Part two of boats"])
    ()
    """
    titles = sorted({_one_line(title) for title in titles})
    if len(titles) < 2:
        return ()
    folded = [title.translate(_DASHES) for title in titles]
    start = titles[0][: len(_common_start(folded))]
    end_length = len(_common_start([title[::-1] for title in folded]))
    end = titles[0][len(titles[0]) - end_length :]
    starts = [match.end() for match in _SEPARATOR.finditer(start)]
    ends = [match.start() for match in _SEPARATOR.finditer(end)]
    ends += [match.start() for match in _BRACKET.finditer(end)]
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


def _cut_names(title: str, page: PageSources, source: str) -> str:
    """The title without the site's names before the first separator and after the last.

    Of the title of the window the names of the sections are cut off, too.
    """
    while not page.is_home and (splits := _split_titles(title)):
        names = _upper_names(page, source)
        starts = (after for before, after, _ in splits if _is_name(before, names))
        ends = (before for before, after, _ in reversed(splits) if _is_name(after, names))
        rest = next(filter(fold_words, (*ends, *starts)), "")
        if not rest:
            break
        title = rest
    return title


def _upper_names(page: PageSources, source: str) -> frozenset[str]:
    """The names that are cut off.  Headings rarely have one that the page does not declare, and
    the links that have the others take a while to find."""
    names = page.own_names if is_xpath(source) else page.home_names
    names |= {name.replace(" ", "") for name in names}
    return names | page.section_names if source == "html:title" else names


def _is_name(text: str, names: frozenset[str]) -> bool:
    words = fold_words(text)
    return words in names or words.replace(" ", "") in names


def _cut_to(source: str, title: str, whole: set[str]) -> str:
    """The longest part of the title that is another source's whole title, else all of it.
    ``whole``: the titles of all sources, folded.

    Only the page's own title is cut at the start, and at a colon: the text after a colon is
    mostly part of the title.  Of the others a date at the start is cut off.
    """
    is_page = source == "html:title"
    others = whole - {"", fold_words(title)}
    parts = [
        part
        for before, after, separator in _split_titles(title)
        for part in ((before, after) if is_page else (before,))
        if fold_words(part) in others and (is_page or separator.strip() not in (":", "："))
    ]
    parts += [
        after
        for before, after, _ in _split_titles(title)
        if _DATE_BEFORE.fullmatch(before) and fold_words(after) in others
    ]
    return max(parts, key=len, default=title)


def _split_titles(title: str) -> list[tuple[str, str, str]]:
    """For each separator, the title before and after it, and the separator."""
    return [
        (title[: match.start()].strip(), title[match.end() :].strip(), match.group())
        for match in _SEPARATOR.finditer(title)
    ]


FEED = "feed:title"
_HEADINGS = ("h1", "h2", "h3")

#: The titles of a page by source.
Titles = Mapping[str, str]


def learn_titles(pages: Sequence[PageSources]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sources of the title in the order they are tried, and the affixes to cut off.

    A source with the same title on most pages, where other sources differ, has the site's name;
    it is left out.
    """
    affixes = _site_affixes(pages)
    declared = [read_titles(page, TITLES, affixes) for page in pages]
    near = _find_near(pages, declared)
    if len(pages) > 1:
        visible = [*_find_headings(pages, declared), "//h1"]
    else:
        near, visible = _find_shown(pages[0], declared[0], near)
    sources = tuple(dict.fromkeys((TITLES[0], *near, TITLES[1], *visible, *TITLES[2:])))
    found = [read_titles(page, sources, affixes) for page in pages]
    found = [_drop_site_names(titles, page) for titles, page in zip(found, pages, strict=True)]
    kept = drop_constant(sources, found, fold_words)
    feed = [next(iter(page.texts(FEED)), None) for page in pages]
    return rank_sources(kept, found, feed, _is_same, FEED), affixes


def _site_affixes(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """What all pages' titles begin or end with, unless headings have it, too: the name of a
    series is part of the title."""
    titles = [next(iter(page.texts("html:title")), "") for page in pages]
    affixes = common_affixes([title for title in titles if title])
    return tuple(
        affix
        for affix in affixes
        if 2 * sum(_is_in_heading(page, affix) for page in pages) < len(pages)
    )


def _is_in_heading(page: PageSources, affix: str) -> bool:
    """Whether a heading contains the affix and more."""
    words = fold_words(affix)
    texts = (fold_words(text) for tag in _HEADINGS for text in page.texts(f"html:{tag}"))
    return any(words in text and words != text for text in texts)


def _find_headings(pages: Sequence[PageSources], declared: Sequence[Titles]) -> list[str]:
    """XPaths of the elements that show the declared title or that of the feed entry.

    If most pages have no such element: of those that show a part of the declared title, else of
    the first headings.
    """
    whole = [
        {fold_words(title) for title in (*titles.values(), *page.texts(FEED))} - {""}
        for page, titles in zip(pages, declared, strict=True)
    ]
    parts = [{fold_words(part) for part in title_parts(t.get("html:title", ""))} for t in declared]
    for wanted in (whole, parts):
        found = _find_varying(pages, wanted)
        if sum(any(map(page.texts, found)) for page in pages) >= len(pages) / 2:
            return found
    for tags in (_HEADINGS[:1], _HEADINGS[1:]):
        shown = [[one for one in page.short_elements if one.node.tag in tags] for page in pages]
        if found := find_visible(pages, shown, 1):
            return found
    return []


def _find_shown(
    page: PageSources, declared: Titles, near: list[str]
) -> tuple[list[str], list[str]]:
    """The XPaths of the elements that show the title of a single page: those that come before
    the title for sharing, and those after it.

    The title of the window is no evidence for an ``h1`` that is similar: it has the site's name.
    """
    is_shared = any(source in declared for source in _DECLARED)
    if is_shared and (visible := _find_varying([page], [{*map(fold_words, declared.values())}])):
        return near, visible
    heading = find_heading(page, _title_runs(page))
    visible = ["//h1"] if heading is None else [_write_xpath(page, heading)]
    return near if is_shared else [], visible


def _write_xpath(page: PageSources, heading: Node) -> str:
    text = _one_line(block_text(heading.element))
    own = [one for one in page.short_elements if one.node is heading]
    for xpath in find_visible([page], [own], 1):
        if _one_line(next(iter(page.texts(xpath)), "")) == text:
            return xpath
    return heading.xpath


def _title_runs(page: PageSources) -> list[str]:
    """The parts of the declared titles between any two separators, without those that begin or
    end with a name of the site or a section; the whole titles, if they are no such names."""
    runs: list[str] = []
    for source in TITLES:
        title = _one_line(next(iter(page.texts(source)), ""))
        ends = [(0, 0), *(match.span() for match in _SEPARATOR.finditer(title)), (len(title),) * 2]
        starts = [end for _, end in ends[:_MOST_PARTS]]
        for first, start in enumerate(starts):
            runs += [title[start:stop] for stop, _ in ends[first + 1 : _MOST_PARTS]]
    return [run for run in dict.fromkeys(runs) if not _has_name(run, page)]


def _has_name(run: str, page: PageSources) -> bool:
    names = page.home_names | page.section_names
    parts = (run, *title_parts(run))
    return not fold_words(run) or any(
        _is_name(part, names) or _is_host(part, page) for part in parts
    )


def _is_host(part: str, page: PageSources) -> bool:
    """Whether a text is of a few words that have the host's name, and none of the page's own:
    "Boat Gazette" of ``gazette.example``."""
    words = fold_words(part)
    has_host = len(page.host_words) > 3 and page.host_words in words.replace(" ", "")
    is_short = len(words.split()) <= 3
    return has_host and is_short and not set(words.split()) & set(page.slug.split())


def _find_near(pages: Sequence[PageSources], declared: Sequence[Titles]) -> list[str]:
    """The XPath of the ``h1`` that is similar to a declared title on most pages: they have half of
    the words of one of them in common.  Empty if there is none, or it is the title for sharing.

    Many sites declare a title that is made for search engines, and show another to readers.
    """
    names = [page.home_names | page.section_names for page in pages]
    wanted = [[_words_of(title) for title in titles.values()] for titles in declared]
    shared = [fold_words(titles.get(TITLES[1], "")) for titles in declared]

    def is_near(page: int, text: str) -> bool:
        return not _is_name(text, names[page]) and _is_near(_words_of(text), wanted[page])

    def is_found(xpath: str) -> bool:
        texts = [next(iter(page.texts(xpath)), "") for page in pages]
        return 2 * sum(map(is_near, range(len(pages)), texts)) >= len(pages) and _varies(
            xpath, pages
        )

    def find_headings() -> list[str]:
        shown = [
            [one for one in page.short_elements if one.node.tag == "h1" and is_near(n, one.text)]
            for n, page in enumerate(pages)
        ]
        return list(filter(is_found, find_visible(pages, shown, 1)))

    found = ["//h1"] if is_found("//h1") else find_headings()
    texts = [fold_words(next(iter(page.texts(xpath)), "")) for xpath in found for page in pages]
    same = sum(text == own for text, own in zip(texts, shared, strict=False))
    return found if 2 * same < len(pages) else []


def _is_near(words: set[str], wanted: Sequence[set[str]]) -> bool:
    return any(2 * len(words & own) >= min(len(words), len(own)) > 0 for own in wanted)


def _words_of(text: str) -> set[str]:
    return set(fold_words(text).split())


def _find_varying(pages: Sequence[PageSources], wanted: Sequence[set[str]]) -> list[str]:
    """XPaths of the elements with a wanted text that differs between the pages, and that is wanted
    on most pages which have it: a list of links may have the title of one page in it."""
    shown = [page.with_words(words) for page, words in zip(pages, wanted, strict=True)]
    xpaths = find_visible(pages, shown, 6)
    return [x for x in xpaths if _varies(x, pages) and _is_mostly(x, pages, wanted)][:3]


def _is_mostly(xpath: str, pages: Sequence[PageSources], wanted: Sequence[set[str]]) -> bool:
    """Whether the element has a wanted text on most of the pages that have it."""
    texts = 0
    matches = 0
    for page, words in zip(pages, wanted, strict=True):
        if shown := page.texts(xpath):
            texts += 1
            matches += fold_words(shown[0]) in words
    return 2 * matches >= texts


def _varies(xpath: str, pages: Sequence[PageSources]) -> bool:
    """Whether the element has another text on most pages, as a title does."""
    texts = [fold_words(page.texts(xpath)[0]) for page in pages if page.texts(xpath)]
    return len(texts) < 2 or len(set(texts)) > len(texts) / 2


def _drop_site_names(titles: Titles, page: PageSources) -> dict[str, str]:
    """The titles that are not just the site's name."""
    names = page.home_names | {""}
    return {source: title for source, title in titles.items() if fold_words(title) not in names}


def _is_same(one: str, other: str) -> bool:
    return fold_words(one) == fold_words(other)

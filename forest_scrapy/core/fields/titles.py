"""The titles that a page declares and shows, without the site's name."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.fields.ranking import drop_constant, rank_sources
from forest_scrapy.core.fields.sources import (
    MAX_FIELD_LENGTH,
    PageSources,
    ShortElement,
)
from forest_scrapy.core.fields.visible import find_visible
from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.page.outline import Node
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.site_caches import site_cache

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
#: The title of the window.
_WINDOW_TITLE = "html:title"
#: The title for sharing.
_SHARING_TITLE = "opengraph:og:title"
#: Those that are declared for other programs.
_DECLARED = TITLES[:4]
FEED = "feed:title"

_HEADINGS = ("h1", "h2", "h3")
_SOFT_HYPHEN = "\xad"
#: Characters of the longest title.
MAX_LENGTH = MAX_FIELD_LENGTH
#: Parts of a title that are compared with headings.
_MAX_PARTS = 8
#: Elements that may show the titles, and those of them that become sources.
_MAX_CANDIDATES = 6
_MAX_SHOWN = 3
#: Words of the longest name of a site that has the host's name in it, and characters of the
#: shortest name of a host that tells.
_MAX_NAME_WORDS = 3
_MIN_HOST_LENGTH = 4

#: Separators of the title and the site's name; hyphens, slashes and colons need a space, too.
#: Between Chinese, Japanese and Korean characters a hyphen or an underscore is one, too.
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
#: White space, all of it: a search that begins inside it takes quadratic time.
_SPACE = r"(?:(?<!\s)\s++)"
_SEPARATOR = re.compile(
    rf"{_SPACE}?+[|｜ㅣ»«›‹·•—–~]+\s*|{_SPACE}[-:/<>]+\s+|[:：]\s+|{_SPACE}?+--+\s*|"
    rf"{_SPACE}::|::\s+|{_SPACE}-|-\s+|"
    rf"{_SPACE}?+(?:(?<=[{_CJK}])[-_]+|[-_]{{1,20}}(?=[{_CJK}]))\s*|{_SPACE}@\s+"
)
#: What each of them has.
_MAY_SEPARATE = re.compile(r"[|｜ㅣ»«›‹·•—–~:：/<>@_-]")
#: Where what all titles end with may begin, too: "Boats [Gazette]"; and where what all titles begin
#: with may end.
_BRACKET = re.compile(r"(?<!\s)\s++(?=[\[(])|(?=【)")
_BRACKET_END = re.compile(r"[\])】]\s*")
#: A text in brackets at the start or the end of a title.
_BRACKETS_FIRST = re.compile(r"[\[(【]([^\[\](){}【】]+)[\])】]\s*(?=\S)")
_BRACKETS_LAST = re.compile(r"(?<=\S)(?:(?<!\s)\s++)?+[\[(【]([^\[\](){}【】]+)[\])】]$")
#: Signs of links to headings, which some sites write behind these.
_PERMALINKS = "¶🔗 "
#: Names of home pages, which are no titles of articles.
_NO_TITLES = frozenset(
    "home|homepage|home page|startseite|accueil|inicio|início|главная|首页|トップ".split("|")
)
#: The share of the words of a URL that what is left of a title has, if parts without any of these
#: words are cut off, and words of the longest such part.  Not tuned.
_MIN_SLUG_SHARE = 0.6
_MIN_SLUG_WORDS = 3
_MIN_SLUG_LENGTH = 4
_MAX_SECTION_WORDS = 5
#: A date before a title, in numbers.
_DATE_BEFORE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}")
_QUOTES = ("«", "»", "‹", "›")
_BARS = ("|", "｜", "ㅣ")
#: Second headings that are compared with what is before a bar, and words of the shortest.
_MAX_SECOND = 3
_MIN_HEADING_WORDS = 3
#: Dashes of one meaning, which some programs write at random.
_DASHES = str.maketrans("‐‑‒–—―", "------")


#: The titles of a page by source.
Titles = Mapping[str, str]


class _Split(NamedTuple):
    """A title at one of its separators: the text before it and after it, and the separator."""

    before: str
    after: str
    separator: str

    @property
    def is_colon(self) -> bool:
        return self.separator.strip() in (":", "：")


def read_titles(
    page: PageSources,
    sources: Iterable[str],
    affixes: Sequence[str],
) -> dict[str, str]:
    """The title by each of the sources that has one, without the site's name.

    If one source has "Boats - News" and another "Boats", both give "Boats".
    """
    titles = {}
    for source in page.present(tuple(sources)):
        titles[source] = page.value(_read_source, source, tuple(affixes))
    folded_titles = {fold_words(title) for title in titles.values()}

    cut_titles = {}
    for source, title in titles.items():
        if not title:
            continue
        line = _find_line(page, source, titles) if is_xpath(source) else ""
        cut_titles[source] = line or _cut_to_known(source, title, folded_titles)
    return cut_titles


def _find_line(page: PageSources, source: str, titles: Titles) -> str:
    """The first or the last line of a heading of several lines, if it is a declared title; ``""``
    if none is: others are labels, or what readers may do."""
    text = _first_text(page, source)
    if "\n" not in text:
        return ""
    declared = {fold_words(titles.get(name, "")) for name in TITLES}
    for name in TITLES:
        declared.update(map(fold_words, title_parts(titles.get(name, ""))[:1]))
    lines = list(map(_normalize, text.split("\n")))
    if fold_words(text) in declared:
        return ""
    for line in (lines[0], lines[-1]):
        words = fold_words(line)
        if words in declared - {""}:
            return line
    return ""


def first_title(
    page: PageSources,
    sources: Sequence[str],
    affixes: Sequence[str],
) -> tuple[str, str]:
    """The first of the sources that has a title, and its title as ``read_titles`` gives it; empty
    texts if there is none.  The other sources are read only if the title has a separator."""
    for source in page.present(tuple(sources)):
        title = page.value(_read_source, source, tuple(affixes))
        is_in_lines = is_xpath(source) and "\n" in _first_text(page, source)
        if title and not is_in_lines and not _find_separators(title):
            return source, title
        if title:
            titles = read_titles(page, sources, affixes)
            return source, titles[source]
    return "", ""


def _read_source(
    page: PageSources,
    source: str,
    affixes: Sequence[str],
) -> str:
    """The title of one source, without affixes and the site's name; ``""`` if it has none."""
    title = _normalize(_first_text(page, source))
    title = cut_affixes(title, affixes)
    return _cut_names(title, page, source)


def _first_text(page: PageSources, source: str) -> str:
    texts = page.texts(source)
    return next(iter(texts), "")


def read_title(page: Page) -> str:
    """The title of a single page of any kind; ``""`` if it has none.

    >>> read_title(Page.from_html("<title>Boats - Forum</title><a href=/>Forum</a><h1>Forum</h1>"))
    'Boats'
    """
    page_sources = PageSources(page)
    learned_sources, affixes = learn_titles([page_sources])
    sources = (*learned_sources, *TITLES, "//h1")
    _, title = first_title(page_sources, sources, affixes)
    return title


def cut_affixes(title: str, affixes: Sequence[str]) -> str:
    """The title without the affixes, unless nothing would be left.  All dashes are alike.

    >>> cut_affixes("The Gazette: Boats | Home", ("The Gazette: ", " | Home"))
    'Boats'
    """
    for affix in affixes:
        length = len(affix)
        folded_affix = affix.translate(_DASHES)
        folded_title = title.translate(_DASHES)
        is_longer = length < len(title)
        if is_longer and folded_title.startswith(folded_affix):
            title = title[length:]
            folded_title = folded_title[length:]
        is_longer = length < len(title)
        if is_longer and folded_title.endswith(folded_affix):
            title = title[:-length]
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
    different_titles = {_normalize(title) for title in titles}
    titles = sorted(different_titles)
    if len(titles) < 2:
        return ()

    folded = [title.translate(_DASHES) for title in titles]
    reversed_titles = [title[::-1] for title in folded]
    first = titles[0]
    start = first[: _common_length(folded)]
    end_length = _common_length(reversed_titles)
    end = first[len(first) - end_length :]

    affixes = []
    start_cuts = [separator_end for _, separator_end in _find_separators(start)]
    start_cuts += [match.end() for match in _BRACKET_END.finditer(start)]
    if start_cuts:
        affixes.append(start[: max(start_cuts)])
    end_cuts = [separator_start for separator_start, _ in _find_separators(end)]
    end_cuts += [match.start() for match in _BRACKET.finditer(end)]
    if end_cuts:
        affixes.append(end[min(end_cuts) :])
    return tuple(affix for affix in affixes if fold_words(affix))


def _common_length(texts: Sequence[str]) -> int:
    """The number of characters that all texts begin with."""
    first = min(texts)
    last = max(texts)
    length = 0
    for first_letter, last_letter in zip(first, last, strict=False):
        if first_letter != last_letter:
            break
        length += 1
    return length


def title_parts(title: str) -> list[str]:
    """The text before and after each separator.

    >>> title_parts("Gazette » Boats")
    ['Gazette', 'Boats']
    """
    parts = []
    for split in _split_title(title):
        parts.append(split.before)
        parts.append(split.after)
    return parts


def _normalize(text: str) -> str:
    """The text on one line, without soft hyphens, at most as long as a title may be."""
    text = text.replace(_SOFT_HYPHEN, "")
    line = " ".join(text.split())
    return line[:MAX_LENGTH].rstrip(_PERMALINKS)


def _cut_names(title: str, page: PageSources, source: str) -> str:
    """The title without the site's names before the first separator and after the last.

    Of the title of the window the names of the sections are cut off, too.
    """
    if page.is_home:
        return title
    has_name = False
    while True:
        shorter = _cut_name(title, page, source)
        if not shorter and has_name and not is_xpath(source) and not _is_shown(title, page):
            shorter = _cut_section(title, page)
        if not shorter or fold_words(shorter) in _NO_TITLES:
            return title
        has_name = True
        title = shorter


def _cut_name(title: str, page: PageSources, source: str) -> str:
    """The title without the last name of the site at its end, else without the first name at its
    start; ``""`` if it has none, or nothing else."""
    splits = _split_title(title)
    splits += _split_brackets(title)
    if not splits:
        return ""
    names = _names_to_cut(page, source)
    for split in reversed(splits):
        is_name_last = _is_name(split.after, names)
        if is_name_last and fold_words(split.before):
            return split.before
    for split in splits:
        is_name_first = _is_name(split.before, names)
        if is_name_first and fold_words(split.after):
            return split.after
    before_bar = _find_before_bar(splits, page)
    if before_bar or is_xpath(source) or _is_shown(title, page):
        return before_bar
    return _cut_host(splits, page) or _cut_slogan(splits, page, names)


def _split_brackets(title: str) -> list[_Split]:
    """The title at brackets around its start or its end, without these."""
    splits = []
    first = _BRACKETS_FIRST.match(title)
    if first:
        splits.append(_Split(first[1], title[first.end() :], separator="]"))
    last = _BRACKETS_LAST.search(title)
    if last:
        splits.append(_Split(title[: last.start()], last[1], separator="["))
    return splits


def _find_before_bar(splits: Sequence[_Split], page: PageSources) -> str:
    """The title before a bar that a second heading shows alone: some sites write the title of the
    window as first heading, too; ``""`` if there is none."""
    for split in splits:
        words = fold_words(split.before)
        is_bar = split.separator.strip() in _BARS
        if not is_bar or len(words.split()) < _MIN_HEADING_WORDS:
            continue
        if any(fold_words(text) == words for text in page.texts("html:h2")[:_MAX_SECOND]):
            return split.before
    return ""


def _is_shown(title: str, page: PageSources) -> bool:
    """Whether a highest heading shows the title and nothing else."""
    words = fold_words(title)
    return any(fold_words(text) == words for text in page.texts("html:h1"))


def _cut_host(splits: Sequence[_Split], page: PageSources) -> str:
    """The title without a last part that has the name of the host in it, and little else, or a
    first one if the words of the URL are in the rest; ``""`` if it has none."""
    for split in reversed(splits):
        is_name_last = not split.is_colon and _is_mostly_host(split.after, page)
        if is_name_last and fold_words(split.before):
            return split.before
    for split in splits:
        is_name_first = _is_host(split.before, page)
        if is_name_first and _has_slug(split.after, split.before, page):
            return split.after
    return ""


def _is_mostly_host(part: str, page: PageSources) -> bool:
    """Whether a text is the name of the host with little else: "Daily Gazette" of
    ``gazette.example``, but not "Gazette Weather Map"."""
    letters = len(fold_words(part).replace(" ", ""))
    return 2 * len(page.host_words) >= letters and _is_host(part, page)


def _cut_slogan(
    splits: Sequence[_Split],
    page: PageSources,
    names: frozenset[str],
) -> str:
    """The title before or after a name of the site that has a slogan beside it: "Boats | Gazette |
    News from the coast"; ``""`` if the words of the URL do not tell which part is the title."""
    for split in splits:
        if split.separator.strip() in _QUOTES:
            continue
        before_parts = title_parts(split.before)
        after_parts = title_parts(split.after)
        has_name_after = bool(after_parts) and _is_site(after_parts[0], page, names)
        if has_name_after and _has_slug(split.before, split.after, page):
            return split.before
        has_name_before = bool(before_parts) and _is_site(before_parts[0], page, names)
        if has_name_before and _has_slug(split.after, split.before, page):
            return split.after
    return ""


def _is_site(part: str, page: PageSources, names: frozenset[str]) -> bool:
    return _is_name(part, names) or _is_host(part, page)


def _cut_section(title: str, page: PageSources) -> str:
    """The title without a short part at its end or start that has no word of the URL, as the name
    of a section has none, if the rest has most of these words; ``""`` if there is none."""
    splits = _split_title(title)
    for split in reversed(splits):
        is_short = len(split.after.split()) <= _MAX_SECTION_WORDS
        if is_short and not split.is_colon and _has_slug(split.before, split.after, page):
            return split.before
    for split in splits:
        is_short = len(split.before.split()) <= _MAX_SECTION_WORDS
        if is_short and _has_slug(split.after, split.before, page):
            return split.after
    return ""


def _has_slug(title: str, rest: str, page: PageSources) -> bool:
    """Whether most of the longer words of the URL are in the title, and none is in the rest."""
    slug_words = {word for word in page.slug.split() if len(word) >= _MIN_SLUG_LENGTH}
    if len(slug_words) < _MIN_SLUG_WORDS:
        return False
    common = slug_words & _words_of(title)
    has_most = len(common) >= _MIN_SLUG_SHARE * len(slug_words)
    return has_most and slug_words.isdisjoint(_words_of(rest))


def _names_to_cut(page: PageSources, source: str) -> frozenset[str]:
    """The names that are cut off.  Headings rarely have one that the page does not declare, and
    the links that have the others take a while to find."""
    names = page.declared_names if is_xpath(source) else page.home_names
    names |= {name.replace(" ", "") for name in names}
    if source == _WINDOW_TITLE:
        return names | page.section_names
    return names


def _is_name(text: str, names: frozenset[str]) -> bool:
    words = fold_words(text)
    if words in names:
        return True
    return words.replace(" ", "") in names


def _cut_to_known(
    source: str,
    title: str,
    folded_titles: Collection[str],
) -> str:
    """The longest part of the title that is another source's whole title, else all of it.
    ``folded_titles``: the titles of all sources, folded.

    Only the page's own title is cut at the start, and at a colon: the text after a colon is
    mostly part of the title.  Of the others a date at the start is cut off.
    """
    is_window_title = source == _WINDOW_TITLE
    own_title = fold_words(title)
    other_titles = set(folded_titles) - {"", own_title}
    splits = _split_title(title)
    parts = []
    for split in splits:
        may_cut_end = is_window_title or not split.is_colon
        if may_cut_end and fold_words(split.before) in other_titles:
            parts.append(split.before)
        if is_window_title and fold_words(split.after) in other_titles:
            parts.append(split.after)
    for split in splits:
        is_after_date = _DATE_BEFORE.fullmatch(split.before) is not None
        if is_after_date and fold_words(split.after) in other_titles:
            parts.append(split.after)
    return max(parts, key=len, default=title)


def _split_title(title: str) -> list[_Split]:
    """The title at each of its separators."""
    splits = []
    for start, end in _find_separators(title):
        before = title[:start]
        after = title[end:]
        split = _Split(before.strip(), after.strip(), separator=title[start:end])
        splits.append(split)
    return splits


@site_cache
@lru_cache(maxsize=256)  # several functions look at the same titles
def _find_separators(title: str) -> tuple[tuple[int, int], ...]:
    """The start and the end of each separator of a title."""
    if _MAY_SEPARATE.search(title) is None:
        return ()
    return tuple(match.span() for match in _SEPARATOR.finditer(title))


class LearnedTitles(NamedTuple):
    """The sources of the title in the order they are tried, and the affixes to cut off."""

    sources: tuple[str, ...]
    affixes: tuple[str, ...]


def learn_titles(pages: Sequence[PageSources]) -> LearnedTitles:
    """Where the pages of a template have their titles.

    A source with the same title on most pages, where other sources differ, has the site's name;
    it is left out.
    """
    affixes = _site_affixes(pages)
    declared_titles = [read_titles(page, TITLES, affixes) for page in pages]
    near_headings = _NearHeadingFinder(pages, declared_titles).find()
    if len(pages) > 1:
        visible = [*_find_headings(pages, declared_titles), "//h1"]
    else:
        near_headings, visible = _find_shown(pages[0], declared_titles[0], near_headings)

    headline, sharing_title, *other_titles = TITLES
    candidates = [headline, *near_headings, sharing_title, *visible, *other_titles]
    sources = tuple(dict.fromkeys(candidates))
    titles = []
    for page in pages:
        page_titles = read_titles(page, sources, affixes)
        titles.append(_drop_site_names(page_titles, page))
    varying_sources = drop_constant(sources, titles, fold_words)
    feed_titles = []
    for page in pages:
        entry_titles = iter(page.texts(FEED))
        feed_titles.append(next(entry_titles, None))
    ranked_sources = rank_sources(varying_sources, titles, feed_titles, _is_same, FEED)
    return LearnedTitles(ranked_sources, affixes)


def _site_affixes(pages: Sequence[PageSources]) -> tuple[str, ...]:
    """What all pages' titles begin or end with, unless headings have it, too: the name of a
    series is part of the title."""
    titles = []
    for page in pages:
        title = _first_text(page, _WINDOW_TITLE)
        if title:
            titles.append(title)
    affixes = []
    for affix in common_affixes(titles):
        with_heading = sum(_is_in_heading(page, affix) for page in pages)
        if 2 * with_heading < len(pages):
            affixes.append(affix)
    return tuple(affixes)


def _is_in_heading(page: PageSources, affix: str) -> bool:
    """Whether a heading contains the affix and more."""
    affix_words = fold_words(affix)
    for tag in _HEADINGS:
        for text in page.texts(f"html:{tag}"):
            heading_words = fold_words(text)
            if affix_words in heading_words and affix_words != heading_words:
                return True
    return False


def _find_headings(
    pages: Sequence[PageSources],
    declared_titles: Sequence[Titles],
) -> list[str]:
    """XPaths of the elements that show the declared title or that of the feed entry.

    If most pages have no such element: of those that show a part of the declared title, else of
    the first headings.
    """
    whole_titles = []
    parts = []
    for page, titles in zip(pages, declared_titles, strict=True):
        entry_texts = page.texts(FEED)
        texts = (*titles.values(), *entry_texts)
        folded_texts = {fold_words(text) for text in texts}
        whole_titles.append(folded_texts - {""})
        window_title = titles.get(_WINDOW_TITLE, "")
        title_words = map(fold_words, title_parts(window_title))
        parts.append(set(title_words))

    for texts_to_find in (whole_titles, parts):
        xpaths = _find_varying(pages, texts_to_find)
        pages_with_text = 0
        for page in pages:
            pages_with_text += any(map(page.texts, xpaths))
        if pages_with_text >= len(pages) / 2:
            return xpaths

    highest, *lower = _HEADINGS
    for tags in ([highest], lower):
        headings = [list(_elements_with_tags(page, tags)) for page in pages]
        xpaths = find_visible(pages, headings, 1)
        if xpaths:
            return xpaths
    return []


def _elements_with_tags(
    page: PageSources,
    tags: Collection[str],
) -> Iterator[ShortElement]:
    return (element for element in page.short_elements if element.node.tag in tags)


def _find_shown(
    page: PageSources,
    titles: Titles,
    near_headings: list[str],
) -> tuple[list[str], list[str]]:
    """The XPaths of the elements that show the title of a single page: those that come before
    the title for sharing, and those after it.

    The title of the window is no evidence for an ``h1`` that is similar: it has the site's name.
    """
    is_shared = page.is_home or any(
        source in titles and fold_words(titles[source]) not in page.home_names
        for source in _DECLARED
    )
    if is_shared:
        folded_titles = {fold_words(title) for title in titles.values()}
        visible = _find_varying([page], [folded_titles])
        if visible:
            return near_headings, visible

    from forest_scrapy.core.fields.headings import find_heading  # most pages show a declared title

    runs = _title_runs(page)
    heading = find_heading(page, runs)
    xpath = "//h1"
    if heading is not None:
        xpath = _write_xpath(page, heading)
    return near_headings if is_shared else [], [xpath]


def _write_xpath(page: PageSources, heading: Node) -> str:
    """An XPath whose first element has the heading's text: one that may hold on other pages, too,
    else the heading's position."""
    text = _normalize(block_text(heading.element))
    elements = [element for element in page.short_elements if element.node is heading]
    for xpath in find_visible([page], [elements], 1):
        first_text = _normalize(_first_text(page, xpath))
        if first_text == text:
            return xpath
    return heading.xpath


def _title_runs(page: PageSources) -> list[str]:
    """The parts of the declared titles between any two separators, without those that begin or
    end with a name of the site or a section; the whole titles, if they are no such names."""
    runs: list[str] = []
    for source in page.present(TITLES):
        title = _normalize(_first_text(page, source))
        end_of_title = (len(title), len(title))
        all_borders = ((0, 0), *_find_separators(title), end_of_title)
        borders = all_borders[:_MAX_PARTS]
        for number, (_, start) in enumerate(borders):
            for stop, _ in borders[number + 1 :]:
                runs.append(title[start:stop])
    title_runs: list[str] = []
    for run in dict.fromkeys(runs):
        if not _has_name(run, page):
            title_runs.append(run)
    return title_runs


def _has_name(run: str, page: PageSources) -> bool:
    """Whether a part of the run is a name of the site or a section, or the run has no word."""
    if not fold_words(run):
        return True
    names = page.home_names | page.section_names
    parts = (run, *title_parts(run))
    return any(_is_name(part, names) or _is_host(part, page) for part in parts)


def _is_host(part: str, page: PageSources) -> bool:
    """Whether a text is of a few words that have the host's name, and none of the page's own:
    "Boat Gazette" of ``gazette.example``."""
    folded = fold_words(part)
    words = folded.split()
    host = page.host_words
    name = folded.replace(" ", "")
    has_host = len(host) >= _MIN_HOST_LENGTH and host in name
    is_short = len(words) <= _MAX_NAME_WORDS
    slug_words = set(page.slug.split())
    return has_host and is_short and slug_words.isdisjoint(words)


class _NearHeadingFinder:
    """Finds the ``h1`` that is similar to a declared title on most pages: they have half of the
    words of one of them in common.

    Many sites declare a title that is made for search engines, and show another to readers.
    """

    def __init__(
        self,
        pages: Sequence[PageSources],
        declared_titles: Sequence[Titles],
    ) -> None:
        self._pages = pages
        self._site_names = []
        self._sharing_titles = []
        for page, titles in zip(pages, declared_titles, strict=True):
            names = page.home_names | page.section_names
            self._site_names.append(names)
            sharing_title = titles.get(_SHARING_TITLE, "")
            self._sharing_titles.append(fold_words(sharing_title))
        self._title_words = [
            [_words_of(title) for title in titles.values()] for titles in declared_titles
        ]

    def find(self) -> list[str]:
        """The XPath of the heading; empty if there is none, or it is the title for sharing."""
        xpaths = ["//h1"]
        if not self._is_similar("//h1"):
            xpaths = self._find_similar()
        if not xpaths:
            return []
        same = 0
        pairs = zip(self._pages, self._sharing_titles, strict=True)
        for page, sharing_title in pairs:
            title = _first_text(page, xpaths[0])
            same += fold_words(title) == sharing_title
        is_mostly_same = 2 * same >= len(self._pages)
        return [] if is_mostly_same else xpaths

    def _is_similar(self, xpath: str) -> bool:
        """Whether the first element at the XPath is similar to a title on most pages."""
        similar = 0
        for number, page in enumerate(self._pages):
            text = _first_text(page, xpath)
            similar += self._is_near_title(number, text)
        is_mostly_similar = 2 * similar >= len(self._pages)
        return is_mostly_similar and _varies(xpath, self._pages)

    def _find_similar(self) -> list[str]:
        headings = []
        for number, page in enumerate(self._pages):
            elements = _elements_with_tags(page, ["h1"])
            near = []
            for element in elements:
                if self._is_near_title(number, element.text):
                    near.append(element)
            headings.append(near)
        similar = []
        for xpath in find_visible(self._pages, headings, 1):
            if self._is_similar(xpath):
                similar.append(xpath)
        return similar

    def _is_near_title(self, number: int, text: str) -> bool:
        """Whether the text is similar to a title of the page with the number, and no site name."""
        if _is_name(text, self._site_names[number]):
            return False
        words = _words_of(text)
        titles = self._title_words[number]
        return any(_has_half(words, title_words) for title_words in titles)


def _has_half(words: set[str], title_words: set[str]) -> bool:
    """Whether both have half of the words of the shorter one in common."""
    common = len(words & title_words)
    shorter = min(len(words), len(title_words))
    return 2 * common >= shorter > 0


def _words_of(text: str) -> set[str]:
    return set(fold_words(text).split())


def _find_varying(
    pages: Sequence[PageSources],
    texts_to_find: Sequence[Collection[str]],
) -> list[str]:
    """XPaths of the elements with a text to find that differs between the pages, and that is one
    on most pages which have the element: a list of links may have the title of one page in it.

    ``texts_to_find``: for each page, the folded texts.
    """
    elements = [page.with_words(texts) for page, texts in zip(pages, texts_to_find, strict=True)]
    xpaths = []
    for xpath in find_visible(pages, elements, _MAX_CANDIDATES):
        if not _varies(xpath, pages):
            continue
        if _is_mostly(xpath, pages, texts_to_find):
            xpaths.append(xpath)
    return xpaths[:_MAX_SHOWN]


def _is_mostly(
    xpath: str,
    pages: Sequence[PageSources],
    texts_to_find: Sequence[Collection[str]],
) -> bool:
    """Whether the element has a text to find on most of the pages that have it."""
    pages_with_text = 0
    matches = 0
    for page, texts in zip(pages, texts_to_find, strict=True):
        element_texts = page.texts(xpath)
        if element_texts:
            pages_with_text += 1
            matches += fold_words(element_texts[0]) in texts
    return 2 * matches >= pages_with_text


def _varies(xpath: str, pages: Sequence[PageSources]) -> bool:
    """Whether the element has another text on most pages, as a title does."""
    texts = []
    for page in pages:
        page_texts = page.texts(xpath)
        if page_texts:
            texts.append(fold_words(page_texts[0]))
    different = len(set(texts))
    if len(texts) < 2:
        return True
    return different > len(texts) / 2


def _drop_site_names(titles: Titles, page: PageSources) -> dict[str, str]:
    """The titles that are not just the site's name."""
    site_names = page.home_names | {""}
    return {
        source: title for source, title in titles.items() if fold_words(title) not in site_names
    }


def _is_same(title: str, other_title: str) -> bool:
    return fold_words(title) == fold_words(other_title)

"""The comments of articles: how many are found, against the number that the feed has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.bench_set import BenchPage, set_name
from benchmarks.placed_pages import Site, read_sites
from forest_scrapy.core import Extract, Page, extract, learn
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.records import Record, RecordRules
from forest_scrapy.core.records.comments import learn_comments, read_comments

#: Pages that a template's wrapper is learned from.
_PAGES = 10


@dataclass(frozen=True)
class CommentCount:
    """The comments of a page: as many as its feed counts, as were found, as were found with an
    author, with a date.  ``in_text``: lines of the article's text that are those of comments, also
    of comments that are found if nothing but the start of the article is known."""

    page: str
    wanted: int
    found: int
    authors: int
    dates: int
    in_text: tuple[str, ...]


def count_comments(site: Site) -> Iterator[CommentCount]:
    """The counts of the pages of a site whose feed counts comments."""
    known = {one.url: one for one in site.scored if one.entry is not None}
    for template in site.templates:
        pages = [placed.page for placed in template]
        counted = [page for page in pages if _wanted(known, page) is not None]
        if not counted:
            continue
        wrapper = learn(pages[:_PAGES])
        sample = [extract(page, wrapper)[1].content for page in pages[:_PAGES]]
        rules = learn_comments(pages[:_PAGES], sample)
        everywhere = learn_comments(pages[:_PAGES], list(map(_start_of, sample)))
        for page in counted:
            found = extract(page, wrapper)[1]
            own = rules or learn_comments([page], [found.content])
            comments = read_comments(own, page, found.content) if own else []
            yield CommentCount(
                known[page.url].id,
                _wanted(known, page) or 0,
                len(comments),
                sum(bool(one.get("author")) for one in comments),
                sum(bool(one.get("date")) for one in comments),
                lines_in_text(page, found, everywhere, comments),
            )


def lines_in_text(
    page: Page, found: Extract, everywhere: RecordRules | None, comments: Sequence[Record]
) -> tuple[str, ...]:
    """The lines of comments that are lines of the article's text.  ``everywhere``: rules for
    comments that were learned with nothing known of the article but its start, so that those are
    found that it has swallowed."""
    start = _start_of(found.content)
    rules = everywhere or learn_comments([page], [start])
    swallowed = read_comments(rules, page, start) if rules else []
    text = found.text.splitlines()
    known = set(text)
    lines = (line for one in (*comments, *swallowed) for line in one.text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line in known))


def _wanted(known: dict[str, Any], page: Page) -> int | None:
    entry = known[page.url].entry if page.url in known else None
    return entry.comments_count if entry else None


def _is_counted(page: BenchPage) -> bool:
    return page.entry is not None and page.entry.comments_count is not None


def _start_of(content: Content) -> Content:
    """The first block of an article."""
    return Content(text_blocks=content.text_blocks[:1])


def summarize_comments(counts: Sequence[CommentCount]) -> dict[str, Any]:
    """The figures of a set: pages with comments and those with the right number, pages without
    and those on which some were found; of the comments found, those with an author, with a date,
    and pages and lines of articles' texts with comments; on pages without comments these are
    false alarms of the measure."""
    some = [one for one in counts if one.wanted]
    none = [one for one in counts if not one.wanted]
    return {
        "with_comments": len(some),
        "right": sum(one.found == one.wanted for one in some),
        "within_one": sum(abs(one.found - one.wanted) <= 1 for one in some),
        "without": len(none),
        "found_without": sum(one.found > 0 for one in none),
        "comments": sum(one.found for one in counts),
        "with_author": sum(one.authors for one in counts),
        "with_date": sum(one.dates for one in counts),
        "pages_with_comments_in_text": sum(bool(one.in_text) for one in some),
        "lines_in_text": sum(len(one.in_text) for one in some),
        "false_alarms": sum(bool(one.in_text) for one in none),
    }


def print_comments(folder: str, only: str, pages: bool, as_json: bool) -> None:
    """Count the comments of a set and print the figures."""
    sites = read_sites(folder, only, lambda group: any(map(_is_counted, group.pages)))
    counts = [one for site in sites for one in count_comments(site)]
    report = {"set": set_name(folder), **summarize_comments(counts)}
    if as_json:
        print(json.dumps(report))
        return
    print("\n".join(f"{name:16s} {value}" for name, value in report.items()))
    for one in counts if pages else ():
        if one.found != one.wanted:
            print(f"{one.wanted:4d} counted, {one.found:4d} found  {one.page}")
        for line in one.in_text:
            print(f"in the article's text  {one.page}: {line[:100]}")

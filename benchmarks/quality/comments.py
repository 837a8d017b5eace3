"""The comments of articles: how many are found, against the number that the feed has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.sets.bench_set import BenchPage, set_name
from benchmarks.sets.placed_pages import Site, read_sites
from forest_scrapy.core import Extract, Page, extract, learn
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.records import Record, RecordRules
from forest_scrapy.core.records.comments import learn_comments, read_comments

#: Pages that a template's wrapper is learned from.
SAMPLE_SIZE = 10


@dataclass(frozen=True)
class CommentCount:
    """The comments of a page: the number that its feed states, the number extracted, and how many
    of these have an author and a date.  ``in_text``: lines of the article's text that are those of
    comments, also of comments that are found if nothing but the start of the article is known."""

    page: str
    stated: int
    extracted: int
    authors: int
    dates: int
    in_text: tuple[str, ...]


def count_comments(site: Site) -> Iterator[CommentCount]:
    """The counts of the pages of a site whose feed counts comments."""
    recorded_pages = {}
    for recorded in site.scored:
        if _is_counted(recorded):
            recorded_pages[recorded.url] = recorded

    for template in site.templates:
        pages = [placed.page for placed in template]
        counted_pages = [page for page in pages if page.url in recorded_pages]
        if not counted_pages:
            continue

        sample = pages[:SAMPLE_SIZE]
        wrapper = learn(sample)
        contents = [extract(page, wrapper)[1].content for page in sample]
        starts = [_start_of(content) for content in contents]
        rules = learn_comments(sample, contents)
        everywhere = learn_comments(sample, starts)
        for page in counted_pages:
            article = extract(page, wrapper)[1]
            page_rules = rules or learn_comments([page], [article.content])
            comments: Sequence[Record] = []
            if page_rules:
                comments = read_comments(page_rules, page, article.content)
            recorded = recorded_pages[page.url]
            yield CommentCount(
                page=recorded.id,
                stated=_stated_count(recorded) or 0,
                extracted=len(comments),
                authors=sum(bool(comment.get("author")) for comment in comments),
                dates=sum(bool(comment.get("date")) for comment in comments),
                in_text=lines_in_text(page, article, everywhere, comments),
            )


def lines_in_text(
    page: Page,
    article: Extract,
    everywhere: RecordRules | None,
    comments: Sequence[Record],
) -> tuple[str, ...]:
    """The lines of comments that are lines of the article's text.  ``everywhere``: rules for
    comments that were learned with nothing known of the article but its start, so that those are
    found that it has swallowed."""
    start = _start_of(article.content)
    rules = everywhere or learn_comments([page], [start])
    swallowed: Sequence[Record] = []
    if rules:
        swallowed = read_comments(rules, page, start)

    article_lines = set(article.text.splitlines())
    common_lines: dict[str, None] = {}
    for comment in (*comments, *swallowed):
        for line in comment.text.splitlines():
            if line in article_lines:
                common_lines[line] = None
    return tuple(common_lines)


def _stated_count(page: BenchPage) -> int | None:
    """The number of comments that the feed states; None if it does not."""
    if page.entry is None:
        return None
    return page.entry.comments_count


def _is_counted(page: BenchPage) -> bool:
    return _stated_count(page) is not None


def _start_of(content: Content) -> Content:
    """The first block of an article."""
    return Content(text_blocks=content.text_blocks[:1])


def summarize_comments(counts: Sequence[CommentCount]) -> dict[str, Any]:
    """The figures of a set: pages with comments and those with the right number, pages without
    and those on which some were found; of the comments found, those with an author, with a date,
    and pages and lines of articles' texts with comments; on pages without comments these are
    false alarms of the measure."""
    commented = [count for count in counts if count.stated]
    uncommented = [count for count in counts if not count.stated]
    differences = [abs(count.extracted - count.stated) for count in commented]
    return {
        "with_comments": len(commented),
        "right": sum(difference == 0 for difference in differences),
        "within_one": sum(difference <= 1 for difference in differences),
        "without": len(uncommented),
        "found_without": sum(count.extracted > 0 for count in uncommented),
        "comments": sum(count.extracted for count in counts),
        "with_author": sum(count.authors for count in counts),
        "with_date": sum(count.dates for count in counts),
        "pages_with_comments_in_text": sum(bool(count.in_text) for count in commented),
        "lines_in_text": sum(len(count.in_text) for count in commented),
        "false_alarms": sum(bool(count.in_text) for count in uncommented),
    }


def print_comments(folder: str, only: str, pages: bool, as_json: bool) -> None:
    """Count the comments of a set and print the figures."""
    sites = read_sites(folder, only, lambda group: any(map(_is_counted, group.pages)))
    counts: list[CommentCount] = []
    for site in sites:
        counts.extend(count_comments(site))
    report = {"set": set_name(folder), **summarize_comments(counts)}
    if as_json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        print(f"{name:16s} {value}")
    if not pages:
        return
    for count in counts:
        if count.extracted != count.stated:
            print(f"{count.stated:4d} counted, {count.extracted:4d} found  {count.page}")
        for line in count.in_text:
            print(f"in the article's text  {count.page}: {line[:100]}")

"""Pages of threads with so few posts that nothing on them is repeated: the last page of a thread,
or a question without answers.  Other threads of the host tell where their posts are."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from forest_scrapy.core.page.page import Page
from forest_scrapy.core.records.record import Record
from forest_scrapy.core.records.record_wrapper import RecordWrapper

#: Pages of a template that are looked at.
MAX_PAGES = 3
#: What a post has: the text of another page is no post because it is at the place of one.
_OF_POSTS = ("author", "date")


def find_thread_records(
    pages: Sequence[Page],
    threads: Iterable[RecordWrapper],
) -> RecordWrapper | None:
    """The first of the rules for the posts of other templates of the host that finds one with
    text, author and date on each of the pages; None if none does."""
    for records in threads:
        if all(_has_post(page, records) for page in pages[:MAX_PAGES]):
            evidence = "posts where other threads of the host have theirs"
            kind = replace(records.kind, evidence=(evidence,))
            return replace(records, kind=kind)
    return None


def _has_post(page: Page, records: RecordWrapper) -> bool:
    return bool(records.rules) and any(map(_is_post, records.apply(page)))


def _is_post(record: Record) -> bool:
    return bool(record.text) and all(record.get(name) for name in _OF_POSTS)

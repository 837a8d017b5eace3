"""Pages of threads with so few posts that nothing on them is repeated: the last page of a thread,
or a question without answers.  Other threads of the host tell where their posts are."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from forest_scrapy.core.page.page import Page
from forest_scrapy.core.records.record import Record
from forest_scrapy.core.records.record_wrapper import RecordWrapper

#: What a post has: the text of another page is no post because it is at the place of one.
_POST_VALUES = ("author", "date")
#: The evidence of the kind of such pages.
_EVIDENCE = "posts where other threads of the host have theirs"


def find_thread_records(
    pages: Sequence[Page],
    threads: Iterable[RecordWrapper],
) -> RecordWrapper | None:
    """The first of the rules for the posts of other templates of the host that finds one with
    text, author and date on each of the pages; None if none does.

    Those that were learned from most posts come first, whatever the order of ``threads``, and none
    that were themselves those of another template.
    """
    learned_threads = []
    for records in threads:
        if records.rules and _EVIDENCE not in records.kind.evidence:
            learned_threads.append(records)
    learned_threads.sort(key=_rank)

    for records in learned_threads:
        have_posts = [_has_post(page, records) for page in pages]
        if all(have_posts):
            kind = replace(records.kind, evidence=(_EVIDENCE,))
            return replace(records, kind=kind)
    return None


def _rank(records: RecordWrapper) -> tuple[int, str]:
    """By the number of posts that the rules were learned from, most first; then by their XPath."""
    return -records.evidence.records, records.rules[0].record


def _has_post(page: Page, records: RecordWrapper) -> bool:
    return any(_is_post(record) for record in records.apply(page))


def _is_post(record: Record) -> bool:
    if not record.text:
        return False
    return all(record.get(name) for name in _POST_VALUES)

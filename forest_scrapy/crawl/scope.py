"""What the spider of a crawl wants of its pages."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import Spider

from forest_scrapy.core.moments import ANY_DATE, DateRange
from forest_scrapy.responses.notes import PageNotes

if TYPE_CHECKING:
    from forest_scrapy.core.topic_filter import TopicFilter

#: Requests the next page of a thread or an article: its URL, and the notes of the request.  Whether
#: it was not requested before.
Follow = Callable[[str, PageNotes], bool]


@dataclass(frozen=True)
class PageScope:
    """Which items of a crawl are wanted, and how their further pages are requested.

    - ``dates``: only articles of these dates; ``topic``: only items about it; None: any.
    - ``follow``: requests the further pages of items of the kinds ``followed``; None if they are
      not requested.
    - ``keeps_rules``: pages that the rules of their template do not fit have another layout, and
      are left as they are.
    """

    dates: DateRange = ANY_DATE
    follow: Follow | None = None
    followed: Collection[str] = ("thread", "article")
    keeps_rules: bool = False
    topic: "TopicFilter | None" = None


def scope_of(spider: Spider | None) -> PageScope | None:
    """The ``page_scope`` of a spider; None for a project's own spider, which has none."""
    scope = getattr(spider, "page_scope", None)
    if isinstance(scope, PageScope):
        return scope
    return None

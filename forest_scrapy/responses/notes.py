"""What the spiders note in a request for a page, and read when its response is there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scrapy.http import Request, Response

from forest_scrapy.core import Entry
from forest_scrapy.core.codec import from_json, to_json

#: The key in a request's meta.
_KEY = "forest"


@dataclass(frozen=True)
class PageNotes:
    """The notes of one request.

    - ``entry``: the page's feed entry; ``lastmod``: when its sitemap says that it was changed.
    - ``follow``: the number of steps for which links are followed from the page.
    - ``was_article``: whether the page is known to be one that is wanted: an article in an earlier
      crawl, or the next page of a thread or an article that is.
    - ``depth``: the depth of a further page, which is that of the page before and one.
    - ``template``: the key of the template of the page before, for a further page of an article.
    - ``thread``: the URL of the thread's first page, ``""`` for a page that may be a list;
      ``list_url``: that of the first page of the list that it is a further page of; ``number``:
      that of the page in its thread, article or list, from 1, 0 if it is not known;
      ``is_last``: whether no further page of these is requested.
    - ``fetched_at``: when the response was fetched, ISO 8601, if it is not fetched now.
    - ``words``: what ``digest_words`` gives for the page before: a page that repeats it ends the
      thread or list.
    """

    entry: Entry | None = None
    follow: int = 0
    was_article: bool = False
    lastmod: str = ""
    thread: str = ""
    number: int = 0
    is_last: bool = False
    fetched_at: str = ""
    words: str = ""
    template: str = ""
    depth: int = 0
    list_url: str = ""

    def to_meta(self) -> dict[str, Any]:
        """The notes as an update of a request's meta, in JSON: requests are kept in ``JOBDIR``, and
        the meta of pages in the spool."""
        return {_KEY: to_json(self)}


NO_NOTES = PageNotes()


def notes_of(message: Request | Response) -> PageNotes:
    """The notes of a request, or of the request of a response; empty if there are none.

    >>> request = Request("https://example.org/", meta=PageNotes(follow=2).to_meta())
    >>> request.meta, notes_of(request).follow
    ({'forest': {'follow': 2}}, 2)
    """
    request = message.request if isinstance(message, Response) else message
    if request:
        return notes_in(request.meta)
    return NO_NOTES


def notes_in(meta: Mapping[str, Any]) -> PageNotes:
    """The notes in the meta of a request; empty if there are none."""
    data = meta.get(_KEY)
    if data:
        return from_json(PageNotes, data, ignore_unknown=True)
    return NO_NOTES


def is_for_scrapy_parse(response: Response) -> bool:
    """Whether a page was requested by ``scrapy parse``, which prints what callbacks yield for
    it."""
    # Only that command sets it.
    return response.request is not None and "_callback" in response.request.meta


def has_notes(request: Request) -> bool:
    """Whether a request is one of our spiders for a page."""
    return _KEY in request.meta

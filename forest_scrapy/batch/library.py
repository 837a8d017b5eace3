"""``extract_pages``: the items of pages that a program has."""

import json
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from forest_scrapy.batch.batch import HELD, Batch, PageResult, without_body
from forest_scrapy.batch.pool import Pool
from forest_scrapy.batch.progress import NoProgress
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.batch.single import extract_single
from forest_scrapy.batch.work import TaskContext, close_stores, try_rules
from forest_scrapy.core.other_kinds import describe_other_kinds
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BatchStore
from forest_scrapy.stores.database import store_errors
from forest_scrapy.zyte_items import convert_item

logger = logging.getLogger(__name__)


def extract_pages(
    pages: Iterable[RawPage | tuple[str, str | bytes]],
    settings: ForestSettings | None = None,
    *,
    are_articles: bool = False,
    wrappers: str | os.PathLike[str] = "",
    processes: int = 1,
    refused: Callable[[RawPage, str], object] | None = None,
) -> Iterator[Any]:
    """The articles among some pages, in the order of the pages.  With other ``kinds`` in the
    settings also ``Thread``, ``Product``, ``Listing`` and ``WebPage``: a thread over several pages
    comes with the last of them, or after all pages if some are missing.

    ``pages``: a URL and its HTML each (bytes are decoded as in a crawl), or a ``RawPage`` with
    what else is known.  All pages are taken before the first article comes; they are in a
    temporary file, so memory does not grow with their number.  Several pages of a site give
    better articles than one, because wrappers are learned from them.  One page needs neither the
    file nor processes: some 10 to 50 ms.

    ``are_articles``: whether all pages are known to be articles; otherwise a classifier finds the
    articles, as in a crawl of a site.  ``wrappers``: the file of a store of wrappers to
    extract with, without learning.  ``processes``: above 1, the program has to be safe to
    import, as the standard library's process pools require.

    A page that cannot be read, or is not an article, gives nothing; ``refused`` is called with it
    and the reason, in the words of the file of errors (its body may be left out).  If the disk of
    the temporary file is full, or the wrappers cannot be read, ``ForestError`` or ``OSError`` is
    raised.
    """
    settings = settings or _default_settings()
    wrappers = os.fspath(wrappers)
    raw_pages = map(_read_input, pages)
    first_pages = list(islice(raw_pages, 2))
    if len(first_pages) == 1 and not wrappers:
        single = extract_single(first_pages[0], settings, are_articles)
        if single is not None:
            if single.item:
                yield convert_item(single.item, settings.item)
            elif refused:
                refused(single.raw, single.reason)
            _warn_of_other_kinds([single], settings)
            return

    with TemporaryDirectory() as folder, ExitStack() as stack:
        stack.enter_context(store_errors(folder))  # such as a full disk
        stack.callback(close_stores)
        if wrappers:  # the pages' processes open it; without it no page would be extracted
            try_rules(wrappers, settings)
        page_file = Path(folder, "pages").open("w+b")  # noqa: SIM115 - closed by the stack
        stack.enter_context(page_file)
        source = _PageFile(page_file, chain(first_pages, raw_pages))
        context = TaskContext(
            store=str(Path(folder, "pages.db")),
            settings=settings,
            are_articles=are_articles,
            wrappers=wrappers,
        )
        store = stack.enter_context(closing(BatchStore(context.store)))
        pool = stack.enter_context(closing(Pool(processes)))
        batch = Batch(source, context, store, pool, NoProgress())
        batch.learn()
        looked_at: list[PageResult] = []
        for results in batch.extract():
            for result in results:
                if result.other_kind:
                    looked_at.append(replace(result, raw=without_body(result.raw)))
                if result.item:
                    yield convert_item(result.item, settings.item)
                elif refused and result.reason != HELD:
                    refused(result.raw, result.reason)
        _warn_of_other_kinds(looked_at, settings)


@cache
def _default_settings() -> ForestSettings:
    """Made once: their check takes a good part of the time of a tiny page."""
    return ForestSettings()


def _warn_of_other_kinds(results: Iterable[PageResult], settings: ForestSettings) -> None:
    """Log how many pages are threads, products or lists, if these are not wanted."""
    counts: Counter[str] = Counter()
    for result in results:
        if result.other_kind:
            counts[result.other_kind] += result.pages_alike
    text = describe_other_kinds(counts, settings.kinds, "kinds=")
    if text:
        logger.warning("%s", text)


class _PageFile:
    """Pages in a file, which can be read again and again."""

    def __init__(self, file: IO[bytes], pages: Iterable[RawPage]) -> None:
        self._file = file
        for raw in pages:
            head, body = raw.to_parts()
            head["size"] = len(body)
            line = json.dumps(head)
            file.write(line.encode() + b"\n")
            file.write(body)
        file.flush()

    def __iter__(self) -> Iterator[RawPage]:
        with Path(self._file.name).open("rb") as file:
            while line := file.readline():
                head = json.loads(line)
                size = head.pop("size")
                body = file.read(size)
                yield RawPage.from_parts(head, body)


def _read_input(page: RawPage | tuple[str, str | bytes]) -> RawPage:
    if isinstance(page, RawPage):
        return page
    try:
        url, html = page
    except TypeError:
        raise TypeError(f"a page is a pair of URL and HTML, or a RawPage, not {page!r}") from None
    has_right_types = isinstance(url, str) and isinstance(html, str | bytes)
    if not has_right_types:
        raise TypeError("a page is a pair of URL and HTML, in this order")
    return RawPage(url, html, headers={"Content-Type": "text/html"})

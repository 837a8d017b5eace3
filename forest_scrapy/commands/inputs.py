"""From what the command line names to the core's pages."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings

from forest_scrapy.commands.fetching import Fetched, fetch, is_url, read_file
from forest_scrapy.core import Page
from forest_scrapy.runtime.responses import page_of, refuse_page, repair_encoding
from forest_scrapy.settings import ForestSettings

__all__ = ["Inputs", "read_inputs"]

_REFUSED = {
    "empty": "is empty",
    "too_large": "is larger than FOREST_MAX_BYTES",
    "not_html": "is no HTML",
}


@dataclass(frozen=True)
class Inputs:
    """The pages that could be read, in the order they were named, and what is wrong with the
    others, a line each."""

    pages: tuple[Page, ...]
    complaints: tuple[str, ...]


def read_inputs(
    names: Sequence[str], options: Namespace, config: ForestSettings, settings: Settings
) -> Inputs:
    """Read files, fetch addresses, and give pages the entry that the feed has of them; of a
    feed alone, the first pages.  Starts a crawl where something has to be fetched."""
    fetched, feed = Fetched(), options.feed or ""
    if feed and not is_url(feed):
        _read_local_feed(feed, fetched)
    urls = [name for name in names if is_url(name)]
    if urls or is_url(feed) or (not names and fetched.items):
        items = 0 if names else config.pages
        fetch(urls, feed, items, settings, fetched)
    for name in dict.fromkeys(name for name in names if not is_url(name)):
        try:
            fetched.responses[name] = read_file(name)
        except FileNotFoundError:
            fetched.complaints.append(f"{name}: there is no such file, and it is no http address")
        except OSError as error:
            fetched.complaints.append(f"{name}: {error.strerror}")
    return _take_pages(names or fetched.items[: config.pages], fetched, config)


def _read_local_feed(name: str, fetched: Fetched) -> None:
    try:
        response = read_file(name)
    except OSError as error:
        fetched.complaints.append(f"{name}: {error.strerror}")
    else:
        fetched.note_feed(response.body, response.url, {})


def _take_pages(names: Sequence[str], fetched: Fetched, config: ForestSettings) -> Inputs:
    pages, complaints = [], list(fetched.complaints)
    for name in dict.fromkeys(names):
        if name not in fetched.responses:
            if not any(complaint.startswith(f"{name}: ") for complaint in complaints):
                complaints.append(f"{name}: was not fetched; with -L INFO the log tells why")
            continue
        response = repair_encoding(fetched.responses[name])
        reason = refuse_page(response, config.max_bytes)
        if not isinstance(response, HtmlResponse):  # a crawl reads any text; this is to show why
            reason = reason or "not_html"
        page = None if reason else _page(name, response, fetched, config.feed_fields)
        if page is not None and page.outline.leaves:
            pages.append(page)
        else:
            complaints.append(f"{name}: {_REFUSED.get(reason or '', 'has no text')}")
    return Inputs(tuple(pages), tuple(complaints))


def _page(name: str, response: Response, fetched: Fetched, feed_fields: bool) -> Page:
    """The page; a file has the address that it declares itself, if any."""
    if not is_url(name):
        declared = response.xpath("string(//link[@rel='canonical']/@href)").get("").strip()
        address = urljoin(response.url, declared)
        response = response.replace(url=address if is_url(address) else response.url)
    return page_of(response, fetched.entry_of(name, response.url), feed_fields)

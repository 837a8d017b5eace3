"""The pages named on the command line, as pages of the core."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings

from forest_scrapy.commands.fetching import Fetched, fetch, is_url, read_file
from forest_scrapy.core import Page
from forest_scrapy.responses.conversion import page_of, refuse_page, repair_encoding
from forest_scrapy.settings import ForestSettings

__all__ = ["Inputs", "read_inputs"]

_REASONS = {
    "empty": "is empty",
    "too_large": "is larger than FOREST_MAX_BYTES",
    "not_html": "is not HTML",
}


@dataclass(frozen=True)
class Inputs:
    """``pages``: those that could be read, in the order given; ``errors``: one message for each
    of the others."""

    pages: tuple[Page, ...]
    errors: tuple[str, ...]


def read_inputs(
    names: Sequence[str], options: Namespace, config: ForestSettings, settings: Settings
) -> Inputs:
    """Read the files and fetch the URLs; each page gets its entry from the feed, if any.

    Without names, the pages are the first ``FOREST_PAGES`` items of the feed.  A crawl is
    started only if something has to be fetched.
    """
    fetched, feed = Fetched(), options.feed or ""
    if feed and not is_url(feed):
        _read_feed_file(feed, fetched)
    urls = [name for name in names if is_url(name)]
    if urls or is_url(feed) or (not names and fetched.items):
        items = 0 if names else config.pages
        fetch(urls, feed, items, settings, fetched)
    _read_page_files([name for name in names if not is_url(name)], fetched)
    return _collect_pages(names or fetched.items[: config.pages], fetched, config)


def _read_feed_file(name: str, fetched: Fetched) -> None:
    try:
        response = read_file(name)
    except OSError as error:
        fetched.errors.append(f"{name}: {error.strerror}")
    else:
        fetched.add_feed(response.body, response.url, {})


def _read_page_files(names: Sequence[str], fetched: Fetched) -> None:
    for name in dict.fromkeys(names):
        try:
            fetched.responses[name] = read_file(name)
        except FileNotFoundError:
            fetched.errors.append(f"{name}: not a file, and not an http or https URL")
        except OSError as error:
            fetched.errors.append(f"{name}: {error.strerror}")


def _collect_pages(names: Sequence[str], fetched: Fetched, config: ForestSettings) -> Inputs:
    pages, errors = [], list(fetched.errors)
    for name in dict.fromkeys(names):
        if name in fetched.responses:
            page, reason = _read_page(name, fetched, config)
            if page is not None:
                pages.append(page)
            else:
                errors.append(f"{name}: {reason}")
        elif not any(error.startswith(f"{name}: ") for error in errors):
            errors.append(f"{name}: was not fetched; see the log, with -L INFO")
    return Inputs(tuple(pages), tuple(errors))


def _read_page(name: str, fetched: Fetched, config: ForestSettings) -> tuple[Page | None, str]:
    """The page, or None and the reason why it cannot be used."""
    response = repair_encoding(fetched.responses[name])
    reason = refuse_page(response, config.max_bytes)
    if not isinstance(response, HtmlResponse):  # a crawl reads any text; this is to explain pages
        reason = reason or "not_html"
    if reason:
        return None, _REASONS[reason]
    page = _make_page(name, response, fetched, config.feed_fields)
    return (page, "") if page.outline.leaves else (None, "has no text")


def _make_page(name: str, response: Response, fetched: Fetched, feed_fields: bool) -> Page:
    """The page with its feed entry; the URL of a file is its canonical link, if any."""
    if not is_url(name):
        canonical = response.xpath("string(//link[@rel='canonical']/@href)").get("").strip()
        url = urljoin(response.url, canonical)
        response = response.replace(url=url if is_url(url) else response.url)
    return page_of(response, fetched.entry_of(name, response.url), feed_fields)

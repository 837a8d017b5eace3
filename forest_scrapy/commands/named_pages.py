"""Pages that ``extract`` fetches, or reads from standard input, and sites that it crawls."""

import re
import sys
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from scrapy.exceptions import UsageError
from scrapy.http import Response
from scrapy.settings import Settings

from forest_scrapy.batch.library import extract_pages
from forest_scrapy.batch.raw_page import RawPage
from forest_scrapy.commands.forest_command import Action
from forest_scrapy.core import ForestError
from forest_scrapy.core.page.urls import is_url
from forest_scrapy.settings import ForestSettings, has_addon

#: The name of standard input.
STDIN = "-"
#: What messages call it.
_STDIN_SOURCE = "standard input"
#: The scheme of a URL; a path may have a colon, but not two slashes after it.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30})://")
_ADDON = "forest_scrapy.Addon"

#: Options that are for files.
_OPTIONS_OF_FILES = ("errors", "save_wrappers", "urls", "hosts", "processes")
#: Options that a crawl does not have.
_OPTIONS_OF_PAGES = (*_OPTIONS_OF_FILES, "url", "articles", "wrappers", "delete")
#: What to do if a page gives no item, by the reason.
_REMEDIES = {
    "not_article": "it does not look like an article; --kinds page gives the text of any page, and"
    " --articles takes it for one",
    "empty": "it has no text; if a script writes it, crawl it with FOREST_RENDER",
    "not_html": "it is not HTML",
    "too_large": "it is larger than FOREST_MAX_BYTES",
}


def is_fetched(name: str) -> bool:
    """Whether a name of the command line is no file: a URL, or standard input.

    >>> is_fetched("https://a.example/1"), is_fetched("-"), is_fetched("a.example.html")
    (True, True, False)
    """
    return name == STDIN or is_url(name)


def has_other_scheme(name: str) -> bool:
    """Whether a name is a URL that is neither http nor https.

    >>> has_other_scheme("ftp://a.example/"), has_other_scheme("http://a.example/")
    (True, False)
    >>> has_other_scheme("pages/1.html")
    False
    """
    scheme = _SCHEME.match(name)
    return scheme is not None and scheme[1].lower() not in ("http", "https")


def extract_named(options: Namespace, action: Action, settings: ForestSettings) -> list[Any]:
    """The items of the pages that the options name, in their order.  Pages that give none are
    errors of the action.  Raises ``UsageError``."""
    _check_options(options, _OPTIONS_OF_FILES, "is for files")
    names = list(dict.fromkeys(options.paths))
    files = [name for name in names if not is_fetched(name)]
    if files:
        raise UsageError(f"{files[0]} is neither a URL nor -: extract files by another command")
    if options.url and STDIN not in names:
        raise UsageError("--url is the address of a page from standard input (-)")
    if options.url and not is_url(options.url):
        raise UsageError(f"--url {options.url} must be an http or https URL")

    pages = _fetch_pages([name for name in names if name != STDIN], action)
    if STDIN in names:
        pages[STDIN] = _read_stdin(options.url, settings.max_bytes)
    wanted_pages = [pages[name] for name in names if name in pages]

    def note_refusal(page: RawPage, reason: str) -> None:
        remedy = _REMEDIES.get(reason, reason)
        action.errors.append(f"{page.source}: no item comes out: {remedy}")

    items = extract_pages(
        wanted_pages,
        settings,
        are_articles=options.articles,
        wrappers=options.wrappers,
        refused=note_refusal,
    )
    return [_without_place(item) for item in items]


def _without_place(item: Any) -> Any:
    """The item, without an address if that is only where its page came from."""
    if item.url == _STDIN_SOURCE:
        item.url = ""
    if getattr(item, "pages", None) == [_STDIN_SOURCE]:
        item.pages = []
    return item


def _check_options(options: Namespace, names: Sequence[str], problem: str) -> None:
    for name in names:
        if getattr(options, name):
            raise UsageError(f"--{name.replace('_', '-')} {problem}")


def _fetch_pages(urls: Sequence[str], action: Action) -> dict[str, RawPage]:
    """The pages by the URL that was asked for; an error of the action for each that cannot be
    fetched."""
    if not urls:
        return {}
    from forest_scrapy.commands.pages import Fetched, fetch  # a page from standard input needs none

    fetched = Fetched(action.errors)
    fetch(urls, "", 0, action.settings, fetched)
    return {url: _raw_page(url, response) for url, response in fetched.responses.items()}


def _raw_page(url: str, response: Response) -> RawPage:
    headers = {}
    for name, value in response.headers.to_unicode_dict().items():
        headers[str(name)] = str(value)
    return RawPage(
        url=response.url,
        body=response.body,
        source=url,
        headers=headers,
        status=response.status,
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _read_stdin(url: str, max_bytes: int) -> RawPage:
    """The page from standard input; one that is too long is read far enough to be refused."""
    body = sys.stdin.buffer.read(max_bytes + 1)
    if not body:
        raise ForestError("there is nothing on standard input: pipe the HTML of a page into it")
    return RawPage(
        url=url,
        body=body,
        source=_STDIN_SOURCE,
        headers={"Content-Type": "text/html"},
    )


def crawl_site(options: Namespace, format_name: str, settings: Settings) -> None:
    """Crawl the site of the only URL, as ``crawl site`` does; ends the process with the status of
    the crawl.  Raises ``UsageError``."""
    from scrapy.cmdline import execute  # it loads the engine, which pages need not

    _check_options(options, _OPTIONS_OF_PAGES, "cannot be used with --site")
    if len(options.paths) != 1 or not is_url(options.paths[0]):
        raise UsageError("--site needs one URL, the one to start at")
    url = options.paths[0]
    if not has_addon(settings.getdict("ADDONS")):
        settings.set("ADDONS", {**settings.getdict("ADDONS"), _ADDON: 500}, priority="cmdline")
    if options.kinds:
        settings.set("FOREST_KINDS", options.kinds, priority="cmdline")
    if options.output in (None, "-"):
        output = ["-o", f"-:{format_name}"]
    else:
        output = ["-O", f"{options.output}:{format_name}"]
    execute(["forest-scrapy", "crawl", "site", "-a", f"url={url}", *output], settings)

"""Pages that were kept: those of ``FOREST_WARC``, and of WARC files and folders that are named."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import urljoin

from scrapy.http import Response

from forest_scrapy.archive.page_archive import KeptResponse, PageArchive
from forest_scrapy.batch.find_files import WARC
from forest_scrapy.batch.http_message import BadMessage, Message
from forest_scrapy.batch.inputs import Inputs
from forest_scrapy.batch.raw_page import RawPage, make_response
from forest_scrapy.commands.forest_command import write_piece
from forest_scrapy.core import Entry, ForestError
from forest_scrapy.settings import ForestSettings

#: Pages that are read of a named folder or WARC file, the first ones: a wrapper is learned, shown
#: or corrected on some, and reading all of an archive would take hours.
MAX_NAMED_PAGES = 200
#: Redirects that are followed from a URL to the page that was kept.
_MAX_REDIRECTS = 10
_REDIRECTS = (301, 302, 303, 307, 308)


def is_of_many_pages(name: str) -> bool:
    """Whether a name on the command line is that of a folder or of a WARC file."""
    path = Path(name)
    if path.is_dir():
        return True
    has_ending = name.lower().endswith(WARC)
    return has_ending and path.is_file()


def read_named_pages(
    name: str,
    max_bytes: int,
    errors: list[str],
) -> Iterator[Response]:
    """The first pages of a folder or a WARC file; what cannot be read is added to ``errors``."""
    try:
        number = 0
        for raw in Inputs((name,), max_bytes):
            if raw.error:
                errors.append(f"{raw.source}: {raw.error}")
                continue
            if raw.status != 200:
                continue
            if number == MAX_NAMED_PAGES:
                message = f"{name}: only the first {MAX_NAMED_PAGES} pages are read\n"
                write_piece(message, sys.stderr)
                return
            number += 1
            yield make_response(raw)
    except ForestError as error:
        errors.append(f"{name}: {error}")


def find_kept_pages(
    urls: Sequence[str],
    config: ForestSettings,
) -> tuple[dict[str, Response], dict[str, Entry]]:
    """The responses of the URLs that ``FOREST_WARC`` has kept, and the feed entries that the crawl
    knew of them, both by the URL that is asked for.  Empty without such a folder.  Raises
    ``BadStore``."""
    responses: dict[str, Response] = {}
    entries: dict[str, Entry] = {}
    if not config.warc or not Path(config.warc).is_dir():
        return responses, entries

    with closing(PageArchive(config.warc, must_exist=True)) as archive:
        for url in urls:
            chain = _find_chain(archive, url)
            response = _decode(chain[-1], config.max_bytes) if chain else None
            if response is None:
                continue
            responses[url] = response
            # A crawl notes the entry with the URL that it asks for, which may be a redirect.
            entry = chain[0].notes.get("entry") or chain[-1].notes.get("entry")
            if entry:
                entries[url] = Entry.from_dict(entry)
    return responses, entries


def _decode(kept: KeptResponse, max_bytes: int) -> Response | None:
    """The page with its body decoded; None for an error page, and if it is damaged."""
    if kept.status != 200:
        return None
    headers = dict(kept.headers)
    message = Message(kept.status, headers, kept.body)
    try:
        body = message.decode(max_bytes + 1)
    except BadMessage:
        return None
    page = RawPage(
        kept.url,
        body,
        headers=message.content_headers(),
        status=kept.status,
    )
    return make_response(page)


def _find_chain(archive: PageArchive, url: str) -> list[KeptResponse]:
    """The response of a URL that was kept last, and those that its redirects lead to, up to the
    page; empty if that was not kept."""
    chain: list[KeptResponse] = []
    while len(chain) < _MAX_REDIRECTS:
        response = archive.latest(url)
        if response is None:
            return []
        chain.append(response)
        if response.status not in _REDIRECTS:
            return chain

        locations = []
        for name, value in response.headers:
            if name.lower() == "location":
                locations.append(value)
        if not locations:
            return []
        try:
            url = urljoin(url, locations[0])
        except ValueError:  # such as "http://[x"
            return []
    return []

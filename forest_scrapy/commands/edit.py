"""``scrapy forest edit`` and ``import``: wrappers that a person has corrected in a report."""

import json
import logging
import secrets
import signal
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from difflib import unified_diff
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from forest_scrapy.commands.forest_command import Action, AddOption
from forest_scrapy.commands.pages import read_pages
from forest_scrapy.commands.report import HostPages, history_urls, stored_report
from forest_scrapy.commands.stored import (
    find_wrappers,
    host_name,
    match_stored,
    pick_wrapper,
    read_host,
)
from forest_scrapy.core import (
    BadRules,
    ForestError,
    Page,
    Template,
    TemplateRules,
    Wrapper,
    extract,
)
from forest_scrapy.core.changes import text_f1
from forest_scrapy.core.fields import read_fields
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.crawl.context import open_rules
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import ForestSettings

logger = logging.getLogger(__name__)

#: Changed lines that are printed of each page.
_LINES = 6
_FIELDS = ("title", "published", "authors")


class BadEdit(ForestError):
    """The file cannot be imported; the message says why."""


@dataclass(frozen=True)
class Edit:
    """What a person has edited, and the stored template that it is for: the wrapper of articles, or
    all rules."""

    host: str
    template_id: str
    edited: Wrapper | TemplateRules

    def apply(self, rules: TemplateRules) -> TemplateRules:
        """The rules that become of the stored ones."""
        if isinstance(self.edited, TemplateRules):
            return self.edited
        return rules.with_article(self.edited)


_FILE = (
    "the edited wrapper, as the report has saved it; or an object with host, template and the rules"
    " that show --json prints"
)


class Import(Action):
    """Store a wrapper or rules that were edited, and print what they change on pages.

    The pages are URLs or files; by default, articles of the template in the history are fetched.
    """

    name = "import"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("file", metavar="FILE", help=_FILE)
        add("pages", nargs="*", metavar="URL|FILE", help="pages to compare on")
        add("--feed", default="", metavar="URL|FILE", help="use its entries for the pages")

    def run(self, options: Namespace) -> str:
        """Raises ``BadEdit``, ``BadStore``, ``UnknownHost`` and ``UnknownTemplate``."""
        try:
            text = Path(options.file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadEdit(f"{options.file}: {getattr(error, 'strerror', '') or error}") from error
        edit = read_edit(text, options.file)
        pick_wrapper(edit.host, find_wrappers(edit.host, self.config), edit.template_id)
        urls = options.pages or history_urls(edit.host, self.config)
        pages = read_pages(urls, options.feed, self) if urls else []
        return store_edit(edit, pages, self.config)


def store_edit(edit: Edit, pages: Sequence[Page], config: ForestSettings) -> str:
    """Store an edit; what it changes on those of the pages that are of its template.

    Raises ``BadEdit`` for the wrapper of a template of threads, ``BadStore``, ``UnknownHost`` and
    ``UnknownTemplate``.
    """
    stored = pick_wrapper(edit.host, find_wrappers(edit.host, config), edit.template_id)
    if stored.rules is None or (stored.is_of_threads and isinstance(edit.edited, Wrapper)):
        id = stored.id
        raise BadEdit(
            f"template {id} of {edit.host} is one of threads: its posts are found by rules that a"
            f" report cannot edit; scrapy forest forget {edit.host} --template {id} has them"
            " learned again"
        )
    rules = edit.apply(stored.rules)
    own = _of_template(pages, edit.host, stored, config)
    try:
        lines = list(_compare_all(own, stored.wrapper, rules.text_wrapper, config))
    except BadRules as error:
        raise BadEdit(f"not stored: on a page of the template, {error}") from error
    with closing(open_rules(config, must_exist=True)) as store:
        store.save_edited(edit.host, stored.id, rules)
    lines.append(f"stored as the wrapper of template {stored.id} of {edit.host}, edited by hand")
    return "\n".join(lines) + "\n"


def read_edit(text: str, name: str) -> Edit:
    """The edit that a report or a person has written; ``name``: of its source, for messages.
    Raises ``BadEdit``."""
    try:
        data = json.loads(text)
        host, template_id = read_host(str(data["host"])), str(data["template"])
        edited: Wrapper | TemplateRules
        if "rules" in data:
            edited = TemplateRules.from_dict(data["rules"])
        else:
            edited = Wrapper.from_dict(data["wrapper"])
    except BadRules as error:
        raise BadEdit(f"{name}: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadEdit(
            f"{name}: not an edited wrapper, a JSON object with host, template and wrapper"
        ) from error
    wrapper = edited if isinstance(edited, Wrapper) else edited.text_wrapper
    if not wrapper.keep and wrapper.source == "page":
        raise BadEdit(f"{name}: the wrapper keeps nothing")
    if not host or not template_id:
        raise BadEdit(
            f"{name}: the wrapper was not stored; make the report with FOREST_REPORT, or with"
            " report --stored, and edit it there"
        )
    return Edit(host, template_id, edited)


def _of_template(
    pages: Sequence[Page], host: str, stored: Template, config: ForestSettings
) -> list[Page]:
    """The pages of the host that belong to the template."""
    groups, _ = match_stored([page for page in pages if host_of(page.url) == host], config)
    return next((own for template, own in groups if template.id == stored.id), [])


def _compare_all(
    pages: Sequence[Page], old: Wrapper, new: Wrapper, config: ForestSettings
) -> Iterator[str]:
    """For each page that changes its values, then how much changes in all."""
    if not pages:
        yield "no page of the template to compare on: name some (files or URLs)"
        return
    scores = []
    for page in pages:
        score, lines = _compare(page, old, new, config)
        scores.append(score)
        if lines:
            yield f"{page.url}: F1 {score:.3f} against the old text"
            yield from (f"  {line}" for line in lines)
    changed = sum(score < 1 for score in scores)
    yield f"{len(pages)} pages: the text of {changed} changes; mean F1 {fmean(scores):.3f}"


def _compare(
    page: Page, old: Wrapper, new: Wrapper, config: ForestSettings
) -> tuple[float, list[str]]:
    """The F1 of the new text against the old one, and the lines that differ."""
    wrappers = (old, new)
    found = [extract(page, wrapper, config.params)[1] for wrapper in wrappers]
    one, other = (content.text for content in found)
    diff = unified_diff(one.splitlines(), other.splitlines(), n=0, lineterm="")
    changed = [line for line in diff if not line.startswith(("---", "+++", "@@"))]
    more = [f"... and {len(changed) - _LINES} more lines"] if len(changed) > _LINES else []
    lines = [_cut(line) for line in changed[:_LINES]] + more
    values = [
        read_fields(page, wrapper.fields, content.content)
        for wrapper, content in zip(wrappers, found, strict=True)
    ]
    for name in _FIELDS:
        before, after = (getattr(value, name) for value in values)
        if before != after:
            lines.append(f"{name}: {before!r} is now {after!r}")
    return text_f1(one, other), lines


def _cut(line: str, most: int = 100) -> str:
    return line if len(line) <= most else f"{line[: most - 3]}..."


#: The largest body that is read, in bytes, and how long a request may take, in seconds.
_MOST_BYTES, _SECONDS = 1_000_000, 30
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class EditServer(ThreadingHTTPServer):
    """Serves the files of a report, and passes what is posted to ``save``, which returns a text or
    raises ``ForestError``.

    Only this machine can connect.  Every path starts with a token that is made for each server, so
    that other users, and pages of other sites in the same browser, cannot read or save anything.
    Requests with another ``Host`` (DNS rebinding) or ``Origin`` are refused, also with the token.
    """

    daemon_threads = True

    def __init__(self, folder: Path, save: Callable[[str], str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.token = folder, secrets.token_urlsafe(32)
        self._save, self._lock = save, Lock()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        """The URL of the overview, with the token."""
        return f"{self.origin}/{self.token}/index.html"

    def save(self, text: str) -> str:
        """Save an edit, one at a time."""
        with self._lock:
            return self._save(text)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that closes a connection is not an error."""


class _Handler(BaseHTTPRequestHandler):
    server: EditServer
    timeout = _SECONDS
    server_version, sys_version = "forest-scrapy", ""

    def do_GET(self) -> None:
        name = self._name()
        if name is None:
            return
        path = self.server.folder / name
        # Only files of the folder itself: a name with a separator is never one of them.
        if Path(name).name != name or path.suffix != ".html" or not path.is_file():
            self._answer(HTTPStatus.NOT_FOUND, "no such file")
            return
        self._answer(HTTPStatus.OK, path.read_bytes(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        name = self._name()
        if name is None:
            return
        if self.headers.get("Origin", self.server.origin) != self.server.origin:
            self._answer(HTTPStatus.FORBIDDEN, "another origin")
        elif name != "save":
            self._answer(HTTPStatus.NOT_FOUND, "nothing is saved here")
        elif self.headers.get_content_type() != "application/json":
            self._answer(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "not JSON")
        elif (size := self._size()) is None:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "no length, or too long")
        else:
            self._save(self.rfile.read(size))

    def _save(self, body: bytes) -> None:
        try:
            text = self.server.save(body.decode("utf-8", "replace"))
        except (ForestError, OSError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, str(error))
        except Exception as error:  # a bug; the browser is told
            logger.exception("The edit cannot be stored")
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, f"{type(error).__name__}: {error}")
        else:
            self._answer(HTTPStatus.OK, text)

    def _name(self) -> str | None:
        """The name after the token; None if the request was refused."""
        host = f"127.0.0.1:{self.server.server_port}"
        token, _, name = self.path.removeprefix("/").partition("/")
        is_ours = self.headers.get_all("Host") == [host]
        if is_ours and compare_digest(token.encode(), self.server.token.encode()):
            return name
        self._answer(HTTPStatus.FORBIDDEN, "use the URL that scrapy forest edit has printed")
        return None

    def _size(self) -> int | None:
        given = self.headers.get("Content-Length", "")
        size = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else -1
        return size if 0 <= size <= _MOST_BYTES else None

    def _answer(self, status: HTTPStatus, body: str | bytes, kind: str = "text/plain") -> None:
        data = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: their paths have the token."""


class Editor:
    """Writes the report of some hosts to a folder, and stores the edits that are made there."""

    def __init__(self, given: HostPages, folder: Path, config: ForestSettings) -> None:
        self._given, self._folder, self._config = given, folder, config
        self._pages = tuple(page for pages in given.pages.values() for page in pages)

    def write(self) -> None:
        """Write the report, with the wrappers as they are stored now."""
        report = stored_report(self._given, self._config)
        write_report(report, self._folder, self._config, saves=True)

    def save(self, text: str) -> str:
        """Store an edit; what it changes.  Raises ``BadEdit``, also for another host."""
        edit = read_edit(text, "the edit")
        if edit.host not in self._given.hosts:
            raise BadEdit(f"{edit.host} is not among {', '.join(self._given.hosts)}")
        done = store_edit(edit, self._pages, self._config)
        self.write()
        return done


class EditHosts(Action):
    """Serve the report of hosts on loopback, to correct their wrappers in a browser."""

    name = "edit"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("hosts", nargs="+", type=host_name, metavar="HOST", help="or a URL of the host")
        add("--feed", default="", metavar="URL|FILE", help="use its entries for the articles")

    def run(self, options: Namespace) -> str:
        """Raises ``BadStore``, ``UnknownHost``, and ``OSError``."""
        hosts = tuple(dict.fromkeys(options.hosts))
        for host in hosts:
            find_wrappers(host, self.config)  # an unknown host is named before anything is fetched
        given = HostPages.fetch(hosts, self, options.feed)
        with TemporaryDirectory(prefix="forest-edit-") as folder:
            editor = Editor(given, Path(folder), self.config)
            editor.write()
            with EditServer(Path(folder), editor.save) as server:
                _stop_by_signals()
                print(f"Open {server.url} - this URL is secret; stop with Ctrl-C", flush=True)
                with suppress(KeyboardInterrupt):
                    server.serve_forever()
        return ""


def _stop_by_signals() -> None:
    """Handle signals as Python does: after a crawl, Scrapy's handlers are still there."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)

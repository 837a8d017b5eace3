"""Crawls of a search form that are stopped and resumed, and servers that fail or change."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from urllib.parse import parse_qsl, urlsplit

from benchmarks.faults.jobs import Job, Outcome
from benchmarks.faults.rows import Row
from benchmarks.forms.sites import TableSite, layouts, make_rows

Fault = Callable[[Path], list[Row]]
ROWS = make_rows(150)
PROBES = 30
#: Seconds before each answer, so that a signal reaches the crawl at the intended moment; and those
#: that a crawl waits for an answer.
_DELAY = 0.03
_PATIENCE = 2
_WORDS = re.compile(r"\w+")
#: What a crawl of a form says before it ends with exit status 1.
_REFUSED = "probes in a row failed"


@dataclass(frozen=True)
class Reply:
    """An answer of the server.  ``delay``: seconds before it; ``is_cut``: the connection ends
    after half of the body; ``is_reset``: nothing is answered."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)
    delay: float = _DELAY
    is_cut: bool = False
    is_reset: bool = False


@dataclass(frozen=True)
class Asked:
    """A request: its path, its query, its number among the requests of answers, from 1, and that of
    the visit of the page with the form."""

    path: str
    query: Mapping[str, str]
    number: int
    visit: int
    is_post: bool

    @property
    def is_answer(self) -> bool:
        """Whether it is for an answer, not for the page with the form."""
        return self.path == "/find"


#: Changes what the site would answer.
Change = Callable[[Asked, Reply], Reply]


def _same(asked: Asked, reply: Reply) -> Reply:
    return reply


@dataclass(frozen=True)
class Cell:
    """A crawl of a form.

    ``changes``: of the server, for each run of the crawl, the last for all others.  ``stops``: of
    the first runs.  ``exits``: the statuses of the runs that end by themselves.  ``said``: what the
    logs must say.  ``is_sent``: whether a probe may be sent.  ``is_complete``: whether the records
    must be those of an undisturbed crawl; else those of all answers that the server gave.
    """

    name: str
    layout: str = "table"
    changes: tuple[Change, ...] = (_same,)
    stops: tuple[str, ...] = ()
    moment: float = 0.5
    format: str = "jsonl"
    runs: int = 1
    exits: tuple[int, ...] = (0,)
    said: str = ""
    is_sent: bool = True
    is_complete: bool = False
    arguments: tuple[str, ...] = ()
    has_job: bool = False
    settings: Mapping[str, object] = field(default_factory=dict)


class FormServer:
    """A register behind a form, whose answers may be changed.

    ``requests``: the queries that were answered, also with errors; ``shown``: the numbers of the
    rows that whole answers had; ``others``: paths that nothing but a mistake requests.
    """

    def __init__(self, layout: str) -> None:
        self._site = TableSite(ROWS, layouts(ROWS)[layout])
        self._lock = Lock()
        self.change: Change = _same
        self.requests: list[dict[str, str]] = []
        self.shown: set[int] = set()
        self.others: list[str] = []
        self._visits = 0

    def reply(self, path: str, query: dict[str, str], is_post: bool) -> Reply:
        """What is answered to a request."""
        parameters = {name: value for name, value in query.items() if not name.startswith("_")}
        with self._lock:
            before = len(self._site.shown)
            status, html = self._site.answer(path, parameters)
            if path == "/find":
                self.requests.append(parameters)
            elif path == "/":
                self._visits += 1
            elif path != "/robots.txt":
                self.others.append(path)
            asked = Asked(path, query, len(self.requests), self._visits, is_post)
            is_page = path in ("/", "/find")
            whole = Reply(status if is_page else 404, html.encode())
            reply = self.change(asked, whole)
            is_whole = reply.status == 200 and not (reply.is_cut or reply.is_reset)
            if is_whole and reply.delay <= _PATIENCE and b"register" in _plain(reply):
                self.shown.update(n for _, rows in self._site.shown[before:] for n in rows)
        return reply


def _plain(reply: Reply) -> bytes:
    """The body without the NULs of UTF-16."""
    return reply.body.replace(b"\0", b"")


@contextmanager
def _serve(server: FormServer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(is_post=False)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._answer(is_post=True)

        def _answer(self, is_post: bool) -> None:
            parts = urlsplit(self.path)
            reply = server.reply(parts.path, dict(parse_qsl(parts.query)), is_post)
            time.sleep(reply.delay)
            if reply.is_reset:
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            end = len(reply.body) // 2 if reply.is_cut else len(reply.body)
            self.wfile.write(reply.body[:end])
            self.close_connection = reply.is_cut

        def log_message(self, format: str, *args: object) -> None:
            """No lines on the terminal."""

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:  # the crawl was killed, or did not wait
                return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        http.block_on_close = False
        thread = threading.Thread(target=http.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_address[1]}/"
        finally:
            http.shutdown()
            thread.join()


def _run(cell: Cell, folder: Path) -> Row:
    server = FormServer(cell.layout)
    with _serve(server) as url:
        arguments = ["form", "-a", f"url={url}", "-a", f"probes={PROBES}", *cell.arguments]
        settings = {
            "DOWNLOAD_TIMEOUT": _PATIENCE,
            "RETRY_ENABLED": False,
            "FOREST_PAGE_SECONDS": 1,
            **cell.settings,
        }
        job = Job(folder, arguments, cell.format, cell.has_job, **settings)
        number = 0
        for stop in cell.stops:
            server.change = cell.changes[min(number, len(cell.changes) - 1)]
            number += 1
            share = cell.moment + (0.95 - cell.moment) * (number - 1) / len(cell.stops)
            count = max(1, round(share * PROBES))
            is_time = lambda: len(server.requests) >= count  # noqa: B023, E731
            job.run(_setting(stop, count), is_time)
        for _ in range(cell.runs):
            server.change = cell.changes[min(number, len(cell.changes) - 1)]
            number += 1
            job.run()
    return _judge(cell, job, server)


def _setting(stop: str, count: int) -> str:
    settings = {
        "pagecount": f"CLOSESPIDER_PAGECOUNT={count}",
        "itemcount": f"CLOSESPIDER_ITEMCOUNT={count}",
        "timeout": "CLOSESPIDER_TIMEOUT=1",
    }
    return settings.get(stop, stop)


def _judge(cell: Cell, job: Job, server: FormServer) -> Row:
    """The row of a cell that has run."""
    outcome = job.outcome
    exported = read_records(job.folder, cell.format)
    outcome.urls = [" ".join(key) for key in exported.elements()]
    expected = _undisturbed(cell.layout) if cell.is_complete else _keys(server.shown)
    lost = len(expected - exported.keys())
    logs = [path.read_text("utf-8", "replace") for path in sorted(job.folder.glob("*.log"))]
    problems = list(_problems(cell, outcome, logs, server))
    if strangers := exported.keys() - _keys(range(len(ROWS))):
        problems.append(f"{len(strangers)} records that no row has")
    return Row(
        f"{cell.name} | - | {_has(cell.has_job)} | {cell.format}",
        outcome,
        lost,
        "; ".join(problems),
    )


def _has(has_job: bool) -> str:
    return "JOBDIR" if has_job else "-"


def _problems(
    cell: Cell,
    outcome: Outcome,
    logs: Sequence[str],
    server: FormServer,
) -> Iterator[str]:
    ends = tuple(outcome.exits[len(cell.stops) :])
    if ends != cell.exits:
        yield f"exit status {ends}, not {cell.exits}"
    text = "\n".join(logs)
    if "Traceback" in text:
        yield f"traceback: {text[text.index('Traceback') :].splitlines()[-1][:80]}"
    if cell.said and cell.said not in text:
        yield f"does not say {cell.said!r}"
    if not cell.is_sent and (server.requests or server.others):
        yield f"{len(server.requests) + len(server.others)} requests were sent"
    if cell.is_sent and cell.is_complete:
        sent = Counter(tuple(sorted(request.items())) for request in server.requests)
        repeated = [dict(query) for query, count in sent.items() if count > 1]
        # A kill may come when a probe was answered and its records are not written yet.
        twice = len({_without_page(query) for query in repeated})
        if twice > len(cell.stops):
            yield f"{twice} probes were sent twice"


def _without_page(query: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, value) for name, value in query.items() if name != "page"))


def read_records(folder: Path, format: str) -> Counter[tuple[str, ...]]:
    """How often the export has each record, told by the words of its text."""
    import csv

    path = folder / f"out.{format}"
    if not path.exists():
        return Counter()
    if format == "csv":
        csv.field_size_limit(1 << 30)
        with path.open(encoding="utf-8", newline="") as file:
            texts = [row["text"] for row in csv.DictReader(file) if row["text"] != "text"]
    else:
        texts = [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines()]
    return Counter(map(_key, texts))


def _key(text: str) -> tuple[str, ...]:
    """The words of a record, without its link."""
    text = "\n".join(line for line in text.splitlines() if not line.startswith("http:"))
    return tuple(sorted(_WORDS.findall(text.casefold())))


def _keys(numbers: Sequence[int] | set[int] | range) -> set[tuple[str, ...]]:
    return {_key(" ".join(ROWS[number].values())) for number in numbers}


_lock = Lock()


@cache
def _clean_records(layout: str) -> frozenset[tuple[str, ...]]:
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        row = _run(Cell("undisturbed", layout), folder)
        if not row.is_good:
            raise RuntimeError(f"the form {layout} without a fault: {row}")
        return frozenset(read_records(folder, "jsonl"))


def _undisturbed(layout: str) -> set[tuple[str, ...]]:
    """The records of a crawl without a fault."""
    with _lock:
        return set(_clean_records(layout))


# What servers do.


def _on_further_pages(make: Callable[[Reply], Reply]) -> Change:
    return lambda asked, reply: make(reply) if asked.is_answer and "page" in asked.query else reply


def _after(count: int, make: Callable[[Reply], Reply]) -> Change:
    return lambda asked, reply: make(reply) if asked.is_answer and asked.number > count else reply


def _each(step: int, make: Callable[[Reply], Reply]) -> Change:
    return lambda asked, reply: (
        make(reply) if asked.is_answer and asked.number % step == 0 else reply
    )


def _status(status: int, *headers: tuple[str, str]) -> Callable[[Reply], Reply]:
    return lambda reply: Reply(status, b"<p>No", (*reply.headers, *headers))


def _late(reply: Reply) -> Reply:
    return Reply(reply.status, reply.body, reply.headers, delay=_PATIENCE + 2)


def _cut(reply: Reply) -> Reply:
    return Reply(reply.status, reply.body, reply.headers, is_cut=True)


def _reset(reply: Reply) -> Reply:
    return Reply(reply.status, b"", is_reset=True)


def _slow_page(reply: Reply) -> Reply:
    return Reply(200, b"<div " + b"".join(b"a%d " % i for i in range(300_000)) + b">")


def _large(reply: Reply) -> Reply:
    return Reply(200, b"<p>" + b"word " * 3_000_000)


_FAILURES: dict[str, Callable[[Reply], Reply]] = {
    "403": _status(403),
    "503": _status(503),
    "timeout": _late,
    "cut": _cut,
    "reset": _reset,
    "redirect to itself": _status(302, ("Location", "/find?page=2")),
    "redirect to the start": _status(302, ("Location", "/")),
    "redirect to another host": _status(302, ("Location", "http://192.0.2.1/")),
    "too slow": _slow_page,
    "too large": _large,
}


def _hidden(name: str) -> Change:
    """A hidden field that has another value at each visit."""

    def change(asked: Asked, reply: Reply) -> Reply:
        value = f"{asked.visit}-{time.monotonic_ns()}"
        control = f"<input type=hidden name='{escape(name)}' value='{value}'></form>"
        body = reply.body.replace(b"</form>", control.encode())
        return Reply(reply.status, body, reply.headers)

    return change


def _page(change: Callable[[str], str], encoding: str = "utf-8", charset: str = "utf-8") -> Change:
    """Another page with the form."""

    def edit(asked: Asked, reply: Reply) -> Reply:
        if asked.path != "/":
            return reply
        kind = f"text/html; charset={charset}" if charset else "text/html"
        body = change(reply.body.decode()).encode(encoding, "xmlcharrefreplace")
        return Reply(reply.status, body, (("Content-Type", kind),))

    return edit


def _all_pages(encoding: str, charset: str) -> Change:
    """All pages in another encoding."""

    def edit(asked: Asked, reply: Reply) -> Reply:
        kind = f"text/html; charset={charset}" if charset else "text/html"
        body = reply.body.decode().encode(encoding)
        return Reply(reply.status, body, (("Content-Type", kind),))

    return edit


def _form_with(attributes: str) -> Change:
    return _page(lambda html: html.replace("<form action=/find", f"<form {attributes}"))


def _button_with(attributes: str) -> Change:
    return _page(
        lambda html: html.replace("<input type=submit", f"<input type=submit {attributes}")
    )


def _cells() -> Iterator[Cell]:
    yield from _stopped()
    yield from _failing()
    yield from _odd_pages()


_STOPS: tuple[tuple[str, ...], ...] = (
    ("int",),
    ("term",),
    ("kill",),
    ("int+int",),
    ("int+kill",),
    ("itemcount",),
    ("pagecount",),
    ("timeout",),
    ("kill", "kill"),
    ("kill", "int", "kill"),
)


def _stopped() -> Iterator[Cell]:
    for stops, moment in product(_STOPS, (0.2, 0.6)):
        format = "csv" if moment > 0.5 else "jsonl"
        layouts = ("table", "cards") if stops == ("kill",) else ("table",)
        for layout in layouts:
            yield Cell(
                f"form: {', '.join(stops)} at {moment:.0%}, {layout}",
                layout,
                stops=stops,
                moment=moment,
                format=format,
                is_complete=True,
            )
    for name in ("csrf", "_VIEWSTATE", "__RequestVerificationToken"):
        yield Cell(
            f"form: kill, hidden field {name} that changes",
            changes=(_hidden(name if name.startswith("_") else f"_{name}"),),
            stops=("kill", "int"),
            moment=0.4,
            is_complete=True,
        )
    yield Cell("form: kill with JOBDIR", stops=("kill",), has_job=True, is_complete=True)
    yield Cell("form: int with JOBDIR", stops=("int",), has_job=True, is_complete=True)


def _failing() -> Iterator[Cell]:
    for name, make in _FAILURES.items():
        message = "pages took too long" if name == "too slow" else "are incomplete"
        yield Cell(
            f"form: second pages, {name}",
            "cards",
            (_on_further_pages(make),),
            said=message,
            settings={"FOREST_MAX_BYTES": 5_000_000},
        )
    for name in ("403", "timeout", "cut"):
        yield Cell(
            f"form: second pages, {name}, killed and resumed",
            "cards",
            (_on_further_pages(_FAILURES[name]),),
            stops=("kill",),
        )
    for name, count in product(("403", "503", "timeout", "reset"), (0, 7, 20)):
        yield Cell(
            f"form: {name} after {count} answers, then well",
            changes=(_after(count, _FAILURES[name]), _same),
            runs=2,
            exits=(1, 0),
            said=_REFUSED,
        )
    yield Cell("form: 403 for ever", changes=(_after(9, _status(403)),), exits=(1,), said=_REFUSED)
    for name in ("403", "timeout", "cut", "redirect to the start", "too slow"):
        yield Cell(f"form: each fifth answer, {name}", changes=(_each(5, _FAILURES[name]),))
    robots = Reply(200, b"User-agent: *\nDisallow: /find\n", (("Content-Type", "text/plain"),))
    yield Cell(
        "form: robots.txt forbids the answers",
        changes=(lambda asked, reply: robots if asked.path == "/robots.txt" else reply,),
        exits=(1,),
        said="robots.txt",
        is_sent=False,
        settings={"ROBOTSTXT_OBEY": True},
    )


def _odd_pages() -> Iterator[Cell]:
    pages = {
        "300 nested elements": _page(lambda html: html.replace("<form", "<div>" * 300 + "<form")),
        "behind the end": _page(lambda html: html.replace("<form", "</body></html><form")),
        "UTF-16 with BOM": _page(str, "utf-16", ""),
        "UTF-16BE declared": _page(str, "utf-16-be", "utf-16be"),
        "UTF-16LE declared as UTF-16": _page(str, "utf-16-le", "utf-16"),
        "answers in UTF-16": _all_pages("utf-16", "utf-16"),
        "answers in UTF-16BE": _all_pages("utf-16-be", "utf-16be"),
        "two forms alike": _page(lambda html: html.replace("</form>", "</form><form></form>")),
        "never closed": _page(lambda html: html.replace("</form>", "")),
    }
    for name, change in pages.items():
        yield Cell(f"form: {name}", changes=(change,), is_complete=True)
        yield Cell(
            f"form: {name}, killed and resumed",
            changes=(change,),
            stops=("kill",),
            is_complete=True,
        )
    odd = {
        "action javascript:": _form_with("action='javascript:go()'"),
        "action with a bad port": _form_with("action='http://a.example:99999/'"),
        "action with a bad host": _form_with("action='http://[::1/find'"),
        "action of another site": _form_with("action='http://192.0.2.1/find'"),
        "method dialog": _form_with("method=dialog action=/find"),
        "method post": _form_with("method=post action=/find"),
        "multipart": _form_with("method=post enctype=multipart/form-data action=/find"),
        "formaction javascript:": _button_with("formaction='javascript:go()'"),
        "formaction of another host": _button_with("formaction='http://192.0.2.1/find'"),
        "formaction /account/delete": _button_with("formaction=/account/delete"),
        "formmethod post": _button_with("formmethod=post"),
        "_method=delete": _page(
            lambda html: html.replace(
                "</form>", "<input type=hidden name=_method value=delete></form>"
            )
        ),
    }
    for name, change in odd.items():
        yield Cell(f"form: {name}", changes=(change,), exits=(1,), said="ERROR", is_sent=False)
    starts = {
        "page 403": lambda asked, reply: _status(403)(reply) if asked.path == "/" else reply,
        "page timeout": lambda asked, reply: _late(reply) if asked.path == "/" else reply,
        "page too slow": lambda asked, reply: _slow_page(reply) if asked.path == "/" else reply,
        "page is empty": lambda asked, reply: Reply(200, b"") if asked.path == "/" else reply,
        "page without a form": lambda asked, reply: Reply(200, b"<p>A page without one"),
    }
    for name, change in starts.items():
        yield Cell(f"form: {name}", changes=(change,), exits=(1,), said="ERROR", is_sent=False)


def form_faults(quick: bool) -> Iterator[tuple[str, Fault]]:
    """A cell for each fault; a few of them if ``quick``."""
    for number, cell in enumerate(_cells()):
        if not quick or number % 15 == 4:
            yield cell.name, lambda folder, cell=cell: [_run(cell, folder)]  # type: ignore[misc]

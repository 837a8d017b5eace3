"""Reading pages and feeds that may take long in a process that can be stopped.

A thread cannot be stopped: a page that takes minutes would hold up the crawl and its end.  The
process (``forest_scrapy.responses.probe_server``) is started when it is first needed, which
takes about 1.5 s of processor time, and forks for each task.
"""

from __future__ import annotations

import json
import subprocess
import sys
from asyncio import Semaphore
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING, Any

from scrapy.http import Response, TextResponse

from forest_scrapy import core
from forest_scrapy.core import Options
from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.encoding import may_be_slow
from forest_scrapy.responses.background import in_thread, is_large, run
from forest_scrapy.responses.conversion import TOO_SLOW, decode_headers, page_of

# What reads feeds and sitemaps is loaded with the first one: programs that have pages read none.
if TYPE_CHECKING:
    from forest_scrapy.feeds.feed_items import Feed
    from forest_scrapy.feeds.sitemap import Sitemap

#: How much more time a page has if its records or comments are read, too: on pages of shops
#: records take two to three times as long as everything else.
_WITH_RECORDS = 3
#: How much more time a sitemap has: it may list 50,000 URLs, a feed 1,000.
_FOR_SITEMAPS = 5
#: Bytes of memory that a task may take for each second of ``FOREST_PAGE_SECONDS``, at least one.
_MEMORY_PER_SECOND = 200_000_000
#: Seconds for the start of the process.
_START_SECONDS = 30.0
#: Seconds that a task may take for each second of processor time that it has: other processes need
#: the processor too.
_PATIENCE = 10.0
#: The process ends with this one, also while it imports its modules.
_PROGRAM = """\
from forest_scrapy.child_processes import end_with_parent
end_with_parent()
from forest_scrapy.responses.probe_server import main
main()
"""
#: The flag of a response that was read in time, so that it is not tried again.
_IN_TIME = "in_time"


class Probe:
    """Reads what may be slow, with a limit of ``seconds`` of processor time; three times as much
    for pages if ``options`` want threads, products or listings, or comments.  ``task``: ``page``,
    or ``form`` for pages of forms and their answers, whose records are read, too.

    The outcome is kept in the flags of the response: a page is tried once, whoever asks.
    """

    def __init__(
        self,
        seconds: float,
        options: Options | None = None,
        task: str = "page",
    ) -> None:
        self._seconds = seconds
        self._options = options or Options()
        self._task = task
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        #: Held while the process is started or taken: a task's thread may do so while it closes.
        self._changing = Lock()
        #: Held while a task is written and its answer is read: until then no pipe is closed.
        self._asking = Lock()
        #: One task at a time: together, several would take too much memory and time.
        self._one_by_one = Semaphore(1)

    async def is_too_slow(self, response: Response, is_unusual: bool = False) -> bool:
        """Whether extracting from the page takes more time, or more memory, than it may.  Costs
        next to nothing unless the markup is large or unusual, or ``is_unusual`` says so."""
        if _must_be_tried(response, is_unusual):
            task, body, options = self._page_task(response)
            result = await self._run(task, body, options)
            _note(response, result)
        return TOO_SLOW in response.flags

    async def admits(self, response: Response) -> bool:
        """Whether a page can be read by callers that do not know yet whether it is unusual.
        Everything that parses a page before it is placed asks this first."""
        is_too_slow = await self.is_too_slow(response)
        was_in_time = _IN_TIME in response.flags
        if is_too_slow or was_in_time:
            return was_in_time
        is_unusual = await run(is_large(response), _is_unusual, response)
        return not await self.is_too_slow(response, is_unusual)

    def check(self, response: Response, is_unusual: bool = False) -> bool:
        """As ``is_too_slow``, for callers without an event loop."""
        if _must_be_tried(response, is_unusual):
            task, body, options = self._page_task(response)
            message = self._write(task, body, options)
            _note(response, self._ask(message))
        return TOO_SLOW in response.flags

    async def read_feed(self, response: Response) -> Feed:
        """As ``feeds.reader.read_feed``; in a thread if the feed is small."""
        if not _is_large_feed(response):
            return await in_thread(_read_small_feed, response)
        options = _feed_options(response)
        answer = await self._run("feed", response.body, options)
        return self._feed_of(answer)

    def read_feed_now(self, response: Response) -> Feed:
        """As ``read_feed``, for callers without an event loop."""
        if not _is_large_feed(response):
            return _read_small_feed(response)
        options = _feed_options(response)
        message = self._write("feed", response.body, options)
        answer = self._ask(message)
        return self._feed_of(answer)

    def _feed_of(self, answer: Any) -> Feed:
        from forest_scrapy.feeds.feed_items import Feed

        if answer is None:
            return Feed(problem=f"takes more than {self._seconds} s (FOREST_PAGE_SECONDS) to read")
        return from_json(Feed, answer, ignore_unknown=True)

    async def read_sitemap(self, response: Response) -> Sitemap:
        """As ``feeds.sitemap.read_sitemap``; in a thread if the sitemap is small."""
        from forest_scrapy.feeds.sitemap import Sitemap, may_be_slow, read_sitemap

        body = response.body
        if not may_be_slow(body):
            return await in_thread(read_sitemap, body, response.url)
        answer = await self._run("sitemap", body, {"url": response.url})
        if answer is None:
            seconds = self._seconds * _FOR_SITEMAPS
            return Sitemap("", problem=f"takes more than {seconds} s, or too much memory, to read")
        return from_json(Sitemap, answer, ignore_unknown=True)

    def close(self) -> None:
        """End the process; tasks, also those that wait, are answered as if they were too slow."""
        with self._changing:
            self._is_closed = True
            if self._process is not None:
                self._process.kill()  # ends the task that is asked
        with self._asking:
            self._end()

    def _started(self) -> subprocess.Popen[bytes] | None:
        """The process, which is started if there is none; None if the probe is closed."""
        with self._changing:
            if not self._is_closed:
                self._process = self._process or _start()
            return self._process

    def _end(self) -> None:
        with self._changing:
            process = self._process
            self._process = None
        if process is not None:
            process.kill()
            process.communicate()

    async def _run(self, task: str, body: bytes, options: dict[str, Any]) -> Any:
        """The result of a task; None if it was stopped."""
        async with self._one_by_one:
            message = self._write(task, body, options)
            return await in_thread(self._ask, message)

    def _page_task(self, response: Response) -> tuple[str, bytes, dict[str, Any]]:
        options = {
            "url": response.url,
            "encoding": _encoding_of(response),
            "options": to_json(self._options),
        }
        return self._task, response.body, options

    def _write(
        self,
        task: str,
        body: bytes,
        options: dict[str, Any],
    ) -> bytes:
        reads_more = self._options.wants_records or self._options.comments
        seconds = self._seconds
        if task == "page" and reads_more:
            seconds *= _WITH_RECORDS
        elif task == "sitemap":
            seconds *= _FOR_SITEMAPS
        head = {
            "task": task,
            "size": len(body),
            "seconds": seconds,
            "memory": memory_of(self._seconds),
            "options": options,
        }
        first_line = json.dumps(head).encode()
        return first_line + b"\n" + body

    def _ask(self, message: bytes) -> Any:
        """The answer to a task as ``_write`` writes it; None if the process takes too long, or
        gives none.  If something else kills it, another one is asked, once."""
        with self._asking:
            return self._answer(message)

    def _answer(self, message: bytes) -> Any:
        is_late = Event()

        def stop(process: subprocess.Popen[bytes]) -> None:
            is_late.set()
            process.kill()

        for _ in range(2):
            process = self._started()
            if process is None:
                break
            limit = _START_SECONDS + _PATIENCE * _FOR_SITEMAPS * self._seconds
            timer = Timer(limit, stop, (process,))
            timer.start()
            try:
                answer = _send(process, message)
            finally:
                timer.cancel()
            if answer:
                return json.loads(answer)
            self._end()
            if is_late.is_set():
                break
        return None


def memory_of(page_seconds: float) -> int:
    """Bytes of memory that a task may take with this ``FOREST_PAGE_SECONDS``: a page that is large
    and plain takes its time and its memory in proportion, and a person who allows more time wants
    it to be read.

    >>> memory_of(0.5), memory_of(5)
    (200000000, 1000000000)
    """
    return round(_MEMORY_PER_SECOND * max(1.0, page_seconds))


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0,  # Ctrl-C in a terminal is for the crawl, which reads this page first
    )


def _send(process: subprocess.Popen[bytes], message: bytes) -> bytes:
    """The line that answers a task; empty if the process was killed."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(message)
        process.stdin.flush()
        answer = process.stdout.readline()
    except BrokenPipeError:
        return b""
    return answer if answer.endswith(b"\n") else b""


def needs_probe(response: Response, max_bytes: int | None = None) -> bool:
    """Whether parsing the page, or its first ``max_bytes`` bytes, may take long, by its bytes
    alone."""
    start = response.body[:max_bytes]
    if may_be_slow(start):
        return True
    encoding = _encoding_of(response)
    return not _extends_ascii(encoding)


def _is_large_feed(response: Response) -> bool:
    from forest_scrapy.feeds.reader import bound_feed, may_be_slow

    start = bound_feed(response.body)
    return may_be_slow(start)


def _read_small_feed(response: Response) -> Feed:
    from forest_scrapy.feeds.reader import read_feed

    headers = decode_headers(response)
    return read_feed(response.body, response.url, headers)


def _feed_options(response: Response) -> dict[str, Any]:
    return {"url": response.url, "headers": decode_headers(response)}


def _must_be_tried(response: Response, is_unusual: bool) -> bool:
    """Whether a page that was not tried yet has to be."""
    was_tried = _IN_TIME in response.flags or TOO_SLOW in response.flags
    if was_tried:
        return False
    return is_unusual or needs_probe(response)


def _note(response: Response, result: Any) -> None:
    response.flags.append(TOO_SLOW if result is None else _IN_TIME)


def has_many_paths(page: core.Page) -> bool:
    """Whether the page is unusual: extracting from it may take long."""
    paths = core.typed_paths(page)
    return len(paths) > core.MANY_FEATURES


def _is_unusual(response: Response) -> bool:
    page = page_of(response)
    return has_many_paths(page)


def _encoding_of(response: Response) -> str:
    if isinstance(response, TextResponse):
        return response.encoding
    return "utf-8"


def _extends_ascii(encoding: str) -> bool:
    """Whether the bytes of ASCII characters are those characters; not so in UTF-16."""
    ascii = bytes(range(32, 127))
    return ascii.decode(encoding, "replace") == ascii.decode()

"""Reading pages and feeds that may take long in a process that can be stopped.

A thread cannot be stopped: a page that takes minutes would hold up the crawl and its end.  The
process (``forest_scrapy.responses.probe_server``) is started when it is first needed, which
takes about 1.5 s of processor time, and forks for each task.
"""

import json
import subprocess
import sys
from asyncio import Semaphore, to_thread
from collections.abc import Mapping
from threading import Event, Timer
from typing import Any

from scrapy.http import Response, TextResponse

from forest_scrapy.core.codec import from_json
from forest_scrapy.core.page.encoding import may_be_slow
from forest_scrapy.feeds import reader as feeds
from forest_scrapy.feeds.feed_items import Feed
from forest_scrapy.responses.conversion import decode_headers

#: How much more time a page has if its records or comments are read, too: on pages of shops
#: records take two to three times as long as everything else.
_WITH_RECORDS = 3
#: Seconds for the start of the process, and seconds that a task may take for each second of
#: processor time that it has: other processes need the processor too.
_START, _PATIENCE = 30.0, 10.0
#: The process ends with this one, also while it imports its modules.
_PROGRAM = """\
from forest_scrapy.child_processes import end_with_parent
end_with_parent()
from forest_scrapy.responses.probe_server import main
main()
"""


class Probe:
    """Reads what may be slow, with a limit of ``seconds`` of processor time; three times as much
    for pages if the crawl wants threads, products or listings (``reads_records``), or comments
    (``reads_comments``)."""

    def __init__(
        self, seconds: float, reads_records: bool = False, reads_comments: bool = False
    ) -> None:
        self._seconds = seconds
        self._reads = {"reads_records": reads_records, "reads_comments": reads_comments}
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        #: One task at a time: together, several would take too much memory and time.
        self._one_by_one = Semaphore(1)

    async def is_too_slow(self, response: Response, is_unusual: bool = False) -> bool:
        """Whether extracting from the page takes more time, or more memory, than it may.  Costs
        next to nothing unless the markup is large or unusual, or ``is_unusual`` says so."""
        task = _page_task(response, is_unusual, self._reads)
        return task is not None and await self._run(*task) is None

    def check(self, response: Response, is_unusual: bool = False) -> bool:
        """As ``is_too_slow``, for callers without an event loop."""
        task = _page_task(response, is_unusual, self._reads)
        return task is not None and self._ask(self._write(*task)) is None

    async def read_feed(self, response: Response) -> Feed:
        """As ``feeds.reader.read_feed``; in a thread if the feed is small."""
        body, url, headers = response.body, response.url, decode_headers(response)
        if not feeds.may_be_slow(feeds.bound_feed(body)):
            return await to_thread(feeds.read_feed, body, url, headers)
        done = await self._run("feed", body, {"url": url, "headers": headers})
        if done is None:
            return Feed(problem=f"takes more than {self._seconds} s (FOREST_PAGE_SECONDS) to read")
        return from_json(Feed, done, ignore_unknown=True)

    def close(self) -> None:
        """End the process; a task that it has is answered as if it were too slow."""
        self._is_closed = True
        self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    async def _run(self, task: str, body: bytes, options: dict[str, Any]) -> Any:
        """The result of a task; None if it was stopped."""
        async with self._one_by_one:
            return await to_thread(self._ask, self._write(task, body, options))

    def _write(self, task: str, body: bytes, options: dict[str, Any]) -> bytes:
        reads_more = any(options.get(name) for name in self._reads)
        seconds = self._seconds * (_WITH_RECORDS if reads_more else 1)
        head = {"task": task, "size": len(body), "seconds": seconds, "options": options}
        return json.dumps(head).encode() + b"\n" + body

    def _ask(self, task: bytes) -> Any:
        """The answer; None if the process takes too long, or gives none.  If something else kills
        it, another one is asked, once."""
        is_late = Event()

        def stop(process: subprocess.Popen[bytes]) -> None:
            is_late.set()
            process.kill()

        for _ in range(2):
            process = self._process = self._process or _start()
            limit = _START + _PATIENCE * _WITH_RECORDS * self._seconds
            timer = Timer(limit, stop, (process,))
            timer.start()
            try:
                answer = _send(process, task)
            finally:
                timer.cancel()
            if answer:
                return json.loads(answer)
            self._end()
            if is_late.is_set() or self._is_closed:
                break
        return None


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def _send(process: subprocess.Popen[bytes], task: bytes) -> bytes:
    """The line that answers a task; empty if the process was killed."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(task)
        process.stdin.flush()
        answer = process.stdout.readline()
    except BrokenPipeError:
        return b""
    return answer if answer.endswith(b"\n") else b""


def _page_task(
    response: Response, is_unusual: bool, reads: Mapping[str, bool]
) -> tuple[str, bytes, dict[str, Any]] | None:
    """The task of reading a page; None if it cannot be slow."""
    encoding = response.encoding if isinstance(response, TextResponse) else "utf-8"
    if not is_unusual and not may_be_slow(response.body) and _extends_ascii(encoding):
        return None
    options = {"url": response.url, "encoding": encoding, **reads}
    return "page", response.body, options


def _extends_ascii(encoding: str) -> bool:
    """Whether the bytes of ASCII characters are those characters; not so in UTF-16."""
    ascii = bytes(range(32, 127))
    return ascii.decode(encoding, "replace") == ascii.decode()

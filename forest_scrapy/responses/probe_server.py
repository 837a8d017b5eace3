"""The process in which ``Probe`` reads pages and feeds:
``python -m forest_scrapy.responses.probe_server``.

Standard input: for each task a line of JSON and ``size`` bytes.  Standard output: for each task a
line of JSON, the result; ``null`` if the task failed, or took more time or memory than it may.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from forest_scrapy.child_processes import end_with_pipe
from forest_scrapy.core import Options, Page, extract_page, learn_rules
from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.records.next_page import digest_words, find_next_page, has_previous_page
from forest_scrapy.core.templates.fingerprints import typed_paths
from forest_scrapy.core.templates.grouping import read_fingerprint
from forest_scrapy.core.templates.signals import read_signals
from forest_scrapy.feeds.reader import read_feed
from forest_scrapy.feeds.sitemap import read_sitemap
from forest_scrapy.forms.answers import METHODS, learn_answer_wrappers
from forest_scrapy.forms.details import read_details
from forest_scrapy.forms.form import read_forms


def do_page(
    body: bytes,
    url: str,
    encoding: str,
    options: Mapping[str, Any] | None = None,
) -> bool:
    """Do once what a crawl does with a page, with these ``Options`` as JSON values: if this is done
    in time, so is that."""
    page_options = from_json(Options, options or {})
    page = Page.from_html(body.decode(encoding, "replace"), url)
    typed_paths(page)
    read_signals(page)
    if page_options.wants_records:
        extract_page(page, learn_rules([page], page_options), page_options)
        digest_words(page)
        find_next_page(page)
        has_previous_page(page)
    if page_options.wants_articles:
        extract_page(page, None, replace(page_options, kinds=("article",)))
    return True


def do_form(
    body: bytes,
    url: str,
    encoding: str,
    options: Mapping[str, Any] | None = None,
) -> bool:
    """Do once what the spider ``form`` does with a page of forms, an answer, or the page of a
    record."""
    page = Page.from_html(body.decode(encoding, "replace"), url)
    read_forms(page.root, page.base_url)
    read_fingerprint(page, "typed")
    find_next_page(page)
    learn_answer_wrappers([page], METHODS)
    read_details(page)
    return True


def do_feed(body: bytes, url: str, headers: Mapping[str, str]) -> Any:
    """The feed as JSON values."""
    return to_json(read_feed(body, url, headers))


def do_sitemap(body: bytes, url: str) -> Any:
    """The sitemap as JSON values."""
    return to_json(read_sitemap(body, url))


_TASKS: dict[str, Callable[..., Any]] = {
    "page": do_page,
    "form": do_form,
    "feed": do_feed,
    "sitemap": do_sitemap,
}


def main() -> None:
    """Run tasks until standard input ends."""
    do_page(b"<p>The boats are in the harbour today, and the sea is calm.", "", "utf-8")
    reading, writing = os.pipe()
    for line in sys.stdin.buffer:
        task = json.loads(line)
        body = sys.stdin.buffer.read(task["size"])
        child = os.fork()
        if not child:
            os.close(writing)
            end_with_pipe(reading)  # if this process is killed
            _run(task, body)
        _, status = os.waitpid(child, 0)
        if status:
            _answer(b"null")


def _run(task: Mapping[str, Any], body: bytes) -> None:
    """Run a task and end this process."""
    _silence()
    _limit(task["seconds"], task["memory"])
    try:
        result = _TASKS[task["task"]](body, **task["options"])
        signal.setitimer(signal.ITIMER_PROF, 0)
        _answer(json.dumps(result).encode())
    except BaseException:  # as bad as if it were stopped: the page or feed cannot be read
        os._exit(1)
    os._exit(0)


def _silence() -> None:
    """Leave out what is written to standard error: a library in Rust that gets no more memory
    writes its stack there, and raises what is no ``Exception``."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)


def _limit(seconds: float, memory: int) -> None:
    """End this process after so many seconds of processor time; it gets so many bytes of memory."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    in_use = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (in_use + memory, resource.RLIM_INFINITY))


def _answer(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

"""Hosts that send next to nothing."""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from .helpers import RSS, Project, Server, rss, story, wait_until

#: Seconds after which Scrapy gives a download up: what one dripping host cost another one.
_TIMEOUT = 30
_HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n"


@contextmanager
def dripping(host: str, head: bytes) -> Iterator[str]:
    """A server that accepts all, answers with ``head`` and a byte a second, and never ends; its
    address."""
    with socket.create_server((host, 0), backlog=128) as listening:
        ended, accepted = threading.Event(), []

        def accept() -> None:
            while not ended.is_set():
                connection = listening.accept()[0]
                accepted.append(connection)
                connection.sendall(head)

        def drip() -> None:
            while not ended.wait(1):
                for connection in accepted if head else ():
                    try:
                        connection.send(b"a", socket.MSG_DONTWAIT)
                    except OSError:
                        continue

        for target in (accept, drip):
            threading.Thread(target=target, daemon=True).start()
        yield f"http://{host}:{listening.getsockname()[1]}"
        ended.set()
        for connection in accepted:
            connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("head", [_HEAD, b""], ids=["drips", "says_nothing"])
def test_slow_hosts_do_not_hold_up_a_quick_one(project: Project, head: bytes) -> None:
    """Their pages took all places of the crawl, for one download timeout after the other."""
    with ExitStack() as stack:
        quick = stack.enter_context(Server())
        hosts = [stack.enter_context(dripping(f"127.0.0.{i}", head)) for i in (2, 3, 4)]
        pages = [f"{host}/{i}" for host in hosts for i in range(30)]
        quick.add("/slow", rss(pages), RSS)
        stories = [f"/story/{i}" for i in range(12)]
        for i, path in enumerate(stories):
            quick.add(path, story(i))
        # It comes when the others have the places.
        quick.add("/quick", rss(stories), RSS, delay=1)
        feeds = f"feeds={quick.url}/slow,{quick.url}/quick"
        settings = {"DOWNLOAD_TIMEOUT": _TIMEOUT, "RETRY_TIMES": 0, "FOREST_ENTRY_FALLBACK": False}
        crawling = project.start("feeds", feeds, **settings)
        wait_until(lambda: "/quick" in quick.requests, 60)
        start = time.monotonic()
        wait_until(lambda: len(quick.requests) == 2 + len(stories) or crawling.is_over(), 60)
        waited = time.monotonic() - start
        for _ in range(2):
            crawling.send(signal.SIGINT)
            time.sleep(0.3)
        crawling.finish(30)
    assert waited < _TIMEOUT - 2

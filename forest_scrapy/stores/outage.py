"""The time in which a shared store is away: what makes it so, and what is done meanwhile.

``Watchdog`` ends statements that a server does not answer; ``Outage`` keeps writes, and writes
them when the server is back.
"""

import logging
import os
import socket
from asyncio import get_running_loop
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf
from threading import Event, Lock, Thread, current_thread
from time import monotonic
from types import TracebackType
from typing import Any

from forest_scrapy.stores.database import StoreAway, StoreFailed

logger = logging.getLogger(__name__)

#: Seconds between two attempts to connect.
_RETRY = 1.0
#: Seconds for which a crawl that ends waits for the store.
LAST_SECONDS = 60.0
#: Writes that are kept, some 2 KB each.
MOST_KEPT = 100_000
#: Seconds for a statement, and for one that the event loop waits for.
_SECONDS, _SECONDS_OF_LOOP = 15.0, 3.0
#: Seconds between two looks at the time of a statement.
_LOOK = 0.25


class Outage:
    """Keeps the writes of a store that is away.

    ``reconnect`` raises ``StoreAway`` as long as the store is away; ``write`` calls a function in
    a transaction, and raises ``StoreFailed``.  Both are called in a thread.
    """

    def __init__(
        self, name: str, reconnect: Callable[[], None], write: Callable[[Callable[[], Any]], Any]
    ) -> None:
        self._name, self._reconnect, self._write = name, reconnect, write
        self._kept: deque[Callable[[], Any]] = deque()
        self._thread: Thread | None = None
        self._since = 0.0
        self._lock, self._ended = Lock(), Event()
        self._counts = {"outages": 0, "kept": 0, "lost": 0}

    @property
    def is_on(self) -> bool:
        """Whether the store is away, or not all that was kept is written yet."""
        return self._thread is not None

    @property
    def is_this_thread(self) -> bool:
        """Whether this is the thread that writes what was kept."""
        return self._thread is current_thread()

    @property
    def seconds(self) -> float | None:
        """For how long the store has been away."""
        return monotonic() - self._since if self.is_on else None

    def counts(self) -> dict[str, int]:
        """Outages, writes that were kept, and those of them that were lost."""
        return {name: number for name, number in self._counts.items() if number}

    def begin(self, error: StoreAway) -> None:
        """Begin an outage, if there is none."""
        with self._lock:
            if self.is_on or self._ended.is_set():
                return
            self._counts["outages"] += 1
            self._since = monotonic()
            logger.warning(
                "The shared store %s is away (%s): writes are kept until it is back",
                *(self._name, error),
            )
            self._thread = Thread(target=self._wait, name="forest-store", daemon=True)
        self._thread.start()

    def keep(self, function: Callable[[], Any]) -> bool:
        """Write this when the store is back; False if it is not away."""
        with self._lock:
            if not self.is_on and not self._ended.is_set():
                return False
            if self.is_on and len(self._kept) < MOST_KEPT:
                self._kept.append(function)
                self._counts["kept"] += 1
            else:
                self._counts["lost"] += 1
            return True

    def end(self) -> None:
        """Wait for the store, so that what was kept is written."""
        thread = self._thread
        if thread is not None and self._kept:
            logger.warning(
                "Waiting up to %g s for the shared store %s: %d writes are kept",
                *(LAST_SECONDS, self._name, len(self._kept)),
            )
            thread.join(LAST_SECONDS)
        self._ended.set()
        if thread is not None:
            thread.join(_RETRY)
        if self._kept:
            self._counts["lost"] += len(self._kept)
            logger.error(
                "The shared store %s is still away: %d writes are lost; the next crawl learns and"
                " requests again what they were about",
                *(self._name, len(self._kept)),
            )

    def _wait(self) -> None:
        written = 0
        while not self._ended.wait(_RETRY if not written else 0):
            try:
                self._reconnect()
                while self._kept and not self._ended.is_set():
                    self._call(self._kept[0])
                    self._kept.popleft()
                    written += 1
            except StoreAway:
                written = 0
                continue
            if self._finish(written):
                return

    def _finish(self, written: int) -> bool:
        with self._lock:
            if self._kept:
                return False
            self._thread = None
        logger.warning("The shared store %s is back; %d kept writes done", self._name, written)
        return True

    def _call(self, function: Callable[[], Any]) -> None:
        try:
            self._write(function)
        except StoreAway:
            raise
        except StoreFailed as error:
            self._counts["lost"] += 1
            logger.warning("A kept write failed: %s", error)


class Watchdog:
    """Limits the time of statements on one connection: ``with watchdog: execute(...)``.

    The server's own timeouts do not help against a server that hangs, and the driver has none.  So
    another thread shuts down the socket, and the statement fails as with a server that is gone.
    """

    def __init__(self, fileno: int) -> None:
        """``fileno``: the file descriptor of the connection's socket."""
        self._socket = socket.socket(fileno=os.dup(fileno))
        self._deadline, self._closed = inf, Event()
        self._thread = Thread(target=self._watch, name="forest-store-watchdog", daemon=True)
        self._thread.start()

    def __enter__(self) -> None:
        self._deadline = monotonic() + (_SECONDS_OF_LOOP if _is_on_loop() else _SECONDS)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._deadline = inf

    def close(self) -> None:
        """End the thread."""
        self._closed.set()
        self._thread.join()
        self._socket.close()

    def _watch(self) -> None:
        while not self._closed.wait(_LOOK):
            if monotonic() > self._deadline:
                with suppress(OSError):  # it is closed by the server already
                    self._socket.shutdown(socket.SHUT_RDWR)
                return


def _is_on_loop() -> bool:
    try:
        get_running_loop()
    except RuntimeError:
        return False
    return True

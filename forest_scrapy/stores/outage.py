"""Writes that are done later, and the time in which a store is unavailable.

``WriteQueue`` keeps writes, and writes them in a thread; ``Watchdog`` ends statements that a
server does not answer.
"""

import logging
import os
import socket
from asyncio import get_running_loop
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from threading import Condition, Event, Thread, current_thread
from time import monotonic
from types import TracebackType
from typing import Any, NamedTuple, TypeVar, cast

from forest_scrapy.core.plurals import count
from forest_scrapy.stores.database import StoreFailed, StoreUnavailable, ValueRefused

logger = logging.getLogger(__name__)

#: Writes that are kept, some 2 KB each.
MAX_KEPT = 100_000
#: Seconds for a statement.
_SECONDS = 15.0
#: Seconds for a statement that the event loop waits for.
_SECONDS_OF_LOOP = 3.0
#: Seconds between two looks at the time of a statement.
_LOOK = 0.25


_T = TypeVar("_T")


class _Write(NamedTuple):
    """``failed``: called if the write has failed for good."""

    function: Callable[[], Any]
    failed: Callable[[StoreFailed], None] | None


class WriteQueue:
    """The writes of a store.  While it is unavailable they are kept, and then done in their order
    by a thread.

    A write that finds the store unavailable, which begins an outage, is tried again every ``retry``
    seconds.  ``reconnect`` raises ``StoreUnavailable`` as long as the store is unavailable;
    ``write`` calls a function in a transaction, and raises ``StoreFailed``.  At the end, an outage
    of ``patience`` seconds is not waited for any longer.
    """

    def __init__(
        self,
        name: str,
        reconnect: Callable[[], None],
        write: Callable[[Callable[[], Any]], Any],
        patience: float,
        retry: float,
    ) -> None:
        self._name = name
        self._reconnect = reconnect
        self._write = write
        self._patience = patience
        self._retry = retry
        self._waiting: deque[_Write] = deque()
        self._thread: Thread | None = None
        #: When the outage began; None: the store is there.
        self._since: float | None = None
        self._changed = Condition()
        self._has_ended = False
        self._counts = {"outages": 0, "kept": 0, "lost": 0}
        #: The first error of a write that has failed for good, other than by its values.
        self.failure: StoreFailed | None = None

    @property
    def is_on(self) -> bool:
        """Whether the store is unavailable, or not all that was kept meanwhile is written yet."""
        return self._since is not None

    @property
    def is_this_thread(self) -> bool:
        """Whether this is the thread that writes."""
        return self._thread is current_thread()

    @property
    def seconds(self) -> float | None:
        """For how long the store has been unavailable."""
        since = self._since
        if since is None:
            return None
        return monotonic() - since

    def counts(self) -> dict[str, int]:
        """Outages, writes that were kept in them, and writes that were lost."""
        return {name: number for name, number in self._counts.items() if number}

    def unwritten(self) -> list[Callable[[], Any]]:
        """The functions that are still to be called, in their order."""
        with self._changed:
            return [write.function for write in self._waiting]

    def begin(self, error: StoreUnavailable) -> None:
        """Begin an outage, if there is none."""
        with self._changed:
            if self.is_on or self._has_ended:
                return
            self._since = monotonic()
            self._counts["outages"] += 1
            self._counts["kept"] += len(self._waiting)
            self._run_thread()
        logger.warning("%s is away (%s): writes are kept until it is back", self._name, error)

    def write(
        self,
        function: Callable[[], _T],
        failed: Callable[[StoreFailed], None] | None = None,
    ) -> _T | None:
        """Write this now, and return what the function does; later, and None, if the store is
        unavailable or others wait.  ``failed``: called instead of raising ``StoreFailed``."""
        if not self.is_on and not self._waiting:
            try:
                return cast(_T, self._write(function))
            except StoreUnavailable as error:
                self.begin(error)
            except Exception as error:  # also a value that the driver refuses
                if failed is None:
                    raise
                failed(self._fail(error))
                return None
        self.put(function, failed)
        return None

    def put(
        self,
        function: Callable[[], Any],
        failed: Callable[[StoreFailed], None] | None = None,
    ) -> None:
        """Write this later."""
        with self._changed:
            if self._has_ended or len(self._waiting) >= MAX_KEPT:
                self._counts["lost"] += 1
                self.failure = self.failure or StoreFailed(f"{self._name}: too many writes wait")
                return
            self._waiting.append(_Write(function, failed))
            self._counts["kept"] += self.is_on
            self._run_thread()

    def end(self, waits: bool = True) -> list[Callable[[], Any]]:
        """End the thread; what was not written.  ``waits``: until all is, or until an outage has
        lasted as long as the ``patience``."""
        with self._changed:
            seconds = 0.0
            if waits:
                seconds = max(0.0, self._patience - (self.seconds or 0))
            if self.is_on and self._waiting and seconds > 0:
                logger.warning(
                    "Waiting up to %.0f s for %s%s: %s",
                    seconds,
                    self._name[0].lower(),
                    self._name[1:],
                    count(len(self._waiting), "write is kept", "writes are kept"),
                )
            self._changed.wait_for(lambda: not self._waiting, seconds)
            self._has_ended = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(self._retry + 1)
        with self._changed:
            unwritten = self.unwritten()
            self._waiting.clear()
        return unwritten

    def lose(self, writes: Sequence[Callable[[], Any]]) -> None:
        """Count and report writes that could not be done before the end."""
        self._counts["lost"] += len(writes)
        logger.error(
            "%s is still away: %s; the next crawl learns and requests again what this was about",
            self._name,
            count(len(writes), "write is lost", "writes are lost"),
        )

    def _run_thread(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="forest-store", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _run(self) -> None:
        written = 0
        while self._wait():
            try:
                if self.is_on:
                    self._reconnect()
                while write := self._next():
                    self._do(write)
                    self._remove(write)
                    written += 1
            except StoreUnavailable as error:
                self.begin(error)
                continue
            except StoreFailed:  # what cannot be read is reported by who reads it
                continue
            if self._finish(written):
                written = 0

    def _wait(self) -> bool:
        """Wait for something to do; whether there is, or the end has come."""
        with self._changed:
            self._changed.wait_for(lambda: self._has_ended or self.is_on or self._waiting)
            if self.is_on:
                self._changed.wait_for(lambda: self._has_ended, self._retry)
            return not self._has_ended

    def _next(self) -> _Write | None:
        with self._changed:
            if self._has_ended or not self._waiting:
                return None
            return self._waiting[0]

    def _remove(self, write: _Write) -> None:
        with self._changed:
            if self._waiting and self._waiting[0] is write:  # ``end`` may not have waited for it
                self._waiting.popleft()

    def _finish(self, written: int) -> bool:
        with self._changed:
            if self._waiting:
                return False
            self._changed.notify_all()
            was_on = self.is_on
            self._since = None
        if was_on:
            logger.warning("%s is back; %s done", self._name, count(written, "kept write"))
        return True

    def _fail(self, error: Exception) -> StoreFailed:
        if not isinstance(error, StoreFailed):
            error = ValueRefused(f"{self._name} cannot take a value: {error!r}")
        if not isinstance(error, ValueRefused):
            self.failure = self.failure or error
        return error

    def _do(self, write: _Write) -> None:
        try:
            self._write(write.function)
        except StoreUnavailable:
            raise
        except Exception as error:  # such as a value that the driver refuses: the others go on
            failure = self._fail(error)
            self._counts["lost"] += 1
            if write.failed is not None:
                write.failed(failure)
            else:
                logger.warning("A kept write failed: %s", failure)


class Watchdog:
    """Limits the time of statements on one connection: ``with watchdog: execute(...)``.

    The server's own timeouts do not help against a server that hangs, and the driver has none.  So
    another thread shuts down the socket, and the statement fails as with a server that is gone.
    """

    def __init__(self, fileno: int) -> None:
        """``fileno``: the file descriptor of the connection's socket."""
        self._socket = socket.socket(fileno=os.dup(fileno))
        self._deadline = inf
        self._closed = Event()
        self._thread = Thread(target=self._watch, name="forest-store-watchdog", daemon=True)
        self._thread.start()

    def __enter__(self) -> None:
        seconds = _SECONDS_OF_LOOP if _is_on_loop() else _SECONDS
        self._deadline = monotonic() + seconds

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

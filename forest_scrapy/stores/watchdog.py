"""Cutting the connection to a server that has stopped answering."""

from __future__ import annotations

import os
import socket
from asyncio import get_running_loop
from contextlib import suppress
from math import inf
from threading import Event, Thread
from time import monotonic
from types import TracebackType

__all__ = ["Watchdog"]

#: Seconds for a statement, and for one that the event loop waits for.
_SECONDS, _SECONDS_OF_LOOP = 15.0, 3.0
#: Seconds between two looks.
_LOOK = 0.25


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

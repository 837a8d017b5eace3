"""Processes that end with the one that needs them, also if that is killed.

A killed process cannot end its children, and they may be in the middle of a long computation in C,
where no thread and no signal handler of Python runs.  A parent-death signal (``prctl``) comes also
when only the thread ends that has started the process, as in a program with threads.
"""

import fcntl
import os
import select
import signal
import sys
from typing import Any

#: Seconds between two looks for the parent.
_EVERY = 0.2


def end_with_pipe(file: int) -> None:
    """End this process as soon as the other end of the pipe ``file`` is closed, which nothing is
    written to any more.  The kernel sends a signal then, whose default is to end the process."""
    # Without handler on Linux; elsewhere the default may be to ignore it.
    handler = signal.SIG_DFL if sys.platform == "linux" else _end
    signal.signal(signal.SIGIO, handler)
    fcntl.fcntl(file, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(file, fcntl.F_GETFL)
    fcntl.fcntl(file, fcntl.F_SETFL, flags | os.O_ASYNC)

    readable_files, _, _ = select.select([file], [], [], 0)
    if readable_files:  # closed before
        _end()


def end_with_parent() -> None:
    """End this process, which computes nothing itself, soon after its parent.  Its own forks have
    no timer."""
    parent = os.getppid()

    def look(*_: Any) -> None:
        if os.getppid() != parent:
            _end()

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _EVERY, _EVERY)


def stop_looking() -> None:
    """End what ``end_with_parent`` has begun."""
    signal.setitimer(signal.ITIMER_REAL, 0)


def _end(*_: Any) -> None:
    os._exit(1)

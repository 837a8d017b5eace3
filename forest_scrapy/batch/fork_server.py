"""Imported by the fork server of a pool before all else, so that it ends with its parent also while
it imports the rest, which takes a second, and if the parent has ended before."""

import os
import re
import signal
import sys
from types import TracebackType

from forest_scrapy.child_processes import end_with_parent, end_with_pipe

#: The command of a fork server; the second number is a pipe whose other end only its parent has.
_COMMAND = re.compile(r"from multiprocessing\.forkserver import main; main\(\d+, (\d+)")


def _begin_worker() -> None:
    end_with_parent()
    sys.excepthook = _report


def _report(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """Print an error of a worker that starts; none if its pool was stopped meanwhile: what it was
    to share with the pool is gone.  A worker that has started reports its errors to the pool."""
    if not issubclass(kind, (FileNotFoundError, EOFError)):
        sys.__excepthook__(kind, error, traceback)


_command = _COMMAND.match(sys.orig_argv[-1])
#: Whether this process is a fork server: other programs may import its modules, too.
IS_FORK_SERVER = _command is not None

if _command is not None:
    # Ctrl-C reaches all processes of a terminal; only the first one has to end the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_pipe(int(_command[1]))
    # Each worker has the other end of that pipe, too, and watches its own once it has imported the
    # main module: until then it ends with this process, and this process with its parent.
    end_with_parent()
    os.register_at_fork(after_in_child=_begin_worker)

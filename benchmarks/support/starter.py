"""Python processes that need not import Scrapy: forks of one process that has imported it.

A process of a test, or of a fault, spent three quarters of its time on imports.  A fork has its own
memory, working directory, environment, streams and signals.  It ends as any Python process does, up
to the last function that is registered with ``atexit``; what it shares with the others is not
freed.  Run as a program, this module is the process that forks.  Hashes of strings are the same in
all forks: tests of what depends on them start Python itself.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

__all__ = ["Started", "kill_running", "run", "start"]

_MOST_BYTES = 1 << 16
#: Threads of the faults start processes at the same time.
_starting = threading.Lock()
#: The processes that were started and not waited for yet.
_running: set[Started] = set()


class Request(NamedTuple):
    """``python ARGUMENTS`` in a folder; the arguments begin with ``-m MODULE`` or ``-c CODE``."""

    arguments: list[str]
    cwd: str
    env: dict[str, str]


class Started:
    """A running process; the methods are those of :class:`subprocess.Popen`."""

    def __init__(self, report: int) -> None:
        self._report = os.fdopen(report, "rb", buffering=0)
        self.pid = int(self._report.read(8))
        self.returncode: int | None = None
        _running.add(self)

    def poll(self) -> int | None:
        if self.returncode is None and select.select([self._report], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._report], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
            self.returncode = int(self._report.read(8))
            self._report.close()
            _running.discard(self)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str], stdout: Any, stderr: Any
) -> Started:
    """Start ``python ARGUMENTS``, without standard input; the streams are open files."""
    message = json.dumps(Request(list(arguments), str(cwd), dict(env))).encode()
    assert len(message) < _MOST_BYTES
    with _starting:
        connection, _ = _server()
    reading, writing = os.pipe()
    socket.send_fds(connection, [message], [stdout.fileno(), stderr.fileno(), writing])
    os.close(writing)
    return Started(reading)


def run(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str], timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """``python ARGUMENTS``, after its end; if it takes too long, it is killed."""
    with TemporaryFile() as out, TemporaryFile() as err:
        process = start(arguments, cwd, env, out, err)
        try:
            status = process.wait(timeout)
        finally:
            process.kill()
        texts = [os.pread(file.fileno(), 1 << 30, 0).decode() for file in (out, err)]
    return subprocess.CompletedProcess(arguments, status, *texts)


def kill_running() -> None:
    """Kill what was started and not waited for: a test that fails does not come to that."""
    for process in list(_running):
        process.kill()
        process.wait()


@cache
def _server() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The process that forks, and a socket to it; it ends when the socket is closed."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    extra = {"PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONIOENCODING": "utf-8"}
    with there:
        process = subprocess.Popen(
            [sys.executable, __file__, str(there.fileno())],
            env={**os.environ, **extra, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[there.fileno()],
        )
    atexit.register(_stop, here, process)
    return here, process


def _stop(connection: socket.socket, process: subprocess.Popen[bytes]) -> None:
    connection.close()
    process.wait()


def _import_everything() -> None:
    """Import what crawls and commands import, without a reactor, which each of them chooses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for root in ("scrapy", "scrapy_poet", "forest_scrapy", "demo"):
            _import_package(root)
        _read_demo()
        _compile_tables()
    assert "twisted.internet.reactor" not in sys.modules
    assert threading.active_count() == 1
    gc.collect()
    gc.freeze()


def _import_package(root: str) -> None:
    """Import all modules of a package, except those of optional packages that are missing."""
    with suppress(ImportError):
        for _, name, _ in pkgutil.walk_packages(import_module(root).__path__, f"{root}."):
            if not name.endswith("__main__") and ".spark" not in name:
                with suppress(ImportError):
                    import_module(name)


def _read_demo() -> None:
    """Load what the first pages of a crawl load: models, word lists, expressions of feeds,
    templates of reports."""
    import feedparser
    from ftfy.badness import badness

    from demo import build_site
    from forest_scrapy import extract_pages
    from forest_scrapy.report import html_pages

    site = build_site("http://127.0.0.1:8000")
    paths = [article.path for article in site.articles[:6]]
    assert list(extract_pages((site.base_url + path, site.files[path][1]) for path in paths))
    assert feedparser.parse(site.files["/feed.xml"][1]).entries
    assert badness("") == 0
    templates = html_pages._environment()
    for name in templates.list_templates():
        templates.get_template(name)


def _compile_tables() -> None:
    """Compile the tables of words that are compiled when a page needs them."""
    from forest_scrapy.core.boilerplate.wordings import Wordings
    from forest_scrapy.core.lazy import LazyPattern

    for value in gc.get_objects():
        if isinstance(value, Wordings | LazyPattern):
            assert value.compiled


def _serve(connection: socket.socket) -> Request | None:
    """Fork for each request.  The fork returns the request; the others None, at the end."""
    waiting: list[int] = []
    while True:
        message, files, *_ = socket.recv_fds(connection, _MOST_BYTES, 3)
        if not message:
            break
        waiting = [pid for pid in waiting if os.waitpid(pid, os.WNOHANG) == (0, 0)]
        if not (pid := os.fork()):
            connection.close()
            _fork_and_report(*files)
            return Request(*json.loads(message))
        waiting.append(pid)
        for file in files:
            os.close(file)
    for pid in waiting:
        os.waitpid(pid, 0)
    return None


def _fork_and_report(stdout: int, stderr: int, report: int) -> None:
    """Fork once more, and return in the fork.  The other process waits for its end, writes its
    process id and its status, and ends."""
    if not (pid := os.fork()):
        os.close(report)
        for target, file in enumerate((os.open(os.devnull, os.O_RDONLY), stdout, stderr)):
            os.dup2(file, target)
            os.close(file)
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.close(stdout)
    os.close(stderr)
    os.write(report, b"%8d" % pid)
    _, status = os.waitpid(pid, 0)
    os.write(report, b"%8d" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _run(request: Request) -> None:
    # What the forks share stays frozen: else the end of a crawl looks through all of it, for 0.6 s.
    gc.unfreeze = lambda: None
    os.chdir(request.cwd)
    os.environ.clear()
    os.environ.update(request.env)
    kind, program, *arguments = request.arguments
    sys.path[0] = request.cwd
    sys.argv = [program if kind == "-m" else kind, *arguments]
    if kind == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})


class Ending:
    """The end of a fork, with the status of its program.

    Python would free all modules, each object of which is shared with the other forks: to free it,
    its page of memory is copied, which takes as long as a short crawl.
    """

    def __init__(self) -> None:
        self._is_fork = False
        self._status = 0
        # The first function that is registered is the last that is called.
        atexit.register(self._leave)

    def run(self, request: Request) -> None:
        self._is_fork = True
        try:
            _run(request)
        except SystemExit as end:
            code = end.code
            if code is not None:
                self._status = code & 0xFF if isinstance(code, int) else 1
            raise
        except KeyboardInterrupt:
            self._status = -signal.SIGINT
            raise
        except BaseException:
            self._status = 1
            raise

    def _leave(self) -> None:
        if not self._is_fork:
            return
        gc.collect()  # for what is written when an object is freed
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        if self._status < 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.raise_signal(signal.SIGINT)
        os._exit(self._status)


if __name__ == "__main__":
    ending = Ending()
    _import_everything()
    asked = _serve(socket.socket(fileno=int(sys.argv[1])))
    if asked:
        ending.run(asked)

"""Calling a function on chunks of a stream in several processes, with the results in order."""

import gc
import logging
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_all_start_methods, get_context, parent_process
from time import sleep
from typing import Any, TypeVar

from forest_scrapy.child_processes import end_with_pipe, stop_looking
from forest_scrapy.core import ForestError

logger = logging.getLogger(__name__)

#: Chunks handed out for each process at a time: one that it works on, and some that wait, so that
#: no process is idle while one chunk takes long.
_CHUNKS_OF_PROCESS = 4
#: What each process imports; with a fork server it is imported only once.
_PRELOAD = ("forest_scrapy.batch.fork_server", "forest_scrapy.batch.shared_memory")
#: How often processes are started again that cannot be started, or that end at once.
_MAX_STARTS = 3
#: Seconds before that: a fork server that is being killed still counts as one that runs.
_PAUSE = 0.2
#: How often an item that is alone in a process may end it: something else may have killed it.
_MAX_CRASHES = 2

#: New objects after which cyclic garbage is looked for, and how often among the older ones.  There
#: is little: pages are released without that.
_GARBAGE = (20_000, 5, 10)

_T = TypeVar("_T")
_R = TypeVar("_R")
#: What a process does with a chunk: the results of its items, in their order.
_Function = Callable[[list[_T]], list[_R]]
#: The chunks that were handed out, with their results to come.
_Waiting = deque[tuple[list[_T], Future[list[_R]]]]


class Pool:
    """``processes`` worker processes; with 1, functions are called in this process.

    Functions take a chunk, a list, and return a list of the same length.  If a process dies
    (the system kills it for its memory, a library crashes), its chunk is tried again item by item,
    and an item that is alone in two processes that die has the result ``on_crash(item)``.  The
    processes end with this one, also if it is killed.
    """

    def __init__(self, processes: int) -> None:
        if processes < 1:
            raise ValueError("processes must be 1 or more")
        self.processes = processes
        self._executor: ProcessPoolExecutor | None = None

    def map(
        self,
        function: _Function[_T, _R],
        chunks: Iterable[list[_T]],
        on_crash: Callable[[_T], _R],
    ) -> Iterator[tuple[list[_T], list[_R]]]:
        """Each chunk with its results, in the order of the chunks.  Raises ``NoProcesses``."""
        if self.processes == 1:
            for chunk in chunks:
                yield chunk, function(chunk)
            return

        waiting: _Waiting[_T, _R] = deque()
        for chunk in chunks:
            waiting.append((chunk, self._submit(function, chunk)))
            if len(waiting) >= _CHUNKS_OF_PROCESS * self.processes:
                yield self._take(waiting, function, on_crash)
        while waiting:
            yield self._take(waiting, function, on_crash)

    def close(self) -> None:
        """End the processes.  They are killed: they write nothing, and have nothing to do any more,
        or nothing that is of use.  The executor only terminates them, and waits for ever for one
        that was just starting."""
        executor = self._executor
        if executor is None:
            return
        processes = getattr(executor, "_processes", None) or {}
        for process in list(processes.values()):
            process.kill()
        executor.shutdown(cancel_futures=True)
        self._executor = None

    def _take(
        self,
        waiting: _Waiting[_T, _R],
        function: _Function[_T, _R],
        on_crash: Callable[[_T], _R],
    ) -> tuple[list[_T], list[_R]]:
        """The first chunk that waits, with its results."""
        chunk, future = waiting.popleft()
        try:
            return chunk, future.result()
        except BrokenProcessPool:
            logger.warning("A worker process died; its pages are tried again one by one")
            self.close()
            results = [self._try_alone(function, item, on_crash) for item in chunk]
            self._submit_again(waiting, function)
            return chunk, results

    def _submit_again(
        self,
        waiting: _Waiting[_T, _R],
        function: _Function[_T, _R],
    ) -> None:
        """Hand out again the chunks that wait, whose processes were ended."""
        chunks = [chunk for chunk, _ in waiting]
        waiting.clear()
        for chunk in chunks:
            waiting.append((chunk, self._submit(function, chunk)))

    def _try_alone(
        self,
        function: _Function[_T, _R],
        item: _T,
        on_crash: Callable[[_T], _R],
    ) -> _R:
        for _ in range(_MAX_CRASHES):
            try:
                results: list[_R] = self._submit(function, [item]).result()
                return results[0]
            except BrokenProcessPool:
                self.close()
        return on_crash(item)

    def _submit(
        self,
        function: _Function[_T, _R],
        chunk: list[_T],
    ) -> Future[list[_R]]:
        for start in range(1, _MAX_STARTS + 1):
            try:
                if self._executor is None:
                    self._executor = _start(self.processes)
                return self._executor.submit(function, chunk)
            except _NOT_STARTED as error:  # a chunk that waits has ended them, or they are killed
                self.close()
                if start == _MAX_STARTS:
                    raise NoProcesses(
                        f"worker processes cannot be started ({error}); try --processes 1"
                    ) from error
                sleep(_PAUSE)
        raise AssertionError("unreachable")


#: What is raised if a process, or the fork server, cannot be started or is killed meanwhile.
_NOT_STARTED = (BrokenProcessPool, OSError, EOFError)


class NoProcesses(ForestError):
    """Worker processes cannot be started."""


def chunks_of(
    items: Iterable[_T],
    count: int,
    size_of: Callable[[_T], int],
    max_size: int,
) -> Iterator[list[_T]]:
    """The items in lists of at most ``count``, whose sizes sum up to little more than ``max_size``.

    >>> list(chunks_of("abbbc", 2, ord, 1000))
    [['a', 'b'], ['b', 'b'], ['c']]
    """
    chunk: list[_T] = []
    total = 0
    for item in items:
        chunk.append(item)
        total += size_of(item)
        if len(chunk) == count or total >= max_size:
            yield chunk
            chunk = []
            total = 0
    if chunk:
        yield chunk


def _start(processes: int) -> ProcessPoolExecutor:
    """A pool of new processes, which share no state with this one."""
    has_fork_server = "forkserver" in get_all_start_methods()
    context: Any = get_context("forkserver" if has_fork_server else "spawn")
    if has_fork_server:
        context.set_forkserver_preload(list(_PRELOAD))
        _start_fork_server()
    return ProcessPoolExecutor(processes, mp_context=context, initializer=_begin)


def _start_fork_server() -> None:
    """Start the fork server, which does not heed Ctrl-C: it would end with a traceback while it
    starts.  This process heeds one that comes meanwhile as soon as the server was started."""
    from multiprocessing import forkserver, resource_tracker  # not on Windows

    resource_tracker.ensure_running()  # it changes the mask; the fork server needs it
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _begin() -> None:
    parent = parent_process()
    assert parent is not None
    end_with_pipe(parent.sentinel)
    stop_looking()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in the fork server
    _collect_rarely()


@contextmanager
def rare_collections() -> Iterator[None]:
    """Python looks for cyclic garbage less often in here, where pages are read and nothing else.

    With its defaults that takes a fifth of the time: a page has tens of thousands of objects, and
    those of the modules are looked at again and again.
    """
    threshold = gc.get_threshold()
    _collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        gc.unfreeze()


def _collect_rarely() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GARBAGE)

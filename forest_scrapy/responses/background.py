"""Running slow functions in a thread or in small steps, so that the event loop is not blocked."""

from asyncio import Future, get_running_loop, sleep
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from threading import Thread
from time import monotonic
from typing import ParamSpec, TypeVar

from scrapy.http import Response

from forest_scrapy.core.encoding import has_many_elements

#: Seconds for which steps may hold the event loop.
_TURN = 0.02

_P = ParamSpec("_P")
_T = TypeVar("_T")


def is_large(response: Response) -> bool:
    """Whether reading the page takes so long that it should be done in a thread."""
    return has_many_elements(response.body)


async def run(is_slow: bool, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call the function, in a thread if ``is_slow``."""
    if is_slow:
        return await in_thread(function, *args, **kwargs)
    return function(*args, **kwargs)


async def in_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """As ``asyncio.to_thread``, in a daemon thread: a process that is told to end, by a second
    Ctrl-C, does not wait for it."""
    loop = get_running_loop()
    future: Future[_T] = loop.create_future()

    def finish(result: _T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result = None
        error = None
        try:
            result = function(*args, **kwargs)
        except BaseException as raised:  # raised where it is awaited
            error = raised
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(partial(finish, result, error))

    Thread(target=work, name=f"forest-{function.__name__}", daemon=True).start()
    return await future


async def take_steps(steps: Iterable[None]) -> None:
    """Take all steps; other tasks get a turn every 20 ms."""
    end = monotonic() + _TURN
    for _ in steps:
        if monotonic() > end:
            await sleep(0)
            end = monotonic() + _TURN

"""Running slow functions in a thread or in small steps, so that the event loop is not blocked."""

from asyncio import sleep, to_thread
from collections.abc import Callable, Iterable
from time import monotonic
from typing import ParamSpec, TypeVar

from scrapy.http import Response

from forest_scrapy.core.page.encoding import has_many_elements

#: Seconds for which steps may hold the event loop.
_TURN = 0.02

_P = ParamSpec("_P")
_T = TypeVar("_T")


def is_large(response: Response) -> bool:
    """Whether reading the page takes so long that it should be done in a thread."""
    return has_many_elements(response.body)


async def run(is_slow: bool, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call the function, in a thread if ``is_slow``."""
    return await to_thread(function, *args, **kwargs) if is_slow else function(*args, **kwargs)


async def take_steps(steps: Iterable[None]) -> None:
    """Take all steps; other tasks get a turn every 20 ms."""
    end = monotonic() + _TURN
    for _ in steps:
        if monotonic() > end:
            await sleep(0)
            end = monotonic() + _TURN

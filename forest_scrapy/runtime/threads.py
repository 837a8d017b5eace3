"""Running slow functions in a thread, so that the event loop is not blocked."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from scrapy.http import Response

__all__ = ["LARGE", "is_large", "run", "to_thread"]

#: Bytes.  Reading a smaller page takes less than 50 ms.
LARGE = 300_000

_P = ParamSpec("_P")
_T = TypeVar("_T")


def is_large(response: Response) -> bool:
    """Whether reading the page takes so long that it should be done in a thread."""
    return len(response.body) > LARGE


async def run(is_slow: bool, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call the function, in a thread if ``is_slow``."""
    return await to_thread(function, *args, **kwargs) if is_slow else function(*args, **kwargs)

"""Wrappers written down for other tools: pure functions from a value to a text.

Every format is one module with the same face, ``write(wrapper, origin) -> str``.  What they
hold are the expressions: blocks that the template was not seen with, which ``Wrapper.apply``
has judged by the classifier, other tools keep.
"""

from __future__ import annotations

from collections.abc import Callable

from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.exports.freshrss import write_freshrss
from forest_scrapy.core.exports.ftr import write_ftr
from forest_scrapy.core.exports.module import write_module
from forest_scrapy.core.exports.origin import Origin
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["FORMATS", "NothingToExport", "Origin", "export_wrapper"]


class NothingToExport(ForestError):
    """A wrapper has no expression, or takes nothing from the page."""


def write_json(wrapper: Wrapper, origin: Origin) -> str:
    """The wrapper itself, as it is stored."""
    return wrapper.dumps()


#: What a wrapper can be written as; the first is the default.
FORMATS: dict[str, Callable[[Wrapper, Origin], str]] = {
    "parsel": write_module,
    "ftr": write_ftr,
    "freshrss": write_freshrss,
    "json": write_json,
}


def export_wrapper(wrapper: Wrapper, origin: Origin, name: str) -> str:
    """The wrapper in the format ``name``, a key of ``FORMATS``.

    Raises ``NothingToExport`` where it says nothing of the page.
    """
    if wrapper.source != "page" or not wrapper.keep:
        raise NothingToExport(
            f"the wrapper of {origin.host} by {wrapper.method} holds no expression for the page"
        )
    return FORMATS[name](wrapper, origin)

"""Logging filters: errors of usage and of the network are logged as one line."""

from __future__ import annotations

import logging
from traceback import walk_tb

from forest_scrapy.core import ForestError

__all__ = ["shorten_errors"]

_NAME = "forest_scrapy"
#: The loggers of the event loops, which log the exception that ends a crawl.
_LOOPS = ("asyncio", "twisted")
#: Log that a robots.txt cannot be fetched, or a page not be rendered; the message says why.
_NETWORK = ("scrapy.downloadermiddlewares.robotstxt", "scrapy-playwright")


def shorten_errors() -> None:
    """Add the filters to the loggers; calling it again changes nothing."""
    for name in _LOOPS:
        logging.getLogger(name).addFilter(shorten_usage_error)
    for name in _NETWORK:
        logging.getLogger(name).addFilter(drop_traceback)


def shorten_usage_error(record: logging.LogRecord) -> bool:
    """If the exception is about a setting, an argument, a store or a file, only its message is
    logged, which names the remedy."""
    error = record.exc_info[1] if record.exc_info else None
    message = str(error) if isinstance(error, ForestError) else _setting_error(error)
    if isinstance(error, OSError) and error.filename:
        message = f"{error.filename}: {error.strerror}"
    if message:
        record.msg, record.args, record.exc_info, record.name = message, (), None, _NAME
    return not (record.name == "twisted" and record.getMessage() == "Unhandled error in Deferred:")


def drop_traceback(record: logging.LogRecord) -> bool:
    """Only the message is logged."""
    record.exc_info = None
    return True


def _setting_error(error: BaseException | None) -> str:
    """What is wrong with a setting of Scrapy that cannot be read; ``""`` for any other error."""
    if not isinstance(error, ValueError | TypeError):
        return ""
    for frame, _ in walk_tb(error.__traceback__):
        name, settings = frame.f_locals.get("name"), frame.f_locals.get("self")
        if frame.f_globals.get("__name__") == "scrapy.settings" and isinstance(name, str):
            return f"{name} = {settings[name]!r} cannot be used: {error}" if settings else ""
    return ""

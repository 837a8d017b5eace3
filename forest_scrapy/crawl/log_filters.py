"""Filters of the log: errors of usage and of the network as one line each, and no control
characters in terminals."""

import logging
from traceback import walk_tb

from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.page.text import printable

#: The logger that errors of usage are logged by.
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
    logging.getLogger("scrapy.extensions.feedexport").addFilter(name_error)


def escape_log() -> None:
    """Let the log handlers write texts of pages, and addresses, without control characters; calling
    it again changes nothing."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(escape_record)


def escape_record(record: logging.LogRecord) -> bool:
    """Escape the control characters of the message, and of the traceback."""
    message = record.getMessage()
    escaped = printable(message)
    if escaped != message:
        record.msg = escaped
        record.args = ()
    if record.exc_info and not record.exc_text:
        record.exc_text = printable(logging.Formatter().formatException(record.exc_info))
    return True


def shorten_usage_error(record: logging.LogRecord) -> bool:
    """If the exception is about a setting, an argument, a store or a file, only its message is
    logged, which names the remedy."""
    error = record.exc_info[1] if record.exc_info else None
    message = str(error) if isinstance(error, ForestError) else _setting_error(error)
    if isinstance(error, OSError) and error.filename:
        message = f"{error.filename}: {error.strerror}"
    if message:
        record.msg = message
        record.args = ()
        record.exc_info = None
        record.name = _NAME
    return not (record.name == "twisted" and record.getMessage() == "Unhandled error in Deferred:")


def drop_traceback(record: logging.LogRecord) -> bool:
    """Only the message is logged."""
    record.exc_info = None
    return True


def name_error(record: logging.LogRecord) -> bool:
    """The message, and the error instead of its traceback."""
    error = record.exc_info[1] if record.exc_info else None
    if error:
        record.msg = f"{record.getMessage()}: {type(error).__name__}: {error}"
        record.args = ()
        record.exc_info = None
    return True


def _setting_error(error: BaseException | None) -> str:
    """What is wrong with a setting of Scrapy that cannot be read; ``""`` for any other error."""
    if not isinstance(error, ValueError | TypeError):
        return ""
    for frame, _ in walk_tb(error.__traceback__):
        name = frame.f_locals.get("name")
        settings = frame.f_locals.get("self")
        if frame.f_globals.get("__name__") == "scrapy.settings" and isinstance(name, str):
            return f"{name} = {settings[name]!r} cannot be used: {error}" if settings else ""
    return ""

"""Errors of usage are logged as one line."""

from __future__ import annotations

import logging
import sys
from typing import Any

import pytest
from scrapy.settings import Settings

from forest_scrapy.crawl.log_filters import shorten_usage_error
from forest_scrapy.settings import BadSetting
from forest_scrapy.spiders.arguments import BadArgument
from forest_scrapy.stores.database import BadStore


def logged(error: Exception, logger: str = "asyncio") -> str:
    try:
        raise error
    except Exception:
        message = "Task exception in %s"
        record = logging.LogRecord(
            logger, logging.ERROR, "", 0, message, ("a task",), sys.exc_info()
        )
    assert shorten_usage_error(record)
    return logging.Formatter("%(name)s: %(message)s").format(record)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (BadSetting("FOREST_PAGES", 1, "an integer from 2"), "FOREST_PAGES = 1 cannot be used: "),
        (BadArgument("name a feed"), "name a feed"),
        (BadStore("a.db: it cannot be opened"), "a.db: it cannot be opened"),
        (PermissionError(13, "Permission denied", "/jobs"), "/jobs: Permission denied"),
    ],
)
def test_usage_errors_are_logged_in_one_line(error: Exception, message: str) -> None:
    for logger in ("asyncio", "twisted"):
        text = logged(error, logger)
        assert text.startswith(f"forest_scrapy: {message}")
        assert "\n" not in text


def test_a_setting_of_scrapy_that_cannot_be_read_is_named() -> None:
    settings: Any = Settings({"CONCURRENT_REQUESTS": "many"})
    with pytest.raises(ValueError, match="invalid literal") as error:
        settings.getint("CONCURRENT_REQUESTS")
    text = logged(error.value)
    assert text.startswith("forest_scrapy: CONCURRENT_REQUESTS = 'many' cannot be used: invalid")
    assert "\n" not in text


@pytest.mark.parametrize("error", [RuntimeError("a bug"), ValueError("a bug"), OSError("reset")])
def test_other_errors_keep_their_traceback(error: Exception) -> None:
    text = logged(error)
    assert text.startswith("asyncio: Task exception in a task")
    assert "Traceback" in text

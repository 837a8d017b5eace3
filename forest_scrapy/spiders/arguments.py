"""Reading spider arguments."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from forest_scrapy.core import ForestError

__all__ = ["BadArgument", "read_flag", "read_lines", "read_steps", "read_url"]


class BadArgument(ForestError, ValueError):
    """A spider argument is missing or invalid; the message names the remedy."""


def read_url(text: str) -> str:
    """An http or https URL; ``https://`` is added to a bare host.  Raises ``BadArgument``.

    >>> read_url("example.org/feed")
    'https://example.org/feed'
    """
    text = text.strip()
    url = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and parts.hostname and not parts.username
    except ValueError:
        is_valid = False
    if not is_valid:
        raise BadArgument(f"{text!r} is not an http or https URL")
    return url


def read_steps(name: str, value: str | int) -> int:
    """A number of link steps, from 0.  Raises ``BadArgument``.

    >>> read_steps("follow", "2")
    2
    """
    try:
        steps = int(value)
    except ValueError:
        steps = -1
    if steps < 0:
        raise BadArgument(f"-a {name}={value}: must be an integer from 0")
    return steps


def read_flag(name: str, value: str) -> bool:
    """Yes or no.  Raises ``BadArgument``.

    >>> read_flag("only_new", "yes")
    True
    """
    flags = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
    if str(value).lower() not in flags:
        raise BadArgument(f"-a {name}={value}: must be yes or no")
    return flags[str(value).lower()]


def read_lines(path: str) -> list[str]:
    """The lines of a file, without empty lines and comments (``#``).  Raises ``BadArgument``."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadArgument(f"{path}: {error.strerror}; name a file with one URL a line") from error
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]

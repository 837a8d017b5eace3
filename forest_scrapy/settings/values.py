"""Readers of the values of settings: each takes the setting's name and value, and raises
``BadSetting``."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from forest_scrapy.core import ForestError

__all__ = [
    "BadSetting",
    "boolean",
    "folder",
    "formats",
    "integer",
    "item_type",
    "kinds",
    "location",
    "one_of",
    "render",
    "seconds",
    "threshold",
]


class BadSetting(ForestError):
    """A setting has an invalid value; the message names both, and the valid values."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(f"{name} = {value!r} cannot be used: it must be {allowed}")
        self.name, self.value, self.allowed = name, value, allowed


def integer(least: int) -> Callable[[str, Any], int]:
    def read(name: str, value: Any) -> int:
        try:
            number = int(value)
        except (TypeError, ValueError):
            raise BadSetting(name, value, f"an integer from {least}") from None
        if number < least or isinstance(value, bool):
            raise BadSetting(name, value, f"an integer from {least}")
        return number

    return read


def one_of(*names: str) -> Callable[[str, Any], str]:
    def read(name: str, value: Any) -> str:
        if value not in names:
            raise BadSetting(name, value, f"one of {', '.join(names)}")
        return str(value)

    return read


def threshold(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= 1:
        raise BadSetting(name, value, "a number from 0 to 1, or None to choose it for each host")
    return number


def seconds(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = 0.0
    if not 0 < number < 1000:
        raise BadSetting(name, value, "a number of seconds above 0")
    return number


def location(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise BadSetting(name, value, "a path, or a sqlite:/// or postgresql+psycopg:// URI")
    return value


def folder(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadSetting(name, value, "the path of a folder")
    return value


def boolean(name: str, value: Any) -> bool:
    booleans = {"1": True, "true": True, "0": False, "false": False}
    if str(value).lower() not in booleans:
        raise BadSetting(name, value, "True or False")
    return booleans[str(value).lower()]


def item_type(name: str, value: Any) -> str:
    kind = one_of("article", "zyte")(name, value)
    if kind == "zyte" and find_spec("zyte_common_items") is None:
        raise BadSetting(
            name, value, "article, unless you pip install zyte-common-items (forest-scrapy[zyte])"
        )
    return kind


def render(name: str, value: Any) -> str:
    mode = one_of("never", "auto", "always")(name, value)
    if mode != "never" and find_spec("scrapy_playwright") is None:
        raise BadSetting(
            name, value, "never, unless you pip install scrapy-playwright (forest-scrapy[render])"
        )
    return mode


def formats(name: str, value: Any) -> tuple[str, ...]:
    given = value.split(",") if isinstance(value, str) else value
    given = tuple(str(one).strip() for one in given) if isinstance(given, list | tuple) else ()
    if "text" not in given or not {"text", "html", "markdown"}.issuperset(given):
        raise BadSetting(name, value, "a list of text and, if wanted, html and markdown")
    if "markdown" in given and find_spec("markdownify") is None:
        raise BadSetting(
            name, value, "without markdown, unless you pip install markdownify"
            " (forest-scrapy[markdown])",
        )  # fmt: skip
    return given


def kinds(name: str, value: Any) -> tuple[str, ...]:
    given = value.split(",") if isinstance(value, str) else value
    given = tuple(str(one).strip() for one in given) if isinstance(given, list | tuple) else ()
    if not given or not {"article", "thread", "product", "listing"}.issuperset(given):
        raise BadSetting(name, value, "a list of some of article, thread, product, listing")
    return given

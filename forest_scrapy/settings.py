"""The settings, all of them, each with its default, its type and what it is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import Any

from scrapy.settings import BaseSettings

from forest_scrapy.core import METHODS, ForestError, Params
from forest_scrapy.core.clustering.tag_paths import DISTANCES

__all__ = ["BadSetting", "ForestSettings", "read_settings"]


class BadSetting(ForestError):
    """A setting has a value that cannot be used; the message names both, and what can."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(f"{name} = {value!r} cannot be used: it must be {allowed}")
        self.name, self.value, self.allowed = name, value, allowed


@dataclass(frozen=True)
class ForestSettings:
    """The settings as one value; ``FOREST_PAGES`` is ``pages``, and so on.

    - ``pages``: a template is ripe, its wrapper learned, when so many pages are there; also
      the most that are learned from.
    - ``method``: ``auto`` (the trained classifier), or a method of the papers by name
      (``forest`` takes its signifiers from the pages, ``forest-feeds`` from the feed entries);
      with one that needs two pages, SIGFEED takes those that stand alone and have a feed entry.
    - ``signifiers``: terms a page is known by.
    - ``distance``: what pages are compared by, ``typed``, or as published ``cp``, ``cps``,
      ``ctss``.
    - ``threshold``: a fixed cut of the clusters (published: cp 0.7, cps 0.6, ctss 0.85);
      None finds it.
    - ``max_bytes``: larger pages are dropped, and counted.
    - ``store``: where wrappers are kept, a path or ``sqlite:///`` URI; a relative path lies
      under Scrapy's data path.
    - ``feed_fields``: whether the feed's own title, date, author and tags are evidence of
      where the pages have them, and stand in for what they have not.
    - ``item``: what comes out: ``article``, or ``zyte`` for ``zyte_common_items.Article``.
    - ``spiders``: whether the add-on adds the spiders ``feeds`` and ``site``.
    """

    pages: int = 10
    method: str = "auto"
    signifiers: int = 10
    distance: str = "typed"
    threshold: float | None = None
    max_bytes: int = 10_000_000
    store: str = "forest/wrappers.db"
    feed_fields: bool = True
    item: str = "article"
    spiders: bool = True

    @property
    def params(self) -> Params:
        """What of it the core wants to know."""
        return Params(method=self.method, pages=self.pages, signifiers=self.signifiers)


def read_settings(settings: BaseSettings) -> ForestSettings:
    """The ``FOREST_*`` settings, checked.  Raises ``BadSetting`` for the first that is wrong,
    also for a name that is none of them: a misspelt setting would be ignored without a word.
    """
    known = {f"FOREST_{field.name.upper()}": field.name for field in fields(ForestSettings)}
    for name in sorted(map(str, settings.keys())):
        if name.startswith("FOREST_") and name not in {*known, *_INTERNAL}:
            raise BadSetting(name, settings[name], f"one of {', '.join(known)}")
    given = {
        field: _READERS[field](name, settings[name])
        for name, field in known.items()
        if settings.get(name) is not None
    }
    return ForestSettings(**given)


#: Set by the add-on, not by people.
_INTERNAL = frozenset(("FOREST_ITEM_PROCESSOR",))


def _whole(least: int) -> Callable[[str, Any], int]:
    def read(name: str, value: Any) -> int:
        try:
            number = int(value)
        except (TypeError, ValueError):
            raise BadSetting(name, value, f"a whole number from {least}") from None
        if number < least or isinstance(value, bool):
            raise BadSetting(name, value, f"a whole number from {least}")
        return number

    return read


def _one_of(*names: str) -> Callable[[str, Any], str]:
    def read(name: str, value: Any) -> str:
        if value not in names:
            raise BadSetting(name, value, f"one of {', '.join(names)}")
        return str(value)

    return read


def _share(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= 1:
        raise BadSetting(name, value, "a number from 0 to 1, or None to find the cut")
    return number


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise BadSetting(name, value, "a path or a sqlite:/// URI")
    return value


def _switch(name: str, value: Any) -> bool:
    switches = {"1": True, "true": True, "0": False, "false": False}
    if str(value).lower() not in switches:
        raise BadSetting(name, value, "True or False")
    return switches[str(value).lower()]


def _item_kind(name: str, value: Any) -> str:
    kind = _one_of("article", "zyte")(name, value)
    if kind == "zyte" and find_spec("zyte_common_items") is None:
        raise BadSetting(name, value, "article, or the package zyte-common-items installed")
    return kind


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "pages": _whole(2),
    "method": _one_of("auto", *METHODS),
    "signifiers": _whole(1),
    "distance": _one_of(*DISTANCES),
    "threshold": _share,
    "max_bytes": _whole(1),
    "store": _text,
    "feed_fields": _switch,
    "item": _item_kind,
    "spiders": _switch,
}

"""The ``FOREST_*`` settings: their defaults, types and meaning."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any

from scrapy.settings import BaseSettings

from forest_scrapy.core import METHODS, ForestError, Params
from forest_scrapy.core.clustering.tag_paths import DISTANCES

__all__ = ["BadSetting", "ForestSettings", "read_settings"]


class BadSetting(ForestError):
    """A setting has an invalid value; the message names both, and the valid values."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(f"{name} = {value!r} cannot be used: it must be {allowed}")
        self.name, self.value, self.allowed = name, value, allowed


class UnknownSetting(BadSetting):
    """There is no setting of this name; the message suggests the most similar one."""

    def __init__(self, name: str, value: object, known: Collection[str]) -> None:
        super().__init__(name, value, f"one of {', '.join(known)}")
        names = {one.removeprefix("FOREST_"): one for one in known}
        near = get_close_matches(name.removeprefix("FOREST_"), names, 1)
        hint = f"; did you mean {names[near[0]]}?" if near else "."
        self.args = (f"{name} is not a setting{hint} The settings are {', '.join(known)}",)


@dataclass(frozen=True)
class ForestSettings:
    """The settings as one value: ``FOREST_PAGES`` is ``pages``, and so on.

    - ``pages``: number of pages of a template at which its wrapper is learned; also the maximum
      number of pages that it is learned from.
    - ``method``: ``auto`` (the trained classifier), or the name of a published method
      (``forest`` takes its signifiers from the pages, ``forest-feeds`` from the feed entries).
      If a published method needs two pages, SIGFEED extracts single pages that have a feed
      entry.
    - ``signifiers``: number of terms that describe a page.
    - ``distance``: the distance between pages: ``typed``, or the published ``cp``, ``cps``,
      ``ctss``.
    - ``threshold``: the distance at which clusters are cut (published: cp 0.7, cps 0.6, ctss
      0.85); None chooses it for each host.
    - ``max_bytes``: larger pages are dropped.
    - ``page_seconds``: seconds of processor time for a page, or a feed, that is large or unusual;
      one that takes longer is dropped.
    - ``allow_private``: whether the spiders ``feeds`` and ``site`` request private addresses even
      if they start at a public one.
    - ``store``: the file of the wrappers, a path or ``sqlite:///`` URI; a relative path is
      under Scrapy's data path.
    - ``history``: the file of the history, in the same forms.
    - ``store_seconds``: how long pages wait for a shared store that is away; then the crawl goes
      on without it.
    - ``only_new``: whether only articles that are new, or whose text has changed, are wanted.
    - ``poll_least``, ``poll_greatest``: the least and the greatest number of seconds between two
      polls of a feed.
    - ``feed_fields``: whether title, date, author and tags of the feed entries are used: as
      evidence of where the pages have them, and for pages that lack them.
    - ``entry_fallback``: whether a page that cannot be fetched becomes an article of what its
      feed entry says.
    - ``item``: the type of the items: ``article``, or ``zyte`` for ``zyte_common_items.Article``.
    - ``formats``: the forms of an article's content that are written: ``text``, ``html``,
      ``markdown``.
    - ``kinds``: the kinds of pages that become items: ``article``, ``thread``.
    - ``thread_pages``: the largest number of pages of a thread that become one item.
    - ``captions``: whether the captions of images are left out of an article's text (``separate``)
      or are part of it (``inline``).
    - ``spiders``: whether the add-on adds the spiders ``feeds``, ``site`` and ``records``.
    - ``progress``: whether a crawl shows its progress if standard error is a terminal.
    - ``report``: the folder that a crawl writes its report to; ``""``: no report.
    """

    pages: int = 10
    method: str = "auto"
    signifiers: int = 10
    distance: str = "typed"
    threshold: float | None = None
    max_bytes: int = 10_000_000
    page_seconds: float = 1.0
    allow_private: bool = False
    store: str = "forest/wrappers.db"
    history: str = "forest/history.db"
    store_seconds: float = 60.0
    only_new: bool = False
    poll_least: int = 900
    poll_greatest: int = 86400
    feed_fields: bool = True
    entry_fallback: bool = True
    item: str = "article"
    formats: tuple[str, ...] = ("text", "html")
    kinds: tuple[str, ...] = ("article",)
    thread_pages: int = 100
    captions: str = "separate"
    spiders: bool = True
    progress: bool = True
    report: str = ""

    @property
    def params(self) -> Params:
        """The parameters of learning."""
        return Params(method=self.method, pages=self.pages, signifiers=self.signifiers)


def read_settings(settings: BaseSettings) -> ForestSettings:
    """The validated ``FOREST_*`` settings.  Raises ``BadSetting`` for the first that is invalid,
    and for an unknown name: a misspelt setting would be ignored silently.
    """
    known = {f"FOREST_{field.name.upper()}": field.name for field in fields(ForestSettings)}
    for name in sorted(map(str, settings.keys())):
        if name.startswith("FOREST_") and name not in {*known, *_INTERNAL}:
            raise UnknownSetting(name, settings[name], known)
    given = {
        field: _READERS[field](name, settings[name])
        for name, field in known.items()
        if settings.get(name) is not None
    }
    return ForestSettings(**given)


#: Set by the add-on, not by users.
_INTERNAL = frozenset(("FOREST_ITEM_PROCESSOR",))


def _integer(least: int) -> Callable[[str, Any], int]:
    def read(name: str, value: Any) -> int:
        try:
            number = int(value)
        except (TypeError, ValueError):
            raise BadSetting(name, value, f"an integer from {least}") from None
        if number < least or isinstance(value, bool):
            raise BadSetting(name, value, f"an integer from {least}")
        return number

    return read


def _one_of(*names: str) -> Callable[[str, Any], str]:
    def read(name: str, value: Any) -> str:
        if value not in names:
            raise BadSetting(name, value, f"one of {', '.join(names)}")
        return str(value)

    return read


def _threshold(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= 1:
        raise BadSetting(name, value, "a number from 0 to 1, or None to choose it for each host")
    return number


def _seconds(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = 0.0
    if not 0 < number < 1000:
        raise BadSetting(name, value, "a number of seconds above 0")
    return number


def _location(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise BadSetting(name, value, "a path, or a sqlite:/// or postgresql+psycopg:// URI")
    return value


def _folder(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadSetting(name, value, "the path of a folder")
    return value


def _boolean(name: str, value: Any) -> bool:
    booleans = {"1": True, "true": True, "0": False, "false": False}
    if str(value).lower() not in booleans:
        raise BadSetting(name, value, "True or False")
    return booleans[str(value).lower()]


def _item_type(name: str, value: Any) -> str:
    kind = _one_of("article", "zyte")(name, value)
    if kind == "zyte" and find_spec("zyte_common_items") is None:
        raise BadSetting(
            name, value, "article, unless you pip install zyte-common-items (forest-scrapy[zyte])"
        )
    return kind


def _formats(name: str, value: Any) -> tuple[str, ...]:
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


def _kinds(name: str, value: Any) -> tuple[str, ...]:
    given = value.split(",") if isinstance(value, str) else value
    given = tuple(str(one).strip() for one in given) if isinstance(given, list | tuple) else ()
    if not given or not {"article", "thread"}.issuperset(given):
        raise BadSetting(name, value, "a list of article, thread, or both")
    return given


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "pages": _integer(2),
    "method": _one_of("auto", *METHODS),
    "signifiers": _integer(1),
    "distance": _one_of(*DISTANCES),
    "threshold": _threshold,
    "max_bytes": _integer(1),
    "page_seconds": _seconds,
    "allow_private": _boolean,
    "store": _location,
    "history": _location,
    "store_seconds": _seconds,
    "only_new": _boolean,
    "poll_least": _integer(1),
    "poll_greatest": _integer(1),
    "feed_fields": _boolean,
    "entry_fallback": _boolean,
    "item": _item_type,
    "formats": _formats,
    "kinds": _kinds,
    "thread_pages": _integer(1),
    "captions": _one_of("separate", "inline"),
    "spiders": _boolean,
    "progress": _boolean,
    "report": _folder,
}

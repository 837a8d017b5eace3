"""The ``FOREST_*`` settings: their defaults, types and meaning."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from scrapy.settings import BaseSettings

from forest_scrapy.core import METHODS, Params
from forest_scrapy.core.templates.fingerprints import DISTANCES
from forest_scrapy.settings import values
from forest_scrapy.settings.values import BadSetting

__all__ = ["BadSetting", "ForestSettings", "read_settings"]


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
      (``forest`` takes its signifiers from the pages, ``forest-feeds`` from the feed entries,
      ``forest-records`` from the query of a search).
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
    - ``kinds``: the kinds of pages that become items: ``article``, ``thread``, ``product``,
      ``listing``.
    - ``thread_pages``: the largest number of pages of a thread that become one item.
    - ``comments``: whether articles have the comments on their pages.
    - ``captions``: whether the captions of images are left out of an article's text (``separate``)
      or are part of it (``inline``).
    - ``render``: which pages are rendered in a browser: ``never``, ``auto`` (those without text in
      their HTML), ``always``.
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
    comments: bool = False
    captions: str = "separate"
    render: str = "never"
    spiders: bool = True
    progress: bool = True
    report: str = ""

    @property
    def wants_records(self) -> bool:
        """Whether pages become items of other kinds than articles."""
        return any(kind != "article" for kind in self.kinds)

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

_READERS: dict[str, Callable[[str, Any], Any]] = {
    "pages": values.integer(2),
    "method": values.one_of("auto", *METHODS),
    "signifiers": values.integer(1),
    "distance": values.one_of(*DISTANCES),
    "threshold": values.threshold,
    "max_bytes": values.integer(1),
    "page_seconds": values.seconds,
    "allow_private": values.boolean,
    "store": values.location,
    "history": values.location,
    "store_seconds": values.seconds,
    "only_new": values.boolean,
    "poll_least": values.integer(1),
    "poll_greatest": values.integer(1),
    "feed_fields": values.boolean,
    "entry_fallback": values.boolean,
    "item": values.item_type,
    "formats": values.formats,
    "kinds": values.kinds,
    "thread_pages": values.integer(1),
    "comments": values.boolean,
    "captions": values.one_of("separate", "inline"),
    "render": values.render,
    "spiders": values.boolean,
    "progress": values.boolean,
    "report": values.folder,
}

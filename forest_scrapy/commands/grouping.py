"""The pages named on the command line by template: learned just now, or stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from forest_scrapy.core import NotEnoughPages, Page, Wrapper, learn
from forest_scrapy.runtime.context import open_wrappers
from forest_scrapy.runtime.templates.recognition import find_stored, group_pages
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import StoredWrapper

__all__ = ["PageGroup", "host_of_page", "learn_groups", "match_stored"]


@dataclass(frozen=True)
class PageGroup:
    """Pages of one template of a host.

    ``template_id``: ``""`` if the wrapper is not stored; ``is_edited``: whether a person has
    edited the stored wrapper; ``others``: those that other methods have learned, by their names.
    """

    host: str
    template_id: str
    wrapper: Wrapper
    pages: tuple[Page, ...]
    is_edited: bool = False
    others: Mapping[str, Wrapper] = field(default_factory=dict)


def host_of_page(page: Page) -> str:
    """The host that the page's templates are stored under."""
    return (urlsplit(page.url).hostname or "").lower()


def match_stored(
    pages: Sequence[Page], config: ForestSettings
) -> tuple[list[PageGroup], list[str]]:
    """The stored templates that some of the pages match, and a note for each other page.

    Raises ``BadStore``.
    """
    found: dict[tuple[str, str], tuple[StoredWrapper, list[Page]]] = {}
    notes = []
    with closing(open_wrappers(config, must_exist=True)) as store:
        for host, own in _by_host(pages):
            for page, one in zip(own, find_stored(own, store.load(host), config), strict=True):
                if one:
                    found.setdefault((host, one.template_id), (one, []))[1].append(page)
                else:
                    notes.append(f"{page.url}: matches no stored template of {host or 'its host'}")
    groups = [
        PageGroup(host, template_id, stored.wrapper, tuple(own), stored.is_edited)
        for (host, template_id), (stored, own) in found.items()
    ]
    return groups, notes


def learn_groups(
    pages: Sequence[Page], config: ForestSettings, others: Sequence[str] = ()
) -> tuple[list[PageGroup], list[str]]:
    """A wrapper for each template of each host, also by the methods ``others``, and notes on pages
    too few to learn from."""
    groups, notes = [], []
    for host, own in _by_host(pages):
        for group in group_pages(own, config)[0]:
            try:
                wrapper, *more = (
                    learn(group, replace(config.params, method=method))
                    for method in (config.method, *others)
                )
            except NotEnoughPages as error:
                notes += [f"{page.url}: {error}" for page in group]
            else:
                groups.append(
                    PageGroup(
                        host, "", wrapper, tuple(group), others=dict(zip(others, more, strict=True))
                    )
                )
    return groups, notes


def _by_host(pages: Sequence[Page]) -> list[tuple[str, list[Page]]]:
    hosts = sorted({host_of_page(page) for page in pages})
    return [(host, [page for page in pages if host_of_page(page) == host]) for host in hosts]

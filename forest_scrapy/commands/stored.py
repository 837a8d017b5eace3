"""``scrapy forest show`` and ``export``: what is stored."""

from __future__ import annotations

from contextlib import closing
from difflib import get_close_matches
from urllib.parse import urlsplit

from forest_scrapy.core import ForestError
from forest_scrapy.runtime.context import open_wrappers
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import StoredWrapper
from forest_scrapy.stores.database import BadStore

__all__ = [
    "UnknownHost",
    "UnknownTemplate",
    "find_hosts",
    "find_wrappers",
    "pick_wrapper",
    "read_host",
]

#: Hosts that a message names.
_MOST_NAMED = 5


class UnknownHost(ForestError):
    """Nothing is stored for a host; the message names hosts like it."""

    def __init__(self, host: str, known: list[str]) -> None:
        alike = [name for name in known if host in name or name in host]
        near = list(dict.fromkeys((*alike, *get_close_matches(host, known, _MOST_NAMED, 0.5))))
        if not known:
            there = "the store is empty; a crawl fills it"
        elif near:
            there = f"there is {', '.join(near[:_MOST_NAMED])}"
        else:
            more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
            there = f"there is {', '.join(known[:_MOST_NAMED])}{more}"
        super().__init__(f"no wrapper is stored for {host}; {there}")
        self.host, self.known = host, tuple(known)


class UnknownTemplate(ForestError):
    """A host has no template of this id; the message names those it has."""

    def __init__(self, host: str, template: str, known: list[str]) -> None:
        super().__init__(f"{host} has no template {template!r}; there is {', '.join(known)}")
        self.host, self.template, self.known = host, template, tuple(known)


def read_host(text: str) -> str:
    """The host that an address or a bare name stands for; ``""`` where it is none.

    >>> read_host("https://A.example/1"), read_host("a.example:80"), read_host("::")
    ('a.example', 'a.example', '')
    """
    try:
        return (urlsplit(text if "//" in text else f"//{text}").hostname or "").lower()
    except ValueError:
        return ""


def find_hosts(config: ForestSettings) -> dict[str, int]:
    """The hosts in the store, with the number of their templates.  Raises ``BadStore``."""
    with closing(open_wrappers(config, must_exist=True)) as store:
        return store.hosts()


def find_wrappers(host: str, config: ForestSettings) -> list[StoredWrapper]:
    """What is stored for a host, the template with most learning pages first, then by id.

    Raises ``BadStore`` and ``UnknownHost``.
    """
    with closing(open_wrappers(config, must_exist=True)) as store:
        found, hosts = store.load(host), store.hosts()
    if not found and host in hosts:
        raise BadStore(f"the wrappers stored for {host} cannot be read; a crawl learns them again")
    if not found:
        raise UnknownHost(host, list(hosts))
    return sorted(found, key=lambda one: (-one.wrapper.evidence.pages, one.template_id))


def pick_wrapper(host: str, found: list[StoredWrapper], template: str) -> StoredWrapper:
    """The template asked for, or the first.  Raises ``UnknownTemplate``."""
    if not template:
        return found[0]
    for one in found:
        if one.template_id == template:
            return one
    raise UnknownTemplate(host, template, [one.template_id for one in found])

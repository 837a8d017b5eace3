"""Stored wrappers, found by host and template."""

from __future__ import annotations

from contextlib import closing
from difflib import get_close_matches
from urllib.parse import urlsplit

from forest_scrapy.core import ForestError, Template
from forest_scrapy.crawl.context import open_rules
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import RulesVersion
from forest_scrapy.stores.database import BadStore

__all__ = [
    "EditedWrapper",
    "UnknownHost",
    "UnknownTemplate",
    "find_hosts",
    "find_versions",
    "find_wrappers",
    "forget_wrappers",
    "pick_wrapper",
    "read_host",
]

#: A message names at most this many hosts.
_MOST_NAMED = 5


class UnknownHost(ForestError):
    """No wrapper is stored for a host; the message names similar hosts, or the first ones."""

    def __init__(self, host: str, known: list[str]) -> None:
        super().__init__(f"no wrapper is stored for {host}; {_suggest_hosts(host, known)}")
        self.host, self.known = host, tuple(known)


class UnknownTemplate(ForestError):
    """A host has no template with this id; the message lists the ids of the host."""

    def __init__(self, host: str, template_id: str, known: list[str]) -> None:
        super().__init__(f"{host} has no template {template_id!r}; it has {', '.join(known)}")
        self.host, self.template_id, self.known = host, template_id, tuple(known)


class EditedWrapper(ForestError):
    """A wrapper is not deleted, because a person has edited it."""

    def __init__(self, host: str, template_id: str) -> None:
        super().__init__(f"template {template_id} of {host} was edited by hand; use --force")
        self.host, self.template_id = host, template_id


def read_host(text: str) -> str:
    """Return the host of a URL or of a bare name, ``""`` if there is none.

    >>> read_host("https://A.example/1"), read_host("a.example:80"), read_host("::")
    ('a.example', 'a.example', '')
    """
    try:
        return (urlsplit(text if "//" in text else f"//{text}").hostname or "").lower()
    except ValueError:
        return ""


def find_hosts(config: ForestSettings) -> dict[str, int]:
    """Return the hosts in the store with their number of templates.  Raises ``BadStore``."""
    with closing(open_rules(config, must_exist=True)) as store:
        return store.hosts()


def find_wrappers(host: str, config: ForestSettings) -> list[Template]:
    """Return the stored wrappers of a host: those learned from most pages first, then by id.

    Raises ``BadStore`` and ``UnknownHost``.
    """
    with closing(open_rules(config, must_exist=True)) as store:
        found, hosts = store.load(host), store.hosts()
    if not found and host in hosts:
        raise BadStore(f"the wrappers stored for {host} cannot be read; a crawl learns them again")
    if not found:
        raise UnknownHost(host, list(hosts))
    return sorted(found, key=lambda one: (-one.wrapper.evidence.pages, one.id))


def pick_wrapper(host: str, found: list[Template], template_id: str) -> Template:
    """Return the wrapper of one template, the first one for ``""``.

    Raises ``UnknownTemplate``.
    """
    if not template_id:
        return found[0]
    for one in found:
        if one.id == template_id:
            return one
    raise UnknownTemplate(host, template_id, [one.id for one in found])


def find_versions(
    host: str, found: list[Template], config: ForestSettings
) -> dict[str, list[RulesVersion]]:
    """Return the versions of each template's wrapper, the oldest first, by template id."""
    with closing(open_rules(config, must_exist=True)) as store:
        return {one.id: store.versions(host, one.id) for one in found}


def forget_wrappers(host: str, template_id: str, force: bool, config: ForestSettings) -> str:
    """Delete the stored wrapper of a template, or all of the host for ``""``; what was done.

    Raises ``EditedWrapper`` if a person has edited one, unless ``force``; ``BadStore``,
    ``UnknownHost`` and ``UnknownTemplate``.
    """
    found = find_wrappers(host, config)
    found = [pick_wrapper(host, found, template_id)] if template_id else found
    for one in found:
        if one.is_edited and not force:
            raise EditedWrapper(host, one.id)
    with closing(open_rules(config, must_exist=True)) as store:
        for one in found:
            store.delete(host, one.id)
    return f"deleted {len(found)} wrapper{'s' * (len(found) != 1)} of {host}\n"


def _suggest_hosts(host: str, known: list[str]) -> str:
    if not known:
        return "the store is empty; a crawl fills it"
    alike = [name for name in known if host in name or name in host]
    near = list(dict.fromkeys((*alike, *get_close_matches(host, known, _MOST_NAMED, 0.5))))
    if near:
        return f"similar hosts: {', '.join(near[:_MOST_NAMED])}"
    rest = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return f"stored hosts: {', '.join(known[:_MOST_NAMED])}{rest}"

"""The values of this package: what is learned of a template's fields, and what a page has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from forest_scrapy.core.errors import BadWrapper

__all__ = ["Field", "FieldSources", "Image", "Link", "Metadata", "is_xpath"]


@dataclass(frozen=True)
class FieldSources:
    """Where the pages of a template have their fields: sources in the order they are tried.

    A source is what the page declares, as ``json-ld:headline`` or ``meta:og:title``, or the
    XPath of the element that shows it.  ``affixes``: what is no part of the title, though it
    stands before or after it on every page: the site's name with its separator.
    """

    title: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    affixes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(getattr(self, part.name) for part in fields(self))

    def to_dict(self) -> dict[str, list[str]]:
        """The parts that hold something."""
        return {
            part.name: list(getattr(self, part.name))
            for part in fields(self)
            if getattr(self, part.name)
        }

    @classmethod
    def from_dict(cls, data: object) -> FieldSources:
        """Raises ``BadWrapper`` for a part that there is not, or that is no list of texts; that
        XPaths can be read is for the caller to check.

        >>> FieldSources.from_dict({"title": ["//h1"]})
        FieldSources(title=('//h1',), published=(), modified=(), authors=(), tags=(), affixes=())
        """
        if not isinstance(data, Mapping):
            raise BadWrapper(f"fields is {data!r}, not an object")
        names = {part.name for part in fields(cls)}
        for name, sources in data.items():
            if name not in names:
                raise BadWrapper(f"fields: {name!r} is none of {', '.join(sorted(names))}")
            if not isinstance(sources, (list, tuple)):
                raise BadWrapper(f"fields: {name} is {sources!r}, not a list")
            if not all(isinstance(source, str) for source in sources):
                raise BadWrapper(f"fields: {name} holds more than texts: {sources!r}")
        return cls(**{name: tuple(sources) for name, sources in data.items()})

    def xpaths(self) -> tuple[str, ...]:
        """The expressions among the sources."""
        sources = (*self.title, *self.published, *self.modified, *self.authors, *self.tags)
        return tuple(source for source in sources if is_xpath(source))


def is_xpath(source: str) -> bool:
    """Whether a source is an element of the page, and not something that it declares.

    >>> is_xpath("//h1"), is_xpath("json-ld:headline")
    (True, False)
    """
    return source.startswith(("/", "("))


@dataclass(frozen=True)
class Field:
    """A value, as the page has it, and the kind of source it is from: ``feed``, ``json-ld``,
    ``microdata``, ``opengraph``, ``meta``, ``html`` (an element whose meaning HTML says),
    ``template`` (learned from the pages together), ``text`` (found on this page alone), ``url``.
    """

    value: str = ""
    source: str = ""


@dataclass(frozen=True)
class Image:
    """A picture of the article; ``caption`` is that of the figure it stands in."""

    url: str
    alt: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Link:
    """A link in the article's text."""

    url: str
    text: str = ""


@dataclass(frozen=True)
class Metadata:
    """All that is known of an article beside its text.

    Dates are ISO 8601, with an offset where the page has one; ``*_raw`` as the page has them.
    ``breadcrumbs``: the names of the sections that lead to the page, outer ones first.
    ``sources``: the kind of source of each field that was found, as ``Field`` tells them.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    published_raw: str = ""
    modified: str = ""
    modified_raw: str = ""
    language: str = ""
    summary: str = ""
    main_image: str = ""
    images: tuple[Image, ...] = ()
    videos: tuple[str, ...] = ()
    audios: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    breadcrumbs: tuple[str, ...] = ()
    site_name: str = ""
    canonical_url: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)

"""The values of ``core.fields``: where the pages of a template have their fields
(``FieldSources``), and the fields of one page (``Metadata``)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from forest_scrapy.core.page.content import Image, Link, MediaFile

#: The parts of ``FieldSources`` that are no sources of a field.
_NOT_SOURCES = ("affixes", "site_dates", "date_order")


@dataclass(frozen=True)
class FieldSources:
    """Where the pages of a template have their fields: for each, sources in the order they are
    tried.

    A source is something that the page declares, such as ``json-ld:headline`` or
    ``meta:og:title``, or the XPath of a visible element; the language is expected in the text
    (``text:en``).  ``affixes``: text before or after the
    title of every page that is not part of it, such as the site's name with its separator.
    ``site_dates``: sources of a date that is the same on all pages, such as the one that a theme
    declares, and so is that of no page.  ``date_order``: the order of day and month in dates of
    numbers, ``DMY`` or ``MDY``; ``""`` if the pages do not tell.
    """

    title: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    breadcrumbs: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    affixes: tuple[str, ...] = ()
    site_dates: tuple[str, ...] = ()
    date_order: str = ""

    def __bool__(self) -> bool:
        return any(getattr(self, part.name) for part in fields(self))

    def xpaths(self) -> dict[str, list[str]]:
        """The XPaths of each field, also of elements given by their name (``html:h1``)."""
        xpaths: dict[str, list[str]] = {}
        for part in fields(self):
            name = part.name
            if name in _NOT_SOURCES:
                continue
            field_xpaths = []
            sources: tuple[str, ...] = getattr(self, name)
            for source in sources:
                if source.startswith("html:"):
                    tag = source.removeprefix("html:")
                    field_xpaths.append(f"//{tag}")
                elif is_xpath(source):
                    field_xpaths.append(source)
            xpaths[name] = field_xpaths
        return xpaths


def is_xpath(source: str) -> bool:
    """Whether a source is the XPath of an element, and not something that the page declares.

    >>> is_xpath("//h1"), is_xpath("json-ld:headline")
    (True, False)
    """
    return source.startswith(("/", "("))


@dataclass(frozen=True)
class Field:
    """A value, as the page has it, and the kind of its source.

    Kinds are ``feed``, ``json-ld``, ``microdata``, ``opengraph``, ``meta``, ``html`` (an element
    whose meaning HTML defines), ``template`` (an element learned from the template's pages),
    ``text`` (an element found on this single page), ``url``, ``sitemap`` and ``http``.
    """

    value: str = ""
    source: str = ""


@dataclass(frozen=True)
class Metadata:
    """The fields of an article, except for its text.

    Dates are ISO 8601, with an offset if the page gives one; ``*_raw``: as the page has them, also
    if they lie in the future, and the date is ``""`` for that.
    ``breadcrumbs``: the names of the sections above the page, outermost first.  ``sources``:
    for each field that was found, the kind of its source (see ``Field``).  ``date_confidence``: for
    ``published`` and ``modified``, the probability that the date is right to a day.
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
    videos: tuple[MediaFile, ...] = ()
    audios: tuple[MediaFile, ...] = ()
    links: tuple[Link, ...] = ()
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    breadcrumbs: tuple[str, ...] = ()
    site_name: str = ""
    canonical_url: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    date_confidence: Mapping[str, float] = field(default_factory=dict)

"""Readers of the sources that are no elements: what the page declares, its URL, its feed entry.

A source is the kind of its reader, a colon, and the name to read: ``json-ld:headline``.
"""

import re
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import NamedTuple

from forest_scrapy.core.fields.bylines import LABELS
from forest_scrapy.core.fields.dates import find_url_date
from forest_scrapy.core.fields.metadata import is_xpath
from forest_scrapy.core.page.declared import as_list, names_of, type_names
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.urls import host_of

#: Ends of the names of readers that read another part of the same kind of source.
_PART_OF = re.compile(r"-(?:page|graph|label|name)$")
#: Labels of a card for sharing with the value after each: ``twitter:label1``, ``twitter:data1``.
_CARD_LABELS = 4
#: Names of ``meta`` elements with the date of publication, of which there are many.
_PUBLISHED_NAME = re.compile(
    r"(?<!un)publish(?!er)|publication|pub[-_.]?(?:date|time|day)|date[-_.]?pub|creat(?:ed|e[-_.]at)"
    r"|reg[-_.]?(?:date|dt|time)|(?:post|issue|release|story|article)[-_.:]?(?:date|time)(?!.*modif)"
    r"|date[-_.:]?(?:issued|created|original|posted)"
)

#: A date of publication in the data of a script, in ISO 8601 or seconds since 1970.
_SCRIPT_DATE = re.compile(
    r"(?:date_?published|published_?(?:at|on|date|time)?|publish_?(?:date|time|at|ed)|pub_?date"
    r"|publication_?date|first_?published(?:_?at|_?date)?|date_?created|created_?(?:at|on|date)"
    r"|(?:post|article|release|display)_?date)[\"']?\s{0,3}[:=]\s{0,3}[\"']"
    r"((?:19|20)\d\d-\d\d-\d\d[^\"']{0,20}|\d{10}(?:\d{3})?)[\"']",
    re.IGNORECASE,
)
#: Characters of scripts that are searched, different dates in them, and characters of a day.
_MAX_SCRIPTS_LENGTH = 1_000_000
_MAX_SCRIPT_DATES = 20
_DAY_LENGTH = 10

#: Reads the texts of a name from a page.
Reader = Callable[[Page, str], Iterable[str]]
#: The names that a page has for a kind of source; None if any name may have a text.
Names = Callable[[Page], Collection[str] | None]


def kind_of(source: str, is_learned: bool = True) -> str:
    """The kind of a source, as in ``Field``.

    >>> kind_of("json-ld:headline"), kind_of("//h1"), kind_of("//h1", is_learned=False)
    ('json-ld', 'template', 'text')
    """
    if is_xpath(source):
        return "template" if is_learned else "text"
    kind, _, _ = source.partition(":")
    return _PART_OF.sub("", kind)


def read_source(page: Page, source: str) -> tuple[str, ...]:
    """The texts of a source that is no element; empty if the page has none, or the kind of the
    source is unknown."""
    kind, name = _split_source(source)
    source_kind = _KINDS.get(kind)
    if source_kind is None:
        return ()
    return tuple(source_kind.read(page, name))


def has_source(page: Page, source: str) -> bool:
    """Whether the page may have a text of a source, as far as the names that the page has tell; of
    elements, whether it may have one.  False is certain."""
    kind, name = _split_source(source)
    if kind in _OF_ELEMENTS:
        return page.markup.may_find(name)
    source_kind = _KINDS.get(kind)
    if source_kind is None:
        return True
    names = source_kind.names(page)
    return names is None or name in names


def _read_article(page: Page, name: str) -> list[str]:
    declared = page.declared
    values = declared.article.get(name)
    return names_of(values, declared.nodes)


def _read_page(page: Page, name: str) -> list[str]:
    declared = page.declared
    values = declared.page.get(name)
    return names_of(values, declared.nodes)


def _read_item(page: Page, name: str) -> list[str]:
    declared = page.declared
    values = declared.item.get(name)
    return names_of(values, declared.nodes)


def _read_meta(page: Page, name: str) -> Iterable[str]:
    meta = page.declared.meta
    return meta.get(name, ())


def _read_url(page: Page, name: str) -> list[str]:
    """The date in the page's URL, else in the one that it declares as its own (of 128 dates in
    these, 126 were right); for ``image`` in that of its main image, which mostly has the date of
    the upload."""
    is_of_image = name == "image"
    urls = [page.declared.first_meta("og:image")] if is_of_image else _urls_of(page)
    for url in urls:
        date = find_url_date(url)
        if date:
            return [date]
    return []


def _urls_of(page: Page) -> list[str]:
    urls = []
    if host_of(page.url):  # the folders of a file say nothing
        urls.append(page.url)
    for link in page.declared.head["link"]:
        relation = link.get("rel") or ""
        if relation.lower() == "canonical":
            urls.append(link.get("href") or "")
    urls.append(page.declared.first_meta("og:url"))
    return urls


def _read_script(page: Page, name: str) -> list[str]:
    """The only date of publication in the data of scripts that are no JSON-LD; of several ones
    some are those of other pages."""
    dates: set[str] = set()
    length = 0
    for script in page.declared.head["script"]:
        text = script.text or ""
        script_type = script.get("type") or ""
        length += len(text)
        if "ld+json" in script_type or length > _MAX_SCRIPTS_LENGTH:
            continue
        dates.update(_SCRIPT_DATE.findall(text))
        if len(dates) > _MAX_SCRIPT_DATES:
            return []
    days = {date[:_DAY_LENGTH] for date in dates}
    if len(days) != 1:
        return []
    return [min(dates, key=_longest_first)]


def _longest_first(text: str) -> tuple[int, str]:
    return -len(text), text


def _read_label(page: Page, name: str) -> list[str]:
    """The values of a card for sharing whose label means ``author``, in many languages."""
    meta = page.declared.meta
    values: list[str] = []
    for number in range(1, _CARD_LABELS + 1):
        labels = meta.get(f"twitter:label{number}", ())
        names_author = any(label.lower() in LABELS for label in labels)
        if names_author:
            values += meta.get(f"twitter:data{number}", ())
    return values


def _read_named(page: Page, name: str) -> list[str]:
    """The values of the ``meta`` elements whose name says that they are the date of publication."""
    values: list[str] = []
    meta = page.declared.meta
    for meta_name, meta_values in meta.items():
        if _PUBLISHED_NAME.search(meta_name):
            values += meta_values
    return values


def _read_graph(page: Page, name: str) -> list[str]:
    """The only person that the JSON-LD names, unless that is the owner of the site."""
    names: set[str] = set()
    for node in page.declared.nodes:
        if type_names(node) == ["person"]:
            names.update(names_of(node))
    if len(names) != 1:
        return []
    return list(names)


def _read_feed(page: Page, name: str) -> list[str]:
    """The values of the page's feed entry; none of one that only helps to find the text."""
    entry = page.entry
    if entry is None or entry.signifiers_only:
        return []
    values = as_list(getattr(entry, name, ""))
    return [str(value) for value in values if value]


class _Kind(NamedTuple):
    """A kind of sources: how one is read, and which names a page has of it."""

    read: Reader
    names: Names = lambda page: None


def _names_of_feed(page: Page) -> Collection[str] | None:
    if page.entry is None or page.entry.signifiers_only:
        return ()
    return None


def _names_of_nodes(page: Page) -> Collection[str] | None:
    return None if page.declared.nodes else ()


#: The kinds of sources by the part before the colon.
_KINDS: dict[str, _Kind] = {
    "json-ld": _Kind(_read_article, lambda page: page.declared.article),
    "json-ld-page": _Kind(_read_page, lambda page: page.declared.page),
    "microdata": _Kind(_read_item, lambda page: page.declared.item),
    "opengraph": _Kind(_read_meta, lambda page: page.declared.meta),
    "meta": _Kind(_read_meta, lambda page: page.declared.meta),
    "url": _Kind(_read_url),
    "feed": _Kind(_read_feed, _names_of_feed),
    "meta-label": _Kind(_read_label),
    "meta-name": _Kind(_read_named),
    "json-ld-graph": _Kind(_read_graph, _names_of_nodes),
    "script": _Kind(_read_script),
}
#: The kinds whose names are XPaths.
_OF_ELEMENTS = ("xpath", "html")


@lru_cache(maxsize=4096)
def _split_source(source: str) -> tuple[str, str]:
    """The kind of a source and the name to read; for an element an XPath.

    >>> _split_source("json-ld:headline"), _split_source("html:time"), _split_source("//h1")
    (('json-ld', 'headline'), ('html', '//time'), ('xpath', '//h1'))
    """
    if is_xpath(source):
        return "xpath", source
    kind, _, name = source.partition(":")
    return kind, f"//{name}" if kind == "html" else name

"""Microdata of a page, as nodes like those of JSON-LD (HTML standard, sections 5.2 and 5.4).

Values are read when they are asked for: most of the items of a page are never used.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element, find_elements

# The limits keep hostile pages from blocking a crawl; an article's metadata is far below them.
#: Items of a page; with more it lists comments or products, and its microdata is ignored.
_MAX_SCOPES = 300
#: Properties of a page that are read.
_MAX_PROPERTIES = 5000
#: Values of a property that are read.
_MAX_VALUES = 100
#: Elements below a property whose text is its value; with more it is a whole page.
_MAX_ELEMENTS = 1000
#: Places that the items of a page take properties from (``itemref``).
_MAX_REFERENCES = 20

#: On the attribute axis: twice as fast as ``//*[@itemscope]``.
SCOPES = "//@itemscope/.."
_PROPERTIES = "//@itemprop/.."
_OWNER = etree.XPath("ancestor::*[@itemscope][1]")
_SCOPE_AROUND = etree.XPath("ancestor-or-self::*[@itemscope][1]")
_PROPERTIES_BELOW = etree.XPath("descendant-or-self::*[@itemprop]")
_BY_ID = etree.XPath("id($name)[1]")
_ELEMENTS_BELOW = etree.XPath("count(.//*)")

#: The attribute that is the value of an element, and whether it is a URL.
_VALUES = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), ("src", True)),
    **dict.fromkeys(("a", "area", "link"), ("href", True)),
    "object": ("data", True),
    **dict.fromkeys(("data", "meter"), ("value", False)),
    "meta": ("content", False),
    "time": ("datetime", False),
}


#: The elements with the values of each property of an item.
_Properties = dict[str, list[Element]]


class Item(Mapping[str, Any]):
    """The properties of an item, and its type as ``@type``; a property with one value is that
    value, as in JSON-LD.  Not hashable."""

    __slots__ = ("_elements", "_page", "_read")

    def __init__(self, page: "_Microdata", scope: Element) -> None:
        types = scope.get("itemtype", "").split()
        self._page = page
        self._elements = page.properties[scope]
        item_type = _only_or_all(types) or ""
        self._read: dict[str, Any] = {"@type": item_type}

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            elements = self._elements[name]
            values = list(map(self._page.value, elements))
            self._read[name] = _only_or_all(values)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        yield "@type"
        yield from self._elements

    def __len__(self) -> int:
        return 1 + len(self._elements)


def _only_or_all(values: list[Any]) -> Any:
    if len(values) == 1:
        return values[0]
    return values


class _Microdata:
    """The items of a page, by the elements of their scopes, and the elements of their properties.

    ``scopes`` and ``properties``: the elements with these attributes; ``url``: the base of URLs.
    """

    def __init__(
        self,
        scopes: list[Element],
        properties: list[Element],
        url: str,
    ) -> None:
        self.url = url
        self.properties: dict[Element, _Properties] = {}
        for scope in scopes:
            self.properties[scope] = {}
        #: How many items an item is in as a property.
        self.depths = dict.fromkeys(scopes, 0)
        #: The innermost item around each property.
        self._owners: dict[Element, Element | None] = {}
        for element in properties:
            owners = iter(_OWNER(element))
            self._owners[element] = next(owners, None)

        for element, owner in self._owners.items():
            if owner is not None:
                self._add(owner, element)
        references = islice(_references(scopes), _MAX_REFERENCES)
        for scope, name in references:
            for element in self._find_referenced(scope, name):
                self._add(scope, element)

    def _add(self, owner: Element, element: Element) -> None:
        properties = self.properties[owner]
        for name in element.get("itemprop", "").split():
            values = properties.setdefault(name, [])
            if len(values) < _MAX_VALUES:
                values.append(element)
        if element in self.depths:
            self.depths[element] = self.depths[owner] + 1

    def _find_referenced(self, scope: Element, name: str) -> list[Element]:
        """The properties of the element with this id, or those below it."""
        for element in _BY_ID(scope, name=name):
            if "itemprop" in element.attrib and "itemscope" in element.attrib:
                return [element]
            scopes_around = iter(_SCOPE_AROUND(element))
            scope_around = next(scopes_around, None)
            referenced = []
            for below in _PROPERTIES_BELOW(element):
                if below not in self._owners:
                    continue
                if self._owners[below] is scope_around:
                    referenced.append(below)
            return referenced
        return []

    def value(self, element: Element) -> Any:
        """The value of a property: an item, a URL or a text."""
        if self.properties.get(element):
            return Item(self, element)
        tag = str(element.tag)
        attribute, is_url = _VALUES.get(tag, ("content", False))
        attribute_value = element.get(attribute, "")
        if is_url:
            return _join(self.url, attribute_value.strip())
        if attribute_value or tag in _VALUES:
            return attribute_value
        if _ELEMENTS_BELOW(element) > _MAX_ELEMENTS:
            return ""
        return block_text(element)


def _references(scopes: list[Element]) -> Iterator[tuple[Element, str]]:
    """The ids of elements that have further properties of items, with the items."""
    for scope in scopes:
        names = scope.get("itemref", "").split()
        for name in names:
            yield scope, name


def read_microdata(root: Element, url: str) -> Iterator[Item]:
    """The items of the page that have properties, outer ones first; ``url`` is the base of their
    URLs."""
    scopes = find_elements(SCOPES, root)
    if not 0 < len(scopes) <= _MAX_SCOPES:
        return
    properties = find_elements(_PROPERTIES, root)[:_MAX_PROPERTIES]
    page = _Microdata(scopes, properties, url)
    for scope in sorted(scopes, key=page.depths.__getitem__):
        if page.properties[scope]:
            yield Item(page, scope)


def _join(base: str, url: str) -> str:
    try:
        return urljoin(base, url)
    except ValueError:
        return ""  # an ill-formed URL

"""JSON-LD and microdata of a page, and the values of their properties.

extruct reads both from the page's parsed tree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from extruct.jsonld import JsonLdExtractor
from extruct.w3cmicrodata import MicrodataExtractor
from lxml import etree

from forest_scrapy.core.document.queries import find_texts
from forest_scrapy.core.document.text import strip_markup
from forest_scrapy.core.document.tree import Element

__all__ = ["Properties", "as_list", "names_of", "read_json_ld", "read_microdata", "text_of"]

#: A node of JSON-LD or of microdata: its properties by name.
Properties = Mapping[str, Any]

# The limits keep hostile pages from blocking a crawl; an article's metadata is far below them.
#: Longer scripts are ignored (characters).
_LARGEST_SCRIPT = 500_000
#: JSON-LD nodes read from a page.
_MOST_NODES = 2000
#: With more ``itemscope`` elements than this a page lists comments or products; its microdata
#: is ignored.
_MOST_SCOPES = 300
#: Characters read of a text.
_LONGEST = 20_000

_JSON_LD = "application/ld+json"
#: On the attribute axis: twice as fast as ``//*[@itemscope]``.
_SCOPES = "//@itemscope"


def read_json_ld(scripts: Iterable[Element]) -> Iterator[Properties]:
    """All nodes of the JSON-LD in a page's ``script`` elements, outer ones first; broken scripts
    are skipped."""
    waiting: deque[Any] = deque()
    for script in scripts:
        if (script.get("type") or "").startswith(_JSON_LD):
            waiting += _read_script(script.text or "")
    seen = 0
    while waiting and seen < _MOST_NODES:
        seen += 1
        value = waiting.popleft()
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            yield value
            waiting.extend(v for v in value.values() if isinstance(v, (dict, list)))


def _read_script(text: str) -> list[Any]:
    if len(text) > _LARGEST_SCRIPT:
        return []
    script = etree.Element("script", type=_JSON_LD)  # the only type extruct reads
    script.text = text
    try:
        return list(JsonLdExtractor().extract_items(script))
    except (ValueError, RecursionError):
        return []  # not JSON: the page may declare its metadata in another way


def read_microdata(root: Element, url: str) -> Iterator[Properties]:
    """All microdata items of the page as JSON-LD nodes, outer ones first; ``url`` is the base of
    their URLs."""
    scopes = len(find_texts(_SCOPES, root))
    if not 0 < scopes <= _MOST_SCOPES:
        return
    try:
        items = MicrodataExtractor().extract_items(root, url)
    except (ValueError, RecursionError, etree.LxmlError):
        return  # an ill-formed URL, or items that contain each other
    waiting = deque(items)
    while waiting:
        item = waiting.popleft()
        properties = item.get("properties")
        if isinstance(properties, dict):
            node = {name: _plain_item(value) for name, value in properties.items()}
            yield {"@type": item.get("type", ""), **node}
            values = (v for value in properties.values() for v in as_list(value))
            waiting.extend(value for value in values if isinstance(value, dict))


def _plain_item(value: Any) -> Any:
    """A microdata value as it would be in JSON-LD."""
    if isinstance(value, list):
        return [_plain_item(one) for one in value]
    if isinstance(value, dict):
        properties = value.get("properties")
        return dict(properties) if isinstance(properties, dict) else value.get("value", "")
    return value


def as_list(value: Any) -> list[Any]:
    """A property's values: a single value is not a list in JSON-LD and microdata."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def text_of(value: Any) -> str:
    """The first text of a property that is not empty, without markup, on one line.

    >>> text_of(["", "Fish &amp; <b>chips</b>"]), text_of({"@value": "Owls"}), text_of(3)
    ('Fish & chips', 'Owls', '')
    """
    for one in as_list(value):
        if isinstance(one, Mapping):
            one = one.get("@value")
        if isinstance(one, str) and one.strip():
            return strip_markup(one[:_LONGEST])
    return ""


def names_of(value: Any, nodes: tuple[Properties, ...] = ()) -> list[str]:
    """Names of persons, organisations or terms, from texts or nodes with a ``name``; a node with
    only an ``@id`` is looked up in ``nodes``.

    >>> names_of([{"name": "Ana Bo"}, "Cy Dee", {"@id": "#e"}], ({"@id": "#e", "name": "E"},))
    ['Ana Bo', 'Cy Dee', 'E']
    """
    found = []
    for one in as_list(value)[:100]:
        if isinstance(one, Mapping):
            if "name" not in one and "@id" in one:
                one = next((n for n in nodes if n.get("@id") == one["@id"] and "name" in n), one)
            found += [text_of(name) for name in as_list(one.get("name"))]
        else:
            found.append(text_of(one))
    return [name for name in found if name]

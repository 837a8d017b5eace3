"""Answers in JSON: records by their keys.

The records are the objects of one array, wherever it is: the one with the most values.  An answer
becomes a page with a list of definitions for each record, so that it is kept, compared and followed
to its next page as others are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any

from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.urls import absolute_url
from forest_scrapy.core.records.record import Value

#: What marks a page that was made of JSON.
_MARK = "data-json-answer"
#: Values of an answer that are looked at, and how deep, so that no answer takes long.
MAX_NODES = 200_000
MAX_DEPTH = 12
#: Records of an answer, values of a record, values that are joined, and characters of a value.
MAX_RECORDS = 2000
MAX_VALUES = 100
MAX_JOINED = 20
MAX_VALUE_LENGTH = 500
MAX_NAME_LENGTH = 200
#: Values beside the records that are kept: how many there are, and the like.
MAX_HEAD_VALUES = 30

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")
_URL_NAMES = frozenset(("url", "uri", "href", "link", "permalink", "self"))
_NEXT_NAMES = frozenset(("next", "next_page", "nextpage", "next_url", "nexturl", "nextlink"))

JsonObject = Mapping[str, Any]


def read_data_page(text: str, url: str) -> Page | None:
    """The page of an answer in JSON; None if the text is none.

    >>> page = read_data_page('{"n": 2, "a": [{"t": "Owls", "by": {"name": "Ana"}}]}', "http://a/")
    >>> [(value.name, value.text) for values in read_values(page) for value in values]
    [('t', 'Owls'), ('by.name', 'Ana')]
    """
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return None
    try:
        document = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    records = find_records(document)
    parts = [f"<p>{escape(line)}</p>" for line in _head_lines(document)]
    next_url = _find_next(document)
    if next_url:
        parts.append(f'<p><a rel="next" href="{escape(next_url)}">next</a></p>')
    for record in records:
        terms = "".join(
            f'<dt>{escape(name)}</dt><dd data-type="{kind}">{escape(value)}</dd>'
            for name, kind, value in _flatten(record)
        )
        parts.append(f"<dl>{terms}</dl>")
    return Page.from_html(f"<html {_MARK}><body>{''.join(parts)}</body></html>", url)


def is_data_page(page: Page) -> bool:
    """Whether a page was made of an answer in JSON."""
    return page.root.get(_MARK) is not None


def read_values(page: Page) -> list[tuple[Value, ...]]:
    """The values of each record of a page that was made of JSON; URLs are absolute."""
    records = []
    for terms in page.root.iter("dl"):
        values = []
        name = ""
        for child in terms:
            text = child.text or ""
            if child.tag == "dt":
                name = text
                continue
            kind = child.get("data-type") or "text"
            if kind == "url":
                text = absolute_url(text, page.base_url) or text
            values.append(Value(name, kind, text))
        if values:
            records.append(tuple(values))
    return records


def find_records(document: Any) -> list[JsonObject]:
    """The objects of the array with the most values; empty if there is none.  Ties: the first."""
    best: list[JsonObject] = []
    best_size = 0
    for array in _arrays(document):
        objects = [item for item in array[:MAX_RECORDS] if isinstance(item, Mapping)]
        if 2 * len(objects) <= len(array[:MAX_RECORDS]):
            continue
        size = sum(min(len(item), MAX_VALUES) for item in objects)
        if size > best_size:
            best = objects
            best_size = size
    return best


def _arrays(document: Any) -> Iterator[Sequence[Any]]:
    """The arrays of a document, the outer ones first; not those inside of records."""
    level = [document]
    remaining = MAX_NODES
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for node in level:
            if isinstance(node, list):
                yield node
            elif isinstance(node, Mapping):
                below.extend(islice(node.values(), max(0, remaining)))
                remaining -= len(node)
        level = below
        if remaining <= 0:
            return


def _head_lines(document: Any) -> Iterator[str]:
    """The values beside the records, such as their number."""
    if isinstance(document, Mapping):
        pairs = _flatten(document, with_arrays=False)
        for name, _, value in islice(pairs, MAX_HEAD_VALUES):
            yield f"{name}: {value}"


def _find_next(document: Any) -> str:
    """The address of the next page, where an answer has one."""
    if not isinstance(document, Mapping):
        return ""
    for name, kind, value in _flatten(document, with_arrays=False):
        last_name = name.rpartition(".")[2].lower()
        parent_name = name.rpartition(".")[0].rpartition(".")[2].lower()
        is_next = last_name in _NEXT_NAMES or (last_name == "href" and parent_name in _NEXT_NAMES)
        is_address = kind == "url" or value.startswith(("/", "?", "http://", "https://"))
        if is_next and is_address:
            return value
    return ""


def _flatten(record: JsonObject, with_arrays: bool = True) -> Iterator[tuple[str, str, str]]:
    """The names, types and texts of the values of an object: those of objects in it have dotted
    names, those of arrays are joined."""
    count = 0
    stack: list[tuple[str, Any, int]] = [("", record, 0)]
    while stack and count < MAX_VALUES:
        name, value, depth = stack.pop()
        if isinstance(value, Mapping):
            if depth < MAX_DEPTH:
                for key in reversed(list(islice(value, MAX_VALUES))):
                    inner = f"{name}.{key}" if name else str(key)
                    stack.append((inner[:MAX_NAME_LENGTH], value[key], depth + 1))
            continue
        if isinstance(value, list):
            value = _join(value) if with_arrays else None
        text = _write(value)
        if text:
            count += 1
            yield name, _type_of(name, value, text), text


def _join(values: Sequence[Any]) -> str:
    """The values of an array as one text; of objects in it their first text."""
    texts = []
    for value in values[:MAX_JOINED]:
        if isinstance(value, Mapping):
            value = next((text for text in value.values() if isinstance(text, str)), None)
        text = _write(value)
        if text:
            texts.append(text)
    return ", ".join(texts)


def _write(value: Any) -> str:
    """A plain value as text; ``""`` for what is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return " ".join(str(value)[:MAX_VALUE_LENGTH].split())
    return ""


def _type_of(name: str, value: Any, text: str) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    if text.startswith(("http://", "https://")):
        return "url"
    last_name = name.rpartition(".")[2].lower()
    if last_name in _URL_NAMES and text.startswith(("/", "?", ".")):
        return "url"
    if _DATE.fullmatch(text):
        return "date"
    return "text"

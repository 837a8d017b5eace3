"""Links from a record to an earlier one on its page: what it replies to."""

from __future__ import annotations

from collections.abc import Sequence

from forest_scrapy.core.document.outline import Node
from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.urls import absolute_url, host_of
from forest_scrapy.core.records.attributes.attribute import Attribute
from forest_scrapy.core.records.attributes.cells import REPLY, ValueCell, read_cells
from forest_scrapy.core.records.inside import Inner

__all__ = ["read_replies", "read_values_of"]


def read_values_of(page: Page, records: Sequence[Sequence[Inner]]) -> list[list[ValueCell]]:
    """The values in each of the records of a page, with the positions (from 1) of the records that
    they link to, in their text or outside of it."""
    found = [list(read_cells(page, inner)) for inner in records]
    for cells, links in zip(found, _find_links(page, records), strict=True):
        for path, target in links:
            cells.append(ValueCell(REPLY, f"{path} {REPLY}".strip(), str(target + 1)))
    return found


def read_replies(
    page: Page, records: Sequence[Sequence[Inner]], attributes: Sequence[Attribute]
) -> list[int | None]:
    """For each of the records of a page the position (from 0) of the one that it replies to by a
    link at the path of an attribute; None if there is none."""
    paths = [one.path for one in attributes if one.type == "reply-to"]
    if not paths:
        return [None] * len(records)
    return [
        next((target for path, target in links if f"{path} {REPLY}".strip() in paths), None)
        for links in _find_links(page, records)
    ]


def _find_links(page: Page, records: Sequence[Sequence[Inner]]) -> list[list[tuple[str, int]]]:
    """For each record the links to earlier ones: their paths, and the positions of these, from
    0."""
    nodes = page.outline.nodes
    names: dict[str, int] = {}
    for position, inner in enumerate(records):
        for index, _ in inner:
            element = nodes[index].element
            for name in (element.get("id"), element.get("name")):
                if name:
                    names.setdefault(name, position)
    found: list[list[tuple[str, int]]] = [[] for _ in records]
    for position, inner in enumerate(records):
        for index, path in inner:
            href = nodes[index].element.get("href") if nodes[index].tag == "a" else None
            target = names.get(href.partition("#")[2]) if href else None
            if target is not None and target < position and _is_reply(page, nodes[index]):
                found[position].append((path, target))
    return found


def _is_reply(page: Page, link: Node) -> bool:
    """Whether a link to another record may be to the one replied to: one with a text, on this host.
    Links without a text are buttons, which lead from post to post."""
    url = absolute_url(link.element.get("href") or "", page.base_url)
    return link.first < link.last and host_of(url) == host_of(page.url)

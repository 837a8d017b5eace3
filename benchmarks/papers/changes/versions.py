"""Versions of recorded pages that are made: of the article's text, and of what is around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lxml import html

from benchmarks.history.edits import (
    EditablePage,
    add_advert,
    add_paragraph,
    delete_paragraph,
    edit_paragraph,
    fix_typo,
    no_change,
)


def move_block(page: EditablePage) -> None:
    """The first element of the body with a text becomes the last."""
    body = page.root.find("body")
    for element in body.iterchildren("*"):
        if element.text_content().strip():
            body.remove(element)
            body.append(element)
            return


def change_layout(page: EditablePage) -> None:
    """Two elements more around all, and other classes."""
    body = page.root.find("body")
    for element in body.iter("*"):
        if element.get("class"):
            element.set("class", f"{element.get('class')}-new")
    outer = html.Element("div", id="outer")
    inner = html.Element("main", id="inner")
    outer.append(inner)
    inner.text = body.text
    body.text = None
    inner.extend(list(body))
    body.append(outer)


def change_attributes(page: EditablePage) -> None:
    """The paragraphs have another colour."""
    for element in _paragraphs(page):
        element.set("style", "color: #333")


def change_types(page: EditablePage) -> None:
    """The paragraphs are ``div`` elements."""
    for element in _paragraphs(page):
        element.tag = "div"


def _paragraphs(page: EditablePage) -> list[Any]:
    return list(page.root.find("body").iter("p"))


#: A page's new version, by the kind of change, in the order of the tables.
CHANGES: dict[str, Callable[[EditablePage], None]] = {
    "none": no_change,
    "typo": fix_typo,
    "edited": edit_paragraph,
    "added": add_paragraph,
    "deleted": delete_paragraph,
    "moved": move_block,
    "layout": change_layout,
    "colour": change_attributes,
    "tags": change_types,
    "advert": add_advert,
}

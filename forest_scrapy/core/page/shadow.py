"""Declarative shadow roots: content of an element that its page has in a ``template``.

A browser shows the content of ``<template shadowrootmode="open">`` in place of the children of the
element around it, its host; these are shown where the template has a ``slot``.
"""

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree, html

Element = html.HtmlElement

_MARKED = re.compile(r"<template\s[^<>]{0,2000}?\bshadowroot", re.IGNORECASE)
_MODES = ("shadowrootmode", "shadowroot")

#: Slots of one shadow root that are filled.
MAX_SLOTS = 500

#: What an element has as a child: a text, or an element without the text after it.
Node = str | Element


def has_shadow_roots(markup: str) -> bool:
    """Whether a page may have a declarative shadow root.  Cost: a search in the text.

    >>> has_shadow_roots("<x-a><template shadowrootmode=open>"), has_shadow_roots("<template>")
    (True, False)
    """
    return _MARKED.search(markup) is not None


def open_shadow_roots(root: Element) -> None:
    """Put the content of each declarative shadow root in the place of its template, and the other
    children of the host where the slots are.  Changes the tree.

    A slot without a child for it keeps what it has.  Children for which there is no slot are not
    shown, as in browsers, unless the shadow root has no text.  A host has one shadow root, its
    first.  Cost: linear in the size of the page.

    >>> from lxml.html import fromstring, tostring
    >>> template = "<template shadowrootmode=open><p><slot></slot></p></template>"
    >>> host = fromstring(f"<x-a>{template}b</x-a>")
    >>> open_shadow_roots(host)
    >>> tostring(host)
    b'<x-a><p>b</p></x-a>'
    """
    for template in list(root.iter("template")):
        host = template.getparent()
        modes = [template.get(mode) for mode in _MODES]
        is_shadow_root = "open" in modes or "closed" in modes
        if host is None or not is_shadow_root:
            continue
        children = []
        for node in _take_children(host):
            if node is not template:
                children.append(node)
        content = list(_take_children(template))
        if not _has_content(content):
            _append_all(host, children)
            continue
        holder = template.makeelement("div")
        _append_all(holder, content)
        _fill_slots(holder, children)
        _append_all(host, list(_take_children(holder)))


def _take_children(element: Element) -> Iterator[Node]:
    """The texts and elements in the element, which has none of them any more."""
    nodes: list[Node] = []
    if element.text:
        nodes.append(element.text)
    element.text = None
    for child in list(element):
        tail = child.tail
        child.tail = None
        nodes.append(child)
        if tail:
            nodes.append(tail)
    for child in list(element):
        element.remove(child)
    yield from nodes


def _append_all(element: Element, nodes: list[Node]) -> None:
    """Add texts and elements to an element that has none."""
    last: Element | None = None
    for node in nodes:
        if not isinstance(node, str):
            element.append(node)
            last = node
        elif last is not None:
            last.tail = (last.tail or "") + node
        else:
            element.text = (element.text or "") + node


def _has_content(nodes: list[Node]) -> bool:
    """Whether any of the nodes has a slot, an image, or a text that is shown."""
    for node in nodes:
        if isinstance(node, str):
            if node.strip():
                return True
            continue
        is_shown = isinstance(node.tag, str) and node.tag not in ("style", "script", "link")
        if not is_shown:
            continue
        first_shown = next(node.iter("slot", "img", "picture", "video"), None)
        if first_shown is not None or any(map(str.strip, node.itertext())):
            return True
    return False


def _fill_slots(content: Element, children: list[Node]) -> None:
    """Replace each slot by the children for it; the first of a name gets all of them."""
    by_name: dict[str, list[Node]] = {}
    for node in children:
        name = ""
        if not isinstance(node, str) and isinstance(node.tag, str):
            name = node.get("slot") or ""
        by_name.setdefault(name, []).append(node)
    for slot in islice(_find_slots(content), MAX_SLOTS):
        nodes = by_name.pop(slot.get("name") or "", [])
        if not any(map(_is_filled, nodes)):
            nodes = list(_take_children(slot))
        _replace(slot, nodes)


def _is_filled(node: Node) -> bool:
    """Whether the node is an element, or a text that is not only white space."""
    if isinstance(node, str):
        return bool(node.strip())
    return True


def _find_slots(content: Element) -> list[Element]:
    """The slots of a shadow root, without those of others inside."""
    slots = []
    walk = etree.iterwalk(content, events=("start",), tag=("slot", "template"))
    for _, element in walk:
        if element.tag == "slot":
            slots.append(element)
        else:
            walk.skip_subtree()
    return slots


def _replace(element: Element, nodes: list[Node]) -> None:
    """Put the nodes in the place of an element."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        nodes = [*nodes, element.tail]
    element.tail = None
    for node in nodes:
        if not isinstance(node, str):
            element.addprevious(node)
            continue
        previous = element.getprevious()
        if previous is not None:
            previous.tail = (previous.tail or "") + node
        else:
            parent.text = (parent.text or "") + node
    parent.remove(element)

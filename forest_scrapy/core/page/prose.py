"""Prose of a page that is not part of its content, found without an outline."""

from collections.abc import Collection

from lxml import etree

from forest_scrapy.core.page.tree import IGNORED, Element, is_block

#: Characters of a text node from which it is prose: labels, names and most teasers are shorter.
MIN_CHARACTERS = 60
_LONG_TEXTS = etree.XPath(f".//text()[string-length(.) > {MIN_CHARACTERS}]")
#: Elements whose long texts are no prose.
_NO_PROSE = IGNORED | {"a", "button", "label", "option", "title"}


def find_prose_outside(root: Element, content: Collection[Element]) -> dict[Element, int]:
    """The blocks with prose that are not in the content, with its characters, in document order.

    ``content``: the blocks with text of the content.  Text in links is no prose.  Hidden elements
    are not left out.  Cost: a search by libxml2, and a few steps up from each long text.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> root = parse_html(f"<p>{60 * 'a'}b</p><p>{60 * 'c'} d</p>")
    >>> first, second = root.iter("p")
    >>> find_prose_outside(root, {first}) == {second: 62}
    True
    """
    outside: dict[Element, int] = {}
    is_prose: dict[Element, bool] = {}
    for text in _LONG_TEXTS(root):
        parent = text.getparent()
        if text.is_tail:
            parent = parent.getparent()
        block = _find_block(parent)
        if block is None or block in content or not _has_prose(parent, is_prose):
            continue
        characters = len(" ".join(text.split()))
        if characters > MIN_CHARACTERS:
            outside[block] = outside.get(block, 0) + characters
    return outside


def _find_block(element: Element | None) -> Element | None:
    """The element itself, if it is a block, or the nearest block around it."""
    while element is not None and not is_block(element):
        element = element.getparent()
    return element


def _has_prose(element: Element, known: dict[Element, bool]) -> bool:
    """Whether a long text of the element is prose: it is not in a link, a script or the like.
    ``known``: what was found before, which grows."""
    path: list[Element] = []
    around: Element | None = element
    while around is not None and around not in known and around.tag not in _NO_PROSE:
        path.append(around)
        around = around.getparent()
    is_prose = around is None or known.get(around, False)
    known.update(dict.fromkeys(path, is_prose))
    return is_prose

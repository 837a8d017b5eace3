"""Prose of a page that is not part of its content, found without an outline."""

from collections.abc import Collection

from forest_scrapy.core.page.columns import read_long_texts
from forest_scrapy.core.page.tree import IGNORED, Element, is_block

#: Characters of a text node from which it is prose: labels, names and most teasers are shorter.
MIN_CHARACTERS = 60
#: Elements whose long texts are no prose.
_NO_PROSE = IGNORED | {"a", "button", "label", "option", "title"}


def find_prose_outside(
    root: Element,
    content: Collection[Element],
) -> dict[Element, int]:
    """The blocks with prose that are not in the content, with its characters, in document order.

    ``content``: the blocks with text of the content.  Text in links is no prose.  Hidden elements
    are not left out.  Cost: a walk over the tree, a tenth of its parse.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> root = parse_html(f"<p>{60 * 'a'}b</p><p>{60 * 'c'} d</p>")
    >>> first, second = root.iter("p")
    >>> find_prose_outside(root, {first}) == {second: 62}
    True
    """
    outside: dict[Element, int] = {}
    for element, text in read_long_texts(root, _NO_PROSE, MIN_CHARACTERS):
        block = _find_block(element)
        if block is None or block in content:
            continue
        line = " ".join(text.split())
        characters = len(line)
        if characters > MIN_CHARACTERS:
            previous = outside.get(block, 0)
            outside[block] = previous + characters
    return outside


def _find_block(element: Element) -> Element | None:
    """The element itself, if it is a block, or the nearest block around it."""
    block: Element | None = element
    while block is not None and not is_block(block):
        block = block.getparent()
    return block

"""The styles that a browser has added to a rendered page, and pages that are empty without one."""

import re
from typing import NamedTuple

from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element

STYLE_ATTRIBUTE = "data-forest-style"

#: Left, top, width, height, font size, colour, display; as in "8,120.5,640,32,16,rgb(0,0,0),block".
_STYLE = re.compile(
    r"(-?\d{1,7}(?:\.\d+)?),(-?\d{1,7}(?:\.\d+)?),(\d{1,7}(?:\.\d+)?),(\d{1,7}(?:\.\d+)?),"
    r"(\d{1,5}(?:\.\d+)?),([^;]{1,100}),([a-z -]{1,30})",
    re.ASCII,
)
#: Values of ``display`` that do not break the line.
_IN_LINE = ("inline", "ruby", "contents", "none")


class Style(NamedTuple):
    """The box and the text style of an element, in CSS pixels from the top left of the page."""

    left: float
    top: float
    width: float
    height: float
    font_size: float
    color: str
    display: str

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def breaks_line(self) -> bool:
        """Whether there is a line break before and after the element (Luo et al. 2009, section
        3.1, which names ``block``; ``flex``, ``table-cell`` and the like count as well)."""
        return not self.display.startswith(_IN_LINE)

    @classmethod
    def parse(cls, text: str) -> "Style | None":
        """The style as the attribute has it; None if it is not valid.

        >>> Style.parse("8,120.5,640,32,16,rgb(0,0,0),block").right
        648.0
        """
        match = _STYLE.fullmatch(text)
        if match is None:
            return None
        *numbers, color, display = match.groups()
        left, top, width, height, font_size = map(float, numbers)
        return cls(left, top, width, height, font_size, color, display)


def read_styles(outline: Outline) -> tuple[Style, ...] | None:
    """The style of each node; None if the page was not rendered.

    An element without a valid style, which a parser has added, has that of its parent.
    """
    body = outline.nodes[0].element
    body_style = Style.parse(body.get(STYLE_ATTRIBUTE, ""))
    if body_style is None:
        return None
    return tuple(outline.inherit(body_style, _read_style))


def _read_style(inherited: Style, node: Node) -> Style:
    attribute = node.element.get(STYLE_ATTRIBUTE)
    if not attribute:
        return inherited
    return Style.parse(attribute) or inherited


# A page with less text outside links (a notice that scripts are needed), and less in links (a menu)
# is a shell.  Of 1,198 recorded articles (postlight, wcxb-dev-articles, fundus), one is; of 112
# recorded forum pages, 19 are.
#: Characters of text outside links.
_MIN_TEXT_LENGTH = 200
#: Characters of text in links.
_MIN_LINK_LENGTH = 500


def visible_characters(page: Page) -> tuple[int, int]:
    """The numbers of characters of visible text outside links and in links."""
    is_in_link = page.outline.inside(("a",))
    outside_links = 0
    in_links = 0
    for leaf in page.outline.leaves:
        length = len(leaf.text.strip())
        if is_in_link[leaf.node]:
            in_links += length
        else:
            outside_links += length
    return outside_links, in_links


def is_shell(page: Page) -> bool:
    """Whether the page has scripts, and next to no text.

    >>> is_shell(Page.from_html("<div id=app></div><script src=/app.js></script>"))
    True
    >>> is_shell(Page.from_html("<div>Nothing here</div>"))
    False
    """
    outside_links, in_links = visible_characters(page)
    if outside_links >= _MIN_TEXT_LENGTH or in_links >= _MIN_LINK_LENGTH:
        return False
    return any(map(_is_program, page.root.iter("script")))


def _is_program(script: Element) -> bool:
    script_type = script.get("type") or ""
    if "json" in script_type.lower():
        return False
    if script.get("src"):
        return True
    code = script.text or ""
    return bool(code.strip())

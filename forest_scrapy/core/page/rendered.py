"""Pages and browsers: what a browser has added to a page, and pages that are empty without one."""

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
        found = _STYLE.fullmatch(text)
        if found is None:
            return None
        left, top, width, height, font_size, color, display = found.groups()
        box = (float(left), float(top), float(width), float(height))
        return cls(*box, float(font_size), color, display)


def read_styles(outline: Outline) -> tuple[Style, ...] | None:
    """The style of each node; None if the page was not rendered.

    An element without a valid style, which a parser has added, has that of its parent.
    """
    first = Style.parse(outline.nodes[0].element.get(STYLE_ATTRIBUTE, ""))
    return tuple(outline.inherit(first, _read_style)) if first else None


def _read_style(inherited: Style, node: Node) -> Style:
    given = node.element.get(STYLE_ATTRIBUTE)
    return (Style.parse(given) if given else None) or inherited


#: Characters of text, and of text in links, below which a page is a shell: a notice that scripts
#: are needed, and a menu.  Of 1,198 recorded articles (postlight, wcxb-dev-articles, fundus), one
#: is; of 112 recorded forum pages, 19 are.
_TEXT, _LINKS = 200, 500


def visible_characters(page: Page) -> tuple[int, int]:
    """The numbers of characters of visible text outside links and in links."""
    in_link = page.outline.inside(("a",))
    counts = [0, 0]
    for leaf in page.outline.leaves:
        counts[in_link[leaf.node]] += len(leaf.text.strip())
    return counts[0], counts[1]


def is_shell(page: Page) -> bool:
    """Whether the page has scripts, and next to no text.

    >>> is_shell(Page.from_html("<div id=app></div><script src=/app.js></script>"))
    True
    >>> is_shell(Page.from_html("<div>Nothing here</div>"))
    False
    """
    text, links = visible_characters(page)
    return text < _TEXT and links < _LINKS and any(map(_is_program, page.root.iter("script")))


def _is_program(script: Element) -> bool:
    kind = (script.get("type") or "").lower()
    return "json" not in kind and bool(script.get("src") or (script.text or "").strip())

"""Articles of a site, by learned XPaths.

    python THIS_FILE PAGE.html ...

prints one JSON object per page.  Needs parsel only.

The expressions are those of forest-scrapy, the text is simpler than that of its articles:

- What forest-scrapy removes after the expressions is in the text: the title, remarks between
  paragraphs, hidden elements.
- Empty lines of code are left out.
- Formulas in MathML or SVG are missing.
- What DROP finds is always left out; forest-scrapy keeps code, formulas and notes that the text
  cites.  Marks of notes are as the page has them, "1" instead of "[1]".
- Blocks unknown to the template are kept or left out by the expressions alone.
"""

import json
import re
import sys
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from parsel import Selector

#: Tried in order; the first that finds text gives the content.
KEEP: list[str] = []
#: Elements to leave out of the content.
DROP: list[str] = []
#: Left out on every site: captions of pictures, and the numbers of the lines of code.
BESIDE_TEXT = [
    "//figure[not(.//table or .//pre or .//blockquote)]//figcaption",
    "//*[self::div or self::p or self::span or self::small or self::dd]"
    "[contains(@class, 'caption')][not(.//img)][../descendant::img]",
    "//*[contains(@class, 'gutter') or contains(@class, 'lineno') or contains(@class, 'line-no')"
    " or contains(@class, 'linenum') or contains(@class, 'line-num') or @data-line-number]"
    "[not(translate(normalize-space(), '0123456789 .:|', ''))]",
]
#: Which of several elements is the content: "all"; "largest", the one with the most text; "span",
#: all, and what stands between them.
TAKE = "all"
#: Elements that stand between two kept ones at most, and levels up to what contains both.
MAX_BETWEEN = 200
MAX_LEVELS = 4

INLINE = set(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr "
    "picture q rp rt ruby s samp small source span strike strong sub sup time track tt u var "
    "wbr button input output meter progress script style noscript template".split()
)
IGNORED = set(
    "head script style noscript template iframe object embed svg math canvas select textarea "
    "datalist audio video map".split()
)


#: Spaces of code while those of other text are folded, as characters that no page has.
CODE_SPACES = {" ": "\ue000", "\t": "\ue001"}
KEPT_SPACES = str.maketrans(CODE_SPACES)
RESTORED_SPACES = str.maketrans({kept: space for space, kept in CODE_SPACES.items()})


def extract(page: str | Selector) -> dict[str, str]:
    """The ``text``, a line for each block, and the ``xpath`` that found it; both empty if none
    finds text."""
    selector = page if isinstance(page, Selector) else Selector(text=page, type="html")
    dropped = set()
    for xpath in (*DROP, *BESIDE_TEXT):
        dropped.update(elements_at(selector, xpath))

    for xpath in KEEP:
        elements = outermost_of(elements_at(selector, xpath))
        if TAKE == "span":
            elements = add_between(elements)

        texts = []
        for element in elements:
            text = block_text(element, dropped)
            if text:
                texts.append(text)
        if not texts:
            continue
        if TAKE == "largest":
            return {"text": max(texts, key=len), "xpath": xpath}
        return {"text": "\n".join(texts), "xpath": xpath}
    return {"text": "", "xpath": ""}


def elements_at(selector: Selector, xpath: str) -> list[Any]:
    """The elements that an XPath finds."""
    return [match.root for match in selector.xpath(xpath)]


def outermost_of(elements: list[Any]) -> list[Any]:
    """The elements that are not inside another of them."""
    all_elements = set(elements)
    outermost = []
    for element in elements:
        is_inside = any(above in all_elements for above in element.iterancestors())
        if not is_inside:
            outermost.append(element)
    return outermost


def add_between(parts: list[Any]) -> list[Any]:
    """The parts, and the elements that stand between two successive ones, in document order."""
    joined = parts[:1]
    for part, following in pairwise(parts):
        between = find_between(part, following)
        if len(between) <= MAX_BETWEEN:
            joined += between
        joined.append(following)
    return joined


def find_between(part: Any, following: Any) -> list[Any]:
    """The outermost elements after a part and before the following one."""
    path = [part, *islice(part.iterancestors(), MAX_LEVELS)]
    following_path = [following, *islice(following.iterancestors(), MAX_LEVELS)]
    common = next((element for element in following_path if element in path), None)
    if common is None:
        return []
    path = path[: path.index(common)]
    following_path = following_path[: following_path.index(common)]
    between = []
    for element in path[:-1]:
        between += element.itersiblings("*")
    for sibling in path[-1].itersiblings("*"):
        if sibling is following_path[-1]:
            break
        between.append(sibling)
    for element in reversed(following_path[:-1]):
        between += reversed(list(element.itersiblings("*", preceding=True)))
    return between


def block_text(element: Any, dropped: set[Any]) -> str:
    """The text of the element with single spaces, a line for each block; code as it is written."""
    text = "".join(text_pieces(element, dropped))
    lines = []
    for line in text.split("\n"):
        folded = " ".join(line.split())
        written = folded.translate(RESTORED_SPACES).rstrip()
        if written:
            lines.append(written)
    return "\n".join(lines)


def text_pieces(element: Any, dropped: set[Any]) -> Iterator[str]:
    """Texts in document order, with a line break where a block starts or ends."""
    code = {below for block in element.iter("pre") for below in block.iter()}
    stack: list[Any] = [element]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        is_element = isinstance(item.tag, str)
        edge = "\n" if is_element and item.tag not in INLINE else ""
        if item is not element:
            stack.append(fold_spaces(item.tail, item.getparent() in code))
        stack.append(edge)
        yield edge
        if is_element and item.tag not in IGNORED and item not in dropped:
            stack.extend(reversed(item))
            stack.append(fold_spaces(item.text, item in code))


def fold_spaces(text: str | None, is_code: bool) -> str:
    """The text with single spaces; code with its own, and its lines."""
    if is_code:
        return (text or "").translate(KEPT_SPACES)
    return re.sub(r"\s+", " ", text or "")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        html = path.read_text(encoding="utf-8", errors="replace")
        result = {"page": name, **extract(html)}
        print(json.dumps(result, ensure_ascii=False))

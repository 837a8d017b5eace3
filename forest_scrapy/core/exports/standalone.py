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


#: Classes of captions of pictures, and of the numbers of the lines of code.
CAPTION_CLASS = re.compile(r"(?:(?<![a-zA-Z])c|(?<=[a-z])C)aptions?(?![a-z])")
#: In other languages and of credits; only of short texts, since some are layouts, too.
NAMED_CAPTION = re.compile(
    r"(?i:bild-?(?:unterschrift|text(?![a-z_-])|nachweis|quelle|legende|rechte|zeile)"
    r"|(?<![a-z])(?:l[eé]gende|legenda|didascalia|(?:foto-?)?bijschrift|onderschrift|kuvateksti"
    r"|popisek|billedtekst|bildetekst|pie-?(?:de-?)?foto|cutline)(?![a-z])"
    r"|(?<![a-z])field[_-]{1,2}(?:credits?|copyright)(?![a-z])"
    r"|(?<![a-z])(?:photo|foto|image|img|picture|bild)[_-]{0,2}"
    r"(?:credits?|copyright|nachweis|description)(?![a-z]))"
)
#: The words among them that tell whose a picture is.
CREDIT = re.compile(r"(?i)nachweis|quelle|rechte|credit|copyright")
MAX_NAMED_CAPTION = 400
MIN_STORY_CAPTIONS = 3
NUMBERS_CLASS = re.compile(r"(?:^|[\s_-])(?:gutter|line-?(?:no|num|number)s?|lnt?)(?![a-z])", re.I)
CAPTION_TAGS = ("div", "p", "span", "small", "dd")
NUMBERS = re.compile(r"[\s\d.:|]*")


def extract(page: str | Selector) -> dict[str, str]:
    """The ``text``, a line for each block, and the ``xpath`` that found it; both empty if none
    finds text."""
    selector = page if isinstance(page, Selector) else Selector(text=page, type="html")
    dropped = set()
    for xpath in DROP:
        dropped.update(elements_at(selector, xpath))
    captions = set(find_captions(selector.root))
    line_numbers = set(find_line_numbers(selector.root))
    named_captions = set(find_named_captions(selector.root))
    beside_text = dropped | captions | line_numbers

    for xpath in KEEP:
        elements = outermost_of(elements_at(selector, xpath))
        if TAKE == "span":
            elements = add_between(elements)

        texts = texts_without_captions(elements, beside_text, named_captions)
        if not texts:  # captions are the text if there is nothing else
            texts = element_texts(elements, dropped)
        if not texts:
            continue
        text = "\n".join(texts)
        if TAKE == "largest":
            text = max(texts, key=len)
        return {"text": text, "xpath": xpath}
    return {"text": "", "xpath": ""}


def texts_without_captions(
    elements: list[Any], beside_text: set[Any], named_captions: set[Any]
) -> list[str]:
    """The texts of the elements; with captions, but no credits, if these are what a page tells."""
    texts = element_texts(elements, beside_text | named_captions)
    if len(named_captions) < MIN_STORY_CAPTIONS:
        return texts
    credits = set()
    for caption in named_captions:
        if CREDIT.search(caption.get("class")):
            credits.add(caption)
    texts_with_captions = element_texts(elements, beside_text | credits)
    if is_story(texts_with_captions, texts):
        return texts_with_captions
    return texts


def is_story(texts_with_captions: list[str], texts: list[str]) -> bool:
    """Whether texts beside pictures are what a page tells: several, and more than the rest."""
    long_text = "\n".join(texts_with_captions)
    short_text = "\n".join(texts)
    more_line_ends = long_text.count("\n") - short_text.count("\n")
    if more_line_ends < MIN_STORY_CAPTIONS - 1:
        return False
    return len(long_text) > 2 * len(short_text)


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
    path = path_up(part)
    following_path = path_up(following)
    common = [element for element in following_path if element in path]
    if not common:
        return []
    path = path[: path.index(common[0])]
    following_path = following_path[: following_path.index(common[0])]

    between = []
    for element in path[:-1]:
        between += element.itersiblings("*")
    for sibling in path[-1].itersiblings("*"):
        if sibling is following_path[-1]:
            break
        between.append(sibling)
    for element in reversed(following_path[:-1]):
        siblings_before = list(element.itersiblings("*", preceding=True))
        between += reversed(siblings_before)
    return between


def path_up(element: Any) -> list[Any]:
    """The element, and the levels above it."""
    above = islice(element.iterancestors(), MAX_LEVELS)
    return [element, *above]


def find_captions(root: Any) -> Iterator[Any]:
    """The captions of pictures; not those of figures with a table, code or a quotation."""
    figures_of_others = set()
    for figure in root.iter("figure"):
        if has(figure, "table", "pre", "blockquote"):
            figures_of_others.add(figure)
    for element in root.iter("figcaption"):
        figure = next(element.iterancestors("figure"), None)
        if figure not in figures_of_others:
            yield element
    yield from find_beside_images(root, CAPTION_CLASS)


def find_named_captions(root: Any) -> Iterator[Any]:
    """The short texts beside pictures whose classes have other words for captions."""
    for element in find_beside_images(root, NAMED_CAPTION):
        texts = islice(element.itertext(), 300)
        words = "".join(texts).split()
        if len(" ".join(words)) <= MAX_NAMED_CAPTION:
            yield element


def find_beside_images(root: Any, classes: re.Pattern[str]) -> Iterator[Any]:
    """The elements of such a class that are in an element with an image, and have none."""
    has_image: dict[Any, bool] = {}
    for element in root.iter(*CAPTION_TAGS):
        above = element.getparent()
        if above is None or not classes.search(element.get("class") or ""):
            continue
        if above not in has_image:
            has_image[above] = has(above, "img")
        if has_image[above] and not has(element, "img"):
            yield element


def find_line_numbers(root: Any) -> Iterator[Any]:
    """The elements in or beside code that have nothing but the numbers of its lines."""
    blocks = {}
    for code in root.iter("pre"):
        # Numbers may stand in another cell of the same table.
        table = next(code.iterancestors("table"), None)
        block = code if table is None else table
        blocks[block] = True
    seen = set()
    for block in blocks:
        for element in block.iter("td", "span", "div", "pre", "a", "code"):
            if element in seen:
                continue
            seen.add(element)
            has_number = element.get("data-line-number") is not None
            is_marked = has_number or NUMBERS_CLASS.search(element.get("class") or "")
            if is_marked and all(NUMBERS.fullmatch(text) for text in element.itertext()):
                yield element


def has(element: Any, *tags: str) -> bool:
    """Whether an element with one of these tags is below another one."""
    return next(element.iter(*tags), None) is not None


def element_texts(elements: list[Any], dropped: set[Any]) -> list[str]:
    """The texts of the elements that have some."""
    texts = []
    for element in elements:
        text = block_text(element, dropped)
        if text:
            texts.append(text)
    return texts


def block_text(element: Any, dropped: set[Any]) -> str:
    """The text of the element with single spaces, a line for each block; code as it is written."""
    lines = []
    line = ""
    is_code_line = False
    last_edge = ("\n", False)
    for text, is_code in (*text_pieces(element, dropped), last_edge):
        for part in re.split(r"(\n)", text):
            if part != "\n":
                line += part
                if is_code and part.strip():
                    is_code_line = True
                continue
            clean_line = line.rstrip() if is_code_line else " ".join(line.split())
            if clean_line:
                lines.append(clean_line)
            line = ""
            is_code_line = False
    return "\n".join(lines)


def text_pieces(element: Any, dropped: set[Any]) -> Iterator[tuple[str, bool]]:
    """Texts in document order, with a line break where a block starts or ends; whether each is
    code."""
    code = set()
    for block in element.iter("pre"):
        if block not in code:  # not inside another one
            code.update(block.iter())
    stack: list[Any] = [element]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            yield item
            continue
        is_element = isinstance(item.tag, str)
        is_block = is_element and item.tag not in INLINE
        has_text = is_element and item.tag not in IGNORED and item not in dropped
        edge = ("\n" if is_block else "", False)
        if item is not element:
            is_in_code = item.getparent() in code
            stack.append(fold_spaces(item.tail, is_in_code))
        stack.append(edge)
        yield edge
        if has_text:
            is_in_code = item in code
            stack.extend(reversed(item))
            stack.append(fold_spaces(item.text, is_in_code))


def fold_spaces(text: str | None, is_code: bool) -> tuple[str, bool]:
    """The text with single spaces, code with its own ones and its lines; and whether it is code."""
    if is_code:
        return text or "", True
    return re.sub(r"\s+", " ", text or ""), False


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        html = path.read_text(encoding="utf-8", errors="replace")
        result = {"page": name, **extract(html)}
        print(json.dumps(result, ensure_ascii=False))

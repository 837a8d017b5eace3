"""What of a page is written in a way of its own: formulas, code, footnotes, and what is no text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from forest_scrapy.core.page.columns import find_features
from forest_scrapy.core.page.structures.code_blocks import (
    CODE_TAGS,
    CodeBlock,
    find_code_blocks,
    find_code_labels,
    is_copy_button,
)
from forest_scrapy.core.page.structures.footnotes import (
    InlineNote,
    Note,
    NoteLabel,
    NoteMark,
    find_notes,
)
from forest_scrapy.core.page.structures.formulas import (
    FORMULA_TAGS,
    Formula,
    draws_dollars,
    find_formulas,
    is_layout_table,
)
from forest_scrapy.core.page.structures.permalinks import find_permalinks
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.site_caches import site_cache

#: Elements up to the outermost one of a block of code or a formula.
MAX_LEVELS = 12


@dataclass(frozen=True)
class Nothing:
    """An element that shows no content: a button, a permalink, a formula that was shown before."""


@dataclass(frozen=True)
class PlainTag:
    """An element that is read as another one: a link of a heading to itself as ``span``, a table
    that only places a formula as ``div``."""

    tag: str


Structure = CodeBlock | Formula | InlineNote | Note | NoteLabel | NoteMark | Nothing | PlainTag
NOTHING = Nothing()


@dataclass(frozen=True, eq=False)
class Structures:
    """The structures of the page with this ``root``, by their elements."""

    root: Element
    by_element: Mapping[Element, Structure] = field(default_factory=dict)

    @cached_property
    def has_dollars(self) -> bool:
        """Whether formulas may stand between single dollars in a text."""
        return draws_dollars(self.root)

    def around(self, root: Element) -> Structure | None:
        """The block of code or the formula that an element is inside of, as what is to be read of
        the element; None if it is inside of none."""
        element: Element | None = root.getparent()
        for _ in range(MAX_LEVELS):
            if element is None:
                return None
            structure = self.by_element.get(element)
            if isinstance(structure, CodeBlock):
                return _part_of_code(structure, root)
            if isinstance(structure, Formula):
                return structure
            element = element.getparent()
        return None

    def show_formulas(self, hidden: frozenset[Element]) -> frozenset[Element]:
        """The hidden elements that are no formula: what is hidden there is another form of it."""
        formulas = []
        for element in hidden:
            if isinstance(self.by_element.get(element), Formula):
                formulas.append(element)
        if formulas:
            return hidden.difference(formulas)
        return hidden


def _part_of_code(block: CodeBlock, root: Element) -> Structure:
    """What an element inside of a block of code, its numbers and labels has of it."""
    if root is block.root or block.root in root.iterdescendants():
        return block
    if block.root in root.iterancestors():
        return CodeBlock(root, block.language, block.is_code)
    return NOTHING


def find_structures(root: Element, own_url: str = "") -> Structures:
    """The structures of a tree.  ``own_url``: that of the page, without a fragment.

    Cost: one walk, and a look at what it finds; the classes tell which further searches by libxml2
    may find something.
    """
    by_element: dict[Element, Structure] = {}
    features = find_features(root, _WANTED)
    links = features.links
    names = " ".join(sorted(filter(_is_marking, features.classes)))
    for element, is_sign in find_permalinks(root, own_url, names, links).items():
        by_element[element] = NOTHING if is_sign else PlainTag("span")
    for tag, element in features.elements:
        if tag == "table":
            if is_layout_table(element):
                by_element[element] = PlainTag("div")
        elif tag in _BUTTONS and is_copy_button(element):
            by_element[element] = NOTHING
    notes = find_notes(root, own_url, names, links)
    by_element.update(notes.inline)
    by_element.update(notes.notes)
    by_element.update(notes.labels)
    by_element.update(notes.marks)
    blocks = find_code_blocks(root, names, features.elements)
    by_element.update(dict.fromkeys(find_code_labels(blocks), NOTHING))
    by_element.update(blocks)
    for element, formula in find_formulas(root, names, features.elements).items():
        by_element[element] = NOTHING if formula is None else formula
    return Structures(root, by_element)


_BUTTONS = frozenset(("button", "clipboard-copy", "copy-button"))
#: Elements that are, or may have, a structure.
_WANTED = _BUTTONS | {"table"} | CODE_TAGS | FORMULA_TAGS
#: Parts of the classes by which the searches know what they look for.  Each begins with a letter,
#: so that other characters are passed fast.
_MARKING = re.compile(
    r"math|Math|ate[Xx]|Ate[Xx]|katex|formula|mjx|tex(?:(?<=^tex)$|2jax)|anchor|headerlink|"
    r"hash-link|permalink|"
    r"editsection|heading|ltx_|sidenote|marginnote|footnote__note|highlight|blob|file-line|hljs-ln|crayon|"
    r"CodeMirror|view-lines"
)


@site_cache
@lru_cache(maxsize=4096)
def _is_marking(names: str) -> bool:
    """Whether the classes of an element are those that a search looks for."""
    return _MARKING.search(names) is not None

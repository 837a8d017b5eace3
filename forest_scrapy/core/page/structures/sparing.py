"""Code, formulas and notes, which a wrapper must not leave out: they belong to the text around.

A wrapper leaves out what looks like boilerplate.  A block of code has few words, a formula none
that a classifier knows, and notes are short lines at the end with links: all look like it.
"""

from collections.abc import Collection, Iterable
from itertools import islice

from forest_scrapy.core.page.structures.code_blocks import CodeBlock
from forest_scrapy.core.page.structures.footnotes import Note, NoteMark
from forest_scrapy.core.page.structures.formulas import Formula
from forest_scrapy.core.page.structures.page_structures import Structures
from forest_scrapy.core.page.tree import Element

#: Elements around one that are looked at.
MAX_LEVELS = 12
#: The same for a mark, up to the content that it is in.
MAX_PATH = 200
#: The share of the text from which an element has notes only: the rest is its heading.
MIN_NOTE_SHARE = 0.6


def spare_structures(
    structures: Structures,
    without: Collection[Element],
    blocks: Collection[Element],
) -> set[Element]:
    """The elements to leave out of the content in ``blocks``: those of ``without`` but code,
    formulas, parts of them, and the notes whose marks are in the content.

    A part of the page that is left out with all that is in it stays so.  Cost: a look around each
    element and each mark.
    """
    left_out = set(without)
    if not structures.by_element or not left_out:
        return left_out
    spared = [element for element in left_out if _is_of_block(element, structures)]
    left_out.difference_update(spared)
    has_notes_only: dict[Element, bool] = {}
    for note in _find_cited(structures, blocks, left_out):
        elements_inside = set(note.iter("*"))
        is_around = not left_out.isdisjoint(_path_of(note))
        if is_around or not left_out.isdisjoint(elements_inside):
            left_out -= elements_inside
            left_out.difference_update(_around_notes(note, structures, has_notes_only))
    return left_out


def find_notes_outside(
    structures: Structures,
    blocks: Collection[Element],
    without: Collection[Element],
) -> list[Element]:
    """The notes of marks in ``blocks`` that are in none of these, in the order of the marks."""
    if not structures.by_element:
        return []
    inside = set(blocks)
    cited = _find_cited(structures, blocks, without)
    return [note for note in cited if inside.isdisjoint(_path_of(note))]


def _find_cited(
    structures: Structures,
    blocks: Collection[Element],
    without: Collection[Element],
) -> dict[Element, None]:
    """The notes whose marks are in the content."""
    inside = set(blocks)
    notes: dict[Element, None] = {}
    for mark, structure in structures.by_element.items():
        if not isinstance(structure, NoteMark):
            continue
        if structure.note is None or structure.note in notes:
            continue
        path = _path_of(mark)
        is_in_content = not inside.isdisjoint(path)
        if is_in_content and path.isdisjoint(without):
            notes[structure.note] = None
    return notes


def _path_of(element: Element) -> set[Element]:
    """The element and those around it."""
    around = islice(element.iterancestors(), MAX_PATH)
    return {element, *around}


def _is_of_block(element: Element, structures: Structures) -> bool:
    """Whether an element is code or a formula, a part of one, or has nothing else."""
    around = islice(element.iterancestors(), MAX_LEVELS)
    for ancestor in (element, *around):
        if _is_block(ancestor, structures):
            return True
    only = _only_child(element)
    for _ in range(MAX_LEVELS):
        if only is None:
            return False
        if _is_block(only, structures):
            return True
        only = _only_child(only)
    return False


def _is_block(element: Element, structures: Structures) -> bool:
    structure = structures.by_element.get(element)
    return isinstance(structure, CodeBlock | Formula)


def _only_child(element: Element) -> Element | None:
    """The element that is all of another one; None if that has a text or more of them."""
    if (element.text or "").strip():
        return None
    first_children = islice(element.iterchildren("*"), 2)
    children = list(first_children)
    if len(children) != 1:
        return None
    child = children[0]
    text_after = child.tail or ""
    if text_after.strip():
        return None
    return child


def _around_notes(
    note: Element,
    structures: Structures,
    has_notes_only: dict[Element, bool],
) -> Iterable[Element]:
    """The elements around a note that have little but notes.

    ``has_notes_only``: the answers for elements visited before; those on the way are added.
    """
    around = islice(note.iterancestors(), MAX_LEVELS)
    for ancestor in around:
        if ancestor not in has_notes_only:
            has_notes_only[ancestor] = _has_notes_only(ancestor, structures)
        if not has_notes_only[ancestor]:
            return
        yield ancestor


def _has_notes_only(element: Element, structures: Structures) -> bool:
    if element.tag in ("body", "html", "article", "main"):
        return False
    length_of_notes = 0
    for descendant in element.iterdescendants("*"):
        structure = structures.by_element.get(descendant)
        if isinstance(structure, Note):
            length_of_notes += _measure(descendant)
    return length_of_notes >= MIN_NOTE_SHARE * _measure(element)


def _measure(element: Element) -> int:
    length = 0
    for text in element.itertext():
        length += len(text.strip())
    return length

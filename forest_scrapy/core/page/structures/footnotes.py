"""Footnotes: the marks in the text, the notes that they link, and the links back.

A mark is a short link to an element of the same page, raised or named as a mark; its note is what
that element is in.  What links back to the mark is not part of the note.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from forest_scrapy.core.page.tree import HEADINGS, Element, has_one_child

#: Notes of a page that are read.
MAX_NOTES = 2000
#: Characters of the longest note.
MAX_LENGTH = 5000
#: Elements from the target of a mark up to its note.
MAX_LEVELS = 5


@dataclass(frozen=True)
class NoteMark:
    """The mark of a note in the text.

    ``link``: the link to the note, None for a note that stands beside the mark; ``note``: the
    element that is the note, unless it is beside the mark; ``has_note``: whether the page has it.
    """

    label: str
    link: Element | None = None
    note: Element | None = None
    has_note: bool = True


@dataclass(frozen=True)
class Note:
    """A note, which is read as any element is; ``shown_label``: its label as the page shows it."""

    label: str
    shown_label: str = ""

    def strip_label(self, text: str) -> str:
        """The text that a note begins with, without the label.

        >>> Note("1", "*").strip_label("* At night"), Note("1", "1").strip_label("1984 was")
        ('At night', '1984 was')
        """
        start = text.lstrip(_BEFORE_LABEL)
        if not self.shown_label or not start.startswith(self.shown_label):
            return text
        after_label = start[len(self.shown_label) :]
        ends_as_word = self.shown_label[-1].isalnum()
        goes_on_as_word = after_label[:1].isalnum()
        if ends_as_word and goes_on_as_word:
            return text
        return after_label.lstrip(AFTER_LABEL)


#: What stands before the label of a note, and between the label and its text.
_BEFORE_LABEL = " \t\r\n\xa0[("
AFTER_LABEL = " \t\r\n\xa0.:)]"


@dataclass(frozen=True)
class InlineNote:
    """A note that stands in the text where its mark is; ``content``: the element that has it."""

    label: str
    content: Element


@dataclass(frozen=True)
class NoteLabel:
    """The label of a note before its text, or a link from it back to the mark: no text."""


@dataclass
class Notes:
    """The marks, notes and labels of a page, by their elements."""

    marks: dict[Element, NoteMark] = field(default_factory=dict)
    notes: dict[Element, Note] = field(default_factory=dict)
    inline: dict[Element, InlineNote] = field(default_factory=dict)
    labels: dict[Element, NoteLabel] = field(default_factory=dict)


_LINKS = etree.XPath(".//a[contains(@href, '#')]")
_INLINE = etree.XPath(
    ".//span[contains(@class, 'ltx_role_footnote') or contains(@class, 'ltx_role_endnote')]"
    " | .//span[@class = 'sidenote' or @class = 'marginnote']"
    " | .//span[contains(@class, 'footnote__note')]"
)
_TARGETS = etree.XPath("//*[@id] | //a[@name]")
#: The text of a mark, without its brackets.
_LABEL = re.compile(
    r"(?:note|nb|n|fn)?\s*+(?:\.\s*+)?(\d{1,4}|[a-z]{1,2}|[ivxlc]{1,6})|[*†‡§¶#∗⁎]{1,4}", re.I
)
_PLAIN_LABEL = re.compile(r"[A-Za-z0-9]{1,8}")
_BRACKETS = " \t\r\n\xa0[]()^."
_OF_MARKS = re.compile(
    r"footnote|foot-note|noteref|note-ref|(?:^|[\s_-])fn(?:ref)?(?=$|[\s_-])|(?:^|\s)reference(?:\s|$)|"
    r"endnote|sidenote|ftnref|easy-footnote|modern-footnotes|simple-footnote|sup-ref|doc-noteref",
    re.IGNORECASE,
)
_TARGET_NAME = re.compile(r"fn|foot|note|cite|ref|ftn|edn", re.IGNORECASE)
_BACK = re.compile(
    r"backref|back-ref|backlink|back-link|footnote-back|footnote__back|reversefootnote|"
    r"footnote-return|fn-back|footnote-jump|return",
    re.IGNORECASE,
)
_BACK_TEXT = re.compile(
    r"[\s\xa0]*+(?:(?:↩|↑|⏎|↵|⤴|⬆|🔙|⮐|↖|«|^\^)[\ufe0e\ufe0f]?\s*+\d*+|\^|jump up|"
    r"jump back(?: up)?|"
    r"back(?: to (?:text|content|top|article))?|return(?: to (?:text|article))?|go back|retour|"
    r"zurück(?: zum text)?|volver(?: al texto)?|\[(?:back|return|↩|↑)\])[\s\xa0^.↑]*+",
    re.IGNORECASE,
)
#: Elements that a note may be.
_CONTAINERS = ("li", "p", "div", "dd", "aside", "section", "blockquote")
_INLINE_PARENTS = ("sup", "span", "small", "b", "strong", "em", "i", "cite")


def find_notes(
    root: Element,
    own_url: str = "",
    classes: str | None = None,
    links: Sequence[Element] | None = None,
) -> Notes:
    """The footnotes of a page.

    ``own_url``: that of the page, without a fragment.  ``classes``: those of its elements, as far
    as they may be of use; None: not known.  ``links``: those with a fragment; None: not known.

    Cost: one search for links; one more of the page if a link may be a mark.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> page = parse_html("<p>Owls<sup><a href=#f1>1</a></sup><ol><li id=f1>At night.</ol>")
    >>> notes = find_notes(page)
    >>> [(one.tag, mark.label) for one, mark in notes.marks.items()], len(notes.notes)
    ([('sup', '1')], 1)
    """
    notes = Notes()
    if classes is None or _OF_INLINE.search(classes):
        _find_inline(root, notes)
    if links is None:
        links = _LINKS(root)
    targets = []
    candidates = []
    for link in links:
        target = _fragment(link, own_url)
        if not target:
            continue
        targets.append((link, target))
        if _may_be_mark(link):
            candidates.append((link, target))
    if not candidates:
        return notes
    reader = _Reader(root, notes)
    for link, target in candidates[: 2 * MAX_NOTES]:
        reader.add(link, target)
    reader.find_backlinks(targets)
    return notes


_OF_INLINE = re.compile(r"ltx_|sidenote|marginnote|footnote__note")


def _fragment(link: Element, own_url: str) -> str:
    """The name of the element on the same page that a link leads to; ``""`` if it leads away."""
    href = link.get("href") or ""
    url, _, fragment = href.strip().partition("#")
    is_same_page = not url or url == own_url
    return fragment if is_same_page else ""


def _text_of(element: Element, max_length: int = 40) -> str:
    """The text of a short element; what is cut off is too long for a label."""
    text = ""
    for piece in element.itertext():
        text += piece
        if len(text) > max_length:
            break
    return text.strip()


def _may_be_mark(link: Element) -> bool:
    text = _text_of(link)
    label = text.strip(_BRACKETS)
    if not label or not _LABEL.fullmatch(label):
        return False
    raised = next(link.iterchildren("sup"), None)
    if raised is not None or _is_named(link):
        return True
    parent = link.getparent()
    if parent is not None and parent.tag in _INLINE_PARENTS:
        if parent.tag == "sup" or _is_named(parent):
            return True
        above = parent.getparent()
        if above is not None and above.tag == "sup":
            return True
    is_bracketed = text.startswith("[") and text.endswith("]")
    href = link.get("href") or ""
    _, _, target = href.partition("#")
    return is_bracketed and _TARGET_NAME.search(target) is not None


def _is_named(element: Element) -> bool:
    names = f"{element.get('class') or ''} {element.get('role') or ''}"
    kind = element.get("epub:type") or element.get("data-footnote-ref")
    if kind is not None:
        return True
    has_names = bool(names.strip())
    return has_names and _OF_MARKS.search(names) is not None


class _Reader:
    """The notes of a page while its links are read in their order."""

    def __init__(self, root: Element, notes: Notes) -> None:
        self.notes = notes
        self.targets: dict[str, Element] = {}
        for element in _TARGETS(root):
            for name in (element.get("id"), element.get("name")):
                if name:
                    self.targets.setdefault(name, element)
        self.mark_names: set[str] = set()
        self.used: set[str] = {note.label for note in notes.inline.values()}

    def add(self, link: Element, target: str) -> None:
        """Take a link for a mark, if the element that it leads to may be a note."""
        if target in self.mark_names:
            return
        element = self.targets.get(target)
        if element is None:
            self._add_mark_only(link)
            return
        container = _find_container(element)
        if container is None or container in link.iterancestors():
            return
        note = self.notes.notes.get(container)
        if note is None:
            if len(self.notes.notes) >= MAX_NOTES or not _is_note(container):
                return
            shown_label = _text_of(link).strip(_BRACKETS)
            note = Note(self._choose_label(link), shown_label)
            if not self.notes.notes:
                self._find_rule(container)
            self.notes.notes[container] = note
            self._find_label(container, element, note)
        holder = _outer_mark(link)
        self.notes.marks[holder] = NoteMark(note.label, link, container)
        self.mark_names.update(_names_of(link, holder))

    def _add_mark_only(self, link: Element) -> None:
        """A mark whose note is not on the page, if it is raised or named as a mark."""
        holder = _outer_mark(link)
        tags = [holder.tag, link.tag, *(child.tag for child in link.iterchildren("sup"))]
        is_raised = "sup" in tags
        if is_raised or _is_named(link):
            label = _text_of(link).strip(_BRACKETS)
            self.notes.marks[holder] = NoteMark(label, link, has_note=False)

    def _find_rule(self, first: Element) -> None:
        """The rule between the text and the first note, which is no part of either."""
        for ancestor in _around(first, 3):
            before = ancestor.getprevious()
            if before is not None:
                if before.tag == "hr" and not _has_text_after(before):
                    self.notes.labels[before] = NoteLabel()
                return
            if ancestor.tag in ("article", "main", "body"):
                return

    def _choose_label(self, link: Element) -> str:
        label = _text_of(link).strip(_BRACKETS)
        number = len(self.notes.notes) + 1
        if not _PLAIN_LABEL.fullmatch(label) or label in self.used:
            label = str(number)
        while label in self.used:
            number += 1
            label = str(number)
        self.used.add(label)
        return label

    def _find_label(
        self,
        container: Element,
        target: Element,
        note: Note,
    ) -> None:
        """The label that the note begins with; of a definition list, its term."""
        if container.tag == "dd":
            term = container.getprevious()
            if term is not None and term.tag == "dt":
                self.notes.labels[term] = NoteLabel()
        first = _first_inline(container)
        if first is None:
            return
        text = _text_of(first).strip(_BRACKETS + ":")
        names = first.get("class") or ""
        looks_like_label = bool(text) and _LABEL.fullmatch(text) is not None
        if text != note.label and not looks_like_label:
            return
        if first.tag in ("sup", "a") or "label" in names or "number" in names:
            self.notes.labels[first] = NoteLabel()

    def find_backlinks(self, links: Iterable[tuple[Element, str]]) -> None:
        """The links inside of notes that lead back to their marks."""
        for link, target in links:
            if link in self.notes.labels or _is_mark(link, self.notes):
                continue
            is_back = target in self.mark_names
            if not is_back and not _is_backlink(link):
                continue
            if not any(ancestor in self.notes.notes for ancestor in _around(link)):
                continue
            holder = _outer_backlink(link)
            self.notes.labels[holder] = NoteLabel()


def _is_mark(link: Element, notes: Notes) -> bool:
    return any(ancestor in notes.marks for ancestor in _around(link, 3))


def _around(
    element: Element,
    levels: int = 2 * MAX_LEVELS,
) -> Iterator[Element]:
    """The element and some of those around it."""
    ancestor: Element | None = element
    for _ in range(levels):
        if ancestor is None:
            return
        yield ancestor
        ancestor = ancestor.getparent()


def _is_backlink(link: Element) -> bool:
    names = f"{link.get('class') or ''} {link.get('role') or ''}"
    text = _text_of(link)
    return _BACK.search(names) is not None or (
        bool(text) and _BACK_TEXT.fullmatch(text) is not None
    )


def _outer_backlink(link: Element) -> Element:
    """The element around links back, such as ``^ a b``; the link if there is none."""
    for ancestor in _around(link, 4):
        names = ancestor.get("class") or ""
        if ancestor is not link and ancestor.tag in _INLINE_PARENTS and _BACK.search(names):
            return ancestor
    parent = link.getparent()
    if parent is None or not has_one_child(parent):
        return link
    if parent.tag not in ("sup", "small", "span"):
        return link
    link_text = _text_of(link).strip(_BRACKETS)
    parent_text = _text_of(parent).strip(_BRACKETS)
    return parent if parent_text == link_text else link


def _outer_mark(link: Element) -> Element:
    """The raised element that has nothing but the mark; the link if there is none."""
    mark = link
    label = _text_of(link).strip(_BRACKETS)
    for element in _around(link, 4):
        if element is link:
            continue
        if element.tag not in _INLINE_PARENTS or _text_of(element).strip(_BRACKETS) != label:
            break
        mark = element
    return mark


def _names_of(link: Element, holder: Element) -> Iterator[str]:
    """The names by which a note may lead back to its mark."""
    elements = [*holder.iter(), *_around(holder, 2)]
    before = holder.getprevious()
    if before is not None and before.tag in ("a", "span") and not _has_text_after(before):
        elements.append(before)
    for element in elements:
        is_container = element is not link and element.tag in _CONTAINERS
        if is_container or not isinstance(element.tag, str):
            continue
        for name in (element.get("id"), element.get("name")):
            if name:
                yield name


def _find_container(target: Element) -> Element | None:
    """The note that a target is, or is in."""
    for element in _around(target, MAX_LEVELS):
        if element.tag == "dt":
            following = element.getnext()
            if following is not None and following.tag == "dd":
                return following
            return None
        if element.tag in _CONTAINERS:
            parent = element.getparent()
            if element.tag in ("p", "div") and parent is not None and parent.tag == "li":
                if parent[0] is element:
                    return parent
                return element
            return element
        if element.tag in ("body", "html", "table", "tr", "td", *HEADINGS):
            return None
    return None


def _is_note(container: Element) -> bool:
    """Whether an element may be a note: not empty, not long, without headings and other notes."""
    length = 0
    for text in container.itertext():
        length += len(text.strip())
        if length > MAX_LENGTH:
            return False
    if length <= 1:
        return False
    section = next(container.iter(*HEADINGS, "article", "main"), None)
    return section is None


def _has_text_after(element: Element) -> bool:
    return bool((element.tail or "").strip())


def _first_inline(container: Element) -> Element | None:
    """The element that a note's text begins with, if that is an inline one."""
    element = container
    for _ in range(MAX_LEVELS):
        if (element.text or "").strip():
            return None
        first = next((child for child in element if isinstance(child.tag, str)), None)
        if first is None:
            return None
        is_empty = not _text_of(first) and not _has_text_after(first)
        if is_empty and first.tag == "a":
            following = first.getnext()
            if following is None:
                return None
            first = following
        if first.tag in ("sup", "a", "span", "b", "strong"):
            return first
        element = first
    return None


def _find_inline(root: Element, notes: Notes) -> None:
    """Notes that stand in the text beside their marks, as LaTeXML and Tufte CSS write them."""
    elements: list[Element] = list(_INLINE(root))
    for number, element in enumerate(elements[:MAX_NOTES], start=1):
        content = element
        for span in element.iter("span"):
            if "ltx_note_content" in _class(span):
                content = span
                break
        notes.inline[element] = InlineNote(str(number), content)
        for child in content.iterchildren("sup", "span"):
            if "ltx_note_mark" in _class(child) or "ltx_tag_note" in _class(child):
                notes.labels[child] = NoteLabel()
        before = element.getprevious()
        for _ in range(2):
            if before is None:
                break
            is_mark = before.tag == "sup" and "__note" in _class(element)
            if before.tag not in ("label", "input") and not is_mark:
                break
            notes.labels[before] = NoteLabel()
            before = before.getprevious()


def _class(element: Element) -> str:
    return element.get("class") or ""

"""HTML as blocks of Markdown: paragraphs, headings, lists, quotations, code and tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml import etree

from forest_scrapy.core.markdown.inline import (
    BREAK,
    CODE,
    DELETED,
    EMPHASIS,
    LINE_CONTROLS,
    LOWERED,
    PLAIN,
    RAISED,
    STRONG,
    InlineImage,
    LinkMark,
    Mark,
    Markup,
    Run,
    is_shown,
    is_web_url,
    write_formula,
    write_inline,
    write_text,
)
from forest_scrapy.core.page.markup import LANGUAGE_CLASS, MARK_CLASS, MATH_CLASSES, NOTE_ID
from forest_scrapy.core.page.structures.typography import quotation_marks
from forest_scrapy.core.page.tree import HEADINGS, Element, is_block, is_ignored, parse_html

_MARKS: dict[str, Mark] = {
    **dict.fromkeys(("b", "strong"), STRONG),
    **dict.fromkeys(("em", "i"), EMPHASIS),
    **dict.fromkeys(("del", "s"), DELETED),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), CODE),
    "sup": RAISED,
    "sub": LOWERED,
}
_PLAYERS = ("video", "audio")
#: What a cell of a table in Markdown cannot have.
_NOT_IN_CELLS = ("table", "blockquote", "hr", "figure", *HEADINGS)
_LISTS = ("ul", "ol", "dl")
#: Lists and quotations inside each other; those below have no markup.
_MAX_DEPTH = 12
#: A cell that spans more columns than this is one of them.
_MAX_COLUMNS = 30
#: Rows that a cell spans, at most, and the empty cells that spans make in all.
MAX_ROW_SPAN = 200
MAX_EMPTY_CELLS = 5000
#: The text of a mark of a footnote, and what the note has as its ``id``.
_NOTE_LABEL = re.compile(r"\[?([A-Za-z0-9]{1,12})\]?")
#: The label as the text of a note begins with it.
_SHOWN_LABEL = re.compile(r"\A\s*\[[A-Za-z0-9]{1,12}\]\s+")


@dataclass(eq=False, slots=True)
class _Container:
    """A quotation, or an item of a list."""

    first: str
    further: str
    list: "_List | None" = None
    is_started: bool = False

    def take_prefix(self) -> str:
        """What comes before the next line."""
        prefix = self.further if self.is_started else self.first
        self.is_started = True
        return prefix


@dataclass(eq=False, slots=True)
class _List:
    """A list that is read.  ``marker``: that of its items, after the number of an ordered one."""

    number: int | None
    marker: str
    is_started: bool = False


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A block without others inside, and the containers that it is in."""

    lines: Sequence[str]
    containers: tuple[_Container, ...]
    is_paragraph: bool = False


def to_markdown(html: str) -> str:
    """Sanitized HTML as Markdown, with ``#`` headings.  Cost: some 5 ms for a page.

    What is text in the HTML is text in the Markdown.  Links and images that are not to the web are
    left out, but not their text.

    >>> to_markdown("<h2>Boats</h2><p>Two <b>red</b> <a href='http://a.example/'>boats</a>.</p>")
    '## Boats\\n\\nTwo **red** [boats](http://a.example/).'
    >>> to_markdown("<p>&lt;script&gt; [x](javascript:y)</p>")
    '&lt;script> \\\\[x](javascript:y)'
    """
    root = parse_html(f"<div>{html}</div>")
    writer = _Writer(notes=_find_notes(root))
    writer.read(root)
    return _join(writer.leaves)


def text_to_markdown(text: str) -> str:
    """A plain text as Markdown, with a paragraph for each line."""
    paragraphs = map(write_text, text.splitlines())
    return "\n\n".join(filter(None, paragraphs))


@dataclass(slots=True)
class _Writer:
    """Reads a tree into blocks.  ``in_cell``: all of them are one line; ``notes``: the labels of
    the footnotes that the text has."""

    in_cell: bool = False
    notes: frozenset[str] = frozenset()
    leaves: list[_Leaf] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    _containers: list[_Container | None] = field(default_factory=list)
    _lists: list[_List] = field(default_factory=list)
    _marks: list[frozenset[Mark]] = field(default_factory=lambda: [PLAIN])
    _heading: str = ""
    _links: int = 0
    #: Whether the next text begins a note, and may have its label.
    _is_note_start: bool = False

    def read(self, root: Element) -> None:
        """Read what is below the element."""
        walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walk:
            if event == "start":
                self._marks.append(self._marks[-1])
                if self._is_whole(element):
                    walk.skip_subtree()
                    continue
                self._start(element)
                self._add(element.text)
            else:
                if event == "end":
                    if element.tag == "q":
                        self._add(quotation_marks(element)[1])
                    self._marks.pop()
                    self._end(element)
                if element is not root:
                    self._add(element.tail)
        self._flush()

    def _add(self, text: str | None) -> None:
        is_label = self._is_note_start and bool(text and text.strip())
        if text and is_label:
            self._is_note_start = False
            text = _SHOWN_LABEL.sub("", text, count=1)
        if text:
            self.runs.append((text, self._marks[-1]))

    def _is_whole(self, element: Element) -> bool:
        """Whether the element is written at once, with all that is in it, or not at all."""
        if element.tag in _PLAYERS:
            self._add_player(element)
        elif element.tag == "pre" and not self.in_cell:
            self._flush()
            self._add_leaf(_fence(element))
        elif element.tag == "span" and element.get("class") in MATH_CLASSES:
            self._add_formula(element)
        elif element.tag == "sup" and element.get("class") == MARK_CLASS:
            return self._add_mark(element)
        elif element.tag == "table" and not self.in_cell and _is_data(element):
            self._flush()
            for caption in element.iterchildren("caption"):
                runs = _runs(caption, self.notes)
                self._add_leaf([write_inline(runs)])
            lines = list(_table(element, self.notes))
            self._add_leaf(lines)
        else:
            return is_ignored(element)
        return True

    def _start(self, element: Element) -> None:
        tag = str(element.tag)
        if tag == "br":
            self.runs.append(BREAK)
            return
        if is_block(element):
            self._flush()
            label = _label_of(element)
            if label and tag != "li":
                self._open_note(label)
        if tag in _MARKS:
            self._marks[-1] |= {_MARKS[tag]}
        elif tag == "q":
            self._add(quotation_marks(element)[0])
        elif tag == "pre" and self.in_cell:
            self._marks[-1] |= {CODE}
        elif tag == "a":
            title = element.get("title") or ""
            self._start_link(element.get("href") or "", title)
        elif tag == "img":
            alt = element.get("alt") or ""
            self._add_image(alt, element.get("src"), element.get("title"))
        elif tag in HEADINGS:
            self._heading = "#" * int(tag[1])
        elif tag in ("ul", "ol"):
            start = element.get("start") or ""
            is_number = re.fullmatch("[0-9]{1,8}", start) is not None
            number = int(start) if is_number else 1
            if tag == "ol":
                self._lists.append(_List(number, "."))
            else:
                self._lists.append(_List(None, "-"))
        elif tag == "li":
            self._start_item(element)
        elif tag == "blockquote":
            self._open(_Container("> ", "> "))
        elif tag == "hr" and not self.in_cell:
            self._add_leaf(["___"])

    def _end(self, element: Element) -> None:
        if is_block(element) and element.tag != "br":
            self._flush()
        if element.tag in ("li", "blockquote"):
            self._containers.pop()
        elif element.tag in ("ul", "ol"):
            self._lists.pop()
        elif element.tag in HEADINGS:
            self._heading = ""
        if is_block(element) and _label_of(element):
            self._is_note_start = False
            if element.tag != "li":
                self._containers.pop()

    def _start_link(self, url: str, title: str) -> None:
        if is_web_url(url) and not self._is_in_link():
            self._links += 1
            link = LinkMark(self._links, url, title)
            self._marks[-1] |= {link}

    def _is_in_link(self) -> bool:
        return any(isinstance(mark, LinkMark) for mark in self._marks[-1])

    def _add_image(
        self,
        alt: str,
        url: str | None,
        title: str | None = None,
    ) -> None:
        if url and is_web_url(url):
            image = InlineImage(alt, url, title or "")
            self.runs.append((image, self._marks[-1] - {CODE}))

    def _add_player(self, element: Element) -> None:
        """A video or audio: a link to it, which has its picture or no text."""
        self._flush()
        urls = []
        for source in element.iter(*_PLAYERS, "source"):
            urls.append(source.get("src") or "")
        url = next(filter(is_web_url, urls), "")
        poster = element.get("poster") or ""
        if is_web_url(poster):
            self._start_link(url, "")
            self._add_image("", poster)
        elif url and not self._is_in_link():
            player = InlineImage("", url, is_link=True)
            self.runs.append((player, PLAIN))

    def _add_formula(self, element: Element) -> None:
        """A formula between dollars; one that stands alone is a block."""
        source = "".join(map(str, element.itertext()))
        latex = write_formula(source)
        if not latex:
            return
        is_block_formula = element.get("class") == MATH_CLASSES[1]
        if is_block_formula and not self.in_cell and not self._heading:
            self._flush()
            self._add_leaf(["$$", latex, "$$"])
        else:
            formula = Markup(f"${latex}$")
            self.runs.append((formula, self._marks[-1] - {CODE}))

    def _add_mark(self, element: Element) -> bool:
        """Write the mark of a footnote; False if the note is missing: it is another raised text."""
        label = _marked_label(element)
        if label not in self.notes:
            return False
        mark = Markup(f"[^{label}]")
        self.runs.append((mark, self._marks[-1] - {CODE}))
        return True

    def _open_note(self, label: str) -> None:
        self._is_note_start = True
        self._open(_Container(f"[^{label}]: ", "    "))

    def _start_item(self, element: Element) -> None:
        label = _label_of(element)
        if label:
            self._open_note(label)
            return
        item_list = self._lists[-1] if self._lists else _List(None, "-")
        if not item_list.is_started:
            item_list.is_started = True
            list_before = self._list_before()
            if list_before and list_before.marker == item_list.marker:  # they would be one
                item_list.marker = "*" if item_list.number is None else ")"
        first = f"{item_list.marker} "
        if item_list.number is not None:
            first = f"{item_list.number}{first}"
            item_list.number += 1
        further = " " * len(first)
        self._open(_Container(first, further, item_list))

    def _list_before(self) -> _List | None:
        """The list that ends right before the next block, in the same containers."""
        inside = self._inside()
        if not self.leaves:
            return None
        last = self.leaves[-1].containers
        depth = len(inside)
        is_deeper = len(last) > depth and last[:depth] == inside
        if is_deeper:
            return last[depth].list
        return None

    def _open(self, container: _Container) -> None:
        is_too_deep = len(self._inside()) >= _MAX_DEPTH
        self._containers.append(None if is_too_deep else container)

    def _inside(self) -> tuple[_Container, ...]:
        return tuple(container for container in self._containers if container is not None)

    def _flush(self) -> None:
        """Write the runs as paragraphs or headings."""
        if self.in_cell:
            self.runs.append((" ", PLAIN))
            return
        runs = self.runs
        self.runs = []
        for paragraph in _paragraphs(runs):
            if self._heading:
                text = write_inline(paragraph, is_line=True)
                self._add_leaf([f"{self._heading} {text}"] if text else [])
            else:
                lines = write_inline(paragraph).split("\n")
                self._add_leaf(lines, is_paragraph=True)

    def _add_leaf(
        self,
        lines: Sequence[str],
        is_paragraph: bool = False,
    ) -> None:
        if any(lines):
            leaf = _Leaf(lines, self._inside(), is_paragraph)
            self.leaves.append(leaf)


def _paragraphs(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """The runs of each paragraph; an empty line is between two."""
    paragraph: list[Run] = []
    is_empty = True
    for run in runs:
        if run != BREAK:
            is_empty = is_empty and not is_shown(run)
        elif is_empty:
            yield _without_break(paragraph)
            paragraph = []
            continue
        else:
            is_empty = True
        paragraph.append(run)
    yield _without_break(paragraph)


def _without_break(runs: list[Run]) -> list[Run]:
    """The runs without line breaks at the end, which some renderers show."""
    while runs:
        is_last_shown = runs[-1] != BREAK and is_shown(runs[-1])
        if is_last_shown:
            break
        runs.pop()
    return runs


def _fence(element: Element) -> list[str]:
    """Preformatted text between fences that are longer than any inside; nothing if it is empty."""
    text = "".join(_preformatted(element))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = []
    for line in text.strip("\n").split("\n"):
        lines.append(line.translate(LINE_CONTROLS))
    if not any(map(str.strip, lines)):
        return []
    ticks = re.findall("`+", text)
    longest_ticks = max(map(len, ticks), default=0)
    fence = "`" * max(3, longest_ticks + 1)
    return [f"{fence}{_language_of(element)}", *lines, fence]


def _language_of(pre: Element) -> str:
    """The language of the code in a preformatted text; ``""`` if it is not known."""
    code = next(pre.iter("code"), None)
    if code is None:
        return ""
    classes = code.get("class") or ""
    is_language = classes.startswith(LANGUAGE_CLASS)
    if is_language:
        return classes.removeprefix(LANGUAGE_CLASS)
    return ""


def _find_notes(root: Element) -> frozenset[str]:
    """The labels of the footnotes."""
    labels = {_label_of(element) for element in _NAMED(root)}
    return frozenset(labels - {""})


_NAMED = etree.XPath(f".//*[starts-with(@id, '{NOTE_ID}')]")


def _label_of(element: Element) -> str:
    """The label of the footnote that an element is; ``""`` if it is none."""
    name = element.get("id") or ""
    if not name.startswith(NOTE_ID):
        return ""
    label_text = name.removeprefix(NOTE_ID)
    label = _NOTE_LABEL.fullmatch(label_text)
    if label is not None:
        return label[1]
    return ""


def _marked_label(mark: Element) -> str:
    """The label of the note that a mark leads to, or else the one that it shows; ``""`` if it has
    none."""
    link = next(mark.iter("a"), None)
    url = ""
    if link is not None:
        url = link.get("href") or ""
    shown_label = url.removeprefix("#" + NOTE_ID)
    if shown_label == url:
        text = "".join(map(str, mark.itertext()))
        shown_label = text.strip()
    label = _NOTE_LABEL.fullmatch(shown_label)
    if label is not None:
        return label[1]
    return ""


def _preformatted(element: Element) -> Iterator[str]:
    """The text below the element; each block inside is on lines of its own."""
    walk = etree.iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, node in walk:
        is_start = event == "start"
        if node is element and event == "end":
            continue
        may_break = is_start or node.tag != "br"
        if may_break and node is not element and is_block(node):
            yield "\n"
        if is_start and node.text:
            yield node.text
        elif not is_start and node.tail:
            yield node.tail


def _is_data(table: Element) -> bool:
    """Whether a table can be one in Markdown: it has several columns, and its cells have lines of
    text, or lists if it has several rows or a header.  Others are written cell by cell."""
    obstacle = next(table.iterdescendants(*_NOT_IN_CELLS), None)
    if obstacle is not None:
        return False
    for pre in table.iter("pre"):
        code = "".join(_preformatted(pre)).strip()
        if "\n" in code:
            return False

    rows = 0
    for row in table.iter("tr"):
        rows += len(_cells(row)) > 1
    first_list = next(table.iterdescendants(*_LISTS), None)
    if first_list is not None:
        heading = next(table.iter("th", "caption", "thead"), None)
        has_header = heading is not None
        return rows > 1 or (rows == 1 and has_header)
    return rows > 0


def _cells(row: Element) -> list[Element]:
    return list(row.iterchildren("td", "th"))


def _table(table: Element, notes: frozenset[str]) -> Iterator[str]:
    """The lines of a table.  The header is empty if the first row is not one."""
    rows = _rows(table, notes)
    width = max(map(len, rows))
    header = rows.pop(0) if _has_header(table) else []
    yield _line(header, width)
    yield _line(["---"] * width, width)
    for row in rows:
        yield _line(row, min(width, _MAX_COLUMNS))


def _has_header(table: Element) -> bool:
    """Whether the first row names the columns: it is in a head, or has no cells with data."""
    row = next(table.iter("tr"))
    parent = row.getparent()
    if parent is not None and parent.tag == "thead":
        return True
    cells = _cells(row)
    data_cells = [cell for cell in cells if cell.tag != "th"]
    if len(data_cells) == len(cells):
        return False
    for cell in data_cells:
        text = "".join(map(str, cell.itertext()))
        if text.strip():
            return False
    return True


def _rows(table: Element, notes: frozenset[str]) -> list[list[str]]:
    """The cells of each row.  A cell that spans several columns or rows is the first of its places;
    the others are empty."""
    rows: list[list[str]] = []
    #: For each column, in how many of the next rows it belongs to a cell above.
    above: dict[int, int] = {}
    remaining_empty_cells = MAX_EMPTY_CELLS
    for row in table.iter("tr"):
        texts: list[str] = []
        below: dict[int, int] = {}
        for cell in _cells(row):
            _skip_places(texts, above)
            columns = _span(cell, "colspan", _MAX_COLUMNS)
            more_rows = _span(cell, "rowspan", MAX_ROW_SPAN) - 1
            empty_cells = columns * (more_rows + 1) - 1
            if empty_cells > remaining_empty_cells:
                columns = 1
                more_rows = 0
                empty_cells = 0
            remaining_empty_cells -= empty_cells
            for i in range(columns):
                below[len(texts) + i] = more_rows
            runs = _runs(cell, notes)
            text = write_inline(runs, is_cell=True)
            texts.append(text)
            texts += [""] * (columns - 1)
        _skip_places(texts, above)
        rows.append(texts)
        for column, count in above.items():
            if count > 1:
                below[column] = count - 1
        above = {column: count for column, count in below.items() if count > 0}
    return rows


def _skip_places(texts: list[str], above: dict[int, int]) -> None:
    """Leave the next places of a row empty that cells of rows above reach into."""
    while len(texts) in above:
        texts.append("")


def _span(
    cell: Element,
    name: str,
    max_span: int,
) -> int:
    """The columns or rows that a cell spans; 1 if that is not a number, or too many."""
    span = cell.get(name) or ""
    if re.fullmatch("[0-9]{1,3}", span) is None:
        return 1
    is_possible = 0 < int(span) <= max_span
    return int(span) if is_possible else 1


def _line(cells: Sequence[str], width: int) -> str:
    """A line of a table, with at least so many cells."""
    missing = width - len(cells)
    empty_cells = [""] * missing
    row = " | ".join([*cells, *empty_cells])
    return f"| {row} |"


def _runs(element: Element, notes: frozenset[str] = frozenset()) -> list[Run]:
    writer = _Writer(in_cell=True, notes=notes)
    writer.read(element)
    return writer.runs


def _join(leaves: Sequence[_Leaf]) -> str:
    """The blocks as lines, with an empty one between two blocks where Markdown needs it."""
    lines: list[str] = []
    last: tuple[_Container, ...] = ()
    was_paragraph = False
    for leaf in leaves:
        shared = _count_shared(last, leaf.containers)
        are_paragraphs = was_paragraph and leaf.is_paragraph
        is_tight = are_paragraphs and _is_tight(last, leaf, shared)
        if lines and not is_tight:
            prefixes = [container.further for container in last[:shared]]
            prefix = "".join(prefixes)
            lines.append(prefix.rstrip())
        for line in leaf.lines:
            prefixes = [container.take_prefix() for container in leaf.containers]
            prefix = "".join(prefixes)
            lines.append(prefix + line if line else prefix.rstrip())
        last = leaf.containers
        was_paragraph = leaf.is_paragraph
    return "\n".join(lines)


def _count_shared(
    containers: Sequence[_Container],
    next_containers: Sequence[_Container],
) -> int:
    """How many of the containers are the same, from the outermost on."""
    shared = 0
    for container, next_container in zip(containers, next_containers, strict=False):
        if container is not next_container:
            break
        shared += 1
    return shared


def _is_tight(
    last: Sequence[_Container],
    leaf: _Leaf,
    shared: int,
) -> bool:
    """Whether a paragraph needs no empty line before: it starts an item of the list of the last
    paragraph, or of a list inside that item."""
    opened = leaf.containers[shared : shared + 1]
    if not opened:
        return False
    first_container = opened[0]
    if first_container.list is None:
        return False
    if len(last) > shared:
        return last[shared].list is first_container.list
    if shared == 0 or last[-1].list is None:
        return False
    marker = first_container.first[:2]
    return marker in ("- ", "* ", "1.", "1)")

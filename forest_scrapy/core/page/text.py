"""The visible text of an element."""

import re
from collections.abc import Collection
from itertools import islice

from forest_scrapy.core.lazy import LazyPattern
from forest_scrapy.core.page.tree import (
    IGNORED,
    PHRASING,
    Element,
    encodable,
    is_block,
    is_ignored,
    parse_html,
)

_LINE_ENDS = re.compile(r"\r\n|\r|\n")
#: Characters without a width: soft hyphens, places where a word may be broken, byte order marks.
_INVISIBLE = ("\u00ad", "\u200b", "\u2060", "\ufeff")
#: Joiners between Latin letters; other scripts and emoji are written with them.
_JOINERS = LazyPattern("(?<![^\x00-\u024f])[\u200c\u200d]+(?![^\x00-\u024f])")
#: Characters that XML 1.0 does not allow, also not as a reference.
_NOT_XML = LazyPattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def strip_invisible(text: str) -> str:
    """The text without soft hyphens and other characters that have no width; joiners stay where a
    script or an emoji needs them.

    >>> strip_invisible("Unter\u00adnehmen"), strip_invisible("a\u200db")
    ('Unternehmen', 'ab')
    """
    if text.isascii():
        return text
    if "\u200c" in text or "\u200d" in text:
        text = _JOINERS.compiled.sub("", text)
    for character in _INVISIBLE:
        text = text.replace(character, "")
    return text


def xml_text(text: str) -> str:
    """The text without characters that XML does not allow.

    >>> xml_text("Owls\\x08")
    'Owls'
    """
    return _NOT_XML.compiled.sub("", text)


_LAST_PIECES = 4
_LAST_CHARACTERS = 20


class Lines:
    """Lines under construction; those that end while ``is_caption`` is set are captions, told only
    by the word of a class if ``is_named_caption`` is set, too.

    >>> lines = Lines()
    >>> lines.add("One  two", is_pre=False); lines.end(); lines.add("three", is_pre=False)
    >>> lines.text()
    'One two\\nthree'
    """

    __slots__ = (
        "_captions", "_empty_lines", "_keeps_indent", "_line", "_lines", "_named_captions",
        "is_caption", "is_named_caption", "pieces",
    )  # fmt: skip

    def __init__(self) -> None:
        self.is_caption = False
        self.is_named_caption = False
        self._lines: list[str] = []
        #: The numbers of the lines that are captions, and of those that only a class tells.
        self._captions: set[int] = set()
        self._named_captions: set[int] = set()
        self._line: list[str] = []
        self._keeps_indent = False
        #: Empty lines since the last one of a preformatted text; None outside of one.
        self._empty_lines: int | None = None
        #: Everything added, with a space at each line end.
        self.pieces: list[str] = []

    @property
    def is_open(self) -> bool:
        """Whether the current line has anything in it."""
        return bool(self._line)

    @property
    def line_end(self) -> str:
        """The last characters of the current line, some 20; ``""`` if there is nothing in it."""
        last_pieces = "".join(self._line[-_LAST_PIECES:])
        return last_pieces[-_LAST_CHARACTERS:]

    @property
    def ends_in_space(self) -> bool:
        """Whether the current line ends in white space."""
        return bool(self._line) and self._line[-1].endswith(" ")

    def add(self, text: str, is_pre: bool) -> None:
        """Add text to the current line; ``is_pre``: white space and line ends count."""
        if not is_pre:
            is_clean = text.isprintable() and "  " not in text  # faster than the substitution
            self._append(text if is_clean else _SPACES.sub(" ", text), is_pre)
            return
        parts = _LINE_ENDS.split(text)
        for i, part in enumerate(parts):
            if i:
                self._end_preformatted()
            if part:
                self._append(part, is_pre)

    def end(self) -> None:
        """End the current line, if there is anything in it."""
        if self._line:
            self._end_line()
        self._empty_lines = None

    def _end_preformatted(self) -> None:
        """End a line of a preformatted text, whose empty lines are kept between others."""
        if self._line:
            self._end_line()
        elif self._empty_lines is not None:
            self._empty_lines += 1

    def _end_line(self) -> None:
        line = "".join(self._line).rstrip()
        if not self._keeps_indent:
            line = line.lstrip()
        self._line.clear()
        self.pieces.append(" ")
        if not line:
            if self._empty_lines is not None:
                self._empty_lines += 1
            return
        empty_lines = [""] * (self._empty_lines or 0)
        self._empty_lines = 0
        start = len(self._lines)
        self._lines += empty_lines
        self._lines.append(line)
        if self.is_caption:
            captions = self._named_captions if self.is_named_caption else self._captions
            captions.update(range(start, len(self._lines)))

    def add_caption(self, text: str) -> None:
        """Add a caption as a line of its own."""
        self.end()
        was_caption = self.is_caption
        self.is_caption = True
        self.add(text, is_pre=False)
        self.end()
        self.is_caption = was_caption

    def text(self) -> str:
        """All lines, the current one too."""
        self.end()
        return "\n".join(self._lines)

    def body(self) -> str:
        """The lines that are not captions."""
        self.end()
        return "\n".join(self._lines_without(self._captions | self._named_captions))

    def named_body(self) -> str | None:
        """The lines that are not captions, or are told to be some only by the word of a class; None
        if none is."""
        self.end()
        if not self._named_captions:
            return None
        return "\n".join(self._lines_without(self._captions))

    @property
    def named_captions(self) -> int:
        """The number of lines that only the word of a class tells to be captions."""
        return len(self._named_captions)

    def _lines_without(self, numbers: Collection[int]) -> list[str]:
        if not numbers:
            return self._lines
        return [line for number, line in enumerate(self._lines) if number not in numbers]

    def _append(self, piece: str, is_pre: bool) -> None:
        if not self._line:
            self._keeps_indent = is_pre
        self._line.append(piece)
        self.pieces.append(piece)


_SPACES = re.compile(r"\s+")


def block_text(element: Element, without: Collection[Element] = ()) -> str:
    """The visible text below the element, one line per block; preformatted text keeps its lines.
    Elements in ``without`` are left out, but not the text after them.

    >>> block_text(parse_html("<div><p>One <b>two</b></p>three<br>four</div>"))
    'One two\\nthree\\nfour'
    """
    lines = Lines()
    stack = [(element, False, False)]
    while stack:
        descendant, ended, is_pre = stack.pop()
        if is_block(descendant):
            lines.end()
        if ended or is_ignored(descendant) or descendant in without:
            if descendant is not element and descendant.tail:
                lines.add(descendant.tail, is_pre)
            continue
        keeps = is_pre or descendant.tag == "pre"
        if descendant.text:
            lines.add(descendant.text, keeps)
        stack.append((descendant, True, is_pre))
        stack.extend((child, False, keeps) for child in reversed(descendant))
    return lines.text()


#: What stands in square brackets like a tag: a name, and attributes.
_BRACKETS = re.compile(r"\[(/?)([a-z][\w-]{0,40})((?:\s[^\[\]]{0,2000})?)\]")
#: An attribute of a shortcode, in quotation marks of any kind, or of their entities.
_ATTRIBUTE = re.compile(r"[\w-]=[\"'\u201c\u201d\u2018\u2019\u2033]")
#: How the names of shortcodes begin that page builders write, and those of WordPress itself.
_BUILDERS = (
    "vc_", "et_pb_", "av_", "fusion_", "cs_", "kc_", "mk_", "us_", "wpb_", "fl_", "su_", "ux_",
    "nectar_", "qode_", "trx_", "tm_", "dt_", "stm_", "tatsu_", "themify_", "divi_",
)  # fmt: skip
_SHORTCODES = frozenset("caption gallery embed playlist audio video contact-form-7".split())


def strip_shortcodes(text: str) -> str:
    """The text without the shortcodes of page builders and of WordPress that were not replaced:
    tags in square brackets with a known name, or with attributes; and what closes them.

    >>> strip_shortcodes('[vc_row][vc_column width="1/2"]Boats come in.[/vc_column][/vc_row]')
    'Boats come in.'
    >>> strip_shortcodes("He said [the master] so [1]."), strip_shortcodes("[map zoom='3']Quay")
    ('He said [the master] so [1].', 'Quay')
    """
    if "[" in text:
        return _BRACKETS.sub(_strip_shortcode, text)
    return text


def _strip_shortcode(match: re.Match[str]) -> str:
    slash, name, attributes = match.groups()
    is_of_builder = name.startswith(_BUILDERS)
    is_written_as_known = name in _SHORTCODES and bool(attributes or slash)
    start_tag = f"[{name} "
    is_opened = match.string.find(start_tag, 0, match.start()) >= 0
    is_closing = slash and not attributes and is_opened
    has_attributes = _ATTRIBUTE.search(attributes) is not None
    if is_of_builder or is_written_as_known or is_closing or has_attributes:
        return ""
    return match[0]


#: Nodes of the largest element that is read as a line.
_MAX_NODES = 300
#: Elements inside of a line whose text is part of it.
_PLAIN_TAGS = PHRASING - IGNORED


def line_text(element: Element) -> str:
    """The visible text below the element on one line; ``""`` if it has more than 300 nodes, so that
    elements in each other are read in linear time.

    >>> line_text(parse_html("<div><p>One <b>two</b></p>three</div>"))
    'One two three'
    """
    if not len(element) and not is_ignored(element):
        text = element.text or ""
        return " ".join(text.split())
    first_nodes = islice(element.iter(), _MAX_NODES + 1)
    nodes = list(first_nodes)
    if len(nodes) > _MAX_NODES:
        return ""
    del nodes[0]
    is_plain = all(node.tag in _PLAIN_TAGS for node in nodes)
    if is_plain and not is_ignored(element):  # most elements, and it is faster
        text = "".join(element.itertext())
        return " ".join(text.split())
    return " ".join(block_text(element).split())


def text_of_few(element: Element, max_nodes: int) -> str | None:
    """The text below an element of at most ``max_nodes`` nodes, unchanged; None if it has more, so
    that elements in each other are looked at in linear time.

    >>> text_of_few(parse_html("<p>One <b>two</b></p>"), 9), text_of_few(parse_html("<p><b>a"), 2)
    ('One two', None)
    """
    first_nodes = islice(element.iter(), max_nodes + 1)
    nodes = list(first_nodes)
    if len(nodes) > max_nodes:
        return None
    pieces = []
    for node in nodes:
        if isinstance(node.tag, str):
            pieces.append(node.text or "")
        if node is not element:
            pieces.append(node.tail or "")
    return "".join(pieces)


#: Control characters but tabs and line ends, other line separators, what changes the order of the
#: characters after it, and surrogates, which cannot be written.
_NOT_PRINTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The text for a terminal or a log: control characters, which may begin escape sequences, are
    written as in JSON.  So text that is JSON has the same data.

    >>> printable("Owls\\x1b[2J"), printable("漁師\\n")
    ('Owls\\\\u001b[2J', '漁師\\n')
    """
    return _NOT_PRINTED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def strip_markup(text: str) -> str:
    """The text of an HTML fragment, on one line; plain text is returned with its white space
    normalized.

    >>> strip_markup("<p>Fish &amp; <b>chips</b></p>"), strip_markup(" a  b ")
    ('Fish & chips', 'a b')
    """
    if "<" not in text and "&" not in text:
        return " ".join(encodable(text).split())
    return _text_on_one_line(parse_html(f"<div>{text}</div>"))


def _text_on_one_line(root: Element) -> str:
    """``block_text`` on one line, in half of its time."""
    from forest_scrapy.core.page.columns import read_line_pieces  # numpy comes with it

    pieces = read_line_pieces(root, PHRASING, IGNORED)
    return " ".join("".join(pieces).split())

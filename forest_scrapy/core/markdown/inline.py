"""A line or paragraph of Markdown: runs of text with their marks, images, links and line breaks.

Markup is written only where the rules of CommonMark make it what it is meant to be; the text
without a mark is right, too.  Characters of the text are escaped where they could be markup.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from forest_scrapy.core.page.urls import SCHEMES


class Link(NamedTuple):
    """The mark of a link.  ``number``: tells links with the same address apart."""

    number: int
    url: str
    title: str = ""


class Image(NamedTuple):
    """An image, or with ``is_link`` a link without a text, such as that to a video."""

    alt: str
    url: str
    title: str = ""
    is_link: bool = False


class Markup(NamedTuple):
    """What is written as it is: a formula, the mark of a footnote."""

    written: str


STRONG, EMPHASIS, DELETED, CODE = "**", "*", "~~", "`"
#: Raised and lowered text, which Markdown has no markup for but that of HTML.
RAISED, LOWERED = "sup", "sub"
Mark = str | Link
#: A text, an image, markup or a line break (None), with its marks.
Run = tuple[str | Image | Markup | None, frozenset[Mark]]
PLAIN: frozenset[Mark] = frozenset()
#: A line break.
BREAK: Run = (None, PLAIN)

#: White space for Python, and line ends for some renderers, but not in HTML; what has no width or
#: is a control character.
_CONTROLS = {
    **dict.fromkeys((*range(32), *range(0x7F, 0xA0), 0xFEFF)),
    **dict.fromkeys((9, 10, 12, 13, 11, 28, 29, 30, 31, 0x85, 0x2028, 0x2029), " "),
}
#: The same for preformatted lines.
LINE_CONTROLS = {number: new for number, new in _CONTROLS.items() if number != 9}
_SPACES = re.compile(r"[ \t\n\r\f]+")


def write_inline(runs: Sequence[Run], is_line: bool = False, is_cell: bool = False) -> str:
    """Runs as Markdown.  ``is_line``: of a heading, where a line break is a space and the start of
    the line needs no escape; ``is_cell``: of a table, the same.

    >>> write_inline([("2 * 3 <b> ", PLAIN), ("snake_case", frozenset((STRONG,)))])
    '2 * 3 &lt;b> **snake_case**'
    """
    one_line = is_line or is_cell
    if one_line:
        runs = [(" ", PLAIN) if run == BREAK else run for run in runs]
    tokens = list(_nest(_normalise(runs), PLAIN))
    _choose_delimiters(tokens)
    written = _escape(tokens, one_line)
    if is_line:
        written = _CLOSING.sub(r"\1\\\2", written)
    if is_cell:
        written = written.replace("|", r"\|")
    return written.replace("\n", "  \n")


def is_shown(run: Run) -> bool:
    """Whether the run is an image or has a text that is not white space."""
    content = run[0]
    return not isinstance(content, str) or bool(content.translate(_CONTROLS).strip())


def write_text(text: str, is_line: bool = False) -> str:
    """A plain text as one paragraph of Markdown; ``is_line``: as that of a heading.

    >>> write_text("# [x](javascript:y)"), write_text("# C #", is_line=True)
    ('\\\\# \\\\[x](javascript:y)', '# C \\\\#')
    """
    return write_inline([(text, PLAIN)], is_line)


def write_address(url: str) -> str:
    """An address as a link that shows it; as text if it is not one of the web.

    >>> write_address("http://a.example/<b>"), write_address("javascript:x")
    ('<http://a.example/%3Cb%3E>', 'javascript:x')
    """
    plain = _percent_encode(url)
    if not is_web_url(plain) or _ENTITY.search(plain):
        return write_text(url)
    return f"<{plain}>"


def write_formula(latex: str) -> str:
    """LaTeX without what would be markup for readers that do not know formulas: tags, links and
    addresses are broken by a space, which LaTeX does not show.

    >>> write_formula("a<b"), write_formula("[a](b)"), write_formula("http://a.example/")
    ('a< b', '[a] (b)', 'http: //a.example/')
    """
    return _MARKUP_IN_LATEX.sub(r"\g<0> ", " ".join(latex.translate(_CONTROLS).split()))


_MARKUP_IN_LATEX = re.compile(
    r"<(?=[A-Za-z/!?])|\](?=[(:\[])|\[(?=\^)|:(?=//)|www(?=\.)|@(?=\w)", re.I
)


def is_web_url(url: str) -> bool:
    """Whether the URL is absolute, and has one of the schemes that articles may have."""
    try:
        return urlsplit(url).scheme in SCHEMES
    except ValueError:
        return False


_NOT_IN_URLS = re.compile(r'[\s<>`|\\"]')
_NOT_PRINTED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_OF_LINKS = re.compile(r"[()\[\]]")


def _percent_encode(url: str) -> str:
    """The URL without control characters, and with all that could end it percent-encoded."""
    return _NOT_IN_URLS.sub(lambda found: quote(found[0]), _NOT_PRINTED.sub("", url).strip())


def _destination(url: str, title: str) -> str:
    plain = _OF_LINKS.sub(r"\\\g<0>", _ENTITY.sub("&amp;", _percent_encode(url)))
    shown = " ".join(title.translate(_CONTROLS).split())
    if not shown:
        return f"]({plain})"
    return f']({plain} "{_OF_TITLES.sub(lambda one: f"&#{ord(one[0])};", shown)}")'


#: Entities are read as characters of the title by all renderers.
_OF_TITLES = re.compile(r'[\\"`\[\]<&]')


def _normalise(runs: Sequence[Run]) -> list[Run]:
    """The runs with white space as HTML shows it: none at the ends of lines, single spaces
    elsewhere, which have the marks that the texts on both sides have."""
    split = [BREAK, *_split_spaces(runs), BREAK]
    found: list[Run] = []
    for i, (content, marks) in enumerate(split):
        if _is_space(content):
            before, after = split[i - 1], split[i + 1]
            if before == BREAK or after == BREAK:
                continue
            marks = marks & before[1] & after[1]
        elif CODE in marks:  # what is not code is not merged with it
            marks = frozenset(one for one in marks if one == CODE or isinstance(one, Link))
        if found and isinstance(content, str) and found[-1][1] == marks:
            last = found[-1][0]
            if isinstance(last, str):
                found[-1] = last + content, marks
                continue
        found.append((content, marks))
    return found[1:-1]


def _split_spaces(runs: Sequence[Run]) -> list[Run]:
    """The runs with the white space at their ends as runs of its own, never two in a row."""
    found: list[Run] = []
    for content, marks in runs:
        if not isinstance(content, str):
            found.append((content, marks))
            continue
        text = _SPACES.sub(" ", content.translate(_CONTROLS))
        inner = text.strip()
        start = text.index(inner) if inner else len(text)
        for part in (text[:start], inner, text[start + len(inner) :]):
            if _is_space(part) and found and _is_space(found[-1][0]):
                found[-1] = found[-1][0], found[-1][1] & marks
            elif part:
                found.append((part, marks))
    return found


def _is_space(content: str | Image | Markup | None) -> bool:
    return isinstance(content, str) and content.isspace()


@dataclass(slots=True)
class _Token:
    """A piece of what is written.

    ``kind``: ``text``, ``label`` (text in brackets), ``delimiter``, ``end of a link`` or
    ``markup``.  ``other``: of a delimiter of emphasis, the one that closes it.
    """

    text: str
    kind: str = "markup"
    other: "_Token | None" = None


def _nest(runs: Sequence[Run], around: frozenset[Mark]) -> Iterator[_Token]:
    """The runs, each mark around all runs in a row that have it."""
    i = 0
    while i < len(runs):
        content, marks = runs[i]
        left = marks - around
        if not left:
            yield from _write(content, any(isinstance(mark, Link) for mark in around))
            i += 1
        elif left == {CODE}:
            yield _Token(_code(str(content)))
            i += 1
        else:
            ends = {mark: _end(runs, i, mark) for mark in left - {CODE}}
            mark = max(ends, key=lambda one: (ends[one], isinstance(one, Link), str(one)))
            yield from _wrap(mark, _nest(runs[i : ends[mark]], around | {mark}))
            i = ends[mark]


def _end(runs: Sequence[Run], start: int, mark: Mark) -> int:
    return next((i for i in range(start, len(runs)) if mark not in runs[i][1]), len(runs))


def _wrap(mark: Mark, inner: Iterator[_Token]) -> Iterator[_Token]:
    if isinstance(mark, Link):
        yield _Token("[")
        yield from inner
        yield _Token(_destination(mark.url, mark.title), "end of a link")
    elif mark in (RAISED, LOWERED):
        yield _Token(f"<{mark}>")
        yield from inner
        yield _Token(f"</{mark}>")
    else:
        opening, closing = _Token(mark, "delimiter"), _Token(mark, "delimiter")
        opening.other = closing
        yield opening
        yield from inner
        yield closing


def _write(content: str | Image | Markup | None, is_label: bool) -> Iterator[_Token]:
    if content is None:
        yield _Token("\n")
    elif isinstance(content, str):
        yield _Token(content, "label" if is_label else "text")
    elif isinstance(content, Markup):
        yield _Token(content.written)
    elif not content.is_link:
        yield _Token("![")
        yield _Token(" ".join(content.alt.translate(_CONTROLS).split()), "label")
        yield _Token(_destination(content.url, content.title), "end of a link")
    elif not is_label:
        yield _Token("[")
        yield _Token(_destination(content.url, content.title))


def _code(text: str) -> str:
    """A code span; its delimiter is longer than any in the text."""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " * ("`" in (text[0], text[-1]) or text[0] == text[-1] == " ")  # is left out again
    return f"{ticks}{space}{text}{space}{ticks}"


def _choose_delimiters(tokens: Sequence[_Token]) -> None:
    """Leave out each pair of delimiters that would not be one in CommonMark, since the characters
    beside it are such as they are.  Emphasis has another delimiter where the first is beside one
    of strong emphasis."""
    pairs = [(one, one.other) for one in tokens if one.other is not None]
    for _ in range(_ROUNDS):
        beside = _beside(tokens)
        wrong = [pair for pair in pairs if pair[0].text and not _is_valid(*pair, beside)]
        if not wrong:
            return
        changed = [pair for pair in wrong if pair[0].text == EMPHASIS]
        for one in (one for pair in changed or wrong for one in pair):
            one.text = "_" if changed else ""
    for pair in pairs:
        pair[0].text = pair[1].text = ""


#: Each round settles the pairs whose neighbours are settled.
_ROUNDS = 6
_Beside = dict[int, tuple[str, str]]


def _beside(tokens: Sequence[_Token]) -> _Beside:
    """The characters before and after each token, by its identity; a space at the ends."""
    written = [one for one in tokens if one.text]
    texts = [" ", *(one.text for one in written), " "]
    return {id(one): (texts[i][-1], texts[i + 2][0]) for i, one in enumerate(written)}


def _is_valid(opening: _Token, closing: _Token, beside: _Beside) -> bool:
    """Whether the first can only open, and the second only close; see "left-flanking" and
    "right-flanking" in CommonMark, section 6.2."""
    before, first = beside[id(opening)]
    last, after = beside[id(closing)]
    return _flanks(opening.text, before, first) and _flanks(opening.text, after, last)


def _flanks(delimiter: str, outer: str, inner: str) -> bool:
    if {delimiter[0], "~"} & {outer, inner} or inner.isspace():  # cmark-gfm looks beyond a ~
        return False
    is_apart = outer.isspace() or unicodedata.category(outer)[0] == "P" or outer in _ASCII
    return is_apart or (delimiter[0] != "_" and not _may_be_punctuation(inner))


#: Punctuation in CommonMark.
_ASCII = frozenset(r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~""")


def _may_be_punctuation(char: str) -> bool:
    """Symbols are punctuation since CommonMark 0.31."""
    return unicodedata.category(char)[0] in "PS"


_ENTITY = re.compile(r"&(?=(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});)")
#: The start of an element, comment or address.
_ANGLE = re.compile(r"<(?=[A-Za-z/!?]|[^\s<>]*@)")
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~\n]|$)")
#: Brackets that begin an image, a note, or a link of some wikis.
_BRACKET = re.compile(r"\[(?=[\^\[])")
#: What makes a link an image or a note.
_BESIDE_BRACKET = re.compile(r"!(?=\[)|(?<=\[)\^")
#: What makes a link, or the definition of one, of any brackets before.
_LINK = re.compile(r"\][(\[:]")
_EMPHASIS = re.compile(r"\*+|_+|~+")
#: At the start of a line: a heading, quotation, list, task, fence, underline, rule, row of a table.
_STARTS = re.compile(
    r"^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|[0-9]{1,9}([.)])(?=\s|$)|\[[ xX]?\]|~~~"
    r"|[-=_*+~:|][-=_*+~:|\t ]*$)",
    re.MULTILINE,
)
#: At the end of a heading.
_CLOSING = re.compile(r"(^|\s)(#+)$")
#: The start of an address that GitHub's Markdown links, up to a space.
_ADDRESS = re.compile(r"(?i)https?(?=://)|www(?=\.)|mailto(?=:)")
#: One that it links, too, and that articles do not.
_OTHER_ADDRESS = re.compile(r"(?i)ftp(?=://)")


def _escape(tokens: Sequence[_Token], one_line: bool) -> str:
    """The tokens as written, with all that would be markup in their texts escaped."""
    written = "".join(one.text for one in tokens)
    kinds = "".join(one.kind[0] * len(one.text) for one in tokens)
    found = {**_find_always(written, kinds), **_find_emphasis(written, kinds)}
    if not one_line:
        found.update(_find_starts(written))
    found = {i: new for i, new in found.items() if kinds[i] in "tl"}
    found.update(_find_addresses(written, kinds, found))
    return _replace(written, found)


def _replace(text: str, found: dict[int, str]) -> str:
    pieces, end = [], 0
    for i in sorted(found):
        pieces += [text[end:i], found[i]]
        end = i + 1
    return "".join([*pieces, text[end:]])


def _find_always(text: str, kinds: str) -> dict[int, str]:
    """What is escaped wherever it stands: the positions and what replaces the characters there."""
    found = {one.start(): "&lt;" for one in _ANGLE.finditer(text)}
    found |= {one.start(): "&amp;" for one in _ENTITY.finditer(text)}
    found |= {one.start(): r"\\" for one in _BACKSLASH.finditer(text)}
    found |= {one.start(): r"\`" for one in re.finditer("`", text)}
    found |= {one.start(): r"\[" for one in _BRACKET.finditer(text)}
    found |= {one.end(): r"\:" for one in _OTHER_ADDRESS.finditer(text)}
    for one in _BESIDE_BRACKET.finditer(text):
        if "m" in kinds[max(0, one.start() - 1) : one.end() + 1]:
            found[one.start()] = rf"\{one[0]}"
    has_link = any(kinds[one.start()] != "m" for one in _LINK.finditer(text))
    for one in re.finditer(r"[\[\]]", text):
        if kinds[one.start()] == "l" or (has_link and one[0] == "["):
            found[one.start()] = "\\" + one[0]
    return found


def _find_emphasis(text: str, kinds: str) -> dict[int, str]:
    """Delimiters of emphasis in texts: those that could open it with one after that could close
    it, or the reverse."""
    found: dict[int, str] = {}
    runs = list(_EMPHASIS.finditer(text))
    for char in "*_~":
        own = [one for one in runs if one[0][0] == char]
        can_open = [_can_open(text, one.start(), one.end()) for one in own]
        can_close = [_can_close(text, one.start(), one.end()) for one in own]
        is_used = any(kinds[one.start()] not in "tl" for one in own)
        first = can_open.index(True) if True in can_open else len(own)
        last = max((i for i, closes in enumerate(can_close) if closes), default=-1)
        for i, one in enumerate(own):
            if (can_open[i] and (is_used or i < last)) or (can_close[i] and (is_used or i > first)):
                found |= dict.fromkeys(range(*one.span()), "\\" + char)
    return found


def _can_open(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
    return _may_flank(text[start], before, after)


def _can_close(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
    return _may_flank(text[start], after, before)


def _may_flank(char: str, outer: str, inner: str) -> bool:
    """Whether a delimiter with these characters beside it may open emphasis, or close it."""
    if inner.isspace() or (char == "_" and inner.isalnum() and outer.isalnum()):
        return False
    is_apart = outer.isspace() or _may_be_punctuation(outer)
    return is_apart or unicodedata.category(inner)[0] != "P"


def _find_starts(text: str) -> dict[int, str]:
    """What would start a block at the start of a line."""
    found = {}
    for one in _STARTS.finditer(text):
        i = one.start() if one[1] is None else one.start(1)
        found[i] = "\\" + text[i]
        while text[i] in "*_~" and text[i + 1 : i + 2] == text[i]:  # the rest would be emphasis
            i += 1
            found[i] = "\\" + text[i]
    return found


def _find_addresses(text: str, kinds: str, escapes: dict[int, str]) -> dict[int, str]:
    """Addresses that GitHub's Markdown would link, with an escape or markup in them, which it would
    take as a part of the address: the character after ``http`` or ``www``, which prevents that."""
    found = {}
    changed = "".join("x" if i in escapes or kind in "mde" else " " for i, kind in enumerate(kinds))
    change = end = word_end = -1
    for one in _ADDRESS.finditer(text):
        i = one.start()
        if kinds[i] not in "tl":
            continue
        change = _next(changed, "x", i, change)
        end = _next(kinds, "e", i, end)  # that of the brackets that a label is in
        word_end = _next(text, " ", i, word_end)
        last = min(end, word_end) if kinds[i] == "l" else word_end
        if change < last:
            found[one.end()] = "\\" + text[one.end()]
    return found


def _next(text: str, char: str, start: int, last: int) -> int:
    """The position of the character from the start on, or the length; ``last``: the one before."""
    if last >= start:
        return last
    i = text.find(char, start)
    return len(text) if i < 0 else i

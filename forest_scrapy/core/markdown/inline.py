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


class LinkMark(NamedTuple):
    """The mark of a link.  ``number``: tells links with the same address apart."""

    number: int
    url: str
    title: str = ""


class InlineImage(NamedTuple):
    """An image, or with ``is_link`` a link without a text, such as that to a video."""

    alt: str
    url: str
    title: str = ""
    is_link: bool = False


class Markup(NamedTuple):
    """What is written as it is: a formula, the mark of a footnote."""

    written: str


STRONG = "**"
EMPHASIS = "*"
DELETED = "~~"
CODE = "`"
#: Raised and lowered text, which Markdown has no markup for but that of HTML.
RAISED = "sup"
LOWERED = "sub"
Mark = str | LinkMark
#: A text, an image, markup or a line break (None), with its marks.
Run = tuple[str | InlineImage | Markup | None, frozenset[Mark]]
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


def write_inline(
    runs: Sequence[Run],
    is_line: bool = False,
    is_cell: bool = False,
) -> str:
    """Runs as Markdown.  ``is_line``: of a heading, where a line break is a space and the start of
    the line needs no escape; ``is_cell``: of a table, the same.

    >>> write_inline([("2 * 3 <b> ", PLAIN), ("snake_case", frozenset((STRONG,)))])
    '2 * 3 &lt;b> **snake_case**'
    """
    is_single_line = is_line or is_cell
    if is_single_line:
        runs = [(" ", PLAIN) if run == BREAK else run for run in runs]
    tokens = list(_nest(_normalise(runs), PLAIN))
    _choose_delimiters(tokens)
    markdown = _escape(tokens, is_single_line)
    if is_line:
        markdown = _CLOSING.sub(r"\1\\\2", markdown)
    if is_cell:
        markdown = markdown.replace("|", r"\|")
    return markdown.replace("\n", "  \n")


def is_shown(run: Run) -> bool:
    """Whether the run is an image or has a text that is not white space."""
    content, _ = run
    if not isinstance(content, str):
        return True
    visible = content.translate(_CONTROLS).strip()
    return bool(visible)


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
    words = latex.translate(_CONTROLS).split()
    line = " ".join(words)
    return _MARKUP_IN_LATEX.sub(r"\g<0> ", line)


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
    printed = _NOT_PRINTED.sub("", url).strip()
    return _NOT_IN_URLS.sub(lambda match: quote(match[0]), printed)


def _destination(url: str, title: str) -> str:
    """The end of a link or an image: the bracket, the address and the title."""
    address = _ENTITY.sub("&amp;", _percent_encode(url))
    address = _OF_LINKS.sub(r"\\\g<0>", address)
    title_words = title.translate(_CONTROLS).split()
    title = " ".join(title_words)
    if not title:
        return f"]({address})"
    title = _OF_TITLES.sub(lambda match: f"&#{ord(match[0])};", title)
    return f']({address} "{title}")'


#: Entities are read as characters of the title by all renderers.
_OF_TITLES = re.compile(r'[\\"`\[\]<&]')


def _normalise(runs: Sequence[Run]) -> list[Run]:
    """The runs with white space as HTML shows it: none at the ends of lines, single spaces
    elsewhere, which have the marks that the texts on both sides have."""
    split_runs = [BREAK, *_split_spaces(runs), BREAK]
    normal_runs: list[Run] = []
    for i, (content, marks) in enumerate(split_runs):
        if _is_space(content):
            before = split_runs[i - 1]
            after = split_runs[i + 1]
            if before == BREAK or after == BREAK:
                continue
            marks = marks & before[1] & after[1]
        elif CODE in marks:  # what is not code is not merged with it
            marks = frozenset(mark for mark in marks if mark == CODE or isinstance(mark, LinkMark))
        if normal_runs and isinstance(content, str):
            last_content, last_marks = normal_runs[-1]
            if isinstance(last_content, str) and last_marks == marks:
                normal_runs[-1] = (last_content + content, marks)
                continue
        normal_runs.append((content, marks))
    return normal_runs[1:-1]


def _split_spaces(runs: Sequence[Run]) -> list[Run]:
    """The runs with the white space at their ends as runs of its own, never two in a row."""
    split_runs: list[Run] = []
    for content, marks in runs:
        if not isinstance(content, str):
            split_runs.append((content, marks))
            continue
        text = content.translate(_CONTROLS)
        text = _SPACES.sub(" ", text)
        stripped = text.strip()
        start = text.index(stripped) if stripped else len(text)
        end = start + len(stripped)
        for part in (text[:start], stripped, text[end:]):
            if _is_space(part) and split_runs and _is_space(split_runs[-1][0]):
                space, space_marks = split_runs[-1]
                split_runs[-1] = (space, space_marks & marks)
            elif part:
                split_runs.append((part, marks))
    return split_runs


def _is_space(content: str | InlineImage | Markup | None) -> bool:
    return isinstance(content, str) and content.isspace()


@dataclass(slots=True)
class _Token:
    """A piece of what is written.

    ``kind``: ``text``, ``label`` (text in brackets), ``delimiter``, ``end of a link`` or
    ``markup``.  ``closing``: of a delimiter of emphasis, the one that closes it.
    """

    text: str
    kind: str = "markup"
    closing: "_Token | None" = None


def _nest(runs: Sequence[Run], around: frozenset[Mark]) -> Iterator[_Token]:
    """The runs, each mark around all runs in a row that have it."""
    i = 0
    while i < len(runs):
        content, marks = runs[i]
        new_marks = marks - around
        if not new_marks:
            is_label = any(isinstance(mark, LinkMark) for mark in around)
            yield from _write(content, is_label)
            i += 1
        elif new_marks == {CODE}:
            yield _Token(_code(str(content)))
            i += 1
        else:
            ends = {}
            for mark in new_marks - {CODE}:
                ends[mark] = _end_of_mark(runs, i, mark)
            longest = max(
                ends, key=lambda mark: (ends[mark], isinstance(mark, LinkMark), str(mark))
            )
            end = ends[longest]
            inner_tokens = _nest(runs[i:end], around | {longest})
            yield from _wrap(longest, inner_tokens)
            i = end


def _end_of_mark(
    runs: Sequence[Run],
    start: int,
    mark: Mark,
) -> int:
    """The first run from the start on that does not have the mark, or the number of runs."""
    for i in range(start, len(runs)):
        _, marks = runs[i]
        if mark not in marks:
            return i
    return len(runs)


def _wrap(mark: Mark, tokens: Iterator[_Token]) -> Iterator[_Token]:
    """The tokens with what is written for a mark before and after them."""
    if isinstance(mark, LinkMark):
        yield _Token("[")
        yield from tokens
        end = _destination(mark.url, mark.title)
        yield _Token(end, "end of a link")
    elif mark in (RAISED, LOWERED):
        yield _Token(f"<{mark}>")
        yield from tokens
        yield _Token(f"</{mark}>")
    else:
        closing = _Token(mark, "delimiter")
        yield _Token(mark, "delimiter", closing)
        yield from tokens
        yield closing


def _write(
    content: str | InlineImage | Markup | None,
    is_label: bool,
) -> Iterator[_Token]:
    if content is None:
        yield _Token("\n")
    elif isinstance(content, str):
        yield _Token(content, "label" if is_label else "text")
    elif isinstance(content, Markup):
        yield _Token(content.written)
    elif not content.is_link:
        yield _Token("![")
        words = content.alt.translate(_CONTROLS).split()
        yield _Token(" ".join(words), "label")
        yield _Token(_destination(content.url, content.title), "end of a link")
    elif not is_label:
        yield _Token("[")
        yield _Token(_destination(content.url, content.title))


def _code(text: str) -> str:
    """A code span; its delimiter is longer than any in the text."""
    ticks_in_text = re.findall("`+", text)
    longest_ticks = max(map(len, ticks_in_text), default=0)
    delimiter = "`" * (longest_ticks + 1)
    has_tick_at_end = "`" in (text[0], text[-1])
    has_space_at_ends = text[0] == text[-1] == " "
    if has_tick_at_end or has_space_at_ends:
        text = f" {text} "  # these spaces are left out again
    return f"{delimiter}{text}{delimiter}"


def _choose_delimiters(tokens: Sequence[_Token]) -> None:
    """Leave out each pair of delimiters that would not be one in CommonMark, since the characters
    beside it are such as they are.  Emphasis has another delimiter where the first is beside one
    of strong emphasis."""
    pairs = []
    for token in tokens:
        if token.closing is not None:
            pairs.append((token, token.closing))
    for _ in range(_ROUNDS):
        neighbours = _find_neighbours(tokens)
        wrong_pairs = []
        for opening, closing in pairs:
            if opening.text and not _is_valid(opening, closing, neighbours):
                wrong_pairs.append((opening, closing))
        if not wrong_pairs:
            return

        changeable = [pair for pair in wrong_pairs if pair[0].text == EMPHASIS]
        delimiter = "_" if changeable else ""
        for opening, closing in changeable or wrong_pairs:
            opening.text = delimiter
            closing.text = delimiter
    for opening, closing in pairs:
        opening.text = ""
        closing.text = ""


#: Each round settles the pairs whose neighbours are settled.
_ROUNDS = 6
#: The characters before and after tokens, by the identity of each.
_Neighbours = dict[int, tuple[str, str]]


def _find_neighbours(tokens: Sequence[_Token]) -> _Neighbours:
    """The characters before and after each token; a space at the ends."""
    tokens = [token for token in tokens if token.text]
    texts = [" ", *(token.text for token in tokens), " "]
    neighbours = {}
    for number, token in enumerate(tokens):
        text_before = texts[number]
        text_after = texts[number + 2]
        neighbours[id(token)] = (text_before[-1], text_after[0])
    return neighbours


def _is_valid(
    opening: _Token,
    closing: _Token,
    neighbours: _Neighbours,
) -> bool:
    """Whether the first can only open, and the second only close; see "left-flanking" and
    "right-flanking" in CommonMark, section 6.2."""
    before, first = neighbours[id(opening)]
    last, after = neighbours[id(closing)]
    if not _flanks(opening.text, before, first):
        return False
    return _flanks(opening.text, after, last)


def _flanks(
    delimiter: str,
    outside: str,
    inside: str,
) -> bool:
    """Whether a delimiter is on one side of a text, by the characters on both of its sides."""
    is_beside_delimiter = {delimiter[0], "~"} & {outside, inside}  # cmark-gfm looks beyond a ~
    if is_beside_delimiter or inside.isspace():
        return False
    category = unicodedata.category(outside)
    is_punctuation = category[0] == "P" or outside in _PUNCTUATION
    if is_punctuation or outside.isspace():
        return True
    return delimiter[0] != "_" and not _may_be_punctuation(inside)


#: Punctuation in CommonMark.
_PUNCTUATION = frozenset(r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~""")


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


#: What replaces characters of a text, by their positions.
_Escapes = dict[int, str]


def _escape(tokens: Sequence[_Token], is_single_line: bool) -> str:
    """The tokens as written, with all that would be markup in their texts escaped."""
    text = "".join(token.text for token in tokens)
    # The first letter of the kind of each character's token.
    kinds = "".join(token.kind[0] * len(token.text) for token in tokens)
    escapes = _escape_always(text, kinds)
    escapes |= _escape_emphasis(text, kinds)
    if not is_single_line:
        escapes |= _escape_starts(text)
    # Only texts and labels are escaped.
    escapes = {place: escape for place, escape in escapes.items() if kinds[place] in "tl"}
    escapes |= _escape_addresses(text, kinds, escapes)
    return _apply(escapes, text)


def _apply(escapes: _Escapes, text: str) -> str:
    pieces = []
    end = 0
    for position in sorted(escapes):
        pieces.append(text[end:position])
        pieces.append(escapes[position])
        end = position + 1
    pieces.append(text[end:])
    return "".join(pieces)


def _escape_always(text: str, kinds: str) -> _Escapes:
    """What is escaped wherever it stands."""
    escapes = {match.start(): "&lt;" for match in _ANGLE.finditer(text)}
    escapes |= {match.start(): "&amp;" for match in _ENTITY.finditer(text)}
    escapes |= {match.start(): r"\\" for match in _BACKSLASH.finditer(text)}
    escapes |= {match.start(): r"\`" for match in re.finditer("`", text)}
    escapes |= {match.start(): r"\[" for match in _BRACKET.finditer(text)}
    escapes |= {match.end(): r"\:" for match in _OTHER_ADDRESS.finditer(text)}
    for match in _BESIDE_BRACKET.finditer(text):
        start = max(0, match.start() - 1)
        kinds_around = kinds[start : match.end() + 1]
        if "m" in kinds_around:
            escapes[match.start()] = "\\" + match[0]
    has_link = any(kinds[match.start()] != "m" for match in _LINK.finditer(text))
    for match in re.finditer(r"[\[\]]", text):
        is_in_label = kinds[match.start()] == "l"
        may_begin_link = has_link and match[0] == "["
        if is_in_label or may_begin_link:
            escapes[match.start()] = "\\" + match[0]
    return escapes


def _escape_emphasis(text: str, kinds: str) -> _Escapes:
    """Delimiters of emphasis in texts: those that could open it with one after that could close
    it, or the reverse."""
    escapes: _Escapes = {}
    delimiters = list(_EMPHASIS.finditer(text))
    for char in "*_~":
        matches = [match for match in delimiters if match[0][0] == char]
        can_open = []
        can_close = []
        is_used = False
        for match in matches:
            start, end = match.span()
            can_open.append(_can_open(text, start, end))
            can_close.append(_can_close(text, start, end))
            if kinds[start] not in "tl":
                is_used = True

        first_opening = can_open.index(True) if True in can_open else len(matches)
        last_closing = -1
        for number, closes in enumerate(can_close):
            if closes:
                last_closing = number
        for number, match in enumerate(matches):
            has_closing = is_used or number < last_closing
            has_opening = is_used or number > first_opening
            may_open = can_open[number] and has_closing
            may_close = can_close[number] and has_opening
            if may_open or may_close:
                for position in range(*match.span()):
                    escapes[position] = "\\" + char
    return escapes


def _can_open(
    text: str,
    start: int,
    end: int,
) -> bool:
    before, after = _characters_beside(text, start, end)
    return _may_flank(text[start], before, after)


def _can_close(
    text: str,
    start: int,
    end: int,
) -> bool:
    before, after = _characters_beside(text, start, end)
    return _may_flank(text[start], after, before)


def _characters_beside(
    text: str,
    start: int,
    end: int,
) -> tuple[str, str]:
    """The characters before and after a delimiter; spaces at the ends of the text."""
    before = text[start - 1 : start]
    after = text[end : end + 1]
    return before or " ", after or " "


def _may_flank(
    char: str,
    outside: str,
    inside: str,
) -> bool:
    """Whether a delimiter with these characters beside it may open emphasis, or close it."""
    is_inside_word = inside.isalnum() and outside.isalnum()
    if inside.isspace() or (char == "_" and is_inside_word):
        return False
    is_apart = outside.isspace() or _may_be_punctuation(outside)
    return is_apart or unicodedata.category(inside)[0] != "P"


def _escape_starts(text: str) -> _Escapes:
    """What would start a block at the start of a line."""
    escapes = {}
    for match in _STARTS.finditer(text):
        position = match.start() if match[1] is None else match.start(1)
        char = text[position]
        escapes[position] = "\\" + char
        # What follows would be emphasis.
        while char in "*_~":
            next_char = text[position + 1 : position + 2]
            if next_char != char:
                break
            position += 1
            escapes[position] = "\\" + char
    return escapes


def _escape_addresses(
    text: str,
    kinds: str,
    escapes: _Escapes,
) -> _Escapes:
    """Addresses that GitHub's Markdown would link, with an escape or markup in them, which it would
    take as a part of the address: the character after ``http`` or ``www``, which prevents that."""
    address_escapes = {}
    # An x for each character that is escaped or markup.
    marks = []
    for i, kind in enumerate(kinds):
        is_changed = i in escapes or kind in "mde"
        marks.append("x" if is_changed else " ")
    changed = "".join(marks)
    change = -1
    label_end = -1
    word_end = -1
    for match in _ADDRESS.finditer(text):
        start = match.start()
        if kinds[start] not in "tl":
            continue
        change = _find_next(changed, "x", start, change)
        label_end = _find_next(kinds, "e", start, label_end)
        word_end = _find_next(text, " ", start, word_end)
        address_end = min(label_end, word_end) if kinds[start] == "l" else word_end
        if change < address_end:
            address_escapes[match.end()] = "\\" + text[match.end()]
    return address_escapes


def _find_next(
    text: str,
    char: str,
    start: int,
    last_position: int,
) -> int:
    """The position of the character from the start on, or the length of the text.
    ``last_position``: what was returned for an earlier start."""
    if last_position >= start:
        return last_position
    position = text.find(char, start)
    if position < 0:
        return len(text)
    return position

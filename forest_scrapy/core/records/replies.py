"""What the posts of a thread reply to: what a quote names, what it quotes, and how far a post is
indented.

Links outside of quotes are attributes of records, see ``attributes.attribute.read_replies``.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.records.record import Inner, is_below, is_quote
from forest_scrapy.core.records.regions.items import is_person_url

#: Attributes of quotes and of links in them that name a post, and those with the id of one.
_REFERENCES = ("data-post", "data-source", "data-post-id", "data-pid", "cite", "href")
_IDS = ("id", "name", "data-content", "data-post-id", "data-pid", "data-post-number")
#: Attributes of posts, and of links in them, with the id of the one that is replied to.
_PARENTS = (
    "data-parent-id", "data-parentid", "data-parent", "data-topid", "data-reply-to",
    "data-replyto", "data-in-reply-to", "data-reply-to-post-id",
)  # fmt: skip
_POST_IDS = ("data-pid", "data-post-id", "data-id", "id")
#: The names of the attributes with the number of a post, and of the one that it replies to.
POST_ID = "post_id"
PARENT_ID = "parent_id"
#: Nodes at the start of a record in which its id and its indent stand.
_MAX_HEAD = 12
_NUMBER = re.compile(r"\d{1,12}")
#: Characters of the longest attribute that is read.
_MAX_LENGTH = 300

#: The name of the attribute with the indent of a post.
INDENT = "indent"
#: How a post is indented: an attribute, a class, a style, an image that fills the space.
_INDENT_ATTRIBUTES = ("indent", "data-depth", "data-level", "data-indent", "aria-level")
_INDENT_CLASS = re.compile(
    r"(?:^|[\s_-])(?:depth|level|indent|lvl)[_-]?(\d{1,3})(?:$|[\s_-])", re.I
)
_INDENT_STYLE = re.compile(
    r"(?:margin|padding)-left\s*:\s*(\d{1,4})(?:\.\d+)?\s*(?:px|em|rem|%|pt)",
    re.IGNORECASE,
)
_MAX_SPACER_HEIGHT = 2

#: Words in a row by which the posts that a quote may be from are looked up, and how many of these
#: posts are compared with it.
_RUN_LENGTH = 3
_MAX_POSTS_OF_RUN = 100
_MAX_CANDIDATES = 20
#: Places of a word in a quote that are compared.
_MAX_PLACES = 32
#: The share of the quote, or of the post, that must be in a row of the same words.  Not tuned.
_MIN_SHARE = 0.8
#: Characters at the start of a quote in which its author is named.
_MAX_HEADER = 120
#: Words of the date that may stand after the author.
_MAX_DATE_WORDS = 10
#: Words of quotes and of posts that are compared.
_MAX_WORDS = 400
_MAX_POST_WORDS = 400
_WORD = re.compile(r"\w+")
#: Lines that mail programs quote.
_QUOTED_LINE = re.compile(r"\s{0,3}(?:>|&gt;)")
_MAX_BEFORE_QUOTE = 200
#: What may stand around a line.
_BLANKS = " \t\r"


def find_references(
    page: Page,
    records: Sequence[Sequence[Inner]],
    quotes: Collection[str] = (),
) -> list[int | None]:
    """For each record of a page the position, from 0, of the earlier one that it, or its first
    quote, names by an id or a number; None if there is none.  ``quotes``: the internal paths of
    quotes that are not named so."""
    outline = page.outline
    position_of_id = _read_ids(outline, records)
    positions: list[int | None] = []
    for position, inner_nodes in enumerate(records):
        target = None
        for name in _read_references(outline, inner_nodes, quotes):
            target = position_of_id.get(name)
            if target is not None and target < position:
                break
            target = None
        positions.append(target)
    return positions


class PostIds(NamedTuple):
    """The number of a post in its elements, and that of the post that it replies to; ``""`` if
    there is none."""

    own: str = ""
    parent: str = ""


def read_post_ids(page: Page, records: Sequence[Sequence[Inner]]) -> list[PostIds]:
    """The numbers of the posts of a page; none if no post names the one that it replies to."""
    all_ids = []
    for inner_nodes in records:
        own = ""
        parent = ""
        for index, _ in inner_nodes:
            element = page.outline.nodes[index].element
            if not element.attrib:
                continue
            for attribute in _PARENTS:
                parent = parent or _last_number(element.get(attribute))
            for attribute in _POST_IDS:
                own = own or _last_number(element.get(attribute))
        all_ids.append(PostIds(own, parent))
    return all_ids if any(ids.parent for ids in all_ids) else []


def _read_ids(
    outline: Outline,
    records: Sequence[Sequence[Inner]],
) -> Mapping[str, int]:
    """The positions of records by the numbers in their ids; of a number that several have, none."""
    position_of: dict[str, int] = {}
    ambiguous = set()
    for position, inner_nodes in enumerate(records):
        for index, _ in inner_nodes[:_MAX_HEAD]:
            element = outline.nodes[index].element
            for attribute in _IDS:
                name = _last_number(element.get(attribute))
                if not name:
                    continue
                if position_of.setdefault(name, position) != position:
                    ambiguous.add(name)
    for name in ambiguous:
        del position_of[name]
    return position_of


def _read_references(
    outline: Outline,
    inner_nodes: Sequence[Inner],
    quotes: Collection[str],
) -> Iterator[str]:
    """The numbers in attributes with the id of the post that is replied to, in those of the quotes
    of a record, and of links in these."""
    for index, path in inner_nodes:
        element = outline.nodes[index].element
        if not element.attrib:
            continue
        for attribute in _PARENTS:
            name = _last_number(element.get(attribute))
            if name:
                yield name
        if element.tag not in ("blockquote", "aside", "a", "div", "q"):
            continue
        is_own_quote = any(is_below(path, quote) for quote in quotes)
        if not is_own_quote and not _is_in_quote(outline, index, path):
            continue
        for attribute in _REFERENCES:
            value = element.get(attribute)
            if not value or is_person_url(value):
                continue
            name = _last_number(value)
            if name:
                yield name


def _is_in_quote(
    outline: Outline,
    index: int,
    path: str,
) -> bool:
    node = outline.nodes[index]
    return is_quote(path) or node.tag == "blockquote"


def _last_number(value: str | None) -> str:
    """The last number of an attribute; ``""`` if it has none.

    >>> _last_number("post: 123"), _last_number("./viewtopic.php?p=12#p12"), _last_number("top")
    ('123', '12', '')
    """
    if not value or len(value) > _MAX_LENGTH:
        return ""
    numbers = _NUMBER.findall(value)
    return numbers[-1] if numbers else ""


def read_indents(page: Page, records: Sequence[Sequence[Inner]]) -> list[int]:
    """How far each record of a page is indented, in any unit; none if not all of them say so, or
    all are indented alike."""
    indents = []
    for inner_nodes in records:
        indent = _read_indent(page.outline, inner_nodes)
        if indent is None:
            return []
        indents.append(indent)
    return indents if len(set(indents)) > 1 else []


def find_parents(indents: Iterable[int | None]) -> list[int | None]:
    """For each of some posts the index of the one that it is indented below; None for those that
    are not indented, or of which nothing is known.

    >>> find_parents([0, 40, 80, 40, 0])
    [None, 0, 1, 0, None]
    """
    parents: list[int | None] = []
    open_posts: list[tuple[int, int]] = []  # indent and index, from the outermost
    for index, indent in enumerate(indents):
        if indent is None:
            parents.append(None)
            continue
        while open_posts and open_posts[-1][0] >= indent:
            open_posts.pop()
        parents.append(open_posts[-1][1] if open_posts else None)
        open_posts.append((indent, index))
    return parents


def _read_indent(outline: Outline, inner_nodes: Sequence[Inner]) -> int | None:
    """How far a record is indented, in any unit; None if nothing says so."""
    for index, _ in inner_nodes[:_MAX_HEAD]:
        indent = _indent_of(outline.nodes[index].element)
        if indent is not None:
            return indent
    return None


def _indent_of(element: Element) -> int | None:
    for attribute in _INDENT_ATTRIBUTES:
        value = element.get(attribute) or ""
        if value.isascii() and value.isdecimal():
            return int(value)
    match = _INDENT_CLASS.search((element.get("class") or "")[:_MAX_LENGTH])
    if match is None:
        match = _INDENT_STYLE.search((element.get("style") or "")[:_MAX_LENGTH])
    if match is not None:
        return int(match[1])
    return _spacer_width(element)


def _spacer_width(element: Element) -> int | None:
    """The width of an image that only fills a space."""
    if element.tag != "img":
        return None
    width = element.get("width") or ""
    height = element.get("height") or ""
    is_number = width.isascii() and width.isdecimal() and height.isascii() and height.isdecimal()
    if not is_number or int(height) > _MAX_SPACER_HEIGHT:
        return None
    return int(width)


class _Post(NamedTuple):
    """A post that may be quoted: the words of its author and of its text."""

    author: str
    words: tuple[str, ...]


class QuotedPosts:
    """The posts of a thread that later ones may quote, in their order.

    Cost: an index of all runs of three words, so that a quote is compared with few posts.

    >>> posts = QuotedPosts()
    >>> posts.add("Ana", "Owls hear mice under snow.")
    >>> posts.add("Bo", "They fly without a sound.")
    >>> posts.find("Ana wrote: Owls hear mice under snow.")
    0
    >>> posts.find("Cy wrote: Boats need paint.") is None
    True
    """

    def __init__(self) -> None:
        self._posts: list[_Post] = []
        self._posts_of_run: dict[tuple[str, ...], list[int]] = {}

    def add(self, author: str, text: str) -> None:
        words = tuple(_split(text)[:_MAX_POST_WORDS])
        index = len(self._posts)
        self._posts.append(_Post(" ".join(_split(author)), words))
        for run in set(_runs(words)):
            self._posts_of_run.setdefault(run, []).append(index)

    def find(self, quote: str, author: str = "") -> int | None:
        """The index of the post that a quote is from: one that has most words of the quote in a
        row, in its text.  None if there is none.

        ``author``: the one of the quoted post; ``""`` if the quote itself may name that.  Of
        several posts it is the one whose author is named first, then one that is quoted as a whole,
        then the one with the longest row, then the last one.
        """
        words = _split(quote)[:_MAX_WORDS]
        header = " ".join(_split(author or quote[:_MAX_HEADER]))
        body_length = len(words) if author else _body_length(quote)
        best: tuple[int, bool, int, int] | None = None
        for index in self._candidates(words):
            post = self._posts[index]
            length = _shared_length(words, post.words, body_length)
            if not length:
                continue
            is_whole = length == len(post.words)
            rank = (_author_place(header, post.author), is_whole, length, index)
            if best is None or rank > best:
                best = rank
        return best[3] if best else None

    def _candidates(self, words: Sequence[str]) -> list[int]:
        """The posts that share most runs with a quote; ties: the later ones."""
        counts: Counter[int] = Counter()
        for run in set(_runs(words)) | set(_short_ends(words)):
            posts = self._posts_of_run.get(run, ())
            if len(posts) <= _MAX_POSTS_OF_RUN:  # a run in more posts tells none of them
                counts.update(posts)
        ranked = sorted(counts, key=lambda index: (-counts[index], -index))
        return ranked[:_MAX_CANDIDATES]


def _shared_length(
    quote: Sequence[str],
    words: Sequence[str],
    body_length: float,
) -> int:
    """The length of the longest row of words that a quote shares with a text; 0 if that is not most
    of the body of the quote, or of the text."""
    positions: dict[str, list[int]] = {}
    for position, word in enumerate(quote):
        places = positions.setdefault(word, [])
        if len(places) < _MAX_PLACES:
            places.append(position)
    longest = 0
    lengths: dict[int, int] = {}
    for word in words:
        extended = {}
        for position in positions.get(word, ()):
            extended[position] = lengths.get(position - 1, 0) + 1
        longest = max(longest, *extended.values(), 0)
        lengths = extended
    whole = min(body_length, len(words))
    return longest if longest >= _MIN_SHARE * whole else 0


def _body_length(quote: str) -> float:
    """The fewest words that a quote may have without its author and date."""
    header, mark, body = quote[:_MAX_HEADER].partition(":")
    text = body + quote[_MAX_HEADER:] if mark else header + quote[_MAX_HEADER:]
    length = len(_split(text)[:_MAX_WORDS])
    return max(length - _MAX_DATE_WORDS, length / 2)


def _author_place(header: str, author: str) -> int:
    """How early a quote names the author, the larger the earlier; far below 0 if it does not."""
    position = f" {header} ".find(f" {author} ") if author else -1
    return -position if position >= 0 else -_MAX_HEADER * 10


def _split(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    """All runs of three words; a shorter text is one."""
    if len(words) <= _RUN_LENGTH:
        return [tuple(words)] if words else []
    starts = range(len(words) - _RUN_LENGTH + 1)
    return [tuple(words[start : start + _RUN_LENGTH]) for start in starts]


def _short_ends(words: Sequence[str]) -> list[tuple[str, ...]]:
    """What the text of a short post may be at the end of a quote."""
    lengths = range(1, min(_RUN_LENGTH, len(words) + 1))
    return [tuple(words[len(words) - length :]) for length in lengths]


class MailText(NamedTuple):
    """A text without the lines that mail programs mark as quoted, the same as HTML, and these."""

    text: str
    html: str
    quote: str


def split_quoted_lines(text: str, html: str) -> MailText:
    """The text of a post, as HTML, too, without quoted lines and the line before them, which names
    the author.  Nothing is taken out if the HTML has them in another form, or nothing would be
    left.

    >>> split_quoted_lines("Bo:\\n> Owls hear.\\nYes.", "<p>Bo:\\n&gt; Owls hear.\\nYes.</p>")
    MailText(text='Yes.', html='<p>Yes.</p>', quote='Bo:\\n> Owls hear.')
    """
    blocks = _quoted_blocks(text.split("\n"))
    quote = "\n".join(blocks)
    escaped_blocks = [escape(block, quote=False) for block in blocks]
    rest = _cut_lines(text, blocks)
    rest_html = _cut_lines(html, escaped_blocks)
    if rest is None or rest_html is None or not rest.strip():
        return MailText(text, html, quote)
    return MailText(rest.strip() if blocks else text, rest_html, quote)


def _cut_lines(text: str, blocks: Sequence[str]) -> str | None:
    """A text or HTML without these blocks of whole lines, which are in this order in it, and the
    empty lines after each; None if one of them is missing.  Cost: linear."""
    pieces = []
    position = 0
    for block in blocks:
        start = _find_lines(text, block, position)
        if start < 0:
            return None
        pieces.append(text[position:start])
        position = start + len(block)
        while text.startswith("\n", position):
            position += 1
    pieces.append(text[position:])
    return "".join(pieces)


def _find_lines(text: str, block: str, position: int) -> int:
    """Where whole lines begin in a text or HTML from a position on; -1 if they are not there.  A
    line of HTML may begin after a tag, and end before one."""
    start = text.find(block, position)
    while start >= 0:
        first = start
        while first > position and text[first - 1] in _BLANKS:
            first -= 1
        last = start + len(block)
        while last < len(text) and text[last] in _BLANKS:
            last += 1
        begins_line = first == 0 or text[first - 1] in "\n>"
        ends_line = last == len(text) or text[last] in "\n<"
        if begins_line and ends_line:
            return start
        start = text.find(block, start + 1)
    return -1


def _quoted_blocks(lines: Sequence[str]) -> list[str]:
    """Runs of quoted lines, each with the line before it if that ends with a colon."""
    blocks: list[list[str]] = []
    is_open = False
    for number, line in enumerate(lines):
        is_quoted = _QUOTED_LINE.match(line) is not None
        if is_quoted and not is_open:
            before = lines[number - 1] if number else ""
            names_author = before.rstrip().endswith(":") and len(before) <= _MAX_BEFORE_QUOTE
            blocks.append([before] if names_author else [])
        if is_quoted:
            blocks[-1].append(line)
        is_open = is_quoted
    return ["\n".join(block) for block in blocks]

"""What posts quote: quotes in a forum's own markup, and the line above a quote with its author.

Quotes are usually named as such (see ``record.is_quote``).  Others are told by what they hold: text
that an earlier post of the page has, at another place in the record; or, since posts of other pages
are quoted, too, by a line such as "Ana wrote:" above them.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.text import block_text
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.records.bodies import Cell
from forest_scrapy.core.records.record import is_below, is_quote
from forest_scrapy.core.records.regions.items import is_person_url
from forest_scrapy.core.records.regions.prose import looks_like_date

# Not tuned: far from what the quotes of the made forums have.
#: Words of the shortest text that is looked for in earlier posts, and words that are compared.
MIN_QUOTED_WORDS = 4
MAX_WORDS = 400
#: Texts with the same run of words that are looked at, the first ones of the page.
MAX_TEXTS_OF_RUN = 8
#: The share of the texts at a path that must be in earlier posts, and the share of the records
#: from which a path is no quote.
MIN_QUOTED_SHARE = 0.7
MAX_RECORD_SHARE = 0.8
#: Words of what may stand beside the text in a quote, such as the name of its author and the date.
MAX_BESIDE_WORDS = 10
#: Records with a quote at a path that has no name of its own, such as that of a list or of code:
#: somebody may repeat the code of another one, and that of all others is their own.
MIN_UNNAMED_QUOTES = 3
_TEXT_TAGS = frozenset(("p", "ul", "ol", "li", "dl", "pre", "code"))
#: The share of the records with an element that must have a quote in it, to be a part of the quote.
MIN_SAME_RECORDS = 0.9

#: Nodes at the start of a quote among which its header is, and the characters of the longest one.
MAX_HEADER_NODES = 12
MAX_HEADER_LENGTH = 120
MAX_NAME_WORDS = 4
_QUOTE_TAGS = frozenset(("blockquote", "q"))
_HEADER_ENDS = (":", "\uff1a", "\u2191", "\xbb")
_WORD = re.compile(r"\w+")
_BRACKETS = re.compile(r"\([^()]{0,100}\)|\[[^\[\]]{0,100}\]")
_NAME_ENDS = " :\uff1a\u2191\xbb,\u2026-\u2013\u2014"
#: What stands between the name of the author and the quote, and what stands before the name.
_VERBS = frozenset(
    "wrote said says writes schrieb sagte meinte hat a escribi\xf3 dijo ha scritto schreef zei"
    " escreveu disse napisa\u0142 napisa\u0142a skrev kirjoitti"
    " \u043f\u0438\u0448\u0435\u0442 \u043f\u0438\u0441\u0430\u043b"
    " \u043d\u0430\u043f\u0438\u0441\u0430\u043b \u5199\u9053".split()
)
_PREPOSITIONS = frozenset("by von de da di van od av af from".split())


@dataclass
class _Path:
    """The texts at a path: their numbers, the records with one, and how many of those that are long
    enough are in earlier posts."""

    cells: list[int] = field(default_factory=list)
    records: set[int] = field(default_factory=set)
    long_texts: int = 0
    quoted_texts: int = 0
    quoting_records: set[int] = field(default_factory=set)


def find_quote_paths(cells: Sequence[Cell], page_of_record: Sequence[int]) -> list[str]:
    """The outermost internal paths of quotes that are not named so.

    ``page_of_record``: the number of the page of each record.  Cost: an index of all runs of four
    words.
    """
    posts = _PostTexts(cells, page_of_record)
    paths = _collect_paths(cells)
    record_count = len({cell.record for cell in cells})
    for path, texts in paths.items():
        is_usual = len(texts.records) > MAX_RECORD_SHARE * record_count
        if path and not is_usual and not is_quote(path):
            _count_quoted(texts, posts)

    quote_paths = set()
    for path, texts in paths.items():
        if texts.quoted_texts and texts.quoted_texts >= MIN_QUOTED_SHARE * texts.long_texts:
            quote_paths.add(path)
    quoting_records: dict[str, set[int]] = defaultdict(set)
    for path in quote_paths:
        widest = _widen(path, paths, quote_paths, posts.words)
        quoting_records[widest] |= paths[path].quoting_records
    outermost = set()
    for path, records in quoting_records.items():
        if _has_own_markup(path) or len(records) >= MIN_UNNAMED_QUOTES:
            outermost.add(path)
    return sorted(path for path in outermost if not _is_inside_any(path, outermost))


def _collect_paths(cells: Sequence[Cell]) -> dict[str, _Path]:
    paths: dict[str, _Path] = defaultdict(_Path)
    for number, cell in enumerate(cells):
        paths[cell.path].cells.append(number)
        paths[cell.path].records.add(cell.record)
    return paths


class _PostTexts:
    """The texts of posts; ``words``: those of each."""

    def __init__(self, cells: Sequence[Cell], page_of_record: Sequence[int]) -> None:
        self.cells = cells
        self.words = [tuple(_WORD.findall(cell.text.casefold())[:MAX_WORDS]) for cell in cells]
        self._page_of_record = page_of_record
        self._cells_of_run = self._index_runs()

    def is_quoted(self, number: int) -> bool:
        """Whether a text is that of an earlier post of its page, at another path, or stands below
        a line that says who has written it."""
        cell = self.cells[number]
        if number and _is_writer_of(self.cells[number - 1], cell):
            return True
        words = self.words[number]
        run = (self._page_of_record[cell.record], words[:MIN_QUOTED_WORDS])
        for earlier in self._cells_of_run.get(run, ()):
            earlier_cell = self.cells[earlier]
            is_earlier = earlier_cell.record < cell.record and earlier_cell.path != cell.path
            if is_earlier and _contains(self.words[earlier], words):
                return True
        return False

    def _index_runs(self) -> Mapping[tuple[int, tuple[str, ...]], Sequence[int]]:
        """The numbers of the texts by their page and each run of words in them."""
        cells_of_run: dict[tuple[int, tuple[str, ...]], list[int]] = defaultdict(list)
        for number, words in enumerate(self.words):
            page = self._page_of_record[self.cells[number].record]
            starts = range(len(words) - MIN_QUOTED_WORDS + 1)
            runs = {words[start : start + MIN_QUOTED_WORDS] for start in starts}
            for run in runs:
                texts = cells_of_run[page, run]
                if len(texts) < MAX_TEXTS_OF_RUN:
                    texts.append(number)
        return cells_of_run


def _count_quoted(texts: _Path, posts: _PostTexts) -> None:
    """Count the long texts of a path, and those that are quoted."""
    for number in texts.cells:
        if len(posts.words[number]) < MIN_QUOTED_WORDS:
            continue
        texts.long_texts += 1
        if posts.is_quoted(number):
            texts.quoted_texts += 1
            texts.quoting_records.add(posts.cells[number].record)


def _is_writer_of(line: Cell, cell: Cell) -> bool:
    """Whether a line says that somebody has written the text after it, and stands in one element
    with that."""
    around, _, _ = cell.path.rpartition(" ")
    is_beside = bool(around) and line.record == cell.record and is_below(line.path, around)
    if not is_beside or line.path == cell.path or not _is_header_line(line.text):
        return False
    words = line.text.casefold().strip(_NAME_ENDS).split()
    return not _VERBS.isdisjoint(words[1:])


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    return f" {' '.join(part)} " in f" {' '.join(words)} "


def _widen(
    path: str,
    paths: Mapping[str, _Path],
    quote_paths: Collection[str],
    words_of: Sequence[tuple[str, ...]],
) -> str:
    """The outermost path around a quote that holds nothing else but a few words, such as the name
    of its author."""
    widest = path
    around, _, _ = path.rpartition(" ")
    while around:
        records: set[int] = set()
        quoting_records: set[int] = set()
        is_part = True
        for inner_path, texts in paths.items():
            if not is_below(inner_path, around):
                continue
            records |= texts.records
            quoting_records |= texts.quoting_records
            if inner_path not in quote_paths:
                words = sum(len(words_of[number]) for number in texts.cells)
                is_part = is_part and words <= MAX_BESIDE_WORDS * len(texts.cells)
        if not is_part or len(quoting_records) < MIN_SAME_RECORDS * len(records):
            break
        widest = around
        around, _, _ = around.rpartition(" ")
    return widest


def _has_own_markup(path: str) -> bool:
    """Whether an element has a class or an ID, and is none that text has, too: what is in it is
    then of one kind on all pages."""
    _, _, step = path.rpartition(" ")
    tag, bracket, _ = step.partition("[")
    return bool(bracket) and tag not in _TEXT_TAGS


def _is_inside_any(path: str, outer_paths: Collection[str]) -> bool:
    return any(outer != path and is_below(path, outer) for outer in outer_paths)


class Quote(NamedTuple):
    """What a post quotes: the text without the line above it, and the author that this names;
    ``""`` if there is none."""

    text: str
    author: str = ""


def read_quote(outline: Outline, index: int) -> Quote:
    """The quote in an element.

    >>> from forest_scrapy.core.page.page import Page
    >>> html = "<blockquote><cite>Ana wrote:</cite>Owls hear.</blockquote>"
    >>> outline = Page.from_html(html).outline
    >>> tags = [node.tag for node in outline.nodes]
    >>> read_quote(outline, tags.index("blockquote"))
    Quote(text='Owls hear.', author='Ana')
    """
    element = outline.nodes[index].element
    header = _find_header(outline, index)
    if header is None:
        text = block_text(element)
        first_line, _, rest = text.partition("\n")
        if rest and _is_header_line(first_line):
            return Quote(rest, read_quoted_author(first_line))
        return Quote(text)

    header_element = outline.nodes[header].element
    text = block_text(element, {header_element})
    author = _read_linked_author(outline, header) or read_quoted_author(outline.line(header))
    return Quote(text.lstrip(_NAME_ENDS), author)


def find_line_before(outline: Outline, index: int) -> int | None:
    """The element before a quote if it is a line that names the author of that, as in mails."""
    node = outline.nodes[index]
    if node.first == 0:
        return None
    before = outline.leaves[node.first - 1].node
    while before >= 0 and outline.nodes[before].parent != node.parent:
        before = outline.nodes[before].parent
    if before < 0 or outline.nodes[before].last != node.first:
        return None
    return before if _is_header_line(outline.line(before)) else None


def _find_header(outline: Outline, index: int) -> int | None:
    """The outermost element at the start of a quote that names its author."""
    quote = outline.nodes[index]
    end = min(outline.ends[index], index + MAX_HEADER_NODES)
    for inner in range(index + 1, end):
        node = outline.nodes[inner]
        is_start = node.first == quote.first and node.first < node.last < quote.last
        if not is_start or node.tag in _QUOTE_TAGS:
            continue
        text = outline.line(inner)
        if len(text) > MAX_HEADER_LENGTH:
            continue
        next_text = outline.leaves[node.last].text.lstrip()
        is_before_colon = next_text.startswith(":")
        is_named = node.tag == "cite" or _is_header_line(text)
        if is_named or is_before_colon or _links_to_person(node.element):
            return inner
    return None


def _is_header_line(text: str) -> bool:
    if len(text) > MAX_HEADER_LENGTH or not text.endswith(_HEADER_ENDS):
        return False
    return bool(read_quoted_author(text))


def _links_to_person(element: Element) -> bool:
    return element.tag == "a" and is_person_url(element.get("href") or "")


def _read_linked_author(outline: Outline, header: int) -> str:
    """The name in the only link to a user in a header."""
    names = []
    for index in range(header, outline.ends[header]):
        if _links_to_person(outline.nodes[index].element):
            name = outline.line(index).lstrip("@").strip(_NAME_ENDS)
            names.append(name)
    return _without_verb(names[0]) if len(set(names)) == 1 else ""


def read_quoted_author(line: str) -> str:
    """The author that the line above a quote names; ``""`` if it names none.

    >>> read_quoted_author("(05-03-2024, 08:15 AM) Ana Bo Wrote:"), read_quoted_author("owl_42:")
    ('Ana Bo', 'owl_42')
    >>> read_quoted_author("On Fri, 1 Mar 2024 at 18:03, hedgerow wrote:")
    'hedgerow'
    >>> read_quoted_author("Originally posted by fisher"), read_quoted_author("3 May 2024, 10:15")
    ('fisher', '')
    """
    text = _BRACKETS.sub(" ", line[:MAX_HEADER_LENGTH]).strip(_NAME_ENDS)
    name = _without_verb(text)
    words = name.split()
    is_name = 0 < len(words) <= MAX_NAME_WORDS and any(map(str.isalpha, name))
    if not is_name or looks_like_date(name):
        return ""
    return name.lstrip("@")


def _without_verb(text: str) -> str:
    """A name without what stands around it, such as "wrote" and "Originally posted by"."""
    words = text.split()
    for number, word in enumerate(words):
        if number and word.casefold() in _VERBS:
            before = " ".join(words[:number])
            _, comma, last_part = before.rpartition(", ")
            return (last_part if comma else before).strip(_NAME_ENDS)
    for number, word in enumerate(words[:-1]):
        if number and word.casefold() in _PREPOSITIONS:
            return " ".join(words[number + 1 :]).strip(_NAME_ENDS)
    return text.strip(_NAME_ENDS)

"""The lines at the head of an article's text that are its own title, authors, date or section.

They have fields of their own; the text begins with the first sentence, or with the first heading
that is not the title.  Only lines that consist of such values alone are taken, never a sentence
with one of them in it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from forest_scrapy.core.fields.dates import date_words
from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.page.text import line_text
from forest_scrapy.core.page.tree import HEADINGS, Element, class_and_id, is_block

# These constants are not tuned.
#: Blocks at the head that are looked at.
_MAX_BLOCKS = 12
#: Words of the longest line of authors and dates, and of the longest section above a title.
_MAX_CREDIT_WORDS = 25
_MAX_SECTION_WORDS = 4
#: Lines above the title that are dropped with it, whatever section they name.
_MAX_SECTIONS = 2
#: The share of words that a main heading and the title have in common if they are the same.
_MIN_SHARED = 0.6
#: Children of a block that are looked at.
_MAX_CHILDREN = 50
#: Characters of a class that are read.
_MAX_CLASS = 200

_TITLE_CLASS = re.compile(r"(?<![a-z])title|headline|heading", re.IGNORECASE)
_SENTENCE_END = re.compile("[.!?\u3002\uff01\uff1f]$")
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
#: Words of lines that name authors, dates and times of reading; one or two letters are those of
#: hours and time zones.
_CREDIT_WORDS = frozenset(
    (
        # who
        "by and author authors written words text story photo photos staff writer writers reporter "
        "reporters correspondent editor special to for the with from contributor contributing "
        "von und autor autorin text redaktion red par et auteur rédaction por y autora redacción "
        "di e autore redazione da a cura door en auteur redactie av och text af og tekst "
        "przez autor tekst автор автора 記者 记者 作者 編集 기자 "
        # when
        "on at in am pm um uhr o clock stand posted published publish date updated update last "
        "modified edited first created today yesterday ago hour hours minute minutes day days week "
        "weeks month months year years min mins sec gmt utc bst est edt pst pdt cet cest jst ist "
        "st nd rd th of de del le les la el los il lo den der die das dem vom ab "
        "veröffentlicht aktualisiert zuletzt geändert erstellt vor stunden minuten tag tagen "
        "publié mis à jour modifié il heures heure jours publicado actualizado actualización hace "
        "horas días pubblicato aggiornato ore fa atualizado às há gepubliceerd bijgewerkt geleden "
        "publicerad uppdaterad publisert oppdatert publiceret opdateret kl klockan opublikowano "
        "aktualizacja опубликовано обновлено в г "
        "年 月 日 時 分 时 发布 更新 公開 오전 오후 년 월 일 입력 수정 "
        # how long
        "read reading time length lesezeit lesedauer lecture temps lectura tiempo lettura tempo "
        "leitura leestijd lästid lesetid læsetid czas czytania время чтения мин"
    ).split()
)


@dataclass(frozen=True)
class OwnValues:
    """The values of an article that its text need not repeat; ``names``: those of its sections and
    of its site."""

    title: str
    authors: Sequence[str] = ()
    names: Collection[str] = ()
    language: str = ""


@dataclass(frozen=True)
class _Line:
    """A line at the head: its text, and the block or the inline elements that it is in."""

    text: str
    elements: tuple[Element, ...]


def find_own_lines(blocks: Sequence[Element], values: OwnValues) -> list[Element]:
    """The elements at the head of an article's text that are nothing but its own values.

    ``blocks``: the elements with text of the content, in document order.  A heading is the title
    if it has its words, or, as an ``h1``, most of them; up to two short lines above it name a
    section.  Cost: reading the first blocks.
    """
    own_lines = _find_lines(blocks, values)
    return [element for line in own_lines for element in line.elements]


def find_bylines(blocks: Sequence[Element], values: OwnValues) -> list[Element]:
    """As ``find_own_lines``, but only the lines of authors, dates and times of reading: pages of
    other kinds than articles keep their title and what stands above it."""
    elements: list[Element] = []
    for line in _find_lines(blocks, values):
        if _is_credit(line.text, values) and not _is_title(line, values):
            elements.extend(line.elements)
    return elements


def may_begin_with_byline(blocks: Sequence[Element]) -> bool:
    """Whether the first line is as short as those of authors and dates are.  Cost: reading it."""
    first = next(_read_head(blocks), None)
    return first is not None and 0 < len(first.text.split()) <= _MAX_CREDIT_WORDS


def _find_lines(blocks: Sequence[Element], values: OwnValues) -> list[_Line]:
    """The lines at the head that are nothing but an article's own values, and those of a section
    above its title."""
    lines = _read_head(blocks)
    head: list[_Line] = []  # those that were read: most articles have no such line
    end = 0
    for line in lines:
        head.append(line)
        if _is_title(line, values):
            end = len(head)
            break
        may_be_above = _is_section(line.text) or _is_own(line, values)
        if len(head) > _MAX_SECTIONS or not may_be_above:
            break
    own_lines = head[:end]
    for line in chain(head[end:], lines):
        if not _is_own(line, values):
            break
        own_lines.append(line)
    return own_lines


def _read_head(blocks: Sequence[Element]) -> Iterator[_Line]:
    """The first lines, as far as each can be left out by itself."""
    first = blocks[: _MAX_BLOCKS + 1]
    around = {above for block in first for above in block.iterancestors()}
    for number, block in enumerate(first[:_MAX_BLOCKS]):
        if block not in around:
            yield _Line(line_text(block), (block,))
            continue
        inline = _read_inline(block, {*first[:number], *_above(first[:number])})
        if inline is None:
            return
        yield inline


def _above(blocks: Iterable[Element]) -> Iterator[Element]:
    return (above for block in blocks for above in block.iterancestors())


def _read_inline(block: Element, passed: Collection[Element]) -> _Line | None:
    """The line of inline elements that a block has before the next block in it; None if it has
    other text there.  ``passed``: the blocks before, and those around these."""
    elements: list[Element] = []
    if (block.text or "").strip():
        return None
    for child in islice(block, _MAX_CHILDREN):
        if child not in passed:
            if is_block(child) and elements:
                break
            if isinstance(child.tag, str) and not is_block(child) and line_text(child):
                elements.append(child)
        if (child.tail or "").strip():
            return None
    return _Line(" ".join(map(line_text, elements)), tuple(elements)) if elements else None


def _is_own(line: _Line, values: OwnValues) -> bool:
    if not line.text:  # a block that is too large to be a line
        return False
    is_value = _is_name(line.text, values) or _is_credit(line.text, values)
    return is_value or _is_title(line, values)


def _is_title(line: _Line, values: OwnValues) -> bool:
    title = fold_words(values.title)
    words = fold_words(line.text)
    block = line.elements[0]
    if not title or not words:
        return False
    if words == title:
        is_marked = _TITLE_CLASS.search(class_and_id(block, _MAX_CLASS)) is not None
        return is_marked or block.tag in HEADINGS
    title_words = set(title.split())
    heading_words = set(words.split())
    shared = len(title_words & heading_words)
    is_alike = shared >= _MIN_SHARED * max(len(title_words), len(heading_words))
    return block.tag == "h1" and is_alike


def _is_section(text: str) -> bool:
    """Whether a line may name the section that an article is in."""
    return len(text.split()) <= _MAX_SECTION_WORDS and not _SENTENCE_END.search(text)


def _is_name(text: str, values: OwnValues) -> bool:
    words = fold_words(text)
    is_short = len(words.split()) <= _MAX_SECTION_WORDS
    return is_short and any(words == fold_words(name) for name in values.names)


def _is_credit(text: str, values: OwnValues) -> bool:
    """Whether a line has nothing but authors, dates, a time of reading, and words that go with
    them."""
    if len(text.split()) > _MAX_CREDIT_WORDS:
        return False
    rest = text.casefold()
    has_author = False
    for name in sorted((*values.authors, *values.names), key=lambda name: (-len(name), name)):
        folded = name.casefold().strip()
        if folded and folded in rest:
            rest = rest.replace(folded, " ")
            has_author = has_author or name in values.authors
    tokens = _TOKEN.findall(rest)
    numbers = [token for token in tokens if token.isdecimal()]
    dates = date_words(values.language)
    words = [token for token in tokens if not token.isdecimal()]
    is_plain = all(word in _CREDIT_WORDS or word in dates for word in words)
    is_date = bool(numbers) and bool(words or len(numbers) >= 3)
    return is_plain and (has_author or is_date)

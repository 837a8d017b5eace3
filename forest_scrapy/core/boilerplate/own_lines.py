"""The lines at the head of an article's text that repeat its title, authors, date or section.

These have fields of their own; the text begins with the first sentence, or with the first heading
that is not the title.  Only lines that consist of such values alone are taken, never a sentence
with one of them in it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from forest_scrapy.core.fields.bylines import without_credit_words
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
_MIN_SHARED_WORDS = 0.6
#: Links of the longest line of links to the sections that a page is in.
_MAX_BREADCRUMBS = 8
#: Children of a block that are looked at.
_MAX_CHILDREN = 50
#: Characters of a class that are read.
_MAX_CLASS = 200

_TITLE_CLASS = re.compile(r"(?<![a-z])title|headline|heading", re.IGNORECASE)
#: What stands between the sections, which are links, and the page's own title.
_BREADCRUMB_MARK = re.compile(r"[/\\|>»›→⟩❯▸·•:\u2013\u2014-]")
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


def find_own_lines(
    blocks: Sequence[Element],
    values: OwnValues,
) -> list[Element]:
    """The elements at the head of an article's text that are nothing but its own values.

    ``blocks``: the elements with text of the content, in document order.  A heading is the title
    if it has its words, or, as an ``h1``, most of them; up to two short lines above it name a
    section.  Cost: reading the first blocks.
    """
    elements: list[Element] = []
    for line in _find_lines(blocks, values):
        elements += line.elements
    return elements


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
    """The lines at the head that are nothing but values of the article, and those of a section
    above its title."""
    lines = _read_head(blocks)
    head: list[_Line] = []  # those that were read: most articles have no such line
    title_end = 0
    for line in lines:
        head.append(line)
        if _is_title(line, values):
            title_end = len(head)
            break
        may_be_above = _is_section(line.text) or _is_value(line, values)
        if len(head) > _MAX_SECTIONS or not may_be_above:
            break

    value_lines = head[:title_end]
    for line in chain(head[title_end:], lines):
        if not _is_value(line, values):
            break
        value_lines.append(line)
    return value_lines


def _read_head(blocks: Sequence[Element]) -> Iterator[_Line]:
    """The first lines, as far as each can be left out by itself."""
    head = blocks[: _MAX_BLOCKS + 1]
    around = _elements_around(head)
    for number, block in enumerate(head[:_MAX_BLOCKS]):
        if block not in around:
            yield _Line(line_text(block), (block,))
            continue
        passed = head[:number]
        inline = _read_inline(block, _elements_around(passed).union(passed))
        if inline is None:
            return
        yield inline


def _elements_around(blocks: Iterable[Element]) -> set[Element]:
    elements: set[Element] = set()
    for block in blocks:
        elements.update(block.iterancestors())
    return elements


def _read_inline(block: Element, passed: Collection[Element]) -> _Line | None:
    """The line of inline elements that a block has before the next block in it; None if it has
    other text there.  ``passed``: the blocks before, and those around these."""
    elements: list[Element] = []
    if _has_text(block.text):
        return None
    for child in islice(block, _MAX_CHILDREN):
        if child not in passed:
            if not is_block(child):
                if isinstance(child.tag, str) and line_text(child):
                    elements.append(child)
            elif elements:
                break
        if _has_text(child.tail):
            return None
    if not elements:
        return None
    return _Line(" ".join(map(line_text, elements)), tuple(elements))


def _has_text(text: str | None) -> bool:
    return bool((text or "").strip())


def _is_value(line: _Line, values: OwnValues) -> bool:
    """Whether a line is nothing but values of the article."""
    if not line.text:  # a block that is too large to be a line
        return False
    if _is_name(line.text, values) or _is_credit(line.text, values):
        return True
    return _is_title(line, values) or _is_breadcrumbs(line, values)


def _is_breadcrumbs(line: _Line, values: OwnValues) -> bool:
    """Whether a line is links to the sections that the page is in, and then its own title, such as
    "Home / News / The boats come in"."""
    title = fold_words(values.title)
    if not title or not _BREADCRUMB_MARK.search(line.text):
        return False
    words = fold_words(line.text)
    sections = words.removesuffix(title).strip()
    if sections == words:
        return False
    links = [link for element in line.elements for link in element.iter("a")]
    link_texts = [fold_words(line_text(link)) for link in links[: _MAX_BREADCRUMBS + 1]]
    link_texts = [text for text in link_texts if text and text != title]
    return sections == " ".join(link_texts)


def _is_title(line: _Line, values: OwnValues) -> bool:
    title = fold_words(values.title)
    words = fold_words(line.text)
    block = line.elements[0]
    if not title or not words:
        return False
    if words == title:
        if block.tag in HEADINGS:
            return True
        names = class_and_id(block, _MAX_CLASS)
        return _TITLE_CLASS.search(names) is not None
    if block.tag != "h1":
        return False

    title_words = set(title.split())
    heading_words = set(words.split())
    shared_words = title_words & heading_words
    max_words = max(len(title_words), len(heading_words))
    return len(shared_words) >= _MIN_SHARED_WORDS * max_words


def _is_section(text: str) -> bool:
    """Whether a line may name the section that an article is in."""
    if len(text.split()) > _MAX_SECTION_WORDS:
        return False
    return _SENTENCE_END.search(text) is None


def _is_name(text: str, values: OwnValues) -> bool:
    """Whether a line is the name of a section or of the site."""
    words = fold_words(text)
    if len(words.split()) > _MAX_SECTION_WORDS:
        return False
    return any(words == fold_words(name) for name in values.names)


def _is_credit(text: str, values: OwnValues) -> bool:
    """Whether a line has nothing but authors, dates, a time of reading, and words that go with
    them."""
    if len(text.split()) > _MAX_CREDIT_WORDS:
        return False

    without_names = text.casefold()
    if any(author.casefold().strip() in without_names for author in values.authors):
        without_names = without_credit_words(text, values.language).casefold()
    has_author = False
    names = (*values.authors, *values.names)
    for name in sorted(names, key=lambda name: (-len(name), name)):
        folded = name.casefold().strip()
        if folded and folded in without_names:
            without_names = without_names.replace(folded, " ")
            if name in values.authors:
                has_author = True

    tokens = _TOKEN.findall(without_names)
    if not has_author and not any(map(str.isdecimal, tokens)):
        return False  # the words of dates take long to load

    numbers = 0
    words = 0
    words_of_dates = date_words(values.language)
    for token in tokens:
        if token.isdecimal():
            numbers += 1
            continue
        if token not in _CREDIT_WORDS and token not in words_of_dates:
            return False
        words += 1
    if has_author:
        return True
    return numbers >= 3 or (numbers > 0 and words > 0)

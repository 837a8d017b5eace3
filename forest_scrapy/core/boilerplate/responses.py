"""Readers' comments at the end of an article's content, whatever their elements are called.

Comments are records: siblings of one kind after the prose, each with an author and a time, or with
a link to reply.  They may be longer than the article.  Where they have no element of their own,
lines with an author and a time begin them.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from forest_scrapy.core.boilerplate.wordings import Starts, Wordings, plain
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.text import block_text, line_text
from forest_scrapy.core.page.tree import HEADINGS, Element, class_and_id

# These constants are not tuned.
#: Characters of a line that is prose, of prose before the first comment, and the share of that
#: which may stand after the last one.
_MIN_PROSE_LINE = 60
_MIN_PROSE = 100
_MAX_AFTER = 0.2
#: How many times the length of the longest other comment the text after the last credit has.
_MAX_LAST = 2
#: Comments that are named as such or have a link to reply, at least; and others.
_MIN_NAMED = 2
_MIN_UNNAMED = 3
#: The share of the records that have the signs of comments, and that may have a heading.
_MIN_ALIKE = 0.8
_MAX_HEADED = 0.3
#: Characters of a line that may be an author or a time, of a link to reply, of a name, and the
#: words of a name.
_MAX_SIGN = 90
_MAX_REPLY = 40
_MAX_NAME = 40
_MAX_NAME_WORDS = 5
#: Lines of a comment in which its author is looked for, and its other signs.
_MAX_AUTHOR_LINES = 3
_MAX_LINES = 40
#: Elements above a block that may be a comment, and above a comment that may name it.
_MAX_ABOVE = 8
#: Elements inside of a block that is read as one line.
_MAX_INSIDE = 100
_MAX_NAMED_ABOVE = 4
#: Blocks of a content that are looked at, and of a record.
_MAX_BLOCKS = 4_000
_MAX_RECORDS = 1_000

#: A time of a day, and a number of hours: programmes, recipes and plans have these, too.
_HOURS = Wordings(r"""
    \b\d{1,2}[:h]\d\d\b
    \b\d{1,3} ?(s|m|h|hrs?|d|w|wks?|mo|y|yrs?|std|tg)\.?$
    ^\d{1,3} ?(secs?|mins?|seconds?|minutes?|hours?|days?|weeks?|months?|years?)$
""")
#: A time since: what comments have, and entries of a chronicle mostly have not.
_AGO = Wordings(r"""
    \b(\d{1,3}|an?|one) ?[a-z]{1,7} ago\b
    \bjust now\b
    \b(yesterday|gestern|hier|ayer|ieri|ontem|gisteren|igår|wczoraj|вчера)\b
    \bvor (\d{1,3}|ein\w*) \w+
    \bil y a \d{1,3} \w+
    \bhace \d{1,3} \w+
    \bhá \d{1,3} \w+
    \b\d{1,3} \w+ (fa|atrás|geleden|sedan|siden|temu|назад)\b
    \d{1,3} ?(秒|分|分钟|分鐘|小时|小時|時間|天|日|周|个月|か月|年)前
    \d{1,3} ?(분|시간|일|주|개월|년) ?전
""")
#: What each of these has, in lower case.
_PART_OF_AGO = re.compile(
    " ago|just now|yesterday|gestern|hier|ayer|ieri|ontem|gisteren|igår|wczoraj|вчера|vor |il y a |"
    "hace |há | (?:fa|atrás|geleden|sedan|siden|temu|назад)|[前전]"
)
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d\d(?:\d\d)?\b|\d年\d{1,2}月")
#: Whole links to reply, to report, to vote.
_REPLY = Wordings(r"""
    (reply|respond|report|quote|flag|permalink|upvote|likes?)( (to )?(this|comment))?( ?\(?\d+\)?)?
    log in to reply
    (antworten|antwort|melden|zitieren|gefällt mir)( ?\(?\d+\)?)?
    (répondre|signaler|citer)
    (responder|denunciar|reportar|citar)
    (rispondi|segnala)
    (beantwoorden|reageer|reageren|rapporteer|antwoord)
    (svara|anmäl|svar|anmeld|rapporter)
    (odpowiedz|zgłoś|cytuj)
    (ответить|пожаловаться|цитировать)
    (回复|回覆|举报|返信|답글|신고)
    (yanıtla|cevapla|balas|trả lời|vastaa|válasz|odpovědět|răspunde|απάντηση)
""")
_REPLY_START = Starts((_REPLY,))
#: Headings and labels over comments.
_LABEL = Wordings(r"""
    (\d+ )?(reader )?(comments?|responses?|replies|reactions?|thoughts?)( ?[(:]?\d*\)?)?
    (\d+ )?(reader )?(comments?|responses?|replies|reactions?|thoughts?) (on|to) .{1,200}
    (join the |leave a |the )?(discussion|conversation|comment)( ?[(:]?\d*\)?)?
    what (others|readers) (say|think)
    (\d+ )?(leser)?(kommentare?|reaktionen|meinungen|antworten)( ?[(:]?\d*\)?)?( zu .{1,200})?
    (\d+ )?(commentaires?|réactions?)( ?[(:]?\d*\)?)?( sur .{1,200})?
    (\d+ )?(comentarios?|respuestas?|comentários?|respostas?)( ?[(:]?\d*\)?)?( (en|a|em) .{1,200})?
    (\d+ )?(commenti|risposte)( ?[(:]?\d*\)?)?( (a|su) .{1,200})?
    (\d+ )?(reacties?|commentaar)( ?[(:]?\d*\)?)?( op .{1,200})?
    (\d+ )?(kommentarer?|kommentaarit?|komentarze|komentáře)( ?[(:]?\d*\)?)?
    (комментарии|комментариев)( ?[(:]?\d*\)?)?
    (评论|留言|コメント|댓글)( ?[(:]?\d*\)?)?
""")
_SAYS = re.compile(
    r" (?:says?|said|wrote|writes|schrieb|sagt|a écrit|dit|dice|escribió)\b.{0,40}:?$"
)
_NAMES = re.compile(
    r"comment|respon[ds]|repl(?:y|ies)|discuss|disqus|kommentar|coment[aá]ri|commentaire|reactie",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile("[.!?\u3002\uff01\uff1f]$")
_POSTED_BY = re.compile(
    r"^(?:posted|written|comment(?:ed)?|geschrieben|publié|escrito|von|by|par|por)"
    r"(?: (?:by|von|par|por|am|on))?:? ",
    re.IGNORECASE,
)
#: The day and the month of a date, and what stands around them.
_MONTH = re.compile(
    r"(?:\b(?:at|on|am|le|el|il) )?(?:\b[^\W\d_]{3,10}\.? \d{1,2}\b|\b\d{1,2}\.? [^\W\d_]{3,10}\b)"
    r",?(?=\W*(?:19|20)\d\d)"
)
#: What names of persons have not.
_NOT_IN_NAMES = re.compile(r"[/:;+=&?!%$\u20ac]")
#: Elements that are no comments: rows and cells, terms, figures.
_NO_RECORDS = frozenset("table thead tbody tfoot tr td th dl dt dd figure pre code".split())
_DIGITS = re.compile(r"\d+")
_MARKS = " \t-|,.:;()[]@#\u00b7\u2022\u2013\u2014"


class _Signs(NamedTuple):
    """What a record shows of a comment."""

    has_author: bool
    has_time: bool
    has_moment: bool
    has_reply: bool


def find_responses(content: Content) -> frozenset[Element]:
    """The blocks of an article's content from the first comment of a reader on; empty if there are
    none.

    Comments come after prose, and no prose comes after them.  They are siblings of one kind, or
    begin with lines of one kind.  Cost: a look at the short lines; if there are several with a
    time or a link to reply, the text of the elements around them.
    """
    if not _may_have_responses(content.text):
        return frozenset()

    blocks = content.text_blocks[:_MAX_BLOCKS]
    texts = _read_texts(blocks)
    prose = _count_prose(blocks, texts)
    first = _first_of_records(blocks, prose)
    if first is None:
        first = _first_label(texts, prose)
    if first is None:
        first = _first_credit(blocks, texts, prose)
    if first is None:
        return frozenset()
    while first > 0 and _is_label(texts[first - 1]):
        first -= 1

    around_article: set[Element] = set()
    for block in blocks[:first]:
        around_article.update(block.iterancestors())
    return frozenset(content.text_blocks[first:]) - around_article


def _may_have_responses(text: str) -> bool:
    """Whether a text has several lines that may be signs of comments."""
    signs = 0
    for line in text.split("\n"):
        if len(line) > _MAX_SIGN:
            continue
        has_digit = _DIGITS.search(line) is not None  # most lines have none, and it is faster
        if _is_reply(line) or (has_digit and _has_time(plain(line))):
            signs += 1
            if signs >= _MIN_NAMED:
                return True
    return False


def _is_reply(line: str) -> bool:
    """Whether a line is nothing but a link to reply; most are not, as their start tells."""
    if len(line) > _MAX_REPLY or not _REPLY_START.match(line):
        return False
    return _REPLY.fullmatch(line) is not None


def _has_time(line: str) -> bool:
    return bool(_DATE.search(line) or _HOURS.search(line) or _has_ago(line))


def _has_ago(line: str) -> bool:
    """Whether a line has a time since; most have not even a part of its words, and that is faster
    to find."""
    if not _PART_OF_AGO.search(line.lower()):
        return False
    return _AGO.search(line) is not None


def _has_moment(line: str) -> bool:
    """Whether a line has a date with a time of the day, or a time since, as comments have."""
    if _has_ago(line):
        return True
    return bool(_DATE.search(line) and _HOURS.search(line))


def _first_of_records(
    blocks: Sequence[Element],
    prose: Sequence[int],
) -> int | None:
    """The number of the first block of the first group of siblings that are comments."""
    groups: dict[tuple[Element, str, str], dict[Element, int]] = {}
    grouped: set[Element] = set()
    for number, block in enumerate(blocks):
        for element in (block, *islice(block.iterancestors(), _MAX_ABOVE)):
            if element in grouped:
                continue
            grouped.add(element)
            parent = element.getparent()
            if parent is None or element.tag in _NO_RECORDS:
                continue
            class_name = _DIGITS.sub("", element.get("class") or "")
            kind = (parent, str(element.tag), class_name)
            groups.setdefault(kind, {})[element] = number

    for records in sorted(groups.values(), key=lambda records: min(records.values())):
        if len(records) < _MIN_NAMED or not _is_at_end(blocks, prose, records):
            continue
        if _are_responses(list(records)):
            return min(records.values())
    return None


def _read_texts(blocks: Sequence[Element]) -> list[str]:
    """The text of each block outside of the other ones, on one line.  Cost: linear."""
    left_out = set(blocks)
    texts = []
    for block in blocks:
        inside = list(islice(block.iterdescendants(), _MAX_INSIDE + 1))
        if len(inside) <= _MAX_INSIDE and left_out.isdisjoint(inside):  # most blocks
            texts.append(line_text(block))
            continue
        left_out.discard(block)
        text = block_text(block, left_out)
        texts.append(" ".join(text.split()))
        left_out.add(block)
    return texts


def _count_prose(blocks: Sequence[Element], texts: Sequence[str]) -> list[int]:
    """The characters of each block that is prose; 0 for other ones."""
    prose = []
    for block, text in zip(blocks, texts, strict=True):
        is_prose = len(text) >= _MIN_PROSE_LINE and block.tag not in HEADINGS
        prose.append(len(text) if is_prose else 0)
    return prose


def _is_at_end(
    blocks: Sequence[Element],
    prose: Sequence[int],
    records: dict[Element, int],
) -> bool:
    """Whether prose comes before the records, and little after them."""
    first = min(records.values())
    before = sum(prose[:first])
    if before < _MIN_PROSE:
        return False
    max_after = _MAX_AFTER * before
    after = 0
    for number in range(first, len(blocks)):
        if prose[number] and not _is_inside(blocks[number], records):
            after += prose[number]
            if after > max_after:
                return False
    return True


def _is_inside(block: Element, records: dict[Element, int]) -> bool:
    if block in records:
        return True
    around = islice(block.iterancestors(), 2 * _MAX_ABOVE)
    return any(element in records for element in around)


def _are_responses(records: Sequence[Element]) -> bool:
    """Whether records are comments: few have a heading, and most have the signs of comments."""
    records = records[:_MAX_RECORDS]
    headed = 0
    for record in records:
        if next(record.iter(*HEADINGS), None) is not None:
            headed += 1
    if headed > _MAX_HEADED * len(records):
        return False

    is_named = _are_named(records)
    responses = 0
    with_reply = 0
    for record in records:
        signs = _read_signs(record)
        if _is_response(signs, is_named):
            responses += 1
        if signs.has_reply:
            with_reply += 1

    min_alike = _MIN_ALIKE * len(records)
    has_replies = with_reply >= min_alike
    min_records = _MIN_NAMED if is_named or has_replies else _MIN_UNNAMED
    return len(records) >= min_records and responses >= min_alike


def _is_response(signs: _Signs, is_named: bool) -> bool:
    if signs.has_reply:
        return signs.has_author or signs.has_time
    if not signs.has_author:
        return False
    return signs.has_moment or (is_named and signs.has_time)


def _read_signs(record: Element) -> _Signs:
    record_lines = block_text(record).split("\n")[:_MAX_LINES]
    lines = [plain(line) for line in record_lines]
    short_lines = []
    for line in lines:
        if len(line) <= _MAX_SIGN:
            short_lines.append(line)
    return _Signs(
        has_author=any(map(_names_author, lines[:_MAX_AUTHOR_LINES])),
        has_time=any(map(_has_time, short_lines)),
        has_moment=any(map(_has_moment, short_lines)),
        has_reply=any(_REPLY.fullmatch(line.strip(_MARKS)) for line in short_lines),
    )


def _names_author(line: str) -> bool:
    """Whether a line is a name, maybe with a time."""
    if len(line) > _MAX_SIGN:
        return False
    if _SAYS.search(line):
        return True
    name = _POSTED_BY.sub("", line)
    for pattern in (_AGO.compiled, _HOURS.compiled, _MONTH, _DATE):
        name = pattern.sub(" ", name)
    name = name.strip(_MARKS)
    if not 0 < len(name) <= _MAX_NAME:
        return False
    words = name.split()
    if len(words) > _MAX_NAME_WORDS:
        return False
    if not any(map(str.isalpha, name)):
        return False
    if _NOT_IN_NAMES.search(name) or _SENTENCE_END.search(name):
        return False
    return _REPLY.fullmatch(name) is None


def _are_named(records: Sequence[Element]) -> bool:
    """Whether the records, or what is around them or before them, are called comments."""
    first = records[0]
    around = (first, *islice(first.iterancestors(), _MAX_NAMED_ABOVE))
    for element in around:
        if element.tag != "body" and _NAMES.search(class_and_id(element, 200)):
            return True
    return any(map(_is_label, _read_labels_before(first)))


def _read_labels_before(record: Element) -> Iterator[str]:
    """The text before the record, and that before the element around it."""
    for element in (record, *islice(record.iterancestors(), 1)):
        previous = element.getprevious()
        if previous is not None and isinstance(previous.tag, str):
            yield line_text(previous)


def _is_label(text: str) -> bool:
    if not 0 < len(text) <= _MAX_SIGN:
        return False
    label = plain(text).strip(_MARKS)
    return _LABEL.fullmatch(label) is not None


def _first_label(texts: Sequence[str], prose: Sequence[int]) -> int | None:
    """The number of a label of comments that several lines with an author and a moment follow."""
    for number, text in enumerate(texts):
        if _is_label(text) and sum(prose[:number]) >= _MIN_PROSE:
            credits = sum(map(_is_credit, texts[number + 1 :]))
            return number if credits >= _MIN_NAMED else None
    return None


def _first_credit(
    blocks: Sequence[Element],
    texts: Sequence[str],
    prose: Sequence[int],
) -> int | None:
    """The number of the first of the lines with an author and a time that begin comments which
    stand beside each other, without elements of their own.  The text after the last one is about
    as long as a comment at most."""
    parents = {block.getparent() for block in blocks}
    credits: dict[tuple[Element | None, str, str], list[int]] = {}
    for number, block in enumerate(blocks):
        if block.tag in HEADINGS or block.tag in _NO_RECORDS:
            continue
        if block in parents or not _is_credit(texts[number]):
            continue
        kind = (block.getparent(), str(block.tag), block.get("class") or "")
        credits.setdefault(kind, []).append(number)

    for numbers in sorted(credits.values()):
        first = numbers[0]
        if len(numbers) < _MIN_UNNAMED or sum(prose[:first]) < _MIN_PROSE:
            continue
        sizes = []
        for start, end in pairwise((*numbers, len(blocks))):
            comment_texts = texts[start + 1 : end]
            size = sum(map(len, comment_texts))
            sizes.append(size)
        if not all(sizes):
            continue
        last_size = sizes.pop()
        if last_size <= _MAX_LAST * max(sizes):
            return first
    return None


def _is_credit(line: str) -> bool:
    """Whether a line has an author and a time of a day, and nothing else."""
    if not 0 < len(line) <= _MAX_SIGN:
        return False
    text = plain(line)
    return _has_moment(text) and _names_author(text)

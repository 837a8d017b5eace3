"""Readers' comments at the end of an article's content, whatever their elements are called.

Comments are records: siblings of one kind after the prose, each with an author and a time, or with
a link to reply.  They may be longer than the article.  Where they have no element of their own,
lines with an author and a time begin them.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from forest_scrapy.core.boilerplate.wordings import Starts, Wordings, plain
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.text import block_text, line_text
from forest_scrapy.core.page.tree import HEADINGS, Element, class_and_id

# These constants are not tuned.
#: Characters of a line that is prose, of prose before the first comment, and the share of that
#: which may stand after the last one.
_PROSE_LINE = 60
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
    texts = _own_texts(blocks)
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
    around = {above for block in blocks[:first] for above in block.iterancestors()}
    return frozenset(content.text_blocks[first:]) - around


def _may_have_responses(text: str) -> bool:
    """Whether a text has several lines that may be signs of comments."""
    found = 0
    for line in text.split("\n"):
        if len(line) > _MAX_SIGN:
            continue
        has_digit = _DIGITS.search(line) is not None  # most lines have none, and it is faster
        may_be_reply = len(line) <= _MAX_REPLY
        is_reply = may_be_reply and _REPLY_START.match(line) and _REPLY.fullmatch(line)
        if is_reply or (has_digit and _has_time(plain(line))):
            found += 1
            if found >= _MIN_NAMED:
                return True
    return False


def _has_time(line: str) -> bool:
    return bool(_DATE.search(line) or _HOURS.search(line) or _has_ago(line))


def _has_ago(line: str) -> bool:
    """Whether a line has a time since; most have not even a part of its words, and that is faster
    to find."""
    return _PART_OF_AGO.search(line.lower()) is not None and _AGO.search(line) is not None


def _has_moment(line: str) -> bool:
    """Whether a line has a date with a time of the day, or a time since, as comments have."""
    if _has_ago(line):
        return True
    return _DATE.search(line) is not None and _HOURS.search(line) is not None


def _first_of_records(blocks: Sequence[Element], prose: Sequence[int]) -> int | None:
    """The number of the first block of the first group of siblings that are comments."""
    groups: dict[tuple[Element, str, str], dict[Element, int]] = {}
    grouped: set[Element] = set()
    for number, block in enumerate(blocks):
        for element in (block, *islice(block.iterancestors(), _MAX_ABOVE)):
            if element in grouped:
                continue
            grouped.add(element)
            parent = element.getparent()
            if parent is not None and element.tag not in _NO_RECORDS:
                kind = (parent, str(element.tag), _DIGITS.sub("", element.get("class") or ""))
                groups.setdefault(kind, {})[element] = number
    for records in sorted(groups.values(), key=lambda records: min(records.values())):
        is_list = len(records) >= _MIN_NAMED and _is_at_end(blocks, prose, records)
        if is_list and _are_responses(list(records)):
            return min(records.values())
    return None


def _own_texts(blocks: Sequence[Element]) -> list[str]:
    """The text of each block outside of the other ones, on one line.  Cost: linear."""
    others = set(blocks)
    texts = []
    for block in blocks:
        inside = list(islice(block.iterdescendants(), _MAX_INSIDE + 1))
        if len(inside) <= _MAX_INSIDE and others.isdisjoint(inside):  # most blocks
            texts.append(line_text(block))
            continue
        others.discard(block)
        texts.append(" ".join(block_text(block, others).split()))
        others.add(block)
    return texts


def _count_prose(blocks: Sequence[Element], texts: Sequence[str]) -> list[int]:
    """The characters of each block that is prose; 0 for other ones."""
    return [
        len(text) if len(text) >= _PROSE_LINE and block.tag not in HEADINGS else 0
        for block, text in zip(blocks, texts, strict=True)
    ]


def _is_at_end(
    blocks: Sequence[Element], prose: Sequence[int], records: dict[Element, int]
) -> bool:
    """Whether prose comes before the records, and little after them."""
    first = min(records.values())
    before = sum(prose[:first])
    if before < _MIN_PROSE:
        return False
    after = 0
    for number in range(first, len(blocks)):
        if prose[number] and not _is_inside(blocks[number], records):
            after += prose[number]
    return after <= _MAX_AFTER * before


def _is_inside(block: Element, records: dict[Element, int]) -> bool:
    if block in records:
        return True
    return any(above in records for above in islice(block.iterancestors(), 2 * _MAX_ABOVE))


def _are_responses(records: Sequence[Element]) -> bool:
    records = records[:_MAX_RECORDS]
    headed = sum(next(record.iter(*HEADINGS), None) is not None for record in records)
    if headed > _MAX_HEADED * len(records):
        return False
    signs = [_read_signs(record) for record in records]
    is_named = _are_named(records)
    matching = sum(_is_response(one, is_named) for one in signs)
    has_replies = sum(one.has_reply for one in signs) >= _MIN_ALIKE * len(records)
    least = _MIN_NAMED if is_named or has_replies else _MIN_UNNAMED
    return len(records) >= least and matching >= _MIN_ALIKE * len(records)


def _is_response(signs: _Signs, is_named: bool) -> bool:
    if signs.has_reply:
        return signs.has_author or signs.has_time
    return signs.has_author and (signs.has_moment or (is_named and signs.has_time))


def _read_signs(record: Element) -> _Signs:
    lines = [plain(line) for line in block_text(record).split("\n")[:_MAX_LINES]]
    short = [line for line in lines if len(line) <= _MAX_SIGN]
    return _Signs(
        has_author=any(_names_author(line) for line in lines[:_MAX_AUTHOR_LINES]),
        has_time=any(_has_time(line) for line in short),
        has_moment=any(_has_moment(line) for line in short),
        has_reply=any(_REPLY.fullmatch(line.strip(_MARKS)) for line in short),
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
    is_short = 0 < len(name) <= _MAX_NAME and len(name.split()) <= _MAX_NAME_WORDS
    has_letter = any(character.isalpha() for character in name)
    has_other = _NOT_IN_NAMES.search(name) is not None or _SENTENCE_END.search(name) is not None
    is_name = is_short and has_letter and not has_other
    return is_name and _REPLY.fullmatch(name) is None


def _are_named(records: Sequence[Element]) -> bool:
    """Whether the records, or what is around them or before them, are called comments."""
    first = records[0]
    around = (first, *islice(first.iterancestors(), _MAX_NAMED_ABOVE))
    is_named = any(
        _NAMES.search(class_and_id(element, 200)) for element in around if element.tag != "body"
    )
    return is_named or any(_is_label(text) for text in _labels_before(first))


def _labels_before(record: Element) -> Iterator[str]:
    for element in (record, *islice(record.iterancestors(), 1)):
        before = element.getprevious()
        if before is not None and isinstance(before.tag, str):
            yield line_text(before)


def _is_label(text: str) -> bool:
    return 0 < len(text) <= _MAX_SIGN and _LABEL.fullmatch(plain(text).strip(_MARKS)) is not None


def _first_label(texts: Sequence[str], prose: Sequence[int]) -> int | None:
    """The number of a label of comments that several lines with an author and a moment follow."""
    for number, text in enumerate(texts):
        if _is_label(text) and sum(prose[:number]) >= _MIN_PROSE:
            credits = sum(map(_is_credit, texts[number + 1 :]))
            return number if credits >= _MIN_NAMED else None
    return None


def _first_credit(
    blocks: Sequence[Element], texts: Sequence[str], prose: Sequence[int]
) -> int | None:
    """The number of the first of the lines with an author and a time that begin comments which
    stand beside each other, without elements of their own.  The text after the last one is about
    as long as a comment at most."""
    around = {block.getparent() for block in blocks}
    credits: dict[tuple[Element | None, str, str], list[int]] = {}
    for number, block in enumerate(blocks):
        is_no_credit = block.tag in HEADINGS or block.tag in _NO_RECORDS
        if is_no_credit or block in around or not _is_credit(texts[number]):
            continue
        kind = (block.getparent(), str(block.tag), block.get("class") or "")
        credits.setdefault(kind, []).append(number)
    for numbers in sorted(credits.values()):
        first = numbers[0]
        before = sum(prose[:first])
        ends = (*numbers[1:], len(blocks))
        sizes = [
            sum(map(len, texts[start + 1 : end])) for start, end in zip(numbers, ends, strict=True)
        ]
        if len(numbers) < _MIN_UNNAMED or before < _MIN_PROSE or not all(sizes):
            continue
        if sizes[-1] <= _MAX_LAST * max(sizes[:-1]):
            return first
    return None


def _is_credit(line: str) -> bool:
    """Whether a line has an author and a time of a day, and nothing else."""
    if not 0 < len(line) <= _MAX_SIGN:
        return False
    text = plain(line)
    return _has_moment(text) and _names_author(text)

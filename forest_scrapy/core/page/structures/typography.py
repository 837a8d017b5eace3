"""The parts of a text that are not in its characters: quotation marks, powers, emoji, ruby."""

import re
import unicodedata
from itertools import islice

from forest_scrapy.core.page.tree import Element, is_block

#: Quotation marks by language, outer and inner ones; others have English ones.
_QUOTES = {
    "de": "„“‚‘", "cs": "„“‚‘", "sk": "„“‚‘", "sl": "„“‚‘", "is": "„“‚‘", "bg": "„“’‘",
    "hr": "„“‘’", "sr": "„“‘’", "mk": "„“’‘", "lt": "„“‚‘", "ka": "„“‚‘", "et": "„“‚‘",
    "pl": "„”‚’", "hu": "„”»«", "ro": "„”«»", "nl": "“”‘’",
    "fr": "«»‹›", "it": "«»“”", "es": "«»“”", "pt": "«»“”", "ca": "«»“”", "el": "«»“”",
    "ru": "«»„“", "uk": "«»„“", "be": "«»„“", "hy": "«»“”", "fa": "«»‹›", "ar": "”“’‘",
    "no": "«»‘’", "nb": "«»‘’", "nn": "«»‘’", "da": "»«›‹", "lv": "«»„“", "sq": "«»“”",
    "sv": "””’’", "fi": "””’’", "ja": "「」『』", "zh": "“”‘’", "ko": "“”‘’",
}  # fmt: skip
_ENGLISH = "“”‘’"
#: What separates the code of a language from that of a country.
_SEPARATOR = re.compile("[-_]")
#: Elements up to the one that declares the language.
MAX_LEVELS = 200


def find_language(element: Element) -> str:
    """The language code that the nearest element around declares; ``""`` if none does."""
    ancestor: Element | None = element
    for _ in range(MAX_LEVELS):
        if ancestor is None:
            break
        language = ancestor.get("lang")
        if language:
            code, *_ = _SEPARATOR.split(language, maxsplit=1)
            return code.strip().lower()
        ancestor = ancestor.getparent()
    return ""


def quotation_marks(element: Element, language: str = "") -> tuple[str, str]:
    """The marks around a ``q``, of the language that is declared for it, or else of this one.

    >>> from lxml.html import fromstring
    >>> quotation_marks(fromstring("<p lang=de>Er rief <q>Ahoi</q></p>")[0])
    ('„', '“')
    """
    code = find_language(element) or language
    marks = _QUOTES.get(code, _ENGLISH)
    levels = sum(1 for _ in islice(element.iterancestors("q"), MAX_LEVELS))
    is_inner = levels % 2 == 1
    first = 2 if is_inner else 0
    opening = marks[first]
    closing = marks[first + 1]
    if code == "fr" and not is_inner:
        return f"{opening}\xa0", f"\xa0{closing}"
    return opening, closing


#: A raised text that is a power: a number, or one letter for a number.
_POWER = re.compile(
    r"[+\-−–]?\s?[\d.,]+|[+\-−–]?[nkmxyijtNKMXY]|[+\-−–]?\d*[nkmxyij]?\s?[+\-−–]\s?[\dnk]+"
)
_SUBSCRIPT = re.compile(r"\d+")
#: Characters of the longest text of a power.
_MAX_POWER_LENGTH = 12


def script_marks(element: Element, before: str) -> tuple[str, str]:
    """What a text has before and after what is raised or lowered: ``^`` or ``_`` where digits would
    run together, brackets where a number would be glued to a word; else nothing.

    ``before``: the end of the line before the element.

    >>> from lxml.html import fromstring
    >>> power, ordinal = fromstring("<p>10<sup>6</sup> on the 1<sup>st</sup></p>")
    >>> script_marks(power, "10"), script_marks(power, "m"), script_marks(ordinal, "1")
    (('^', ''), ('', ''), ('', ''))
    >>> script_marks(fromstring("<p>the bridge<sup>1</sup>")[0], "the bridge")
    ('[', ']')
    """
    text = ""
    for piece in element.itertext():
        text += piece
        if len(text) > _MAX_POWER_LENGTH:
            return "", ""
    text = text.strip()
    if not text or not before:
        return "", ""
    is_after_digit = before[-1].isdigit()
    if element.tag == "sub":
        is_index = is_after_digit and _SUBSCRIPT.fullmatch(text) is not None
        if is_index:
            return ("_", "")
        return ("", "")
    if is_after_digit:
        if _POWER.fullmatch(text):
            return ("^", "")
        return ("", "")
    is_number = len(text) <= _MAX_NUMBER_LENGTH and text.isdigit()
    if is_number and _BEFORE_NOTES.search(before):
        return "[", "]"
    return "", ""


#: What a raised number after it is a note of: a word, which is longer than a unit, or a sentence.
_BEFORE_NOTES = re.compile(r"(?:[^\W\d_]{4}|[.,;:!?\"”’»…])$")
_MAX_NUMBER_LENGTH = 3


def has_parentheses(reading: Element) -> bool:
    """Whether a ``ruby`` has parentheses for its readings, for browsers that do not know it."""
    ruby = reading.getparent()
    if ruby is None:
        return False
    return next(ruby.iterchildren("rp"), None) is not None


_EMOJI_CLASS = re.compile(r"emoji|smiley|smilies|emoticon|twemoji", re.IGNORECASE)
#: Characters of emoji besides symbols: joiners, variants, keycaps, flags of regions, tags.
_OF_EMOJI = re.compile(
    "[\u200d\ufe0e\ufe0f\u20e3#*0-9\U0001f1e6-\U0001f1ff\U000e0020-\U000e007f\u00a9\u00ae]"
)
_EMOTICON = re.compile(r":[\w+-]{1,40}:|[:;=8xX][-^']?[()\[\]DPpOo3|/\\*$@]{1,2}|<3|\^_?\^")
_MAX_EMOJI_LENGTH = 40
#: Width and height of the largest image that is shown in a line.
_MAX_SIDE = 64


def read_emoji(image: Element) -> str:
    """The emoji that an image shows, by its ``alt``; ``""`` if it shows none.

    >>> from lxml.html import fromstring
    >>> smiley, owl = fromstring("<p><img class=wp-smiley alt='🙂'><img alt=owl>")
    >>> read_emoji(smiley), read_emoji(owl)
    ('🙂', '')
    """
    alt = (image.get("alt") or "").strip()
    if not alt or len(alt) > _MAX_EMOJI_LENGTH or _is_large(image):
        return ""
    if _is_emoji(alt):
        return alt
    is_named = _EMOJI_CLASS.search(image.get("class") or "") is not None
    if is_named and _EMOTICON.fullmatch(alt):
        return alt
    return ""


def _is_emoji(text: str) -> bool:
    has_symbol = False
    for char in text:
        if _is_symbol(char) or char == "\u20e3":
            has_symbol = True
        elif char != " " and not _OF_EMOJI.match(char):
            return False
    return has_symbol


def _is_symbol(char: str) -> bool:
    """Whether the character is an emoji by itself, or half of a flag."""
    if char in _SYMBOLS or "\U0001f1e6" <= char <= "\U0001f1ff":
        return True
    return unicodedata.category(char) in ("So", "Sk")


#: Emoji that are no "other symbols" in Unicode.
_SYMBOLS = frozenset("‼⁉↔↕↖↗↘↙↩↪▪▫▶◀◻◼◽◾⤴⤵〰〽♯")


def _is_large(image: Element) -> bool:
    for name in ("width", "height"):
        size = image.get(name) or ""
        digits = size.strip().removesuffix("px")
        is_number = digits.isdigit() and len(digits) < 6
        if is_number and int(digits) > _MAX_SIDE:
            return True
    return False


_SHOWN_AS_BLOCK = re.compile(
    r"(?<![\w-])display\s*:\s*(?:block|flex|grid|table|list-item|table-row)\s*(?:;|!|$)",
    re.IGNORECASE,
)
_BLOCK_CLASSES = frozenset(("d-block", "display-block", "is-block", "u-block"))


def is_shown_as_block(element: Element) -> bool:
    """Whether an inline element is shown as a block, by its style or class."""
    style = element.get("style")
    if style and _SHOWN_AS_BLOCK.search(style):
        return True
    names = element.get("class") or ""
    return "block" in names and not _BLOCK_CLASSES.isdisjoint(names.split())


def is_followed_in_block(element: Element) -> bool:
    """Whether the block that an inline element is in goes on after it."""
    ancestor: Element | None = element
    for _ in range(MAX_LEVELS):
        if ancestor is None or is_block(ancestor):
            return False
        text_after = ancestor.tail or ""
        if text_after.strip() or ancestor.getnext() is not None:
            return True
        ancestor = ancestor.getparent()
    return False

"""JSON as pages write it: with comments, commas too many or too few, quotes that are not escaped,
and other text around it."""

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

#: Values in each other; hostile texts have more.
_MAX_DEPTH = 60
#: Quotes that are looked at; hostile texts have more.
_MAX_QUOTES = 50_000
#: Characters of the longest key.
_MAX_KEY = 100

#: What is skipped between values: white space, comments, and marks of CDATA and of HTML's comments.
_SKIPPED = re.compile(
    r"(?:[\s\ufeff]++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|<!\[CDATA\[|\]\]>|<!--|-->)*+"
)
#: How the rest of a string up to the next quote that is not escaped is matched, by the quote.
_TO_QUOTE = {
    '"': re.compile(r'(?:[^"\\]++|\\.)*+"', re.DOTALL).match,
    "'": re.compile(r"(?:[^'\\]++|\\.)*+'", re.DOTALL).match,
}
_QUOTED_KEY = (
    rf"(?:\"[^\"\\\n]{{1,{_MAX_KEY}}}\"|"
    rf"'[^'\\\n]{{1,{_MAX_KEY}}}')\s*+:"
)
_KEY_AHEAD = rf"(?:{_QUOTED_KEY}|[A-Za-z_$@][\w$-]{{0,{_MAX_KEY}}}\s*+:)"
#: What follows the last quote of a key, of a value in an object, and of a value in a list.
_match_after_key = re.compile(r"\s*+:").match
_match_after_value = re.compile(
    rf"\s*+(?:,\s*+(?:{_KEY_AHEAD}|[}}/]|$)|}}\s*+(?:[,}}\];/<]|--|$)|//|/\*|$)|\s++{_QUOTED_KEY}"
).match
_match_after_member = re.compile(r"\s*+(?:[,\]]|//|/\*|$)").match
#: Where a value outside of all may begin, or something that is skipped.
_START = re.compile(r"[{\[</]")
_BARE = re.compile(r"[^\s,:{}\[\]\"'/<;]++")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS = {"true": True, "false": False}

#: Quotes in a text of which nothing can be read with its own ones.
_QUOTE_ENTITY = re.compile(r"&(?:quot|#0*+34|#[xX]0*+22);")
_ESCAPED_START = re.compile(r"\A[^{\[\"]*+[{\[][\s{\[]*+\\\"")
_TYPOGRAPHIC = re.compile("[\u201c-\u201f\u2033]")

#: How a text is matched at a position.
_Match = Callable[[str, int], re.Match[str] | None]


def read_json(text: str) -> list[Any]:
    """The values of a text that is meant to be JSON; what cannot be read is left out, and the rest
    is kept.  Never fails.

    Cost: that of ``json.loads`` if the text is JSON, else some 20 times as much, linear in the
    length.

    >>> read_json('{"title": "The "old" pier", "date": "2024-05-03",};  {"a": [1 2] /* b */}')
    [{'title': 'The "old" pier', 'date': '2024-05-03'}, {'a': [1, 2]}]
    >>> read_json("<!-- {name: 'Ana Bo', 'age': NaN, 'jobs': [{"), read_json("Owls")
    ([{'name': 'Ana Bo', 'age': None, 'jobs': [{}]}], [])
    >>> read_json('{"name": oops}')
    []
    """
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        if '"' not in text:
            return _read_loosely(_without_escapes(text))
        return _read_loosely(text) or _read_loosely(_without_escapes(text))
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):  # encoded twice
        return _LooseReader(value).read_all()
    if isinstance(value, list):
        return value
    return [value]


def _read_loosely(text: str) -> list[Any]:
    parts_with_values = []
    for part in _LooseReader(text).read_all():
        if _has_value(part):
            parts_with_values.append(part)
    return parts_with_values


def _without_escapes(text: str) -> str:
    """A text whose quotes are written otherwise: as entities of HTML, with a backslash each, or as
    programs for texts make them.

    >>> _without_escapes("{&#34;a&quot;: 1}"), _without_escapes("{“a”: 1}")
    ('{"a": 1}', '{"a": 1}')
    """
    if _QUOTE_ENTITY.search(text):
        text = unescape(text)
    if _ESCAPED_START.match(text):
        text = text.replace('\\"', '"')
    return text if '"' in text else _TYPOGRAPHIC.sub('"', text)


def _has_value(value: Any) -> bool:
    """Whether a value has anything that could be read."""
    if not isinstance(value, dict):
        return True
    return any(part is not None for part in value.values())


class _LooseReader:
    """Reads a text from its start to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._quotes = 0

    def read_all(self) -> list[Any]:
        """The objects of the text, and those of its lists; other text is skipped."""
        values: list[Any] = []
        while start := _START.search(self._text, self._position):
            self._position = start.start()
            character = self._peek()
            if character and character in "{[":
                value = self._read_value(0, _match_after_member)
                values += value if isinstance(value, list) else [value]
            elif self._position == start.start():
                self._position += 1
        return values

    def _peek(self) -> str:
        """The next character that is not skipped; ``""`` at the end."""
        skipped = _SKIPPED.match(self._text, self._position)
        if skipped is not None:
            self._position = skipped.end()
        start = self._position
        return self._text[start : start + 1]

    def _read_value(self, depth: int, match_after: _Match) -> Any:
        """The value at the position; None if there is none, or it is too deep.

        ``match_after``: matches what follows the value if it is a string."""
        character = self._peek()
        if character in ('"', "'"):
            return self._read_string(match_after)
        if character not in ("{", "["):
            return self._read_bare()
        if depth >= _MAX_DEPTH:
            self._position = len(self._text)
            return None
        self._position += 1
        if character == "{":
            return self._read_object(depth)
        return self._read_list(depth)

    def _read_object(self, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while character := self._peek():
            if character == "}":
                self._position += 1
                break
            if character in ('"', "'"):
                key = self._read_string(_match_after_key)
            elif bare := _BARE.match(self._text, self._position):
                key = bare.group()
                self._position = bare.end()
            elif character in "{[":  # such as {{ page.id }}, where nothing was filled in
                members.setdefault("", self._read_value(depth + 1, _match_after_value))
                continue
            else:  # a comma, or what belongs nowhere
                self._position += 1
                continue
            if self._peek() == ":":
                self._position += 1
                value = self._read_value(depth + 1, _match_after_value)
                members[key] = value
        return members

    def _read_list(self, depth: int) -> list[Any]:
        values: list[Any] = []
        while character := self._peek():
            if character == "]":
                self._position += 1
                break
            start = self._position
            if character not in ",:};<":
                value = self._read_value(depth + 1, _match_after_member)
                values.append(value)
            if self._position == start:
                self._position += 1
        return values

    def _read_bare(self) -> Any:
        """A number or a word; None for words that have no meaning in JSON."""
        bare = _BARE.match(self._text, self._position)
        if bare is None:
            return None
        self._position = bare.end()
        word = bare.group()
        if word in _WORDS:
            return _WORDS[word]
        try:
            number = json.loads(word)
        except ValueError:
            return None
        if not isinstance(number, (int, float)):
            return None
        if abs(number) < float("inf"):
            return number
        return None

    def _read_string(self, match_after: _Match) -> str:
        """The string at the position: it ends at the first quote behind which ``match_after``
        matches, else at the first quote, else with the text."""
        text = self._text
        start = self._position + 1
        match_to_quote = _TO_QUOTE[text[self._position]]
        first = -1
        end = -1
        position = start
        while self._quotes < _MAX_QUOTES and (quote := match_to_quote(text, position)):
            self._quotes += 1
            position = quote.end()
            first = position if first < 0 else first
            if match_after(text, position):
                end = position
                break
        end = first if end < 0 else end
        if end < 0:
            self._position = len(text)
            return _unescape_string(text[start:])
        self._position = end
        return _unescape_string(text[start : end - 1])


def _unescape_string(text: str) -> str:
    """The string that a JSON string writes; surrogates that are not in pairs are left out."""
    if "\\" not in text:
        return text
    written = _ESCAPE.sub(_read_escape, text)
    return written.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


def _read_escape(escape: re.Match[str]) -> str:
    code = escape[1]
    is_number = len(code) == 5
    if is_number:
        return chr(int(code[1:], 16))
    return _LETTERS.get(code, code)

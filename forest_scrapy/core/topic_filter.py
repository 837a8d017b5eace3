"""Which articles are wanted, by their language and by what they say."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class TopicFilter:
    """``languages``: codes such as ``en``; empty: any.  ``patterns``: regular expressions that must
    all be found in the title, the tags or the text, each anywhere there; empty: any article."""

    languages: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()

    def check(
        self,
        language: str,
        title: str,
        tags: Iterable[str],
        text: str,
    ) -> str:
        """``other_language``, ``no_match``, or ``""`` for an article that is wanted, and for one
        whose language is not known.

        >>> topic = TopicFilter(("en",), read_topic("harbour council"))
        >>> topic.check("en-GB", "The harbours", ["Town"], "The Council has decided.")
        ''
        >>> topic.check("fr", "Le port", [], ""), topic.check("", "The harbour", [], "")
        ('other_language', 'no_match')
        """
        if self.languages and language and not self._has_language(language):
            return "other_language"
        if not self.patterns:
            return ""
        content = "\n".join((title, *tags, text))
        is_found = all(pattern.search(content) for pattern in self.patterns)
        return "" if is_found else "no_match"

    def _has_language(self, language: str) -> bool:
        code = language.lower()
        return any(f"{code}-".startswith(f"{wanted}-") for wanted in self.languages)


ANY_TOPIC = TopicFilter()


def read_topic(text: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of words, of which an article must have all, in any order; between slashes the
    text is a regular expression.  Upper and lower case are the same, and words may have endings.
    Raises ``re.error``.

    >>> [pattern.pattern for pattern in read_topic("harbour 港")]
    ['(?<!\\\\w)harbour', '港']
    >>> [pattern.pattern for pattern in read_topic("/harbou?r fee/")]
    ['harbou?r fee']
    """
    text = text.strip()
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        return (re.compile(text[1:-1], re.IGNORECASE),)
    patterns = []
    for word in text.split():
        # Scripts without upper and lower case may have no spaces between words.
        has_case = word[0].lower() != word[0].upper()
        start = r"(?<!\w)" if has_case or word[0].isdigit() else ""
        patterns.append(re.compile(f"{start}{re.escape(word)}", re.IGNORECASE))
    return tuple(patterns)


def read_languages(text: str) -> tuple[str, ...]:
    """The codes of languages, which commas separate.  Raises ``ValueError`` for what is none.

    >>> read_languages("en, pt-BR")
    ('en', 'pt-br')
    """
    codes = [code.strip().lower().replace("_", "-") for code in text.split(",") if code.strip()]
    for code in codes:
        if not re.fullmatch(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*", code):
            raise ValueError(f"{code!r} is not the code of a language, such as en or pt-br")
    return tuple(codes)

"""Which items are wanted, by their language and by what they say."""

import re
from dataclasses import dataclass

from forest_scrapy.core.items import Article, Item, Product


@dataclass(frozen=True)
class TopicFilter:
    """``languages``: codes such as ``en``; empty: any.  ``patterns``: regular expressions that must
    all be found in the title, the tags or the text, each anywhere there; empty: any item."""

    languages: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()

    def check(self, item: Item) -> str:
        """``other_language``, ``no_match``, or ``""`` for an item that is wanted, and for one whose
        language is not known.

        >>> topic = TopicFilter(("en",), read_topic("harbour council"))
        >>> url = "https://a.example/"
        >>> topic.check(Article(url, "The harbours", "The Council met.", language="en-GB"))
        ''
        >>> topic.check(Article(url, "Le port", language="fr"))
        'other_language'
        >>> topic.check(Article(url, "Harbour"))
        'no_match'
        """
        if self.languages and item.language and not self._has_language(item.language):
            return "other_language"
        if not self.patterns:
            return ""
        content = "\n".join(_texts_of(item))
        is_found = all(pattern.search(content) for pattern in self.patterns)
        return "" if is_found else "no_match"

    def _has_language(self, language: str) -> bool:
        code = language.lower()
        return any(f"{code}-".startswith(f"{wanted}-") for wanted in self.languages)


def _texts_of(item: Item) -> tuple[str, ...]:
    """The texts that are searched."""
    if isinstance(item, Article):
        return (item.title, *item.tags, *item.categories, item.text)
    if isinstance(item, Product):
        return (item.name, item.brand, item.description, item.text)
    return (item.title, item.text)


def read_topic(text: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of words, of which an item must have all, in any order; between slashes the
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

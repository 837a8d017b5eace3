"""The names in a byline."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["clean_names", "is_plausible_name", "split_names"]

#: Words at the start of a byline, such as "by", in many languages.
_BY = (
    "by por par przez text text: words written story posted published reporting autor autor: "
    "autorin autorin: autorka autores auteur auteur: autore autore: author author: authors "
    "authors: skrevet skriven tekst tekst: kirjoittanut yazan yazar yazar: haber oleh penulis "
    "penulis: theo napsal napsala napisał napisała от автор автор: текст текст: συντάκτης: από "
    "מאת بقلم كتب 作者 作者: 作者： 文: 文： 文/ 记者 記者 撰文 글 글: szerző: írta: scris "
    "rédaction: edited reporter reporter: redacción: publicado publié"
)
#: Words that start a byline or a name: cut off only in visible text, before two words or more.
_BY_OR_NAME = "von di da de van door av af od του της"


def _first_words(words: str) -> re.Pattern[str]:
    longest = sorted(map(re.escape, words.split()), key=lambda word: (-len(word), word))
    return re.compile(rf"^(?:(?:{'|'.join(longest)})(?:\s*[:：]\s*|\s+|$))+", re.IGNORECASE)


_BY_FIRST, _BY_OR_NAME_FIRST = _first_words(_BY), _first_words(_BY_OR_NAME)
#: Separators of names: punctuation, and the word "and" in many languages.
_BETWEEN = re.compile(
    r"\s*[,;|•·、，；\n\t]\s*|\s+(?:/|&|\+|and|und|et|og|och|en|ve|ja|oraz|та|και|és|și|si|dan|và|"
    r"with|mit|avec|con|met)\s+",
    re.IGNORECASE,
)
#: "And" of one letter: only between two full names, because names contain it, too.
_BETWEEN_FULL = re.compile(r"(?<=\S\s)(\S+)\s+(?:y|e|i|a|и|і)\s+(?=\S+\s\S)")
_ROLE = re.compile(r"\s*[(\[（].*?[)\]）]\s*")
_ADDRESS = re.compile(r"\S+@\S+|https?://\S+|www\.\S+")
_HANDLE = re.compile(r"(?:^|\s)@\w+")
_ENDS = " \t\n\r\xa0-–—:.,;|·•*\"“”„«»'’‘()[]\u200b\u200e\u200f\ufeff"
_TITLE_END = re.compile(r"\s*(?:기자|記者|记者)$")
#: A name has at most this many words and characters, and none of these characters.
_MOST_WORDS, _MOST_CHARACTERS, _NO_LETTERS = 5, 60, frozenset(":_=<>{}?!©#*")
_DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)*\.[a-z]{2,10}")


def split_names(text: str, is_visible: bool = False) -> list[str]:
    """The names in a byline, without "by", email addresses and text that cannot be a name.

    ``is_visible``: the text is shown to readers, so that a word like "von" is more likely the
    start of the byline than part of a name.

    >>> split_names("By Ana Bo and Cy Dee (text), ana@bo.example")
    ['Ana Bo', 'Cy Dee']
    >>> split_names("Von Jörg Soldwisch, dpa", is_visible=True), split_names("4 minutes")
    (['Jörg Soldwisch', 'dpa'], [])
    """
    text = _ADDRESS.sub(" ", text[:1000])
    text = _ROLE.sub(" ", _HANDLE.sub(" ", text)).strip(_ENDS)
    text = _BY_FIRST.sub("", text)
    rest = _BY_OR_NAME_FIRST.sub("", text)
    text = rest if is_visible and len(rest.split()) > 1 else text
    text = _BETWEEN_FULL.sub(r"\1, ", text)
    names = clean_names(_trim(part) for part in _BETWEEN.split(text))
    return [name for name in names if not (is_visible and _DOMAIN.fullmatch(name))]


def clean_names(names: Iterable[str]) -> list[str]:
    """The plausible ones of these names, without duplicates, in their order.

    >>> clean_names(["Ana Bo", "ana bo", "12 May", ""])
    ['Ana Bo']
    """
    found: dict[str, str] = {}
    for name in names:
        if is_plausible_name(name):
            found.setdefault(name.casefold(), name)
    return list(found.values())


def is_plausible_name(name: str) -> bool:
    """Whether the text can be the name of a person or an agency."""
    return (
        1 < len(name) <= _MOST_CHARACTERS
        and len(name.split()) <= _MOST_WORDS
        and any(c.isalpha() for c in name)
        and not any(c.isdigit() or c in _NO_LETTERS for c in name)
        and name.casefold() not in _NO_NAMES
    )


#: What publishing systems write if no name is known.
_NO_NAMES = frozenset(
    ("admin", "administrator", "none", "null", "author", "unknown", "follow", "von")
)


def _trim(part: str) -> str:
    part = _TITLE_END.sub("", " ".join(part.split()).strip(_ENDS))
    return _BY_FIRST.sub("", part).strip(_ENDS)

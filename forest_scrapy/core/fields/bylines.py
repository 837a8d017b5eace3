"""The names in a byline."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from forest_scrapy.core.fields.dates import date_words

#: Phrases that come before a name, by language; those of English and of ``""`` are looked for on
#: pages in any language.
CREDITS = {
    "": "author:|authors:|author(s):|writer:|reporter:|contributor:|contributors:|autor:|autorin:|"
    "autoren:|autora:|autores:|auteur:|auteur :|auteurs:|autore:|text:|texto:|tekst:|teksti:|"
    "redação:|autorka:|szerző:|yazan:|yazar:|penulis:|автор:|автори:|текст:|συντάκτης:|"
    "作者:|作者：|文:|文：|文/|文／|撰文:|撰文：|글:|글 :|기자:",
    "ar": "بقلم|كتب|كتبت",
    "bg": "от",
    "cs": "napsal|napsala",
    "da": "af|skrevet af|tekst af",
    "de": "von|text von|verfasst von|geschrieben von|veröffentlicht von",
    "el": "του|της|γράφει ο|γράφει η",
    "en": "by|written by|posted by|published by|story by|words by|text by|article by|report by",
    "es": "por|escrito por|publicado por|texto de",
    "fi": "kirjoittanut",
    "fr": "par|écrit par|publié par|rédigé par",
    "he": "מאת",
    "hu": "írta",
    "id": "oleh|ditulis oleh",
    "it": "di|scritto da|pubblicato da|a cura di",
    "ja": "文＝|取材・文",
    "nl": "door|geschreven door",
    "no": "av|skrevet av",
    "pl": "przez|napisał|napisała|autor tekstu",
    "pt": "por|escrito por|publicado por",
    "ro": "de|scris de",
    "sk": "napísal|napísala",
    "sv": "av|skriven av|text av",
    "tr": "yazan|haber",
    "vi": "tác giả|theo",
    "zh": "记者|記者|本报记者|撰文",
}
#: Words that start a byline, and may be parts of longer phrases.
BY = (
    "by por par przez text text: words written story posted published reporting autor autor: "
    "autorin autorin: autorka autores auteur auteur: autore autore: author author: authors "
    "authors: skrevet skriven tekst tekst: kirjoittanut yazan yazar yazar: haber oleh penulis "
    "penulis: theo napsal napsala napisał napisała от автор автор: текст текст: συντάκτης: από "
    "מאת بقلم كتب 作者 作者: 作者： 文: 文： 文/ 记者 記者 撰文 글 글: szerző: írta: scris "
    "rédaction: edited reporter reporter: redacción: publicado publié author(s): author(s) "
    "contributors: contributor: article écrit rédigé escrito scritto pubblicato geschreven "
    "verfasst geschrieben veröffentlicht writer: ditulis articles posts"
).split()
#: Words that start a byline or a name: cut off only in visible text, before two words or more.
BY_OR_NAME = "von di da de van door av af od του της".split()
#: The word "and" in many languages, and "with".
BETWEEN = "and und et og och en ve ja oraz та и és și si dan và with mit avec con met".split()
#: What comes after the author's name in a byline: the credit of another person, or a date.
OTHER_CREDITS = (
    "reviewed by|medically reviewed|edited by|fact[- ]checked|fact check|photos? by|photography by|"
    "illustrations? by|translated by|updated|last updated|last modified|published|posted|"
    "modified|min read|minutes? read|read time|reading time|comments?|share|"
    "aktualisiert|stand:|fotos?:|bilder:|mis à jour|modifié|actualizado|aggiornato|bijgewerkt|"
    "uppdaterad|oppdatert|opdateret|обновлено|фото|更新|编辑|編集|責任編集"
).split("|")
#: What publishing systems write before the author in a label of their own, such as
#: ``twitter:label1``.
LABELS = frozenset(
    (
        "written by|author|authors|by|posted by|verfasst von|geschrieben von|autor|autorin|"
        "écrit par|auteur|escrito por|autora|scritto da|autore|geschreven door|skrevet av|"
        "skrevet af|skriven av|kirjoittanut|napisane przez|napisal|napsal|napísal|írta|scris de|"
        "yazan|ditulis oleh|được viết bởi|автор|написано|от|γράφτηκε από|συντάκτης|נכתב על ידי|"
        "كُتب بواسطة|كتب بواسطة|作者|撰稿|执笔|執筆者|投稿者|글쓴이|작성자|เขียนโดย"
    ).split("|")
)
#: Words of roles and professions: after a name they are not another one.
ROLES = frozenset(
    (
        "editor editors writer writers reporter reporters correspondent correspondents contributor "
        "contributors columnist journalist blogger founder cofounder ceo cto cfo coo cmo president "
        "director manager officer analyst strategist specialist expert experts consultant "
        "coordinator producer reviewer researcher scientist engineer developer designer "
        "photographer dietitian nutritionist veterinarian physician professor author staff intern "
        "associate assistant head chief senior freelance bureau desk "
        "redakteur redakteurin redaktion korrespondent korrespondentin reporterin volontär "
        "journaliste rédacteur rédactrice correspondant correspondante redactor redactora "
        "periodista corresponsal giornalista redattore redattrice corrispondente jornalista "
        "repórter redacteur verslaggever correspondente journalist redaktør toimittaja dziennikarz "
        "redaktorka muhabir editörü wartawan корреспондент журналист редактор обозреватель"
    ).split()
)
#: Those of ``ROLES`` that may end the name of a group: "Gazette staff".
TEAMS = frozenset("editors writers reporters contributors experts staff redaktion desk".split())
#: Degrees and titles after a name, as they are written.
DEGREES = (
    "MD|M\\.D\\.|PhD|Ph\\.D\\.?|DVM|VMD|DDS|DMD|DO|OD|DPT|PT|PharmD|PsyD|Psy\\.D\\.|EdD|DrPH|MPH|MSW|"
    "LCSW|LMFT|LMHC|LPC|RN|BSN|MSN|NP|APRN|FNP|CNM|PA-C|RD|RDN|LDN|LD|CDN|CDCES|CNS|CSSD|CPT|CSCS|"
    "MS|M\\.S\\.|MSc|MA|M\\.A\\.|BA|BS|BSc|MBA|MEd|M\\.Ed\\.|MFA|JD|J\\.D\\.|LLM|Esq\\.?|CPA|CFP®?|"
    "CFA|CFP®|EA|PE|PMP|CISSP|Jr\\.?|Sr\\.?|II|III|IV|FACP|FAAP|FACS|FRCP"
)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def _first_words(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"^(?:(?:{_any_of(words)})(?:\s*[:：]\s*|\s+|$))+", re.IGNORECASE)


_BY_FIRST, _BY_OR_NAME_FIRST = _first_words(BY), _first_words(BY_OR_NAME)
#: "By" that has no space after it, because the name is in another element.
_GLUED = re.compile(r"^(?:by(?=[A-ZÀ-Þ])|(?:By|BY|Von|Par|Por|Door)(?=[A-ZÀ-Þ][a-zß-ÿ]))")
#: Separators of names: punctuation, and the word "and" in many languages.
_BETWEEN = re.compile(
    rf"(?:(?<!\s)\s+)?[,;|•·⋅‧、，；\n\t]\s*|(?<!\s)\s+(?:/|&|\+|{_any_of(BETWEEN)})\s+",
    re.IGNORECASE,
)
#: In visible text also dashes, and what follows is not part of a name.
_VISIBLE_BETWEEN = re.compile(r"(?<!\s)\s++[-–—]\s+|(?<=\w)\s*+[.]\s++(?=\w+\s+by\s)")
_OTHER_CREDIT = re.compile(
    rf"(?:^\s*+|(?<!\s)\s++|[|,;.·•(–—-]\s*+)(?:{'|'.join(OTHER_CREDITS)})(?!\w).*$",
    re.IGNORECASE | re.DOTALL,
)
#: "And" of one letter: only between two full names, because names contain it, too.
_BETWEEN_FULL = re.compile(r"(?<=\S\s)(\S+)\s+(?:y|e|i|a|и|і)\s+(?=\S+\s\S)")
#: A comma before degrees, which are part of the name; and what stands for it while names are split.
_DEGREE, _COMMA = re.compile(rf",\s+(?=(?:{DEGREES})(?![\w-]))"), "\x00"
_ROLE = re.compile(r"(?:(?<!\s)\s++)?+[(\[（].*?[)\]）]\s*")
#: The place of the report, after the names.
_PLACE = re.compile(
    r"(?<=\w\w)\s+(?:in|aus|à|desde|from)\s+[^\W\d_a-z][\w.-]*(?:\s[^\W\d_a-z]\w+)?$"
)
#: What readers may do beside a name: "Email the author", "Follow on Twitter".
_CONTACT = re.compile(
    r"(?:^|(?<=[\s|,;·•(–—-]))(?:"
    r"(?:send\s(?:an?\s)?)?e-?mail(?:\s(?:the\sauthor|author|me|him|her|them|us|to|this\sauthor|"
    r"schreiben))?|"
    r"contact(?:\s(?:the\sauthor|author|me|us))?|"
    r"follow(?:\s(?:the\sauthor|author|me|him|her|us|on\s\w+|@\w+))?|"
    r"(?:view|see)\s(?:profile|bio|all\sposts|more|archive|author\sarchive)|"
    r"more\s(?:by|from)\sthis\sauthor|author\sarchive|author\sbio|twitter|facebook|linkedin|"
    r"instagram|mastodon|bluesky|biography|bio|website|kontakt|folgen|"
    r"nachricht\sschreiben|écrire\sà\sl['’]auteur|contacter|suivre|seguir|contactar|correo|"
    r"enviar\scorreo|scrivi\sall['’]autore|segui|seguir\sautor|volg|följ|følg|napisz|написать"
    rf")(?!\w)(?:\s+(?:{_any_of(BETWEEN)})(?=\s))?",
    re.IGNORECASE,
)
#: The same right behind a name, from an element of its own.
_GLUED_CONTACT = re.compile(
    r"(?<=[a-zß-ÿ])(?:Twitter|Facebook|Instagram|LinkedIn|Mastodon|Bluesky|Email|Follow)(?!\w)"
)
_ADDRESS = re.compile(r"\S+@\S+|https?://\S+|www\.\S+")
_HANDLE = re.compile(r"(?:^|\s)@\w+")
_ENDS = " \t\n\r\xa0-–—:.,;|·•*\"“”„«»'’‘()[]\u200b\u200e\u200f\ufeff"
_TITLE_END = re.compile(r"(?:(?<!\s)\s++)?+(?:기자|記者|记者)$")
#: A name has at most this many words and characters, and none of these characters.
_MOST_WORDS, _MOST_CHARACTERS, _NO_LETTERS = 5, 60, frozenset(":_=<>{}?!©#*")
_DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)*\.[a-z]{2,10}")
#: What publishing systems write if no name is known.
_NO_NAMES = frozenset(
    "admin|administrator|none|null|author|unknown|follow|von|sign in|log in|read more".split("|")
)
#: The first digit of a date at the end of a byline, and words before it.
_DATE_START = re.compile(r"(?<!\w)\d{1,4}(?!\w*[^\W\d_]{3})")
_DATE_WORDS = frozenset(("", "on", "at", "am", "den", "le", "el", "il", "op", "em", "the"))
#: Words of names that may have a small first letter.
_PARTICLES = frozenset(
    "de da do dos das del della der den des di du e el al bin bint ben ibn la le los las of the "
    "ten ter van von vom zu zum zur y i af av und and & d'".split()
)


def split_names(text: str, is_visible: bool = False) -> list[str]:
    """The names in a byline, without "by", email addresses and text that cannot be a name.

    ``is_visible``: the text is shown to readers, so that a word like "von" is more likely the
    start of the byline than part of a name, and roles, places and dates may follow.

    >>> split_names("By Ana Bo and Cy Dee (text), ana@bo.example")
    ['Ana Bo', 'Cy Dee']
    >>> split_names("Von Jörg Soldwisch, dpa", is_visible=True), split_names("4 minutes")
    (['Jörg Soldwisch', 'dpa'], [])
    >>> split_names("By Ana Bo Email the author | Follow @anabo", is_visible=True)
    ['Ana Bo']
    >>> split_names("By Ana Bo, PhD, Staff Writer in Rome - 3 May 2024", is_visible=True)
    ['Ana Bo, PhD']
    """
    text = _ADDRESS.sub(" ", text[:1000])
    text = _ROLE.sub(" ", _HANDLE.sub(" ", text)).strip(_ENDS)
    if is_visible:
        text = _GLUED.sub("", text)
    text = _BY_FIRST.sub("", text)
    if is_visible:
        text = _GLUED.sub("", text)
        rest = _BY_OR_NAME_FIRST.sub("", text)
        text = rest if len(rest.split()) > 1 else text
        text = _GLUED_CONTACT.sub(", ", text)
        text = _CONTACT.sub(", ", _VISIBLE_BETWEEN.sub(", ", text))
        text = _OTHER_CREDIT.sub("", text)
    text = _BETWEEN_FULL.sub(r"\1, ", _DEGREE.sub(_COMMA, text))
    names = [_trim(part.replace(_COMMA, ", ")) for part in _BETWEEN.split(text)]
    names = clean_names(names)
    if is_visible:
        names = _without_roles([name for name in names if not _DOMAIN.fullmatch(name)])
    return names


def read_credit(text: str, language: str = "") -> list[str]:
    """The names in a visible text that has a phrase such as "written by" at its start, or after a
    date or a separator; empty if it has none, or no name follows.  ``language``: that of the page,
    as ISO 639-1; English is tried as well.

    >>> read_credit("Written by Ana Bo | 3 May"), read_credit("3 May 2024 by Ana Bo")
    (['Ana Bo'], ['Ana Bo'])
    >>> read_credit("Ana Bo"), read_credit("By and by")
    ([], [])
    """
    phrases = _phrases_of(language)
    words = text.casefold().split()
    start = None
    if words and words[0][0] in phrases.initials:
        start = phrases.first.match(text)
    if start is None and not phrases.words.isdisjoint(words):
        start = phrases.later.search(text)
    rest = text[start.end() :] if start else _GLUED.sub("", text)
    return _first_names(rest) if rest != text else []


def read_short_byline(text: str, language: str = "") -> list[str]:
    """The names in a text of nothing but "by", names, one word or the name of a group, and maybe a
    date; empty if it is not.  Only near the title it is a byline.

    >>> read_short_byline("by owl on 3 May 2024"), read_short_byline("By The editors")
    (['owl'], ['The editors'])
    >>> read_short_byline("owl on 3 May 2024"), read_short_byline("by and by")
    ([], [])
    """
    start = _phrases_of(language).first.match(text)
    if start is None:
        return []
    rest = cut_date(text[start.end() :], language)
    return _first_names(rest) or _short_name(rest)


def cut_date(text: str, language: str = "") -> str:
    """The text before a date at its end, or the text itself.

    >>> cut_date("owl_42 on Friday, May 3, 2024"), cut_date("Ana Bo")
    ('owl_42', 'Ana Bo')
    """
    digit = _DATE_START.search(text)
    if digit is None or not text[: digit.start()].strip(_ENDS):
        return text
    words = text[: digit.start()].split()
    known = date_words(language) | _DATE_WORDS
    while words and words[-1].strip(_ENDS).casefold() in known:
        words.pop()
    return " ".join(words).strip(_ENDS) if words else text


def _short_name(text: str) -> list[str]:
    """The name that is all of the text after "by", also that of a user or a group."""
    name = text.strip(_ENDS)
    is_short = name.isalnum() or name.startswith("The ")
    return [name] if is_short and is_plausible_name(name) and len(name) > 2 else []


def read_labelled(label: str, text: str) -> list[str]:
    """The names in a text with a label before it, such as "Author"; empty if it is another label.

    >>> read_labelled("Author", "Ana Bo"), read_labelled("Topic", "Old Boats")
    (['Ana Bo'], [])
    """
    label = label.replace("(s)", "").strip(_ENDS).casefold()
    return _first_names(text) if label in LABELS else []


@lru_cache(maxsize=8192)  # the same menus are on all pages of a site
def may_credit(text: str, language: str = "") -> tuple[bool, bool]:
    """Whether a text that begins with this one, and whether one that contains it, may have a
    phrase or a label that ``read_credit`` and ``read_labelled`` know.  Most texts have none: this
    takes a third of the time.

    >>> may_credit("Written by"), may_credit("3 May, by"), may_credit("Boats come in")
    ((True, True), (False, True), (False, False))
    """
    phrases = _phrases_of(language)
    words = text.casefold().split()
    if not words:
        return False, False
    start = _FIRST_WORD.match(words[0])
    begins = start is None or start[0] in phrases.starts or start[0].startswith(_GLUED_STARTS)
    is_unspaced = not words[0][0].isascii() and words[0][0] in phrases.initials
    return begins or is_unspaced, not phrases.words.isdisjoint(words)


#: The first word of a text, without what may end a phrase.
_FIRST_WORD = re.compile(r"[^:：/／＝(]+")
_GLUED_STARTS = ("by", "von", "par", "por", "door")


class _Phrases(NamedTuple):
    """Finds a phrase of ``CREDITS`` at the start, and after a date or a separator; the first
    letters of all, and the last words of those that are found later: a test of these is faster.
    ``starts``: the first words of phrases and labels."""

    first: re.Pattern[str]
    later: re.Pattern[str]
    initials: frozenset[str]
    words: frozenset[str]
    starts: frozenset[str]


@cache
def _phrases_of(language: str) -> _Phrases:
    """The phrases for pages in a language.  After one in letters comes a space or a colon."""
    phrases = {p for code in ("", "en", language) for p in CREDITS.get(code, "").split("|") if p}
    words = [phrase for phrase in phrases if phrase.replace(" ", "").isalpha()]
    first = rf"(?:{_any_of(phrases)})(?:(?<=[:：/／＝])\s*|\s*[:：]\s*|\s+)(?=\S)"
    later = rf"(?:\d|[|·•])[,.]?\s+(?:{_any_of(words)})\s+(?=\S)"
    return _Phrases(
        re.compile(first, re.IGNORECASE),
        re.compile(later, re.IGNORECASE),
        frozenset(phrase[0] for phrase in (*phrases, *LABELS)),
        frozenset(phrase.split()[-1] for phrase in words),
        frozenset(
            start[0] for one in (*phrases, *LABELS) if (start := _FIRST_WORD.match(one.split()[0]))
        ),
    )


def _first_names(text: str) -> list[str]:
    """The names that a visible text begins with."""
    names = split_names(text, is_visible=True)
    return names if names and is_name_like(names[0]) and text.startswith(names[0][:2]) else []


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


def is_name_like(name: str) -> bool:
    """Whether a plausible name is written like one: of two or more words, all with a large first
    letter; in scripts without large letters, of any words.

    >>> is_name_like("Ana de la Bo"), is_name_like("Ana"), is_name_like("using boats")
    (True, False, False)
    >>> is_name_like("牛镛")
    True
    """
    words = [word for word in name.split() if word not in _PARTICLES]
    if not name[:1].isalpha():
        return False
    if not any(c.islower() or c.isupper() for c in name):
        return is_plausible_name(name)
    if not is_plausible_name(name) or len(name.split()) < 2:
        return False
    return bool(words) and all(word[0].isupper() or not word[0].isalpha() for word in words)


def _without_roles(names: list[str]) -> list[str]:
    """The names without roles, such as "Staff Writer", and without the place after full names."""
    kept: list[str] = []
    for name in names:
        words = name.split()
        roles = [bool(ROLES.intersection(word.casefold().split("-"))) for word in words]
        if all(roles) or (kept and any(roles)):
            continue
        while len(words) > 2 and words[-1].casefold() in ROLES - TEAMS:
            words.pop()
        is_place = len(words) == 1 and words[0].istitle() and kept and " " in kept[-1]
        if not is_place:
            kept.append(" ".join(words))
    return clean_names(_PLACE.sub("", name) for name in kept)


def _trim(part: str) -> str:
    part = _TITLE_END.sub("", " ".join(part.split()).strip(_ENDS))
    return _BY_FIRST.sub("", part).strip(_ENDS)

"""The names in a byline."""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from forest_scrapy.core.fields.dates import date_words
from forest_scrapy.core.site_caches import site_cache

#: Phrases that come before a name, by language; those of English and of ``""`` are looked for on
#: pages in any language.
CREDITS = {
    "": "author:|authors:|author(s):|writer:|reporter:|contributor:|contributors:|autor:|autorin:|"
    "autoren:|autora:|autores:|auteur:|auteur :|auteurs:|autore:|text:|texte:|texte :|textes:|"
    "textes :|texto:|testo:|tekst:|teksti:|"
    "redação:|autorka:|szerző:|yazan:|yazar:|penulis:|автор:|автори:|текст:|συντάκτης:|"
    "作者:|作者：|文:|文：|文/|文／|撰文:|撰文：|글:|글 :|기자:|words:|"
    "執筆:|執筆：|著者:|著者：|筆者:|筆者：|ライター:|ライター：|取材・文:|取材・文：|記者:|記者：|"
    "글쓴이:|작성자:|ავტორი:|ავტორი|հեղինակ՝|հեղինակ:|հեղինակ|"
    "लेखक:|लेखक|लेखिका:|লেখক:|লেখক|লিখেছেন|প্রতিবেদক:|โดย|โดย:|เขียนโดย|ผู้เขียน:|เรื่องโดย|"
    "الكاتب:|بواسطة|כתבה:",
    "ar": "بقلم|كتب|كتبت|كتبه",
    "bg": "от",
    "cs": "napsal|napsala",
    "da": "af|skrevet af|tekst af",
    "de": "von|text von|verfasst von|geschrieben von|veröffentlicht von|kommentar von|"
    "ein kommentar von|interview von|analyse von|eine analyse von|gastbeitrag von|"
    "ein gastbeitrag von|kolumne von|eine kolumne von",
    "el": "του|της|γράφει ο|γράφει η",
    "en": "by|written by|posted by|published by|story by|words by|text by|article by|report by|"
    "reporting by|interview by|opinion by|analysis by|commentary by|column by|review by|"
    "guest post by|started by|thread starter|article written by|post written by|authored by|"
    "this article was written by|this post was written by|contributed by",
    "es": "por|escrito por|publicado por|texto de",
    "fi": "kirjoittanut",
    "fr": "par|écrit par|publié par|rédigé par",
    "he": "מאת|נכתב על ידי",
    "hi": "द्वारा",
    "hu": "írta",
    "id": "oleh|ditulis oleh",
    "it": "di|scritto da|pubblicato da|a cura di",
    "ja": "文＝|取材・文|取材・文＝|執筆＝|記者",
    "ko": "글|기자|취재",
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
    "verfasst geschrieben veröffentlicht writer: ditulis articles posts words words: "
    "執筆: 執筆： 著者: 著者： 筆者: 筆者： ライター: ライター： 記者: 記者： "
    "기자: 글쓴이: 작성자: "
    "ავტორი ავტორი: հեղինակ հեղինակ: հեղինակ՝ लेखक लेखक: लेखिका: द्वारा লেখক লেখক: লিখেছেন "
    "প্রতিবেদক: โดย โดย: เขียนโดย ผู้เขียน: เรื่องโดย الكاتب: بواسطة כתבה:"
).split()
#: The text and the pictures in credits of one person for both: "Words and pictures: Ana Bo".
_TEXT_WORDS = (
    "text|texte|textes|words|story|report|reportage|bericht|article|texto|textos|testo|testi|"
    "tekst|teksti|teksty"
).split("|")
_PICTURE_WORDS = (
    "photo|photos|photography|photographs|picture|pictures|image|images|illustration|"
    "illustrations|video|videos|foto|fotos|foto's|bild|bilder|illustrationen|fotografie|"
    "fotografía|fotografías|imágenes|fotografia|fotografias|kuva|kuvat|zdjęcia"
).split("|")
#: Words that start a byline or a name: cut off only in visible text, before two words or more.
BY_OR_NAME = "von di da de van door av af od του της".split()
#: The word "and" in many languages, and "with".
BETWEEN = "and und et og och en ve ja oraz та и és și si dan và with mit avec con met".split()
#: What comes after the author's name in a byline: the credit of another person, or a date.
OTHER_CREDITS = (
    "reviewed by|medically reviewed|edited by|fact[- ]checked|fact check|photos? by|photography by|"
    "pictures by|fotos? von|bilder von|photos? (?:de|par)|fotos de|"
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
        "marketer gardener astrologer coach attorney lawyer nurse evangelist advocate presenter "
        "owner trainer therapist psychologist economist critic lecturer "
        "repórter redacteur verslaggever correspondente journalist redaktør toimittaja dziennikarz "
        "redaktorka muhabir editörü wartawan корреспондент журналист редактор обозреватель"
    ).split()
)
#: Ends of words that are roles, too: "Wirtschaftsredakteur".
_ROLE_ENDS = ("redakteur", "redakteurin", "korrespondent", "korrespondentin", "journalistin")
#: Words of what readers may do or read beside a byline, which are in no name.
_NO_NAME_WORDS = frozenset(
    (
        "about all articles advertisement comments copyright facebook google instagram join latest "
        "login menu minutes newsletter posts published related reserved rights search share sign "
        "skip sponsored subscribe topics twitter updated us view"
    ).split()
)
#: Those that are surnames, too: after a given name, with nothing between the two and nothing else.
_SURNAMES = frozenset(("Share",))
#: Words before "Share" that are no given names, but other buttons or kinds of sharing.
_NO_GIVEN_NAMES = _NO_NAME_WORDS | frozenset(
    (
        "bookmark click comment copy easy email feedback flag follow gift like linkedin mail "
        "market message more now pin pinterest please post print quick read reddit save send "
        "social story telegram text this tweet whatsapp"
    ).split()
)
#: Those of ``ROLES`` of people who write articles.
WRITERS = frozenset(
    (
        "editor writer reporter correspondent contributor columnist journalist blogger author "
        "redakteur redakteurin korrespondent korrespondentin journaliste rédacteur rédactrice "
        "redactor redactora periodista giornalista jornalista redacteur journalist toimittaja "
        "dziennikarz корреспондент журналист редактор"
    ).split()
)
#: Characters of the longest byline of a name and a role, and parts of it.
_MAX_ROLE_LENGTH = 100
_MAX_ROLE_PARTS = 3
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
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    escaped = map(re.escape, longest_first)
    return "|".join(word.replace(r"\ ", r"\s") for word in escaped)


def _first_words(words: Iterable[str]) -> re.Pattern[str]:
    phrases = _any_of(words)
    ends = r"(?:(?<=[:：՝])\s*|\s*[:：]\s*|\s+|$)"
    return re.compile(rf"^(?:(?:{phrases}){ends})+", re.IGNORECASE)


#: What stands between the texts of two elements of one line, in texts of bylines.
ELEMENT_END = "\x1f"
_BY_FIRST = _first_words([*BY, "post author", "texte :", "textes :"])
#: A credit of the text and of pictures, the pictures first or last.
_TEXT = _any_of(_TEXT_WORDS)
_PICTURE = _any_of(_PICTURE_WORDS)
_SHARED_BETWEEN = r"(?:\s+(?:and|und|et|y|e|og|och|en|i|ja|&|\+)\s+|\s?[/,&+]\s?)"
_SHARED_CREDIT = (
    rf"(?:(?:{_TEXT})(?:{_SHARED_BETWEEN}(?:{_PICTURE})){{1,3}}|"
    rf"(?:(?:{_PICTURE}){_SHARED_BETWEEN}){{1,3}}(?:{_TEXT}))"
    r"(?:\s?[:：]\s?(?:(?:by|von)\s)?|\s(?:by|von|par|de|por|di|av|af|door)\s?[:：]?\s)(?=\S)"
)
_SHARED_FIRST = re.compile(_SHARED_CREDIT, re.IGNORECASE)
#: What someone is to the paper, before the name: "our correspondent in Rome, Ana Bo".
_OUR = r"(?:unser(?:er|em|en|e)?|our|notre|nos|nuestr[oa]s?|(?:il\s)?nostro|(?:la\s)?nostra)"
_GERMAN_STAFF = (
    r"[\w-]*(?:mitarbeiter|redakteur|korrespondent|reporter|volontär|praktikant|autor)(?:in|innen|"
    r"en|n|e)?|[\w-]*redaktionsmitglied(?:ern)?"
)
_STAFF = (
    rf"{_GERMAN_STAFF}|(?:staff\s)?(?:correspondents?|writers?|reporters?|contributors?)|"
    r"correspondante?s?|envoyée?s?\sspéciale?s?|envoyés\sspéciaux|journalistes?|corresponsal(?:es)?|"
    r"redactor(?:a|es|as)?|corrispondente|inviat[oa]"
)
_STAFF_FIRST = re.compile(
    rf"(?:{_OUR}\s(?:[\w-]+\s){{0,2}}?(?:{_STAFF})|(?:{_GERMAN_STAFF})(?=\s))"
    r"(?:\s(?:in|aus|à|en|au|aux|a)\s[^\W\d_]+(?=,\s))?(?:,?\s+|$)",
    re.IGNORECASE,
)
#: A link to more by the same author, which has the name in it.
_MORE_WORDS = (
    r"(?:(?:view|see|read|browse)\s+)?(?:(?:all|more|other|latest)\s+)?"
    r"(?:articles|posts|stories)\s+(?:by|from)|(?:more|all)\s+(?:by|from)|"
    r"(?:alle|mehr|weitere)\s+(?:artikel\s+|beiträge\s+)?von|"
    r"(?:voir\s+)?tous\s+les\s+articles\s+(?:de|par)|(?:ver\s+)?todos\s+los\s+artículos\s+de"
)
_MORE_FIRST = re.compile(rf"^(?:{_MORE_WORDS})\s+", re.IGNORECASE)
_MORE_AFTER = re.compile(rf"(?<=\w)(?<!\s)\s++(?:{_MORE_WORDS})\s.*$", re.IGNORECASE | re.DOTALL)
_BY_OR_NAME_FIRST = _first_words(BY_OR_NAME)
#: "By" that has no space after it, because the name is in another element.
_GLUED = re.compile(r"^(?:by(?=[A-ZÀ-Þ])|(?:By|BY|Von|Par|Por|Door)(?=[A-ZÀ-Þ][a-zß-ÿ]))")
#: Separators of names: punctuation, and the word "and" in many languages.
_BETWEEN = re.compile(
    rf"(?:(?<!\s)\s+)?[,;|•·⋅‧、，；\n\t]\s*|(?<!\s)\s+(?:/|&|\+|{_any_of(BETWEEN)})\s+",
    re.IGNORECASE,
)
#: In visible text also dashes, and what follows is not part of a name.
_PUNCTUATION = frozenset(",;|•·⋅‧、，；/+")
_VISIBLE_BETWEEN = re.compile(r"(?<!\s)\s++[-–—]\s+|(?<=\w)\s*+[.]\s++(?=\w+\s+by\s)")
_OTHER_CREDIT = re.compile(
    rf"(?:^\s*+|(?<!\s)\s++|[|,;.·•(–—-]\s*+)(?:{'|'.join(OTHER_CREDITS)})(?!\w).*$",
    re.IGNORECASE | re.DOTALL,
)
#: "And" of one letter: only between two full names, because names contain it, too.
_BETWEEN_FULL = re.compile(r"(?<=\S\s)(\S+)\s+(?:y|e|i|a|и|і)\s+(?=\S+\s\S)")
#: A comma before degrees, which are part of the name; and what stands for it while names are split.
_DEGREE = re.compile(rf",\s+(?=(?:{DEGREES})(?![\w-]))")
_COMMA = "\x00"
#: Nothing but degrees; letters that may be one; and a name with one at its end.
_DEGREES = re.compile(rf"(?:{DEGREES})(?:,\s(?:{DEGREES}))*")
_LETTERS = re.compile("[A-Z]{3,6}")
_TITLE_LAST = re.compile(rf"\w\s[A-Z]{{3,6}}$|,\s(?:{DEGREES}|[A-Z]{{3,6}})$")
#: What is in brackets, or follows a bracket that is not closed: in this case there is no ``end``.
_ROLE = re.compile(r"(?:(?<!\s)\s++)?+[(\[（][^)\]）\n]*+(?P<end>[)\]）]\s*+)?")
#: The site or the paper that the text was written for, after the names.
_FOR = re.compile(
    r"(?<=\w)(?<!\s)\s++(?:special\s(?:to|for)|[Ff]or|FOR)\s+(?:[Tt]he\s)?[^\W\d_a-z].*$",
    re.DOTALL,
)
#: A preposition that has lost what follows it.
_OPEN_END = re.compile(r"(?<=\w)(?<!\s)\s++(?:in|on|at|for|from)$", re.IGNORECASE)
#: The place of the report, after the names.
_PLACE = re.compile(
    r"(?<=\w\w)\s+(?:in|aus|à|desde|from)\s+[^\W\d_a-z][\w.-]*(?:\s[^\W\d_a-z]\w+)?$"
)
#: What readers may do beside a name: "Email the author", "Follow on Twitter".
_CONTACT = re.compile(
    r"(?:^|(?<=[\s|,;·•(–—-]))(?:"
    r"(?:send\s(?:an?\s)?)?e-?mail(?:\s(?:(?:the|this)(?:\s(?:author|writer|reporter|editor))?|"
    r"author|me|him|her|them|us|to|schreiben))?|"
    r"contact(?:\s(?:the(?:\s(?:author|writer|reporter))?|author|me|us))?|"
    r"follow(?:\s(?:the\sauthor|author|me|him|her|us|on\s\w+|@\w+))?|"
    r"(?:view|see)\s(?:profile|bio|all\sposts|more|archive|author\sarchive)|"
    r"more\s(?:by|from)\sthis\sauthor|author\sarchive|author\sbio|"
    r"(?:on\s)?(?:twitter|facebook|linkedin|instagram|mastodon|bluesky)|tweet|biography|bio|website|kontakt|folgen|"
    r"nachricht\sschreiben|écrire\sà\sl['’]auteur|contacter|suivre|seguir|contactar|correo|"
    r"enviar\scorreo|scrivi\sall['’]autore|segui|seguir\sautor|volg|följ|følg|napisz|написать"
    rf")(?!\w)(?:\s+(?:{_any_of(BETWEEN)})(?=\s))?",
    re.IGNORECASE,
)
#: The same right behind a name, from an element of its own.
_GLUED_CONTACT = re.compile(
    r"(?<=[a-zß-ÿ])(?:Twitter|Facebook|Instagram|LinkedIn|Mastodon|Bluesky|Email|Follow)(?!\w)"
)
_ADDRESS = re.compile(r"(?<!\S)\S[^\s@]*+@\S+|https?://\S+|www\.\S+")
_HANDLE = re.compile(r"(?<![^\s|,;/·•(（])@\w[\w.]*+")
#: Emoji and other pictures, with what joins and varies them.
_PICTURES = re.compile(
    "[\u2190-\u21ff\u2300-\u23ff\u2500-\u2bff\U0001f000-\U0001faff]"
    "[\u200d\u20e3\ufe0f\u2190-\u21ff\u2300-\u23ff\u2500-\u2bff\U0001f000-\U0001faff]*+"
)
_ENDS = " \t\n\r\x1f\xa0/-–—:.,;|·•*\"“”„«»'’‘()[]\u200b\u200e\u200f\ufeff"
_TITLE_END = re.compile(r"(?:(?<!\s)\s++)?+(?:기자|記者|记者|द्वारा)$")
#: A name with a word after it that says who wrote the article: "김민수 기자".
_NAME_FIRST = re.compile(
    r"([\uac00-\ud7a3]{2,5})\s?기자(?![^\s=(|·/,])|(\S+(?:\s\S+){0,3})\sद्वारा$"
)
_WORDS_AFTER_NAMES = ("기자", "द्वारा")
#: The name of a user: letters of one word with digits, dots or underscores.
_USER = re.compile(r"[^\W\d_]\w*(?:[.-]\w+){0,2}")
_MIN_USER_LETTERS = 3
_HEX = frozenset("0123456789abcdef-")
#: Parts of the names of users who are no authors.
_NO_USERS = frozenset("admin administrator editor root test webmaster".split())
_USER_PART = re.compile(r"[^\W\d_]+")
#: Words and characters of the longest name.
_MAX_WORDS = 5
_MAX_CHARACTERS = 60
#: Characters of the longest byline.
_MAX_BYLINE_LENGTH = 1000
#: Characters that no name has.
_NO_LETTERS = frozenset(":_=<>{}?!©#*%")
_DOMAIN = re.compile(r"[\w-]+(\.[\w-]+)*\.[a-z]{2,10}")
#: What publishing systems write if no name is known.
_NO_NAMES = frozenset(
    (
        "admin|administrator|none|null|author|post author|unknown|follow|von|news|sign in|log in|"
        "read more"
    ).split("|")
)
#: The first digit of a date at the end of a byline, and words before it.
_DATE_START = re.compile(r"(?<!\w)\d{1,4}(?!\w*[^\W\d_]{3})")
_DATE_WORDS = frozenset(("", "on", "at", "am", "den", "le", "el", "il", "op", "em", "the"))
#: Words between a name and a date, or another name.
_SMALL_WORDS = _DATE_WORDS | frozenset((*BETWEEN, *BY, *BY_OR_NAME))
#: Agencies that write their name in small letters.
_AGENCIES = frozenset("afp ansa apa dpa efe epd kna sda sid".split())
#: Words of names that may have a small first letter.
_PARTICLES = frozenset(
    "de da do dos das del della der den des di du e el al bin bint ben ibn la le los las of the "
    "ten ter van von vom zu zum zur y i af av und and & d'".split()
)
#: Further ones that are joined to what follows.
_JOINED_PARTICLES = frozenset("ad ar as ash at az an ul abu ou l' o'".split())


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
    >>> split_names("✍️ Ana Bo (@anabo)"), split_names("ana_42"), split_names("a@b.example (Cy D)")
    (['Ana Bo'], ['ana_42'], ['Cy D'])
    """
    text = _clean(text[:_MAX_BYLINE_LENGTH])
    if is_visible:
        text = _GLUED.sub("", text)
    text = _MORE_FIRST.sub("", text)
    text = _without_shared_credit(text)
    text = _BY_FIRST.sub("", text)
    if is_visible:
        text = _clean_visible(text)

    text = _DEGREE.sub(_COMMA, text)
    text = _BETWEEN_FULL.sub(r"\1, ", text)
    parts = _split_parts(text)
    if is_visible:
        return _without_roles(parts)
    return clean_names(part.text for part in parts)


def _clean(text: str) -> str:
    """The text without addresses, handles, pictures and what is in brackets, unless all is."""
    text = _ADDRESS.sub(" ", text)
    text = _HANDLE.sub(" ", text)
    if not text.isascii():
        text = _PICTURES.sub(" ", text)
    without_roles = _ROLE.sub(_without_role, text).strip(_ENDS)
    if without_roles:
        return without_roles
    return text.strip(_ENDS)


class _Part(NamedTuple):
    """A text between two separators, and whether the one before it means "and"."""

    text: str
    is_after_and: bool


def _split_parts(text: str) -> list[_Part]:
    """The parts of a byline; those of several elements are the names in these, unless each has one
    word of a name."""
    parts: list[_Part] = []
    is_after_and = False
    start = 0
    ends = [(match.start(), match.end()) for match in _BETWEEN.finditer(text)]
    for end, next_start in [*ends, (len(text), len(text))]:
        for name in _join_words(text[start:end].split(ELEMENT_END)):
            part = _Part(_trim(name.replace(_COMMA, ", ")), is_after_and)
            is_after_and = False
            is_degree = bool(parts) and _DEGREES.fullmatch(part.text) is not None
            may_be_degree = is_degree or _LETTERS.fullmatch(part.text) is not None
            if may_be_degree and parts and _TITLE_LAST.search(parts[-1].text):
                parts[-1] = _Part(f"{parts[-1].text}, {part.text}", parts[-1].is_after_and)
            elif not is_degree:
                parts.append(part)
        separator = text[end:next_start].strip()
        is_after_and = separator != "" and separator[0] not in _PUNCTUATION
        start = next_start
    return parts


def _join_words(texts: Sequence[str]) -> list[str]:
    """The texts of elements; words of one name each, such as given and family name, are joined.

    >>> _join_words(["Ana", "Bo", "Cy Dee", "Reporter"]), _join_words(["牛镛", "王芳"])
    (['Ana Bo', 'Cy Dee', 'Reporter'], ['牛镛', '王芳'])
    """
    names: list[str] = []
    for text in filter(None, map(str.strip, texts)):
        has_given_name = bool(names) and " " not in names[-1] and _has_large_initial(names[-1])
        is_rest = " " not in text or text.split()[0] in _PARTICLES
        if has_given_name and is_rest and any(map(_has_case, text)):
            names[-1] = f"{names[-1]} {text}"
        else:
            names.append(text)
    return names


def _without_role(role: re.Match[str]) -> str:
    """What stands for a text in brackets; the text itself if they are not closed."""
    if role["end"] is None:
        return role[0]
    return " "


def _without_shared_credit(text: str) -> str:
    """The text without a credit of text and pictures at its start."""
    credit = _SHARED_FIRST.match(text)
    return text[credit.end() :] if credit else text


def _without_staff(text: str) -> str:
    """The text without what someone is to the paper at its start, such as "our reporter"."""
    staff = _STAFF_FIRST.match(text)
    return text[staff.end() :] if staff else text


def without_credit_words(text: str, language: str = "") -> str:
    """The text without the words before the name if these say more than "by".

    >>> without_credit_words("Text und Fotos: Ana Bo"), without_credit_words("By our writer Ana Bo")
    ('Ana Bo', 'Ana Bo')
    >>> without_credit_words("By Ana Bo")
    'By Ana Bo'
    """
    without_shared = _without_shared_credit(text)
    start = _phrases_of(language).first.match(without_shared)
    after_by = without_shared[start.end() :] if start else without_shared
    without_staff = _without_staff(after_by)
    if without_staff != after_by:
        return without_staff
    return without_shared


def _clean_visible(text: str) -> str:
    """The visible byline without words at its start that may be parts of names, and without what
    follows names."""
    text = _GLUED.sub("", text)
    without_by = _BY_OR_NAME_FIRST.sub("", text)
    if len(without_by.split()) > 1:
        text = without_by
    text = _without_staff(text)
    text = _MORE_AFTER.sub("", text)
    text = _FOR.sub("", text)
    text = _GLUED_CONTACT.sub(", ", text)
    text = _VISIBLE_BETWEEN.sub(", ", text)
    text = _CONTACT.sub(", ", text)
    return text if _has_odd_surname(text) else _OTHER_CREDIT.sub("", text)


def _has_odd_surname(text: str) -> bool:
    """Whether a text is a given name and a surname that is also a word beside bylines.

    >>> [_has_odd_surname(text) for text in ("Peter Share", "Ana Bo Share", "Staff Share")]
    [True, False, False]
    """
    words = text.split(" ")
    if len(words) != 2 or words[1] not in _SURNAMES:
        return False
    given_name = words[0]
    is_word = given_name.casefold() in ROLES or given_name.casefold() in _NO_GIVEN_NAMES
    return given_name.istitle() and given_name.isalpha() and not is_word


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
    if not text.isascii():
        text = _without_pictures(text)
        name_first = _NAME_FIRST.match(text)
        if name_first:
            return split_names(name_first[1] or name_first[2], is_visible=True)
    words = text.casefold().split()
    start = None
    if words and words[0][0] in phrases.initials:
        start = phrases.first.match(text)
    if start is None and not phrases.words.isdisjoint(words):
        start = phrases.later.search(text)
    after_by = text[start.end() :] if start else _GLUED.sub("", text)
    if after_by != text:
        return _first_names(after_by)
    return []


def read_short_byline(text: str, language: str = "") -> list[str]:
    """The names in a text of nothing but "by", names, one word or the name of a group, and maybe a
    date; empty if it is not.  Only near the title it is a byline.

    >>> read_short_byline("by owl on 3 May 2024"), read_short_byline("By The editors")
    (['owl'], ['The editors'])
    >>> read_short_byline("owl on 3 May 2024"), read_short_byline("by and by")
    ([], [])
    >>> read_short_byline("Written by Owl - Product marketer")
    ['Owl']
    """
    text = _without_pictures(text)
    start = _phrases_of(language).first.match(text)
    if start is None:
        return []
    text_after = text[start.end() :]
    after_by = cut_date(text_after, language)
    names = _first_names(after_by) or _short_name(after_by)
    if names:
        return names
    first_part, *others = _VISIBLE_BETWEEN.split(after_by)
    return _short_name(first_part) if others and first_part.istitle() else []


def _without_pictures(text: str) -> str:
    """The text without the pictures at its start."""
    if text.isascii():
        return text
    picture = _PICTURES.match(text)
    if picture is None:
        return text
    return text[picture.end() :].lstrip(_ENDS)


def read_with_role(text: str) -> list[str]:
    """The full name that a text begins with if nothing else follows but the role of a writer,
    after a separator, and maybe a date; empty if it is another text.  Only near the title it is a
    byline.

    >>> read_with_role("Ana Bo | Senior Writer | July 2, 2025"), read_with_role("Ana Bo, Rome")
    (['Ana Bo'], [])
    """
    if len(text) > _MAX_ROLE_LENGTH or not has_writer(text):
        return []
    parts = [part.text for part in _split_parts(_VISIBLE_BETWEEN.sub(", ", cut_date(text)))]
    parts = [part for part in parts if part and any(map(str.isalpha, part))]
    if len(parts) < 2 or not is_name_like(parts[0]) or any(map(_is_role, parts[0].split())):
        return []
    has_role = not WRITERS.isdisjoint(parts[1].casefold().split())
    is_short = len(parts) <= _MAX_ROLE_PARTS
    return [parts[0]] if has_role and is_short else []


def has_writer(text: str) -> bool:
    """Whether a word of a text is the role of a writer.

    >>> has_writer("Ana Bo | Senior Writer"), has_writer("Ana Bo")
    (True, False)
    """
    return not WRITERS.isdisjoint(_USER_PART.findall(text.casefold()))


def cut_date(text: str, language: str = "") -> str:
    """The text before a date at its end, or the text itself.

    >>> cut_date("owl_42 on Friday, May 3, 2024"), cut_date("Ana Bo")
    ('owl_42', 'Ana Bo')
    """
    digit = _DATE_START.search(text)
    if digit is None:
        return text
    before_date = text[: digit.start()]
    if not before_date.strip(_ENDS):
        return text
    words = before_date.split()
    words_of_dates = date_words(language) | _DATE_WORDS
    while words and words[-1].strip(_ENDS).casefold() in words_of_dates:
        words.pop()
    if words:
        return " ".join(words).strip(_ENDS)
    return text


def _short_name(text: str) -> list[str]:
    """The name that is all of the text after "by", also that of a user or a group."""
    name = text.strip(_ENDS)
    is_user_or_group = name.isalnum() or name.startswith("The ")
    is_name = is_user_or_group and len(name) > 2 and is_plausible_name(name)
    return [name] if is_name else []


def read_labelled(label: str, text: str) -> list[str]:
    """The names in a text with a label before it, such as "Author"; empty if it is another label.

    >>> read_labelled("Author", "Ana Bo"), read_labelled("Topic", "Old Boats")
    (['Ana Bo'], [])
    """
    label = label.replace("(s)", "")
    label = label.strip(_ENDS).casefold()
    if label in LABELS:
        return _first_names(text)
    return []


@site_cache
@lru_cache(maxsize=8192)  # the same menus are on all pages of a site
def may_credit(text: str, language: str = "") -> tuple[bool, bool]:
    """Whether a text that begins with this one, and whether one that contains it, may have a
    phrase or a label that ``read_credit`` and ``read_labelled`` know.  Most texts have none: this
    takes a third of the time.

    >>> may_credit("Written by"), may_credit("3 May, by"), may_credit("Boats come in")
    ((True, True), (False, True), (False, False))
    """
    phrases = _phrases_of(language)
    is_ascii = text.isascii()
    if not is_ascii:
        text = _without_pictures(text)
    words = text.casefold().split()
    if not words:
        return False, False
    first_letter = words[0][0]
    match = _FIRST_WORD.match(words[0])
    first_word = match[0] if match else ""
    begins = (
        not first_word
        or first_word in phrases.starts
        or first_word.startswith(_GLUED_STARTS)
        or (not first_letter.isascii() and first_letter in phrases.initials)
    )
    if not is_ascii and not begins:
        begins = any(word in text for word in _WORDS_AFTER_NAMES)
    contains = not phrases.words.isdisjoint(words)
    return begins, contains


#: The first word of a text, without what may end a phrase.
_FIRST_WORD = re.compile(r"[^:：/／＝՝(]+")
_GLUED_STARTS = ("by", "von", "par", "por", "door")


class _Phrases(NamedTuple):
    """Finds a phrase of ``CREDITS``: ``first`` at the start, ``later`` after a date or a separator.

    A test of words is faster.  ``initials``: the first letters of all phrases.  ``words``: the
    last words of those that are found later.  ``starts``: the first words of phrases and labels.
    """

    first: re.Pattern[str]
    later: re.Pattern[str]
    initials: frozenset[str]
    words: frozenset[str]
    starts: frozenset[str]


@cache
def _phrases_of(language: str) -> _Phrases:
    """The phrases for pages in a language.  After one in letters comes a space or a colon."""
    phrases = set[str]()
    for code in ("", "en", language):
        phrases.update(CREDITS.get(code, "").split("|"))
    phrases.discard("")
    in_letters = []
    for phrase in phrases:
        if phrase.replace(" ", "").isalpha():
            in_letters.append(phrase)
    first = rf"(?:{_any_of(phrases)})(?:(?<=[:：/／＝՝])\s*|\s*[:：]\s*|\s+)(?=\S)"
    first = rf"{_SHARED_CREDIT}|{first}"
    later_phrase = rf"(?:{_SHARED_CREDIT}|(?:{_any_of(in_letters)})\s+(?=\S))"
    later = rf"(?:\d|[|·•])[,.]?\s+{later_phrase}"
    starts = {*_TEXT_WORDS, *_PICTURE_WORDS}
    for text in phrases | LABELS:
        match = _FIRST_WORD.match(text.split()[0])
        if match:
            starts.add(match[0])
    return _Phrases(
        first=re.compile(first, re.IGNORECASE),
        later=re.compile(later, re.IGNORECASE),
        initials=frozenset(text[0] for text in phrases | LABELS | starts),
        words=frozenset(phrase.split()[-1] for phrase in in_letters),
        starts=frozenset(starts),
    )


def _first_names(text: str) -> list[str]:
    """The names that a visible text begins with."""
    text = _without_staff(_without_pictures(text))
    names = split_names(text, is_visible=True)
    if not names or not is_name_like(names[0]):
        return []
    if text.startswith(names[0][:2]):
        return names
    return []


def clean_names(names: Iterable[str]) -> list[str]:
    """The plausible ones of these names, without duplicates, in their order.

    >>> clean_names(["Ana Bo", "ana bo", "12 May", ""])
    ['Ana Bo']
    """
    names_by_folded: dict[str, str] = {}
    for name in names:
        if is_plausible_name(name):
            names_by_folded.setdefault(name.casefold(), name)
    return list(names_by_folded.values())


def is_plausible_name(name: str) -> bool:
    """Whether the text can be the name of a person or an agency."""
    if not 1 < len(name) <= _MAX_CHARACTERS or name.casefold() in _NO_NAMES:
        return False
    if any(c.isdigit() or c in _NO_LETTERS for c in name):
        return is_user_name(name)
    name, _, _ = name.partition(", ")  # what follows are degrees
    return len(name.split()) <= _MAX_WORDS and any(c.isalpha() for c in name)


def is_user_name(name: str) -> bool:
    """Whether the text can be the name of a user that is one word with digits or underscores.

    >>> is_user_name("owl_42"), is_user_name("site_admin"), is_user_name("Ana")
    (True, False, False)
    """
    if not any(c.isdigit() or c == "_" for c in name) or _USER.fullmatch(name) is None:
        return False
    folded = name.casefold()
    parts = _USER_PART.findall(folded)
    is_digest = _HEX.issuperset(folded)
    letters = sum(map(len, parts))
    return not is_digest and letters >= _MIN_USER_LETTERS and _NO_USERS.isdisjoint(parts)


def is_name_like(name: str) -> bool:
    """Whether a plausible name is written like one: of two or more words, all with a large first
    letter; in scripts without large letters, of any words.

    >>> is_name_like("Ana de la Bo"), is_name_like("Ana"), is_name_like("using boats")
    (True, False, False)
    >>> is_name_like("Ali al-Hassan"), is_name_like("Ana check-in")
    (True, False)
    >>> is_name_like("牛镛")
    True
    """
    if not name[:1].isalpha() or not is_plausible_name(name):
        return False
    if not any(map(_has_case, name)):
        return True
    words = name.split()
    if len(words) < 2:
        return False
    main_words = [_without_particle(word) for word in words if word not in _PARTICLES]
    return bool(main_words) and all(map(_has_large_initial, main_words))


def _without_particle(word: str) -> str:
    """What follows a particle that is joined to a name: "al-Hassan", "d'Arc"; else the word."""
    particle, hyphen, rest = word.partition("-")
    if not hyphen:
        particle, hyphen, rest = word.replace("\u2019", "'").partition("'")
        particle += hyphen
    is_joined = bool(rest) and (particle in _PARTICLES or particle in _JOINED_PARTICLES)
    return rest if is_joined else word


def _has_case(letter: str) -> bool:
    """Whether a letter is large or small; those of Georgian are all alike in names."""
    is_georgian = "\u10d0" <= letter <= "\u10ff"
    return not is_georgian and (letter.islower() or letter.isupper())


def _has_large_initial(word: str) -> bool:
    return word[0].isupper() or not word[0].isalpha()


def _without_roles(parts: Iterable[_Part]) -> list[str]:
    """The names in the parts of a visible byline, without domains, roles such as "Staff Writer",
    what belongs to these, what readers may do, and the place after full names."""
    people: list[str] = []
    is_after_role = False
    for part in parts:
        if not part.text:
            continue
        words = part.text.split()
        roles = [_is_role(word) for word in words]
        is_part_of_role = is_after_role and part.is_after_and
        is_role = bool(people) and any(roles)
        is_after_role = is_part_of_role or (is_role and not all(roles))
        is_rest = bool(people) and not part.is_after_and
        if all(roles) or is_role or is_part_of_role or not _may_be_name(part.text, is_rest):
            continue
        while len(words) > 2 and words[-1].casefold() in ROLES - TEAMS:
            words.pop()
        is_after_full_name = bool(people) and " " in people[-1]
        is_place = is_after_full_name and len(words) == 1 and words[0].istitle()
        if not is_place:
            people.append(" ".join(_without_repeated(words)))
    return clean_names(_PLACE.sub("", name) for name in people)


def _is_role(word: str) -> bool:
    folded = word.casefold().strip(_ENDS)
    return not ROLES.isdisjoint(folded.split("-")) or folded.endswith(_ROLE_ENDS)


def _may_be_name(text: str, is_rest: bool) -> bool:
    """Whether a visible text can be a name; ``is_rest``: it follows a name without "and", so that
    it is written like one, or one word such as an agency."""
    if not is_plausible_name(text) or _DOMAIN.fullmatch(text):
        return False
    words = text.split()
    has_no_name_word = not _NO_NAME_WORDS.isdisjoint(text.casefold().split())
    if len(words) > 1 and has_no_name_word and not _has_odd_surname(text):
        return False
    if len(words) == 1 and text in _SMALL_WORDS:
        return False
    if not is_rest or is_name_like(text) or text in _AGENCIES:
        return True
    return len(words) == 1 and not text.islower()


def _without_repeated(words: list[str]) -> list[str]:
    """The words once if they are a name twice: that of a picture and that below it."""
    half = len(words) // 2
    is_repeated = half > 0 and words[:half] == words[half:]
    return words[:half] if is_repeated else words


def _trim(part: str) -> str:
    line = " ".join(part.split())
    part = _TITLE_END.sub("", line.strip(_ENDS))
    without_end = _OPEN_END.sub("", part)
    is_preposition = part[len(without_end) :].islower()  # not "Sign In"
    if is_preposition or " " in without_end:
        part = without_end
    return _BY_FIRST.sub("", part).strip(_ENDS)

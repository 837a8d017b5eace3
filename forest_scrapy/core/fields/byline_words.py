"""The words of bylines in many languages: "by", roles, and academic degrees."""

from __future__ import annotations

__all__ = [
    "BETWEEN",
    "BY",
    "BY_OR_NAME",
    "CREDITS",
    "DEGREES",
    "LABELS",
    "OTHER_CREDITS",
    "ROLES",
    "TEAMS",
]

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
    "verfasst geschrieben veröffentlicht writer: ditulis"
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

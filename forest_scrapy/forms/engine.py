"""How the engine behind a form searches (Oita's thesis, 3.3.1): whether it wants all words of a
query, and whether case, accents, endings, stop words and spelling errors matter.

Each trial is a probe with a word, or two, whose whole answers are known already: its answer is
compared with theirs.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from forest_scrapy.core.page.language import find_terms, split_words
from forest_scrapy.forms.probing import FREQUENT_WORDS, TRIAL, FormProbe

#: Trials of a form at most.
MAX_TRIALS = 8
#: Records of an answer that a trial is compared with, and letters of its word.
MAX_COMPARED = 100
MIN_LETTERS = 3
#: Letters of a word of which two can be exchanged so that people still read it.
MIN_MISSPELT_LETTERS = 6
#: Words, and pairs of them, that are looked at for a trial.
MAX_WORDS = 200
MAX_PAIRS = 2000
#: Endings that are tried, of those that leave the stem as it is.
_ENDINGS = ("s", "es", "en", "e", "n", "er", "i", "a")
#: An accent that is added to a word that has none.
_ACUTE = "\u0301"
_VOWELS = "aeiou"
#: The smallest combining class of marks above or below a letter; smaller ones, as the voicing marks
#: of kana, make another letter.
_MIN_ACCENT_CLASS = 200
#: Scripts in which letters are composed with accents.  In others, what is composed is a letter of
#: its own, as the Cyrillic short i, except those that are also written without.
_ACCENTED_SCRIPTS = ("LATIN ", "GREEK ")
_ACCENTED_LETTERS = "\u0450\u0451\u045d\u0400\u0401\u040d"

Records = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class WordAnswer:
    """The answer to a probe of one control: the keys of its records, and whether it shows all."""

    control: str
    value: str
    keys: frozenset[str]
    is_complete: bool = True


@dataclass(frozen=True)
class Trial:
    """A probe that tells how the engine searches, and the keys of its answer; None as long as that
    is not read, or if it cannot be.

    ``trait``: a field of ``Engine``; ``references``: the values with whose answers it is compared.
    """

    trait: str
    control: str
    value: str
    references: tuple[str, ...]
    keys: frozenset[str] | None = None

    @property
    def probe(self) -> FormProbe:
        """The probe to send; its group tells what it is for."""
        group = (self.control, TRIAL, self.trait, *self.references)
        return FormProbe(((self.control, self.value),), group)

    @classmethod
    def of(cls, probe: FormProbe, keys: frozenset[str] | None) -> Trial | None:
        """The trial that a probe was sent for, with its answer; None if it was none."""
        if not probe.is_trial:
            return None
        ((control, value),) = probe.filling
        _, _, trait, *references = probe.group
        return cls(trait, control, value, tuple(references), keys)


@dataclass(frozen=True)
class Engine:
    """How a control searches; None, or ``""``, is not known.

    - ``connector``: ``and`` (all words of a query are in a record), ``or`` (one of them is), or
      ``phrase`` (they follow each other).
    - ``ignores_case``, ``ignores_accents``, ``ignores_stop_words``; ``stems``: other forms of a
      word are found; ``forgives_spelling``: a word with two letters exchanged is found.
    - ``largest``: the most records that an answer has shown.
    """

    control: str = ""
    connector: str = ""
    ignores_case: bool | None = None
    ignores_accents: bool | None = None
    ignores_stop_words: bool | None = None
    stems: bool | None = None
    forgives_spelling: bool | None = None
    largest: int = 0

    def describe(self) -> str:
        """What is known, in one line; ``""`` if nothing is.

        >>> Engine("q", "and", ignores_case=True, stems=False, largest=100).describe()
        'q: all words are needed; ignores case; does not stem; answers have up to 100 records'
        """
        parts = []
        if self.connector:
            parts.append(_CONNECTORS[self.connector])
        for trait, (positive, negative) in _WORDINGS.items():
            value = getattr(self, trait)
            if value is not None:
                parts.append(positive if value else negative)
        if not parts:
            return ""
        if self.largest:
            parts.append(f"answers have up to {self.largest} records")
        return f"{self.control}: {'; '.join(parts)}"


_CONNECTORS = {
    "and": "all words are needed",
    "or": "one of the words is enough",
    "phrase": "words must follow each other",
}
_WORDINGS = {
    "ignores_case": ("ignores case", "case matters"),
    "ignores_accents": ("ignores accents", "accents matter"),
    "ignores_stop_words": ("ignores stop words", "stop words are searched"),
    "stems": ("stems", "does not stem"),
    "forgives_spelling": ("forgives spelling errors", "spelling errors matter"),
}


def read_engine(trials: Sequence[Trial], answers: Sequence[WordAnswer], largest: int) -> Engine:
    """What the trials tell, compared with the answers to their references; nothing if one of these
    is not known.  ``control`` is that of the first trial."""
    if not trials:
        return Engine(largest=largest)
    keys = {(answer.control, answer.value): answer.keys for answer in answers}
    connector = ""
    traits: dict[str, bool | None] = {}
    for trial in trials:
        references = []
        for value in trial.references:
            if (trial.control, value) in keys:
                references.append(keys[trial.control, value])
        if trial.keys is None or len(references) < len(trial.references):
            continue
        if trial.trait == "connector":
            connector = _read_connector(trial.keys, references)
        elif trial.trait == "phrase":
            connector = "and" if trial.keys else "phrase"
        elif trial.trait == "ignores_stop_words":
            traits[trial.trait] = trial.keys == references[0]
        else:
            traits[trial.trait] = _is_found(trial.keys, references[0])
    return Engine(control=trials[0].control, connector=connector, largest=largest, **traits)


def _read_connector(keys: frozenset[str], references: Sequence[frozenset[str]]) -> str:
    """``or`` if records of each of two words are there, which have none in common; ``and`` if there
    is none of them."""
    has_some = [bool(keys & reference) for reference in references]
    if all(has_some):
        return "or"
    if not any(has_some):
        return "and"
    return ""


def _is_found(keys: frozenset[str], reference: frozenset[str]) -> bool | None:
    """Whether the records of a word are found by another form of it; None if a part of them is."""
    if keys >= reference:
        return True
    return None if keys & reference else False


def next_trial(
    trials: Sequence[Trial],
    answers: Sequence[WordAnswer],
    records: Records,
    language: str,
) -> Trial | None:
    """The next trial; None if none is left, or no answer can be compared with."""
    if len(trials) >= MAX_TRIALS:
        return None
    done = {trial.trait for trial in trials}
    # Answers that came later may be of another control.
    control = trials[0].control if trials else ""
    words = _words_of_control(answers, control)
    if not words:
        return None
    known_words = _words_of_records(records.values())
    sent_values = {answer.value for answer in answers if answer.control == words[0].control}
    if "connector" not in done:
        trial = _plan_pair(words)
        if trial is not None:
            return trial
    if "phrase" not in done and _is_conjunctive(trials, answers):
        trial = _plan_phrase(words, records)
        if trial is not None:
            return trial
    for trait, plan in _PLANS.items():
        if trait in done:
            continue
        for word in words:
            value = plan(word.value, language)
            if not value or value in sent_values:
                continue
            if trait == "ignores_case":
                can_tell = True
            elif _fold(value) == _fold(word.value):
                can_tell = False  # the same letters
            elif trait == "ignores_stop_words":
                # A record without the stop word is found only if that is ignored.
                texts = [records.get(key, {}) for key in word.keys]
                added_words = set(split_words(value))
                can_tell = any(not added_words <= _words_of_records([text]) for text in texts)
            else:
                can_tell = not known_words & set(split_words(value))
            if can_tell:
                return Trial(trait, word.control, value, (word.value,))
    return None


def _is_conjunctive(trials: Sequence[Trial], answers: Sequence[WordAnswer]) -> bool:
    return read_engine(trials, answers, 0).connector == "and"


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _words_of_control(answers: Sequence[WordAnswer], control: str) -> list[WordAnswer]:
    """Single words with a whole answer of few records, of a control; without its name of the one
    that has most of these.  The smallest answers first."""
    frequent_words = set(" ".join(FREQUENT_WORDS.values()).split())
    by_control: defaultdict[str, list[WordAnswer]] = defaultdict(list)
    for answer in answers:
        if control and answer.control != control:
            continue
        is_word = answer.value.isalpha() and len(answer.value) >= MIN_LETTERS
        if answer.value.casefold() in frequent_words:
            continue
        if is_word and answer.is_complete and 0 < len(answer.keys) <= MAX_COMPARED:
            by_control[answer.control].append(answer)
    if not by_control:
        return []
    best = max(by_control, key=lambda control: (len(by_control[control]), control))
    words = sorted(by_control[best], key=lambda word: (len(word.keys), word.value))
    return words[:MAX_WORDS]


def _words_of_records(records: Iterable[Mapping[str, str]]) -> set[str]:
    words: set[str] = set()
    for values in records:
        for text in values.values():
            words.update(split_words(text))
    return words


def _plan_pair(words: Sequence[WordAnswer]) -> Trial | None:
    """Two words without a record in common."""
    for first, second in islice(combinations(words, 2), MAX_PAIRS):
        if not first.keys & second.keys:
            value = f"{first.value} {second.value}"
            return Trial("connector", first.control, value, (first.value, second.value))
    return None


def _plan_phrase(words: Sequence[WordAnswer], records: Records) -> Trial | None:
    """Two words of one text in the other order, which do not follow each other in it."""
    for word in words:
        for key in sorted(word.keys):
            for text in records.get(key, {}).values():
                text_words = split_words(text)
                if word.value.casefold() not in text_words:
                    continue
                position = text_words.index(word.value.casefold())
                for other in text_words[position + 2 :]:
                    if len(other) >= MIN_LETTERS and other.isalpha():
                        value = f"{other} {word.value}"
                        return Trial("phrase", word.control, value, (word.value,))
    return None


def _change_case(word: str, language: str) -> str:
    """The word in capitals, or in small letters if it is in capitals; ``""`` if its letters have no
    case, or other letters in capitals, as the sharp s."""
    if word.upper().lower() != word.lower():
        return ""
    for form in (word.upper(), word.lower()):
        if form != word:
            return form
    return ""


def _change_accent(word: str, language: str) -> str:
    """The word without its accents, or with one on its first vowel that has none."""
    normal_word = unicodedata.normalize("NFC", word)
    plain = "".join(_without_accents(letter) for letter in normal_word)
    if plain != normal_word:
        return plain
    for position, letter in enumerate(word):
        if letter in _VOWELS:
            accented = unicodedata.normalize("NFC", letter + _ACUTE)
            return word[:position] + accented + word[position + 1 :]
    return ""


def _without_accents(letter: str) -> str:
    """The letter without its accents; ``""`` for an accent that is no part of a letter."""
    has_accents = unicodedata.name(letter, "").startswith(_ACCENTED_SCRIPTS)
    is_mark = unicodedata.combining(letter) > 0
    if not has_accents and not is_mark and letter not in _ACCENTED_LETTERS:
        return letter
    parts = []
    for part in unicodedata.normalize("NFD", letter):
        if unicodedata.combining(part) < _MIN_ACCENT_CLASS:
            parts.append(part)
    return unicodedata.normalize("NFC", "".join(parts))


def _change_ending(word: str, language: str) -> str:
    """Another form of the word, with the same stem."""
    stem = find_terms(word, language)
    for ending in _ENDINGS:
        form = f"{word}{ending}"
        if stem and find_terms(form, language) == stem:
            return form
    return ""


def _add_stop_word(word: str, language: str) -> str:
    words = FREQUENT_WORDS.get(language) or FREQUENT_WORDS["en"]
    return f"{words.split()[0]} {word}"


def _misspell(word: str, language: str) -> str:
    """The word with its third and fourth letter exchanged."""
    if len(word) < MIN_MISSPELT_LETTERS or word[2] == word[3]:
        return ""
    return word[:2] + word[3] + word[2] + word[4:]


_PLANS = {
    "ignores_case": _change_case,
    "ignores_stop_words": _add_stop_word,
    "stems": _change_ending,
    "ignores_accents": _change_accent,
    "forgives_spelling": _misspell,
}

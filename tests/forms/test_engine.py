"""How the engine behind a form searches, by trials against made engines."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace

import pytest

from forest_scrapy.core.page.language import find_terms, split_words
from forest_scrapy.forms.engine import (
    MAX_TRIALS,
    Engine,
    Trial,
    WordAnswer,
    next_trial,
    read_engine,
)

TITLES = (
    "The garden of Proserpine",
    "A lantern at the harbour",
    "Gardens without walls and lanterns",
    "Café stories of the northern coast",
    "Merchant letters from Antwerp",
    "Glacier crossing in winter",
)
RECORDS = {str(number): {"Title": title} for number, title in enumerate(TITLES)}
STOP = {"the", "of", "a"}


@dataclass(frozen=True)
class MadeEngine:
    """An engine that searches the titles."""

    connector: str = "and"
    case: bool = True
    accents: bool = False
    stops: bool = False
    stems: bool = False

    def keys(self, query: str) -> frozenset[str]:
        words = [word for word in self.fold(query) if not (self.stops and word in STOP)]
        found = set()
        for key, values in RECORDS.items():
            text = self.fold(values["Title"])
            has = [word in text for word in words]
            start = range(len(text))
            is_phrase = any(text[first : first + len(words)] == words for first in start)
            fits = {"and": all(has), "or": any(has), "phrase": is_phrase}[self.connector]
            if words and fits:
                found.add(key)
        return frozenset(found)

    def fold(self, text: str) -> list[str]:
        if self.accents:
            text = "".join(c for c in unicodedata.normalize("NFD", text) if c != "\u0301")
        words = split_words(text) if self.case else text.split()
        return [" ".join(find_terms(word, "en")) or word for word in words] if self.stems else words


def study(engine: MadeEngine, *words: str) -> Engine:
    answers = [WordAnswer("q", word, engine.keys(word)) for word in words]
    trials: list[Trial] = []
    while trial := next_trial(trials, answers, RECORDS, "en"):
        trials.append(replace(trial, keys=engine.keys(trial.value)))
    assert len(trials) <= MAX_TRIALS
    assert len({trial.value for trial in trials}) == len(trials)
    return read_engine(trials, answers, 100)


WORDS = ("lantern", "merchant", "glacier", "stories", "harbour")


@pytest.mark.parametrize(
    "engine",
    [
        MadeEngine(),
        MadeEngine("or", accents=True),
        MadeEngine("phrase", stops=True),
        MadeEngine(stems=True, accents=True, stops=True),
    ],
    ids=str,
)
def test_what_an_engine_does_is_measured(engine: MadeEngine) -> None:
    result = study(engine, *WORDS)
    assert result.connector == engine.connector
    assert result.ignores_case is True
    assert result.ignores_accents is engine.accents
    assert result.stems is engine.stems
    assert result.ignores_stop_words is engine.stops
    assert result.forgives_spelling is False


def test_case_that_matters() -> None:
    result = study(MadeEngine(case=False), "Glacier", "Merchant")
    assert result.ignores_case is False
    assert "case matters" in result.describe()


def test_without_a_whole_answer_nothing_is_tried() -> None:
    answers = [WordAnswer("q", "lantern", frozenset("1"), is_complete=False)]
    assert next_trial([], answers, RECORDS, "en") is None
    assert read_engine([], answers, 10).describe() == ""


OTHER_TRAITS = ("connector", "phrase", "ignores_stop_words", "stems", "forgives_spelling")


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("図書館", []),
        ("도서관", []),
        ("がくぶち", []),
        ("straße", ["stráße"]),
        ("lantern", ["LANTERN", "lántern"]),
        ("ANTWERP", ["antwerp"]),
        ("CAFÉ", ["café", "CAFE"]),
        ("ёлка", ["ЁЛКА", "елка"]),
        ("чай", ["ЧАЙ"]),
        ("мій", ["МІЙ"]),
        ("άλφα", ["ΆΛΦΑ", "αλφα"]),
    ],
)
def test_case_and_accents_are_tried_only_where_a_script_has_them(
    word: str, values: list[str]
) -> None:
    answers = [WordAnswer("q", word, frozenset("1"))]
    trials = [Trial(trait, "q", "", (word,)) for trait in OTHER_TRAITS]
    sent = []
    while trial := next_trial(trials, answers, {"1": {"Title": word}}, "en"):
        sent.append(trial.value)
        trials.append(trial)
    assert sent == values


def test_a_value_that_was_sent_as_a_word_is_no_trial() -> None:
    answers = [WordAnswer("q", word, frozenset("1")) for word in ("lantern", "LANTERN")]
    trials = [Trial(trait, "q", "", ("lantern",)) for trait in OTHER_TRAITS]
    trial = next_trial(trials, answers, RECORDS, "en")
    assert trial is not None and trial.trait != "ignores_case"


def test_a_single_word_tells_all_but_how_words_are_connected() -> None:
    result = study(MadeEngine(), "merchant")
    assert (result.connector, result.ignores_case, result.stems) == ("", True, False)


def test_a_trial_is_compared_only_with_answers_of_its_control_that_are_known() -> None:
    capitals = Trial("ignores_case", "b", "GLACIER", ("glacier",), frozenset())
    pair = Trial("connector", "a", "lantern glacier", ("lantern", "glacier"), frozenset())
    answers = [WordAnswer("a", "lantern", frozenset("1")), WordAnswer("a", "glacier", frozenset())]
    assert read_engine([capitals], answers, 10).ignores_case is None
    answers.append(WordAnswer("b", "glacier", frozenset("3")))
    result = read_engine([pair, capitals], answers, 10)
    assert (result.control, result.connector, result.ignores_case) == ("a", "and", False)


def test_all_trials_are_of_the_control_of_the_first_one() -> None:
    pair = Trial("connector", "a", "lantern glacier", ("lantern", "glacier"), frozenset())
    answers = [WordAnswer("a", "lantern", frozenset("1"))]
    answers += [WordAnswer("b", word, frozenset(word)) for word in WORDS]
    trial = next_trial([pair], answers, RECORDS, "en")
    assert trial is not None and trial.control == "a"


def test_the_group_of_a_probe_tells_its_trial() -> None:
    answers = [WordAnswer("q", word, MadeEngine().keys(word)) for word in WORDS]
    trial = next_trial([], answers, RECORDS, "en")
    assert trial is not None
    assert Trial.of(trial.probe, frozenset("3")) == replace(trial, keys=frozenset("3"))

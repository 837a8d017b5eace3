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


def test_the_group_of_a_probe_tells_its_trial() -> None:
    answers = [WordAnswer("q", word, MadeEngine().keys(word)) for word in WORDS]
    trial = next_trial([], answers, RECORDS, "en")
    assert trial is not None
    assert Trial.of(trial.probe, frozenset("3")) == replace(trial, keys=frozenset("3"))

"""A search through a form, with the pages of its answers but without a crawl."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from forest_scrapy.core import Page
from forest_scrapy.forms.answers import AnswerReader
from forest_scrapy.forms.data import read_data_page
from forest_scrapy.forms.engine import MAX_TRIALS
from forest_scrapy.forms.form import Control, Form
from forest_scrapy.forms.items import FormRecord
from forest_scrapy.forms.probing import NONSENSE, FormProbe, Prober
from forest_scrapy.forms.search import FormSearch

FORM = Form(1, "https://a.example/find", "GET", "search", (Control("q", "text", "Town"),))
ADJECTIVES = "Old New Upper Lower Great Little North South".split()
TOWNS = "Truro Derby Ludlow Hexham Whitby Penrith Kendal Bath".split()
TRADES = "Bakery Brewery Foundry Pottery Tannery Sawmill".split()
Firm = tuple[str, str, str]


def make_firms() -> list[Firm]:
    firms = []
    for place, town in enumerate(TOWNS):
        for number in range(3 * len(ADJECTIVES)):
            adjective = ADJECTIVES[number % len(ADJECTIVES)]
            trade = TRADES[(place + number) % len(TRADES)]
            firms.append((town, f"{adjective} {trade}", str(1700 + 30 * place + number)))
    return firms


FIRMS = make_firms()


def make_page(firms: Sequence[Firm], word: str) -> Page:
    """Cards whose heading is the town, the same on all of an answer to a town."""
    cards = ""
    for town, name, year in firms:
        lines = f"<div><span class=k>Founded</span><span>{year}</span></div>"
        lines = f"<div><span class=k>Name</span><span>{name}</span></div>{lines}"
        cards += f"<div class=entry><div class=t>{town}</div>{lines}</div>"
    body = f"<div class=entries>{cards}</div>" if firms else f"<p>Nothing for {word}</p>"
    html = f"<html><body><h1>Register</h1><p><a href=/>Home</a></p>{body}<p>Kept by us</p></body>"
    return Page.from_html(html, f"https://a.example/find?q={word}")


def answer(search: FormSearch, word: str) -> Iterator[FormRecord]:
    asked = word.lower()
    firms = [firm for firm in FIRMS if asked in " ".join(firm).lower().split()]
    probe = FormProbe((("q", word),), ("q", "frequent"))
    for outcome in search.add(probe, [make_page(firms, word)]):
        yield from outcome.items


def ask_for_one_town(search: FormSearch) -> list[FormRecord]:
    """Nonsense, the firms of one town, and errors until these are read."""
    items = []
    for word in (*NONSENSE, "Truro", *(f"none{number}" for number in range(16))):
        items.extend(answer(search, word))
    return items


def values_of(item: FormRecord) -> Firm:
    town, name, year = (value["value"] for value in item.values)
    return town, name, year


@pytest.mark.slow
def test_what_the_first_answer_hides_is_in_no_item() -> None:
    """All of its records have one town, as if that were a label."""
    search = FormSearch(FORM, Prober(FORM), AnswerReader("runs"))
    items = ask_for_one_town(search)
    assert not items
    for word in (*ADJECTIVES, *TOWNS[1:]):
        items.extend(answer(search, word))
    for finish in (search.learn, search.settle):
        items.extend(item for outcome in finish() for item in outcome.items)
    assert sorted(map(values_of, items)) == sorted(FIRMS)
    assert len(search.records) == len(search.prober.keys) == len(FIRMS)
    assert not search.reader.times_replaced


@pytest.mark.slow
def test_a_search_that_ends_before_its_items_are_final_goes_on(tmp_path: Path) -> None:
    def open_search() -> FormSearch:
        return FormSearch.open(FORM, tmp_path / "probes.jsonl", (), "en", "runs")

    all_words = (*ADJECTIVES, *TOWNS[1:])
    first = open_search()
    items = ask_for_one_town(first)
    for word in all_words[:3]:
        items.extend(answer(first, word))
    assert not items
    assert first.file is not None
    first.file.close()

    second = open_search()
    assert second.sent == first.sent
    for word in all_words[3:]:
        items.extend(answer(second, word))
    for finish in (second.learn, second.settle):
        items.extend(item for outcome in finish() for item in outcome.items)
    assert second.file is not None
    second.file.close()
    assert sorted(map(values_of, items)) == sorted(FIRMS)

    third = open_search()
    assert sorted(map(values_of, third.recalled)) == sorted(FIRMS)


@pytest.fixture
def settled_search(tmp_path: Path) -> Iterator[FormSearch]:
    """A search whose answers are in JSON; it has no wrapper."""
    search = FormSearch.open(FORM, tmp_path / "form.jsonl", (), "en", "auto")
    answer_towns(search)
    yield search
    assert search.file is not None
    search.file.close()


def answer_towns(search: FormSearch) -> None:
    """Answer a few probes in JSON."""
    for place, town in enumerate(TOWNS[:3]):
        firms = [firm for firm in FIRMS if firm[0] == town]
        firms = firms[: 4 + place]
        rows = [dict(zip(("Town", "Name", "Founded"), firm, strict=True)) for firm in firms]
        page = read_data_page(json.dumps(rows), f"https://a.example/find?q={town}")
        assert page is not None
        list(search.add(FormProbe((("q", town),), ("q", "frequent")), [page]))


@pytest.mark.parametrize("has_answer", [False, True])
def test_no_trial_is_sent_twice_whatever_its_answer(
    settled_search: FormSearch, has_answer: bool
) -> None:
    """None is read, or one is of another kind than all answers before and needs a wrapper."""
    search = settled_search
    probes = []
    while probe := search.next_trial():
        probes.append(probe)
        assert len(probes) <= MAX_TRIALS
        ((_, value),) = probe.filling
        list(search.add(probe, [make_page(FIRMS[:8], value)] if has_answer else []))
    assert len(set(probes)) == len(probes) > 1
    assert search.engine().describe() == ""
    assert (search.sent, search.sent_for_records) == (3 + len(probes), 3)

    assert search.file is not None
    later = FormSearch.open(FORM, search.file.path, (), "en", "auto")
    assert later.trials == search.trials
    assert later.next_trial() is None


def test_no_trial_is_for_a_control_that_has_options() -> None:
    towns = tuple((town, town) for town in TOWNS)
    form = replace(FORM, controls=(Control("q", "choice", "Town", towns),))
    search = FormSearch(form, Prober(form))
    answer_towns(search)
    assert search.next_trial() is None


def test_a_trial_without_answer_is_not_sent_again(settled_search: FormSearch) -> None:
    first_trial = settled_search.next_trial()
    assert first_trial is not None
    assert settled_search.next_trial() != first_trial

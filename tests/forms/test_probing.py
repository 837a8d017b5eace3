"""Which probe is next, against a register that answers at most some rows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest

from benchmarks.forms.sites import Field, make_rows, matches
from forest_scrapy.forms.candidates import MAX_PAIRS, GeneralPairs, NamedPairs
from forest_scrapy.forms.form import Control, Form
from forest_scrapy.forms.probing import NONSENSE, FormProbe, Gain, Prober
from forest_scrapy.forms.regions import Regions

ROWS = make_rows(600)
SUBJECTS = tuple((one, one) for one in sorted({row["Subject"] for row in ROWS}))
FIELDS = {
    "t": Field("t", "Title", "Title"),
    "a": Field("a", "Author", "Author"),
    "s": Field("s", "Subject", "Subject", "equal"),
}


def form_of(*names: str) -> Form:
    kinds = {"s": "choice"}
    controls = tuple(
        Control(n, kinds.get(n, "text"), FIELDS[n].label, options=SUBJECTS if n == "s" else ())
        for n in names
    )
    return Form(1, "https://a.example/find", "GET", "search", controls)


def answer(probe: FormProbe, most: int, needs: Sequence[str] = ()) -> list[int]:
    if not probe.filling or not set(needs) <= set(probe.controls):
        return []
    found = (
        i
        for i, row in enumerate(ROWS)
        if all(matches(FIELDS[name], value, row) for name, value in probe.filling)
    )
    return sorted(found)[:most]


def run(
    form: Form, probes: int, most: int, needs: Sequence[str] = ()
) -> tuple[Prober, list[FormProbe]]:
    prober, sent = Prober(form, (), "en"), list[FormProbe]()
    while len(sent) < probes and (probe := prober.next()):
        sent.append(probe)
        found = answer(probe, most, needs)
        new = [i for i in found if str(i) not in prober.keys]
        values: dict[str, Mapping[str, str]] = {str(i): ROWS[i] for i in new}
        prober.add(probe, Gain(frozenset(map(str, found)), len(new), 1, not found), values)
    return prober, sent


def test_nonsense_is_first_and_no_probe_is_sent_twice() -> None:
    prober, sent = run(form_of("t", "a", "s"), 200, 50)
    assert [probe.filling[0][1] for probe in sent[:4]] == [*NONSENSE[:2], *NONSENSE[:2]]
    assert len({probe.filling for probe in sent}) == len(sent) == 200
    assert len(prober.keys) > 0.9 * len(ROWS)


@pytest.mark.slow
def test_a_control_gets_words_of_the_attribute_that_it_searches() -> None:
    """And of each other one a single word, by which it would be seen to search there, too."""
    _, sent = run(form_of("t", "a"), 120, 30)
    sources = Counter(probe.group[:3] for probe in sent if probe.group[1:2] == ("word",))
    assert sources.pop(("t", "word", "Title")) > 10
    assert sources.pop(("a", "word", "Author")) > 20
    counts_elsewhere = {
        source: count
        for source, count in sources.items()
        if source[0] in ("t", "a") and source[2] not in ("Title", "Author")
    }
    assert set(counts_elsewhere.values()) == {1}
    assert sources["t", "word", "Author"] <= 1 and sources["a", "word", "Title"] <= 1


@pytest.mark.slow
def test_the_same_answers_give_the_same_probes() -> None:
    assert run(form_of("t", "a"), 60, 20)[1] == run(form_of("t", "a"), 60, 20)[1]


@pytest.mark.slow
def test_pairs_of_controls_if_none_alone_gives_a_record() -> None:
    prober, sent = run(form_of("t", "s"), 250, 50, needs="ts")
    assert any(len(probe.filling) == 2 for probe in sent[:40])
    assert len(prober.keys) > 0.5 * len(ROWS)


def test_named_values_are_paired_until_one_fits() -> None:
    """A city is found with its own state only: the next states are not tried after that."""
    states = tuple((f"s{number}", f"s{number}") for number in range(10))
    controls = (Control("s", "choice", "State", options=states), Control("c", "text", "City"))
    prober = Prober(Form(1, "https://a.example/find", "GET", "search", controls), (), "en")
    cities = [f"city{number}" for number in range(40)]
    prober.offer({"c": cities})
    pairs: list[tuple[str, str]] = []
    found: list[str] = []
    for _ in range(200):
        probe = prober.next()
        assert probe is not None
        filling = dict(probe.filling)
        city = filling.get("c", "")
        keys: frozenset[str] = frozenset()
        if len(filling) == 2 and city in cities:
            pairs.append((filling["s"], city))
            if filling["s"] == f"s{int(city[4:]) % 10}":
                keys = frozenset([city])
                found.append(city)
        new = {key: {"City": key, "State": filling.get("s", "")} for key in keys}
        prober.add(probe, Gain(keys, len(keys), 1, not keys), new)
    assert len(found) == len(set(found)) > 20  # some five probes each
    first = pairs[: pairs.index(("s3", "city3")) + 1]
    assert [city for _, city in first] == ["city0"] + ["city1"] * 2 + ["city2"] * 3 + ["city3"] * 4


def test_named_values_that_were_answered_are_left_out_of_pairs() -> None:
    """Without a look at each of their partners: all but the last are answered."""
    controls = (Control("s", "text", "State"), Control("c", "text", "City"))
    regions = Regions(Form(1, "https://a.example/find", "GET", "search", controls), ())
    cities = [f"city{number}" for number in range(300)]
    states = [f"state{number}" for number in range(5000)]
    for city in cities[:-1]:
        regions.add(
            (("s", "elsewhere"), ("c", city)), frozenset([city]), {city: {"City": city}}, None
        )
    regions.add((("s", "state0"), ("c", cities[-1])), frozenset(), {}, None)
    pairs = NamedPairs(("s", "c"), "c", cities, states)
    fillings = list(pairs.fillings(regions))
    assert fillings == [(("s", state), ("c", cities[-1])) for state in states]


def test_pairs_have_another_option_each_and_the_first_words_more_often() -> None:
    """Not all words with the first options: these may have no records."""
    options = tuple((f"s{number}", f"s{number}") for number in range(200))
    controls = (Control("t", "text", "Title"), Control("s", "choice", "Shelf", options=options))
    form = Form(1, "https://a.example/find", "GET", "search", controls)
    words = ["page", "owl", "search", "help"]
    prober = Prober(form, words, "en")
    pairs: list[dict[str, str]] = []
    while len(pairs) < 20 and (probe := prober.next()):
        prober.add(probe, Gain(frozenset(), 0, 1, True))
        filling = dict(probe.filling)
        if len(filling) == 2 and filling["t"] in words:
            pairs.append(filling)
    assert [pair["t"] for pair in pairs[:6]] == ["page", "page", "owl", "page", "owl", "search"]
    assert len({pair["s"] for pair in pairs}) == len(pairs) == 20


@pytest.mark.parametrize("names", [("t", "s"), ("s", "t")])
def test_a_word_that_had_an_answer_with_one_option_is_tried_with_all_options(
    names: tuple[str, str],
) -> None:
    form = form_of(*names)
    words = ["page", "owl", "search"]
    options = [value for value, _ in SUBJECTS]
    values = {"t": words, "s": options}
    regions = Regions(form, ())
    answered = {"t": "owl", "s": options[2]}
    record = {"1": {"Title": "An owl", "Subject": options[2]}}
    regions.add(tuple((name, answered[name]) for name in names), frozenset(["1"]), record)

    pairs = GeneralPairs(names, [values[name] for name in names], varied="s")
    fillings = [dict(filling) for filling in pairs.fillings(regions)]

    assert fillings[: len(options)] == [{"t": "owl", "s": option} for option in options]
    assert {tuple(sorted(filling.items())) for filling in fillings} == {
        (("s", option), ("t", word)) for option in options for word in words
    }


@pytest.mark.parametrize(("words", "options"), [(2, 2), (12, 12), (8, 12), (1, 3), (20, 90)])
def test_all_pairs_of_controls_are_tried_and_none_twice(words: int, options: int) -> None:
    values = (list(map(str, range(words))), list(map(str, range(options))))
    form = form_of("t", "s")
    pairs = list(GeneralPairs(("t", "s"), values, "s").fillings(Regions(form, ())))
    assert len(pairs) == len(set(pairs)) == min(words * options, MAX_PAIRS)


def test_the_words_of_the_last_records_are_put_in() -> None:
    """Each record is found only by a word of the one before it."""
    syllables = [start + end for start in "bdfglmnprt" for end in "aeiou"]
    words = ["the", *(first + second for first in syllables[:12] for second in syllables[:10])]
    titles = [f"{word} {following}" for word, following in pairwise(words)]
    prober = Prober(form_of("t"), (), "en")
    while probe := prober.next():
        asked_words = " ".join(value for _, value in probe.filling).split()
        shown = []
        for title in titles:
            if asked_words and set(asked_words) <= set(title.split()):
                shown.append(title)
        new = {title: {"Title": title} for title in shown if title not in prober.keys}
        prober.add(probe, Gain(frozenset(shown), len(new), 1, not shown), new)
    assert prober.keys == set(titles)


def test_a_filling_that_leaves_no_record_out_is_not_sent() -> None:
    """All of a town's streets are in its region, alone or together with it."""
    streets = [("owl", "north", f"street {n}") for n in range(40)]
    streets += [("bee", "north", f"lane {n}") for n in range(40)]
    options = (("north", "north"), ("south", "south"))
    controls = (Control("w", "text", "Town"), Control("r", "choice", "Region", options=options))
    form = Form(1, "https://a.example/find", "GET", "search", controls)
    prober = Prober(form, ["owl", "bee"], "en")
    sent = []
    while len(sent) < 80 and (probe := prober.next()):
        filling = dict(probe.filling)
        sent.append(filling)
        found = []
        for number, (town, region, _) in enumerate(streets):
            is_town = filling.get("w", town) == town
            if filling and is_town and filling.get("r", region) == region:
                found.append(number)
        shown = [str(number) for number in found[:20]]
        new = {}
        for key in shown:
            if key not in prober.keys:
                town, region, street = streets[int(key)]
                new[key] = {"Town": town, "Region": region, "Street": street}
        missing = len(found) - len(shown)
        prober.add(probe, Gain(frozenset(shown), len(new), 1, not shown, missing), new)
    assert {"w": "owl"} in sent
    assert {"w": "owl", "r": "north"} not in sent


def test_the_words_of_records_beat_those_of_a_dictionary() -> None:
    """Both in the same number of probes."""
    words = sorted({word for row in ROWS for word in row["Title"].lower().split()})
    found: set[int] = set()
    for word in words[:: max(1, len(words) // 60)][:60]:
        found.update(answer(FormProbe((("t", word),), ()), 20))
    prober, _ = run(form_of("t"), 60, 20)
    assert len(prober.keys) >= len(found)


def test_a_form_that_never_answers_comes_to_an_end() -> None:
    _, sent = run(form_of("t", "a"), 5000, 0)
    assert len(sent) < 150


@pytest.mark.parametrize("names", ["t", "ta"])
def test_values_that_a_person_has_where_no_word_has_an_answer(names: str) -> None:
    """A control that finds whole titles only."""
    prober, sent = Prober(form_of(*names), (), "en"), list[FormProbe]()
    prober.offer({"t": [row["Title"] for row in ROWS[:5]]})
    while probe := prober.next():
        sent.append(probe)
        found = [row["Title"] for row in ROWS[:5] if probe.filling == (("t", row["Title"]),)]
        new = {title: {"Title": title} for title in found if title not in prober.keys}
        prober.add(probe, Gain(frozenset(found), len(new), 1, not found), new)
    assert prober.keys == {row["Title"] for row in ROWS[:5]}


def test_a_value_of_many_words_is_narrowed_in_time() -> None:
    """Its sets of words are 2^20.  A record is found by any of its words, ten at a time."""
    words = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(60)]
    chance = random.Random(0)
    titles = {f"r{i}": " ".join([*chance.sample(words, 8), "the"]) for i in range(300)}
    prober, sent = Prober(form_of("t"), (), "en"), list[FormProbe]()
    prober.offer({"t": [" ".join(words[:20]), " ".join(words[20:40])]})
    while len(sent) < 60 and (probe := prober.next()):
        sent.append(probe)
        asked = set(" ".join(value for _, value in probe.filling).split())
        common = {key: len(asked & set(title.split())) for key, title in titles.items()}
        ranked = sorted(key for key in common if common[key])
        found = sorted(ranked, key=lambda key: -common[key])[:10]
        new = {key: {"title": titles[key]} for key in found if key not in prober.keys}
        prober.add(probe, Gain(frozenset(found), len(new)), new)
    assert len(sent) == 60 and len(prober.keys) > 100


@pytest.mark.slow
@pytest.mark.parametrize("name", ["word", "nonsense"])
def test_the_name_of_a_control_says_nothing_of_its_probes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, expected = run(form_of("t"), 60, 20)
    monkeypatch.setitem(FIELDS, name, FIELDS["t"])
    _, sent = run(form_of(name), 60, 20)
    values = [probe.filling[0][1] for probe in expected if probe.filling]
    assert [probe.filling[0][1] for probe in sent if probe.filling] == values

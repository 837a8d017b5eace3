"""Records in markups that are usual in old registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.records.attributes.attribute import Attribute
from forest_scrapy.forms.answers import Answer, AnswerReader, has_doubled_records
from forest_scrapy.forms.ranges import RangeControls, choose_attribute
from forest_scrapy.forms.runs import RunRules, learn_runs

Town = dict[str, str]
Markup = Callable[[Sequence[Town]], str]

REGIONS = ("North", "South", "East", "West", "Middle")
TOWNS = [
    {
        "Town": f"{start}{end}",
        "Region": REGIONS[(3 * number + place) % 5],
        "People": str(1000 + 937 * (17 * number + place)),
    }
    for number, start in enumerate(("Al", "Bor", "Cer", "Dun", "Eger", "Fal", "Gor", "Hel"))
    for place, end in enumerate(("berg", "ford", "mont", "stad", "ton", "wick"))
]
#: How many records each answer has.
SIZES = (1, 2, 9, 14, 3, 1, 11)


def make_answer(number: int, towns: Sequence[Town], markup: Markup) -> Page:
    html = (
        "<html><head><title>Answers</title></head><body><div id=top><a href=/>Home</a>"
        f" <a href=/help>Help</a></div><h1>Answers</h1><p>{len(towns)} towns for x{number}</p>"
        f"{markup(towns)}<div class=foot>Kept by the office. <a href=/imprint>Imprint</a></div>"
    )
    return Page.from_html(html, f"http://a.example/find?q=x{number}")


def make_answers(markup: Markup) -> list[Page]:
    pages = []
    first = 0
    for number, size in enumerate(SIZES):
        pages.append(make_answer(number, TOWNS[first : first + size], markup))
        first += size
    return pages


def written(town: Town) -> str:
    return f"{int(town['People']):,}"


def rows_of_two(towns: Sequence[Town]) -> str:
    rows = ""
    for town in towns:
        rows += f"<tr><td>{town['Town']}<td>{written(town)}</tr>"
        rows += f"<tr><td colspan=2>Region: {town['Region']}</tr>"
    return f"<table><tr><th>Town<th>People</tr>{rows}</table>"


def odd_and_even(towns: Sequence[Town]) -> str:
    rows = ""
    for number, town in enumerate(towns):
        name = "odd" if number % 2 else "even"
        cells = f"<td>{town['Town']}<td>{town['Region']}<td>{written(town)}"
        rows += f"<tr class={name}>{cells}</tr>"
    return f"<table><tr><td><b>Town</b><td><b>Region</b><td><b>People</b></tr>{rows}</table>"


def high_cells(towns: Sequence[Town]) -> str:
    rows = ""
    for town in towns:
        rows += f"<tr><td rowspan=2>Town: {town['Town']}<td>Region:<td>{town['Region']}</tr>"
        rows += f"<tr><td>People:<td>{written(town)}</tr>"
    return f"<table>{rows}</table>"


def grouped_cells(towns: Sequence[Town]) -> str:
    """Cells of one region over the rows of all its towns."""
    rows = ""
    for region in REGIONS:
        towns_of_region = [town for town in towns if town["Region"] == region]
        for number, town in enumerate(towns_of_region):
            head = "" if number else f"<td rowspan={len(towns_of_region)}>{region}"
            rows += f"<tr>{head}<td>{town['Town']}<td>{written(town)}</tr>"
    return f"<table><tr><th>Region<th>Town<th>People</tr>{rows}</table>"


def flat_terms(towns: Sequence[Town]) -> str:
    terms = ""
    for town in towns:
        terms += "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in town.items())
    return f"<dl>{terms}</dl>"


def lists_of_terms(towns: Sequence[Town]) -> str:
    lists = ""
    for town in towns:
        terms = "".join(f"<dt>{name}:<dd>{value}" for name, value in town.items())
        lists += f"<dl>{terms}</dl>"
    return lists


def headings(towns: Sequence[Town]) -> str:
    html = ""
    for town in towns:
        html += f"<h3>Town: {town['Town']}</h3><p>Region: {town['Region']}</p>"
        html += f"<p><b>People</b>: {written(town)}</p>"
    return html


def lines(towns: Sequence[Town]) -> str:
    records = []
    for town in towns:
        records.append("<br>".join(f"<b>{name}:</b> {value}" for name, value in town.items()))
    return f"<div>{'<br><br>'.join(records)}</div>"


def paragraphs(towns: Sequence[Town]) -> str:
    html = ""
    for town in towns:
        html += f"<p>{'<br>'.join(f'{name}: {value}' for name, value in town.items())}</p>"
    return html


def labelled_spans(towns: Sequence[Town]) -> str:
    cards = ""
    for town in towns:
        spans = ""
        for name, value in town.items():
            spans += f"<div><span class=k>{name}</span><span class=v>{value}</span></div>"
        cards += f"<div class=card>{spans}</div>"
    return f"<div class=cards>{cards}</div>"


def titled_cards(towns: Sequence[Town]) -> str:
    cards = ""
    for town in towns:
        (_, title), *pairs = town.items()
        spans = "".join(
            f"<div><span>{name}</span><span>{text}</span></div>" for name, text in pairs
        )
        cards += f"<div class=card><div class=t>{title}</div>{spans}</div>"
    return f"<div class=cards>{cards}</div>"


def unnamed_columns(towns: Sequence[Town]) -> str:
    rows = ""
    for number, town in enumerate(towns):
        rows += f"<tr><td>{town['Town']}{number}<td>{written(town)}<td>{town['Region']}</tr>"
    return f"<table>{rows}</table>"


MARKUPS = (
    rows_of_two,
    odd_and_even,
    high_cells,
    grouped_cells,
    flat_terms,
    lists_of_terms,
    headings,
    lines,
    paragraphs,
    labelled_spans,
)


@pytest.mark.parametrize("markup", MARKUPS, ids=lambda markup: markup.__name__)
def test_each_record_has_its_values_by_their_names(markup: Markup) -> None:
    pages = make_answers(markup)
    reader = AnswerReader()
    for page in pages:
        assert reader.read(Answer(page, (("q", page.url[-2:]),))) is None
    assert reader.learn(is_last=True)
    records = []
    for _, answer_records in reader.take_waiting():
        records.extend(record.values for record in answer_records)
    expected = TOWNS[: sum(SIZES)]
    if markup is grouped_cells:
        records.sort(key=lambda values: int(values["People"]))
    assert records == [dict(sorted(town.items())) for town in expected] or records == expected


@pytest.mark.parametrize("markup", MARKUPS, ids=lambda markup: markup.__name__)
def test_the_rules_are_the_same_as_json_and_whatever_the_order(markup: Markup) -> None:
    pages = make_answers(markup)
    rules = learn_runs(pages)
    assert rules is not None
    assert from_json(RunRules, to_json(rules)) == rules
    reversed_rules = learn_runs(pages[::-1])
    assert reversed_rules is not None
    assert reversed_rules.region == rules.region
    assert reversed_rules.starts == rules.starts


def linked_terms(towns: Sequence[Town]) -> str:
    terms = ""
    for town in towns:
        terms += f"<dt><a href=/t/{town['Town']}>{town['Town']}</a></dt><dd>{town['Region']}</dd>"
    return f"<dl>{terms}</dl>"


def linked_results(towns: Sequence[Town]) -> str:
    results = ""
    for town in towns:
        inner = f"<strong>{town['Town']}</strong> <span>{town['Region']}</span>"
        results += f"<a class=result href=/t/{town['Town']}>{inner}</a>"
    return f"<div>{results}</div>"


@pytest.mark.parametrize("markup", [linked_terms, linked_results])
def test_what_is_linked_is_the_title(markup: Markup) -> None:
    rules = learn_runs(make_answers(markup))
    assert rules is not None
    page = make_answer(9, TOWNS[:1], markup)
    (record,) = rules.find(page)
    assert record.get("title") == "Alberg"
    assert record.get("url") == "http://a.example/t/Alberg"


def test_an_answer_much_larger_than_the_first_ones_is_learned_from() -> None:
    """The first answers have a single record each, whose terms are taken for records."""
    reader = AnswerReader(method="runs")
    for number in range(24):
        page = make_answer(number, TOWNS[number : number + 1], flat_terms)
        assert reader.read(Answer(page, (("q", f"x{number}"),))) is None
    assert reader.learn()
    assert reader.wrapper is not None
    large = make_answer(30, TOWNS[24:40], flat_terms)
    records = reader.read(Answer(large, (("q", "x30"),)))
    assert records is not None
    assert [record.values for record in records] == TOWNS[24:40]


def test_few_records_are_not_enough_to_learn_from() -> None:
    reader = AnswerReader()
    for number in range(8):
        page = make_answer(number, TOWNS[number % 2 :][:1], odd_and_even)
        reader.read(Answer(page, (("q", f"x{number}"),)))
    assert reader.can_learn()
    assert not reader.learn()
    assert not reader.can_learn()


def test_few_equal_answers_are_read_once_errors_come() -> None:
    """Two words of one name have the same answer; no other word has one."""
    reader = AnswerReader()
    for word in ("x1", "x2", "x3"):
        page = make_answer(7, TOWNS[:30], labelled_spans)
        reader.read(Answer(page, (("q", word),)))
    error = Page.from_html("<html><body><p>Nothing found, try again", "http://a.example/find")
    reader.add_error(Answer(error, ()))
    assert not reader.can_learn()
    for number in range(15):
        assert reader.read(Answer(error, (("q", f"e{number}"),))) == []
    assert reader.can_learn()
    assert reader.learn()
    (_, records), *_ = reader.take_waiting()
    assert [record.values for record in records] == TOWNS[:30]


def test_what_all_first_records_were_asked_for_is_a_value_of_theirs() -> None:
    """The words of one name are all that had an answer: each record has it, as if it was a label
    or a text of the page."""
    towns = [{**town, "Town": "Port Albert"} for town in TOWNS[:25]]
    reader = AnswerReader()
    for word in ("port", "albert"):
        page = make_answer(7, towns, titled_cards)
        reader.read(Answer(page, (("q", word),)))
    assert reader.learn(is_last=True)
    (_, records), _ = reader.take_waiting()
    assert len(records) == 25
    for record, town in zip(records, towns, strict=True):
        assert sorted(record.values.values()) == sorted(town.values())


def striped_rows(towns: Sequence[Town]) -> str:
    rows = ""
    for number, town in enumerate(towns):
        name = " class=alt" if number % 2 else ""
        link = f"<a href=/{town['Town']}>{town['Town']}</a>"
        rows += f"<tr{name}><td>{link}<td>{town['Region']}<td>{written(town)}</tr>"
    return f"<table><tr><th>Town<th>Region<th>People</tr>{rows}</table>"


def learn_full_pages(markup: Markup, size: int) -> Iterator[tuple[Town, dict[str, str]]]:
    """The towns of four answers of one size, and the values that are read of each."""
    reader = AnswerReader()
    for number, word in enumerate(("north", "south", "east", "west")):
        towns = TOWNS[size * number : size * (number + 1)]
        reader.read(Answer(make_answer(number, towns, markup), (("q", word),)))
    assert reader.learn(is_last=True)
    records = [record for _, answer in reader.take_waiting() for record in answer]
    for town, record in zip(TOWNS[: 4 * size], records, strict=True):
        yield town, record.values


@pytest.mark.parametrize("markup", [odd_and_even, striped_rows])
def test_striped_rows_of_full_pages_are_one_record_each(markup: Markup) -> None:
    """All pages have an even number of rows, so that two rows could be a record."""
    for town, values in learn_full_pages(markup, 10):
        assert town.items() <= values.items()


def attribute(path: str, label: str = "", kind: str = "text") -> Attribute:
    return Attribute(name=label or path, type=kind, path=path, label=label)


@pytest.mark.parametrize("sign", ["-", "+"])
def test_two_rows_of_a_table_whose_columns_are_named_are_two_records(sign: str) -> None:
    """The header is above the first row only."""
    named = [attribute(f"{sign}tr[class=even] td[{n}]", f"Column {n}") for n in (1, 2, 3)]
    other = [attribute(f"td[{n}]") for n in (1, 2, 3)]
    assert has_doubled_records([*named, *other])
    named_alike = [replace(one, label=f"Column {n}") for n, one in enumerate(other, 1)]
    assert has_doubled_records([*named, *named_alike])


def test_two_rows_with_values_of_their_own_are_one_record() -> None:
    first = [attribute("td[1]", "Town"), attribute("td[2]", "Region")]
    labelled = [attribute("+tr td[1]", "People"), attribute("+tr td[2]", "Founded")]
    assert not has_doubled_records([*first, *labelled])
    numbers = [attribute("+tr td[1]", kind="number"), attribute("+tr td[2]", kind="date")]
    assert not has_doubled_records([*first, *numbers])
    assert not has_doubled_records([*first, attribute("+tr td[1]")])


def headed_lines(towns: Sequence[Town]) -> str:
    records = ""
    for town in towns:
        records += f"<h3>{town['Town']}</h3><p>{town['Region']}<br>{written(town)}</p>"
    return f"<div class=mid><p>Showing {len(towns)} towns</p>{records}</div>"


def test_a_text_above_the_first_heading_does_not_shift_records() -> None:
    for town, values in learn_full_pages(headed_lines, 9):
        assert list(values.values()) == [town["Town"], town["Region"], town["People"]]


def partly_labelled_lines(towns: Sequence[Town]) -> str:
    records = ""
    for town in towns:
        lines = f"{town['Region']}<br>{town['Town'][::-1].lower()}<br>People: {written(town)}"
        records += f"<h3>{town['Town']}</h3><p>{lines}</p>"
    return f"<div class=mid><p>Showing {len(towns)} towns</p>{records}</div>"


def test_lines_of_which_some_have_labels() -> None:
    for town, values in learn_full_pages(partly_labelled_lines, 9):
        assert values["People"] == town["People"]
        assert set(values.values()) == {*town.values(), town["Town"][::-1].lower()}


def headed_prose(towns: Sequence[Town]) -> str:
    """Texts that are divided into one, two or three lines, one of them a long one."""
    records = ""
    for town in towns:
        number = int(town["People"])
        sentence = f"{town['Town']} lies in the {town['Region'].lower()} of the country"
        lines = "<br>".join(
            [sentence, f"It has {number} people", "Nobody has counted"][: number % 4]
        )
        records += f"<h3>{town['Town']}</h3><p>{lines or sentence}</p>"
    return f"<div class=mid>{records}</div>"


def test_a_text_that_is_divided_now_and_then_is_one_value() -> None:
    texts = [list(values.values()) for _, values in learn_full_pages(headed_prose, 9)]
    assert {len(values) for values in texts} == {2}
    assert any("country It has" in text for _, text in texts)


def years_in_brackets(towns: Sequence[Town]) -> str:
    rows = ""
    for town in towns:
        rows += f"<li><b>{town['Town']}</b> <i>({town['People']})</i> {town['Region']}</li>"
    return f"<ul>{rows}</ul>"


def test_a_range_is_of_numbers_that_are_shown_in_brackets() -> None:
    records = [values for _, values in learn_full_pages(years_in_brackets, 9)]
    attribute = choose_attribute(RangeControls("from", "to"), records)
    assert [record[attribute] for record in records] == [town["People"] for town in TOWNS[:36]]


def test_a_label_that_was_a_probe_once_is_still_a_label() -> None:
    """The probes take words of the page, and so those of its labels, too."""
    reader = AnswerReader()
    for number, word in enumerate(("people", "north", "south", "east")):
        page = make_answer(number, TOWNS[7 * number : 7 * number + 7], titled_cards)
        reader.read(Answer(page, (("q", word),)))
    assert reader.learn(is_last=True)
    _, records = reader.take_waiting()[0]
    assert len(records) == 7
    names = set(records[0].values) & set(TOWNS[0])
    assert names == set(TOWNS[0]) - {"Town"}


def test_pages_of_one_answer_are_not_enough_to_learn_from() -> None:
    """All have the same region, which was asked for."""
    reader = AnswerReader()
    for region in ("North", "South", "East"):
        towns = [town for town in TOWNS if town["Region"] == region]
        assert not reader.can_learn()
        for first in range(0, len(towns), 1):
            page = make_answer(first, towns[first : first + 1] * 3, unnamed_columns)
            reader.read(Answer(page, (("r", region),)))
    assert reader.can_learn()
    assert reader.learn()
    _, records = reader.take_waiting()[0]
    assert len(records[0].values) == 3


@pytest.mark.slow
def test_deep_and_wide_answers_are_read_in_time() -> None:
    deep = "<div>" * 3000 + "a <b>b</b>" * 5
    wide = "<table>" + "<tr><td>a<td>b<td rowspan=90>c" * 5000
    lines = "<p>" + "a: b<br>" * 20_000
    pages = [
        Page.from_html(f"<html><body>{body}", f"http://a.example/{number}")
        for number, body in enumerate((deep, wide, lines))
    ]
    learn_runs(pages)

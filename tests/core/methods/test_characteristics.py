"""The characteristics container of VSSE, and what is added to it, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import pytest

from forest_scrapy.core import (
    BadCharacteristic,
    BadRules,
    Page,
    Params,
    RecordWrapper,
    learn_records,
)
from forest_scrapy.core.methods.characteristics import (
    ATTRIBUTES,
    CHARACTERISTICS,
    DELIMITERS,
    LeafFacts,
    make_container,
    read_characteristic,
    read_leaves,
)
from forest_scrapy.core.methods.vsse import (
    find_area,
    learn_vsse_records,
    read_pairs,
    weigh_nodes,
)
from forest_scrapy.core.page.outline import Outline

#: Six records in words that the container does not know, after a menu and before another text: 27
#: leaves.
PAIRS = [pair for n in range(6) for pair in (("Pris", f"{n} kr"), ("Farve", f"grå {n}"))]
RECORDS = "".join(
    f"<div><b>Pris</b> <i>{n} kr</i> <b>Farve</b> <i>grå {n}</i></div>" for n in range(6)
)
DANISH = f"<ul><li>Hjem<li>Nyt</ul><div id=main>{RECORDS}</div><p>Slut"


def weight_of_main(outline: Outline, characteristics: Sequence[str]) -> float:
    weights = weigh_nodes(outline, make_container(characteristics))
    ids = [node.element.get("id") for node in outline.nodes]
    return weights[ids.index("main")]


@pytest.mark.parametrize(
    ("characteristics", "weight"),
    [
        ([], 0.0),
        (["Pris"], 6 * log(27 / 6)),
        (["Pris", "farve"], 2 * 6 * log(27 / 6)),
        (["pris", "<b>"], 6 * log(27 / 6) + 12 * log(27 / 12)),
        (["pris", " PRIS "], 6 * log(27 / 6)),
    ],
)
def test_what_is_added_counts_by_hand(characteristics: list[str], weight: float) -> None:
    """Equation 3: of 27 leaves six have each word, and twelve are in a ``b``."""
    outline = Page.from_html(DANISH).outline
    assert len(outline.leaves) == 27
    assert weight_of_main(outline, characteristics) == pytest.approx(weight)


def test_names_that_are_added_give_pairs() -> None:
    page = Page.from_html(DANISH)
    assert read_pairs(page) == []
    assert read_pairs(page, ["pris", "FARVE"]) == PAIRS


def test_a_program_can_add_any_function_of_a_leaf() -> None:
    def is_price(facts: LeafFacts) -> bool:
        return facts.text.endswith("kr")

    outline = Page.from_html(DANISH).outline
    area, weight = find_area(outline, {**CHARACTERISTICS, "a price": is_price})
    assert weight == pytest.approx(6 * log(27 / 6))
    assert outline.nodes[area].element.get("id") == "main"


def test_a_wrapper_keeps_the_characteristics_that_it_was_learned_with() -> None:
    page = Page.from_html(DANISH)
    params = Params("vsse-records", characteristics=("pris", "farve"))
    wrapper = learn_records([page], params)
    records = wrapper.apply(page)
    assert [record.text for record in records] == [
        f"Pris: {n} kr\nFarve: grå {n}" for n in range(6)
    ]
    assert learn_vsse_records([page], params).apply(page).text.count("kr") == 6
    assert learn_vsse_records([page], Params()).apply(page).text == ""


def test_rules_with_what_is_no_characteristic_are_refused() -> None:
    with pytest.raises(BadRules, match="'' is no characteristic"):
        RecordWrapper(pairs=True, characteristics=("",)).check()


@pytest.mark.parametrize("text", ["", "  ", "42", "a" * 101])
def test_what_is_no_characteristic(text: str) -> None:
    with pytest.raises(BadCharacteristic, match="write words, marks, or a tag such as <dt>"):
        read_characteristic(text)


@pytest.mark.parametrize("text", [*DELIMITERS, *ATTRIBUTES])
def test_the_container_of_the_paper(text: str) -> None:
    has_it = CHARACTERISTICS[text]
    outline = Page.from_html(f"<p>One {text.upper()} here</p><p>another-{text}s</p>").outline
    first, second = read_leaves(outline)
    assert (has_it(first), has_it(second)) == (True, text in DELIMITERS)

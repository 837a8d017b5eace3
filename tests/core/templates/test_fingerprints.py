from __future__ import annotations

from hashlib import blake2b
from typing import Any

import pytest

from forest_scrapy.core.templates.fingerprints import (
    DISTANCES,
    path_set,
    typed_paths,
)

from ..helpers import distance_of, make_page, read_cases


def digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


@pytest.mark.parametrize("case", read_cases("templates/tag_paths", "distances"))
def test_distance_of_small_trees(case: dict[str, Any]) -> None:
    features = DISTANCES[case["kind"]]
    a, b = (features(make_page(case[name])) for name in "ab")
    assert distance_of(a, b) == pytest.approx(case["distance"], abs=1e-4)
    assert distance_of(b, a) == distance_of(a, b)


def test_digests_are_the_same_in_every_process() -> None:
    page = make_page("<div><p>x</p></div>")
    assert path_set(page) == {digest("body/div/p")}


def test_more_text_gives_no_more_typed_paths() -> None:
    short, long = (make_page("<div class=a>" + "<p>x</p>" * n) for n in (1, 500))
    assert typed_paths(short) == typed_paths(long)
    assert len(typed_paths(short)) == 3


@pytest.mark.parametrize("kind", DISTANCES)
def test_an_empty_page_has_a_fingerprint(kind: str) -> None:
    assert len(DISTANCES[kind](make_page(""))) == 1

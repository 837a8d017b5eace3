from __future__ import annotations

import pytest

from forest_scrapy.core import Params
from forest_scrapy.core.methods.mss import learn_mss, value_segment
from forest_scrapy.core.segments.segmentation import Segment

from ..helpers import make_page

MENU = "<ul><li><a>news</a><li><a>sport</a></ul>"


@pytest.mark.parametrize(("linked", "value"), [(0, 8.0), (4, 8.0), (5, -8.0), (8, -8.0)])
def test_half_of_the_text_may_be_in_links(linked: int, value: float) -> None:
    assert value_segment(Segment("eight ch", 0, 0, 1, linked)) == value


def test_the_best_run_by_hand() -> None:
    """Values -4, -5, 20, -3, 7, -4, -5: the best run is the third to the fifth, with sum 24."""
    page = make_page(f"{MENU}<p>{'a' * 20}</p><p><a>ads</a></p><p>seven b</p>{MENU}")
    wrapper = learn_mss([page], Params())
    assert wrapper.evidence.score == 24
    assert wrapper.apply(page).text == f"{'a' * 20}\nads\nseven b"


def test_a_long_list_of_links_ends_the_run() -> None:
    """Values 20, -21, 22: the last one has a larger sum than all three."""
    page = make_page(f"<p>{'a' * 20}</p><p><a>{'b' * 21}</a></p><p>{'c' * 22}</p>")
    assert learn_mss([page], Params()).apply(page).text == "c" * 22


def test_nothing_is_kept_of_links_only() -> None:
    page = make_page(MENU)
    wrapper = learn_mss([page], Params())
    assert (wrapper.keep, wrapper.evidence.score) == ((), 0)

"""Records of rendered pages: hidden elements are none, aligned ones are preferred."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from forest_scrapy.core import Page, learn_records
from forest_scrapy.core.page.rendered import STYLE_ATTRIBUTE, read_styles
from forest_scrapy.core.records.regions.groups import (
    find_visible,
    measure_alignment,
    measure_groups,
    rank_groups,
    write_key,
)
from forest_scrapy.core.records.regions.prose import read_prose

#: Left, top, width and height.
Box = tuple[int, int, int, int]

TEXTS = (
    "The owls in the barn have been calling since last spring.",
    "Ours moved in only in the third year, so be patient with them.",
    "Is there a branch in front of the entrance hole of the box?",
    "Thank you both, that branch is going away this weekend at last.",
)


def styled(tag: str, box: Box, inner: str, attributes: str = "") -> str:
    style = ",".join(map(str, box)) + ",16,rgb(0,0,0),block"
    return f'<{tag} {attributes} {STYLE_ATTRIBUTE}="{style}">{inner}</{tag}>'


def posts_page(boxes: Sequence[Box], dates: bool = True) -> Page:
    written = "".join(
        styled(
            "div",
            box,
            styled("i", (box[0], box[1], box[2] // 2, box[3]), f"{i} May 2024, 10:15" * dates)
            + styled("p", box, text),
            "class=post",
        )
        for i, (box, text) in enumerate(zip(boxes, TEXTS, strict=True), 1)
    )
    return Page.from_html(f"<html lang=en>{styled('body', (0, 0, 1000, 2000), written)}")


def boxes_of(*lefts_and_widths: tuple[int, int]) -> list[Box]:
    return [(left, 100 * i, width, 80) for i, (left, width) in enumerate(lefts_and_widths)]


@pytest.mark.parametrize(
    ("sides", "share"),
    [
        ([(10, 500)] * 4, 1.0),
        ([(10, 500), (10, 300), (9, 200), (10, 90)], 1.0),
        ([(10, 200), (220, 200), (430, 200), (640, 200)], 1.0),
        ([(10, 500), (30, 480), (50, 460), (70, 440)], 1.0),
        ([(10, 500), (10, 400), (700, 90), (55, 20)], 0.5),
    ],
    ids=["equal", "left edges", "grid", "indented", "no order"],
)
def test_alignment(sides: list[tuple[int, int]], share: float) -> None:
    page = posts_page(boxes_of(*sides))
    posts = [i for i, n in enumerate(page.outline.nodes) if n.element.get("class") == "post"]
    assert measure_alignment([read_styles(page.outline)], [posts]) == share
    assert measure_alignment([None], [posts]) == 1.0


def test_an_element_with_a_visible_child_is_visible() -> None:
    """The box of an element whose children float has no height."""
    inner = styled("div", (0, 0, 100, 0), styled("p", (0, 0, 50, 20), "a"), "class=row")
    gone = styled("div", (0, 0, 0, 0), styled("p", (0, 0, 0, 0), "b"))
    page = Page.from_html(styled("body", (0, 0, 100, 100), inner + gone))
    visible = find_visible(page.outline)
    assert visible == [True, True, True, False, False]


def test_hidden_posts_are_not_read() -> None:
    boxes = boxes_of(*[(10, 500)] * 4)
    boxes[2] = (0, 0, 0, 0)
    page = posts_page(boxes)
    wrapper = learn_records([page])
    texts = [record.text for record in wrapper.apply(page)]
    assert texts == [TEXTS[0], TEXTS[1], TEXTS[3]]


def test_candidates_without_order_are_ranked_lower() -> None:
    """Of two candidates that are equal but for their boxes, the aligned one is first."""
    page = read_prose([posts_page(boxes_of((10, 500), (10, 400), (700, 90), (55, 20)))])
    aligned = read_prose([posts_page(boxes_of(*[(10, 500)] * 4))])
    scores = {}
    for name, pages in (("no order", page), ("aligned", aligned)):
        ranked = rank_groups(pages, measure_groups(pages))
        post = next(one for one in ranked if write_key(one.key) == "div[class~=post]")
        scores[name] = post.score
    assert scores["no order"] == pytest.approx(scores["aligned"] / 2)


def test_pages_that_were_not_rendered_are_as_before() -> None:
    page = Page.from_html("<div><p hidden>a</p><p>b")
    assert find_visible(page.outline) == [True] * len(page.outline.nodes)

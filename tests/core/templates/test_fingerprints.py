from __future__ import annotations

from hashlib import blake2b
from typing import Any

import pytest

from forest_scrapy.core import Page
from forest_scrapy.core.options import fingerprint_kind
from forest_scrapy.core.templates.fingerprints import (
    DISTANCES,
    path_set,
    read_features,
    typed_paths,
)

from ..helpers import distance_of, make_page, read_cases


def digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


@pytest.mark.parametrize("case", read_cases("templates/tag_paths", "distances"))
def test_distance_of_small_trees(case: dict[str, Any]) -> None:
    """Of the body, with shingles of 3."""
    kind = fingerprint_kind(case["kind"], "body", 3)
    a, b = (read_features(make_page(case[name]), kind) for name in "ab")
    assert distance_of(a, b) == pytest.approx(case["distance"], abs=1e-4)
    assert distance_of(b, a) == distance_of(a, b)


def test_digests_are_the_same_in_every_process() -> None:
    page = make_page("<div><p>x</p></div>")
    assert path_set(page) == {digest("html/body/div/p")}
    assert path_set(page, "body") == {digest("body/div/p")}


HEAD = "<title>t</title>"
#: Six and seven elements from the root to the paragraph.
NESTED = "<div><div><div><div>"


@pytest.mark.parametrize(
    ("distance", "html", "other_html", "of_document", "of_body"),
    [
        # Of three paths one is that of the script in the head.
        ("cp", f"{HEAD}<script></script><p>x</p>", f"{HEAD}<p>x</p>", 1 / 3, 0),
        # Of five paths two are common: the title and the paragraph; of the two of the body one.
        (
            "cp",
            f"{HEAD}<style></style><meta name=a><div>x</div><p>y</p>",
            f"{HEAD}<p>y</p><b>z</b>",
            3 / 5,
            1 / 2,
        ),
        ("cp", "<p>x</p><p hidden>y</p><div hidden>z</div>", "<p>x</p>", 1 / 2, 0),
        # Two and three runs of six of html, body, div and so on, and p; in the body one and two.
        ("cps", f"{NESTED}<p>x</p>", f"{NESTED}<div><p>x</p>", 2 / 3, 1),
        # Runs of six of html, head, title, body, div, p and p; in the body one run each.
        ("ctss", f"{HEAD}<div><p>x</p><p>y</p></div>", f"{HEAD}<div><p>x</p></div>", 1 / 2, 1),
    ],
)
def test_the_published_distances_by_hand(
    distance: str,
    html: str,
    other_html: str,
    of_document: float,
    of_body: float,
) -> None:
    """Gottron 2008, equations 1 to 3."""
    a, b = (Page.from_html(text) for text in (html, other_html))
    as_published = DISTANCES[distance]
    assert distance_of(as_published(a), as_published(b)) == pytest.approx(of_document)
    for scope, expected in (("document", of_document), ("body", of_body)):
        kind = fingerprint_kind(distance, scope, 6)
        features = (read_features(page, kind) for page in (a, b))
        assert distance_of(*features) == pytest.approx(expected)


def test_more_text_gives_no_more_typed_paths() -> None:
    short, long = (make_page("<div class=a>" + "<p>x</p>" * n) for n in (1, 500))
    assert typed_paths(short) == typed_paths(long)
    assert len(typed_paths(short)) == 3


@pytest.mark.parametrize("kind", DISTANCES)
def test_an_empty_page_has_a_fingerprint(kind: str) -> None:
    assert len(DISTANCES[kind](make_page(""))) == 1

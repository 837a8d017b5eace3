"""Paths of properties."""

from __future__ import annotations

import pytest

from forest_scrapy.core.graph.property_paths import Step, read_path


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("<urn:a>", (Step("urn:a", False),)),
        ("^<urn:a>/<urn:b/c>", (Step("urn:a", True), Step("urn:b/c", False))),
    ],
)
def test_steps_of_a_path(path: str, steps: tuple[Step, ...]) -> None:
    assert read_path(path) == steps

"""Paths of properties."""

from __future__ import annotations

import pytest

from forest_scrapy.core.graph.property_paths import PropertyStep, read_path


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("<urn:a>", (PropertyStep("urn:a", False),)),
        ("^<urn:a>/<urn:b/c>", (PropertyStep("urn:a", True), PropertyStep("urn:b/c", False))),
    ],
)
def test_steps_of_a_path(path: str, steps: tuple[PropertyStep, ...]) -> None:
    assert read_path(path) == steps

"""The map of the pages of a template."""

from __future__ import annotations

import random

import numpy as np
import pytest

from forest_scrapy.report.drawings import COLUMNS, ROWS, draw_map, scale_distances


def test_points_have_the_distances() -> None:
    chance = random.Random(1)
    points = np.array([[chance.random(), chance.random()] for _ in range(12)])
    given = np.linalg.norm(points[:, None] - points, axis=2)
    scaled = scale_distances(given.tolist())
    assert np.allclose(np.linalg.norm(scaled[:, None] - scaled, axis=2), given)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 40])
def test_each_page_has_its_own_cell(count: int) -> None:
    digests = [f"{number:02d}" for number in range(count)]
    drawn = draw_map(digests, [[float(a != b) for a in digests] for b in digests])
    cells = set(drawn.places.values())
    assert len(cells) == len(drawn.places) == min(count, COLUMNS * ROWS)
    assert drawn.left_out == count - len(cells)

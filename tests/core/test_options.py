from __future__ import annotations

from forest_scrapy.core.methods.forest import MEASURES
from forest_scrapy.core.options import DISTANCE_NAMES, MEASURE_NAMES
from forest_scrapy.core.templates.fingerprints import DISTANCES


def test_the_names_that_options_allow_are_those_that_exist() -> None:
    assert tuple(MEASURES) == MEASURE_NAMES
    assert tuple(DISTANCES) == DISTANCE_NAMES

from __future__ import annotations

from forest_scrapy.core.methods.forest import COVERAGES, MEASURES
from forest_scrapy.core.options import COVERAGE_NAMES, DISTANCE_NAMES, MEASURE_NAMES, Options
from forest_scrapy.core.templates.fingerprints import DISTANCES


def test_the_names_that_options_allow_are_those_that_exist() -> None:
    assert tuple(MEASURES) == MEASURE_NAMES
    assert tuple(COVERAGES) == COVERAGE_NAMES
    assert tuple(DISTANCES) == DISTANCE_NAMES


def test_fingerprints_of_different_kinds_have_different_names() -> None:
    """Stores tell them apart by it."""
    kinds = [
        Options(distance=distance, scope=scope, shingle=shingle).fingerprint_kind
        for distance in ("cps", "ctss")
        for scope in ("document", "body")
        for shingle in (3, 6)
    ]
    kinds += [
        Options(distance="cp", scope=scope).fingerprint_kind for scope in ("document", "body")
    ]
    kinds.append(Options().fingerprint_kind)
    assert len(set(kinds)) == len(kinds) == 11

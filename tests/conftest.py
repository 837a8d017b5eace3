"""Hypothesis settings: the same examples in every run, and no deadline."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("tests", max_examples=40, deadline=None, derandomize=True, database=None)
settings.load_profile("tests")

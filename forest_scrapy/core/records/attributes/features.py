"""Features of records (thesis, section 3.3): internal paths with their instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from forest_scrapy.core.records.attributes.attribute import Attribute
from forest_scrapy.core.records.attributes.cells import ValueCell

__all__ = ["Feature", "Instance"]


class Instance(NamedTuple):
    """A value: its page, the record on it, from 0, its place in the record, 0 to 1, and itself."""

    page: int
    record: int
    place: float
    cell: ValueCell


class Feature(NamedTuple):
    """An attribute with its instances and their texts."""

    attribute: Attribute
    instances: Sequence[Instance]
    texts: Sequence[str]

    @property
    def records(self) -> set[tuple[int, int]]:
        """The page and the number of each record that has it."""
        return {(one.page, one.record) for one in self.instances}

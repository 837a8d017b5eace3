"""The attributes of records: their values, types and labels."""

from forest_scrapy.core.records.attributes.attribute import (
    TYPES,
    Attribute,
    read_replies,
    read_values,
    read_values_of,
)
from forest_scrapy.core.records.attributes.cells import ValueCell, read_cells
from forest_scrapy.core.records.attributes.learn_attributes import learn_attributes

__all__ = [
    "TYPES",
    "Attribute",
    "ValueCell",
    "learn_attributes",
    "read_cells",
    "read_replies",
    "read_values",
    "read_values_of",
]

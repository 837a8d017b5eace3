"""Actions on graphs."""

from forest_scrapy.commands.graphs.align import Align

__all__ = ["Align"]

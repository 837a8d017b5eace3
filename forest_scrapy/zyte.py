"""Our article as ``zyte_common_items.Article``, whose names many Scrapy projects know.

The package is optional: ``pip install forest-scrapy[zyte]``.
"""

from __future__ import annotations

from typing import Any

from forest_scrapy.items import Article

__all__ = ["to_item", "to_zyte"]


def to_item(article: Article, kind: str) -> Any:
    """The article as ``FOREST_ITEM`` asks for it: ``article`` or ``zyte``."""
    return to_zyte(article) if kind == "zyte" else article


def to_zyte(article: Article) -> Any:
    """The same, in Zyte's words; raises ``ImportError`` without the package.  What these have no
    word for is in ``metadata``, under our names, so that nothing is lost."""
    raise NotImplementedError

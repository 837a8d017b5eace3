"""Conversion of our product to ``zyte_common_items.Product`` and back.

The package is optional: ``pip install forest-scrapy[zyte]``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from forest_scrapy.items import Product

__all__ = ["product_from_zyte", "product_to_zyte"]

#: Fields that have the same name and value in both.
_SAME = ("name", "price", "currency", "sku", "description", "availability")
#: Our fields that Zyte's product does not have: they are in its ``metadata``.
_REST = ("text", "language", "template_id", "sources")
#: The name in ``metadata`` of what Zyte's properties do not have of our attributes, in their order.
_TYPES = "attribute_types"


def product_to_zyte(product: Product) -> Any:
    """The product as a ``zyte_common_items.Product``; raises ``ImportError`` without the package.

    Fields that Zyte's product does not have are in ``metadata``, with our names.
    """
    import zyte_common_items as zyte

    images = [zyte.Image(url=url) for url in product.images]
    pairs = [
        zyte.AdditionalProperty(name=one["name"], value=one["value"]) for one in product.attributes
    ]
    rest = {name: getattr(product, name) or None for name in _REST}
    rest[_TYPES] = [
        {name: text for name, text in one.items() if name not in ("name", "value")}
        for one in product.attributes
    ] or None
    return _product_class()(
        url=product.url,
        **{name: getattr(product, name) or None for name in _SAME},
        brand=zyte.Brand(name=product.brand) if product.brand else None,
        images=images or None,
        mainImage=images[0] if images else None,
        additionalProperties=pairs or None,
        metadata=_metadata_class()(dateDownloaded=product.fetched_at or None, **rest),
    )


def product_from_zyte(item: Any) -> Product:
    """The product that ``product_to_zyte`` converted to ``item``; for any other
    ``zyte_common_items.Product``, a product with the fields that both have."""
    rest: dict[str, Any] = {name: getattr(item.metadata, name, None) for name in _REST}
    same: dict[str, Any] = {name: getattr(item, name) or "" for name in _SAME}
    pairs: list[Any] = list(item.additionalProperties or ())
    types: list[Any] = getattr(item.metadata, _TYPES, None) or []
    return Product(
        url=item.url,
        **same,
        brand=item.brand.name if item.brand else "",
        images=[image.url for image in item.images or ()],
        attributes=[
            {"name": one.name, "value": one.value, **(types[i] if i < len(types) else {})}
            for i, one in enumerate(pairs)
        ],
        fetched_at=getattr(item.metadata, "dateDownloaded", None) or "",
        **{name: value for name, value in rest.items() if value is not None},
    )


@cache
def _metadata_class() -> Any:
    """Zyte's metadata class with our fields added."""
    import attrs
    import zyte_common_items as zyte

    own: dict[str, Any] = {name: attrs.field(default=None) for name in (*_REST, _TYPES)}
    return attrs.make_class(
        "ForestProductMetadata", own, bases=(zyte.ProductMetadata,), kw_only=True, slots=True
    )


@cache
def _product_class() -> Any:
    """Zyte's product class with our metadata."""
    import attrs
    import zyte_common_items as zyte

    metadata = attrs.field(default=None, kw_only=True)
    return attrs.make_class(
        "ForestZyteProduct", {"metadata": metadata}, bases=(zyte.Product,), kw_only=True
    )

"""Conversion of our articles and products to those of ``zyte_common_items``, and back.

The package is optional: ``pip install forest-scrapy[zyte]``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from forest_scrapy.items import Article, Product

__all__ = ["from_zyte", "product_from_zyte", "product_to_zyte", "to_zyte"]

#: Fields that have the same value in both, with Zyte's name.
_SAME = {
    "title": "headline",
    "text": "articleBody",
    "html": "articleBodyHtml",
    "published": "datePublished",
    "published_raw": "datePublishedRaw",
    "modified": "dateModified",
    "modified_raw": "dateModifiedRaw",
    "language": "inLanguage",
    "summary": "description",
    "canonical_url": "canonicalUrl",
}
#: Lists of media, of which Zyte's article has the URLs only, with the class of their members.
_MEDIA = {"images": "Image", "videos": "Video", "audios": "Audio"}
#: Other lists: Zyte's name, the class of its members, and the attribute that has the value.
_LISTS = {
    "authors": ("authors", "Author", "name"),
    "breadcrumbs": ("breadcrumbs", "Breadcrumb", "name"),
}


def to_zyte(article: Article) -> Any:
    """The article as a ``zyte_common_items.Article``; raises ``ImportError`` without the package.

    Fields that Zyte's article does not have are in ``metadata``, with our names.
    """
    import zyte_common_items as zyte

    given: dict[str, Any] = {"url": article.url}
    given |= {theirs: getattr(article, ours) or None for ours, theirs in _SAME.items()}
    for ours, (theirs, kind, name) in _LISTS.items():
        members = [getattr(zyte, kind)(**{name: value}) for value in getattr(article, ours)]
        given[theirs] = members or None
    if article.main_image:
        given["mainImage"] = zyte.Image(url=article.main_image)
    for name, kind in _MEDIA.items():
        urls = [file["url"] for file in getattr(article, name)]
        given[name] = [getattr(zyte, kind)(url=url) for url in urls] or None
    names = _rest_names(type(article))
    rest = {name: getattr(article, name) for name in names}
    given["metadata"] = _metadata_class(names)(
        dateDownloaded=article.fetched_at or None,
        **{name: value for name, value in rest.items() if value not in ("", None, [], {})},
    )
    return _article_class()(**given)


def from_zyte(item: Any) -> Article:
    """The article that ``to_zyte`` converted to ``item``; for any other
    ``zyte_common_items.Article``, an article with the fields that both have."""
    found: dict[str, Any] = {"url": item.url}
    found |= {ours: getattr(item, theirs) or "" for ours, theirs in _SAME.items()}
    for ours, (theirs, _, name) in _LISTS.items():
        found[ours] = [getattr(member, name) for member in getattr(item, theirs) or ()]
    found["main_image"] = item.mainImage.url if item.mainImage else ""
    found["fetched_at"] = getattr(item.metadata, "dateDownloaded", None) or ""
    for name in _MEDIA:
        found[name] = [{"url": file.url} for file in getattr(item, name) or ()]
    rest = {name: getattr(item.metadata, name, None) for name in _rest_names(Article)}
    found |= {name: value for name, value in rest.items() if value is not None}
    return Article(**found)


def _rest_names(kind: type) -> tuple[str, ...]:
    """Our fields that Zyte's article does not have, or of which it has the URLs only."""
    known = {"url", "main_image", "fetched_at", *_SAME, *_LISTS}
    return tuple(part.name for part in fields(kind) if part.name not in known)


@cache
def _metadata_class(names: tuple[str, ...]) -> Any:
    """Zyte's metadata class with our fields added."""
    import attrs
    import zyte_common_items as zyte

    own: Mapping[str, Any] = {name: attrs.field(default=None) for name in names}
    return attrs.make_class(
        "ForestMetadata", dict(own), bases=(zyte.ArticleMetadata,), kw_only=True, slots=True
    )


@cache
def _article_class() -> Any:
    """Zyte's article class with our metadata."""
    import attrs
    import zyte_common_items as zyte

    metadata = attrs.field(default=None, kw_only=True)
    return attrs.make_class(
        "ForestZyteArticle", {"metadata": metadata}, bases=(zyte.Article,), kw_only=True
    )


#: Fields that have the same name and value in both.
_SAME_OF_PRODUCTS = ("name", "price", "currency", "sku", "description", "availability")
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
        **{name: getattr(product, name) or None for name in _SAME_OF_PRODUCTS},
        brand=zyte.Brand(name=product.brand) if product.brand else None,
        images=images or None,
        mainImage=images[0] if images else None,
        additionalProperties=pairs or None,
        metadata=_product_metadata_class()(dateDownloaded=product.fetched_at or None, **rest),
    )


def product_from_zyte(item: Any) -> Product:
    """The product that ``product_to_zyte`` converted to ``item``; for any other
    ``zyte_common_items.Product``, a product with the fields that both have."""
    rest: dict[str, Any] = {name: getattr(item.metadata, name, None) for name in _REST}
    same: dict[str, Any] = {name: getattr(item, name) or "" for name in _SAME_OF_PRODUCTS}
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
def _product_metadata_class() -> Any:
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

"""Conversion of our articles, products and pages to those of ``zyte_common_items``, and back.

The package is optional: ``pip install 'forest-scrapy[zyte]'``.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from forest_scrapy.items import Article, Product, WebPage

#: Fields of articles that have the same value in both, with Zyte's name.
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
#: Other lists, which have the same name in both: the class of their members, each with a ``name``.
_LISTS = {"authors": "Author", "breadcrumbs": "Breadcrumb"}
#: Fields of products that have the same name and value in both.
_SAME_OF_PRODUCTS = ("name", "price", "currency", "sku", "description", "availability")
#: Our fields that Zyte's product does not have.
_REST_OF_PRODUCTS = ("text", "language", "template_id", "sources", "extra")
#: Our fields that Zyte's page does not have.
_REST_OF_PAGES = (
    "kind", "html", "markdown", "language", "template_id", "confidence", "extra",
)  # fmt: skip


def to_zyte(article: Article) -> Any:
    """The article as a ``zyte_common_items.Article``; raises ``ImportError`` without the package.

    Fields that Zyte's article does not have are in ``metadata``, with our names.
    """
    import zyte_common_items as zyte

    values: dict[str, Any] = {theirs: getattr(article, ours) for ours, theirs in _SAME.items()}
    for name, kind in _LISTS.items():
        values[name] = [getattr(zyte, kind)(name=text) for text in getattr(article, name)]
    for name, kind in _MEDIA.items():
        values[name] = [getattr(zyte, kind)(url=file["url"]) for file in getattr(article, name)]
    if article.main_image:
        values["mainImage"] = zyte.Image(url=article.main_image)
    rest = {name: getattr(article, name) for name in _rest_names(type(article))}
    return _build("Article", article, values, rest)


def from_zyte(item: Any) -> Article:
    """The article that ``to_zyte`` converted to ``item``; for any other
    ``zyte_common_items.Article``, an article with the fields that both have."""
    values: dict[str, Any] = {ours: getattr(item, theirs) or "" for ours, theirs in _SAME.items()}
    for name in _LISTS:
        values[name] = [member.name for member in getattr(item, name) or ()]
    for name in _MEDIA:
        values[name] = [{"url": file.url} for file in getattr(item, name) or ()]
    values["main_image"] = item.mainImage.url if item.mainImage else ""
    values["fetched_at"] = getattr(item.metadata, "dateDownloaded", None) or ""
    rest = {name: getattr(item.metadata, name, None) for name in _rest_names(Article)}
    values |= {name: value for name, value in rest.items() if value is not None}
    return Article(url=item.url, **values)


def product_from_zyte(item: Any) -> Product:
    """The product that ``product_to_zyte`` converted to ``item``; for any other
    ``zyte_common_items.Product``, a product with the fields that both have."""
    values: dict[str, Any] = {name: getattr(item, name) or "" for name in _SAME_OF_PRODUCTS}
    types = dict(enumerate(getattr(item.metadata, "attribute_types", None) or ()))
    values["attributes"] = [
        {"type": "text", "unit": "", **types.get(i, {}), "name": one.name, "value": one.value}
        for i, one in enumerate(item.additionalProperties or ())
    ]
    values["images"] = [one.url for one in item.images or ()]
    values["brand"] = item.brand.name if item.brand else ""
    return Product(url=item.url, **values, **_from_metadata(item, _REST_OF_PRODUCTS))


def page_from_zyte(item: Any) -> WebPage:
    """The page that ``page_to_zyte`` converted to ``item``; for any other
    ``zyte_common_items.PageContent``, a page with the fields that both have."""
    rest = _from_metadata(item, _REST_OF_PAGES)
    return WebPage(item.url, item.headline or "", text=item.itemMain or "", **rest)


def _from_metadata(item: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Our fields with these names, and when the page was fetched."""
    kept = {name: getattr(item.metadata, name, None) for name in names}
    kept["fetched_at"] = getattr(item.metadata, "dateDownloaded", None)
    return {name: value for name, value in kept.items() if value is not None}


def as_ours(item: Any) -> Any:
    """The item, as one of ours if it is Zyte's article, product or page: the exporters that know
    the fields of items know our names."""
    for name, convert in _FROM_ZYTE.items():
        if hasattr(item, name) and hasattr(item, "metadata"):
            return convert(item)
    return item


#: What converts Zyte's items, by a field that only they have.
_FROM_ZYTE: dict[str, Callable[[Any], Any]] = {
    "articleBody": from_zyte,
    "additionalProperties": product_from_zyte,
    "itemMain": page_from_zyte,
}


def product_to_zyte(product: Product) -> Any:
    """The product as a ``zyte_common_items.Product``; raises ``ImportError`` without the package.

    Fields that Zyte's product does not have are in ``metadata``, with our names; there,
    ``attribute_types`` has what Zyte's properties do not have of our attributes, in their order.
    """
    import zyte_common_items as zyte

    images = [zyte.Image(url=url) for url in product.images]
    values: dict[str, Any] = {name: getattr(product, name) for name in _SAME_OF_PRODUCTS}
    values["brand"] = zyte.Brand(name=product.brand) if product.brand else None
    values["images"], values["mainImage"] = images, images[0] if images else None
    values["additionalProperties"] = [
        zyte.AdditionalProperty(name=one["name"], value=one["value"]) for one in product.attributes
    ]
    rest = {name: getattr(product, name) for name in _REST_OF_PRODUCTS}
    rest["attribute_types"] = [
        {name: text for name, text in one.items() if name not in ("name", "value")}
        for one in product.attributes
    ]
    return _build("Product", product, values, rest)


def page_to_zyte(page: WebPage) -> Any:
    """The page as a ``zyte_common_items.PageContent``; as it is if the package has no such class
    yet.  Raises ``ImportError`` without the package.

    Fields that Zyte's page does not have are in ``metadata``, with our names.
    """
    import zyte_common_items as zyte

    if not hasattr(zyte, "PageContent"):  # an early version
        return page
    values = {"headline": page.title, "itemMain": page.text}
    rest = {name: getattr(page, name) for name in _REST_OF_PAGES}
    return _build("PageContent", page, values, rest)


def _rest_names(kind: type) -> tuple[str, ...]:
    """Our fields that Zyte's article does not have, or of which it has the URLs only."""
    known = {"url", "main_image", "fetched_at", *_SAME, *_LISTS}
    return tuple(part.name for part in fields(kind) if part.name not in known)


def _build(
    kind: str, ours: Article | Product | WebPage, values: Mapping[str, Any], rest: Mapping[str, Any]
) -> Any:
    """Zyte's item of this kind with these values, and with the ``rest`` in its metadata."""
    item_class, metadata_class = _classes(kind, tuple(rest))
    metadata = metadata_class(dateDownloaded=ours.fetched_at or None, **_without_empty(rest))
    return item_class(url=ours.url, metadata=metadata, **_without_empty(values))


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in ("", None, [], {})}


@cache
def _classes(kind: str, rest: tuple[str, ...]) -> tuple[Any, Any]:
    """Zyte's class of this kind with our metadata, and the class of that: Zyte's with fields for
    the ``rest``."""
    import attrs
    import zyte_common_items as zyte

    metadata_fields: dict[str, Any] = {name: attrs.field(default=None) for name in rest}
    metadata_class = attrs.make_class(
        f"Forest{kind}Metadata",
        metadata_fields,
        bases=(getattr(zyte, f"{kind}Metadata"),),
        kw_only=True,
        slots=True,
    )
    metadata = attrs.field(default=None, kw_only=True)
    item_class = attrs.make_class(
        f"ForestZyte{kind}", {"metadata": metadata}, bases=(getattr(zyte, kind),), kw_only=True
    )
    return item_class, metadata_class


def convert_item(item: Any, kind: str) -> Any:
    """The item in the class that ``FOREST_ITEM`` names; items that Zyte has no class for, and those
    of the project, stay as they are."""
    if kind == "zyte" and isinstance(item, Article):
        return to_zyte(item)
    if kind == "zyte" and isinstance(item, WebPage):
        return page_to_zyte(item)
    return product_to_zyte(item) if kind == "zyte" and isinstance(item, Product) else item

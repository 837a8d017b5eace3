"""Conversion of our articles, products and pages to those of ``zyte_common_items``, and back.

The package is optional: ``pip install 'forest-scrapy[zyte]'``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from forest_scrapy.items import Article, Product, WebPage

#: A class of items, or of media, of ``zyte_common_items``.
_ZyteClass = Callable[..., Any]

#: Fields of articles that have the same value in both, with Zyte's name.
_ARTICLE_FIELDS = {
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
_PRODUCT_FIELDS = ("name", "price", "currency", "sku", "description", "availability")
#: Our fields that Zyte's product does not have; they are in its metadata.
_PRODUCT_METADATA = (
    "text",
    "published",
    "modified",
    "date_confidence",
    "language",
    "template_id",
    "sources",
    "confidence",
    "change",
    "extra",
)
#: Our fields that Zyte's page does not have; they are in its metadata.
_PAGE_METADATA = (
    "kind",
    "html",
    "markdown",
    "published",
    "modified",
    "date_confidence",
    "language",
    "template_id",
    "confidence",
    "change",
    "extra",
)


def to_zyte(article: Article) -> Any:
    """The article as a ``zyte_common_items.Article``; raises ``ImportError`` without the package.

    Fields that Zyte's article does not have are in ``metadata``, with our names.
    """
    import zyte_common_items as zyte

    values: dict[str, Any] = {}
    for name, zyte_name in _ARTICLE_FIELDS.items():
        values[zyte_name] = getattr(article, name)
    for name, class_name in _LISTS.items():
        member_class = getattr(zyte, class_name)
        texts = getattr(article, name)
        values[name] = [member_class(name=text) for text in texts]
    for name, class_name in _MEDIA.items():
        media_class = getattr(zyte, class_name)
        files = getattr(article, name)
        values[name] = [media_class(url=file["url"]) for file in files]
    if article.main_image:
        values["mainImage"] = zyte.Image(url=article.main_image)

    metadata_names = _article_metadata(type(article))
    metadata = _select(article, metadata_names)
    return _build("Article", article, values, metadata)


def _select(item: Any, names: Iterable[str]) -> dict[str, Any]:
    """The fields of an item with these names."""
    return {name: getattr(item, name) for name in names}


def from_zyte(item: Any) -> Article:
    """The article that ``to_zyte`` converted to ``item``; for any other
    ``zyte_common_items.Article``, an article with the fields that both have."""
    values: dict[str, Any] = {}
    for name, zyte_name in _ARTICLE_FIELDS.items():
        values[name] = getattr(item, zyte_name) or ""
    for name in _LISTS:
        members = getattr(item, name) or ()
        values[name] = [member.name for member in members]
    for name in _MEDIA:
        files = getattr(item, name) or ()
        values[name] = [{"url": file.url} for file in files]
    main_image = item.mainImage
    values["main_image"] = main_image.url if main_image else ""
    metadata = item.metadata
    values["fetched_at"] = getattr(metadata, "dateDownloaded", None) or ""
    for name in _article_metadata(Article):
        value = getattr(metadata, name, None)
        if value is not None:
            values[name] = value
    return Article(url=item.url, **values)


def product_from_zyte(item: Any) -> Product:
    """The product that ``product_to_zyte`` converted to ``item``; for any other
    ``zyte_common_items.Product``, a product with the fields that both have."""
    values: dict[str, Any] = {}
    for name in _PRODUCT_FIELDS:
        values[name] = getattr(item, name) or ""
    types = getattr(item.metadata, "attribute_types", None) or ()
    zyte_properties = item.additionalProperties or ()
    attributes = []
    for i, zyte_property in enumerate(zyte_properties):
        attribute = {"type": "text", "unit": ""}
        if i < len(types):
            attribute.update(types[i])
        attribute["name"] = zyte_property.name
        attribute["value"] = zyte_property.value
        if attribute["unit"]:
            attribute["value"] = zyte_property.value.removesuffix(f" {attribute['unit']}")
        attributes.append(attribute)
    values["attributes"] = attributes
    images = item.images or ()
    values["images"] = [image.url for image in images]
    brand = item.brand
    values["brand"] = brand.name if brand else ""
    values["regular_price"] = item.regularPrice or ""
    gtins = item.gtin or ()
    values["gtin"] = gtins[0].value if gtins else ""
    values |= _from_metadata(item, _PRODUCT_METADATA)
    return Product(url=item.url, **values)


def page_from_zyte(item: Any) -> WebPage:
    """The page that ``page_to_zyte`` converted to ``item``; for any other
    ``zyte_common_items.PageContent``, a page with the fields that both have."""
    return WebPage(
        url=item.url,
        title=item.headline or "",
        text=item.itemMain or "",
        **_from_metadata(item, _PAGE_METADATA),
    )


def _from_metadata(item: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Our fields with these names, and when the page was fetched."""
    values = {name: getattr(item.metadata, name, None) for name in names}
    values["fetched_at"] = getattr(item.metadata, "dateDownloaded", None)
    return {name: value for name, value in values.items() if value is not None}


def as_ours(item: Any) -> Any:
    """The item, as one of ours if it is Zyte's article, product or page: the exporters that know
    the fields of items know our names."""
    if not hasattr(item, "metadata"):
        return item
    for name, convert in _FROM_ZYTE.items():
        if hasattr(item, name):
            return convert(item)
    return item


#: The functions that convert Zyte's items, by a field that only these items have.
_FROM_ZYTE: dict[str, Callable[[Any], Any]] = {
    "articleBody": from_zyte,
    "additionalProperties": product_from_zyte,
    "itemMain": page_from_zyte,
}


def product_to_zyte(product: Product) -> Any:
    """The product as a ``zyte_common_items.Product``; raises ``ImportError`` without the package.

    Fields that Zyte's product does not have are in ``metadata``, with our names; there,
    ``attribute_types`` has what Zyte's properties do not have of our attributes, in their order.
    The value of a property has its unit behind it.
    """
    import zyte_common_items as zyte

    values = _select(product, _PRODUCT_FIELDS)
    values["regularPrice"] = product.regular_price
    if product.gtin:
        gtin = zyte.Gtin(type=_gtin_type(product.gtin), value=product.gtin)
        values["gtin"] = [gtin]
    if product.brand:
        values["brand"] = zyte.Brand(name=product.brand)
    images = [zyte.Image(url=url) for url in product.images]
    if images:
        values["images"] = images
        values["mainImage"] = images[0]

    zyte_properties = []
    attribute_types = []
    for attribute in product.attributes:
        attribute_type = dict(attribute)
        name = attribute_type.pop("name")
        value = attribute_type.pop("value")
        if attribute_type.get("unit"):
            value = f"{value} {attribute_type['unit']}"
        zyte_property = zyte.AdditionalProperty(name=name, value=value)
        zyte_properties.append(zyte_property)
        attribute_types.append(attribute_type)
    values["additionalProperties"] = zyte_properties

    metadata = _select(product, _PRODUCT_METADATA)
    metadata["confidence"] = product.confidence or None
    metadata["attribute_types"] = attribute_types
    return _build("Product", product, values, metadata)


#: The names of Zyte for numbers of products, by their length.
_GTIN_TYPES = {8: "gtin8", 12: "upc", 13: "gtin13", 14: "gtin14"}


def _gtin_type(gtin: str) -> str:
    is_book = gtin.startswith(("978", "979")) and len(gtin) == 13
    return "isbn13" if is_book else _GTIN_TYPES[len(gtin)]


def page_to_zyte(page: WebPage) -> Any:
    """The page as a ``zyte_common_items.PageContent``; as it is if the package has no such class
    yet.  Raises ``ImportError`` without the package.

    Fields that Zyte's page does not have are in ``metadata``, with our names.
    """
    import zyte_common_items as zyte

    if not hasattr(zyte, "PageContent"):  # an early version
        return page
    values = {"headline": page.title, "itemMain": page.text}
    metadata = _select(page, _PAGE_METADATA)
    return _build("PageContent", page, values, metadata)


def _article_metadata(item_class: type) -> tuple[str, ...]:
    """Our fields that Zyte's article does not have, or of which it has the URLs only."""
    zyte_fields = {"url", "main_image", "fetched_at", *_ARTICLE_FIELDS, *_LISTS}
    names = [item_field.name for item_field in fields(item_class)]
    return tuple(name for name in names if name not in zyte_fields)


def _build(
    kind: str,
    item: Article | Product | WebPage,
    values: Mapping[str, Any],
    metadata_values: Mapping[str, Any],
) -> Any:
    """Zyte's item of this kind with these values, and those of its metadata."""
    item_class, metadata_class = _classes(kind, tuple(metadata_values))
    metadata = metadata_class(
        dateDownloaded=item.fetched_at or None,
        **_without_empty(metadata_values),
    )
    return item_class(
        url=item.url,
        metadata=metadata,
        **_without_empty(values),
    )


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in ("", None, [], {})}


@cache
def _classes(kind: str, metadata_names: tuple[str, ...]) -> tuple[_ZyteClass, _ZyteClass]:
    """Zyte's class of this kind with our metadata, and the class of that: Zyte's with fields for
    our names."""
    import attrs
    import zyte_common_items as zyte

    zyte_class = getattr(zyte, kind)
    zyte_metadata_class = getattr(zyte, f"{kind}Metadata")
    metadata_fields: dict[str, Any] = {}
    for name in metadata_names:
        metadata_fields[name] = attrs.field(default=None)
    metadata_class = attrs.make_class(
        f"Forest{kind}Metadata",
        metadata_fields,
        bases=(zyte_metadata_class,),
        kw_only=True,
        slots=True,
    )
    item_class = attrs.make_class(
        f"ForestZyte{kind}",
        {"metadata": attrs.field(default=None, kw_only=True)},
        bases=(zyte_class,),
        kw_only=True,
    )
    return item_class, metadata_class


def convert_item(item: Any, item_class: str) -> Any:
    """The item in the class that ``FOREST_ITEM`` names; items that Zyte has no class for, and those
    of the project, stay as they are."""
    if item_class != "zyte":
        return item
    if isinstance(item, Article):
        return to_zyte(item)
    if isinstance(item, WebPage):
        return page_to_zyte(item)
    if isinstance(item, Product):
        return product_to_zyte(item)
    return item

"""Items as statements in the terms of schema.org, and of Dublin Core where that has none.

An item is an entity whose IRI is that of its page; its offers, comments and the like are parts of
it, and its authors are parts of its site, so that there are no blank nodes, and files with the same
item can be joined.  HTML,
and fields about the extraction, such as the method and the XPath, are left out.

Records of a form (Oita et al. 2012, section 3.5): each is an entity, all are of one class, and the
predicate of a value is its record internal path, named as the page names it.  Departures: the
values are typed, where their type is sure, and the roles title, author, date and url have terms
of schema.org and Dublin Core; attributes at the same path are distinguished by their number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.graph.entity import Entity, objects_of, texts_of, typed_value
from forest_scrapy.core.graph.iris import (
    entity_iri,
    home_iri,
    local_name,
    page_iri,
    part_iri,
    web_iri,
)
from forest_scrapy.core.graph.literals import (
    date_literal,
    plain_literal,
    text_literal,
)
from forest_scrapy.core.graph.triples import Literal, Triple
from forest_scrapy.core.graph.vocabulary import CLASS, LABEL, SCHEMA, TERMS, TYPE

Item = Mapping[str, Any]
_AVAILABILITY = re.compile("[A-Z][A-Za-z]+")
#: Types of values that tell where a record was found, not what it is.
_PLACE_TYPES = ("position",)
#: Fields of every item, which are no values of a record.
_ITEM_FIELDS = ("type", "url")
#: Fields of media, with their terms and classes of schema.org.
_MEDIA = (
    ("images", "image", "ImageObject"),
    ("videos", "video", "VideoObject"),
    ("audios", "audio", "AudioObject"),
)


def item_triples(item: Item) -> list[Triple]:
    """The statements of an item, given as its fields; each once, in the order of the fields.

    ``type`` tells its kind: one of ``ITEM_KINDS``, or ``record``.  The fields of other items are
    taken as the values of a record.  Values that have another type than they should are left out.
    """
    url = item.get("url")
    seed = ""
    if not url:
        fields = sorted(item.items(), key=lambda field: str(field[0]))
        seed = repr(fields)
    iri = entity_iri(url, seed)
    entity = Entity(iri)

    kind = str(item.get("type"))
    state_item = _WRITERS.get(kind, _state_project_item)
    state_item(entity, item)
    distinct_triples = dict.fromkeys(entity.triples)
    return list(distinct_triples)


def record_class(base: str) -> str:
    """The class of the records that are found on a page."""
    return part_iri(base, "Record")


def _state_article(entity: Entity, item: Item) -> None:
    is_gone = not item.get("title") and not item.get("text")
    if is_gone:
        return
    language = item.get("language")
    _state_work(entity, item, "Article", "headline", "articleBody")
    entity.date("datePublished", item.get("published"))
    entity.date("dateModified", item.get("modified"))
    site_name = item.get("site_name")
    for name in texts_of(item.get("authors")):
        _has_author(entity, name, item.get("url"), site_name)
    entity.text("description", item.get("summary"), language)
    for tag in texts_of(item.get("tags")):
        entity.text("keywords", tag)
    for category in texts_of(item.get("categories")):
        entity.text("articleSection", category)

    other_urls = texts_of(item.get("other_urls"))
    for url in [item.get("canonical_url"), *other_urls]:
        iri = web_iri(url)
        if iri != entity.iri:
            entity.schema("sameAs", iri)

    _has_site(entity, item)
    main_image = web_iri(item.get("main_image"))
    entity.schema("image", main_image)
    for field, term, kind in _MEDIA:
        media_files = objects_of(item.get(field))
        for media in media_files:
            _has_media(entity, media, term, kind)

    entity.number("commentCount", item.get("comments_count"))
    is_free = item.get("is_free")
    if isinstance(is_free, bool):
        entity.schema("isAccessibleForFree", plain_literal(is_free))
    comments_page = web_iri(item.get("comments_url"))
    entity.schema("discussionUrl", comments_page)
    _has_comments(entity, item.get("comments"), item.get("url"), language)

    links = _iris_of(item.get("links"))
    entity.state(f"{TERMS}references", *links)
    related = _iris_of(item.get("related"))
    entity.state(f"{TERMS}relation", *related)


def _state_work(
    entity: Entity,
    item: Item,
    kind: str,
    title_term: str,
    text_term: str = "",
) -> None:
    """What all creative works have: pages and what is written on them."""
    language = item.get("language")
    _state_thing(entity, item, kind)
    entity.text(title_term, item.get("title"), language)
    if text_term:
        entity.text(text_term, item.get("text"), language)
    entity.text("inLanguage", language)
    entity.date("sdDatePublished", item.get("fetched_at"))


def _state_thing(
    entity: Entity,
    item: Item,
    kind: str,
) -> None:
    """What all items have."""
    url = item.get("url")
    entity.is_a(kind)
    address = web_iri(url) or text_literal(url)
    entity.schema("url", address)
    home = home_iri(url) or entity.iri
    entity.has_extra(home, item.get("extra"))


def _has_author(
    entity: Entity,
    name: object,
    url: object,
    site_name: object = None,
) -> None:
    """The author, one entity for each name on a site: the site itself, if it has that name, else a
    person."""
    name_literal = text_literal(name)
    if name_literal is None:
        return
    folded_name = str(name).casefold().strip()
    is_site = folded_name == str(site_name).casefold().strip()
    home = home_iri(url) or entity.iri
    author = entity.entity(part_iri(home, f"author-{local_name(str(name))}"))
    entity.schema("author", author.iri)
    author.is_a("Organization" if is_site else "Person")
    author.schema("name", name_literal)


def _has_site(entity: Entity, item: Item) -> None:
    home = home_iri(item.get("url"))
    name = text_literal(item.get("site_name"))
    if not home or name is None:
        return
    site = entity.entity(home)
    entity.schema("isPartOf", home)
    site.is_a("WebSite")
    site.schema("name", name)


def _has_media(
    entity: Entity,
    media: Mapping[str, Any],
    term: str,
    kind: str,
) -> None:
    iri = web_iri(media.get("url"))
    if not iri:
        return
    media_entity = entity.entity(iri)
    entity.schema(term, iri)
    media_entity.is_a(kind)
    media_entity.text("caption", media.get("caption"))


def _iris_of(links: object) -> list[str]:
    return [web_iri(link.get("url")) for link in objects_of(links)]


def _has_comments(
    entity: Entity,
    posts: object,
    page_url: object,
    language: object,
) -> None:
    """The comments of a page, each with what it replies to: another one, or the page."""
    rows = objects_of(posts)
    iri_at_place = {}
    for row in rows:
        place = _place(row)
        iri_at_place[place] = part_iri(entity.iri, f"comment-{place}")

    for row in rows:
        place = _place(row)
        comment = entity.part(f"comment-{place}", "Comment")
        entity.schema("comment", comment.iri)
        parent_place = _place(row, "reply_to")
        parent = iri_at_place.get(parent_place, entity.iri)
        comment.schema("parentItem", parent)
        _state_post(comment, row, page_url, language)


def _place(row: Mapping[str, Any], field: str = "position") -> int:
    """A position, from 1; 0 if there is none."""
    position = row.get(field)
    if isinstance(position, int):
        return position
    return 0


def _state_post(
    entity: Entity,
    post: Mapping[str, Any],
    page_url: object,
    language: object,
) -> None:
    base = home_iri(page_url)
    entity.number("position", post.get("position"))
    _has_author(entity, post.get("author"), page_url)
    entity.date("datePublished", post.get("date"))
    entity.text("text", post.get("text"), language)
    attributes = objects_of(post.get("attributes"))
    own_attributes = [row for row in attributes if not _is_of_others(row, page_url)]
    entity.has_values(base or entity.iri, own_attributes)


def _is_of_others(attribute: Mapping[str, Any], page_url: object) -> bool:
    """Whether an attribute of a post has the role of its address, and leads to another page: that
    of its author, which is the first link of most posts."""
    if attribute.get("name") != "url":
        return False
    return page_iri(attribute.get("value")) != page_iri(page_url)


def _state_thread(entity: Entity, item: Item) -> None:
    """The first post is the thread's own, and the others are comments, as schema.org has it."""
    url = item.get("url")
    language = item.get("language")
    _state_work(entity, item, "DiscussionForumPosting", "headline")

    posts = objects_of(item.get("posts"))
    first_post = next((post for post in posts if post.get("position") == 1), None)
    if first_post is not None:
        _state_post(entity, first_post, url, language)
    comments = [post for post in posts if post != first_post]
    entity.number("commentCount", len(comments))
    _has_comments(entity, comments, url, language)


def _state_product(entity: Entity, item: Item) -> None:
    language = item.get("language")
    _state_thing(entity, item, "Product")
    entity.text("name", item.get("name"), language)
    description = item.get("description") or item.get("text")
    entity.text("description", description, language)
    entity.text("sku", item.get("sku"))
    entity.text("gtin", item.get("gtin"))
    for url in texts_of(item.get("images")):
        entity.schema("image", web_iri(url))

    brand_name = text_literal(item.get("brand"))
    if brand_name is not None:
        brand = entity.part("brand", "Brand")
        entity.schema("brand", brand.iri)
        brand.schema("name", brand_name)
    _has_offer(entity, item)

    attributes = objects_of(item.get("attributes"))
    for number, attribute in enumerate(attributes, 1):
        name = text_literal(attribute.get("name"))
        if name is None:
            continue
        row = entity.part(f"property-{number}", "PropertyValue")
        entity.schema("additionalProperty", row.iri)
        row.schema("name", name)
        row.schema("value", typed_value(attribute))
        row.text("unitText", attribute.get("unit"))


def _has_offer(entity: Entity, item: Item) -> None:
    availability = item.get("availability")
    is_term = isinstance(availability, str) and _AVAILABILITY.fullmatch(availability)
    if not is_term:
        availability = ""
    price = item.get("price")
    if not price and not availability:
        return

    offer = entity.part("offer", "Offer")
    entity.schema("offers", offer.iri)
    offer.number("price", price)
    offer.text("priceCurrency", item.get("currency"))
    if availability:
        offer.schema("availability", f"{SCHEMA}{availability}")


def _state_listing(entity: Entity, item: Item) -> None:
    """What the list leads to are entities with the IRIs of their pages."""
    base = home_iri(item.get("url")) or entity.iri
    language = item.get("language")
    rows = objects_of(item.get("items"))
    _state_thing(entity, item, "ItemList")
    entity.text("name", item.get("title"), language)
    entity.number("numberOfItems", len(rows))
    for row in rows:
        place = _place(row)
        element = entity.part(f"item-{place}", "ListItem")
        entity.schema("itemListElement", element.iri)
        element.number("position", row.get("position"))

        page = web_iri(row.get("url"))
        iri = page or part_iri(entity.iri, f"thing-{place}")
        thing = entity.entity(iri)
        element.schema("item", thing.iri)
        thing.schema("url", page)
        thing.text("name", row.get("title"), language)
        thing.text("description", row.get("text"), language)
        image = web_iri(row.get("image"))
        thing.schema("image", image)
        date = date_literal(row.get("date"))
        thing.state(f"{TERMS}date", date)
        _has_offer(thing, row)
        thing.has_values(base, row.get("attributes"))


def _state_web_page(entity: Entity, item: Item) -> None:
    _state_work(entity, item, "WebPage", "name", "text")


def _state_record(entity: Entity, item: Item) -> None:
    """A record behind a form.  Its IRI is made of its values, so that it is the same in all
    answers."""
    found_on = item.get("found_on")
    url = item.get("form") or found_on or item.get("url")
    base = page_iri(url) or entity.iri
    values = []
    for value in objects_of(item.get("values")):
        if value.get("type") not in _PLACE_TYPES:
            values.append(value)
    digest = _digest(values, item.get("text"))
    record_iri = part_iri(base, f"record-{digest}")
    record = entity.entity(record_iri)
    record.state(TYPE, record_class(base))
    page = web_iri(item.get("url"))
    if page != web_iri(found_on):
        record.schema("url", page)
    record.has_values(base, number_names(values))
    if not values:
        record.text("text", item.get("text"))

    class_ = entity.entity(record_class(base))
    class_.state(TYPE, CLASS)
    class_.state(LABEL, Literal("Record"))


def number_names(values: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The values of a record, of which a further one with the same name has its number, from 2:
    cells at the same path are different attributes.

    >>> number_names([{"name": "td"}, {"name": "td"}])
    [{'name': 'td'}, {'name': 'td 2'}]
    """
    counts = Counter[str]()
    numbered = []
    for value in values:
        name = str(value.get("name"))
        counts[name] += 1
        number = counts[name]
        if number > 1:
            value = {**value, "name": f"{name} {number}"}
        numbered.append(value)
    return numbered


def _digest(values: list[Mapping[str, Any]], text: object) -> str:
    """The digest of the values, or of the text of a record without values."""
    lines = []
    for value in values:
        name = value.get("name")
        text_of_value = value.get("value")
        lines.append(f"{name}={text_of_value}")
    lines.sort()
    if not lines:
        lines.append(str(text))
    return hex_digest("\n".join(lines))


def _state_project_item(entity: Entity, item: Item) -> None:
    """An item of the project's own kind; without a page there is no site whose properties its
    fields could be."""
    home = home_iri(item.get("url"))
    if not home:
        return
    fields = {name: value for name, value in item.items() if name not in _ITEM_FIELDS}
    entity.schema("url", entity.iri)
    entity.has_extra(home, fields)


_WRITERS: dict[str, Callable[[Entity, Item], None]] = {
    "article": _state_article,
    "thread": _state_thread,
    "product": _state_product,
    "listing": _state_listing,
    "page": _state_web_page,
    "record": _state_record,
}

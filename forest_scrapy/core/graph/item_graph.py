"""Items as statements in the terms of schema.org, and of Dublin Core where that has none.

An item is an entity whose IRI is that of its page; its authors, offers, comments and the like are
parts of it, so that there are no blank nodes, and files with the same item can be joined.  What is
about the extraction, such as the method and the XPath, and HTML are left out.

Records of a form (Oita et al. 2012, section 3.5): each is an entity, all are of one class, and the
predicate of a value is its record internal path, named as the page names it.  Departures: the
values are typed, as far as their type is sure, and the roles title, author, date and url have terms
of schema.org and Dublin Core; attributes at the same path are told apart by their number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.graph.entity import Entity, objects_of, texts_of, typed_value
from forest_scrapy.core.graph.iris import entity_iri, home_iri, page_iri, part_iri, web_iri
from forest_scrapy.core.graph.literals import (
    date_literal,
    number_literal,
    plain_literal,
    text_literal,
)
from forest_scrapy.core.graph.triples import Literal, Triple
from forest_scrapy.core.graph.vocabulary import CLASS, LABEL, SCHEMA, TERMS, TYPE

Item = Mapping[str, Any]
_AVAILABILITY = re.compile("[A-Z][A-Za-z]+")
#: What tells where a record was found, not what it is.
_PLACE_TYPES = ("position",)
_OWN = ("type", "url")


def item_triples(item: Item) -> list[Triple]:
    """The statements of an item, given as its fields; each once, in the order of the fields.

    ``type`` tells its kind: one of ``ITEM_KINDS``, or ``record``.  The fields of other items are
    taken as the values of a record.  Values that have another type than they should are left out.
    """
    seed = "" if item.get("url") else repr(sorted(item.items(), key=lambda one: str(one[0])))
    entity = Entity(entity_iri(item.get("url"), seed))
    _WRITERS.get(str(item.get("type")), _other)(entity, item)
    return list(dict.fromkeys(entity.triples))


def record_class(base: str) -> str:
    """The class of the records that are found on a page."""
    return part_iri(base, "Record")


def _article(entity: Entity, item: Item) -> None:
    if not any(item.get(name) for name in ("title", "text")):
        return  # it is gone
    language = item.get("language")
    _work(entity, item, "Article", "headline", "articleBody")
    entity.schema("datePublished", date_literal(item.get("published")))
    entity.schema("dateModified", date_literal(item.get("modified")))
    for number, name in enumerate(texts_of(item.get("authors")), 1):
        _has_author(entity, name, number)
    entity.schema("description", text_literal(item.get("summary"), language))
    entity.schema("keywords", *map(text_literal, texts_of(item.get("tags"))))
    entity.schema("articleSection", *map(text_literal, texts_of(item.get("categories"))))
    other_urls = [item.get("canonical_url"), *texts_of(item.get("other_urls"))]
    entity.schema("sameAs", *(one for one in map(web_iri, other_urls) if one != entity.iri))
    _has_site(entity, item)
    entity.schema("image", web_iri(item.get("main_image")))
    for name, term, kind in _MEDIA:
        for one in objects_of(item.get(name)):
            _has_media(entity, one, term, kind)
    entity.schema("commentCount", number_literal(item.get("comments_count")))
    if isinstance(is_free := item.get("is_free"), bool):
        entity.schema("isAccessibleForFree", plain_literal(is_free))
    entity.schema("discussionUrl", web_iri(item.get("comments_url")))
    _has_posts(entity, item.get("comments"), home_iri(item.get("url")), language)
    entity.say(f"{TERMS}references", *_urls_of(item.get("links")))
    entity.say(f"{TERMS}relation", *_urls_of(item.get("related")))


_MEDIA = (
    ("images", "image", "ImageObject"),
    ("videos", "video", "VideoObject"),
    ("audios", "audio", "AudioObject"),
)


def _work(entity: Entity, item: Item, kind: str, title: str, text: str = "") -> None:
    """What all creative works have: pages and what is written on them."""
    language = item.get("language")
    _thing(entity, item, kind)
    entity.schema(title, text_literal(item.get("title"), language))
    if text:
        entity.schema(text, text_literal(item.get("text"), language))
    entity.schema("inLanguage", text_literal(language))
    entity.schema("sdDatePublished", date_literal(item.get("fetched_at")))


def _thing(entity: Entity, item: Item, kind: str) -> None:
    """What all items have."""
    entity.is_a(kind)
    entity.schema("url", web_iri(item.get("url")) or text_literal(item.get("url")))
    entity.has_extra(home_iri(item.get("url")) or entity.iri, item.get("extra"))


def _has_author(entity: Entity, name: object, number: int = 1) -> None:
    """The author, whose class is not known: a person, or an organization."""
    if shown := text_literal(name):
        author = entity.part(f"author-{number}")
        entity.schema("author", author.iri)
        author.schema("name", shown)


def _has_site(entity: Entity, item: Item) -> None:
    home, name = home_iri(item.get("url")), text_literal(item.get("site_name"))
    if home and name:
        entity.schema("isPartOf", home)
        site = entity.other(home)
        site.is_a("WebSite")
        site.schema("name", name)


def _has_media(entity: Entity, one: Mapping[str, Any], term: str, kind: str) -> None:
    if iri := web_iri(one.get("url")):
        entity.schema(term, iri)
        media = entity.other(iri)
        media.is_a(kind)
        media.schema("caption", text_literal(one.get("caption")))


def _urls_of(values: object) -> list[str]:
    return [web_iri(one.get("url")) for one in objects_of(values)]


def _has_posts(entity: Entity, posts: object, base: str, language: object) -> None:
    """The comments of a page, each with what it replies to: another one, or the page."""
    rows = objects_of(posts)
    iris = {_place(one): part_iri(entity.iri, f"comment-{_place(one)}") for one in rows}
    for one in rows:
        post = entity.part(f"comment-{_place(one)}", "Comment")
        entity.schema("comment", post.iri)
        post.schema("parentItem", iris.get(_place(one, "reply_to"), entity.iri))
        _post(post, one, base, language)


def _place(one: Mapping[str, Any], name: str = "position") -> int:
    """A position, from 1; 0 if there is none."""
    position = one.get(name)
    return position if isinstance(position, int) else 0


def _post(post: Entity, one: Mapping[str, Any], base: str, language: object) -> None:
    post.schema("position", number_literal(one.get("position")))
    _has_author(post, one.get("author"))
    post.schema("datePublished", date_literal(one.get("date")))
    post.schema("text", text_literal(one.get("text"), language))
    post.has_values(base or post.iri, one.get("attributes"))


def _thread(entity: Entity, item: Item) -> None:
    """The first post is the thread's own, and the others are comments, as schema.org has it."""
    base, language = home_iri(item.get("url")), item.get("language")
    _work(entity, item, "DiscussionForumPosting", "headline")
    posts = objects_of(item.get("posts"))
    first = [one for one in posts if one.get("position") == 1]
    for one in first[:1]:
        _post(entity, one, base, language)
    others = [one for one in posts if one not in first[:1]]
    entity.schema("commentCount", number_literal(len(others)))
    _has_posts(entity, others, base, language)


def _product(entity: Entity, item: Item) -> None:
    language = item.get("language")
    _thing(entity, item, "Product")
    entity.schema("name", text_literal(item.get("name"), language))
    entity.schema(
        "description", text_literal(item.get("description") or item.get("text"), language)
    )
    entity.schema("sku", text_literal(item.get("sku")))
    entity.schema("image", *map(web_iri, texts_of(item.get("images"))))
    if name := text_literal(item.get("brand")):
        brand = entity.part("brand", "Brand")
        entity.schema("brand", brand.iri)
        brand.schema("name", name)
    _has_offer(entity, item)
    for number, one in enumerate(objects_of(item.get("attributes")), 1):
        if name := text_literal(one.get("name")):
            row = entity.part(f"property-{number}", "PropertyValue")
            entity.schema("additionalProperty", row.iri)
            row.schema("name", name)
            row.schema("value", typed_value(one))
            row.schema("unitText", text_literal(one.get("unit")))


def _has_offer(entity: Entity, item: Item) -> None:
    availability = item.get("availability")
    is_known = isinstance(availability, str) and _AVAILABILITY.fullmatch(availability)
    if item.get("price") or is_known:
        offer = entity.part("offer", "Offer")
        entity.schema("offers", offer.iri)
        offer.schema("price", number_literal(item.get("price")))
        offer.schema("priceCurrency", text_literal(item.get("currency")))
        offer.schema("availability", f"{SCHEMA}{availability}" if is_known else None)


def _listing(entity: Entity, item: Item) -> None:
    """What the list leads to are entities with the IRIs of their pages."""
    base = home_iri(item.get("url")) or entity.iri
    _thing(entity, item, "ItemList")
    entity.schema("name", text_literal(item.get("title"), item.get("language")))
    rows = objects_of(item.get("items"))
    entity.schema("numberOfItems", number_literal(len(rows)))
    for row in rows:
        element = entity.part(f"item-{_place(row)}", "ListItem")
        entity.schema("itemListElement", element.iri)
        element.schema("position", number_literal(row.get("position")))
        thing = entity.other(
            web_iri(row.get("url")) or part_iri(entity.iri, f"thing-{_place(row)}")
        )
        element.schema("item", thing.iri)
        thing.schema("url", web_iri(row.get("url")))
        thing.schema("name", text_literal(row.get("title"), item.get("language")))
        thing.schema("description", text_literal(row.get("text"), item.get("language")))
        thing.schema("image", web_iri(row.get("image")))
        thing.say(f"{TERMS}date", date_literal(row.get("date")))
        _has_offer(thing, row)
        thing.has_values(base, row.get("attributes"))


def _web_page(entity: Entity, item: Item) -> None:
    _work(entity, item, "WebPage", "name", "text")


def _record(entity: Entity, item: Item) -> None:
    """A record behind a form.  Its IRI is made of its values, so that it is the same in all
    answers."""
    base = page_iri(item.get("form") or item.get("found_on") or item.get("url")) or entity.iri
    values = [one for one in objects_of(item.get("values")) if one.get("type") not in _PLACE_TYPES]
    record = entity.other(part_iri(base, f"record-{_digest(values, item.get('text'))}"))
    record.say(TYPE, record_class(base))
    own = web_iri(item.get("url"))
    record.schema("url", own if own != web_iri(item.get("found_on")) else None)
    record.has_values(base, number_names(values))
    if not values:
        record.schema("text", text_literal(item.get("text")))
    kind = entity.other(record_class(base))
    kind.say(TYPE, CLASS)
    kind.say(LABEL, Literal("Record"))


def number_names(values: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The values of a record, of which a further one with the same name has its number, from 2:
    cells at the same path are other attributes.

    >>> number_names([{"name": "td"}, {"name": "td"}])
    [{'name': 'td'}, {'name': 'td 2'}]
    """
    counts = Counter[str]()
    numbered = []
    for one in values:
        name = str(one.get("name"))
        counts[name] += 1
        numbered.append({**one, "name": f"{name} {counts[name]}"} if counts[name] > 1 else one)
    return numbered


def _digest(values: list[Mapping[str, Any]], text: object) -> str:
    own = sorted(f"{one.get('name')}={one.get('value')}" for one in values) or [str(text)]
    return hex_digest("\n".join(own))


def _other(entity: Entity, item: Item) -> None:
    """An item of the project; one without a page has no site whose properties its fields are."""
    if home := home_iri(item.get("url")):
        entity.schema("url", entity.iri)
        entity.has_extra(home, {name: one for name, one in item.items() if name not in _OWN})


_WRITERS: dict[str, Callable[[Entity, Item], None]] = {
    "article": _article,
    "thread": _thread,
    "product": _product,
    "listing": _listing,
    "page": _web_page,
    "record": _record,
}

"""The attributes that are the author, the date, the title and the price of records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.records.attributes.attribute import ROLES, Attribute
from forest_scrapy.core.records.attributes.features import Feature
from forest_scrapy.core.records.attributes.types import is_called_author, may_be_names
from forest_scrapy.core.records.regions.persons import is_person_url

__all__ = ["name_roles"]

# These constants were set by hand while looking at harvest-forum and wcxb-dev-forum.
#: What it is worth, in shares of records, that the page calls an attribute by its role, that the
#: name of an author links to a user's page, that nothing but its place tells it, and that its
#: element is named after the rank of users.
_CALLED, _LINKED, _PLAIN, _RANK = 0.5, 0.5, -0.3, -1.0
#: The share of links that must lead to users, of records that must have a name that nothing but its
#: place tells, and of records that may have two authors.
_MOST, _PLAIN_SHARE, _BOTH = 0.7, 0.9, 0.1
#: The roles of which each record may have one of several attributes.
_FILLED = frozenset(("author", "date"))
_RANKS = re.compile(
    r"title|rank|status|badge|level|join|count|location|stats|user-?role", re.IGNORECASE
)

#: The URLs that features link to, by their path.
_Links = Mapping[str, Sequence[str]]


def name_roles(features: Sequence[Feature]) -> list[Attribute]:
    """The attributes, in the order of the features; the best author, date, title and price are
    named after their type.  So are authors and dates of records without the best one, such as
    those of moderators.  ``features``: in the order of the page."""
    links = {f.attribute.path: f.texts for f in features if f.attribute.type == "url"}
    features = _find_authors(features, links)
    names: dict[int, str] = {}
    for role in ROLES:
        own = [i for i, one in enumerate(features) if one.attribute.type == role]
        order = {i: _role_order(features[i], links) for i in own}
        own.sort(key=lambda i: (order[i], i))
        names |= dict.fromkeys(_fill(features, own, links) if role in _FILLED else own[:1], role)
        if role == "title" and own:
            link = _link_of(features[own[0]].attribute.path)
            names |= {i: "url" for i, f in enumerate(features) if f.attribute.path == link}
    attributes = [one.attribute for one in features]
    return [replace(one, name=names.get(i, one.name)) for i, one in enumerate(attributes)]


def _find_authors(features: Sequence[Feature], links: _Links) -> list[Feature]:
    """The features; those that are names have the type of authors if they link to users, and in
    records with dates the first one that all records have once."""
    has_dates = any(one.attribute.type == "date" for one in features)
    found, is_searched = [], has_dates
    for one in features:
        is_name = one.attribute.type in ("text", "title") and may_be_names(one.texts)
        is_plain = is_searched and is_name and _is_plain(one)
        is_searched = is_searched and not is_plain
        if is_name and (is_plain or _links_to_users(one, links)):
            one = one._replace(attribute=replace(one.attribute, type="author"))
        found.append(one)
    return found


def _is_plain(one: Feature) -> bool:
    """Whether nearly all records have it once, and its element has no other meaning."""
    attribute = one.attribute
    return (
        attribute.type == "text"
        and attribute.share >= _PLAIN_SHARE
        and len(one.instances) == len(one.records)
        and not attribute.label
        and not _is_rank(attribute.path)
    )


def _fill(features: Sequence[Feature], ranked: Sequence[int], links: _Links) -> list[int]:
    """The best feature, and the further ones of other records that the page tells."""
    chosen: list[int] = []
    known: set[tuple[int, int]] = set()
    for i in ranked:
        records, attribute = features[i].records, features[i].attribute
        is_told = _is_called(attribute) or _is_linked_author(features[i], links)
        if not chosen or (is_told and len(records & known) <= _BOTH * len(records)):
            chosen.append(i)
            known |= records
    return chosen


def _is_called(one: Attribute) -> bool:
    """Whether the page tells that an attribute has its role."""
    if one.type == "author":
        return is_called_author(one.path) and not _is_rank(one.path)
    return "itemprop" in one.path or "@datetime" in one.path


def _is_rank(path: str) -> bool:
    return _RANKS.search(" ".join(path.split(" ")[-2:])) is not None


def _is_linked_author(one: Feature, links: _Links) -> bool:
    return one.attribute.type == "author" and _links_to_users(one, links)


def _links_to_users(one: Feature, links: _Links) -> bool:
    urls = links.get(_link_of(one.attribute.path), ())
    return bool(urls) and fmean(map(is_person_url, urls)) >= _MOST


def _link_of(path: str) -> str:
    """The path of the URL that an element links to; empty if it links none."""
    steps = path.split(" ")
    last = max((i for i, s in enumerate(steps) if s.partition("[")[0] == "a"), default=-1)
    return " ".join((*steps[: last + 1], "@href")) if last >= 0 else ""


def _role_order(one: Feature, links: _Links) -> tuple[float, float]:
    """Smaller is better: in most records, called so by the page, with few values in a record."""
    worth = one.attribute.share + _CALLED * _is_called(one.attribute)
    if one.attribute.type == "author":
        is_linked = _links_to_users(one, links)
        worth += _RANK * _is_rank(one.attribute.path) + _LINKED * is_linked
        worth += 0 if is_linked or _is_called(one.attribute) else _PLAIN
    if one.attribute.type == "date":
        worth += _order_share(one.texts)
    return (-round(worth, 1), round(len(one.instances) / len(one.records), 1))


def _order_share(dates: Sequence[str]) -> float:
    """The share of successive dates in the more common order: posts are sorted by their date,
    those who wrote them are not."""
    read = [date for text in dates if (date := read_date(text))]
    later = [a <= b for a, b in pairwise(read) if a != b]
    return max(fmean(later), 1 - fmean(later)) if later else 0.0

"""The attributes of records: internal paths with values that differ.

Thesis, chapter 3, section 3.3: the values in the records of all pages are clustered by their record
internal path; a record feature is such a path with its instances; the output schema is the
sequence of the features that have different instances on different pages.  Departures:

- Besides the texts of leaf nodes, attributes of elements that hold dates, links and images have
  values.
- The schema has the features in the order of their mean place in the records, at most 30, and only
  those that are in a part of the records at least.
- Instances are compared record by record: a feature whose first, second, third instance is the
  same on every page says nothing (a button, a number).  One with the same instances in another
  order does: "In stock" and "Sold out" may be on all pages.  Authors, dates, titles, prices and
  the numbers of posts only must not be the same everywhere.
- Cells of tables without attributes have the number of their column in the path; values that only
  their labels tell apart, such as several ``dd``, are several features.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.records.attributes.attribute import (
    ROLES,
    Attribute,
    Feature,
    Instance,
    choose_type,
    is_called_author,
    may_be_names,
)
from forest_scrapy.core.records.attributes.cells import REPLY, ValueCell, column_of, strip_label
from forest_scrapy.core.records.regions.items import is_person_url

# These constants were set by hand while looking at harvest-forum and wcxb-dev-forum.
#: What it is worth, in shares of records, that the page calls an attribute by its role, that the
#: name of an author links to a user's page, that nothing but its place tells it, and that its
#: element is named after the rank of users.
_CALLED, _LINKED, _PLAIN_ROLE, _RANK = 0.5, 0.5, -0.3, -1.0
#: The share of links that must lead to users, of records that must have a name that nothing but its
#: place tells, and of records that may have two authors.
_MOST_PERSONS, _PLAIN_SHARE, _BOTH = 0.7, 0.9, 0.1
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
    return bool(urls) and fmean(map(is_person_url, urls)) >= _MOST_PERSONS


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
        worth += 0 if is_linked or _is_called(one.attribute) else _PLAIN_ROLE
    if one.attribute.type == "date":
        worth += _order_share(one.texts)
    return (-round(worth, 1), round(len(one.instances) / len(one.records), 1))


def _order_share(dates: Sequence[str]) -> float:
    """The share of successive dates in the more common order: posts are sorted by their date,
    those who wrote them are not."""
    read = [date for text in dates if (date := read_date(text))]
    later = [a <= b for a, b in pairwise(read) if a != b]
    return max(fmean(later), 1 - fmean(later)) if later else 0.0


# These constants were set by hand while looking at harvest-forum, without a search.
#: The share of records that must have an attribute, the largest number of attributes, and the share
#: of values that must have the same label.
_LEAST_SHARE, _MOST_ATTRIBUTES, _MOST = 0.3, 30, 0.7
#: The records, counted on each page, that must have the same instances on all pages.
_FEWEST = 3
#: The number of links to a single record from which they do not tell who replies to it.
_MOST_TO_ONE = 3
#: The names of attributes that few records may have.
_KEPT = frozenset((*ROLES, "reply-to"))
#: The types of attributes that say nothing if they are repeated from page to page.
_PLAIN = frozenset(("number", "image", "url", "text"))

#: Of each page its records, as the values in each.
PageRecords = Sequence[Sequence[Sequence[ValueCell]]]


def learn_attributes(
    pages: PageRecords, language: str, bodies: Callable[[str], bool]
) -> tuple[Attribute, ...]:
    """The attributes of the records of a template's pages; ``bodies``: whether a path is part of
    the text."""
    count = sum(map(len, pages))
    found: dict[str, list[Instance]] = defaultdict(list)
    for k, records in enumerate(pages):
        for number, cells in enumerate(records):
            for i, cell in enumerate(cells):
                if cell.path == REPLY or not bodies(cell.path):
                    found[cell.key].append(Instance(k, number, i / len(cells), cell))
    features = [
        feature
        for key, instances in found.items()
        for label, own in _divide(instances, count)
        if (feature := _make_feature(key, label, own, count, language))
    ]
    named = name_roles(sorted(features, key=_place_of))
    kept = [i for i, one in enumerate(named) if one.share >= _LEAST_SHARE or one.name in _KEPT]
    kept.sort(key=lambda i: (named[i].name not in _KEPT, -named[i].share, i))
    return tuple(named[i] for i in sorted(kept[:_MOST_ATTRIBUTES]))


def _divide(instances: Sequence[Instance], count: int) -> list[tuple[str, Sequence[Instance]]]:
    """The instances at a path, by their label if at least two labels are in enough records."""
    by_label: dict[str, list[Instance]] = defaultdict(list)
    for one in instances:
        by_label[one.cell.label].append(one)
    usual = [name for name, own in by_label.items() if name and _share(own, count) >= _LEAST_SHARE]
    return [(name, by_label[name]) for name in usual] if len(usual) > 1 else [("", instances)]


def _make_feature(
    key: str, label: str, instances: Sequence[Instance], count: int, language: str
) -> Feature | None:
    """The feature; None if it is in few records, or its instances say nothing."""
    share = _share(instances, count)
    shown = label or _common_label(instances)
    texts = [strip_label(one.cell.text, shown) for one in instances]
    kind = choose_type(key, texts, language)
    given = [one.cell.text for one in instances]
    if kind == "title" and texts != given:  # "Re: " is part of a title
        shown, texts = "", given
    is_rare = share < _LEAST_SHARE
    is_constant = len(set(texts)) == 1 and count > 1
    if kind == "reply-to" and not (is_constant and len(texts) > _MOST_TO_ONE):
        return Feature(Attribute(kind, kind, key, round(share, 4)), instances, texts)
    if kind not in ROLES and (is_rare or (kind in _PLAIN and _is_repeated(instances, texts))):
        return None
    if is_constant and not (is_rare and kind in ROLES):
        return None
    name = shown or column_of(key) or key
    attribute = Attribute(name, kind, key, round(share, 4), shown, bool(label))
    return Feature(attribute, instances, texts)


def _share(instances: Sequence[Instance], count: int) -> float:
    return len({(one.page, one.record) for one in instances}) / count


def _common_label(instances: Sequence[Instance]) -> str:
    labels = Counter(one.cell.label for one in instances)
    label, times = min(labels.items(), key=lambda item: (-item[1], item[0]))
    return label if times >= _MOST * len(instances) else ""


def _is_repeated(instances: Sequence[Instance], texts: Sequence[str]) -> bool:
    """Whether the first, second, third texts and so on are the same on all of several pages."""
    at: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one, text in zip(instances, texts, strict=True):
        at[one.record][one.page].append(text)
    compared = [list(pages.values()) for pages in at.values() if len(pages) > 1]
    same = all(own == pages[0] for pages in compared for own in pages)
    return same and len(compared) >= _FEWEST


def _place_of(one: Feature) -> tuple[float, str, str]:
    """The mean place of a feature in the records."""
    place = round(fmean(instance.place for instance in one.instances), 4)
    return (place, one.attribute.path, one.attribute.label)

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

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean

from forest_scrapy.core.records.attributes.attribute import ROLES, Attribute
from forest_scrapy.core.records.attributes.cells import REPLY, ValueCell, column_of
from forest_scrapy.core.records.attributes.features import Feature, Instance
from forest_scrapy.core.records.attributes.labels import strip_label
from forest_scrapy.core.records.attributes.roles import name_roles
from forest_scrapy.core.records.attributes.types import choose_type

__all__ = ["learn_attributes"]

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

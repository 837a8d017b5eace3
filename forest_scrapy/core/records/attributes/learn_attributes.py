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
  their labels distinguish, such as several ``dd``, are several features.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.records.attributes.attribute import (
    ROLES,
    Attribute,
    Feature,
    Instance,
    choose_type,
    is_called_author,
    may_be_names,
    name_of,
)
from forest_scrapy.core.records.attributes.cells import REPLY, ValueCell, column_of, strip_label
from forest_scrapy.core.records.regions.items import is_person_url

# These constants were set by hand while looking at harvest-forum and wcxb-dev-forum.
#: What it is worth, in shares of records, that the page calls an attribute by its role, that the
#: name of an author links to a user's page, that an attribute is recognised by its place only, and
#: that its element is named after the rank of users.
CALLED_WORTH = 0.5
LINKED_WORTH = 0.5
UNCALLED_WORTH = -0.3
RANK_WORTH = -1.0
#: The share of links that must lead to users, of records that must have a name that is recognised
#: by its place only, and of records that may have two authors.
MIN_PERSON_SHARE = 0.7
MIN_PLAIN_SHARE = 0.9
MAX_COMMON_SHARE = 0.1
#: The roles of which each record may have one of several attributes.
_SHARED_ROLES = frozenset(("author", "date"))
_RANKS = re.compile(
    r"title|rank|status|badge|level|join|count|location|stats|user-?role", re.IGNORECASE
)

#: What is added, in shares of records, if dates have a time zone.
ZONE_WORTH = 0.2
_ZONE = re.compile(r"\d{2}:\d{2}\S{0,20}\s{0,3}(?:Z|[+-]\d{2}:?\d{2})$")
#: What it costs that a date is that of a change.
CHANGED_WORTH = -1.0
_CHANGES = re.compile(r"modifi|edited|updated|changed", re.IGNORECASE)
#: The dates of those who wrote the records: since when they are members, and their last visit.
_MEMBER_DATES = re.compile(
    r"\b(?:joined|join date|registered|registration|member since|last (?:seen|visit|active)"
    r"|dabei seit|mitglied seit|registriert|beigetreten|inscrit|inscription|registrado|iscritto"
    r"|lid sinds|medlem|зарегистрирован|регистрация)",
    re.IGNORECASE,
)
_MEMBER_NAMES = re.compile(
    r"[=_-](?:join|regist|member-?since|last-?(?:seen|visit))", re.IGNORECASE
)
#: What a record quotes from another one.
_QUOTED = re.compile(r"(?:^|\s)(?:blockquote|aside\[[^\s]*quote)", re.IGNORECASE)

#: The URLs that features link to, by their path.
_Links = Mapping[str, Sequence[str]]


def name_roles(features: Sequence[Feature], are_things: bool = False) -> list[Attribute]:
    """The attributes, in the order of the features; the best author, date, title and price are
    named after their type.  So are authors and dates of records without the best one, such as
    those of moderators.  ``features``: in the order of the page.  ``are_things``: the records are
    of a table: what has a label keeps it, and names are no authors."""
    links = {}
    for feature in features:
        if feature.attribute.type == "url":
            links[feature.attribute.path] = feature.texts
    if not are_things:
        features = _find_authors(features, links)

    names: dict[int, str] = {}
    for role in ROLES:
        ranked = _rank_for_role(features, role, links)
        if role == "date" and not are_things:
            ranked = [number for number in ranked if not _is_of_member(features[number])]
        chosen = ranked[:1]
        if role in _SHARED_ROLES:
            chosen = _choose_for_records(features, ranked, links)
        for number in chosen:
            names[number] = role
        if role == "title" and ranked:
            best = features[ranked[0]]
            title_link = _link_path(best.attribute.path)
            for number, feature in enumerate(features):
                if feature.attribute.path == title_link:
                    names[number] = "url"

    attributes = []
    for number, feature in enumerate(features):
        attribute = feature.attribute
        name = names.get(number, attribute.name)
        if are_things and attribute.label and attribute.type != "url":
            name = attribute.label
        attributes.append(replace(attribute, name=name))
    return attributes


def _rank_for_role(
    features: Sequence[Feature],
    role: str,
    links: _Links,
) -> list[int]:
    """The numbers of the features whose type is the role, the best first."""
    orders = []
    for number, feature in enumerate(features):
        if feature.attribute.type == role:
            order = _role_order(feature, links)
            orders.append((order, number))
    orders.sort()
    return [number for _, number in orders]


def _is_of_member(feature: Feature) -> bool:
    """Whether the dates say since when those who wrote the records are members."""
    attribute = feature.attribute
    steps = attribute.path.split(" ")[-2:]
    if _MEMBER_DATES.search(attribute.label) or _MEMBER_NAMES.search(" ".join(steps)):
        return True
    matches = sum(_MEMBER_DATES.match(text) is not None for text in feature.texts)
    return matches >= MIN_PERSON_SHARE * len(feature.texts)


def _find_authors(features: Sequence[Feature], links: _Links) -> list[Feature]:
    """The features; those that are names have the type of authors if they link to users, and in
    records with dates the first one that all records have once."""
    looks_for_plain = any(feature.attribute.type == "date" for feature in features)
    result = []
    for feature in features:
        if _is_sender(feature):
            author = replace(feature.attribute, type="author")
            feature = feature._replace(attribute=author)
        is_text = feature.attribute.type in ("text", "title")
        if is_text and may_be_names(feature.texts):
            is_plain = looks_for_plain and _is_plain(feature)
            if is_plain:
                looks_for_plain = False
            if is_plain or _links_to_users(feature, links):
                author = replace(feature.attribute, type="author")
                feature = feature._replace(attribute=author)
        result.append(feature)
    return result


def _is_sender(feature: Feature) -> bool:
    """Whether the values are names with addresses, as those who sent mails."""
    names = [name_of(text) for text in feature.texts]
    with_address = sum(name != text for name, text in zip(names, feature.texts, strict=True))
    return with_address >= MIN_PERSON_SHARE * len(names) and may_be_names(names)


def _is_plain(feature: Feature) -> bool:
    """Whether nearly all records have it once, and its element has no other meaning."""
    attribute = feature.attribute
    if attribute.type != "text" or attribute.share < MIN_PLAIN_SHARE:
        return False
    is_once = len(feature.instances) == len(feature.records)
    return is_once and not attribute.label and not _is_rank(attribute.path)


def _choose_for_records(
    features: Sequence[Feature],
    ranked: Sequence[int],
    links: _Links,
) -> list[int]:
    """The best feature, and further ones of other records that the page calls so or links."""
    chosen: list[int] = []
    records_with_role: set[tuple[int, int]] = set()
    for number in ranked:
        feature = features[number]
        records = feature.records
        if chosen:
            is_called = _is_called(feature.attribute)
            is_evident = is_called or _is_linked_author(feature, links)
            common = records & records_with_role
            max_common = MAX_COMMON_SHARE * len(records)
            if not is_evident or len(common) > max_common:
                continue
        chosen.append(number)
        records_with_role |= records
    return chosen


def _is_called(attribute: Attribute) -> bool:
    """Whether the page says that an attribute has its role."""
    if attribute.type == "author":
        is_called_so = is_called_author(attribute.path)
        return is_called_so and not _is_rank(attribute.path)
    return "itemprop" in attribute.path or "@datetime" in attribute.path


def _is_rank(path: str) -> bool:
    steps = path.split(" ")
    last_steps = " ".join(steps[-2:])
    return _RANKS.search(last_steps) is not None


def _is_linked_author(feature: Feature, links: _Links) -> bool:
    is_author = feature.attribute.type == "author"
    return is_author and _links_to_users(feature, links)


def _links_to_users(feature: Feature, links: _Links) -> bool:
    link_path = _link_path(feature.attribute.path)
    urls = links.get(link_path, ())
    if not urls:
        return False
    share = fmean(map(is_person_url, urls))
    return share >= MIN_PERSON_SHARE


def _link_path(path: str) -> str:
    """The path of the URL that an element links to; empty if it links none."""
    steps = path.split(" ")
    while steps:
        tag, _, _ = steps[-1].partition("[")
        if tag == "a":
            break
        steps.pop()
    if not steps:
        return ""
    return " ".join([*steps, "@href"])


def _role_order(feature: Feature, links: _Links) -> tuple[float, float]:
    """Smaller is better: in most records, called so by the page, with few values in a record."""
    attribute = feature.attribute
    is_called = _is_called(attribute)
    worth = attribute.share + CALLED_WORTH * is_called
    if attribute.type == "author":
        is_linked = _links_to_users(feature, links)
        worth += RANK_WORTH * _is_rank(attribute.path)
        worth += LINKED_WORTH * is_linked
        if not is_linked and not is_called:
            worth += UNCALLED_WORTH
    if attribute.type == "date":
        worth += _order_share(feature.texts)
        zoned = sum(_ZONE.search(text) is not None for text in feature.texts)
        worth += ZONE_WORTH * zoned / len(feature.texts)
        is_of_change = _CHANGES.search(f"{attribute.path} {attribute.label}") is not None
        worth += CHANGED_WORTH * is_of_change
    values_per_record = len(feature.instances) / len(feature.records)
    return -round(worth, 1), round(values_per_record, 1)


def _order_share(dates: Sequence[str]) -> float:
    """The share of successive dates in the more common order: posts are sorted by their date,
    those who wrote them are not."""
    moments = list(filter(None, map(read_date, dates)))
    is_later = []
    for first, second in pairwise(moments):
        if first != second:
            is_later.append(first <= second)
    if not is_later:
        return 0.0
    share = fmean(is_later)
    return max(share, 1 - share)


# These constants were set by hand while looking at harvest-forum, without a search.
#: The share of records that must have an attribute, the largest number of attributes, and the share
#: of values that must have the same label.
MIN_SHARE = 0.3
MAX_ATTRIBUTES = 30
MIN_LABEL_SHARE = 0.7
#: The records, counted on each page, that must have the same instances on all pages.
MIN_REPEATED_RECORDS = 3
#: Up to so many links to a single record may tell who replies to it.
MAX_LINKS_TO_ONE = 3
#: The names of attributes that few records may have.
_RARE_NAMES = frozenset((*ROLES, "reply-to"))
#: The types of attributes that say nothing if they are repeated from page to page.
_PLAIN_TYPES = frozenset(("number", "image", "url", "text"))

#: Of each page its records, as the values in each.
PageRecords = Sequence[Sequence[Sequence[ValueCell]]]


def learn_attributes(
    pages: PageRecords,
    language: str,
    is_text: Callable[[str], bool],
    are_things: bool = False,
    asked_words: Sequence[frozenset[str]] = (),
) -> tuple[Attribute, ...]:
    """The attributes of the records of a template's pages; ``is_text``: whether a path is part of
    the text; ``are_things``: see ``name_roles``; ``asked_words``: the words that each
    page was asked for: records may all have them, and they are still theirs."""
    count = sum(map(len, pages))
    features = []
    instances_by_key = _collect_instances(pages, is_text)
    for key, instances in instances_by_key.items():
        for label, labelled in _divide_by_label(instances, count):
            feature = _make_feature(key, label, labelled, count, language, are_things, asked_words)
            if feature is not None:
                features.append(feature)

    attributes = name_roles(sorted(features, key=_place_of), are_things)
    usable = []
    for number, attribute in enumerate(attributes):
        if attribute.share >= MIN_SHARE or attribute.name in _RARE_NAMES:
            usable.append(number)

    def order(number: int) -> tuple[bool, float, int]:
        attribute = attributes[number]
        is_usual = attribute.name not in _RARE_NAMES
        return is_usual, -attribute.share, number

    usable.sort(key=order)
    best = sorted(usable[:MAX_ATTRIBUTES])
    return tuple(attributes[number] for number in best)


def _collect_instances(
    pages: PageRecords,
    is_text: Callable[[str], bool],
) -> dict[str, list[Instance]]:
    """The values outside the text, by their key."""
    instances: dict[str, list[Instance]] = defaultdict(list)
    for page, records in enumerate(pages):
        for record, cells in enumerate(records):
            for position, cell in enumerate(cells):
                is_outside = cell.path == REPLY
                if not is_outside and (is_text(cell.path) or _QUOTED.search(cell.path)):
                    continue
                place = position / len(cells)
                instance = Instance(page, record, place, cell)
                instances[cell.key].append(instance)
    return instances


def _divide_by_label(
    instances: Sequence[Instance],
    count: int,
) -> list[tuple[str, Sequence[Instance]]]:
    """The instances at a path, by their label if at least two labels are in enough records."""
    by_label: dict[str, list[Instance]] = defaultdict(list)
    for instance in instances:
        by_label[instance.cell.label].append(instance)
    usual: list[tuple[str, Sequence[Instance]]] = []
    for label, labelled in by_label.items():
        if label and _share(labelled, count) >= MIN_SHARE:
            usual.append((label, labelled))
    if len(usual) < 2:
        return [("", instances)]
    return usual


def was_asked_for(text: str, asked_words: Sequence[frozenset[str]]) -> bool:
    """Whether each of the pages was asked for a word of the text.

    >>> was_asked_for("Port Albert", [frozenset({"port"}), frozenset({"albert"})])
    True
    >>> was_asked_for("Carrier", [frozenset({"carrier"}), frozenset({"albert"})])
    False
    """
    text_words = set(split_words(text))
    if not asked_words:
        return False
    return not any(text_words.isdisjoint(words) for words in asked_words)


def _make_feature(
    key: str,
    label: str,
    instances: Sequence[Instance],
    count: int,
    language: str,
    are_things: bool = False,
    asked_words: Sequence[frozenset[str]] = (),
) -> Feature | None:
    """The feature; None if it is in few records, or its instances say nothing."""
    share = _share(instances, count)
    full_texts = [instance.cell.text for instance in instances]
    shown_label = label or _common_label(instances)
    texts = [strip_label(text, shown_label) for text in full_texts]
    type_ = choose_type(key, texts, language, are_things)
    if not are_things and type_ == "title" and texts != full_texts:  # "Re: " is part of a title
        shown_label = ""
        texts = full_texts

    is_rare = share < MIN_SHARE
    is_role = type_ in ROLES
    is_same = len(set(texts)) == 1
    is_asked = is_same and was_asked_for(texts[0], asked_words)
    is_constant = is_same and count > 1 and not is_asked
    if type_ == "reply-to":
        is_evidence = not is_constant or len(texts) <= MAX_LINKS_TO_ONE
        if is_evidence:
            reply = Attribute(type_, type_, key, round(share, 4))
            return Feature(reply, instances, texts)
    if is_rare and not is_role:
        return None
    if type_ in _PLAIN_TYPES and not is_asked and _is_repeated(instances, texts):
        return None
    if is_constant and not is_rare:
        return None
    if not is_rare and _is_same_in_all(instances, texts):
        return None

    path_name = key
    if are_things:
        path_name = key.lstrip("+") or "text"
    attribute = Attribute(
        name=shown_label or column_of(key) or path_name,
        type=type_,
        path=key,
        share=round(share, 4),
        label=shown_label,
        by_label=bool(label),
    )
    return Feature(attribute, instances, texts)


def _is_same_in_all(instances: Sequence[Instance], texts: Sequence[str]) -> bool:
    """Whether all of several records have the same texts, such as "Report" and "Reply"."""
    texts_of: dict[tuple[int, int], list[str]] = defaultdict(list)
    for instance, text in zip(instances, texts, strict=True):
        texts_of[instance.page, instance.record].append(text)
    first, *others = texts_of.values()
    is_several = len(others) >= MIN_REPEATED_RECORDS and len(first) > 1
    return is_several and all(texts == first for texts in others)


def _share(instances: Sequence[Instance], count: int) -> float:
    """The share of the records that have one of the instances."""
    records = {(instance.page, instance.record) for instance in instances}
    return len(records) / count


def _common_label(instances: Sequence[Instance]) -> str:
    counts = Counter(instance.cell.label for instance in instances)

    def rank(label: str) -> tuple[int, str]:
        return -counts[label], label

    label = min(counts, key=rank)
    is_common = counts[label] >= MIN_LABEL_SHARE * len(instances)
    return label if is_common else ""


def _is_repeated(instances: Sequence[Instance], texts: Sequence[str]) -> bool:
    """Whether the first, second, third texts and so on are the same on all of several pages."""
    texts_at: dict[int, dict[int, list[str]]] = {}
    pairs = zip(instances, texts, strict=True)
    for instance, text in pairs:
        texts_by_page = texts_at.setdefault(instance.record, {})
        page_texts = texts_by_page.setdefault(instance.page, [])
        page_texts.append(text)

    compared = 0
    for texts_by_page in texts_at.values():
        if len(texts_by_page) < 2:
            continue
        first, *further = texts_by_page.values()
        if any(page_texts != first for page_texts in further):
            return False
        compared += 1
    return compared >= MIN_REPEATED_RECORDS


def _place_of(feature: Feature) -> tuple[float, str, str]:
    """The mean place of a feature in the records."""
    places = [instance.place for instance in feature.instances]
    mean = round(fmean(places), 4)
    attribute = feature.attribute
    return mean, attribute.path, attribute.label

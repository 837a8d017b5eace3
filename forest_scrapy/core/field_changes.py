"""Which fields of an item have changed since its page was fetched last, and which of these changes
are noise, by what is known of the page.

Fields are compared by their *forms*, which lack what readers do not see: the order of tags and
authors, letter case, the host of an image and the size in its query, the time of a date.  What
differs then may still be noise, such as a counter in the title, or an image that rotates.  A single
page does not tell, but its history does:

- A *return* is a form that the field had before on this page; also a title that differs from an
  earlier one in numbers only.  The first return is told, further ones are noise.
- New forms at visits without a change of the text are counted, and each visit at which the field is
  the same takes one back.  The first two are told, further ones are noise, and so is a return
  after two of them.

So a field that alternates or rotates is told twice, and a counter once; a new headline is told also
if the title has a counter.  The price of a product, and whether it can be had, are told each time:
sales come and go.
"""

import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from posixpath import splitext
from typing import Any
from unicodedata import normalize
from urllib.parse import urlsplit

from forest_scrapy.core.digests import digest_of, hex_digest
from forest_scrapy.core.items import Article, Item
from forest_scrapy.core.moments import read_moment

#: Returns that are told.
MAX_RETURNS = 1
#: New forms without a change of the text that are told.
MAX_RESTLESS_CHANGES = 2
#: Forms that are remembered of a field, the latest.
MAX_FORMS = 12
#: Dates of publication that are at most so many seconds apart are the same: one may lack its time
#: or its zone.
_MAX_SECONDS_APART = 86_400
#: Bytes of the digest of a form: it is compared with a dozen others.
_DIGEST_BYTES = 4

_NUMBER = re.compile(r"\d[\d.,]*")
_IMAGE_ENDINGS = (".avif", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")
#: Kinds of sources that do not depend on what was learned of a template.
_DECLARED_SOURCES = ("feed", "json-ld", "microdata", "opengraph", "meta")


@dataclass(frozen=True)
class FieldMemory:
    """What is known of a field of an item from earlier visits.

    - ``value``: the last value that was told; ``source``: its kind of source, ``""`` if unknown.
    - ``last_form``: the digest of the form at the last visit; ``""``: that of ``value``.
    - ``earlier_forms``: digests of all forms that it had, without the numbers of titles, the
      latest last; empty if it never had another one.
    - ``returns``, ``restless_changes``: counts without changes of the text; see the module.
    """

    value: Any = None
    source: str = ""
    last_form: str = ""
    earlier_forms: tuple[str, ...] = ()
    returns: int = 0
    restless_changes: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The memory as JSON values; what is empty is left out.

        >>> FieldMemory("Owls", "html").to_dict()
        {'value': 'Owls', 'source': 'html'}
        """
        values: dict[str, Any] = {}
        is_empty = self.value in (None, "", [])
        if not is_empty:
            values["value"] = self.value
        if self.source:
            values["source"] = self.source
        if self.last_form:
            values["last_form"] = self.last_form
        if self.earlier_forms:
            values["earlier_forms"] = list(self.earlier_forms)
        if self.returns:
            values["returns"] = self.returns
        if self.restless_changes:
            values["restless_changes"] = self.restless_changes
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "FieldMemory":
        """The inverse of ``to_dict``; values of other types count as unknown.

        >>> memory = FieldMemory("Owls", "html", "aa", ("bb",), 1, 2)
        >>> FieldMemory.from_dict(memory.to_dict()) == memory
        True
        >>> FieldMemory.from_dict({"last_form": 7, "returns": "x"}) == FieldMemory()
        True
        """
        forms = []
        for form in _as_list(values.get("earlier_forms")):
            if isinstance(form, str):
                forms.append(form)
        return cls(
            value=values.get("value"),
            source=_text_or_empty(values.get("source")),
            last_form=_text_or_empty(values.get("last_form")),
            earlier_forms=tuple(forms),
            returns=_count_or_zero(values.get("returns")),
            restless_changes=_count_or_zero(values.get("restless_changes")),
        )


def _text_or_empty(value: Any) -> str:
    if isinstance(value, str):
        return value
    return ""


def _count_or_zero(value: Any) -> int:
    is_count = type(value) is int and value > 0
    return value if is_count else 0


#: What is known of each field, by name; fields that the item never had are left out.
FieldMemories = Mapping[str, FieldMemory]


@dataclass(frozen=True)
class FieldContext:
    """What matters of a visit to a page, beside its item.

    - ``has_other_text``: the text has changed.
    - ``has_other_rules``: the article was extracted with other rules than at the visit before: what
      they find need not be what the others have found.
    - ``has_entry``: the page came with a feed entry, which is a source of fields.
    - ``was_partly_known``: the item of the visit before is as an export has it: a field of which
      nothing is known may have been there, and texts with commas may be divided at these.
    """

    has_other_text: bool = False
    has_other_rules: bool = False
    has_entry: bool = True
    was_partly_known: bool = False


@dataclass(frozen=True)
class FieldChange:
    """The last value that was told, and the new one."""

    old: Any
    new: Any

    def to_dict(self) -> dict[str, Any]:
        return {"from": self.old, "to": self.new}


@dataclass(frozen=True)
class FieldComparison:
    """``changes``: those that are told, by the name of the field; ``memories``: what is known
    now."""

    changes: dict[str, FieldChange]
    memories: dict[str, FieldMemory]


def form_of_text(text: Any) -> str:
    """A text without differences of case, of white space and of compatible characters.

    >>> form_of_text("Minister  CLEARED")
    'minister cleared'
    """
    words = str(text or "").split()
    squeezed = " ".join(words)
    return normalize("NFKC", squeezed).casefold()


def form_of_texts(texts: Any) -> str:
    """Texts in any order.

    >>> form_of_texts(["Owls", "Birds"]) == form_of_texts(["birds", "Owls", "owls"])
    True
    """
    forms = {form_of_text(text) for text in _as_list(texts)}
    return "\n".join(sorted(forms - {""}))


def _as_list(texts: Any) -> Iterable[Any]:
    if isinstance(texts, list | tuple):
        return texts
    return []


def form_of_image(url: Any) -> str:
    """The path of an image: hosts of a network alternate, and the query of a file is a size.

    >>> form_of_image("https://i2.cdn.example/owl.jpg?w=640")
    '/owl.jpg'
    >>> form_of_image("https://a.example/image.php?id=7")
    '/image.php?id=7'
    """
    try:
        parts = urlsplit(str(url or ""))
    except ValueError:
        return str(url)
    _, ending = splitext(parts.path.lower())
    if ending in _IMAGE_ENDINGS or not parts.query:
        return parts.path
    return f"{parts.path}?{parts.query}"


def form_of_date(date: Any) -> str:
    """The day of a date.

    >>> form_of_date("2024-05-03T10:00:00+00:00"), form_of_date("May")
    ('2024-05-03', 'May')
    """
    text = str(date or "")
    moment = read_moment(text)
    return text if moment is None else f"{moment:%Y-%m-%d}"


def form_of_flag(value: Any) -> str:
    """A truth value as text; ``""`` if it is unknown."""
    if value is None:
        return ""
    return str(value)


def form_of_first_image(urls: Any) -> str:
    """The path of the first image, which is the main one of a product.

    >>> form_of_first_image(["https://a.example/owl.jpg?w=9", "https://a.example/back.jpg"])
    '/owl.jpg'
    """
    images = [*_as_list(urls), ""]
    return form_of_image(images[0])


def form_of_attributes(attributes: Any) -> str:
    """The names and values of attributes, in any order.

    >>> form_of_attributes([{"name": "Height", "value": "31", "type": "number", "unit": "cm"}])
    'height: 31 cm'
    """
    texts = []
    for attribute in _as_list(attributes):
        if isinstance(attribute, Mapping):
            value = f"{attribute.get('value', '')} {attribute.get('unit', '')}"
            texts.append(f"{attribute.get('name', '')}: {value}")
    return form_of_texts(texts)


#: The fields of articles that are compared, and their forms.
_FORMS_OF_ARTICLES: dict[str, Callable[[Any], str]] = {
    "title": form_of_text,
    "authors": form_of_texts,
    "main_image": form_of_image,
    "tags": form_of_texts,
    "published": form_of_date,
    "is_free": form_of_flag,
}
_FORMS_OF_PRODUCTS: dict[str, Callable[[Any], str]] = {
    "name": form_of_text,
    "price": form_of_text,
    "currency": form_of_text,
    "regular_price": form_of_text,
    "availability": form_of_text,
    "brand": form_of_text,
    "sku": form_of_text,
    "gtin": form_of_text,
    "images": form_of_first_image,
    "attributes": form_of_attributes,
}
#: The fields of threads, listings and pages beside their text.
_FORMS_OF_OTHERS: dict[str, Callable[[Any], str]] = {"title": form_of_text}
_FORMS_OF_KINDS = {
    "article": _FORMS_OF_ARTICLES,
    "thread": _FORMS_OF_OTHERS,
    "product": _FORMS_OF_PRODUCTS,
    "listing": _FORMS_OF_OTHERS,
    "page": _FORMS_OF_OTHERS,
}
_FORMS = {**_FORMS_OF_ARTICLES, **_FORMS_OF_PRODUCTS}
#: The names of all fields that are compared.
COMPARED_FIELDS = tuple(_FORMS)
#: Fields that every item has: one that is missing, or was, could not be read.
_LASTING_FIELDS = ("title", "published", "is_free", "name")
#: Fields of which each change is told, however often they change: a price comes and goes.
_FACTS = ("price", "currency", "regular_price", "availability")
#: The values of fields that an item does not have.
_MISSING: dict[str, Any] = {
    **dict.fromkeys(COMPARED_FIELDS, ""),
    "authors": [],
    "tags": [],
    "images": [],
    "attributes": [],
    "is_free": None,
}


def compared_fields(kind: str) -> tuple[str, ...]:
    """The names of the fields that are compared of items of a kind, which is that of ``type``.

    >>> compared_fields("article"), compared_fields("thread")
    (('title', 'authors', 'main_image', 'tags', 'published', 'is_free'), ('title',))
    """
    return tuple(_FORMS_OF_KINDS.get(kind, _FORMS_OF_ARTICLES))


class _ComparedField:
    """A field of an item beside what is known of it."""

    def __init__(
        self,
        name: str,
        memory: FieldMemory,
        item: Item,
        context: FieldContext,
    ) -> None:
        self.name = name
        self.memory = memory
        self.context = context
        self.value = getattr(item, name)
        self.source = _source_of(item, name)
        self._item = item
        self._form_of = _FORMS[name]
        self.form = self._form_of(self.value)
        self._told_form = self._form_of(memory.value)

    @property
    def is_missing(self) -> bool:
        return self.form == ""

    @property
    def has_told_value(self) -> bool:
        """Whether the value is the last one that was told."""
        return self.form == self._told_form

    def is_same(self) -> bool:
        """Whether the field is as it was at the last visit."""
        if self.memory.last_form:
            return self.memory.last_form == _digest(self.form)
        return self.has_told_value

    def is_joined_as_told(self) -> bool:
        """Whether the value is a list of texts that is equal to the last one that was told if both
        are joined by commas, as in CSV."""
        joined = _join(self.value)
        return joined != "" and joined == _join(self.memory.value)

    def is_comparable(self) -> bool:
        """Whether a difference is the publisher's: the value comes from the same source, or from
        another one by the same rules."""
        is_missing = "" in (self.form, self._told_form)
        if is_missing and self.name in _LASTING_FIELDS:
            return False
        if not isinstance(self._item, Article):
            return True
        if self.name == "published" and self._is_vague_date():
            return False
        if self.name == "main_image" and self._is_vague_image():
            return False
        if self.context.has_other_rules:
            is_declared = self.source in _DECLARED_SOURCES
            has_same_source = self.source == self.memory.source
            return is_declared and has_same_source and not self._is_longer_or_shorter()
        if self.source == self.memory.source:
            return True
        sources = (self.source, self.memory.source)
        return "feed" not in sources

    def _is_vague_date(self) -> bool:
        """Whether a date is that of before but for its time, or counts from today."""
        moment = read_moment(str(self.value))
        told_moment = read_moment(str(self.memory.value or ""))
        if moment and told_moment:
            difference = moment - told_moment
            if abs(difference.total_seconds()) <= _MAX_SECONDS_APART:
                return True

        from forest_scrapy.core.fields.dates import find_date  # dates seldom change

        assert isinstance(self._item, Article)
        text = self._item.published_raw
        language = self._item.language
        if find_date(text, language):
            return False
        relative_date = find_date(text, language, self._item.fetched_at)
        return relative_date != ""

    def _is_vague_image(self) -> bool:
        """Whether an image is only the first one in the text, since the page declares none, and has
        not taken the place of another one: it may be that of an advertisement.  (On 88 pages with
        another advertisement each, 44 had another main image so.)"""
        sources = (self.source, self.memory.source)
        if "text" not in sources:
            return False
        if self._told_form == "":
            return True
        assert isinstance(self._item, Article)
        forms = set()
        for image in self._item.images:
            forms.add(form_of_image(image.get("url")))
        return self._told_form in forms

    def _is_longer_or_shorter(self) -> bool:
        """Whether a title has, or lacks, something at an end, such as the name of the site."""
        if self.name != "title":
            return False
        is_longer = self._told_form in self.form
        is_shorter = self.form in self._told_form
        return is_longer or is_shorter

    def is_return(self) -> bool:
        """Whether the field had this form before."""
        key = self._key(self.form)
        if self.memory.earlier_forms:
            return key in self.memory.earlier_forms
        return key == self._key(self._told_form)

    def adopted(self) -> FieldMemory:
        """What is known if the field cannot be compared: its value counts from now on, unless there
        is none, or what could have it is missing."""
        is_of_entry = self.memory.source == "feed"
        has_lost_entry = is_of_entry and not self.context.has_entry
        if has_lost_entry or self.is_missing or self.has_told_value:
            return self.memory
        if self.name == "published" and self._is_vague_date():
            return self.memory
        if self.name == "main_image" and self._is_vague_image():
            return self.memory
        memory = replace(self.memory, value=self.value, source=self.source)
        return self._remembered(memory)

    def unchanged(self) -> FieldMemory:
        """What is known after a visit at which the field was the same."""
        changes = self.memory.restless_changes - 1
        return replace(
            self.memory,
            source=self.source,
            restless_changes=max(0, changes),
        )

    def counted(self) -> FieldMemory:
        """What is known after another form, before it is told."""
        memory = replace(self.memory, source=self.source)
        if self.context.has_other_text:
            return memory
        if self.is_return():
            return replace(memory, returns=memory.returns + 1)
        changes = min(memory.restless_changes, MAX_RESTLESS_CHANGES) + 1
        return replace(memory, restless_changes=changes)

    def is_noise(self, memory: FieldMemory) -> bool:
        """Whether another form is not told, by what is known with it."""
        if self.name in _FACTS:
            return False
        if not self.is_return():
            return memory.restless_changes > MAX_RESTLESS_CHANGES
        if memory.returns > MAX_RETURNS:
            return True
        return memory.returns + memory.restless_changes > MAX_RESTLESS_CHANGES

    def told(self, memory: FieldMemory) -> FieldMemory:
        """What is known after another form that was told."""
        memory = replace(memory, value=self.value)
        return self._remembered(memory)

    def not_told(self, memory: FieldMemory) -> FieldMemory:
        """What is known after another form that was not told."""
        return self._remembered(memory)

    def _remembered(self, memory: FieldMemory) -> FieldMemory:
        earlier_forms = list(memory.earlier_forms)
        for form in (self._told_form, self.form):
            key = self._key(form)
            if key in earlier_forms:
                earlier_forms.remove(key)
            earlier_forms.append(key)
        is_told = self._form_of(memory.value) == self.form
        return replace(
            memory,
            last_form="" if is_told else _digest(self.form),
            earlier_forms=tuple(earlier_forms[-MAX_FORMS:]),
        )

    def _key(self, form: str) -> str:
        """What is equal for forms of which one is a return of the other."""
        if self.name == "title":
            form = _NUMBER.sub("", form)
        return _digest(form)


def _join(texts: Any) -> str:
    """A list of texts as CSV has it; ``""`` for other values."""
    parts = _as_list(texts)
    if not all(isinstance(part, str) for part in parts):
        return ""
    return ",".join(parts)


def _digest(form: str) -> str:
    return hex_digest(form, _DIGEST_BYTES)


def _source_of(item: Item, name: str) -> str:
    """The source of a field; ``""`` if the item does not say it."""
    sources: Mapping[str, str] = getattr(item, "sources", {})
    return sources.get(name, "")


def digest_fields(item: Item) -> bytes:
    """A digest of the forms of all fields."""
    forms = []
    for name in compared_fields(item.type):
        value = getattr(item, name)
        form = _FORMS[name](value)
        forms.append(form)
    return digest_of("\0".join(forms))


def remember_fields(item: Item) -> dict[str, FieldMemory]:
    """What is known of the fields of an item that was seen first."""
    memories = {}
    for name in compared_fields(item.type):
        memory = _remember(item, name)
        if memory.value != _MISSING[name]:
            memories[name] = memory
    return memories


def remember_known_fields(item: Item, known: Container[str]) -> dict[str, FieldMemory]:
    """What is known of the fields of an item of which only those are known that ``known`` names,
    also that they are empty.

    >>> lamp = Article("https://a.example/", title="Owl lamp")
    >>> sorted(remember_known_fields(lamp, {"title", "tags"}))
    ['tags', 'title']
    """
    memories = {}
    for name in compared_fields(item.type):
        if name in known:
            memories[name] = _remember(item, name)
    return memories


def _remember(item: Item, name: str) -> FieldMemory:
    value = getattr(item, name)
    if value == _MISSING[name]:
        return FieldMemory(value)
    return FieldMemory(value, _source_of(item, name))


def compare_fields(
    memories: FieldMemories,
    item: Item,
    context: FieldContext,
) -> FieldComparison:
    """Compare the fields of an item with what is known of them; see the module.

    >>> old = remember_fields(Article("https://a.example/", title="Minister convicted"))
    >>> new = Article("https://a.example/", title="Minister cleared")
    >>> compare_fields(old, new, FieldContext()).changes
    {'title': FieldChange(old='Minister convicted', new='Minister cleared')}
    """
    changes = {}
    new_memories = {}
    for name in compared_fields(item.type):
        no_memory = FieldMemory(_MISSING[name])
        memory = memories.get(name) or no_memory
        field = _ComparedField(name, memory, item, context)
        is_same_in_export = name not in memories or field.is_joined_as_told()
        if context.was_partly_known and is_same_in_export:
            memory = _remember(item, name)
        elif field.is_same():
            memory = field.unchanged()
        elif not field.is_comparable():
            memory = field.adopted()
        else:
            memory = field.counted()
            if field.has_told_value or field.is_noise(memory):
                memory = field.not_told(memory)
            else:
                changes[name] = FieldChange(memory.value, field.value)
                memory = field.told(memory)
        if memory != no_memory:
            new_memories[name] = memory
    return FieldComparison(changes, new_memories)


def load_memories(values: Any) -> dict[str, FieldMemory]:
    """What is known of fields, from JSON values; what cannot be read is left out.

    >>> load_memories({"title": {"value": "Owls"}, "tags": 7, "other": {}})
    {'title': FieldMemory(value='Owls', source='', last_form='', earlier_forms=(), returns=0, \
restless_changes=0)}
    """
    memories: dict[str, FieldMemory] = {}
    if not isinstance(values, dict):
        return memories
    for name in COMPARED_FIELDS:
        memory_values = values.get(name)
        if isinstance(memory_values, dict):
            memory_values = {"value": _MISSING[name], **memory_values}
            memories[name] = FieldMemory.from_dict(memory_values)
    return memories


def dump_memories(memories: FieldMemories) -> dict[str, Any]:
    """What is known of fields as JSON values, the inverse of ``load_memories``."""
    return {name: memory.to_dict() for name, memory in memories.items()}

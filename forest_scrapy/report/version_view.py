"""The versions of an article as they are shown: as a list, as diffs, and side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.field_changes import compared_fields
from forest_scrapy.core.plurals import count
from forest_scrapy.core.text_diff import LinePair, compare_lines, line_diff, word_diff
from forest_scrapy.stores import PageVersion


@dataclass(frozen=True)
class NumberedVersion:
    """A version and its number, from 1; numbers change when the oldest versions are deleted."""

    number: int
    version: PageVersion

    @property
    def first_seen(self) -> str:
        """When it was seen first, UTC."""
        return format_moment(self.version.first_seen)

    @property
    def last_seen(self) -> str:
        """When it was seen last, UTC."""
        return format_moment(self.version.last_seen)

    @property
    def title(self) -> str:
        """The title of the item, or its name; ``""`` if it was gone."""
        values = self.version.values
        return _shown(values.get("title") or values.get("name"))

    @property
    def extent(self) -> str:
        """The price of a product, the number of items of a list, else how long the text is."""
        values = self.version.values
        if values.get("type") == "product":
            price = f"{_shown(values.get('price'))} {_shown(values.get('currency'))}".strip()
            return price or "no price"
        items = values.get("items")
        if isinstance(items, list):
            return count(len(items), "item", spec=",")
        return count(len(self.version.text), "character", spec=",")

    @property
    def name(self) -> str:
        """What it is called in a diff."""
        return f"version {self.number}, {self.first_seen}"


def number_versions(versions: Sequence[PageVersion]) -> tuple[NumberedVersion, ...]:
    """The versions of a page with their numbers."""
    return tuple(NumberedVersion(number, version) for number, version in enumerate(versions, 1))


def format_moment(seconds: int) -> str:
    """
    >>> format_moment(0)
    '1970-01-01 00:00:00'
    """
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}"


def _shown(value: Any) -> str:
    """A value of a field as a text.

    >>> _shown(["Ana Bo", "Cy Day"]), _shown(False), _shown(None)
    ('Ana Bo, Cy Day', 'no', '')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown_part, value))
    if value is None:
        return ""
    return str(value)


def _shown_part(value: Any) -> str:
    """A member of a list as a text: of an attribute its name, its value and its unit.

    >>> _shown_part({"name": "Height", "value": "31", "type": "number", "unit": "cm"})
    'Height: 31 cm'
    """
    if isinstance(value, Mapping) and "name" in value:
        return f"{value['name']}: {value.get('value', '')} {value.get('unit', '')}".strip()
    return str(value)


def describe_version(numbered: NumberedVersion) -> list[str]:
    """Lines that say what a version is, and what has changed in it."""
    version = numbered.version
    head = f"  {numbered.number:3}  {numbered.first_seen}  {numbered.last_seen}  {version.kind}"
    if version.is_gone:
        return [f"{head}, status {version.status}"]
    lines = [f"{head}, {numbered.extent}, {numbered.title!r}"]
    share = version.change.get("share")
    if isinstance(share, int | float) and share > 0:
        inserted = _count_runs(version.change.get("inserted"))
        deleted = _count_runs(version.change.get("deleted"))
        lines.append(f"       text: {share:.1%} changed, {inserted} inserted, {deleted} deleted")
    fields = version.change.get("fields")
    if isinstance(fields, dict):
        for name in sorted(fields):
            lines.append(f"       {name}: {_describe_change(fields[name])}")
    return lines


def _count_runs(runs: Any) -> int:
    if isinstance(runs, list):
        return len(runs)
    return 0


def _describe_change(change: Any) -> str:
    if not isinstance(change, dict):
        return ""
    return f"{_shown(change.get('from'))!r} -> {_shown(change.get('to'))!r}"


def _kind_of(*versions: PageVersion) -> str:
    """The kind of the item of these versions; one that is gone may not tell it."""
    kinds = [str(version.values["type"]) for version in versions if "type" in version.values]
    return kinds[-1] if kinds else "article"


def _text_of(version: PageVersion, kind: str) -> str:
    """The fields of a version that are compared of items of a kind, a line each, and its text."""
    lines = []
    for name in compared_fields(kind):
        lines.append(f"{name}: {_shown(version.values.get(name))}".rstrip())
    return "\n".join((*lines, "", version.text))


def diff_versions(old: NumberedVersion, new: NumberedVersion, by_words: bool) -> str:
    """How the fields and texts of two versions differ; ``""`` if they do not."""
    kind = _kind_of(old.version, new.version)
    old_text = _text_of(old.version, kind)
    new_text = _text_of(new.version, kind)
    if old_text == new_text:
        return ""
    if by_words:
        return f"[-{old.name}-] {{+{new.name}+}}\n{word_diff(old_text, new_text)}"
    return line_diff(old_text, new_text, old.name, new.name)


@dataclass(frozen=True)
class FieldPair:
    """The values of a field in two versions, as texts."""

    name: str
    old: str
    new: str

    @property
    def is_changed(self) -> bool:
        return self.old != self.new


@dataclass(frozen=True)
class VersionsView:
    """Two versions side by side, and the list of all."""

    url: str
    versions: tuple[NumberedVersion, ...]
    old: NumberedVersion
    new: NumberedVersion

    @property
    def file(self) -> str:
        """The name of its file in a report."""
        return f"versions-{hex_digest(self.url, 5)}.html"

    @property
    def fields(self) -> tuple[FieldPair, ...]:
        """The compared fields that one of the versions has."""
        pairs = []
        kind = _kind_of(self.old.version, self.new.version)
        for name in compared_fields(kind):
            old_value = _shown(self.old.version.values.get(name))
            new_value = _shown(self.new.version.values.get(name))
            if old_value or new_value:
                pairs.append(FieldPair(name, old_value, new_value))
        return tuple(pairs)

    @property
    def lines(self) -> tuple[LinePair, ...]:
        """The texts, line by line."""
        return compare_lines(self.old.version.text, self.new.version.text)


def view_latest(url: str, versions: Sequence[PageVersion]) -> VersionsView | None:
    """The latest two versions that have an article; None if there are less."""
    numbered_versions = number_versions(versions)
    articles = [numbered for numbered in numbered_versions if not numbered.version.is_gone]
    if len(articles) < 2:
        return None
    return VersionsView(url, numbered_versions, old=articles[-2], new=articles[-1])

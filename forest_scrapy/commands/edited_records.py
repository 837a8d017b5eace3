"""What edited rules of products, lists, threads or pages change in the items of pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from forest_scrapy.core import Page, TemplateRules, extract_item
from forest_scrapy.core.items import Refusal
from forest_scrapy.core.options import Options
from forest_scrapy.core.plurals import count

#: Fields that do not come from what a page shows.
_UNCOMPARED = ("confidence", "date_confidence", "fetched_at", "sources", "template_id")


@dataclass(frozen=True)
class ItemChange:
    """The values of the fields of a page's item that are others by the edited rules, the old one
    and the new one, by name; empty if none is."""

    url: str
    values: dict[str, tuple[Any, Any]] = field(default_factory=dict)


def compare_items(
    pages: Sequence[Page],
    old_rules: TemplateRules,
    new_rules: TemplateRules,
    options: Options,
) -> list[ItemChange]:
    """The changes of the items of pages, read as by crawls for the kinds of the rules."""
    changes = []
    for page in pages:
        old_values = _read_values(page, old_rules, options)
        new_values = _read_values(page, new_rules, options)
        change = ItemChange(page.url)
        for name in dict.fromkeys((*old_values, *new_values)):
            old_value = old_values.get(name, "")
            new_value = new_values.get(name, "")
            if old_value != new_value:
                change.values[name] = (old_value, new_value)
        changes.append(change)
    return changes


def _read_values(page: Page, rules: TemplateRules, options: Options) -> dict[str, Any]:
    """The fields of the item of a page, or why there is none."""
    kinds = rules.kinds or (rules.kind,)
    item = extract_item(page, rules, replace(options, kinds=kinds))
    if isinstance(item, Refusal):
        return {"no item": item.reason}
    values = {}
    for part in fields(item):
        if part.name not in _UNCOMPARED:
            values[part.name] = getattr(item, part.name)
    return values


def describe_item_changes(changes: Sequence[ItemChange]) -> Iterator[str]:
    """Lines that name the values of each page that change, then of how many pages they do."""
    changed_pages = 0
    for change in changes:
        if not change.values:
            continue
        changed_pages += 1
        yield change.url
        for name, (old_value, new_value) in change.values.items():
            yield f"  {name}: {_shorten(old_value)} is now {_shorten(new_value)}"
    yield f"{count(len(changes), 'page')}: the items of {changed_pages} change"


#: Characters of a value that are printed.
_MAX_LENGTH = 80


def _shorten(value: Any) -> str:
    text = repr(value)
    if len(text) <= _MAX_LENGTH:
        return text
    return f"{text[: _MAX_LENGTH - 3]}..."

"""Change detection of fields: which changes of a page are changes of its title, authors, main
image, or of another field."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import cycle
from typing import Any

from benchmarks.history.edits import EDITS, NOISE, change_page, is_editable
from benchmarks.sets.bench_set import BenchPage, Group
from forest_scrapy.core import Page, TemplateRules, extract_item, learn_rules
from forest_scrapy.core.field_changes import FieldContext, compare_fields, remember_fields
from forest_scrapy.core.items import Article

#: The fewest articles of a site, which its rules are learned from.
_MIN_ARTICLES = 5
#: Characters of a title below which it may stand on the page as something else.
_MIN_TITLE_LENGTH = 12

#: A page after a change; None if the change cannot be made.
Change = Callable[[Article, str], str | None]


def change_title(article: Article, text: str) -> str | None:
    """Another headline, wherever the page has it."""
    if len(article.title) < _MIN_TITLE_LENGTH:
        return None
    return _replace(text, article.title, "Council votes for a new bridge after long debate")


def change_authors(article: Article, text: str) -> str | None:
    """Another name in place of each author."""
    if any(name in article.title for name in article.authors):
        return None
    changed: str | None = text
    new_names = cycle(("Xenia Quill", "Ulf Brandt", "Ines Faro"))
    for name, new_name in zip(article.authors, new_names, strict=False):
        if changed:
            changed = _replace(changed, name, new_name)
    return changed if article.authors else None


def change_image(article: Article, text: str) -> str | None:
    """Another file in place of the main image."""
    name = _file_name(article.main_image)
    stem, _, ending = name.rpartition(".")
    if not stem:
        return None
    return _replace(text, name, f"quite-another-picture.{ending}")


def resize_image(article: Article, text: str) -> str | None:
    """The main image in another size, by its query."""
    name = _file_name(article.main_image)
    has_query = "?" in article.main_image
    if "." not in name or has_query:
        return None
    return _replace(text, name, f"{name}?w=1234")


def _file_name(url: str) -> str:
    path, _, _ = url.partition("?")
    _, _, name = path.rpartition("/")
    return name


def _replace(text: str, old: str, new: str) -> str | None:
    if not old:
        return None
    changed = text.replace(old, new)
    changed = changed.replace(escape(old), new)
    if changed == text:
        return None
    return changed


#: Changes of fields, by the field that they change; "" for noise.
FIELD_CHANGES: dict[Change, str] = {
    change_title: "title",
    change_authors: "authors",
    change_image: "main_image",
    resize_image: "",
}


@dataclass
class _Counts:
    """``changes``: those that were made; ``right``, ``wrong``: fields that are told, and should be,
    or should not."""

    changes: int = 0
    right: int = 0
    wrong: int = 0


def score_fields(groups: Iterable[Group]) -> dict[str, Any]:
    """Precision and recall of the fields that are told to have changed, over all changes of all
    pages; of changes that keep the fields how many are told nevertheless."""
    counts: dict[str, _Counts] = {}
    wrong_fields: Counter[str] = Counter()
    for group in groups:
        pages = [page for page in group.articles if is_editable(page)]
        if len(pages) < _MIN_ARTICLES:
            continue
        sample = [page.parse() for page in pages[:10]]
        rules = learn_rules(sample)
        for page in pages:
            _score_page(page, rules, counts, wrong_fields)
        print(f"fields: {group.name}", file=sys.stderr)
    return _report(counts, wrong_fields)


def _score_page(
    page: BenchPage,
    rules: TemplateRules,
    counts: dict[str, _Counts],
    wrong_fields: Counter[str],
) -> None:
    text = change_page(page, NOISE[0], 0).decode()
    article = _extract(page, rules, text)
    if article is None:
        return
    for variant in _variants(page, article, text):
        new_article = _extract(page, rules, variant.text)
        if new_article is None:
            continue
        remembered = remember_fields(article)
        comparison = compare_fields(remembered, new_article, FieldContext())
        count = counts.setdefault(variant.name, _Counts())
        count.changes += 1
        for told in comparison.changes:
            if told == variant.field:
                count.right += 1
            else:
                count.wrong += 1
                wrong_fields[f"{variant.name} {told}"] += 1


@dataclass(frozen=True)
class _Variant:
    """A changed page: the name of the change, the field that it changes, and the page's HTML."""

    name: str
    field: str
    text: str


def _variants(page: BenchPage, article: Article, text: str) -> Iterator[_Variant]:
    """The page after each change that can be made; ``text``: its HTML before."""
    for change, field in FIELD_CHANGES.items():
        changed = change(article, text)
        if changed:
            yield _Variant(change.__name__, field, changed)
    for edit in (*EDITS, *NOISE):
        changed_body = change_page(page, edit, 1)
        yield _Variant(edit.__name__, "", changed_body.decode())


def _extract(page: BenchPage, rules: TemplateRules, text: str) -> Article | None:
    parsed = Page.from_html(text, page.url)
    item = extract_item(parsed, rules)
    if isinstance(item, Article):
        return item
    return None


def _report(counts: dict[str, _Counts], wrong_fields: Counter[str]) -> dict[str, Any]:
    right = sum(count.right for count in counts.values())
    wrong = sum(count.wrong for count in counts.values())
    changes = 0
    for change, field in FIELD_CHANGES.items():
        count = counts.get(change.__name__)
        if field and count is not None:
            changes += count.changes
    report: dict[str, Any] = {
        "changes": sum(count.changes for count in counts.values()),
        "changes_of_fields": changes,
        "precision": round(right / max(1, right + wrong), 4),
        "recall": round(right / max(1, changes), 4),
    }
    for name, count in counts.items():
        report[name] = f"{count.changes} made, {count.right} told, {count.wrong} others told"
    for name, number in wrong_fields.most_common(8):
        report[f"wrong: {name}"] = number
    return report

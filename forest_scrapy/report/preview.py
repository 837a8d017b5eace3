"""What an edited wrapper would change on the pages of its template, before it is stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from statistics import fmean
from typing import Any

from forest_scrapy.core import Page, Params, Wrapper, extract
from forest_scrapy.core.changes import compare_texts, text_f1
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.plurals import count
from forest_scrapy.report.page_view import FIELDS, as_text, mark_page

#: Runs of words that are sent of each page, and characters of each.
MAX_RUNS = 20
MAX_RUN_LENGTH = 400


@dataclass(frozen=True)
class Result:
    """What a wrapper gives on a page: the method that has found the text, which is another than the
    wrapper's if that finds none; the text; the values of ``FIELDS`` as texts, by name."""

    method: str
    text: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class PageChange:
    """What becomes of a page.  ``f1``: of the new text against the old one."""

    url: str
    old: Result
    new: Result
    f1: float

    @property
    def changed_fields(self) -> list[str]:
        """The fields with another value."""
        old = self.old.fields
        new = self.new.fields
        return [name for name in FIELDS if old[name] != new[name]]

    def field_values(self, names: Sequence[str]) -> list[list[str]]:
        """The names of fields, each with the old and the new value."""
        rows = []
        for name in names:
            old = self.old.fields[name]
            new = self.new.fields[name]
            rows.append([name, old, new])
        return rows

    @property
    def is_change(self) -> bool:
        """Whether the text or a field is another one."""
        if self.old.text != self.new.text:
            return True
        return bool(self.changed_fields)

    def changed_lines(self) -> Iterator[str]:
        """The lines of the text that differ, with ``-`` or ``+`` before them."""
        for sign, line in self.lines():
            if sign != " ":
                yield f"{sign}{line}"

    def lines(self) -> Iterator[tuple[str, str]]:
        """The lines of both texts, with ``-`` for those of the old one only, ``+`` for those of the
        new one only, and a space for those of both."""
        old = self.old.text.splitlines()
        new = self.new.text.splitlines()
        matcher = SequenceMatcher(None, old, new)
        for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
            old_lines = old[old_start:old_end]
            new_lines = new[new_start:new_end]
            if kind == "equal":
                for line in old_lines:
                    yield " ", line
                continue
            for line in old_lines:
                yield "-", line
            for line in new_lines:
                yield "+", line


def read_result(
    page: Page,
    wrapper: Wrapper,
    params: Params,
) -> Result:
    """What the wrapper gives on a page.  Raises ``BadRules`` if it cannot be evaluated there."""
    used_wrapper, extracted = extract(page, wrapper, params)
    values = read_fields(page, wrapper.fields, extracted.content)
    fields = {}
    for name in FIELDS:
        value = getattr(values, name) or ""
        fields[name] = as_text(value)
    method = used_wrapper.method if extracted.text else ""
    return Result(method, extracted.text, fields)


def compare_results(
    page: Page,
    old: Result,
    wrapper: Wrapper,
    params: Params,
) -> PageChange:
    """What becomes of a page with another wrapper.  Raises ``BadRules``."""
    new = read_result(page, wrapper, params)
    f1 = text_f1(old.text, new.text)
    return PageChange(page.url, old, new, f1)


def summarize(changes: Sequence[PageChange]) -> str:
    """How much changes in all, in a line.

    >>> fields = [{**dict.fromkeys(FIELDS, ""), "title": title} for title in ("An owl", "Owls")]
    >>> old, new = (Result("trained", "An owl.", values) for values in fields)
    >>> summarize([PageChange("http://a.example/1", old, new, 1.0)])
    '1 page: the text of 0 changes; mean F1 1.000; title of 1'
    """
    if not changes:
        return "no page of the template to compare on: name some (files or URLs)"
    changed_texts = sum(change.old.text != change.new.text for change in changes)
    mean = fmean(change.f1 for change in changes)
    pages = count(len(changes), "page")
    summary = f"{pages}: the text of {changed_texts} changes; mean F1 {mean:.3f}"
    for name in FIELDS:
        changed = sum(name in change.changed_fields for change in changes)
        if changed:
            summary += f"; {name} of {changed}"
    return summary


def preview_values(
    changes: Sequence[PageChange],
    files: Mapping[str, str],
    current_page: Page | None,
    wrapper: Wrapper,
    params: Params,
) -> dict[str, Any]:
    """A preview as JSON values, for the script of the report; pages that change most are first.

    ``files``: of the pages in the report, by URL; ``current_page``: the page that the person looks
    at, of which there are also the text line by line, the fields, and the marks.
    """
    ordered = sorted(changes, key=_most_changed_first)
    values: dict[str, Any] = {
        "summary": summarize(changes),
        "pages": [_page_values(change, files, wrapper) for change in ordered],
    }
    if current_page is not None:
        current = next(change for change in changes if change.url == current_page.url)
        values["lines"] = list(current.lines())
        values["fields"] = current.field_values(FIELDS)
        values |= mark_page(current_page, wrapper, params)
    return values


def _most_changed_first(change: PageChange) -> tuple[bool, float, str]:
    return not change.is_change, change.f1, change.url


def _page_values(
    change: PageChange,
    files: Mapping[str, str],
    wrapper: Wrapper,
) -> dict[str, Any]:
    old_text = change.old.text
    new_text = change.new.text
    delta = compare_texts(old_text, new_text)
    other_method = ""
    if change.new.method != wrapper.method:
        other_method = change.new.method
    return {
        "url": change.url,
        "file": files.get(change.url, ""),
        "changes": change.is_change,
        "f1": change.f1,
        "characters": [len(old_text), len(new_text)],
        "method": other_method,
        "fields": change.field_values(change.changed_fields),
        "deleted": _first_runs(delta.deleted),
        "inserted": _first_runs(delta.inserted),
    }


def _first_runs(runs: Sequence[str]) -> list[str]:
    """The first runs, the long ones cut."""
    first_runs = [_cut(run) for run in runs[:MAX_RUNS]]
    further_count = len(runs) - MAX_RUNS
    if further_count > 0:
        first_runs.append(f"... and {further_count} more")
    return first_runs


def _cut(run: str) -> str:
    if len(run) <= MAX_RUN_LENGTH:
        return run
    return f"{run[: MAX_RUN_LENGTH - 4]} ..."

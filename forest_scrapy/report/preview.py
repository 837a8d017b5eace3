"""What an edited wrapper would change on the pages of its template, before it is stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from statistics import fmean
from typing import Any

from forest_scrapy.core import Page, Params, Wrapper, extract
from forest_scrapy.core.changes import compare_texts, text_f1
from forest_scrapy.core.fields import read_fields
from forest_scrapy.report.page_view import FIELDS, as_text, mark_page

#: Runs of words that are sent of each page, and characters of each.
_RUNS, _CHARACTERS = 20, 400


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
        return [name for name in FIELDS if self.old.fields[name] != self.new.fields[name]]

    @property
    def is_change(self) -> bool:
        """Whether the text or a field is another one."""
        return self.old.text != self.new.text or bool(self.changed_fields)

    def changed_lines(self) -> Iterator[str]:
        """The lines of the text that differ, with ``-`` or ``+`` before them."""
        return (f"{sign}{line}" for sign, line in self.lines() if sign != " ")

    def lines(self) -> Iterator[tuple[str, str]]:
        """The lines of both texts, with ``-`` for those of the old one only, ``+`` for those of the
        new one only, and a space for those of both."""
        old, new = self.old.text.splitlines(), self.new.text.splitlines()
        for kind, i, j, k, m in SequenceMatcher(None, old, new).get_opcodes():
            if kind == "equal":
                yield from ((" ", line) for line in old[i:j])
            else:
                yield from (("-", line) for line in old[i:j])
                yield from (("+", line) for line in new[k:m])


def read_result(page: Page, wrapper: Wrapper, params: Params) -> Result:
    """What the wrapper gives on a page.  Raises ``BadRules`` if it cannot be evaluated there."""
    used, found = extract(page, wrapper, params)
    values = read_fields(page, wrapper.fields, found.content)
    fields = {name: as_text(getattr(values, name) or "") for name in FIELDS}
    return Result(used.method if found.text else "", found.text, fields)


def compare_results(page: Page, old: Result, wrapper: Wrapper, params: Params) -> PageChange:
    """What becomes of a page with another wrapper.  Raises ``BadRules``."""
    new = read_result(page, wrapper, params)
    return PageChange(page.url, old, new, text_f1(old.text, new.text))


def summarize(changes: Sequence[PageChange]) -> str:
    """How much changes in all, in a line.

    >>> fields = [{**dict.fromkeys(FIELDS, ""), "title": title} for title in ("An owl", "Owls")]
    >>> old, new = (Result("trained", "An owl.", values) for values in fields)
    >>> summarize([PageChange("http://a.example/1", old, new, 1.0)])
    '1 page: the text of 0 changes; mean F1 1.000; title of 1'
    """
    if not changes:
        return "no page of the template to compare on: name some (files or URLs)"
    texts = sum(one.old.text != one.new.text for one in changes)
    counts = {name: sum(name in one.changed_fields for one in changes) for name in FIELDS}
    fields = "".join(f"; {name} of {number}" for name, number in counts.items() if number)
    pages = f"{len(changes)} page{'s' * (len(changes) != 1)}"
    mean = fmean(one.f1 for one in changes)
    return f"{pages}: the text of {texts} changes; mean F1 {mean:.3f}{fields}"


def preview_values(
    changes: Sequence[PageChange],
    files: Mapping[str, str],
    shown: Page | None,
    wrapper: Wrapper,
    params: Params,
) -> dict[str, Any]:
    """A preview as JSON values, for the script of the report; pages that change most are first.

    ``files``: of the pages in the report, by URL; ``shown``: the page that the person looks at, of
    which there are also the text line by line, the fields, and the marks.
    """
    ordered = sorted(changes, key=lambda one: (not one.is_change, one.f1, one.url))
    values: dict[str, Any] = {
        "summary": summarize(changes),
        "pages": [_page_values(one, files, wrapper) for one in ordered],
    }
    if shown is not None:
        own = next(one for one in changes if one.url == shown.url)
        values["lines"] = list(own.lines())
        values["fields"] = [[name, own.old.fields[name], own.new.fields[name]] for name in FIELDS]
        values |= mark_page(shown, wrapper, params)
    return values


def _page_values(one: PageChange, files: Mapping[str, str], wrapper: Wrapper) -> dict[str, Any]:
    delta = compare_texts(one.old.text, one.new.text)
    return {
        "url": one.url,
        "file": files.get(one.url, ""),
        "changes": one.is_change,
        "f1": one.f1,
        "characters": [len(one.old.text), len(one.new.text)],
        "method": one.new.method if one.new.method != wrapper.method else "",
        "fields": [
            [name, one.old.fields[name], one.new.fields[name]] for name in one.changed_fields
        ],
        "deleted": _first_runs(delta.deleted),
        "inserted": _first_runs(delta.inserted),
    }


def _first_runs(runs: Sequence[str]) -> list[str]:
    """The first runs, the long ones cut."""
    more = [f"... and {len(runs) - _RUNS} more"] if len(runs) > _RUNS else []
    return [_cut(run) for run in runs[:_RUNS]] + more


def _cut(run: str) -> str:
    return run if len(run) <= _CHARACTERS else f"{run[: _CHARACTERS - 4]} ..."

"""The output of the commands: text for people, or JSON."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from forest_scrapy.commands.explanation import Explanation, TemplateExplanation
from forest_scrapy.core import Template, TemplateRules, Wrapper
from forest_scrapy.core.explain import (
    RANKING_METHODS,
    Expression,
    PageExplanation,
    PatternRow,
    explain_expressions,
)
from forest_scrapy.core.records import RecordRules
from forest_scrapy.stores import RulesVersion

__all__ = ["colour_lines", "explanation_json", "explanation_text"]


def explanation_text(found: Explanation) -> str:
    """The notes, then for each template its pages, ranking, expressions and extracts."""
    lines = [f"note: {note}" for note in found.notes]
    for template in found.templates:
        lines += ["", *_template_lines(template)] if lines else _template_lines(template)
    return _text(lines)


def explanation_json(found: Explanation) -> str:
    """The same as one JSON object."""
    templates = [{**asdict(one), "wrapper": one.wrapper.to_dict()} for one in found.templates]
    return _json({**asdict(found), "templates": templates})


def hosts_text(hosts: Mapping[str, int], as_json: bool | None) -> str:
    """The hosts with their number of templates."""
    if as_json:
        return _json(dict(hosts))
    lines = [f"{host}  {_count(n, 'template')}" for host, n in hosts.items()]
    return _text(lines or ["no wrapper is stored yet"])


def wrappers_text(host: str, stored: Sequence[Template]) -> str:
    """The stored wrappers of a host."""
    lines = [f"{host}: {_count(len(stored), 'template')}"]
    for one in stored:
        rules = one.rules or TemplateRules()
        lines += ["", f"template {one.id}", *_wrapper_lines(rules.text_wrapper)]
        if rules.cut.reason:
            lines.append(
                f"  templates cut at distance {rules.cut.distance:.2f}: {rules.cut.reason}"
            )
        lines.append(f"  recognized by {_count(len(one.fingerprints), 'fingerprint')}")
        if one.is_of_threads and rules.records:
            lines += _record_lines(rules.kind, rules.records.rules)
        else:
            lines += _rule_lines(one.wrapper)
        lines += _record_lines("comments", [rules.comments] if rules.comments else [])
    return _text(lines)


def wrappers_json(host: str, stored: Sequence[Template]) -> str:
    """The stored wrappers of a host as one JSON object, by template id."""
    return _json({one.id: one.rules.to_dict() for one in stored if one.rules})


def versions_text(
    host: str, versions: Mapping[str, Sequence[RulesVersion]], as_json: bool | None
) -> str:
    """The versions of a host's wrappers, by template id, the oldest first."""
    if as_json:
        return _json(
            {
                id: [{**vars(one), "rules": one.rules.to_dict()} for one in found]
                for id, found in versions.items()
            }
        )
    lines = [f"{host}: {_count(len(versions), 'template')}"]
    for id, found in versions.items():
        lines += ["", f"template {id}"]
        for one in found:
            lines.append(f"  version {one.version}, {one.saved_at}: {one.reason}")
            lines += (f"  {line}" for line in _wrapper_lines(one.wrapper))
            lines += (f"    keep  {xpath}" for xpath in one.wrapper.keep)
    return _text(lines)


def _template_lines(template: TemplateExplanation) -> Iterator[str]:
    stored = f" of template {template.template_id}" if template.template_id else ""
    yield f"{_count(len(template.pages), 'page')}{stored}"
    yield from (f"  {page}" for page in template.pages)
    is_by_rank = template.wrapper.method in RANKING_METHODS
    if is_by_rank:
        yield from _ranking_lines(template.ranking)
    yield from ("", "wrapper", *_wrapper_lines(template.wrapper))
    names = _name_expressions(template.expressions)
    for expression in template.expressions:
        yield from _expression_lines(names[expression.xpath], expression, len(template.pages))
    yield from ("", "page by page")
    for page in template.page_explanations:
        yield from _page_lines(page, names if page.method == template.wrapper.method else {})
    if not is_by_rank:
        yield from _ranking_lines(template.ranking)


def _ranking_lines(ranking: Sequence[PatternRow]) -> Iterator[str]:
    if ranking:
        yield ""
        yield "ranking of patterns, R = I * p * level (x, y, J, U: means over the pages)"
        yield from _table(ranking)


def _name_expressions(expressions: Sequence[Expression]) -> dict[str, str]:
    """A short name for each expression: ``keep 1``, ``drop 2``."""
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for expression in expressions:
        counts[expression.role] += 1
        names[expression.xpath] = f"{expression.role} {counts[expression.role]}"
    return names


def _table(rows: Sequence[PatternRow]) -> Iterator[str]:
    """The ranking: numbers aligned to the right, then the expression."""
    names = [field.name for field in fields(PatternRow) if field.name != "xpath"]
    cells = [names, *([f"{getattr(row, name):g}" for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line, xpath in zip(cells, ("XPath", *(row.xpath for row in rows)), strict=True):
        aligned = (cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        yield f"  {'  '.join(aligned)}  {xpath}"


def _wrapper_lines(wrapper: Wrapper) -> Iterator[str]:
    evidence = wrapper.evidence
    yield (
        f"  {wrapper.method}, learned from {_count(evidence.pages, 'page')},"
        f" with content on {evidence.match:.0%} of them; takes {_taken(wrapper)}"
    )
    if evidence.score:
        yield f"  score {evidence.score:g}, signifiers from {evidence.signifiers}"
    if evidence.runner_up:
        yield f"  runner-up {evidence.runner_up}, score {evidence.runner_up_score:g}"


def _taken(wrapper: Wrapper) -> str:
    if wrapper.source == "entry":
        return "the text of the feed entry"
    return "all elements found" if wrapper.take == "all" else f"the {wrapper.take} element found"


def _expression_lines(name: str, expression: Expression, pages: int) -> Iterator[str]:
    yield f"  {name}  {expression.xpath}"
    yield f"          found on {expression.found_on} of {_count(pages, 'page')}"
    for rule in expression.rules:
        part = f" {rule.xpath}" if len(expression.rules) > 1 else ""
        pages_seen = _count(rule.pages, "page")
        yield f"          learned on {pages_seen}, confidence {rule.confidence:.2f}{part}"


def _page_lines(page: PageExplanation, names: Mapping[str, str]) -> Iterator[str]:
    yield f"  {page.url}"
    if not page.characters:
        yield "    no method found any text"
        return
    found_by = names.get(page.xpath, page.xpath) or "the feed entry"
    yield f"    {page.characters} characters by {page.method}, {found_by}"
    if page.text:
        yield from (f"    kept: {line}" for line in page.text.splitlines())
    else:
        yield f"    first: {page.first}"
        yield f"    last:  {page.last}"
    if page.unseen:
        yield f"    unseen: {_count(page.unseen, 'segment')} scored by the classifier"
    for dropped in page.dropped:
        more = f" and {dropped.times - 1} more" if dropped.times > 1 else ""
        dropped_by = names.get(dropped.xpath, dropped.xpath) or "the classifier"
        yield f"    dropped by {dropped_by}: {dropped.text!r}{more}"


def _record_lines(name: str, rules: Sequence[RecordRules]) -> Iterator[str]:
    """Rules for records: their elements, and the internal paths of their values."""
    for one in rules:
        yield f"  {name}: {one.record}"
        yield from (f"    text  {path or '.'}" for path in one.text)
        yield from (f"    {found.type}  {found.path}" for found in one.attributes)


def _rule_lines(wrapper: Wrapper) -> Iterator[str]:
    """The expressions with their evidence."""
    for expression in explain_expressions(wrapper, ()):
        yield f"  {expression.role}  {expression.xpath}"
        for rule in expression.rules:
            part = f" {rule.xpath}" if len(expression.rules) > 1 else ""
            pages = _count(rule.pages, "page")
            yield f"        on {pages}, confidence {rule.confidence:.2f}{part}"


def _count(n: int, noun: str) -> str:
    """
    >>> _count(1, "page"), _count(2, "page")
    ('1 page', '2 pages')
    """
    return f"{n} {noun}{'s' * (n != 1)}"


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


_BOLD, _GREEN, _YELLOW, _END = "\x1b[1m", "\x1b[32m", "\x1b[33m", "\x1b[0m"
#: The starts of lines, and the colour of the line.
_STARTS = (
    (re.compile(r"(wrapper|page by page|ranking of patterns.*)$"), _BOLD),
    (re.compile(r" *(keep \d+ |kept: |first: |last: )"), _GREEN),
    (re.compile(r" *(drop \d+ |dropped by )"), _YELLOW),
)


def colour_lines(text: str, force: bool = False) -> str:
    """The output of ``explain`` with headings in bold, what is kept in green and what is dropped in
    yellow, if standard output is a terminal and ``NO_COLOR`` is not set, or if ``force`` is given.

    >>> colour_lines("page by page\\n    dropped by drop 1: 'x'\\n", force=True)
    "\\x1b[1mpage by page\\x1b[0m\\n\\x1b[33m    dropped by drop 1: 'x'\\x1b[0m\\n"
    """
    if not force and (os.environ.get("NO_COLOR") or not sys.stdout.isatty()):
        return text
    return "".join(map(_colour, text.splitlines(keepends=True)))


def _colour(line: str) -> str:
    for start, colour in _STARTS:
        if start.match(line):
            return f"{colour}{line.rstrip()}{_END}\n"
    return line

"""How the commands print what they found: for people, or as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from forest_scrapy.commands.explanation import Explanation, Part
from forest_scrapy.core import Wrapper
from forest_scrapy.core.explain import Expression, PageExplanation, PatternRow, explain_expressions
from forest_scrapy.stores import StoredWrapper

__all__ = ["explanation_json", "explanation_text", "hosts_text", "wrappers_json", "wrappers_text"]


def explanation_text(found: Explanation) -> str:
    """Notes first, then each part: pages, ranking, what is kept and dropped, page by page."""
    lines = [f"note: {note}" for note in found.notes]
    for part in found.parts:
        lines += ["", *_part_lines(part)] if lines else _part_lines(part)
    return _text(lines)


def explanation_json(found: Explanation) -> str:
    """The same as one object."""
    parts = [{**asdict(part), "wrapper": part.wrapper.to_dict()} for part in found.parts]
    return _json({**asdict(found), "parts": parts})


def hosts_text(hosts: Mapping[str, int], as_json: bool | None) -> str:
    """The hosts with the number of their templates."""
    if as_json:
        return _json(dict(hosts))
    lines = [f"{host}  {n} template{'s' * (n != 1)}" for host, n in hosts.items()]
    return _text(lines or ["no wrapper is stored yet"])


def wrappers_text(host: str, stored: Sequence[StoredWrapper]) -> str:
    """A host's wrappers for people to read."""
    lines = [f"{host}: {len(stored)} template{'s' * (len(stored) != 1)}"]
    for one in stored:
        known = len(one.fingerprints)
        lines += ["", f"template {one.template_id}", *_wrapper_lines(one.wrapper)]
        lines.append(f"  known by {known} fingerprint{'s' * (known != 1)}")
        lines += _rule_lines(one.wrapper)
    return _text(lines)


def wrappers_json(host: str, stored: Sequence[StoredWrapper]) -> str:
    """A host's wrappers by the ids of their templates."""
    return _json({one.template_id: one.wrapper.to_dict() for one in stored})


def _part_lines(part: Part) -> Iterator[str]:
    n = len(part.pages)
    yield f"{n} page{'s' * (n != 1)}{f' of template {part.template}' if part.template else ''}"
    yield from (f"  {page}" for page in part.pages)
    if part.ranking:
        yield from ("", "ranking of patterns, R = I * p * level (x, y, J, U: means over the pages)")
        yield from _table(part.ranking)
    yield from ("", "wrapper", *_wrapper_lines(part.wrapper))
    names = _name_expressions(part.expressions)
    for expression in part.expressions:
        yield from _expression_lines(names[expression.xpath], expression, n)
    yield from ("", "page by page")
    for outcome in part.outcomes:
        yield from _outcome_lines(outcome, names if outcome.method == part.wrapper.method else {})


def _name_expressions(expressions: Sequence[Expression]) -> dict[str, str]:
    """A short name for each expression: ``keep 1``, ``drop 2``."""
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for expression in expressions:
        counts[expression.role] += 1
        names[expression.xpath] = f"{expression.role} {counts[expression.role]}"
    return names


def _table(rows: Sequence[PatternRow]) -> Iterator[str]:
    """The ranking, columns to the right, the expression last."""
    names = [field.name for field in fields(PatternRow) if field.name != "xpath"]
    cells = [names, *([f"{getattr(row, name):g}" for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line, xpath in zip(cells, ("XPath", *(row.xpath for row in rows)), strict=True):
        aligned = (cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        yield f"  {'  '.join(aligned)}  {xpath}"


def _wrapper_lines(wrapper: Wrapper) -> Iterator[str]:
    evidence = wrapper.evidence
    yield (
        f"  {wrapper.method}, learned from {evidence.pages} page{'s' * (evidence.pages != 1)},"
        f" with content on {evidence.match:.0%} of them; takes {_taken(wrapper)}"
    )
    if evidence.score:
        yield f"  score {evidence.score:g}, signifiers from {evidence.signifiers}"
    if evidence.runner_up:
        yield f"  runner-up {evidence.runner_up} with {evidence.runner_up_score:g}"
    if evidence.cut_reason:
        yield f"  pages held together up to distance {evidence.cut:.2f}: {evidence.cut_reason}"


def _taken(wrapper: Wrapper) -> str:
    if wrapper.source == "entry":
        return "what the feed says"
    return {"all": "all that is found"}.get(wrapper.take, f"the {wrapper.take} of what is found")


def _expression_lines(name: str, expression: Expression, pages: int) -> Iterator[str]:
    yield f"  {name}  {expression.xpath}"
    yield f"          found on {expression.found_on} of {pages} page{'s' * (pages != 1)}"
    for rule in expression.rules:
        part = f" {rule.xpath}" if len(expression.rules) > 1 else ""
        yield f"          learned on {rule.pages}, confidence {rule.confidence:.2f}{part}"


def _outcome_lines(outcome: PageExplanation, names: Mapping[str, str]) -> Iterator[str]:
    yield f"  {outcome.url}"
    if not outcome.characters:
        yield "    nothing found, by any method"
        return
    by = names.get(outcome.xpath, outcome.xpath) or "the feed"
    yield f"    {outcome.characters} characters by {outcome.method}, {by}"
    yield f"    first: {outcome.first}"
    yield f"    last:  {outcome.last}"
    if outcome.unseen:
        yield f"    judged: {outcome.unseen} segments where the template was seen with none"
    for dropped in outcome.dropped:
        times = f" and {dropped.times - 1} more" if dropped.times > 1 else ""
        by = names.get(dropped.xpath, dropped.xpath) or "judgement"
        yield f"    left out by {by}: {dropped.text!r}{times}"


def _rule_lines(wrapper: Wrapper) -> Iterator[str]:
    """The expressions, and what was known of them when they were learned."""
    for expression in explain_expressions(wrapper, ()):
        yield f"  {expression.role}  {expression.xpath}"
        for rule in expression.rules:
            part = f" {rule.xpath}" if len(expression.rules) > 1 else ""
            yield f"        on {rule.pages} pages, confidence {rule.confidence:.2f}{part}"


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"

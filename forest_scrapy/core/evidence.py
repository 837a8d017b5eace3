"""What a wrapper rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from forest_scrapy.core.errors import BadWrapper

__all__ = ["Evidence", "Rule"]


@dataclass(frozen=True)
class Rule:
    """An expression of ``keep`` or ``drop``: on how many of the pages it stands, and how confident
    it is, the mean verdict on the text there, 0 to 1."""

    xpath: str = ""
    pages: int = 0
    confidence: float = 0.0


@dataclass(frozen=True)
class Evidence:
    """What a wrapper rests on.

    ``pages`` it was learned from; ``signifiers``: where they came from (``feed``, ``tf-idf``,
    ``page``); ``score``: the method's own relevance of the first expression, comparable
    within the method only; ``runner_up`` and its score; ``match``: the share of the pages on
    which one of the expressions finds something; ``linked_headings``: the most that one of
    them has in its content.  ``cut``: the distance up to which pages were put into the
    template, and why it is this one.  ``text_at``: the place where most of the pages' text
    stands, which is what a template is named after.  ``rules``: what each expression rests on,
    where the method judges segments.
    """

    pages: int = 0
    signifiers: str = ""
    score: float = 0.0
    runner_up: str = ""
    runner_up_score: float = 0.0
    match: float = 0.0
    linked_headings: int = 0
    cut: float = 0.0
    cut_reason: str = ""
    text_at: str = ""
    rules: tuple[Rule, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "rules": [asdict(rule) for rule in self.rules]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Evidence:
        """Raises ``BadWrapper`` for a value of another type, ``TypeError`` for an unknown one."""
        evidence = cls(**data)
        given: Any = evidence.rules
        evidence = replace(evidence, rules=tuple(Rule(**rule) for rule in given))
        for rule in evidence.rules:
            _check_types("rules", rule)
        _check_types("evidence", evidence)
        return evidence


def _check_types(where: str, given: Rule | Evidence) -> None:
    for part in fields(given):
        value, kind = getattr(given, part.name), type(part.default)
        if not isinstance(value, (int, float) if kind is float else kind):
            raise BadWrapper(f"{where}: {part.name} is {value!r}, not of type {kind.__name__}")

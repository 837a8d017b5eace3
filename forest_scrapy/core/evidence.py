"""What a wrapper rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from html import escape
from typing import Any

from forest_scrapy.core.errors import BadRules

__all__ = ["Evidence", "Rule", "rules_table"]


@dataclass(frozen=True)
class Rule:
    """What an expression of ``keep`` or ``drop``, or one part of a union, rests on.

    ``pages``: on how many of the pages it finds something.  ``confidence``: the mean
    probability, 0 to 1, that the text there is content (for ``drop``: that it is not).
    """

    xpath: str = ""
    pages: int = 0
    confidence: float = 0.0


@dataclass(frozen=True)
class Evidence:
    """What a wrapper rests on.

    - ``pages``: the number of pages it was learned from.
    - ``signifiers``: where the method's signals came from: ``feed``, ``query`` (the search that
      the page answers), ``tf-idf``, ``page`` (its own title and description) or ``segments``.
    - ``score``: the method's score of the first expression; ``runner_up`` and
      ``runner_up_score``: the next best.  Scores of different methods cannot be compared.
    - ``match``: the share of the pages on which the wrapper finds text, 0 to 1.
    - ``linked_headings``: the largest number of linked headings in the content of one page.
    - ``cut``, ``cut_reason``: the distance at which the template was cut from the host's other
      pages, and why there.
    - ``text_at``: the anchored path that holds the largest share of the pages' text; templates
      are named after it.
    - ``rules``: what each expression rests on, for methods that score segments.
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
        """The evidence as JSON values."""
        return {**asdict(self), "rules": [asdict(rule) for rule in self.rules]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Evidence:
        """The evidence of ``to_dict``.  Raises ``BadRules`` for a value of another type,
        ``TypeError`` for an unknown key."""
        evidence = cls(**data)
        given: Any = evidence.rules
        evidence = replace(evidence, rules=tuple(Rule(**rule) for rule in given))
        for rule in evidence.rules:
            _check_types("rules", rule)
        _check_types("evidence", evidence)
        return evidence


def rules_table(method: str, keep: Iterable[str], drop: Iterable[str], evidence: Evidence) -> str:
    """The expressions of a wrapper with the evidence for them, as HTML.

    >>> rules_table("forest", ["//p[.='<']"], (), Evidence())[-89:]
    '<td>keep</td><td><code>//p[.=&#x27;&lt;&#x27;]</code></td><td></td><td></td></tr></table>'
    """
    rows = ["<tr><th>rule</th><th>XPath</th><th>pages</th><th>confidence</th></tr>"]
    for role, xpath in (*(("keep", one) for one in keep), *(("drop", one) for one in drop)):
        found = [rule for rule in evidence.rules if rule.xpath in (xpath, *xpath.split(" | "))]
        pages = "<br>".join(str(rule.pages) for rule in found)
        confidence = "<br>".join(f"{rule.confidence:.2f}" for rule in found)
        rows.append(
            f"<tr><td>{role}</td><td><code>{escape(xpath)}</code></td>"
            f"<td>{pages}</td><td>{confidence}</td></tr>"
        )
    about = f"<p>{escape(method)}, learned from {evidence.pages} pages</p>"
    return f"{about}<table>{''.join(rows)}</table>"


def _check_types(name: str, given: Rule | Evidence) -> None:
    for part in fields(given):
        value, kind = getattr(given, part.name), type(part.default)
        if not isinstance(value, (int, float) if kind is float else kind):
            raise BadRules(f"{name}: {part.name} is {value!r}, not of type {kind.__name__}")

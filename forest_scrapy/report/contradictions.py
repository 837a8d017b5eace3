"""Rules that one wrapper has and another contradicts, on the same pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forest_scrapy.core import Page, Wrapper
from forest_scrapy.core.page.tree import Element, find_elements
from forest_scrapy.report.marks import Marks, mark_parts, mark_states

__all__ = ["Contradiction", "find_contradictions"]


@dataclass(frozen=True)
class Contradiction:
    """A rule of a wrapper learned again that the wrapper contradicts: it keeps text that the rule
    drops, or does not keep text that the rule keeps.

    ``role``: ``keep`` or ``drop``; ``pages``: the share of the pages with such text, 0 to 1;
    ``confidence``: of the rule, 0 to 1; ``text``: the first such text.
    """

    role: str
    xpath: str
    pages: float
    confidence: float
    text: str

    @property
    def weight(self) -> float:
        """How much it says against the wrapper, 0 to 1: nothing if the rule is as likely wrong as
        right, all if it is certain and every page has such text."""
        return self.pages * max(0.0, 2 * self.confidence - 1)


def find_contradictions(
    pages: Sequence[Page], wrapper: Wrapper, again: Wrapper
) -> tuple[Contradiction, ...]:
    """The rules of ``again`` that ``wrapper`` contradicts, those that weigh most first.  Cost: both
    are applied to each page."""
    counts = dict.fromkeys(again.evidence.rules, 0)
    texts: dict[object, str] = {}
    for page in pages:
        differing = _differing(page, wrapper, again)
        for rule in counts:
            role = _role(rule.xpath, again)
            first = _first_text(page, rule.xpath, differing, role) if role else ""
            if first:
                counts[rule] += 1
                texts.setdefault(rule, first)
    rows = [
        Contradiction(
            _role(rule.xpath, again),
            rule.xpath,
            count / len(pages),
            rule.confidence,
            texts[rule],
        )
        for rule, count in counts.items()
        if count
    ]
    return tuple(sorted(rows, key=lambda row: (-row.weight, row.role, row.xpath)))


def _role(xpath: str, wrapper: Wrapper) -> str:
    for role, rules in (("drop", wrapper.drop), ("keep", wrapper.keep)):
        if any(xpath in (rule, *rule.split(" | ")) for rule in rules):
            return role
    return ""


def _differing(page: Page, wrapper: Wrapper, again: Wrapper) -> dict[Element, tuple[str, str]]:
    """The elements whose own text only one of the wrappers keeps, with the role of a rule that
    would explain it, ``drop`` if ``again`` does not keep it, and the text."""
    marks: Marks = {}
    for number, one in enumerate((wrapper, again)):
        mark_parts(marks, page, one, one.apply(page), number)
    states, states_again = (mark_states(marks, page, number) for number in (0, 1))
    differing: dict[Element, tuple[str, str]] = {}
    for leaf in page.outline.leaves:
        is_kept, is_kept_again = states[leaf.node] == "kept", states_again[leaf.node] == "kept"
        if is_kept != is_kept_again:
            role = "keep" if is_kept_again else "drop"
            differing.setdefault(page.outline.nodes[leaf.node].element, (role, leaf.text.strip()))
    return differing


def _first_text(
    page: Page, xpath: str, differing: dict[Element, tuple[str, str]], role: str
) -> str:
    if not any(kind == role for kind, _ in differing.values()):
        return ""
    found = set(find_elements(xpath, page.root))
    for element, (kind, text) in differing.items():
        if kind == role and any(up in found for up in (element, *element.iterancestors())):
            return text
    return ""

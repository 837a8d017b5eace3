"""What kind of pages a template has: articles, threads, products, lists, or others.

A classifier that is trained on templates of known kinds decides, from what ``signals`` reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from forest_scrapy.core.records.kinds.model import KindModel, default_kind_model
from forest_scrapy.core.records.kinds.signals import TemplateFacts

__all__ = ["KINDS", "Kind", "choose_kind", "choose_template_kind"]

#: The kinds of templates.
KINDS = ("article", "thread", "product", "listing", "other")

#: If articles are preferred, a template is one of articles from these probabilities on, instead of
#: another kind, and instead of ``other``.  Chosen on the same templates of other sites than
#: trained on that are reported, so that 0.98 of the articles are kept.
LEAST_ARTICLE, LEAST_ARTICLE_OR_OTHER = 0.07, 0.05
#: Reasons that are named.
_MOST_REASONS = 4


@dataclass(frozen=True)
class Kind:
    """One of ``KINDS``, and what tells so, in words."""

    name: str = "other"
    evidence: tuple[str, ...] = ()


def choose_template_kind(
    facts: TemplateFacts, prefer_articles: bool = False, model: KindModel | None = None
) -> Kind:
    """The kind of the pages of a template, by what was read from them.

    ``prefer_articles``: in doubt they are articles.  ``model``: None for the one of the package.
    """
    model = model or default_kind_model()
    chances = model.predict(facts.numbers)
    name = choose_kind(chances, prefer_articles)
    reasons = model.reasons(facts.numbers, name)[:_MOST_REASONS]
    named = ", ".join(f"{reason} {odds:+.1f}" for reason, odds in reasons if odds > 0)
    return Kind(name, (f"probability {chances[name]:.2f}: {named}", *facts.evidence))


def choose_kind(chances: Mapping[str, float], prefer_articles: bool = False) -> str:
    """The kind for these probabilities.

    >>> chances = {"article": 0.1, "listing": 0.9}
    >>> choose_kind(chances), choose_kind(chances, prefer_articles=True)
    ('listing', 'article')
    """
    best = max(chances, key=lambda kind: (round(chances[kind], 6), kind))
    least = LEAST_ARTICLE_OR_OTHER if best == "other" else LEAST_ARTICLE
    return "article" if prefer_articles and chances["article"] >= least else best

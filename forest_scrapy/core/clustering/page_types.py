"""Page kinds: does a page, or a template, look like articles?

Asked only where no feed says so.  Every sign is something that the page shows or declares; the
points given for it were set on recorded sites with known kinds, and are whole or half numbers
so that a verdict can be followed by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import fmean
from typing import Any

from forest_scrapy.core.document.page import Page

__all__ = ["Signals", "choose_article_templates", "is_article", "read_signals", "template_score"]

#: Points from which a lone page is taken for an article, and a template's pages in the mean.
PAGE_SCORE = 1.5
TEMPLATE_SCORE = 3.0

_HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
_DATE_META = (
    "article:published_time", "datepublished", "date", "pubdate", "dc.date.issued",
)  # fmt: skip


@dataclass(frozen=True)
class Signals:
    """What a page shows: words outside and inside links, headings, headings that are links
    (teasers of other pages), ``article`` elements, and whether it declares itself an article,
    or a date of publication."""

    plain_words: int
    linked_words: int
    main_headings: int
    linked_headings: int
    article_elements: int
    declares_article: bool
    declares_date: bool

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Signals:
        return cls(**data)


def read_signals(page: Page) -> Signals:
    """The signals of a page, in one walk over its outline."""
    outline = page.outline
    in_link = [False] * len(outline.nodes)
    in_heading = [False] * len(outline.nodes)
    linked_headings: set[int] = set()
    tags = [str(node.element.tag) for node in outline.nodes]
    for i, node in enumerate(outline.nodes):
        up = node.parent
        in_link[i] = tags[i] == "a" or (up >= 0 and in_link[up])
        in_heading[i] = tags[i] in _HEADINGS or (up >= 0 and in_heading[up])
        if in_link[i] and in_heading[i] and (tags[i] == "a" or tags[i] in _HEADINGS):
            linked_headings.add(i)
    words = [0, 0]
    for leaf in outline.leaves:
        words[in_link[leaf.node]] += len(leaf.text.split()) or 1
    return Signals(
        plain_words=words[False],
        linked_words=words[True],
        main_headings=tags.count("h1"),
        linked_headings=len(linked_headings),
        article_elements=tags.count("article"),
        declares_article=page.declared.is_article,
        declares_date=bool(page.declared.first_meta(*_DATE_META)),
    )


def article_score(signals: Signals) -> float:
    """How much a page looks like one article; a listing has few points, or less than none."""
    words = signals.plain_words + signals.linked_words
    points = 2.0 * signals.plain_words / words if words else 0.0
    points += 2.0 * signals.declares_article + 2.0 * signals.declares_date
    points += 1.0 * (signals.main_headings == 1) + 1.0 * (signals.article_elements == 1)
    points -= 1.0 * (signals.article_elements > 2)
    return points - 0.25 * min(signals.linked_headings, 8)


def is_article(signals: Signals) -> bool:
    """Whether a lone page looks like an article."""
    return article_score(signals) >= PAGE_SCORE


def choose_article_templates(templates: Sequence[Sequence[Signals]]) -> list[int]:
    """Which of a site's templates, given as the signals of their pages, are articles: the one
    with most points, and every other of two pages or more that has enough a page."""
    seen = [i for i, pages in enumerate(templates) if pages]
    ranked = sorted(seen, key=lambda i: (-template_score(templates[i]), i))
    return [
        i
        for i in ranked
        if i == ranked[0] or (len(templates[i]) > 1 and _mean(templates[i]) >= TEMPLATE_SCORE)
    ]


def template_score(pages: Sequence[Signals]) -> float:
    """How much a template looks like the articles of its site: points a page, times the root
    of the pages, since a lone page with many points is rarely what a site is about."""
    return _mean(pages) * sqrt(len(pages)) if pages else 0.0


def _mean(pages: Sequence[Signals]) -> float:
    return fmean(map(article_score, pages))

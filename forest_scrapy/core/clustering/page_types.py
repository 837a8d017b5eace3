"""Page types: whether a page, or the pages of a template, look like articles.

Needed only if no feed links the pages.  A page's score is the sum of simple signals, with weights
in steps of a quarter, so that it can be checked by hand.  Weights and thresholds were chosen by
hand on feeds-dev, whose pages have a known type, and not tuned further; to measure:
``python -m benchmarks.templates SET``, the rows without entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import fmean
from typing import Any

from forest_scrapy.core.document.page import Page

__all__ = ["Signals", "choose_article_templates", "is_article", "read_signals", "template_score"]

#: The least score of a single page that is an article.
PAGE_SCORE = 1.5
#: The least mean score of the pages of a template of articles, unless it is the site's best.
TEMPLATE_SCORE = 3.0

_LINKS = frozenset(("a",))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
_DATE_META = (
    "article:published_time", "datepublished", "date", "pubdate", "dc.date.issued",
)  # fmt: skip


@dataclass(frozen=True)
class Signals:
    """Counts on a page: words outside and inside links, ``h1`` headings, headings that are links
    (teasers of other pages) and ``article`` elements; and whether it declares that it is an
    article, and a date of publication."""

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
    """The signals of a page.  Cost: linear in the number of its elements."""
    outline = page.outline
    tags = [node.tag for node in outline.nodes]
    in_link, in_heading = outline.inside(_LINKS), outline.inside(_HEADINGS)
    linked_headings = sum(
        is_linked and is_heading and (tag in _LINKS or tag in _HEADINGS)
        for tag, is_linked, is_heading in zip(tags, in_link, in_heading, strict=True)
    )
    words = [0, 0]
    for leaf in outline.leaves:
        words[in_link[leaf.node]] += len(leaf.text.split())
    return Signals(
        plain_words=words[False],
        linked_words=words[True],
        main_headings=tags.count("h1"),
        linked_headings=linked_headings,
        article_elements=tags.count("article"),
        declares_article=page.declared.is_article,
        declares_date=bool(page.declared.first_meta(*_DATE_META)),
    )


def article_score(signals: Signals) -> float:
    """How much a page looks like an article; the score of a listing is low or negative."""
    words = signals.plain_words + signals.linked_words
    score = 2.0 * signals.plain_words / words if words else 0.0
    score += 2.0 * signals.declares_article + 2.0 * signals.declares_date
    score += 1.0 * (signals.main_headings == 1) + 1.0 * (signals.article_elements == 1)
    score -= 1.0 * (signals.article_elements > 2)
    return score - 0.25 * min(signals.linked_headings, 8)


def is_article(signals: Signals) -> bool:
    """Whether a single page looks like an article."""
    return article_score(signals) >= PAGE_SCORE


def choose_article_templates(templates: Sequence[Sequence[Signals]]) -> list[int]:
    """Indices of the templates whose pages look like articles, best first: the template with the
    highest score, and every other with two or more pages and a mean of ``TEMPLATE_SCORE``.

    ``templates``: the signals of each template's pages.
    """
    seen = [i for i, pages in enumerate(templates) if pages]
    ranked = sorted(seen, key=lambda i: (-template_score(templates[i]), i))
    return [
        i
        for i in ranked
        if i == ranked[0] or (len(templates[i]) > 1 and _mean(templates[i]) >= TEMPLATE_SCORE)
    ]


def template_score(pages: Sequence[Signals]) -> float:
    """How much a template looks like the articles of its site: the mean score of its pages times
    the square root of their number, since a site's articles are rarely a single page."""
    return _mean(pages) * sqrt(len(pages)) if pages else 0.0


def _mean(pages: Sequence[Signals]) -> float:
    return fmean(map(article_score, pages))

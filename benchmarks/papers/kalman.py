"""Kalman filters over the terms of a page (thesis 1.2.3): a change is the version that does not
match the prediction.

As the thesis tells of it, a page is a vector of the frequencies of terms, "an incomplete vector
space model": here the most frequent terms of its first version.  Each has a filter with one state,
its frequency, which stays as it is but for noise.  The first versions train the noise of the
measurements.  A version is a change if the squared innovations, each by its variance, have a sum
that is three standard deviations above what is expected of so many terms (chi-squared).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from benchmarks.history.edits import (
    EDITS,
    EditablePage,
    add_advert,
    add_related,
    change_page,
    count_up,
)
from benchmarks.papers.changes.articles import SitePage, read_article
from benchmarks.papers.changes.documents import read_document, text_of
from benchmarks.papers.tables import Row, print_table
from benchmarks.papers.zhang import Figures
from benchmarks.sets.bench_set import BenchPage
from forest_scrapy.core.changes import TextSummary, summarize_text

#: Terms of a page, and versions that train its filters.
TERMS = 50
TRAINING = 5
#: The variance of the frequency from one version to the next, and the least one of a measurement.
PROCESS_VARIANCE = 0.01
MIN_VARIANCE = 0.05
#: Standard deviations above the expected sum.
DEVIATIONS = 3.0

#: Versions of a page, and after how many of them its article changes once each.
DAYS = 20
EVENTS = (9, 15)
SEED = 2012

Vector = NDArray[np.float64]


def count_terms(text: str, terms: Sequence[str]) -> Vector:
    """The frequencies of some terms in a text.

    >>> count_terms("an owl saw an elk", ["an", "owl", "sea"]).tolist()
    [2.0, 1.0, 0.0]
    """
    counts = Counter(text.lower().split())
    return np.array([counts[term] for term in terms], dtype=np.float64)


def predict_changes(texts: Sequence[str], training: int = TRAINING) -> list[int]:
    """The numbers of the versions that do not match the prediction; none of those for training.

    >>> predict_changes(["an owl saw an elk"] * 7 + ["rain and wind"] * 2)
    [7]
    """
    words = Counter(texts[0].lower().split())
    terms = [term for term, _ in words.most_common(TERMS)]
    measurements = [count_terms(text, terms) for text in texts]
    trained = np.array(measurements[:training])
    noise = np.maximum(trained.var(axis=0), MIN_VARIANCE)
    state = trained.mean(axis=0)
    variance = noise / training
    limit = len(terms) + DEVIATIONS * np.sqrt(2 * len(terms))

    changes = []
    for number in range(training, len(texts)):
        variance = variance + PROCESS_VARIANCE
        innovation = measurements[number] - state
        innovation_variance = variance + noise
        if (innovation**2 / innovation_variance).sum() > limit:
            changes.append(number)
            # The page is another one now: the filters start from it.
            state = measurements[number]
            variance = noise
            continue
        gain = variance / innovation_variance
        state = state + gain * innovation
        variance = (1 - gain) * variance
    return changes


def print_predictions(pages: Sequence[SitePage]) -> None:
    """Precision and recall of changes of the article, by the filters and by what crawls compare."""
    found: dict[str, list[set[int]]] = {}
    for site_page in pages:
        versions = make_history(site_page.page)
        page_texts = [text_of(read_document(html)) for html in versions]
        articles = [read_article(site_page, html) for html in versions]
        article_texts = [article.text for article in articles]
        changes = {
            "Kalman, the page": predict_changes(page_texts),
            "digest, the page": find_differences([summarize_text(text) for text in page_texts]),
            "Kalman, the article": predict_changes(article_texts),
            "digest, the article": find_differences([article.summary for article in articles]),
        }
        for name, numbers in changes.items():
            found.setdefault(name, []).append(set(numbers))

    rows = []
    for name, all_numbers in found.items():
        figures = score_events(all_numbers)
        rows.append(Row(name, "", "; ".join(f"{value:.3f}" for value in figures)))
    print_table(
        "Thesis, 1.2.3: precision; recall; F1 of changes of the article",
        rows,
        f"{len(pages)} pages with {DAYS} made versions, of which {len(EVENTS)} change the article"
        f" and all have other adverts, counters and links; the first {TRAINING} train the filters.",
    )


def find_differences(summaries: Sequence[TextSummary]) -> list[int]:
    """The numbers of the versions whose summary differs from the one before, after those that
    train the filters."""
    differences = []
    for number in range(TRAINING, len(summaries)):
        if summaries[number].digest != summaries[number - 1].digest:
            differences.append(number)
    return differences


def make_history(page: BenchPage) -> list[bytes]:
    """Versions of a page, one a day: each with adverts, links and counters of its own, and from
    each of ``EVENTS`` on with one more change of the article."""
    versions = []
    for day in range(DAYS):

        def change(editable: EditablePage, day: int = day) -> None:
            chance = editable.chance
            for event in EVENTS:
                if day >= event:
                    # The same edit on each day from then on.
                    editable = EditablePage(
                        editable.root, editable.paragraphs, Random(f"{SEED} {event} {page.url}")
                    )
                    editable.chance.choice(EDITS[:3])(editable)
            editable = EditablePage(editable.root, editable.paragraphs, chance)
            for noise in (add_advert, add_related, count_up):
                noise(editable)

        versions.append(change_page(page, change, day))
    return versions


def score_events(found: Sequence[set[int]]) -> Figures:
    """Precision, recall and F1 of the versions found against ``EVENTS``.

    >>> score_events([{9, 10}, set()])
    Figures(precision=0.5, recall=0.25, f1=0.3333333333333333)
    """
    events = set(EVENTS)
    right = sum(len(numbers & events) for numbers in found)
    all_found = sum(map(len, found))
    all_events = len(events) * len(found)
    return Figures(
        precision=right / (all_found or 1),
        recall=right / (all_events or 1),
        f1=2 * right / (all_found + all_events or 1),
    )

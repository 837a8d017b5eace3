"""Change detection: which changes of a page are changes of its article."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from lxml import html

from benchmarks.history.edits import EDITS, NOISE, change_page, is_editable
from benchmarks.sets.bench_set import BenchPage, Group
from forest_scrapy.core import Page, Params, Wrapper, extract, learn
from forest_scrapy.core.changes import share_changed, summarize_text

#: The least share of shingles of a whole page that counts as a change.  The one with the highest
#: F1 on feeds-dev of 0.001, 0.002, 0.005, 0.01 and 0.02.
PAGE_SHARE = 0.005
#: Articles of a site that its wrapper is learned from.
MIN_ARTICLES = 5

#: Whether a page's article has changed, by method, from two versions of the page.
Detect = Callable[[BenchPage, bytes, bytes, Wrapper], bool]


def by_article(page: BenchPage, old: bytes, new: bytes, wrapper: Wrapper) -> bool:
    """The digest of the extracted text differs."""
    old_digest = _digest_text(page, old, wrapper)
    new_digest = _digest_text(page, new, wrapper)
    return old_digest != new_digest


def by_page_digest(page: BenchPage, old: bytes, new: bytes, wrapper: Wrapper) -> bool:
    """The digest of the whole page differs."""
    old_digest = blake2b(old).digest()
    new_digest = blake2b(new).digest()
    return old_digest != new_digest


def by_page_shingles(page: BenchPage, old: bytes, new: bytes, wrapper: Wrapper) -> bool:
    """The shingles of the whole page's text differ by more than ``PAGE_SHARE``."""
    old_text = _page_text(old)
    new_text = _page_text(new)
    share = share_changed(old_text, new_text)
    return share > PAGE_SHARE


METHODS: dict[str, Detect] = {
    "article text": by_article,
    "page digest": by_page_digest,
    "page shingles": by_page_shingles,
}


@dataclass
class _Tally:
    """``changes``: how many of each kind were made; ``right``: on how many of a kind a method was
    right, by the names of both."""

    changes: Counter[str] = field(default_factory=Counter)
    right: Counter[tuple[str, str]] = field(default_factory=Counter)


def score_changes(groups: Iterable[Group]) -> dict[str, Any]:
    """Precision and recall of each method over all changes of all pages, and the share of right
    answers for each kind of change."""
    tally = _Tally()
    for group in groups:
        pages = [page for page in group.articles if is_editable(page)]
        if len(pages) < MIN_ARTICLES:
            continue

        parsed_pages = [page.parse() for page in pages]
        wrapper = learn(parsed_pages, Params())
        for page in pages:
            _try_changes(page, wrapper, tally)
        print(f"changes: {group.name}", file=sys.stderr)

    scores = {}
    for method in METHODS:
        scores[method] = _score(method, tally)
    return scores


def _try_changes(page: BenchPage, wrapper: Wrapper, tally: _Tally) -> None:
    """Make all changes of a page, and count what the methods say of them in ``tally``."""
    old = change_page(page, NOISE[0], 0)
    for change in (*EDITS, *NOISE):
        new = change_page(page, change, 1)
        kind = change.__name__
        is_edit = change in EDITS
        tally.changes[kind] += 1
        for method, detect in METHODS.items():
            is_detected = detect(page, old, new, wrapper)
            if is_detected == is_edit:
                tally.right[method, kind] += 1


def _score(method: str, tally: _Tally) -> dict[str, Any]:
    edits = [change.__name__ for change in EDITS]
    noise = [change.__name__ for change in NOISE]

    total_edits = 0
    detected_edits = 0
    for kind in edits:
        total_edits += tally.changes[kind]
        detected_edits += tally.right[method, kind]

    false_alarms = 0
    for kind in noise:
        quiet = tally.right[method, kind]
        false_alarms += tally.changes[kind] - quiet

    precision = 0.0
    if detected_edits:
        alarms = detected_edits + false_alarms
        precision = detected_edits / alarms
    recall = detected_edits / max(1, total_edits)
    scores = {
        "changes": tally.changes.total(),
        "precision": round(precision, 4),
        "recall": round(recall, 4),
    }
    for kind in (*edits, *noise):
        changes = max(1, tally.changes[kind])
        share = tally.right[method, kind] / changes
        scores[kind] = round(share, 4)
    return scores


def _digest_text(page: BenchPage, body: bytes, wrapper: Wrapper) -> bytes:
    """The digest of the article's text, and of the texts of its links."""
    html_text = body.decode("utf-8", "replace")
    parsed = Page.from_html(html_text, page.url)
    _, extraction = extract(parsed, wrapper)
    content = extraction.content
    link_texts = tuple(link.text for link in content.links)
    summary = summarize_text(content.text, link_texts)
    return summary.digest


def _page_text(body: bytes) -> str:
    root = html.document_fromstring(body)
    return " ".join(root.itertext())

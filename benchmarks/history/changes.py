"""Change detection: which changes of a page are changes of its article."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any

from lxml import html

from benchmarks.history.edits import EDITS, NOISE, change_page, find_paragraphs
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
    return _digest(page, old, wrapper) != _digest(page, new, wrapper)


def by_page_digest(page: BenchPage, old: bytes, new: bytes, wrapper: Wrapper) -> bool:
    """The digest of the whole page differs."""
    return blake2b(old).digest() != blake2b(new).digest()


def by_page_shingles(page: BenchPage, old: bytes, new: bytes, wrapper: Wrapper) -> bool:
    """The shingles of the whole page's text differ by more than ``PAGE_SHARE``."""
    old_text = " ".join(html.document_fromstring(old).itertext())
    new_text = " ".join(html.document_fromstring(new).itertext())
    return share_changed(old_text, new_text) > PAGE_SHARE


METHODS: dict[str, Detect] = {
    "article text": by_article,
    "page digest": by_page_digest,
    "page shingles": by_page_shingles,
}


def score_changes(groups: Iterable[Group]) -> dict[str, Any]:
    """Precision and recall of each method over all changes of all pages, and the share of right
    answers for each kind of change."""
    right: Counter[tuple[str, str]] = Counter()
    kinds: Counter[str] = Counter()
    for group in groups:
        pages = [page for page in group.articles if _is_editable(page)]
        if len(pages) < MIN_ARTICLES:
            continue
        wrapper = learn([page.parse() for page in pages], Params())
        for page in pages:
            old = change_page(page, NOISE[0], 0)
            for change in (*EDITS, *NOISE):
                new = change_page(page, change, 1)
                kind = change.__name__
                is_edit = change in EDITS
                kinds[kind] += 1
                for name, detect in METHODS.items():
                    is_detected = detect(page, old, new, wrapper)
                    right[name, kind] += is_detected == is_edit
        print(f"changes: {group.name}", file=sys.stderr)
    return {name: _score(name, right, kinds) for name in METHODS}


def _score(name: str, right: Counter[tuple[str, str]], kinds: Counter[str]) -> dict[str, Any]:
    edits = [change.__name__ for change in EDITS]
    noise = [change.__name__ for change in NOISE]
    total_edits = sum(kinds[kind] for kind in edits)
    detected_edits = sum(right[name, kind] for kind in edits)
    false_alarms = sum(kinds[kind] - right[name, kind] for kind in noise)

    precision = 0.0
    if detected_edits:
        precision = detected_edits / (detected_edits + false_alarms)
    recall = detected_edits / max(1, total_edits)
    scores = {
        "changes": sum(kinds.values()),
        "precision": round(precision, 4),
        "recall": round(recall, 4),
    }
    for kind in (*edits, *noise):
        share = right[name, kind] / max(1, kinds[kind])
        scores[kind] = round(share, 4)
    return scores


def _digest(page: BenchPage, body: bytes, wrapper: Wrapper) -> bytes:
    parsed = Page.from_html(body.decode("utf-8", "replace"), page.url)
    content = extract(parsed, wrapper)[1].content
    link_texts = tuple(link.text for link in content.links)
    return summarize_text(content.text, link_texts).digest


def _is_editable(page: BenchPage) -> bool:
    if not page.html.strip():
        return False
    root = html.document_fromstring(page.html)
    return bool(find_paragraphs(page, root))

"""Change detection: which changes of a page are changes of its article."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any

from lxml import html

from benchmarks.bench_set import BenchPage, Group
from benchmarks.history_edits import EDITS, NOISE, change_page, find_paragraphs
from forest_scrapy.core import Page, Params, Wrapper, extract, learn
from forest_scrapy.core.changes import share_changed, summarize_text

#: The least share of shingles of a whole page that counts as a change.  The one with the highest
#: F1 on feeds-dev of 0.001, 0.002, 0.005, 0.01 and 0.02.
PAGE_SHARE = 0.005
#: The fewest articles of a site, which its wrapper is learned from.
_LEAST = 5

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
    texts = [" ".join(html.document_fromstring(body).itertext()) for body in (old, new)]
    return share_changed(*texts) > PAGE_SHARE


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
        if len(pages) < _LEAST:
            continue
        wrapper = learn([page.parse() for page in pages], Params())
        for page in pages:
            old = change_page(page, NOISE[0], 0)
            for change in (*EDITS, *NOISE):
                new = change_page(page, change, 1)
                kinds[change.__name__] += 1
                for name, detect in METHODS.items():
                    is_right = detect(page, old, new, wrapper) == (change in EDITS)
                    right[name, change.__name__] += is_right
        print(f"changes: {group.name}", file=sys.stderr)
    return {name: _score(name, right, kinds) for name in METHODS}


def _score(name: str, right: Counter[tuple[str, str]], kinds: Counter[str]) -> dict[str, Any]:
    edits, noise = ([change.__name__ for change in changes] for changes in (EDITS, NOISE))
    found = sum(right[name, kind] for kind in edits)
    wrong = sum(kinds[kind] - right[name, kind] for kind in noise)
    return {
        "changes": sum(kinds.values()),
        "precision": round(found / (found + wrong), 4) if found else 0.0,
        "recall": round(found / max(1, sum(kinds[kind] for kind in edits)), 4),
        **{kind: round(right[name, kind] / max(1, kinds[kind]), 4) for kind in (*edits, *noise)},
    }


def _digest(page: BenchPage, body: bytes, wrapper: Wrapper) -> bytes:
    parsed = Page.from_html(body.decode("utf-8", "replace"), page.url)
    content = extract(parsed, wrapper)[1].content
    return summarize_text(content.text, tuple(link.text for link in content.links)).digest


def _is_editable(page: BenchPage) -> bool:
    return bool(page.html.strip()) and bool(
        find_paragraphs(page, html.document_fromstring(page.html))
    )

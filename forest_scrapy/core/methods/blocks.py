"""What to keep and what to drop, from verdicts on the segments of a template's pages.

The kept text is written down as the places that hold it with little else, and the places
inside these whose text is not kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.evidence import Evidence, Rule
from forest_scrapy.core.patterns.anchored import AnchoredPath, anchored_xpath, write_anchored_path
from forest_scrapy.core.segments.scoring import ScoredPage, Scorer, score_pages
from forest_scrapy.core.segments.segmentation import segment_page
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["learn_blocks"]

#: What foreign text in a block weighs against the article's text in it; it can be dropped.
_FOREIGN = 0.5
#: A further block must hold so much of the kept text, and there are at most so many.
_LEAST_BLOCK, _MOST_BLOCKS = 0.05, 4
#: An element is dropped when at most so much of its text is kept.
_DROP_SHARE = 0.1
_MOST_DROPS = 60


def learn_blocks(method: str, judge: Scorer, pages: Sequence[Page]) -> Wrapper:
    """The wrapper that keeps what the judge takes for content, and drops the rest."""
    judged = score_pages(judge, [segment_page(page) for page in pages])
    keep = _keep_blocks(judged)
    uncovered = [page for page in judged if not _covered(page, keep)]
    spare = _keep_blocks(uncovered) if uncovered and len(uncovered) < len(judged) else []
    drops = _drop_places(judged, {*keep, *spare})
    kept_rules = {place: _rule(place, judged, keeps=True) for place in (*keep, *spare)}
    drop_rules = sorted((_rule(place, judged, keeps=False) for place in drops), key=_by_xpath)
    alternatives = [blocks for blocks in (keep, spare) if blocks]
    return Wrapper(
        method,
        tuple(" | ".join(kept_rules[p].xpath for p in blocks) for blocks in alternatives),
        Evidence(
            pages=len(pages),
            signifiers="segments",
            score=_kept_share(judged, set(keep)),
            rules=(*kept_rules.values(), *drop_rules),
        ),
        drop=tuple(rule.xpath for rule in drop_rules),
        take="all",
        known=_known_places(judged, {*keep, *spare}) if len(pages) > 1 else (),
    )


def _kept_share(pages: Sequence[ScoredPage], blocks: set[AnchoredPath]) -> float:
    """The share of the kept text that stands in the blocks."""
    total = sum(int(page.kept[-1]) for page in pages)
    inside = sum(page.counts(node)[0] for page in pages for node in page.blocks(blocks))
    return round(inside / total, 4) if total else 0.0


def _keep_blocks(pages: Sequence[ScoredPage]) -> list[AnchoredPath]:
    """The places that hold the kept text with little else: the best, then those that hold
    what it leaves out."""
    total = sum(int(page.kept[-1]) for page in pages)
    chosen: list[AnchoredPath] = []
    while total and len(chosen) < _MOST_BLOCKS:
        gains: dict[AnchoredPath, float] = defaultdict(float)
        sizes: dict[AnchoredPath, int] = defaultdict(int)
        for page in pages:
            rest = page.without(set(chosen))
            for node, place in rest.outermost_nodes():
                kept, foreign = rest.counts(node)
                gains[place] += kept - _FOREIGN * foreign
                sizes[place] += kept
        ranked = sorted(gains, key=lambda p: (-round(gains[p], 3), -p.level, str(p)))
        if not ranked or sizes[ranked[0]] < _LEAST_BLOCK * total or gains[ranked[0]] <= 0:
            break
        best = ranked[0]
        chosen = [place for place in chosen if not _all_below(pages, place, best)] + [best]
    return chosen


def _all_below(pages: Sequence[ScoredPage], place: AnchoredPath, above: AnchoredPath) -> bool:
    """Whether on every page all elements of one place stand in elements of the other."""
    for page in pages:
        outer = set(page.blocks({above}))
        for node in page.blocks({place}):
            if not outer.intersection(page.outline.path(node)):
                return False
    return True


def _covered(page: ScoredPage, places: Sequence[AnchoredPath]) -> bool:
    """Whether the places hold most of what is kept of the page."""
    inside = sum(page.counts(node)[0] for node in page.blocks(set(places)))
    return inside >= 0.5 * int(page.kept[-1])


def _drop_places(pages: Sequence[ScoredPage], blocks: set[AnchoredPath]) -> list[AnchoredPath]:
    """The places inside the blocks whose text is not kept, outermost first, largest first."""
    kept: dict[AnchoredPath, int] = defaultdict(int)
    foreign: dict[AnchoredPath, int] = defaultdict(int)
    for page in pages:
        for node in page.inner_nodes(blocks):
            own = page.counts(node)
            kept[page.paths[node]] += own[0]
            foreign[page.paths[node]] += own[1]
    bad = {p for p in foreign if foreign[p] and kept[p] <= _DROP_SHARE * (kept[p] + foreign[p])}
    outer: set[AnchoredPath] = set()
    for page in pages:
        dropped: set[int] = set()
        for node in page.inner_nodes(blocks):
            if page.parent(node) in dropped:
                dropped.add(node)
            elif page.paths[node] in bad:
                dropped.add(node)
                outer.add(page.paths[node])
    return sorted(outer, key=lambda p: (-foreign[p], str(p)))[:_MOST_DROPS]


def _known_places(pages: Sequence[ScoredPage], blocks: set[AnchoredPath]) -> tuple[str, ...]:
    """The places in the blocks at which a segment was seen, in a short form."""
    seen: set[AnchoredPath] = set()
    for page in pages:
        inside = {*page.blocks(blocks), *page.inner_nodes(blocks)}
        seen.update(page.paths[s.block] for s in page.page.segments if s.block in inside)
    return tuple(sorted(map(write_anchored_path, seen)))


def _rule(place: AnchoredPath, pages: Sequence[ScoredPage], keeps: bool) -> Rule:
    """The expression for a place, on how many pages it stands, and the mean verdict there."""
    nodes = [(page, [n for n, seen in enumerate(page.paths) if seen == place]) for page in pages]
    elements = [page.outline.nodes[n].element for page, own in nodes for n in own]
    characters = sum(sum(page.counts(n)) for page, own in nodes for n in own)
    worth = sum(page.score_sum(n) for page, own in nodes for n in own)
    mean = worth / characters if characters else 0.5
    return Rule(
        anchored_xpath(place, elements),
        sum(bool(own) for _, own in nodes),
        round(mean if keeps else 1 - mean, 4),
    )


def _by_xpath(rule: Rule) -> str:
    return rule.xpath

"""``learn_records``: a wrapper for records from the pages of a template."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.errors import NotEnoughPages
from forest_scrapy.core.learning import learn, sample_pages
from forest_scrapy.core.params import Params
from forest_scrapy.core.records.attributes import learn_attributes, read_cells
from forest_scrapy.core.records.bodies import Cell, choose_bodies, choose_drops, weigh_paths
from forest_scrapy.core.records.groups import Group, find_lead, measure_groups, rank_groups
from forest_scrapy.core.records.hidden import has_hidden_content, show_hidden
from forest_scrapy.core.records.inside import Inner, Located, is_below, locate_records, walk_record
from forest_scrapy.core.records.keys import write_key, write_key_xpath
from forest_scrapy.core.records.kinds import find_kind
from forest_scrapy.core.records.prose import ProsePage, read_prose
from forest_scrapy.core.records.spans import find_reach
from forest_scrapy.core.records.wrapper import RecordEvidence, RecordRules, RecordWrapper
from forest_scrapy.core.segments.classifier import Classifier

__all__ = ["learn_records", "learn_rules"]


def learn_records(
    pages: Sequence[Page], params: Params | None = None, classifier: Classifier | None = None
) -> RecordWrapper:
    """The wrapper for the records of the pages of one template, learned without labels.

    It depends on the set of pages, not on their order.  One page is enough if it has several
    records.  If nothing is repeated, each page is a record, with the text that ``learn`` finds
    (``classifier`` as there).  Raises like ``learn``.  Cost: some 50 ms for each page.
    """
    if not pages:
        raise NotEnoughPages("records", 1, 0)
    sample = sample_pages(pages, (params or Params()).pages)
    hidden = sum(map(has_hidden_content, sample)) * 2 > len(sample)
    shown = read_prose([show_hidden(page) for page in sample] if hidden else sample)
    linked = read_prose([page.page for page in shown], linked=True)
    measured = measure_groups(shown)
    ranked = rank_groups(shown, measured)
    items = rank_groups(linked, measure_groups(linked))
    kind = find_kind(shown, linked, next(iter(ranked), None), next(iter(items), None))
    if kind.name == "listing" and items and _amount(linked) > _amount(shown):
        listed = learn_rules(linked, items[0])
        return RecordWrapper((listed,), None, hidden, kind, _describe(linked, items))
    if kind.name not in ("article", "product") and ranked and ranked[0].is_repeated:
        lead = find_lead(shown, measured, ranked[0])
        rules = tuple(learn_rules(shown, group) for group in (lead, ranked[0]) if group)
        return RecordWrapper(rules, None, hidden, kind, _describe(shown, ranked))
    article = learn([page.page for page in shown], params, classifier)
    return RecordWrapper((), article, hidden, kind, _describe(shown, ranked))


def _amount(pages: Sequence[ProsePage]) -> float:
    """The characters of prose, or of linked text, of all pages."""
    return sum(page.prose[-1] for page in pages)


def learn_rules(pages: Sequence[ProsePage], group: Group) -> RecordRules:
    """The rules for the records of a candidate."""
    outlines = [page.outline for page in pages]
    before, after = find_reach(outlines, group.nodes)
    inside = [
        (page, inner)
        for page, nodes in zip(pages, group.nodes, strict=True)
        for inner in _walk_all(page, locate_records(page.outline, nodes, before, after))
    ]
    cells = [cell for i, (page, inner) in enumerate(inside) for cell in _cells(i, page, inner)]
    weights = weigh_paths(cells)
    bodies = choose_bodies(cells, weights)
    values = [list(read_cells(page.page, inner)) for page, inner in inside]
    language = pages[0].page.language
    elements = [
        outline.nodes[node].element
        for outline, nodes in zip(outlines, group.nodes, strict=True)
        for node in nodes
    ]
    return RecordRules(
        write_key_xpath(group.key, elements),
        before,
        after,
        tuple(bodies),
        tuple(choose_drops(cells, weights, bodies)),
        learn_attributes(values, language, lambda p: any(is_below(p, body) for body in bodies)),
    )


def _walk_all(page: ProsePage, located: Sequence[Located]) -> list[list[Inner]]:
    known = {root for record in located for root, _ in record.roots}
    return [list(walk_record(page.outline, record, known)) for record in located]


def _cells(number: int, page: ProsePage, inner: Sequence[Inner]) -> list[Cell]:
    path_of, outline = dict(inner), page.outline
    first = outline.nodes[inner[0].node].first
    last = max(outline.nodes[node].last for node, _ in inner)
    begin, end = (
        bisect_left(page.segments, leaf, key=lambda segment: segment.first)
        for leaf in (first, last)
    )
    return [
        Cell(number, path_of[segment.block], segment.text, segment.linked)
        for segment in page.segments[begin:end]
        if segment.block in path_of
    ]


def _describe(pages: Sequence[ProsePage], groups: Sequence[Group]) -> RecordEvidence:
    if not groups:
        return RecordEvidence(pages=len(pages))
    best, second = groups[0], groups[1] if len(groups) > 1 else None
    return RecordEvidence(
        pages=len(pages),
        records=sum(map(len, best.nodes)),
        coverage=round(best.coverage, 4),
        alike=round(best.alike, 4),
        dated=round(best.dated, 4),
        score=round(best.score, 4),
        runner_up=write_key(second.key) if second else "",
        runner_up_score=round(second.score, 4) if second else 0.0,
    )

"""``learn_records``: a wrapper for records from the pages of a template."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from forest_scrapy.core.errors import NotEnoughPages
from forest_scrapy.core.methods.article import learn, sample_pages
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.records.attributes import learn_attributes, read_values_of
from forest_scrapy.core.records.bodies import (
    Cell,
    choose_bodies,
    choose_drops,
    find_inner_records,
    tell_text,
    weigh_paths,
)
from forest_scrapy.core.records.kind_signals import describe_template
from forest_scrapy.core.records.next_page import digest_words
from forest_scrapy.core.records.products.product import learn_product
from forest_scrapy.core.records.record import Inner, Located, locate_records, walk_record
from forest_scrapy.core.records.record_wrapper import RecordEvidence, RecordRules, RecordWrapper
from forest_scrapy.core.records.regions.groups import (
    Group,
    measure_groups,
    rank_groups,
    write_key,
    write_key_xpath,
)
from forest_scrapy.core.records.regions.items import find_list, is_person_url, read_item
from forest_scrapy.core.records.regions.lead import find_lead, find_reach
from forest_scrapy.core.records.regions.prose import ProsePage, read_prose, show_content
from forest_scrapy.core.records.regions.responses import find_responses
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.templates.kinds import (
    MIN_ITEMS,
    MIN_TITLED,
    Kind,
    TemplateFacts,
    choose_template_kind,
)


@dataclass(frozen=True)
class PageCandidates:
    """The pages of a template as ``learn_records`` reads them, and the candidates for records.

    ``shown`` and ``linked``: the pages with their prose, and with their linked text; ``hidden``:
    what ``noscript`` elements hold is visible in both.  ``measured`` and ``listed``: all
    candidates by prose, and by linked text; ``posts`` and ``items``: these, ranked.  ``facts``:
    what tells the kind of the pages.
    """

    shown: list[ProsePage]
    linked: list[ProsePage]
    hidden: bool
    measured: list[Group]
    listed: list[Group]
    posts: list[Group]
    items: list[Group]
    facts: TemplateFacts


def read_candidates(pages: Sequence[Page]) -> PageCandidates:
    """The candidates for the records of the pages of a template."""
    visible = [show_content(page) for page in pages]
    hidden = any(one is not page for one, page in zip(visible, pages, strict=True))
    shown = read_prose(visible)
    linked = read_prose([page.page for page in shown], linked=True)
    measured, listed = measure_groups(shown), measure_groups(linked)
    posts, items = rank_groups(shown, measured), rank_groups(linked, listed)
    facts = describe_template(shown, linked, next(iter(posts), None), next(iter(items), None))
    return PageCandidates(shown, linked, hidden, measured, listed, posts, items, facts)


def learn_records(
    pages: Sequence[Page],
    params: Params | None = None,
    classifier: Classifier | None = None,
    prefer_articles: bool = False,
    with_article: bool = True,
) -> RecordWrapper:
    """The wrapper for the records of the pages of one template, learned without labels.

    It depends on the set of pages, not on their order; of pages with the same text, numbers left
    out, one counts.  One page is enough if it has several
    records.  If nothing is repeated, each page is a record, with the text that ``learn`` finds
    if the pages are articles (``classifier`` as there), else with their main text.
    ``prefer_articles``: in doubt, the pages are articles.  ``with_article``: False if the wrapper
    of articles is learned elsewhere.  With the methods ``forest-records`` and
    ``vsse-records`` records are found as published, whatever the kind.  Raises like ``learn``.
    Cost: some 50 ms for each page.
    """
    if not pages:
        raise NotEnoughPages("records", 1, 0)
    params = params or Params()
    distinct = _distinct(sample_pages(pages, len(pages)))
    found = read_candidates(distinct[: params.pages])
    kind = choose_template_kind(found.facts, prefer_articles)
    if params.method in ("forest-records", "vsse-records"):
        return _learn_published(found, kind, params)
    if kind.name == "article":
        shown = [page.page for page in found.shown]
        article = learn(shown, params, classifier) if with_article else None
        evidence = _describe(found.shown, found.posts)
        return RecordWrapper((), article, found.hidden, kind, evidence=evidence)
    rules: tuple[RecordRules, ...] = ()
    evidence = _describe(found.shown, found.posts)
    if kind.name != "product" and found.posts and found.posts[0].is_repeated:
        rules, evidence = _learn_posts(found)
    if rules and kind.name == "thread" and not any(one.text for one in rules):
        kind = _recognize_index(found, kind)
    items = find_list(found.linked, found.listed) if kind.name == "listing" else None
    if items:
        rules, evidence = (learn_rules(found.linked, items),), _describe(found.linked, [items])
    pages = [page.page for page in found.shown]
    product = learn_product(pages) if kind.name == "product" else None
    return RecordWrapper(rules, None, found.hidden, kind, product, evidence)


def _distinct(pages: Sequence[Page]) -> list[Page]:
    """The first page of those with the same words."""
    found: dict[str, Page] = {}
    for page in pages:
        found.setdefault(digest_words(page), page)
    return list(found.values())


def _learn_published(found: PageCandidates, kind: Kind, params: Params) -> RecordWrapper:
    """The wrapper for pairs of attribute and value, or for the records with the terms of the query;
    if nothing with them is repeated, each of several pages is a record, with FOREST's text."""
    pages = [page.page for page in found.shown]
    product = learn_product(pages) if kind.name == "product" else None
    if params.method == "vsse-records":
        return RecordWrapper((), None, found.hidden, kind, product, pairs=True)
    best = find_responses(found.shown, [*found.measured, *found.listed], params)
    page = learn(pages, params) if not best and len(pages) > 1 else None
    rules = (learn_rules(found.shown, best),) if best else ()
    evidence = _describe(found.shown, [best] if best else [])
    return RecordWrapper(rules, page, found.hidden, kind, product, evidence)


def _recognize_index(found: PageCandidates, kind: Kind) -> Kind:
    """A listing instead of a thread if records without text link to one other page each, as the
    threads of a forum do on its index page."""
    posts = found.posts[0]
    items = [
        read_item(page.page, node)
        for page, nodes in zip(found.shown, posts.nodes, strict=True)
        for node in nodes
    ]
    urls = {item.url for item in items if item and not is_person_url(item.url)}
    if len(urls) < max(MIN_ITEMS, MIN_TITLED * len(items)):
        return kind
    return Kind("listing", (*kind.evidence, "records without text that link to other pages"))


def _learn_posts(found: PageCandidates) -> tuple[tuple[RecordRules, ...], RecordEvidence]:
    best = found.posts[0]
    groups = (find_lead(found.shown, found.measured, best), best)
    rules = [learn_rules(found.shown, group) for group in groups if group]
    kept = tuple(one for one in rules if one.text) or tuple(rules)
    return kept, _describe(found.shown, found.posts)


def learn_rules(pages: Sequence[ProsePage], group: Group) -> RecordRules:
    """The rules for the records of a candidate."""
    outlines = [page.outline for page in pages]
    before, after = find_reach(outlines, group.nodes)
    walked = [
        _walk_all(page, locate_records(page.outline, nodes, before, after))
        for page, nodes in zip(pages, group.nodes, strict=True)
    ]
    inside = [(page, inner) for page, own in zip(pages, walked, strict=True) for inner in own]
    cells = [cell for i, (page, inner) in enumerate(inside) for cell in _cells(i, page, inner)]
    weights = weigh_paths(cells, find_inner_records(inside))
    bodies = choose_bodies(cells, weights)
    values = [read_values_of(page.page, own) for page, own in zip(pages, walked, strict=True)]
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
        learn_attributes(values, language, tell_text(inside, weights, bodies)),
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

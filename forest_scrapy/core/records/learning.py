"""``learn_records``: a wrapper for records from the pages of a template."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from operator import is_not

from forest_scrapy.core.errors import NotEnoughPages
from forest_scrapy.core.methods.article import learn, sample_pages
from forest_scrapy.core.options import RECORD_METHODS, Params
from forest_scrapy.core.page.noscript import show_content
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.records.attributes.attribute import read_values_of
from forest_scrapy.core.records.attributes.learn_attributes import learn_attributes
from forest_scrapy.core.records.bodies import (
    Cell,
    choose_bodies,
    choose_drops,
    choose_header_drops,
    find_inner_records,
    tell_text,
    weigh_paths,
)
from forest_scrapy.core.records.kind_signals import describe_template
from forest_scrapy.core.records.next_page import digest_words
from forest_scrapy.core.records.products.product_rules import ProductRules
from forest_scrapy.core.records.quotes import find_quote_paths
from forest_scrapy.core.records.record import (
    Inner,
    Located,
    is_below,
    locate_records,
    roots_of,
    walk_record,
)
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
from forest_scrapy.core.records.regions.prose import ProsePage, read_prose
from forest_scrapy.core.records.regions.responses import find_responses
from forest_scrapy.core.records.topics import (
    correct_kind,
    learn_title_ends,
    leave_out_topics,
)
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.segments.segmentation import Segment
from forest_scrapy.core.templates.kinds import (
    MIN_DATED,
    MIN_ITEMS,
    MIN_TITLED,
    Kind,
    TemplateFacts,
    choose_template_kind,
)


@dataclass(frozen=True)
class PageCandidates:
    """The pages of a template as ``learn_records`` reads them, and the candidates for records.

    ``prose_pages`` and ``linked_pages``: the pages with their prose, and with their linked text;
    ``hidden``: what ``noscript`` elements hold is visible in both.  ``prose_groups`` and
    ``linked_groups``: all candidates by prose, and by linked text; ``posts`` and ``items``: these,
    ranked.  ``facts``: what the kind of the pages is recognised by.
    """

    prose_pages: list[ProsePage]
    linked_pages: list[ProsePage]
    hidden: bool
    prose_groups: list[Group]
    linked_groups: list[Group]
    posts: list[Group]
    items: list[Group]
    facts: TemplateFacts

    @property
    def pages(self) -> list[Page]:
        """The pages, with what ``noscript`` elements hold."""
        return [page.page for page in self.prose_pages]


def read_candidates(pages: Sequence[Page]) -> PageCandidates:
    """The candidates for the records of the pages of a template."""
    visible_pages = [show_content(page) for page in pages]
    prose_pages = read_prose(visible_pages)
    linked_pages = read_prose([page.page for page in prose_pages], linked=True)
    prose_groups = measure_groups(prose_pages)
    linked_groups = measure_groups(linked_pages)
    posts = rank_groups(prose_pages, prose_groups)
    items = rank_groups(linked_pages, linked_groups)
    best_posts = posts[0] if posts else None
    best_items = items[0] if items else None
    return PageCandidates(
        prose_pages=prose_pages,
        linked_pages=linked_pages,
        hidden=any(map(is_not, visible_pages, pages)),
        prose_groups=prose_groups,
        linked_groups=linked_groups,
        posts=posts,
        items=items,
        facts=describe_template(prose_pages, linked_pages, best_posts, best_items),
    )


def learn_records(
    pages: Sequence[Page],
    params: Params | None = None,
    classifier: Classifier | None = None,
    prefer_articles: bool = False,
    with_article: bool = True,
    may_be_product: Callable[[str], bool] | None = None,
) -> RecordWrapper:
    """The wrapper for the records of the pages of one template, learned without labels.

    It depends on the set of pages, not on their order; of pages with the same text, numbers left
    out, one counts.  One page is enough if it has several records.  If nothing is repeated, each
    page is a record, with the text that ``learn`` finds if the pages are articles (``classifier``
    as there), else with their main text.
    ``prefer_articles``: in doubt, the pages are articles.  ``with_article``: False if the wrapper
    of articles is learned elsewhere.  ``may_be_product``: whether pages that look like a kind are
    products if most have the evidence of one; None if not.  With the methods ``forest-records`` and
    ``vsse-records`` records are found as published, whatever the kind.  Raises like ``learn``.
    Cost: some 50 ms for each page.
    """
    if not pages:
        raise NotEnoughPages("records", 1, 0)
    params = params or Params()
    distinct = _distinct(sample_pages(pages, len(pages)))
    candidates = read_candidates(distinct[: params.pages])
    kind = choose_template_kind(candidates.facts, prefer_articles)
    best_posts = candidates.posts[0] if candidates.posts else None
    best_items = candidates.items[0] if candidates.items else None
    kind = correct_kind(
        pages=candidates.prose_pages,
        posts=best_posts,
        items=best_items,
        facts=candidates.facts,
        kind=kind,
    )
    may_be_products = may_be_product is not None and may_be_product(kind.name)
    if may_be_products and _are_products(candidates.pages, kind.name):
        because = f"prices and buttons of products, although it looks like {kind.name}"
        kind = Kind("product", (*kind.evidence, because))
    if params.method in RECORD_METHODS:
        return _learn_published(candidates, kind, params)

    evidence = _describe(candidates.prose_pages, candidates.posts)
    if kind.name == "article":
        article = learn(candidates.pages, params, classifier) if with_article else None
        return RecordWrapper(
            page=article,
            hidden=candidates.hidden,
            kind=kind,
            evidence=evidence,
        )
    if kind.name == "product":
        return RecordWrapper(
            hidden=candidates.hidden,
            kind=kind,
            product=_learn_product(candidates.pages),
            evidence=evidence,
        )

    posts = _choose_posts(candidates, kind)
    rules = _learn_posts(candidates, posts)
    if posts:
        evidence = _describe(candidates.prose_pages, _put_first(candidates.posts, posts))
    has_text = any(post_rules.text for post_rules in rules)
    if posts and kind.name == "thread" and not has_text:
        kind = _recognize_index(candidates, posts, kind)
    if kind.name == "listing":
        items = find_list(candidates.linked_pages, candidates.linked_groups)
        if items:
            rules = (learn_record_rules(candidates.linked_pages, items),)
            evidence = _describe(candidates.linked_pages, [items])
    title_ends: tuple[str, ...] = ()
    if kind.name == "thread":
        title_ends = learn_title_ends(candidates.pages)
    return RecordWrapper(
        rules,
        hidden=candidates.hidden,
        kind=kind,
        evidence=evidence,
        title_ends=title_ends,
    )


def _are_products(pages: Sequence[Page], kind: str) -> bool:
    # What reads products is loaded for pages that may be some: most are not.
    from forest_scrapy.core.records.products.product import are_products

    return are_products(pages, kind)


def _learn_product(pages: Sequence[Page]) -> ProductRules:
    from forest_scrapy.core.records.products.product import learn_product

    return learn_product(pages)


def _distinct(pages: Sequence[Page]) -> list[Page]:
    """The first page of those with the same words."""
    pages_by_words: dict[str, Page] = {}
    for page in pages:
        pages_by_words.setdefault(digest_words(page), page)
    return list(pages_by_words.values())


def _learn_published(
    candidates: PageCandidates,
    kind: Kind,
    params: Params,
) -> RecordWrapper:
    """The wrapper for pairs of attribute and value, or for the records with the terms of the query;
    if nothing with them is repeated, each of several pages is a record, with FOREST's text."""
    pages = candidates.pages
    product = _learn_product(pages) if kind.name == "product" else None
    wrapper = RecordWrapper(
        hidden=candidates.hidden,
        kind=kind,
        product=product,
    )
    if params.method == "vsse-records":
        return replace(
            wrapper,
            pairs=True,
            characteristics=params.characteristics,
            filter_characteristics=params.filter_characteristics,
        )

    prose_pages = candidates.prose_pages
    groups = [*candidates.prose_groups, *candidates.linked_groups]
    best = find_responses(prose_pages, groups, params)
    if best is None:
        page_wrapper = learn(pages, params) if len(pages) > 1 else None
        evidence = _describe(prose_pages, [])
        return replace(wrapper, page=page_wrapper, evidence=evidence)
    rules = learn_record_rules(prose_pages, best)
    evidence = _describe(prose_pages, [best])
    return replace(wrapper, rules=(rules,), evidence=evidence)


# Set by hand, looking at wcxb-dev-forum and harvest-forum.
#: The share of the prose that must be in records, most of them with a date, to be the posts of a
#: thread instead of the whole page.
MIN_COVERED_BY_POSTS = 0.3
#: The share of the prose of the best candidate that one with records more alike must have.
MIN_SHARE_OF_BEST = 0.8


def _choose_posts(candidates: PageCandidates, kind: Kind) -> Group | None:
    """The candidate for the posts of the pages; None if nothing is repeated on a page.

    On pages of threads it counts more than in the ranking that posts are alike, among candidates
    with as much prose: other boxes of a page may have the same key as the box around each post.
    And no thread is a single element: around few short posts the rest of the page has as much
    prose as they have, so if that ranks first, the best candidate with dates is taken.

    Ties: as in the ranking.
    """
    ranked = candidates.posts
    if not ranked:
        return None
    best = ranked[0]
    if kind.name != "thread":
        return best if best.is_repeated else None

    min_coverage = MIN_COVERED_BY_POSTS
    if best.is_repeated:
        min_coverage = MIN_SHARE_OF_BEST * best.coverage
    threads = []
    for group in ranked:
        is_dated = best.is_repeated or group.dated >= MIN_DATED
        if group.is_repeated and group.coverage >= min_coverage and is_dated:
            threads.append(group)
    posts = min(threads, key=_rate_thread, default=None)
    if posts is None:
        return None
    return leave_out_topics(candidates.prose_pages, [*ranked, *candidates.prose_groups], posts)


def _rate_thread(group: Group) -> float:
    return -round(group.score * sqrt(group.alike), 4)


def _put_first(groups: Sequence[Group], first: Group) -> list[Group]:
    """The candidates with this one before the others."""
    other_groups = [group for group in groups if group is not first]
    return [first, *other_groups]


def _recognize_index(candidates: PageCandidates, posts: Group, kind: Kind) -> Kind:
    """A listing instead of a thread if records without text link to one other page each, as the
    threads of a forum do on its index page."""
    count = 0
    urls = set()
    for page, nodes in zip(candidates.prose_pages, posts.nodes, strict=True):
        for node in nodes:
            count += 1
            item = read_item(page.page, node)
            if item and not is_person_url(item.url):
                urls.add(item.url)
    if len(urls) < max(MIN_ITEMS, MIN_TITLED * count):
        return kind
    evidence = "records without text that link to other pages"
    return Kind("listing", (*kind.evidence, evidence))


def _learn_posts(candidates: PageCandidates, posts: Group | None) -> tuple[RecordRules, ...]:
    """The rules for posts and for what they reply to; empty if there are none."""
    if posts is None:
        return ()
    pages = candidates.prose_pages
    lead = find_lead(pages, candidates.prose_groups, posts)
    rules = []
    for group in (lead, posts):
        if group:
            rules.append(learn_record_rules(pages, group))
    rules_with_text = [group_rules for group_rules in rules if group_rules.text]
    return tuple(rules_with_text or rules)


def learn_record_rules(pages: Sequence[ProsePage], group: Group) -> RecordRules:
    """The rules for the records of a candidate."""
    outlines = [page.outline for page in pages]
    before, after = find_reach(outlines, group.nodes)
    elements = []
    inside: list[tuple[ProsePage, list[Inner]]] = []
    values = []
    cells: list[Cell] = []
    page_of_record: list[int] = []
    for number, (page, nodes) in enumerate(zip(pages, group.nodes, strict=True)):
        outline = page.outline
        elements += [outline.nodes[node].element for node in nodes]
        located = locate_records(outline, nodes, before, after)
        walks = _walk_records(page, located)
        values.append(read_values_of(page.page, walks))
        for inner_nodes in walks:
            cells += _read_cells(len(inside), page, inner_nodes)
            inside.append((page, inner_nodes))
            page_of_record.append(number)

    quotes = find_quote_paths(cells, page_of_record)
    weights = weigh_paths(cells, [*find_inner_records(inside), *quotes])
    bodies = choose_bodies(cells, weights)
    drops = choose_drops(cells, weights, bodies)
    language = pages[0].page.language
    is_text = tell_text(inside, weights, bodies)

    def is_text_or_quote(path: str) -> bool:
        return is_text(path) or any(is_below(path, quote) for quote in quotes)

    attributes = learn_attributes(values, language, is_text_or_quote)
    headers = choose_header_drops(cells, weights, bodies, attributes)
    drops += [path for path in headers if path not in drops]
    return RecordRules(
        record=write_key_xpath(group.key, elements),
        before=before,
        after=after,
        text=tuple(bodies),
        drop=tuple(drops),
        attributes=attributes,
        quotes=tuple(quotes),
    )


def _walk_records(
    page: ProsePage,
    located: Sequence[Located],
) -> list[list[Inner]]:
    roots = roots_of(located)
    return [list(walk_record(page.outline, record, roots)) for record in located]


def _read_cells(
    number: int,
    page: ProsePage,
    inner_nodes: Sequence[Inner],
) -> list[Cell]:
    """The text segments of a record."""
    path_of = dict(inner_nodes)
    outline = page.outline
    first_leaf = outline.nodes[inner_nodes[0].node].first
    end_leaf = max(outline.nodes[node].last for node, _ in inner_nodes)
    first = bisect_left(page.segments, first_leaf, key=_first_leaf_of)
    end = bisect_left(page.segments, end_leaf, key=_first_leaf_of)
    cells = []
    for segment in page.segments[first:end]:
        path = path_of.get(segment.block)
        if path is not None:
            cells.append(Cell(number, path, segment.text, segment.linked))
    return cells


def _first_leaf_of(segment: Segment) -> int:
    return segment.first


def _describe(
    pages: Sequence[ProsePage],
    groups: Sequence[Group],
) -> RecordEvidence:
    """The evidence for the first of the ranked candidates."""
    if not groups:
        return RecordEvidence(pages=len(pages))
    best = groups[0]
    evidence = RecordEvidence(
        pages=len(pages),
        records=sum(map(len, best.nodes)),
        coverage=round(best.coverage, 4),
        alike=round(best.alike, 4),
        dated=round(best.dated, 4),
        score=round(best.score, 4),
    )
    if len(groups) == 1:
        return evidence
    second = groups[1]
    return replace(
        evidence,
        runner_up=write_key(second.key),
        runner_up_score=round(second.score, 4),
    )

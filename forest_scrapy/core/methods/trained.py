"""The methods ``trained`` and ``single``: keep and drop blocks by the trained classifier.

The classifier scores every segment of the pages (Luo et al. 2009, section 4.1).  The scores of
segments with the same anchored path are averaged over the template's pages, which evens out
errors on single pages.  Then the blocks of the pages are ranked as a whole, by a second set of
trees, and the segments of the best one are kept.  The wrapper keeps blocks: anchored paths whose
elements contain most of the kept text and little boilerplate.  It drops the paths inside the blocks
with almost no kept text.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from forest_scrapy.core.methods.lost_prose import find_lost_prose
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.between import add_between
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.prose import MIN_CHARACTERS
from forest_scrapy.core.page.tree import HEADINGS, Element
from forest_scrapy.core.segments.classifier import Classifier, default_classifier
from forest_scrapy.core.segments.scoring import ScoredPage, score_pages
from forest_scrapy.core.segments.segmentation import segment_page
from forest_scrapy.core.wrapper import Evidence, Rule, Wrapper
from forest_scrapy.core.xpaths.anchored import (
    AnchoredPath,
    anchored_xpath,
    element_path,
    write_anchored_path,
)

# These constants are not tuned, except where noted.
#: The cost of a character of boilerplate in a block, relative to a kept one: it can be dropped.
_BOILERPLATE_COST = 0.5
#: The share of the kept text that a further block must have, and the largest number of blocks.
#: With 0.05 and 4, F1 on large news sites was 0.003 lower, and about the same on other sites.
_LEAST_SHARE, _MOST_BLOCKS = 0.02, 8
#: The share of a page's kept text that the blocks must have, else it needs spare blocks.
_LEAST_COVERED = 0.5
#: The largest share of kept text in a path that is dropped, and the largest number of these.
_DROP_SHARE, _MOST_DROPS = 0.1, 60
#: The pages that are learned from first, and how far the best candidate of each has to be above the
#: others if no more are to be.  Of samples of ten of feeds-dev, with classifiers that have not seen
#: the site, F1 is .98752, and .98763 if all are learned from, which 70% of the templates need not.
_FEW, _LEAST_LEAD = 4, 0.1
#: Elements with data, and the share of their text in links from which they are something else.
_TABLES = frozenset(("table", "dl"))
MAX_LINKED_SHARE = 0.3
#: Pages from which on an id that is on one of them only, as those of headings, is not dropped.
_FEW_PAGES = 4


def learn_from_sample(
    pages: Sequence[Page], classifier: Classifier | None = None
) -> tuple[Wrapper, list[Extract]]:
    """The wrapper of a template, from the pages of its sample, in their order; and what it finds on
    each.

    The first ones are enough if they leave no doubt, and if what they teach finds text on the
    others, too: then these add only the paths at which they have text.
    """
    scorer = classifier or default_classifier()
    segmented = [segment_page(page) for page in pages[:_FEW]]
    if len(pages) > _FEW + 1:
        scored = score_pages(scorer, segmented)
        if all(one.choice.is_own and one.choice.lead >= _LEAST_LEAD for one in scored):
            wrapper = _learn_from(scored)
            found = [replace(wrapper, known=()).apply(page) for page in pages]
            if not any(map(partial(_may_lose_text, wrapper=wrapper), pages, found)):
                wrapper = _add_pages(wrapper, found)
                _note_known(pages, found, wrapper)
                return wrapper, found
    segmented += [segment_page(page) for page in pages[_FEW:]]
    wrapper = _learn_from(score_pages(scorer, segmented))
    # With the classifier that ships, given as None, the pages keep what is found on them.
    return wrapper, [wrapper.apply(page, classifier) for page in pages]


def _note_known(pages: Sequence[Page], found: Sequence[Extract], wrapper: Wrapper) -> None:
    """Let pages keep what was found on them before the wrapper knew their paths, where it finds the
    same: it knows all of the text, unless some was left out for what is in it."""
    for page, extract in zip(pages, found, strict=True):
        if not extract.boilerplate:
            page.applied[wrapper.id] = extract


def _may_lose_text(page: Page, found: Extract, wrapper: Wrapper) -> bool:
    """Whether the article of a page may have more than the wrapper finds."""
    return not found.text or bool(find_lost_prose(page, wrapper, found))


def _add_pages(wrapper: Wrapper, found: Sequence[Extract]) -> Wrapper:
    """The wrapper, which knows the paths of what it found on the pages of a sample."""
    blocks = [block for one in found for block in one.content.text_blocks]
    paths: dict[Element, str] = {}
    levels: dict[Element, int] = {}
    known = {*wrapper.known, *(element_path(block, paths, levels) for block in blocks)}
    evidence = replace(wrapper.evidence, pages=len(found))
    return replace(wrapper, known=tuple(sorted(known)), evidence=evidence)


def _learn_from(scored: Sequence[ScoredPage]) -> Wrapper:
    """The wrapper that keeps what the classifier takes for content, and drops the rest."""
    method = "trained" if len(scored) > 1 else "single"
    blocks = _choose_blocks(scored)
    spare = _choose_spare_blocks(scored, blocks)
    drops = choose_drops(scored, set(blocks), spare)
    return _write_wrapper(method, scored, blocks, spare, drops)


def _write_wrapper(
    method: str,
    pages: Sequence[ScoredPage],
    blocks: Sequence[AnchoredPath],
    spare: Sequence[AnchoredPath],
    drops: Sequence[AnchoredPath],
) -> Wrapper:
    keep_rules = {path: _write_rule(path, pages, keeps=True) for path in (*blocks, *spare)}
    drop_rules = [_write_rule(path, pages, keeps=False) for path in drops]
    drop_rules.sort(key=lambda rule: rule.xpath)
    alternatives = [paths for paths in (blocks, spare) if paths]
    return Wrapper(
        method,
        tuple(" | ".join(keep_rules[path].xpath for path in paths) for paths in alternatives),
        Evidence(
            pages=len(pages),
            signifiers="segments",
            score=round(_covered_share(pages, blocks), 4),
            rules=(*keep_rules.values(), *drop_rules),
        ),
        drop=tuple(rule.xpath for rule in drop_rules),
        take="span",
        known=_known_paths(pages, blocks, spare) if len(pages) > 1 else (),
        outside=_outside_paths(pages) if len(pages) > 1 else (),
    )


def _choose_blocks(pages: Sequence[ScoredPage]) -> list[AnchoredPath]:
    """The best path, then the best for the text that is left, as long as one has enough of it.

    Of paths with the same gain that with the fewest elements: a container and the paragraphs in it
    gain the same, but what is rare in the template, and what has no text, is in the container only.
    """
    total = _kept_text(pages)
    counts = Counter(path for page in pages for path in page.paths)
    chosen: list[AnchoredPath] = []
    while total and len(chosen) < _MOST_BLOCKS:
        gains, sizes = _weigh_paths(pages, chosen)
        ranked = sorted(gains, key=lambda p: (-round(gains[p], 3), counts[p], -p.level, str(p)))
        if not ranked or sizes[ranked[0]] < _LEAST_SHARE * total or gains[ranked[0]] <= 0:
            break
        best = ranked[0]
        chosen = [path for path in chosen if not _is_inside(path, best, pages)] + [best]
    return chosen


def _weigh_paths(
    pages: Sequence[ScoredPage], chosen: Sequence[AnchoredPath]
) -> tuple[dict[AnchoredPath, float], dict[AnchoredPath, int]]:
    """For each path, over all pages, without the text in chosen blocks: the kept characters less
    the cost of boilerplate, and the kept characters."""
    gains: dict[AnchoredPath, float] = defaultdict(float)
    sizes: dict[AnchoredPath, int] = defaultdict(int)
    for page in pages:
        rest = page.without(set(chosen))
        for node in rest.nodes_with_text():
            path, (kept, boilerplate) = rest.paths[node], rest.counts(node)
            gains[path] += kept - _BOILERPLATE_COST * boilerplate
            sizes[path] += kept
    return gains, sizes


def _is_inside(path: AnchoredPath, outer: AnchoredPath, pages: Sequence[ScoredPage]) -> bool:
    """Whether on every page all elements of the path are inside elements of the other path."""
    for page in pages:
        blocks = set(page.blocks({outer}))
        for node in page.blocks({path}):
            if blocks.isdisjoint(page.outline.path(node)):
                return False
    return True


def _choose_spare_blocks(
    pages: Sequence[ScoredPage], blocks: Sequence[AnchoredPath]
) -> list[AnchoredPath]:
    """Blocks for the pages whose kept text is mostly outside the blocks; none if that is so on
    all pages."""
    rest = [page for page in pages if not _is_covered(page, blocks)]
    return _choose_blocks(rest) if len(rest) < len(pages) else []


def _is_covered(page: ScoredPage, blocks: Sequence[AnchoredPath]) -> bool:
    return _text_inside([page], blocks) >= _LEAST_COVERED * _kept_text([page])


def _covered_share(pages: Sequence[ScoredPage], blocks: Sequence[AnchoredPath]) -> float:
    """The share of the kept text that is in the blocks."""
    total = _kept_text(pages)
    return _text_inside(pages, blocks) / total if total else 0.0


def _kept_text(pages: Sequence[ScoredPage]) -> int:
    return sum(int(page.kept_sums[-1]) for page in pages)


def _text_inside(pages: Sequence[ScoredPage], blocks: Sequence[AnchoredPath]) -> int:
    return sum(page.counts(node)[0] for page in pages for node in page.blocks(set(blocks)))


def choose_drops(
    pages: Sequence[ScoredPage], blocks: set[AnchoredPath], spare: Collection[AnchoredPath] = ()
) -> list[AnchoredPath]:
    """The outermost paths inside the blocks, and between them, that are boilerplate, the largest
    first; of many pages without those with an id that is on one of them only.

    Inside of blocks they have almost no kept text; between them they would not gain as blocks.
    """
    kept: dict[AnchoredPath, int] = defaultdict(int)
    dropped: dict[AnchoredPath, int] = defaultdict(int)
    found_on: dict[AnchoredPath, set[int]] = defaultdict(set)
    between: set[AnchoredPath] = set()
    kept_in_lines: set[AnchoredPath] = set()
    for number, page in enumerate(pages):
        roots = _find_between(page, blocks) + _find_between(page, spare)
        between.update(page.paths[node] for node in roots)
        for node in _inner_nodes(page, {*blocks, *spare}, roots):
            if _is_in_kept_line(page, node):
                kept_in_lines.add(page.paths[node])
            counts = page.counts(node)
            found_on[page.paths[node]].add(number)
            kept[page.paths[node]] += counts[0]
            dropped[page.paths[node]] += counts[1]
    bad = {p for p in dropped if dropped[p] and kept[p] <= _DROP_SHARE * (kept[p] + dropped[p])}
    bad |= {p for p in between if dropped[p] and kept[p] <= _BOILERPLATE_COST * dropped[p]}
    if len(pages) >= _FEW_PAGES:
        bad = {p for p in bad if len(found_on[p]) > 1 or not _has_id(p)}
    bad = {path for path in bad if not _is_of_table(path) or _has_links(path, pages)}
    bad -= kept_in_lines
    bad -= _lead_kept_text(pages, bad)
    outer: set[AnchoredPath] = set()
    for page in pages:
        roots = _find_between(page, blocks) + _find_between(page, spare)
        nodes = _inner_nodes(page, {*blocks, *spare}, roots)
        worst = [node for node in nodes if page.paths[node] in bad]
        outer.update(page.paths[node] for node in page.outline.outermost(worst))
    return sorted(outer, key=lambda p: (-dropped[p], str(p)))[:_MOST_DROPS]


def _lead_kept_text(
    pages: Sequence[ScoredPage], headings: Collection[AnchoredPath]
) -> set[AnchoredPath]:
    """The paths of headings that mostly stand right before kept text, and after other: they are
    those of its sections."""
    leading: Counter[AnchoredPath] = Counter()
    total: Counter[AnchoredPath] = Counter()
    for page in pages:
        kept = page.choice.is_kept
        if not headings or not kept.any():
            continue
        first_kept = int(kept.argmax())
        for path in headings:
            for node in page.nodes_at.get(path, ()):
                first = int(page.firsts[node])
                last = int(page.lasts[node])
                if first == last or page.outline.nodes[node].tag not in HEADINGS:
                    continue
                total[path] += 1
                leading[path] += first > first_kept and last < len(kept) and bool(kept[last])
    return {path for path in total if 2 * leading[path] > total[path]}


def _is_in_kept_line(page: ScoredPage, node: int) -> bool:
    """Whether a node is a part of a line that is kept, such as a link in a paragraph."""
    if page.firsts[node] < page.lasts[node] or not _has_text(page.outline, node):
        return False
    segments = page.page.segments
    line = int(page.firsts[node])
    if line == len(segments) or segments[line].first > page.outline.nodes[node].first:
        line -= 1  # the segment begins before the node
    return line >= 0 and bool(page.choice.is_kept[line])


def _is_of_table(path: AnchoredPath) -> bool:
    """Whether the path is that of a table or a list of definitions without a name, or of a part of
    one: inside of an article these are data, however few words they have."""
    return not _TABLES.isdisjoint(path.tags)


def _has_links(path: AnchoredPath, pages: Sequence[ScoredPage]) -> bool:
    """Whether much of the text at the path is in links, as in a menu or a list of teasers."""
    characters = 0.0
    linked = 0.0
    for page in pages:
        for node in page.nodes_at.get(path, []):
            below = slice(page.firsts[node], page.lasts[node])
            characters += page.page.lengths[below].sum()
            linked += page.page.linked[below].sum()
    return linked > MAX_LINKED_SHARE * characters


def _find_between(page: ScoredPage, paths: Collection[AnchoredPath]) -> list[int]:
    """The nodes with text that the wrapper keeps because they stand between blocks; of nodes with
    the same text the innermost: what is rare may stand in the same kind of wrapping elements as
    boilerplate, as all blocks of a page builder do."""
    outline = page.outline
    blocks = page.blocks(set(paths))
    joined = outline.indices(add_between([outline.nodes[node].element for node in blocks]))
    between = set(joined).difference(blocks)
    return sorted(_innermost(outline, node) for node in between if _has_text(outline, node))


def _has_text(outline: Outline, node: int) -> bool:
    return outline.nodes[node].first < outline.nodes[node].last


def _innermost(outline: Outline, node: int) -> int:
    """The innermost node with all of the node's text."""
    while (inner := outline.inner[node]) >= 0:
        node = inner
    return node


def _inner_nodes(page: ScoredPage, blocks: set[AnchoredPath], between: Sequence[int]) -> list[int]:
    """The nodes below the blocks, and those that stand between them with all below."""
    return sorted({*page.inner_nodes(blocks), *page.outline.subtree(between)})


def _has_id(path: AnchoredPath) -> bool:
    return path.anchor is not None and any(name == "id" for name, _ in path.anchor.type)


def _known_paths(
    pages: Sequence[ScoredPage], blocks: Sequence[AnchoredPath], spare: Sequence[AnchoredPath]
) -> tuple[str, ...]:
    """The paths of the segments in the blocks and between them, as ``write_anchored_path`` writes
    them."""
    found: set[AnchoredPath] = set()
    for page in pages:
        between = _find_between(page, blocks) + _find_between(page, spare)
        both = {*blocks, *spare}
        inside = {*page.blocks(both), *_inner_nodes(page, both, between)}
        found.update(page.paths[s.block] for s in page.page.segments if s.block in inside)
    return tuple(sorted(map(write_anchored_path, found)))


def _outside_paths(pages: Sequence[ScoredPage]) -> tuple[str, ...]:
    """The paths with prose that is not kept on any of the pages."""
    kept: set[AnchoredPath] = set()
    outside: set[AnchoredPath] = set()
    for page in pages:
        for segment, is_kept in zip(page.page.segments, page.choice.is_kept, strict=True):
            if is_kept:
                kept.add(page.paths[segment.block])
            elif len(segment.text) - segment.linked > MIN_CHARACTERS:
                outside.add(page.paths[segment.block])
    return tuple(sorted(map(write_anchored_path, outside - kept)))


def _write_rule(path: AnchoredPath, pages: Sequence[ScoredPage], keeps: bool) -> Rule:
    """The expression for a path, the number of pages that have it, and the mean probability of
    the text there."""
    nodes = [(page, page.nodes_at.get(path, [])) for page in pages]
    elements = [page.outline.nodes[n].element for page, own in nodes for n in own]
    characters = sum(sum(page.counts(n)) for page, own in nodes for n in own)
    scores = sum(page.score_sum(n) for page, own in nodes for n in own)
    mean = scores / characters if characters else 0.5
    return Rule(
        anchored_xpath(path, elements),
        sum(bool(own) for _, own in nodes),
        round(mean if keeps else 1 - mean, 4),
    )


def learn_trained(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """A wrapper that keeps and drops blocks, from all of the pages of a template."""
    segmented = [segment_page(page) for page in pages]
    return _learn_from(score_pages(classifier or default_classifier(), segmented))


def learn_single(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """The same from a single page (the first of several)."""
    return learn_trained(pages[:1], params, classifier)

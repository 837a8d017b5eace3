"""The methods ``trained`` and ``single``: keep and drop blocks by the trained classifier.

The classifier scores every segment of the pages (Luo et al. 2009, section 4.1).  The scores of
segments with the same anchored path are averaged over the template's pages, which evens out
errors on single pages.  Then the blocks of the pages are ranked as a whole, by a second set of
trees, and the segments of the best one are kept.  The wrapper keeps blocks: anchored paths whose
elements contain most of the kept text and little boilerplate.  It drops the paths inside the blocks
with almost no kept text.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from forest_scrapy.core.methods.lost_prose import find_lost_prose
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.between import add_between
from forest_scrapy.core.page.outline import Outline, bits_of_tags
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
_MIN_BLOCK_SHARE = 0.02
_MAX_BLOCKS = 8
#: The share of a page's kept text that the blocks must have, else it needs spare blocks.
_MIN_COVERED_SHARE = 0.5
#: The largest share of kept text in a path that is dropped, and the largest number of these.
_MAX_KEPT_SHARE = 0.1
_MAX_DROPS = 60
#: The pages that are learned from first, and how far the best candidate of each has to be above the
#: others if no more are to be.  Of samples of ten of feeds-dev, with classifiers that have not seen
#: the site, F1 is .98752, and .98763 if all are learned from, which 70% of the templates need not.
_FIRST_SAMPLE_SIZE = 4
_MIN_LEAD = 0.1
#: Elements with data, and the share of their text in links from which they are something else.
_TABLES = frozenset(("table", "dl"))
MAX_LINKED_SHARE = 0.3
#: Lists and tables, and the mean probability of their text from which they are kept if they stand
#: between kept text.  Of 92 dropped paths of feeds-dev two are such lists, which are content; those
#: of links to other articles have 0.1 at most.
_LISTS = frozenset(("ul", "ol", "dl", "table"))
_MIN_LIST_SCORE = 0.2
#: Elements with data, in figures, too, and the mean probability of their text from which a single
#: page keeps them between kept text; with a name that of lists.
_DATA_BITS = bits_of_tags((*_LISTS, "pre"))
_FIGURE_BIT = bits_of_tags(("figure",))
_MIN_DATA_SCORE = 0.1
#: Pages from which on an id that is on one of them only, as those of headings, is not dropped.
_MIN_PAGES_FOR_IDS = 4


def learn_from_sample(
    pages: Sequence[Page],
    classifier: Classifier | None = None,
) -> tuple[Wrapper, list[Extract]]:
    """The wrapper of a template, from the pages of its sample, in their order; and what it finds on
    each.

    The first ones are enough if they leave no doubt, and if what they teach finds text on the
    others, too: then these add only the paths at which they have text.
    """
    scorer = classifier or default_classifier()
    segmented = [segment_page(page) for page in pages[:_FIRST_SAMPLE_SIZE]]
    if len(pages) > _FIRST_SAMPLE_SIZE + 1:
        scored = score_pages(scorer, segmented)
        is_clear = all(map(_is_clear, scored))
        if is_clear:
            wrapper = _learn_from(scored)
            without_paths = replace(wrapper, known=())
            extracts = [without_paths.apply(page) for page in pages]
            if not _may_lose_text(pages, extracts, wrapper):
                wrapper = _add_pages(wrapper, extracts)
                _note_extracts(pages, extracts, wrapper)
                return wrapper, extracts

    for page in pages[_FIRST_SAMPLE_SIZE:]:
        segmented.append(segment_page(page))
    wrapper = _learn_from(score_pages(scorer, segmented))
    # With the classifier that ships, given as None, the pages keep what is found on them.
    extracts = [wrapper.apply(page, classifier) for page in pages]
    return wrapper, extracts


def _is_clear(page: ScoredPage) -> bool:
    """Whether the choice of the page's segments leaves no doubt."""
    choice = page.choice
    return choice.is_own and choice.lead >= _MIN_LEAD


def _note_extracts(
    pages: Sequence[Page],
    extracts: Sequence[Extract],
    wrapper: Wrapper,
) -> None:
    """Let pages keep what was found on them before the wrapper knew their paths, where it finds the
    same: it knows all of the text, unless some was left out for what is in it."""
    for page, extract in zip(pages, extracts, strict=True):
        if not extract.boilerplate:
            page.applied[wrapper.id] = extract


def _may_lose_text(
    pages: Sequence[Page],
    extracts: Sequence[Extract],
    wrapper: Wrapper,
) -> bool:
    """Whether the article of one of the pages may have more than the wrapper finds."""
    for page, extract in zip(pages, extracts, strict=True):
        if not extract.text:
            return True
        if find_lost_prose(page, wrapper, extract):
            return True
    return False


def _add_pages(wrapper: Wrapper, extracts: Sequence[Extract]) -> Wrapper:
    """The wrapper, which knows the paths of what it found on the pages of a sample."""
    text_paths = set(wrapper.known)
    paths: dict[Element, str] = {}
    levels: dict[Element, int] = {}
    for extract in extracts:
        for block in extract.content.text_blocks:
            text_paths.add(element_path(block, paths, levels))

    evidence = replace(wrapper.evidence, pages=len(extracts))
    known_paths = tuple(sorted(text_paths))
    return replace(wrapper, known=known_paths, evidence=evidence)


def _learn_from(scored: Sequence[ScoredPage]) -> Wrapper:
    """The wrapper that keeps what the classifier takes for content, and drops the rest."""
    method = "single"
    if len(scored) > 1:
        method = "trained"
        scored = _keep_inner_lists(scored)
    else:
        scored = [_keep_inner_data(page) for page in scored]
    blocks = _choose_blocks(scored)
    spare = _choose_spare_blocks(scored, blocks)
    drops = choose_drops(scored, set(blocks), spare)
    return _write_wrapper(
        method=method,
        pages=scored,
        blocks=blocks,
        spare=spare,
        drops=drops,
    )


def _write_wrapper(
    *,
    method: str,
    pages: Sequence[ScoredPage],
    blocks: Sequence[AnchoredPath],
    spare: Sequence[AnchoredPath],
    drops: Sequence[AnchoredPath],
) -> Wrapper:
    keep_rules = {}
    for path in (*blocks, *spare):
        keep_rules[path] = _write_rule(path, pages, keeps=True)
    drop_rules = [_write_rule(path, pages, keeps=False) for path in drops]
    drop_rules.sort(key=lambda rule: rule.xpath)

    alternatives = []
    for paths in (blocks, spare):
        if paths:
            xpaths = [keep_rules[path].xpath for path in paths]
            alternatives.append(" | ".join(xpaths))

    text_paths: tuple[str, ...] = ()
    outside_paths: tuple[str, ...] = ()
    if len(pages) > 1:
        text_paths = _find_text_paths(pages, blocks, spare)
        outside_paths = _find_outside_paths(pages)

    score = _covered_share(pages, blocks)
    evidence = Evidence(
        pages=len(pages),
        signifiers="segments",
        score=round(score, 4),
        rules=(*keep_rules.values(), *drop_rules),
    )
    return Wrapper(
        method,
        tuple(alternatives),
        evidence,
        drop=tuple(rule.xpath for rule in drop_rules),
        take="span",
        known=text_paths,
        outside=outside_paths,
    )


def _choose_blocks(pages: Sequence[ScoredPage]) -> list[AnchoredPath]:
    """The best path, then the best for the text that is left, as long as one has enough of it.

    Of paths with the same gain that with the fewest elements: a container and the paragraphs in it
    gain the same, but what is rare in the template, and what has no text, is in the container only.
    """
    total = _count_kept(pages)
    chosen: list[AnchoredPath] = []
    while total and len(chosen) < _MAX_BLOCKS:
        gains, sizes = _weigh_paths(pages, chosen)
        if not gains:
            break

        # Gains are multiples of one half, so their sums are exact.
        most = max(gains.values())
        best_paths = [path for path, gain in gains.items() if gain == most]
        best = min(
            best_paths,
            key=lambda path: (
                sum(len(page.nodes_at.get(path, ())) for page in pages),
                -path.level,
                str(path),
            ),
        )
        is_large = sizes[best] >= _MIN_BLOCK_SHARE * total
        if not is_large or gains[best] <= 0:
            break
        chosen = [path for path in chosen if not _is_inside(path, best, pages)]
        chosen.append(best)
    return chosen


def _weigh_paths(
    pages: Sequence[ScoredPage],
    chosen: Sequence[AnchoredPath],
) -> tuple[dict[AnchoredPath, float], dict[AnchoredPath, int]]:
    """For each path, over all pages, without the text in chosen blocks: the kept characters less
    the cost of boilerplate, and the kept characters."""
    gains: dict[AnchoredPath, float] = defaultdict(float)
    sizes: dict[AnchoredPath, int] = defaultdict(int)
    for page in pages:
        remaining = page.without(set(chosen))
        for path, kept_size, boilerplate_size in remaining.path_sizes():
            gains[path] += kept_size - _BOILERPLATE_COST * boilerplate_size
            sizes[path] += kept_size
    return gains, sizes


def _is_inside(
    path: AnchoredPath,
    container: AnchoredPath,
    pages: Sequence[ScoredPage],
) -> bool:
    """Whether on every page all elements of the path are inside elements of ``container``."""
    for page in pages:
        blocks = set(page.blocks({container}))
        for node in page.blocks({path}):
            if blocks.isdisjoint(page.outline.path(node)):
                return False
    return True


def _choose_spare_blocks(
    pages: Sequence[ScoredPage],
    blocks: Sequence[AnchoredPath],
) -> list[AnchoredPath]:
    """Blocks for the pages whose kept text is mostly outside the blocks; none if that is so on
    all pages."""
    uncovered = []
    for page in pages:
        covered = _count_inside([page], blocks)
        if covered < _MIN_COVERED_SHARE * _count_kept([page]):
            uncovered.append(page)

    if len(uncovered) == len(pages):
        return []
    return _choose_blocks(uncovered)


def _covered_share(
    pages: Sequence[ScoredPage],
    blocks: Sequence[AnchoredPath],
) -> float:
    """The share of the kept text that is in the blocks."""
    total = _count_kept(pages)
    if not total:
        return 0.0
    return _count_inside(pages, blocks) / total


def _count_kept(pages: Sequence[ScoredPage]) -> int:
    """The kept characters of the pages."""
    return sum(int(page.kept_sums[-1]) for page in pages)


def _count_inside(
    pages: Sequence[ScoredPage],
    blocks: Sequence[AnchoredPath],
) -> int:
    """The kept characters in the blocks."""
    size = 0
    for page in pages:
        for node in page.blocks(set(blocks)):
            kept_size, _ = page.counts(node)
            size += kept_size
    return size


def _keep_inner_lists(pages: Sequence[ScoredPage]) -> Sequence[ScoredPage]:
    """The pages with the lists and tables kept that have no name and mostly stand between kept text
    of one parent: their links have low scores, on average of all pages, but nothing says that they
    are not part of the article."""
    places: dict[AnchoredPath, _ListPlaces] = defaultdict(_ListPlaces)
    for page in pages:
        for path, nodes in page.nodes_at.items():
            if path.tags and path.tags[-1] in _LISTS:
                places[path].add(page, nodes)
    inner_paths = []
    for path, path_places in places.items():
        if path_places.are_inner:
            inner_paths.append(path)
    if not inner_paths:
        return pages

    pages_with_lists = []
    for page in pages:
        nodes = []
        for path in inner_paths:
            for node in page.nodes_at.get(path, ()):
                kept_around, _ = page.counts(page.parent(node))
                if kept_around:
                    nodes.append(node)
        pages_with_lists.append(page.keeping(nodes) if nodes else page)
    return pages_with_lists


def _keep_inner_data(page: ScoredPage) -> ScoredPage:
    """A single page with its tables, lists, code and figures of these kept that stand between kept
    text of one parent, are not mostly links, and are not surely boilerplate: a few short items
    score low, but the article goes on after them."""
    arrays = page.outline.arrays
    ends = page.outline.ends
    nodes = []
    for node in np.flatnonzero(arrays.tags & (_DATA_BITS | _FIGURE_BIT)).tolist():
        kept_size, boilerplate_size = page.counts(node)
        if not boilerplate_size or not _is_between_kept(page, _outermost(page, node)):
            continue
        tags_below = arrays.tags[node : ends[node]]
        if not (tags_below & _DATA_BITS).any():
            continue
        score = page.score_sum(node) / (kept_size + boilerplate_size)
        is_named = any(page.outline.nodes[node].names)
        is_figure = page.outline.nodes[node].tag == "figure"
        has_plain_name = is_figure or not is_named
        min_score = _MIN_DATA_SCORE if has_plain_name else _MIN_LIST_SCORE
        if score < min_score:
            continue
        below = slice(page.firsts[node], page.lasts[node])
        characters = page.page.lengths[below].sum()
        linked = page.page.linked[below].sum()
        if linked <= MAX_LINKED_SHARE * characters:
            nodes.append(node)
    return page.keeping(nodes) if nodes else page


def _outermost(page: ScoredPage, node: int) -> int:
    """The outermost element with the same text as a node."""
    first = page.firsts[node]
    last = page.lasts[node]
    for around in page.outline.path(node):
        if page.firsts[around] != first or page.lasts[around] != last:
            break
        node = around
    return node


@dataclass
class _ListPlaces:
    """The lists at a path, over all pages: their number, how many of them stand between kept text
    of their parent, their characters, those that are not kept, and the sum of the probabilities of
    all characters."""

    lists: int = 0
    between: int = 0
    characters: int = 0
    boilerplate: int = 0
    score: float = 0.0

    def add(self, page: ScoredPage, nodes: Iterable[int]) -> None:
        for node in nodes:
            kept_size, boilerplate_size = page.counts(node)
            if not kept_size + boilerplate_size:
                continue
            self.lists += 1
            self.characters += kept_size + boilerplate_size
            self.boilerplate += boilerplate_size
            self.score += page.score_sum(node)
            if _is_between_kept(page, node):
                self.between += 1

    @property
    def are_inner(self) -> bool:
        """Whether these are lists of the article that would be lost in part."""
        are_between = 2 * self.between >= self.lists > 0
        return (
            are_between and self.boilerplate > 0 and self.score >= _MIN_LIST_SCORE * self.characters
        )


def _is_between_kept(page: ScoredPage, node: int) -> bool:
    """Whether the parent of a node has kept text before it, and after it."""
    parent = page.parent(node)
    if parent < 0:
        return False
    before = page.kept_sums[page.firsts[node]] - page.kept_sums[page.firsts[parent]]
    after = page.kept_sums[page.lasts[parent]] - page.kept_sums[page.lasts[node]]
    return bool(before > 0 and after > 0)


@dataclass
class _PathText:
    """The text at a path, over all pages: characters of each kind, and the numbers of the pages
    that have the path.

    ``is_between``: whether elements with the path stand between blocks.
    """

    kept_size: int = 0
    boilerplate: int = 0
    pages: set[int] = field(default_factory=set)
    is_between: bool = False

    @property
    def is_boilerplate(self) -> bool:
        """Whether almost nothing of the text is kept; between blocks, whether it would not gain as
        a block."""
        if not self.boilerplate:
            return False
        total = self.kept_size + self.boilerplate
        if self.kept_size <= _MAX_KEPT_SHARE * total:
            return True
        cost = _BOILERPLATE_COST * self.boilerplate
        return self.is_between and self.kept_size <= cost


def choose_drops(
    pages: Sequence[ScoredPage],
    blocks: set[AnchoredPath],
    spare: Collection[AnchoredPath] = (),
) -> list[AnchoredPath]:
    """The outermost paths inside the blocks, and between them, that are boilerplate, the largest
    first; of many pages without those with an id that is on one of them only.

    Inside of blocks they have almost no kept text; between them they would not gain as blocks.
    """
    texts: dict[AnchoredPath, _PathText] = defaultdict(_PathText)
    inner_nodes = []
    for number, page in enumerate(pages):
        between = _find_between(page, blocks)
        between += _find_between(page, spare)
        nodes = _find_inner_nodes(page, {*blocks, *spare}, between)
        inner_nodes.append(nodes)
        for node in between:
            texts[page.paths[node]].is_between = True
        for node in nodes:
            kept_size, boilerplate_size = page.counts(node)
            text = texts[page.paths[node]]
            text.kept_size += kept_size
            text.boilerplate += boilerplate_size
            text.pages.add(number)

    boilerplate = {path for path, text in texts.items() if text.is_boilerplate}
    if not boilerplate:
        return []
    in_kept_lines: set[AnchoredPath] = set()
    for page, nodes in zip(pages, inner_nodes, strict=True):
        for node in nodes:
            path = page.paths[node]
            if path in boilerplate and _is_in_kept_line(page, node):
                in_kept_lines.add(path)

    bad = set()
    for path in boilerplate - in_kept_lines:
        text = texts[path]
        has_many_pages = len(pages) >= _MIN_PAGES_FOR_IDS
        is_rare = has_many_pages and len(text.pages) <= 1
        if is_rare and _has_id(path):
            continue
        if _is_of_table(path) and not _has_links(path, pages):
            continue
        bad.add(path)
    bad -= _find_section_headings(pages, bad)

    outermost: set[AnchoredPath] = set()
    for page, nodes in zip(pages, inner_nodes, strict=True):
        bad_nodes = [node for node in nodes if page.paths[node] in bad]
        for node in page.outline.outermost(bad_nodes):
            outermost.add(page.paths[node])

    def rank(path: AnchoredPath) -> tuple[int, str]:
        return -texts[path].boilerplate, str(path)

    ranked = sorted(outermost, key=rank)
    return ranked[:_MAX_DROPS]


def _find_section_headings(
    pages: Sequence[ScoredPage],
    paths: Collection[AnchoredPath],
) -> set[AnchoredPath]:
    """Those of the paths whose elements are headings that mostly stand right before kept text, and
    after other kept text: they are those of its sections."""
    counts: Counter[AnchoredPath] = Counter()
    counts_before_kept: Counter[AnchoredPath] = Counter()
    for page in pages:
        is_kept = page.choice.is_kept
        if not paths or not is_kept.any():
            continue
        first_kept = int(is_kept.argmax())
        for path in paths:
            for node in page.nodes_at.get(path, ()):
                first = int(page.firsts[node])
                last = int(page.lasts[node])
                tag = page.outline.nodes[node].tag
                if first == last or tag not in HEADINGS:
                    continue
                counts[path] += 1
                has_kept_before = first_kept < first
                if has_kept_before and last < len(is_kept) and is_kept[last]:
                    counts_before_kept[path] += 1

    headings = set()
    for path, count in counts.items():
        is_mostly_before_kept = 2 * counts_before_kept[path] > count
        if is_mostly_before_kept:
            headings.add(path)
    return headings


def _is_in_kept_line(page: ScoredPage, node: int) -> bool:
    """Whether a node is a part of a line that is kept, such as a link in a paragraph."""
    has_segments = page.firsts[node] < page.lasts[node]
    if has_segments or not _has_text(page.outline, node):
        return False
    segments = page.page.segments
    line = int(page.firsts[node])
    first_leaf = page.outline.nodes[node].first
    if line == len(segments) or segments[line].first > first_leaf:
        line -= 1  # the segment begins before the node
    if line < 0:
        return False
    return bool(page.choice.is_kept[line])


def _is_of_table(path: AnchoredPath) -> bool:
    """Whether the path is that of a table or a list of definitions without a name, or of a part of
    one: inside of an article these are data, however few words they have."""
    return not _TABLES.isdisjoint(path.tags)


def _has_links(path: AnchoredPath, pages: Sequence[ScoredPage]) -> bool:
    """Whether much of the text at the path is in links, as in a menu or a list of teasers."""
    characters = 0.0
    linked = 0.0
    for page in pages:
        segmented_page = page.page
        for node in page.nodes_at.get(path, []):
            below = slice(page.firsts[node], page.lasts[node])
            characters += segmented_page.lengths[below].sum()
            linked += segmented_page.linked[below].sum()
    return linked > MAX_LINKED_SHARE * characters


def _find_between(
    page: ScoredPage,
    paths: Collection[AnchoredPath],
) -> list[int]:
    """The nodes with text that the wrapper keeps because they stand between blocks; of nodes with
    the same text the innermost: what is rare may stand in the same kind of wrapping elements as
    boilerplate, as all blocks of a page builder do."""
    outline = page.outline
    blocks = page.blocks(set(paths))
    block_elements = [outline.nodes[node].element for node in blocks]
    joined = outline.indices(add_between(block_elements))
    between = set(joined).difference(blocks)

    nodes = []
    for node in between:
        if _has_text(outline, node):
            nodes.append(_innermost(outline, node))
    return sorted(nodes)


def _has_text(outline: Outline, node: int) -> bool:
    leaves = outline.nodes[node]
    return leaves.first < leaves.last


def _innermost(outline: Outline, node: int) -> int:
    """The innermost node with all of the node's text."""
    while outline.inner[node] >= 0:
        node = outline.inner[node]
    return node


def _find_inner_nodes(
    page: ScoredPage,
    blocks: set[AnchoredPath],
    between: Sequence[int],
) -> list[int]:
    """The nodes below the blocks, and those that stand between them with all below."""
    inside = page.inner_nodes(blocks)
    below = page.outline.subtree(between)
    return sorted({*inside, *below})


def _has_id(path: AnchoredPath) -> bool:
    if path.anchor is None:
        return False
    return any(name == "id" for name, _ in path.anchor.type)


def _find_text_paths(
    pages: Sequence[ScoredPage],
    blocks: Sequence[AnchoredPath],
    spare: Sequence[AnchoredPath],
) -> tuple[str, ...]:
    """The paths of the segments in the blocks and between them, as ``write_anchored_path`` writes
    them."""
    all_blocks = {*blocks, *spare}
    text_paths: set[AnchoredPath] = set()
    for page in pages:
        between = _find_between(page, blocks)
        between += _find_between(page, spare)
        inside = set(page.blocks(all_blocks))
        inside.update(_find_inner_nodes(page, all_blocks, between))
        for segment in page.page.segments:
            if segment.block in inside:
                text_paths.add(page.paths[segment.block])
    return tuple(sorted(map(write_anchored_path, text_paths)))


def _find_outside_paths(pages: Sequence[ScoredPage]) -> tuple[str, ...]:
    """The paths with prose that is not kept on any of the pages."""
    kept_paths: set[AnchoredPath] = set()
    prose_paths: set[AnchoredPath] = set()
    for page in pages:
        segments = zip(page.page.segments, page.choice.is_kept, strict=True)
        for segment, is_kept in segments:
            path = page.paths[segment.block]
            if is_kept:
                kept_paths.add(path)
                continue
            prose_size = len(segment.text) - segment.linked
            if prose_size > MIN_CHARACTERS:
                prose_paths.add(path)

    outside_paths = map(write_anchored_path, prose_paths - kept_paths)
    return tuple(sorted(outside_paths))


def _write_rule(
    path: AnchoredPath,
    pages: Sequence[ScoredPage],
    keeps: bool,
) -> Rule:
    """The expression for a path, the number of pages that have it, and the mean probability of
    the text there."""
    elements = []
    scores = []
    characters = 0
    page_count = 0
    for page in pages:
        nodes = page.nodes_at.get(path, [])
        if nodes:
            page_count += 1
        for node in nodes:
            elements.append(page.outline.nodes[node].element)
            scores.append(page.score_sum(node))
            characters += sum(page.counts(node))

    mean = sum(scores) / characters if characters else 0.5
    confidence = mean if keeps else 1 - mean
    xpath = anchored_xpath(path, elements)
    return Rule(xpath, page_count, round(confidence, 4))


def learn_trained(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """A wrapper that keeps and drops blocks, from all of the pages of a template."""
    segmented = [segment_page(page) for page in pages]
    scorer = classifier or default_classifier()
    return _learn_from(score_pages(scorer, segmented))


def learn_single(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """The same from a single page (the first of several)."""
    return learn_trained(pages[:1], params, classifier)

"""ENTROPY: text on many pages of a template is template text, the rest is content.

Gottron 2008, section 6.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from forest_scrapy.core.errors import NotEnoughPages
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.outline import Leaf
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Evidence, Wrapper
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, anchored_xpath

#: A text on a larger share of the pages is template text (section 7).
TEMPLATE_SHARE = 1 / 3
#: The largest number of paths to drop: each is one more expression to evaluate.  Not tuned.
_MOST_DROPS = 100


class _TextPage(NamedTuple):
    """A page with the anchored path of each node, and each leaf's text in single spaces."""

    page: Page
    paths: Sequence[AnchoredPath]
    texts: Sequence[str]

    def leaves(self) -> Iterator[tuple[Leaf, str]]:
        return zip(self.page.outline.leaves, self.texts, strict=True)


def learn_entropy(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """A wrapper that keeps the body, and drops the paths with template text.

    Raises ``NotEnoughPages`` for less than two pages.
    """
    if len(pages) < 2:
        raise NotEnoughPages("entropy", 2, len(pages))
    read = [_read_page(page) for page in pages]
    redundant = template_texts([page.texts for page in read])
    drops = _choose_drops(read, _template_paths(read, redundant))
    characters = sum(len(text) for page in read for text in page.texts)
    dropped = sum(len(text) for page in read for text in page.texts if text in redundant)
    return Wrapper(
        "entropy",
        ("/html/body",) if characters > dropped else (),
        Evidence(
            pages=len(pages),
            signifiers="segments",
            score=round(1 - dropped / characters, 4) if characters else 0.0,
        ),
        drop=tuple(sorted(_write_xpath(path, read) for path in drops)),
    )


def template_texts(pages: Sequence[Collection[str]]) -> frozenset[str]:
    """The texts on more than a third of the pages; with two pages, on both.

    >>> sorted(template_texts([{"menu", "owl"}, {"menu", "sea"}, {"boat"}]))
    ['menu']
    """
    found_on = Counter(text for page in pages for text in set(page))
    return frozenset(t for t, n in found_on.items() if n > max(1, TEMPLATE_SHARE * len(pages)))


def _read_page(page: Page) -> _TextPage:
    texts = [" ".join(leaf.text.split()) for leaf in page.outline.leaves]
    return _TextPage(page, anchored_paths(page.outline), texts)


def _template_paths(
    pages: Sequence[_TextPage], redundant: Collection[str]
) -> frozenset[AnchoredPath]:
    """The paths of leaves whose text, over all pages, is mostly template text."""
    counts: dict[AnchoredPath, list[int]] = defaultdict(lambda: [0, 0])
    for page in pages:
        for leaf, text in page.leaves():
            counts[page.paths[leaf.node]][text in redundant] += len(text)
    return frozenset(path for path, (rest, template) in counts.items() if template > rest)


def _choose_drops(
    pages: Sequence[_TextPage], template: Collection[AnchoredPath]
) -> list[AnchoredPath]:
    """The outermost paths below which, on every page, all text is template text; the largest
    first, then by name."""
    sizes: Counter[AnchoredPath] = Counter()
    mixed: set[AnchoredPath] = set()
    for page in pages:
        for leaf in page.page.outline.leaves:
            above = {page.paths[index] for index in page.page.outline.path(leaf.node)}
            if page.paths[leaf.node] in template:
                sizes.update(dict.fromkeys(above, len(leaf.text)))
            else:
                mixed |= above
    pure = {path for path in sizes if path not in mixed}
    outer = {path for page in pages for path in _outermost_paths(page, pure)}
    return sorted(outer, key=lambda path: (-sizes[path], str(path)))[:_MOST_DROPS]


def _outermost_paths(page: _TextPage, wanted: Collection[AnchoredPath]) -> set[AnchoredPath]:
    """The wanted paths of nodes that are not inside another node with a wanted path."""
    nodes = {node for node, path in enumerate(page.paths) if path in wanted}
    return {page.paths[node] for node in page.page.outline.outermost(nodes)}


def _write_xpath(path: AnchoredPath, pages: Sequence[_TextPage]) -> str:
    elements = [
        page.page.outline.nodes[node].element
        for page in pages
        for node, own in enumerate(page.paths)
        if own == path
    ]
    return anchored_xpath(path, elements)

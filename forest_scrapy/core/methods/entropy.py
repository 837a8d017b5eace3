"""ENTROPY: text on many pages of a template is template text, the rest is content.

Gottron 2008, section 6.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from forest_scrapy.core.errors import NotEnoughPages
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.outline import Leaf, Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Evidence, Wrapper
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, anchored_xpath

#: A text on a larger share of the pages is template text (section 7).
TEMPLATE_SHARE = 1 / 3
#: The largest number of paths to drop: each is one more expression to evaluate.  Not tuned.
_MAX_DROPS = 100


class _TextPage(NamedTuple):
    """The outline of a page with the anchored path of each node, and each leaf's text in single
    spaces."""

    outline: Outline
    paths: Sequence[AnchoredPath]
    texts: Sequence[str]

    def leaves(self) -> Iterator[tuple[Leaf, str]]:
        return zip(self.outline.leaves, self.texts, strict=True)


def learn_entropy(
    pages: Sequence[Page],
    params: Params,
    classifier: Classifier | None = None,
) -> Wrapper:
    """A wrapper that keeps the body, and drops the paths with template text.

    Raises ``NotEnoughPages`` for less than two pages.
    """
    if len(pages) < 2:
        raise NotEnoughPages("entropy", 2, len(pages))

    text_pages = [_read_page(page) for page in pages]
    redundant = template_texts([page.texts for page in text_pages])
    template_paths = _find_template_paths(text_pages, redundant)
    drops = _choose_drops(text_pages, template_paths)

    characters = 0
    dropped = 0
    for page in text_pages:
        for text in page.texts:
            characters += len(text)
            if text in redundant:
                dropped += len(text)

    has_content = characters > dropped
    score = 1 - dropped / characters if characters else 0.0
    evidence = Evidence(
        pages=len(pages),
        signifiers="segments",
        score=round(score, 4),
    )
    xpaths = [_write_xpath(path, text_pages) for path in drops]
    return Wrapper(
        "entropy",
        ("/html/body",) if has_content else (),
        evidence,
        drop=tuple(sorted(xpaths)),
    )


def template_texts(pages: Sequence[Collection[str]]) -> frozenset[str]:
    """The texts whose document frequency (DF) is more than a third of the pages; with two pages,
    those on both.

    >>> sorted(template_texts([{"menu", "owl"}, {"menu", "sea"}, {"boat"}]))
    ['menu']
    """
    page_counts: Counter[str] = Counter()
    for texts in pages:
        page_counts.update(set(texts))

    max_pages = max(1, TEMPLATE_SHARE * len(pages))
    redundant = set()
    for text, count in page_counts.items():
        if count > max_pages:
            redundant.add(text)
    return frozenset(redundant)


def _read_page(page: Page) -> _TextPage:
    outline = page.outline
    texts = []
    for leaf in outline.leaves:
        words = leaf.text.split()
        texts.append(" ".join(words))
    return _TextPage(outline, anchored_paths(outline), texts)


def _find_template_paths(
    pages: Sequence[_TextPage],
    redundant: Collection[str],
) -> frozenset[AnchoredPath]:
    """The paths of leaves whose text, over all pages, is mostly template text."""
    template_sizes: Counter[AnchoredPath] = Counter()
    content_sizes: Counter[AnchoredPath] = Counter()
    for page in pages:
        for leaf, text in page.leaves():
            sizes = template_sizes if text in redundant else content_sizes
            path = page.paths[leaf.node]
            sizes[path] += len(text)
    template_paths = set()
    for path, size in template_sizes.items():
        if size > content_sizes[path]:
            template_paths.add(path)
    return frozenset(template_paths)


def _choose_drops(
    pages: Sequence[_TextPage],
    template_paths: Collection[AnchoredPath],
) -> list[AnchoredPath]:
    """The outermost paths below which, on every page, all text is template text; the largest
    first, then by name."""
    sizes: Counter[AnchoredPath] = Counter()
    mixed: set[AnchoredPath] = set()
    for page in pages:
        for leaf in page.outline.leaves:
            nodes_above = page.outline.path(leaf.node)
            paths_above = {page.paths[node] for node in nodes_above}
            if page.paths[leaf.node] in template_paths:
                for path in paths_above:
                    sizes[path] += len(leaf.text)
            else:
                mixed |= paths_above

    pure = sizes.keys() - mixed
    outermost: set[AnchoredPath] = set()
    for page in pages:
        outermost |= _outermost_paths(page, pure)
    ranked = sorted(outermost, key=lambda path: (-sizes[path], str(path)))
    return ranked[:_MAX_DROPS]


def _outermost_paths(
    page: _TextPage,
    pure: Collection[AnchoredPath],
) -> set[AnchoredPath]:
    """The pure paths of nodes that are not inside another node with a pure path."""
    nodes = set()
    for node, path in enumerate(page.paths):
        if path in pure:
            nodes.add(node)
    outermost = page.outline.outermost(nodes)
    return {page.paths[node] for node in outermost}


def _write_xpath(path: AnchoredPath, pages: Sequence[_TextPage]) -> str:
    elements = []
    for page in pages:
        for node, node_path in enumerate(page.paths):
            if node_path == path:
                node_element = page.outline.nodes[node].element
                elements.append(node_element)
    return anchored_xpath(path, elements)

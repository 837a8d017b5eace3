"""A wrapper for a single page that keeps some of its pieces of text (segments or leaves).

The kept elements are written by their numbers in the document, which are valid for this page
only.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.wrapper import Evidence, Wrapper


def write_page_wrapper(
    method: str,
    page: Page,
    nodes: Sequence[int],
    is_content: Sequence[bool],
    score: float,
) -> Wrapper:
    """The wrapper that keeps the pieces whose ``is_content`` is True; without expressions if none
    is.

    ``nodes[i]``: the index of the element that directly contains piece i.  A piece in the same
    element as a kept one is kept, too.  Cost: pieces * depth.
    """
    evidence = Evidence(pages=1, signifiers="segments", score=round(score, 4))
    content_nodes = list(compress(nodes, is_content))
    if not content_nodes:
        return Wrapper(method, (), evidence)

    outline = page.outline
    piece_counts = _count_below(outline, nodes)
    content_counts = _count_below(outline, content_nodes)

    keep = set(content_nodes)
    for node, count in content_counts.items():
        if count == piece_counts[node]:
            keep.add(node)
    blocks = outline.outermost(keep)

    inside = outline.subtree(blocks)
    with_pieces_only = piece_counts.keys() - content_counts.keys()
    without_content = inside & with_pieces_only
    drop = outline.outermost(without_content)
    return Wrapper(
        method,
        (_numbers_xpath(outline, blocks),),
        evidence,
        drop=(_numbers_xpath(outline, drop),) if drop else (),
        take="all",
    )


def _count_below(outline: Outline, nodes: Iterable[int]) -> Counter[int]:
    """For each element, the number of pieces in it and below it."""
    counts: Counter[int] = Counter()
    for node in nodes:
        counts.update(outline.path(node))
    return counts


def _numbers_xpath(outline: Outline, nodes: Sequence[int]) -> str:
    """One expression for all elements; a test with many ``or`` is too deep for libxml2."""
    if len(nodes) == 1:
        return outline.nodes[nodes[0]].xpath
    numbers = " ".join(str(outline.nodes[node].dfs) for node in nodes)
    return f"(//*)[contains(' {numbers} ', concat(' ', position(), ' '))]"

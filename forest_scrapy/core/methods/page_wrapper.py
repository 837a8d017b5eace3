"""A wrapper for a single page that keeps some of its pieces of text (segments or leaves).

The kept elements are written by their numbers in the document, which are valid for this page
only.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.wrapper import Evidence, Wrapper


def write_page_wrapper(
    method: str, page: Page, nodes: Sequence[int], kept: Sequence[bool], score: float
) -> Wrapper:
    """The wrapper that keeps the pieces whose ``kept`` is True; without expressions if none is.

    ``nodes[i]``: the index of the element that directly contains piece i.  A piece in the same
    element as a kept one is kept, too.  Cost: pieces * depth.
    """
    outline = page.outline
    wanted = [node for node, is_kept in zip(nodes, kept, strict=True) if is_kept]
    evidence = Evidence(pages=1, signifiers="segments", score=round(score, 4))
    if not wanted:
        return Wrapper(method, (), evidence)
    total, inside = _count_below(outline, nodes), _count_below(outline, wanted)
    whole = {node for node in inside if inside[node] == total[node]}
    keep = outline.outermost(whole | set(wanted))
    within = outline.subtree(keep)
    drop = outline.outermost({node for node in total if node in within and node not in inside})
    return Wrapper(
        method,
        (_numbers_xpath(outline, keep),),
        evidence,
        drop=(_numbers_xpath(outline, drop),) if drop else (),
        take="all",
    )


def _count_below(outline: Outline, nodes: Iterable[int]) -> Counter[int]:
    """For each element, the number of pieces in it and below it."""
    return Counter(above for node in nodes for above in outline.path(node))


def _numbers_xpath(outline: Outline, nodes: Sequence[int]) -> str:
    """One expression for all elements; a test with many ``or`` is too deep for libxml2."""
    if len(nodes) == 1:
        return outline.nodes[nodes[0]].xpath
    numbers = " ".join(str(outline.nodes[node].dfs) for node in nodes)
    return f"(//*)[contains(' {numbers} ', concat(' ', position(), ' '))]"

"""ENTROPY: what stands on many of a template's pages is template text, the rest is content.

Gottron 2008, section 6.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.errors import NotEnoughPages
from forest_scrapy.core.evidence import Evidence
from forest_scrapy.core.params import Params
from forest_scrapy.core.patterns.anchored import AnchoredPath, anchored_paths, anchored_xpath
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import Wrapper

__all__ = ["learn_entropy", "template_texts"]

#: A text on a larger share of the pages is template text (section 7).
TEMPLATE_SHARE = 1 / 3
#: Places that are dropped, those with most text first: each is one more expression to try.
_MOST_DROPS = 100


def learn_entropy(
    pages: Sequence[Page], params: Params, classifier: Classifier | None = None
) -> Wrapper:
    """A wrapper that keeps the body, and drops the places that hold template text.

    Two pages or more, else ``NotEnoughPages``.
    """
    if len(pages) < 2:
        raise NotEnoughPages("entropy", 2, len(pages))
    texts = [[_fold(leaf.text) for leaf in page.outline.leaves] for page in pages]
    places = [anchored_paths(page.outline) for page in pages]
    redundant = template_texts(texts)
    template = _template_places(pages, places, texts, redundant)
    drops = _drop_places(pages, places, template)
    characters = sum(len(text) for own in texts for text in own)
    dropped = sum(len(text) for own in texts for text in own if text in redundant)
    return Wrapper(
        "entropy",
        ("/html/body",) if characters > dropped else (),
        Evidence(
            pages=len(pages),
            signifiers="segments",
            score=round(1 - dropped / characters, 4) if characters else 0.0,
        ),
        drop=tuple(sorted(_xpath(place, pages, places) for place in drops)),
    )


def template_texts(pages: Sequence[Collection[str]]) -> frozenset[str]:
    """The texts on more than a third of the pages, of two pages on both.

    >>> sorted(template_texts([{"menu", "owl"}, {"menu", "sea"}, {"boat"}]))
    ['menu']
    """
    found_on = Counter(text for page in pages for text in set(page))
    return frozenset(t for t, n in found_on.items() if n > max(1, TEMPLATE_SHARE * len(pages)))


def _fold(text: str) -> str:
    return " ".join(text.split())


def _template_places(
    pages: Sequence[Page],
    places: Sequence[Sequence[AnchoredPath]],
    texts: Sequence[Sequence[str]],
    redundant: Collection[str],
) -> frozenset[AnchoredPath]:
    """The places where most of the text that stands there, over all pages, is template text."""
    counts: dict[AnchoredPath, list[int]] = defaultdict(lambda: [0, 0])
    for page, own, found in zip(pages, places, texts, strict=True):
        for leaf, text in zip(page.outline.leaves, found, strict=True):
            counts[own[leaf.node]][text in redundant] += len(text)
    return frozenset(place for place, (rest, template) in counts.items() if template > rest)


def _drop_places(
    pages: Sequence[Page],
    places: Sequence[Sequence[AnchoredPath]],
    template: Collection[AnchoredPath],
) -> list[AnchoredPath]:
    """The places below which, on every page, all text is template text: outermost, most text
    first, then by name."""
    sizes: Counter[AnchoredPath] = Counter()
    mixed: set[AnchoredPath] = set()
    for page, own in zip(pages, places, strict=True):
        for leaf in page.outline.leaves:
            above = {own[index] for index in page.outline.path(leaf.node)}
            if own[leaf.node] in template:
                sizes.update(dict.fromkeys(above, len(leaf.text)))
            else:
                mixed |= above
    pure = {place for place in sizes if place not in mixed}
    outer = _outermost_places(pages, places, pure)
    return sorted(outer, key=lambda place: (-sizes[place], str(place)))[:_MOST_DROPS]


def _outermost_places(
    pages: Sequence[Page], places: Sequence[Sequence[AnchoredPath]], pure: Collection[AnchoredPath]
) -> set[AnchoredPath]:
    """The places that stand, on one page at least, in no other of them."""
    return {
        own[node]
        for page, own in zip(pages, places, strict=True)
        for node in page.outline.outermost({i for i, path in enumerate(own) if path in pure})
    }


def _xpath(
    place: AnchoredPath, pages: Sequence[Page], places: Sequence[Sequence[AnchoredPath]]
) -> str:
    elements = [
        page.outline.nodes[i].element
        for page, own in zip(pages, places, strict=True)
        for i, seen in enumerate(own)
        if seen == place
    ]
    return anchored_xpath(place, elements)

"""Where a wrapper keeps and drops the elements of a page, and where its fields are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forest_scrapy.core import Extract, Page, Wrapper
from forest_scrapy.core.explain import find_parts
from forest_scrapy.core.fields.metadata import FieldSources, Metadata, is_xpath
from forest_scrapy.core.fields.sources import PageSources, kind_of
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.segments.classifier import default_classifier
from forest_scrapy.core.segments.segmentation import SegmentedPage
from forest_scrapy.core.xpaths.anchored import (
    AnchoredPath,
    anchored_paths,
    anchored_xpath,
    write_anchored_path,
)

__all__ = [
    "FIELDS",
    "Marks",
    "PathRow",
    "Source",
    "count_paths",
    "find_sources",
    "mark_parts",
    "mark_paths",
    "mark_scores",
    "mark_states",
]

#: The fields that are shown, and whose sources are looked for on the page.
FIELDS = ("title", "published", "modified", "authors", "tags")

#: Attributes to add, by element.
Marks = dict[Element, dict[str, str]]


@dataclass(frozen=True)
class PathRow:
    """An anchored path of a page: its expression, its short form, and on how many of the
    template's pages in the report it is."""

    xpath: str
    path: str
    pages: int


@dataclass(frozen=True)
class Source:
    """Where a field of a page comes from: the kind of its source, and the source itself, if it is
    known: an XPath, or something that the page declares."""

    kind: str
    source: str = ""


def count_paths(pages: Sequence[Page]) -> Counter[AnchoredPath]:
    """On how many of the pages each anchored path is."""
    return Counter(path for page in pages for path in set(anchored_paths(page.outline)))


def mark_parts(marks: Marks, page: Page, wrapper: Wrapper, found: Extract, number: int = 0) -> None:
    """Mark what ``found`` has kept, and what was left out of it, each with its rule: ``keep 1``,
    ``drop 2``; ``classifier`` for blocks that the template was not learned with.

    ``number``: that of the wrapper, 0 for the template's own, which is shown first."""
    if not found.xpath:
        return
    kept, dropped = find_parts(page, wrapper, found.xpath)
    rules = [("kept", f"keep {wrapper.keep.index(found.xpath) + 1}", kept)]
    for xpath, elements in dropped.items():
        rule = f"drop {wrapper.drop.index(xpath) + 1}" if xpath else "classifier"
        rules.append(("dropped", rule, elements))
    for kind, rule, elements in rules:
        for element in elements:
            if number:
                _add(marks, element, **{f"m{number}": f"{kind} {rule}"})
            else:
                _add(marks, element, forest=kind, rule=rule, m0=f"{kind} {rule}")


def mark_states(marks: Marks, page: Page, number: int = 0) -> list[str]:
    """What ``mark_parts`` has marked each node of the page's outline with, or the nearest node
    around it: ``kept``, ``dropped``, or ``""`` if none is marked."""
    states: list[str] = []
    for node in page.outline.nodes:
        above = states[node.parent] if node.parent >= 0 else ""
        given = marks.get(node.element, {}).get(f"data-m{number}", "")
        states.append(given.partition(" ")[0] or above)
    return states


def mark_paths(marks: Marks, page: Page, counts: Mapping[AnchoredPath, int]) -> list[PathRow]:
    """Mark every visible element with the number of its anchored path; the paths by number."""
    paths, nodes = anchored_paths(page.outline), page.outline.nodes
    elements: dict[AnchoredPath, list[Element]] = {}
    for path, node in zip(paths, nodes, strict=True):
        elements.setdefault(path, []).append(node.element)
    numbers = {path: str(i) for i, path in enumerate(elements)}
    for path, node in zip(paths, nodes, strict=True):
        _add(marks, node.element, x=numbers[path])
    return [
        PathRow(anchored_xpath(path, found), write_anchored_path(path), counts[path])
        for path, found in elements.items()
    ]


def mark_scores(marks: Marks, segmented: SegmentedPage) -> str:
    """Mark the blocks with the probability, in percent, that the classifier gives to their text;
    the text of those that are more likely content than not."""
    nodes = segmented.outline.nodes
    scores = default_classifier().score(segmented, {}, 1)
    for segment, score in zip(segmented.segments, scores, strict=True):
        _add(marks, nodes[segment.block].element, p=f"{score:.0%}")
    likely = zip(segmented.segments, scores, strict=True)
    return "\n".join(segment.text for segment, score in likely if score >= 0.5)


def find_sources(
    marks: Marks, page: Page, learned: FieldSources, found: Metadata
) -> dict[str, Source]:
    """The source of each of ``FIELDS`` that the page has; the elements are marked."""
    sources, given = PageSources(page), {}
    for name in FIELDS:
        if kind := found.sources.get(name):
            source = next((s for s in getattr(learned, name) if _gives(sources, s, kind)), "")
            given[name] = Source(kind, source)
            tag = source.removeprefix("html:")
            xpath = source if is_xpath(source) else f"//{tag}" if tag != source else ""
            for element in sources.elements(xpath)[:1] if xpath else ():
                _add(marks, element, field=name)
    return given


def _gives(sources: PageSources, source: str, kind: str) -> bool:
    """Whether a source is of this kind, and the page has it."""
    return kind_of(source) == kind and bool(sources.texts(source))


def _add(marks: Marks, element: Element, **values: str) -> None:
    own = marks.setdefault(element, {})
    own.update({f"data-{name}": value for name, value in values.items()})

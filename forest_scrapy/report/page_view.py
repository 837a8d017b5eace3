"""One page of a report: what was extracted, and the page with its marks, compressed.

Marks are attributes of elements: what a wrapper keeps and drops and by which rule, where fields
are, the number of the element's path, and the probability that its text is content.
"""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from gzip import compress
from typing import Any

from forest_scrapy.core import Extract, Page, Params, Wrapper, extract
from forest_scrapy.core.changes import Delta, compare_texts, share_changed, text_f1
from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.explain import find_parts
from forest_scrapy.core.fields import read_fields
from forest_scrapy.core.fields.metadata import FieldSources, is_xpath
from forest_scrapy.core.fields.source_readers import kind_of
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.methods.confidence import Origin, rate_text
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.segments.classifier import default_classifier
from forest_scrapy.core.segments.segmentation import SegmentedPage, segment_page
from forest_scrapy.core.xpaths.anchored import (
    AnchoredPath,
    anchored_paths,
    anchored_xpath,
    write_anchored_path,
)
from forest_scrapy.report.contents import Change, ReportPage, ReportTemplate
from forest_scrapy.report.safe_page import write_safe_page

#: The fields that are shown, and whose sources are looked for on the page.
FIELDS = ("title", "published", "modified", "authors", "tags")
#: Bars of a thumbnail, and the characters of a segment that has a bar of full width.
_BARS, _LINE = 32, 150

#: Attributes to add, by element.
Marks = dict[Element, dict[str, str]]


@dataclass(frozen=True)
class FieldView:
    """A field of an article, as text; the kind of its source, and the source itself, if it is
    known: an XPath, or something that the page declares."""

    name: str
    value: str
    kind: str
    source: str


@dataclass(frozen=True)
class OtherView:
    """What another method or version finds on a page: the length of its text, and its F1 against
    the text of the report; ``delta``: what it has more, and what it leaves out."""

    name: str
    characters: int
    f1: float
    delta: Delta


@dataclass(frozen=True)
class Bar:
    """Successive segments in a thumbnail.  ``kind``: ``kept``, ``dropped``, or ``other`` if they
    are outside of what was kept; ``width``: 0 to 1."""

    kind: str
    width: float


@dataclass(frozen=True)
class PageView:
    """A page of a report.

    ``file``: the name of its file; ``method`` and ``rule``: what found the text; ``likely``: the
    text that is content by the classifier alone; ``bars``: the thumbnail, from top to bottom;
    ``kept_paths``: the anchored paths that have text that is kept; ``confidence``: that of the
    text, 0 without one; ``data``: JSON, compressed with
    gzip, in base64: the page with its marks, its paths and the wrapper.
    """

    url: str
    outcome: str
    change: Change | None
    file: str
    method: str
    rule: str
    text: str
    likely: str
    bars: tuple[Bar, ...]
    kept_paths: frozenset[AnchoredPath]
    unseen: int
    confidence: float
    fields: tuple[FieldView, ...]
    others: tuple[OtherView, ...]
    data: str

    def value(self, name: str) -> str:
        """The value of a field, ``""`` if the page does not have it."""
        return next((one.value for one in self.fields if one.name == name), "")


def view_page(
    page: Page,
    shown: ReportPage,
    template: ReportTemplate,
    counts: Mapping[AnchoredPath, int],
    params: Params,
) -> PageView:
    """What the template's wrapper gives on a page.  ``counts``: on how many pages each path is."""
    used = [extract(page, one, params) for one in (template.wrapper, *template.others.values())]
    (wrapper, result), *others = used
    marks: Marks = {}
    segmented = segment_page(page)
    paths, likely = _mark_paths(marks, page, counts), _mark_scores(marks, segmented)
    for number, applied in enumerate(used):
        mark_parts(marks, page, *applied, number)
    fields = tuple(_find_fields(marks, page, template.wrapper.fields, result))
    states = _segment_states(segmented, marks)
    return PageView(
        url=page.url,
        outcome=shown.outcome,
        change=shown.change,
        file=file_name("page", template.host, template.id, page.url),
        method=wrapper.method if result.text else "",
        rule=result.xpath,
        text=result.text,
        likely=likely,
        bars=tuple(_join_bars(states, [len(one.text) for one in segmented.segments])),
        kept_paths=_kept_paths(segmented, states),
        unseen=result.unseen,
        confidence=_rate(page, template, wrapper, result),
        fields=fields,
        others=tuple(
            _compare(name, result.text, one.text)
            for name, (_, one) in zip(template.others, others, strict=True)
        ),
        data=_pack(page, marks, paths, template, [one for one, _ in used]),
    )


def _rate(page: Page, template: ReportTemplate, wrapper: Wrapper, result: Extract) -> float:
    if not result.text:
        return 0.0
    return rate_text(page, result, Origin(wrapper, wrapper is not template.wrapper))


def file_name(kind: str, *parts: str) -> str:
    """The name of a file of the report, always the same for the same parts.

    >>> file_name("page", "https://a.example/1")
    'page-c7de39f580.html'
    """
    return f"{kind}-{hex_digest(' '.join(parts), 5)}.html"


def text_agreement(one: str, other: str) -> float:
    """The share of shingles that two texts have in common; 1 for equal texts."""
    return 1.0 if one == other else 1 - share_changed(one, other)


def as_text(value: object) -> str:
    """A field's value on one line."""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def count_paths(pages: Sequence[Page]) -> Counter[AnchoredPath]:
    """On how many of the pages each anchored path is."""
    return Counter(path for page in pages for path in set(anchored_paths(page.outline)))


def mark_parts(
    marks: Marks, page: Page, wrapper: Wrapper, result: Extract, number: int = 0
) -> None:
    """Mark what ``result`` has kept, and what was left out of it, each with its rule: ``keep 1``,
    ``drop 2``; ``classifier`` for blocks that the template was not learned with.

    ``number``: that of the wrapper, 0 for the template's own, which is shown first."""
    if not result.xpath:
        return
    kept, dropped = find_parts(page, wrapper, result.xpath)
    rules = [("kept", f"keep {wrapper.keep.index(result.xpath) + 1}", kept)]
    for xpath, elements in dropped.items():
        rule = f"drop {wrapper.drop.index(xpath) + 1}" if xpath else "classifier"
        rules.append(("dropped", rule, elements))
    for kind, rule, elements in rules:
        for element in elements:
            if number:
                _add(marks, element, **{f"m{number}": f"{kind} {rule}"})
            else:
                _add(marks, element, forest=kind, rule=rule, m0=f"{kind} {rule}")


def mark_page(page: Page, wrapper: Wrapper, params: Params) -> dict[str, Any]:
    """The page with what another wrapper keeps and drops, and where its fields are: ``html``, and
    the rules of that wrapper, ``used``, as in ``PageView.data``."""
    marks: Marks = {}
    used, result = extract(page, wrapper, params)
    mark_parts(marks, page, used, result)
    for _ in _find_fields(marks, page, wrapper.fields, result):
        pass  # they are marked
    return {"html": write_safe_page(page.root, marks), "used": _rules(used)}


def mark_states(marks: Marks, page: Page, number: int = 0) -> list[str]:
    """What ``mark_parts`` has marked each node of the page's outline with, or the nearest node
    around it: ``kept``, ``dropped``, or ``""`` if none is marked."""
    states: list[str] = []
    for node in page.outline.nodes:
        above = states[node.parent] if node.parent >= 0 else ""
        mark = marks.get(node.element, {}).get(f"data-m{number}", "")
        states.append(mark.partition(" ")[0] or above)
    return states


def _mark_paths(
    marks: Marks, page: Page, counts: Mapping[AnchoredPath, int]
) -> list[tuple[str, str, int]]:
    """Mark every visible element with the number of its anchored path.  The paths by number: the
    expression, the short form, and on how many of the template's pages in the report it is."""
    elements: dict[AnchoredPath, list[Element]] = {}
    numbers: dict[AnchoredPath, str] = {}
    for path, node in zip(anchored_paths(page.outline), page.outline.nodes, strict=True):
        elements.setdefault(path, []).append(node.element)
        _add(marks, node.element, x=numbers.setdefault(path, str(len(numbers))))
    return [
        (anchored_xpath(path, with_path), write_anchored_path(path), counts[path])
        for path, with_path in elements.items()
    ]


def _mark_scores(marks: Marks, segmented: SegmentedPage) -> str:
    """Mark the blocks with the probability, in percent, that the classifier gives to their text;
    the text of those that are more likely content than not."""
    nodes, likely = segmented.outline.nodes, []
    scores = default_classifier().score(segmented, {}, 1)
    for segment, score in zip(segmented.segments, scores, strict=True):
        _add(marks, nodes[segment.block].element, p=f"{score:.0%}")
        if score >= 0.5:
            likely.append(segment.text)
    return "\n".join(likely)


def _find_fields(
    marks: Marks, page: Page, learned: FieldSources, result: Extract
) -> Iterator[FieldView]:
    """Those of ``FIELDS`` that the page has; the elements of their sources are marked."""
    values = read_fields(page, learned, result.content)
    sources = PageSources(page)
    for name in FIELDS:
        if kind := values.sources.get(name):
            of_kind = (source for source in getattr(learned, name) if kind_of(source) == kind)
            source = next((source for source in of_kind if sources.texts(source)), "")
            tag = source.removeprefix("html:")
            xpath = source if is_xpath(source) else f"//{tag}" if tag != source else ""
            for element in sources.elements(xpath)[:1] if xpath else ():
                _add(marks, element, field=name)
            yield FieldView(name, as_text(getattr(values, name)), kind, source)


def _add(marks: Marks, element: Element, **values: str) -> None:
    attributes = marks.setdefault(element, {})
    attributes.update({f"data-{name}": value for name, value in values.items()})


def _segment_states(page: SegmentedPage, marks: Marks) -> list[str]:
    """The kind of each segment's bar, on a page whose parts are marked."""
    states, leaves = mark_states(marks, page.page), page.outline.leaves
    return [states[leaves[segment.first].node] or "other" for segment in page.segments]


def _kept_paths(page: SegmentedPage, states: Sequence[str]) -> frozenset[AnchoredPath]:
    paths = anchored_paths(page.outline)
    segments = zip(page.segments, states, strict=True)
    return frozenset(paths[segment.block] for segment, state in segments if state == "kept")


def _join_bars(states: Sequence[str], lengths: Sequence[int]) -> Iterator[Bar]:
    """At most ``_BARS`` bars, each for as many segments of these lengths.

    >>> list(_join_bars(["kept", "other"], [75, 300]))
    [Bar(kind='kept', width=0.5), Bar(kind='other', width=1.0)]
    """
    size = -(-len(states) // _BARS) or 1
    for start in range(0, len(states), size):
        characters: Counter[str] = Counter()
        for state, length in zip(states[start : start + size], lengths[start:], strict=False):
            characters[state] += length
        kind = max(sorted(characters), key=lambda state: characters[state])
        mean = characters.total() / len(states[start : start + size])
        yield Bar(kind, round(min(1.0, max(0.1, mean / _LINE)), 2))


def _compare(name: str, text: str, other: str) -> OtherView:
    return OtherView(name, len(other), text_f1(text, other), compare_texts(text, other))


def _rules(wrapper: Wrapper) -> dict[str, Any]:
    """The expressions of a wrapper, and the evidence for them."""
    evidence = {rule.xpath: asdict(rule) for rule in wrapper.evidence.rules}
    return {"keep": wrapper.keep, "drop": wrapper.drop, "evidence": evidence}


def _pack(
    page: Page, marks: Marks, paths: Any, template: ReportTemplate, used: Sequence[Wrapper]
) -> str:
    """``PageView.data``; ``used``: the wrappers by number."""
    data = {
        "url": page.url,
        "html": write_safe_page(page.root, marks),
        "paths": paths,
        "host": template.host,
        "template": template.id,
        "wrapper": template.wrapper.to_dict(),
        "used": [_rules(one) for one in used],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return b64encode(compress(text.encode("utf-8", "replace"), 6, mtime=0)).decode("ascii")

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
from forest_scrapy.core.fields.metadata import FieldSources, is_xpath
from forest_scrapy.core.fields.read_fields import read_fields
from forest_scrapy.core.fields.source_readers import kind_of
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.methods.confidence import TextOrigin, rate_text
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
MAX_BARS = 32
FULL_BAR_LENGTH = 150

#: Steps of the paths of a page, each for all of its elements; they take some 4 us and 70 bytes.  Of
#: 530 pages of the development sets none has more than 21,000.
MAX_PATH_STEPS = 50_000

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
    text, 0 without one; ``data``: JSON, compressed with gzip, in base64: the page with its marks,
    its paths and the wrapper.
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
        for field in self.fields:
            if field.name == name:
                return field.value
        return ""


@dataclass(frozen=True)
class _Applied:
    """A wrapper that was applied to a page, which may be another one than was asked for (see
    ``extract``), and what it gave."""

    wrapper: Wrapper
    result: Extract


def view_page(
    page: Page,
    report_page: ReportPage,
    template: ReportTemplate,
    counts: Mapping[AnchoredPath, int],
    params: Params,
) -> PageView:
    """What the template's wrapper gives on a page.  ``counts``: on how many pages each path is."""
    wrappers = (template.wrapper, *template.others.values())
    applied = [_Applied(*extract(page, wrapper, params)) for wrapper in wrappers]
    wrapper = applied[0].wrapper
    result = applied[0].result

    marks: Marks = {}
    segmented = segment_page(page)
    paths = _mark_paths(marks, page, counts)
    likely = _mark_scores(marks, segmented)
    for number, entry in enumerate(applied):
        mark_parts(marks, page, entry.wrapper, entry.result, number)
    fields = tuple(_find_fields(marks, page, template.wrapper.fields, result))

    states = _segment_states(segmented, marks)
    lengths = [len(segment.text) for segment in segmented.segments]
    comparisons = []
    for name, entry in zip(template.others, applied[1:], strict=True):
        comparisons.append(_compare(name, result.text, entry.result.text))
    return PageView(
        url=page.url,
        outcome=report_page.outcome,
        change=report_page.change,
        file=report_file_name("page", template.host, template.id, page.url),
        method=wrapper.method if result.text else "",
        rule=result.xpath,
        text=result.text,
        likely=likely,
        bars=tuple(_join_bars(states, lengths)),
        kept_paths=_find_kept_paths(segmented, states),
        unseen=result.unseen,
        confidence=_rate(page, template, wrapper, result),
        fields=fields,
        others=tuple(comparisons),
        data=_pack(page, marks, paths, template, [entry.wrapper for entry in applied]),
    )


def _rate(
    page: Page,
    template: ReportTemplate,
    wrapper: Wrapper,
    result: Extract,
) -> float:
    if not result.text:
        return 0.0
    is_fallback = wrapper is not template.wrapper
    return rate_text(page, result, TextOrigin(wrapper, is_fallback))


def report_file_name(kind: str, *parts: str) -> str:
    """The name of a file of the report, always the same for the same parts.

    >>> report_file_name("page", "https://a.example/1")
    'page-c7de39f580.html'
    """
    digest = hex_digest(" ".join(parts), 5)
    return f"{kind}-{digest}.html"


def text_agreement(first: str, second: str) -> float:
    """The share of shingles that two texts have in common; 1 for equal texts."""
    if first == second:
        return 1.0
    return 1 - share_changed(first, second)


def as_text(value: object) -> str:
    """A field's value on one line."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value)


def count_paths(pages: Sequence[Page]) -> Counter[AnchoredPath]:
    """On how many of the pages each anchored path is."""
    counts: Counter[AnchoredPath] = Counter()
    for page in pages:
        counts.update(set(anchored_paths(page.outline)))
    return counts


def mark_parts(
    marks: Marks,
    page: Page,
    wrapper: Wrapper,
    result: Extract,
    number: int = 0,
) -> None:
    """Mark what ``result`` has kept, and what was left out of it, each with its rule: ``keep 1``,
    ``drop 2``; ``classifier`` for blocks that the template was not learned with.

    ``number``: that of the wrapper, 0 for the template's own, which is shown first."""
    if not result.xpath:
        return
    content_elements, dropped = find_parts(page, wrapper, result.xpath)
    keep_rule = f"keep {wrapper.keep.index(result.xpath) + 1}"
    for element in content_elements:
        _mark_part(marks, element, "kept", keep_rule, number)
    for xpath, elements in dropped.items():
        rule = f"drop {wrapper.drop.index(xpath) + 1}" if xpath else "classifier"
        for element in elements:
            _mark_part(marks, element, "dropped", rule, number)


def _mark_part(
    marks: Marks,
    element: Element,
    kind: str,
    rule: str,
    number: int,
) -> None:
    if number:
        _add(marks, element, **{f"m{number}": f"{kind} {rule}"})
    else:
        _add(
            marks,
            element,
            forest=kind,
            rule=rule,
            m0=f"{kind} {rule}",
        )


def mark_page(
    page: Page,
    wrapper: Wrapper,
    params: Params,
) -> dict[str, Any]:
    """The page with what another wrapper keeps and drops, and where its fields are: ``html``, and
    the rules of that wrapper, ``used``, as in ``PageView.data``."""
    marks: Marks = {}
    used_wrapper, result = extract(page, wrapper, params)
    mark_parts(marks, page, used_wrapper, result)
    for _ in _find_fields(marks, page, wrapper.fields, result):
        pass  # they are marked
    return {"html": write_safe_page(page.root, marks), "used": _rules(used_wrapper)}


def mark_states(
    marks: Marks,
    page: Page,
    number: int = 0,
) -> list[str]:
    """What ``mark_parts`` has marked each node of the page's outline with, or the nearest node
    around it: ``kept``, ``dropped``, or ``""`` if none is marked."""
    states: list[str] = []
    for node in page.outline.nodes:
        state_around = states[node.parent] if node.parent >= 0 else ""
        mark = marks.get(node.element, {}).get(f"data-m{number}", "")
        state = mark.partition(" ")[0]
        states.append(state or state_around)
    return states


def _mark_paths(
    marks: Marks,
    page: Page,
    counts: Mapping[AnchoredPath, int],
) -> list[tuple[str, str, int]]:
    """Mark every visible element with the number of its anchored path.  The paths by number: the
    expression, the short form, and on how many of the template's pages in the report it is.

    Paths for which no step is left, of ``MAX_PATH_STEPS``, have no number: on a page that nests a
    thousand elements, the expressions would have 100 MB."""
    elements_at: dict[AnchoredPath, list[Element]] = {}
    for path, node in zip(anchored_paths(page.outline), page.outline.nodes, strict=True):
        elements_at.setdefault(path, []).append(node.element)

    rows: list[tuple[str, str, int]] = []
    step_count = 0
    for path, elements in elements_at.items():
        steps_of_path = len(path.tags) * len(elements)
        if step_count + steps_of_path > MAX_PATH_STEPS:
            continue
        step_count += steps_of_path
        for element in elements:
            _add(marks, element, x=str(len(rows)))
        xpath = anchored_xpath(path, elements)
        short_form = write_anchored_path(path)
        rows.append((xpath, short_form, counts[path]))
    return rows


def _mark_scores(marks: Marks, segmented: SegmentedPage) -> str:
    """Mark the blocks with the probability, in percent, that the classifier gives to their text;
    the text of those that are more likely content than not."""
    nodes = segmented.outline.nodes
    likely_texts = []
    scores = default_classifier().score(segmented, {}, 1)
    for segment, score in zip(segmented.segments, scores, strict=True):
        _add(marks, nodes[segment.block].element, p=f"{score:.0%}")
        if score >= 0.5:
            likely_texts.append(segment.text)
    return "\n".join(likely_texts)


def _find_fields(
    marks: Marks,
    page: Page,
    learned: FieldSources,
    result: Extract,
) -> Iterator[FieldView]:
    """Those of ``FIELDS`` that the page has; the elements of their sources are marked."""
    values = read_fields(page, learned, result.content)
    sources = PageSources(page)
    for name in FIELDS:
        kind = values.sources.get(name)
        if not kind:
            continue
        source = ""
        for candidate in getattr(learned, name):
            if kind_of(candidate) == kind and sources.texts(candidate):
                source = candidate
                break
        xpath = _xpath_of(source)
        if xpath:
            for element in sources.elements(xpath)[:1]:
                _add(marks, element, field=name)
        yield FieldView(name, as_text(getattr(values, name)), kind, source)


def _xpath_of(source: str) -> str:
    """The expression that finds the element of a source; ``""`` for what a page declares."""
    if is_xpath(source):
        return source
    tag = source.removeprefix("html:")
    return f"//{tag}" if tag != source else ""


def _add(marks: Marks, element: Element, **values: str) -> None:
    attributes = marks.setdefault(element, {})
    attributes.update({f"data-{name}": value for name, value in values.items()})


def _segment_states(page: SegmentedPage, marks: Marks) -> list[str]:
    """The kind of each segment's bar, on a page whose parts are marked."""
    leaves = page.outline.leaves
    node_states = mark_states(marks, page.page)
    return [node_states[leaves[segment.first].node] or "other" for segment in page.segments]


def _find_kept_paths(page: SegmentedPage, states: Sequence[str]) -> frozenset[AnchoredPath]:
    paths = anchored_paths(page.outline)
    kept_paths = set()
    for segment, state in zip(page.segments, states, strict=True):
        if state == "kept":
            kept_paths.add(paths[segment.block])
    return frozenset(kept_paths)


def _join_bars(states: Sequence[str], lengths: Sequence[int]) -> Iterator[Bar]:
    """At most ``MAX_BARS`` bars, each for as many segments of these lengths.

    >>> list(_join_bars(["kept", "other"], [75, 300]))
    [Bar(kind='kept', width=0.5), Bar(kind='other', width=1.0)]
    """
    size = -(-len(states) // MAX_BARS) or 1
    for start in range(0, len(states), size):
        bar_states = states[start : start + size]
        bar_lengths = lengths[start : start + size]
        characters: Counter[str] = Counter()
        for state, length in zip(bar_states, bar_lengths, strict=True):
            characters[state] += length
        kind = max(sorted(characters), key=lambda state: characters[state])
        mean = characters.total() / len(bar_states)
        width = min(1.0, max(0.1, mean / FULL_BAR_LENGTH))
        yield Bar(kind, round(width, 2))


def _compare(
    name: str,
    text: str,
    other_text: str,
) -> OtherView:
    return OtherView(
        name=name,
        characters=len(other_text),
        f1=text_f1(text, other_text),
        delta=compare_texts(text, other_text),
    )


def _rules(wrapper: Wrapper) -> dict[str, Any]:
    """The expressions of a wrapper, and the evidence for them."""
    evidence = {rule.xpath: asdict(rule) for rule in wrapper.evidence.rules}
    return {"keep": wrapper.keep, "drop": wrapper.drop, "evidence": evidence}


def _pack(
    page: Page,
    marks: Marks,
    paths: Any,
    template: ReportTemplate,
    wrappers: Sequence[Wrapper],
) -> str:
    """``PageView.data``; ``wrappers``: those that were used, by number."""
    data = {
        "url": page.url,
        "html": write_safe_page(page.root, marks),
        "paths": paths,
        "host": template.host,
        "template": template.id,
        "wrapper": template.wrapper.to_dict(),
        "used": [_rules(wrapper) for wrapper in wrappers],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    compressed = compress(text.encode("utf-8", "replace"), 6, mtime=0)
    return b64encode(compressed).decode("ascii")

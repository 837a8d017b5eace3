"""The labelled graph of a form's records as a picture, in units of SVG: the class, its predicates
with example values, and the controls of the form that are about them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.graph.iris import last_part
from forest_scrapy.core.graph.item_graph import record_class
from forest_scrapy.core.graph.property_paths import read_path
from forest_scrapy.core.graph.vocabulary import shorten
from forest_scrapy.core.plurals import count
from forest_scrapy.forms.form import Control
from forest_scrapy.forms.form_graph import FormGraph, Predicate
from forest_scrapy.forms.meanings import Meaning

#: Units of the picture: its width, and the height of a row.
WIDTH = 960
ROW = 64
#: Characters that have room above a line, below it, in a box of values, and in that of a control.
MAX_NAME_LENGTH = 30
MAX_TERM_LENGTH = 34
MAX_VALUE_LENGTH = 36
MAX_CONTROL_LENGTH = 22
#: Terms that are shown of a predicate.
MAX_TERMS = 2


@dataclass(frozen=True)
class AlignedTerm:
    """A term of an ontology that a class or property of the graph is below: an IRI, or a path of
    SPARQL.  ``probability``: 0 to 1."""

    term: str
    probability: float

    @property
    def short(self) -> str:
        """The term with prefixes, or the ends of its IRIs.

        >>> AlignedTerm("^<http://o.example/created>/<http://o.example/hasName>", 1).short
        '^created/hasName'
        """
        if not self.term.startswith(("<", "^")):
            return _shorten(self.term)
        steps = []
        for iri, is_inverse in read_path(self.term):
            mark = "^" if is_inverse else ""
            steps.append(f"{mark}{_shorten(iri)}")
        return "/".join(steps)


class BadLinks(ForestError):
    """A file has no links of an alignment; the message names it and the remedy."""


def read_aligned(path: Path) -> dict[str, tuple[AlignedTerm, ...]]:
    """The terms of classes and properties, by IRI, from the links that ``scrapy forest align`` has
    written as JSON; the most probable first.  Raises ``BadLinks`` and ``OSError``."""
    try:
        links = json.loads(path.read_bytes())
        probabilities = {}
        for link in [*links["relations"], *links["classes"]]:
            key = (str(link["narrow"]), str(link["wide"]))
            probabilities[key] = float(link["probability"])
    except (ValueError, TypeError, KeyError):
        remedy = "name what scrapy forest align GRAPH ONTOLOGY -o links.json has written"
        raise BadLinks(f"{path} has no links of an alignment; {remedy}") from None

    terms = defaultdict[str, list[AlignedTerm]](list)
    for (narrow, wide), probability in sorted(probabilities.items(), key=_most_probable_first):
        iri = narrow.removeprefix("<").removesuffix(">")
        terms[iri].append(AlignedTerm(wide, probability))
    return {iri: tuple(iri_terms) for iri, iri_terms in terms.items()}


def _most_probable_first(item: tuple[tuple[str, str], float]) -> tuple[float, tuple[str, str]]:
    key, probability = item
    return -probability, key


def _shorten(iri: str) -> str:
    short = shorten(iri)
    if short != iri or "://" not in iri:
        return short
    return last_part(iri)


@dataclass(frozen=True)
class FormReport:
    """What a report shows of a form.  ``aligned``: the terms of classes and properties, by IRI."""

    graph: FormGraph
    aligned: Mapping[str, Sequence[AlignedTerm]] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The name of its page."""
        key = f"{self.graph.form.url} {self.graph.form.number}"
        return f"form-{hex_digest(key, 5)}.html"

    @property
    def class_terms(self) -> Sequence[AlignedTerm]:
        """What the class of the records is below."""
        return self.aligned.get(record_class(self.graph.base), ())

    def terms_of(self, predicate: Predicate) -> Sequence[AlignedTerm]:
        """What a predicate is below."""
        return self.aligned.get(predicate.iri, ())

    def terms_of_control(self, meaning: Meaning) -> list[AlignedTerm]:
        """What the predicates of a control are below."""
        terms: list[AlignedTerm] = []
        for predicate in self.graph.predicates:
            if predicate.name in meaning.attributes:
                terms += self.terms_of(predicate)
        return terms

    def mappings(self) -> Iterator[tuple[Control, Meaning | None]]:
        """The controls in the form's order, each with what it means, if that is known."""
        meanings = {meaning.control: meaning for meaning in self.graph.meanings}
        for control in self.graph.form.controls:
            yield control, meanings.get(control.name)


@dataclass(frozen=True)
class PredicateRow:
    """A predicate at the height ``y``: its name, the term that it is or is below, its values and
    their type."""

    y: int
    name: str
    term: str
    values: str
    type: str


@dataclass(frozen=True)
class ControlLink:
    """A control at the height ``y``, and the heights of the predicates that it is about."""

    y: int
    label: str
    relation: str
    rows: tuple[int, ...]


@dataclass(frozen=True)
class GraphPicture:
    """A picture: from left to right the class at ``class_y``, the rows, and the controls."""

    rows: tuple[PredicateRow, ...]
    links: tuple[ControlLink, ...]
    class_label: str
    class_term: str
    class_y: int
    height: int
    width: int = WIDTH


def draw_graph(report: FormReport) -> GraphPicture:
    """The picture of a form's graph.  Its predicates are from top to bottom in the order of the
    records' attributes; each control is as near to its first one as there is room."""
    graph = report.graph
    rows = []
    y_of = {}
    for place, predicate in enumerate(graph.predicates):
        row = _draw_row(report, predicate, place)
        rows.append(row)
        y_of[predicate.name] = row.y
    links = _place_links(report, y_of)
    middles = [row.y for row in rows] + [link.y for link in links]
    return GraphPicture(
        rows=tuple(rows),
        links=links,
        class_label=_cut(graph.label, MAX_CONTROL_LENGTH),
        class_term=_cut(_write_terms(report.class_terms), MAX_CONTROL_LENGTH),
        class_y=(rows[0].y + rows[-1].y) // 2 if rows else ROW // 2,
        height=max((ROW, *(y + ROW // 2 for y in middles))),
    )


def _draw_row(
    report: FormReport,
    predicate: Predicate,
    place: int,
) -> PredicateRow:
    term = _write_terms(report.terms_of(predicate)) or _vocabulary_term(predicate.iri)
    values = " · ".join(predicate.examples)
    counts = f"{predicate.records} of {count(report.graph.records, 'record')}"
    return PredicateRow(
        y=_middle(place),
        name=_cut(predicate.label or predicate.name, MAX_NAME_LENGTH),
        term=_cut(term, MAX_TERM_LENGTH),
        values=_cut(values, MAX_VALUE_LENGTH),
        type=f"{predicate.type or 'text'}, {counts}",
    )


def _place_links(report: FormReport, y_of: Mapping[str, int]) -> tuple[ControlLink, ...]:
    """The controls; those without a meaning are the last."""
    unplaced = [_draw_link(control, meaning, y_of) for control, meaning in report.mappings()]
    links = []
    next_place = 0
    for link in sorted(unplaced, key=lambda link: (not link.rows, link.rows[:1])):
        first_row = link.rows[0] if link.rows else 0
        place = max(next_place, first_row // ROW)
        links.append(replace(link, y=_middle(place)))
        next_place = place + 1
    return tuple(links)


def _draw_link(
    control: Control,
    meaning: Meaning | None,
    y_of: Mapping[str, int],
) -> ControlLink:
    """The control without a place."""
    label = _cut(control.label or control.name, MAX_CONTROL_LENGTH)
    if meaning is None:
        return ControlLink(
            y=0,
            label=label,
            relation="not known",
            rows=(),
        )
    rows = []
    for name in meaning.attributes:
        if name in y_of:
            rows.append(y_of[name])
    return ControlLink(
        y=0,
        label=label,
        relation=meaning.relation_text,
        rows=tuple(rows),
    )


def _middle(place: int) -> int:
    return ROW * place + ROW // 2


def _write_terms(terms: Sequence[AlignedTerm]) -> str:
    text = ", ".join(f"{term.short} {term.probability:.2f}" for term in terms[:MAX_TERMS])
    return f"⊆ {text}" if text else ""


def _vocabulary_term(iri: str) -> str:
    """A property that is one of a vocabulary; ``""`` for one that only the page has."""
    short = shorten(iri)
    return short if short != iri else ""


def _cut(text: str, max_length: int) -> str:
    """
    >>> _cut("Shakespeare", 6), _cut("Owl", 6)
    ('Shake…', 'Owl')
    """
    line = " ".join(text.split())
    if len(line) <= max_length:
        return line
    return f"{line[: max_length - 1]}…"

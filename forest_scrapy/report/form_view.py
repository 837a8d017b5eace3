"""The labelled graph of a form's records as a picture, in units of SVG: the class, its predicates
with example values, and the controls of the form that are about them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.graph.item_graph import record_class
from forest_scrapy.core.graph.property_paths import read_path
from forest_scrapy.core.graph.vocabulary import shorten
from forest_scrapy.forms.form import Control
from forest_scrapy.forms.form_graph import FormGraph, Predicate
from forest_scrapy.forms.meanings import Meaning
from forest_scrapy.input_files import read_bytes

#: Units of the picture: its width, and the height of a row.
WIDTH, ROW = 960, 64
#: Characters that have room above a line, below it, in a box of values, and in that of a control.
_NAME, _TERM, _VALUE, _CONTROL = 30, 34, 36, 22
#: Terms that are shown of a predicate.
_TERMS = 2


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
        return "/".join(f"{'^' * back}{_shorten(iri)}" for iri, back in read_path(self.term))


class BadLinks(ForestError):
    """A file has no links of an alignment; the message names it and the remedy."""


def read_aligned(path: Path) -> dict[str, tuple[AlignedTerm, ...]]:
    """The terms of classes and properties, by IRI, from the links that ``scrapy forest align`` has
    written as JSON; the most probable first.  Raises ``BadLinks`` and ``OSError``."""
    try:
        links = json.loads(read_bytes(path))
        rows = [*links["relations"], *links["classes"]]
        found = {(str(one["narrow"]), str(one["wide"])): float(one["probability"]) for one in rows}
    except (ValueError, TypeError, KeyError):
        remedy = "name what scrapy forest align GRAPH ONTOLOGY -o links.json has written"
        raise BadLinks(f"{path} has no links of an alignment; {remedy}") from None
    terms = defaultdict[str, list[AlignedTerm]](list)
    for (narrow, wide), probability in sorted(found.items(), key=lambda one: (-one[1], one[0])):
        terms[narrow.removeprefix("<").removesuffix(">")].append(AlignedTerm(wide, probability))
    return {iri: tuple(own) for iri, own in terms.items()}


def _shorten(iri: str) -> str:
    short = shorten(iri)
    if short != iri or "://" not in iri:
        return short
    return iri.replace("#", "/").rstrip("/").rpartition("/")[2]


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
        own = [one for one in self.graph.predicates if one.name in meaning.attributes]
        return [term for one in own for term in self.terms_of(one)]

    def mappings(self) -> Iterator[tuple[Control, Meaning | None]]:
        """The controls in the form's order, each with what it means, if that is known."""
        found = {one.control: one for one in self.graph.meanings}
        return ((one, found.get(one.name)) for one in self.graph.form.controls)


@dataclass(frozen=True)
class Row:
    """A predicate at the height ``y``: its name, the term that it is or is below, its values and
    their type."""

    y: int
    name: str
    term: str
    values: str
    type: str


@dataclass(frozen=True)
class Link:
    """A control at the height ``y``, and the heights of the predicates that it is about."""

    y: int
    label: str
    relation: str
    rows: tuple[int, ...]


@dataclass(frozen=True)
class GraphPicture:
    """A picture: from left to right the class at ``class_y``, the rows, and the controls."""

    rows: tuple[Row, ...]
    links: tuple[Link, ...]
    class_label: str
    class_term: str
    class_y: int
    height: int
    width: int = WIDTH


def draw_graph(report: FormReport) -> GraphPicture:
    """The picture of a form's graph.  Its predicates are from top to bottom in the order of the
    records' attributes; each control is as near to its first one as there is room."""
    graph = report.graph
    rows = [
        Row(
            _middle(i),
            _cut(one.label or one.name, _NAME),
            _cut(_write_terms(report.terms_of(one)) or _vocabulary_term(one.iri), _TERM),
            _cut(" · ".join(one.examples), _VALUE),
            f"{one.type or 'text'}, {one.records} of {graph.records} records",
        )
        for i, one in enumerate(graph.predicates)
    ]
    at = {one.name: row.y for one, row in zip(graph.predicates, rows, strict=True)}
    links = _place_links(report, at)
    ends = [one.y + ROW // 2 for one in rows] + [one.y + ROW // 2 for one in links]
    class_y = (rows[0].y + rows[-1].y) // 2 if rows else ROW // 2
    label = _cut(graph.label, _CONTROL)
    term = _cut(_write_terms(report.class_terms), _CONTROL)
    return GraphPicture(tuple(rows), links, label, term, class_y, max((ROW, *ends)))


def _place_links(report: FormReport, at: Mapping[str, int]) -> tuple[Link, ...]:
    """The controls; those without a meaning are the last."""
    found = [
        (
            tuple(at[name] for name in meaning.attributes if name in at) if meaning else (),
            control.label or control.name,
            meaning.relation if meaning else "not known",
        )
        for control, meaning in report.mappings()
    ]
    found.sort(key=lambda one: (not one[0], one[0][:1]))
    links, least = [], 0
    for rows, label, relation in found:
        place = max(least, (rows[0] if rows else 0) // ROW)
        links.append(Link(_middle(place), _cut(label, _CONTROL), relation, rows))
        least = place + 1
    return tuple(links)


def _middle(place: int) -> int:
    return ROW * place + ROW // 2


def _write_terms(terms: Sequence[AlignedTerm]) -> str:
    text = ", ".join(f"{one.short} {one.probability:.2f}" for one in terms[:_TERMS])
    return f"⊆ {text}" if text else ""


def _vocabulary_term(iri: str) -> str:
    """A property that is one of a vocabulary itself; ``""`` for one of the page's own."""
    short = shorten(iri)
    return short if short != iri else ""


def _cut(text: str, most: int) -> str:
    """
    >>> _cut("Shakespeare", 6), _cut("Owl", 6)
    ('Shake…', 'Owl')
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"

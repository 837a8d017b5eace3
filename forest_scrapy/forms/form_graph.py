"""What a form's records have in the labelled graph: their class, their predicates with what the
page and the form call them, and which control of the form is about which predicate (Oita et al.
2012, sections 3.4 and 3.5).

A form is an IRI template of the vocabulary Hydra (W3C community group), whose mappings name the
property that each variable is about: a program with RDF can send the form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from forest_scrapy.core.graph import Triple
from forest_scrapy.core.graph.entity import ROLE_TERMS, property_iri
from forest_scrapy.core.graph.iris import entity_iri, local_name, page_iri, part_iri
from forest_scrapy.core.graph.item_graph import number_names, record_class
from forest_scrapy.core.graph.literals import text_literal
from forest_scrapy.core.graph.vocabulary import (
    CLASS,
    COMMENT,
    HYDRA,
    LABEL,
    PROPERTY,
    TERMS,
    TYPE,
)
from forest_scrapy.core.records.attributes import Attribute
from forest_scrapy.forms.constraints import Constraint
from forest_scrapy.forms.form import Form
from forest_scrapy.forms.meanings import Meaning
from forest_scrapy.forms.search import FormSearch

#: Values of a predicate that are shown, and their characters.
_EXAMPLES, _LONGEST = 3, 80
#: The number of a further value with the same name.
_NUMBER = re.compile(" [0-9]+$")


@dataclass(frozen=True)
class Predicate:
    """An attribute of the records.

    ``name``: as the records have it; ``iri``: its property.  ``label``: what the page calls it,
    else the form; ``""`` if neither does.  ``path``: its record internal path, with its number
    if there are several at it; ``type``: as in ``Attribute``; both ``""`` if the wrapper does not
    have it.  ``records``: that have it; ``examples``: its first values.
    """

    name: str
    iri: str
    label: str
    path: str = ""
    type: str = ""
    records: int = 0
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class FormGraph:
    """The schema of the graph of a form's records.  ``records``, ``probes``: how many there are;
    ``constraints``: controls that give records only together."""

    form: Form
    predicates: tuple[Predicate, ...]
    meanings: tuple[Meaning, ...]
    records: int
    probes: int
    constraints: tuple[Constraint, ...] = ()

    @property
    def base(self) -> str:
        """The page whose properties the predicates are."""
        return page_iri(self.form.url) or entity_iri("", self.form.url)

    @property
    def label(self) -> str:
        """What the records are called: by the form's title, if it has one."""
        return f"Record: {self.form.title}" if self.form.title else "Record"


def read_graph(search: FormSearch) -> FormGraph:
    """The schema of what a search has found so far.  Cost: that of ``FormSearch.meanings``."""
    meanings = tuple(search.meanings())
    wrapper = search.reader.wrapper
    attributes = [one for rules in wrapper.rules for one in rules.attributes] if wrapper else []
    found = _read_predicates(search.form, attributes, list(search.records.values()), meanings)
    counts = len(search.records), search.sent
    return FormGraph(search.form, tuple(found), meanings, *counts, tuple(search.constraints()))


def _read_predicates(
    form: Form,
    attributes: Sequence[Attribute],
    records: Sequence[Mapping[str, str]],
    meanings: Sequence[Meaning],
) -> Iterator[Predicate]:
    """The predicates in the order of the attributes; others that records have after them."""
    base = page_iri(form.url) or entity_iri("", form.url)
    numbered = number_names([{"name": one.name} for one in attributes])
    known = {one["name"]: own for one, own in zip(numbered, attributes, strict=True)}
    others = {name for record in records for name in record} - known.keys()
    for name in (*known, *sorted(others)):
        values = [record[name] for record in records if name in record]
        first = name if name in known else _NUMBER.sub("", name)
        attribute, number = known.get(first), name.removeprefix(first)
        if values:
            yield Predicate(
                name,
                property_iri(base, name),
                _label(name, attribute, form, meanings),
                f"{attribute.path}{number}" if attribute else "",
                attribute.type if attribute else "",
                len(values),
                tuple(one[:_LONGEST] for one in list(dict.fromkeys(values))[:_EXAMPLES]),
            )


def _label(name: str, attribute: Attribute | None, form: Form, meanings: Sequence[Meaning]) -> str:
    if attribute and (attribute.label or attribute.name != attribute.path):
        return attribute.label or attribute.name
    labels = {control.name: control.label for control in form.controls}
    own = [labels.get(one.control, "") for one in meanings if one.attributes == (name,)]
    return next(filter(None, own), "")


def write_graph(graph: FormGraph) -> Iterator[Triple]:
    """The statements about the class, its properties and the form; those of the records are not
    among them."""
    kind = record_class(graph.base)
    form = part_iri(graph.base, f"form-{graph.form.number}")
    yield Triple(kind, TYPE, CLASS)
    yield from _named(kind, graph.label)
    yield Triple(kind, f"{HYDRA}search", form)
    for one in graph.predicates:
        if one.name not in ROLE_TERMS:
            yield Triple(one.iri, TYPE, PROPERTY)
            yield from _named(one.iri, one.label or one.name)
            if path := text_literal(one.path):
                yield Triple(one.iri, f"{TERMS}identifier", path)
    yield from _form_triples(graph, form)


def _form_triples(graph: FormGraph, iri: str) -> Iterator[Triple]:
    by_control = {one.control: one for one in graph.meanings}
    if graph.form.method == "GET":
        yield Triple(iri, TYPE, f"{HYDRA}IriTemplate")
        if template := text_literal(write_template(graph.form)):
            yield Triple(iri, f"{HYDRA}template", template)
    yield from _named(iri, graph.form.title)
    for control in graph.form.controls:
        mapping = part_iri(iri, local_name(control.name))
        yield Triple(iri, f"{HYDRA}mapping", mapping)
        yield Triple(mapping, TYPE, f"{HYDRA}IriTemplateMapping")
        if variable := text_literal(control.name):
            yield Triple(mapping, f"{HYDRA}variable", variable)
        yield from _named(mapping, control.label)
        if meaning := by_control.get(control.name):
            for name in meaning.attributes:
                yield Triple(mapping, f"{HYDRA}property", property_iri(graph.base, name))
            if evidence := text_literal(describe_evidence(meaning)):
                yield Triple(mapping, COMMENT, evidence)


def describe_evidence(meaning: Meaning) -> str:
    """What a mapping rests on, in one line."""
    return (
        f"{meaning.relation}: {meaning.probes} probes, {meaning.records} records,"
        f" share {meaning.share}, by chance {meaning.chance}"
    )


def write_template(form: Form) -> str:
    """The URLs that the form is sent to, as a URI template (RFC 6570).

    >>> from forest_scrapy.forms.form import Control
    >>> controls = (Control("q", "text"), Control("c", "choice"))
    >>> write_template(Form(1, "https://a.example/find", "GET", "search", controls))
    'https://a.example/find{?q,c}'
    """
    names = ",".join(quote(one.name, safe="") for one in form.controls)
    page = form.url.partition("?")[0]
    if form.hidden:
        return f"{page}?{urlencode(form.hidden, errors='replace')}{{&{names}}}"
    return f"{page}{{?{names}}}"


def _named(iri: str, label: str) -> Iterator[Triple]:
    if shown := text_literal(label):
        yield Triple(iri, LABEL, shown)

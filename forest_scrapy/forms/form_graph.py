"""The schema of a form's records in the labelled graph: their class, their predicates with what the
page and the form call them, and which control of the form is about which predicate (Oita et al.
2012, sections 3.4 and 3.5).

A form is an IRI template of the vocabulary Hydra (W3C community group), whose mappings name the
property that each variable is about: a program with RDF can send the form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
from forest_scrapy.core.plurals import count
from forest_scrapy.core.records.attributes.attribute import Attribute
from forest_scrapy.forms.constraints import Constraint
from forest_scrapy.forms.engine import Engine
from forest_scrapy.forms.form import Form
from forest_scrapy.forms.meanings import Meaning
from forest_scrapy.forms.search import FormSearch

#: Values of a predicate that are shown, and their characters.
MAX_EXAMPLES = 3
MAX_EXAMPLE_LENGTH = 80
#: The number of a further value with the same name.
_NUMBER = re.compile(" [0-9]+$")


@dataclass(frozen=True)
class Predicate:
    """An attribute of the records.

    - ``name``: as the records have it; ``iri``: its property.
    - ``label``: what the page calls it, else the form; ``""`` if neither does.
    - ``path``: its record internal path, with its number if there are several at it; ``type``: as
      in ``Attribute``; both ``""`` if the wrapper does not have it.
    - ``records``: how many have it; ``examples``: its first values.
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
    ``constraints``: controls that give records only together; ``engine``: how the form searches."""

    form: Form
    predicates: tuple[Predicate, ...]
    meanings: tuple[Meaning, ...]
    records: int
    probes: int
    constraints: tuple[Constraint, ...] = ()
    engine: Engine = field(default_factory=Engine)

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
    attributes: list[Attribute] = []
    if wrapper is not None:
        attributes.extend(wrapper.attributes)

    records = list(search.records.values())
    predicates = _read_predicates(search.form, attributes, records, meanings)
    return FormGraph(
        form=search.form,
        predicates=tuple(predicates),
        meanings=meanings,
        records=len(records),
        probes=search.sent,
        constraints=tuple(search.constraints()),
        engine=search.engine(),
    )


def _read_predicates(
    form: Form,
    attributes: Sequence[Attribute],
    records: Sequence[Mapping[str, str]],
    meanings: Sequence[Meaning],
) -> Iterator[Predicate]:
    """The predicates in the order of the attributes; other names that records have after them."""
    base = page_iri(form.url) or entity_iri("", form.url)
    numbered = number_names([{"name": attribute.name} for attribute in attributes])
    names = [numbered_name["name"] for numbered_name in numbered]
    attributes_by_name = dict(zip(names, attributes, strict=True))
    unlearned_names = set()
    for record in records:
        unlearned_names.update(record.keys() - attributes_by_name.keys())

    for name in (*attributes_by_name, *sorted(unlearned_names)):
        values = []
        for record in records:
            if name in record:
                values.append(record[name])
        if not values:
            continue
        base_name = name if name in attributes_by_name else _NUMBER.sub("", name)
        number = name.removeprefix(base_name)
        attribute = attributes_by_name.get(base_name)
        examples = list(dict.fromkeys(values))[:MAX_EXAMPLES]
        yield Predicate(
            name=name,
            iri=property_iri(base, name),
            label=_label(name, attribute, form, meanings),
            path=f"{attribute.path}{number}" if attribute else "",
            type=attribute.type if attribute else "",
            records=len(values),
            examples=tuple(example[:MAX_EXAMPLE_LENGTH] for example in examples),
        )


def _label(
    name: str,
    attribute: Attribute | None,
    form: Form,
    meanings: Sequence[Meaning],
) -> str:
    if attribute and attribute.label:
        return attribute.label
    if attribute and attribute.name != attribute.path:
        return attribute.name

    control_labels = {control.name: control.label for control in form.controls}
    for meaning in meanings:
        label = control_labels.get(meaning.control, "")
        if label and meaning.attributes == (name,):
            return label
    return ""


def write_graph(graph: FormGraph) -> Iterator[Triple]:
    """The statements about the class, its properties and the form; those of the records are not
    among them."""
    kind = record_class(graph.base)
    form = part_iri(graph.base, f"form-{graph.form.number}")
    yield Triple(kind, TYPE, CLASS)
    yield from _named(kind, graph.label)
    yield Triple(kind, f"{HYDRA}search", form)
    for predicate in graph.predicates:
        if predicate.name in ROLE_TERMS:
            continue
        yield Triple(predicate.iri, TYPE, PROPERTY)
        yield from _named(predicate.iri, predicate.label or predicate.name)
        if path := text_literal(predicate.path):
            yield Triple(predicate.iri, f"{TERMS}identifier", path)
    yield from _form_triples(graph, form)


def _form_triples(graph: FormGraph, iri: str) -> Iterator[Triple]:
    meanings_by_control = {meaning.control: meaning for meaning in graph.meanings}
    if graph.form.method == "GET":
        yield Triple(iri, TYPE, f"{HYDRA}IriTemplate")
        if template := text_literal(write_template(graph.form)):
            yield Triple(iri, f"{HYDRA}template", template)
    yield from _named(iri, graph.form.title)
    if engine := text_literal(graph.engine.describe()):
        yield Triple(iri, COMMENT, engine)
    for control in graph.form.controls:
        mapping = part_iri(iri, local_name(control.name))
        yield Triple(iri, f"{HYDRA}mapping", mapping)
        yield Triple(mapping, TYPE, f"{HYDRA}IriTemplateMapping")
        if variable := text_literal(control.name):
            yield Triple(mapping, f"{HYDRA}variable", variable)
        yield from _named(mapping, control.label)
        if meaning := meanings_by_control.get(control.name):
            for name in meaning.attributes:
                yield Triple(mapping, f"{HYDRA}property", property_iri(graph.base, name))
            if evidence := text_literal(describe_evidence(meaning)):
                yield Triple(mapping, COMMENT, evidence)


def describe_evidence(meaning: Meaning) -> str:
    """What a mapping rests on, in one line."""
    probes = count(meaning.probes, "probe")
    records = count(meaning.records, "record")
    return (
        f"{meaning.relation_text}: {probes}, {records}, share {meaning.share}, by chance"
        f" {meaning.chance}"
    )


def write_template(form: Form) -> str:
    """The URLs that the form is sent to, as a URI template (RFC 6570).

    >>> from forest_scrapy.forms.form import Control
    >>> controls = (Control("q", "text"), Control("c", "choice"))
    >>> write_template(Form(1, "https://a.example/find", "GET", "search", controls))
    'https://a.example/find{?q,c}'
    """
    names = ",".join(quote(control.name, safe="") for control in form.controls)
    page, _, _ = form.url.partition("?")
    if form.hidden:
        hidden = urlencode(form.hidden, errors="replace")
        return f"{page}?{hidden}{{&{names}}}"
    return f"{page}{{?{names}}}"


def _named(iri: str, label: str) -> Iterator[Triple]:
    if literal := text_literal(label):
        yield Triple(iri, LABEL, literal)

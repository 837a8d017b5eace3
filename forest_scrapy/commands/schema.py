"""``scrapy forest schema``: one schema of several RDF files, as the graphs of several forms."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scrapy.exceptions import UsageError

from forest_scrapy.alignment import build_ontology
from forest_scrapy.alignment.enrichment import find_searched
from forest_scrapy.alignment.rdf_files import read_rdf, write_rdf
from forest_scrapy.alignment.schema import SchemaTerm, align_all, join_schemas, schema_triples
from forest_scrapy.commands.align import NothingInCommon, read_probability
from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.core.plurals import count
from forest_scrapy.output_files import write_text_file

#: Where the terms of the schema are, unless ``--base`` says otherwise.
_BASE = "urn:schema:"


class JoinSchemas(Action):
    """Find out which classes and properties several graphs have in common: one schema for the
    forms of a domain.

    The files are aligned two by two, as by forest align. For each property of the schema the
    relations that it is in the files are printed, and the field of the form that searches it.
    """

    name = "schema"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("files", nargs="+", type=Path, metavar="FILE", help="graphs, as crawls write them")
        add("-o", "--output", metavar="FILE", help="write the schema: .ttl, .nt, or .json")
        add("--json", action="store_true", help="print JSON")
        add("--least", type=read_probability, default=0.5, metavar="P", help="of pairs (0.5)")
        add("--base", default=_BASE, metavar="IRI", help=f"of the terms of the schema ({_BASE})")

    def run(self, options: Namespace) -> Iterator[str]:
        files: list[Path] = options.files
        if len(files) < 2:
            raise UsageError("name two graphs or more, such as crawl form -O records.nt writes")
        graphs = []
        searched = []
        for path in files:
            triples = list(read_rdf(path))
            graphs.append(build_ontology(triples))
            searched.append(find_searched(triples))
        alignments = align_all(graphs)
        terms = join_schemas(alignments, options.least)
        if not terms:
            raise NothingInCommon(
                f"{', '.join(map(str, files))}: no relation and no class is the same in two of"
                " them: they have too few equal values; name graphs of one domain"
            )
        values = [_describe(term, files, searched) for term in terms]
        if options.output:
            if options.output.endswith(".json"):
                text = json_text(values)
            else:
                text = write_rdf(options.output, schema_triples(terms, options.base))
            write_text_file(options.output, text)
        if options.json:
            yield json_text(values)
            return
        for (left, right), alignment in alignments.items():
            equal = count(len(alignment.entities), "equal entity", "equal entities")
            yield f"{files[left]} and {files[right]}: {equal}\n"
        for term in terms:
            yield from _write(term, files, searched)


def _describe(
    term: SchemaTerm,
    files: Sequence[Path],
    searched: Sequence[Mapping[str, str]],
) -> dict[str, object]:
    """A term as JSON."""
    members = []
    for member in term.members:
        relation = member.name.strip("<>")
        members.append(
            {
                "file": str(files[member.graph]),
                "name": member.name if term.is_class else relation,
                "searched_by": searched[member.graph].get(relation),
            }
        )
    return {
        "label": term.label,
        "kind": "class" if term.is_class else "property",
        "probability": term.probability,
        "members": members,
    }


def _write(
    term: SchemaTerm,
    files: Sequence[Path],
    searched: Sequence[Mapping[str, str]],
) -> Iterator[str]:
    kind = "class" if term.is_class else "property"
    graphs = f"{len(term.members)} of {count(len(files), 'graph')}"
    yield f"\n{kind} {term.label}: {graphs}, P {term.probability:.3f}\n"
    for member in term.members:
        label = searched[member.graph].get(member.name.strip("<>"))
        field = "" if label is None else f", searched by {label or 'a field without a label'}"
        yield f"  {files[member.graph]}: {member.name}{field}\n"

"""``scrapy forest align``: which entities, relations and classes of two RDF files are the same."""

from __future__ import annotations

import hashlib
import logging
from argparse import ArgumentTypeError, Namespace
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from forest_scrapy.alignment import (
    Alignment,
    AlignmentOptions,
    Ontology,
    align,
    build_ontology,
)
from forest_scrapy.alignment.enrichment import Enrichment, enrich, to_triples
from forest_scrapy.alignment.links import to_dict, write_table, write_turtle
from forest_scrapy.alignment.ontology_index import open_ontology, write_ontology
from forest_scrapy.alignment.patterns import clean_values
from forest_scrapy.alignment.probes import probe_values
from forest_scrapy.alignment.rdf_files import content_size, read_rdf, write_rdf
from forest_scrapy.alignment.siblings import map_relations
from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.graph import Triple
from forest_scrapy.core.graph.vocabulary import TYPE
from forest_scrapy.core.plurals import count
from forest_scrapy.output_files import write_text_file

logger = logging.getLogger(__name__)

#: Files with more bytes are indexed on disk.
MAX_IN_MEMORY = 200_000_000
#: Records whose values are cleaned have at most so many bytes.
MAX_CLEANED = 20_000_000
#: P(c ⊆ c') from which values are tried of the instances of c only.  Not tuned.
MIN_SAME_CLASS = 0.8


class NothingInCommon(ForestError):
    """Two files share no literal, which an alignment starts from."""


class Align(Action):
    """Find out which entities, relations and classes of two RDF files are the same (PARIS).

    Prints a table; what is below something is so with the probability in front of it. A relation
    of the one file can be below two steps of the other.
    """

    name = "align"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add(
            "left",
            type=Path,
            metavar="FILE",
            help="Turtle, N-Triples, RDF/XML, JSON-LD; also .gz",
        )
        add(
            "right",
            type=Path,
            metavar="FILE",
            help="the other graph, such as an ontology",
        )
        add("-o", "--output", metavar="FILE", help="write the links: .ttl, or .json")
        add("--json", action="store_true", help="print JSON")
        add(
            "--enrich",
            metavar="FILE",
            help="write what the left graph adds to the right one: .ttl or .nt",
        )
        add(
            "--values",
            metavar="FILE",
            help="write values that the left graph does not have, by its relations, to be tried in"
            " the form that it comes from: .json",
        )
        add(
            "--least",
            type=read_probability,
            default=0.5,
            metavar="P",
            help="of entities (0.5)",
        )
        add(
            "--exact",
            action="store_true",
            help="texts are equal or not; none is similar, or cleaned",
        )
        add("--no-joins", action="store_true", help="no relations in two steps")
        add("--negative", action="store_true", help="what differs counts against (equation 14)")
        add(
            "--rounds",
            type=_count,
            default=10,
            metavar="N",
            help="at most (10)",
        )
        add(
            "--index",
            type=Path,
            metavar="FOLDER",
            help="keep the indexes of the files there, and use those of an earlier run; without it,"
            " files above 200 MB are indexed in a temporary folder, others in memory",
        )

    def run(self, options: Namespace) -> Iterator[str]:
        parameters = AlignmentOptions(
            max_rounds=options.rounds,
            similarity=0.0 if options.exact else AlignmentOptions.similarity,
            joins=not options.no_joins,
            negative=options.negative,
            min_probability=options.least,
        )
        with ExitStack() as stack:
            right = _index(options.right, options.index, stack)
            records: list[Triple] = []
            if _is_cleaned(options):
                records = clean_values(list(read_rdf(options.left)), right)
                left = build_ontology(records)
            else:
                left = _index(options.left, options.index, stack)
            alignment = align(left, right, parameters, _log_step)
            if not alignment.relations:
                raise NothingInCommon(
                    f"{options.left} and {options.right}: no relation is the same in both: they"
                    " have too few equal values; name files with names, titles or numbers in common"
                )
            enrichment = None
            if not records and (options.enrich or options.values):
                records = list(read_rdf(options.left))
            if options.enrich:
                enrichment = enrich(records, right, alignment)
                text = write_rdf(options.enrich, to_triples(enrichment))
                write_text_file(options.enrich, text)
            if options.values:
                values = _find_values(records, right, alignment)
                write_text_file(options.values, json_text(values))

        if options.output:
            write_text_file(options.output, _write_alignment(options.output, alignment))
        if options.json:
            yield json_text(to_dict(alignment))
        else:
            yield from _write_tables(alignment, enrichment)


def _is_cleaned(options: Namespace) -> bool:
    """Whether the values of the left graph are taken without the patterns of their relations: for
    that it is in memory as a whole."""
    if options.exact or options.index is not None:
        return False
    return content_size(options.left, MAX_CLEANED) <= MAX_CLEANED


def _log_step(step: str) -> None:
    logger.info("align: %s", step)


def _write_alignment(name: str, alignment: Alignment) -> str:
    """The alignment in the format that the name of the file tells."""
    if name.endswith(".json"):
        return json_text(to_dict(alignment))
    return "".join(write_turtle(alignment))


def _write_tables(
    alignment: Alignment,
    enrichment: Enrichment | None,
) -> Iterator[str]:
    yield from write_table(alignment)
    if enrichment is None:
        return
    yield f"\n{count(len(enrichment.facts), 'new fact')}\n"
    for group_type in enrichment.types:
        counts = f"{group_type.instances} of {group_type.aligned}"
        result = group_type.class_ or f"no type: {group_type.reason}"
        yield f"  {group_type.confidence:.3f}  {counts}  {group_type.group}: {result}\n"
    labels = dict(enrichment.new_relations)
    if enrichment.unmapped:
        yield "\nrelations that are aligned with nothing: how many facts\n"
    for predicate, facts in enrichment.unmapped:
        added = ""
        if predicate in labels:
            added = f", added as a new relation: {labels[predicate] or 'the form searches it'}"
        yield f"  {facts:7}  {predicate}{added}\n"
    if enrichment.conflicts:
        conflicts = len(enrichment.conflicts)
        if conflicts == 1:
            yield "  1 value differs or is a name of several, and was not added\n"
        else:
            yield f"  {conflicts} values differ or are names of several, and were not added\n"


def _find_values(
    records: Sequence[Triple],
    right: Ontology,
    alignment: Alignment,
) -> dict[str, list[str]]:
    """Values to try for each aligned relation of the records, of entities that are such records."""
    class_of_record = {
        triple.subject: str(triple.object) for triple in records if triple.predicate == TYPE
    }
    values = {}
    for predicate, mapping in map_relations(alignment).items():
        facts = [triple for triple in records if triple.predicate == predicate]
        classes = {class_of_record.get(fact.subject, "") for fact in facts}
        values[predicate] = probe_values(
            mapping.path,
            right,
            known_values=[fact.object for fact in facts],
            subjects=_find_aligned_class(classes, alignment),
        )
    return values


def _find_aligned_class(classes: Collection[str], alignment: Alignment) -> str:
    """The class of the right graph whose instances are of one of these classes of the left one;
    ``""`` if none is."""
    links = []
    for class_link in alignment.classes:
        is_from_right = not class_link.is_left
        if is_from_right and class_link.wide in classes:
            links.append(class_link)
    if not links:
        return ""
    best = max(links, key=lambda link: (link.probability, link.evidence, link.narrow))
    if best.probability >= MIN_SAME_CLASS:
        return best.narrow
    return ""


def _index(
    path: Path,
    folder: Path | None,
    stack: ExitStack,
) -> Ontology:
    """The index of a file: in memory, or in the folder, or in a temporary one."""
    if folder is None:
        if content_size(path, MAX_IN_MEMORY) <= MAX_IN_MEMORY:
            return build_ontology(read_rdf(path))
        temporary = TemporaryDirectory(prefix="forest-align-")
        folder = Path(stack.enter_context(temporary))

    file_state = path.stat()
    state = f"{path.resolve()} {file_state.st_size} {file_state.st_mtime_ns}"
    digest = hashlib.sha256(state.encode()).hexdigest()
    index_folder = folder / digest[:16]
    logger.info("align: %s is indexed in %s", path, index_folder)
    if index_folder.exists():
        return open_ontology(index_folder)
    return write_ontology(index_folder, read_rdf(path))


def read_probability(text: str) -> float:
    """The value of an option that is a probability."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 1:
        raise ArgumentTypeError(f"name a number above 0 and up to 1, not {text!r}")
    return value


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"name a number from 1, not {text!r}")
    return int(text)

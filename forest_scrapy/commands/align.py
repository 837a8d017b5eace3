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
from forest_scrapy.alignment.probes import probe_values
from forest_scrapy.alignment.rdf_files import content_size, read_rdf, write_rdf
from forest_scrapy.alignment.siblings import map_relations
from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.graph import Triple
from forest_scrapy.core.graph.vocabulary import TYPE
from forest_scrapy.output_files import write_text

logger = logging.getLogger(__name__)

#: Files with more bytes are indexed on disk.
_IN_MEMORY = 200_000_000
#: P(c ⊆ c') from which values are tried of the instances of c only.  Not tuned.
_SAME_CLASS = 0.8


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
        add("left", type=Path, metavar="FILE", help="Turtle, N-Triples, RDF/XML, JSON-LD; also .gz")
        add("right", type=Path, metavar="FILE", help="the other graph, such as an ontology")
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
        add("--least", type=_probability, default=0.5, metavar="P", help="of entities (0.5)")
        add("--exact", action="store_true", help="texts are equal or not; none are similar")
        add("--no-joins", action="store_true", help="no relations in two steps")
        add("--negative", action="store_true", help="what differs counts against (equation 14)")
        add("--rounds", type=_count, default=10, metavar="N", help="at most (10)")
        add(
            "--index",
            type=Path,
            metavar="FOLDER",
            help="keep the indexes of the files there, and use those of an earlier run; without it,"
            " files above 200 MB are indexed in a temporary folder, others in memory",
        )

    def run(self, options: Namespace) -> Iterator[str]:
        parameters = AlignmentOptions(
            most_rounds=options.rounds,
            similarity=0.0 if options.exact else AlignmentOptions.similarity,
            joins=not options.no_joins,
            negative=options.negative,
            least_probability=options.least,
        )
        with ExitStack() as stack:
            left = _index(options.left, options.index, stack)
            right = _index(options.right, options.index, stack)
            found = align(left, right, parameters, lambda step: logger.info("align: %s", step))
            if not found.relations:
                raise NothingInCommon(
                    f"{options.left} and {options.right}: no relation is the same in both: they"
                    " have too few equal values; name files with names, titles or numbers in common"
                )
            added = None
            records = list(read_rdf(options.left)) if options.enrich or options.values else []
            if options.enrich:
                added = enrich(records, right, found)
                write_text(options.enrich, write_rdf(options.enrich, to_triples(added)))
            if options.values:
                write_text(options.values, json_text(_values(records, right, found)))
        if options.output:
            is_json = options.output.endswith(".json")
            text = json_text(to_dict(found)) if is_json else "".join(write_turtle(found))
            write_text(options.output, text)
        yield from [json_text(to_dict(found))] if options.json else _write_tables(found, added)


def _write_tables(found: Alignment, added: Enrichment | None) -> Iterator[str]:
    yield from write_table(found)
    if added is None:
        return
    yield f"\n{len(added.facts)} new facts\n"
    for one in added.types:
        what = one.class_ or f"no type: {one.reason}"
        yield f"  {one.confidence:.3f}  {one.instances} of {one.aligned}  {one.group}: {what}\n"
    if added.doubts:
        yield f"  {len(added.doubts)} values differ or are names of several, and were not added\n"


def _values(records: Sequence[Triple], right: Ontology, found: Alignment) -> dict[str, list[str]]:
    """Values to try for each aligned relation of the records, of entities that are such records."""
    types = {triple.subject: str(triple.object) for triple in records if triple.predicate == TYPE}
    values = {}
    for predicate, mapping in map_relations(found).items():
        own = [triple for triple in records if triple.predicate == predicate]
        kinds = {types.get(triple.subject, "") for triple in own}
        known = [triple.object for triple in own]
        values[predicate] = probe_values(
            mapping.path, right, known, subjects=_aligned_class(kinds, found)
        )
    return values


def _aligned_class(kinds: Collection[str], found: Alignment) -> str:
    """The class of the right graph whose instances are of one of these classes of the left one;
    ``""`` if none is."""
    links = [link for link in found.classes if not link.is_left and link.wide in kinds]
    best = max(links, key=lambda one: (one.probability, one.evidence, one.narrow), default=None)
    return best.narrow if best and best.probability >= _SAME_CLASS else ""


def _index(path: Path, folder: Path | None, stack: ExitStack) -> Ontology:
    size = path.stat().st_size
    if folder is None and content_size(path, _IN_MEMORY) <= _IN_MEMORY:
        return build_ontology(read_rdf(path))
    if folder is None:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="forest-align-")))
    state = f"{path.resolve()} {size} {path.stat().st_mtime_ns}"
    place = folder / hashlib.sha256(state.encode()).hexdigest()[:16]
    logger.info("align: %s is indexed in %s", path, place)
    return open_ontology(place) if place.exists() else write_ontology(place, read_rdf(path))


def _probability(text: str) -> float:
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

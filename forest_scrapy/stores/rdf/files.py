"""Triples of RDF files, read as a stream by pyoxigraph."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.graph import Literal, Triple

#: The formats by the end of a file's name, besides those that pyoxigraph knows.
_OTHER_ENDINGS = {"owl": "rdf", "json": "jsonld"}
#: What pyoxigraph calls a blank node without a name: a random number of 128 bits, without the zeros
#: before it.
_ANONYMOUS = re.compile(r"[a-f][0-9a-f]{24,31}")
_STRING = "http://www.w3.org/2001/XMLSchema#string"
_LANGUAGE_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"


class BadRdf(ForestError):
    """A file cannot be read as RDF; the message names the file and the line, and the remedy."""


def read_rdf(path: Path) -> Iterator[Triple]:
    """The triples of a file in Turtle, N-Triples, RDF/XML, JSON-LD, TriG or N-Quads, which its name
    tells; ``.gz`` may follow.  Names of graphs are not read.

    Blank nodes without a name are numbered.  Reads some 250,000 triples a second.  Raises
    ``BadRdf``, and ``OSError`` if the file cannot be opened.
    """
    parse, formats = _import_reader()
    endings = [part.lower() for part in path.name.split(".")]
    is_packed = endings[-1] == "gz"
    ending = endings[-2:][0] if is_packed else endings[-1]
    rdf_format = formats.from_extension(_OTHER_ENDINGS.get(ending, ending))
    if rdf_format is None:
        raise BadRdf(
            f"{path}: the name tells no format of RDF; rename it to end with .ttl, .nt, .rdf,"
            " .jsonld, .trig or .nq"
        )
    names: dict[str, str] = {}
    with gzip.open(path) if is_packed else path.open("rb") as file:
        try:
            for quad in parse(file, format=rdf_format, base_iri=path.resolve().as_uri()):
                if (triple := _read(quad, names)) is not None:
                    yield triple
        except (SyntaxError, ValueError, EOFError, gzip.BadGzipFile) as error:
            raise BadRdf(
                f"{path}: no valid {rdf_format.name}: {error}; correct the line, or rename the"
                " file if it is in another format"
            ) from error


def write_rdf(name: str, triples: Iterable[Triple]) -> str:
    """The triples as text in the format that the name of the file tells.  Raises ``BadRdf``."""
    _import_reader()
    import pyoxigraph

    rdf_format = pyoxigraph.RdfFormat.from_extension(name.rpartition(".")[2].lower())
    if rdf_format is None:
        raise BadRdf(f"{name}: the name tells no format of RDF; name a file .ttl, .nt or .rdf")

    def convert(node: str) -> Any:
        is_name = node.startswith("_:")
        return pyoxigraph.BlankNode(node[2:]) if is_name else pyoxigraph.NamedNode(node)

    def convert_object(node: str | Literal) -> Any:
        if isinstance(node, str):
            return convert(node)
        if node.language or not node.datatype:
            return pyoxigraph.Literal(node.value, language=node.language)
        return pyoxigraph.Literal(node.value, datatype=convert(node.datatype))

    try:
        rows = [pyoxigraph.Triple(convert(s), convert(p), convert_object(o)) for s, p, o in triples]
    except ValueError as error:
        raise BadRdf(f"{name} cannot be written as RDF: {error}") from error
    written: bytes = pyoxigraph.serialize(rows, format=rdf_format) or b""
    return written.decode()


def _import_reader() -> tuple[Any, Any]:
    try:
        from pyoxigraph import RdfFormat, parse
    except ImportError as error:
        raise BadRdf("RDF files are read with pyoxigraph: pip install pyoxigraph") from error
    return parse, RdfFormat


def _read(quad: Any, names: dict[str, str]) -> Triple | None:
    """The triple; None for one about a triple (RDF-star).  ``names``: those of the blank nodes
    that have none in the file, by what the reader calls them."""
    subject, node = quad.subject, quad.object
    subject_name = _name(subject, names)
    if subject_name is None:
        return None
    if type(node).__name__ == "Literal":
        datatype = node.datatype.value
        plain = datatype in (_STRING, _LANGUAGE_STRING)
        value = Literal(node.value, None if plain else datatype, node.language)
        return Triple(subject_name, quad.predicate.value, value)
    name = _name(node, names)
    return None if name is None else Triple(subject_name, quad.predicate.value, name)


def _name(node: Any, names: dict[str, str]) -> str | None:
    kind = type(node).__name__
    if kind == "NamedNode":
        return str(node.value)
    if kind != "BlankNode":
        return None
    if _ANONYMOUS.fullmatch(node.value):
        return names.setdefault(node.value, f"_:anonymous{len(names)}")
    return f"_:{node.value}"

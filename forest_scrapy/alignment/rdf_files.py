"""Triples of RDF files, read as a stream by pyoxigraph."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.input_files import open_file

#: The formats by the end of a file's name, besides those that pyoxigraph knows.
_OTHER_ENDINGS = {"owl": "rdf", "json": "jsonld"}
#: What pyoxigraph calls a blank node without a name: a random number of 128 bits, without the zeros
#: before it.
_ANONYMOUS = re.compile(r"[a-f][0-9a-f]{24,31}")
_STRING = "http://www.w3.org/2001/XMLSchema#string"
_LANGUAGE_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
#: Bytes at the start of an RDF/XML file in which entities may be declared.
MAX_DECLARATIONS = 1_000_000
#: Characters that an entity may stand for, with those of the entities in it: entities within
#: entities can make gigabytes of a kilobyte.
MAX_ENTITY = 1_000
_ENTITY = re.compile(rb"""<!ENTITY\s+([^\s"'%]++)\s+(?:"([^"]*+)"|'([^']*+)')""")
_XML_NAMES = (b"amp", b"lt", b"gt", b"quot", b"apos")
_REFERENCE = re.compile(rb"&([^;&\s#]{1,100});")


class BadRdf(ForestError):
    """A file cannot be read as RDF; the message names the file and the line, and the remedy."""


def read_rdf(path: Path) -> Iterator[Triple]:
    """The triples of a file in Turtle, N-Triples, RDF/XML, JSON-LD, TriG or N-Quads, which its name
    tells; ``.gz`` may follow.  Names of graphs are not read.

    Blank nodes without a name are numbered.  Reads some 250,000 triples a second.  Raises
    ``BadRdf``, and ``OSError`` if the file cannot be opened.
    """
    parse, formats = _import_reader()
    name = path.name.lower()
    is_packed = name.endswith(".gz")
    ending = name.removesuffix(".gz").rpartition(".")[2]
    rdf_format = formats.from_extension(_OTHER_ENDINGS.get(ending, ending))
    if rdf_format is None:
        raise BadRdf(
            f"{path}: the name tells no format of RDF; rename it to end with .ttl, .nt, .rdf,"
            " .jsonld, .trig or .nq"
        )
    names: dict[str, str] = {}
    with open_file(path) as opened, gzip.open(opened) if is_packed else opened as packed:
        try:
            file: Any = packed
            if rdf_format.name == "RDF/XML":
                file = _EntityGuard(packed)
            for quad in parse(file, format=rdf_format, base_iri=path.resolve().as_uri()):
                triple = _read(quad, names)
                if triple is not None:
                    yield triple
        except (SyntaxError, ValueError, EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise BadRdf(
                f"{path}: no valid {rdf_format.name}: {error}; correct the line, or rename the"
                " file if it is in another format"
            ) from error
        except MemoryError as error:
            if "buffer" not in str(error):  # the reader's limit for a text, 16 MiB
                raise
            raise BadRdf(f"{path}: a text has more than 16 MB; shorten it") from error


def content_size(path: Path, max_size: int) -> int:
    """The bytes of a file, of one that is compressed those of its content; not much more than
    ``max_size`` are counted.  A damaged file has the size up to the damage: reading it tells."""
    if path.suffix.lower() != ".gz":
        return path.stat().st_size
    size = 0
    try:
        with open_file(path) as packed, gzip.open(packed) as file:
            while size <= max_size:
                part = file.read(1_000_000)
                if not part:
                    break
                size += len(part)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return size
    return size


class _EntityGuard:
    """A file of RDF/XML whose entities are short: raises ``ValueError`` for others."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._head = file.read(MAX_DECLARATIONS)
        self._tail = b""
        _check_entities(self._head)

    def read(self, size: int = -1) -> bytes:
        """The next bytes, as of a file."""
        if self._head:
            end = size if size >= 0 else len(self._head)
            part = self._head[:end]
            self._head = self._head[end:]
        else:
            part = self._file.read(size)
            if b"<!ENTITY" in self._tail + part and not self._head:
                raise ValueError("an entity is declared far from the start of the file")
        self._tail = part[-7:]
        return bytes(part)


def _check_entities(head: bytes) -> None:
    """Raise ``ValueError`` if an entity stands for more than ``MAX_ENTITY`` bytes."""
    lengths: dict[bytes, int] = {}
    declarations = list(_ENTITY.finditer(head))
    if len(declarations) != head.count(b"<!ENTITY"):
        raise ValueError("an entity is declared in a way that is not read")
    for declaration in declarations:
        name, double_quoted, single_quoted = declaration.groups()
        text = double_quoted or single_quoted or b""
        length = len(text)
        for reference in _REFERENCE.findall(text):
            if reference not in lengths and reference not in _XML_NAMES:
                raise ValueError("an entity refers to one that is declared after it")
            length += lengths.get(reference, 1)
        if length > MAX_ENTITY:
            raise ValueError(f"an entity stands for more than {MAX_ENTITY:,} characters")
        lengths.setdefault(name, length)


def write_rdf(name: str, triples: Iterable[Triple]) -> str:
    """The triples as text in the format that the name of the file tells.  Raises ``BadRdf``."""
    _import_reader()
    import pyoxigraph

    rdf_format = pyoxigraph.RdfFormat.from_extension(name.rpartition(".")[2].lower())
    if rdf_format is None:
        raise BadRdf(f"{name}: the name tells no format of RDF; name a file .ttl, .nt or .rdf")

    try:
        rows = [_to_pyoxigraph(pyoxigraph, triple) for triple in triples]
    except ValueError as error:
        raise BadRdf(f"{name} cannot be written as RDF: {error}") from error
    written: bytes = pyoxigraph.serialize(rows, format=rdf_format) or b""
    return written.decode()


def _to_pyoxigraph(pyoxigraph: Any, triple: Triple) -> Any:
    """The triple as pyoxigraph's own.  Raises ``ValueError`` for an IRI that is none."""

    def convert(node: str) -> Any:
        if node.startswith("_:"):
            return pyoxigraph.BlankNode(node.removeprefix("_:"))
        return pyoxigraph.NamedNode(node)

    subject = convert(triple.subject)
    predicate = convert(triple.predicate)
    node = triple.object
    if isinstance(node, str):
        value = convert(node)
    elif node.language or not node.datatype:
        value = pyoxigraph.Literal(node.value, language=node.language)
    else:
        value = pyoxigraph.Literal(node.value, datatype=convert(node.datatype))
    return pyoxigraph.Triple(subject, predicate, value)


def _import_reader() -> tuple[Any, Any]:
    try:
        from pyoxigraph import RdfFormat, parse
    except ImportError as error:
        raise BadRdf("RDF files are read with pyoxigraph: pip install pyoxigraph") from error
    return parse, RdfFormat


def _read(quad: Any, names: dict[str, str]) -> Triple | None:
    """The triple; None for one about a triple (RDF-star).  ``names``: those of the blank nodes
    that have none in the file, by what the reader calls them."""
    subject = _name(quad.subject, names)
    if subject is None:
        return None
    predicate = quad.predicate.value
    node = quad.object
    if type(node).__name__ == "Literal":
        datatype = node.datatype.value
        if datatype in (_STRING, _LANGUAGE_STRING):
            datatype = None
        literal = Literal(node.value, datatype, node.language)
        return Triple(subject, predicate, literal)
    name = _name(node, names)
    if name is None:
        return None
    return Triple(subject, predicate, name)


def _name(node: Any, names: dict[str, str]) -> str | None:
    kind = type(node).__name__
    if kind == "NamedNode":
        return str(node.value)
    if kind != "BlankNode":
        return None
    if _ANONYMOUS.fullmatch(node.value):
        return names.setdefault(node.value, f"_:anonymous{len(names)}")
    return f"_:{node.value}"

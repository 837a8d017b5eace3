"""Triples of RDF files, read as a stream by pyoxigraph."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sized
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate

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
#: Characters that the entities of a file stand for, for each byte of it; those of namespaces stand
#: for some six.
MAX_ENTITY_SHARE = 20
#: A compressed file whose content has more bytes than this is a bomb if it unpacks to so many times
#: its size; RDF unpacks to some 20 times.
MIN_BOMB = 20_000_000
MAX_RATIO = 100
#: So many statements may be shorter than this many bytes: ``1,`` of a list of numbers is one, and
#: 70 MB of these would take minutes.
MAX_SHORT_STATEMENTS = 250_000
MIN_STATEMENT_SIZE = 8
#: Elements of RDF/XML within each other, and attributes of one.
MAX_DEPTH = 200
MAX_ATTRIBUTES = 1_000
# Of Turtle, for ``_NO_BRACKETS``: what has no brackets but those in texts, IRIs and comments; and a
# text, an IRI or a comment at the end of a part of a file, which goes on in the next one.
_WITHOUT_BRACKETS = r"""(?:
    [^\[\]()"'<\#\\]++ | \\. | <[^<>\s]*+(?:>|(?=[<\s])) | \#[^\n]*+\n
    | "{3} (?: [^"\\]++ | \\. | "{1,2}(?=[^"]) )*+ "{3}
    | '{3} (?: [^'\\]++ | \\. | '{1,2}(?=[^']) )*+ '{3}
    | (?!"{3}|"{1,2}\Z) " (?: [^"\\\n]++ | \\. )*+ (?:"|(?=\n))
    | (?!'{3}|'{1,2}\Z) ' (?: [^'\\\n]++ | \\. )*+ (?:'|(?=\n))
)"""
_GOING_ON = r"""(?:
    ("{3}) (?: [^"\\]++ | \\. | "{1,2}(?=[^"]) )*+ (["\\]{0,2}) \Z
    | ('{3}) (?: [^'\\]++ | \\. | '{1,2}(?=[^']) )*+ (['\\]{0,2}) \Z
    | (") (?: [^"\\\n]++ | \\. )*+ (\\?) \Z
    | (') (?: [^'\\\n]++ | \\. )*+ (\\?) \Z
    | (<) [^<>\s]*+ \Z
    | (\#) [^\n]*+ \Z
    | (\\ | "{2} | '{2}) \Z
)"""
_NO_BRACKETS = re.compile(
    f"{_WITHOUT_BRACKETS}++{_GOING_ON}?|{_GOING_ON}".encode(), re.DOTALL | re.VERBOSE
)
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
            counted = _CountedFile(packed, opened)
            file: Any = counted
            if rdf_format.name == "RDF/XML":
                file = _XmlGuard(counted)
            elif rdf_format.name in ("Turtle", "TriG"):
                file = _TurtleGuard(counted)
            elif rdf_format.name == "JSON-LD":
                file = _JsonGuard(counted)
            quads = parse(file, format=rdf_format, base_iri=path.resolve().as_uri())
            for count, quad in enumerate(quads, start=1):
                if count % MAX_SHORT_STATEMENTS == 0:
                    _check_statements(count, counted.size)
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


class _CountedFile:
    """A file, and the bytes of it that were read.  ``packed``: the same, or the compressed file
    that it is the content of; raises ``ValueError`` if that has hardly any of these bytes."""

    def __init__(self, file: Any, packed: Any) -> None:
        self._file = file
        self._packed = packed
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, as of a file."""
        part: bytes = self._file.read(size)
        self.size += len(part)
        if self.size > MIN_BOMB and self.size > MAX_RATIO * self._packed.tell():
            raise ValueError(f"it unpacks to more than {MAX_RATIO} times its size")
        return part


class _JsonGuard:
    """A file of JSON-LD that is within bounds: raises ``ValueError`` for many short values, which
    the reader would keep in memory, with 200 bytes for each, before it gives the first one."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._size = 0
        self._commas = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, as of a file."""
        part: bytes = self._file.read(size)
        self._size += len(part)
        self._commas += part.count(b",")  # those of texts have words between them
        _check_statements(self._commas, self._size)
        return part


def _check_statements(count: int, size: int) -> None:
    """Raise ``ValueError`` for so many statements in so few bytes."""
    if count >= MAX_SHORT_STATEMENTS and size < count * MIN_STATEMENT_SIZE:
        raise ValueError(
            f"more than {MAX_SHORT_STATEMENTS:,} statements have less than"
            f" {MIN_STATEMENT_SIZE} bytes each"
        )


class _XmlGuard:
    """A file of RDF/XML that is within bounds: raises ``ValueError`` for entities that stand for a
    long text, and for elements that are nested too deep or have too many attributes.

    The reader takes a time that grows with the square of both.  The guard sees each part of a file
    before the reader does.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._part = b""
        self._position = 0
        self._depth = 0
        self._size = 0
        self._entity_size = 0
        self._lengths: dict[bytes, int] | None = None
        self._parser = ParserCreate()
        self._parser.StartElementHandler = self._start_element
        self._parser.EndElementHandler = self._end_element

    def read(self, size: int = -1) -> bytes:
        """The next bytes, as of a file."""
        if self._position == len(self._part):
            self._part = self._read_part()
            self._position = 0
        end = self._position + size if size >= 0 else len(self._part)
        result = self._part[self._position : end]
        self._position += len(result)
        return bytes(result)

    def _read_part(self) -> bytes:
        part: bytes = self._file.read(MAX_DECLARATIONS)
        if self._lengths is None:
            self._lengths = _read_entities(part)
        elif b"<!ENTITY" in self._part[-7:] + part:
            raise ValueError("an entity is declared far from the start of the file")

        self._size += len(part)
        for reference in _REFERENCE.findall(part):
            self._entity_size += self._lengths.get(reference, 1)
        if self._entity_size > MAX_ENTITY_SHARE * self._size + MAX_DECLARATIONS:
            raise ValueError("entities stand for many times the text of the file")

        try:
            self._parser.Parse(part, not part)
        except ExpatError as error:
            raise ValueError(str(error)) from error
        return part

    def _start_element(self, name: str, attributes: Sized) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ValueError(f"more than {MAX_DEPTH:,} elements are within each other")
        if len(attributes) > MAX_ATTRIBUTES:
            raise ValueError(f"an element has more than {MAX_ATTRIBUTES:,} attributes")

    def _end_element(self, name: str) -> None:
        self._depth -= 1


class _TurtleGuard:
    """A file of Turtle or TriG that is within bounds: raises ``ValueError`` if blank nodes and
    collections are nested too deep, of which the reader keeps half a kilobyte each."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._open = b""
        self._depth = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, as of a file."""
        part: bytes = self._file.read(size)
        if not part:
            return part
        text = self._open + part
        self._open = b""
        for bracket in _NO_BRACKETS.sub(self._without_texts, text):
            self._depth += 1 if bracket in b"[(" else -1
            if self._depth > MAX_DEPTH:
                raise ValueError(f"more than {MAX_DEPTH:,} blank nodes are within each other")
        return part

    def _without_texts(self, match: re.Match[bytes]) -> bytes:
        """Nothing.  The start of what goes on in the next part is kept, and its last characters if
        these may be the start of its end."""
        going_on = b"".join(group or b"" for group in match.groups())
        if going_on:
            self._open = going_on
        return b""


def _read_entities(head: bytes) -> dict[bytes, int]:
    """The lengths of the texts that entities stand for.  Raises ``ValueError`` if one is longer
    than ``MAX_ENTITY`` bytes."""
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
    return lengths


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

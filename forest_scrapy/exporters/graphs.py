"""Items as graphs of RDF: N-Triples, Turtle and JSON-LD.

Each item is written at once, and only it is in memory.  Literals have no line breaks in the file,
so that what a killed crawl has cut is found when the file is appended to.  The crawl that goes on
writes that item again; statements that occur twice are one.

Turtle is written by rdflib, which is imported when such a file is opened.
"""

import json
import logging
import os
from collections.abc import Iterable, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler

from forest_scrapy.core.graph import Literal, Triple
from forest_scrapy.core.graph.item_graph import item_triples
from forest_scrapy.core.graph.jsonld import CONTEXT, write_entities
from forest_scrapy.core.graph.ntriples import is_whole, write_line
from forest_scrapy.core.graph.vocabulary import CLASS, PREFIXES, PROPERTY, TYPE
from forest_scrapy.exporters.appending import appended_path
from forest_scrapy.exporters.text_formats import Flushed
from forest_scrapy.output_files import BadOutput
from forest_scrapy.zyte_items import as_ours

logger = logging.getLogger(__name__)

#: Properties and classes that are remembered as described; if there are more, they are described
#: again.
_MAX_DECLARED = 100_000
#: Bytes that are read first of the end of a file that is appended to.
_FIRST_TAIL = 1 << 16
#: The fields that identify an item.
_IDENTIFYING_FIELDS = ("type", "url", "found_on")


class _GraphItemExporter(Flushed):
    """Base of the exporters of graphs.  At the end come the statements of the spider, if it has a
    method ``describe_graph``, which gives triples."""

    #: Nothing is lost or doubled if a crawl that was killed writes an item again.
    is_idempotent = True
    #: What is between two items, at least.
    separator = b"\n"

    def __init__(self, file: Any, **options: Any) -> None:
        """Raises ``BadOutput`` for a file that cannot be appended to."""
        super().__init__(dont_fail=True, **options)
        self.file = file
        self._crawler: Crawler | None = None
        self._declared: set[str] = set()
        path = appended_path(file)
        if path:
            self._repair(path)
        self.is_appended = path is not None

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        file: Any,
        **options: Any,
    ) -> Self:
        exporter = super().from_crawler(crawler, file, **options)
        exporter._crawler = crawler
        return exporter

    def start_exporting(self) -> None:
        self._put(self.head())

    def write_item(self, item: Any) -> None:
        fields = self._fields(item)
        triples = item_triples(fields)
        new_triples = [triple for triple in triples if triple.subject not in self._declared]
        if len(self._declared) > _MAX_DECLARED:
            self._declared.clear()
        self._declared |= _declared_terms(triples)
        self._write(new_triples)

    def finish_exporting(self) -> None:
        spider = self._crawler.spider if self._crawler else None
        describe = getattr(spider, "describe_graph", None)
        if describe is not None:
            self._write(describe())
        self._put(self.tail())

    def _write(self, triples: Iterable[Triple]) -> None:
        unique = list(dict.fromkeys(triples))
        if unique:
            content = self.serialize(unique)
            self._put(content)

    def _put(self, content: bytes) -> None:
        self.file.write(content)
        self.file.flush()

    def _fields(self, item: Any) -> dict[str, Any]:
        """The fields that are exported, and always those that tell what the item is."""
        fields = ItemAdapter(as_ours(item)).asdict()
        if self.fields_to_export is None:
            return fields
        names = {*_IDENTIFYING_FIELDS, *self.fields_to_export}
        return {name: value for name, value in fields.items() if name in names}

    def serialize(self, triples: Sequence[Triple]) -> bytes:
        """The statements in the format, as whole lines."""
        raise NotImplementedError

    def head(self) -> bytes:
        """What is before the items."""
        return b""

    def tail(self) -> bytes:
        """What is after the items."""
        return b""

    def _repair(self, path: Path) -> None:
        """Remove what a killed crawl has cut from the end of the file."""
        end = self._read_end(path)
        length = self.find_end(path, end)
        cut = len(end) - length
        if cut > 0:
            size = path.stat().st_size
            os.truncate(path, size - cut)
            end = end[:length]
        if not end.endswith(b"\n"):
            self._put(b"\n")

    def _read_end(self, path: Path) -> bytes:
        """The end of a file, with a separator in it if the file has one."""
        size = path.stat().st_size
        length = _FIRST_TAIL
        with path.open("rb") as file:
            while True:
                start = max(0, size - length)
                file.seek(start)
                end = file.read()
                has_separator = self.separator in end[: -len(self.separator)]
                if length >= size or has_separator:
                    return end
                length *= 2

    def find_end(self, path: Path, end: bytes) -> int:
        """How much of the end of a file to keep.  Raises ``BadOutput``."""
        raise NotImplementedError


def _declared_terms(triples: Iterable[Triple]) -> set[str]:
    """The properties and classes that some statements describe."""
    declared_terms = set()
    for triple in triples:
        if _is_declaration(triple):
            declared_terms.add(triple.subject)
    return declared_terms


def _is_declaration(triple: Triple) -> bool:
    if triple.predicate != TYPE:
        return False
    return triple.object in (PROPERTY, CLASS)


class NTriplesItemExporter(_GraphItemExporter):
    """N-Triples: a statement a line."""

    def serialize(self, triples: Sequence[Triple]) -> bytes:
        return "".join(map(write_line, triples)).encode()

    def find_end(self, path: Path, end: bytes) -> int:
        last = end.rfind(b"\n") + 1
        if is_whole(end[last:]):
            return len(end)
        logger.info("%s: removed the last statement, which is incomplete", path)
        return last


class TurtleItemExporter(_GraphItemExporter):
    """Turtle; the properties of a site have a prefix, which is declared again where another site's
    items come."""

    separator = b"\n\n"

    def __init__(self, file: Any, **options: Any) -> None:
        _check_rdflib()
        super().__init__(file, **options)
        self._prefixes: dict[str, str] = {}

    def head(self) -> bytes:
        self._prefixes = dict(PREFIXES)
        return _TURTLE_HEAD

    def serialize(self, triples: Sequence[Triple]) -> bytes:
        graph = _graph_of(triples)
        for number, site in enumerate(_sites_of(triples), 1):
            graph.bind(f"s{number}", f"{site}#", override=True, replace=True)
        stream = BytesIO()
        serializer = _turtle_serializer()(graph)
        serializer.serialize(stream, encoding="utf-8")
        turtle = stream.getvalue().decode()
        lines = turtle.split("\n")

        declarations = [line for line in lines if line.startswith(_PREFIX)]
        statements = [line for line in lines if not line.startswith(_PREFIX)]
        text = self._declare(declarations)
        text += "\n".join(statements).strip("\n")
        text += "\n\n"
        return text.encode()

    def _declare(self, declarations: Sequence[str]) -> str:
        """The declarations of prefixes that are not in force, which are from now on."""
        text = ""
        for line in declarations:
            _, prefix, namespace, _ = line.split(" ")
            prefix = prefix.removesuffix(":")
            iri = namespace[1:-1]
            if self._prefixes.get(prefix) != iri:
                self._prefixes[prefix] = iri
                text += f"{line}\n"
        if not text:
            return ""
        return f"{text}\n"

    def find_end(self, path: Path, end: bytes) -> int:
        with path.open("rb") as file:
            is_ours = file.read(len(_TURTLE_HEAD)) == _TURTLE_HEAD
        if not is_ours or end.endswith(b" .\n\n"):
            return len(end)
        logger.info("%s: removed the last item, which is incomplete", path)
        return end.rfind(b"\n\n") + 2


#: How the declaration of a prefix begins.
_PREFIX = "@prefix "


def _write_turtle_head() -> bytes:
    lines = [f"{_PREFIX}{name}: <{iri}> .\n" for name, iri in PREFIXES.items()]
    return "".join([*lines, "\n"]).encode()


_TURTLE_HEAD = _write_turtle_head()


class JsonLdItemExporter(_GraphItemExporter):
    """JSON-LD: one document, with an entity a line.  If the file is appended to, the end of the
    document is moved."""

    def __init__(self, file: Any, **options: Any) -> None:
        super().__init__(file, **options)
        self._has_entities = False
        if self.is_appended:
            size = os.fstat(file.fileno()).st_size
            self._has_entities = size > len(_JSON_HEAD)

    def head(self) -> bytes:
        return b"" if self.is_appended else _JSON_HEAD

    def tail(self) -> bytes:
        return _JSON_TAIL

    def serialize(self, triples: Sequence[Triple]) -> bytes:
        text = ""
        for entity in write_entities(triples):
            if self._has_entities:
                text += ","
            line = json.dumps(entity, ensure_ascii=False)
            text += f"{line}\n"
            self._has_entities = True
        return text.encode()

    def find_end(self, path: Path, end: bytes) -> int:
        with path.open("rb") as file:
            if file.read(len(_JSON_HEAD)) != _JSON_HEAD:
                raise BadOutput(
                    f"{path} is no JSON-LD document that items can be added to; name another file,"
                    " or overwrite it with -O"
                )
        if end.endswith(b"\n" + _JSON_TAIL):
            return len(end) - len(_JSON_TAIL)
        logger.info("%s: it was not closed; items are added after the last whole one", path)
        return end.rfind(b"\n") + 1


_JSON_HEAD = f'{{"@context": {json.dumps(CONTEXT)}, "@graph": [\n'.encode()
_JSON_TAIL = b"]}\n"


def _check_rdflib() -> None:
    try:
        import rdflib  # noqa: F401
    except ImportError as error:
        raise BadOutput(
            "Turtle needs rdflib: pip install '.[graph]' in the checkout, or write .nt or .jsonld"
        ) from error


def _sites_of(triples: Sequence[Triple]) -> list[str]:
    """What the properties and classes of sites begin with, up to the fragment; sorted."""
    terms = {triple.predicate for triple in triples} | _declared_terms(triples)
    sites = set()
    for iri in terms:
        if not _is_term(iri):
            site, _, _ = iri.partition("#")
            sites.add(site)
    return sorted(sites)


def _is_term(iri: str) -> bool:
    return iri.startswith(tuple(PREFIXES.values()))


def _graph_of(triples: Sequence[Triple]) -> Any:
    """A graph of rdflib that keeps the order of the statements, so that files are reproducible."""
    import rdflib

    graph = rdflib.Graph(store="SimpleMemory", bind_namespaces="none")
    for prefix, namespace in PREFIXES.items():
        graph.bind(prefix, namespace, override=True, replace=True)
    for triple in triples:
        subject = rdflib.URIRef(triple.subject)
        predicate = rdflib.URIRef(triple.predicate)
        node = _node(triple.object)
        graph.add((subject, predicate, node))
    return graph


def _node(node: str | Literal) -> Any:
    import rdflib

    if isinstance(node, str):
        return rdflib.URIRef(node)
    datatype = rdflib.URIRef(node.datatype) if node.datatype else None
    return rdflib.Literal(
        node.value,
        lang=node.language,
        datatype=datatype,
        normalize=False,
    )


@cache
def _turtle_serializer() -> Any:
    """rdflib's serializer, which writes literals on one line."""
    import rdflib
    from rdflib.plugins.serializers.turtle import TurtleSerializer

    class OneLineSerializer(TurtleSerializer):
        def label(self, node: Any, position: int) -> Any:
            text = super().label(node, position)
            if isinstance(node, rdflib.Literal):
                return text.replace("\n", "\\n")
            return text

    return OneLineSerializer

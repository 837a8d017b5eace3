"""Graphs are read by rdflib as what was written, whatever is in the items, and however the crawl
before has ended."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itemadapter import ItemAdapter
from scrapy.extensions.postprocessing import PostProcessingManager

from forest_scrapy.core.graph import Triple
from forest_scrapy.core.graph.item_graph import item_triples
from forest_scrapy.exporters import NEW_FORMATS
from forest_scrapy.exporters.feeds import RssItemExporter
from forest_scrapy.exporters.graphs import (
    JsonLdItemExporter,
    NTriplesItemExporter,
    TurtleItemExporter,
)
from forest_scrapy.forms.items import FormRecord
from forest_scrapy.items import Article, Listing, Product, Thread, WebPage
from forest_scrapy.output_files import BadOutput

rdflib = pytest.importorskip("rdflib")
pytestmark = pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")

EXPORTERS = {"nt": NTriplesItemExporter, "ttl": TurtleItemExporter, "jsonld": JsonLdItemExporter}
NAMES = {"nt": "nt", "ttl": "turtle", "jsonld": "json-ld"}
HOSTILE = (
    'a"b\\',
    '"""',
    "x\n\ny .\n\n@prefix schema: <urn:x#> .\n",
    "\r\n\t\x00\x1b",
    "\ud800\udfff",
    "]}\n",
    "<http://x/>> <y> .",
    "\u2028\ufeff\U0001f989",
)


def hostile_items(text: str) -> list[Any]:
    """An item of each kind with this text everywhere."""
    url = f"https://a.example/{text}#{text}"
    row = {"name": text, "value": text, "type": "url", "unit": text}
    part = {"position": 1, "url": url, "title": text, "text": text, "author": text, "date": text}
    part |= {"attributes": [row, {**row, "type": "date"}], "caption": text, "currency": text}
    return [
        Article(
            url, text, text, authors=[text], tags=[text], language=text, published=text,
            images=[part], links=[part], comments=[part], site_name=text, extra={text: text},
        ),
        Thread(url, text, posts=[part, {**part, "position": 2}], language="en"),
        Product(url, text, text, text, text, text, text, [url], text, [row]),
        Listing(f"http://{text}/", text, items=[part]),
        WebPage(text, text, text=text),
        FormRecord(url, url, 1, text, text, [row], {text: text}),
        {"url": url, text: text},
    ]  # fmt: skip


def export(kind: str, items: list[Any], path: Path, **options: Any) -> None:
    """Append items to a file."""
    with path.open("ab") as file:
        exporter = EXPORTERS[kind](file, **options)
        exporter.start_exporting()
        for item in items:
            exporter.export_item(item)
        exporter.finish_exporting()


def read(kind: str, content: bytes) -> set[Any]:
    """The statements of a file, by another reader than the one that is tested: rdflib's."""
    graph = rdflib.Graph()
    graph.parse(data=content, format=NAMES[kind])
    return set(graph)


def expected(items: list[Any]) -> set[Any]:
    return {as_rdflib(one) for item in items for one in item_triples(ItemAdapter(item).asdict())}


def as_rdflib(triple: Triple) -> Any:
    node = triple.object
    made = (
        rdflib.URIRef(node)
        if isinstance(node, str)
        else rdflib.Literal(node.value, node.language, node.datatype)
    )
    return rdflib.URIRef(triple.subject), rdflib.URIRef(triple.predicate), made


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("kind", EXPORTERS)
def test_what_is_read_is_what_was_written(kind: str, text: str, tmp_path: Path) -> None:
    items = hostile_items(text)
    export(kind, items, tmp_path / "graph")
    assert read(kind, (tmp_path / "graph").read_bytes()) == expected(items)
    assert len(expected(items)) >= 30


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("kind", ["nt", "ttl"])
def test_a_strict_reader_takes_it(kind: str, text: str, tmp_path: Path) -> None:
    """pyoxigraph refuses IRIs that RFC 3987 does not allow, and languages that are none."""
    pyoxigraph = pytest.importorskip("pyoxigraph")
    items = hostile_items(text)
    export(kind, items, tmp_path / "graph")
    file_format = pyoxigraph.RdfFormat.from_extension(kind)
    found = set(pyoxigraph.parse(path=tmp_path / "graph", format=file_format))
    assert len(found) == len(expected(items))


@pytest.mark.slow
@given(st.text(st.characters(exclude_categories=()), max_size=20))
def test_any_text(text: str) -> None:
    items = hostile_items(text)
    for kind, exporter in EXPORTERS.items():
        file = BytesIO()
        written = exporter(file)
        written.start_exporting()
        for item in items:
            written.export_item(item)
        written.finish_exporting()
        assert read(kind, file.getvalue()) == expected(items)


ITEMS = [Article(f"https://{i % 3}.example/{i}", f"Title {i}\n", extra={"n": i}) for i in range(9)]


@pytest.mark.parametrize("kind", EXPORTERS)
def test_files_are_appended_to(kind: str, tmp_path: Path) -> None:
    for i in range(0, 9, 3):
        export(kind, ITEMS[i : i + 3], tmp_path / "graph")
    export(kind, [], tmp_path / "graph")
    assert read(kind, (tmp_path / "graph").read_bytes()) == expected(ITEMS)


@pytest.mark.parametrize("kind", EXPORTERS)
def test_a_file_that_was_cut_anywhere_is_appended_to(kind: str, tmp_path: Path) -> None:
    export(kind, [*ITEMS[:2], Article("https://a.example/", 'x"""' * 9)], tmp_path / "whole")
    content = (tmp_path / "whole").read_bytes()
    first = content.index(b"a.example")
    for end in range(content.rindex(b"\n", 0, first) + 1, len(content), 7):
        path = tmp_path / str(end)
        path.write_bytes(content[:end])
        export(kind, ITEMS[2:], path)
        assert expected([*ITEMS[:2], *ITEMS[2:]]) <= read(kind, path.read_bytes())


@pytest.mark.parametrize("kind", ["nt", "ttl"])
@pytest.mark.parametrize("end", [" .\n", " ."])
def test_files_of_other_programs_are_appended_to(kind: str, end: str, tmp_path: Path) -> None:
    (tmp_path / "graph").write_text(f"<urn:a> <urn:b> <urn:c>{end}")
    export(kind, ITEMS, tmp_path / "graph")
    found = read(kind, (tmp_path / "graph").read_bytes())
    other = tuple(map(rdflib.URIRef, ("urn:a", "urn:b", "urn:c")))
    assert found == {*expected(ITEMS), other}


def test_a_json_document_of_another_program_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "graph").write_text("{}")
    with pytest.raises(BadOutput, match="overwrite it with -O"):
        export("jsonld", ITEMS, tmp_path / "graph")
    assert (tmp_path / "graph").read_text() == "{}"


def test_the_document_is_json_without_items(tmp_path: Path) -> None:
    export("jsonld", [], tmp_path / "graph")
    assert json.loads((tmp_path / "graph").read_bytes())["@graph"] == []


@pytest.mark.parametrize("kind", EXPORTERS)
def test_properties_are_described_once(kind: str, tmp_path: Path) -> None:
    export(kind, [Article("https://a.example/", "A", extra={"n": 1})] * 5, tmp_path / "graph")
    text = (tmp_path / "graph").read_text()
    assert text.count('abel> "n"' if kind == "nt" else '"n"') == 1


@pytest.mark.parametrize("kind", EXPORTERS)
def test_only_the_fields_that_are_wanted(kind: str, tmp_path: Path) -> None:
    item = Article("https://a.example/", "A", text="B", tags=["c"])
    export(kind, [item], tmp_path / "graph", fields_to_export=["title"])
    assert read(kind, (tmp_path / "graph").read_bytes()) == expected([Article(item.url, "A")])


@pytest.mark.parametrize("kind", [*EXPORTERS, "rss"])
def test_compressed_files(kind: str, tmp_path: Path) -> None:
    """New ones are written; they are not appended to."""
    exporter = EXPORTERS.get(kind, RssItemExporter)
    path, plugins = tmp_path / "graph.gz", ["scrapy.extensions.postprocessing.GzipPlugin"]
    with path.open("ab") as raw:
        file = PostProcessingManager(plugins, raw, {})
        written = exporter(file)
        written.start_exporting()
        written.export_item(ITEMS[0])
        written.finish_exporting()
        file.close()
    content = gzip.decompress(path.read_bytes())
    assert b"Title 0" in content if kind == "rss" else read(kind, content) == expected(ITEMS[:1])
    with path.open("ab") as raw, pytest.raises(BadOutput, match="cannot be appended to"):
        exporter(PostProcessingManager(plugins, raw, {}))


def test_zyte_items() -> None:
    zyte_items = pytest.importorskip("forest_scrapy.zyte_items")
    pytest.importorskip("zyte_common_items")
    row = {"name": "Height", "value": "30", "type": "number", "unit": "cm"}
    items = [
        Article("https://a.example/1", "A", text="B", tags=["c"]),
        Product("https://a.example/2", "A", "5.00", brand="B", attributes=[row], text="C"),
        WebPage("https://a.example/3", "A", text="B", language="en"),
    ]
    for item in items:
        converted = zyte_items.convert_item(item, "zyte")
        back = zyte_items.as_ours(converted)
        assert back == item
        file = BytesIO()
        NTriplesItemExporter(file).export_item(converted)
        assert read("nt", file.getvalue()) == expected([item])


def run(code: str, **environment: str) -> str:
    """What a program prints."""
    command = [sys.executable, "-c", code]
    env = {**os.environ, **environment}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return done.stdout


_PROGRAM = """
from io import BytesIO
from tests.exporters.test_graphs import EXPORTERS, hostile_items
for kind, make_exporter in EXPORTERS.items():
    file = BytesIO()
    exporter = make_exporter(file)
    exporter.start_exporting()
    for item in hostile_items("a b"):
        exporter.export_item(item)
    exporter.finish_exporting()
    print(kind, file.getvalue())
"""


@pytest.mark.slow
def test_files_are_reproducible() -> None:
    """Whatever the hashes of strings are, which determine the order of sets."""
    written = [run(_PROGRAM, PYTHONHASHSEED=seed).splitlines() for seed in ("1", "2", "3")]
    for files in zip(EXPORTERS, *written, strict=True):
        kind, *lines = files
        assert len({*lines}) == 1, kind


#: The start of a program that cannot import rdflib.
NO_RDFLIB = "import sys; sys.modules['rdflib'] = None\n"


@pytest.mark.parametrize("name", ["NTriples", "JsonLd"])
def test_formats_that_need_no_package(name: str) -> None:
    code = (
        f"{NO_RDFLIB}from io import BytesIO; from forest_scrapy.exporters.graphs import *\n"
        "from forest_scrapy.items import WebPage\n"
        f"f = BytesIO(); {name}ItemExporter(f).export_item(WebPage('http://a/', 'b'))\n"
        "print(f.getvalue().decode().count('http://a/'))"
    )
    assert int(run(code)) > 1


@pytest.mark.slow
def test_without_rdflib_the_message_names_the_extra() -> None:
    code = (
        f"{NO_RDFLIB}from io import BytesIO; from forest_scrapy.exporters.graphs import *\n"
        "try: TurtleItemExporter(BytesIO())\nexcept BadOutput as error: print(error)"
    )
    assert "pip install '.[graph]'" in run(code)


@pytest.mark.slow
def test_rdflib_is_imported_when_a_file_needs_it() -> None:
    code = (
        "import sys, forest_scrapy.addon, forest_scrapy.spiders.form_spider\n"
        "from scrapy.utils.misc import load_object\n"
        "from forest_scrapy.exporters import NEW_FORMATS\n"
        "for one in NEW_FORMATS.values(): load_object(one)\n"
        "print('rdflib' in sys.modules)"
    )
    assert run(code).strip() == "False"
    assert set(EXPORTERS) < set(NEW_FORMATS)

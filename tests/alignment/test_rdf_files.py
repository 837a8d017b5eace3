"""RDF files."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

import pytest

from forest_scrapy.alignment.rdf_files import (
    BadRdf,
    _TurtleGuard,
    content_size,
    read_rdf,
    write_rdf,
)
from forest_scrapy.core.graph import Literal, Triple

TURTLE = """@prefix : <http://a.example/> .
:emma :title "Emma"@en ; :pages 400 ; :by [ :name "Jane" ] , _:x .
"""
TRIPLES = [
    Triple("http://a.example/emma", "http://a.example/title", Literal("Emma", language="en")),
    Triple("_:b", "http://a.example/pages", Literal("4\n", "http://a.example/number")),
    Triple("_:b", "http://a.example/of", "http://a.example/emma"),
    Triple("_:b", "http://a.example/note", Literal('"a" \\ b')),
]


def test_turtle(tmp_path: Path) -> None:
    path = tmp_path / "a.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    emma = "http://a.example/emma"
    assert sorted(read_rdf(path), key=str) == sorted(
        [
            Triple(emma, "http://a.example/title", Literal("Emma", None, "en")),
            Triple(emma, "http://a.example/pages", Literal("400", integer)),
            Triple(emma, "http://a.example/by", "_:anonymous0"),
            Triple(emma, "http://a.example/by", "_:x"),
            Triple("_:anonymous0", "http://a.example/name", Literal("Jane")),
        ],
        key=str,
    )


def test_all_blank_nodes_without_a_name_are_numbered(tmp_path: Path) -> None:
    """The reader gives them random names, of which one in sixteen is shorter than the others."""
    path = tmp_path / "a.ttl"
    path.write_text("[ <urn:a> 1 ] .\n" * 300, encoding="utf-8")
    assert [triple.subject for triple in read_rdf(path)] == [
        f"_:anonymous{number}" for number in range(300)
    ]


@pytest.mark.parametrize("name", ["a.ttl", "a.nt", "a.rdf"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(write_rdf(name, TRIPLES), encoding="utf-8")
    assert sorted(read_rdf(tmp_path / name), key=str) == sorted(TRIPLES, key=str)


def test_packed_files(tmp_path: Path) -> None:
    path = tmp_path / "a.nt.gz"
    path.write_bytes(gzip.compress(write_rdf("a.nt", TRIPLES).encode()))
    assert list(read_rdf(path)) == TRIPLES
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadRdf, match=r"a\.nt\.gz: no valid N-Triples: "):
        list(read_rdf(path))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.ttl", "<urn:a> <urn:b> .", r"a\.ttl: no valid Turtle: .*line 1.*; correct the line"),
        ("a.nt", "<urn:a> <urn:b> <urn:c> .\nno", r"a\.nt: no valid N-Triples: .*line 2"),
        ("a.rdf", "<html>", r"a\.rdf: no valid RDF/XML: "),
        ("a.jsonld", "[", r"a\.jsonld: no valid JSON-LD: "),
        ("a.doc", "", r"a\.doc: the name tells no format of RDF; rename it to end with \.ttl"),
        ("graph", "", r"graph: the name tells no format of RDF"),
    ],
)
def test_what_is_no_rdf(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(BadRdf, match=message):
        list(read_rdf(tmp_path / name))


def test_a_name_that_rdf_cannot_have() -> None:
    with pytest.raises(BadRdf, match=r"a\.nt cannot be written as RDF: "):
        write_rdf("a.nt", [Triple("no iri", "urn:p", "urn:o")])
    with pytest.raises(BadRdf, match=r"a\.doc: the name tells no format of RDF"):
        write_rdf("a.doc", [])


RDF_XML = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:a="http://a.example/">'
    '<rdf:Description rdf:about="&base;emma"><a:title>{}</a:title></rdf:Description></rdf:RDF>'
)


def test_entities_of_namespaces_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.owl"
    declared = '<!DOCTYPE r [<!ENTITY base "http://a.example/">]>'
    path.write_text(declared + RDF_XML.format("Emma &amp; Jane"))
    title = Literal("Emma & Jane")
    assert list(read_rdf(path)) == [
        Triple("http://a.example/emma", "http://a.example/title", title)
    ]


def test_entities_within_entities_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.rdf"
    entities = '<!ENTITY base "http://a.example/"><!ENTITY e0 "ha ha ha ha ha">'
    for i in range(6):
        entities += f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">'
    path.write_text(f"<!DOCTYPE r [{entities}]>{RDF_XML.format('&e6;')}")
    with pytest.raises(BadRdf, match="an entity stands for more than"):
        list(read_rdf(path))


def test_a_text_longer_than_the_reader_takes_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.nt"
    path.write_text(f'<http://a.example/1> <http://a.example/p> "{"a" * 17_000_000}" .\n')
    with pytest.raises(BadRdf, match="a text has more than 16 MB"):
        list(read_rdf(path))


def test_the_size_of_a_compressed_file_is_that_of_its_content(tmp_path: Path) -> None:
    path = tmp_path / "a.nt.gz"
    path.write_bytes(gzip.compress(b"# nothing\n" * 500_000))
    assert content_size(path, 200_000_000) == 5_000_000
    assert 1_000_000 < content_size(path, 1_000_000) < 3_000_000


def test_entities_that_make_much_text_of_a_small_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.rdf"
    declared = f'<!DOCTYPE r [<!ENTITY base "http://a.example/"><!ENTITY t "{"t" * 900}">]>'
    path.write_text(declared + RDF_XML.format("&t;" * 100_000))
    with pytest.raises(BadRdf, match="entities stand for many times the text"):
        list(read_rdf(path))


def test_elements_within_each_other_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.rdf"
    start = RDF_XML.partition("<rdf:Description")[0]
    for depth, is_read in ((90, True), (20_000, False)):
        nested = "<rdf:Description><a:of>" * depth + "</a:of></rdf:Description>" * depth
        path.write_text(f"{start}{nested}</rdf:RDF>")
        if is_read:
            assert len(list(read_rdf(path))) == depth
        else:
            with pytest.raises(BadRdf, match="200 elements are within each other"):
                list(read_rdf(path))


def test_attributes_of_an_element_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.rdf"
    start = RDF_XML.partition("<rdf:Description")[0]
    attributes = " ".join(f'a:p{number}="{number}"' for number in range(1_001))
    path.write_text(f"{start}<rdf:Description {attributes}/></rdf:RDF>")
    with pytest.raises(BadRdf, match="more than 1,000 attributes"):
        list(read_rdf(path))


@pytest.mark.parametrize("opening", ["(", "[ <urn:b> ", "( 1 [ <urn:b> "])
def test_blank_nodes_within_each_other_are_bounded(tmp_path: Path, opening: str) -> None:
    path = tmp_path / "a.ttl"
    path.write_text("<urn:a> <urn:b> " + opening * 50_000)
    with pytest.raises(BadRdf, match="200 blank nodes are within each other"):
        list(read_rdf(path))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_brackets_in_texts_iris_and_comments_are_no_blank_nodes(size: int) -> None:
    rows = (
        r'<urn:a(> :t "a [ ( \" # \' b"@en, ' + "'(((' ; # ((( \n",
        r':x """ ((( " "" \""" ' + '\n [[[ \'""" ; :y \'\'\'((\n\'\'\', """""", "", \'\' ;\n',
        r":l ( 1 2 [ :p \( ] ) ; :q :c\#d ." + "\n",
    )
    guard = _TurtleGuard(io.BytesIO("".join(rows).encode() * 100))
    while guard.read(size):
        pass
    assert guard._depth == 0


def test_many_statements_in_a_small_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonld"
    path.write_text(f'{{"@id":"urn:a","urn:b":[{"1," * 600_000}1]}}')
    with pytest.raises(BadRdf, match="statements have less than 8 bytes"):
        list(read_rdf(path))


@pytest.mark.slow
def test_a_file_that_unpacks_to_many_times_its_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.nt.gz"
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = [packer.compress(b"\n" * 1_000_000) for _ in range(110)]
    path.write_bytes(b"".join(packed) + packer.flush())
    with pytest.raises(BadRdf, match="unpacks to more than 100 times its size"):
        list(read_rdf(path))

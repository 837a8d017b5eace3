"""``python -m benchmarks.hostile.alignment FILE OTHER FOLDER``: ``scrapy forest align`` of a small
RDF file and a hostile one; prints what it took as JSON.

Run by ``python -m benchmarks.hostile --ways align``.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.hostile.command_run import run_command_line

#: Seconds after which a command counts as hung.
MAX_SECONDS = 120
#: Bytes of memory that it may ask for.
MAX_MEMORY = 8 << 30
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:a="http://b.example/"'
_STORIES = [f"Story of the harbour {number}" for number in range(40)]
#: What a command says of a file that it does not read.
_REASON = re.compile(
    r"(?:an entity|entities|an element|a text|it unpacks)\b[^;]+|more than [^;]+"
    r"|no valid [\w/ -]+|no relation is the same"
)


@dataclass(frozen=True)
class HostileFile:
    """The name of a file, whose ending tells the format, and its content."""

    name: str
    content: bytes


def harmless_files() -> tuple[HostileFile, HostileFile]:
    """Two files in which the same stories are told."""
    return (
        HostileFile("left.nt", _stories("http://a.example/")),
        HostileFile("right.nt", _stories("http://b.example/")),
    )


def _stories(base: str) -> bytes:
    rows = [
        f'<{base}{number}> <{base}title> "{title}" .\n<{base}{number}> {_TYPE} <{base}Story> .\n'
        for number, title in enumerate(_STORIES)
    ]
    return "".join(rows).encode()


def hostile_files() -> Iterator[tuple[str, HostileFile]]:
    """Files by what is hostile in them; each has the stories, too, as far as its format lets it."""
    stories = _stories("http://b.example/")
    for name, ending, content in chain(
        _entities(),
        _classes(stories),
        _literals(stories),
        _structures(stories),
        _packed(stories),
    ):
        yield name, HostileFile(f"hostile.{ending}", content)


def _entities() -> Iterator[tuple[str, str, bytes]]:
    names = [f"l{number}" for number in range(10)]
    laughs = "<!ENTITY l0 'ha'>" + "".join(
        f"<!ENTITY {name} '{f'&{inner};' * 10}'>" for inner, name in pairwise(names)
    )
    yield "laughs", "rdf", _rdf_xml(laughs, "<a:title>&l9;</a:title>")
    text = f"<!ENTITY t '{'t' * 900}'>"
    yield "many_references", "rdf", _rdf_xml(text, "<a:title>" + "&t;" * 15_000 + "</a:title>", 60)
    yield "external", "rdf", _rdf_xml("<!ENTITY x SYSTEM 'file:///etc/passwd'>", "<a:t>&x;</a:t>")
    yield "parameters", "rdf", _rdf_xml("<!ENTITY % x 'a'>%x;%x;", "<a:t>b</a:t>")


def _rdf_xml(entities: str, inner: str, count: int = 1) -> bytes:
    rows = "".join(
        f'<rdf:Description rdf:about="http://b.example/{number}">{inner}</rdf:Description>'
        for number in range(count)
    )
    return f"<!DOCTYPE a [{entities}]><rdf:RDF {_RDF}>{rows}</rdf:RDF>".encode()


def _classes(stories: bytes) -> Iterator[tuple[str, str, bytes]]:
    def name(number: int) -> str:
        return f"<http://b.example/c{number}>"

    for kind, predicate in (("types", _TYPE), ("classes", _SUBCLASS)):
        for shape, count in (("cycle", 2_000), ("chain", 50_000)):
            last = count if shape == "cycle" else count + 1
            rows = "".join(
                f"{name(number)} {predicate} {name((number + 1) % last)} .\n"
                for number in range(count)
            )
            yield f"{shape}_of_{kind}", "nt", stories + rows.encode()
    rows = "".join(f"<http://b.example/1> {_TYPE} {name(number)} .\n" for number in range(50_000))
    yield "many_types", "nt", stories + rows.encode()
    pairs = "".join(
        f"{name(number)} {_SUBCLASS} {name(superclass)} .\n"
        for number in range(250)
        for superclass in range(250)
    )
    members = "".join(
        f"<http://b.example/{number}> {_TYPE} {name(number % 250)} .\n" for number in range(2_000)
    )
    yield "classes_of_all_others", "nt", stories + pairs.encode() + members.encode()


def _literals(stories: bytes) -> Iterator[tuple[str, str, bytes]]:
    long_text = "a" * 20_000_000
    statement = '<http://b.example/1> <http://b.example/note> "{}"{} .\n'
    yield "long_text_nt", "nt", stories + statement.format(long_text, "").encode()
    yield "long_text_ttl", "ttl", stories + statement.format(long_text, "").encode()
    yield "long_text_rdf", "rdf", _rdf_xml("", f"<a:title>{long_text}</a:title>")
    document = {"@id": "http://b.example/1", "http://b.example/title": long_text}
    yield "long_text_jsonld", "jsonld", json.dumps(document).encode()
    yield "15_mb_texts", "nt", stories + statement.format("a b " * 3_700_000, "").encode() * 2
    for kind, text in (
        ("integer", "1" * 1_000_000),
        ("decimal", "1." + "1" * 1_000_000),
        ("double", "1e999999999"),
        ("date", "99999999999-01-01"),
    ):
        row = statement.format(text, f"^^<{_XSD}{kind}>")
        yield f"long_{kind}", "nt", stories + row.encode()
    yield "exponent", "nt", stories + statement.format("1e999999999", "").encode()
    same = "".join(
        f'<http://b.example/{number}> <http://b.example/title> "{_STORIES[0]}" .\n'
        for number in range(20_000)
    )
    yield "same_values", "nt", stories + same.encode()
    alike = "".join(
        f'<http://b.example/{number}> <http://b.example/title> "Story of the harbour {number}x" .\n'
        for number in range(10_000)
    )
    yield "similar_values", "nt", stories + alike.encode()


def _structures(stories: bytes) -> Iterator[tuple[str, str, bytes]]:
    yield "deep_turtle", "ttl", stories + b"<a:a> <a:b> " + b"[<a:b> " * 200_000
    yield "deep_collection", "ttl", stories + b"<a:a> <a:b> " + b"(" * 500_000
    yield "deep_jsonld", "jsonld", b'{"http://b.example/p":' * 100_000
    yield "deep_list_jsonld", "jsonld", b'{"http://b.example/p":' + b"[" * 1_000_000
    yield "deep_rdf", "rdf", _rdf_xml("", "<a:p><rdf:Description>" * 100_000)
    attributes = " ".join(f'a:p{number}="{number}"' for number in range(100_000))
    inner = f"<rdf:Description {attributes}/>"
    yield "attributes_rdf", "rdf", f"<rdf:RDF {_RDF}>{inner}</rdf:RDF>".encode()
    values = ",".join(map(str, range(1_000, 12_000_000 // 1_000)))
    small = f'{{"@id":"http://b.example/1","http://b.example/p":[{values}]}}\n'
    yield "small_values_jsonld", "jsonld", small.encode() * (75_000_000 // len(small))
    line = f'{{"@id":"http://b.example/1","http://b.example/p":[{"1," * 37_000_000}1]}}'
    yield "small_values_in_one_line", "jsonld", line.encode()
    yield "remote_context", "jsonld", b'{"@context":"http://127.0.0.1:1/c","a":"b"}'
    yield "binary", "nt", bytes(range(256)) * 10_000
    yield (
        "predicates",
        "nt",
        stories + _rows(20_000, '<http://b.example/1> <http://b.example/p{0}> "{0}" .\n'),
    )
    yield "long_iri", "nt", stories + f"<http://b.example/{'a' * 9_000_000}> <a:b> <a:c> .".encode()


def _packed(stories: bytes) -> Iterator[tuple[str, str, bytes]]:
    yield "bomb_of_spaces", "nt.gz", _bomb(stories, b" " * 1_000_000)
    yield "bomb_of_lines", "nt.gz", _bomb(stories, b"\n" * 1_000_000)
    yield "bomb_of_statements", "nt.gz", _bomb(stories, stories * 150)
    yield "bomb_of_text", "ttl.gz", _bomb(stories + b'<a:a> <a:b> "', b"a" * 1_000_000)
    yield "cut", "nt.gz", gzip.compress(stories)[:-20]
    yield "not_packed", "nt.gz", stories


def _bomb(start: bytes, part: bytes) -> bytes:
    """The start and a thousand times the part, compressed."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    packed = [packer.compress(start)]
    packed += [packer.compress(part) for _ in range(1_000)]
    return b"".join(packed) + packer.flush()


def _rows(count: int, row: str) -> bytes:
    return "".join(row.format(number) for number in range(count)).encode()


def align_files(hostile: HostileFile) -> dict[str, Any]:
    """What the alignment of stories with a hostile file took, as ``hostile.crawl`` gives it."""
    harmless = harmless_files()[0]
    module = "benchmarks.hostile.alignment"
    with TemporaryDirectory() as folder:
        for file in (harmless, hostile):
            Path(folder, file.name).write_bytes(file.content)
        try:
            process = subprocess.run(
                [sys.executable, "-m", module, harmless.name, hostile.name, folder],
                capture_output=True,
                text=True,
                timeout=MAX_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return _result(_usage(MAX_SECONDS), "hung")

    if process.returncode:
        lines = process.stderr.strip().splitlines()
        reason = lines[-1] if lines else f"status {process.returncode}"
        return _result(_usage(0), f"failed: {reason[:80]}")
    result: dict[str, Any] = json.loads(process.stdout)
    return result


def _usage(seconds: float) -> dict[str, Any]:
    """Of a command that has told none."""
    return {"seconds": float(seconds), "megabytes": 0.0, "probed": False}


def _result(took: dict[str, Any], outcome: str) -> dict[str, Any]:
    return {**took, "gap": 0.0, "outcome": outcome}


def main(harmless: str, hostile: str, folder: str) -> None:
    """Run the command, and print what it took."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    run = run_command_line(["forest", "align", harmless, hostile, "-L", "WARNING"], folder)
    outcome = "aligned"
    if run.status == 1:
        reason = _REASON.search(run.messages)
        outcome = reason[0].strip() if reason else f"not named: {run.messages[:80]}"
    print(json.dumps(_result(run.usage, outcome)))


if __name__ == "__main__":
    main(*sys.argv[1:])

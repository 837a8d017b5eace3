"""N-Triples, the format of RDF with a statement a line (RDF 1.1 N-Triples, W3C 2014)."""

from __future__ import annotations

import re

from forest_scrapy.core.graph.triples import Literal, Triple, is_blank

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
_ESCAPED = re.compile(r'[\\"\n\r]')
_NODE = rb"<[^<>\s]*>|_:[^\s<>\"]+"
_LINE = re.compile(
    rb'(?:%s)[ \t]*<[^<>\s]*>[ \t]*(?:%s|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^<>\s]*>)?)[ \t]*\.'
    % (_NODE, _NODE)
)


def write_line(triple: Triple) -> str:
    r"""The line of a statement; its IRIs must be legal.

    >>> write_line(Triple("urn:a", "urn:b", Literal('"Owls"\n', language="en")))
    '<urn:a> <urn:b> "\\"Owls\\"\\n"@en .\n'
    """
    subject = _write_node(triple.subject)
    value = _write_node(triple.object)
    return f"{subject} <{triple.predicate}> {value} .\n"


def _write_node(node: str | Literal) -> str:
    if isinstance(node, str):
        return node if is_blank(node) else f"<{node}>"
    escaped = _ESCAPED.sub(lambda match: _ESCAPES[match[0]], node.value)
    text = f'"{escaped}"'
    if node.language:
        return f"{text}@{node.language}"
    if node.datatype:
        return f"{text}^^<{node.datatype}>"
    return text


def is_whole(line: bytes) -> bool:
    """Whether a line is a whole statement, a comment or blank, not one that was cut.

    >>> is_whole(b'<urn:a> <urn:b> "c" .'), is_whole(b'<urn:a> <urn:b> "c .')
    (True, False)
    """
    line = line.strip()
    return not line or line.startswith(b"#") or _LINE.fullmatch(line) is not None

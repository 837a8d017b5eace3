"""The markup of the demo's texts, rendered as HTML and as plain text.

Blocks are separated by blank lines: ``## heading``, ``- item`` or ``1. item`` (two spaces of
indent for a nested list), ``> quote``, ``| cell | cell |`` (the first row is the table head),
``! caption`` for an image, code between two lines of three backticks.  Any other block is a
paragraph.  Inline markup: ``*emphasis*``, `` `code` `` and ``[label](href)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

_BLOCK = re.compile(r"^```\n.*?^```$|(?:^[^\n]+\n?)+", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"^ *(?:-|\d+\.) ")
_INLINE = (
    (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"),
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\[([^]]+)\]\(([^)]+)\)"), r'<a href="\2">\1</a>'),
)
_IMAGE = (
    '<div class="wp-caption alignnone"><img src="/static/picture.svg" alt="" width="480" />'
    '<p class="wp-caption-text">{}</p></div>'
)


@dataclass(frozen=True)
class Body:
    """The body of an article: its HTML, and its lines of text without captions."""

    html: str
    text: str


def render(source: str) -> Body:
    """Render a text in both forms.

    >>> render("Two *new* boats.")
    Body(html='<p>Two <em>new</em> boats.</p>', text='Two new boats.')
    >>> render("- a\\n  - b").html
    '<ul><li>a<ul><li>b</li></ul></li></ul>'
    """
    blocks = [block.strip("\n") for block in _BLOCK.findall(source)]
    lines = (line for block in blocks for line in _text_lines(block))
    return Body("\n".join(map(_html, blocks)), "\n".join(lines))


def plain(line: str) -> str:
    """Return the line without inline markup.

    >>> plain("see [the pool](/pool/) at *dusk*")
    'see the pool at dusk'
    """
    for pattern, _ in _INLINE:
        line = pattern.sub(r"\1", line)
    return line


def _inline(line: str) -> str:
    line = escape(line, quote=False)
    for pattern, replacement in _INLINE:
        line = pattern.sub(replacement, line)
    return line


def _html(block: str) -> str:
    lines = block.split("\n")
    if block.startswith("```"):
        code = escape("\n".join(lines[1:-1]), quote=False)
        return f"<pre><code>{code}</code></pre>"
    if block.startswith("|"):
        return _table(lines)
    if _ITEM.match(block):
        return _list(lines)
    if block.startswith("## "):
        return f"<h3>{_inline(block[3:])}</h3>"
    if block.startswith("> "):
        return f"<blockquote><p>{_inline(block[2:])}</p></blockquote>"
    if block.startswith("! "):
        return _IMAGE.format(_inline(block[2:]))
    return f"<p>{_inline(' '.join(lines))}</p>"


def _text_lines(block: str) -> Iterator[str]:
    """Yield a line for each paragraph, heading, list item, cell and line of code."""
    lines = block.split("\n")
    if block.startswith("```"):
        yield from lines[1:-1]
    elif block.startswith("|"):
        yield from (plain(cell) for line in lines for cell in _cells(line))
    elif _ITEM.match(block):
        yield from (plain(_ITEM.sub("", line)) for line in lines)
    elif not block.startswith("! "):
        yield plain(" ".join(lines).removeprefix("## ").removeprefix("> "))


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("| ").split("|")]


def _table(rows: list[str]) -> str:
    head, *rest = (
        "".join(f"<{tag}>{_inline(cell)}</{tag}>" for cell in _cells(row))
        for tag, row in zip(["th"] + ["td"] * len(rows), rows, strict=False)
    )
    body = "\n".join(f"<tr>{row}</tr>" for row in rest)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _list(lines: list[str]) -> str:
    tag = "ol" if lines[0][0].isdigit() else "ul"
    items: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith("  "):
            items[-1][1].append(line[2:])
        else:
            items.append((_inline(_ITEM.sub("", line)), []))
    inner = "".join(f"<li>{text}{_list(sub) if sub else ''}</li>" for text, sub in items)
    return f"<{tag}>{inner}</{tag}>"

"""Clean HTML whose texts, addresses and titles would be markup in Markdown, chosen by numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TypeVar

from forest_scrapy.core.page.markup import clean_markup

#: Pieces of texts.
TEXTS = (
    *("<script>", "</script>", "<b>", "<div>", "<pre>", "<!--", "-->", "<?", "<![CDATA[", "]]>"),
    *("&lt;", "&amp;", "&#106;", "&#0;", "&copy;", "&", "&#x6a;avascript:", "javascript:alert(1)"),
    *("[x]", "(javascript:y)", "[", "]", "(", ")", "![", "!", "[x]: javascript:y", "[a][b]"),
    *("[^1]", "[^1]: x", "^", "[ ] ", "[x] ", "[a]:", "<http://a.example/>", "<a@b.example>"),
    *(
        "`",
        "``",
        "```",
        "~~~",
        "~",
        "~~",
        "*",
        "**",
        "***",
        "_",
        "__",
        "a_b",
        "5 * 3",
        "\\",
        "\\\\",
    ),
    *("#", "## ", ">", "> ", "- ", "-", "---", "===", "=", "+ ", "1. ", "1) ", "12", ".", ":"),
    *("|", "| - |", "|---|---|", "http://a.example/", "https://a.example/_x_", "www.a.example/*y*"),
    *(
        "ftp://a.example/",
        "x@a.example",
        "xmpp:x@a.example",
        "data:text/html,x",
        '"',
        "'",
        "{",
        "}",
    ),
    *(" ", "  ", "\n", "    ", "\t", "\xa0", "\u2028", "\x0b", "\x1b", "\ufeff", "?", "$", "word"),
    *("a", "b", "é", "漢字", "。", "“", "€", "🙂", "\u202e", "\u200b", "://", "//a.example/", "&;"),
)
ADDRESSES = (
    *(
        "http://a.example/",
        "http://a.example/x_(y)",
        "http://a.example/?a=1&b=&c;2",
        "mailto:x@a.b",
    ),
    *("http://a.example/[z]", "http://a.example/`q`", "http://a.example/a b<c>", "http://[::1]/"),
    *(
        "http://a.example/*a*",
        "http://a.example/a\"b'c",
        "http://a.example/x|y",
        "http://a.example/é",
    ),
    *("http://a.example/a\\b)", "javascript:alert(1)", "http://a.example/\n# x", "data:,x"),
)
_INLINE = (*"a b i em strong del s code kbd span".split(), "a")
_BLOCKS = "p h1 h2 pre div ul ol blockquote table section figure".split()
_OF_LINES = ("p", "h1", "h2", "pre")
_DEEPEST = 4
T = TypeVar("T")


def build_html(numbers: Sequence[int]) -> str:
    """The HTML that some numbers choose; after the last one, the first choice is taken."""
    return clean_markup("".join(_blocks(iter(numbers), 0)))


def _choose(numbers: Iterator[int], choices: Sequence[T]) -> T:
    return choices[next(numbers, 0) % len(choices)]


def _blocks(numbers: Iterator[int], depth: int) -> Iterator[str]:
    for _ in range(_choose(numbers, (1, 2, 3))):
        kind = _choose(
            numbers, ("text", "block", "block", "rule") if depth < _DEEPEST else ("text",)
        )
        if kind == "text":
            yield from _line(numbers, 0)
        elif kind == "rule":
            yield "<hr>"
        else:
            tag = _choose(numbers, _BLOCKS)
            yield f"<{tag}>"
            if tag == "table":
                yield from _rows(numbers)
            elif tag in _OF_LINES:
                yield from _line(numbers, 0)
            elif tag in ("ul", "ol"):  # libxml2 ends a list before some blocks that are in no item
                for _ in range(_choose(numbers, (1, 2, 3))):
                    yield "".join(("<li>", *_blocks(numbers, depth + 1), "</li>"))
            else:
                yield from _blocks(numbers, depth + 1)
            yield f"</{tag}>"


def _rows(numbers: Iterator[int]) -> Iterator[str]:
    for _ in range(_choose(numbers, (1, 2, 3))):
        yield "<tr>"
        for _ in range(_choose(numbers, (1, 2, 3))):
            tag = _choose(numbers, ("td", "th"))
            yield "".join((f"<{tag}>", *_line(numbers, 0), f"</{tag}>"))
        yield "</tr>"


def _line(numbers: Iterator[int], depth: int) -> Iterator[str]:
    for _ in range(_choose(numbers, (1, 2, 3, 4))):
        kind = _choose(numbers, ("text", "text", "element", "break", "image"))
        if kind == "text" or depth > _DEEPEST:
            pieces = [_choose(numbers, TEXTS) for _ in range(_choose(numbers, (1, 2, 3)))]
            yield escape("".join(pieces))
        elif kind == "break":
            yield "<br>"
        elif kind == "image":
            yield f"<img{_attributes(numbers, 'src alt title')}>"
        else:
            tag = _choose(numbers, _INLINE)
            yield f"<{tag}{_attributes(numbers, 'href title' if tag == 'a' else '')}>"
            yield from _line(numbers, depth + 1)
            yield f"</{tag}>"


def _attributes(numbers: Iterator[int], names: str) -> str:
    kinds = {"src": ADDRESSES, "href": ADDRESSES}
    chosen = ((name, _choose(numbers, kinds.get(name, TEXTS))) for name in names.split())
    return "".join(f' {name}="{escape(value)}"' for name, value in chosen)

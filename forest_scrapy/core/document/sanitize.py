"""Safe HTML from a fragment or a text, and the text of HTML."""

from __future__ import annotations

from html import escape

from forest_scrapy.core.document.allowed_html import clean_markup
from forest_scrapy.core.document.content_walk import read_content
from forest_scrapy.core.document.text import block_text
from forest_scrapy.core.document.tree import parse_html

__all__ = ["clean_html", "html_text", "write_html"]


def clean_html(fragment: str, url: str = "") -> str:
    """The fragment without scripts, event handlers, styles, forms, frames and tracking pixels;
    all URLs are absolute, with ``url`` as their base.

    The text stays the same, line by line: unknown elements become ``div`` or ``span``.  nh3
    removes every element and attribute that is not on the list of allowed ones.

    >>> clean_html("<p onclick=x()>Boats <a href=/b>here</a><script>y()</script></p>", "http://a.b/")
    '<p>Boats <a href="http://a.b/b">here</a></p>'
    """
    if not fragment.strip():
        return ""
    root = parse_html(f"<div>{fragment}</div>")
    body = next(root.iterchildren("body"), root)
    holder = body[0] if len(body) == 1 and body[0].tag == "div" else body
    markup = read_content(holder, base=url).markup
    return clean_markup(markup.removeprefix("<div>").removesuffix("</div>"))


def html_text(fragment: str) -> str:
    """The text of a fragment, one line per block."""
    return block_text(parse_html(f"<div>{fragment}</div>")) if fragment else ""


def write_html(text: str) -> str:
    """A text as HTML, one paragraph per line.

    >>> write_html("Fish & chips\\nEvery day")
    '<p>Fish &amp; chips</p>\\n<p>Every day</p>'
    """
    return "\n".join(f"<p>{escape(line, quote=False)}</p>" for line in text.split("\n") if line)

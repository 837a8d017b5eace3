"""A second opinion on Markdown: rendered again, it is compared with the HTML that it is made of.

The renderers allow raw HTML, and have GitHub's extensions: tables, strikethrough, links for bare
addresses; cmark-gfm also has tasks and notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

import html5lib

#: What an element of the HTML may be in Markdown, besides itself.
_MEANT = {
    "b": {"strong"},
    "i": {"em"},
    "s": {"del"},
    "del": {"s"},
    "strong": {"b"},
    **{tag: {"code"} for tag in ("kbd", "samp", "tt", "pre")},
    "table": {"thead", "tbody", "th", "td"},
    **{tag: {"a", "img"} for tag in ("video", "audio")},
    "li": {"ul"},
}
_ATTRIBUTES = {("a", "href"), ("a", "title"), ("img", "src"), ("img", "alt"), ("img", "title")}
_ATTRIBUTES |= {("ol", "start")}
#: Schemes of addresses in texts that renderers link.  (cmark-gfm takes mail addresses for ones of
#: XMPP, however they are escaped.)
_SHOWN_ADDRESS = re.compile(r"[^ \n]*[.:@/][^ \n]*")
#: What the writer of formulas breaks by a space, which LaTeX does not show.
_BROKEN_MARKUP = re.compile(r"([<\]\[:@]|www) (?=\S)", re.I)
_LINKED = ("http", "https", "mailto", "xmpp", "")


@cache
def renderers() -> dict[str, Callable[[str], str]]:
    """The renderers by name."""
    import cmarkgfm
    from cmarkgfm.cmark import Options
    from markdown_it import MarkdownIt

    markdown_it = MarkdownIt("commonmark", {"html": True, "linkify": True})
    markdown_it.enable(["table", "strikethrough", "linkify"])
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES

    def render_cmark(text: str) -> str:
        extensions = ["table", "strikethrough", "autolink", "tasklist"]
        return str(cmarkgfm.markdown_to_html_with_extensions(text, options, extensions))

    return {"markdown-it-py": markdown_it.render, "cmark-gfm": render_cmark}


def find_differences(html: str, markdown: str) -> Iterator[str]:
    """How the Markdown of some clean HTML, rendered by each renderer, differs from it: in its
    visible text, or by elements, attributes and addresses that the HTML does not have.

    >>> list(find_differences("<p>&lt;b> x</p>", "<b> x"))[0]
    'markdown-it-py: element b'
    >>> list(find_differences("<p>&lt;b> x</p>", "&lt;b> x"))
    []
    """
    for name, render in renderers().items():
        yield from (f"{name}: {difference}" for difference in compare(html, render(markdown)))


def compare(html: str, rendered: str) -> Iterator[str]:
    """How the rendered HTML differs from the HTML that is meant."""
    meant = _parse(html)
    tree = _parse(rendered)
    tags = {str(meant_element.tag) for meant_element in meant.iter()} | {"p"}
    tags |= {alternative for tag in tags for alternative in _MEANT.get(tag, ())}
    addresses = set(_addresses(meant))
    for element in tree.iter():
        yield from _find_additions(element, tags, addresses)
    expected = visible_text(meant)
    text = visible_text(tree)
    if meant.find(".//span[@class]") is not None:  # a formula
        expected = _BROKEN_MARKUP.sub(r"\1", expected)
        text = _BROKEN_MARKUP.sub(r"\1", text)
    if unquote(expected) != unquote(text):  # markdown-it-py decodes the addresses that it links
        yield f"text {text!r} for {expected!r}"


def _find_additions(element: Any, tags: set[str], addresses: set[str]) -> Iterator[str]:
    if not isinstance(element.tag, str):
        yield "comment"
        return
    text = "".join(element.itertext())
    is_address = element.tag == "a" and _is_address(element.get("href", ""), text)
    if element.tag not in tags and not is_address:
        yield f"element {element.tag}"
    for name, value in element.attrib.items():
        if (element.tag, name) not in _ATTRIBUTES:
            yield f"attribute {name}"
        elif name in ("href", "src") and not is_address and _fold(value) not in addresses:
            yield f"address {value}"


def _is_address(url: str, text: str) -> bool:
    """Whether a link is one that renderers make of an address in a text."""
    try:
        return urlsplit(url).scheme in _LINKED and bool(_SHOWN_ADDRESS.fullmatch(text))
    except ValueError:
        return False


def _addresses(tree: Any) -> Iterator[str]:
    for element in tree.iter():
        for name in ("href", "src", "poster"):
            if name in element.attrib:
                yield _fold(element.get(name))


def _fold(url: str) -> str:
    """An address in the one of its forms that has no percent signs."""
    return re.sub(r"\s", "", unquote(url)).lower()


def _parse(html: str) -> Any:
    return html5lib.parse(html, treebuilder="etree", namespaceHTMLElements=False)


_NOT_SHOWN = ("head", "video", "audio")
_NO_WIDTH = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]")
_INLINE = frozenset(
    (
        "a abbr b bdi bdo big cite code data del dfn em i img input ins kbd mark q rp rt ruby s"
        " samp small span strong sub sup time tt u var wbr script style"
    ).split()
)


def _signs_around(element: Any) -> tuple[str, str]:
    """What Markdown has around the text of an element: the delimiters of a formula, quotation
    marks."""
    if element.tag == "q":
        return "“", "”"
    if element.tag == "span":
        return _DELIMITERS.get(element.get("class", ""), ("", ""))
    return "", ""


_DELIMITERS = {"math inline": ("$", "$"), "math display": (" $$ ", " $$ ")}


def visible_text(tree: Any) -> str:
    """The text of a tree, with a space at the ends of blocks and no other white space twice."""
    pieces: list[str] = []
    stack: list[Any] = [tree]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            pieces.append(piece)
        elif isinstance(piece.tag, str) and piece.tag not in _NOT_SHOWN:
            space = "" if piece.tag in _INLINE else " "
            before, after = _signs_around(piece)
            stack += [space, after]
            for child in reversed(piece):
                stack += [child.tail or "", child]
            stack += [piece.text or "", before, space]
    return " ".join(_NO_WIDTH.sub("", "".join(pieces)).split())

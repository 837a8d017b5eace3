"""An article's HTML made safe to show: what it says and how it is arranged, and nothing else."""

from __future__ import annotations

import re
from html import escape
from typing import Any
from urllib.parse import urljoin, urlsplit

import nh3
from lxml import etree, html

from forest_scrapy.core.document.text import block_text
from forest_scrapy.core.document.tree import is_block, parse_html

__all__ = ["absolute_url", "clean_html", "html_text", "image_url", "write_html"]

_BLOCKS = frozenset(
    (
        "p div section article main header footer aside h1 h2 h3 h4 h5 h6 ul ol li dl dt dd "
        "blockquote pre figure figcaption table caption thead tbody tfoot tr td th hr br address "
        "details summary video audio"
    ).split()
)
_INLINE = frozenset(
    (
        "a abbr b bdi bdo cite code data del dfn em i img ins kbd mark q rp rt ruby s samp small "
        "span strong sub sup time tt u var wbr big source"
    ).split()
)
_ATTRIBUTES = {
    "*": {"lang", "dir"},
    "a": {"href", "title"},
    "img": {"src", "alt", "title", "width", "height"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start", "reversed", "type"},
    "li": {"value"},
    "time": {"datetime"},
    "blockquote": {"cite"},
    "q": {"cite"},
    "abbr": {"title"},
    "video": {"src", "poster", "controls", "width", "height"},
    "audio": {"src", "controls"},
    "source": {"src", "type"},
}
_SCHEMES = frozenset(("http", "https", "mailto", "tel"))
#: What goes with all that is in it: code, drawings, forms' fields, other documents.
_GONE = frozenset(
    (
        "script style noscript template iframe frame frameset object embed applet svg math canvas "
        "select textarea datalist input map area param link meta base head title track"
    ).split()
)
#: Where pages put an image's address until it is looked at.
_LAZY = ("data-src", "data-lazy-src", "data-original", "data-lazy", "data-url", "data-orig-file")
#: Smaller pictures count readers (width or height in pixels).
_SMALLEST = 2
_CONTROLS = re.compile(r"[\x00-\x20\x7f-\x9f]+")
#: The parts of a table, and where each may stand.
_TABLE_PARENTS = {
    "caption": ("table",),
    "thead": ("table",),
    "tbody": ("table",),
    "tfoot": ("table",),
    "tr": ("table", "thead", "tbody", "tfoot"),
    "td": ("tr",),
    "th": ("tr",),
}


def clean_html(fragment: str, url: str = "") -> str:
    """The fragment without scripts, handlers, styles, forms, frames and pictures that count
    readers; every address is absolute, with ``url`` as its base.

    The text is the same as before, line by line: unknown elements become ``div`` or ``span``.
    What is left is on a list of elements and attributes, and nh3 sees to that.

    >>> clean_html("<p onclick=x()>Boats <a href=/b>here</a><script>y()</script></p>", "http://a.b/")
    '<p>Boats <a href="http://a.b/b">here</a></p>'
    """
    if not fragment.strip():
        return ""
    root = parse_html(f"<div>{fragment}</div>")
    body = next(root.iterchildren("body"), root)
    _clean_tree(body, url)
    holder = body[0] if len(body) == 1 and body[0].tag == "div" else body
    holder.tag = "div"
    inner = html.tostring(holder, encoding="unicode", with_tail=False)
    inner = inner.removeprefix("<div>").removesuffix("</div>")
    return nh3.clean(
        inner.strip(),
        tags=set(_BLOCKS | _INLINE),
        attributes=_ATTRIBUTES,
        url_schemes=set(_SCHEMES),
        link_rel=None,
        clean_content_tags={"script", "style"},
    ).strip()


def html_text(fragment: str) -> str:
    """The text of a fragment, as articles have it."""
    return block_text(parse_html(f"<div>{fragment}</div>")) if fragment else ""


def write_html(text: str) -> str:
    """A text as HTML, one paragraph a line.

    >>> write_html("Fish & chips\\nEvery day")
    '<p>Fish &amp; chips</p>\\n<p>Every day</p>'
    """
    return "\n".join(f"<p>{escape(line, quote=False)}</p>" for line in text.split("\n") if line)


def absolute_url(url: str, base: str) -> str:
    """The address joined to its base, ``""`` for one that is no http(s), mail or phone.

    >>> absolute_url("../b#c", "http://a.example/x/y"), absolute_url("java\\tscript:x", "")
    ('http://a.example/b#c', '')
    """
    try:
        joined = urljoin(base, _CONTROLS.sub("", url) if ":" in url[:20] else url.strip())
        scheme = urlsplit(joined).scheme
    except ValueError:
        return ""
    return joined if scheme in _SCHEMES else ""


def image_url(image: Any, base: str) -> str:
    """The address of an ``img``, also of one that is loaded late; ``""`` for none, and for a
    picture that counts readers."""
    if any(_is_tiny(image.get(side)) for side in ("width", "height")):
        return ""
    sets = (image.get("data-srcset") or "", image.get("srcset") or "")
    given = [
        *(image.get(name) or "" for name in _LAZY),
        image.get("src") or "",
        *(one.split()[0] for text in sets for one in text.split(", ")[-1:] if one.split()),
    ]
    found = (absolute_url(one, base) for one in given if one.strip())
    return next((one for one in found if one.startswith("http")), "")


def _is_tiny(size: str | None) -> bool:
    return size is not None and size.strip().isdecimal() and int(size[:9]) <= _SMALLEST


def _clean_tree(body: Any, url: str) -> None:
    """Make the tree one of elements that may stay, with addresses that may."""
    for element in list(body.iter()):
        if element is body:
            continue
        if not isinstance(element.tag, str):
            _remove(element, "")
        elif element.tag in _GONE:
            _remove(element, "br" if is_block(element) else "")
        elif element.tag == "img" and not (address := image_url(element, url)):
            _remove(element, "")
        elif element.tag == "img":
            element.set("src", address)
        elif element.tag not in _BLOCKS | _INLINE:
            element.tag = "div" if is_block(element) else "span"
        if isinstance(element.tag, str):
            _mend_addresses(element, url)
    for media in list(body.iter("video", "audio")):
        _keep_sources(media)
    _mend_tables(body)


def _remove(element: Any, mark: str) -> None:
    """Take an element out; what follows it stays, on a line of its own if there is a mark."""
    parent = element.getparent()
    if parent is None:
        return
    if mark:
        element.tail = element.tail or " "  # what stood apart stays apart
    if mark and element.tail.strip():
        line_end = etree.Element(mark)
        line_end.tail, element.tail = element.tail, None
        parent.replace(element, line_end)
    else:
        tail, before = element.tail, element.getprevious()
        element.tail = None
        if tail and before is not None:
            before.tail = (before.tail or "") + tail
        elif tail:
            parent.text = (parent.text or "") + tail
        parent.remove(element)


def _mend_addresses(element: Any, url: str) -> None:
    for name in ("href", "src", "cite", "poster"):
        if (given := element.get(name)) is not None and element.tag != "img":
            if address := absolute_url(given, url):
                element.set(name, address)
            else:
                del element.attrib[name]


def _keep_sources(media: Any) -> None:
    """A film or a recording with its addresses; what browsers without it would show goes."""
    media.text = None
    media.set("controls", "")
    for inner in list(media):
        inner.tail = None
        if inner.tag != "source":
            media.remove(inner)


def _mend_tables(body: Any) -> None:
    """Tables with something between their cells become plain blocks: a browser would show that
    before the table."""
    for table in reversed(list(body.iter("table"))):
        parts = [e for e in table.iterdescendants() if e.tag in _TABLE_PARENTS]
        if not all(map(_is_sound, (table, *parts))):
            for part in (table, *parts):
                part.tag = "div"
    for part in list(body.iter(*_TABLE_PARENTS)):
        if part.getparent().tag not in _TABLE_PARENTS[part.tag]:
            part.tag = "div"


def _is_sound(part: Any) -> bool:
    """Whether only what may stand in this part of a table stands in it."""
    if part.tag in ("td", "th", "caption", "div"):
        return True
    texts = (part.text, *(child.tail for child in part))
    tags = (child.tag for child in part)
    return not any((text or "").strip() for text in texts) and all(
        part.tag in _TABLE_PARENTS.get(tag, ()) for tag in tags
    )

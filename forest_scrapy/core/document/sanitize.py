"""HTML that is safe to show: an article's text, structure, links and media, and nothing else."""

from __future__ import annotations

import re
from html import escape
from urllib.parse import urljoin, urlsplit

import nh3
from lxml import html

from forest_scrapy.core.document.text import block_text
from forest_scrapy.core.document.tree import Element, is_block, parse_html

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
#: Elements removed with all their content: code, drawings, form fields, other documents.
_REMOVED = frozenset(
    (
        "script style noscript template iframe frame frameset object embed applet svg math canvas "
        "select textarea datalist input map area param link meta base head title track"
    ).split()
)
#: Attributes for the URL of an image that is loaded late.
_LAZY = ("data-src", "data-lazy-src", "data-original", "data-lazy", "data-url", "data-orig-file")
#: Images with a width or height up to this (pixels) are tracking pixels.
_TRACKING_PIXEL = 2
_CONTROLS = re.compile(r"[\x00-\x20\x7f-\x9f]+")
#: The parts of a table, each with its possible parents.
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
    """The text of a fragment, one line per block."""
    return block_text(parse_html(f"<div>{fragment}</div>")) if fragment else ""


def write_html(text: str) -> str:
    """A text as HTML, one paragraph per line.

    >>> write_html("Fish & chips\\nEvery day")
    '<p>Fish &amp; chips</p>\\n<p>Every day</p>'
    """
    return "\n".join(f"<p>{escape(line, quote=False)}</p>" for line in text.split("\n") if line)


def absolute_url(url: str, base: str) -> str:
    """The URL joined to its base; ``""`` if its scheme is not http, https, mailto or tel.

    >>> absolute_url("../b#c", "http://a.example/x/y"), absolute_url("java\\tscript:x", "")
    ('http://a.example/b#c', '')
    """
    try:
        joined = urljoin(base, _CONTROLS.sub("", url) if ":" in url[:20] else url.strip())
        scheme = urlsplit(joined).scheme
    except ValueError:
        return ""
    return joined if scheme in _SCHEMES else ""


def image_url(image: Element, base: str) -> str:
    """The absolute URL of an ``img``, also of one that is loaded late; ``""`` if there is none,
    and for a tracking pixel."""
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
    return size is not None and size.strip().isdecimal() and int(size[:9]) <= _TRACKING_PIXEL


def _clean_tree(body: Element, url: str) -> None:
    """Remove or rename the elements that are not allowed, and make the URLs absolute."""
    for element in list(body.iter()):
        if element is body:
            continue
        if not isinstance(element.tag, str):
            element.drop_tree()
        elif element.tag in _REMOVED:
            _remove(element)
        elif element.tag == "img" and not (address := image_url(element, url)):
            element.drop_tree()
        elif element.tag == "img":
            element.set("src", address)
        elif element.tag not in _BLOCKS | _INLINE:
            element.tag = "div" if is_block(element) else "span"
        if isinstance(element.tag, str):
            _resolve_urls(element, url)
    for media in list(body.iter("video", "audio")):
        _keep_sources(media)
    _repair_tables(body)


def _remove(element: Element) -> None:
    """Remove the element; the text after a block stays apart from the text before it."""
    if is_block(element):
        element.tail = element.tail or " "
        if element.tail.strip():
            element.addprevious(html.Element("br"))
    element.drop_tree()


def _resolve_urls(element: Element, base: str) -> None:
    for name in ("href", "src", "cite", "poster"):
        if (given := element.get(name)) is not None and element.tag != "img":
            if url := absolute_url(given, base):
                element.set(name, url)
            else:
                del element.attrib[name]


def _keep_sources(media: Element) -> None:
    """Reduce a ``video`` or ``audio`` to its sources, without the content for browsers that do
    not support it."""
    media.text = None
    media.set("controls", "")
    for inner in list(media):
        inner.tail = None
        if inner.tag != "source":
            media.remove(inner)


def _repair_tables(body: Element) -> None:
    """Turn tables with text or other elements between their cells into ``div`` elements: a
    browser would show that content before the table."""
    for table in reversed(list(body.iter("table"))):
        parts = [e for e in table.iterdescendants() if e.tag in _TABLE_PARENTS]
        if not all(map(_is_valid, (table, *parts))):
            for part in (table, *parts):
                part.tag = "div"
    for part in list(body.iter(*_TABLE_PARENTS)):
        parent = part.getparent()
        if parent is not None and parent.tag not in _TABLE_PARENTS[str(part.tag)]:
            part.tag = "div"


def _is_valid(part: Element) -> bool:
    """Whether this part of a table contains only parts that are allowed in it."""
    if part.tag in ("td", "th", "caption", "div"):
        return True
    texts = (part.text, *(child.tail for child in part))
    allowed = (part.tag in _TABLE_PARENTS.get(str(child.tag), ()) for child in part)
    return not any((text or "").strip() for text in texts) and all(allowed)

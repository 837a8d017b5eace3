"""A fetched page as HTML that neither runs nor fetches anything.

Three things keep the content of a page from running: it is written from a list of allowed tags
and attributes, without scripts and URLs; a Content-Security-Policy forbids what is not on the
list; and the report shows it in a frame whose sandbox does not allow scripts.
"""

import re
from collections.abc import Iterator, Mapping
from html import escape

from forest_scrapy.core.page.tree import IGNORED, Element, is_block

#: No request of any kind.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

#: Other elements become ``div`` or ``span``: their text is shown.
_TAGS = frozenset(
    (
        "a abbr address article aside b bdi bdo big blockquote br caption center cite code col "
        "colgroup dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 "
        "header hgroup hr i img ins kbd li main mark menu nav ol p pre q rp rt ruby s samp section "
        "small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul "
        "var wbr"
    ).split()
)
_VOID = frozenset(("br", "col", "hr", "img", "wbr"))
#: Elements that are left out with all that they contain.
_REMOVED = IGNORED | set("input link meta base title keygen frame param source".split())
_ATTRIBUTES = frozenset(
    (
        "class id itemprop role lang dir title alt colspan rowspan span width height align valign "
        "datetime start open reversed hidden bgcolor color size border cellpadding cellspacing"
    ).split()
)
#: What loads something in a style sheet.
_LOADS = re.compile(
    r"@import[^;]*;?|(?:url|src|image-set|image|cross-fade|element|paint)\s*\([^)]*\)?|expression"
    r"|behavior|-moz-binding",
    re.IGNORECASE,
)
_OUR_STYLE = """
html, body { display: block !important; visibility: visible !important; opacity: 1 !important;
  overflow: auto !important; height: auto !important; position: static !important }
img { min-width: 1em; min-height: 1em; max-height: 6em !important; border: 1px dotted #999 }
[data-forest=kept] { outline: 3px solid #1a7f37 !important; outline-offset: -1px;
  background-color: #dafbe1 !important }
[data-forest=dropped] { outline: 3px dashed #b35900 !important; outline-offset: -1px;
  background-color: #ffe2c2 !important }
[data-field] { box-shadow: inset 0 0 0 2px #0550ae !important }
[data-differs] { outline: 4px solid #8250df !important; outline-offset: -2px }
[data-selected] { outline: 4px double #8250df !important }
"""


def write_safe_page(root: Element, marks: Mapping[Element, Mapping[str, str]]) -> str:
    """The page as a document of its own.

    ``marks``: attributes to add, by element; their names start with ``data-``.  The tree is not
    changed.  Cost: one walk.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> page = parse_html("<p onclick=x()><a href=/b>b</a><script>x()</script>")
    >>> write_safe_page(page, {page[0][0]: {"data-x": "1"}}).partition("<body>")[2]
    '<p data-x="1"><a>b</a></p></body></html>'
    """
    head = (
        "<!DOCTYPE html><html><head><meta charset='utf-8'>"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"{''.join(_style_sheets(root))}<style>{_OUR_STYLE}</style></head>"
    )
    body = "".join(_write_tree(root, marks))
    return f"{head}{body}</html>" if "<body" in body[:5] else f"{head}<body>{body}</body></html>"


def _style_sheets(root: Element) -> Iterator[str]:
    """The style sheets that are part of the page."""
    for style in root.iter("style"):
        text = _clean_style(style.text or "")
        if text:
            yield f"<style>{text}</style>"


def _clean_style(text: str) -> str:
    """The rules without what loads something; ``""`` if they have markup.

    >>> _clean_style("p { color: red; background: url(x.png) }"), _clean_style("</style><p>")
    ('p { color: red; background: none }', '')
    """
    if "<" in text:
        return ""
    return _LOADS.sub("none", text.replace("\\", ""))


def _write_tree(root: Element, marks: Mapping[Element, Mapping[str, str]]) -> Iterator[str]:
    stack = [(root, iter(root), "")]
    while stack:
        element, children, end = stack[-1]
        for child in children:
            if not isinstance(child.tag, str) or child.tag in _REMOVED:
                yield escape(child.tail or "", quote=False)
                continue
            tag = _written_tag(child)
            yield f"<{tag}{_write_attributes(child, marks.get(child, {}))}>"
            if tag in _VOID:
                yield escape(child.tail or "", quote=False)
                continue
            yield escape(child.text or "", quote=False)
            stack.append((child, iter(child), f"</{tag}>"))
            break
        else:
            stack.pop()
            yield end
            if stack:
                yield escape(element.tail or "", quote=False)


def _written_tag(element: Element) -> str:
    if element.tag == "body":
        above = element.getparent()
        if above is not None and above.getparent() is None:
            return "body"
        return "div"
    if element.tag in _TAGS:
        return str(element.tag)
    return "div" if is_block(element) else "span"


def _write_attributes(element: Element, marks: Mapping[str, str]) -> str:
    written = []
    for name, value in element.items():
        if name in _ATTRIBUTES:
            written.append(f' {name}="{escape(value)}"')
    style = _clean_style(element.get("style") or "")
    if style:
        written.append(f' style="{escape(style)}"')
    written += [f' {name}="{escape(value)}"' for name, value in marks.items()]
    return "".join(written)

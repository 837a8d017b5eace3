"""A second opinion on sanitized HTML: parsed by html5lib, as a browser does."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import html5lib

from forest_scrapy.core.page.markup import BLOCKS, INLINE

_ALLOWED = BLOCKS | INLINE | {"html", "head", "body", "colgroup", "col"}
_URLS = frozenset(("href", "src", "cite", "poster", "action", "formaction", "data", "background"))


def dangers(html: str) -> Iterator[str]:
    """What is in the HTML that could be executed, or that is not allowed in an article.

    >>> list(dangers("<p onclick=x()><a href='javascript:y()'>a</a><script>z()</script>"))
    ['attribute onclick', 'URL javascript:y()', 'element script']
    >>> list(dangers("<p>Boats and <a href='https://a.example/'>nets</a></p>"))
    []
    """
    tree = html5lib.parse(html, treebuilder="etree", namespaceHTMLElements=False)
    for element in tree.iter():
        if not isinstance(element.tag, str):
            yield "comment"
            continue
        if element.tag not in _ALLOWED:
            yield f"element {element.tag}"
        for name, value in element.attrib.items():
            if name.startswith(("on", "style", "srcdoc", "xlink", "{")) or name == "srcset":
                yield f"attribute {name}"
            elif name in _URLS and not _is_safe(value):
                yield f"URL {value}"


def _is_safe(url: str) -> bool:
    try:
        return urlsplit(url.strip()).scheme in ("http", "https", "mailto", "tel")
    except ValueError:
        return False

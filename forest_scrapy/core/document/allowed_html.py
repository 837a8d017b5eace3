"""The HTML that an article may have: elements, attributes and URL schemes."""

from __future__ import annotations

from functools import cache

import nh3

from forest_scrapy.core.document.urls import SCHEMES

__all__ = ["ATTRIBUTES", "BLOCKS", "INLINE", "REMOVED", "clean_markup"]

BLOCKS = frozenset(
    (
        "p div section article main header footer aside h1 h2 h3 h4 h5 h6 ul ol li dl dt dd "
        "blockquote pre figure figcaption table caption thead tbody tfoot tr td th hr br address "
        "details summary video audio"
    ).split()
)
INLINE = frozenset(
    (
        "a abbr b bdi bdo cite code data del dfn em i img ins kbd mark q rp rt ruby s samp small "
        "span strong sub sup time tt u var wbr big source"
    ).split()
)
ATTRIBUTES = {
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
#: Elements removed with all their content: code, drawings, form fields, other documents.
REMOVED = frozenset(
    (
        "script style noscript template iframe frame frameset object embed applet svg math canvas "
        "select textarea datalist input map area param link meta base head title track"
    ).split()
)


def clean_markup(markup: str) -> str:
    """The markup with nothing but allowed elements, attributes and URLs: safe to show.

    >>> clean_markup("<p onclick=x()>Boats<script>y()</script></p>")
    '<p>Boats</p>'
    """
    return _cleaner().clean(markup).strip()


@cache
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(BLOCKS | INLINE),
        attributes=ATTRIBUTES,
        url_schemes=set(SCHEMES),
        link_rel=None,
        clean_content_tags={"script", "style"},
    )

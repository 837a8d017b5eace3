"""Elements that readers do not see, or that no article has: hidden elements, dialogs, cookie
notices, and forms to log in.

They are left out of outlines and of contents, so that no method sees their text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container

from lxml import etree

from forest_scrapy.core.document.tree import Element, outermost_elements

__all__ = ["find_hidden"]

#: Elements looked at for each reason: libxml2 takes seconds to sort many that are in each other.
_MOST = 1000
_MARKS = (
    ".//@hidden",
    ".//@aria-hidden[. = 'true']",
    ".//@role[contains(., 'dialog')]",
    ".//@style[contains(., 'none') or contains(., 'hidden')]",
    ".//@class[contains(., 'ookie') or contains(., 'onsent')]",
    ".//@id[contains(., 'ookie') or contains(., 'onsent')]",
)
_MARKED = etree.XPath(
    " | ".join(f"({mark})[position() <= {_MOST}]/.." for mark in _MARKS)
    + f" | (.//input[@type = 'password'])[position() <= {_MOST}]/ancestor::form[1]"
)
_NOT_SHOWN = re.compile(r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
#: Classes and ids of notices; "cookie" alone may be what an article is about.
_NOTICE = re.compile(
    r"(?:cookie|consent)s?[-_]?(?:alert|banner|bar|consent|dialog|disclaimer|info|law|message|modal|"
    r"notice|notification|overlay|policy|popup|preferences|settings|wall|warning)",
    re.IGNORECASE,
)
#: What an article has, and no notice.
_OF_ARTICLES = ("h1", "article", "main")
#: Text nodes that are sentences rather than labels, as far as that can be told cheaply.
_SENTENCES = etree.XPath(
    ".//text()[string-length(.) > 40][not(parent::script or parent::style or parent::noscript)]"
)
#: The share of the sentences' characters from which hidden elements with the same tag and class
#: have the article itself, which a script shows later.  Not tuned.
_ARTICLE_SHARE = 0.4


def find_hidden(root: Element) -> frozenset[Element]:
    """The outermost elements below ``root`` that are hidden by an attribute or an inline style, are
    a dialog, a cookie notice by their class or id, or a form with a password.

    Hidden elements with a large part of the page's sentences are not among them: some sites hide an
    article until a script shows it.  Of each kind the first 1,000 are found.  The result may have
    elements outside of ``root``.  Cost: one search by libxml2; some more, of the whole page, if
    such elements have sentences.

    >>> from forest_scrapy.core.document.tree import parse_html
    >>> hidden = find_hidden(parse_html("<p>Owls</p><p hidden>Menu</p><i style='display: none'>"))
    >>> [element.tag for element in hidden if element.text]
    ['p']
    """
    if not isinstance(root.tag, str):  # a comment
        return frozenset()
    marked = _find_marked(root)
    if any(map(_SENTENCES, outermost_elements(marked))):
        marked = _without_article(root.getroottree().getroot())
    return frozenset(outermost_elements(marked))


def _find_marked(root: Element) -> list[Element]:
    return [element for element in _MARKED(root) if _is_left_out(element)]


def _without_article(root: Element) -> list[Element]:
    """The elements that are left out of a page, without those that have its article: hidden ones
    with the same tag and class that together have many sentences.  Repeated ones count once."""
    marked, total = _find_marked(root), 0
    inside = dict.fromkeys(marked, 0)
    nearest: dict[Element, Element | None] = {}
    above = {one: _nearest_of(one.getparent(), inside, nearest) for one in marked}
    for sentence in dict.fromkeys(_SENTENCES(root)):
        total += len(sentence)
        parent = sentence.getparent().getparent() if sentence.is_tail else sentence.getparent()
        if (around := _nearest_of(parent, inside, nearest)) is not None:
            inside[around] += len(sentence)
    by_type: Counter[tuple[str, str]] = Counter()
    for one in reversed(marked):  # inner elements before those around them
        outer = above[one]
        if outer is not None:
            inside[outer] += inside[one]
        if outer is None or _type_of(outer) != _type_of(one):
            by_type[_type_of(one)] += inside[one]
    articles = {type_ for type_, own in by_type.items() if own >= _ARTICLE_SHARE * total}
    return [one for one in marked if _type_of(one) not in articles or _is_notice(one)]


def _nearest_of(
    element: Element | None, marked: Container[Element], known: dict[Element, Element | None]
) -> Element | None:
    """The element or the innermost one around it that is marked; None if there is none.
    ``known``: what was found before, which grows."""
    path: list[Element] = []
    while element is not None and element not in marked and element not in known:
        path.append(element)
        element = element.getparent()
    found = known.get(element, element) if element is not None else None
    known.update(dict.fromkeys(path, found))
    return found


def _is_left_out(element: Element) -> bool:
    """Whether the element is hidden, unless it is the article, a notice or a form to log in."""
    return (
        element.get("hidden", "until-found") != "until-found"
        or element.get("aria-hidden") == "true"
        or element.tag == "form"
        or _NOT_SHOWN.search(element.get("style") or "") is not None
        or _is_notice(element)
    )


def _is_notice(element: Element) -> bool:
    """Whether the element is a dialog or a cookie notice, and has no article."""
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    is_named = element.tag not in ("html", "body") and _NOTICE.search(names) is not None
    is_notice = is_named or (element.get("role") or "").endswith("dialog")
    return is_notice and next(element.iter(*_OF_ARTICLES), None) is None


def _type_of(element: Element) -> tuple[str, str]:
    return str(element.tag), element.get("class") or ""

"""Parts of a page whose names and dates are not those of the article: comments and menus."""

from __future__ import annotations

import re

from forest_scrapy.core.document.tree import Element

__all__ = ["AsideFinder"]

_MENU = re.compile(r"(?<![a-z])menu(?![a-z])", re.IGNORECASE)


class AsideFinder:
    """Tells whether elements of a page are in readers' comments, by class names, or in menus;
    those of ``html`` and ``body`` do not count, because they may just say that the page has
    comments.  What was found for an element is kept for those below it."""

    def __init__(self) -> None:
        self._known: dict[Element, bool] = {}

    def __call__(self, element: Element) -> bool:
        known, path = self._known, list[Element]()
        above: Element | None = element
        while above is not None and above not in known and above.tag not in ("body", "html"):
            path.append(above)
            above = above.getparent()
        is_inside = above is not None and known.get(above, False)
        for one in reversed(path):
            is_inside = known[one] = is_inside or _is_aside(one)
        return is_inside


def _is_aside(element: Element) -> bool:
    marks = element.get("class") or ""
    if "comment" in marks:
        return True
    is_menu = element.tag == "nav" or _MENU.search(marks) is not None
    return is_menu and next(element.iter("h1", "article"), None) is None  # one around the article

"""Pages whose text is not in their HTML: a script would load it."""

from __future__ import annotations

from forest_scrapy.core.document.page import Page
from forest_scrapy.core.document.tree import Element

__all__ = ["is_shell", "visible_characters"]

#: Characters of text, and of text in links, below which a page is a shell: a notice that scripts
#: are needed, and a menu.  Of 1,198 recorded articles (postlight, wcxb-dev-articles, fundus), one
#: is; of 112 recorded forum pages, 19 are.
_TEXT, _LINKS = 200, 500


def visible_characters(page: Page) -> tuple[int, int]:
    """The numbers of characters of visible text outside links and in links."""
    in_link = page.outline.inside(("a",))
    counts = [0, 0]
    for leaf in page.outline.leaves:
        counts[in_link[leaf.node]] += len(leaf.text.strip())
    return counts[0], counts[1]


def is_shell(page: Page) -> bool:
    """Whether the page has scripts, and next to no text.

    >>> is_shell(Page.from_html("<div id=app></div><script src=/app.js></script>"))
    True
    >>> is_shell(Page.from_html("<div>Nothing here</div>"))
    False
    """
    text, links = visible_characters(page)
    return text < _TEXT and links < _LINKS and any(map(_is_program, page.root.iter("script")))


def _is_program(script: Element) -> bool:
    kind = (script.get("type") or "").lower()
    return "json" not in kind and bool(script.get("src") or (script.text or "").strip())

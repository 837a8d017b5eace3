"""Links and buttons of headings that are no part of their text: permalinks, "edit", anchors."""

import re
from collections.abc import Sequence
from itertools import islice

from lxml import etree

from forest_scrapy.core.page.tree import HEADINGS, Element, find_by_classes

_NAMED = re.compile(
    r"(?:^|[\s_-])(?:header-?link|heading-?link|headerlink|permalink|perma-link|hash-?link|anchor|"
    r"anchorjs-link|header-?anchor|heading-?anchor|anchor-?link|anchor-?heading|section-?link|"
    r"self-?link|direct-?link|headline-anchor|zola-anchor|subheading-anchor|doc-anchor)(?=[\s_-]|$)",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[\s\xa0\u200b\ue000-\uf8ff#¶§∞⚓🔗⛓🖇️\ufe0f¤*»«→↗\[\]()✱⌗¬]*")
_LABEL = re.compile(
    r"[\s#¶]*(?:(?:direct |perma(?:nent )?|copy |hash)?link(?: to (?:this|the)? ?[\w ]{0,30})?|"
    r"permalink(?: (?:to|for) .{0,80})?|direct link to .{0,120}|section titled .{0,120}|"
    r"navigate to (?:this )?(?:header|heading|section).{0,80}|"
    r"anchor(?: link)?(?: (?:to|for) .{0,80})?|heading anchor|section link|"
    r"link to (?:this )?(?:heading|section|headline).{0,80}|share link)[\s#¶]*",
    re.IGNORECASE,
)
#: Characters of the longest label.
MAX_LENGTH = 160
#: Elements from a link up to its heading, at most.
MAX_LEVELS = 8
_LINKS = etree.XPath(".//a[contains(@href, '#')]")
_MARKED = {
    "headerlink|anchor|hash-link|permalink": (
        ".//a[contains(@class, 'headerlink') or contains(@class, 'anchor')"
        " or contains(@class, 'hash-link') or contains(@class, 'permalink')]"
    ),
    "mw-editsection": ".//span[contains(@class, 'mw-editsection')]",
    "heading": ".//div[contains(@class, 'heading')]/a[contains(@href, '#')]",
}


def find_permalinks(
    root: Element,
    own_url: str = "",
    classes: str | None = None,
    links: Sequence[Element] | None = None,
) -> dict[Element, bool]:
    """Links of a page that lead to the heading, or another element, that they are in: True for
    those that only show a sign or a label, False for those with the heading's own text.

    ``classes``: those of the page's elements, as far as they may be of use; None: not known.
    ``links``: those with a fragment; None: not known.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> page = parse_html("<h2><a href=#owls>Owls</a> <a class=headerlink href=#owls>¶</a></h2>")
    >>> list(find_permalinks(page).values())
    [False, True]
    """
    permalinks: dict[Element, bool] = {}
    if links is None:
        links = _LINKS(root)
    marked = [link for link in links if _is_in_heading(link)]
    marked += find_by_classes(_MARKED, root, classes)
    for element in dict.fromkeys(marked):
        if element.tag == "span":
            permalinks[element] = True
            continue
        href = element.get("href") or ""
        url, hash_sign, _ = href.strip().partition("#")
        is_own = bool(hash_sign) and (not url or url == own_url)
        names = element.get("class") or ""
        is_named = _NAMED.search(names) is not None
        text = _text_of(element)
        is_sign = len(text) <= MAX_LENGTH and (
            _SIGN.fullmatch(text) is not None or _LABEL.fullmatch(text) is not None
        )
        if not is_own and not (is_named and hash_sign):
            continue
        if is_sign and next(element.iter("img"), None) is None:
            permalinks[element] = True
        elif _is_in_heading(element):
            permalinks[element] = False
    return permalinks


def _text_of(element: Element) -> str:
    text = ""
    for piece in element.itertext():
        text += piece
        if len(text) > MAX_LENGTH:
            break
    return text


def _is_in_heading(element: Element) -> bool:
    ancestors = islice(element.iterancestors(), MAX_LEVELS)
    return any(ancestor.tag in HEADINGS for ancestor in ancestors)

"""Galleries behind the text of an article: lists of nothing but pictures and their captions."""

import re
from collections.abc import Sequence
from itertools import islice

from lxml import etree

from forest_scrapy.core.page.pictures import find_images, is_decoration
from forest_scrapy.core.page.tree import Element, class_and_id

#: Pictures of the smallest gallery, and elements of the largest.
MIN_PICTURES = 3
MAX_ELEMENTS = 2000
#: Elements behind the text that are looked at.
MAX_SIBLINGS = 10
#: Characters of names that are read.
MAX_NAMES_LENGTH = 200
_GALLERY = re.compile(
    r"galler|photo|picture|slide|carousel|images|fotos?(?![a-z])|bilder|lightbox|album",
    re.IGNORECASE,
)
#: Lists of pictures that are no part of an article.
_OTHERS = re.compile(
    r"(?<![a-z])(?:relat|similar|recommend|more|also|popular|latest|sponsor|partner|logos?(?![a-z])"
    r"|social|share|sharing|pay|brands?(?![a-z])|instagram|ads?(?![a-z])|advert|authors?(?![a-z])"
    r"|members?(?![a-z])|badges?(?![a-z])|nav|menu)",
    re.IGNORECASE,
)
_IMAGE_URL = re.compile(r"\.(?:jpe?g|png|gif|webp|avif)(?=$|[?#])", re.IGNORECASE)
_ITEMS = frozenset(
    ("li", "a", "div", "span", "p", "img", "picture", "source", "ul", "ol", "figure", "figcaption")
)
#: What a caption may have, besides.
_CAPTION_ITEMS = frozenset(("b", "br", "cite", "em", "i", "small", "strong"))
#: Arrows and dots of a gallery of which one picture is shown at a time.
_CONTROLS = frozenset(("button", "svg", "path", "use", "g"))
#: Text that is neither in a caption of a figure nor the name of such a button.
_HAS_OTHER_TEXT = etree.XPath(
    "boolean(.//text()[normalize-space() and not(ancestor::figcaption[ancestor::figure])"
    " and not(ancestor::button[string-length(normalize-space()) <= 30])])"
)


def find_galleries_behind(blocks: Sequence[Element]) -> list[Element]:
    """The galleries among the siblings behind the last block, with single pictures before them, up
    to the first other sibling.

    A gallery has pictures, and no text but their captions.  Its pictures lead to larger ones, or
    nowhere; if they lead to pages, a name has to say that it is one, since teasers of other
    articles look alike.

    >>> from forest_scrapy.core.page.tree import parse_html
    >>> items = "".join(f"<li><a href=/{n}.jpg><img src=/{n}s.jpg></a>" for n in range(3))
    >>> root = parse_html(f"<p>One</p><ul>{items}</ul><p>Two</p>")
    >>> [element.tag for element in find_galleries_behind([next(root.iter("p"))])]
    ['ul']
    """
    galleries: list[Element] = []
    if not blocks:
        return galleries
    pictures: list[Element] = []
    for sibling in islice(blocks[-1].itersiblings("*"), MAX_SIBLINGS):
        pictures.append(sibling)
        if is_gallery(sibling):
            galleries += pictures
            pictures = []
        elif not _is_picture(sibling):
            break
    return galleries


def is_gallery(element: Element) -> bool:
    """Whether an element has several pictures and nothing else; see ``find_galleries_behind``."""
    names = set()
    pictures = 0
    links = []
    for number, inner in enumerate(element.iter("*")):
        if number >= MAX_ELEMENTS or not _may_be_in_gallery(inner):
            return False
        if inner.tag == "a":
            links.append(inner.get("href") or "")
        names.add(class_and_id(inner)[:MAX_NAMES_LENGTH])
    if _HAS_OTHER_TEXT(element):
        return False
    for image in find_images(element):
        pictures += not is_decoration(image)
    if pictures < MIN_PICTURES or any(map(_OTHERS.search, names)):
        return False
    lead_to_pages = any(_leads_to_page(link) for link in links)
    return not lead_to_pages or any(map(_GALLERY.search, names))


def _may_be_in_gallery(element: Element) -> bool:
    if element.tag in _ITEMS or element.tag in _CONTROLS:
        return True
    if element.tag not in _CAPTION_ITEMS:
        return False
    return next(element.iterancestors("figcaption"), None) is not None


def _is_picture(element: Element) -> bool:
    """Whether an element is a picture, without text."""
    if any(inner.tag not in _ITEMS for inner in islice(element.iter("*"), MAX_ELEMENTS)):
        return False
    has_text = any(text.strip() for text in element.itertext())
    return not has_text and next(find_images(element), None) is not None


def _leads_to_page(link: str) -> bool:
    return bool(link) and not link.startswith("#") and not _IMAGE_URL.search(link)

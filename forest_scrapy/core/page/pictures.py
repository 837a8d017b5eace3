"""Images: which file an element shows, and which elements show none that is part of a text.

Sites write one image in many ways: the file in an attribute of a script that loads it late, the
same file again in a ``noscript`` beside it, several sizes in ``srcset``, or only as the background
of an empty element.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlsplit

from lxml import etree

from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import absolute_url

#: Elements that show an image: HTML's, and AMP's.
IMAGE_TAGS = frozenset(("img", "amp-img", "amp-anim"))
#: Attributes with sets of the same image in several sizes, in the form of ``srcset``.
_SETS = ("data-srcset", "data-lazy-srcset", "data-src-set", "data-original-set", "srcset")
#: Attributes with the image as it was uploaded, or in the largest size that the site shows.
_FULL = (
    "data-full-url", "data-orig-file", "data-hi-res-src", "data-full-src", "data-highres",
    "data-large-file", "data-large_image", "data-image",
)  # fmt: skip
#: Attributes with an image that a script loads late.
_LAZY = (
    "data-src", "data-lazy-src", "data-original", "data-lazy", "data-url", "data-original-src",
    "data-actualsrc", "data-echo", "data-lazyload", "data-delayed-url", "data-defer-src",
    "data-img-src", "data-img-url", "data-cfsrc", "data-ezsrc", "data-flickity-lazyload",
    "data-image-loader",
)  # fmt: skip
_BACKGROUNDS = ("data-bg", "data-background-image", "data-bg-src", "data-background")

#: Images with no side above this (pixels) are icons; with one up to the second they are tracking
#: pixels, spacers, or rules.
MAX_ICON_SIDE = 32
MAX_RULE_SIDE = 8
_SIDES = ("width", "height")
_STYLED_SIDE = re.compile(r"(?:^|[;\s])(?:width|height)\s*:\s*([0-9]{1,9})(?:\.[0-9]+)?px")
#: Words of the classes of images that are no part of a text.
_DECORATION = re.compile(
    r"(?<![a-z])(?:avatar|gravatar|icon|spacer|spinner|sprite|tracking-?pixel)(?![a-z])",
    re.IGNORECASE,
)
#: Words of the classes of formulas: these may be as small as an icon.
_FORMULA = re.compile(r"(?<![a-z])(?:latex|tex|math|mwe-math|equation)(?![a-z])", re.IGNORECASE)
#: Words of the names of files that show nothing, until a script replaces them: all words of such a
#: name are of the first or second kind, with one of the first.
_EMPTY_WORDS = frozenset(
    (
        "blank spacer pixel placeholder transparent trans clear dummy empty lazy lazyload "
        "lazyloader loading loader preload 1x1"
    ).split()
)
_FILLER_WORDS = frozenset("image img gif grey gray white dot load".split())
_WORDS = re.compile(r"1x1|[a-z]+", re.IGNORECASE)
#: Longer names are none of such files.
MAX_PLACEHOLDER_NAME = 60
_EXTENSION = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)$", re.IGNORECASE)
_HAS_HOST = re.compile(r"https?://[^/?#:]")
_AVATAR_URL = re.compile(r"//[\w.-]*gravatar\.com/|/avatars?/", re.IGNORECASE)
#: Classes of the small, blurred image that is shown until the real one beside it is loaded.
_PREVIEW = re.compile(r"(?<![a-z])(?:blur|lqip|placeholder|preview)", re.IGNORECASE)

#: One image of a set, as the HTML standard reads it: a URL that may have commas inside, and what
#: follows up to the next comma, its size.
_CANDIDATE = re.compile(r"([^\s,]\S*?)(?:,(?=\s|$)|\s+([^,]*)(?:,|$)|$)")
_SIZE = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)([wx])")
_MIN_WIDTH = re.compile(r"min-width\s*:\s*([0-9]{1,6}(?:\.[0-9]{1,3})?)\s*(px|em|rem)?")
_PIXELS_OF_EM = 16
_CSS_URL = re.compile(r"background(?:-image)?\s*:[^;]{0,200}?url\(\s*+([^()]{1,2000})\)")

#: Sources of a picture, and elements that libxml2 nests in each other since it does not know that
#: ``source`` has no content, at most.
MAX_SOURCES = 20
#: Images of one set, at most.
MAX_CANDIDATES = 50
#: Elements from an image up to the figure that it is in, at most.
MAX_FIGURE_STEPS = 5
#: Attributes of an image that are looked at, and characters of their values.
MAX_ATTRIBUTES = 60
MAX_VALUE = 5000
_ANY_URL = re.compile(r"(?:https?:)?//[^\s\"'<>\\]{4,1000}")
_IMAGE_FILE = re.compile(r"^[^\s{}\"]{1,1000}\.(?:jpe?g|png|webp|avif|gif)(?:\?[^\s{}\"]*)?$")
#: Elements beside an image that are looked at, at most.
MAX_SIBLINGS = 10


@dataclass(frozen=True)
class _Candidate:
    """A URL of a set.  ``width`` in pixels and ``density`` as the set declares them, 0 if it does
    not; ``min_width``: that of the window for which the page wants it."""

    url: str
    width: float = 0
    density: float = 0
    min_width: float = 0


def image_url(image: Element, base: str) -> str:
    """The absolute URL of the largest file of an image, also of one that is loaded late; ``""`` if
    there is none, and for tracking pixels, icons, avatars and placeholders.

    ``image``: an ``img``, the same of AMP, or a ``picture`` without one.  The files are those of
    its attributes, of the ``source`` elements of the ``picture`` around it, and of the
    ``noscript`` beside it.  The widest of a set is best, then that for the widest window, then the
    densest; then attributes with the full size, those for a script, and ``src``.  Cost: constant
    but for the length of the attributes.
    """
    if is_decoration(image) or _is_preview(image):
        return ""
    for url in _list_urls(image):
        is_url = bool(url.strip()) and "{" not in url
        absolute = absolute_url(url, base) if is_url else ""
        if _HAS_HOST.match(absolute) is None:
            continue
        if _takes_place_of_data(image, url) or not _is_placeholder(absolute):
            return absolute
    return ""


def _takes_place_of_data(image: Element, url: str) -> bool:
    """Whether a script puts this file, whatever its name, in the place of an image that the page
    contains as data."""
    is_data = (image.get("src") or "").startswith("data:")
    if not is_data or _AVATAR_URL.search(url) is not None:
        return False
    names = (*_FULL, *_LAZY)
    return any(image.get(name) == url for name in names)


def is_decoration(image: Element) -> bool:
    """Whether an image is too small to be part of a text, or an icon or avatar by its class."""
    names = image.get("class") or ""
    if names and _FORMULA.search(names):
        return False
    sides = []
    for name in _SIDES:
        side = _read_side(image.get(name))
        if side is not None:
            sides.append(side)
    style = image.get("style")
    if style:
        sides += map(float, _STYLED_SIDE.findall(style))
    if sides and max(sides) <= MAX_ICON_SIDE:
        return True
    if any(0 < side <= MAX_RULE_SIDE for side in sides):
        return True
    return bool(names) and _DECORATION.search(names) is not None


def _read_side(size: str | None) -> float | None:
    """The width or height in pixels; None if it is not given so."""
    number = (size or "").strip().removesuffix("px")
    if number.isdecimal():
        return float(number[:9])
    return None


def _is_preview(image: Element) -> bool:
    """Whether the image is a preview of another one in the same element."""
    css_class = image.get("class") or ""
    if _PREVIEW.search(css_class) is None:
        return False
    parent = image.getparent()
    if parent is None:
        return False
    siblings = islice(parent.iterchildren("img", "picture", "noscript"), MAX_SIBLINGS)
    return any(sibling is not image for sibling in siblings)


def _is_placeholder(url: str) -> bool:
    path = urlsplit(url).path
    _, _, file_name = path.rpartition("/")
    name = file_name.lower()
    if _AVATAR_URL.search(url) is not None:
        return True
    if len(name) > MAX_PLACEHOLDER_NAME or _EXTENSION.search(name) is None:
        return False
    stem = _EXTENSION.sub("", name)
    words = frozenset(_WORDS.findall(stem))
    if "placeholder" in words:
        return True
    if words.isdisjoint(_EMPTY_WORDS):
        return False
    return words <= _EMPTY_WORDS | _FILLER_WORDS | {"x"}


def _list_urls(image: Element) -> Iterator[str]:
    """The URLs of an image as its page writes them, best first."""
    fallback = _find_fallback(image)
    holders = [image] if fallback is None else [image, fallback]
    candidates: list[_Candidate] = []
    for holder in holders:
        for name in _SETS:
            if text := holder.get(name):
                candidates += read_set(text)
    for source in _find_sources(image):
        min_width = _read_min_width(source.get("media") or "")
        for name in _SETS:
            if text := source.get(name):
                candidates += read_set(text, min_width)
    yield from _rank(candidates)
    late = []
    for holder in holders:
        attributes = " ".join(holder.keys())
        if "data-" in attributes:
            late.append(holder)
    for names in (_FULL, _LAZY):
        for holder in late:
            yield from (holder.get(name) or "" for name in names)
    for holder in reversed(holders):
        yield holder.get("src") or ""
    yield from (candidate.url for candidate in candidates)
    yield from _list_other_urls(image)


def _list_other_urls(image: Element) -> Iterator[str]:
    """URLs in attributes of other names, for an image that has none in those that are usual."""
    attributes = islice(image.items(), MAX_ATTRIBUTES)
    for name, value in attributes:
        if not name.startswith("data-") or len(value) > MAX_VALUE:
            continue
        if "src" in name or "img" in name or "image" in name:
            in_value = _ANY_URL.search(value)
            yield in_value[0] if in_value is not None else ""
        if _IMAGE_FILE.search(value) is not None:
            yield value


def _rank(candidates: list[_Candidate]) -> Iterator[str]:
    """The URLs whose size is known, largest first; of the same size in the order of the page."""
    is_sized = any(candidate.width for candidate in candidates)
    if is_sized:
        candidates = [candidate for candidate in candidates if candidate.width]
    else:
        with_width = []
        for candidate in candidates:
            if candidate.min_width or candidate.density > 1:
                with_width.append(candidate)
        candidates = with_width
    ranked = sorted(candidates, key=_largest_first)
    for candidate in ranked:
        yield candidate.url


def _largest_first(candidate: _Candidate) -> tuple[float, float, float]:
    return -candidate.width, -candidate.min_width, -candidate.density


def read_set(text: str, min_width: float = 0) -> list[_Candidate]:
    """The images of a ``srcset``, in its order; ``min_width`` is noted with each.

    >>> [(one.url, one.width) for one in read_set("a,w_9.jpg 400w, b.jpg 800w")]
    [('a,w_9.jpg', 400.0), ('b.jpg', 800.0)]
    """
    candidates = []
    matches = islice(_CANDIDATE.finditer(text), MAX_CANDIDATES)
    for match in matches:
        descriptor = match[2] or ""
        size = _SIZE.fullmatch(descriptor.strip())
        number = float(size[1]) if size else 0
        is_width = size is not None and size[2] == "w"
        candidate = _Candidate(
            url=match[1],
            width=number if is_width else 0,
            density=0 if is_width else number,
            min_width=min_width,
        )
        candidates.append(candidate)
    return candidates


def _read_min_width(media: str) -> float:
    match = _MIN_WIDTH.search(media)
    if match is None:
        return 0
    is_in_pixels = match[2] in (None, "px")
    return float(match[1]) * (1 if is_in_pixels else _PIXELS_OF_EM)


def _find_sources(image: Element) -> Iterator[Element]:
    """The sources of the picture that the image is, or is in."""
    around: Element | None = image
    for _ in range(MAX_SOURCES):
        if around is None or around.tag not in ("source", *IMAGE_TAGS):
            break
        around = around.getparent()
    if around is not None and around.tag == "picture":
        yield from islice(around.iter("source"), MAX_SOURCES)


def _find_fallback(image: Element) -> Element | None:
    """The image of the ``noscript`` for browsers without scripts, which shows the same."""
    noscript = _find_noscript(image)
    if noscript is None:
        return None
    fallback = next(noscript.iter("img"), None)
    if fallback is None or is_decoration(fallback):
        return None
    style = fallback.get("style") or ""
    return None if "none" in style else fallback


def _find_noscript(image: Element) -> Element | None:
    around = _outer_picture(image)
    following = next(around.itersiblings("*"), None)
    if following is not None and following.tag == "noscript":
        return following
    preceding = next(around.itersiblings("*", preceding=True), None)
    is_free = preceding is not None and not _is_paired(preceding, before=True)
    if is_free and preceding is not None and preceding.tag == "noscript":
        return preceding
    return image.find("noscript")


def _outer_picture(image: Element) -> Element:
    """The picture around an image; the image itself if there is none."""
    around: Element | None = image
    for _ in range(MAX_SOURCES):
        around = around.getparent() if around is not None else None
        if around is None or around.tag not in ("source", "picture"):
            break
        if around.tag == "picture":
            return around
    return image


def is_fallback(noscript: Element) -> bool:
    """Whether a ``noscript`` has the image of the element before it, or else after it, which is
    read with that one.

    >>> from lxml.html import fromstring
    >>> is_fallback(fromstring("<p><img data-src=a><noscript><img src=a></noscript></p>")[1])
    True
    """
    is_after = _is_paired(noscript, before=True)
    return is_after or _is_paired(noscript, before=False)


def _is_paired(noscript: Element, before: bool) -> bool:
    beside = next(noscript.itersiblings("*", preceding=before), None)
    if beside is None:
        return False
    return beside.tag == "picture" or beside.tag in IMAGE_TAGS


def find_picture(element: Element) -> Element:
    """The first image in a ``picture``; the element itself if it is none, or has no image."""
    if element.tag != "picture":
        return element
    return next(element.iter(*IMAGE_TAGS), element)


def background_url(element: Element, base: str) -> str:
    """The URL of the image that an empty element of a figure without images has as its background,
    or one with the role of an image; ``""`` if it has none.

    >>> from lxml.html import fromstring
    >>> owl = fromstring("<div role=img style='background-image: url(/owl.jpg)'></div>")
    >>> background_url(owl, "http://a.example/")
    'http://a.example/owl.jpg'
    """
    style = element.get("style") or ""
    in_style = _CSS_URL.search(style) if "url(" in style else None
    addresses = [element.get(name) or "" for name in _BACKGROUNDS]
    if in_style is not None:
        address = in_style[1].strip()
        addresses.append(address.strip("'\""))
    if not any(addresses):
        return ""
    is_image = element.get("role") == "img" or _is_in_empty_figure(element)
    if not is_image:
        return ""
    for address in addresses:
        url = absolute_url(address, base) if address.strip() else ""
        if url.startswith("http") and not _is_placeholder(url):
            return url
    return ""


def _is_in_empty_figure(element: Element) -> bool:
    for around in islice(element.iterancestors(), MAX_FIGURE_STEPS):
        if around.tag == "figure":
            return next(around.iter("picture", *IMAGE_TAGS), None) is None
    return False


_SIZE_SUFFIX = re.compile(r"[-_@](?:[0-9]+x[0-9]+|[0-9]+w|[0-9]x|scaled)$")
_DIGITS = re.compile(r"[0-9]+")


def picture_key(url: str) -> str:
    """What the URLs of one image in several sizes have in common, as far as their form tells.

    >>> picture_key("http://a.example/i/owl-300x200.jpg") == picture_key("/j/owl.webp?w=9")
    True
    """
    path = urlsplit(url).path
    _, _, name = path.rpartition("/")
    stem = _EXTENSION.sub("", name)
    if stem == name:
        return _DIGITS.sub("", url)
    return _SIZE_SUFFIX.sub("", stem)


def find_images(element: Element) -> Iterator[Element]:
    """The images in an element, each once: of a ``picture`` one, and none of a ``noscript`` that
    has the image beside it again."""
    tags = ("picture", "noscript", *IMAGE_TAGS)
    walk = etree.iterwalk(element, events=("start",), tag=tags)
    for _, image in walk:
        if image.tag == "noscript":
            if is_fallback(image):
                walk.skip_subtree()
            continue
        walk.skip_subtree()
        yield find_picture(image)


#: Classes of texts for screen readers only.
_FOR_SCREEN_READERS = re.compile(
    r"(?<![a-z])(?:visually-?hidden|sr-only|screen-?reader(?:-text)?)(?![a-z])", re.IGNORECASE
)


def is_screen_reader_text(element: Element) -> bool:
    """Whether an element has a text that only screen readers show, by its class.

    >>> from lxml.html import fromstring
    >>> is_screen_reader_text(fromstring("<span class=v6-visually-hidden>View fullsize</span>"))
    True
    """
    css_class = element.get("class") or ""
    return _FOR_SCREEN_READERS.search(css_class) is not None

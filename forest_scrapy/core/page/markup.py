"""Attributes, captions and media of single elements, as an article keeps them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape
from itertools import islice

import nh3
from lxml import etree

from forest_scrapy.core.page.embeds import EMBED_TAGS
from forest_scrapy.core.page.pictures import find_images
from forest_scrapy.core.page.text import block_text, line_text
from forest_scrapy.core.page.tree import Element
from forest_scrapy.core.page.urls import SCHEMES, absolute_url

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
#: What names a formula in the ``class`` of its element: in the line, and on a line of its own.
MATH_CLASSES = ("math inline", "math display")
#: The class of the mark of a footnote, and what the ``id`` of the note begins with.
MARK_CLASS = "footnote-ref"
NOTE_ID = "fn-"
#: What the class of code begins with, before its language.
LANGUAGE_CLASS = "language-"
#: The elements that may have these, and their values: attributes that are written, not copied.
_WRITTEN = {
    "class": {
        "span": re.compile("math (?:inline|display)"),
        "sup": re.compile(MARK_CLASS),
        "code": re.compile(LANGUAGE_CLASS + r"[a-z0-9+#][a-z0-9+#._-]{0,29}"),
    },
    "id": dict.fromkeys(("li", "p", "div", "dd", "aside", "section", "blockquote"),
                        re.compile(NOTE_ID + "[A-Za-z0-9]{1,12}")),
}  # fmt: skip
#: Elements removed with all their content: code, drawings, form fields, other documents.
REMOVED = frozenset(
    (
        "script style noscript template iframe frame frameset object embed applet svg math canvas "
        "select textarea datalist input map area param link meta base head title track"
    ).split()
)


def clean_markup(markup: str) -> str:
    """The markup with nothing but allowed elements, attributes and URLs: safe to show.

    Takes linear time: nh3 alone reads the rest of a text again at each character that ``_COSTLY``
    finds.  Where there are many, stand-ins for these are cleaned, which nh3 writes as they are.

    The marks of footnotes lead to the notes that are part of the markup.

    >>> clean_markup("<p onclick=x()>Boats<script>y()</script></p>")
    '<p>Boats</p>'
    """
    cleaner = _cleaner()
    if _is_costly(markup):
        cleaned = cleaner.clean(_write_stand_ins(markup))
        cleaned = _STAND_IN.sub(lambda match: _BY_STAND_IN[match[0]], cleaned)
    else:
        cleaned = cleaner.clean(markup)
    linked = _link_notes(cleaned)
    return linked.strip()


def _link_notes(markup: str) -> str:
    """The markup, cleaned, whose marks of footnotes lead to the notes in it.  The mark of a note
    that is not there keeps its link to the page."""
    if _LINKED_MARK.search(markup) is None:
        return markup
    labels = frozenset(_WRITTEN_NOTE.findall(markup))

    def link(match: re.Match[str]) -> str:
        start, url, text, label = match.groups()
        if url.startswith("#") and url.removeprefix("#" + NOTE_ID) in labels:
            return match[0]
        if label in labels:
            return f'{start}<a href="#{NOTE_ID}{label}">{text}</a>'
        if url.startswith("#"):
            return f"{start}{text}"
        return match[0]

    return _LINKED_MARK.sub(link, markup)


#: The start of a mark, its URL, its text, and the label in it; and the label of a note.
_LINKED_MARK = re.compile(
    rf'(<sup class="{MARK_CLASS}">)<a href="([^"<>]*)">(\[([A-Za-z0-9]{{1,12}})\])</a>'
)
_WRITTEN_NOTE = re.compile(rf'<[a-z]+ [^<>]*?\bid="{NOTE_ID}([A-Za-z0-9]{{1,12}})"')


def _is_costly(markup: str) -> bool:
    """Whether nh3 would take long; most markup is told by its length or by counting entities."""
    if len(markup) <= MAX_COSTLY:
        return False
    if markup.isascii():
        return markup.count("&amp;") + markup.count("&nbsp;") > MAX_COSTLY
    return sum(1 for _ in _COSTLY.finditer(markup)) > MAX_COSTLY


def _write_stand_ins(markup: str) -> str:
    """The markup with stand-ins for costly characters: in texts, and in the values of attributes
    after their first ``_MAX_START`` characters."""
    parts = _TAG.split(markup)
    for number, part in enumerate(parts):
        if not part.startswith("<"):
            parts[number] = _replace_costly(part)
        elif len(part) > _MAX_START:
            parts[number] = _ATTRIBUTE_VALUE.sub(_replace_in_value, part)
    return "".join(parts)


def _replace_in_value(match: re.Match[str]) -> str:
    value = match[0]
    return value[:_MAX_START] + _replace_costly(value[_MAX_START:])


def _replace_costly(text: str) -> str:
    return _COSTLY.sub(lambda match: _STAND_INS[match[0]], text)


def _check_attribute(
    tag: str,
    name: str,
    value: str,
) -> str | None:
    """The value of an attribute if the element may have it; None if not."""
    patterns = _WRITTEN.get(name)
    if patterns is None:
        return value
    pattern = patterns.get(tag)
    if pattern is not None and pattern.fullmatch(value):
        return value
    return None


@cache
def _cleaner() -> nh3.Cleaner:
    attributes = {tag: set(names) for tag, names in ATTRIBUTES.items()}
    for name, patterns in _WRITTEN.items():
        for tag in patterns:
            attributes.setdefault(tag, set()).add(name)
    return nh3.Cleaner(
        tags=set(BLOCKS | INLINE),
        attributes=attributes,
        attribute_filter=_check_attribute,
        url_schemes=set(SCHEMES),
        link_rel=None,
        clean_content_tags={"script", "style"},
    )


#: So many costly characters are left to nh3: it takes some milliseconds for them.
MAX_COSTLY = 2_000
#: Characters at the start of an attribute that have no stand-ins: the scheme and host of a URL,
#: which nh3 checks.
_MAX_START = 1_000
#: A stand-in is two characters for private use: the first is always this, and has a stand-in
#: itself, so that no text can be taken for one.
_ESCAPE = "\U000f0000"
#: What nh3 writes as an entity, and what has the same first byte as the no-break space.
_COSTLY = re.compile(f"&(?:amp|nbsp);|[\x80-\xbf{_ESCAPE}]")
_STAND_INS = {
    costly: _ESCAPE + chr(0xF0001 + number)
    for number, costly in enumerate(("&amp;", "&nbsp;", _ESCAPE, *map(chr, range(0x80, 0xC0))))
}
_STAND_IN = re.compile(f"{_ESCAPE}[\U000f0001-\U000f0043]")
#: What nh3 would have written.
_BY_STAND_IN = {
    stand_in: "&nbsp;" if costly == "\xa0" else costly for costly, stand_in in _STAND_INS.items()
}
_TAG = re.compile("(<[^<>]*>)")
_ATTRIBUTE_VALUE = re.compile('"[^"]*"')

_EVERYWHERE = ATTRIBUTES["*"]
_NONE: frozenset[str] = frozenset()
_URLS = frozenset(("href", "src", "cite", "poster"))
_CAPTIONS = etree.XPath(".//*[self::figcaption or contains(@class, 'aption')]")
_CAPTION_CLASS = re.compile(r"(?:(?<![a-zA-Z])c|(?<=[a-z])C)aptions?(?![a-z])")
#: As these, in other languages and of credits; only of short texts, since some are layouts, too.
_NAMED_CAPTION = re.compile(
    r"(?i:bild-?(?:unterschrift|text(?![a-z_-])|nachweis|quelle|legende|rechte|zeile)"
    r"|(?<![a-z])(?:l[eé]gende|legenda|didascalia|(?:foto-?)?bijschrift|onderschrift|kuvateksti"
    r"|popisek|billedtekst|bildetekst|pie-?(?:de-?)?foto|cutline)(?![a-z])"
    r"|(?<![a-z])field[_-]{1,2}(?:credits?|copyright)(?![a-z])"
    r"|(?<![a-z])(?:photo|foto|image|img|picture|bild)[_-]{0,2}"
    r"(?:credits?|copyright|nachweis|description)(?![a-z]))"
)
#: The words among them that tell whose a picture is.
_CREDIT = re.compile(r"(?i)nachweis|quelle|rechte|credit|copyright")
#: Characters of a caption that only its class tells.
_MAX_NAMED_CAPTION = 400
#: Characters of a class that is remembered.
_MAX_CLASS = 200
_CAPTION_TAGS = frozenset(("div", "p", "span", "small", "figcaption", "dd"))
_PICTURES = (
    "img", "picture", "video", "iframe", "amp-img", "amp-anim", "amp-video", "amp-iframe", "oembed",
    *EMBED_TAGS,
)  # fmt: skip
#: Elements from a caption up to the one that its picture is in, too, at most.
_NEAR = 5
#: What is shown in figures that are part of the text.
_QUOTED = ("table", "pre", "code", "blockquote")


def write_attributes(
    element: Element,
    tag: str,
    base: str,
    src: str = "",
) -> str:
    """The allowed attributes of the element as markup, with absolute URLs.

    ``tag``: what the element is written as.  ``src``: replaces that of the element, if given.

    >>> from lxml.html import fromstring
    >>> write_attributes(fromstring("<a href=/b onclick=x()>"), "a", "http://a.example/")
    ' href="http://a.example/b"'
    """
    allowed = ATTRIBUTES.get(tag, _NONE)
    written = []
    for name, value in element.items():
        is_allowed = name in allowed or name in _EVERYWHERE
        if not is_allowed or name == "controls":
            continue
        if name == "src" and src:
            value = src
            src = ""
        elif name in _URLS:
            value = absolute_url(value, base)
            if not value:
                continue
        written.append(f' {name}="{escape(value)}"')
    if src:
        written.append(f' src="{escape(src)}"')
    return "".join(written)


def find_caption(
    image: Element,
    root: Element,
    captions: dict[Element, str],
) -> str:
    """The caption of the figure, or of the element with a class for captions, that the image is
    in, on one line; only within ``root``.

    ``captions``: those of figures read before; further ones are added.

    Cost: the ancestors of the image, and once for each figure what is in it.
    """
    for step, above in enumerate(_path(image, root)):
        if step < _NEAR and above is not root:
            caption = _read_beside(above)
            if caption:
                return caption
        is_figure = above.tag == "figure" or "caption" in above.get("class", "")
        if is_figure and above is not image:
            if above not in captions:
                captions[above] = _read_caption(above)
            return captions[above]
    return ""


def _read_beside(image: Element) -> str:
    """The caption directly after an image, or after what holds it, on one line, with the credits
    beside it; ``""`` if there is none."""
    texts: list[str] = []
    first_kind = ""
    for beside in islice(image.itersiblings("*"), _NEAR):
        if beside.tag not in _CAPTION_TAGS or not is_caption(beside):
            break
        kind = _caption_class(beside)
        if texts and "named" not in (kind, first_kind):
            break
        text = one_line(block_text(beside))
        if text:
            first_kind = first_kind or kind
            texts.append(text)
    return " ".join(texts)


def _read_caption(around: Element) -> str:
    """The text of the first caption in an element, on one line; ``""`` if there is none."""
    for named in islice(_CAPTIONS(around), _NEAR):
        if named.tag == "figcaption" or _CAPTION_CLASS.search(named.get("class") or ""):
            text = one_line(block_text(named))
            if text:
                return text
    named_elements = (named for named in around.iter(*_CAPTION_TAGS) if is_named_caption(named))
    for named in islice(named_elements, _NEAR):
        if is_caption(named):
            text = one_line(block_text(named))
            if text:
                return text
    return ""


@dataclass(frozen=True)
class FigureImages:
    """Successive images of a figure, and the caption of all of them.  ``has_caption``: whether it
    is written behind these; that of a gallery is behind its last image."""

    images: list[Element]
    caption: str
    has_caption: bool


def find_figure_images(
    element: Element,
    root: Element,
) -> list[FigureImages]:
    """The images of an element that is a figure or inside one, with the caption of the innermost
    figure around each that has one; the image of an element that has no other text than captions;
    none of any other element."""
    images = list(find_images(element))
    path = _path(element, root) if images else ()
    figure = next((above for above in path if above.tag == "figure"), None)
    if figure is None:
        only_captions = _read_only_captions(element) if len(images) == 1 else ""
        return [FigureImages(images, only_captions, has_caption=True)] if only_captions else []

    texts: dict[Element, list[str]] = {figure: []}
    for caption in figure.iter("figcaption"):
        owner = next(caption.iterancestors("figure"), figure)
        texts.setdefault(owner, []).append(block_text(caption))
    captions = {owner: one_line(" ".join(parts)) for owner, parts in texts.items()}
    if not captions[figure] and len(images) == 1:
        captions[figure] = _read_only_captions(figure)

    groups: list[tuple[Element, list[Element]]] = []
    for image in images:
        owner = figure
        for above in islice(image.iterancestors("figure"), _NEAR):
            if above is figure or captions.get(above):
                owner = above
                break
        if not groups or groups[-1][0] is not owner:
            groups.append((owner, []))
        groups[-1][1].append(image)

    last_owner = groups[-1][0]
    found = []
    for number, (owner, owner_images) in enumerate(groups, start=1):
        is_last = number == len(groups)
        has_caption = owner is not figure or is_last
        found.append(FigureImages(owner_images, captions[owner], has_caption))
    if last_owner is not figure and captions[figure]:
        found.append(FigureImages([], captions[figure], has_caption=True))
    return found


def _read_only_captions(element: Element) -> str:
    """The text of an element with an image, on one line; ``""`` if any of it is no caption, as its
    class says, or a link."""
    text = line_text(element)
    if not text or len(text) > _MAX_NAMED_CAPTION:
        return ""
    captions = []
    for named in element.iter(*_CAPTION_TAGS):
        if is_caption(named) and not _has(named, "a"):
            captions.append(line_text(named))
    return text if " ".join(captions) == text else ""


def is_caption(element: Element) -> bool:
    """Whether all text of the element is captions and credits: a figure with an image or a video
    and no paragraphs but in its caption, a caption of a figure, or a text beside an image whose
    class says that it is a caption.  Figures with a table, code or a quotation are part of the
    text.

    >>> from lxml.html import fromstring
    >>> is_caption(fromstring("<figure><img src=a.png>At sea</figure>"))
    True
    >>> is_caption(fromstring("<figure><pre>x = 1</pre>Listing</figure>"))
    False
    """
    if element.tag == "figure":
        if not _has(element, *_PICTURES):
            return False
        text_elements = element.iter(*_QUOTED, "p")
        return all(_is_in_caption(text_element) for text_element in text_elements)
    if element.tag == "figcaption":
        above = element.getparent()
        return above is None or not _has(above, *_QUOTED)
    kind = _caption_class(element)
    if not kind:
        return False
    above = element.getparent()
    if above is None or not _has(above, "img") or _has(element, "img"):
        return False
    return kind == "caption" or 0 < len(line_text(element)) <= _MAX_NAMED_CAPTION


def is_named_caption(caption: Element) -> bool:
    """Whether only a word of its class, other than ``caption``, tells that an element for which
    ``is_caption`` holds is a caption."""
    return caption.tag not in ("figure", "figcaption") and _caption_class(caption) == "named"


def may_tell_story(caption: Element) -> bool:
    """Whether a caption that only a word of its class tells to be one is more than a credit."""
    return is_named_caption(caption) and not _CREDIT.search(caption.get("class", "")[:_MAX_CLASS])


def _caption_class(element: Element) -> str:
    """``caption`` if the class of the element has this word, ``named`` if it has another word for
    captions and credits, ``""`` if it has none."""
    names = element.get("class")
    if not names:
        return ""
    if len(names) > _MAX_CLASS:
        return read_caption_class(names)
    return _remember_caption_class(names)


def read_caption_class(names: str) -> str:
    """``caption`` or ``named``, see ``_caption_class``, for the value of ``class``."""
    if "aption" in names and _CAPTION_CLASS.search(names):  # the first test is fast
        return "caption"
    return "named" if _NAMED_CAPTION.search(names) else ""


_remember_caption_class = lru_cache(maxsize=1024)(read_caption_class)


def find_caption_around(element: Element) -> Element | None:
    """The caption that the element is, or is in: itself, its parent or a ``figcaption``."""
    caption = next(element.iterancestors("figcaption"), None)
    for candidate in (element, element.getparent(), caption):
        if candidate is not None and is_caption(candidate):
            return candidate
    return None


def add_picture(element: Element) -> Element:
    """The nearest element around a caption that has its picture, too, and no text but captions;
    any other element itself.

    >>> from lxml.html import fromstring
    >>> figure = fromstring("<figure><img src=a.png><figcaption><p>At sea</figcaption></figure>")
    >>> add_picture(figure[1][0]) is figure
    True
    """
    caption = find_caption_around(element)
    if caption is None:
        return element
    for around in islice(_path(caption, None), _NEAR):
        if _has(around, *_PICTURES):
            is_alone = is_caption(around) or line_text(around) == line_text(caption)
            return around if is_alone else element
    return element


def _is_in_caption(element: Element) -> bool:
    return element.tag == "p" and next(element.iterancestors("figcaption"), None) is not None


def _has(element: Element, *tags: str) -> bool:
    return next(element.iter(*tags), None) is not None


def one_line(text: str) -> str:
    """The text with each run of white space as one space."""
    return " ".join(text.split())


def _path(element: Element, root: Element | None) -> Iterator[Element]:
    """The element and its ancestors, up to the root; all of them if it is None."""
    yield element
    while element is not root and (above := element.getparent()) is not None:
        element = above
        yield element

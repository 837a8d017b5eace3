"""Prose that markup hides and readers see: closed panels, and text that is hidden from screen
readers only.

An answer below its question, the second half of a text behind "Read more", or paragraphs with
``aria-hidden`` belong to an article if they stand nowhere else on its page.  Menus, dialogs, share
boxes, copies for other screens, and messages of scripts do not.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from lxml import etree

from forest_scrapy.core.page.text import text_of_few
from forest_scrapy.core.page.tree import Element, class_and_id

#: Characters of the prose that a closed panel has at least, and of one that is named as none but
#: stands between paragraphs.  Not tuned.
MIN_PANEL_PROSE = 60
MIN_PROSE_BETWEEN = 160
#: The share of an element's long texts that is prose and stands nowhere else, at least.
MIN_PROSE_SHARE = 0.7
#: Characters of the start of a text by which a second copy of it is known.
COPY_LENGTH = 60
#: Siblings on each side in which prose is looked for, and elements above that are looked at.
MAX_SIBLINGS = 3
MAX_ABOVE = 3
#: Nodes of an element with a picture and no text, and of a paragraph, at most.
MAX_PICTURE_NODES = 20
MAX_PARAGRAPH_NODES = 200
#: Slides of a gallery among which one that is shown is looked for, and elements of a slide.
MAX_SLIDES = 100
MAX_SLIDE_ELEMENTS = 60
#: Characters of class and id that are read.
MAX_NAMES = 300

#: Words of class or id of elements that a reader opens to read on.
_PANEL = re.compile(
    r"(?<![a-z])(?:panel|accordion|collaps\w*|expand\w*|toggle\w*|tabs?|tab-?pane|faqs?|answer|"
    r"read-?more|more|full-?text|spoiler|details|reveal\w*|truncat\w*|paywall|subscriber)(?![a-z])",
    re.IGNORECASE,
)
#: Words of what is hidden and is none of the article.
_OTHER = re.compile(
    r"(?<![a-z])(?:menu|nav|navbar|navigation|modal|popup|pop-up|popover|tool-?tips?|dialog|overlay|"
    r"lightbox|cookies?|consent|gdpr|shar(?:e|ing)|social|search|log-?in|sign-?in|sign-?up|"
    r"subscribe|subscription|newsletter|template|print|mobile|desktop|sr-only|screen-?reader|"
    r"visually-?hidden|drop-?down|off-?canvas|drawer|sidebar|banner|ads?|advert\w*|promo\w*|toast|"
    r"alert|notice|notification|errors?|success|warning|captcha|honey-?pot|related|recommend\w*|"
    r"comments?|contact|loader|loading|skeleton|carousel|slick|swiper|slides?|slider|survey|poll|"
    r"feedback|tracking|disclosure|disclaimer|no-?script|schema|seo|meta|excerpt|summary|teaser|"
    r"footnotes?|references|citations?|transcript|licen[cs]e|copyright|bio)"
    r"(?![a-z])",
    re.IGNORECASE,
)
#: The same of elements around, whose classes often tell what else a page has.
_OTHER_AROUND = re.compile(
    r"(?<![a-z])(?:menu|nav|navbar|navigation|modal|popup|popover|tool-?tip|dialog|overlay|"
    r"lightbox|cookies?|consent|off-?canvas|drawer|newsletter|carousel|slick|swiper|comments?)"
    r"(?![a-z])",
    re.IGNORECASE,
)
_OTHER_TAGS = frozenset(
    ("nav", "aside", "footer", "form", "dialog", "template", "noscript", "menu")
)
_OTHER_ROLES = frozenset(
    ("dialog", "alertdialog", "alert", "menu", "navigation", "search", "status", "tooltip")
)
#: Elements in which a long text is none of prose.
_NO_PROSE = frozenset(
    (
        "a",
        "button",
        "label",
        "option",
        "select",
        "textarea",
        "script",
        "style",
        "noscript",
        "template",
    )
)
_SENTENCE_END = re.compile(
    r"[.!?\u2026\u3002\uff01\uff1f](?:\s|$|[\"'\u201d\u2019)])|[\u3002\uff01\uff1f]"
)
_LONG_TEXTS = etree.XPath(".//text()[string-length(.) > 40]")
_REFERENCES = etree.XPath(
    ".//@aria-controls | .//@data-target | .//@data-bs-target | .//a/@href[starts-with(., '#')]"
)
_HAS_TEXT_OUTSIDE_CAPTIONS = etree.XPath(
    "boolean(.//text()[normalize-space() and not(ancestor::figcaption)])"
)
#: References that are read.
MAX_REFERENCES = 3000


@dataclass
class _Texts:
    """The long texts of a hidden element, without those in hidden elements inside of it: the
    characters of all, and the prose of which readers see no copy; ``has_copies``: other hidden
    elements have the same."""

    length: int = 0
    prose: list[str] = field(default_factory=list)
    has_copies: bool = False

    @property
    def prose_length(self) -> int:
        return sum(map(len, self.prose))


def is_hidden_from_readers(element: Element) -> bool:
    """Whether markup hides the element from all, not from screen readers only."""
    if element.get("hidden") is not None:
        return True
    style = element.get("style") or ""
    return "none" in style


def is_plainly_shown(element: Element) -> bool:
    """Whether an element that only screen readers leave out has a caption, or a picture and no
    text: readers see these.

    >>> from lxml.html import fromstring
    >>> is_plainly_shown(fromstring("<figcaption aria-hidden=true>An owl</figcaption>"))
    True
    """
    if element.get("aria-hidden") != "true" or is_hidden_from_readers(element):
        return False
    if "hidden" in (element.get("style") or "") or element.get("role") in _OTHER_ROLES:
        return False
    if element.tag == "figcaption":
        return True
    text = text_of_few(element, MAX_PICTURE_NODES)
    if text is None or text.strip():
        return False
    return next(element.iter("img", "picture"), None) is not None


def is_slide(element: Element) -> bool:
    """Whether a hidden element is a picture with its caption that a reader comes to by leafing: all
    that it has is figures with captions, as one beside it that is shown.

    >>> from lxml.html import fromstring
    >>> figure = "<figure{}><img src=a.png><figcaption>An owl</figcaption></figure>"
    >>> gallery = fromstring(f"<div>{figure.format('')}{figure.format(' hidden')}</div>")
    >>> is_slide(gallery[1])
    True
    """
    parent = element.getparent()
    if parent is None or next(element.iter("figcaption"), None) is None:  # nearly always
        return False
    if not _has_only_figures(element):
        return False
    for sibling in islice(parent.iterchildren("*"), MAX_SLIDES):
        is_alike = sibling is not element and sibling.tag == element.tag
        if is_alike and not _is_marked_hidden(sibling) and _has_only_figures(sibling):
            return True
    return False


def _is_marked_hidden(element: Element) -> bool:
    return is_hidden_from_readers(element) or element.get("aria-hidden") == "true"


def _has_only_figures(element: Element) -> bool:
    """Whether an element is or has a figure with a picture and a caption, and has no other text."""
    elements = islice(element.iter("*"), MAX_SLIDE_ELEMENTS + 1)
    if sum(1 for _ in elements) > MAX_SLIDE_ELEMENTS:
        return False
    has_caption = next(element.iter("figcaption"), None) is not None
    has_picture = next(element.iter("img", "picture"), None) is not None
    if not has_caption or not has_picture:
        return False
    return not _HAS_TEXT_OUTSIDE_CAPTIONS(element)


def find_panels(root: Element, hidden: Sequence[Element]) -> set[Element]:
    """Those of the hidden elements of a page that have prose of its article.

    ``root``: the page's; ``hidden``: all that markup hides, in document order.  Cost: linear in
    the size of the page.
    """
    texts = _read_texts(root, hidden)
    if not texts:
        return set()
    references: frozenset[str] | None = None
    surroundings: dict[Element | None, bool] = {None: False}
    hidden_set = frozenset(hidden)
    panels = set()
    for element, texts_inside in texts.items():
        min_prose = max(MIN_PANEL_PROSE, MIN_PROSE_SHARE * texts_inside.length)
        if texts_inside.prose_length < min_prose or _is_other(element, surroundings):
            continue
        if references is None:
            references = _read_references(root)
        is_panel = _is_panel(element, references)
        if not is_panel and _is_between_prose(element, hidden_set):
            is_panel = _is_long_enough(element, texts_inside)
        if is_panel:
            panels.add(element)
    return panels


def _is_long_enough(element: Element, texts: _Texts) -> bool:
    if texts.has_copies:
        return False
    if not is_hidden_from_readers(element):
        return True
    sentences = 0
    for text in texts.prose:
        sentences += len(_SENTENCE_END.findall(text))
    return texts.prose_length >= MIN_PROSE_BETWEEN and sentences > 1


def _read_texts(
    root: Element,
    hidden: Sequence[Element],
) -> dict[Element, _Texts]:
    """The long texts of each hidden element that has any, in document order."""
    texts = _LONG_TEXTS(root)
    starts = [_start_of(text) for text in texts]
    copies = Counter(starts)
    hidden_set = frozenset(hidden)
    nearest: dict[Element | None, Element | None] = {None: None}
    is_prose: dict[Element | None, bool] = {None: True}
    parents = [_parent_of(text) for text in texts]
    elements = [_find_nearest(parent, hidden_set, nearest) for parent in parents]
    shown_starts = set()
    for start, element in zip(starts, elements, strict=True):
        if element is None:
            shown_starts.add(start)
    texts_of: dict[Element, _Texts] = defaultdict(_Texts)
    for text, start, parent, element in zip(texts, starts, parents, elements, strict=True):
        if element is None:
            continue
        line = " ".join(text.split())
        element_texts = texts_of[element]
        element_texts.length += len(line)
        is_sentence = _SENTENCE_END.search(line) is not None
        if start in shown_starts or not is_sentence or not _may_be_prose(parent, is_prose):
            continue
        if copies[start] > 1:
            element_texts.has_copies = True
        shown_starts.add(start)
        element_texts.prose.append(line)
    return dict(texts_of)


def _parent_of(text: Any) -> Element | None:
    """The element that a text node is in."""
    parent: Element | None = text.getparent()
    if parent is not None and text.is_tail:
        return parent.getparent()
    return parent


def _start_of(text: Any) -> str:
    return " ".join(text[: 3 * COPY_LENGTH].split())[:COPY_LENGTH]


def _find_nearest(
    element: Element | None,
    hidden: frozenset[Element],
    nearest: dict[Element | None, Element | None],
) -> Element | None:
    """The element or the innermost one around it that is hidden.

    ``nearest``: those of elements visited before; the elements on the way are added.
    """
    path = []
    while element not in nearest and element not in hidden:
        path.append(element)
        element = element.getparent() if element is not None else None
    container = element if element in hidden else nearest[element]
    nearest.update(dict.fromkeys(path, container))
    return container


def _may_be_prose(
    element: Element | None,
    visited: dict[Element | None, bool],
) -> bool:
    """Whether no element around the text is a link or a field.

    ``visited``: the answers for elements visited before; those on the way are added.
    """
    path = []
    while element not in visited:
        path.append(element)
        element = element.getparent() if element is not None else None
    is_prose = visited[element]
    for below in reversed(path):
        is_prose = is_prose and (below is None or below.tag not in _NO_PROSE)
        visited[below] = is_prose
    return is_prose


def _is_other(element: Element, visited: dict[Element | None, bool]) -> bool:
    """Whether a hidden element is, or is inside of, what is no part of an article.

    ``visited``: the answers for elements around; those on the way are added.
    """
    if _names_other(element, _OTHER):
        return True
    above = element.getparent()
    for _ in range(MAX_ABOVE):
        if above is None or above.tag in ("body", "html", "main", "article"):
            break
        if _names_other(above, _OTHER_AROUND):
            return True
        above = above.getparent()
    path = []
    while above not in visited:
        path.append(above)
        above = above.getparent() if above is not None else None
    is_other = visited[above]
    for below in reversed(path):
        # Some sites have a form around the whole page.
        is_form = below is not None and below.tag == "form"
        is_other = is_other or (below is not None and not is_form and _has_other_role(below))
        visited[below] = is_other
    return is_other


def _names_other(element: Element, words: re.Pattern[str]) -> bool:
    if _has_other_role(element):
        return True
    names = class_and_id(element, MAX_NAMES)
    return words.search(names) is not None


def _has_other_role(element: Element) -> bool:
    return element.tag in _OTHER_TAGS or (element.get("role") or "") in _OTHER_ROLES


def _read_references(root: Element) -> frozenset[str]:
    """The ids that buttons and links of the page open or lead to."""
    references = islice(_REFERENCES(root), MAX_REFERENCES)
    names: set[str] = set()
    for text in references:
        names.update(name.removeprefix("#") for name in text.split())
    return frozenset(names)


def _is_panel(element: Element, references: frozenset[str]) -> bool:
    """Whether a hidden element is named as one that readers open, or is opened by a button."""
    if element.get("role") in ("tabpanel", "region") or element.tag == "details":
        return True
    if (element.get("id") or "") in references and element.get("id"):
        return True
    if _follows_button(element):
        return True
    return _PANEL.search(class_and_id(element, MAX_NAMES)) is not None


def _follows_button(element: Element) -> bool:
    """Whether the element before opens this one, or is the summary of the same details."""
    before = next(element.itersiblings("*", preceding=True), None)
    if before is None:
        return False
    if before.tag == "summary":
        return True
    inside = islice(before.iter("*"), MAX_PICTURE_NODES)
    return any(below.get("aria-expanded") is not None for below in inside)


def _is_between_prose(element: Element, hidden: frozenset[Element]) -> bool:
    """Whether a sibling near the element is a paragraph that readers see."""
    for is_before in (True, False):
        siblings = element.itersiblings("*", preceding=is_before)
        for sibling in islice(siblings, MAX_SIBLINGS):
            if sibling.tag not in ("p", element.tag) or sibling in hidden:
                continue
            if _is_prose(sibling):
                return True
    return False


def _is_prose(element: Element) -> bool:
    text = text_of_few(element, MAX_PARAGRAPH_NODES) or ""
    return len(text) >= MIN_PANEL_PROSE and _SENTENCE_END.search(text) is not None


#: Classes of texts that a page shows when a reader points at a word, and of those that may be the
#: word itself.
_POPUP_TEXT = re.compile(
    r"(?<![a-z])(?:tool-?tips?|pop-?over|glossary|hover-?card|tippy)[-_]{0,2}"
    r"(?:text|content|body|inner|box|bubble|popup|definition|desc(?:ription)?|explanation|card|"
    r"panel|message|container)(?![a-z])",
    re.IGNORECASE,
)
_POPUP = re.compile(
    r"(?<![a-z])(?:tool-?tip|pop-?over|hover-?card|tippy|definition-popup)(?![a-z])", re.IGNORECASE
)
#: Characters from which a text is an explanation rather than the word that it explains.
MIN_EXPLANATION = 60


def is_popup(element: Element) -> bool:
    """Whether an element has the explanation of a word before it, which a page shows only when a
    reader points there.

    >>> from lxml.html import fromstring
    >>> term = fromstring("<span class=tooltip>weir<span class=tooltiptext>A low dam</span></span>")
    >>> is_popup(term), is_popup(term[0])
    (False, True)
    """
    if element.get("role") == "tooltip":
        return True
    names = class_and_id(element, MAX_NAMES)
    if _POPUP_TEXT.search(names) is not None:
        has_no_parts = next(element.iter("p", "h1", "h2", "img"), None) is None
        return has_no_parts or _follows_word(element)
    if _POPUP.search(names) is None:
        return False
    return _follows_word(element) or _is_explanation(element)


def _follows_word(element: Element) -> bool:
    """Whether the element is at the end of an inline one that begins with another text."""
    parent = element.getparent()
    if parent is None or parent.tag not in _TERM_TAGS:
        return False
    before = element.getprevious()
    word = parent.text if before is None else before.tail or before.text
    has_word = bool(word and word.strip())
    has_tail = bool(element.tail and element.tail.strip())
    return has_word and not has_tail


def _is_explanation(element: Element) -> bool:
    """Whether an element inside of a paragraph has a sentence, and stands after a word of it."""
    parent = element.getparent()
    if parent is None or parent.tag not in ("p", "li", "td", "dd"):
        return False
    text = text_of_few(element, MAX_PARAGRAPH_NODES) or ""
    if len(text) < MIN_EXPLANATION or _SENTENCE_END.search(text) is None:
        return False
    for below in element.iterdescendants():
        if isinstance(below.tag, str) and _is_named_popup(below):
            return False
    return _is_inserted(element, parent, len(text))


def _is_inserted(element: Element, parent: Element, length: int) -> bool:
    """Whether an element of this many characters follows a text of its parent, and is not what the
    parent is for: the text goes on after it, or the other text is longer."""
    before = parent.text or ""
    for sibling in islice(element.itersiblings("*", preceding=True), MAX_PICTURE_NODES):
        before += sibling.tail or ""
        before += text_of_few(sibling, MAX_PARAGRAPH_NODES) or ""
        if len(before) > length:
            break
    before = before.strip()
    if not before:
        return False
    has_tail = bool(element.tail and element.tail.strip())
    return has_tail or len(before) > length


def _is_named_popup(element: Element) -> bool:
    names = class_and_id(element, MAX_NAMES)
    return element.get("role") == "tooltip" or _POPUP_TEXT.search(names) is not None


_TERM_TAGS = frozenset(("a", "abbr", "b", "button", "cite", "dfn", "em", "i", "span", "sup", "u"))

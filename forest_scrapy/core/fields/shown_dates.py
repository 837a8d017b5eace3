"""The dates that pages show, and which of them are likely those of the publication."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from math import inf
from statistics import median
from typing import NamedTuple

from lxml import etree

from forest_scrapy.core.fields.byline_elements import AsideFinder
from forest_scrapy.core.fields.dates import (
    LONGEST,
    find_date,
    is_published_label,
    may_have_date,
    read_date,
)
from forest_scrapy.core.fields.sources import MOST_LEAVES, PageSources, fold_words
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.tree import Element, class_and_id
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, anchored_xpath
from forest_scrapy.core.xpaths.checking import select_elements

#: Characters of the longest element, and of the longest text in a longer one, that is read as a
#: date; of one with little but a date; and of a label in front of it.
_LONGEST, _BARE, _LABEL = 120, 30, 25
#: Class names and ids of dates.
_MARK = re.compile(r"date|time|publish|posted|datum|fecha|data\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_TEXTS = etree.XPath(".//text()[not(parent::script or parent::style)]")
#: Elements that may have a date for programs, besides those with a ``time`` in them.
_WITH_DATES = etree.XPath(
    "//@datetime/.. | //@content/.. | //@*[starts-with(name(), 'data-')"
    " and (contains(name(), 'date') or contains(name(), 'time') or contains(name(), 'publish')"
    " or contains(name(), 'created')"
    " or contains(name(), 'posted') or contains(name(), 'epoch') or contains(name(), 'utc'))]/.."
)
_WITH_TITLES = etree.XPath("//@title/..")
#: Names of attributes with a date; not those of a change, of an event, or of the page's end.
_ATTRIBUTE = re.compile(
    r"data-(?!.*(?:updat|modif|edit|end|expir|until|event|start|due|zone|format|read))"
    r".*(?:date|time|publish|created|posted|epoch|utc)"
)
#: Characters of the longest ``title`` of an element that is a date, and attributes that are read.
_MAX_TITLE, _MAX_ATTRIBUTES = 50, 20
#: Elements in each other that are looked at, and texts of one.
_MAX_DEPTH = 4
_MAX_TEXTS = 8
#: Characters of the first paragraph of the text.
_PARAGRAPH = 120
#: What makes a date unlikely, in text leaves between it and the title: above the title each leaf
#: counts as two.  A date of a change; one without a mark, also behind the start of the text; each
#: other date at the same path; a page without a date at the path.
_UPDATED, _UNMARKED, _IN_TEXT, _CROWD, _MISSING = 20, 20, 100, 5, 200
#: What makes it likely: a label such as "published", and the month of the page's URL.
_PUBLISHED, _URL_MONTH = 10, 20
_MOST_CROWD = 6
#: Words of the shortest link that is a teaser, elements in it around a text, and leaves between
#: it and a date.
_LINK_WORDS, _LINK_DEPTH, _BESIDE = 4, 4, 2
_MONTH_OF_URL = re.compile(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])(?=/)")
#: XPaths that are tried.
_MOST_XPATHS = 3


class ShownDate(NamedTuple):
    """A date as ISO 8601, the text that has it (with the date, if that is in an attribute), the
    node in the outline of its page, and the
    cost: the lower, the likelier it is that of the publication; infinite for one of a list, such
    as those of teasers."""

    value: str
    text: str
    node: int
    cost: float


def date_texts(element: Element) -> Iterator[str]:
    """The texts of an element that may be a date: those for programs, its text on one line, or,
    if that is long, its own texts without those of the elements in it."""
    text = " ".join(" ".join(_TEXTS(element)).split())
    if len(text) <= LONGEST:
        yield from filter(None, (_text_for_programs(element), text))
        return
    for own in (element.text, *(child.tail for child in element)):
        if own and len(line := " ".join(own.split())) <= _LONGEST:
            yield line


def _text_for_programs(element: Element) -> str:
    """The date as an attribute of the element or of the first ``time`` in it."""
    inner = next(element.iter("time"), element)
    values = (element.get("datetime"), element.get("content"), inner.get("datetime"))
    text = next((value for value in values if value and value.strip()), "")
    return text or _text_of_attributes(element) or _text_of_attributes(inner)


def _text_of_attributes(element: Element) -> str:
    """The date in a ``data-`` attribute, such as ``data-timestamp``, or in the ``title`` of an
    element that shows another form of it, such as "3 days ago", or of one that is all there is in
    it; ``""`` if there is none."""
    for _ in range(_MAX_DEPTH):
        if date := _date_of_attributes(element):
            return date
        if len(element) != 1 or _has_text(element):
            break
        element = element[0]
    return ""


def _has_text(element: Element) -> bool:
    """Whether an element has text around the first one in it."""
    return bool((element.text or "").strip() or (element[0].tail or "").strip())


def _date_of_attributes(element: Element) -> str:
    for name, value in islice(element.items(), _MAX_ATTRIBUTES):
        is_date = name.startswith("data-") and _ATTRIBUTE.match(name) and read_date(value)
        if is_date and _may_show_date(element):
            return value
    title = element.get("title") or ""
    return title if 0 < len(title) <= _MAX_TITLE and may_have_date(title) else ""


def _may_show_date(element: Element) -> bool:
    """Whether scripts may write a date into the element: it is marked as one, or has no text, or
    one with a number.  Buttons for sharing have the date of the page's generation."""
    if element.tag in ("time", "abbr") or _MARK.search(class_and_id(element)):
        return True
    text = "".join(islice(element.itertext(), _MAX_TEXTS)).strip()
    return not text or _DIGIT.search(text) is not None


def find_shown(page: PageSources, title: str, is_relative: bool) -> list[ShownDate]:
    """The dates in short elements and texts of the page, without those in comments and menus,
    in document order.  ``title``: that of the page; ``is_relative``: also relative dates, where
    the markup says that the element is a date."""
    outline = page.page.outline
    is_aside = AsideFinder()
    paths = anchored_paths(outline)
    found = [
        (value, one)
        for one in _short_texts(page, is_relative)
        if (value := _read(page, outline, one, is_relative))
        and not is_aside(outline.nodes[one.node].element)
    ]
    crowds = Counter(paths[one.node] for _, one in found)
    end = _end_of_title(page, title)
    start = next((i for i, one in enumerate(outline.leaves[end:], end) if _is_long(one.text)), end)
    url_month = "-".join(next(iter(_MONTH_OF_URL.findall(page.page.url)), ()))
    shown = []
    for value, one in found:
        element, crowd = outline.nodes[one.node].element, crowds[paths[one.node]] - 1
        in_text, is_bare = one.first > start, not _is_marked(element, one.text)
        if in_text and _is_listed(outline, one, is_bare, bool(crowd)):
            shown.append(ShownDate(value, one.text, one.node, inf))
            continue
        distance = one.first - end if one.first >= end else 2 * (end - one.first)
        cost: float = distance + _CROWD * min(crowd, _MOST_CROWD)
        cost += is_bare * (_UNMARKED + in_text * _IN_TEXT)
        cost += {True: -_PUBLISHED, False: _UPDATED, None: 0}[_label_of(outline, one)]
        cost -= _URL_MONTH * bool(url_month and value.startswith(url_month))
        text = one.text if may_have_date(one.text) else f"{one.text} {value}"
        shown.append(ShownDate(value, text, one.node, cost))
    return shown


def _is_long(text: str) -> bool:
    return len(text) >= _PARAGRAPH


class _Text(NamedTuple):
    """A short text: the node that has it, its first leaf, and the one after its last."""

    text: str
    node: int
    first: int
    last: int


def _short_texts(page: PageSources, is_relative: bool) -> Iterator[_Text]:
    """The texts of short elements, and short texts in long ones, that may have a date."""
    outline = page.page.outline
    dated = _find_dated(page.page.root)
    for index, node, text in page.short_elements:
        may_be = is_relative or page.may_have_date(node) or node.element in dated
        if may_be and len(text) <= _LONGEST:
            yield _Text(text, index, node.first, node.last)
    for index, node in enumerate(outline.nodes if dated else ()):
        if node.first == node.last and node.element in dated and _text_of_attributes(node.element):
            yield _Text("", index, node.first, node.last)
    counts = page.dated_lines
    for i, text in enumerate(outline.lines):
        may_be = _DIGIT.search(text) is not None if is_relative else counts[i + 1] > counts[i]
        if may_be and len(text) <= _LONGEST:
            leaf = outline.leaves[i]
            whole = outline.line(leaf.node, MOST_LEAVES)
            if len(leaf.text) <= LONGEST and not 0 < len(whole) <= _LONGEST:
                yield _Text(text, leaf.node, i, i + 1)


def _find_dated(root: Element) -> set[Element]:
    """The elements that ``_text_for_programs`` may have a text of."""
    around = set[Element]()
    for time in root.iter("time"):
        above: Element | None = time
        while above is not None and above not in around:
            around.add(above)
            above = above.getparent()
    titled = [element for element in _WITH_TITLES(root) if _date_of_attributes(element)]
    for element in (*_WITH_DATES(root), *titled):
        above = element
        for _ in range(_MAX_DEPTH):
            around.add(above)
            above = above.getparent()
            if above is None or len(above) != 1 or _has_text(above):
                break
    return around


def _read(page: PageSources, outline: Outline, one: _Text, is_relative: bool) -> str:
    node = outline.nodes[one.node]
    element, is_whole = node.element, (one.first, one.last) == (node.first, node.last)
    declared = _text_for_programs(element) if is_whole else ""
    text = declared or one.text
    if is_relative:
        is_read = _is_marked(element, one.text)
        return find_date(text, page.locale, page.fetched_at, page.date_order) if is_read else ""
    read = read_date if declared else find_date
    return read(text, page.locale, order=page.date_order) if _DIGIT.search(text) else ""


def _is_listed(outline: Outline, one: _Text, is_bare: bool, has_mates: bool) -> bool:
    """Whether a date in or after the text of the article is one of a list, such as teasers: an
    unmarked one with other dates at its path, or with a link of several words in its element; a
    marked one with other dates at its path, and such a link right beside it."""
    if is_bare and has_mates:
        return True
    if not is_bare and not has_mates:
        return False
    beside = _BESIDE if has_mates else 0
    leaves = outline.leaves[max(one.first - beside, 0) : one.last + beside]
    return any(
        len(leaf.text.split()) >= _LINK_WORDS and _is_in_link(outline, leaf.node) for leaf in leaves
    )


def _is_in_link(outline: Outline, node: int) -> bool:
    return any(outline.nodes[above].tag == "a" for above in islice(outline.path(node), _LINK_DEPTH))


def _end_of_title(page: PageSources, title: str) -> int:
    """The first leaf after the element that shows the title, else after the first ``h1``."""
    words = fold_words(title)
    found = page.with_words([words]) if words else []
    found = found or [one for one in page.short_elements if one.node.element.tag == "h1"]
    headings = [one for one in found if str(one.node.element.tag) in ("h1", "h2")]
    return next((one.node.last for one in (*headings, *found)), 0)


def _is_marked(element: Element, text: str) -> bool:
    """Whether the markup says that the element is a date, or it contains little else."""
    return element.tag == "time" or bool(_MARK.search(class_and_id(element))) or len(text) < _BARE


def _label_of(outline: Outline, one: _Text) -> bool | None:
    """Whether the text, the text before it, or the markup says that the date is that of the
    publication, or of a change (False)."""
    before = " ".join(outline.leaves[one.first - 1].text.split())[-_LABEL:] if one.first else ""
    marks = class_and_id(outline.nodes[one.node].element)
    labels = map(is_published_label, (one.text, before, marks))
    return next((label for label in labels if label is not None), None)


def find_date_xpaths(
    pages: Sequence[PageSources], shown: Sequence[Sequence[ShownDate]]
) -> list[str]:
    """The XPaths of the elements that are the likeliest on all pages, best first.

    ``shown``: for each page, the dates that may be the right one.
    """
    if len(pages) == 1:
        likely = sorted((one for one in shown[0] if one.cost < inf), key=lambda one: one.cost)
        return [_xpath_of(pages[0], one) for one in likely[:_MOST_XPATHS]]
    costs: dict[AnchoredPath, dict[int, float]] = {}
    elements: defaultdict[AnchoredPath, list[Element]] = defaultdict(list)
    for number, (page, dates) in enumerate(zip(pages, shown, strict=True)):
        paths = anchored_paths(page.page.outline) if dates else []
        for one in dates:
            costs.setdefault(paths[one.node], {}).setdefault(
                number, one.cost
            )  # the first one will be read
            elements[paths[one.node]].append(page.page.outline.nodes[one.node].element)
    costs = {path: own for path, own in costs.items() if median(own.values()) < inf}
    covered = max(map(len, costs.values()), default=0)

    def mean(path: AnchoredPath) -> float:
        own = [min(cost, _MISSING) for cost in costs[path].values()]
        return (sum(own) + _MISSING * (covered - len(own))) / covered

    ranked = sorted(costs, key=mean)[: 2 * _MOST_XPATHS]
    xpaths = (anchored_xpath(path, elements[path]) for path in ranked)
    return list(dict.fromkeys(xpaths))[:_MOST_XPATHS]


def _xpath_of(page: PageSources, one: ShownDate) -> str:
    """The XPath of an element; by its position if another one at its path comes first."""
    outline = page.page.outline
    node = outline.nodes[one.node]
    xpath = anchored_xpath(anchored_paths(outline)[one.node], [node.element])
    first = next(iter(select_elements(xpath, page.page.root)), None)
    return xpath if first is node.element else node.xpath

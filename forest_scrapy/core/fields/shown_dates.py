"""The dates that pages show, and which of them are likely those of the publication."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from math import inf
from statistics import median
from typing import NamedTuple

from lxml import etree

from forest_scrapy.core.fields.byline_elements import AsideFinder
from forest_scrapy.core.fields.dates import (
    MAX_LENGTH,
    find_date,
    find_published_date,
    is_other_label,
    is_published_label,
    may_have_date,
    read_date,
)
from forest_scrapy.core.fields.sources import MAX_LEAVES, PageSources, ShortElement
from forest_scrapy.core.fields.words import fold_words
from forest_scrapy.core.page.columns import find_with_attributes
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.tree import Element, class_and_id, has_one_child
from forest_scrapy.core.xpaths.anchored import AnchoredPath, anchored_paths, anchored_xpath
from forest_scrapy.core.xpaths.checking import select_elements

#: Characters of the longest element, and of the longest text in a longer one, that is read as a
#: date.
_MAX_TEXT_LENGTH = 120
#: Characters of an element with little but a date.
_MAX_BARE_LENGTH = 30
#: Characters of a label in front of a date.
_LABEL_LENGTH = 25
#: Characters of a text that is nothing but the label of another date.
_MAX_OTHER_LABEL = 40
#: Elements whose text is no label.
_NO_LABELS = frozenset(("a", "h1", "h2", "h3", "h4", "h5", "h6"))
#: Class names and ids of dates.
_DATE_MARK = re.compile(r"date|time|publish|posted|datum|fecha|data\b", re.IGNORECASE)
#: Class names and ids of dates of a change; "updated" stands also at dates of publication.
_CHANGE_MARK = re.compile(r"updat|modif|revis|edited|(?<![a-z])changed", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
#: A time in seconds or milliseconds since 1970, which scripts replace by a date.
_UNIX_TIME = re.compile(r"\s*1\d{9}(?:\d{3})?\s*")
_BEFORE_DIGIT = re.compile(r"\D*")
_TEXTS = etree.XPath(".//text()[not(parent::script or parent::style)]")
#: What the names of attributes have that may have a date.
_DATE_NAME = re.compile(r"data-.*(?:date|time|publish|created|posted|epoch|utc)")
#: Names of attributes with a date; not those of a change, of an event, or of the page's end.
_ATTRIBUTE = re.compile(
    r"data-(?!.*(?:updat|modif|edit|end|expir|until|event|start|due|zone|format|read))"
    r".*(?:date|time|publish|created|posted|epoch|utc)"
)
#: Characters of the longest ``title`` of an element that is a date.
_MAX_TITLE_LENGTH = 50
#: Attributes of an element that are read.
_MAX_ATTRIBUTES = 20
#: Elements in each other that are looked at.
_MAX_DEPTH = 4
#: Texts of an element that are looked at.
_MAX_TEXTS = 8
#: Characters of the first paragraph of the text.
_MIN_PARAGRAPH = 120
#: What makes a date unlikely, in text leaves between it and the title: above the title each leaf
#: counts as two.  A date of a change; one without a mark, also behind the start of the text; each
#: other date at the same path, up to six; a page without a date at the path.
_UPDATED_COST = 20
_UNMARKED_COST = 20
_IN_TEXT_COST = 100
_CROWD_COST = 5
_MAX_CROWD = 6
_MISSING_COST = 200
#: What makes it likely: a label such as "published", and the month of the page's URL.
_PUBLISHED_GAIN = 10
_URL_MONTH_GAIN = 20
#: Words of the shortest link that is a teaser, elements in it around a text, and leaves between
#: it and a date.
_MIN_LINK_WORDS = 4
_MAX_LINK_DEPTH = 4
_TEASER_DISTANCE = 2
_MONTH_OF_URL = re.compile(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])(?=/)")
#: Leaves between the title and a byline after it, and before it.  Not tuned.
_MAX_AFTER_TITLE = 12
_MAX_BEFORE_TITLE = 4
#: Class names and ids of what shows the present day.
_CLOCK_MARK = re.compile(r"(?<![a-z])(?:today|current|clock|now)(?![a-z])", re.IGNORECASE)
#: XPaths that are tried.
_MAX_XPATHS = 3


class ShownDate(NamedTuple):
    """A date as ISO 8601, the text that has it (with the date, if that is in an attribute), the
    node in the outline of its page, and the cost: the lower, the likelier it is that of the
    publication; infinite for one of a list, such as those of teasers.

    ``is_in_byline``: whether it stands where the byline of the article does, and not in a header or
    footer of the site (see ``_DatePlaces``).  ``is_of_publication``, ``is_of_change``: whether a
    label or the markup says so; a label such as "updated" makes the cost infinite, too.
    ``has_mark``: whether the markup says that it is a date."""

    value: str
    text: str
    node: int
    cost: float
    is_in_byline: bool = False
    is_of_publication: bool = False
    is_of_change: bool = False
    has_mark: bool = False


class _ShortText(NamedTuple):
    """A short text: the node that has it, its first leaf, and the one after its last."""

    text: str
    node: int
    first: int
    last: int


def date_texts(element: Element) -> Iterator[str]:
    """The texts of an element that may be a date: those for programs, its text on one line, or,
    if that is long, its own texts without those of the elements in it."""
    text = _text_of(element)
    if len(text) > MAX_LENGTH:
        yield from _direct_lines(element)
        return
    text_for_programs = _text_for_programs(element)
    if text_for_programs:
        yield text_for_programs
    if text:
        yield text


def _text_of(element: Element) -> str:
    """The text of an element on one line."""
    text = " ".join(_TEXTS(element))
    return " ".join(text.split())


def _direct_lines(element: Element) -> Iterator[str]:
    """The short texts of an element that are not in elements in it, each on one line."""
    direct_texts = [element.text]
    direct_texts += [child.tail for child in element]
    for direct_text in direct_texts:
        if not direct_text:
            continue
        line = " ".join(direct_text.split())
        if len(line) <= _MAX_TEXT_LENGTH:
            yield line


def read_published(element: Element, page: PageSources) -> tuple[str, str]:
    """The first date in an element that has no label of another date, such as "updated", in the
    element or right before it, and the text that has the date; empty if there is none."""
    label = _text_before(element)
    if not _DIGIT.search(label) and is_other_label(label):
        return "", ""
    text = _text_of(element)
    lines = [text]
    if len(text) > MAX_LENGTH:
        lines = list(_direct_lines(element))
    else:
        declared = _text_for_programs(element)
        if declared and not _has_other_label(text):
            value = read_date(declared, page.locale, page.fetched_at, page.date_order)
            if value:
                return value, declared
    for line in lines:
        value = find_published_date(line, page.locale, page.fetched_at, page.date_order)
        if value:
            return value, line
    return "", ""


def _has_other_label(text: str) -> bool:
    """Whether the text of an element with a date for programs says that it is another one."""
    label = _BEFORE_DIGIT.match(text)
    return label is not None and is_other_label(label.group())


def _text_before(element: Element) -> str:
    """The text right before an element, up to four elements away; ``""`` if there is none, or it
    is that of a heading or a link."""
    for _ in range(_MAX_DEPTH):
        previous = element.getprevious()
        if previous is None:
            above = element.getparent()
            if above is None or above.tag in ("body", "html"):
                return ""
            text = above.text or ""
            element = above
        else:
            text = previous.tail or ""
            is_comment = not isinstance(previous.tag, str)
            may_be_label = not is_comment and previous.tag not in _NO_LABELS
            if may_be_label and not text.strip():
                text = "".join(islice(previous.itertext(), _MAX_TEXTS))
            element = previous
        if text.strip():
            return " ".join(text.split())
    return ""


def _text_for_programs(element: Element) -> str:
    """The date as an attribute of the element or of the first ``time`` in it."""
    time = next(element.iter("time"), element)
    values = [element.get("datetime"), element.get("content"), time.get("datetime")]
    if time.tag == "time" and _UNIX_TIME.fullmatch(time.text or ""):
        values.append(time.text)
    for value in values:
        if value and value.strip():
            return value
    text_of_element = _text_of_attributes(element)
    if text_of_element or time is element:
        return text_of_element
    return _text_of_attributes(time)


def _text_of_attributes(element: Element) -> str:
    """The date in a ``data-`` attribute, such as ``data-timestamp``, or in the ``title`` of an
    element that shows another form of it, such as "3 days ago", or of one that is all there is in
    it; ``""`` if there is none."""
    for _ in range(_MAX_DEPTH):
        date = _date_of_attributes(element)
        if date:
            return date
        if not has_one_child(element) or _has_text(element):
            break
        element = element[0]
    return ""


def _has_text(element: Element) -> bool:
    """Whether an element has text around the first one in it."""
    text = element.text or ""
    text_after_first = element[0].tail or ""
    return bool(text.strip() or text_after_first.strip())


def _date_of_attributes(element: Element) -> str:
    attributes = islice(element.items(), _MAX_ATTRIBUTES)
    for name, value in attributes:
        is_date_name = name.startswith("data-") and _ATTRIBUTE.match(name)
        if is_date_name and read_date(value) and _may_show_date(element):
            return value
    title = element.get("title") or ""
    is_short = 0 < len(title) <= _MAX_TITLE_LENGTH
    if is_short and may_have_date(title):
        return title
    return ""


def _may_show_date(element: Element) -> bool:
    """Whether scripts may write a date into the element: it is marked as one, or has no text, or
    one with a number.  Buttons for sharing have the date of the page's generation."""
    if element.tag in ("time", "abbr"):
        return True
    if _DATE_MARK.search(class_and_id(element)):
        return True
    texts = islice(element.itertext(), _MAX_TEXTS)
    text = "".join(texts).strip()
    return not text or _DIGIT.search(text) is not None


def find_shown(
    page: PageSources,
    title: str,
    is_relative: bool,
) -> list[ShownDate]:
    """The dates in short elements and texts of the page, without those in comments and menus,
    in document order.  ``title``: that of the page; ``is_relative``: also relative dates, where
    the markup says that the element is a date."""
    if is_relative:
        return _find_shown(page, title, is_relative=True)
    key = ("shown dates", title, page.locale, page.date_order)
    notes = page.page.notes
    if key not in notes:
        notes[key] = _find_shown(page, title, is_relative=False)
    shown_dates: list[ShownDate] = notes[key]
    return shown_dates


def _find_shown(page: PageSources, title: str, is_relative: bool) -> list[ShownDate]:
    outline = page.page.outline
    is_aside = AsideFinder()
    dates: list[tuple[str, bool, _ShortText]] = []
    for text in _short_texts(page, is_relative):
        value, is_other = _read(page, text, is_relative)
        if not value:
            continue
        element = outline.nodes[text.node].element
        if not is_aside(element):
            dates.append((value, is_other, text))
    if not dates:
        return []

    costs = _DateCosts(page, title)
    places = _DatePlaces(outline, _find_title(page, title), costs.text_start)
    paths = anchored_paths(outline)
    crowds = Counter(paths[text.node] for _, _, text in dates)
    shown_dates = []
    for value, is_other, text in dates:
        other_dates = crowds[paths[text.node]] - 1
        is_other = is_other or _has_other_label_before(outline, text)
        is_published = _is_labelled_published(outline, text)
        cost = inf
        if not is_other:
            cost = costs.cost_of(value, text, other_dates, is_published)
        shown_text = text.text
        if cost < inf and not may_have_date(shown_text):
            shown_text = f"{shown_text} {value}"
        shown_date = ShownDate(
            value=value,
            text=shown_text,
            node=text.node,
            cost=cost,
            is_in_byline=cost < inf and places.is_in_byline(text),
            is_of_publication=is_published is True,
            is_of_change=is_other or is_published is False,
            has_mark=_has_date_mark(outline.nodes[text.node].element),
        )
        shown_dates.append(shown_date)
    return shown_dates


class _DateCosts:
    """How unlikely the dates of a page are that of the publication; ``text_start``: the first leaf
    of the text."""

    def __init__(self, page: PageSources, title: str) -> None:
        self._outline = page.page.outline
        self._title_end = _find_end_of_title(page, title)
        self.text_start = self._find_text_start()
        months = _MONTH_OF_URL.findall(page.page.url)
        self._url_month = "-".join(months[0]) if months else ""

    def _find_text_start(self) -> int:
        """The first long text leaf after the title, the end of the title if there is none."""
        leaves = self._outline.leaves[self._title_end :]
        for number, leaf in enumerate(leaves, self._title_end):
            if len(leaf.text) >= _MIN_PARAGRAPH:
                return number
        return self._title_end

    def cost_of(
        self,
        value: str,
        text: _ShortText,
        crowd: int,
        is_published: bool | None,
    ) -> float:
        """The cost of a date as in ``ShownDate``.  ``crowd``: the number of other dates at its
        path; ``is_published``: as of ``_is_labelled_published``."""
        element = self._outline.nodes[text.node].element
        is_bare = not _is_marked(element, text.text)
        is_in_text = text.first > self.text_start
        has_mates = crowd > 0
        if is_in_text and _is_listed(self._outline, text, is_bare, has_mates):
            return inf

        cost: float
        if text.first >= self._title_end:
            cost = text.first - self._title_end
        else:
            cost = 2 * (self._title_end - text.first)
        cost += _CROWD_COST * min(crowd, _MAX_CROWD)
        if is_bare:
            cost += _UNMARKED_COST
        if is_bare and is_in_text:
            cost += _IN_TEXT_COST

        if is_published:
            cost -= _PUBLISHED_GAIN
        elif is_published is not None:
            cost += _UPDATED_COST
        is_of_month = bool(self._url_month) and value.startswith(self._url_month)
        if is_of_month:
            cost -= _URL_MONTH_GAIN
        return cost


class _DatePlaces:
    """Tells which dates of a page stand where the byline of the article does.

    ``title``: the element that shows the title of the page, None if there is none: then nothing is
    in its byline.  ``text_start``: the first leaf of the text.
    """

    def __init__(self, outline: Outline, title: ShortElement | None, text_start: int) -> None:
        self._outline = outline
        self._title = title
        self._text_start = text_start
        #: Whether nodes that contain the title are in an ``article``, or are one.
        self._are_in_article: dict[int, bool] = {}
        #: For the nodes passed so far, the lowest node that contains them and the title.
        self._around: dict[int, int] = {}
        if title is not None:
            self._note_path(title.position)

    def _note_path(self, title: int) -> None:
        is_in_article = False
        for node in reversed([*self._outline.path(title)]):
            is_in_article |= self._outline.nodes[node].tag == "article"
            self._are_in_article[node] = is_in_article
            self._around[node] = node

    def is_in_byline(self, text: _ShortText) -> bool:
        """Whether a date stands between the title and the text; before the title, but not above
        the whole article; or after the text, in the same ``article`` and with a label such as
        "posted".  The day of the visit and that of the site's last build stand elsewhere."""
        title = self._title
        if title is None:
            return False
        element = self._outline.nodes[text.node].element
        if _CLOCK_MARK.search(class_and_id(element)):
            return False
        title_end = title.node.last
        if text.first < title.node.first:
            distance = title.node.first - text.last
            return distance <= _MAX_BEFORE_TITLE and self._is_beside_title(text.node)
        if text.first <= self._text_start:
            return title_end <= text.first <= title_end + _MAX_AFTER_TITLE
        return self._is_at_end(text)

    def _is_beside_title(self, node: int) -> bool:
        """Whether the element around a node and the title is an ``article``, or has the title
        without the text."""
        outer = self._outline.nodes[self._find_around(node)]
        return outer.tag == "article" or outer.last <= self._text_start

    def _is_at_end(self, text: _ShortText) -> bool:
        around = self._find_around(text.node)
        is_in_article = self._are_in_article[around]
        return is_in_article and bool(_is_labelled_published(self._outline, text))

    def _find_around(self, node: int) -> int:
        """The lowest node that contains a node and the title.  Each node is passed once: a page
        may nest thousands of elements, and have as many dates."""
        passed = []
        while node not in self._around:
            passed.append(node)
            node = self._outline.nodes[node].parent
        around = self._around[node]
        for passed_node in passed:
            self._around[passed_node] = around
        return around


def _short_texts(page: PageSources, is_relative: bool) -> Iterator[_ShortText]:
    """The texts of short elements, and short texts in long ones, that may have a date."""
    outline = page.page.outline
    dated_elements = _find_dated(page.page.root)
    dated_lines = page.dated_lines
    for index, node, text in page.short_elements:
        if len(text) > _MAX_TEXT_LENGTH:
            continue
        has_date = dated_lines[node.last] > dated_lines[node.first]
        if has_date or is_relative or node.element in dated_elements:
            yield _ShortText(text, index, node.first, node.last)
    if dated_elements:
        yield from _empty_dated(outline, dated_elements)
    yield from _short_lines(page, is_relative)


def _empty_dated(
    outline: Outline,
    dated_elements: set[Element],
) -> Iterator[_ShortText]:
    """The elements without text that have a date for programs in an attribute."""
    for index, node in enumerate(outline.nodes):
        is_empty = node.first == node.last
        if not is_empty or node.element not in dated_elements:
            continue
        if _text_of_attributes(node.element):
            yield _ShortText("", index, node.first, node.last)


def _short_lines(page: PageSources, is_relative: bool) -> Iterator[_ShortText]:
    """The short texts in long elements that may have a date."""
    outline = page.page.outline
    dated_lines = page.dated_lines
    for number, text in enumerate(outline.lines):
        if is_relative:
            may_be = _DIGIT.search(text) is not None
        else:
            may_be = dated_lines[number + 1] > dated_lines[number]
        if not may_be or len(text) > _MAX_TEXT_LENGTH:
            continue
        leaf = outline.leaves[number]
        element_text = outline.line(leaf.node, MAX_LEAVES)
        is_short_element = 0 < len(element_text) <= _MAX_TEXT_LENGTH
        if len(leaf.text) <= MAX_LENGTH and not is_short_element:
            yield _ShortText(text, leaf.node, number, number + 1)


def _find_dated(root: Element) -> set[Element]:
    """The elements that ``_text_for_programs`` may have a text of."""
    dated_elements = set[Element]()
    above: Element | None
    for time in root.iter("time"):
        above = time
        while above is not None and above not in dated_elements:
            dated_elements.add(above)
            above = above.getparent()

    for element in find_with_attributes(root, _may_have_date):
        if not _may_have_attribute(element):
            continue
        above = element
        for _ in range(_MAX_DEPTH):
            dated_elements.add(above)
            above = above.getparent()
            if above is None:
                break
            if not has_one_child(above) or _has_text(above):
                break
    return dated_elements


def _may_have_date(name: str) -> bool:
    """Whether an attribute with this name may have a date for programs."""
    return name in ("datetime", "content", "title") or _DATE_NAME.match(name) is not None


def _may_have_attribute(element: Element) -> bool:
    """Whether an element may have a date for programs in an attribute."""
    names = element.keys()
    if "datetime" in names or "content" in names:
        return True
    if any(map(_DATE_NAME.match, names)):
        return True
    return "title" in names and bool(_date_of_attributes(element))


def _read(page: PageSources, text: _ShortText, is_relative: bool) -> tuple[str, bool]:
    """The date in a text, or in the attributes of the element that has no other text, and whether
    it has the label of another date, such as "updated"."""
    node = page.page.outline.nodes[text.node]
    if is_relative and not _is_marked(node.element, text.text):
        return "", False

    is_whole_element = (text.first, text.last) == (node.first, node.last)
    declared = _text_for_programs(node.element) if is_whole_element else ""
    fetched_at = page.fetched_at if is_relative else ""
    if declared and not is_relative:
        if not _DIGIT.search(declared):
            return "", False
        value = read_date(declared, page.locale, order=page.date_order)
        return value, _has_other_label(text.text)

    date_text = declared or text.text
    if not is_relative and not _DIGIT.search(date_text):
        return "", False
    value = find_published_date(date_text, page.locale, fetched_at, page.date_order)
    if value:
        return value, False
    return find_date(date_text, page.locale, fetched_at, page.date_order), True


def _is_listed(
    outline: Outline,
    text: _ShortText,
    is_bare: bool,
    has_mates: bool,
) -> bool:
    """Whether a date in or after the text of the article is one of a list, such as teasers: an
    unmarked one with other dates at its path, or with a link of several words in its element; a
    marked one with other dates at its path, and such a link right beside it."""
    if is_bare and has_mates:
        return True
    if not is_bare and not has_mates:
        return False
    distance = _TEASER_DISTANCE if has_mates else 0
    first = max(text.first - distance, 0)
    leaves = outline.leaves[first : text.last + distance]
    for leaf in leaves:
        is_long = len(leaf.text.split()) >= _MIN_LINK_WORDS
        if is_long and _is_in_link(outline, leaf.node):
            return True
    return False


def _is_in_link(outline: Outline, node: int) -> bool:
    path = islice(outline.path(node), _MAX_LINK_DEPTH)
    return any(outline.nodes[above].tag == "a" for above in path)


def _find_end_of_title(page: PageSources, title: str) -> int:
    """The first leaf after the element that shows the title, else after the first ``h1``."""
    element = _find_title(page, title)
    if element is not None:
        return element.node.last
    for element in page.short_elements:
        if element.node.element.tag == "h1":
            return element.node.last
    return 0


def _find_title(page: PageSources, title: str) -> ShortElement | None:
    """The element that shows the title, a heading if there is one; None if none does."""
    words = fold_words(title)
    elements = page.with_words([words]) if words else []
    for element in elements:
        tag = str(element.node.element.tag)
        if tag in ("h1", "h2"):
            return element
    if elements:
        return elements[0]
    return None


def _is_marked(element: Element, text: str) -> bool:
    """Whether the markup says that the element is a date, or it contains little else."""
    return len(text) < _MAX_BARE_LENGTH or _has_date_mark(element)


def _has_date_mark(element: Element) -> bool:
    if element.tag == "time":
        return True
    return _DATE_MARK.search(class_and_id(element)) is not None


def _is_labelled_published(outline: Outline, text: _ShortText) -> bool | None:
    """Whether the text, the text before it, or the markup says that the date is that of the
    publication (True), or of a change (False); None if nothing says either."""
    before = ""
    if text.first:
        previous_leaf = outline.leaves[text.first - 1]
        line = " ".join(previous_leaf.text.split())
        before = line[-_LABEL_LENGTH:]
    for label in (text.text, before):
        is_published = is_published_label(label)
        if is_published is not None:
            return is_published
    element = outline.nodes[text.node].element
    marks = class_and_id(element)
    if is_published_label(marks):
        return True
    return False if _CHANGE_MARK.search(marks) else None


def _has_other_label_before(outline: Outline, text: _ShortText) -> bool:
    """Whether the text before a date is nothing but a label such as "updated" or "registered", and
    not the end of a heading or a link."""
    if not text.first:
        return False
    leaf = outline.leaves[text.first - 1]
    label = " ".join(leaf.text.split())
    if len(label) > _MAX_OTHER_LABEL or not is_other_label(label):
        return False
    path = islice(outline.path(leaf.node), _MAX_LINK_DEPTH)
    return not any(outline.nodes[above].tag in _NO_LABELS for above in path)


def find_date_xpaths(
    pages: Sequence[PageSources],
    shown_dates: Sequence[Sequence[ShownDate]],
) -> list[str]:
    """The XPaths of the elements that are the likeliest on all pages, best first.

    ``shown_dates``: for each page, the dates that may be the right one.
    """
    if len(pages) == 1:
        likely = [date for date in shown_dates[0] if date.cost < inf]
        likely.sort(key=lambda date: date.cost)
        return [_xpath_of(pages[0], date) for date in likely[:_MAX_XPATHS]]

    dates_at_paths: dict[AnchoredPath, _DatesAtPath] = {}
    pairs = zip(pages, shown_dates, strict=True)
    for number, (page, dates) in enumerate(pairs):
        outline = page.page.outline
        paths = anchored_paths(outline) if dates else []
        for date in dates:
            path = paths[date.node]
            dates_at_path = dates_at_paths.setdefault(path, _DatesAtPath({}, []))
            dates_at_path.costs.setdefault(number, date.cost)  # the first one will be read
            dates_at_path.elements.append(outline.nodes[date.node].element)

    likely_paths = []
    max_pages = 0
    for path, dates_at_path in dates_at_paths.items():
        if dates_at_path.is_likely:
            likely_paths.append(path)
            max_pages = max(max_pages, len(dates_at_path.costs))
    likely_paths.sort(key=lambda path: dates_at_paths[path].mean_cost(max_pages))

    best_paths = likely_paths[: 2 * _MAX_XPATHS]  # several paths may have the same XPath
    xpaths = []
    for path in best_paths:
        elements = dates_at_paths[path].elements
        xpaths.append(anchored_xpath(path, elements))
    return list(dict.fromkeys(xpaths))[:_MAX_XPATHS]


class _DatesAtPath(NamedTuple):
    """The dates at one anchored path: the cost of the first one by the number of its page, and
    the elements of all."""

    costs: dict[int, float]
    elements: list[Element]

    @property
    def is_likely(self) -> bool:
        """Whether the dates of half of the pages are not those of a list."""
        return median(self.costs.values()) < inf

    def mean_cost(self, page_count: int) -> float:
        """The mean of the costs on the pages; ``page_count``: of which some may have no date."""
        costs = [min(cost, _MISSING_COST) for cost in self.costs.values()]
        missing = page_count - len(costs)
        return (sum(costs) + _MISSING_COST * missing) / page_count


def _xpath_of(page: PageSources, date: ShownDate) -> str:
    """The XPath of an element; by its position if another one at its path comes first."""
    outline = page.page.outline
    node = outline.nodes[date.node]
    path = anchored_paths(outline)[date.node]
    xpath = anchored_xpath(path, [node.element])
    elements = select_elements(xpath, page.page.root)
    first = next(iter(elements), None)
    if first is node.element:
        return xpath
    return node.xpath

"""Which elements are bylines: by their text, by a link to the author's page, by their class."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, islice, pairwise
from typing import NamedTuple, TypeVar
from urllib.parse import unquote

from forest_scrapy.core.fields.bylines import (
    ELEMENT_END,
    LABELS,
    cut_date,
    has_writer,
    is_name_like,
    is_plausible_name,
    may_credit,
    read_credit,
    read_labelled,
    read_short_byline,
    read_with_role,
    split_names,
)
from forest_scrapy.core.page.outline import Node, Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.tree import Element, class_and_id, is_block, is_ignored
from forest_scrapy.core.site_caches import site_cache
from forest_scrapy.core.xpaths.structural import MAX_CACHED_LENGTH

_MENU_MARK = re.compile(r"(?<![a-z])menu(?![a-z])", re.IGNORECASE)
#: Characters of the longest element that says who wrote the article, and of the longest byline.
MAX_CREDIT_LENGTH = 120
_MAX_BYLINE_LENGTH = 2000
_MAX_URL_LENGTH = 500
#: Elements in each other that are looked at.
MAX_DEPTH = 5
#: Links looked at in an element.
_MAX_LINKS = 5
#: Elements at an XPath.
_MAX_ELEMENTS = 50
#: Elements looked at, and siblings on each side of the byline.  Of 150, 400 and all elements, 150
#: finds fewer authors on wcxb-dev-articles, and all find more wrong ones on fundus.
_MAX_VISITED = 400
_MAX_SIBLINGS = 25
#: Elements after the title among which one word after "by" is the author.  Not tuned.
_MAX_AFTER_TITLE = 40
#: Characters, with white space, and elements of the largest element whose text is read.
_MAX_CHARACTERS = 4 * MAX_CREDIT_LENGTH
_MAX_INNER = 40
#: Elements in each other with the same text.
_MAX_SAME_TEXT_DEPTH = 10
#: Lines that are looked at; lines after a byline among which the text begins, and characters of
#: the first line of a text.
_MAX_LINES = 400
_MAX_LINES_BETWEEN = 3
#: Lines below the title among which its byline is.
_MAX_HEAD_LINES = 12
#: Words of the longest phrase such as "written by" that is an element of its own.
_MAX_PHRASE_WORDS = 2
_MIN_TEXT = 120

#: Class names and ids of bylines, and of elements that are something else.
_BYLINE_MARK = re.compile(
    r"author|by-?line|autor|redakteur|verfasser|auteur|writer|creator|contributor|reporter",
    re.IGNORECASE,
)
_OTHER_MARKS = (
    r"comment|related|avatar|recommend|teaser|bio(?![a-z])|image|img|bild|foto|photo|caption|quote|"
    r"social|contact|socmed|share|nav|menu|brand|poweredby|powered-by|"
    r"(?<![a-z])(?:role|job|position|desc|description|prefix|label|heading|profession|occupation|"
    r"count|title|tabs?)(?![a-z])"
)
_OTHER_MARK = re.compile(_OTHER_MARKS, re.IGNORECASE)
# The same for names in lower case, in a third of the time.
_OTHER_MARK_LOWER = re.compile(_OTHER_MARKS)
#: The page of an author: a folder of authors in the path, or a parameter, and the author's name.
_AUTHOR_PAGE = re.compile(
    r"(?:/(?:authors?|autor(?:es|en|in|a)?|auteurs?|autore|autori|profiles?|contributors?|"
    r"reporters?|writers?|journalists?|redakteure?|columnists?|penulis|yazar(?:lar)?|"
    r"forfatter|skribent)/|[?&]_?author=)([^?#&]*[^/?#&])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
#: White space inside of a line, but no single space; what stands at the ends of elements; and both.
_LINE_SPACE = re.compile(r"\s(?:(?<! )|\s)\s*+")
_BOUNDS = re.compile(r" (?<!  ) *+[\n\x1f][ \n\x1f]*+|\n[ \n\x1f]*+|\x1f[ \n\x1f]*+")
_SPACES = " \n\x1f"
#: The first letters of labels.
_INITIALS = frozenset(label[0] for label in LABELS)
_LAST_STEP = re.compile(r"(?<![^/?#])([^/?#]++)/?(?:[?#].*)?$", re.DOTALL)

#: An element with a short text: its index among the nodes, its node, and the text on one line.
Shown = TypeVar("Shown", bound=tuple[int, Node, str])


class AsideFinder:
    """Tells whether elements of a page are in readers' comments, by class names, or in menus;
    those of ``html`` and ``body`` do not count, because they may just say that the page has
    comments.  What was found for an element is kept for those below it."""

    def __init__(self) -> None:
        self._decisions: dict[Element, bool] = {}

    def __call__(self, element: Element) -> bool:
        decisions = self._decisions
        path = list[Element]()
        above: Element | None = element
        while above is not None and above not in decisions and above.tag not in ("body", "html"):
            path.append(above)
            above = above.getparent()
        is_inside = above is not None and decisions.get(above, False)
        for undecided in reversed(path):
            is_inside = is_inside or _is_aside(undecided)
            decisions[undecided] = is_inside
        return is_inside


def _is_aside(element: Element) -> bool:
    classes = element.get("class") or ""
    if "comment" in classes:
        return next(element.iter("h1"), None) is None  # not one around the article
    is_menu = element.tag == "nav" or _MENU_MARK.search(classes) is not None
    return is_menu and next(element.iter("h1", "article"), None) is None


class _Phrases(NamedTuple):
    """For each line, whether a text that begins with it may have a phrase or a label; and the
    number of lines before it that may have one inside."""

    begins: list[bool]
    inside: list[int]


class Credits:
    """Reads who wrote the article in the elements of a page: in a phrase such as "written by" or
    after a label such as "Author", or in a link to the author's page."""

    def __init__(self, page: Page) -> None:
        self.outline = page.outline
        self.language = page.language
        self.is_aside = AsideFinder()

    def read(self, index: int, text: str) -> list[str]:
        """The names in the node with this text on one line, if it says who wrote the article."""
        if len(text) > MAX_CREDIT_LENGTH or not self.may_have[index]:
            return []
        element = self.outline.nodes[index].element
        names = read_credit(text, self.language)
        if not names:
            names = _read_label(text, element)
        may_have_role = len(element) > 0 and not any(map(str.isdigit, text))  # not a comment's date
        if not names and may_have_role and self.begins[self.outline.nodes[index].first]:
            names = read_credit(byline_text(element), self.language)
        if not names and index in self._with_author_link and is_plausible_name(text):
            names = split_names(text, is_visible=True)
        if not names:
            return []
        return _find_credit(byline_text(element), element, self.language) or names

    @cached_property
    def may_have(self) -> list[bool]:
        """For each node whether it may say who wrote the article, if its text is short enough."""
        begins, inside = self._phrases
        may_have = [
            first < last and (begins[first] or inside[first] < inside[last])
            for _, _, _, _, _, first, last, _ in self.outline.nodes
        ]
        for index in self._with_author_link:
            may_have[index] = True
        return may_have

    @property
    def begins(self) -> list[bool]:
        """For each line whether a text that begins with it may have a phrase or a label."""
        return self._phrases.begins

    @cached_property
    def _phrases(self) -> _Phrases:
        """Too long lines have no phrase and no label."""
        begins = []
        counts = [0]
        for line in self.outline.lines:
            may_begin = False
            may_contain = False
            if len(line) <= MAX_CREDIT_LENGTH:
                may_begin, may_contain = may_credit(line, self.language)
            begins.append(may_begin)
            counts.append(counts[-1] + may_contain)
        return _Phrases(begins, counts)

    @cached_property
    def _with_author_link(self) -> set[int]:
        """The nodes with text of whose first links one is to the page of an author."""
        nodes = self.outline.nodes
        links = []
        for index, node in enumerate(nodes):
            if node.tag == "a":
                links.append(index)
        with_link = set[int]()
        for number, link in enumerate(links):
            if not _is_author_link(nodes[link].element):
                continue
            # An element that begins before this link has too many links in front of the author's.
            too_far = links[number - _MAX_LINKS] if number >= _MAX_LINKS else -1
            for index in self.outline.path(link):
                if index <= too_far:
                    break
                if nodes[index].first < nodes[index].last:
                    with_link.add(index)
        return with_link

    def find(self, elements: Iterable[Shown]) -> dict[Shown, list[str]]:
        """The names by those of the elements that have some, without those in comments and menus.
        ``elements``: positions, nodes and texts, in document order."""
        names_by_element = {}
        for element in elements:
            index, node, text = element
            if not self.may_have[index]:
                continue
            names = self.read(index, text)
            if names and not self.is_aside(node.element):
                names_by_element[element] = names
        return names_by_element


def read_bylines(elements: Iterable[Element], language: str) -> list[str]:
    """The names by the first of these elements and by those beside it, if they say who wrote the
    article, else all names in these; the other elements belong to other articles of a list."""
    bylines: list[tuple[Element, str]] = []
    for element in islice(elements, _MAX_ELEMENTS):
        text = byline_text(element)[:_MAX_BYLINE_LENGTH].strip()
        is_beside_first = not bylines or element.getparent() is bylines[0][0].getparent()
        if text and is_beside_first:
            bylines.append((element, text))

    names: list[str] = []
    for element, text in bylines:
        names += _find_credit(text, element, language)
    if not names:
        for _, text in bylines:
            names += split_names(text, is_visible=True)
    return names


def byline_text(element: Element) -> str:
    """The visible text below the element, one line per block, with ``ELEMENT_END`` between the
    texts of elements of one line, as between a name and a role."""
    pieces: list[str] = []
    stack = [(element, False)]
    while stack:
        descendant, ended = stack.pop()
        pieces.append("\n" if is_block(descendant) else ELEMENT_END)
        if ended or is_ignored(descendant):
            if descendant is not element and descendant.tail:
                pieces.append(_LINE_SPACE.sub(" ", descendant.tail))
            continue
        if descendant.text:
            pieces.append(_LINE_SPACE.sub(" ", descendant.text))
        stack.append((descendant, True))
        stack.extend((child, False) for child in reversed(descendant))
    text = _BOUNDS.sub(_join_bounds, "".join(pieces))
    return text.strip(_SPACES)


def _join_bounds(bounds: re.Match[str]) -> str:
    """One end of an element or a line; none before punctuation, which belongs to the text."""
    text = bounds.string
    end = bounds.end()
    if "\n" in bounds[0]:
        return "\n"
    is_before_punctuation = end < len(text) and text[end] in ",;:.)’'"
    return "" if is_before_punctuation else ELEMENT_END


def _find_credit(text: str, element: Element, language: str) -> list[str]:
    """The authors in an element that says who wrote the article: its text has a phrase such as
    "written by" or a label such as "Author" before a name, or is a link to the author's page;
    empty if it is neither."""
    names = read_credit(text, language) or _read_label(text, element)
    if names:
        return names
    links = islice(element.iter("a"), _MAX_LINKS)
    has_author_link = any(map(_is_author_link, links))
    if has_author_link and is_plausible_name(text):
        return split_names(text, is_visible=True)
    return []


def _read_label(text: str, element: Element) -> list[str]:
    """The names after a label that is an element of its own."""
    may_be_label = text[:1].casefold() in _INITIALS
    if not may_be_label or len(element) == 0:
        return []
    first_text = next(filter(str.strip, element.itertext()), "")
    label = " ".join(first_text.split())
    if not text.startswith(label):
        return []
    text_after = text[len(label) :]
    return read_labelled(label, text_after.strip())


def _is_author_link(link: Element) -> bool:
    """Whether the link is to the page of the author that its text names: ``rel=author``, or the
    URL has a folder of authors; and the URL has a word of the name, or a number."""
    relations = (link.get("rel") or "").split()
    is_declared = "author" in relations
    url = link.get("href") or ""
    slug = _read_slug(url[:_MAX_URL_LENGTH], is_declared)
    if slug is None:
        return False

    text = "".join(link.itertext())
    text = " ".join(text.split())
    for word in _WORD.findall(text.casefold()):
        if len(word) > 2 and word in slug:
            return True
    has_number = any(map(str.isdigit, slug))
    return is_name_like(text) and (is_declared or has_number)


@site_cache
@lru_cache(maxsize=8192)  # the same links are on all pages of a site
def _read_slug(url: str, is_declared: bool) -> str | None:
    """The letters and digits of the last step of the URL of an author's page, case-folded; None if
    it is another page.  ``is_declared``: the link says that it is one."""
    pattern = _LAST_STEP if is_declared else _AUTHOR_PAGE
    match = pattern.search(url)
    if match is None:
        return None
    last_step = unquote(match[1]).casefold()
    return "".join(_WORD.findall(last_step))


def find_marked(elements: Iterable[Shown], outline: Outline) -> Iterator[Shown]:
    """Those of the elements that are bylines with authors by their attributes, or by those of one
    with the same text in it.  ``elements``: as of ``Credits.find``."""
    marked = []
    for index, node in enumerate(outline.nodes):
        if _is_marked(node):
            marked.append(index)
    if not marked:
        return
    for element in elements:
        index, _, text = element
        nearest = bisect_left(marked, index)
        if nearest == len(marked):
            continue
        is_inside = marked[nearest] < outline.ends[index]
        if is_inside and _names_authors(text, index, outline):
            yield element


def _names_authors(text: str, index: int, outline: Outline) -> bool:
    """Whether a node, or one in it with the same text, is marked as a byline, and its text is a
    name."""
    for inner_index in outline.same_text(index, MAX_DEPTH):
        node = outline.nodes[inner_index]
        if not _is_marked(node):
            continue
        names = split_names(cut_date(text), is_visible=True)
        if not names:
            return False
        if is_marked_name(node.element) and names[0].istitle():
            return True
        return is_name_like(names[0])
    return False


def _is_marked(node: Node) -> bool:
    classes, id, itemprop, _ = node.names
    if itemprop == "author" or node.element.get("rel") == "author":
        return True
    if classes is None and id is None:
        return False
    names = f"{classes or ''} {id or ''}"
    is_short = len(names) <= MAX_CACHED_LENGTH
    if is_short:
        return _are_byline_names(names)
    return _are_byline_names.__wrapped__(names)


@site_cache
@lru_cache(maxsize=8192)  # the same classes are on all pages of a site
def _are_byline_names(names: str) -> bool:
    if names.isascii():
        other_mark = _OTHER_MARK_LOWER.search(names.lower())
    else:
        other_mark = _OTHER_MARK.search(names)
    if other_mark:
        return False
    return _BYLINE_MARK.search(names) is not None


def is_marked_name(element: Element) -> bool:
    """Whether the attributes of a byline say that it is a name and nothing else."""
    if element.get("rel") == "author":
        return True
    return "name" in class_and_id(element).lower()


def read_nearest(credits: Credits) -> list[str]:
    """The names by the element nearest to the first ``h1`` that says who wrote the article, and by
    those beside it; elements above the title count as twice as far away; else by an element right
    after the title with "by" and one word, or with a name and the role of a writer.  Without those
    in comments and menus."""
    reader = _NearestCredit(credits)
    nodes = credits.outline.nodes
    headings = (index for index, node in enumerate(nodes) if node.tag == "h1")
    title = next(headings, None)
    nearest = _from_title(title or 0, len(nodes))
    may_have = credits.may_have
    for index in islice(nearest, _MAX_VISITED):
        if may_have[index] and reader.read(index):
            names = []
            for sibling in reader.beside(index):
                names += reader.read(sibling)
            return names
    if title is None:
        return []
    after_title = range(title + 1, len(nodes))
    for index in after_title[:_MAX_AFTER_TITLE]:
        names = reader.read_short(index)
        if names:
            return names
    end_without_role = 0
    for index in after_title[:_MAX_AFTER_TITLE]:
        if index < end_without_role:
            continue
        if not reader.may_have_role(index):
            end_without_role = credits.outline.ends[index]
            continue
        names = reader.read_with_role(index)
        if names:
            return names
    return []


def read_below_title(credits: Credits) -> list[str]:
    """The full names by the first line below the first ``h1`` and before the text that has a phrase
    such as "by"; it is no other article's, and no user's of the publishing system."""
    outline = credits.outline
    title = next((node for node in outline.nodes if node.tag == "h1"), None)
    if title is None:
        return []
    head = outline.lines[title.last : title.last + _MAX_HEAD_LINES]
    for line, next_line in pairwise([*head, ""]):
        if len(line) > MAX_CREDIT_LENGTH:
            return []
        names = read_credit(line, credits.language)
        is_phrase = len(line.split()) <= _MAX_PHRASE_WORDS
        if not names and is_phrase and len(next_line) <= MAX_CREDIT_LENGTH:
            names = read_credit(f"{line} {next_line}", credits.language)
        if names:
            return names if all(map(_is_full_name, names)) else []
    return []


def read_line(credits: Credits) -> list[str]:
    """The names by the first line between line breaks that is a byline: it has nothing else but a
    phrase such as "by", names of two words or more, and maybe a date, and the text begins right
    after it in the same element, as on old pages.  Without those in comments and menus."""
    outline = credits.outline
    for number, may_begin in enumerate(credits.begins[:_MAX_LINES]):
        if not may_begin:
            continue
        node = outline.nodes[outline.leaves[number].node]
        end = min(number + 1 + _MAX_LINES_BETWEEN, node.last)
        lines_after = outline.lines[number + 1 : end]
        has_text_after = any(len(line) >= _MIN_TEXT for line in lines_after)
        if not has_text_after:
            continue
        names = read_short_byline(outline.lines[number], credits.language)
        are_full = bool(names) and all(map(_is_full_name, names))
        if are_full and not credits.is_aside(node.element):
            return names
    return []


def _is_full_name(name: str) -> bool:
    return " " in name and is_name_like(name)


def has_text_after_break(root: Element) -> bool:
    """Whether the page has long text after line breaks, as old pages have; without any it has no
    byline that ``read_line`` finds.  Cost: a search for ``br``, far less than an outline."""
    for line_break in root.iter("br"):
        text = line_break.tail
        if text and len(text.strip()) >= _MIN_TEXT:
            return True
    return False


class _NearestCredit:
    """Reads the names in the elements of a page that say who wrote the article."""

    def __init__(self, credits: Credits) -> None:
        self._credits = credits
        self._outline = credits.outline
        lengths = (len(leaf.text) for leaf in self._outline.leaves)
        self._characters_before = list(accumulate(lengths, initial=0))

    def read(self, index: int) -> list[str]:
        """The names in the node; empty if it says no such thing."""
        if not self._credits.may_have[index]:
            return []
        text = self._text(index)
        if not text:
            return []
        names = self._credits.read(index, text)
        if names and not self._is_aside(index):
            return names
        return []

    def read_short(self, index: int) -> list[str]:
        """The names in the node if it has nothing else but "by" and a date."""
        text = self._text(index)
        if not text:
            return []
        names = read_short_byline(text, self._credits.language)
        if names and not self._is_aside(index):
            return names
        return []

    def may_have_role(self, index: int) -> bool:
        """Whether the node may have the role of a writer in it.  If not, no node in it has one."""
        if not self._text(index):
            return True
        element = self._outline.nodes[index].element
        return has_writer(" ".join(element.itertext()))

    def read_with_role(self, index: int) -> list[str]:
        """The names in the node if it has nothing else but one, the role of a writer, and a
        date."""
        if not self._text(index):
            return []
        names = read_with_role(byline_text(self._outline.nodes[index].element))
        if names and not self._is_aside(index):
            return names
        return []

    def beside(self, index: int) -> Sequence[int]:
        """The largest node with the same text, with its nearest siblings, in document order."""
        nodes = self._outline.nodes
        inner_nodes = self._outline.inner
        for _ in range(_MAX_SAME_TEXT_DEPTH):
            above = nodes[index].parent
            if above <= 0 or inner_nodes[above] != index:
                break
            index = above
        parent = nodes[index].parent
        if parent < 0:
            return [index]
        siblings = list(self._outline.children(parent))
        position = siblings.index(index)
        start = max(position - _MAX_SIBLINGS, 0)
        end = position + _MAX_SIBLINGS + 1
        return siblings[start:end]

    def _text(self, index: int) -> str:
        """The text of the node on one line; empty if it is longer than a byline."""
        outline = self._outline
        node = outline.nodes[index]
        if outline.ends[index] - index > _MAX_INNER:
            return ""
        before = self._characters_before
        characters = before[node.last] - before[node.first]
        if characters > _MAX_CHARACTERS:
            return ""
        return " ".join(outline.lines[node.first : node.last])

    def _is_aside(self, index: int) -> bool:
        outline = self._outline
        *_, innermost = outline.same_text(index, _MAX_SAME_TEXT_DEPTH + 1)
        return self._credits.is_aside(outline.nodes[innermost].element)


def _from_title(title: int, count: int) -> Iterator[int]:
    """The nodes by their distance to the title."""
    before = title - 1
    after = title
    while before >= 0 or after < count:
        distance = after - title
        distance_before = title - before
        is_after_nearer = after < count and distance <= 2 * distance_before
        if before < 0 or is_after_nearer:
            yield after
            after += 1
        else:
            yield before
            before -= 1

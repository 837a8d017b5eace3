"""Where the fields of the items of a list are: expressions that start at the item.

An expression is learned by examples: for each item the element that a reader would take, and its
value.  Those that describe one of these elements are applied to all items, and the one with the
most right values is taken; a second one is joined to it if that makes more values right (lists of
several markups).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from cssselect.xpath import GenericTranslator

from forest_scrapy.core.fields.dates import find_url_date, may_have_date, order_of, read_date
from forest_scrapy.core.page.outline import Outline
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.pictures import image_url
from forest_scrapy.core.page.tree import HEADINGS, Element, class_and_id, compile_xpath
from forest_scrapy.core.page.urls import absolute_url, fold_url
from forest_scrapy.core.records.article_list.article_links import ArticleLink, ArticleLinks
from forest_scrapy.core.records.article_list.rules import OWN_TEXT, STANDARD, WORDS
from forest_scrapy.core.records.regions.items import is_person_url
from forest_scrapy.core.xpaths.structural import CONTROL
from forest_scrapy.core.xpaths.writing import write_step

#: Expressions that are tried on all items: those that describe the most elements.
MAX_EXPRESSIONS = 60
#: Operands of a union.
MAX_OPERANDS = 3
#: The share of the items that must have a field, other than the link and the title.
MIN_SHARE = 0.5
#: Steps of a path, and tokens of an attribute that are tested.
MAX_STEPS = 4
MAX_TOKENS = 4
#: Characters of the longest date and of the longest name; characters of the shortest summary,
#: and the share of its text that may be linked.
MAX_DATE_LENGTH = 80
MAX_NAME_LENGTH = 60
MIN_SUMMARY_LENGTH = 40
MAX_LINKED_SHARE = 0.5
#: Leaves of the element of a date or a name.
MAX_LEAVES = 12
#: Attributes with the URL of an image, the one without a script first.
IMAGE_ATTRIBUTES = ("src", "data-src", "data-lazy-src", "data-original")
_NAME_ATTRIBUTES = ("class", "itemprop", "rel")
_AUTHOR = re.compile(r"(?:^|[\s_-])(?:author|byline|autor|auteur)s?(?:[\s_-]|$)", re.IGNORECASE)
_NUMBERS = re.compile(r"(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})")
_ENGLISH = re.compile(
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
    r"(?:(?:\d{1,2}(?:st|nd|rd|th)?\s+)?(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?"
    r"|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)\.?"
    r"(?:\s+\d{1,2}(?:st|nd|rd|th)?)?,?\s+\d{4})",
    re.IGNORECASE,
)
_ISO = re.compile(r"\d{4}-\d\d?-\d\d?(?:[T ]\d\d?:\d\d.*)?")
MONTHS = 12
_SPACE = re.compile(r"\s+")

_literal = GenericTranslator.xpath_literal


class Example(NamedTuple):
    """The element of an item, the one that has its value, and the value; None if it has none."""

    item: Element
    target: Element | None
    value: str


#: What a match of an expression, an element or the value of an attribute, is worth.
Reader = Callable[[Element, str], str]


def learn_places(
    links: ArticleLinks,
    lists: Sequence[Sequence[tuple[int, ArticleLink]]],
) -> dict[str, str]:
    """The expressions for the fields of the items, and the form of their dates, by the names of
    ``ArticleListRules``.  ``lists``: the items of each list, with the nodes of their elements."""
    outline = links.outline
    page = links.page

    def find_link(node: int, item: ArticleLink) -> Example:
        element = outline.nodes[node].element
        return Example(element, outline.nodes[item.node].element, item.key)

    def find_title(node: int, item: ArticleLink) -> Example:
        element = outline.nodes[node].element
        title = outline.nodes[item.title_node].element
        return Example(element, title, _without_spaces(outline.line(item.title_node)))

    def list_examples(find: Callable[[int, ArticleLink], Example]) -> list[list[Example]]:
        return [[find(node, item) for node, item in items] for items in lists]

    lengths = _Lengths(outline)
    published = learn_field(
        list_examples(lambda node, item: _find_date(page, lengths, node, item)),
        _read_date(page),
        ("datetime", ""),
    )
    all_items = []
    for items in lists:
        all_items += [(outline.nodes[node].element, item.url) for node, item in items]
    summary = learn_field(
        list_examples(lambda node, item: _find_summary(outline, lengths, node, item)),
        _read_text,
        is_only=True,
    )
    return {
        "link": learn_place(list_examples(find_link), _read_link(page), ("href",)),
        "title": learn_place(list_examples(find_title), _read_text),
        "published": published,
        "date_form": _find_date_form(published, all_items, page),
        "image": learn_field(
            list_examples(lambda node, item: _find_image(page, node)),
            _read_image(page),
            IMAGE_ATTRIBUTES,
        ),
        "author": learn_field(
            list_examples(lambda node, item: _find_author(page, lengths, node, item)),
            _read_text,
        ),
        "summary": summary or _find_own_texts([element for element, _ in all_items]),
    }


def _find_own_texts(items: Sequence[Element]) -> str:
    """The expression for the texts of items beside their elements, such as a teaser after a ``br``;
    ``""`` if most items have no long one."""
    find = compile_xpath(OWN_TEXT)
    with_text = sum(bool(find(element)) for element in items)
    return OWN_TEXT if items and with_text >= MIN_SHARE * len(items) else ""


def learn_field(
    lists: Sequence[Sequence[Example]],
    read: Reader,
    attributes: Sequence[str] = ("",),
    is_only: bool = False,
) -> str:
    """The expression for a field that not all items have; ``""`` if it finds the right value of
    less than ``MIN_SHARE`` of them."""
    examples = [example for examples in lists for example in examples]
    min_right = MIN_SHARE * len(examples)
    if sum(example.target is not None for example in examples) < min_right:
        return ""
    xpath = learn_place(lists, read, attributes, is_only)
    rights, _ = _score(xpath, examples, read, is_only)
    return xpath if rights >= min_right else ""


def learn_place(
    lists: Sequence[Sequence[Example]],
    read: Reader,
    attributes: Sequence[str] = ("",),
    is_only: bool = False,
) -> str:
    """The expression that finds the values of the most examples, of each list of a page.

    ``attributes``: those that may have the value; ``""``: the text.  ``is_only``: it must be the
    only match.  If no expression is the best of all lists, those of the lists are joined, each
    for the tag of its items.
    """
    all_examples = [example for examples in lists for example in examples]
    best_of_lists = []
    guarded = []
    for examples in lists:
        xpath = _learn_of_list(examples, read, attributes, is_only)
        if not xpath:
            continue
        best_of_lists.append(xpath)
        step = write_step(str(examples[0].item.tag))
        for operand in xpath.split(" | "):
            guarded.append(f"self::{step}/{operand}")
    candidates = list(dict.fromkeys(best_of_lists))
    candidates.append(" | ".join(candidates))
    candidates.append(" | ".join(dict.fromkeys(guarded)))
    best = ""
    best_score = (0, 0)
    for xpath in candidates:
        score = _score(xpath, all_examples, read, is_only)
        if score > best_score:
            best = xpath
            best_score = score
    return best


def _learn_of_list(
    examples: Sequence[Example],
    read: Reader,
    attributes: Sequence[str],
    is_only: bool,
) -> str:
    """The expression with the most right values in one list, joined with others that add some.

    Ties: fewer wrong values, then fewer steps, then the shorter one, then its text, then the first
    attribute.
    """
    counts: Counter[str] = Counter()
    for example in examples:
        if example.target is not None:
            counts.update(set(_write_paths(example.item, example.target)))
    frequent = sorted(counts, key=lambda path: (-counts[path], _count_steps(path), path))
    paths = frequent[:MAX_EXPRESSIONS]
    paths.sort(key=lambda path: (_count_steps(path), len(path), path))
    simplest = []
    for path in paths:
        for attribute in attributes:
            simplest.append(f"{path}/@{attribute}" if attribute else path)
    best = ""
    best_score = (0, -len(examples))
    for _ in range(MAX_OPERANDS):
        start = best
        for xpath in simplest:
            joined = f"{start} | {xpath}" if start else xpath
            score = _score(joined, examples, read, is_only)
            if score > best_score:
                best = joined
                best_score = score
        if best == start or best_score == (len(examples), 0):
            break
    return best


def _count_steps(xpath: str) -> int:
    """The steps of an expression, without those in predicates.

    >>> _count_steps("descendant::h2/a"), _count_steps("descendant::a[@rel='a/b']")
    (2, 1)
    """
    steps = 1
    depth = 0
    for character in xpath:
        depth += (character == "[") - (character == "]")
        steps += character == "/" and not depth
    return steps


def _score(
    xpath: str,
    examples: Sequence[Example],
    read: Reader,
    is_only: bool,
) -> tuple[int, int]:
    """The number of examples whose values an expression finds, and of those for which it finds
    another one, as a negative number: larger is better."""
    if not xpath:
        return 0, 0
    find = compile_xpath(xpath)
    rights = 0
    wrongs = 0
    for example in examples:
        matches = find(example.item)
        if not isinstance(matches, list) or not matches:
            continue
        is_right = example.target is not None and (len(matches) == 1 or not is_only)
        if is_right:
            element, text = _first_of(matches)
            is_right = read(element, text) == example.value
        if is_right:
            rights += 1
        else:
            wrongs += 1
    return rights, -wrongs


def _first_of(matches: Sequence[Any]) -> tuple[Element, str]:
    """The first match as an element, and the text if it is an attribute of it."""
    first = matches[0]
    if isinstance(first, str):
        return first.getparent(), str(first)  # type: ignore[attr-defined]
    return first, ""


def _write_paths(item: Element, target: Element) -> Iterator[str]:
    """Expressions that find an element from its item, the plain ones first."""
    if target is item:
        yield "."
        return
    tag = write_step(str(target.tag))
    tests = list(_write_tests(target))
    yield f"descendant::{tag}"
    for test in tests:
        yield f"descendant::{tag}{test}"
    steps = [tag]
    parent = target.getparent()
    is_nearest = True
    while parent is not None and parent is not item and len(steps) < MAX_STEPS:
        step = write_step(str(parent.tag))
        is_heading = parent.tag in HEADINGS
        if is_heading or is_nearest:
            below = "/".join(steps) if is_nearest else f"descendant::{tag}"
            yield f"descendant::{step}/{below}"
            for test in _write_tests(parent):
                yield f"descendant::{step}{test}/{below}"
        steps.insert(0, step)
        is_nearest = False
        parent = parent.getparent()
    if parent is item:
        yield "/".join(steps)


def _write_tests(element: Element) -> Iterator[str]:
    """Tests for a token of an attribute that names elements."""
    for name in _NAME_ATTRIBUTES:
        value = element.get(name) or ""
        if CONTROL.search(value):
            continue
        for token in value.split()[:MAX_TOKENS]:
            if len(token) > 1 and not re.search(r"\d", token):
                literal = _literal(f" {token} ")
                yield f"[contains(concat(' ',normalize-space(@{name}),' '),{literal})]"


def _read_text(element: Element, text: str) -> str:
    return _without_spaces("".join(element.itertext()))


def _without_spaces(text: str) -> str:
    """The text without white space: how much of it stands between inline elements differs."""
    return _SPACE.sub("", text)


def _read_link(page: Page) -> Reader:
    def read(element: Element, text: str) -> str:
        return fold_url(absolute_url(text, page.base_url)) if text else ""

    return read


def _read_image(page: Page) -> Reader:
    def read(element: Element, text: str) -> str:
        return absolute_url(text, page.base_url) if text else ""

    return read


def _read_date(page: Page) -> Reader:
    def read(element: Element, text: str) -> str:
        return read_date(text or "".join(element.itertext()), page.language)

    return read


class _Lengths:
    """The characters of the text of a page before each leaf, and of its linked text."""

    def __init__(self, outline: Outline) -> None:
        in_link = outline.inside(("a",))
        self._columns = outline.columns
        self._all = [0]
        self._linked = [0]
        for leaf, line in zip(outline.leaves, outline.lines, strict=True):
            linked = len(line) if in_link[leaf.node] else 0
            self._all.append(self._all[-1] + len(line))
            self._linked.append(self._linked[-1] + linked)

    def of(self, node: int) -> tuple[int, int]:
        """The characters of the text of an element, and those of them that are linked."""
        first = self._columns.firsts[node]
        last = self._columns.lasts[node]
        return self._all[last] - self._all[first], self._linked[last] - self._linked[first]


def _find_date(page: Page, lengths: _Lengths, node: int, item: ArticleLink) -> Example:
    """The first ``time`` with a date, else the innermost element whose text is a date."""
    outline = page.outline
    element = outline.nodes[node].element
    innermost = -1
    in_title = outline.below(item.title_node)
    for index in outline.below(node):
        if index in in_title:
            continue
        candidate = outline.nodes[index].element
        moment = candidate.get("datetime") or ""
        if candidate.tag == "time" and read_date(moment, page.language):
            return Example(element, candidate, read_date(moment, page.language))
        is_outside = innermost < 0 or index < outline.ends[innermost]
        may_be_date = is_outside and lengths.of(index)[0] <= MAX_DATE_LENGTH
        line = outline.line(index, MAX_LEAVES) if may_be_date else ""
        is_short = 0 < len(line) <= MAX_DATE_LENGTH
        if is_short and may_have_date(line) and read_date(line, page.language):
            innermost = index
    if innermost < 0:
        return Example(element, None, "")
    date = read_date(outline.line(innermost), page.language)
    return Example(element, outline.nodes[innermost].element, date)


def _find_date_form(
    xpath: str,
    items: Sequence[tuple[Element, str]],
    page: Page,
) -> str:
    """The form of the dates that an expression finds; ``""`` if there is none.  ``items``: the
    elements and the URLs of the items."""
    if not xpath:
        return ""
    find = compile_xpath(xpath)
    dates = []
    for element, url in items:
        matches = find(element)
        if isinstance(matches, list) and matches:
            first, attribute = _first_of(matches)
            text = " ".join((attribute or "".join(first.itertext())).split())
            dates.append((text, url))
    order = _decide_order(dates) or order_of(page.language)
    forms = Counter(_form_of(text, order) for text, _ in dates)
    form, count = max(forms.items(), key=lambda pair: (pair[1], pair[0]))
    return form if count >= MIN_SHARE * len(items) else WORDS


def _decide_order(dates: Iterable[tuple[str, str]]) -> str:
    """``DMY`` or ``MDY``, as the dates in the URLs tell it, else those that can be read in one
    order only; ``""`` if nothing tells it.

    >>> _decide_order([("02/11/2026", "https://a.example/2026/11/02/owls")])
    'DMY'
    >>> _decide_order([("02/11/2026", ""), ("02/28/2026", "")])
    'MDY'
    """
    votes: Counter[str] = Counter()
    for text, url in dates:
        numbers = _NUMBERS.fullmatch(text)
        if numbers is None:
            continue
        first = int(numbers[1])
        second = int(numbers[3])
        if first == second:
            continue
        date_of_url = find_url_date(url)
        if date_of_url:
            votes["DMY"] += date_of_url.endswith(f"-{second:02}-{first:02}")
            votes["MDY"] += date_of_url.endswith(f"-{first:02}-{second:02}")
        votes["DMY"] += first > MONTHS
        votes["MDY"] += second > MONTHS
    if votes["DMY"] == votes["MDY"]:
        return ""
    return "DMY" if votes["DMY"] > votes["MDY"] else "MDY"


def _form_of(text: str, order: str) -> str:
    """
    >>> _form_of("2026-11-28", ""), _form_of("28/11/2026", "DMY"), _form_of("Nov 28, 2026", "")
    ('standard', 'd/m/Y', 'standard')
    >>> _form_of("28 novembre 2026", "DMY")
    'words'
    """
    if _ISO.fullmatch(text) or _ENGLISH.fullmatch(text):
        return STANDARD
    numbers = _NUMBERS.fullmatch(text)
    if numbers is None:
        return WORDS
    first, separator, _, last = numbers.groups()
    if len(first) == 4:
        return f"Y{separator}m{separator}d"
    if len(last) != 4:
        return WORDS
    if order == "MDY" and separator != ".":
        return f"m{separator}d{separator}Y"
    return f"d{separator}m{separator}Y"


def _find_image(page: Page, node: int) -> Example:
    outline = page.outline
    element = outline.nodes[node].element
    for index in outline.below(node):
        image = outline.nodes[index].element
        if image.tag != "img" or not image_url(image, page.base_url):
            continue
        for name in (*reversed(IMAGE_ATTRIBUTES),):
            value = image.get(name) or ""
            if value and not value.startswith("data:"):
                return Example(element, image, absolute_url(value, page.base_url))
    return Example(element, None, "")


def _find_author(page: Page, lengths: _Lengths, node: int, item: ArticleLink) -> Example:
    """The innermost element that is named after an author, or links the page of a person."""
    outline = page.outline
    element = outline.nodes[node].element
    in_title = outline.below(item.title_node)
    found = -1
    for index in outline.below(node):
        if index == node or index in in_title:
            continue
        if found >= 0 and index >= outline.ends[found]:
            break
        if lengths.of(index)[0] > MAX_NAME_LENGTH:
            continue
        candidate = outline.nodes[index].element
        names = [class_and_id(candidate, 200)]
        names += [candidate.get(name) or "" for name in ("rel", "itemprop")]
        is_named = _AUTHOR.search(" ".join(names)) is not None
        is_person = candidate.tag == "a" and is_person_url(candidate.get("href") or "")
        line = outline.line(index, MAX_LEAVES)
        is_short = 0 < len(line) <= MAX_NAME_LENGTH
        if is_short and (is_named or is_person) and not may_have_date(line):
            found = index
    if found < 0:
        return Example(element, None, "")
    return Example(
        element,
        outline.nodes[found].element,
        _without_spaces(outline.line(found)),
    )


def _find_summary(
    outline: Outline,
    lengths: _Lengths,
    node: int,
    item: ArticleLink,
) -> Example:
    """The outermost element with the longest text beside the title, which is not mostly links."""
    element = outline.nodes[node].element
    title_end = outline.ends[item.title_node]
    _, linked_in_item = lengths.of(node)
    is_all_linked = linked_in_item == lengths.of(node)[0]
    best = -1
    best_length = MIN_SUMMARY_LENGTH - 1
    for index in outline.below(node):
        is_around = index <= item.title_node < outline.ends[index]
        is_in_title = item.title_node <= index < title_end
        if is_around or is_in_title or index == node or not outline.is_block[index]:
            continue
        length, linked = lengths.of(index)
        is_prose = linked <= MAX_LINKED_SHARE * length or is_all_linked
        if length > best_length and is_prose:
            best = index
            best_length = length
    if best < 0:
        return Example(element, None, "")
    target = outline.nodes[best].element
    return Example(element, target, _without_spaces("".join(target.itertext())))

"""The characteristics container of VSSE: what a leaf may have that tells where the records of a
page are (Zhang et al. 2018, sections 4.2 and 4.3.2).

The paper names delimiters, such as ``:``, and popular names of attributes, such as "price", and
leaves the container open: "some other characteristics covering the appearance, structures, etc. can
also be inserted".  ``Params.characteristics`` adds words, marks and elements, which can be written
as text; a program can add any function of a leaf.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from forest_scrapy.core.errors import BadCharacteristic
from forest_scrapy.core.page.outline import Leaf, Outline

#: Marks between an attribute and its value.
DELIMITERS = (":", "\uff1a", "=", "|")
#: Popular names of attributes.
ATTRIBUTES = tuple(
    "name price brand model color size weight material author date category title isbn publisher"
    " language format quantity stock sku rating reviews posted joined posts location member"
    " reply quote".split()
)
#: Characters of the longest characteristic that is written as text.  Not tuned.
MAX_LENGTH = 100

_WORD = re.compile(r"[^\W\d_]+")
_TAG = re.compile(r"<([a-zA-Z][\w:.-]*)>")


class LeafFacts(NamedTuple):
    """A leaf of a page, as characteristics see it.

    ``words``: its words without digits, in lower case; ``vocabulary``: each of them once.
    """

    outline: Outline
    leaf: Leaf
    words: tuple[str, ...]
    vocabulary: frozenset[str]

    @property
    def text(self) -> str:
        """The text of the leaf."""
        return self.leaf.text


#: Whether a leaf has the characteristic.
Characteristic = Callable[[LeafFacts], bool]
#: Characteristics by name.
Container = Mapping[str, Characteristic]


def read_leaves(outline: Outline) -> list[LeafFacts]:
    """The leaves of a page, in their order."""
    leaves = []
    for leaf in outline.leaves:
        words = find_words(leaf.text)
        facts = LeafFacts(outline, leaf, words, frozenset(words))
        leaves.append(facts)
    return leaves


def filter_container(
    container: Container,
    outline: Outline,
    inside: Collection[int],
) -> Container:
    """The characteristics that tell the leaves ``inside`` apart from the others: a larger share of
    these has them.  Section 6 of the paper wants a container that filters itself, and does not say
    how.  Cost: that of one ``weigh_nodes``.

    >>> from forest_scrapy.core.page.page import Page
    >>> outline = Page.from_html("<p>Price: 3</p><p>Size: 4</p><p>a: b</p><p>c: d</p>").outline
    >>> sorted(filter_container(CHARACTERISTICS, outline, {0, 1}))
    ['price', 'size']
    """
    leaves = read_leaves(outline)
    others = len(leaves) - len(inside)
    kept = {}
    for name, has_it in container.items():
        count_inside = 0
        count_outside = 0
        for i, facts in enumerate(leaves):
            if has_it(facts):
                count_inside += i in inside
                count_outside += i not in inside
        share_inside = count_inside / (len(inside) or 1)
        share_outside = count_outside / (others or 1)
        if share_inside > share_outside:
            kept[name] = has_it
    return kept


def find_words(text: str) -> tuple[str, ...]:
    """The words of a text without digits, in lower case.

    >>> find_words("Release date: 2018")
    ('release', 'date')
    """
    return tuple(word.lower() for word in _WORD.findall(text))


def is_name(text: str) -> bool:
    """Whether a characteristic that is written as text is the name of an attribute."""
    return not _TAG.fullmatch(text) and bool(find_words(text))


def read_characteristic(text: str) -> Characteristic:
    """The characteristic that is written as text.  A leaf has ``<dt>`` if it is in such an element,
    words if its text has them one after the other, and marks if its text has them anywhere.

    Raises ``BadCharacteristic`` for a blank or very long text, and for digits.

    >>> from forest_scrapy.core.page.page import Page
    >>> page = Page.from_html("<dl><dt>Release date<dd>2018 \u2192 2019</dl>")
    >>> term, value = read_leaves(page.outline)
    >>> [read_characteristic(text)(term) for text in ("release date", "date", "<dt>", "\u2192")]
    [True, True, True, False]
    >>> [read_characteristic(text)(value) for text in ("release date", "date", "<dt>", "\u2192")]
    [False, False, False, True]
    """
    stripped = text.strip()
    if len(stripped) > MAX_LENGTH:
        raise BadCharacteristic(text)
    tag = _TAG.fullmatch(stripped)
    if tag:
        return _inside(tag[1].lower())
    words = find_words(stripped)
    if words:
        return _named(words)
    if not stripped or any(map(str.isalnum, stripped)):
        raise BadCharacteristic(text)
    return _marked(stripped)


def _marked(mark: str) -> Characteristic:
    return lambda facts: mark in facts.leaf.text


def _named(words: tuple[str, ...]) -> Characteristic:
    if len(words) == 1:
        (word,) = words
        return lambda facts: word in facts.vocabulary
    name = f" {' '.join(words)} "
    return lambda facts: name in f" {' '.join(facts.words)} "


def _inside(tag: str) -> Characteristic:
    return lambda facts: facts.outline.inside((tag,))[facts.leaf.node]


#: Those of the paper: two examples of each kind, and more like these.
CHARACTERISTICS: Container = {
    text: read_characteristic(text) for text in (*DELIMITERS, *ATTRIBUTES)
}


def make_container(texts: Iterable[str]) -> Container:
    """The characteristics of the paper, and those that are written as ``texts``.

    >>> make_container(()) == CHARACTERISTICS, len(make_container(["<dt>", "price"]))
    (True, 33)
    """
    additions = {text.strip().lower(): read_characteristic(text) for text in texts}
    return {**CHARACTERISTICS, **additions}

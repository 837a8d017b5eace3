"""What an XPath needs of a page to find something there: elements, attributes, words in these.

``PageMarkup`` has what a page has of these, from one walk: an expression whose needs a page does
not meet finds nothing there, and is not evaluated.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

from forest_scrapy.core.page.columns import MarkupNames, find_markup_names
from forest_scrapy.core.page.tree import Element

#: The attributes whose values are looked at; of others only the name.
_VALUED = frozenset(("aria-label", "class", "id", "itemprop", "itemtype", "rel", "role"))
#: Functions that give the same on each page for the same argument, and never fail.
_FUNCTIONS = frozenset(
    "contains starts-with concat normalize-space translate count not position last".split()
)
#: Those that keep the words of a value.
_KEEP_WORDS = frozenset(("concat", "normalize-space"))
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|//|\.\.|[!<>]=|\w[\w.-]*|\S")
_NAME = re.compile(r"[^\W\d][\w.-]*")


@dataclass(frozen=True)
class Needs:
    """What has to be on a page: elements with each of the ``tags``, ``attributes``, and by pairs of
    an attribute and a text, a value of it that has the text."""

    tags: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    parts: frozenset[tuple[str, str]] = frozenset()


@lru_cache(maxsize=4096)
def read_needs(xpath: str) -> tuple[Needs, ...]:
    """The needs of an expression, of which one is met wherever it finds something; those of each
    operand of a union.  Empty needs for an expression of another form than ``//...``, and for one
    with axes, as those are that were learned: to read it takes longer than to evaluate it.

    >>> [needs] = read_needs("//a[contains(@rel, 'tag')]")
    >>> sorted(needs.tags), sorted(needs.attributes), sorted(needs.parts)
    (['a'], ['rel'], [('rel', 'tag')])
    >>> read_needs("(//h1)[1]")
    (Needs(tags=frozenset(), attributes=frozenset(), parts=frozenset()),)
    """
    if not xpath.startswith("//") or "::" in xpath:
        return (Needs(),)
    tokens = _TOKEN.findall(xpath)
    if not _has_known_functions(tokens):
        return (Needs(),)
    operands = split_tokens(tokens, "|")
    return tuple(map(_needs_of_path, operands))


def _has_known_functions(tokens: Sequence[str]) -> bool:
    """Whether all functions are known, and no name has a prefix; others may fail."""
    if ":" in tokens or "$" in tokens:
        return False
    for token, next_token in pairwise(tokens):
        is_function = next_token == "(" and _is_name(token)
        if is_function and token not in _FUNCTIONS and token not in ("and", "or"):
            return False
    return True


def _is_name(token: str) -> bool:
    return _NAME.fullmatch(token) is not None


def _is_literal(token: str) -> bool:
    return token[0] in "'\""


def _needs_of_path(tokens: Sequence[str]) -> Needs:
    """The needs of a path: those of all its steps, and of their predicates."""
    if tokens[:1] != ["//"]:
        return Needs()
    tags: set[str] = set()
    attributes: set[str] = set()
    parts: set[tuple[str, str]] = set()
    for step in split_tokens(tokens[1:], "/", "//"):
        test, predicates = _cut_step(step)
        attribute = ""
        if len(test) == 2 and test[0] == "@" and _is_name(test[1]):
            attribute = test[1]
            attributes.add(attribute)
        elif len(test) == 1 and _is_name(test[0]):
            tags.add(test[0])
        elif test not in (["*"], [".."], ["."]):
            return Needs()
        for predicate in predicates:
            if "or" in predicate or "|" in predicate:
                continue
            for condition in split_tokens(predicate, "and"):
                parts.update(_parts_of_condition(condition, attribute))
    attributes.update(name for name, _ in parts)
    return Needs(frozenset(tags), frozenset(attributes), frozenset(parts))


def _parts_of_condition(tokens: Sequence[str], attribute: str) -> set[tuple[str, str]]:
    """The texts that an attribute has where a condition is true; ``attribute``: that of the step,
    ``""`` for an element.  An empty text if it only has to be there."""
    if len(tokens) == 2 and tokens[0] == "@" and _is_name(tokens[1]):
        return {(tokens[1], "")}
    operands = split_tokens(tokens, "=")
    is_function = tokens[:2] in (["contains", "("], ["starts-with", "("])
    if is_function and len(operands) == 1 and tokens[-1] == ")":
        operands = split_tokens(tokens[2:-1], ",")
    if len(operands) != 2:
        return set()
    value, literal = operands
    name = _attribute_of(value, attribute)
    if not name or len(literal) != 1 or not _is_literal(literal[0]):
        return set()
    words = literal[0][1:-1].split()
    is_attribute = "=" in tokens and value == ["@", name]
    if not words and not is_attribute:
        return set()  # an attribute that is missing is an empty text for functions
    return {(name, word) for word in words} or {(name, "")}


def _attribute_of(tokens: Sequence[str], attribute: str) -> str:
    """The attribute whose words a value has and no others, such as ``concat(' ', @rel, ' ')``;
    ``""`` if it may have more."""
    names = []
    for token, previous in zip(tokens, ["", *tokens], strict=False):
        if previous == "@":
            names.append(token)
        elif token == ".":
            names.append(attribute)
        elif _is_literal(token):
            if token[1:-1].strip():
                return ""
        elif token not in _KEEP_WORDS and token not in ("@", "(", ")", ","):
            return ""
    if len(names) == 1 and _is_name(names[0]):
        return names[0]
    return ""


def _cut_step(tokens: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """The test of a step, and what is in each of its predicates."""
    test: list[str] = []
    predicates: list[list[str]] = []
    depth = 0
    for token in tokens:
        if token == "]":
            depth -= 1
        if depth:
            predicates[-1].append(token)
        elif token == "[":
            predicates.append([])
        elif token != "]":
            test.append(token)
        if token == "[":
            depth += 1
    return test, predicates


def split_tokens(tokens: Sequence[str], *separators: str) -> list[list[str]]:
    """The tokens between separators that are in no brackets."""
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += depth_change(token)
        if token in separators and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def depth_change(token: str) -> int:
    """1 for a bracket that opens, -1 for one that closes."""
    if token in ("(", "["):
        return 1
    if token in (")", "]"):
        return -1
    return 0


@dataclass(frozen=True, eq=False)
class PageMarkup:
    """The names of the elements and attributes of the tree that has an element, and the values of
    those attributes that expressions look at."""

    root: Element = field(repr=False)

    def may_find(self, xpath: str) -> bool:
        """Whether an expression may find something in the tree; False is certain."""
        return any(map(self._meets, read_needs(xpath)))

    def _meets(self, needs: Needs) -> bool:
        names = self._names
        if not needs.tags <= names.tags or not needs.attributes <= names.attributes.keys():
            return False
        return all(self._has_part(name, text) for name, text in needs.parts)

    def _has_part(self, name: str, text: str) -> bool:
        if not text or name not in _VALUED:
            return True
        joined = self._joined.get(name)
        if joined is None:
            joined = "\n".join(self._names.attributes[name])
            self._joined[name] = joined
        return text in joined

    @cached_property
    def _names(self) -> MarkupNames:
        return find_markup_names(self.root, _VALUED)

    @cached_property
    def _joined(self) -> dict[str, str]:
        return {}

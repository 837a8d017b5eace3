"""The wrapper: what was learned from a template, and applying it to a page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

from lxml import etree

from forest_scrapy.core.document.page import Extract, Page
from forest_scrapy.core.document.text import block_text, subtree_html
from forest_scrapy.core.document.tree import is_block
from forest_scrapy.core.document.xpath import compile_xpath, find_elements
from forest_scrapy.core.errors import BadWrapper
from forest_scrapy.core.evidence import Evidence
from forest_scrapy.core.fields.metadata import FieldSources
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.segments.unseen import Unseen, classify_unseen

__all__ = ["FORMAT", "Wrapper"]

FORMAT = 1

_LITERAL = re.compile(r"\"[^\"]*\"|'[^']*'")

#: Linked headings a page may have beyond the most that an article of its template was seen with.
_MORE_HEADINGS = 2

_LINKED_HEADINGS = etree.XPath(
    ".//*[self::h1 or self::h2 or self::h3]"
    "[.//a[@href][not(starts-with(@href, '#'))] or ancestor::a[@href]]"
)


@dataclass(frozen=True)
class Wrapper:
    """One template's rules, a value: plain XPath 1.0 to keep, tried in order, and to drop.

    The first expression of ``keep`` that finds text is taken.  Where it finds several
    elements, ``take`` says whether the one with most text is the content (``largest``) or all
    of them are, in the page's order (``all``).  Elements that an expression of ``drop`` finds
    in them are left out.  ``source`` is ``page``, or ``entry`` for a wrapper that takes the
    feed entry's own words (DESCRIPTION).  ``fields``: where the pages have title, dates,
    authors and tags.
    """

    method: str
    keep: tuple[str, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    source: str = "page"
    drop: tuple[str, ...] = ()
    take: str = "largest"
    known: tuple[str, ...] = ()
    fields: FieldSources = field(default_factory=FieldSources)

    @property
    def xpath(self) -> str:
        """The first expression, ``""`` where nothing was learned."""
        return self.keep[0] if self.keep else ""

    @property
    def id(self) -> str:
        """10 hex digits of what the wrapper does; the evidence does not count."""
        rules = json.dumps(
            [self.method, self.source, self.keep, self.drop, self.take, self.known],
            ensure_ascii=False,
        )
        return blake2b(rules.encode(), digest_size=5).hexdigest()

    def apply(self, page: Page, classifier: Classifier | None = None) -> Extract:
        """The content of the page; an empty ``Extract`` where no expression finds any.

        Blocks that the template was not seen with are judged by ``classifier`` (None: the one
        that ships).  Cost: the XPaths and one walk over what they find.  The page is not
        changed.
        """
        if self.source == "entry":
            text = page.entry.text if page.entry else ""
            return Extract(text)
        without = {element for xpath in self.drop for element in find_elements(xpath, page.root)}
        for xpath in self.keep:
            blocks = _outermost(find_elements(xpath, page.root))
            unseen = Unseen()
            if self.known and blocks:
                unseen = classify_unseen(page, set(blocks), self._known, without, classifier)
            found = self._take(blocks, without | unseen.foreign)
            if found.text:
                return replace(found, xpath=xpath, unseen=unseen.segments)
        return Extract()

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.known)

    def _take(self, blocks: list[Any], without: set[Any]) -> Extract:
        """The text and HTML of the blocks that have any, or of the one with most."""
        found = [(block_text(block, without), block) for block in blocks]
        found = [(text, element) for text, element in found if text]
        if found and self.take == "largest":
            found = [max(found, key=lambda one: len(one[0]))]
        return Extract(
            "\n".join(text for text, _ in found),
            "\n".join(_as_block(element, without) for _, element in found),
            linked_headings=sum(_count_linked_headings(element, without) for _, element in found),
        )

    def shows_several(self, found: Extract) -> bool:
        """Whether what was found on a page is several whole articles: far more headings in it
        lead to other pages than in any article that the wrapper was learned from."""
        most = self.evidence.linked_headings + _MORE_HEADINGS
        return found.linked_headings > max(most, 2 * _MORE_HEADINGS)

    def with_cut(self, distance: float, reason: str) -> Wrapper:
        """The wrapper with how its template was told from the host's other pages."""
        evidence = replace(self.evidence, cut=round(distance, 4), cut_reason=reason)
        return replace(self, evidence=evidence)

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "method": self.method,
            "source": self.source,
            "keep": list(self.keep),
            "drop": list(self.drop),
            "take": self.take,
            "known": list(self.known),
            "fields": self.fields.to_dict(),
            "evidence": self.evidence.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Wrapper:
        """The wrapper a dict describes.

        Raises ``BadWrapper`` for another format version, a missing key, or an expression that
        is no XPath: wrappers may be edited by hand.
        """
        if data.get("format") != FORMAT:
            raise BadWrapper(f"format {data.get('format')!r} is not {FORMAT}; learn it again")
        try:
            wrapper = cls(
                str(data["method"]),
                _read_expressions("keep", data["keep"]),
                Evidence.from_dict(data.get("evidence", {})),
                _read_choice("source", data.get("source", "page"), ("page", "entry")),
                _read_expressions("drop", data.get("drop", ())),
                _read_choice("take", data.get("take", "largest"), ("largest", "all")),
                _read_texts("known", data.get("known", ())),
                FieldSources.from_dict(data.get("fields", {})),
            )
        except (KeyError, TypeError) as error:
            raise BadWrapper(f"{error} in {dict(data)!r}") from error
        _read_expressions("fields", wrapper.fields.xpaths())
        return wrapper

    def dumps(self) -> str:
        """The wrapper as JSON, indented, the same bytes for equal wrappers."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def loads(cls, text: str) -> Wrapper:
        """Read what ``dumps`` wrote; raises ``BadWrapper`` (also where it is no JSON)."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadWrapper(f"no JSON: {error}") from error
        if not isinstance(data, dict):
            raise BadWrapper("a wrapper is a JSON object")
        return cls.from_dict(data)


def _read_texts(name: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, str):
        raise BadWrapper(f"{name} is a list, not {given!r}")
    for text in given:
        if not isinstance(text, str):
            raise BadWrapper(f"{name} holds {text!r}, which is no text")
    return tuple(given)


def _read_expressions(name: str, given: Any) -> tuple[str, ...]:
    """XPaths, each tried on an empty page: a wrapper that is read can be applied."""
    for xpath in _read_texts(name, given):
        if "$" in _LITERAL.sub("", xpath):
            raise BadWrapper(f"{xpath!r} asks for a variable; there are none")
        try:
            compile_xpath(xpath)(etree.Element("html"))
        except (etree.XPathError, ValueError) as error:
            raise BadWrapper(f"{xpath!r} is no XPath: {error}") from error
    return tuple(given)


def _read_choice(name: str, given: Any, choices: tuple[str, ...]) -> str:
    if given not in choices:
        raise BadWrapper(f"{name} is {given!r}, not one of {', '.join(choices)}")
    return str(given)


def _as_block(element: Any, without: set[Any]) -> str:
    """The element's HTML; several that are inline stand on a line each, as in the text."""
    markup = subtree_html(element, without)
    return markup if is_block(element) else f"<p>{markup}</p>"


def _outermost(elements: list[Any]) -> list[Any]:
    """The elements that stand in no other of them."""
    if len(elements) < 2:
        return elements
    all_of_them = set(elements)
    return [e for e in elements if not any(up in all_of_them for up in e.iterancestors())]


def _count_linked_headings(element: Any, without: set[Any]) -> int:
    headings: Any = _LINKED_HEADINGS(element)
    return sum(without.isdisjoint((h, *h.iterancestors())) for h in headings)

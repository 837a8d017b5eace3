"""The wrapper: what was learned from a template, and applying it to a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from lxml import etree

from forest_scrapy.core.errors import BadWrapper
from forest_scrapy.core.page import Extract, Page
from forest_scrapy.core.text import block_text, subtree_html

__all__ = ["FORMAT", "Evidence", "Wrapper"]

FORMAT = 1

#: Linked headings a page may have beyond the most that an article of its template was seen with.
_MORE_HEADINGS = 2

_LINKED_HEADINGS = etree.XPath(
    "count(.//*[self::h1 or self::h2 or self::h3]"
    "[.//a[@href][not(starts-with(@href, '#'))] or ancestor::a[@href]])"
)


@dataclass(frozen=True)
class Evidence:
    """What a wrapper rests on.

    ``pages`` it was learned from; ``signifiers``: where they came from (``feed``, ``tf-idf``,
    ``page``); ``score``: the method's own relevance of the first expression, comparable
    within the method only; ``runner_up`` and its score; ``match``: the share of the pages on
    which one of the expressions finds something; ``linked_headings``: the most that one of
    them has in its content.  ``cut``: the distance up to which pages were put into the
    template, and why it is this one.
    """

    pages: int = 0
    signifiers: str = ""
    score: float = 0.0
    runner_up: str = ""
    runner_up_score: float = 0.0
    match: float = 0.0
    linked_headings: int = 0
    cut: float = 0.0
    cut_reason: str = ""


@dataclass(frozen=True)
class Wrapper:
    """One template's rules, a value: plain XPath 1.0 to keep, tried in order.

    The first expression that finds an element is taken; where it finds several, the one with
    most text.  ``source`` is ``page``, or ``entry`` for a wrapper that takes the feed entry's
    own words (DESCRIPTION).
    """

    method: str
    keep: tuple[str, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    source: str = "page"

    @property
    def xpath(self) -> str:
        """The first expression, ``""`` where nothing was learned."""
        return self.keep[0] if self.keep else ""

    @property
    def id(self) -> str:
        """10 hex digits of what the wrapper does; the evidence does not count."""
        rules = json.dumps([self.method, self.source, self.keep], ensure_ascii=False)
        return blake2b(rules.encode(), digest_size=5).hexdigest()

    def apply(self, page: Page) -> Extract:
        """The content of the page; an empty ``Extract`` where no expression finds any.

        Cost: the XPaths and one walk over what they find.  The page is not changed.
        """
        if self.source == "entry":
            text = page.entry.text if page.entry else ""
            return Extract(text)
        for xpath in self.keep:
            texts = [(block_text(element), element) for element in _find(xpath, page.root)]
            if any(text for text, _ in texts):
                text, element = max(texts, key=lambda found: len(found[0]))
                return Extract(text, subtree_html(element), xpath, _count_linked_headings(element))
        return Extract()

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
            "evidence": asdict(self.evidence),
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
            keep = tuple(map(str, data["keep"]))
            evidence = Evidence(**data.get("evidence", {}))
            wrapper = cls(str(data["method"]), keep, evidence, str(data.get("source", "page")))
        except (KeyError, TypeError) as error:
            raise BadWrapper(f"{error} in {dict(data)!r}") from error
        for xpath in keep:
            try:
                _compile(xpath)
            except etree.XPathSyntaxError as error:
                raise BadWrapper(f"{xpath!r} is no XPath: {error}") from error
        return wrapper

    def dumps(self) -> str:
        """The wrapper as JSON, indented, the same bytes for equal wrappers."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def loads(cls, text: str) -> Wrapper:
        """Read what ``dumps`` wrote; raises ``BadWrapper`` (also where it is no JSON)."""
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise BadWrapper(f"no JSON: {error}") from error
        if not isinstance(data, dict):
            raise BadWrapper("a wrapper is a JSON object")
        return cls.from_dict(data)


@lru_cache(maxsize=4096)
def _compile(xpath: str) -> etree.XPath:
    return etree.XPath(xpath)


def _count_linked_headings(element: Any) -> int:
    count: Any = _LINKED_HEADINGS(element)
    return int(count)


def _find(xpath: str, root: Any) -> list[Any]:
    """The elements that the expression finds; text and attributes are left out."""
    found = _compile(xpath)(root)
    if not isinstance(found, list):
        return []
    return [element for element in found if isinstance(element, etree._Element)]

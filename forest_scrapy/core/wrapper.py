"""The wrapper: what was learned from a template, applied to a page or written as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.evidence import Evidence, rules_table
from forest_scrapy.core.fields.article import Article, build_article
from forest_scrapy.core.fields.metadata import FieldSources
from forest_scrapy.core.json_values import (
    read_choice,
    read_object,
    read_texts,
    read_xpaths,
)
from forest_scrapy.core.page.content import Content, join_contents, text_content
from forest_scrapy.core.page.content_walk import read_content
from forest_scrapy.core.page.other_articles import find_other_articles
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.text_sources import read_page_data
from forest_scrapy.core.page.tree import Element, find_elements, outermost_elements
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.segments.unseen import Unseen, classify_unseen, find_unknown

__all__ = ["FORMAT", "Wrapper"]

#: The version of the JSON.  Format 1 had ``sure`` where rules now have ``confidence``.
FORMAT = 2

#: How many more linked headings a page may have than any page the wrapper was learned from.
#: Not tuned.
_MORE_HEADINGS = 2


@dataclass(frozen=True)
class Wrapper:
    """The extraction rules of one template, as a value.

    - ``method``: the name of the method that learned them.
    - ``keep``: XPath 1.0 expressions, tried in order; the first that finds text gives the text.
    - ``evidence``: what the rules rest on.
    - ``source``: ``page``; ``entry``: the feed entry (DESCRIPTION); ``data``: ``read_page_data``.
    - ``drop``: XPath 1.0 expressions; elements that they find are left out of the content.
    - ``take``: which of several elements found is the content: ``largest``, the one with the
      most text, or ``all``, in document order.
    - ``known``: the anchored paths (as ``write_anchored_path`` writes them) inside the kept
      elements where the learning pages had text.  The classifier decides on text that a page
      has anywhere else in there.  Empty: the classifier is not used.
    - ``fields``: where the pages have title, dates, authors and tags.
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
        """The first expression of ``keep``; ``""`` if nothing was learned."""
        return self.keep[0] if self.keep else ""

    @cached_property
    def id(self) -> str:
        """10 hex digits of a digest of what the wrapper does, without fields and evidence."""
        rules = [self.method, self.source, self.keep, self.drop, self.take, self.known]
        text = json.dumps(rules, ensure_ascii=False)
        return blake2b(text.encode(), digest_size=5).hexdigest()

    def apply(self, page: Page, classifier: Classifier | None = None) -> Extract:
        """The content of the page; an empty ``Extract`` if no expression finds text.

        ``classifier``: for text outside the ``known`` paths; None: the one that ships.  The
        page is not changed.  Cost: the XPaths, one walk over what they find, and the
        classifier (some 8 ms) only if the page has unseen text.
        """
        if self.source != "page":
            return Extract(_read_other(self.source, page))
        dropped = {element for xpath in self.drop for element in find_elements(xpath, page.root)}
        for xpath in self.keep:
            blocks = outermost_elements(find_elements(xpath, page.root))
            without = dropped | find_other_articles(page, blocks)
            content = self._take(blocks, without, page.base_url)
            unseen = self._classify_unseen(page, blocks, content, without, classifier)
            if unseen.boilerplate:
                content = self._take(blocks, without | unseen.boilerplate, page.base_url)
            if content.text:
                return Extract(content, xpath, unseen.segments)
        return Extract()

    def article(self, page: Page, fetched_at: str = "") -> Article | None:
        """The article of the page with all its fields; None if no expression finds text."""
        found = self.apply(page)
        return build_article(page, self, found, self.fields, fetched_at) if found.text else None

    def _take(self, blocks: list[Element], without: set[Element], base: str) -> Content:
        """The content of all blocks with text, or of the one with the most."""
        contents = [read_content(block, without, base) for block in blocks]
        contents = [content for content in contents if content.text]
        if contents and self.take == "largest":
            contents = [max(contents, key=lambda content: len(content.text))]
        return join_contents(contents)

    def _classify_unseen(
        self,
        page: Page,
        blocks: list[Element],
        content: Content,
        dropped: set[Element],
        classifier: Classifier | None,
    ) -> Unseen:
        if not self.known:
            return Unseen()
        unknown = find_unknown(content.text_blocks, self._known)
        return classify_unseen(page, blocks, unknown, dropped, classifier) if unknown else Unseen()

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.known)

    def shows_several(self, found: Extract) -> bool:
        """Whether a page's content is several articles: it has far more headings with links to
        other pages than any page the wrapper was learned from."""
        most = self.evidence.linked_headings + _MORE_HEADINGS
        return found.content.linked_headings > max(most, 2 * _MORE_HEADINGS)

    def with_cut(self, distance: float, reason: str) -> Wrapper:
        """The wrapper, with the distance at which its template was cut, and why, as evidence."""
        evidence = replace(self.evidence, cut=round(distance, 4), cut_reason=reason)
        return replace(self, evidence=evidence)

    def to_dict(self) -> dict[str, Any]:
        """The wrapper as JSON values."""
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
        """The wrapper of ``to_dict``.  Wrappers may be edited by hand: ``BadRules`` is raised for
        another format, a missing key, a value of another type, or what is not an XPath."""
        if data.get("format") != FORMAT:
            raise BadRules(f"format {data.get('format')!r} is not {FORMAT}; learn it again")
        try:
            return cls(
                method=str(data["method"]),
                keep=read_xpaths("keep", data["keep"]),
                evidence=Evidence.from_dict(data.get("evidence", {})),
                source=read_choice("source", data.get("source", "page"), ("page", "entry", "data")),
                drop=read_xpaths("drop", data.get("drop", ())),
                take=read_choice("take", data.get("take", "largest"), ("largest", "all")),
                known=read_texts("known", data.get("known", ())),
                fields=FieldSources.from_dict(data.get("fields", {})),
            )
        except (KeyError, TypeError) as error:
            raise BadRules(f"{error} in {dict(data)!r}") from error

    def _repr_html_(self) -> str:  # for notebooks
        return rules_table(self.method, self.keep, self.drop, self.evidence)

    def dumps(self) -> str:
        """The wrapper as indented JSON; equal wrappers give the same text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"

    @classmethod
    def loads(cls, text: str) -> Wrapper:
        """The wrapper of ``dumps``; raises ``BadRules``, also for a text that is not JSON."""
        return cls.from_dict(read_object(text))


def _read_other(source: str, page: Page) -> Content:
    """The content from the page's feed entry, or from the data for its scripts."""
    if source == "data":
        return read_page_data(page.declared, page.base_url)
    return text_content(page.entry.text if page.entry else "")

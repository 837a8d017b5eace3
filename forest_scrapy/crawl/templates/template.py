"""A template of a crawl."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from forest_scrapy.core import RecordWrapper, Wrapper
from forest_scrapy.core.records import RecordRules
from forest_scrapy.core.templates.redesigns import TemplateFit
from forest_scrapy.stores import StoredWrapper

__all__ = ["Template"]


@dataclass
class Template:
    """A template of a crawl.

    ``key`` identifies it within the crawl; ``id`` in items and in the store (``""`` until there
    is a wrapper).  ``sample``: keys of the pages that the wrapper was learned from; None for a
    stored wrapper.  ``has_articles``: whether the wrapper has given an article in this crawl;
    ``placed``: the number of pages placed in this crawl; ``fit``: how the wrapper has fitted in
    all crawls; ``is_edited``: whether a person has changed the stored wrapper.  ``records``: the
    wrapper for the records of the pages; None until it is needed.  ``is_of_articles``: False for
    pages that are not articles, but may be of another kind that is wanted.  ``comments``: the rules
    for the comments on the pages; None if there are none yet.
    """

    key: str
    host: str
    id: str = ""
    wrapper: Wrapper | None = None
    sample: tuple[str, ...] | None = None
    has_articles: bool = False
    placed: int = 0
    fit: TemplateFit = field(default_factory=TemplateFit)
    is_edited: bool = False
    records: RecordWrapper | None = None
    is_of_articles: bool = True
    comments: RecordRules | None = None

    @property
    def is_stored(self) -> bool:
        """Whether the wrapper was loaded from the store."""
        return self.wrapper is not None and self.sample is None

    @property
    def is_of_threads(self) -> bool:
        """Whether the pages are known to be threads."""
        return self.records is not None and self.records.kind.name == "thread"

    @property
    def is_learned(self) -> bool:
        """Whether the wrapper was learned in this crawl, from enough pages to be stored."""
        return bool(self.wrapper and self.wrapper.keep and len(self.sample or ()) > 1)

    @property
    def misfits_key(self) -> str:
        """The key of the pages that a stored wrapper does not fit."""
        return f"{self.key} redesigned"

    @classmethod
    def from_store(cls, host: str, stored: StoredWrapper) -> Self:
        """The template of a stored wrapper."""
        one = stored
        template = cls(f"{host} {one.template_id}", host, one.template_id, one.wrapper)
        template.fit, template.is_edited = one.fit, one.is_edited
        template.records, template.comments = one.records, one.comments
        return template

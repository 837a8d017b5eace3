"""The values that travel: a page with its feed entry on the way in, an article on the way out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

from forest_scrapy.core.document.declared import Declared
from forest_scrapy.core.document.language import guess_language
from forest_scrapy.core.document.tree import Outline, outline_tree, parse_html

__all__ = ["Entry", "Extract", "Page"]


@dataclass(frozen=True)
class Entry:
    """What a feed says of one page; markup is already stripped from the two texts.

    ``published`` and ``updated`` are the feed's own strings; nothing is parsed here.
    ``comments_url`` and ``comments_count``: ``""`` and None if the feed has none.
    ``signifiers_only``: title and description are used to find the article's text, but no field
    of the article is read from the entry.  ``to_dict`` does not write it.
    """

    title: str = ""
    description: str = ""
    id: str = ""
    published: str = ""
    author: str = ""
    tags: tuple[str, ...] = ()
    feed: str = ""
    updated: str = ""
    comments_url: str = ""
    comments_count: int | None = None
    signifiers_only: bool = False

    @property
    def text(self) -> str:
        """Title and description, the source of the signifiers (FOREST section 3.1).

        >>> Entry(title="A harbour", description="Boats come in.").text
        'A harbour\\nBoats come in.'
        """
        return "\n".join(part for part in (self.title, self.description) if part)

    def for_signifiers(self) -> Entry:
        """The entry, with ``signifiers_only`` set."""
        return replace(self, signifiers_only=True)

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "description": self.description,
            "id": self.id,
            "published": self.published,
            "updated": self.updated,
            "author": self.author,
            "tags": list(self.tags),
            "comments_url": self.comments_url,
            "comments_count": self.comments_count,
            "feed": self.feed,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Entry:
        return cls(**{**data, "tags": tuple(data.get("tags", ()))})


@dataclass(frozen=True, eq=False)
class Page:
    """One fetched HTML document of a site.

    ``root`` is the parsed tree and may be shared with others: nobody changes it.
    Everything derived from it is computed once, on first use.
    """

    url: str
    root: Any = field(repr=False)
    entry: Entry | None = None

    @classmethod
    def from_html(cls, html: str, url: str = "", entry: Entry | None = None) -> Page:
        """Parse ``html``; whatever it holds, there is a tree afterwards.

        >>> Page.from_html("<p>Hello", "http://a.example/").outline.leaves[0].text
        'Hello'
        """
        return cls(url, parse_html(html), entry)

    @cached_property
    def text_digest(self) -> str:
        """What tells pages at the same address apart."""
        digest = blake2b(digest_size=8)
        for leaf in self.outline.leaves:
            digest.update(leaf.text.encode("utf-8", "replace"))
        return digest.hexdigest()

    @cached_property
    def declared(self) -> Declared:
        """Its JSON-LD, microdata and ``meta`` elements."""
        return Declared(self.root, self.url)

    @property
    def declared_entry(self) -> Entry:
        """Title and description as the page declares them, in place of a feed entry."""
        return Entry(title=self.declared.title, description=self.declared.description)

    @cached_property
    def outline(self) -> Outline:
        return outline_tree(self.root)

    @cached_property
    def language(self) -> str:
        """ISO 639-1 code, declared or guessed from the words; ``""`` where neither helps."""
        return guess_language(self.root, (leaf.text for leaf in self.outline.leaves))


@dataclass(frozen=True)
class Extract:
    """What a wrapper takes from a page.

    ``xpath`` is the expression that found the content, ``""`` where none did; then
    ``text`` and ``html`` are empty.  ``linked_headings`` counts the headings in the content
    that lead to other pages, as those of a page that shows several articles do; ``unseen``
    the segments at places that the wrapper was not learned with.
    """

    text: str = ""
    html: str = ""
    xpath: str = ""
    linked_headings: int = 0
    unseen: int = 0

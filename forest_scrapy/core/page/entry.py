"""The entry of a feed for a page, without what reads pages: crawls have entries before pages."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from forest_scrapy.core.page.content import MediaFile


@dataclass(frozen=True)
class Entry:
    """A feed's entry for one page; title and description are without markup.

    ``content``: the full text as HTML, not sanitized, with relative URLs; ``""`` if the feed has
    a summary only.  ``enclosures``: the files of media that belong to the entry.
    ``published`` and ``updated`` are the feed's own strings, not parsed.  ``comments_url`` and
    ``comments_count`` are ``""`` and None if missing.  ``signifiers_only``: title and description
    are used to find the article's text, but no field of the article is read from the entry;
    ``to_dict`` does not write it.
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
    content: str = field(default="", repr=False)
    enclosures: tuple[MediaFile, ...] = ()
    signifiers_only: bool = False

    @property
    def text(self) -> str:
        """Title and description, from which signifiers are taken (FOREST section 3.1).

        >>> Entry(title="A harbour", description="Boats come in.").text
        'A harbour\\nBoats come in.'
        """
        return "\n".join(part for part in (self.title, self.description) if part)

    def for_signifiers(self) -> "Entry":
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
            "content": self.content,
            "enclosures": [asdict(file) for file in self.enclosures],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Entry":
        tags = tuple(data.get("tags", ()))
        files = tuple(MediaFile(**file) for file in data.get("enclosures", ()))
        return cls(**{**data, "tags": tags, "enclosures": files})

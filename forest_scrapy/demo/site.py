"""The whole demo site, built in memory: the same base URL always gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from forest_scrapy.demo.feed_files import atom, rss
from forest_scrapy.demo.pages import Edition, read_template
from forest_scrapy.demo.stories import Story, load_stories

__all__ = ["DemoArticle", "DemoSite", "build_site"]

_HTML = "text/html; charset=utf-8"
_NAME = "The Harbour Gazette"


@dataclass(frozen=True)
class DemoArticle:
    """What a perfect extraction of one article page would give.

    ``text`` is the body only, one line for each paragraph, subheading, list item, table cell and
    line of code: no title, byline or caption.  ``published`` is ISO 8601 with an offset.
    """

    path: str
    title: str
    authors: tuple[str, ...]
    published: str
    language: str
    tags: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class DemoSite:
    """``files`` maps a path to its content type and bytes; ``articles`` are newest first."""

    base_url: str
    files: Mapping[str, tuple[str, bytes]]
    articles: tuple[DemoArticle, ...]

    @property
    def feed_url(self) -> str:
        return f"{self.base_url}/feed.xml"

    @property
    def pages(self) -> tuple[str, ...]:
        """The paths of the HTML pages."""
        return tuple(path for path, (kind, _) in self.files.items() if kind == _HTML)


def build_site(base_url: str) -> DemoSite:
    """The site as it is when served at ``base_url``, with or without a final slash."""
    base_url = base_url.rstrip("/")
    stories = load_stories()
    edition = Edition(base_url, _NAME, stories)
    files = {path: (_HTML, html.encode()) for path, html in edition.pages()}
    files |= {
        "/feed.xml": ("application/rss+xml; charset=utf-8", rss(base_url, _NAME, stories)),
        "/journal/atom.xml": (
            "application/atom+xml; charset=utf-8",
            atom(base_url, f"{_NAME}: Journal", edition.journal),
        ),
        "/robots.txt": ("text/plain; charset=utf-8", b"User-agent: *\nAllow: /\n"),
        "/static/site.css": ("text/css; charset=utf-8", read_template("site.css").encode()),
        "/static/picture.svg": ("image/svg+xml", read_template("picture.svg").encode()),
    }
    return DemoSite(base_url, MappingProxyType(files), tuple(map(_article, stories)))


def _article(story: Story) -> DemoArticle:
    return DemoArticle(
        path=story.path,
        title=story.title,
        authors=story.authors,
        published=story.published,
        language=story.language,
        tags=story.tags,
        text=story.body.text,
    )

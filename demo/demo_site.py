"""The demo site as files in memory; the same base URL always gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from demo.edition import Edition, read_layout
from demo.feed_files import atom, rss
from demo.stories import Story, load_stories

_HTML = "text/html; charset=utf-8"
_NAME = "The Harbour Gazette"


@dataclass(frozen=True)
class DemoArticle:
    """The correct extract of one article page.

    ``text`` is the body only, one line for each paragraph, subheading, list item, table cell and
    line of code: no title, byline or captions.  ``published`` is ISO 8601 with an offset.
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
    """``files``: content type and bytes by path; ``articles``: newest first."""

    base_url: str
    files: Mapping[str, tuple[str, bytes]]
    articles: tuple[DemoArticle, ...]

    @property
    def feed_url(self) -> str:
        return f"{self.base_url}/feed.xml"

    @property
    def pages(self) -> tuple[str, ...]:
        """The paths of all HTML pages."""
        return tuple(path for path, (kind, _) in self.files.items() if kind == _HTML)


def build_site(base_url: str) -> DemoSite:
    """Build the site for a base URL, with or without a trailing slash."""
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
        "/static/site.css": ("text/css; charset=utf-8", read_layout("site.css").encode()),
        "/static/picture.svg": ("image/svg+xml", read_layout("picture.svg").encode()),
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

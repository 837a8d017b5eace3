"""The stories of the demo site, read from ``texts/``."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from demo.markup import Body, render

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@dataclass(frozen=True)
class Comment:
    """A reader's comment on a story."""

    reader: str
    text: str


@dataclass(frozen=True)
class Story:
    """An article of the site; ``published`` is ISO 8601 with an offset."""

    section: str
    slug: str
    title: str
    authors: tuple[str, ...]
    published: str
    language: str
    topic: str
    tags: tuple[str, ...]
    photo: str
    comments: tuple[Comment, ...]
    body: Body

    @property
    def when(self) -> datetime:
        return datetime.fromisoformat(self.published)

    @property
    def day(self) -> str:
        """The visible date, in English in any locale: ``4 June 2024``."""
        return f"{self.when.day} {_MONTHS[self.when.month - 1]} {self.when.year}"

    @property
    def byline(self) -> str:
        return " and ".join(self.authors)

    @property
    def path(self) -> str:
        if self.section == "news":
            return f"/news/{self.slug}.html"
        return f"/journal/{self.when.year}/{self.slug}/"

    @property
    def summary(self) -> str:
        """The first paragraph, at most 200 characters."""
        return shorten(self.body.text.split("\n", 1)[0], 200)


def shorten(text: str, limit: int) -> str:
    """Cut the text after a word, at ``limit`` characters at most, and add an ellipsis.

    >>> shorten("Boats come in at dawn", 12), shorten("Boats", 12)
    ('Boats come…', 'Boats')
    """
    if len(text) <= limit:
        return text
    return text[:limit].rsplit(" ", 1)[0].rstrip(",;:.") + "…"


@lru_cache(maxsize=1)
def load_stories() -> tuple[Story, ...]:
    """Return all stories, newest first."""
    texts = files("demo").joinpath("texts")
    found = [
        _read(section, source)
        for section in ("news", "journal")
        for source in texts.joinpath(section).iterdir()
        if source.name.endswith(".txt")
    ]
    return tuple(sorted(found, key=lambda story: (story.when, story.slug), reverse=True))


def _read(section: str, source: Traversable) -> Story:
    head, _, body = source.read_text(encoding="utf-8").partition("\n\n")
    fields: defaultdict[str, list[str]] = defaultdict(list)
    for line in head.split("\n"):
        name, _, value = line.partition(": ")
        fields[name].append(value)
    return Story(
        section=section,
        slug=source.name.removesuffix(".txt"),
        title=fields["title"][0],
        authors=tuple(fields["author"]),
        published=fields["published"][0],
        language=fields["language"][0],
        topic=fields["topic"][0],
        tags=tuple(fields["tags"][0].split(", ")),
        photo="".join(fields["photo"]),
        comments=tuple(_comment(value) for value in fields["comment"]),
        body=render(body),
    )


def _comment(value: str) -> Comment:
    reader, _, text = value.partition(" | ")
    return Comment(reader, text)

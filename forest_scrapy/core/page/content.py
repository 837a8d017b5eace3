"""The content of an article's elements: text, HTML, links, images and media."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from html import escape
from itertools import chain

from forest_scrapy.core.page.tree import Element


@dataclass(frozen=True)
class Image:
    """An image of the article; ``caption`` is that of the figure it is in; ``type`` and
    ``length`` as in ``MediaFile``."""

    url: str
    alt: str = ""
    caption: str = ""
    type: str = ""
    length: int | None = None


@dataclass(frozen=True)
class Link:
    """A link in the article's text."""

    url: str
    text: str = ""


@dataclass(frozen=True)
class Media:
    """A video or audio file, or a frame that plays one."""

    url: str
    is_audio: bool


@dataclass(frozen=True)
class MediaFile:
    """A file of media: its URL, media type (``""`` if unknown) and length in bytes (None if
    unknown)."""

    url: str
    type: str = ""
    length: int | None = None

    @property
    def kind(self) -> str:
        """``audio``, ``video``, ``image``, or another first part of the type.

        >>> MediaFile("http://a.example/1.mp3", "audio/mpeg", 9000).kind
        'audio'
        """
        main_type, _, _ = self.type.partition("/")
        return main_type.lower()


#: Lines beside images, told by their classes, from which on they may be a story in pictures.
MIN_STORY_CAPTIONS = 3


@dataclass(frozen=True)
class Content:
    """The content of one or more elements.

    ``text``: one line per block, with captions.  ``markup``: allowed elements and attributes only,
    and absolute URLs; not safe to show before ``markup.clean_markup``.
    ``linked_headings``: headings that link to other pages, typical of a page with several
    articles.  ``text_blocks``: the blocks with text of their own.  ``own_body``: the
    text without captions, if that is known.  ``named_body``: the same with the ``named_captions``,
    the number of lines that only the word of a class tells to be captions; None if there are none.
    """

    text: str = ""
    markup: str = field(default="", repr=False)
    links: tuple[Link, ...] = ()
    images: tuple[Image, ...] = ()
    media: tuple[Media, ...] = ()
    linked_headings: int = 0
    text_blocks: tuple[Element, ...] = field(default=(), repr=False, compare=False)
    own_body: str | None = field(default=None, repr=False)
    named_body: str | None = field(default=None, repr=False)
    named_captions: int = field(default=0, repr=False)

    @property
    def body(self) -> str:
        """The text without captions; all of it if there is nothing else.

        Lines that only the word of a class tells to be captions are text if they are several, and
        more than the rest: they are what a story in pictures tells.
        """
        if self.own_body is not None and self.named_body is not None:
            is_several = self.named_captions >= MIN_STORY_CAPTIONS
            if is_several and len(self.named_body) > 2 * len(self.own_body):
                return self.named_body
        return self.own_body or self.text

    def with_captions(self) -> "Content":
        """The same, with all captions as part of the body."""
        return replace(self, own_body=None, named_body=None, named_captions=0)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read, to see or to hear."""
        has_media = self.images or self.media
        return not self.text and not has_media


NO_CONTENT = Content()


def join_contents(contents: Iterable[Content]) -> Content:
    """Several contents as one, in their order.

    >>> joined = join_contents([Content("a", "<p>a</p>", own_body=""), Content("b", "<p>b</p>")])
    >>> joined.text, joined.body
    ('a\\nb', 'b')
    """
    parts = list(contents)
    if len(parts) == 1:
        return parts[0]
    texts = [part.text for part in parts if part.text]
    bodies = [_without_captions(part) for part in parts]
    return Content(
        text="\n".join(texts),
        markup="\n".join(part.markup for part in parts),
        links=tuple(chain.from_iterable(part.links for part in parts)),
        images=tuple(chain.from_iterable(part.images for part in parts)),
        media=tuple(chain.from_iterable(part.media for part in parts)),
        linked_headings=sum(part.linked_headings for part in parts),
        text_blocks=tuple(chain.from_iterable(part.text_blocks for part in parts)),
        own_body="\n".join(filter(None, bodies)),
        named_body=_join_named_bodies(parts),
        named_captions=sum(part.named_captions for part in parts),
    )


def _join_named_bodies(contents: list[Content]) -> str | None:
    if not any(content.named_captions for content in contents):
        return None
    bodies = []
    for content in contents:
        is_named = content.named_body is not None
        bodies.append(content.named_body if is_named else _without_captions(content))
    return "\n".join(filter(None, bodies))


def _without_captions(content: Content) -> str:
    if content.own_body is None:
        return content.text
    return content.own_body


def text_content(text: str) -> Content:
    """The content of a plain text, one paragraph per line.

    >>> text_content("Fish & chips\\nEvery day").markup
    '<p>Fish &amp; chips</p>\\n<p>Every day</p>'
    """
    paragraphs = []
    lines = []
    for line in text.split("\n"):
        if line.strip():
            paragraphs.append(f"<p>{escape(line, quote=False)}</p>")
            lines.append(" ".join(line.split()))
    return Content("\n".join(lines), "\n".join(paragraphs))

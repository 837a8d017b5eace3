"""Writing the content of elements: markup, lines of text, images and media."""

from __future__ import annotations

import re
from html import escape

from forest_scrapy.core.document.allowed_html import INLINE
from forest_scrapy.core.document.content import Image, Media
from forest_scrapy.core.document.lines import Lines
from forest_scrapy.core.document.markup import find_media, one_line, write_attributes
from forest_scrapy.core.document.tables import HOLDERS, PARTS, TABLE_TAGS, Table, is_misplaced
from forest_scrapy.core.document.tree import Element
from forest_scrapy.core.document.urls import image_url

__all__ = ["ContentWriter", "Frame"]

_VOID = frozenset(("br", "hr", "wbr", "source"))
_MARKUP = re.compile(r"[&<>]")


class Frame:
    """An element whose children are being read: its ``tag`` as it is written, and the nearest
    ``block``, ``table`` and ``headings`` around what is read."""

    __slots__ = (
        "block", "children", "element", "headings", "in_link", "is_caption", "is_inline",
        "is_pre", "link", "start", "table", "tag",
    )  # fmt: skip

    def __init__(self, element: Element, tag: str, outer: Frame | None) -> None:
        self.element, self.tag, self.children = element, tag, iter(element)
        self.is_inline = tag in INLINE
        #: Of a link: its number, and where its text starts.
        self.link, self.start = -1, 0
        self.block: Element | None = None
        self.table: Table | None = None
        self.headings: tuple[int, ...] = ()
        self.in_link = self.is_pre = self.is_caption = False
        if outer is not None:
            self.block, self.table, self.headings = outer.block, outer.table, outer.headings
            self.in_link, self.is_pre = outer.in_link, outer.is_pre
        if not self.is_inline:
            self.block = element


class ContentWriter:
    """The markup and the text written so far, with the images and media in them."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.out: list[str] = []
        self.lines = Lines()
        self.images: list[Image] = []
        self.media: list[Media] = []
        self.text_blocks: dict[Element, None] = {}

    def leaf(self, element: Element, tag: str, outer: Frame) -> None:
        """Write an element without children, outside of tables."""
        is_inline, text = tag in INLINE, element.text
        if not is_inline:
            self.lines.end()
        self.out.append(f"<{tag}{write_attributes(element, tag, self.base)}>")
        if text:
            self.text(text, outer, block=outer.block if is_inline else element)
        if not is_inline:
            self.lines.end()
        if tag not in _VOID:
            self.out.append(f"</{tag}>")

    def open(self, frame: Frame, outer: Frame | None) -> None:
        """Write the start of an element."""
        if not frame.is_inline:
            self.lines.end()
        if frame.tag in TABLE_TAGS or (outer and outer.tag in HOLDERS):
            self._place_in_table(frame, outer)
        attributes = ""
        if frame.element.attrib:
            attributes = write_attributes(frame.element, frame.tag, self.base)
        self.out.append(f"<{frame.tag}{attributes}>")

    def close(self, frame: Frame) -> None:
        """Write the end of an element."""
        if not frame.is_inline or frame.is_caption:
            self.lines.end()
        if frame.is_caption:
            self.lines.is_caption = False
        if frame.table and frame.tag in TABLE_TAGS:
            frame.table.note_tag(len(self.out), "</div>")
        if frame.tag not in _VOID:
            self.out.append(f"</{frame.tag}>")
        if frame.table and frame.tag == "table":
            frame.table.close(self.out)

    def start_caption(self, frame: Frame) -> None:
        """The text of this element, which has no other captions around it, is a caption."""
        self.lines.end()
        frame.is_caption = self.lines.is_caption = True

    def text(
        self, text: str, frame: Frame, continues: bool = False, block: Element | None = None
    ) -> None:
        """Write text of an element, or of a child ``block`` of it; ``continues``: nothing was
        written since the text before it."""
        if continues and not frame.is_pre and self.lines.ends_in_space:
            text = text.lstrip()
        if not text or text.isspace():
            self.out.append(text)
            if frame.is_pre or self.lines.is_open:
                self.lines.add(text, frame.is_pre)
            return
        self.out.append(escape(text, quote=False) if _MARKUP.search(text) else text)
        self.lines.add(text, frame.is_pre)
        if block is None:
            block = frame.block
        if block is not None:
            self.text_blocks[block] = None
        if frame.table is not None:
            self.break_table(frame)

    def break_line(self, outer: Frame | None) -> None:
        """Start a new line in the element."""
        self.lines.end()
        self.out.append("<br>")
        self.break_table(outer)

    def image(self, image: Element, caption: str, outer: Frame | None) -> None:
        """Write an image, unless it has no URL or is a tracking pixel."""
        if url := image_url(image, self.base):
            self.out.append(f"<img{write_attributes(image, 'img', self.base, url)}>")
            self.images.append(Image(url, one_line(image.get("alt") or ""), caption))
            self.break_table(outer)

    def figure(self, images: list[Element], caption: str, outer: Frame | None) -> None:
        """Write a figure with these images and their caption only."""
        self.lines.end()
        self.out.append("<figure>")
        for image in images:
            self.image(image, caption, None)
        if caption:
            self.out.append(f"<figcaption>{escape(caption, quote=False)}</figcaption>")
            self.lines.add_caption(caption)
        self.out.append("</figure>")
        self.break_table(outer)

    def player(self, element: Element, tag: str, outer: Frame | None) -> None:
        """A video or audio with its sources, without the content for old browsers."""
        self.lines.end()
        self.media += find_media(element, self.base)
        self.out.append(f'<{tag}{write_attributes(element, tag, self.base)} controls="">')
        for source in element.iterchildren("source"):
            self.out.append(f"<source{write_attributes(source, 'source', self.base)}>")
        self.out.append(f"</{tag}>")
        self.break_table(outer)

    def break_table(self, frame: Frame | None) -> None:
        """Note that the element contains something that is not a part of a table."""
        if frame and frame.table and frame.tag in HOLDERS:
            frame.table.is_valid = False

    def _place_in_table(self, frame: Frame, outer: Frame | None) -> None:
        if is_misplaced(frame.tag, outer.tag if outer else ""):
            frame.tag = "div" if frame.tag in PARTS else frame.tag
            self.break_table(outer)
        if frame.tag == "table":
            frame.table = Table()
        if frame.table and frame.tag in TABLE_TAGS:
            frame.table.note_tag(len(self.out), "<div>")

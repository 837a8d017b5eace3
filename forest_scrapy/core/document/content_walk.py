"""Reading the content of an element in one walk."""

from __future__ import annotations

from collections.abc import Collection

from forest_scrapy.core.document.allowed_html import BLOCKS, INLINE, REMOVED
from forest_scrapy.core.document.content import Content, Link
from forest_scrapy.core.document.content_writer import ContentWriter, Frame
from forest_scrapy.core.document.hidden import find_hidden
from forest_scrapy.core.document.markup import (
    find_caption,
    find_figure_images,
    find_media,
    is_caption,
    one_line,
)
from forest_scrapy.core.document.tables import HOLDERS, TABLE_TAGS
from forest_scrapy.core.document.tree import Element, is_block
from forest_scrapy.core.document.urls import absolute_url

__all__ = ["read_content"]

#: Elements that leave no trace: the text after them continues the line.
_CODE = frozenset(("script", "style", "noscript", "template"))
_HEADINGS = frozenset(("h1", "h2", "h3"))
#: Enclosing headings that a link counts for: no page has more, but a hostile one.
_MOST_HEADINGS = 8
_NOTED = _HEADINGS | {"a", "pre"}
_ALLOWED = BLOCKS | INLINE
#: Elements that need nothing but their tags if they have no children.
_PLAIN = _ALLOWED - _NOTED - TABLE_TAGS - {"img", "video", "audio"}
_PLAYERS = frozenset(("video", "audio"))


def read_content(root: Element, without: Collection[Element] = (), base: str = "") -> Content:
    """The content of an element, except of the elements in ``without`` and of hidden ones (see
    ``find_hidden``).

    If an element to leave out is a figure or inside one, its images and their caption are kept.
    URLs are joined to ``base``.  The tree is not changed.  Cost: one walk.

    >>> from lxml.html import fromstring
    >>> owls = fromstring("<div><h2>Owls</h2><p onclick=x()>See <a href=/b>more</a></div>")
    >>> read_content(owls, base="http://a.example/").markup
    '<div><h2>Owls</h2><p>See <a href="http://a.example/b">more</a></p></div>'
    """
    return _Walk(root, without, base).read()


class _Walk:
    """One walk over an element."""

    def __init__(self, root: Element, without: Collection[Element], base: str) -> None:
        self.root, self.without = root, find_hidden(root).union(without)
        self.writer = ContentWriter(base)
        self.own_url = base.partition("#")[0]
        self.captions: dict[Element, str] = {}
        self.links: list[Link | None] = []
        self.linked: list[bool] = []  # for each heading, whether it links to another page

    def read(self) -> Content:
        writer, is_inline = self.writer, not is_block(self.root)
        writer.out.append("<p>" if is_inline else "")
        self._read_tree()
        writer.out.append("</p>" if is_inline else "")
        return Content(
            writer.lines.text(),
            "".join(writer.out),
            tuple(link for link in self.links if link),
            tuple(writer.images),
            tuple(writer.media),
            sum(self.linked),
            tuple(writer.text_blocks),
            writer.lines.body(),
        )

    def _read_tree(self) -> None:
        writer, first = self.writer, self._enter(self.root, None)
        stack = [first] if first else []
        while stack:
            frame = stack[-1]
            for child in frame.children:
                written = len(writer.out)
                inner = self._enter(child, frame)
                if inner is not None:
                    stack.append(inner)
                    break
                if child.tail:
                    writer.text(child.tail, frame, continues=len(writer.out) == written)
            else:
                self._leave(stack.pop())
                if stack and frame.element.tail:
                    writer.text(frame.element.tail, stack[-1])

    def _enter(self, element: Element, outer: Frame | None) -> Frame | None:
        """Open an element; None if it has no children to read, or is left out."""
        tag = element.tag
        if not isinstance(tag, str) or tag in _CODE:
            return None
        starts_caption = not self.writer.lines.is_caption and is_caption(element)
        if outer and not starts_caption and self._is_plain_leaf(element, tag, outer):
            self.writer.leaf(element, tag, outer)
            return None
        written = tag if tag in _ALLOWED else "div" if is_block(element) else "span"
        frame = Frame(element, written, outer)
        if element in self.without:
            self._leave_out(element, outer)
        elif tag in REMOVED:
            self._remove(element, outer)
        elif tag == "img":
            self.writer.image(element, find_caption(element, self.root, self.captions), outer)
        elif written in _PLAYERS:
            self.writer.player(element, written, outer)
        else:
            self.writer.open(frame, outer)
            if starts_caption:
                self.writer.start_caption(frame)
            if tag in _NOTED:
                self._note(frame)
            if element.text:
                self.writer.text(element.text, frame)
            if len(element):
                return frame
            self._leave(frame)
        return None

    def _is_plain_leaf(self, element: Element, tag: str, outer: Frame) -> bool:
        """Whether nothing but the element's tags and text is to be written."""
        return (
            tag in _PLAIN
            and not len(element)
            and outer.tag not in HOLDERS
            and element not in self.without
        )

    def _leave(self, frame: Frame) -> None:
        self.writer.close(frame)
        if frame.link >= 0:
            self._end_link(frame)

    def _note(self, frame: Frame) -> None:
        """Keep what is needed of a heading, a link, or preformatted text."""
        tag, href = frame.element.tag, frame.element.get("href")
        if tag == "pre":
            frame.is_pre = True
        elif tag in _HEADINGS:
            frame.headings = (*frame.headings[-_MOST_HEADINGS:], len(self.linked))
            self.linked.append(frame.in_link)
        elif href is not None:
            frame.in_link = True
            for heading in frame.headings if not href.startswith("#") else ():
                self.linked[heading] = True
            frame.link, frame.start = len(self.links), len(self.writer.lines.pieces)
            self.links.append(None)

    def _end_link(self, frame: Frame) -> None:
        url = absolute_url(frame.element.get("href", ""), self.writer.base)
        if url.startswith("http") and url.partition("#")[0] != self.own_url:
            text = one_line("".join(self.writer.lines.pieces[frame.start :]))
            self.links[frame.link] = Link(url, text)

    def _remove(self, element: Element, outer: Frame | None) -> None:
        """Leave out an element that no article has; the text after a block stays apart."""
        self.writer.media += find_media(element, self.writer.base)
        if is_block(element) and (element.tail or "").strip():
            self.writer.break_line(outer)
        elif is_block(element) and not element.tail and outer:
            self.writer.text(" ", outer)

    def _leave_out(self, element: Element, outer: Frame | None) -> None:
        """Leave out an element of ``without``, but not the images of a figure."""
        images, caption = find_figure_images(element, self.root)
        if images:
            self.writer.figure(images, caption, outer)
        elif is_block(element) and (element.tail or "").strip():
            self.writer.break_line(outer)

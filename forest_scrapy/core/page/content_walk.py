"""Reading the content of an element in one walk: its text, and its markup with valid tables."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from html import escape
from itertools import islice

from forest_scrapy.core.page.content import Content, Image, Link, Media
from forest_scrapy.core.page.embeds import (
    AUDIO,
    EMBED_TAGS,
    PAGE,
    Embed,
    find_embed,
    find_media,
    has_link,
    is_empty_post,
    is_post,
    list_sources,
    read_post,
)
from forest_scrapy.core.page.markup import (
    BLOCKS,
    INLINE,
    LANGUAGE_CLASS,
    MARK_CLASS,
    MATH_CLASSES,
    NOTE_ID,
    REMOVED,
    FigureImages,
    find_caption,
    find_caption_around,
    find_figure_images,
    is_caption,
    may_tell_story,
    one_line,
    read_caption_class,
    write_attributes,
)
from forest_scrapy.core.page.outline import find_hidden
from forest_scrapy.core.page.panels import is_popup
from forest_scrapy.core.page.pictures import (
    IMAGE_TAGS,
    MAX_SOURCES,
    background_url,
    find_images,
    find_picture,
    image_url,
    is_fallback,
    is_screen_reader_text,
    picture_key,
)
from forest_scrapy.core.page.structures.code_blocks import CodeBlock, read_code
from forest_scrapy.core.page.structures.footnotes import (
    AFTER_LABEL,
    InlineNote,
    Note,
    NoteLabel,
    NoteMark,
)
from forest_scrapy.core.page.structures.formulas import (
    Formula,
    latex_line,
    split_formulas,
)
from forest_scrapy.core.page.structures.page_structures import (
    PlainTag,
    Structure,
    Structures,
    find_structures,
)
from forest_scrapy.core.page.structures.typography import (
    find_language,
    has_parentheses,
    is_followed_in_block,
    is_shown_as_block,
    quotation_marks,
    read_emoji,
    script_marks,
)
from forest_scrapy.core.page.text import Lines, strip_invisible, strip_shortcodes
from forest_scrapy.core.page.tree import Element, is_block
from forest_scrapy.core.page.urls import absolute_url

#: The parts of a table, and the elements each may be a child of.
PARTS = {
    "caption": ("table",),
    "thead": ("table",),
    "tbody": ("table",),
    "tfoot": ("table",),
    "tr": ("table", "thead", "tbody", "tfoot"),
    "td": ("tr",),
    "th": ("tr",),
}
#: The elements that hold parts only, and no text.
HOLDERS = frozenset(("table", "thead", "tbody", "tfoot", "tr"))
#: A table and its parts.
TABLE_TAGS = frozenset(("table", *PARTS))


class Table:
    """A table that is being written: where its tags are in the markup, and whether only what may
    be between them is there."""

    __slots__ = ("_tags", "is_valid")

    def __init__(self) -> None:
        self.is_valid = True
        self._tags: list[tuple[int, str]] = []

    def note_tag(self, position: int, mark: str) -> None:
        """A tag of the table or a part is written next; ``mark``: what it would be as ``div``."""
        self._tags.append((position, mark))

    def close(self, out: list[str]) -> None:
        """Turn an invalid table into plain blocks: a browser would show what is between its cells
        before the table."""
        if not self.is_valid:
            for position, mark in self._tags:
                out[position] = mark


def is_misplaced(tag: str, parent: str) -> bool:
    """Whether an element may not be a child of ``parent``, as far as tables go.

    >>> is_misplaced("td", "tr"), is_misplaced("td", "div"), is_misplaced("p", "tr")
    (False, True, True)
    """
    if tag in PARTS:
        return parent not in PARTS[tag]
    return parent in HOLDERS


#: Inline elements with the text of programs.
_CODE_TAGS = frozenset(("code", "kbd", "samp", "var"))
_VOID = frozenset(("br", "hr", "wbr"))
_MARKUP = re.compile(r"[&<>]")


class Frame:
    """An element whose children are being read: its ``tag`` as it is written, and the nearest
    ``block``, ``table`` and ``headings`` around what is read."""

    __slots__ = (
        "after", "block", "children", "element", "headings", "in_code", "in_link", "is_caption",
        "is_inline", "is_pre", "is_shown_as_block", "link", "note", "note_sign", "start", "table",
        "tag",
    )  # fmt: skip

    def __init__(
        self,
        element: Element,
        tag: str,
        parent_frame: "Frame | None",
    ) -> None:
        self.element = element
        self.tag = tag
        self.children = iter(element)
        self.is_inline = tag in INLINE
        #: Of a link: its number, and where its text starts.
        self.link = -1
        self.start = 0
        self.block: Element | None = None
        self.table: Table | None = None
        self.headings: tuple[int, ...] = ()
        self.in_link = False
        self.is_pre = False
        self.is_caption = False
        self.is_shown_as_block = False
        #: Whether the text is code, in which nothing stands for a formula.
        self.in_code = tag == "code"
        #: The label of the note that the element is, the sign that stands for it on the page; and
        #: what its text ends with.
        self.note = self.note_sign = ""
        self.after = ""
        if parent_frame is not None:
            self.block = parent_frame.block
            self.table = parent_frame.table
            self.headings = parent_frame.headings
            self.in_link = parent_frame.in_link
            self.is_pre = parent_frame.is_pre
            self.in_code = self.in_code or parent_frame.in_code
        if not self.is_inline:
            self.block = element


class ContentWriter:
    """The markup and the text written so far, with the images and media in them."""

    def __init__(self, base: str, structures: Structures) -> None:
        self.base = base
        self.structures = structures
        self.out: list[str] = []
        self.lines = Lines()
        self.images: list[Image] = []
        self.media: list[Media] = []
        #: The last image without text after it: its key, and whether a ``noscript`` has it.
        self.last_image: tuple[str, bool] | None = None
        self.text_blocks: dict[Element, None] = {}
        #: The label of the note that is open and has no text yet, the sign that the page shows for
        #: it, and whether the markup shows the label, too: items of ordered lists have numbers.
        self.note_label = ""
        self.note_sign = ""
        self.is_label_in_markup = False

    def leaf(
        self,
        element: Element,
        tag: str,
        parent_frame: Frame,
    ) -> None:
        """Write an element without children, outside of tables."""
        is_inline = tag in INLINE
        text = element.text
        if not is_inline:
            self.lines.end()
        self.out.append(f"<{tag}{write_attributes(element, tag, self.base)}>")
        if text:
            is_code = tag in _CODE_TAGS
            self.text(
                text,
                parent_frame,
                block=parent_frame.block if is_inline else element,
                is_code=is_code,
            )
        if not is_inline:
            self.lines.end()
        if tag not in _VOID:
            self.out.append(f"</{tag}>")

    def open(self, frame: Frame, parent_frame: Frame | None) -> None:
        """Write the start of an element."""
        if not frame.is_inline:
            self.lines.end()
        elif frame.tag == "a" and self.note_label:
            self._write_note_label()
        if frame.tag in TABLE_TAGS or (parent_frame and parent_frame.tag in HOLDERS):
            self._place_in_table(frame, parent_frame)
        attributes = ""
        if frame.element.attrib:
            attributes = write_attributes(frame.element, frame.tag, self.base)
        if frame.note:
            attributes += f' id="{NOTE_ID}{frame.note}"'
            is_numbered = _is_numbered(frame, parent_frame)
            if is_numbered and not frame.element.get("value"):
                attributes += f' value="{frame.note}"'
            self.start_note(frame.note, not is_numbered, frame.note_sign)
        if frame.tag == "q" and not frame.element.get("lang"):
            language = find_language(frame.element)
            attributes += f' lang="{escape(language)}"' if language.isalpha() else ""
        self.out.append(f"<{frame.tag}{attributes}>")

    def start_note(
        self,
        label: str,
        is_label_in_markup: bool,
        sign: str = "",
    ) -> None:
        """What is written next is the text of a note; ``sign``: it may begin with this."""
        self.note_label = label
        self.note_sign = sign
        self.is_label_in_markup = is_label_in_markup

    def _write_note_label(self) -> None:
        """Write the label of the note that is open before its text."""
        label = f"[{self.note_label}] "
        self.note_label = ""
        self.lines.add(label, is_pre=False)
        if self.is_label_in_markup:
            self.out.append(label)

    def close(self, frame: Frame) -> None:
        """Write the end of an element."""
        if frame.note:
            self.note_label = ""
        if not frame.is_inline or frame.is_caption:
            self.lines.end()
        if frame.is_caption:
            self.lines.is_caption = self.lines.is_named_caption = False
        if frame.table and frame.tag in TABLE_TAGS:
            frame.table.note_tag(len(self.out), "</div>")
        if frame.tag not in _VOID:
            self.out.append(f"</{frame.tag}>")
        if frame.table and frame.tag == "table":
            frame.table.close(self.out)

    def start_caption(self, frame: Frame, caption: Element) -> None:
        """The text of this element, which is the ``caption`` or inside it and has no other captions
        around it, is a caption."""
        self.lines.end()
        frame.is_caption = self.lines.is_caption = True
        self.lines.is_named_caption = may_tell_story(caption)

    def text(
        self,
        text: str,
        frame: Frame,
        continues: bool = False,
        block: Element | None = None,
        is_code: bool = False,
    ) -> None:
        """Write text of an element, or of a child ``block`` of it; ``continues``: nothing was
        written since the text before it; ``is_code``: shortcodes in it are what it is about."""
        if "[" in text and not (is_code or frame.is_pre or frame.tag in _CODE_TAGS):
            text = strip_shortcodes(text)
        if not text.isascii():
            text = strip_invisible(text)
        if continues and not frame.is_pre and self.lines.ends_in_space:
            text = text.lstrip()
        may_have_formulas = ("\\" in text or "$" in text) and not (frame.in_code or frame.is_pre)
        if may_have_formulas:
            self._text_with_formulas(text, frame, block)
        else:
            self._plain_text(text, frame, block)

    def _text_with_formulas(
        self,
        text: str,
        frame: Frame,
        block: Element | None,
    ) -> None:
        has_dollars = "$" in text and self.structures.has_dollars
        for piece in split_formulas(text, has_dollars):
            if isinstance(piece, str):
                self._plain_text(piece, frame, block)
            else:
                self.formula(piece, frame)
                self._note_block(frame, block)

    def _plain_text(
        self,
        text: str,
        frame: Frame,
        block: Element | None,
    ) -> None:
        if not text or text.isspace():
            self.out.append(text)
            if frame.is_pre or self.lines.is_open:
                self.lines.add(text, frame.is_pre)
            return
        if self.note_label:
            text = text.lstrip().removeprefix(self.note_sign).lstrip()
            self.note_sign = ""
            if not text:  # only the sign
                return
            self._write_note_label()
        self.out.append(escape(text, quote=False) if _MARKUP.search(text) else text)
        self.last_image = None
        self.lines.add(text, frame.is_pre)
        self._note_block(frame, block)
        if frame.table is not None:
            self.break_table(frame)

    def _note_block(self, frame: Frame, block: Element | None) -> None:
        """Note that a block has text of its own."""
        if block is None:
            block = frame.block
        if block is not None:
            self.text_blocks[block] = None

    def formula(self, formula: Formula, parent_frame: Frame | None) -> None:
        """Write a formula as an element with its LaTeX."""
        kind = MATH_CLASSES[formula.is_display]
        if formula.is_display:
            self.lines.end()
        if self.note_label:
            self._write_note_label()
        latex = latex_line(formula.latex)
        self.out.append(f'<span class="{kind}">{escape(latex, quote=False)}</span>')
        self.lines.add(latex, is_pre=False)
        if formula.is_display:
            self.lines.end()
        self.break_table(parent_frame)

    def code(
        self,
        block: CodeBlock,
        without: Collection[Element],
        parent_frame: Frame | None,
    ) -> None:
        """Write a block of code, line by line."""
        code = read_code(block, without)
        if not code.text:
            return
        written = escape(code.text, quote=False)
        if block.is_code:
            name = f' class="{LANGUAGE_CLASS}{block.language}"' if block.language else ""
            written = f"<code{name}>{written}</code>"
        self.lines.end()
        self.out.append(f"<pre>{written}</pre>")
        self.lines.add(code.text, is_pre=True)
        self.lines.end()
        for owner in code.owners:
            around = (
                parent_frame.block if parent_frame is not None and not is_block(owner) else owner
            )
            if around is not None:
                self.text_blocks[around] = None
        self.break_table(parent_frame)

    def mark(self, mark: NoteMark, parent_frame: Frame | None) -> None:
        """Write the mark of a note in brackets, with the link to the note on its page, which
        ``clean_markup`` makes a link to the note in the markup if that is there."""
        label_text = f"[{escape(mark.label, quote=False)}]"
        href = mark.link.get("href", "") if mark.link is not None else ""
        url = absolute_url(href, self.base) if href else ""
        if not url and mark.has_note:
            url = f"#{NOTE_ID}{mark.label}"
        is_linked = bool(url) and not (parent_frame is not None and parent_frame.in_link)
        written = f'<a href="{escape(url)}">{label_text}</a>' if is_linked else label_text
        name = f' class="{MARK_CLASS}"' if mark.has_note else ""
        self.out.append(f"<sup{name}>{written}</sup>")
        self.lines.add(f"[{mark.label}]", is_pre=False)
        self.break_table(parent_frame)

    def start_phrase(self, frame: Frame) -> None:
        """Write what the text has at the start of an element, such as a quotation mark."""
        element = frame.element
        if frame.tag == "q":
            before, frame.after = quotation_marks(element)
        elif frame.tag == "rt":
            before = ""
            if not has_parentheses(element):
                self.out.append("<rp>(</rp>")
                before = "("
                frame.after = ")"
        else:
            before, frame.after = script_marks(element, self.lines.line_end)
        if before:
            self.lines.add(before, frame.is_pre)

    def end_phrase(self, frame: Frame) -> None:
        """Write what the text has at the end of an element."""
        if frame.after:
            self.lines.add(frame.after, frame.is_pre)
        if frame.tag == "rt" and frame.after:
            self.out.append("<rp>)</rp>")

    def break_line(self, parent_frame: Frame | None) -> None:
        """Start a new line in the element."""
        self.lines.end()
        self.out.append("<br>")
        self.break_table(parent_frame)

    def image(
        self,
        image: Element,
        caption: str,
        parent_frame: Frame | None,
        is_fallback: bool = False,
    ) -> None:
        """Write an image, unless it has no URL, is a tracking pixel or icon, or was just written.

        ``is_fallback``: a ``noscript`` has it, which may be written for an image beside it.
        """
        url = image_url(image, self.base)
        if not url or self._is_repeated(url, is_fallback):
            return
        self.out.append(f"<img{write_attributes(image, 'img', self.base, url)}>")
        self.images.append(Image(url, one_line(image.get("alt") or ""), caption))
        self.break_table(parent_frame)

    def background(
        self,
        element: Element,
        url: str,
        caption: str,
        parent_frame: Frame | None,
    ) -> None:
        """Write the background of an element as an image."""
        alt = one_line(element.get("aria-label") or element.get("title") or "")
        self.out.append(f'<img src="{escape(url)}" alt="{escape(alt)}">')
        self.images.append(Image(url, alt, caption))
        self.break_table(parent_frame)

    def embed(self, embed: Embed, parent_frame: Frame | None) -> None:
        """Write a link to what is embedded.  It is no part of the text."""
        link = f'<a href="{escape(embed.url)}">{escape(embed.text, quote=False)}</a>'
        block = parent_frame.block if parent_frame is not None else None
        self.lines.end()
        if parent_frame is not None and parent_frame.in_link:
            return
        if block is not None and block.tag in _PARAGRAPHS:
            self.out.append(f"{link} ")
        else:
            self.out.append(f"<p>{link}</p>")
        self.break_table(parent_frame)

    def _is_repeated(self, url: str, is_fallback: bool) -> bool:
        """Whether the image before, without text between, is the same; notes this one."""
        key = picture_key(url)
        last = self.last_image
        self.last_image = key, is_fallback
        if last is None or last[0] != key:
            return False
        is_same_file = bool(self.images) and self.images[-1].url == url
        return is_same_file or is_fallback or last[1]

    def figure(
        self,
        images: Sequence[Element],
        caption: str,
        parent_frame: Frame | None,
        has_caption: bool = True,
    ) -> None:
        """Write a figure with these images and their caption only.  ``has_caption``: whether the
        caption is written, too."""
        self.lines.end()
        self.out.append("<figure>")
        for image in images:
            self.image(image, caption, None)
        if caption and has_caption:
            self.out.append(f"<figcaption>{escape(caption, quote=False)}</figcaption>")
            self.lines.add_caption(caption)
        self.out.append("</figure>")
        self.break_table(parent_frame)

    def player(
        self,
        element: Element,
        tag: str,
        parent_frame: Frame | None,
    ) -> None:
        """A video or audio with its sources, without the content for old browsers."""
        self.lines.end()
        self.media += find_media(element, self.base)
        src = ""
        if not element.get("src"):
            late_urls = filter(None, map(element.get, _LATE))
            late_url = next(late_urls, "")
            src = absolute_url(late_url, self.base) if late_url else ""
        attributes = write_attributes(element, tag, self.base, src)
        self.out.append(f'<{tag}{attributes} controls="">')
        for source in islice(element.iter("source"), MAX_SOURCES):
            urls = list_sources(source)
            url = absolute_url(urls[0], self.base) if urls else ""
            if url:
                self.out.append(f"<source{write_attributes(source, 'source', self.base, url)}>")
        self.out.append(f"</{tag}>")
        self.break_table(parent_frame)

    def break_table(self, frame: Frame | None) -> None:
        """Note that the element contains something that is not a part of a table."""
        if frame and frame.table and frame.tag in HOLDERS:
            frame.table.is_valid = False

    def _place_in_table(self, frame: Frame, parent_frame: Frame | None) -> None:
        if is_misplaced(frame.tag, parent_frame.tag if parent_frame else ""):
            frame.tag = "div" if frame.tag in PARTS else frame.tag
            self.break_table(parent_frame)
        if frame.tag == "table":
            frame.table = Table()
        if frame.table and frame.tag in TABLE_TAGS:
            frame.table.note_tag(len(self.out), "<div>")


#: Blocks that may have no paragraph inside.
_PARAGRAPHS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "pre"))
#: Attributes of a video that a script loads late.
_LATE = ("data-src", "data-lazy-src", "data-video-src")
#: Elements that leave no trace: the text after them continues the line.
_CODE = frozenset(("script", "style", "noscript", "template"))
_HEADINGS = frozenset(("h1", "h2", "h3"))
#: Inline elements whose text has more than their characters, and those whose text is as it is.
_PHRASES = frozenset(("q", "sup", "sub", "rt"))
_MARKED_TEXT = _PHRASES | {"code"}
#: Enclosing headings that a link counts for: no page has more, but a hostile one.
_MAX_HEADINGS = 8
_NOTED = _HEADINGS | {"a", "pre"}
_ALLOWED = BLOCKS | INLINE
#: Elements that need nothing but their tags if they have no children.
_PLAIN = _ALLOWED - _NOTED - TABLE_TAGS - {"img", "video", "audio"}
_PLAYERS = {"video": "video", "audio": "audio", "amp-video": "video", "amp-audio": "audio"}
_IMAGES = IMAGE_TAGS | {"picture"}
#: Elements of which an attribute may tell that a script fills them.
_FILLED = frozenset(("div", "span", "figure", "section", "a", "button", "p"))
_SPECIAL = _IMAGES | _FILLED | EMBED_TAGS | set(_PLAYERS) | {"blockquote", "oembed"}
_SPECIAL |= {"iframe", "embed", "object", "amp-iframe"}
_CLASS_ONLY = ["class"]
#: Elements that are written as they are if they have no more than ``_PLAIN_ATTRIBUTES``.
_BARE = (_ALLOWED - REMOVED - _MARKED_TEXT - _PHRASES) - (_SPECIAL - _FILLED)
_BARE -= {"figure", "figcaption"}
#: Attributes, besides classes, that do not tell what an element is.
_PLAIN_ATTRIBUTES = frozenset(("class", "href", "id", "title", "target", "rel", "lang", "dir"))
#: Elements whose content is written without them: libxml2 has content in a ``source``.
_UNWRITTEN = frozenset(("source", "track"))
#: Images of one ``noscript``, at most.
MAX_FALLBACKS = 20


_HINT = re.compile(r"hidden|reader|sr-only|tip|pop-?over|glossary|hover|definition", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _may_be_unseen(names: str) -> bool:
    """Whether classes may be those of a text that is not shown.  Pages repeat their classes."""
    return _HINT.search(names) is not None


@lru_cache(maxsize=4096)
def _is_plain_class(names: str) -> bool:
    """Whether classes may not be those of a caption, of an inline element that is shown as a block,
    or of a text that is not shown."""
    if read_caption_class(names):
        return False
    return "block" not in names and not _may_be_unseen(names)


def _has_plain_attributes(element: Element) -> bool:
    """Whether no attribute tells that an element is more than its tag."""
    keys = element.keys()
    if not keys:
        return True
    if not _PLAIN_ATTRIBUTES.issuperset(keys):
        return False
    names = element.get("class")
    return names is None or _is_plain_class(names)


def _find_caption(element: Element, parent_frame: Frame | None) -> Element | None:
    """The caption that an element is; also the one around it, if it is the first that is read."""
    if parent_frame is None:
        return find_caption_around(element)
    return element if is_caption(element) else None


def _is_numbered(frame: Frame, parent_frame: Frame | None) -> bool:
    """Whether a note is shown with its number, as the items of ordered lists are."""
    is_item = frame.tag == "li" and parent_frame is not None and parent_frame.tag == "ol"
    return is_item and frame.note.isdecimal()


def _is_label(element: Element, parent_frame: Frame) -> bool:
    """Whether the element is the label of a button or link beside a picture, which screen readers
    read only."""
    names = element.get("class") or ""
    if "hidden" not in names and "reader" not in names and "sr-only" not in names:
        return False
    is_beside = parent_frame.element.tag in ("button", "figure", "a")
    has_image = next(element.iter("img"), None) is not None
    return is_beside and not has_image and is_screen_reader_text(element)


def read_content(
    root: Element,
    without: Collection[Element] = (),
    base: str = "",
    structures: Structures | None = None,
) -> Content:
    """The content of an element, except of the elements in ``without`` and of hidden ones (see
    ``find_hidden``).

    ``structures``: the formulas, code and notes of the whole page; found if None, which costs some
    searches of the page.

    If an element to leave out is a figure or inside one, its images and their caption are kept.
    URLs are joined to ``base``.  The tree is not changed.  Cost: one walk.

    >>> from lxml.html import fromstring
    >>> owls = fromstring("<div><h2>Owls</h2><p onclick=x()>See <a href=/b>more</a></div>")
    >>> read_content(owls, base="http://a.example/").markup
    '<div><h2>Owls</h2><p>See <a href="http://a.example/b">more</a></p></div>'
    """
    if structures is None:
        structures = find_structures(root.getroottree().getroot(), base.partition("#")[0])
    return _Walk(root, without, base, structures).read()


class _Walk:
    """One walk over an element."""

    def __init__(
        self,
        root: Element,
        without: Collection[Element],
        base: str,
        structures: Structures,
    ) -> None:
        self.root = root
        self.structures = structures
        self.by_element = structures.by_element
        self.hidden = structures.show_formulas(find_hidden(root))
        self.without = self.hidden.union(without)
        self.writer = ContentWriter(base, structures)
        #: Notes that stand in the text, which are written after it.
        self.notes: list[InlineNote] = []
        self.own_url = base.partition("#")[0]
        self.captions: dict[Element, str] = {}
        self.links: list[Link | None] = []
        self.linked: list[bool] = []  # for each heading, whether it links to another page

    def read(self) -> Content:
        writer = self.writer
        is_inline = not is_block(self.root)
        writer.out.append("<p>" if is_inline else "")
        self._read_tree(self.root)
        writer.out.append("</p>" if is_inline else "")
        self._read_notes()
        return Content(
            text=writer.lines.text(),
            markup="".join(writer.out),
            links=tuple(link for link in self.links if link),
            images=tuple(writer.images),
            media=tuple(writer.media),
            linked_headings=sum(self.linked),
            text_blocks=tuple(writer.text_blocks),
            own_body=writer.lines.body(),
            named_body=writer.lines.named_body(),
            named_captions=writer.lines.named_captions,
        )

    def _read_notes(self) -> None:
        """Write the notes that stood in the text as paragraphs."""
        for note in self.notes:
            self.writer.lines.end()
            self.writer.out.append(f'<p id="{NOTE_ID}{note.label}">')
            self.writer.start_note(note.label, is_label_in_markup=True)
            self._read_tree(note.content)
            self.writer.note_label = ""
            self.writer.lines.end()
            self.writer.out.append("</p>")

    def _read_tree(self, root: Element) -> None:
        writer = self.writer
        first = self._enter(root, None)
        stack = [first] if first else []
        while stack:
            frame = stack[-1]
            for child in frame.children:
                written = len(writer.out)
                child_frame = self._enter(child, frame)
                if child_frame is not None:
                    stack.append(child_frame)
                    break
                if child.tail:
                    tail = self._tail_of(child)
                    writer.text(tail, frame, continues=len(writer.out) == written)
            else:
                self._leave(stack.pop())
                if stack and frame.element.tail:
                    writer.text(frame.element.tail, stack[-1])

    def _enter(
        self,
        element: Element,
        parent_frame: Frame | None,
    ) -> Frame | None:
        """Open an element; None if it has no children to read, or is left out."""
        tag = element.tag
        if not isinstance(tag, str):
            return None
        structure = self._structure_of(element, parent_frame)
        if structure is not None:
            if self._is_structure_written(structure, element, parent_frame):
                return None
        elif (
            tag in _BARE
            and parent_frame is not None
            and _has_plain_attributes(element)
            and element not in self.without
        ):
            return self._enter_bare(element, tag, parent_frame)
        if tag == "img" and parent_frame is not None and (emoji := read_emoji(element)):
            self.writer.text(emoji, parent_frame)
            return None
        if tag in _CODE:
            self._read_code(element, parent_frame)
            return None
        if (
            tag in _SPECIAL
            and element not in self.without
            and self._is_written(element, parent_frame)
        ):
            return None
        if isinstance(structure, PlainTag):
            tag = structure.tag
        caption = None if self.writer.lines.is_caption else _find_caption(element, parent_frame)
        breaks = tag in INLINE and bool(element.attrib) and is_shown_as_block(element)
        is_plain = not (caption is not None or breaks or structure or tag in _MARKED_TEXT)
        if parent_frame and is_plain and self._is_plain_leaf(element, tag, parent_frame):
            self.writer.leaf(element, tag, parent_frame)
            return None
        written = tag
        if tag not in _ALLOWED:
            written = "div" if is_block(element) else "span"
        frame = Frame(element, written, parent_frame)
        if isinstance(structure, Note):
            frame.note = structure.label
            label = structure.shown_label
            frame.note_sign = "" if label[-1:].isalnum() else label
        if element in self.without:
            self._leave_out(element, parent_frame)
        elif tag in REMOVED:
            self._remove(element, parent_frame)
        elif tag in _UNWRITTEN:
            return frame if len(element) else None
        else:
            if breaks and not frame.is_pre:
                frame.is_shown_as_block = True
                if self.writer.lines.is_open:
                    self.writer.break_line(parent_frame)
            if written in _PHRASES:
                self.writer.start_phrase(frame)
            self.writer.open(frame, parent_frame)
            if caption is not None:
                self.writer.start_caption(frame, caption)
            if tag in _NOTED:
                self._note(frame)
            text = element.text
            if text and isinstance(structure, Note):
                text = structure.strip_label(text)
            if text:
                self.writer.text(text, frame)
            if len(element):
                return frame
            self._leave(frame)
        return None

    def _enter_bare(
        self,
        element: Element,
        tag: str,
        parent_frame: Frame,
    ) -> Frame | None:
        """``_enter`` for an element that can be nothing but its tag, text and children."""
        has_children = len(element) > 0
        if not has_children and tag in _PLAIN and parent_frame.tag not in HOLDERS:
            self.writer.leaf(element, tag, parent_frame)
            return None
        frame = Frame(element, tag, parent_frame)
        self.writer.open(frame, parent_frame)
        if tag in _NOTED:
            self._note(frame)
        if text := element.text:
            self.writer.text(text, frame)
        if has_children:
            return frame
        self._leave(frame)
        return None

    def _is_plain_leaf(
        self,
        element: Element,
        tag: str,
        parent_frame: Frame,
    ) -> bool:
        """Whether nothing but the element's tags and text is to be written."""
        return (
            tag in _PLAIN
            and not len(element)
            and parent_frame.tag not in HOLDERS
            and element not in self.without
        )

    def _structure_of(
        self,
        element: Element,
        parent_frame: Frame | None,
    ) -> Structure | None:
        """The structure that an element is; of the first element also what it is a part of."""
        structure = self.by_element.get(element)
        if structure is None and parent_frame is None:
            structure = self.structures.around(element)
        if structure is None or element in self.without:
            return None
        return structure

    def _is_structure_written(
        self,
        structure: Structure,
        element: Element,
        parent_frame: Frame | None,
    ) -> bool:
        """Write a structure with all that is in it; False if it is read as other elements are."""
        if isinstance(structure, Formula):
            self.writer.formula(structure, parent_frame)
        elif isinstance(structure, CodeBlock):
            self.writer.code(structure, self.without, parent_frame)
        elif isinstance(structure, NoteMark):
            self.writer.mark(structure, parent_frame)
        elif isinstance(structure, InlineNote):
            if structure in self.notes:
                return False
            self.writer.mark(NoteMark(structure.label), parent_frame)
            self.notes.append(structure)
        elif isinstance(structure, Note | PlainTag):
            return False
        else:
            self._keep_apart(element, parent_frame)
        return True

    def _tail_of(self, element: Element) -> str:
        """The text after an element, without what ends the label of a note."""
        tail = element.tail or ""
        if not self.by_element or element.tag == "dt":
            return tail
        is_label = isinstance(self.by_element.get(element), NoteLabel)
        if is_label:
            return tail.lstrip(AFTER_LABEL)
        return tail

    def _end_shown_block(self, element: Element) -> None:
        """End the line of an inline element that is shown as a block, if anything is after it."""
        if is_followed_in_block(element) and self.writer.lines.is_open:
            self.writer.break_line(None)

    def _is_written(self, element: Element, parent_frame: Frame | None) -> bool:
        """Write an element that is or may be an image, a player or an embed, with all that is in
        it; False if it is none."""
        tag = str(element.tag)
        base = self.writer.base
        if tag in _IMAGES:
            image = find_picture(element)
            caption = find_caption(element, self.root, self.captions)
            if image not in self.hidden:
                self.writer.image(image, caption, parent_frame)
            return True
        if tag in _PLAYERS:
            self.writer.player(element, _PLAYERS[tag], parent_frame)
            return True
        if tag == "blockquote":
            is_replaced = is_post(element) and is_empty_post(element)
            return is_replaced and self._write_post(element, parent_frame)
        if tag in _FILLED:
            keys = element.keys()
            if not keys:
                return False
            names = element.get("class")
            has_hint = (names is not None and _may_be_unseen(names)) or "role" in keys
            if not has_hint and keys == _CLASS_ONLY:
                return False
            has_data = "data-" in " ".join(keys)
            if not (has_data or has_hint or "style" in keys):
                return False
            if (
                has_hint
                and parent_frame
                and (_is_label(element, parent_frame) or is_popup(element))
            ):
                return True
            is_empty = not len(element) and not (element.text or "").strip()
            if is_empty and (url := background_url(element, base)):
                caption = find_caption(element, self.root, self.captions)
                self.writer.background(element, url, caption, parent_frame)
                return True
            if not has_data:
                return False
        embed = find_embed(element, base)
        if embed is None:
            return False
        self.writer.media += find_media(element, base)
        self._write_embed(embed, parent_frame, notes_media=tag in _FILLED or tag == "oembed")
        return True

    def _write_embed(
        self,
        embed: Embed,
        parent_frame: Frame | None,
        notes_media: bool,
    ) -> None:
        if embed.kind == PAGE:
            self.links.append(Link(embed.url, embed.text))
        elif notes_media:
            self.writer.media.append(Media(embed.player, embed.kind == AUDIO))
        self.writer.embed(embed, parent_frame)

    def _write_post(
        self,
        quotation: Element,
        parent_frame: Frame | None,
    ) -> bool:
        """Write a post that a script replaces as a quotation with a link."""
        post = read_post(quotation, self.writer.base)
        if post is None:
            return False
        self.writer.lines.end()
        self.writer.out.append("<blockquote>")
        self._write_embed(post, None, notes_media=True)
        self.writer.out.append("</blockquote>")
        self.writer.break_table(parent_frame)
        return True

    def _read_code(self, element: Element, parent_frame: Frame | None) -> None:
        """Write what a ``noscript`` has for browsers without scripts, and the code that a script
        embeds."""
        if element in self.without or element.tag not in ("noscript", "script"):
            return
        embed = None
        if element.tag == "script":
            embed = find_embed(element, self.writer.base)
        elif len(element) and not is_fallback(element):
            caption = find_caption(element, self.root, self.captions)
            for image in islice(find_images(element), MAX_FALLBACKS):
                if image not in self.hidden:
                    self.writer.image(image, caption, parent_frame, is_fallback=True)
            frame = next(element.iter("iframe"), None)
            embed = find_embed(frame, self.writer.base) if frame is not None else None
        if embed is not None:
            self._write_embed(embed, parent_frame, notes_media=True)

    def _leave(self, frame: Frame) -> None:
        if frame.tag == "blockquote" and is_post(frame.element):
            post = read_post(frame.element, self.writer.base)
            if post is not None and post.kind != PAGE:
                self.writer.media.append(Media(post.player, is_audio=False))
            if post is not None and not has_link(frame.element):
                self._write_embed(post, None, notes_media=False)
        self.writer.close(frame)
        if frame.tag in _PHRASES:
            self.writer.end_phrase(frame)
        if frame.is_shown_as_block:
            self._end_shown_block(frame.element)
        if frame.link >= 0:
            self._end_link(frame)

    def _note(self, frame: Frame) -> None:
        """Note a heading, a link, or preformatted text."""
        tag = frame.element.tag
        href = frame.element.get("href")
        if tag == "pre":
            frame.is_pre = True
        elif tag in _HEADINGS:
            frame.headings = (*frame.headings[-_MAX_HEADINGS:], len(self.linked))
            self.linked.append(frame.in_link)
        elif href is not None:
            frame.in_link = True
            if not href.startswith("#"):
                for heading in frame.headings:
                    self.linked[heading] = True
            frame.link = len(self.links)
            frame.start = len(self.writer.lines.pieces)
            self.links.append(None)

    def _end_link(self, frame: Frame) -> None:
        href = frame.element.get("href", "")
        url = absolute_url(href, self.writer.base)
        page_url, _, _ = url.partition("#")
        if url.startswith("http") and page_url != self.own_url:
            pieces = self.writer.lines.pieces[frame.start :]
            text = one_line("".join(pieces))
            self.links[frame.link] = Link(url, text)

    def _remove(self, element: Element, parent_frame: Frame | None) -> None:
        """Leave out an element that no article has; the text after a block stays apart."""
        self.writer.media += find_media(element, self.writer.base)
        self._keep_apart(element, parent_frame)

    def _keep_apart(self, element: Element, parent_frame: Frame | None) -> None:
        """Keep the text after a block that is not written apart from the text before it."""
        if is_block(element) and (element.tail or "").strip():
            self.writer.break_line(parent_frame)
        elif is_block(element) and not element.tail and parent_frame:
            self.writer.text(" ", parent_frame)

    def _leave_out(self, element: Element, parent_frame: Frame | None) -> None:
        """Leave out an element of ``without``, but not the images of a figure that is shown, unless
        they are left out themselves."""
        groups: list[FigureImages] = []
        if element not in self.hidden:
            groups = find_figure_images(element, self.root)
        has_images = False
        for group in groups:
            images = [image for image in group.images if image not in self.without]
            has_images |= bool(images)
            if images or (has_images and not group.images):
                self.writer.figure(images, group.caption, parent_frame, group.has_caption)
        if has_images:
            return
        is_shown_block = is_block(element) and element not in self.hidden
        if is_block(element) and (element.tail or "").strip():
            self.writer.break_line(parent_frame)
        elif is_shown_block and not element.tail and parent_frame and self.writer.lines.is_open:
            self.writer.text(" ", parent_frame)

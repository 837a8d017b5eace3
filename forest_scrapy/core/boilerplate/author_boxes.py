"""The box on the author at the end of an article: a label such as "About the author", a portrait,
some lines, all of which are no part of the article."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from forest_scrapy.core.boilerplate.asides import LABEL_ENDS, NOT_IN
from forest_scrapy.core.boilerplate.masking import read_own_authors
from forest_scrapy.core.boilerplate.wordings import Wordings, plain
from forest_scrapy.core.fields.sources import PageSources
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.markup import is_caption
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.page.pictures import find_images
from forest_scrapy.core.page.text import line_text
from forest_scrapy.core.page.tree import Element

# These constants are not tuned.
#: Characters of the longest label.
_MAX_LABEL = 40
#: Blocks and characters of a box, with the label; blocks of one that has no element of its own and
#: is recognized by the author's name.
_MAX_BLOCKS = 8
_MAX_TEXT = 800
_MAX_NAMED_BLOCKS = 4
#: The share of the text that is kept, if the box is recognized by what is left out already.
_MAX_KEPT_SHARE = 0.5
#: Words of the shortest text of a box.
_MIN_WORDS = 5
#: Images of a box: more are those of the article.
_MAX_IMAGES = 2
#: Elements after the label in which its text is looked for.
_MAX_AFTER = 6
#: The share of the article's text that a box has at most.
_MAX_SHARE = 0.5

#: Labels of the box on the author with which a page may end.
_AUTHOR_LABELS = Wordings(r"""
    (about|meet) (the|our) (authors?|writers?|contributors?)
    (author|writer)('s)? (bio|biography|profile)
    (über|zu) (den|die|der) autor(in|en)?
    zu[mr] autor(in)?
    (à propos de l'|l')auteure?
    (sobre|acerca de) (el|la|los|o|a) autore?[as]?
    (informazioni sull'|l')autore
    over de auteurs?
    om (författaren|forfatteren)
    o autor(ze|ce|ovi)
    об авторе
    (关于)?作者简介
""")


@dataclass(frozen=True)
class _Box:
    """The blocks of the content from the label to its end, and the block before the label that is
    no caption."""

    blocks: Sequence[Element]
    before: Element

    @property
    def label(self) -> Element:
        return self.blocks[0]

    @cached_property
    def top(self) -> Element:
        """The largest element with the label that has nothing of the article before it."""
        around_before = {self.before, *self.before.iterancestors()}
        top = self.label
        for above in self.label.iterancestors():
            if above in around_before:
                break
            top = above
        return top

    @cached_property
    def elements(self) -> Sequence[Element]:
        """The elements from that with the label to that with the last block, if they have one
        parent; without a block after the label, to the nearest one that has text."""
        elements = [self.top]
        last = self.blocks[-1]
        if last is not self.label:
            around_last = {last, *last.iterancestors()}
            for element in self.top.itersiblings():
                if elements[-1] in around_last:
                    break
                elements.append(element)
            return elements

        has_more = _count_words([self.top]) >= _count_words([self.label]) + _MIN_WORDS
        if has_more:
            return elements
        for element in islice(self.top.itersiblings(), _MAX_AFTER):
            elements.append(element)
            if _count_words([element]) >= _MIN_WORDS:
                return elements
        return [self.top]


def find_author_box(
    page: Page,
    content: Content,
    boilerplate: Collection[Element] = (),
) -> frozenset[Element]:
    """The elements of the box on the author with which the content ends, with its label and its
    portrait; empty if there is none.

    ``boilerplate``: blocks of the content that are left out anyway.  A box names an author of the
    page, since an essay may be about an author; or most of its text is left out, as
    ``boilerplate``, or since it is not in the content.  Cost: a look at the last blocks.
    """
    blocks = content.text_blocks
    first = max(1, len(blocks) - _MAX_BLOCKS)  # a box does not begin the article
    for number in range(first, len(blocks)):
        if not _is_author_label(blocks[number]):
            continue
        before = _find_before(blocks[:number])
        if before is None:
            continue
        box = _Box(blocks[number:], before)
        if not _has_length_of_box(box, content):
            continue
        if _names_author(page, box) or _is_mostly_left_out(box, boilerplate):
            return frozenset(_with_images(box))
    return frozenset()


def _is_author_label(block: Element) -> bool:
    if block.tag in NOT_IN:
        return False
    text = line_text(block)
    if not 0 < len(text) <= _MAX_LABEL:
        return False
    label = plain(text).strip(LABEL_ENDS)
    return _AUTHOR_LABELS.fullmatch(label) is not None


def _find_before(blocks: Sequence[Element]) -> Element | None:
    """The last of the blocks that is no caption, as of a portrait."""
    for block in reversed(blocks):
        if not is_caption(block):
            return block
    return None


def _has_length_of_box(box: _Box, content: Content) -> bool:
    size = sum(len(line_text(block)) for block in box.blocks)
    return size <= min(_MAX_TEXT, _MAX_SHARE * len(content.text))


def _names_author(page: Page, box: _Box) -> bool:
    """Whether a box of few blocks, or one in an element of its own, has the name of an author of
    the page."""
    is_apart = box.top is not box.label
    if len(box.blocks) > _MAX_NAMED_BLOCKS and not is_apart:
        return False
    texts = [line_text(block) for block in box.blocks]
    text = plain(" ".join(texts)).lower()
    return all(texts) and any(author in text for author in _authors_of(page))


def _authors_of(page: Page) -> Iterator[str]:
    """The names of the authors that a page declares or has in its byline, in lower case."""
    yield from read_own_authors(page)
    for name in PageSources(page.head).nearest_byline:
        if name:
            yield plain(name).lower()


def _is_mostly_left_out(box: _Box, boilerplate: Collection[Element]) -> bool:
    """Whether most of the words after the label are left out anyway."""
    kept_words = _count_words(block for block in box.blocks[1:] if block not in boilerplate)
    words = _count_words(box.elements) - _count_words([box.label])
    left_out_words = words - kept_words
    return left_out_words >= _MIN_WORDS and kept_words <= _MAX_KEPT_SHARE * words


def _count_words(elements: Iterable[Element]) -> int:
    return sum(len(split_words(line_text(element))) for element in elements)


def _with_images(box: _Box) -> Sequence[Element]:
    """The blocks and the elements of a box, and its images, which would be kept in a figure; the
    blocks alone if there are so many images that these are the article's."""
    images: list[Element] = []
    for element in box.elements:
        images.extend(find_images(element))
    if len(images) > _MAX_IMAGES:
        return box.blocks
    return [*box.blocks, *box.elements, *images]

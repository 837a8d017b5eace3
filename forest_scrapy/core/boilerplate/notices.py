"""Texts that several pages of one template have word for word, and that are no part of articles:
boxes on the author, disclaimers, rights, rules for comments, prompts to subscribe or to give.

That a text is repeated is not enough: headings, commands and greetings of a series are, too.  It
also has to stand in an element that is named for such a box, or to speak of such things.

Lines at an end of the text that are the same on most pages but for the page's own title, author,
date or address are notices, too, if they name its author or address, have a link, or speak of such
things: the first sentence on a village is the same on all pages of villages.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from forest_scrapy.core.boilerplate.masking import (
    AUTHOR,
    MAX_LENGTH,
    URL,
    is_masked,
    mask_text,
    read_own_texts,
    words_beside,
)
from forest_scrapy.core.boilerplate.wordings import Wordings, plain
from forest_scrapy.core.fields.metadata import FieldSources
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.text import line_text
from forest_scrapy.core.page.tree import HEADINGS, Element, class_and_id

# These constants are not tuned, except where noted.
#: Pages that have a text of a named box, and a text that speaks of such things; and the share of
#: the pages for the latter.  Of the 326 texts of feeds-dev that articles of a template share, the
#: second rule takes 4 of 20 which are no content, and none of the others.
_MIN_PAGES = 2
_MIN_NOTICE_PAGES = 3
_MIN_NOTICE_SHARE = 0.5
#: Words of the shortest text of each.
_MIN_BOX_WORDS = 5
_MIN_NOTICE_WORDS = 4
#: Pages that have a masked text, and more than this share of them; words beside what is masked, so
#: many that they do not agree by chance; and blocks at the start and the end of an article.
_MIN_MASKED_PAGES = 3
_MIN_MASKED_SHARE = 0.5
_MIN_MASKED_WORDS = 4
_MAX_FIRST_BLOCKS = 3
_MAX_LAST_BLOCKS = 6
#: Pages that end with a box, and their share.
_MIN_BOX_PAGES = 4
_MIN_BOX_SHARE = 0.8
#: Elements around a block whose names are read, and characters of a name.
_MAX_ABOVE = 4
_MAX_NAME = 200
#: Preformatted text and tables: commands and columns are repeated.
_NOT_IN = frozenset(("pre", "code", "samp", "kbd", "table", "td", "th")) | HEADINGS

#: Names of boxes, as whole words of a class or id.
_BOX_NAMES = Wordings(r"""
    (?<![a-z])news-?_?letter
    (?<![a-z])subscri(be|ption)(?![a-z])
    (?<![a-z])sign-?_?up(?![a-z])
    (?<![a-z])(about|post|entry|article)?-?_?author-?_?(s)?-?_?(bio|box|info|card|desc|about|profile|block)
    (?<![a-z])(about-the-author|about-author|bio|biography)(?![a-z])
    (?<![a-z])disclaimer
    (?<![a-z])(social|share|sharing)(?![a-z])
    (?<![a-z])(promo|promotion|cta|call-to-action)(?![a-z])
    (?<![a-z])(donat|support-us|membership)
    (?<![a-z])(guidelines|copyright|license|licence)(?![a-z])
    (?<![a-z])(post|entry|article)-?_?(footer|tags|meta)(?![a-z])
    (?<![a-z])(related|recommended)(?![a-z])
""")
#: What the texts of such boxes speak of.
_NOTICE = Wordings(r"""
    subscri(be|ption)
    newsletter
    follow (us|me)\b
    \bdonat(e|ion)
    support (us|our|me)\b
    patreon
    (all )?rights reserved
    copyright
    ©
    terms of (use|service)
    privacy policy
    comments? .{0,30}(closed|moderated|policy|guidelines|rules)
    (comment|community) (guidelines|policy|rules)
    (log|sign) (in|up)\b
    advertis
    affiliate (link|commission)
    originally (appeared|published)
    (views|opinions) expressed
    do(es)? not (necessarily )?(reflect|represent) the
    (contact|reach) us\b
    request .{0,20}\bdemo\b
    abonnier
    spende
    urheberrecht
    alle rechte vorbehalten
    tous droits réservés
    abonnez
    todos (los|os) (derechos|direitos)
    suscr[ií]b
    política de privaci
    siga-nos|síguenos|inscreva-se
    diritti riservati
    iscriviti
    alle rechten voorbehouden
    nieuwsbrief
    alla rättigheter
    prenumer
    wszelkie prawa
    все права защищены
    подпис(ывайтесь|аться)
    转载
    版权
    著作権
    无断|無断
    無斷
    무단
""")

#: What masked lines speak of, besides.  Without a value of the page such a line may be content: the
#: licence of the music of an episode.
_MASKED_NOTICE = Wordings(r"""
    licen[sc]ed under
    first (appeared|published)
    (appeared|published) first
    cite th(is|e) (page|article|post|work)
    (perma(nent )?link|short ?link)\b
    (reprint|republish)
    \b(posted|published|updated|modified)( \w{1,4})? \{date\}
    \b(erschienen|veröffentlicht|aktualisiert)( \w{1,4})? \{date\}
    \b(publié|publicado|pubblicato|gepubliceerd)( \w{1,4})? \{date\}
""")


def learn_notices(contents: Sequence[Content]) -> tuple[str, ...]:
    """The texts of blocks, on one line, that several articles of a template share and that are
    notices; sorted.

    ``contents``: the articles of the pages of a template, in any order.  None from copies of one
    article.
    """
    articles = {content.text: content for content in contents if content.text}
    blocks_by_text = [_blocks_by_text(content) for content in articles.values()]
    page_counts: Counter[str] = Counter()
    for blocks in blocks_by_text:
        page_counts.update(blocks.keys())

    min_share = _MIN_NOTICE_SHARE * len(articles)
    min_pages = max(_MIN_NOTICE_PAGES, min_share)
    notices: set[str] = set()
    for text, pages in page_counts.items():
        # Most texts are on one page only, and only the other ones are looked at closer.
        if pages < _MIN_PAGES:
            continue
        words = len(split_words(text))
        may_be_notice = words >= _MIN_NOTICE_WORDS and pages >= min_pages
        if may_be_notice and _is_notice(text):
            notices.add(text)
            continue
        if words < _MIN_BOX_WORDS:
            continue
        boxes = _count_boxes(text, blocks_by_text)
        if boxes >= _MIN_PAGES:
            notices.add(text)
    return tuple(sorted(notices))


def _count_boxes(
    text: str,
    blocks_by_text: Iterable[Mapping[str, tuple[Element, Element]]],
) -> int:
    """The number of pages on which a text is in a box."""
    count = 0
    for blocks in blocks_by_text:
        if text not in blocks:
            continue
        block, first_block = blocks[text]
        if _is_in_box(block, first_block):
            count += 1
    return count


def learn_end_boxes(extracts: Sequence[Extract]) -> tuple[str, ...]:
    """The texts of boxes that most articles of a template begin or end with; sorted.

    ``extracts``: what its wrapper finds on its pages, in any order.  Where it finds elements in
    several parents, as in the widgets of a page builder, the first and the last parents are boxes
    of the template if they have the same lines on most pages: a motto, a request to readers.  What
    stands in one parent with the article stays: the closing words of a series are part of it.  So
    it does where each line of the article has a parent of its own, which then is no box.

    >>> learn_end_boxes(())
    ()
    """
    articles = {extract.text: extract for extract in extracts if extract.text}
    min_share = _MIN_BOX_SHARE * len(articles)
    min_pages = max(_MIN_BOX_PAGES, min_share)
    if len(articles) < min_pages:
        return ()
    blocks_of_articles = [_blocks_by_parent(extract) for extract in articles.values()]
    if all(len(blocks) < 2 for blocks in blocks_of_articles):
        return ()  # as of most templates: no line has to be read

    boxes_of_articles = [_lines_of_boxes(blocks) for blocks in blocks_of_articles]
    counts: Counter[tuple[str, ...]] = Counter()
    for boxes in boxes_of_articles:
        counts.update(set(boxes))

    texts: set[str] = set()
    for boxes in boxes_of_articles:
        has_parent_of_lines = any(len(lines) > 1 and counts[lines] < min_pages for lines in boxes)
        if not has_parent_of_lines:
            continue
        for lines in _boxes_at_ends(boxes, counts, min_pages):
            for line in lines:
                words = split_words(line)
                if len(words) > 1:
                    texts.add(line)
    return tuple(sorted(texts))


def _boxes_at_ends(
    boxes: Sequence[tuple[str, ...]],
    counts: Mapping[tuple[str, ...], int],
    min_pages: float,
) -> Iterator[tuple[str, ...]]:
    """The first and the last boxes of an article that so many pages have; not all of them."""
    for boxes_in_order in (boxes, boxes[::-1]):
        for lines in boxes_in_order[:-1]:
            if counts[lines] < min_pages:
                break
            yield lines


def _blocks_by_parent(extract: Extract) -> list[list[Element]]:
    """The blocks of an article in each of the parents of the elements that the wrapper found, in
    their order."""
    found_elements = set(extract.blocks)
    blocks_by_parent: dict[Element | None, list[Element]] = {}
    for block in extract.content.text_blocks:
        around = (block, *block.iterancestors())
        found_element = next((element for element in around if element in found_elements), block)
        parent = found_element.getparent()
        blocks = blocks_by_parent.setdefault(parent, [])
        blocks.append(block)
    return list(blocks_by_parent.values())


def _lines_of_boxes(boxes: Iterable[Sequence[Element]]) -> list[tuple[str, ...]]:
    return [tuple(line_text(block) for block in blocks) for blocks in boxes]


def learn_masked_notices(
    pages: Sequence[Page],
    contents: Sequence[Content],
    fields: FieldSources | None = None,
) -> tuple[str, ...]:
    """The masked texts, see ``mask_text``, that most articles of a template begin or end with, and
    that differ from page to page without the mask; sorted.

    ``contents``: the articles of the pages; ``fields``: where these have their fields, see
    ``read_own_texts``.  Depends on no order; copies of one article count as one.  Cost: reading the
    titles and authors of half of the pages, and of the others if these have such a text.

    >>> learn_masked_notices((), ())
    ()
    """
    articles = list(zip(pages, contents, strict=True))
    articles.sort(key=lambda article: article[0].url)
    pages_by_text = {}
    for page, content in articles:
        if content.text:
            pages_by_text[content.text] = (page, content)

    half = int(_MIN_MASKED_SHARE * len(pages_by_text))
    min_pages = max(_MIN_MASKED_PAGES, half + 1)
    texts_by_mask: defaultdict[str, set[str]] = defaultdict(set)
    page_counts: Counter[str] = Counter()
    remaining_pages = len(pages_by_text)
    for page, content in pages_by_text.values():
        max_count = max(page_counts.values(), default=0)
        if max_count + remaining_pages < min_pages:
            return ()  # no text can be on as many pages any more
        remaining_pages -= 1
        own_texts = read_own_texts(page, fields)
        masked_texts = set()
        for block, text in _blocks_at_ends(content):
            masked = mask_text(text, own_texts)
            has_words = words_beside(masked) >= _MIN_MASKED_WORDS
            if has_words and _may_be_notice(block, masked):
                masked_texts.add(masked)
                texts_by_mask[masked].add(text)
        page_counts.update(masked_texts)

    notices = []
    for masked, count in page_counts.items():
        differs = len(texts_by_mask[masked]) >= _MIN_MASKED_PAGES
        if count >= min_pages and differs:
            notices.append(masked)
    return tuple(sorted(notices))


def find_masked_notices(
    page: Page,
    content: Content,
    notices: Collection[str],
    fields: FieldSources | None = None,
) -> list[Element]:
    """The blocks at the ends of an article that have one of these masked texts.  ``fields``: see
    ``read_own_texts``."""
    masked_notices = {text for text in notices if is_masked(text)}
    if not masked_notices:
        return []
    own_texts = read_own_texts(page, fields)
    blocks = []
    for block, text in _blocks_at_ends(content):
        if mask_text(text, own_texts) in masked_notices:
            blocks.append(block)
    return blocks


def _may_be_notice(block: Element, masked: str) -> bool:
    # A date alone shows nothing: decisions and reports tell the day of what they are about.
    names_more = AUTHOR in masked or URL in masked
    has_link = next(block.iter("a"), None) is not None
    if names_more or has_link:
        return True
    return _is_notice(masked) or _MASKED_NOTICE.search(masked) is not None


def _blocks_at_ends(content: Content) -> Iterator[tuple[Element, str]]:
    """The first and the last blocks of an article that may have a notice, each once, with its
    text."""
    first_blocks = content.text_blocks[:_MAX_FIRST_BLOCKS]
    further_blocks = content.text_blocks[_MAX_FIRST_BLOCKS:]
    last_blocks = further_blocks[-_MAX_LAST_BLOCKS:]
    for block in (*first_blocks, *last_blocks):
        if block.tag in _NOT_IN:
            continue
        text = line_text(block)
        if 0 < len(text) <= MAX_LENGTH:
            yield block, text


def _blocks_by_text(content: Content) -> dict[str, tuple[Element, Element]]:
    """The texts of the blocks, each with its last block and the first one of the content."""
    return {
        line_text(block): (block, content.text_blocks[0])
        for block in content.text_blocks
        if block.tag not in _NOT_IN
    }


def _is_in_box(block: Element, first_block: Element) -> bool:
    """Whether the block, or an element around it that the article does not begin in, is named as a
    box."""
    around = (block, *islice(block.iterancestors(), _MAX_ABOVE))
    for element in around:
        if element.tag in ("main", "body", "html", "article"):
            return False
        names = class_and_id(element, _MAX_NAME)
        if _BOX_NAMES.search(names):
            return element is not first_block and not _is_around(element, first_block)
    return False


def _is_around(element: Element, block: Element) -> bool:
    return any(above is element for above in block.iterancestors())


def _is_notice(text: str) -> bool:
    return _NOTICE.search(plain(text)) is not None

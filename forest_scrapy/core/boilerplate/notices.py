"""Texts that several pages of one template have word for word, and that are no part of articles:
boxes on the author, disclaimers, rights, rules for comments, prompts to subscribe or to give.

That a text is repeated is not enough: headings, commands and greetings of a series are, too.  It
also has to stand in an element that is named for such a box, or to speak of such things.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from forest_scrapy.core.boilerplate.wordings import Wordings, plain
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.language import split_words
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


def learn_notices(contents: Sequence[Content]) -> tuple[str, ...]:
    """The texts of blocks, on one line, that several articles of a template share and that are
    notices; sorted.

    ``contents``: the articles of the pages of a template, in any order.  None from copies of one
    article.
    """
    articles = {content.text: content for content in contents if content.text}
    blocks_by_text = [_blocks_by_text(content) for content in articles.values()]
    found_on = Counter(text for blocks in blocks_by_text for text in blocks)
    # Most texts are on one page only, and only the other ones are looked at closer.
    shared_texts = [text for text, pages in found_on.items() if pages >= _MIN_PAGES]
    least = max(_MIN_NOTICE_PAGES, _MIN_NOTICE_SHARE * len(articles))
    notices: set[str] = set()
    for text in shared_texts:
        words = len(split_words(text))
        if words >= _MIN_NOTICE_WORDS and found_on[text] >= least and _is_notice(text):
            notices.add(text)
        elif words >= _MIN_BOX_WORDS:
            blocks_of_text = [blocks[text] for blocks in blocks_by_text if text in blocks]
            if sum(_is_in_box(*blocks) for blocks in blocks_of_text) >= _MIN_PAGES:
                notices.add(text)
    return tuple(sorted(notices))


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
        if _BOX_NAMES.search(class_and_id(element, _MAX_NAME)):
            return element is not first_block and not _is_around(element, first_block)
    return False


def _is_around(element: Element, block: Element) -> bool:
    return any(above is element for above in block.iterancestors())


def _is_notice(text: str) -> bool:
    return _NOTICE.search(plain(text)) is not None

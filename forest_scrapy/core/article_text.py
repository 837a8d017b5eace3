"""The text of an article, from the best of the places that have it.

A page that is named as an article has its text somewhere, or none at all: what its template's
wrapper and the classifier do not find may be shown without scripts only, or be declared.
"""

from collections.abc import Iterator
from typing import NamedTuple

from forest_scrapy.core.methods import METHODS
from forest_scrapy.core.methods.article import extract
from forest_scrapy.core.options import Params
from forest_scrapy.core.page.content import text_content
from forest_scrapy.core.page.language import split_words
from forest_scrapy.core.page.other_articles import find_appended, find_next_article, is_one_article
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.records.regions.prose import show_content
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import DATA_WRAPPER, DESCRIPTION_WRAPPER, NO_WRAPPER, Wrapper

#: Words of a notice ("please wait", "switch on scripts") or a label at most, and how many times as
#: many another reading has as a text that may be a notice.  Not tuned.
_FEW_WORDS, _MORE = 30, 3
#: Longer texts are not counted.
_SHORT = 400

#: What was found, by which wrapper, on the page or on what it shows without scripts.
Reading = tuple[Page, Wrapper, Extract]


class ArticleText(NamedTuple):
    """The content of the article of a page, and the wrapper that found it.

    ``is_missed``: whether the wrapper of the template found nothing; ``is_several``: whether the
    page shows several articles, and is not known to be one of them.
    """

    wrapper: Wrapper
    found: Extract
    is_missed: bool = False
    is_several: bool = False


def find_article(
    page: Page,
    learned: Wrapper,
    params: Params,
    is_named: bool,
    classifier: Classifier | None = None,
) -> ArticleText:
    """The content of the article of a page; empty if it has none.

    ``learned``: the wrapper of the page's template.  ``is_named``: whether the page is known to be
    an article, since a feed or a user named it; such a page shows one.

    Tried in order: ``extract``; if that finds nothing but a notice or the feed entry, the data for
    the page's scripts, and what the page shows without scripts; if that finds nothing, of a named
    page the ``articleBody``, a long declared description, and the longest text outside of links.
    Of several articles below each other the first is taken if its heading shows the title, and if
    it is no shorter than the others are: after an introduction the others are part of the article.
    """
    wrapper, found = extract(page, learned, params, classifier)
    is_missed = wrapper is not learned
    if learned.source == "page" and len(found.text) < _SHORT:
        reading = _read_otherwise((page, wrapper, found), params, is_named, classifier)
        page, wrapper, found = reading
    if appended := find_appended(page, found.content.text_blocks):
        own = wrapper.apply(page, classifier, appended)
        found = own if own.text else found
    if not found.text or not wrapper.shows_several(found):
        return ArticleText(wrapper, found, is_missed)
    blocks = found.content.text_blocks
    following = find_next_article(page, blocks)
    own = wrapper.apply(page, classifier, following) if following else Extract()
    is_several = not is_named and not is_one_article(page, blocks)
    if len(own.text) * (1 + found.content.linked_headings) >= len(found.text):
        found = own
    return ArticleText(wrapper, found, is_missed, is_several)


def _read_otherwise(
    reading: Reading, params: Params, is_named: bool, classifier: Classifier | None
) -> Reading:
    """A reading that has far more than this one, which may be a notice; else this one.  If it is
    empty, and the page is named, one that has anything."""
    page, wrapper, found = reading
    words = 0 if wrapper.source == "entry" else len(split_words(found.text))
    if words >= _FEW_WORDS:
        return reading
    for other in _richer_readings(page, params, classifier):
        if len(split_words(other[2].text)) >= max(_FEW_WORDS, _MORE * words):
            return other
    if found.text or not is_named:
        return reading
    return _read_declared(page) or _read_longest_run(page, params)


def read_instead(page: Page, found: Extract) -> Extract:
    """What a page declares as its text, or as a long description, for scripts and search engines,
    if what was found on it may be a notice only; else what was found."""
    words = len(split_words(found.text)) if len(found.text) < _SHORT else _FEW_WORDS
    declared = _read_declared(page) if words < _FEW_WORDS else None
    if declared and len(split_words(declared[2].text)) >= max(_FEW_WORDS, _MORE * words):
        return declared[2]
    return found


def _read_declared(page: Page) -> Reading | None:
    if page.declared.body:
        return page, DATA_WRAPPER, Extract(text_content(page.declared.body))
    if len(split_words(page.declared.description)) >= _FEW_WORDS:
        return page, DESCRIPTION_WRAPPER, Extract(text_content(page.declared.description))
    return None


def _richer_readings(
    page: Page, params: Params, classifier: Classifier | None
) -> Iterator[Reading]:
    yield page, DATA_WRAPPER, DATA_WRAPPER.apply(page)
    shown = show_content(page)
    if shown is not page:
        wrapper, found = extract(shown, NO_WRAPPER, params, classifier)
        yield shown, wrapper, Extract() if wrapper.source == "entry" else found


def _read_longest_run(page: Page, params: Params) -> Reading:
    """The longest text outside of links, unless it is a notice."""
    wrapper = METHODS["mss"]([page.head], params, None)
    found = wrapper.apply(page)
    return page, wrapper, found if len(split_words(found.text)) >= _FEW_WORDS else Extract()

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
from forest_scrapy.core.segments.classifier import Classifier
from forest_scrapy.core.wrapper import DATA_WRAPPER, DESCRIPTION_WRAPPER, NO_WRAPPER, Wrapper

#: A text with fewer words may be a notice ("please wait", "switch on scripts") or a label.
#: Not tuned.
_MIN_WORDS = 30
#: How many times as many words another reading has as a text that may be a notice.  Not tuned.
_MIN_RATIO = 3
#: The words of longer texts, in characters, are not counted.
_MAX_NOTICE_LENGTH = 400


class Reading(NamedTuple):
    """The ``extract`` that a wrapper took from a page, or from what a page shows without
    scripts."""

    page: Page
    wrapper: Wrapper
    extract: Extract

    @property
    def words(self) -> int:
        return len(split_words(self.extract.text))


class ArticleText(NamedTuple):
    """The content of the article of a page, and the wrapper that found it.

    ``is_missed``: whether the wrapper of the template found nothing; ``is_several``: whether the
    page shows several articles, and is not known to be one of them.
    """

    wrapper: Wrapper
    extract: Extract
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
    wrapper, result = extract(page, learned, params, classifier)
    is_missed = wrapper is not learned

    is_short = len(result.text) < _MAX_NOTICE_LENGTH
    if is_short and learned.source == "page":
        reading = Reading(page, wrapper, result)
        page, wrapper, result = _read_otherwise(reading, params, is_named, classifier)

    appended = find_appended(page, result.content.text_blocks)
    if appended:
        first_article = wrapper.apply(page, classifier, appended)
        if first_article.text:
            result = first_article

    if not result.text or not wrapper.shows_several(result):
        return ArticleText(wrapper, result, is_missed)

    blocks = result.content.text_blocks
    is_several = not is_named and not is_one_article(page, blocks)
    following = find_next_article(page, blocks)
    if following:
        first_article = wrapper.apply(page, classifier, following)
        articles = 1 + result.content.linked_headings
        length_of_all = len(first_article.text) * articles
        if length_of_all >= len(result.text):
            result = first_article
    return ArticleText(wrapper, result, is_missed, is_several)


def _read_otherwise(
    reading: Reading,
    params: Params,
    is_named: bool,
    classifier: Classifier | None,
) -> Reading:
    """A reading that has far more than this one, which may be a notice; else this one.  If it is
    empty, and the page is named, one that has anything."""
    page = reading.page
    words = 0 if reading.wrapper.source == "entry" else reading.words
    if words >= _MIN_WORDS:
        return reading

    min_words = max(_MIN_WORDS, _MIN_RATIO * words)
    for richer in _richer_readings(page, params, classifier):
        if richer.words >= min_words:
            return richer

    if reading.extract.text or not is_named:
        return reading
    return _read_declared(page) or _read_longest_run(page, params)


def read_instead(page: Page, visible: Extract) -> Extract:
    """The text that a page declares, or a long description, for scripts and search engines, if what
    is ``visible`` on it may be a notice only; else what is visible."""
    if len(visible.text) >= _MAX_NOTICE_LENGTH:
        return visible
    words = len(split_words(visible.text))
    if words >= _MIN_WORDS:
        return visible
    declared = _read_declared(page)
    min_words = max(_MIN_WORDS, _MIN_RATIO * words)
    if declared and declared.words >= min_words:
        return declared.extract
    return visible


def _read_declared(page: Page) -> Reading | None:
    body = page.declared.body
    if body:
        content = text_content(body)
        return Reading(page, DATA_WRAPPER, Extract(content))
    description = page.declared.description
    if len(split_words(description)) >= _MIN_WORDS:
        content = text_content(description)
        return Reading(page, DESCRIPTION_WRAPPER, Extract(content))
    return None


def _richer_readings(
    page: Page,
    params: Params,
    classifier: Classifier | None,
) -> Iterator[Reading]:
    yield Reading(page, DATA_WRAPPER, DATA_WRAPPER.apply(page))

    from forest_scrapy.core.page.noscript import show_content  # few pages come so far

    without_scripts = show_content(page)
    if without_scripts is not page:
        wrapper, result = extract(without_scripts, NO_WRAPPER, params, classifier)
        if wrapper.source == "entry":
            result = Extract()
        yield Reading(without_scripts, wrapper, result)


def _read_longest_run(page: Page, params: Params) -> Reading:
    """The longest text outside of links, unless it is a notice."""
    learn_mss = METHODS["mss"]
    wrapper = learn_mss([page.head], params, None)
    reading = Reading(page, wrapper, wrapper.apply(page))
    if reading.words < _MIN_WORDS:
        return Reading(page, wrapper, Extract())
    return reading

"""Learning: the rules of a template from its pages.

Whoever has pages calls ``learn_rules``: a crawl, files, Spark, scrapy-poet, the shell.  It needs no
files, clock or network.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from forest_scrapy.core.boilerplate.challenges import is_blocked
from forest_scrapy.core.errors import (
    BadCharacteristic,
    NotEnoughPages,
    UnknownChoice,
    UnknownMeasure,
    UnknownMethod,
)
from forest_scrapy.core.methods import PAGE_METHODS
from forest_scrapy.core.methods.article import find_text_at, learn, sample_pages
from forest_scrapy.core.options import Options
from forest_scrapy.core.page.content import Content
from forest_scrapy.core.page.page import Page
from forest_scrapy.core.repeated import (
    ArticleLines,
    keep_documents,
    learn_remarks,
    learn_repeated,
)
from forest_scrapy.core.rules import TemplateRules
from forest_scrapy.core.wrapper import NO_WRAPPER, Wrapper

if TYPE_CHECKING:
    from forest_scrapy.core.records import RecordRules, RecordWrapper

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

#: Errors that are not because of the pages: of the options, the disk or the process.
_NOT_OF_PAGES = (
    UnknownMethod,
    UnknownMeasure,
    UnknownChoice,
    BadCharacteristic,
    OSError,
    MemoryError,
)

#: What the pages of a sample may weigh together when records and comments are learned: ten pages of
#: 8,000 elements, which is the most that a page has whose reading is not tried in a process that
#: can be stopped, and the most that is learned from of others.
MAX_WEIGHT = 80_000


def learn_rules(
    pages: Sequence[Page],
    options: Options | None = None,
    may_be_articles: bool = True,
    others: Sequence[ArticleLines | None] = (),
    stored_texts: Collection[str] = (),
) -> TemplateRules:
    """The rules of the template that has these pages; from one page what that can give alone.

    They depend on the set of pages, not on their order.  ``may_be_articles``: False for pages that
    are known to be no articles.  ``others``: articles of other templates of the host; text that
    they have, too, is no part of these.  ``stored_texts``: what stored wrappers of other templates
    of the host leave out as repeated, which is no part of these either.  A part that fails is left
    out and logged; its name is in ``TemplateRules.failed``.  Pages that are challenges (see
    ``is_blocked``) teach nothing; rules learned from these alone are empty.  Raises
    ``NotEnoughPages`` for no page, ``UnknownMethod``, ``UnknownMeasure``, ``UnknownChoice`` and
    ``BadCharacteristic``.
    Cost: some 10 ms for each page, and 50 ms more if other kinds or comments are wanted.
    """
    options = options or Options()
    if not pages:
        raise NotEnoughPages("rules", 1, 0)

    naming_page = pages[0].head
    readable_pages = []
    for page in pages:
        if not is_blocked(page):
            readable_pages.append(page.head)
    pages = readable_pages
    if not pages:
        return TemplateRules(text_at=find_text_at([naming_page]))

    parts = _PartLearner(pages)
    rules = TemplateRules(kinds=options.kinds_of_rules)

    if options.wants_records:
        from forest_scrapy.core.records import RecordWrapper

        prefer_articles = may_be_articles and options.wants_articles
        learned_records = parts.learn("records", _learn_records, pages, options, prefer_articles)
        records = learned_records or RecordWrapper()
        rules = replace(rules, records=records)
        is_of_others = rules.are_of_records and not may_be_articles
        rules = replace(rules, are_of_others=is_of_others)

    may_have_articles = may_be_articles and options.wants_articles
    if may_have_articles and not _become_threads(rules, options):
        if options.params.method not in PAGE_METHODS:  # these look at each page by itself
            article = parts.learn("article", _learn_article, pages, options, others, stored_texts)
            rules = replace(rules, article=article or NO_WRAPPER)
        if options.comments:
            comments = parts.learn("comments", learn_article_comments, pages, rules.wrapper)
            rules = replace(rules, comments=comments)

    # A template is named after the element with most text, or after the posts of its threads.
    text_at = rules.text_wrapper.evidence.text_at
    if not text_at:
        sample = sample_pages(pages, options.params.pages)
        text_at = find_text_at(sample)
    failed = tuple(parts.failed)
    return replace(rules, text_at=text_at, failed=failed)


class _PartLearner:
    """Learns parts of the rules of a template; ``failed``: the parts that could not be learned
    because of an error, and the errors."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._url = pages[0].url
        self.failed: list[str] = []

    def learn(self, name: str, function: Callable[..., _T | None], *arguments: object) -> _T | None:
        """What the function returns; None if there are too few pages, or if it fails."""
        try:
            return function(*arguments)
        except NotEnoughPages:
            return None
        except _NOT_OF_PAGES:
            raise
        except Exception as error:  # the other parts may be learned all the same
            logger.exception("Cannot learn the %s of the template of %s", name, self._url)
            self.failed.append(f"{name}: {type(error).__name__}: {error}")
            return None


def _become_threads(rules: TemplateRules, options: Options) -> bool:
    """Whether the pages become threads, so that nothing is learned for articles."""
    if "thread" not in options.kinds or not rules.are_of_threads:
        return False
    records = rules.records
    return records is not None and bool(records.rules)


def _learn_article(
    pages: Sequence[Page],
    options: Options,
    other_articles: Sequence[ArticleLines | None],
    stored_texts: Collection[str],
) -> Wrapper:
    sample = sample_pages(pages, options.params.pages)
    wrapper = learn(pages, options.params)
    wrapper = keep_documents(wrapper, sample)
    wrapper = learn_remarks(wrapper, sample)
    return learn_repeated(wrapper, sample, other_articles, stored_texts)


def _learn_records(
    pages: Sequence[Page],
    options: Options,
    prefer_articles: bool,
) -> "RecordWrapper":
    """As ``learn_kind``; pages of a kind that is not wanted may be products all the same."""
    return learn_kind(pages, options, prefer_articles, options.may_be_product)


def learn_kind(
    pages: Sequence[Page],
    options: Options,
    prefer_articles: bool,
    may_be_product: Callable[[str], bool] | None = None,
) -> "RecordWrapper":
    """The kind of the pages, and the rules for their records, without those for articles;
    ``may_be_product``: as of ``learn_records``."""
    from forest_scrapy.core.records import learn_records  # most crawls have articles only

    affordable_pages = choose_affordable(pages)
    return learn_records(
        affordable_pages,
        options.params,
        prefer_articles=prefer_articles,
        with_article=False,
        may_be_product=may_be_product,
    )


#: Pages of a template that are looked at for the posts of other threads of their host.
MAX_PAGES_WITH_FEW_POSTS = 3


def may_have_few_posts(rules: TemplateRules, options: Options) -> bool:
    """Whether the pages of a template may be threads with too few posts to tell by themselves: then
    its rules are those of ``adopt_posts``, once the other templates of the host are learned."""
    return "thread" in options.kinds and rules.kind == "other"


def adopt_posts(
    rules: TemplateRules,
    pages: Sequence[Page],
    rules_of_host: Iterable[TemplateRules],
) -> TemplateRules:
    """The rules of a template whose pages are of no kind, with those for the posts of another
    template of the host if these are on its pages, too; see ``find_thread_records``.  They do not
    depend on the order of ``rules_of_host``."""
    if rules.kind != "other":
        return rules
    from forest_scrapy.core.records.thread_pages import find_thread_records

    threads = []
    for other_rules in rules_of_host:
        if other_rules.records and other_rules.are_of_threads:
            threads.append(other_rules.records)
    records = find_thread_records(pages[:MAX_PAGES_WITH_FEW_POSTS], threads)
    return replace(rules, records=records) if records else rules


def learn_article_comments(
    pages: Sequence[Page],
    article: Wrapper,
) -> "RecordRules | None":
    """The rules for the comments on those of the pages of a template that have an article; None if
    there are fewer than two of them, or no comments."""
    from forest_scrapy.core.records.comments import learn_comments

    article_pages: list[Page] = []
    contents: list[Content] = []
    for page in choose_affordable(pages):
        extract = article.apply(page)
        if extract.text:
            article_pages.append(page)
            contents.append(extract.content)
    if len(article_pages) < 2:
        return None
    return learn_comments(article_pages, contents)


def choose_affordable(pages: Sequence[Page]) -> list[Page]:
    """Those of the pages that records can be learned from in a bounded time, in their order, the
    start of long ones: the first that weigh at most ``MAX_WEIGHT`` together (see ``Outline``).  If
    each weighs more, the one that weighs least.

    Learning takes time in proportion to this weight (some 7 s for ``MAX_WEIGHT``).
    """
    heads = [page.head for page in pages]
    chosen: list[Page] = []
    total = 0
    for page in heads:
        weight = page.outline.weight
        if total + weight <= MAX_WEIGHT:
            chosen.append(page)
            total += weight

    if heads and not chosen:
        lightest = min(heads, key=lambda page: page.outline.weight)  # the first of several
        return [lightest]
    return chosen

"""Extraction: the item of a page, by the rules of its template.

Whoever has pages calls ``extract_item`` or ``extract_page``: a crawl, files, Spark, scrapy-poet,
the shell.  They need no files, clock or network.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from forest_scrapy.core.article_text import ArticleText, find_article, read_instead
from forest_scrapy.core.boilerplate.challenges import is_blocked, is_notice
from forest_scrapy.core.errors import BadRules
from forest_scrapy.core.fields.dates import read_date
from forest_scrapy.core.fields.read_fields import read_page_dates
from forest_scrapy.core.fields.text_sources import (
    is_better,
    read_entry,
    read_full_text,
    read_longer_body,
)
from forest_scrapy.core.fields.titles import read_title
from forest_scrapy.core.items import (
    Article,
    Item,
    Listing,
    Product,
    Refusal,
    Thread,
    WebPage,
    item_kind,
    join_texts,
)
from forest_scrapy.core.joining.article_pages import NO_NEIGHBOURS, find_neighbours
from forest_scrapy.core.learning import learn_kind
from forest_scrapy.core.methods import PAGE_METHODS
from forest_scrapy.core.methods.article import learn
from forest_scrapy.core.methods.confidence import TextOrigin, rate_posts, rate_text
from forest_scrapy.core.moments import read_moments
from forest_scrapy.core.options import Options
from forest_scrapy.core.page.language import detect_language
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.core.rules import TemplateRules
from forest_scrapy.core.wrapper import (
    DATA_WRAPPER,
    ENTRY_WRAPPER,
    NO_WRAPPER,
    Wrapper,
    build_article,
    without_bylines,
)

# What crawls of articles do not use is loaded where it is used.
if TYPE_CHECKING:
    from forest_scrapy.core.records import RecordRules, RecordWrapper

logger = logging.getLogger(__name__)

#: A page that was changed at most so long before it was fetched may have been generated then.
_GENERATION_TIME = timedelta(hours=1)
#: A full text in the feed is the whole article if it is so many times as long as its first page.
_WHOLE_ARTICLE_RATIO = 1.2
_NO_CONTENT = Refusal("no_content")
#: A challenge, a consent wall or a notice that stands in place of the page.
_BLOCKED = Refusal("blocked")


@dataclass(frozen=True)
class Visit:
    """What is known of a page besides its markup and its feed entry.

    - ``fetched_at``: ISO 8601, UTC; ``status``: the HTTP status, 0 without a response;
      ``last_modified``, ``etag``: the headers; ``lastmod``: its last change, as a sitemap says.
    - ``is_article``: whether it is known to be an article, since a feed or a user named it;
      ``may_be_article``: False if pages of its template are known to be none.
    - ``was_fetched``: False if there is only its feed entry.
    - ``template_id``: that of its template.
    - ``number``: that of the page among those of its article, if it was requested as a further one;
      0 if it is not known.
    - ``may_be_outdated``: whether the rules are from an earlier run and have not fitted a page of
      this one yet; then threads and comments that they do not find are looked for on the page by
      itself.
    """

    fetched_at: str = ""
    status: int = 200
    last_modified: str = ""
    etag: str = ""
    lastmod: str = ""
    is_article: bool = True
    may_be_article: bool = True
    was_fetched: bool = True
    template_id: str = ""
    may_be_outdated: bool = False
    number: int = 0


@dataclass(frozen=True)
class Extraction:
    """The outcome of a page, and how it came about.

    - ``outcome``: its item, or why it has none.
    - ``method``: what found it: that of ``Article.method``, or the kind of the item.
    - ``found``: what the template's wrapper found on the page; empty if that found nothing.
    - ``missed``: whether there is such a wrapper, which found nothing.
    - ``by_template``: whether the item is by the rules of the template.
    - ``full_text``: whether the full text of the feed entry was taken; None if it has none.
    - ``comments_failed``: whether the comments cannot be read because of an error, which is logged.
    - ``comments_missed``: whether the template's rules for comments find none, though the page has
      some.
    - ``has_previous``: whether the page of an article is a further one; ``html``: what is on it, if
      it is one of several, whatever ``Options.formats`` has.
    - ``instead_of``: if pages of any kind are wanted, why it has no item of another kind.
    - ``content``: that of the article before it was built; empty without an article.
    """

    outcome: Item | Refusal
    method: str = ""
    found: Extract = field(default_factory=Extract)
    missed: bool = False
    by_template: bool = False
    full_text: bool | None = None
    comments_failed: bool = False
    comments_missed: bool = False
    has_previous: bool = False
    html: str = field(default="", repr=False)
    instead_of: str = ""
    content: Extract = field(default_factory=Extract, repr=False)

    @property
    def is_record(self) -> bool:
        """Whether the item is a thread, product or listing."""
        return isinstance(self.outcome, Thread | Product | Listing)

    @property
    def is_of_article(self) -> bool:
        """Whether the page was read as an article, with or without success."""
        reason = self.instead_of or self.reason
        return not self.is_record and reason not in ("other_kind", "not_article", "blocked")

    @property
    def item(self) -> Item | None:
        """The item; None if the page has none."""
        if isinstance(self.outcome, Refusal):
            return None
        return self.outcome

    @property
    def reason(self) -> str:
        """Why the page has no item; ``""`` if it has one."""
        if isinstance(self.outcome, Refusal):
            return self.outcome.reason
        return ""


_OTHER_KIND = Extraction(Refusal("other_kind"))
#: A page that nobody named as an article, and that is likelier of another kind, is none if the F1
#: that is expected of its main text is higher by so much than that of the article: a list of which
#: only the introduction is an article.  Looked at on other sites than trained on: from 0.1 on a few
#: more lists of WCXB are read whole, but articles of postlight are lost.
_MIN_GAIN = 0.3
#: Kinds of pages that may begin with their author and date; posts and items of lists have theirs.
_KINDS_WITH_BYLINE = ("article", "other")
#: Kinds of pages whose dates are those of posts, items and reviews.
_KINDS_OF_RECORDS = ("thread", "product", "listing")


@dataclass(frozen=True)
class _Task:
    """A page to extract, by the rules of its template, and what is known of it."""

    page: Page
    rules: TemplateRules
    options: Options
    visit: Visit


def extract_item(
    page: Page,
    rules: TemplateRules | None = None,
    options: Options | None = None,
    visit: Visit | None = None,
) -> Item | Refusal:
    """The item of a page; see ``extract_page``."""
    return extract_page(page, rules, options, visit).outcome


def extract_page(
    page: Page,
    rules: TemplateRules | None = None,
    options: Options | None = None,
    visit: Visit | None = None,
) -> Extraction:
    """The outcome of a page, by the rules of its template; None: by itself.

    First as a thread, product or listing, if the page is one and that is wanted; then as an
    article; if it is none of these, as a ``WebPage`` if these are wanted.  Then a page without a
    wrapper that nobody named is an article only if its kind is, too.
    If the rules cannot be evaluated on the page, which is logged, by itself too: those that pass
    ``TemplateRules.from_dict`` fail at a limit of libxml2's only, or in a function that a project
    has registered.
    Cost: 12 to 20 times the parse of the page by rules, 30 to 60 times by itself.
    """
    task = _Task(
        page=page,
        rules=rules or TemplateRules(),
        options=options or Options(),
        visit=visit or Visit(),
    )
    if task.visit.was_fetched and is_blocked(page):
        return _extract_blocked(task)
    try:
        return _extract(task)
    except BadRules as error:
        template_id = task.visit.template_id
        logger.warning(
            "%s is read by itself: the rules of template %s: %s",
            page.url,
            template_id,
            error,
        )
        return _extract(replace(task, rules=TemplateRules()))


def _extract_blocked(task: _Task) -> Extraction:
    """The outcome of a page that the server did not give: the article by its feed entry, as if the
    page could not be fetched, or a refusal."""
    page = task.page
    if not (task.options.wants_articles and page.entry and page.entry.text):
        return Extraction(_BLOCKED)
    unfetched_task = replace(
        task,
        page=Page(page.url, parse_html(""), page.entry),
        rules=TemplateRules(),
        visit=replace(task.visit, was_fetched=False),
    )
    return _extract_article(unfetched_task)


def _extract(task: _Task) -> Extraction:
    """The outcome of a page that is no challenge; see ``extract_page``."""
    options = task.options
    if not (options.wants_records and task.visit.was_fetched):
        return _extract_if_article(task)

    record, records = _extract_record(task)
    if record:
        by_template = records is task.rules.records
        return Extraction(record, item_kind(record), by_template=by_template)
    if not options.wants_pages:
        return _extract_if_article(task)

    extraction = _OTHER_KIND
    has_wrapper = bool(task.rules.wrapper.keep)
    if task.visit.is_article or has_wrapper or records.kind.name == "article":
        extraction = _extract_if_article(task)
        if extraction.item:
            main_text = _find_larger_text(task, records, extraction.content)
            if main_text is None:
                return extraction
            larger_page = _build_web_page(task, "other", NO_WRAPPER, main_text)
            return replace(_OTHER_KIND, outcome=larger_page, method="page", instead_of="other_kind")

    web_page = _read_web_page(task, records)
    if not web_page:
        return replace(extraction, outcome=_NO_CONTENT, instead_of=extraction.reason)
    return replace(extraction, outcome=web_page, method="page", instead_of=extraction.reason)


def _find_larger_text(task: _Task, records: "RecordWrapper", content: Extract) -> Extract | None:
    """The main text of a page that is an article in doubt only, and that nobody named as one, if
    what was read as its article is only a part of it; else None."""
    from forest_scrapy.core.records.main_text import find_larger_text

    is_named = task.visit.is_article or task.rules.wrapper.keep
    if is_named or not records.kind.is_doubtful:
        return None
    return find_larger_text(task.page, content, _MIN_GAIN)


def _extract_if_article(task: _Task) -> Extraction:
    if not task.options.wants_articles:
        return _OTHER_KIND
    if not (task.visit.may_be_article or task.visit.is_article):
        return Extraction(Refusal("not_article"))
    return _extract_article(task)


def _extract_record(task: _Task) -> tuple[Item | None, "RecordWrapper"]:
    """The thread, product or listing of a page, and by which rules: those of the template.
    Without these, and if outdated ones find no post on a page of a thread, they are learned from
    the page by itself."""
    visit = task.visit
    records = task.rules.records
    if records:
        item = _read_record(task, records, visit) or _read_named_product(task, records)
        has_posts_or_items = task.rules.are_of_threads or task.rules.are_of_records
        if item or not (visit.may_be_outdated and has_posts_or_items):
            return item, records

    if _wants_products_only(task):
        product_records = _recognize_product(task.page)
        if product_records:
            page_visit = replace(visit, template_id="")
            return _read_record(task, product_records, page_visit), product_records

    prefer_articles = visit.may_be_article and task.options.wants_articles
    page_records = learn_kind([task.page], task.options, prefer_articles)
    page_task = replace(task, visit=replace(visit, template_id=""))
    item = _read_record(page_task, page_records, page_task.visit)
    return item or _read_named_product(page_task, page_records), page_records


#: The least evidence (``count_evidence``) of the page of a product if only products are wanted,
#: without a look at the kind of the page.  Of the pages of seven sets of WCXB, 77 of 113 products
#: have 3, and of the others 2 of 57 collections.
_MIN_EVIDENCE_ALONE = 3
#: HTTP statuses from this one on are those of pages of errors.
_MIN_ERROR_STATUS = 400


def _wants_products_only(task: _Task) -> bool:
    return set(task.options.kinds) == {"product"} and not _is_error(task)


def _is_error(task: _Task) -> bool:
    return task.visit.status >= _MIN_ERROR_STATUS


def is_surely_product(page: Page) -> bool:
    """Whether a page is one of a product, whatever its kind looks like, if only products are
    wanted."""
    from forest_scrapy.core.records import count_evidence

    return count_evidence(page) >= _MIN_EVIDENCE_ALONE


def _recognize_product(page: Page) -> "RecordWrapper | None":
    """The rules for a page that is surely one of a product; None if it may be another.  Its posts
    and items, which take most of the time of ``learn_kind``, are not looked for."""
    from forest_scrapy.core.page.noscript import show_content
    from forest_scrapy.core.records import RecordWrapper
    from forest_scrapy.core.templates.kinds import Kind

    visible_page = show_content(page)
    if not is_surely_product(visible_page):
        return None
    return RecordWrapper(
        hidden=visible_page is not page,
        kind=Kind("product", ("price, button of the cart or number of a product",)),
    )


def _read_named_product(task: _Task, records: "RecordWrapper") -> Product | None:
    """The product of a page of a kind that is not wanted, if name and price or the like tell that
    it is one; less is enough for a page that a user has named and that is no list.  None for pages
    of errors, and if it may become an article or a page of any kind."""
    if _is_error(task) or not task.options.may_be_product(records.kind.name):
        return None
    from forest_scrapy.core.records import count_evidence, min_evidence_against

    kind = records.kind.name
    may_be_less = task.visit.is_article and kind != "listing"
    if count_evidence(task.page) < min_evidence_against(kind) - may_be_less:
        return None
    product = _read_product(task.page, records, task.visit)
    if product:
        _finish_record(task, product, task.visit)
    return product


def _read_record(task: _Task, records: "RecordWrapper", visit: Visit) -> Item | None:
    """The item as far as it is on the page; None if there is none, or its kind is not wanted."""
    kind = records.kind.name
    read_item = _READERS.get(kind)
    if read_item is None or kind not in task.options.kinds:
        return None
    item = read_item(task.page, records, visit)
    if item:
        _finish_record(task, item, visit)
    return item


def _finish_record(task: _Task, item: Item, visit: Visit) -> None:
    item.template_id = visit.template_id
    item.language = _language_of(item.text, task.page)
    if isinstance(item, Product | Listing):
        _write_dates(item, task, are_shown_read=False)


def _write_dates(
    item: Product | Listing | WebPage,
    task: _Task,
    are_shown_read: bool,
) -> None:
    """Write the dates of the page into its item; see ``read_page_dates``."""
    title = item.name if isinstance(item, Product) else item.title
    dates = read_page_dates(
        task.page,
        title,
        task.visit.fetched_at,
        _dates_of_server(task.visit),
        are_shown_read,
    )
    item.published = dates.published
    item.modified = dates.modified
    item.date_confidence = dates.confidence


def _language_of(text: str, page: Page) -> str:
    """The language that the text is in, as of articles; the page's if that is unclear."""
    return detect_language(text, page.language) or page.language


def _read_thread(page: Page, records: "RecordWrapper", visit: Visit) -> Thread | None:
    """The thread as far as it is on a page; None if it has no post."""
    from forest_scrapy.core.records.next_page import next_thread_page
    from forest_scrapy.core.records.topics import read_thread_title

    posts = []
    for record in records.apply(page, visit.fetched_at):
        posts.append(record.describe())
    if not posts:
        return None
    return Thread(
        url=page.url,
        title=read_thread_title(page, records.title_ends),
        text=join_texts(posts),
        posts=posts,
        pages=[page.url],
        next_page=next_thread_page(page),
        fetched_at=visit.fetched_at,
        is_cut=page.outline.is_cut,
        confidence=rate_posts(page, posts),
    )


def _read_product(page: Page, records: "RecordWrapper", visit: Visit) -> Product | None:
    """The product of a page; None if it has no name."""
    from forest_scrapy.core.records import ProductRules, rate_product, read_product

    product_rules = records.product or ProductRules()
    product = read_product(page, product_rules, visit.fetched_at)
    product.text = records.read_text(page)
    product.confidence = rate_product(page)
    return product if product.name else None


def _read_listing(page: Page, records: "RecordWrapper", visit: Visit) -> Listing | None:
    """The listing of a page; None if it has no item with a title."""
    from forest_scrapy.core.records import read_listing
    from forest_scrapy.core.records.listing import space_prices

    listing = read_listing(page, records, visit.fetched_at)
    if listing.items:
        listing.text = space_prices(records.read_text(page), listing.items)
    return listing if listing.items else None


def _read_web_page(task: _Task, records: "RecordWrapper") -> WebPage | None:
    """The page by its main text, whatever its kind, that of an article as such; None if it has no
    text."""
    page = task.page
    options = task.options
    kind = records.kind.name

    wrapper = NO_WRAPPER
    extract = Extract()
    if kind == "article":
        article_text = find_article(page, NO_WRAPPER, options.params, is_named=False)
        if article_text.extract.text and not article_text.is_several:
            wrapper = article_text.wrapper
            extract = article_text.extract
    if not extract.text:
        extract = read_instead(page, records.read_main(page))
    if not extract.text:
        return None
    return _build_web_page(task, kind, wrapper, extract)


def _build_web_page(task: _Task, kind: str, wrapper: Wrapper, extract: Extract) -> WebPage:
    """The page of a kind with this text, which the wrapper found."""
    page = task.page
    options = task.options
    if kind in _KINDS_WITH_BYLINE:
        extract = without_bylines(page, wrapper, extract)

    web_page = WebPage(
        url=page.url,
        title=read_title(page.head),
        kind=kind,
        text=extract.text,
        html=extract.html if "html" in options.formats else "",
        markdown=_to_markdown(extract.html) if "markdown" in options.formats else "",
        language=_language_of(extract.text, page),
        fetched_at=task.visit.fetched_at,
        template_id=task.visit.template_id,
        confidence=rate_text(page, extract, TextOrigin(wrapper, kind=kind)),
    )
    _write_dates(web_page, task, are_shown_read=kind not in _KINDS_OF_RECORDS)
    return web_page


_Reader = Callable[[Page, "RecordWrapper", Visit], Item | None]
#: How the pages of a kind are read.  A further kind adds its function here.
_READERS: Mapping[str, _Reader] = MappingProxyType(
    {"thread": _read_thread, "product": _read_product, "listing": _read_listing}
)


@dataclass(frozen=True)
class _ArticleSource:
    """The content of an article, from the page or from its feed entry.

    - ``wrapper``: what found it; ``extract``: the content.
    - ``is_full_text``: whether it is the full text of the feed entry; None if the entry has none.
    - ``is_whole``: whether it has the text of the article's further pages, too.
    """

    wrapper: Wrapper
    extract: Extract
    is_full_text: bool | None = None
    is_whole: bool = False


def _extract_article(task: _Task) -> Extraction:
    """The outcome of a page as an article."""
    page = task.page
    options = task.options
    visit = task.visit

    learned = task.rules.wrapper
    if options.params.method in PAGE_METHODS and visit.was_fetched:
        learned = learn([page.head], options.params)
    article_text = _find_text(task, learned)
    source = _choose_source(task, article_text)

    template_extract = Extract()
    if article_text.wrapper is learned:
        template_extract = article_text.extract
    is_missed = visit.was_fetched and bool(learned.keep) and article_text.is_missed
    if not source.extract.text:
        return Extraction(_NO_CONTENT, found=template_extract, missed=is_missed)
    is_from_page = visit.was_fetched and source.wrapper.source == "page"
    if is_from_page and is_notice(source.extract.text):
        return _extract_blocked(task)

    extraction = Extraction(
        _NO_CONTENT,
        method=source.wrapper.method,
        found=template_extract,
        missed=is_missed,
        by_template=source.wrapper is learned,
        full_text=source.is_full_text,
        content=source.extract,
    )
    if article_text.is_several and source.wrapper is not ENTRY_WRAPPER:
        return replace(extraction, outcome=Refusal("several_articles"))

    confidence = rate_text(page, source.extract, TextOrigin(source.wrapper, is_missed))
    captioned = source.extract.with_captions(options.captions)
    article = _build(task, replace(source, extract=captioned), learned)
    article.confidence = confidence

    neighbours = NO_NEIGHBOURS if source.is_whole else find_neighbours(page, visit.number)
    article.pages = [page.url]
    article.next_page = neighbours.next_page
    if neighbours:
        has_previous = neighbours.has_previous
        extraction = replace(extraction, has_previous=has_previous, html=article.html)

    if options.comments:
        try:
            article.comments, are_missed = _read_comments(task, captioned)
            extraction = replace(extraction, comments_missed=are_missed)
        except Exception:  # the article is good without
            logger.exception("Cannot read the comments of %s", page.url)
            extraction = replace(extraction, comments_failed=True)

    if "markdown" in options.formats:
        article.markdown = _to_markdown(article.html)
    if "html" not in options.formats:
        article.html = ""
    return replace(extraction, outcome=article)


def _to_markdown(html: str) -> str:
    from forest_scrapy.core.markdown.blocks import to_markdown

    return to_markdown(html)


def _find_text(task: _Task, learned: Wrapper) -> ArticleText:
    """See ``find_article``; the feed entry of a page that was not fetched."""
    page = task.page
    if page.entry and not task.visit.was_fetched:
        entry_content = read_entry(page.entry, page.url)
        return ArticleText(ENTRY_WRAPPER, Extract(entry_content))
    return find_article(page, learned, task.options.params, task.visit.is_article)


def _choose_source(task: _Task, article_text: ArticleText) -> _ArticleSource:
    """The best of the text of the page, of the full text of its feed entry, and of the longer body
    that it declares for scripts."""
    page = task.page
    wrapper = article_text.wrapper
    extract = article_text.extract
    if not task.visit.was_fetched:
        return _ArticleSource(wrapper, extract, is_whole=True)

    is_full_text = None
    if page.entry and page.entry.content:
        full_text = _find_full_text(page, wrapper, extract)
        if full_text is not None:
            # One that has more than the page has the text of its further pages, too.
            min_whole = _WHOLE_ARTICLE_RATIO * len(extract.text)
            is_whole = len(full_text.text) > min_whole
            return _ArticleSource(ENTRY_WRAPPER, full_text, is_full_text=True, is_whole=is_whole)
        is_full_text = False

    if wrapper.source == "page" and extract.text:
        body = read_longer_body(page.declared, page.base_url, extract.text)
        if body is not None:
            return _ArticleSource(DATA_WRAPPER, Extract(body), is_full_text)
    return _ArticleSource(wrapper, extract, is_full_text)


def _find_full_text(page: Page, wrapper: Wrapper, extract: Extract) -> Extract | None:
    """The full text of the page's feed entry if it is better than the extract of the page; else
    None."""
    entry = page.entry
    if entry is None or entry.signifiers_only or not entry.content:
        return None
    full_text = read_full_text(entry, page.base_url)
    if wrapper.source == "entry":  # nothing was found on the page
        is_taken = bool(full_text.text)
    else:
        is_taken = is_better(full_text.body, extract.text)
    return Extract(full_text) if is_taken else None


def _build(task: _Task, source: _ArticleSource, learned: Wrapper) -> Article:
    page = task.page
    visit = task.visit
    article = build_article(
        page.head,
        source.wrapper,
        source.extract,
        learned.fields,
        visit.fetched_at,
        visit.template_id,
        _dates_of_server(visit),
    )
    article.status = visit.status
    article.last_modified = visit.last_modified
    article.etag = visit.etag
    if page.entry:
        article.entry = page.entry.to_dict()
        article.comments_url = page.entry.comments_url
        article.comments_count = page.entry.comments_count
    return article


def _dates_of_server(visit: Visit) -> dict[str, str]:
    """Dates of the last change that are not on the page, by their sources: that of a sitemap, and
    that of the server unless the page may have been generated for this request."""
    dates: dict[str, str] = {}
    if visit.lastmod:
        dates["sitemap:lastmod"] = visit.lastmod
    modified = read_moments(read_date(visit.last_modified))
    fetched = read_moments(visit.fetched_at)
    if modified and fetched and modified[0] <= fetched[0] - _GENERATION_TIME:
        dates["http:last-modified"] = visit.last_modified
    return dates


def _read_comments(task: _Task, extract: Extract) -> tuple[list[dict[str, Any]], bool]:
    """The comments on a page with this article, and whether the rules of its template miss them.
    Without rules, and if outdated ones find none, the page is learned from by itself."""
    page = task.page
    rules = task.rules.comments
    if rules:
        comments = _describe_comments(rules, page, extract)
        if comments or not task.visit.may_be_outdated:
            return comments, False

    from forest_scrapy.core.records.comments import learn_comments

    page_rules = learn_comments([page.head], [extract.content])
    if not page_rules:
        return [], False
    comments = _describe_comments(page_rules, page, extract)
    return comments, bool(comments and rules)


def _describe_comments(rules: "RecordRules", page: Page, extract: Extract) -> list[dict[str, Any]]:
    from forest_scrapy.core.records.comments import read_comments

    comments = read_comments(rules, page, extract.content)
    return [comment.describe() for comment in comments]

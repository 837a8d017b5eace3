"""The two functions of the core: ``learn_rules`` from the pages of a template, and ``extract_item``
from a page by them.

Whoever has pages calls these: a crawl, files, Spark, scrapy-poet, the shell.  They need no files,
clock or network.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any, TypeVar

from forest_scrapy.core.article_text import ArticleText, find_article, read_instead
from forest_scrapy.core.boilerplate.challenges import is_challenge, is_notice
from forest_scrapy.core.date_range import read_moments
from forest_scrapy.core.errors import BadRules, NotEnoughPages, UnknownMeasure, UnknownMethod
from forest_scrapy.core.fields.dates import read_date
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
from forest_scrapy.core.markdown.blocks import to_markdown
from forest_scrapy.core.methods import PAGE_METHODS
from forest_scrapy.core.methods.article import find_text_at, learn, sample_pages
from forest_scrapy.core.methods.confidence import Origin, rate_posts, rate_text
from forest_scrapy.core.options import Options
from forest_scrapy.core.page.language import detect_language
from forest_scrapy.core.page.page import Extract, Page
from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.core.records import (
    ProductRules,
    RecordRules,
    RecordWrapper,
    learn_records,
    read_listing,
    read_product,
)
from forest_scrapy.core.records.comments import learn_comments, read_comments
from forest_scrapy.core.records.next_page import next_thread_page
from forest_scrapy.core.repeated import (
    ArticleLines,
    keep_documents,
    learn_remarks,
    learn_repeated,
)
from forest_scrapy.core.rules import TemplateRules
from forest_scrapy.core.wrapper import (
    DATA_WRAPPER,
    ENTRY_WRAPPER,
    NO_WRAPPER,
    Wrapper,
    build_article,
)

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

#: What the pages of a sample may weigh together when records and comments are learned: ten pages of
#: 8,000 elements, which is the most that a page has whose reading is not tried in a process that
#: can be stopped, and the most that is learned from of others.
MOST_WEIGHT = 80_000
#: A page that was changed at most so long before it was fetched may have been generated then.
_GENERATED = timedelta(hours=1)
#: A full text in the feed is the whole article if it is so much longer than its first page.
_LONGER = 1.2
_NOTHING = Refusal("no_content")
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
    """What became of a page.

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
        return None if isinstance(self.outcome, Refusal) else self.outcome

    @property
    def reason(self) -> str:
        """Why the page has no item; ``""`` if it has one."""
        return self.outcome.reason if isinstance(self.outcome, Refusal) else ""


_OTHER = Extraction(Refusal("other_kind"))


def learn_rules(
    pages: Sequence[Page],
    options: Options | None = None,
    may_be_articles: bool = True,
    others: Sequence[ArticleLines | None] = (),
) -> TemplateRules:
    """The rules of the template that has these pages; from one page what that can give alone.

    They depend on the set of pages, not on their order.  ``may_be_articles``: False for pages that
    are known to be no articles.  ``others``: articles of other templates of the host; text that
    they have, too, is no part of these.  A part that fails is left out and logged; its name is in
    ``TemplateRules.failed``.  Pages that are challenges (see ``is_challenge``) teach nothing; rules
    learned from these alone are empty.  Raises ``NotEnoughPages`` for no page, ``UnknownMethod``
    and ``UnknownMeasure``.  Cost: some 10 ms for each page, and 50 ms more if other kinds or
    comments are wanted.
    """
    options = options or Options()
    if not pages:
        raise NotEnoughPages("rules", 1, 0)
    named_page = pages[0].head
    pages = [page.head for page in pages if not is_challenge(page)]
    if not pages:
        return TemplateRules(text_at=find_text_at([named_page]))
    learning = _Learning(pages)
    rules = TemplateRules()
    if options.wants_records:
        prefers = may_be_articles and options.wants_articles
        records = learning.part("records", _learn_kind, pages, options, prefers) or RecordWrapper()
        rules = replace(rules, records=records)
    is_thread = rules.are_of_threads and rules.records is not None and bool(rules.records.rules)
    if may_be_articles and options.wants_articles and not (is_thread and "thread" in options.kinds):
        if options.params.method not in PAGE_METHODS:  # these look at each page by itself
            article = learning.part("article", _learn_article, pages, options, others) or NO_WRAPPER
            rules = replace(rules, article=article)
        if options.comments:
            comments = learning.part("comments", learn_article_comments, pages, rules.wrapper)
            rules = replace(rules, comments=comments)
    return replace(
        rules, text_at=_find_text_at(rules, pages, options), failed=tuple(learning.failed)
    )


def _find_text_at(rules: TemplateRules, pages: Sequence[Page], options: Options) -> str:
    """What a template is named after: the element with most text; the posts of threads."""
    known = rules.text_wrapper.evidence.text_at
    return known or find_text_at(sample_pages(pages, options.params.pages))


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
    """What becomes of a page, by the rules of its template; None: by itself.

    First as a thread, product or listing, if the page is one and that is wanted; then as an
    article; if it is none of these, as a ``WebPage`` if these are wanted.  Then a page without a
    wrapper that nobody named is an article only if its kind is, too.
    If the rules cannot be evaluated on the page, which is logged, by itself too: those that pass
    ``TemplateRules.from_dict`` fail at a limit of libxml2's only, or in a function that a project
    has registered.
    Cost: 4 to 10 times the parse of the page by rules, some 50 times by itself.
    """
    options, visit = options or Options(), visit or Visit()
    if visit.was_fetched and is_challenge(page):
        return _extract_blocked(page, options, visit)
    try:
        return _extract_by(page, rules or TemplateRules(), options, visit)
    except BadRules as error:
        id = visit.template_id
        logger.warning("%s is read by itself: the rules of template %s: %s", page.url, id, error)
        return _extract_by(page, TemplateRules(), options, visit)


def _extract_blocked(page: Page, options: Options, visit: Visit) -> Extraction:
    """What becomes of a page that the server did not give: the article by its feed entry, as if the
    page could not be fetched, or a refusal."""
    if options.wants_articles and page.entry and page.entry.text:
        unfetched = Page(page.url, parse_html(""), page.entry)
        return _extract_article(
            unfetched, TemplateRules(), options, replace(visit, was_fetched=False)
        )
    return Extraction(_BLOCKED)


def _extract_by(page: Page, own: TemplateRules, options: Options, visit: Visit) -> Extraction:
    if not (options.wants_records and visit.was_fetched):
        return _extract_if_article(page, own, options, visit)
    record, records = _extract_record(page, own, options, visit)
    if record:
        return Extraction(record, item_kind(record), by_template=records is own.records)
    is_known = visit.is_article or bool(own.wrapper.keep) or records.kind.name == "article"
    done = (
        _OTHER
        if options.wants_pages and not is_known
        else _extract_if_article(page, own, options, visit)
    )
    if done.item or not options.wants_pages:
        return done
    item = _read_web_page(page, records, options, visit)
    if not item:
        return replace(done, outcome=_NOTHING, instead_of=done.reason)
    return replace(done, outcome=item, method="page", instead_of=done.reason)


def _extract_if_article(
    page: Page, own: TemplateRules, options: Options, visit: Visit
) -> Extraction:
    if not options.wants_articles:
        return _OTHER
    if not (visit.may_be_article or visit.is_article):
        return Extraction(Refusal("not_article"))
    return _extract_article(page, own, options, visit)


def _learn_article(
    pages: Sequence[Page], options: Options, others: Sequence[ArticleLines | None]
) -> Wrapper:
    sample = sample_pages(pages, options.params.pages)
    wrapper = keep_documents(learn(pages, options.params), sample)
    wrapper = learn_remarks(wrapper, sample)
    return learn_repeated(wrapper, sample, others)


class _Learning:
    """Learns parts of the rules of a template; ``failed``: those that could not be learned."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._url = pages[0].url
        self.failed: list[str] = []

    def part(self, name: str, function: Callable[..., _T | None], *args: object) -> _T | None:
        """What the function returns; None if there are too few pages, or if it fails."""
        try:
            return function(*args)
        except NotEnoughPages:
            return None
        except (UnknownMethod, UnknownMeasure, OSError, MemoryError):
            raise  # not because of the pages: of the options, the disk or the process
        except Exception as error:  # the other parts may be learned all the same
            logger.exception("Cannot learn the %s of the template of %s", name, self._url)
            self.failed.append(f"{name}: {type(error).__name__}: {error}")
            return None


def _learn_kind(pages: Sequence[Page], options: Options, prefer_articles: bool) -> RecordWrapper:
    affordable = choose_affordable(pages)
    return learn_records(
        affordable, options.params, prefer_articles=prefer_articles, with_article=False
    )


def learn_article_comments(pages: Sequence[Page], article: Wrapper) -> RecordRules | None:
    """The rules for the comments on those of the pages of a template that have an article; None if
    there are fewer than two of them, or no comments."""
    own = [(page, article.apply(page)) for page in choose_affordable(pages)]
    found = [(page, one.content) for page, one in own if one.text]
    if len(found) < 2:
        return None
    return learn_comments([page for page, _ in found], [content for _, content in found])


def choose_affordable(pages: Sequence[Page]) -> list[Page]:
    """Those of the pages that records can be learned from in a bounded time, in their order, the
    start of long ones: the first that weigh at most ``MOST_WEIGHT`` together (see ``Outline``).  If
    each weighs more, the one that weighs least.

    Learning takes time in proportion to this weight (some 7 s for ``MOST_WEIGHT``).
    """
    pages = [page.head for page in pages]
    weights = [page.outline.weight for page in pages]
    chosen, total = [], 0
    for page, weight in zip(pages, weights, strict=True):
        if total + weight <= MOST_WEIGHT:
            chosen.append(page)
            total += weight
    lightest = min(range(len(pages)), key=lambda i: (weights[i], i), default=0)
    return chosen or list(pages[lightest : lightest + 1])


def _extract_record(
    page: Page, rules: TemplateRules, options: Options, visit: Visit
) -> tuple[Item | None, RecordWrapper]:
    """The thread, product or listing of a page, and by which rules: those of the template.
    Without these, and if outdated ones find no post on a page of a thread, they are learned from
    the page by itself."""
    records = rules.records
    item = _read_record(page, records, options, visit) if records else None
    if records and (item or not (visit.may_be_outdated and rules.are_of_threads)):
        return item, records
    alone = _learn_kind([page], options, visit.may_be_article and options.wants_articles)
    return _read_record(page, alone, options, replace(visit, template_id="")), alone


def _read_record(page: Page, records: RecordWrapper, options: Options, visit: Visit) -> Item | None:
    """The item as far as it is on the page; None if there is none, or its kind is not wanted."""
    read = _READERS.get(records.kind.name)
    if read is None or records.kind.name not in options.kinds:
        return None
    item = read(page, records, visit)
    if item:
        item.template_id = visit.template_id
        item.language = _language_of(item.text, page)
    return item


def _language_of(text: str, page: Page) -> str:
    """The language that the text is in, as of articles; the page's if that is unclear."""
    return detect_language(text, page.language) or page.language


def _read_thread(page: Page, records: RecordWrapper, visit: Visit) -> Thread | None:
    """The thread as far as it is on a page; None if it has no post."""
    posts = [record.describe() for record in records.apply(page, visit.fetched_at)]
    if not posts:
        return None
    return Thread(
        url=page.url,
        title=read_title(page),
        text=join_texts(posts),
        posts=posts,
        pages=[page.url],
        next_page=next_thread_page(page),
        fetched_at=visit.fetched_at,
        is_cut=page.outline.is_cut,
        confidence=rate_posts(page, posts),
    )


def _read_product(page: Page, records: RecordWrapper, visit: Visit) -> Product | None:
    """The product of a page; None if it has no name."""
    product = read_product(page, records.product or ProductRules(), visit.fetched_at)
    product.text = records.read_text(page)
    return product if product.name else None


def _read_listing(page: Page, records: RecordWrapper, visit: Visit) -> Listing | None:
    """The listing of a page; None if it has no item with a title."""
    listing = read_listing(page, records, visit.fetched_at)
    listing.text = records.read_text(page) if listing.items else ""
    return listing if listing.items else None


def _read_web_page(
    page: Page, records: RecordWrapper, options: Options, visit: Visit
) -> WebPage | None:
    """The page by its main text, whatever its kind, that of an article as such; None if it has no
    text."""
    found = Extract()
    wrapper = NO_WRAPPER
    if records.kind.name == "article":
        article = find_article(page, NO_WRAPPER, options.params, is_named=False)
        found = Extract() if article.is_several else article.found
        wrapper = article.wrapper
    if not found.text:
        wrapper = NO_WRAPPER
        found = read_instead(page, records.read_main(page))
    if not found.text:
        return None
    is_marked_up = "html" in options.formats
    return WebPage(
        url=page.url,
        title=read_title(page.head),
        kind=records.kind.name,
        text=found.text,
        html=found.html if is_marked_up else "",
        markdown=to_markdown(found.html) if "markdown" in options.formats else "",
        language=_language_of(found.text, page),
        fetched_at=visit.fetched_at,
        template_id=visit.template_id,
        confidence=rate_text(page, found, Origin(wrapper, kind=records.kind.name)),
    )


_Reader = Callable[[Page, RecordWrapper, Visit], Item | None]
#: How the pages of a kind are read.  A further kind adds its function here.
_READERS: Mapping[str, _Reader] = MappingProxyType(
    {"thread": _read_thread, "product": _read_product, "listing": _read_listing}
)


def _extract_article(
    page: Page, rules: TemplateRules, options: Options, visit: Visit
) -> Extraction:
    learned = rules.wrapper
    if options.params.method in PAGE_METHODS and visit.was_fetched:
        learned = learn([page.head], options.params)
    wrapper, found, is_missed, is_several = _find_text(page, learned, options, visit)
    kept = found if wrapper is learned else Extract()
    missed = visit.was_fetched and bool(learned.keep) and is_missed
    has_full = bool(visit.was_fetched and page.entry and page.entry.content)
    full = _find_full_text(page, wrapper, found) if has_full else None
    has_more = full is not None and len(full.text) > _LONGER * len(found.text)
    if full is not None:
        wrapper, found = ENTRY_WRAPPER, full
    elif visit.was_fetched and wrapper.source == "page" and found.text:
        body = read_longer_body(page.declared, page.base_url, found.text)
        if body is not None:
            wrapper = DATA_WRAPPER
            found = Extract(body)
    if not found.text:
        return Extraction(_NOTHING, found=kept, missed=missed)
    if visit.was_fetched and wrapper.source == "page" and is_notice(found.text):
        return _extract_blocked(page, options, visit)
    is_full = full is not None if has_full else None
    done = Extraction(_NOTHING, wrapper.method, kept, missed, wrapper is learned, is_full)
    if is_several and wrapper is not ENTRY_WRAPPER:
        return replace(done, outcome=Refusal("several_articles"))
    confidence = rate_text(page, found, Origin(wrapper, missed))
    found = found.with_captions(options.captions)
    article = _build(page, wrapper, found, learned, visit)
    article.confidence = confidence
    # A full text that has more than the page has the text of its further pages, too.
    is_whole = has_more or not visit.was_fetched
    neighbours = NO_NEIGHBOURS if is_whole else find_neighbours(page, visit.number)
    article.pages = [page.url]
    article.next_page = neighbours.next_page
    if neighbours:
        done = replace(done, has_previous=neighbours.has_previous, html=article.html)
    if options.comments:
        try:
            article.comments, are_missed = _read_comments(page, rules, found, visit)
            done = replace(done, comments_missed=are_missed)
        except Exception:  # the article is good without
            logger.exception("Cannot read the comments of %s", page.url)
            done = replace(done, comments_failed=True)
    if "markdown" in options.formats:
        article.markdown = to_markdown(article.html)
    if "html" not in options.formats:
        article.html = ""
    return replace(done, outcome=article)


def _find_text(page: Page, learned: Wrapper, options: Options, visit: Visit) -> ArticleText:
    """See ``find_article``."""
    if page.entry and not visit.was_fetched:
        return ArticleText(ENTRY_WRAPPER, Extract(read_entry(page.entry, page.url)))
    return find_article(page, learned, options.params, visit.is_article)


def _find_full_text(page: Page, wrapper: Wrapper, found: Extract) -> Extract | None:
    """The full text of the page's feed entry if it is better than what was found on the page; else
    None."""
    entry = page.entry
    if entry is None or entry.signifiers_only or not entry.content:
        return None
    full = read_full_text(entry, page.base_url)
    if wrapper.source == "entry":  # nothing was found on the page
        return Extract(full) if full.text else None
    return Extract(full) if is_better(full.body, found.text) else None


def _build(page: Page, wrapper: Wrapper, found: Extract, learned: Wrapper, visit: Visit) -> Article:
    outer = _outer_dates(visit)
    fields, fetched_at = learned.fields, visit.fetched_at
    article = build_article(page.head, wrapper, found, fields, fetched_at, visit.template_id, outer)
    article.status = visit.status
    article.last_modified, article.etag = visit.last_modified, visit.etag
    if page.entry:
        article.entry = page.entry.to_dict()
        article.comments_url = page.entry.comments_url
        article.comments_count = page.entry.comments_count
    return article


def _outer_dates(visit: Visit) -> dict[str, str]:
    """Dates of the last change that are not on the page: that of a sitemap, and that of the server
    unless the page may have been generated for this request."""
    found = {"sitemap:lastmod": visit.lastmod, "http:last-modified": visit.last_modified}
    moments = read_moments(read_date(visit.last_modified))
    fetched = read_moments(visit.fetched_at)
    if not moments or not fetched or moments[0] > fetched[0] - _GENERATED:
        del found["http:last-modified"]
    return {source: text for source, text in found.items() if text}


def _read_comments(
    page: Page, rules: TemplateRules, found: Extract, visit: Visit
) -> tuple[list[dict[str, Any]], bool]:
    """The comments on a page with this article, and whether the rules of its template miss them.
    Without rules, and if outdated ones find none, the page is learned from by itself."""
    comments = rules.comments and _describe_comments(rules.comments, page, found)
    if comments or (rules.comments and not visit.may_be_outdated):
        return comments or [], False
    own = learn_comments([page.head], [found.content])
    alone = _describe_comments(own, page, found) if own else []
    return alone, bool(alone and rules.comments)


def _describe_comments(rules: RecordRules, page: Page, found: Extract) -> list[dict[str, Any]]:
    return [one.describe() for one in read_comments(rules, page, found.content)]

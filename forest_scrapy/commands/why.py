"""``scrapy forest why``: the outcome of a page, what decided it, and what would change it."""

import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeVar

from scrapy.exceptions import UsageError

from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.commands.pages import Fetched, complete_name, read_pages
from forest_scrapy.commands.stored import lines_text
from forest_scrapy.core import ForestError, Page, Template, extract_page
from forest_scrapy.core.codec import to_json
from forest_scrapy.core.extraction import Extraction, Visit
from forest_scrapy.core.hosts import HostTemplates
from forest_scrapy.core.items import ITEM_KINDS, OTHER_ITEMS, Item, Listing, Product, Thread
from forest_scrapy.core.options import Options
from forest_scrapy.core.page.urls import host_with_port, is_entry_url, is_url, page_key
from forest_scrapy.core.plurals import count
from forest_scrapy.core.templates.fingerprints import Fingerprint
from forest_scrapy.core.templates.grouping import read_fingerprint
from forest_scrapy.core.templates.kinds import is_article_without_site
from forest_scrapy.core.templates.signals import read_signals
from forest_scrapy.crawl.context import (
    find_history,
    find_rules,
    open_rules,
    request_again,
    restore_articles,
    withdraw_articles,
)
from forest_scrapy.crawl.page_records import NO_BODY
from forest_scrapy.crawl.rechecks import NextRequest, RecheckHours, plan_next_request
from forest_scrapy.settings import ForestSettings, crawl_command
from forest_scrapy.stores import HistoryStore, PageRecord, RulesStore
from forest_scrapy.stores.decisions import Decision
from forest_scrapy.stores.named_pages import NamedPage

_T = TypeVar("_T")

_EDIT_RULES = (
    "if a value is wrong: scrapy forest export {host} --template {template} --format json writes"
    " the rules, and scrapy forest import stores them once they are edited"
)
_DECLARED = "its values are declared by the page: no rule changes them"
_NO_RULES = (
    "a crawl of several such pages of the site learns where their values are; scrapy forest show"
    " HOST prints that"
)
_NO_ITEM = "if it is no {kind}: scrapy forest why URL --not-article; {values}"
#: The sources of values that a page declares.
_DECLARED_SOURCES = ("json-ld", "microdata", "meta")
_NAME_IT = "if it is an article: scrapy forest why URL --article"
_LOOK_AT_TEXT = (
    "look at it in a browser with scripts turned off: if the text is missing there, set"
    " FOREST_RENDER; if not, scrapy forest explain with another page like it says what is kept"
)
#: What would change each outcome of a page; ``{crawl}``: see ``crawl_command``.
REMEDIES = {
    "article": "if it is not an article: scrapy forest why URL --not-article",
    "gone": "it was there, and its site has deleted it; a crawl that finds it again emits it",
    "not_article": _NAME_IT,
    "duplicate": "its article was emitted under another URL, see the field other_urls there",
    "empty": "the server sent nothing; a browser may get more, see FOREST_RENDER",
    "not_html": "only HTML is read; the items of a feed: {crawl} feeds -a feeds=URL",
    "too_large": "FOREST_MAX_BYTES allows larger pages",
    "too_slow": "a higher FOREST_PAGE_SECONDS allows more time and memory",
    "several_articles": "it is taken for a list; if it is an article: scrapy forest why URL"
    " --article",
    "unchanged": "it was emitted before; without -a only_new=yes it is emitted again",
    "unlisted": "a crawl ended before it took the entry, which its feed does not list any more",
    "too_old": "-a since was later than its date",
    "too_new": "-a until was earlier than its date",
    "other_language": "-a language names other languages",
    "no_match": "-a match asks for words that it does not have",
    "joined": "its content is in the item of its thread or article",
    "other_layout": "it was kept before its site was redesigned",
    "other_kind": "FOREST_KINDS names the kinds of pages that are wanted",
    "no_content": _LOOK_AT_TEXT,
    "blocked": "its server sent a challenge, a consent wall or a notice instead of the page; it may"
    " send the page to a browser, see FOREST_RENDER, or to a slower crawl",
    "disk_failure": "the crawl could not write; make room, and run it again",
    "by_pipeline": "another item pipeline of the project has dropped it",
    "kept_by_middleware": "another spider middleware of the project has not passed it on",
    "error": "the log of the crawl has the error",
}
_UNKNOWN = (
    "no crawl has asked for it: no feed, sitemap or followed link has led to it, or robots.txt or"
    " an argument such as -a deny has forbidden it; the stats of the crawl count these as skipped/"
)
_FAILED = "run the crawl again; the log names the error"
_NO_CRAWL = "no crawl has run here; one that finds it: {crawl} site -a article=URL"
#: Outcomes of pages that have an article; and those that another crawl may not have again.
_WITH_ARTICLE = ("article", "unchanged", "joined")
_OF_ONE_CRAWL = (
    "empty", "too_slow", "blocked", "no_content", "disk_failure", "by_pipeline",
    "kept_by_middleware", "error", "too_old", "too_new", "other_layout",
    "other_language", "no_match",
)  # fmt: skip
#: The exit status if the page was read, and no item results from it.
NO_ITEM_STATUS = 3
#: ``Answer.result`` of a page that cannot be read.
_UNREADABLE = "unreadable"


class NotNamed(ForestError):
    """A page that cannot be read cannot be named as an article, or as none."""


@dataclass(frozen=True)
class LatestRequest:
    """The latest requests for the page.

    - ``fetched``: when it was fetched, ISO 8601, ``""`` if it never was; ``was_read``: whether its
      server sent the page then; if not, its feed entry stands in for it.
    - ``status``: that of the latest request, 0 without a response; ``failures``: the requests that
      have failed since the page was read, one after the other.
    - ``outcome``; ``feed``: that lists the page.
    - ``template``, ``method``: that the article was extracted with.
    """

    fetched: str
    was_read: bool
    status: int
    failures: int
    outcome: str
    feed: str
    template: str
    method: str

    @classmethod
    def of(cls, record: PageRecord) -> "LatestRequest":
        """The latest request, as the history has it."""
        return cls(
            fetched=_time(record.fetched) if record.fetched is not None else "",
            was_read=record.page_digest not in (b"", NO_BODY),
            status=record.status,
            failures=record.failures,
            outcome=record.outcome,
            feed=record.feed,
            template=record.template,
            method=record.method,
        )


@dataclass(frozen=True)
class NextCheck:
    """When a crawl with ``only_new`` asks for the page again if its feed lists it as before.

    - ``due``: from when on, ISO 8601, ``""`` at once; None: only if its feed lists it again, or
      anew.
    - ``feed_due``: when its feed itself is due, ISO 8601, ``""`` at once.
    """

    due: str | None
    feed_due: str

    @classmethod
    def of(cls, planned: NextRequest, now: int) -> "NextCheck":
        """The times as text; those that have passed are ``""``."""
        feed_due = planned.feed_due or 0
        return cls(
            due=None if planned.due is None else _future_time(planned.due, now),
            feed_due=_future_time(feed_due, now),
        )


@dataclass(frozen=True)
class Layout:
    """The template of a page.

    - ``template``: the id of the stored one that it belongs to, ``""`` if it belongs to none;
      ``templates``: the number of stored templates of its host.
    - ``distance``: to the nearest page that these are recognised by; ``cut``: that up to which it
      would belong to its template.
    """

    template: str
    templates: int
    distance: float
    cut: float


@dataclass(frozen=True)
class ExtractionSummary:
    """The item that would be extracted from the page now: its kind, or the reason why there is
    none; the method and the XPath, the title, the number of characters of the text, and the date of
    publication as the page has it if it is none, as it lies in the future.

    Of a product: its name as the title, its price, its currency, and the sources of its values.
    ``rows``: the number of items of a listing, or of posts of a thread."""

    kind: str
    method: str
    xpath: str = ""
    title: str = ""
    characters: int = 0
    future_date: str = ""
    price: str = ""
    currency: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    rows: int = 0


@dataclass(frozen=True)
class Source:
    """What the page was read from now: ``fetched``, ``kept`` (by ``FOREST_WARC``) or ``file``, or
    ``entry`` for an entry of a feed, which has no page of its own; the
    HTTP status, 0 of a file and without a response, and the bytes; the ``problem``, if it cannot be
    read, and the name of the ``refusal`` of what is there."""

    origin: str
    status: int = 0
    bytes: int = 0
    problem: str = ""
    refusal: str = ""


@dataclass(frozen=True)
class PageKnowledge:
    """The knowledge of a page; None for what is not known.

    - ``result``: the kind of the item that a crawl makes of it, or else the reason why there is
      none; ``unreadable`` if that cannot be told, as the page cannot be read.
    - ``has_item``: whether there is an item; ``has_history``: whether a crawl has written one.
    - ``said``: whether a person has said that it, or a page like it, is an article.
    - ``next_check``: when it is asked for again; None for a page that no feed has listed.
    - ``kinds``: those of ``FOREST_KINDS`` that the page is read for; ``are_of_settings``: whether
      they are those of the settings, and not of the crawls that know the page or its template.
    """

    url: str
    result: str
    has_item: bool
    has_history: bool
    source: Source
    visit: LatestRequest | None
    decision: Decision | None
    said: bool | None
    layout: Layout | None
    reading: ExtractionSummary | None
    next_check: NextCheck | None = None
    kinds: tuple[str, ...] = ("article",)
    are_of_settings: bool = True

    @property
    def outcome(self) -> str:
        """The outcome in the latest crawl; ``""`` if it is not known."""
        return _find_outcome(self.visit, self.decision)

    def advice(self) -> str:
        """What would change the outcome."""
        if self.source.problem and (advice := _advise_on_source(self.source)):
            return advice
        if self.said is not None:
            return "scrapy forest why URL --forget takes back what was said"
        if self.visit is not None and not self.outcome:
            return _FAILED
        is_record = self.reading is not None and self.reading.kind in OTHER_ITEMS
        if is_record and self.has_item and self.outcome in _WITH_ARTICLE:
            return self._advise_on_record()
        if self.outcome:
            return _remedy_of(self.outcome)
        if self.reading is not None and not self.has_item:
            return _remedy_of(self.result)
        return _UNKNOWN if self.has_history else _NO_CRAWL.format(crawl=crawl_command())

    def _advise_on_record(self) -> str:
        """What would change a product, or another item that is no article."""
        assert self.reading is not None
        template = self.layout.template if self.layout else ""
        kind = self.reading.kind
        shown = [self.reading.sources.get(name, "") for name in ("name", "price")]
        if kind == "product" and all(source in _DECLARED_SOURCES for source in shown):
            values = _DECLARED
        elif template and kind in ("product", "listing"):
            host = host_with_port(self.url)
            values = _EDIT_RULES.format(host=host, template=template)
        else:
            values = _NO_RULES
        return _NO_ITEM.format(kind=kind, values=values)


def _remedy_of(outcome: str) -> str:
    """What would change an outcome of a page."""
    remedy = REMEDIES.get(outcome, _LOOK_AT_TEXT)
    return remedy.format(crawl=crawl_command())


def _advise_on_source(source: Source) -> str:
    """What to do about a page that cannot be read now; ``""`` if its source does not tell."""
    if source.origin == "entry":
        return "it has no page of its own: its article is what its feed says of it"
    if source.refusal:
        return _remedy_of(source.refusal)
    if source.origin == "file" and not source.bytes:
        return "name a file that is there, or the URL of the page: https://HOST/PATH"
    if source.status in (404, 410):
        return "its server has no such page: compare the URL with that in a browser"
    if source.status in (401, 403, 407, 429):
        return (
            "its server refuses the request: another USER_AGENT, a larger DOWNLOAD_DELAY or a"
            " browser (FOREST_RENDER) may be let in"
        )
    if source.origin == "fetched" and not source.bytes:
        return "try again later, and compare the URL with that in a browser"
    return ""


def _find_outcome(visit: LatestRequest | None, decision: Decision | None) -> str:
    if visit is not None and visit.outcome:
        return visit.outcome
    if decision is not None and not decision.is_article:
        return "not_article"
    return ""


def choose_result(
    outcome: str,
    verdict: bool | None,
    reading: ExtractionSummary | None,
    looks_like_article: bool = True,
) -> tuple[str, bool]:
    """The result of a page, and whether it is an item: what a person has said, ``verdict``, comes
    first, then what is on the page now, then the outcome of the latest crawl, if that does not
    pass; without one, whether the page ``looks_like_article``."""
    if verdict is False:
        return "not_article", False
    if reading is None:
        return _UNREADABLE, False
    if reading.kind not in ITEM_KINDS:
        return reading.kind, False
    is_lasting = outcome not in ("", *_WITH_ARTICLE, *_OF_ONE_CRAWL)
    if is_lasting and verdict is None:
        return outcome, False
    is_unknown = not outcome and verdict is None and reading.kind == "article"
    if is_unknown and not looks_like_article:
        return "not_article", False
    return reading.kind, True


class Why(Action):
    """Say what becomes of a page, by what, and what would change it: in the last crawl, and now.

    With --article or --not-article it is remembered that such pages are articles, or none.
    The exit status is 0 if an article results (or another item that FOREST_KINDS names), and if it
    was remembered; 1 if the page or a store cannot be read, 2 for wrong usage, 3 if no article
    results.
    """

    name = "why"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("page", metavar="URL|FILE")
        add("--article", action="store_true", help="this is an article, and pages like it are too")
        add(
            "--not-article",
            action="store_true",
            help="this is no article, and pages like it are none, whatever a feed says",
        )
        add("--forget", action="store_true", help="take back what was said of such pages")
        add("--json", action="store_true", help="print JSON")

    def run(self, options: Namespace) -> str:
        """Raises ``NotNamed``, ``BadStore`` and ``StoreFailed``."""
        if options.article + options.not_article + options.forget > 1:
            raise UsageError("use only one of --article, --not-article and --forget")
        url = complete_name(options.page)
        fetched = Fetched(self.errors)
        page: Page | None = None
        if not is_entry_url(url):  # there is no page to read
            page = next(iter(read_pages([url], "", self, fetched=fetched)), None)
        is_told = options.article or options.not_article or options.forget
        if is_told:
            if page is None:
                raise NotNamed(f"{url} cannot be read, so that pages like it cannot be recognised")
            is_article = None if options.forget else bool(options.article)
            _name(page, url, is_article, self.config)
        source = _describe_source(url, page, fetched)
        knowledge = _find(url, page, source, self.config)
        if not is_told and not knowledge.has_item:
            self.exit_status = NO_ITEM_STATUS
        if options.json:
            return json_text(to_json(knowledge))
        return lines_text(_lines(knowledge))


def _name(
    page: Page,
    asked_url: str,
    is_article: bool | None,
    config: ForestSettings,
) -> None:
    """Remember that pages like this one are articles, or none; None: forget what was said.  Its
    history is adapted, so that the next crawl requests it if it is still listed; what is none does
    not stay in the rolling feed."""
    host = host_with_port(page.url)
    fingerprint = read_fingerprint(page, config.fingerprint_kind)
    with closing(open_rules(config)) as rules:
        similar_pages = _similar_named_pages(rules, config, host, fingerprint)
        if is_article is None:
            rules.named_pages.delete(host, [named_page.url for named_page in similar_pages])
        else:
            rules.named_pages.save(NamedPage(host, page.url, is_article, fingerprint))

    keys = {page_key(asked_url), page_key(page.url)}
    request_again(config, keys)
    if is_article is not False:
        restore_articles(config, keys)
        return
    # Where others of the template are said to be articles, only this page is told to be none.
    is_alone = any(
        named_page.is_article and named_page.url != page.url for named_page in similar_pages
    )
    withdraw_articles(config, keys, is_alone)


def _similar_named_pages(
    rules: RulesStore,
    config: ForestSettings,
    host: str,
    fingerprint: Fingerprint,
) -> list[NamedPage]:
    """The named pages of the template of a page."""
    named_pages = rules.named_pages.load(host)
    templates = HostTemplates(host, config.options, rules.load(host), named_pages)
    digests = {fingerprint.digest, *templates.cluster_digests(fingerprint)}
    return [named_page for named_page in named_pages if named_page.fingerprint.digest in digests]


def _describe_source(url: str, page: Page | None, fetched: Fetched) -> Source:
    if is_entry_url(url):
        return Source("entry", problem="is an entry of a feed, without a page of its own")
    origin = "fetched" if is_url(url) else "file"
    if url in fetched.kept_urls:
        origin = "kept"
    problem = ""
    if page is None:
        messages = [error for error in fetched.errors if error.startswith(f"{url}: ")]
        problem = messages[0].removeprefix(f"{url}: ") if messages else "has no page"
    response = fetched.responses.get(url) or next(iter(fetched.responses.values()), None)
    if response is None:
        return Source(origin, fetched.failed_statuses.get(url, 0), problem=problem)
    status = 0 if origin == "file" else response.status
    return Source(origin, status, len(response.body), problem, fetched.refusals.get(url, ""))


def _find(url: str, page: Page | None, source: Source, config: ForestSettings) -> PageKnowledge:
    page_url = page.url if page else url
    host = host_with_port(page_url)
    keys = list(dict.fromkeys((page_key(url), page_key(page_url))))
    record: PageRecord | None = None
    decision: Decision | None = None
    stored: list[Template] = []
    named_pages: list[NamedPage] = []
    next_check: NextCheck | None = None
    with ExitStack() as stack:
        history = find_history(config)
        if history:
            stack.enter_context(closing(history))
        rules = find_rules(config)
        if rules:
            stack.enter_context(closing(rules))
        if history:
            record = _first(history.find(key) for key in keys)
            decision = _first(history.decisions.find(key) for key in keys)
        if history and record:
            next_check = _find_next_check(history, record, config)
        if rules:
            stored = rules.load(host)
            named_pages = rules.named_pages.load(host)

    fingerprint: Fingerprint | None = None
    if page:
        fingerprint = read_fingerprint(page, config.fingerprint_kind)
    options = _options_of_crawl(record, stored, config.options, host, fingerprint)
    templates = HostTemplates(host, options, stored, named_pages)
    verdict: bool | None = None
    layout: Layout | None = None
    reading: ExtractionSummary | None = None
    if page and fingerprint:
        verdict = templates.verdict_on(fingerprint)
        layout = _layout(templates, fingerprint)
        template = templates.recognise_stored(fingerprint)
        template_rules = template.rules if template else None
        visit_now = Visit(fetched_at=_time(int(time.time())))
        extraction = extract_page(page, template_rules, options, visit_now)
        reading = _summarize(extraction)

    visit = LatestRequest.of(record) if record else None
    outcome = _find_outcome(visit, decision)
    is_of_template = layout is not None and bool(layout.template)
    looks_like_article = True
    if page is not None and not is_of_template:
        looks_like_article = is_article_without_site(read_signals(page))
    result, has_item = choose_result(outcome, verdict, reading, looks_like_article)
    if is_entry_url(url):
        # Nothing is known but what the latest crawl has made of it.
        has_item = outcome in _WITH_ARTICLE
        result = "article" if has_item else outcome or _UNREADABLE
    return PageKnowledge(
        url=page_url,
        result=result,
        has_item=has_item,
        has_history=history is not None,
        source=source,
        visit=visit,
        decision=decision,
        said=verdict,
        layout=layout,
        reading=reading,
        next_check=next_check,
        kinds=tuple(options.kinds),
        are_of_settings=options.kinds == config.options.kinds,
    )


def _options_of_crawl(
    record: PageRecord | None,
    stored: Sequence[Template],
    options: Options,
    host: str,
    fingerprint: Fingerprint | None,
) -> Options:
    """The options with the kinds of the crawl that has read the page as an item of another kind
    than those of the settings; for a page that no crawl has met, the kinds of the crawls that have
    stored the template of products or lists that it belongs to."""
    kinds_of_rules = set()
    for template in stored:
        if template.rules and template.rules.kinds:
            kinds_of_rules.add(template.rules.kinds)

    kind = record.method if record else ""
    if kind in OTHER_ITEMS:
        if kind in options.kinds:
            return options
        kinds_with = [kinds for kinds in kinds_of_rules if kind in kinds]
        return replace(options, kinds=min(kinds_with, default=(kind,)))

    if record is not None or fingerprint is None:
        return options
    if HostTemplates(host, options, stored).recognise_stored(fingerprint):
        return options
    for kinds in sorted(kinds_of_rules):
        options_of_kinds = replace(options, kinds=kinds)
        templates = HostTemplates(host, options_of_kinds, stored)
        recognised = templates.recognise_stored(fingerprint)
        if recognised is not None and recognised.is_of_records:
            return options_of_kinds
    return options


def _find_next_check(
    history: HistoryStore,
    record: PageRecord,
    config: ForestSettings,
) -> NextCheck | None:
    """When the page is asked for again; None if no feed has listed it."""
    feed = history.feeds.find(record.feed) if record.feed else None
    if feed is None:
        return None
    recheck = RecheckHours(history, tuple(config.recheck_hours))
    now = int(time.time())
    planned = plan_next_request(record, feed, now, recheck.of(record))
    return NextCheck.of(planned, now)


def _first(values: Iterable[_T | None]) -> _T | None:
    return next((value for value in values if value is not None), None)


def _layout(templates: HostTemplates, fingerprint: Fingerprint) -> Layout:
    template = templates.recognise_stored(fingerprint)
    distance = 0.0
    if templates.templates:
        distance = templates.grouping.distance_to(fingerprint)
    return Layout(
        template=template.id if template else "",
        templates=len(templates.templates),
        distance=round(distance, 3),
        cut=round(templates.grouping.cut.distance, 3),
    )


def _summarize(extraction: Extraction) -> ExtractionSummary:
    item = extraction.item
    if item is None:
        return ExtractionSummary(extraction.reason, extraction.method)
    text = str(getattr(item, "text", ""))
    has_date = bool(getattr(item, "published", ""))
    future_date = "" if has_date else str(getattr(item, "published_raw", ""))
    return ExtractionSummary(
        kind=item.type,
        method=extraction.method,
        xpath=str(getattr(item, "xpath", "")),
        title=item.name if isinstance(item, Product) else item.title,
        characters=len(text),
        future_date=future_date,
        price=item.price if isinstance(item, Product) else "",
        currency=item.currency if isinstance(item, Product) else "",
        sources=dict(item.sources) if isinstance(item, Product) else {},
        rows=_count_rows(item),
    )


def _count_rows(item: Item) -> int:
    """The number of items of a listing, or of posts of a thread; 0 of other items."""
    if isinstance(item, Listing):
        return len(item.items)
    if isinstance(item, Thread):
        return len(item.posts)
    return 0


def _lines(knowledge: PageKnowledge) -> Iterator[str]:
    yield knowledge.url
    yield f"  result: {_result_text(knowledge)}"
    yield f"  read now: {_source_text(knowledge.source)}"
    visit = knowledge.visit
    if visit:
        yield from _request_lines(visit, knowledge.source.origin == "entry")
    if knowledge.next_check:
        is_entry = knowledge.source.origin == "entry"
        yield f"  next request: {_next_text(knowledge.next_check, is_entry)}"
    yield f"  outcome: {_outcome(knowledge)}"
    if visit and visit.outcome == "article":
        template = f"template {visit.template}" if visit.template else "no template"
        yield f"  by: {visit.method}, {template}"
    if knowledge.decision:
        yield f"  decided: {_decision(knowledge.decision)}"
    if knowledge.said is not None:
        yield f"  said: such pages are {'articles' if knowledge.said else 'no articles'}"
    if knowledge.layout:
        yield f"  layout: {_layout_text(knowledge.layout)}"
    if not knowledge.are_of_settings:
        kinds = ",".join(knowledge.kinds)
        yield f"  read for: FOREST_KINDS={kinds}, which the settings do not have"
    if reading := knowledge.reading:
        yield f"  extracted now: {_summary_text(reading)}"
    yield f"  to change it: {knowledge.advice()}"


def _request_lines(visit: LatestRequest, is_entry: bool) -> Iterator[str]:
    """When the page, or the entry, was read last, and how often, and how, requests have failed
    since."""
    feed = f", listed by {visit.feed}" if visit.feed else ""
    if is_entry:
        yield f"  last read: {visit.fetched or 'never'}{feed}"
        return
    status = f"status {visit.status}" if visit.status else "no response"
    if not visit.failures:
        yield f"  last request: {visit.fetched or 'never'}, {status}{feed}"
        return
    if not visit.was_read:
        yield f"  last request: {visit.fetched or 'not known when'}, {status}{feed}"
        if visit.failures > 1:
            yield f"  failed: {count(visit.failures, 'request')}, one after the other"
        return
    yield f"  last read: {visit.fetched or 'never'}{feed}"
    yield f"  failed since then: {count(visit.failures, 'request')}, the last with {status}"


def _next_text(next_check: NextCheck, is_entry: bool) -> str:
    feed_due = next_check.feed_due or "now"
    if is_entry:
        return f"none; its feed, which tells if it changes, is due {feed_due}"
    if next_check.due is None:
        return f"only if its feed, due {feed_due}, lists it again, or another feed does"
    if not next_check.due:
        return f"by the next crawl of its feed with only_new; the feed is due {feed_due}"
    return (
        f"at {next_check.due} or later, by a crawl of its feed with only_new; at once if its entry"
        f" changes; the feed is due {feed_due}"
    )


def _result_text(knowledge: PageKnowledge) -> str:
    is_unknown = not knowledge.outcome and knowledge.said is None
    if knowledge.has_item:
        if knowledge.result != "article":
            return f"a {knowledge.result}"
        is_of_template = knowledge.layout is not None and bool(knowledge.layout.template)
        if is_unknown and not is_of_template:
            return (
                "an article, by its content alone; a crawl compares it with the site's other pages"
            )
        return "an article"
    if knowledge.result == _UNREADABLE:
        return "not known, since the page cannot be read now"
    if knowledge.result == "not_article" and is_unknown:
        return "no article: not_article, by its content alone; if a feed lists it, it is one"
    noun = "article" if "article" in knowledge.kinds else "item"
    return f"no {noun}: {knowledge.result}"


def _source_text(source: Source) -> str:
    if source.origin == "entry":
        return f"no, it {source.problem}"
    if source.problem:
        return f"no, it {source.problem}" if source.bytes else f"no: {source.problem}"
    if source.origin == "fetched":
        return f"fetched, status {source.status}, {count(source.bytes, 'byte')}"
    name = "as FOREST_WARC has kept it" if source.origin == "kept" else "the file"
    return f"{name}, {count(source.bytes, 'byte')}"


def _outcome(knowledge: PageKnowledge) -> str:
    if not knowledge.outcome:
        if knowledge.visit:
            return "still to be fetched"
        return "not in the history" if knowledge.has_history else "none, there is no history yet"
    visit = knowledge.visit
    kind = visit.method if visit and visit.method in OTHER_ITEMS else "article"
    if knowledge.outcome == "article":
        return kind
    if knowledge.outcome == "gone":
        return "gone" if kind == "article" else f"gone, it was a {kind}"
    return f"dropped, {knowledge.outcome}"


def _decision(decision: Decision) -> str:
    noun = "an article" if decision.is_article else "no article"
    text = f"{noun}, {_time(decision.decided)}"
    if decision.decided_by == "person":
        return f"{text}, because a person has said so of such pages"
    if decision.chance is None:
        return f"{text}, because its template has no pages that are known to be articles"
    text += f", by its content: probability {decision.chance:.2f} ({decision.reasons})"
    if decision.pages > 1:
        text += f"; {count(decision.pages, 'page')} of its template"
    return text


def _layout_text(layout: Layout) -> str:
    if layout.template:
        return f"that of template {layout.template} (scrapy forest show HOST prints it)"
    if not layout.templates:
        return "no template of its host is stored"
    stored = count(layout.templates, "stored template")
    return f"none of {stored}: distance {layout.distance:.2f}, at most {layout.cut:.2f}"


def _summary_text(reading: ExtractionSummary) -> str:
    if reading.kind == "product":
        return _product_text(reading)
    if not reading.characters:
        return f"nothing, {reading.kind}"
    extent = count(reading.characters, "character")
    if reading.rows:
        noun = "item" if reading.kind == "listing" else "post"
        extent = f"{count(reading.rows, noun)}, {extent}"
    text = f"{reading.title!r}, {extent}, by {reading.method}"
    if reading.xpath:
        text += f", {reading.xpath}"
    if reading.future_date:
        text += f"; without a date, as {reading.future_date!r} lies in the future"
    return text


def _product_text(reading: ExtractionSummary) -> str:
    """The name and the price of a product, and where they are from."""
    price = f"{reading.price} {reading.currency}".strip() or "no price"
    texts = [f"{reading.title!r}, {price}, by {reading.method}"]
    for name in ("name", "price"):
        if name in reading.sources:
            texts.append(f"{name} from {reading.sources[name]}")
    return ", ".join(texts)


def _future_time(seconds: int, now: int) -> str:
    """A time; ``""`` if it has passed."""
    return _time(seconds) if seconds > now else ""


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()

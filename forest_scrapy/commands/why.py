"""``scrapy forest why``: what became of a page, by what, and what would change it."""

from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from scrapy.exceptions import UsageError

from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.commands.pages import complete_name, read_pages
from forest_scrapy.commands.stored import count, lines_text
from forest_scrapy.core import ForestError, Page, extract_page
from forest_scrapy.core.codec import to_json
from forest_scrapy.core.extraction import Extraction
from forest_scrapy.core.hosts import HostTemplates
from forest_scrapy.core.page.urls import host_of, page_key
from forest_scrapy.core.templates.fingerprints import Fingerprint
from forest_scrapy.core.templates.grouping import read_fingerprint
from forest_scrapy.crawl.context import (
    find_history,
    find_rules,
    open_rules,
    request_again,
    restore_articles,
    withdraw_articles,
)
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import PageRecord, RulesStore
from forest_scrapy.stores.decisions import Decision
from forest_scrapy.stores.named_pages import NamedPage

_T = TypeVar("_T")

_NAME = "if it is an article: scrapy forest why URL --article"
_TEXT = (
    "look at it in a browser with scripts turned off: if the text is missing there, set"
    " FOREST_RENDER; if not, scrapy forest explain with another page like it says what is kept"
)
#: What would change each outcome of a page.
REMEDIES = {
    "article": "if it is none: scrapy forest why URL --not-article",
    "gone": "it was an article, and its site has deleted it; a crawl that finds it again emits it",
    "not_article": _NAME,
    "duplicate": "its article was emitted under another URL, see the field other_urls there",
    "empty": "the server sent nothing; a browser may get more, see FOREST_RENDER",
    "not_html": "only HTML is read",
    "too_large": "FOREST_MAX_BYTES allows larger pages",
    "too_slow": "FOREST_PAGE_SECONDS allows more time",
    "several_articles": "it is taken for a list; if it is an article: scrapy forest why URL"
    " --article",
    "unchanged": "it was emitted before; without -a only_new=yes it is emitted again",
    "too_old": "-a since was later than its date",
    "too_new": "-a until was earlier than its date",
    "joined": "its content is in the item of its thread or article",
    "other_layout": "it was kept before its site was redesigned",
    "other_kind": "FOREST_KINDS names the kinds of pages that are wanted",
    "no_content": _TEXT,
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


class NotNamed(ForestError):
    """A page that cannot be read cannot be named as an article, or as none."""


@dataclass(frozen=True)
class Visit:
    """The latest request for the page: when it was fetched, ISO 8601, ``""`` if it never was, and
    the status; the requests that have failed since, one after the other; the outcome, the feed that
    lists the page, and what the article was extracted with."""

    fetched: str
    status: int
    failures: int
    outcome: str
    feed: str
    template: str
    method: str

    @classmethod
    def of(cls, record: PageRecord) -> "Visit":
        """The latest request, as the history has it."""
        fetched = _time(record.fetched) if record.fetched is not None else ""
        made = (record.status, record.failures, record.outcome, record.feed)
        return cls(fetched, *made, record.template, record.method)


@dataclass(frozen=True)
class Layout:
    """The template of a page: the id of the stored one that it belongs to, ``""`` if it belongs to
    none; the number of stored templates of its host; its distance to the nearest page that these
    are recognised by, and that up to which it would belong to its template."""

    template: str
    templates: int
    distance: float
    cut: float


@dataclass(frozen=True)
class Reading:
    """What is read from the page as an article now: the kind of the item, or the reason why there
    is none; the method and the XPath, the title, and the number of characters of the text."""

    kind: str
    method: str
    xpath: str = ""
    title: str = ""
    characters: int = 0


@dataclass(frozen=True)
class Answer:
    """What is known of a page; None for what is not.

    ``said``: whether a person has said that it is an article, of it or of one like it.
    """

    url: str
    visit: Visit | None
    decision: Decision | None
    said: bool | None
    layout: Layout | None
    reading: Reading | None

    @property
    def outcome(self) -> str:
        """That of the latest crawl; ``""`` if it is not known."""
        if self.visit is not None and self.visit.outcome:
            return self.visit.outcome
        refused = self.decision is not None and not self.decision.is_article
        return "not_article" if refused else ""

    def advice(self) -> str:
        """What would change the outcome."""
        if self.said is not None:
            return "scrapy forest why URL --forget takes back what was said"
        if self.visit is not None and not self.outcome:
            return _FAILED
        return REMEDIES.get(self.outcome, _TEXT) if self.outcome else _UNKNOWN


class Why(Action):
    """Say what became of a page in the last crawl, by what, and what would change it.

    With --article or --not-article it is remembered that such pages are articles, or none.
    """

    name = "why"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("page", metavar="URL|FILE")
        add("--article", action="store_true", help="this is an article, and pages like it are too")
        text = "this is no article, and pages like it are none, whatever a feed says"
        add("--not-article", action="store_true", help=text)
        add("--forget", action="store_true", help="take back what was said of such pages")
        add("--json", action="store_true", help="print JSON")

    def run(self, options: Namespace) -> str:
        """Raises ``NotNamed``, ``BadStore`` and ``StoreFailed``."""
        if options.article + options.not_article + options.forget > 1:
            raise UsageError("use only one of --article, --not-article and --forget")
        url = complete_name(options.page)
        page = next(iter(read_pages([url], "", self)), None)
        if options.article or options.not_article or options.forget:
            if page is None:
                raise NotNamed(f"{url} cannot be read, so that pages like it cannot be recognised")
            said = None if options.forget else bool(options.article)
            _name(page, url, said, self.config)
        answer = _find(url, page, self.config)
        return json_text(to_json(answer)) if options.json else lines_text(_lines(answer))


def _name(page: Page, asked: str, is_article: bool | None, config: ForestSettings) -> None:
    """Remember that pages like this one are articles, or none; None: forget what was said.  Its
    history is adapted, so that the next crawl requests it if it is still listed; what is none does
    not stay in the rolling feed."""
    host, fingerprint = host_of(page.url), read_fingerprint(page, config.distance)
    with closing(open_rules(config)) as rules:
        named, alike = rules.named_pages, list(_alike(rules, config, host, fingerprint))
        if is_article is None:
            named.delete(host, [one.url for one in alike])
        else:
            named.save(NamedPage(host, page.url, is_article, fingerprint))
    keys = {page_key(asked), page_key(page.url)}
    request_again(config, keys)
    if is_article is False:
        # Where others of the template are said to be articles, only this page is told to be none.
        is_alone = any(one.is_article and one.url != page.url for one in alike)
        withdraw_articles(config, keys, is_alone)
    else:
        restore_articles(config, keys)


def _alike(
    rules: RulesStore, config: ForestSettings, host: str, fingerprint: Fingerprint
) -> Iterator[NamedPage]:
    """The named pages of the template of a page."""
    named = rules.named_pages.load(host)
    known = HostTemplates(host, config.options, rules.load(host), named)
    digests = {fingerprint.digest, *known.cluster_digests(fingerprint)}
    return (one for one in named if one.fingerprint.digest in digests)


def _find(url: str, page: Page | None, config: ForestSettings) -> Answer:
    keys = list(dict.fromkeys((page_key(url), *([page_key(page.url)] if page else []))))
    with ExitStack() as opened:
        history, rules = find_history(config), find_rules(config)
        for store in (history, rules):
            if store:
                opened.enter_context(closing(store))
        record = _first(history.find(key) for key in keys) if history else None
        decision = _first(history.decisions.find(key) for key in keys) if history else None
        host = host_of(page.url if page else url)
        stored = rules.load(host) if rules else []
        named = rules.named_pages.load(host) if rules else []
    known = HostTemplates(host, config.options, stored, named)
    said, layout, reading = None, None, None
    if page:
        fingerprint = read_fingerprint(page, config.distance)
        said, layout = known.verdict_on(fingerprint), _layout(known, fingerprint)
        template = known.recognise(fingerprint)
        rules_of_page = template.rules if template else None
        reading = _reading(extract_page(page, rules_of_page, config.options))
    visit = Visit.of(record) if record else None
    return Answer(page.url if page else url, visit, decision, said, layout, reading)


def _first(found: Iterable[_T | None]) -> _T | None:
    return next((one for one in found if one is not None), None)


def _layout(known: HostTemplates, fingerprint: Fingerprint) -> Layout:
    template, grouping = known.recognise(fingerprint), known.grouping
    distance = 0.0 if not known.templates else grouping.distance_to(fingerprint)
    id = template.id if template else ""
    return Layout(id, len(known.templates), round(distance, 3), round(grouping.cut.distance, 3))


def _reading(done: Extraction) -> Reading:
    item = done.item
    if item is None:
        return Reading(done.reason, done.method)
    xpath, title, text = (str(getattr(item, name, "")) for name in ("xpath", "title", "text"))
    return Reading(item.type, done.method, xpath, title, len(text))


def _lines(answer: Answer) -> Iterator[str]:
    yield answer.url
    visit, decision = answer.visit, answer.decision
    if visit:
        by = f", listed by {visit.feed}" if visit.feed else ""
        yield f"  fetched: {visit.fetched or 'never'}, status {visit.status or 'unknown'}{by}"
        if visit.failures:
            yield f"  failed: {count(visit.failures, 'request')}, one after the other"
    yield f"  outcome: {_outcome(answer)}"
    if visit and visit.outcome == "article":
        yield f"  by: {visit.method}, template {visit.template or '(none)'}"
    if decision:
        yield f"  decided: {_decision(decision)}"
    if answer.said is not None:
        yield f"  said: such pages are {'articles' if answer.said else 'no articles'}"
    if answer.layout:
        yield f"  layout: {_layout_text(answer.layout)}"
    if reading := answer.reading:
        yield f"  as an article it would be, now: {_reading_text(reading)}"
    yield f"  to change it: {answer.advice()}"


def _outcome(answer: Answer) -> str:
    if not answer.outcome:
        return "still to be fetched" if answer.visit else "not in the history"
    is_item = answer.outcome in ("article", "gone")
    return answer.outcome if is_item else f"dropped, {answer.outcome}"


def _decision(decision: Decision) -> str:
    what = "an article" if decision.is_article else "no article"
    when = f"{what}, {_time(decision.decided)}"
    if decision.decided_by == "person":
        return f"{when}, because a person has said so of such pages"
    if decision.chance is None:
        return f"{when}, because its template has no pages that are known to be articles"
    alike = f"; {count(decision.pages, 'page')} of its template" if decision.pages > 1 else ""
    return f"{when}, by its content: probability {decision.chance:.2f} ({decision.reasons}){alike}"


def _layout_text(layout: Layout) -> str:
    if layout.template:
        return f"that of template {layout.template} (scrapy forest show HOST prints it)"
    if not layout.templates:
        return "no template of its host is stored"
    stored = count(layout.templates, "stored template")
    return f"none of {stored}: distance {layout.distance:.2f}, at most {layout.cut:.2f}"


def _reading_text(reading: Reading) -> str:
    if not reading.characters:
        return f"nothing, {reading.kind}"
    found = f", {reading.xpath}" if reading.xpath else ""
    return f"{reading.title!r}, {reading.characters} characters, by {reading.method}{found}"


def _time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()

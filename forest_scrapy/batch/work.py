"""What the worker processes of a batch do: read pages, plan hosts, learn, extract.

Each function takes a list and returns a list of the same length.  Nothing is written here; the
store of the batch is only read.
"""

import atexit
import json
import logging
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, lru_cache
from itertools import islice
from typing import Any, NamedTuple, ParamSpec, TypeVar

from forest_scrapy.batch.planning import HostPlan, learn_templates, plan_host
from forest_scrapy.batch.raw_page import BadPage, RawPage, page_of_item, read_article_page
from forest_scrapy.core import Options, Page, Template, extract_page, learn_rules
from forest_scrapy.core.boilerplate.challenges import is_blocked, note_unblocked
from forest_scrapy.core.hosts import HostTemplates
from forest_scrapy.core.items import ITEM_KINDS, item_kind
from forest_scrapy.core.learning import choose_affordable
from forest_scrapy.core.methods.article import sample_key
from forest_scrapy.core.other_kinds import find_other_kind
from forest_scrapy.core.page.page import Extract
from forest_scrapy.core.page.urls import host_with_port
from forest_scrapy.core.site_caches import empty_site_caches
from forest_scrapy.core.templates.files import FilePage, describe_file
from forest_scrapy.core.templates.fingerprints import MANY_FEATURES
from forest_scrapy.core.templates.grouping import read_fingerprint
from forest_scrapy.core.templates.kinds import is_article_alone
from forest_scrapy.core.templates.signals import read_signals
from forest_scrapy.freed_memory import give_back
from forest_scrapy.items import Article, ArticlePage, Item
from forest_scrapy.joining.duplicates import describe_article, drop_canonical, is_home_page
from forest_scrapy.joining.pages import describe_held_page
from forest_scrapy.responses.conversion import visit_of
from forest_scrapy.responses.probe import Probe, has_many_paths
from forest_scrapy.settings import ForestSettings
from forest_scrapy.stores import BadStore, BatchStore, NotedPage, RulesStore
from forest_scrapy.stores.held_pages import HeldPage
from forest_scrapy.stores.page_tables import ArticleIdentity

logger = logging.getLogger(__name__)

#: Pages of a host that are extracted from when its templates are learned: their outcomes are in
#: memory until all templates of the host are learned, with 5 KB a page.
_MAX_EXTRACTED = 1000
#: Pages of a host that it was learned from, after which memory is freed.
_MANY_PAGES = 10
#: Pages of a host whose notes are in memory while it is planned, 5 KB each.
_MAX_NOTED = 1000

#: The attributes with the addresses of links and media, by the tag of their element.
_ADDRESS_ATTRIBUTES = {"a": "href", "img": "src", "video": "src", "audio": "src", "source": "src"}
#: How addresses begin that are relative to the page: without a scheme, and not inside of it.
_RELATIVE_ADDRESS = re.compile(r"\s*+(?![a-z][a-z0-9+.-]*:|#)\S", re.IGNORECASE)

_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True)
class TaskContext:
    """What all tasks of a batch share.

    ``store``: the file of the batch's notes; ``are_articles``: whether all pages are known to be
    articles; ``wrappers``: the file of stored rules to extract with, ``""`` to learn.
    ``judges_pages``: whether a page that no stored rules are for is an article only if it looks
    like one; else it is taken for one.
    """

    store: str
    settings: ForestSettings
    are_articles: bool = False
    wrappers: str = ""
    judges_pages: bool = False


@dataclass(frozen=True)
class ExtractedPage:
    """The outcome of a page: its ``item``, or the ``reason`` why it has none.

    Of a thread, or an article of several pages, the item is as far as it is on the page, and
    ``held_page`` is what it is joined by.  ``identity``: what duplicates of an article are
    recognised by.  ``has_no_base``: whether the article has relative addresses that nothing tells
    the base of, which are left out.  ``other_kind``: that of a ``Task`` which asks for it.
    """

    reason: str = ""
    key: str = ""
    url: str = ""
    item: Item | None = None
    identity: ArticleIdentity | None = None
    held_page: HeldPage | None = None
    has_no_base: bool = False
    other_kind: str = ""

    def to_bytes(self) -> bytes:
        """The values as they are kept in the notes of a batch, compressed: some 5 KB."""
        values = {
            "reason": self.reason,
            "key": self.key,
            "url": self.url,
            "item": vars(self.item) if self.item else None,
            "found": _write_identity(self.identity) if self.identity else None,
            "part": asdict(self.held_page) if self.held_page else None,
            "has_no_base": self.has_no_base,
        }
        text = json.dumps([item_kind(self.item), values])
        return zlib.compress(text.encode(), 1)

    @classmethod
    def from_bytes(cls, data: bytes) -> "ExtractedPage":
        """The values of ``to_bytes``."""
        kind, values = json.loads(zlib.decompress(data))
        item = values["item"]
        identity = values["found"]
        held_page = values["part"]
        return cls(
            reason=values["reason"],
            key=values["key"],
            url=values["url"],
            item=ITEM_KINDS[kind](**item) if kind else item,
            identity=_read_identity(identity) if identity else None,
            held_page=HeldPage(**held_page) if held_page else None,
            has_no_base=values.get("has_no_base", False),
        )


def _write_identity(identity: ArticleIdentity) -> dict[str, Any]:
    return {
        **vars(identity),
        "digest": identity.digest.hex(),
        "sketch": identity.sketch.hex(),
    }


def _read_identity(values: dict[str, Any]) -> ArticleIdentity:
    return ArticleIdentity(
        **{
            **values,
            "digest": bytes.fromhex(values["digest"]),
            "sketch": bytes.fromhex(values["sketch"]),
        }
    )


class Task(NamedTuple):
    """A page to extract from: its template's key; the ``reason`` why it has no item, if that is
    known already; its key in the notes if it was ``extracted`` already; whether it is looked at for
    the kind of its template's pages.  ``number``: that of the page in the input."""

    raw: RawPage
    template: str = ""
    reason: str = ""
    extracted: str = ""
    number: int = 0
    tells_kind: bool = False


@dataclass(frozen=True)
class LearnedTemplate:
    """A template with its rules; ``extracted``: the outcomes of pages of its sample by their keys,
    as ``ExtractedPage.to_bytes`` writes them."""

    template: Template
    extracted: Mapping[str, bytes] = field(default_factory=dict)


def note_pages(
    context: TaskContext,
    tasks: list[tuple[int, RawPage]],
) -> list[NotedPage | str]:
    """What is known of each page, or the reason why it cannot be read.  5 to 25 ms a page, some
    90 ms more for a file without a URL, whose records are looked for."""
    notes = []
    for number, raw in tasks:
        note = result_or_reason(
            note_page,
            context.settings,
            context.are_articles,
            number,
            raw,
        )
        notes.append(note)
    _free_memory()
    return notes


def plan_hosts(context: TaskContext, hosts: list[str]) -> list[HostPlan]:
    """The templates of each host."""
    store = _open_store(context.store)
    options = context.settings.options
    return [plan_host(host, _HostPages(store, host), options) for host in hosts]


def learn_hosts(
    context: TaskContext,
    extracts: bool,
    hosts: list[str],
) -> list[list[LearnedTemplate]]:
    """The templates of each host, with their rules, and if it ``extracts``, what these give on the
    pages that they were learned from, whose trees and outlines are there now.  0.1 to 2 s a
    template."""
    templates_of_hosts = []
    for host in hosts:
        templates = _HostLearner(context, extracts, host).learn()
        templates_of_hosts.append(templates)
        number = 0
        for learned in templates:
            number += len(learned.template.sample)
        if number >= _MANY_PAGES:
            _free_memory()
    return templates_of_hosts


def extract_all(context: TaskContext, tasks: list[Task]) -> list[ExtractedPage]:
    """The outcome of each page; an empty one for those that were extracted already."""
    extracted = []
    for task in tasks:
        if task.reason or task.extracted:
            page = ExtractedPage(task.reason)
        else:
            page = extracted_or_refused(_extract_task, context, task)
        if task.tells_kind:
            looked_at = extracted_or_refused(_look_at_kind, context, task)
            page = replace(page, other_kind=looked_at.other_kind)
        extracted.append(page)
    _free_memory()
    return extracted


def _free_memory() -> None:
    """Forget what the pages of a site repeat: the next ones are those of another, in the main."""
    empty_site_caches()
    give_back()


def _look_at_kind(context: TaskContext, task: Task) -> ExtractedPage:
    """See ``find_other_kind``.  Raises ``BadPage``."""
    settings = context.settings
    item = read_article_page(task.raw, settings.max_bytes, is_article=False)
    page = page_of_item(item)
    may_be_article = not task.reason
    other_kind = find_other_kind(
        page,
        settings.options,
        may_be_article,
        needs_hint=may_be_article,
    )
    return ExtractedPage(other_kind=other_kind)


def load_models() -> None:
    """Load what pages are read with, before processes are forked that share it.  0.1 s."""
    texts = "".join(f"<p>Boats come into the harbour on day {n} of the year.</p>" for n in range(9))
    html = f"<title>A harbour</title><article>{texts}</article>"
    page = Page.from_html(html, "http://a.example")
    extract_page(page, learn_rules([page]))


@dataclass(frozen=True)
class ReadPage:
    """A page as it was read: the item of its response, and its tree."""

    item: ArticlePage
    page: Page


def read_page(
    settings: ForestSettings,
    is_article: bool,
    raw: RawPage,
) -> ReadPage:
    """Read a page; ``is_article``: whether it is known to be one.  Raises ``BadPage``, also for a
    page that ``is_blocked``: it is like no other."""
    item = read_article_page(raw, settings.max_bytes, is_article)
    check_time(item, settings)
    page = page_of_item(item)
    if is_blocked(page):
        raise BadPage("blocked")
    return ReadPage(item, page)


def note_page(
    settings: ForestSettings,
    is_article: bool,
    number: int,
    raw: RawPage,
) -> NotedPage:
    """What is known of a page.  Raises ``BadPage``, see ``read_page``."""
    return note_read_page(read_page(settings, is_article, raw), settings, number)


def note_read_page(
    read: ReadPage,
    settings: ForestSettings,
    number: int,
) -> NotedPage:
    """What is known of a page that was read.  Raises ``BadPage``."""
    item = read.item
    page = read.page
    is_article = item.is_article
    fingerprint = read_fingerprint(page, settings.fingerprint_kind)
    if len(fingerprint.features) > MANY_FEATURES:
        check_time(item, settings, is_unusual=True)

    host = host_with_port(item.url)
    is_unknown_file = not host and not is_article
    return NotedPage(
        number=number,
        key=item.key,
        host=host,
        url=item.url,
        sample_key=_sample_rank(item.url),
        fingerprint=fingerprint,
        file=_describe_file(page) if is_unknown_file else None,
        signals=None if is_article else read_signals(page),
    )


def _describe_file(page: Page) -> FilePage:
    from forest_scrapy.core.records.learning import read_candidates

    candidates = read_candidates(choose_affordable([page]))
    return describe_file(page, candidates.facts)


def _sample_rank(url: str) -> str:
    """The values of ``sample_key`` as a text that is sorted like them."""
    comes_late, digest = sample_key(url, has_entry=False)
    return f"{int(comes_late)} {digest}"


def extract_by_template(
    item: ArticlePage,
    page: Page,
    template: Template | None,
    settings: ForestSettings,
) -> ExtractedPage:
    """What a crawl extracts from a page of a template.  Raises ``BadPage``."""
    rules = template.rules if template else None
    visit = visit_of(item, template)
    extraction = extract_page(page, rules, settings.options, visit)
    content = extraction.item
    if content is None:
        raise BadPage(extraction.reason)
    content.change = {"kind": "new"}

    extracted = ExtractedPage(
        key=item.key,
        url=item.url,
        item=content,
        has_no_base=_has_no_base(page, extraction.content),
    )
    if not isinstance(content, Article):
        held_page = describe_held_page(item, extraction, page)
        return replace(extracted, held_page=held_page)

    if is_home_page(content):
        drop_canonical(content)
    return replace(
        extracted,
        identity=describe_article(item.key, content),
        held_page=describe_held_page(item, extraction),
    )


def _has_no_base(page: Page, article: Extract) -> bool:
    """Whether the article has relative addresses, and nothing tells what they are relative to."""
    if page.base_url.startswith("http"):
        return False
    for block in article.blocks:
        for element in block.iter(*_ADDRESS_ATTRIBUTES):
            attribute = _ADDRESS_ATTRIBUTES[str(element.tag)]
            address = element.get(attribute) or ""
            if _RELATIVE_ADDRESS.match(address):
                return True
    return False


def result_or_reason(
    function: Callable[_P, _T],
    *args: _P.args,
    **kwargs: _P.kwargs,
) -> _T | str:
    """The result of the function, or the reason why the page cannot be used.  Raises what is not
    the page's: the notes cannot be read, a process cannot be started."""
    try:
        return function(*args, **kwargs)
    except BadPage as error:
        return error.reason
    except (OSError, sqlite3.Error, BadStore):
        raise
    except Exception as error:  # one page must not end the others
        logger.debug("A page cannot be read", exc_info=True)
        return f"{type(error).__name__}: {error}"


def extracted_or_refused(
    function: Callable[_P, ExtractedPage],
    *args: _P.args,
    **kwargs: _P.kwargs,
) -> ExtractedPage:
    """As ``result_or_reason``; the reason is that of the result."""
    result = result_or_reason(function, *args, **kwargs)
    if isinstance(result, str):
        return ExtractedPage(result)
    return result


def check_time(
    item: ArticlePage,
    settings: ForestSettings,
    is_unusual: bool = False,
) -> None:
    """Raise ``BadPage`` if the page takes longer than it may."""
    probe = _probe(settings.page_seconds, settings.options)
    if probe.check(item.response, is_unusual):
        raise BadPage("too_slow")


@cache
def _probe(seconds: float, options: Options) -> Probe:
    """Reads pages that may be slow in a process that can be stopped."""
    probe = Probe(seconds, options)
    atexit.register(probe.close)
    return probe


class _HostPages:
    """The pages of a host, which can be iterated again and again.  Those of most hosts are few:
    they are read once."""

    def __init__(self, store: BatchStore, host: str) -> None:
        self._store = store
        self._host = host
        pages = list(islice(store.pages_of(host), _MAX_NOTED + 1))
        self._pages = pages if len(pages) <= _MAX_NOTED else None

    def __iter__(self) -> Iterator[NotedPage]:
        if self._pages is None:
            return self._store.pages_of(self._host)
        return iter(self._pages)


class _HostLearner:
    """Learns the templates of a host, and extracts from the pages that they are learned from."""

    def __init__(
        self,
        context: TaskContext,
        extracts: bool,
        host: str,
    ) -> None:
        self._context = context
        self._host = host
        self._store = _open_store(context.store)
        #: How many pages may still be extracted from.
        self._room = _MAX_EXTRACTED if extracts else 0
        #: The pages of the samples that are learned from now, by their keys.
        self._items: dict[str, ArticlePage] = {}

    def learn(self) -> list[LearnedTemplate]:
        """The templates with their rules, and what these give."""
        templates = self._store.templates.of_host(self._host)
        room = self._room
        try:
            return self._learn(templates)
        except BadPage:  # a file has changed since its pages were read: the others are left
            self._room = room
            self._items.clear()
            readable = map(self._without_bad_pages, templates)
            return self._learn([template for template in readable if template.sample])

    def _learn(self, templates: Sequence[Template]) -> list[LearnedTemplate]:
        """Raises ``BadPage`` for a page of a sample that cannot be read."""
        learned = []
        options = self._context.settings.options
        for template, pages in learn_templates(self._host, templates, self._read, options):
            extracted = self._extract(template, pages)
            learned.append(LearnedTemplate(template, extracted))
            for key in template.sample:
                self._items.pop(key, None)
        return learned

    def _read(self, keys: Sequence[str]) -> list[Page]:
        for key in keys:
            self._items[key] = self._read_item(key)
        return [page_of_item(self._items[key]) for key in keys]

    def _read_item(self, key: str) -> ArticlePage:
        """A page to learn from, as it is read to extract from it."""
        head, body = self._store.templates.sample(key)
        raw = RawPage.from_parts(head, body)
        max_bytes = self._context.settings.max_bytes
        return read_article_page(raw, max_bytes, self._context.are_articles)

    def _extract(
        self,
        template: Template,
        pages: Sequence[Page],
    ) -> dict[str, bytes]:
        """What the template gives on its sample, as far as there is room."""
        keys = template.sample[: self._room]
        self._room -= len(keys)
        extracted = {}
        for key, page in zip(keys, pages, strict=False):
            outcome = extracted_or_refused(
                extract_by_template,
                self._items[key],
                page,
                template,
                self._context.settings,
            )
            extracted[key] = outcome.to_bytes()
        return extracted

    def _without_bad_pages(self, template: Template) -> Template:
        """The template without the pages of its sample that cannot be read."""
        sample = []
        for key in template.sample:
            try:
                self._read_item(key)
            except BadPage:
                continue
            sample.append(key)
        return replace(template, sample=tuple(sample))


def _extract_task(context: TaskContext, task: Task) -> ExtractedPage:
    """The outcome of a page that was not extracted before.  Raises ``BadPage``."""
    settings = context.settings
    uses_wrappers = bool(context.wrappers)
    is_article = context.are_articles or uses_wrappers
    item = read_article_page(task.raw, settings.max_bytes, is_article)
    # While wrappers are learned, the page was checked when it was noted.
    if uses_wrappers:
        check_time(item, settings)
    page = page_of_item(item)
    if uses_wrappers and has_many_paths(page):
        check_time(item, settings, is_unusual=True)

    if uses_wrappers:
        # Does not depend on other pages: none is counted.
        templates = _stored_templates(context.wrappers, settings, host_with_port(page.url))
        template = templates.recognise_page(page)
        if template is None and context.judges_pages:
            _check_is_article(page, settings)
    else:
        note_unblocked(page)  # see ``read_page``
        template = _noted_template(context.store, task.template)
    return extract_by_template(item, page, template, settings)


def _check_is_article(page: Page, settings: ForestSettings) -> None:
    """Raises ``BadPage`` for a page that does not look like an article, if no other kinds are
    wanted."""
    if settings.wants_records:
        return
    from forest_scrapy.core.records.learning import read_candidates

    candidates = read_candidates(choose_affordable([page]))
    if not is_article_alone(candidates.facts):
        raise BadPage("not_article")


@lru_cache(maxsize=512)
def _stored_templates(
    file: str,
    settings: ForestSettings,
    host: str,
) -> HostTemplates:
    store = _open_rules(file, settings.fingerprint_kind, settings.store_seconds)
    templates = HostTemplates(host, settings.options, store.load(host))
    templates.grouping.measure()
    return templates


@lru_cache(maxsize=1024)
def _noted_template(file: str, key: str) -> Template | None:
    return _open_store(file).templates.get(key)


#: The stores that this process has open, each once.
_open_stores: list[BatchStore | RulesStore] = []


def close_stores() -> None:
    """Close the stores that were opened in this process."""
    for store in _open_stores:
        store.close()
    _open_stores.clear()
    _open_store.cache_clear()
    _open_rules.cache_clear()
    _noted_template.cache_clear()
    _stored_templates.cache_clear()


@cache
def _open_store(file: str) -> BatchStore:
    store = BatchStore(file)
    _open_stores.append(store)
    return store


@cache
def _open_rules(
    file: str,
    distance: str,
    seconds: float,
) -> RulesStore:
    store = RulesStore(file, distance, must_exist=True, seconds=seconds)
    _open_stores.append(store)
    return store


def try_rules(file: str, settings: ForestSettings) -> None:
    """Raise ``BadStore`` if there is no store of wrappers to extract with."""
    store = RulesStore(
        file,
        settings.fingerprint_kind,
        must_exist=True,
        seconds=settings.store_seconds,
    )
    store.close()

"""``scrapy crawl form``: the records behind a search form."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.project import data_path
from twisted.python.failure import Failure

from forest_scrapy import forms
from forest_scrapy.core import ForestError, Page
from forest_scrapy.core.page.language import split_words, stop_words
from forest_scrapy.core.page.urls import bare_host, fold_url, host_of, is_url, site_of
from forest_scrapy.core.plurals import count
from forest_scrapy.core.records.next_page import find_next_page
from forest_scrapy.crawl.recovery import leave_out_exported
from forest_scrapy.crawl.unfetched import failure_stat
from forest_scrapy.output_files import locked
from forest_scrapy.responses.background import in_thread
from forest_scrapy.responses.conversion import page_of, refuse_page, repair_encoding
from forest_scrapy.responses.downloads import GuardedSpider
from forest_scrapy.responses.no_pages import describe_file
from forest_scrapy.responses.probe import Probe as PageProbe
from forest_scrapy.settings import read_settings
from forest_scrapy.spiders.arguments import (
    BadArgument,
    argument_names,
    read_flag,
    read_number,
    read_url,
    refuse_unknown,
)
from forest_scrapy.spiders.record_pages import MAX_FAILURES as MAX_DETAIL_FAILURES
from forest_scrapy.spiders.record_pages import PlacedPage, RecordPage, RecordPages

if TYPE_CHECKING:
    from forest_scrapy.core.graph import Triple
    from forest_scrapy.forms import Form, FormProbe, FormRecord, FormSearch, ProbeOutcome
    from forest_scrapy.forms.details import Pair

#: Answers that fail in a row, and then the crawl ends: the server does not want any more.
MAX_FAILURES = 5
#: Statuses of answers that are read: many sites say with one that nothing was found.
_READ_STATUSES = [400, 404, 410, 422, 500]
#: The share of records with other numbers of values than most from which they are doubted.
MAX_ODD_SHARE = 0.1
#: Probes between two lines of the log.
LOG_INTERVAL = 25
#: The stats of what could not be read, and their descriptions in the log.
_MISSING = {
    "failed": "requests failed",
    "incomplete_answers": "answers are incomplete",
    "too_slow": "pages took too long",
    "too_large": "pages were too large",
    "not_html": "answers were no pages",
    "empty": "answers were empty",
    "too_long": "URLs were too long",
}
#: The same of the pages of records, which are there without them: those that another crawl may get,
#: and those that it may not.
_MISSING_DETAILS = {
    "failed_details": "failed",
    "skipped_details": "were not requested",
}
_LASTING_DETAILS = {
    "gone_details": "do not exist",
    "barred_details": "may not be requested",
    "unreadable_details": "could not be read",
    "foreign_details": "led elsewhere",
}
#: Statuses of pages that do not exist: the server does not refuse others.
_GONE = (404, 410)


class FormSpider(GuardedSpider):
    """Fills in a search form again and again, and emits the records of the answers.

    - ``-a url=URL``: the page with the form.
    - ``-a form=N``: its number on the page; by default the smallest form that is evidently for
      searching.  Forms to log in, register, pay, order, delete, vote, comment or contact are never
      sent.
    - ``-a method=post``: allow a form that is sent with POST; only together with ``form``.
    - ``-a probes=N``: at most N probes (default: 500).
    - ``-a next_pages=N``: at most N pages of each answer (default: 20).
    - ``-a records=METHOD``: how records are found: ``trained``, ``forest-records``, ``runs``, or
      ``auto``, whichever finds more values in records that are alike.
    - ``-a details=N``: read the pages of at most N records (default: 0), if these link to one on
      the site of the form; the attributes found there are added to the record.
    - ``-a engine=yes``: at the end, at most 8 further probes tell how the form searches: whether it
      wants all words, and whether case, accents, endings and stop words matter.
    - ``-a values=FILE``: also try the values of a JSON object with lists, by the names of controls
      or by predicates of the records, as ``scrapy forest align --values`` writes it.
    - ``-a again=yes``: begin anew; by default it goes on where an earlier crawl ended, and first
      emits those of the records found before that are not in the files it appends to.

    Raises ``BadArgument``.
    """

    name = "form"

    def __init__(
        self,
        *args: Any,
        url: str = "",
        form: str | int = "",
        method: str = "get",
        probes: str | int = 500,
        next_pages: str | int = 20,
        records: str = "auto",
        details: str | int = 0,
        values: str = "",
        engine: str = "",
        again: str = "",
        **kwargs: Any,
    ) -> None:
        refuse_unknown(kwargs, argument_names(type(self)), str(self.name))
        super().__init__(*args, **kwargs)
        if not url:
            raise BadArgument("nothing to search: name the page with the form, -a url=URL")
        self.start_urls = [read_url(url)]
        self._number = read_number("form", form, 1) if form else 0
        if method.lower() not in ("get", "post"):
            raise BadArgument(f"-a method={method} is neither get nor post")
        self._allows_post = method.lower() == "post"
        if self._allows_post and not self._number:
            raise BadArgument("-a method=post needs the number of the form, -a form=N")
        methods = ("auto", *forms.METHODS)
        if records not in methods:
            raise BadArgument(f"-a records={records} is not one of {', '.join(methods)}")
        self._method = records
        self._budget = read_number("probes", probes, 1)
        self._max_pages = read_number("next_pages", next_pages, 1)
        self._max_details = read_number("details", details, 0)
        self._record_pages = RecordPages(self._max_details, max_open=1)
        self._site_pairs: frozenset[Pair] = frozenset()
        self._values_file = values
        self._named_values = forms.read_named_values(Path(values)) if values else {}
        self._tries_engine = bool(engine) and read_flag("engine", engine)
        self._begins_anew = bool(again) and read_flag("again", again)
        self._failures = 0
        self._emitted = 0
        self._form_url = ""
        self._has_failed = False
        self._lock = ExitStack()
        self._page_probe: PageProbe | None = None
        self.search: FormSearch | None = None

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        *args: Any,
        **kwargs: Any,
    ) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        max_open = crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        spider._record_pages = RecordPages(spider._max_details, max_open)
        crawler.signals.connect(spider._set_exit_status, signal=signals.engine_stopped)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        assert self.crawler.stats is not None
        # The summary of a crawl that sends nothing tells of records, too.
        self.crawler.stats.set_value("forest/form/probes", 0)
        yield Request(
            self.start_urls[0],
            callback=_not_stored(self.parse_form_page),
            errback=self.form_failed,
            dont_filter=True,
        )

    def form_failed(self, failure: Failure) -> None:
        """The page with the form cannot be fetched: it is counted as pages of other spiders are."""
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(failure_stat(failure))
        self._fail("%s cannot be fetched: %s", self.start_urls[0], _reason_of(failure))

    async def parse_form_page(self, response: Response) -> AsyncIterator[Any]:
        """The first probe of the form."""
        try:
            async for output in self._begin(response):
                yield output
        except ForestError as error:
            self._fail("%s: %s", response.url, error)

    async def parse_answer(
        self,
        response: Response,
        probe: FormProbe,
        pages: list[Page],
    ) -> AsyncIterator[Any]:
        """The records of an answer, and a request for its next page or for the next probe."""
        self._failures = 0
        unread_stat = "failed_trials" if probe.is_trial else ""
        pages, next_url = await self._add_page(response, pages, unread_stat)
        if probe.is_trial and response.status != 200:
            assert self.search is not None
            if not self.search.finds_nothing(probe, pages):
                pages = []  # an error that may be of the word's form: it tells nothing
        if next_url:
            yield self._request(Request(next_url), probe, pages)
            return
        for output in await self._finish(probe, pages):
            yield output

    async def _add_page(
        self,
        response: Response,
        pages: list[Page],
        unread_stat: str,
    ) -> tuple[list[Page], str]:
        """The pages of an answer with that of a response, and the URL of its next page; ``""`` if
        the answer ends here."""
        page = await self._read(response, unread_stat)
        if page is None:
            return pages, ""
        self._count("requests")
        if pages and page.outline.lines == pages[-1].outline.lines:
            self._count("repeated_pages")
            return pages, ""
        if self._leads_back(response):
            # As if nothing is found, or to a visitor whose session has ended.
            if pages:
                self._count("incomplete_answers")
            return pages, ""

        pages = [*pages, page]
        if response.status != 200:
            return pages, ""
        next_url = await in_thread(find_next_page, page)
        if not next_url:
            return pages, ""
        if len(pages) == self._max_pages:
            self._note_long_answer(response.url)
        if len(pages) >= self._max_pages:
            return pages, ""
        is_same_site = site_of(next_url) == site_of(page.url)
        is_new = all(next_url != read_page.url for read_page in pages)
        if not is_same_site or not is_new or self._is_too_long(next_url):
            return pages, ""
        return pages, next_url

    async def answer_failed(self, failure: Failure) -> AsyncIterator[Any]:
        """The records of the pages before that of the same answer, and the next probe, unless the
        server refuses all."""
        request: Request = failure.request  # type: ignore[attr-defined]
        probe: FormProbe = request.cb_kwargs["probe"]
        pages: list[Page] = request.cb_kwargs["pages"]
        reason = _reason_of(failure)
        if probe.is_trial:
            # No record is missing, and the server may refuse just such words.
            self._count("failed_trials")
            self.logger.info("A trial of the engine failed: %s: %s", request.url, reason)
            for output in await self._finish(probe, []):
                yield output
            return
        self._failures += 1
        self._count("failed")
        self.logger.info("A probe failed: %s: %s", request.url, reason)
        if pages:
            self._count("incomplete_answers")
            for item in await self._add(probe, pages):
                yield item
        if self._failures < MAX_FAILURES:
            for output in await self._next_outputs():
                yield output
            return
        text = "%d probes in a row failed, the last with %s: the crawl ends, and keeps what it has"
        self._fail(f"{text}. The same command goes on there later.", self._failures, reason)
        # Answers that wait for the wrapper: there may be no later crawl.
        for item in await in_thread(self._learn):
            yield item
        for item in await in_thread(self._settle):
            yield item
        for item in self._last_records():
            yield item

    def _last_records(self) -> Iterator[FormRecord]:
        """The records that waited for all others, of which none follows, unless pages are open."""
        self._record_pages.note_last_record()
        yield from self._released()

    def _leads_back(self, response: Response) -> bool:
        """Whether a request of an answer was redirected to the page with the form.  What is sent
        with POST may have its answer there."""
        assert self.search is not None
        is_redirected = "redirect_urls" in response.meta
        is_form_page = response.url == self._form_url
        is_get = self.search.form.method == "GET"
        return is_redirected and is_form_page and is_get

    async def _begin(self, response: Response) -> AsyncIterator[Any]:
        page = await self._read(response)
        if page is None:
            file = describe_file(response)
            if file:
                text = "%s is %s, no page: name the page with the form, -a url=URL"
                self._fail(text, response.url, file)
            else:
                self._fail("%s: it has no form that can be read", response.url)
            return
        self._form_url = response.url
        page_forms = await in_thread(forms.read_forms, page.root, page.base_url)
        form = self._choose(page_forms, response.url)
        if form is None:
            return
        self._requests = forms.FormRequests(page.root, form, page.base_url)
        if self._max_details:
            from forest_scrapy.forms.details import read_details  # few crawls need it

            self._site_pairs = frozenset(await in_thread(read_details, page))

        name = forms.file_name(response.url, form)
        path = Path(data_path(str(Path("forest", "forms", name))))
        path.parent.mkdir(parents=True, exist_ok=True)
        # A second crawl of the form would send each probe again, and write into the same file.
        self._lock.enter_context(locked(path))
        if self._begins_anew:
            forms.forget_probes(path)
        self.search = await in_thread(
            forms.FormSearch.open,
            form,
            path,
            _site_words(page),
            page.language,
            self._method,
        )
        if self.search.sent:
            self.logger.info(
                "Going on after %s and %s of an earlier crawl; %s begins anew",
                count(self.search.sent, "probe"),
                count(len(self.search.prober.keys), "record"),
                "-a again=yes",
            )

        if self._named_values:
            await in_thread(self._offer_values)
        for item in await in_thread(self._missing_in_exports):
            self._count("recalled")
            for output in self._complete(item):
                yield output
        for request in self._next_probe():
            yield request

    async def _read(self, response: Response, stat: str = "") -> Page | None:
        """The page of a response, read with limits of time and memory; None, with a line in the log
        and a stat, by default that of the reason, if it cannot be read."""
        response = await in_thread(repair_encoding, response)
        if page := await in_thread(self._read_data, response):
            return page
        reason = await self._refuse_page(response)
        if reason is None:
            return await in_thread(page_of, response)
        self._count(stat or reason)
        self.logger.warning("%s cannot be read: %s", response.url, reason)
        return None

    def _read_data(self, response: Response) -> Page | None:
        """The page of an answer in JSON; None if it is none, or too large."""
        max_bytes = read_settings(self.crawler.settings).max_bytes
        is_form_known = self.search is not None
        if not is_form_known or not isinstance(response, TextResponse):
            return None
        if len(response.body) > max_bytes:
            return None
        return forms.read_data_page(response.text, response.url)

    async def _refuse_page(self, response: Response) -> str | None:
        """Why a page cannot be read, as the name of a stat; None if it can be."""
        if not isinstance(response, HtmlResponse):
            return "not_html"
        reason = refuse_page(response, read_settings(self.crawler.settings).max_bytes)
        if reason is None and not await self._limits().admits(response):
            return "too_slow"
        return reason

    def _limits(self) -> PageProbe:
        """What reads pages that may be slow in a process that can be stopped."""
        if self._page_probe is None:
            seconds = read_settings(self.crawler.settings).page_seconds
            self._page_probe = PageProbe(seconds, task="form")
        return self._page_probe

    async def _finish(
        self,
        probe: FormProbe,
        pages: list[Page],
    ) -> list[Any]:
        """The records of a whole answer, and the request of the next probe."""
        items = await self._add(probe, pages)
        outputs = await self._next_outputs()
        return [*items, *outputs]

    async def _next_outputs(self) -> list[Any]:
        """What ``_next_probe`` yields, computed in a thread."""
        return await in_thread(lambda: list(self._next_probe()))

    async def _add(
        self,
        probe: FormProbe,
        pages: list[Page],
    ) -> list[FormRecord | Request]:
        """The records that are new after an answer."""
        search = self.search
        assert search is not None
        outcomes = await in_thread(lambda: list(search.add(probe, pages)))
        items: list[FormRecord | Request] = []
        for outcome in outcomes:
            items.extend(self._items(outcome))
        return items

    def _learn(self) -> list[FormRecord | Request]:
        """The records of the answers that wait for the wrapper, which is learned from them."""
        assert self.search is not None
        items: list[FormRecord | Request] = []
        for outcome in self.search.learn():
            items.extend(self._items(outcome))
        return items

    def _settle(self) -> list[FormRecord | Request]:
        """The records of the first answers, if these are still held: there is no other probe."""
        assert self.search is not None
        items: list[FormRecord | Request] = []
        for outcome in self.search.settle():
            items.extend(self._items(outcome))
        return items

    def _next_probe(self) -> Iterator[Any]:
        """The request of the next probe; at the end the records that wait."""
        search = self.search
        assert search is not None
        request = yield from self._next_request()
        if search.sent and search.sent % LOG_INTERVAL == 0:
            self._log_progress()
        if request:
            yield request
            return
        if self._has_failed:
            # No request follows, but what was fetched is not lost.
            yield from self._learn()
            yield from self._settle()
            yield from self._last_records()
            return
        # What waited, or was held, may have words that no probe had.
        for finish in (self._learn, self._settle):
            yield from finish()
            request = yield from self._next_request()
            if request:
                yield request
                return
        yield from self._last_records()
        self._log_end()

    def _next_request(self) -> Generator[FormRecord | Request, None, Request | None]:
        """Returns the request of the next probe; None if there is none, or if the form cannot be
        sent any more.  Probes whose URL is too long for a request are left out; what that makes
        final of earlier ones is yielded."""
        search = self.search
        assert search is not None
        while True:
            probe = None
            if search.sent_for_records < self._budget:
                probe = search.next()
            if probe is None and self._tries_engine:
                probe = search.next_trial()
            if probe is None:
                return None
            try:
                request = self._requests.make(probe)
            except forms.FormNotSent as error:
                self._fail("%s", error)
                return None
            if not self._is_too_long(request.url):
                return self._request(request, probe, [])
            for outcome in search.add(probe, []):
                yield from self._items(outcome)

    def _is_too_long(self, url: str, stat: str = "too_long") -> bool:
        """Whether Scrapy drops a request with this URL."""
        limit = self.crawler.settings.getint("URLLENGTH_LIMIT")
        if not 0 < limit < len(url):
            return False
        self._count(stat)
        self.logger.warning(
            "A URL of %d characters is not requested (URLLENGTH_LIMIT is %d): %s...",
            len(url),
            limit,
            url[:100],
        )
        return True

    def _fail(self, text: str, *arguments: object) -> None:
        """Log why the crawl ends; the exit status is then 1."""
        self._has_failed = True
        self.logger.error(text, *arguments)

    def _request(
        self,
        request: Request,
        probe: FormProbe,
        pages: list[Page],
    ) -> Request:
        if not pages:
            self._count("probes")
        return request.replace(
            callback=_not_stored(self.parse_answer),
            errback=self.answer_failed,
            cb_kwargs={"probe": probe, "pages": pages},
            meta={"handle_httpstatus_list": _READ_STATUSES},
            dont_filter=True,
        )

    def _items(self, outcome: ProbeOutcome) -> Iterator[FormRecord | Request]:
        """The new records of an answer, which are counted and logged, or the requests of their
        pages."""
        self._count("errors" if outcome.gain.is_error else "answers")
        controls = [f"{name}={value}" for name, value in outcome.probe.filling]
        self.logger.debug(
            "Probe %s: %s, %d new, %s",
            ", ".join(controls) or "(as it is)",
            count(len(outcome.gain.keys), "record"),
            len(outcome.items),
            count(outcome.gain.requests, "page"),
        )
        for item in outcome.items:
            self._emitted += 1
            self._count("records")
            yield from self._complete(item)

    def _complete(self, item: FormRecord) -> Iterator[FormRecord | Request]:
        """The record itself if its page is not to be read; else requests of pages, whose callbacks
        emit their records with the attributes that are there."""
        url = item.url
        has_page = url.partition("#")[0] != item.found_on.partition("#")[0]
        is_same_host = host_of(url) == host_of(item.found_on)
        if not (self._max_details and has_page and is_same_host and is_url(url)):
            yield item
            return
        is_shared = self._record_pages.note_link(url)
        has_room = self._record_pages.has_room(url)
        if self._has_failed or self._is_too_long(url, "barred_details"):
            yield item
        elif not has_room:
            if is_shared:
                self._count_foreign(item)
            yield item
        elif _request_of(url) is None:
            self._count("barred_details")
            self.logger.info("The page of a record has no URL for a request: %s", url)
            yield item
        elif self._record_pages.add(item):
            yield from self._detail_requests()
        else:
            self._count("skipped_details")
            yield item

    def _detail_requests(self) -> Iterator[Request]:
        """The requests of the next pages of records."""
        while item := self._record_pages.open_next():
            yield Request(
                item.url,
                callback=_not_stored(self.parse_details),
                errback=partial(self.details_failed, item=item),
                cb_kwargs={"item": item},
                dont_filter=True,
            )

    async def parse_details(self, response: Response, item: FormRecord) -> AsyncIterator[Any]:
        """A record with the attributes of its page, unless others decide on these, and those that
        waited for it."""
        self._record_pages.note_answer()
        for request in self._detail_requests():
            yield request
        record_page = None
        try:
            record_page = await self._read_details(response, item)
        finally:
            if record_page is None:
                self._record_pages.note_unread()
        if record_page is None:
            yield item
        elif placed_page := self._record_pages.place(record_page):
            yield self._add_details(placed_page)
        for record in self._released():
            yield record

    async def _read_details(self, response: Response, item: FormRecord) -> RecordPage | None:
        """What the page of a record tells; None if it leads elsewhere or cannot be read."""
        from forest_scrapy.forms.details import read_details

        if self._leads_elsewhere(response, item):
            self._count_foreign(item)
            return None
        page = await self._read(response, "unreadable_details")
        if page is None:
            return None
        title = page.root.findtext(".//title") or ""
        pairs = await in_thread(read_details, page)
        return RecordPage(item, response.url, title.strip(), pairs)

    def _add_details(self, placed_page: PlacedPage) -> FormRecord:
        """The record of a page, with its attributes if the page belongs to it."""
        from forest_scrapy.forms.details import complete_record

        record = placed_page.page.record
        if placed_page.is_own:
            self._count("details")
            complete_record(record, placed_page.page.pairs, self._site_pairs)
        else:
            self._count_foreign(record)
        return record

    def _released(self) -> Iterator[FormRecord]:
        """The records that waited for all others, when these are there."""
        for placed_page in self._record_pages.release():
            yield self._add_details(placed_page)

    def _count_foreign(self, item: FormRecord) -> None:
        self._count("foreign_details")
        self.logger.info("The page of a record leads elsewhere: %s", item.url)

    def _leads_elsewhere(self, response: Response, item: FormRecord) -> bool:
        """Whether the page is of another host, or one with the form or its answers."""
        form_pages = [fold_url(self._form_url), fold_url(item.found_on)]
        is_same_host = bare_host(response.url) == bare_host(item.url)
        return not is_same_host or fold_url(response.url) in form_pages

    async def details_failed(self, failure: Failure, item: FormRecord) -> AsyncIterator[Any]:
        """A record whose page cannot be fetched, as it is; all others, too, if the server refuses
        these pages."""
        reason = _reason_of(failure)
        self._count(_details_stat(failure))
        self.logger.info("The page of a record failed: %s: %s", item.url, reason)
        if self._record_pages.note_failure(_is_refusal(failure)):
            self.logger.warning(
                "%s of records in a row failed, the last with %s: no other one is requested,"
                " and the records are emitted without what these tell",
                count(MAX_DETAIL_FAILURES, "page"),
                reason,
            )
        if self._record_pages.is_refused:
            for record in self._record_pages.give_up():
                self._count("skipped_details")
                yield record
        for request in self._detail_requests():
            yield request
        yield item
        for record in self._released():
            yield record

    def _offer_values(self) -> None:
        """Have the values of ``-a values`` tried."""
        from forest_scrapy.forms.form_graph import read_graph  # few crawls need it

        assert self.search is not None
        assigned, unknown = forms.assign_values(self._named_values, read_graph(self.search))
        self.search.prober.offer(assigned)
        for name, values in assigned.items():
            self.logger.info(
                "%s tried in %s",
                count(
                    len(values),
                    f"value of {self._values_file} is",
                    f"values of {self._values_file} are",
                ),
                name,
            )
        for name in unknown:
            self.logger.warning(
                "%s: no control is called %s, or was seen to search it: its values are not tried",
                self._values_file,
                name,
            )

    def _missing_in_exports(self) -> list[FormRecord]:
        """The records of earlier crawls that an export of this one does not have: they were not
        written when that was killed, or this export is a new one.  The others do not get them
        again."""
        assert self.search is not None
        if not self.search.recalled:
            return []
        written = leave_out_exported(self.crawler, forms.FormRecord.identity, forms.identity)
        missing_records = []
        for item in self.search.recalled:
            if forms.identity(vars(item)) not in written:
                missing_records.append(item)
        return missing_records

    def _note_long_answer(self, url: str) -> None:
        """Log once that an answer has more pages than are read."""
        assert self.crawler.stats is not None
        if not self.crawler.stats.get_value("forest/form/long_answers"):
            self.logger.info(
                "%s: an answer has more than %d pages, which are not read: -a next_pages=N",
                url,
                self._max_pages,
            )
        self._count("long_answers")

    def _choose(self, page_forms: list[Form], url: str) -> Form | None:
        """The form that is to be sent; None, with a line in the log, if there is none."""
        for form in page_forms:
            self.logger.info("%s: %s", url, form.describe())
        is_named = bool(self._number)
        if is_named:
            chosen = next((form for form in page_forms if form.number == self._number), None)
        else:
            chosen = forms.choose_form(page_forms)

        if chosen is None:
            description = f"form {self._number}" if is_named else "a form for searching"
            text = "%s does not have %s; it has %s"
            unclear = []
            for form in page_forms:
                if form.purpose == "other":
                    unclear.append(form)
            if unclear and not is_named:
                arguments = forms.naming_arguments(unclear[0])
                text += f"; if one is for searching, name it: {arguments}"
            self._fail(text, url, description, count(len(page_forms), "form"))
            return None
        if reason := forms.refuse(chosen, url, self._allows_post, is_named):
            self._fail("%s: form %d is not sent: %s", url, chosen.number, reason)
            return None
        return chosen

    def _log_progress(self) -> None:
        search = self.search
        assert search is not None
        self.logger.info(
            "%s sent, %s, %d in this crawl",
            count(search.sent, "probe"),
            count(len(search.prober.keys), "record"),
            self._emitted,
        )

    def _log_end(self) -> None:
        self._log_progress()
        search = self.search
        assert search is not None
        self._warn_of_shapes(search)
        if search.prober.has_all:
            self.logger.info(
                "All %s are known that the form says to have: no further probe is sent",
                count(search.prober.total, "record"),
            )
        if engine := search.engine().describe():
            self.logger.info("How the form searches: %s", engine)
        if not search.prober.keys:
            self.logger.warning(
                "None of %s had a record. If a script sends the form or writes the answers,"
                " this spider cannot read them; else name another form, -a form=N",
                count(search.sent, "probe"),
            )
        for method, rate in search.reader.rates.items():
            self.logger.info(
                "Values of different records by %s on the first answers: %g",
                method,
                rate,
            )
        for constraint in search.constraints():
            self.logger.info(
                "%s has records only with %s (%s without it had none, %d of %d with both)",
                constraint.control,
                constraint.needs,
                count(constraint.without, "probe"),
                constraint.answered,
                constraint.probes,
            )
        for meaning in search.meanings():
            self.logger.info(
                "%s: what is put in comes back in %s (%s; %s, %s, share %.2f)",
                meaning.control,
                " or ".join(meaning.attributes),
                meaning.relation_text,
                count(meaning.probes, "probe"),
                count(meaning.records, "record"),
                meaning.share,
            )

    def _warn_of_shapes(self, search: FormSearch) -> None:
        """Log that records may be read wrongly: some have other numbers of values than most, or
        larger answers were read in another way than the first ones."""
        odd, total = forms.count_shapes(search.records.values())
        if odd > MAX_ODD_SHARE * total:
            self.logger.warning(
                "%d of %s have half as many values as most, or twice as many: they may be"
                " parts of records. Look at them, and try another -a records=METHOD -a again=yes",
                odd,
                count(total, "record"),
            )
        if search.reader.times_replaced:
            self.logger.warning(
                "Larger answers showed that records were read wrongly before: begin anew,"
                " -a again=yes, and remove the items of this crawl"
            )

    def describe_graph(self) -> Iterator[Triple]:
        """The statements of an export as a graph about the form and its meaning, besides those of
        the records."""
        from forest_scrapy.forms.form_graph import read_graph, write_graph  # few crawls need it

        if self.search is None:
            return iter(())
        return write_graph(read_graph(self.search))

    def _count(self, name: str) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(f"forest/form/{name}")

    def _log_missing(self) -> None:
        """Log at the end what could not be read: records may be missing."""
        if reasons := self._describe_stats(_MISSING):
            self.logger.warning("Records may be missing: %s; -a again=yes begins anew", reasons)
        if reasons := self._describe_stats(_MISSING_DETAILS):
            self.logger.warning(
                "Records are without what their own pages tell: of these, %s; the same command"
                " with another file (-o) requests them again",
                reasons,
            )
        if reasons := self._describe_stats(_LASTING_DETAILS):
            self.logger.warning(
                "Records are without what their own pages tell: of these, %s; the lines above name"
                " them (LOG_LEVEL=INFO), and requesting them again changes nothing",
                reasons,
            )

    def _describe_stats(self, descriptions: Mapping[str, str]) -> str:
        """The stats that are not 0, in words; ``""`` if all are."""
        assert self.crawler.stats is not None
        parts = []
        for name, description in descriptions.items():
            number = self.crawler.stats.get_value(f"forest/form/{name}", 0)
            if number:
                parts.append(f"{number} {description}")
        return ", ".join(parts)

    def _warn_of_unknown(self, search: FormSearch, is_finished: bool) -> None:
        """Log at the end that the site has more records than were found: as it says itself, or as
        answers that are cut off tell.  ``is_finished``: no further probe is sent."""
        assert self.crawler.stats is not None
        told = search.totals.largest
        answers = search.totals.count_cut()
        coverage = search.prober.coverage
        records = len(search.prober.keys)
        if told:
            self.crawler.stats.set_value("forest/form/told_records", told)
        if answers.cut:
            self.crawler.stats.set_value("forest/form/cut_answers", answers.cut)
        if search.prober.has_all:
            return

        # A form that has one answer to everything may show all of its records.
        has_different_answers = records > answers.size
        has_cut_answers = answers.cut > 0 and has_different_answers
        estimated_total = coverage.estimated_total
        if estimated_total and has_cut_answers:
            self.crawler.stats.set_value("forest/form/estimated_records", estimated_total)
        estimate = "of how many is not known"
        if estimated_total > records:
            estimate = f"estimated are {estimated_total} in all (Chao1)"
        if told > records > 0:
            is_larger = has_cut_answers and estimated_total > told
            self.logger.warning(
                "Found %d of %d records that the site says to have for one probe%s: %s",
                records,
                told,
                f", {estimate}" if is_larger else "",
                self._advise(search, is_finished),
            )
        elif has_cut_answers:
            has_many_cut = answers.are_most and not told
            is_likely = has_many_cut or coverage.has_unknown
            last_gain = coverage.last_gain
            self.logger.log(
                logging.WARNING if is_likely else logging.INFO,
                "%d of %s were cut off at %s each, and the last %s brought %s: more records than"
                " the %d found are %s, %s: %s",
                answers.cut,
                count(answers.answers, "answer"),
                count(answers.size, "record"),
                count(last_gain.probes, "probe"),
                count(last_gain.new, "new record"),
                records,
                "likely" if is_likely else "possible",
                estimate,
                self._advise(search, is_finished),
            )

    def _advise(self, search: FormSearch, is_finished: bool) -> str:
        """How more records are found."""
        assert self.crawler.stats is not None
        if not is_finished:
            return "the same command goes on from here"
        if self.crawler.stats.get_value("forest/form/long_answers"):
            return (
                f"-a next_pages=N with N above {self._max_pages}, with -a again=yes,"
                " reads more pages of an answer"
            )
        values = "-a values=FILE tries values that you have"
        if search.sent_for_records >= self._budget:
            probes = f"-a probes=N with N above {self._budget} goes on from here"
            is_slow = not search.prober.coverage.last_gain.is_ongoing
            return f"{probes}, {values}" if is_slow and search.form.texts else probes
        if search.form.texts:
            return f"no probe is left; {values}"
        return "no probe is left, since the form has no field for words"

    def closed(self, reason: str) -> None:
        self._log_missing()
        if self.search:
            is_finished = reason == "finished" and not self._has_failed
            self._warn_of_unknown(self.search, is_finished)
        if self.search and self.search.file:
            self.search.file.close()
        if self._page_probe:
            self._page_probe.close()
        self._lock.close()

    def _set_exit_status(self) -> None:
        if self._has_failed:
            # Scrapy's exit status is 1 for a crawler without a spider; there is no other way.
            self.crawler.spider = None


def _not_stored(callback: Callable[..., Any]) -> Callable[..., Any]:
    """The callback for a request that is not stored in a JOBDIR: the file of the form tells which
    probe is the next one, and it would be sent twice."""
    return partial(callback)  # Scrapy stores requests whose callback is a method of the spider


def _request_of(url: str) -> Request | None:
    """The request of a link; None if it cannot be made, as with a port that does not exist."""
    try:
        return Request(url)
    except ValueError:
        return None


def _is_refusal(failure: Failure) -> bool:
    """Whether a server that fails so may refuse all: not by robots.txt, or since a page is gone."""
    if isinstance(failure.value, HttpError):
        return failure.value.response.status not in _GONE
    return not isinstance(failure.value, IgnoreRequest)


def _details_stat(failure: Failure) -> str:
    """The stat of the page of a record that cannot be fetched."""
    if isinstance(failure.value, HttpError) and failure.value.response.status in _GONE:
        return "gone_details"
    if isinstance(failure.value, IgnoreRequest) and not isinstance(failure.value, HttpError):
        return "barred_details"
    return "failed_details"


def _reason_of(failure: Failure) -> str:
    """The status of a failed request, or its error."""
    response = getattr(failure.value, "response", None)
    if response is None:
        return repr(failure.value)
    return f"status {response.status}"


def _site_words(page: Page) -> list[str]:
    """The words of a page that are no stop words, the most frequent first."""
    words = split_words(" ".join(page.outline.lines))
    ignored_words = stop_words(page.language)
    counts = Counter(word for word in words if len(word) > 2 and word not in ignored_words)
    return sorted(counts, key=lambda word: (-counts[word], word))

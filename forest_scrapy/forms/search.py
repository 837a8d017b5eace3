"""A search through a form: the prober, the reader of answers, and the file of results, as one state
that a crawl drives.  No requests are made here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import html

from forest_scrapy.core import ForestError, Page
from forest_scrapy.core.codec import from_json, to_json
from forest_scrapy.core.digests import hex_digest
from forest_scrapy.core.page.tree import parse_html
from forest_scrapy.core.page.urls import host_of
from forest_scrapy.core.records.record_wrapper import RecordWrapper
from forest_scrapy.forms.answers import Answer, AnswerReader, AnswerRecord, AnswerWrapper
from forest_scrapy.forms.constraints import Constraint, learn_constraints
from forest_scrapy.forms.form import Form
from forest_scrapy.forms.items import FormRecord
from forest_scrapy.forms.meanings import Meaning, ProbeResult, map_controls
from forest_scrapy.forms.probe_file import ProbeFile, ProbeLine
from forest_scrapy.forms.probing import NONSENSE, FormProbe, Gain, Prober
from forest_scrapy.forms.regions import ControlNames, Filling
from forest_scrapy.forms.totals import Totals, read_numbers


@dataclass(frozen=True)
class ProbeOutcome:
    """The result of a probe, and the items of the records that are new."""

    probe: FormProbe
    gain: Gain
    items: tuple[FormRecord, ...] = ()


@dataclass(frozen=True)
class WaitingProbe:
    """A probe whose answers are read once the wrapper is learned."""

    probe: FormProbe
    answers: Sequence[Answer]


@dataclass(frozen=True)
class RecordOnPage:
    """A record of an answer, and its page."""

    page: Page
    record: AnswerRecord

    @property
    def key(self) -> str:
        """The key of the record."""
        return self.record.key

    @property
    def values(self) -> dict[str, str]:
        """The values of the record by attribute."""
        return self.record.values


@dataclass
class FormSearch:
    """Which probe is next, and the results of those before.

    ``file``: where the search is stored; None stores nothing.  A search whose file has the same
    form (see ``Form.identity``) goes on where that ended; ``recalled`` are the items of the records
    that it had found.
    """

    form: Form
    prober: Prober
    reader: AnswerReader = field(default_factory=AnswerReader)
    file: ProbeFile | None = None
    results: list[ProbeResult] = field(default_factory=list)
    sent: int = 0
    recalled: list[FormRecord] = field(default_factory=list, repr=False)
    totals: Totals = field(default_factory=Totals, repr=False)
    #: The controls that each probe filled in, and whether it had records.
    _sets: list[tuple[ControlNames, bool]] = field(default_factory=list, repr=False)
    _values: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)
    _waiting: dict[Filling, WaitingProbe] = field(default_factory=dict)

    @classmethod
    def open(
        cls,
        form: Form,
        path: Path | None,
        words: Sequence[str],
        language: str,
        method: str,
    ) -> FormSearch:
        """The search of a form, with what its file has.

        ``words``: of the site, in the order they are tried; ``method``: see ``AnswerReader``.
        """
        prober = Prober(form, words, language)
        search = cls(form, prober, AnswerReader(method))
        if path is None:
            return search
        search.file = ProbeFile(path)
        head, lines = search.file.read()
        if _is_of_form(head, form):
            search._recall_all(head, lines)
        else:
            search.file.begin(to_json(form))
        return search

    @classmethod
    def recall(cls, form: Form, path: Path) -> FormSearch | None:
        """The search that a file has, as it is; None if the file is of no such form."""
        head, lines = ProbeFile(path).read()
        if not _is_of_form(head, form):
            return None
        search = cls(form, Prober(form))
        search._recall_all(head, lines)
        return search

    def next(self) -> FormProbe | None:
        """The probe to send; None if there is none."""
        return self.prober.next()

    def add(
        self,
        probe: FormProbe,
        pages: Sequence[Page],
    ) -> Iterator[ProbeOutcome]:
        """Note the pages of an answer; yields the result of this probe, and those of probes that
        waited for the wrapper; nothing if this one waits."""
        self.sent += 1
        answers = [Answer(page, probe.filling) for page in pages]
        if any(value in NONSENSE for _, value in probe.filling):
            for answer in answers:
                self.reader.add_error(answer)
            yield self._finish(probe, [], len(pages), error_pages=answers)
            return

        page_records = self._read(answers)
        if page_records is None:
            self._waiting[probe.filling] = WaitingProbe(probe, answers)
            self.prober.note_waiting(probe)
            self._write_waiting(probe, pages)
            if self.reader.can_learn():
                yield from self.learn(is_last=False)
            return
        if self._waiting and self.reader.can_learn():
            yield from self.learn(is_last=False)
        yield self._finish(probe, page_records, len(pages), pages[:1])

    def _read(self, answers: Sequence[Answer]) -> list[RecordOnPage] | None:
        """The records of the pages of an answer; None if one of these has to wait for the
        wrapper."""
        page_records: list[RecordOnPage] = []
        is_waiting = False
        times_learned = self.reader.times_learned
        for answer in answers:
            records = self.reader.read(answer)
            if records is None:
                is_waiting = True
                continue
            for record in records:
                page_records.append(RecordOnPage(answer.page, record))
        if self.reader.times_learned > times_learned:
            self._write_wrapper()
        return None if is_waiting else page_records

    def learn(self, is_last: bool = True) -> Iterator[ProbeOutcome]:
        """Learn the wrapper from the answers that wait, and read them; nothing if these have too
        few records yet and more may come (``is_last``: no more will)."""
        if not self._waiting or not self.reader.learn(is_last):
            return
        self.prober.forget_waiting()
        self._write_wrapper()

        records_by_answer = {}
        for answer, records in self.reader.take_waiting():
            records_by_answer[id(answer)] = records
        waiting_probes = self._waiting
        self._waiting = {}
        for waiting in waiting_probes.values():
            page_records = []
            for answer in waiting.answers:
                for record in records_by_answer.get(id(answer), ()):
                    page_records.append(RecordOnPage(answer.page, record))
            pages = [answer.page for answer in waiting.answers]
            yield self._finish(waiting.probe, page_records, len(pages), pages[:1])

    @property
    def records(self) -> Mapping[str, dict[str, str]]:
        """The values of all records that were found, by their keys."""
        return self._values

    def meanings(self) -> list[Meaning]:
        """What the controls mean, by the records of all probes."""
        return map_controls(self.form, self.results)

    def constraints(self) -> list[Constraint]:
        """Which controls must be filled in together."""
        names = [control.name for control in self.form.controls]
        return learn_constraints(names, self._sets)

    def _finish(
        self,
        probe: FormProbe,
        page_records: Sequence[RecordOnPage],
        requests: int,
        first_pages: Sequence[Page] = (),
        error_pages: Sequence[Answer] = (),
    ) -> ProbeOutcome:
        """Note the result of a probe.  ``first_pages``: the first page of its answer, if it has
        one; ``error_pages``: the answers to a nonsense word."""
        keys = frozenset(page_record.key for page_record in page_records)
        new: dict[str, RecordOnPage] = {}
        for page_record in page_records:
            if page_record.key not in self.prober.keys:
                new.setdefault(page_record.key, page_record)
        new_values = {key: page_record.values for key, page_record in new.items()}

        is_error = bool(error_pages) or not page_records
        numbers: dict[str, int] = {}
        if page_records and first_pages:
            numbers = read_numbers(first_pages[0], probe.filling)
        self._note_total(probe, numbers, len(page_records))
        gain = Gain(keys, len(new), requests, is_error, self.totals.missing(probe.filling))
        self.prober.add(probe, gain, new_values)
        self._values.update(new_values)
        self._note_result(probe, [page_record.values for page_record in page_records])

        items = []
        for page_record in new.values():
            item = FormRecord.of(
                page_record.record,
                page_record.page.url,
                self.form,
                probe.filling,
            )
            items.append(item)
        if self.file is not None:
            lines: set[str] = set()
            for answer in error_pages:
                answer_lines = answer.lines()
                lines.update(answer_lines.keys(), answer_lines.values())
            line = ProbeLine(
                filling=probe.filling,
                group=probe.group,
                kind="error" if error_pages else "records",
                requests=requests,
                keys=tuple(sorted(keys - new.keys())),
                records=tuple(new_values.items()),
                items=tuple(vars(item) for item in items),
                lines=tuple(sorted(lines)),
                numbers=tuple(numbers.items()),
                shown=len(page_records),
            )
            self.file.add(line)
        return ProbeOutcome(probe, gain, tuple(items))

    def _note_total(self, probe: FormProbe, numbers: Mapping[str, int], shown: int) -> None:
        """Learn where answers say how many records they have; that of earlier ones counts, too."""
        if self.totals.add(probe.filling, numbers, shown):
            self.prober.note_missing(self.totals.all_missing())

    def _note_result(
        self,
        probe: FormProbe,
        records: Sequence[dict[str, str]],
    ) -> None:
        if "nonsense" not in probe.group[1:]:
            self._sets.append((probe.controls, bool(records)))
        if records:
            for name, value in probe.filling:
                self.results.append(ProbeResult(name, value, records))

    def _write_wrapper(self) -> None:
        """Store the wrapper, with which a later crawl reads answers."""
        if self.file and self.reader.wrapper:
            wrapper = to_json(self.reader.wrapper)
            self.file.set_wrapper(wrapper, self.reader.rates, self.reader.sample_size)

    def _write_waiting(
        self,
        probe: FormProbe,
        pages: Sequence[Page],
    ) -> None:
        if self.file is None:
            return
        line = ProbeLine(
            filling=probe.filling,
            group=probe.group,
            kind="waiting",
            requests=len(pages),
            pages=tuple((page.url, _html_of(page)) for page in pages),
        )
        self.file.add(line)

    def _recall_all(
        self,
        head: Mapping[str, Any],
        lines: Sequence[ProbeLine],
    ) -> None:
        if "wrapper" in head:
            self.reader.wrapper = _read_wrapper(head["wrapper"])
            self.reader.rates = dict(head.get("methods", {}))
            self.reader.sample_size = int(head.get("texts", 0))
            self.reader.times_learned = 1
        for line in lines:
            if line.kind == "waiting":
                self._recall_waiting(line)
            else:
                self._recall(line)

    def _recall_waiting(self, line: ProbeLine) -> None:
        """Have an answer of an earlier run wait for the wrapper; with a wrapper it is read now: the
        run was stopped between the line of the wrapper and that of the probe."""
        probe = FormProbe(line.filling, line.group)
        self.sent += 1
        answers = []
        for url, text in line.pages:
            page = Page(url, parse_html(text))
            answers.append(Answer(page, probe.filling))
        page_records = self._read(answers)
        if page_records is None:
            self._waiting[probe.filling] = WaitingProbe(probe, answers)
            self.prober.note_waiting(probe)
            return
        first_pages = [answer.page for answer in answers[:1]]
        outcome = self._finish(probe, page_records, len(answers), first_pages)
        self.recalled.extend(outcome.items)

    def _recall(self, line: ProbeLine) -> None:
        """Note the result of a probe of an earlier run."""
        probe = FormProbe(line.filling, line.group)
        self.sent += 1
        if line.kind == "error":
            self.reader.errors = self.reader.errors.add_lines(line.lines)
        for item in line.items:
            self.recalled.append(FormRecord(**item))

        new_values = dict(line.records)
        self._values.update(new_values)
        self.reader.note_names(new_values.values())
        new_keys = [key for key, _ in line.records]
        keys = frozenset((*line.keys, *new_keys))
        is_error = line.kind == "error" or not keys
        self._note_total(probe, dict(line.numbers), line.shown)
        missing = self.totals.missing(probe.filling)
        gain = Gain(keys, len(new_values), line.requests, is_error, missing)
        self.prober.add(probe, gain, new_values)

        values = []
        for key in (*new_keys, *line.keys):
            if key in self._values:
                values.append(self._values[key])
        self._note_result(probe, values)


def _is_of_form(head: Mapping[str, Any], form: Form) -> bool:
    """Whether the head of a file is that of a form, which may have other hidden values now."""
    try:
        stored = from_json(Form, head.get("form"), ignore_unknown=True)
    except ForestError:
        return False  # a new file, or a damaged one
    return stored.identity == form.identity


def _read_wrapper(data: Any) -> AnswerWrapper:
    """The wrapper of a file; earlier releases wrote that of the records alone."""
    try:
        return from_json(AnswerWrapper, data)
    except ForestError:
        return AnswerWrapper(from_json(RecordWrapper, data))


def file_name(url: str, form: Form) -> str:
    """The name of the file of a form's probes; ``url``: of the page with the form."""
    host = host_of(url).replace(":", "_") or "page"
    digest = hex_digest(f"{url} {form.number}")
    return f"{host}-{digest}.jsonl"


def _html_of(page: Page) -> str:
    text: str = html.tostring(page.root, encoding="unicode")
    return text

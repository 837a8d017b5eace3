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
from forest_scrapy.forms.data import is_data_page
from forest_scrapy.forms.engine import Engine, Trial, WordAnswer, next_trial, read_engine
from forest_scrapy.forms.form import Form
from forest_scrapy.forms.items import FormRecord
from forest_scrapy.forms.meanings import Meaning, ProbeResult, map_controls
from forest_scrapy.forms.probe_file import ProbeFile, ProbeLine
from forest_scrapy.forms.probing import NONSENSE, FormProbe, Gain, Prober
from forest_scrapy.forms.regions import ControlNames, Filling
from forest_scrapy.forms.totals import Totals, read_numbers

#: Answers with records, and different records, that the wrapper has read when items are emitted;
#: and the answers, or the pages, after which they are in any case.
MIN_SETTLED_ANSWERS = 12
MIN_SETTLED_RECORDS = 60
MAX_UNSETTLED_ANSWERS = 24
MAX_UNSETTLED_PAGES = 100


@dataclass(frozen=True)
class ProbeOutcome:
    """The result of a probe, and the items of the records that are new."""

    probe: FormProbe
    gain: Gain
    items: tuple[FormRecord, ...] = ()


@dataclass(frozen=True)
class AnsweredProbe:
    """A probe with its answer, whose records may be read later, or again."""

    probe: FormProbe
    answers: Sequence[Answer]

    @property
    def is_nonsense(self) -> bool:
        """Whether the answer is an error page in any case."""
        return any(value in NONSENSE for _, value in self.probe.filling)


@dataclass(frozen=True)
class FinishedProbe:
    """The result of a probe, and its line in the file of the form."""

    outcome: ProbeOutcome
    line: ProbeLine


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

    What the first answers give is not final: these may have a single record each, or the records of
    one town.  Their outcomes are held until the wrapper has read enough answers, and all of these
    are read again when a better wrapper is learned.

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
    #: The probes that were sent to tell how the engine searches, by their traits; and the answers
    #: of single controls.
    _trials: dict[str, Trial] = field(default_factory=dict, repr=False)
    language: str = ""
    _answers: dict[Filling, frozenset[str]] = field(default_factory=dict, repr=False)
    _values: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)
    _waiting: dict[Filling, AnsweredProbe] = field(default_factory=dict)
    #: Whether outcomes are final; before that, the answers, with the lines of an earlier crawl, in
    #: their order, and their outcomes as they are now.
    is_settled: bool = False
    _unsettled: list[AnsweredProbe | ProbeLine] = field(default_factory=list, repr=False)
    _held: list[FinishedProbe] = field(default_factory=list, repr=False)

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
        search = cls(form, prober, AnswerReader(method), language=language)
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
        """Note the pages of an answer; yields the outcomes that are final now: of this probe, and
        of those before that were held."""
        self.sent += 1
        answers = [Answer(page, probe.filling) for page in pages]
        if probe.is_trial and not all(map(self.reader.can_read, answers)):
            answers = []  # no probe after it may have the wrapper learned
        answered = AnsweredProbe(probe, answers)
        times_learned = self.reader.times_learned
        times_replaced = self.reader.times_replaced
        finished_probes = self._read(answered)
        if self.is_settled:
            if self.reader.times_learned > times_learned:
                self._write_wrapper()
            if probe.filling in self._waiting:
                self._write_unread(answered)
            yield from self._give_out(finished_probes)
            return

        self._unsettled.append(answered)
        self._held.extend(finished_probes)
        self._write_unsettled(answered, finished_probes)
        if self.reader.times_replaced > times_replaced:
            self._read_all_again()
        if self._has_stood():
            yield from self.settle()

    def learn(self) -> Iterator[ProbeOutcome]:
        """Learn the wrapper from the answers that wait, however few these are, as there is no other
        probe; yields the outcomes that are final now."""
        finished_probes = self._learn_waiting(is_last=True)
        if self.is_settled:
            if finished_probes:
                self._write_wrapper()
            yield from self._give_out(finished_probes)
        else:
            self._held.extend(finished_probes)

    def settle(self) -> Iterator[ProbeOutcome]:
        """Take what was read so far as final, by the best wrapper of all answers; yields the
        outcomes that were held.  Cost: that of learning the wrapper."""
        if self.is_settled:
            return
        answers = self._answers_with_records()
        if answers and self.reader.learn_last(answers):
            self._read_all_again()

        finished_probes = self._held
        self.is_settled = True
        self._held = []
        self._unsettled = []
        # Nothing was emitted by the wrappers before.
        self.reader.times_replaced = 0
        self._write_wrapper()
        yield from self._give_out(finished_probes)

    def _answers_with_records(self) -> list[Answer]:
        """The answers of which records were held."""
        fillings: set[Filling] = set()
        for finished in self._held:
            if finished.outcome.gain.keys:
                fillings.add(finished.outcome.probe.filling)
        answers: list[Answer] = []
        for entry in self._unsettled:
            if isinstance(entry, AnsweredProbe) and entry.probe.filling in fillings:
                answers.extend(entry.answers)
        return answers

    def _has_stood(self) -> bool:
        """Whether the wrapper has read enough answers for their outcomes to be final."""
        if self._waiting:
            return False
        last_entry = self._unsettled[-1]
        assert isinstance(last_entry, AnsweredProbe)
        if any(is_data_page(answer.page) for answer in last_entry.answers):
            return True  # no wrapper is needed
        if self.reader.wrapper is None:
            return False

        answers = 0
        pages = 0
        for finished in self._held:
            answers += bool(finished.outcome.gain.keys)
            pages += finished.outcome.gain.requests
        if answers >= MAX_UNSETTLED_ANSWERS or pages >= MAX_UNSETTLED_PAGES:
            return True
        has_enough_answers = answers >= MIN_SETTLED_ANSWERS
        has_enough_records = len(self.prober.keys) >= MIN_SETTLED_RECORDS
        return has_enough_answers and has_enough_records and not self.reader.may_learn_again

    def _read(self, answered: AnsweredProbe) -> list[FinishedProbe]:
        """The results that an answer has: of its probe, if it need not wait for the wrapper, and of
        those that have waited, if the wrapper is learned now."""
        probe = answered.probe
        if answered.is_nonsense:
            for answer in answered.answers:
                self.reader.add_error(answer)
            return [self._finish(answered, [])]

        page_records: list[RecordOnPage] = []
        is_waiting = False
        for answer in answered.answers:
            records = self.reader.read(answer)
            if records is None:
                is_waiting = True
                continue
            for record in records:
                page_records.append(RecordOnPage(answer.page, record))
        if is_waiting:
            self._waiting[probe.filling] = answered
            self.prober.note_waiting(probe)

        finished_probes = []
        if self._waiting and self.reader.can_learn():
            finished_probes = self._learn_waiting(is_last=False)
        if not is_waiting:
            finished_probes.append(self._finish(answered, page_records))
        return finished_probes

    def _learn_waiting(self, is_last: bool) -> list[FinishedProbe]:
        """Learn the wrapper from the answers that wait, and read them; nothing if these have too
        few records yet and more may come (``is_last``: no more will)."""
        if not self._waiting or not self.reader.learn(is_last):
            return []
        self.prober.forget_waiting()
        records_by_answer = {}
        for answer, records in self.reader.take_waiting():
            records_by_answer[id(answer)] = records

        waiting_probes = self._waiting
        self._waiting = {}
        finished_probes = []
        for waiting in waiting_probes.values():
            page_records = []
            for answer in waiting.answers:
                for record in records_by_answer.get(id(answer), ()):
                    page_records.append(RecordOnPage(answer.page, record))
            finished_probes.append(self._finish(waiting, page_records))
        return finished_probes

    def _read_all_again(self) -> None:
        """Read the first answers by another wrapper, as if it had read them at once: the prober,
        too, knows only what that finds."""
        self.prober = self.prober.begin_anew()
        self.totals = Totals()
        self.results = []
        self._sets = []
        self._trials = {}
        self._answers = {}
        self._values = {}
        self.reader.forget_names()
        self._held = []
        for entry in self._unsettled:
            if isinstance(entry, ProbeLine):
                self._note_line(entry)
            else:
                self._held.append(self._read_again(entry))

    def _read_again(self, answered: AnsweredProbe) -> FinishedProbe:
        page_records: list[RecordOnPage] = []
        if not answered.is_nonsense:
            for answer in answered.answers:
                for record in self.reader.read_again(answer):
                    page_records.append(RecordOnPage(answer.page, record))
        return self._finish(answered, page_records)

    @property
    def records(self) -> Mapping[str, dict[str, str]]:
        """The values of all records that were found, by their keys."""
        return self._values

    def meanings(self) -> list[Meaning]:
        """What the controls mean, by the records of all probes."""
        return map_controls(self.form, self.results)

    @property
    def trials(self) -> list[Trial]:
        """The probes that were sent to tell how the engine searches, in their order."""
        return list(self._trials.values())

    def finds_nothing(self, probe: FormProbe, pages: Sequence[Page]) -> bool:
        """Whether the pages of an answer are known to say that nothing was found."""
        answers = [Answer(page, probe.filling) for page in pages]
        return all(map(self.reader.errors.covers, answers))

    @property
    def sent_for_records(self) -> int:
        """The probes that were sent and are no trials."""
        return self.sent - len(self._trials)

    def next_trial(self) -> FormProbe | None:
        """The next probe that tells how the engine searches; None if none is left, or if records
        are not read for good yet.  None is sent twice, whatever its answer."""
        if not self.is_settled:
            return None
        trial = next_trial(self.trials, self._word_answers(), self._values, self.language)
        if trial is None:
            return None
        self._trials[trial.trait] = trial
        return trial.probe

    def engine(self) -> Engine:
        """How the engine behind the form searches, by the trials."""
        largest = self.totals.count_cut().size
        return read_engine(self.trials, self._word_answers(), largest)

    def _word_answers(self) -> list[WordAnswer]:
        """The answers of single controls that take any text: others refuse what is no option."""
        largest = self.totals.count_cut().size
        text_controls = {control.name for control in self.form.texts}
        answers = []
        for filling, keys in self._answers.items():
            ((control, value),) = filling
            if control not in text_controls:
                continue
            missing = self.totals.missing(filling)
            is_complete = len(keys) < largest if missing is None else missing <= 0
            answers.append(WordAnswer(control, value, keys, is_complete))
        return answers

    def constraints(self) -> list[Constraint]:
        """Which controls must be filled in together."""
        names = [control.name for control in self.form.controls]
        return learn_constraints(names, self._sets)

    def _finish(
        self,
        answered: AnsweredProbe,
        page_records: Sequence[RecordOnPage],
    ) -> FinishedProbe:
        """Note the result of a probe by the records of its answer."""
        probe = answered.probe
        requests = len(answered.answers)
        keys = frozenset(page_record.key for page_record in page_records)
        new: dict[str, RecordOnPage] = {}
        for page_record in page_records:
            if page_record.key not in self.prober.keys:
                new.setdefault(page_record.key, page_record)
        new_values = {key: page_record.values for key, page_record in new.items()}

        numbers: dict[str, int] = {}
        if page_records and answered.answers:
            numbers = read_numbers(answered.answers[0].page, probe.filling)
        self._note_total(probe, numbers, len(page_records))
        is_error = not page_records
        gain = Gain(keys, len(new), requests, is_error, self.totals.missing(probe.filling))
        self.prober.add(probe, gain, new_values)
        self._values.update(new_values)
        is_unread_trial = probe.is_trial and not answered.answers
        values = [page_record.values for page_record in page_records]
        self._note_result(probe, None if is_unread_trial else keys, values)

        items = []
        for page_record in new.values():
            item = FormRecord.of(
                page_record.record,
                page_record.page.url,
                self.form,
                probe.filling,
            )
            items.append(item)

        error_lines: set[str] = set()
        if answered.is_nonsense:
            for answer in answered.answers:
                answer_lines = answer.lines()
                error_lines.update(answer_lines.keys(), answer_lines.values())
        kind = "records"
        if is_unread_trial:
            kind = "unread"
        elif answered.is_nonsense and answered.answers:
            kind = "error"
        line = ProbeLine(
            filling=probe.filling,
            group=probe.group,
            kind=kind,
            requests=requests,
            keys=tuple(sorted(keys - new.keys())),
            records=tuple(new_values.items()),
            items=tuple(vars(item) for item in items),
            lines=tuple(sorted(error_lines)),
            numbers=tuple(numbers.items()),
            shown=len(page_records),
        )
        return FinishedProbe(ProbeOutcome(probe, gain, tuple(items)), line)

    def _note_total(self, probe: FormProbe, numbers: Mapping[str, int], shown: int) -> None:
        """Learn where answers say how many records they have; that of earlier ones counts, too."""
        if self.totals.add(probe.filling, numbers, shown):
            self.prober.note_missing(self.totals.all_missing())

    def _note_result(
        self,
        probe: FormProbe,
        keys: frozenset[str] | None,
        records: Sequence[dict[str, str]],
    ) -> None:
        """``keys``: None for a trial whose answer cannot be read."""
        trial = Trial.of(probe, keys)
        if trial is not None:
            self._trials[trial.trait] = trial
            return
        if "nonsense" not in probe.group[1:]:
            self._sets.append((probe.controls, bool(records)))
        if records:
            if keys is not None and len(probe.filling) == 1:
                self._answers[probe.filling] = keys
            for name, value in probe.filling:
                self.results.append(ProbeResult(name, value, records))

    def _give_out(self, finished_probes: Sequence[FinishedProbe]) -> Iterator[ProbeOutcome]:
        """Store results that are final, and yield their outcomes."""
        for finished in finished_probes:
            if self.file is not None:
                self.file.add(finished.line)
            yield finished.outcome

    def _write_wrapper(self) -> None:
        """Store the wrapper, with which a later crawl reads answers."""
        if self.file and self.reader.wrapper:
            wrapper = to_json(self.reader.wrapper)
            self.file.set_wrapper(wrapper, self.reader.rates, self.reader.sample_size)

    def _write_unsettled(
        self,
        answered: AnsweredProbe,
        finished_probes: Sequence[FinishedProbe],
    ) -> None:
        """Store an answer before outcomes are final: the pages, if these seem to have records;
        those of the probes that have waited are stored already."""
        if self.file is None:
            return
        for finished in finished_probes:
            is_of_answer = finished.outcome.probe == answered.probe
            if is_of_answer and not finished.outcome.gain.keys:
                self.file.add(finished.line)
                return
        self._write_unread(answered)

    def _write_unread(self, answered: AnsweredProbe) -> None:
        """Store the pages of an answer, which are read later."""
        if self.file is None:
            return
        pages = [(answer.page.url, _html_of(answer.page)) for answer in answered.answers]
        line = ProbeLine(
            filling=answered.probe.filling,
            group=answered.probe.group,
            kind="waiting",
            requests=len(pages),
            pages=tuple(pages),
        )
        self.file.add(line)

    def _recall_all(
        self,
        head: Mapping[str, Any],
        lines: Sequence[ProbeLine],
    ) -> None:
        self.is_settled = "wrapper" in head or any(line.records for line in lines)
        if "wrapper" in head:
            self.reader.wrapper = _read_wrapper(head["wrapper"])
            self.reader.rates = dict(head.get("methods", {}))
            self.reader.sample_size = int(head.get("texts", 0))
            self.reader.times_learned = 1
        for line in lines:
            self._recall(line)

    def _recall(self, line: ProbeLine) -> None:
        """Note the result of a probe of an earlier run."""
        self.sent += 1
        if line.kind == "waiting":
            self._recall_unread(line)
            return
        if not self.is_settled:
            self._unsettled.append(line)
        if line.kind == "error":
            self.reader.errors = self.reader.errors.add_lines(line.lines)
        for item in line.items:
            self.recalled.append(FormRecord(**item))
        self._note_line(line)

    def _recall_unread(self, line: ProbeLine) -> None:
        """Have the pages of an earlier run wait for the wrapper, or read them if there is one."""
        probe = FormProbe(line.filling, line.group)
        answers = [Answer(Page(url, parse_html(text)), probe.filling) for url, text in line.pages]
        answered = AnsweredProbe(probe, answers)
        if self.reader.wrapper is not None:
            # The run ended when the outcomes were about to be stored.
            finished = self._read_again(answered)
            self.recalled.extend(finished.outcome.items)
            if self.file is not None:
                self.file.add(finished.line)
            return
        for answer in answers:
            self.reader.read(answer)
        self._waiting[probe.filling] = answered
        self.prober.note_waiting(probe)
        if not self.is_settled:
            self._unsettled.append(answered)

    def _note_line(self, line: ProbeLine) -> None:
        """Note the records of a line of the file."""
        probe = FormProbe(line.filling, line.group)
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
        self._note_result(probe, None if line.kind == "unread" else keys, values)


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

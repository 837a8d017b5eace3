"""A search through a form: the prober, the reader of answers, and the file of what came, as one
state that a crawl drives.  No requests are made here."""

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
from forest_scrapy.forms.answers import Answer, AnswerReader, FoundRecord
from forest_scrapy.forms.constraints import Constraint, learn_constraints
from forest_scrapy.forms.form import Form
from forest_scrapy.forms.items import FormRecord
from forest_scrapy.forms.meanings import Meaning, ProbeResult, map_controls
from forest_scrapy.forms.probe_file import ProbeFile, ProbeLine
from forest_scrapy.forms.probing import NONSENSE, Gain, Probe, Prober


@dataclass(frozen=True)
class Outcome:
    """What came of a probe, and the items of the records that are new."""

    probe: Probe
    gain: Gain
    items: tuple[FormRecord, ...] = ()


@dataclass
class FormSearch:
    """Which probe is next, and what came of the others.

    ``file``: where it is kept; None keeps nothing.  A search whose file has the same form (see
    ``Form.identity``) goes on where that ended; ``recalled`` are the items of the records that it
    had found.
    """

    form: Form
    prober: Prober
    reader: AnswerReader = field(default_factory=AnswerReader)
    file: ProbeFile | None = None
    results: list[ProbeResult] = field(default_factory=list)
    sent: int = 0
    recalled: list[FormRecord] = field(default_factory=list, repr=False)
    _sets: list[tuple[tuple[str, ...], bool]] = field(default_factory=list, repr=False)
    _values: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)
    _waiting: dict[tuple[tuple[str, str], ...], tuple[Probe, list[Answer]]] = field(
        default_factory=dict
    )

    @classmethod
    def open(
        cls, form: Form, path: Path | None, words: Sequence[str], language: str, method: str
    ) -> FormSearch:
        """The search of a form, with what its file has.

        ``words``: of the site, in the order they are tried; ``method``: see ``AnswerReader``.
        """
        prober = Prober(form, words, language)
        search = cls(form, prober, AnswerReader(method), ProbeFile(path) if path else None)
        if search.file is None:
            return search
        head, lines = search.file.read()
        if not _is_of_form(head, form):
            search.file.begin(to_json(form))
            return search
        search._recall_all(head, lines)
        return search

    @classmethod
    def recall(cls, form: Form, path: Path) -> FormSearch | None:
        """The search that a file has, as it is; None if the file is of no such form."""
        search = cls(form, Prober(form))
        head, lines = ProbeFile(path).read()
        if not _is_of_form(head, form):
            return None
        search._recall_all(head, lines)
        return search

    def next(self) -> Probe | None:
        """The probe to send; None if there is none."""
        return self.prober.next()

    def add(self, probe: Probe, pages: Sequence[Page]) -> Iterator[Outcome]:
        """Note the pages of an answer; yields what came of this probe, and of those that waited
        for the wrapper; nothing if this one waits."""
        self.sent += 1
        answers = [Answer(page, probe.filling) for page in pages]
        if any(value in NONSENSE for _, value in probe.filling):
            for one in answers:
                self.reader.add_error(one)
            yield self._finish(probe, [], len(pages), error=answers)
            return
        read = [self.reader.read(one) for one in answers]
        if None in read:
            self._waiting[probe.filling] = probe, answers
            self.prober.note_waiting(probe)
            self._write(probe, "waiting", pages=pages, requests=len(pages))
            if self.reader.can_learn():
                yield from self.learn()
            return
        found = [(one.page, r) for one, own in zip(answers, read, strict=True) for r in own or ()]
        yield self._finish(probe, found, len(pages))

    def learn(self) -> Iterator[Outcome]:
        """Learn the wrapper from the answers that wait, and read them."""
        if not self._waiting:
            return
        self.reader.learn()
        self.prober.forget_waiting()
        if self.file and self.reader.wrapper:
            self.file.set_wrapper(to_json(self.reader.wrapper), self.reader.rates)
        read = {id(answer): own for answer, own in self.reader.take_waiting()}
        waiting, self._waiting = self._waiting, {}
        for probe, answers in waiting.values():
            found = [(one.page, r) for one in answers for r in read.get(id(one), ())]
            yield self._finish(probe, found, len(answers))

    @property
    def records(self) -> Mapping[str, dict[str, str]]:
        """The values of all records that were found, by their keys."""
        return self._values

    def meanings(self) -> list[Meaning]:
        """What the controls mean, by the records of all probes."""
        return map_controls(self.form, self.results)

    def constraints(self) -> list[Constraint]:
        """Which controls must be filled in together."""
        return learn_constraints([one.name for one in self.form.controls], self._sets)

    def _finish(
        self,
        probe: Probe,
        found: Sequence[tuple[Page, FoundRecord]],
        requests: int,
        error: Sequence[Answer] = (),
    ) -> Outcome:
        new: dict[str, tuple[Page, FoundRecord]] = {}
        for page, one in found:
            if one.key not in self.prober.keys:
                new.setdefault(one.key, (page, one))
        keys = frozenset(one.key for _, one in found)
        gain = Gain(keys, len(new), requests, bool(error) or not found)
        self.prober.add(probe, gain, {key: one.values for key, (_, one) in new.items()})
        self._values.update((key, one.values) for key, (_, one) in new.items())
        self._note_result(probe, [one.values for _, one in found])
        items = tuple(
            FormRecord.of(one, page.url, self.form, probe.filling) for page, one in new.values()
        )
        self._write(
            probe,
            "error" if error else "records",
            requests=requests,
            keys=sorted(keys - set(new)),
            records=[(key, one.values) for key, (_, one) in new.items()],
            items=[vars(item) for item in items],
            lines=sorted({line for one in error for own in one.lines().items() for line in own}),
        )
        return Outcome(probe, gain, items)

    def _note_result(self, probe: Probe, records: Sequence[dict[str, str]]) -> None:
        if "nonsense" not in probe.group:
            self._sets.append((probe.controls, bool(records)))
        if records:
            own = [ProbeResult(name, value, records) for name, value in probe.filling]
            self.results.extend(own)

    def _write(self, probe: Probe, kind: str, pages: Sequence[Page] = (), **values: object) -> None:
        if self.file is None:
            return
        written = [(page.url, _html_of(page)) for page in pages]
        made = {name: tuple(value) if isinstance(value, list) else value
                for name, value in values.items()}  # fmt: skip
        self.file.add(ProbeLine(probe.filling, probe.group, kind, pages=tuple(written), **made))  # type: ignore[arg-type]

    def _recall_all(self, head: Mapping[str, Any], lines: Sequence[ProbeLine]) -> None:
        if "wrapper" in head:
            self.reader.wrapper = from_json(RecordWrapper, head["wrapper"])
            self.reader.rates = dict(head.get("methods", {}))
        for line in lines:
            self._recall(line)

    def _recall(self, line: ProbeLine) -> None:
        """Take up what came of a probe in an earlier run."""
        probe = Probe(line.filling, line.group)
        self.sent += 1
        if line.kind == "waiting" and self.reader.wrapper is None:
            answers = [
                Answer(Page(url, parse_html(html)), probe.filling) for url, html in line.pages
            ]
            for one in answers:
                self.reader.read(one)
            self._waiting[probe.filling] = probe, answers
            self.prober.note_waiting(probe)
            return
        if line.kind == "error":
            self.reader.errors = self.reader.errors.add_lines(line.lines)
        self.recalled += [FormRecord(**item) for item in line.items]
        self._values.update(line.records)
        records = dict(line.records)
        self.reader.note_names(records.values())
        keys = frozenset((*line.keys, *(key for key, _ in line.records)))
        gain = Gain(keys, len(records), line.requests, line.kind == "error" or not keys)
        self.prober.add(probe, gain, records)
        order = [key for key, _ in line.records] + list(line.keys)
        self._note_result(probe, [self._values[key] for key in order if key in self._values])


def _is_of_form(head: Mapping[str, Any], form: Form) -> bool:
    """Whether the head of a file is that of a form, which may have other hidden values now."""
    try:
        stored = from_json(Form, head.get("form"), ignore_unknown=True)
    except ForestError:
        return False  # a new file, or a damaged one
    return stored.identity == form.identity


def file_name(url: str, form: Form) -> str:
    """The name of the file of a form's probes; ``url``: of the page with the form."""
    digest = hex_digest(f"{url} {form.number}")
    return f"{host_of(url).replace(':', '_') or 'page'}-{digest}.jsonl"


def _html_of(page: Page) -> str:
    text: str = html.tostring(page.root, encoding="unicode")
    return text

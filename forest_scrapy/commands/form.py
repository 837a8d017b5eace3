"""``scrapy forest form``: the forms of a page, and the results of the one that was probed."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrapy.utils.project import data_path

from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.commands.pages import read_pages
from forest_scrapy.core import Page
from forest_scrapy.core.codec import to_json
from forest_scrapy.core.errors import ForestError
from forest_scrapy.core.plurals import count
from forest_scrapy.forms.form import Form, choose_form, read_forms
from forest_scrapy.forms.form_graph import read_graph
from forest_scrapy.forms.safety import naming_arguments, refuse
from forest_scrapy.forms.search import FormSearch, file_name
from forest_scrapy.report.contents import Report
from forest_scrapy.report.form_view import AlignedTerm, FormReport, read_aligned
from forest_scrapy.report.writing import write_report
from forest_scrapy.settings import crawl_command


class NotProbed(ForestError):
    """There is nothing to report of a form."""


class ShowForms(Action):
    """Print the forms of a page: what each is for, and whether it would be sent; and for a form
    that ``scrapy crawl form`` has probed what its controls mean, with the evidence."""

    name = "form"

    @staticmethod
    def add_options(add: AddOption) -> None:
        add("page", metavar="URL|FILE", help="the page with the form")
        add("--json", action="store_true", help="print JSON")
        add(
            "--aligned",
            type=Path,
            metavar="FILE",
            help="the links of the form's graph, as scrapy forest align ... -o links.json writes"
            " them",
        )
        add(
            "-o",
            "--output",
            metavar="FOLDER",
            help="write what is known of the form that was probed, with its graph, as HTML",
        )

    def run(self, options: Namespace) -> Iterator[str]:
        aligned = read_aligned(options.aligned) if options.aligned else {}
        reports: list[FormReport] = []
        for page in read_pages([options.page], "", self, task="form"):
            descriptions = self._describe_forms(page, aligned)
            for description in descriptions:
                if description.search and description.search.sent:
                    assert description.report is not None
                    reports.append(description.report)
            if options.json:
                values = [description.describe() for description in descriptions]
                yield json_text(values) + "\n"
            else:
                text = "".join(description.write() for description in descriptions)
                yield text or "The page has no form.\n"

        if options.output:
            if not reports:
                raise NotProbed(
                    f"no form of the page was probed: first {crawl_command()} form -a url=URL"
                )
            report = Report("Forms", (), forms=tuple(reports))
            written = write_report(report, Path(options.output), self.config)
            size = count(written.size, "byte", spec=",")
            yield f"{written.index}: {count(len(reports), 'form')}, {size}\n"

    def _describe_forms(
        self,
        page: Page,
        aligned: Mapping[str, Sequence[AlignedTerm]],
    ) -> list[_FormDescription]:
        """The forms of a page, with the searches that crawls have stored."""
        forms = read_forms(page.root, page.base_url)
        best = choose_form(forms)
        descriptions = []
        for form in forms:
            is_taken = form is best and not refuse(form, page.url, is_named=False)
            description = _FormDescription(form, page.url, is_taken)
            name = file_name(page.url, form)
            path = Path(data_path(str(Path("forest", "forms", name))))
            search = FormSearch.recall(form, path)
            if search:
                description.search = search
                description.report = FormReport(read_graph(search), aligned)
            descriptions.append(description)
        return descriptions


@dataclass
class _FormDescription:
    """A form of a page, and its search if a crawl has stored one."""

    form: Form
    url: str
    is_best: bool
    report: FormReport | None = None
    search: FormSearch | None = None

    @property
    def refused(self) -> str:
        return refuse(self.form, self.url, allows_post=True)

    def describe(self) -> dict[str, object]:
        """The form as JSON."""
        graph = self.report.graph if self.report else None
        return {
            "form": to_json(self.form),
            "is_best": self.is_best,
            "refused": self.refused,
            "needs_method": self.form.method == "POST",
            "probes": graph.probes if graph else 0,
            "records": graph.records if graph else 0,
            "meanings": to_json(graph.meanings) if graph else [],
            "constraints": to_json(self.search.constraints()) if self.search else [],
            "engine": to_json(graph.engine) if graph else {},
            "methods": self.search.reader.rates if self.search else {},
            "predicates": to_json(graph.predicates) if graph else [],
            "line": self.form.describe(),
        }

    def write(self) -> str:
        """The form as text."""
        text = f"{self.form.describe()}\n"
        if self.refused:
            return f"{text}  is never sent: {self.refused}\n"
        if self.form.method == "POST":
            text += f"  is sent only if it is named: {naming_arguments(self.form)}\n"
        if self.is_best:
            text += f"  is the one that {crawl_command()} form takes\n"
        if self.report is None or not self.report.graph.probes:
            return text
        graph = self.report.graph
        text += f"  {count(graph.probes, 'probe')}, {count(graph.records, 'record')}\n"
        return text + self._write_notes() + _write_table(self._rows(self.report))

    def _write_notes(self) -> str:
        """The controls that must be filled in together, and how each method was rated."""
        assert self.search is not None
        lines = []
        for constraint in self.search.constraints():
            probes = count(constraint.without, "probe")
            lines.append(
                f"  {constraint.control} only with {constraint.needs}: {probes}"
                f" without it had no record, {constraint.answered} of {constraint.probes} with"
                " both had\n"
            )
        assert self.report is not None
        if engine := self.report.graph.engine.describe():
            lines.append(f"  {engine}\n")
        rates = [f"{method} {rate:g}" for method, rate in self.search.reader.rates.items()]
        if rates:
            lines.append(
                f"  values of different records on the first answers: {', '.join(rates)}\n"
            )
        return "".join(lines)

    def _rows(self, report: FormReport) -> Iterator[tuple[str, ...]]:
        """The rows of the table of meanings, its head first."""
        head = ("control", "comes back in", "relation", "probes", "records", "share", "by chance")
        yield (*head, "is below") if report.aligned else head
        for meaning in report.graph.meanings:
            row = (
                meaning.control,
                " or ".join(meaning.attributes),
                meaning.relation_text,
                str(meaning.probes),
                str(meaning.records),
                str(meaning.share),
                str(meaning.chance),
            )
            if not report.aligned:
                yield row
                continue
            terms = report.terms_of_control(meaning)
            yield (*row, ", ".join(f"{term.short} {term.probability:.2f}" for term in terms))


def _write_table(rows: Iterator[tuple[str, ...]]) -> str:
    table = list(rows)
    columns = zip(*table, strict=True)
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for row in table:
        cells = map(str.ljust, row, widths)
        line = "  ".join(cells)
        lines.append(f"  {line.rstrip()}\n")
    return "".join(lines)

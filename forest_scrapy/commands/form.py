"""``scrapy forest form``: the forms of a page, and what is known of the one that was probed."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scrapy.utils.project import data_path

from forest_scrapy.commands.forest_command import Action, AddOption, json_text
from forest_scrapy.commands.pages import read_pages
from forest_scrapy.core.codec import to_json
from forest_scrapy.core.errors import ForestError
from forest_scrapy.forms.form import Form, choose_form, read_forms
from forest_scrapy.forms.form_graph import read_graph
from forest_scrapy.forms.safety import refuse
from forest_scrapy.forms.search import FormSearch, file_name
from forest_scrapy.report.contents import Report
from forest_scrapy.report.form_view import FormReport, read_aligned
from forest_scrapy.report.writing import write_report


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
        text = "the links of the form's graph, as scrapy forest align ... -o links.json writes them"
        add("--aligned", type=Path, metavar="FILE", help=text)
        text = "write what is known of the form that was probed, with its graph, as HTML"
        add("-o", "--output", metavar="FOLDER", help=text)

    def run(self, options: Namespace) -> Iterator[str]:
        aligned = read_aligned(options.aligned) if options.aligned else {}
        reports: list[FormReport] = []
        for page in read_pages([options.page], "", self):
            forms = read_forms(page.root, page.base_url)
            best = choose_form(forms)
            shown = [_Shown(form, page.url, form is best) for form in forms]
            for one in shown:
                path = Path(data_path(str(Path("forest", "forms", file_name(page.url, one.form)))))
                if search := FormSearch.recall(one.form, path):
                    one.search = search
                    one.report = FormReport(read_graph(search), aligned)
                    reports += [one.report] if search.sent else []
            if options.json:
                yield json_text([one.describe() for one in shown]) + "\n"
            else:
                yield "".join(one.write() for one in shown) or "The page has no form.\n"
        if options.output:
            if not reports:
                raise NotProbed(
                    "no form of the page was probed: first scrapy crawl form -a url=URL"
                )
            report = Report("Forms", (), forms=tuple(reports))
            written = write_report(report, Path(options.output), self.config)
            yield f"{written.index}: {len(reports)} forms, {written.size:,} bytes\n"


@dataclass
class _Shown:
    """A form of a page, and what is known of it."""

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
            text += "  is sent only if it is named: -a form=N -a method=post\n"
        text += "  is the one that scrapy crawl form takes\n" if self.is_best else ""
        if self.report is None or not self.report.graph.probes:
            return text
        graph = self.report.graph
        text += f"  {graph.probes} probes, {graph.records} records\n"
        return text + self._write_notes() + _write_table(self._rows(self.report))

    def _write_notes(self) -> str:
        """The controls that must be filled in together, and what each method found."""
        assert self.search is not None
        text = "".join(
            f"  {one.control} only with {one.needs}: {one.without} probes without it had no"
            f" record, {one.answered} of {one.probes} with both had\n"
            for one in self.search.constraints()
        )
        rates = ", ".join(f"{name} {rate:g}" for name, rate in self.search.reader.rates.items())
        return text + (
            f"  values of different records on the first answers: {rates}\n" if rates else ""
        )

    def _rows(self, report: FormReport) -> Iterator[tuple[str, ...]]:
        end = ("is below",) if report.aligned else ()
        yield (*"control|comes back in|relation|probes|records|share|by chance".split("|"), *end)
        for one in report.graph.meanings:
            numbers = (one.probes, one.records, one.share, one.chance)
            terms = [
                f"{term.short} {term.probability:.2f}" for term in report.terms_of_control(one)
            ]
            names = " or ".join(one.attributes)
            yield (
                one.control,
                names,
                one.relation,
                *map(str, numbers),
                *([", ".join(terms)] if report.aligned else []),
            )


def _write_table(rows: Iterator[tuple[str, ...]]) -> str:
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ("  ".join(cell.ljust(n) for cell, n in zip(row, widths, strict=True)) for row in table)
    return "".join(f"  {line.rstrip()}\n" for line in lines)
